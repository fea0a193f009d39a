"""Which rows count does not depend on units, on masses, or on what stands beside a loop."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.dynamics import dynamics_of
from dalembert.mechanism import Displacement, Layout
from random_loops import closed_state, random_linkage

COAXIAL = [[0.1, -0.7, 0.3], *np.random.default_rng(5).normal(size=(20, 3)).tolist()]


def door(axis, second=None) -> da.Mechanism:
    m = da.Mechanism("door")
    leaf = m.body("leaf", mass=20, centre=[0.5, 0.1, -0.2], inertia=[2, 2, 2])
    m.join(da.earth, leaf, da.revolute(axis), name="low")
    if second is not None:
        m.join(da.earth.at(axis), leaf.at(axis), second, name="high")
    m.gravity = [0, 0, -9.81]
    return m


@pytest.mark.parametrize("axis", COAXIAL)
def test_a_door_on_two_coaxial_hinges_swings_as_on_one(axis):
    """All five rows of the second hinge are rounding: none may count."""
    alone, twice = (dynamics_of(Layout.of(one)) for one in (door(axis), door(axis, da.revolute(axis))))
    low, high, speed = ex.symbols("low.th high.th low.th'")
    for th in (0.3, 1.0, -2.0):
        (expected,) = ex.evaluate(alone.accelerations(), {low: th, speed: 1.7})
        (found,) = ex.evaluate(twice.accelerations(), {low: th, high: th, speed: 1.7})
        assert found == pytest.approx(expected, rel=1e-12)


def test_a_door_moves_as_its_law_says():
    m = door([0.1, -0.7, 0.3], da.revolute([0.1, -0.7, 0.3]))
    mo, alone = (one.simulate((0, 2), start={"low.th": 0.3}, rtol=1e-11, atol=1e-12) for one in (m, door(COAXIAL[0])))
    assert mo["low.th"][-1] == pytest.approx(alone["low.th"][-1], rel=1e-9)
    assert mo["high.th"][-1] == pytest.approx(mo["low.th"][-1], rel=1e-9)


@pytest.mark.parametrize("chart", ["bryant", "euler", "quaternion"])
def test_a_link_of_six_freedoms_holds_nothing_back(chart):
    free = door([0.1, -0.7, 0.3], da.free(chart))
    assert len(dynamics_of(Layout.of(free)).rows) == 0
    mo, alone = (one.simulate((0, 1), start={"low.th": 0.3}, rtol=1e-10) for one in (free, door([0.1, -0.7, 0.3])))
    assert mo["low.th"][-1] == pytest.approx(alone["low.th"][-1], rel=1e-8)


def test_two_springs_in_links_of_six_freedoms_add_up():
    """Two parallel bushings of half the stiffness are one of the whole, and both follow the body."""

    def hung(*stiffness):
        m = da.Mechanism("hung")
        body = m.body("b", mass=2, inertia=[0.1, 0.2, 0.3])
        m.join(da.earth, body, da.free(), name="f")
        for i, k in enumerate(stiffness):
            efforts = {x: f"-{k}*{x}" for x in ("x", "y", "z", "al", "be", "ga")}
            m.join(da.earth.at([0.1, 0, 0.2]), body.at([0.1, 0, 0.2]), da.free().with_efforts(**efforts), name=f"s{i}")
        m.gravity = [0, 0, -9.81]
        return m.simulate((0, 1), rtol=1e-10, atol=1e-11)

    one, two = hung(400.0), hung(200.0, 200.0)
    for x in ("f.x", "f.z", "f.be", "f.ga"):
        assert two[x][-1] == pytest.approx(one[x][-1], abs=1e-8)
    assert two["s1.z"][-1] == pytest.approx(one["s0.z"][-1], abs=1e-8)


def stewart(forces, light=None) -> da.Mechanism:
    """A plate on six legs that push: legs of bodies in five loops, or (light is None) forces between points."""
    m = da.Mechanism("stewart")
    plate = m.body("plate", mass=6, inertia=[1, 1, 2])
    if light is None:
        m.join(da.earth.at([0, 0, 1.5]), plate, da.free(), name="float")
    for k, force in enumerate(forces):
        a, b = np.pi / 3 * (k + (0.3 if k % 2 else -0.3)), np.pi / 3 * (k + (-0.2 if k % 2 else 0.2))
        foot, head = [2 * np.cos(a), 2 * np.sin(a), 0], [np.cos(b), np.sin(b), 0]
        if light is None:
            m.spring(da.earth.at(foot), plate.at(head), force=force, name=f"leg{k}")
            continue
        way = np.array([*head[:2], 1.5]) - foot
        low, high = (m.body(f"{x}{k}", mass=light, inertia=[light] * 3) for x in ("low", "high"))
        m.join(da.earth.at(foot), low, da.universal(("x", "y")), name=f"u{k}")
        m.join(low.at(list(way)), high, da.prismatic(list(way)).with_efforts(x=force), name=f"s{k}")
        m.join(high, plate.at(head), da.spherical("xyz"), name=f"b{k}")
    m.gravity = [0, 0, -9.81]
    return m


def test_a_platform_driven_by_its_legs_moves_as_under_forces_between_points():
    """Legs of a milligram; forces that differ, so that the plate turns too."""
    forces = [f"{14 + k % 3} + {0.3 * k}*sin(3*t)" for k in range(6)]
    legs, points = (stewart(forces, x).simulate((0, 0.2)) for x in (1e-6, None))
    for name in ("plate.X", "plate.Y", "plate.Z", "plate.WX", "plate.WY", "plate.WZ"):
        assert legs[name][-1] == pytest.approx(points[name][-1], abs=1e-6)
    assert np.abs(points["plate.WX"][-1]) > 1e-3
    assert legs.quality.closure < 1e-10


def bricard(m: da.Mechanism, size: float, mass: float) -> None:
    """Bricard's 6R with threefold symmetry: equal bars, right-angle twists in turn left and right."""
    bodies = [da.earth, *(m.body(f"s{i}", mass=mass, inertia=[mass * size**2 / 10] * 3) for i in range(1, 6))]
    for i in range(6):
        turned = da.mechanism.turn("pi/2" if i % 2 == 0 else "-pi/2", "x")
        m.join(bodies[i].at([size, 0, 0], turned), bodies[(i + 1) % 6], da.revolute("z"), name=f"j{i}")
        m.start[f"j{i}.th"] = 1.8 if i % 2 == 0 else -1.2724


def heavy_four_bar(m: da.Mechanism, mass: float) -> None:
    lengths = {"a": 0.2, "b": 0.4, "c": 0.35}
    a, b, c = (m.body(n, mass=mass, centre=[l / 2, 0, 0], inertia=[0, mass * l * l / 12, mass * l * l / 12])
               for n, l in lengths.items())  # fmt: skip
    m.join(da.earth, a, da.revolute("z"), name="A")
    m.join(a.at([0.2, 0, 0]), b, da.revolute("z"), name="B")
    m.join(da.earth.at([0.5, 0, 0]), c, da.revolute("z"), name="D")
    m.join(b.at([0.4, 0, 0]), c.at([0.35, 0, 0]), da.revolute("z"), name="C")
    m.start["A.th"] = 1.0


def test_a_small_loop_and_a_heavy_one_move_as_if_each_were_alone():
    """Bricard's linkage of 3 mm and 0.1 g beside a four-bar of a tonne."""
    motions = []
    for parts in ((bricard,), (heavy_four_bar,), (bricard, heavy_four_bar)):
        m = da.Mechanism("beside")
        for part in parts:
            part(m, 3e-3, 1e-4) if part is bricard else part(m, 1000.0)
        m.gravity = [0.3, -9.81, 1.0]
        motions.append(m.simulate((0, 0.1), t_eval=np.linspace(0, 0.1, 6), rtol=1e-10, atol=1e-12))
    small, heavy, both = motions
    assert np.ptp(small["j0.th"]) > 0.01
    for name in ("j0.th", "j3.th"):
        assert np.abs(both[name] - small[name]).max() < 1e-7
    for name in ("A.th", "D.th", "C.th"):
        assert np.abs(both[name] - heavy[name]).max() < 1e-7


def cardan(light: float, beta: float = 0.5) -> da.Mechanism:
    m = da.Mechanism("cardan")
    first = m.body("first", mass=1, inertia=[10, 10, 10])
    cross = m.body("cross", mass=light, inertia=[light] * 3)
    second = m.body("second", mass=1, inertia=[10, 10, 10])
    m.join(da.earth, first, da.revolute("z"), name="in")
    m.join(first, cross, da.revolute("x"), name="a")
    m.join(cross, second, da.revolute("y"), name="b")
    m.join(da.earth.at([0, 0, 0], da.mechanism.turn(beta, "x")), second, da.revolute("z"), name="out")
    return m


@pytest.mark.parametrize("light", [1e-10, 1.0])
def test_a_cardan_cross_of_any_inertia_couples_its_shafts(light):
    """tan(out) = cos(beta) tan(in): geometry alone, whatever the cross weighs and wherever the loop is cut."""
    m = cardan(light)
    mo = m.simulate((0, 3), start={"in.th'": 2.0}, rtol=1e-11, atol=1e-12)
    a, b = mo["in.th"], mo["out.th"]
    assert a[-1] > 3
    assert np.abs(np.sin(b) * np.cos(a) - np.cos(0.5) * np.sin(a) * np.cos(b)).max() < 1e-12
    energy = mo.energy()
    assert np.ptp(energy) < 1e-10 * energy[0]
    rates = {name: mo[f"{name}'"][-1] for name in ("in.th", "out.th", "a.th")}
    rates["b.th"] = mo["b.th'"][-1]
    values = {ex.symbol(x): mo[x][-1] for x in rates} | {ex.symbol(f"{x}'"): v for x, v in rates.items()}
    found = [
        dict(zip(about.state.speeds, ex.evaluate(about.accelerations(), values), strict=True))
        for about in (dynamics_of(Layout.of(m, cut=cut)) for cut in ((), ("out",), ("in",)))
    ]
    for one in found[1:]:
        for name in one.keys() & found[0].keys():
            assert one[name] == pytest.approx(found[0][name], rel=1e-9, abs=1e-9)


def in_units(m: da.Mechanism, length: float, mass: float) -> da.Mechanism:
    """The same machine told in other units of length and mass."""
    new = da.Mechanism(m.name)
    new.given, new.start = dict(m.given), dict(m.start)
    for body in list(m.bodies.values())[1:]:
        centre = [length * x for x in body.centre]
        new.body(
            body.name,
            mass=mass * body.mass,
            centre=centre,
            inertia=[mass * length**2 * x for x in body.inertia.entries],
        )
    for link in m.links.values():
        frames = [replace(f, displacement=moved(f.displacement, length)) for f in (link.first, link.second)]
        steps = tuple(replace(s, displacement=moved(s.displacement, length)) if s.displacement.turns else s
                      for s in link.joint.steps)  # fmt: skip
        new.join(*frames, replace(link.joint, steps=steps), name=link.name)
    new.gravity = [length * x for x in m.gravity]
    return new


def moved(displacement: Displacement, length: float) -> Displacement:
    return replace(displacement, translation=tuple(length * x for x in displacement.translation))


@pytest.mark.parametrize("length", [1e-6, 1e-3, 1e3, 1e6])
@pytest.mark.parametrize("seed", [0, 3, 4, 9, 10, 11, 12, 13, 14, 16, 17, 21, 24])
def test_accelerations_do_not_depend_on_units(seed, length):
    """Metres or micrometres, kilograms or tonnes: the same machine moves the same way to the last digits."""
    m = random_linkage(seed)
    m.gravity = [0.3, -9.81, 1.7]
    about = dynamics_of(Layout.of(m))
    values = closed_state(m, about, seed)
    other = dynamics_of(Layout.of(in_units(m, length, 1 / length)))
    slides = {f"{x}{p}" for link in m.links.values() for x in lengths_of(link) for p in ("", "'")}
    changed = {x: v * (length if x.name in slides else 1.0) for x, v in values.items()}
    expected = np.array(ex.evaluate(about.accelerations(), values))
    unit = np.array([length if x.name in slides else 1.0 for x in about.speeds])
    found = np.array(ex.evaluate(other.accelerations(), changed)) / unit
    assert ex.evaluate(list(other.resolved.kept), changed) == ex.evaluate(list(about.resolved.kept), values)
    free = np.abs(ex.evaluate(about.free_accelerations, values)).max()
    assert np.abs(found - expected).max() < 1e-9 * max(free, np.abs(expected).max())


def lengths_of(link) -> list[str]:
    """Coordinates that are lengths: those of displacements without turns."""
    found = []
    for step in link.joint.steps:
        if not step.displacement.turns:
            found += [link.coordinate_name(x) for x in link.joint.step_parameters(step)]
    return found


@pytest.mark.parametrize(("length", "mass"), [(1e-6, 1e6), (1e6, 1e-6)])
def test_a_closed_machine_moves_the_same_in_all_units(length, mass):
    m = da.Mechanism("four-bar")
    heavy_four_bar(m, 1.0)
    m.gravity = [0, -9.81, 0]
    expected, found = (
        one.simulate((0, 1), t_eval=np.linspace(0, 1, 11), rtol=1e-11) for one in (m, in_units(m, length, mass))
    )
    assert np.abs(found["A.th"] - expected["A.th"]).max() < 1e-9
    gap = [x for x in dynamics_of(Layout.of(m)).rows.gap if x is not ex.ZERO]
    values = {ex.symbol(name): found[name] for name in found.names}
    assert max(np.abs(x).max() for x in ex.evaluate(gap, values)) < 1e-13


@pytest.mark.parametrize("steps", range(8))
def test_a_condition_counts_where_one_of_its_slopes_cancels(steps):
    """z = a cos(th) + b sin(th) at its top: what rounding leaves of the slope is no unit to measure the row by."""
    a, b = 0.37, 0.23
    m = da.Mechanism("top")
    body = m.body("body", mass=1, inertia=[1, 1, 1])
    m.join(da.earth, body, da.composite(["x", "z", "th"], ["x", 0, "z"], da.turn("th", "y")), name="p")
    m.gravity = [0, 0, -9.81]
    m.constrain(f"p.z - ({a}*cos(p.th) + {b}*sin(p.th))", name="curve")
    angle = np.arctan2(b, a) + steps * 1e-16
    height = a * np.cos(angle) + b * np.sin(angle)
    assert np.abs(m.compile().acceleration([0, height, angle], [0, 0, 0])).max() < 1e-13
