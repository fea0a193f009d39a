"""Energy is T + V with every potential; what is left does the work: E(t) - E(0) = work along every motion."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.dynamics.potential import find_potential
from dalembert.expr.space import vector3
from dalembert.kinematics import build_tree, in_base
from dalembert.kinematics.actions import weights
from dalembert.mechanism import Displacement, Frame, Layout, earth, revolute
from random_loops import loaded
from random_mechanisms import random_state, random_tree

TIGHT = {"rtol": 1e-11, "atol": 1e-12}


def imbalance(mo):
    """E(t) - E(0) - work, in parts of what flows."""
    energy, work = mo.energy(), mo.work()
    scale = max(np.abs(mo.kinetic_energy()).max(), np.ptp(mo.potential_energy()), np.abs(work).max())
    return np.abs(energy - energy[0] - work).max() / scale


def elastic_pendulum(damping):
    m = da.Mechanism("elastic pendulum")
    rod, bob = m.body("rod"), m.body("bob", mass=1)
    m.join(da.earth, rod, da.revolute("x"), name="pivot")
    m.join(rod, bob, da.prismatic("z").with_efforts(x="-k*(x + 1) - c*x'"), name="spring")
    m.gravity = [0, 0, -9.81]
    m.given = {"k": 40.0, "c": damping}
    m.start = {"pivot.th": 1.0, "spring.x": -1.0}
    return m


def test_the_spring_of_an_elastic_pendulum_holds_its_energy():
    mo = elastic_pendulum(0.0).simulate((0, 5), **TIGHT)
    assert np.ptp(mo.energy()) < 1e-10
    assert np.ptp(mo.kinetic_energy() + 9.81 * mo["bob.Z"]) > 4  # what gravity alone would call a drift
    assert np.all(mo.work() == 0)


def test_a_damper_works_what_the_energy_loses():
    mo = elastic_pendulum(0.7).simulate((0, 5), t_eval=np.linspace(0, 5, 37), **TIGHT)
    assert mo.work()[-1] < -0.5
    assert imbalance(mo) < 1e-10


def test_a_lift_takes_weight_and_inertia_from_its_drive():
    """z = t^2: the drive gives (m g + m z'') z'."""
    m = da.Mechanism("lift")
    t = ex.TIME
    cabin = m.body("cabin", mass=3)
    m.join(da.earth, cabin, da.composite([], da.Displacement.of([0, 0, t * t])), name="rope")
    m.gravity = [0, 0, -10]
    mo = m.simulate((0, 2), t_eval=[0, 1, 2])
    assert mo.work() == pytest.approx([0, 3 * 10 + 3 * 2, 3 * 10 * 4 + 3 * 8])
    assert mo.energy() - mo.energy()[0] == pytest.approx(mo.work())


def test_compiled_energy_holds_the_springs_too():
    f = elastic_pendulum(0.0).compile()
    rest, stretched = (f.energy([0.0, x], [0.0, 0.0]).potential for x in (-1.0, -1.5))
    assert stretched - rest == pytest.approx(40 * 0.5**2 / 2 - 9.81 * 0.5)


@pytest.mark.parametrize("seed", range(12))
def test_energy_and_work_balance_on_random_trees(seed):
    """Springs, dampers, wrenches in joints, forces in moving bases, joints that time drives."""
    m = random_tree(seed + 100, 1 + seed % 4)
    layout = da.mechanism.Layout.of(m)
    state = random_state(m, layout.coordinates, layout.speeds, seed)
    built = da.Mechanism(m.name)
    built.__dict__.update(m.__dict__)
    given = {x: state[x] for x in m.parameters()}
    start = {x: 0.5 * state[x] if x in layout.speeds else state[x] for x in (*layout.coordinates, *layout.speeds)}
    mo = built.simulate((0, 0.4), given=given, start=start, **TIGHT)
    assert imbalance(mo) < 1e-8


@pytest.mark.parametrize("seed", range(12))
def test_energy_and_work_balance_on_random_loops(seed):
    """Springs and dampers in all links, cut ones too; every third loop has a pivot that time shakes."""
    mo = loaded(seed, driven=seed % 3 == 0).simulate((0, 0.5), **TIGHT)
    assert imbalance(mo) < 1e-8


def driven_crank():
    """A four-bar whose crank turns as 2 t + t^2, with spring and damper in the closing hinge."""
    m = da.Mechanism("driven")
    sizes = (("a", 1), ("b", 2), ("c", 2))
    a, b, c = (m.body(n, mass=x, centre=[x / 4, 0, 0], inertia=[0.1, 0.1, 0.1]) for n, x in sizes)
    m.join(da.earth, a, da.composite([], da.Displacement.of([0, 0, 0], da.turn("2*t + t**2", "z"))), name="A")
    m.join(a.at([0.5, 0, 0]), b, da.revolute("z"), name="B")
    m.join(da.earth.at([1.2, 0, 0]), c, da.revolute("z"), name="D")
    m.join(b.at([1.2, 0, 0]), c.at([1, 0, 0]), da.revolute("z").with_efforts(th="-3*th - 0.2*th'"), name="C")
    m.gravity = [0, -9.81, 0]
    m.start = {"B.th": 0.984, "D.th": 1.607}
    return m


def test_the_drive_of_a_crank_gives_moment_times_speed_and_the_damper_takes_its_part():
    mo = driven_crank().simulate((0, 2), **TIGHT)
    assert imbalance(mo) < 1e-10
    damper = -0.2 * mo["C.th'"] ** 2
    assert mo["total.power"] == pytest.approx(mo["A.Mz"] * (2 + 2 * mo.t) + damper, rel=1e-9)


def test_the_moment_in_a_closing_hinge_is_that_of_its_own_spring():
    mo = driven_crank().simulate((0, 2), **TIGHT)
    assert mo["C.Mz"] == pytest.approx(-3 * mo["C.th"] - 0.2 * mo["C.th'"], rel=1e-9)


@pytest.mark.parametrize("law", ["0", "-3*(l - 1)**3", "-2*l + sin(t)*l", "-0.5*sin(3*l)"])
@pytest.mark.parametrize("damping", [0, 0.4])
def test_springs_between_points_about_axes_and_bushings_keep_their_energy(law, damping):
    """Beside a joint with quaternions, and with laws of any form: what has a potential is in V, the rest is work."""
    m = da.Mechanism("hung")
    a, b = m.body("a", mass=1, inertia=[0.3, 0.3, 0.3]), m.body("b", mass=2, inertia=[0.3, 0.2, 0.3])
    m.join(da.earth, a, da.revolute("x"), name="p")
    m.join(a.at([0, 0, -1]), b, da.spherical("quaternion"), name="q")
    m.spring(da.earth.at([1, 0, 0]), b.at([0, 0.2, -0.5]), stiffness=30, damping=damping, length=0.7, force=law)
    m.torsion_spring(da.earth, b, "x", stiffness=7, damping=damping, angle=0.2)
    m.bushing(da.earth.at([0, 0, -1]), b.at([0, 0, -0.4]), stiffness=[20, 10, 5], turning=2, damping=damping)
    m.gravity = [0, 0, -9.81]
    mo = m.simulate((0, 0.3), start={"p.th": 0.4}, **TIGHT)
    assert imbalance(mo) < 1e-10
    assert bool(np.any(mo.work())) == bool(damping or "sin(t)" in law)


@pytest.mark.parametrize("cut", [(), ("b",)])
@pytest.mark.parametrize("unit", [1e-12, 1e-6, 1e6])
def test_no_unit_takes_a_spring_out_of_the_energy(unit, cut):
    """Joint springs of a triangle with a slide, stiffness and mass in any unit; the tree's and the cut link's."""
    m = da.Mechanism("sprung")
    crank = m.body("crank", mass=unit, centre=[0.5, 0, 0], inertia=[unit, unit, unit])
    rod = m.body("rod", mass=unit, inertia=[unit, unit, unit])
    m.join(da.earth, crank, da.revolute("z").with_efforts(th=f"{-3 * unit!r}*th"), name="a")
    m.join(crank.at([1, 0, 0]), rod, da.revolute("z").with_efforts(th=f"{-2 * unit!r}*th^3 - {unit!r}*th'"), name="b")
    m.join(da.earth, rod.at([1, 0, 0]), da.planar(), name="c")
    m.start = {"a.th": 0.4, "b.th": 0.3, "a.th'": 1.0}
    mo = m.simulate((0, 1), cut=cut, rtol=1e-10)
    sprung = unit * (1.5 * mo["a.th"] ** 2 + 0.5 * mo["b.th"] ** 4)
    assert mo.potential_energy() == pytest.approx(sprung, rel=1e-9)
    assert mo.quality.energy < 1e-8


def test_a_weak_spring_beside_a_strong_one_stays_in_the_energy():
    """One effort with two coordinates, of very different sizes: each is judged by its own."""
    m = da.Mechanism("pair")
    joint = da.cylindrical("z").with_efforts(th="-1e-9*th", x="-1e3*x")
    m.join(da.earth, m.body("b", mass=1, inertia=[1, 1, 1]), joint, name="j")
    m.start = {"j.th": 1.0}
    assert m.simulate((0, 1)).potential_energy()[0] == pytest.approx(5e-10, rel=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_gravity_turned_from_body_to_body_is_gravity_turned_from_earth_to_each(seed):
    tree = build_tree(Layout.of(random_tree(seed)))
    for one in weights(tree):
        whole = in_base(tree, 0, one.body, tree.layout.model.gravity)
        assert tuple(one.force) == tuple(one.effort.mass * whole)


def test_the_work_of_finding_what_has_no_potential_grows_with_a_chain_and_not_with_its_square():
    def calls(count):
        m = da.Mechanism()
        m.gravity = [0, 0, -9.81]
        last = earth.frame
        for k in range(count):
            body = m.body(f"b{k}", 1.0, [0, 0, -0.5])
            m.join(Frame(last.body, Displacement(vector3([0, 0, -1]))), body, revolute("xy"[k % 2]))
            last = body.frame
        tree = build_tree(Layout.of(m))
        potential, counted = find_potential(tree), [0]

        def count_call(frame, event, argument):
            counted[0] += event == "call"

        sys.setprofile(count_call)
        try:
            assert potential.outside(tree) == ([], [])
        finally:
            sys.setprofile(None)
        return counted[0]

    assert calls(80) < 2.5 * calls(40)


STEPS = ["sign(sin({w}*t))", "({a} < t)", "(1 + 2*(t <= {b}))", "where(t < {a}, 0.3, where(t < {b}, -1, 1))"]


@pytest.mark.parametrize("unit", [(1, 1, 1), (1e-3, 1e3, 1e-3), (1e3, 1e-3, 1e3)])
@pytest.mark.parametrize("seed", range(8))
def test_what_jumps_with_time_works_and_is_no_fault_of_the_energy(seed, unit):
    """V jumped, and dV/dt told nothing of it: a balance off by nine tenths of what flows, of right motions."""
    (length, mass, clock), rng = unit, np.random.default_rng(seed)
    force, a, b = mass * length / clock**2, *np.sort(rng.uniform(0.1, 0.9, 2) * clock)
    (step,) = rng.choice(STEPS, 1)
    jump = step.format(w=rng.uniform(5, 12) / clock, a=a, b=b)
    m = da.Mechanism("pushed")
    law = f"{3 * force / length}*x + {force}*{jump}" if seed % 4 == 0 else "0"
    slide = m.body("slide", mass=mass)
    m.join(da.earth, slide, da.prismatic("x").with_efforts(x=f"-({law})"), name="rail")
    rod = m.body("rod", mass=mass, centre=[0, 0, -length], inertia=[mass * length**2] * 3)
    m.join(slide, rod, da.revolute("y"), name="pivot")
    m.gravity = [0, 0, f"-{9 * length / clock**2}*{jump}" if seed % 4 == 1 else -9 * length / clock**2]
    if seed % 4 == 2:
        m.force(rod.at([0, 0, -length]), [f"{5 * force}*{jump}", 0, 0])
    stiff, long = (f"{x}*(2 + {jump})" if seed % 4 == 3 else x for x in (4 * force / length, 0.4 * length))
    m.spring(da.earth.at([2 * length, 0, 0]), rod.at([0, 0, -length]), stiffness=stiff, length=long)
    m.start = {"pivot.th": 0.4, "pivot.th'": 1 / clock}
    mo = m.simulate((0, clock), rtol=1e-9)
    assert mo.quality.energy < 2e-5  # of steps that hold a jump
    assert not mo.quality.remarks
    assert np.ptp(mo.work()) > 1e-3 * np.ptp(mo.kinetic_energy())


@pytest.mark.parametrize("cut", ["", "c"])
def test_a_force_that_another_coordinate_switches_has_no_potential(cut):
    """curl is nothing on both sides of the switch, not on it; a spring that pulls on one side only has one."""
    m = da.Mechanism("switched")
    a, b = m.body("a", mass=1), m.body("b", mass=1)
    m.join(da.earth, a, da.prismatic("x").with_efforts(x="-2*sign(y.x)"), name="x")
    m.join(a, b, da.prismatic("y").with_efforts(x="-20*x"), name="y")
    if cut:
        m.join(da.earth, b, da.planar("z").with_efforts(x="-(3 + sign(sin(5*t)))*x"), name=cut)
    m.spring(da.earth.at([0, -1, 0]), b, force="-9*max(l - 1 - 0.1*sin(t), 0)")
    m.start = {"y.x": 0.7, "y.x'": 0.2, "x.x'": 1.0}
    mo = m.simulate((0, 2), rtol=1e-9, cut=[cut] if cut else ())
    assert mo.quality.energy < 1e-6
    assert np.ptp(mo.work()) > 0.1
