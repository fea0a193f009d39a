"""Dry friction of a given bound: what it holds, when it lets go, and what verbs say that know no sticking."""

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanism.contact import ContactWarning
from dalembert.verify.units import OtherUnits


def block(force=0.0, stiffness=0.0, friction=0.5, static=None):
    m = da.Mechanism("block")
    m.join(da.earth, m.body("b", mass=1), da.prismatic("x").with_efforts(x="F - k*x"), name="s")
    m.given = {"k": stiffness, "F": force}
    m.rub("s.x", friction, static=static, name="grip")
    return m


@pytest.mark.parametrize("static", [None, 0.7])
def test_it_sticks_up_to_its_bound_at_rest_and_slides_with_the_other(static):
    bound = static or 0.5
    held = block(0.99 * bound, static=static).simulate((0, 1))
    assert held["s.x"][-1] == 0.0
    assert held["grip.friction"][-1] == pytest.approx(-0.99 * bound)
    gone = block(1.01 * bound, static=static).simulate((0, 1))
    assert gone["s.x"][-1] == pytest.approx((1.01 * bound - 0.5) / 2, rel=1e-6)


def test_a_block_on_a_spring_rests_after_the_half_swings_that_friction_leaves_it():
    k, f, x0 = 4.0, 0.5, 1.0  # each half swing takes 2 f/k off the amplitude, until k |x| <= f
    mo = block(stiffness=k, friction=f).simulate((0, 12), start={"s.x": x0})
    x, swings = x0, 0
    while k * abs(x) > f:
        x, swings = -np.sign(x) * (abs(x) - 2 * f / k), swings + 1
    assert mo["s.x"][-1] == pytest.approx(x, abs=1e-7)
    assert mo["s.x'"][-1] == 0.0
    assert mo.events["grip.sticks"][-1] == pytest.approx(swings * np.pi / np.sqrt(k), abs=1e-6)


@pytest.mark.parametrize("force", [0.5, -0.5, 0.5 * (1 + 1e-15)])
def test_what_is_exactly_at_its_bound_rests(force):
    mo = block(force).simulate((0, 1))  # the margin is zero all the way: no instant at which it gives way
    assert mo["s.x"][-1] == 0.0
    assert "grip.slips" not in mo.events


def test_what_a_contact_holds_exactly_at_its_cone_rests():
    m = da.Mechanism("slope")
    m.join(da.earth, m.body("b", mass=1, inertia=[1, 1, 1]), da.planar(), name="p")
    m.gravity = [5, -10, 0]
    m.contact("p.y >= 0", friction=0.5, slip="p.x'", name="c")
    mo = m.simulate((0, 2), start={"p.x'": -1.0})  # up by 10 m/s^2, to rest after 0.1 s
    assert mo.events["c.sticks"] == pytest.approx([0.1])
    assert mo["p.x"][-1] == pytest.approx(-0.05)


def test_numbers_by_which_rest_holds_less_than_sliding_are_refused():
    m = da.Mechanism("block")
    m.join(da.earth, m.body("b", mass=1), da.prismatic("x"), name="s")
    m.rub("s.x", "mu", static="rest", name="grip")
    with pytest.raises(da.ModelError, match="static rest is less than friction mu"):
        m.simulate((0, 1), given={"mu": 0.5, "rest": 0.4})


def four_bar(unit=1.0, **bounds):
    m = da.Mechanism("four-bar")
    lengths = {"crank": 1.0, "coupler": 2.7, "rocker": 2.2}
    bars = {
        name: m.body(name, mass=1.5, centre=[l / 2 * unit, 0, 0], inertia=[0.3 * unit**2, 0.3 * unit**2, 0.4 * unit**2])
        for name, l in lengths.items()
    }
    m.join(da.earth, bars["crank"], da.revolute("z"), name="A")
    m.join(bars["crank"].at([unit, 0, 0]), bars["coupler"], da.revolute("z"), name="B")
    m.join(da.earth.at([3.1 * unit, 0, 0]), bars["rocker"], da.revolute("z"), name="D")
    m.join(bars["coupler"].at([2.7 * unit, 0, 0]), bars["rocker"].at([2.2 * unit, 0, 0]), da.revolute("z"), name="C")
    across = 3.1 - 1j  # from the end of the crank, upright, to the pin of the rocker
    along = (2.7**2 - 2.2**2 + abs(across) ** 2) / (2 * abs(across))
    coupler = across / abs(across) * (along + 1j * np.sqrt(2.7**2 - along**2))
    m.start.update({"A.th": np.pi / 2, "B.th": np.angle(coupler) - np.pi / 2, "D.th": np.angle(coupler - across)})
    for name, bound in bounds.items():
        m.rub(f"{name}.th", bound * unit**2, name=f"{name}_grip")
    return m


def test_friction_of_each_joint_of_a_loop_takes_its_bound_times_its_turn_in_millimetres():
    """Also of the joint that closes it: energy at first is what the four rub away until rest, E = sum of f |angle|."""
    bounds = {"A": 2.0, "B": 1.0, "C": 1.4, "D": 0.6}
    unit = 1e-3
    mo = four_bar(unit, **bounds).simulate((0, 2), start={"A.th'": 2.0}, t_eval=np.linspace(0, 2, 201))
    assert abs(mo["A.th'"][-1]) < 1e-12
    rubbed = sum(bounds[x] * float(np.abs(np.diff(mo[f"{x}.th"])).sum()) for x in bounds)
    assert float(mo.energy()[0]) / unit**2 == pytest.approx(rubbed, rel=1e-4)


def test_equilibria_are_held_within_the_bound_and_none_beyond():
    (one,) = block(0.495).equilibria(starts=20)
    assert one.contacts["grip"] == pytest.approx((0.5, -0.495))
    assert "0.99 of its friction" in one.reason
    assert not block(0.505).equilibria(starts=20)
    (spring,) = block(0.2, stiffness=2.0).equilibria(starts=20)
    assert spring.coordinates["s.x"] == pytest.approx(0.1)
    assert "set of postures" in spring.reason


def test_answers_for_one_state_hold_where_it_slips(recwarn):
    m = block(stiffness=2.0)
    moving = m.reactions({"s.x": 0.1, "s.x'": 1.0})["s"]
    assert not [one for one in recwarn if one.category is ContactWarning]
    assert moving is not None
    for ask in (lambda: m.reactions({"s.x": 0.1}), lambda: m.linearize({"s.x": 0, "s.x'": 0})):
        with pytest.raises(da.ModelError, match="'grip' of 'block' sticks in this state"):
            ask()


def test_a_slip_that_no_effort_tells_is_told():
    m = da.Mechanism("arm")
    m.join(da.earth, m.body("b", mass=1, centre=[1, 0, 0], inertia=[1, 1, 1]), da.revolute("z"), name="j")
    m.rub("vel(b, x)", 0.5, name="grip")
    with pytest.warns(ContactWarning, match="'grip' is left out of these equations"):
        m.equations("kane")


def test_the_unit_of_length_and_time_changes_nothing():
    m = block(stiffness=4.0)
    other = OtherUnits(m.freeze())
    contact = other.scaled().contacts[0]
    assert contact.name == "grip"
    assert float(contact.friction) != 0.5


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("late", [0.0, 1e-9, -1e-10])
def test_a_force_that_jumps_as_the_block_comes_to_rest_decides_by_what_follows(unit, late):
    """The friction that gives way opposes the force behind the jump, not the one before it."""
    rng = np.random.default_rng(3)
    for _ in range(2):
        bound, rest, before, behind = rng.uniform([0.2, 0.3, -0.5, 1.2], [1.0, 2.0, 0.5, 3.0]).tolist()
        m = block(friction=bound * unit)
        m.force(
            m.bodies["b"], [f"where(t < {rest + late!r}, {before * bound * unit!r}, {-behind * bound * unit!r})", 0, 0]
        )
        mo = m.simulate((0, rest + 1), start={"s.x'": (1 - before) * bound * rest * unit})
        assert mo["s.x'"][-1] == pytest.approx((1 - behind) * bound * unit, rel=1e-5)


def square_wave(force, w, bound, end, v):
    """Of a block of mass 1 under force*sign(sin(w t)) and friction: where it is, and how fast."""
    x, t = 0.0, 0.0
    for k, switch in enumerate([*np.arange(np.pi / w, end, np.pi / w), end]):
        push, left = force * (-1) ** k, switch - t
        while left > 0 and (v != 0 or abs(push) > bound):
            a = push - bound * np.sign(v if v != 0 else push)
            h = min(left, -v / a) if v * a < 0 else left
            x, v, left = x + v * h + a * h * h / 2, 0.0 if h < left else v + a * h, left - h
        t = switch
    return x, v


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_a_force_that_jumps_where_a_motion_begins_at_rest_breaks_it_loose(seed, kept):
    """sign(sin(w t)) is nothing at t = 0, and no crossing is seen behind it: the block was held for ever."""
    rng, unit = np.random.default_rng(seed), (1.0, 1e-3, 1e3)[seed % 3]
    force, w, bound = rng.uniform([0.6, 3, 0.2], [3, 9, 1.2]).tolist()
    first, m = (0.0, 0.3)[seed // 3] * unit, da.Mechanism("block")
    if kept:
        m = block(friction=bound * unit)
    else:
        rail, b = m.body("rail", mass=0), m.body("b", mass=1)
        m.join(da.earth, rail, da.prismatic("x"), name="s")
        m.join(rail, b, da.prismatic("z"), name="z")
        m.gravity = [0, 0, -10 * unit]
        m.constrain("z.x = 0", by=da.coulomb(bound / 10, "s.x'"), name="grip")
    m.force(m.bodies["b"], [f"{force * unit!r}*sign(sin({w!r}*t))", 0, 0])
    mo = m.simulate((0, 2), start={"s.x'": first}, t_eval=[0, 1, 2])
    x, v = square_wave(force, w, bound, 2.0, first / unit)
    assert mo.t[0] == 0
    assert mo["s.x"][-1] / unit == pytest.approx(x, abs=1e-5)
    assert mo["s.x'"][-1] / unit == pytest.approx(v, abs=1e-5)
