"""Efforts in all links: at the state's own time and numbers, in every link, and only where mechanics gives them."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.analysis import reactions
from dalembert.analysis.reactions import Balance
from dalembert.kinematics import build_tree, joint_efforts
from dalembert.kinematics.links import joint_columns
from dalembert.mechanism import Layout
from linkages import closed_by_a_ball, four_bar, slider_crank
from random_mechanisms import random_state, random_tree

TIGHT = {"rtol": 1e-11, "atol": 1e-12}


def quiet(*args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return reactions(*args, **options)


def driven_crank():
    """A four-bar whose crank turns as 2 t + t^2: the drive gives the moment."""
    m = da.Mechanism("driven")
    a, b, c = (
        m.body(n, mass=x, centre=[x / 4, 0, 0], inertia=[0.1, 0.1, 0.1]) for n, x in (("a", 1), ("b", 2), ("c", 2))
    )
    m.join(da.earth, a, da.composite([], da.Displacement.of([0, 0, 0], da.turn("2*t + t**2", "z"))), name="A")
    m.join(a.at([0.5, 0, 0]), b, da.revolute("z"), name="B")
    m.join(da.earth.at([1.2, 0, 0]), c, da.revolute("z"), name="D")
    m.join(b.at([1.2, 0, 0]), c.at([1, 0, 0]), da.revolute("z").with_efforts(th="-3*th - k*th'"), name="C")
    m.gravity = [0, -9.81, 0]
    m.given = {"k": 0.2}
    m.start = {"B.th": 0.984, "D.th": 1.607}
    return m


def test_reactions_are_those_of_the_states_time():
    """Power of the drive: moment times 2 + 2 t is the rate of the work along the motion."""
    m = driven_crank()
    mo = m.simulate((0, 1), **TIGHT)
    state = {**mo.state(0.7), "t": 0.7}
    found = quiet(m, state)
    assert found["A"].moment[2] * (2 + 1.4) == pytest.approx(mo.at([0.7])["total.power"][0] - damper(mo, 0.7), rel=1e-8)
    assert quiet(m, {k: v for k, v in state.items() if k != "t"}, t=0.7)["A"].moment[2] == pytest.approx(
        found["A"].moment[2]
    )


def damper(mo, t):
    """Power of the damper in the closing hinge."""
    h = 1e-4
    a, b, c, d = mo.at([t - 2 * h, t - h, t + h, t + 2 * h])["C.th"]
    return -mo.parameters["k"] * ((a - 8 * b + 8 * c - d) / (12 * h)) ** 2


def test_numbers_given_to_the_motion_are_given_to_its_reactions():
    m = driven_crank()
    mo = m.simulate((0, 1), given={"k": 2.0}, **TIGHT)
    state = {**mo.state(0.7), "t": 0.7}
    soft, hard = (quiet(m, state, given={"k": k})["C"].moment[2] for k in (0.2, 2.0))
    rate = np.sqrt(-damper(mo, 0.7) / 2.0)
    assert abs(hard - soft) == pytest.approx(1.8 * rate, rel=1e-6)


def test_an_open_loop_is_refused():
    m = four_bar((0.2, 0.4, 0.35), 0.5)
    mo = m.simulate((0, 0.1), start={"A.th": 1.0, "A.th'": 3.0})
    state = mo.state(0.05)
    state["B.th"] += 0.3
    with pytest.raises(da.SimulationError, match="contradicts itself"):
        reactions(m, state)


def toggle(offset):
    """Two bars of 1 between pivots at distance 2 cos(offset); a force pulls the knee sideways."""
    m = da.Mechanism("toggle")
    a, b = (m.body(x, mass=1, centre=[0.5, 0, 0], inertia=[0.1, 0.1, 0.1]) for x in "ab")
    m.join(da.earth, a, da.revolute("z"), name="A")
    m.join(a.at([1, 0, 0]), b, da.revolute("z"), name="B")
    m.join(da.earth.at([2 * np.cos(offset), 0, 0]), b.at([1, 0, 0]), da.revolute("z"), name="C")
    m.force(b, [0, 0.79, 0])
    return m, {"A.th": offset, "B.th": -2 * offset}


def test_a_stretched_toggle_has_no_finite_reactions():
    m, at = toggle(0.0)
    with pytest.raises(da.SingularError, match="no finite reactions"):
        quiet(m, at)


def test_a_toggle_nearly_stretched_pulls_its_pivots_apart():
    """The knee of a rigid triangle: 0.79 = 2 T sin(offset)."""
    m, at = toggle(0.01)
    found = quiet(m, at)
    assert abs(found["A"].force[0]) == pytest.approx(0.79 / (2 * np.sin(0.01)), rel=1e-6)
    assert list(found["A"].determined) == [False, False, True, True, True, False]


@pytest.mark.parametrize("length", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("mass", [1e-6, 1e6])
def test_what_is_determined_does_not_depend_on_units(length, mass):
    m = four_bar((0.2 * length, 0.4 * length, 0.35 * length), 0.5 * length)
    scaled = da.Mechanism("scaled")
    for body in list(m.bodies.values())[1:]:
        inertia = [float(x.value) * mass * length**2 for x in body.inertia.entries]
        scaled.body(body.name, mass=mass, centre=body.centre, inertia=inertia)
    for link in m.links.values():
        scaled.join(link.first, link.second, link.joint, name=link.name)
    scaled.gravity = [0, -9.81, 0]
    found = quiet(scaled, {"A.th": 1.0, "A.th'": 3.0})
    for one in found.values():
        assert list(one.determined) == [False, False, True, True, True, False]
    weight = mass * 9.81
    total = sum(np.abs(one.force).max() for one in found.values())
    assert total > 0.1 * weight


@pytest.mark.parametrize("seed", range(6))
def test_in_a_tree_every_reaction_is_determined_and_does_no_work(seed):
    """The wrench of a link works on its own speeds exactly like the known efforts: the rest is the reaction."""
    m = random_tree(seed, bodies=4)
    layout = Layout.of(m)
    state = random_state(m, layout.coordinates, layout.speeds, seed)
    given = {x: state[x] for x in m.parameters()}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = reactions(m, {x: state[x] for x in layout.state.names}, given=given, t=state["t"])
    tree = build_tree(layout)
    numbers = {ex.symbol(k): v for k, v in state.items()}
    efforts = dict(zip(layout.speeds, ex.evaluate(joint_efforts(tree), numbers), strict=True))
    for link in m.links.values():
        columns, _ = joint_columns(tree.motions[link.name], link)
        subspace = np.array(ex.evaluate([x for _, twist in columns for x in twist.scalars], numbers)).reshape(-1, 6)
        one = found[link.name]
        assert one.determined.all()
        wanted = [efforts[name] for name in link.speeds]
        assert np.allclose(subspace @ one.wrench, wanted, atol=1e-8 * (1 + np.abs(one.wrench).max()))


@pytest.mark.parametrize("seed", range(3))
def test_reactions_of_trees_are_those_that_the_motion_tells(seed):
    """One from the balance of all bodies at once, one from what lies beyond each link."""
    drawn = random_tree(seed + 60, 3)
    m = da.Mechanism(drawn.name)
    m.__dict__.update(drawn.__dict__)
    layout = Layout.of(m)
    state = random_state(m, layout.coordinates, layout.speeds, seed)
    given = {x: state[x] for x in m.parameters()}
    mo = m.simulate((0, 0.2), start={x: state[x] for x in layout.state.names}, given=given, **TIGHT)
    found = reactions(m, {**mo.state(0.1), "t": 0.1}, given=given)
    here = mo.at([0.1])
    for name, one in found.items():
        told = [here[f"{name}.{part}"][0] for part in ("Mx", "My", "Mz", "Fx", "Fy", "Fz")]
        assert one.wrench == pytest.approx(told, rel=1e-8, abs=1e-8 * (1 + np.abs(one.wrench).max()))


@pytest.mark.parametrize("seed", range(4))
def test_what_lies_beyond_a_link_is_what_balances_all_bodies_at_once(seed, monkeypatch):
    m = random_tree(seed + 40, 5)
    layout = Layout.of(m)
    state = random_state(m, layout.coordinates, layout.speeds, seed)
    asked = {"given": {x: state[x] for x in m.parameters()}, "t": state["t"]}
    with monkeypatch.context() as patched:
        patched.setattr(np.linalg, "svd", None)  # whose work is cubic: of a thousand bodies minutes
        found = reactions(m, {x: state[x] for x in layout.state.names}, **asked)
    monkeypatch.setattr(Balance, "_carried", Balance._solved)
    whole = reactions(m, {x: state[x] for x in layout.state.names}, **asked)
    for name, one in found.items():
        assert one.wrench == pytest.approx(whole[name].wrench, rel=1e-8, abs=1e-8 * (1 + np.abs(one.wrench).max()))


def test_planar_four_bar_leaves_only_out_of_plane_reactions_open():
    m = four_bar((0.2, 0.4, 0.35), 0.5)
    mo = m.simulate((0, 0.5), start={"A.th": 1.0, "A.th'": 8.0}, **TIGHT)
    with pytest.warns(UserWarning, match="does not determine all reactions in A, B, D, C"):
        found = m.reactions(mo.state(0.5))
    here = mo.at([0.5])
    for name, one in found.items():
        assert list(one.determined) == [False, False, True, True, True, False]
        assert np.abs([*one.moment, one.force[2]]).max() < 1e-9
        for part, value in zip(("Mz", "Fx", "Fy"), one.wrench[2:5], strict=True):
            assert here[f"{name}.{part}"][0] == pytest.approx(value, abs=1e-8)


def test_a_motion_marks_what_is_not_determined():
    m = four_bar((0.2, 0.4, 0.35), 0.5)
    mo = m.simulate((0, 0.5), start={"A.th": 1.0, "A.th'": 8.0}, t_eval=[0, 0.2, 0.5])
    assert np.isfinite(mo["A.Fx"]).all()
    assert np.isnan(mo["A.Fz"]).all()
    assert np.isnan(mo["1 + A.Fz"]).all()


def test_a_motion_that_was_saved_tells_and_marks_the_same(tmp_path):
    m = four_bar((0.2, 0.4, 0.35), 0.5)
    mo = m.simulate((0, 0.2), start={"A.th": 1.0, "A.th'": 8.0}, t_eval=[0, 0.1, 0.2])
    mo.save(tmp_path / "motion.npz")
    back = type(mo).load(tmp_path / "motion.npz")
    assert np.isnan(back["A.Fz"]).all()
    for name in ("A.Fx", "C.Mz", "total.V", "total.LZ"):
        assert back[name] == pytest.approx(mo[name], rel=1e-12, abs=1e-12)
    assert back.work() == pytest.approx(mo.work(), abs=1e-12)


def test_events_and_compiled_outputs_take_only_what_is_determined():
    m = four_bar((0.2, 0.4, 0.35), 0.5)
    mo = m.simulate((0, 0.5), start={"A.th": 1.0, "A.th'": 8.0}, events="C.Fx", **TIGHT)
    assert all(abs(mo.at([t])["C.Fx"][0]) < 1e-6 for t in mo.t_events[0])
    with pytest.raises(da.ModelError, match=r"'C\.Fz' is not determined"):
        m.simulate((0, 0.5), events="C.Fz")
    f, here = m.compile(), mo.at([0.3])
    q, u = np.split(here.y[:, 0], [len(f.coordinates)])
    assert f.output("B.Fy", q, u) == pytest.approx(here["B.Fy"][0], rel=1e-8)
    with pytest.raises(da.ModelError, match=r"'B\.Mx' is not determined"):
        f.output("B.Mx", q, u)


def test_slider_feels_mass_times_acceleration_and_its_weight():
    m = slider_crank()
    mo = m.simulate((0, 0.3), **TIGHT)
    found = quiet(m, mo.state(0.2))
    here = mo.at([0.2])
    assert found["wrist"].force[0] == pytest.approx(2 * here["rail.x''"][0], rel=1e-8)
    assert found["wrist"].force[1] + found["rail"].force[1] == pytest.approx(2 * 9.81, abs=1e-9)


def test_a_moment_of_a_motion_carries_the_parameters_that_the_motion_had():
    m = da.Mechanism("hanging")
    m.join(da.earth, m.body("rod", mass="M", centre=[0, 0, -0.5]), da.revolute("x"), name="pivot")
    m.gravity, m.given, m.start = [0, 0, -9.81], {"M": 2.0}, {"pivot.th": 0.0}
    moment = m.simulate((0, 1), given={"M": 20.0}).state(0.5)
    assert m.reactions(moment)["pivot"].force[2] == pytest.approx(20 * 9.81)
    assert m.reactions(moment, given={"M": 2.0})["pivot"].force[2] == pytest.approx(2 * 9.81)
    assert m.linearize(moment).given["M"] == 20.0


def test_without_a_state_reactions_are_those_of_the_start():
    m = da.loads("""let rod = body mass = 2, iframe = [0, 0, -1], inertia = 0 end ;
join earth and rod.frame with link(th) dof = th || [1, 0, 0] end as pin ;
gravity [0, 0, -9.81] ; start pin.th = 0.5, pin.th' = 3 ;""")
    assert str(m.reactions()["pin"]) == str(m.reactions({"pin.th": 0.5, "pin.th'": 3})["pin"])
    assert str(m.reactions()["pin"]).endswith(f"Fz = {2 * (9.81 * np.cos(0.5) + 9):.6g}")


@pytest.mark.parametrize(("chart", "axis"), [("euler", "z"), ("yxy", "y"), ("zyx", "y")])
def test_a_ball_gives_no_moment_where_its_angles_are_singular(chart, axis):
    """Euler's angles of a ball that turns about their own first axis: two of three axes agree."""
    at = {"A.th": 1.0, "A.th'": 2.0}
    found, wanted = (quiet(closed_by_a_ball(x, axis), at) for x in (chart, "quaternion"))
    for name, one in wanted.items():
        assert list(found[name].determined) == list(one.determined)
        assert found[name].wrench[one.determined] == pytest.approx(one.wrench[one.determined], abs=1e-9)
    assert list(found["C"].determined[:3]) == [True, True, True]
