"""What is said where constraints fail or are misspelt: names, whole formulas, whole forms, the user's own line."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import dalembert as da


def arm(lengths=(0.7, 0.7)):
    m = da.Mechanism("arm")
    upper, lower = (m.body(x, mass=1, centre=[0.35, 0, 0], inertia=[0.1] * 3) for x in ("upper", "lower"))
    m.join(da.earth, upper, da.revolute("z"), name="sh")
    m.join(upper.at([lengths[0], 0, 0]), lower, da.revolute("z"), name="el")
    m.frame("tip", lower.at([lengths[1], 0, 0]))
    return m


@pytest.mark.parametrize("by", [None, "el.th"])
def test_a_law_beyond_the_reach_of_an_arm_is_named_with_its_time(by):
    m = arm()
    m.constrain("pos(lower, x) = 0.6 + 0.2*t", by=None, name="law")
    m.constrain("el.th = 0.5*t", by=by, name="other")
    with pytest.raises(da.SimulationError, match=r"stopped at t = 0\.(5|499)\d*: the law 'law' cannot be") as error:
        m.simulate((0, 2), start={"sh.th": np.arccos(0.6 / 0.7)})
    assert "force that jumps" not in str(error.value)


@pytest.mark.parametrize("seed", range(3))
def test_a_path_that_leaves_the_reach_is_named(seed):
    rng = np.random.default_rng(seed)
    lengths = tuple(float(x) for x in rng.uniform(0.5, 1.0, size=2))
    m, x, speed = arm(lengths), float(rng.uniform(0.4, 0.6)), float(rng.uniform(0.2, 0.5))
    m.constrain(f"pos(tip, x) = {x} + {speed}*t", "pos(tip, y) = 0.3", name="path")
    leaves = (np.sqrt(sum(lengths) ** 2 - 0.09) - x) / speed
    bend = np.arccos((x**2 + 0.09 - lengths[0] ** 2 - lengths[1] ** 2) / (2 * lengths[0] * lengths[1]))
    with pytest.raises(da.SimulationError, match="the law 'path' cannot be followed further") as error:
        m.simulate((0, 2 * leaves), start={"el.th": -bend})
    assert error.value.partial.t[-1] == pytest.approx(leaves, rel=1e-5)


def test_a_formula_in_a_message_is_whole_or_left_out():
    m = arm()
    m.given = {"l": 0.7}
    m.constrain("pos(tip, x) = 1.1 - 0.3*t", by="el.th", name="law")
    with pytest.raises(da.DalembertError) as error:
        m.simulate((0, 8), start={"el.th": -1.2})
    text = str(error.value)
    assert text.count("(") == text.count(")")


HEAD = """use "joints.lsd" ;
let bob = body mass = 1, iframe = 0, inertia = [1, 1, 1] end ;
join earth and bob.frame with prismatic(axis = [1, 0, 0]) as rail ;
"""


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("constrain pos(bob, x) >= 0 ;", "`contact pos(bob, x) >= ...`"),
        ("effort rail.x = 3 ;", "an effort on a coordinate is written in its link"),
        ("constrain rail.x <= 3 ;", "`contact ... >= rail.x`"),
        ("drive rail.x = t by torque on bob ;", "`by torque on bob about [0, 0, 1]`"),
        ("constrain rail.x = t by force on bob.frame as law ;", "`by force on bob.frame along [0, 0, 1]`"),
    ],
)
def test_hints_show_the_whole_form(line, hint):
    with pytest.raises(da.LsdError) as error:
        da.loads(HEAD + line)
    assert hint in str(error.value)


def test_drives_have_one_name_in_both_languages():
    told = da.loads(HEAD + "drive rail.x = 0.1*t ;")
    built = da.loads(HEAD)
    built.drive("rail.x", "0.1*t")
    assert [one.name for one in told.constraints] == [one.name for one in built.constraints] == ["drive_1"]
    assert [one.name for one in da.loads(told.to_lsd()).constraints] == ["drive_1"]


def test_equations_print_as_equations_whatever_they_are_reduced_to():
    rope = da.load("examples/constraints/pulley_block.lsd").equations("lagrange", independent=["one.x"])
    blade = da.load("examples/constraints/sleigh.lsd").equations("kane", independent="automatic")
    for eq in (rope, blade):
        assert str(eq) == str(eq.show("scalar"))
        assert "''" in str(eq)
        assert repr(eq).startswith("<")


def test_warnings_point_at_the_line_that_asked():
    m = arm()
    m.constrain("sh.th = 0", name="a")
    m.constrain("sh.th + el.th - el.th = 0", name="b")
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        mo = m.simulate((0, 0.1), start={"sh.th": 0.001})
        assert mo["a.lambda"] is not None
    assert found
    assert {one.filename for one in found} == {__file__}


CART = """
let chassis = body mass = 8, iframe = [0.1, 0, 0], inertia = [0.1, 0.2, 0.25] end ;
let left = body mass = 0.5, iframe = 0, inertia = [0.003, 0.005, 0.003] end ;
let right = body mass = 0.5, iframe = 0, inertia = [0.003, 0.005, 0.003] end ;
join [0, 0, 0.1] @ earth and chassis.frame with link(x, y, th) dof1 = [x, y, 0], dof2 = th || [0, 0, 1] end as c ;
join [0, 0.2, 0] @ chassis and left.frame with link(th) dof = th || [0, 1, 0], effort = 0.4 end as wl ;
join [0, -0.2, 0] @ chassis and right.frame with link(th) dof = th || [0, 1, 0] end as wr ;
roll left on earth with radius = 0.1 as rl ;
roll right on earth with radius = 0.1 as rr ;
start c.th = 0.3 ;
"""


def test_two_wheels_on_one_axle_say_one_thing_twice_and_are_both_needed():
    from dalembert.constraints.soundness import following
    from dalembert.dynamics import dynamics_of

    m = da.loads(CART)
    ((_, sentence),) = following(dynamics_of(m.layout()).rows)
    assert "parts of the conditions 'rl' and 'rr'" in sentence
    assert "eave out" not in sentence
    assert m.mobility().dof == 5  # the wheels touch by their axle: these conditions say nothing
    small = m.linearize({"c.th": 0.3})
    entries = [float(x) for x in (*small.stiffness.entries, *small.rate_speeds.entries, *small.residual)]
    assert [x for x in entries if 0 < abs(x) < 1e-12] == []


@pytest.mark.parametrize("seed", range(6))
def test_only_what_changes_no_motion_may_be_left_out(seed):
    """Random conditions on four speeds that depend on each other in part or wholly, judged by ranks in NumPy."""
    from dalembert.constraints.soundness import following
    from dalembert.dynamics import dynamics_of

    rng = np.random.default_rng(seed)
    base = rng.integers(-2, 3, size=(3, 4))
    groups = [base[:2], np.array([base[0] + base[1], base[2]]) if seed % 2 else np.array([base[0] - 2 * base[1]])]
    m = da.Mechanism("shafts")
    for k in range(4):
        m.join(da.earth, m.body(f"b{k}", inertia=[1, 1, 1]), da.revolute("z"), name=f"s{k}")
    for name, rows in zip("ab", groups, strict=True):
        m.constrain(*["+".join(f"({int(c)})*s{k}.th" for k, c in enumerate(row)) + " = 0" for row in rows], name=name)
    whole = np.linalg.matrix_rank(np.vstack(groups))
    needless = [name for name, rest in zip("ab", reversed(groups), strict=True) if np.linalg.matrix_rank(rest) == whole]
    for _, sentence in following(dynamics_of(m.layout()).rows):
        if "Leave out" in sentence:
            assert any(f"without '{name}'" in sentence for name in needless)
        else:
            assert not needless


def test_a_start_that_moves_a_little_says_by_how_much():
    m = arm()
    m.constrain("sh.th = 0.3000001234", name="pin")
    with pytest.warns(UserWarning, match=r"sh\.th by 1\.2e-07"):
        m.simulate((0, 0.01), start={"sh.th": 0.3})
