"""Cylinders against every other solid: where they touch, how they stand, lie, roll and tip on each other."""

from __future__ import annotations

import math

import numpy as np
import pytest
from nearest_points import distance
from test_shapes import TETRA, Rows, random_state, two

import dalembert as da

CAN = (0.25, 0.5)
PAIRS = {
    "cylinders": lambda a, b: (da.Cylinder(a, 0.2, 0.6), da.Cylinder(b, 0.3, 0.25)),
    "disc": lambda a, b: (da.Cylinder(a, 0.25), da.Cylinder(b, 0.3, 0.25)),
    "capsule": lambda a, b: (da.Cylinder(a, *CAN), da.Capsule(b, 0.1, 0.8)),
    "box": lambda a, b: (da.Box(a, [0.5, 0.3, 0.7]), da.Cylinder(b, *CAN)),
    "polytope": lambda a, b: (da.Cylinder(a, *CAN), da.Polytope(b, TETRA)),
    "ellipsoid": lambda a, b: (da.Cylinder(a, *CAN), da.Ellipsoid(b, [0.2, 0.3, 0.4])),
}


def pair(kind, **laws):
    m, a, b = two()
    first, second = PAIRS[kind](a, b)
    m.contact(first, second, name="c", **laws)
    return m, first, second


@pytest.mark.parametrize("kind", PAIRS)
def test_a_cylinder_touches_where_its_distance_vanishes(kind):
    """Pushed together from random places: the least gap is zero where the nearest points meet, and not before."""
    m, first, second = pair(kind)
    rows, rng, axes = Rows(m), np.random.default_rng(11), np.eye(3)

    def placed(y, body, shape):
        place = rows.placed(y, body, np.zeros((1, 3)))[0]
        return shape, place, (rows.placed(y, body, axes) - place).T

    for _ in range(5):
        y, way = random_state(rng, 12), rng.normal(size=3)
        way /= np.linalg.norm(way)

        def apart(shift, y=y, way=way):
            moved = y.copy()
            moved[:3] = y[6:9] + shift * way
            return moved

        low, high = 0.0, 3.0
        for _ in range(25):
            state = apart((low + high) / 2)
            away = distance(placed(state, "a", first), placed(state, "b", second))
            low, high = (low, (low + high) / 2) if away > 3e-7 else ((low + high) / 2, high)
        assert abs(rows.gaps(apart(high)).min()) < 3e-6
        for more in (0.003, 0.1, 1.0):
            assert rows.gaps(apart(high + more)).min() > 0
        assert high < 0.05 or rows.gaps(apart(high - 0.002)).min() < 0


@pytest.mark.parametrize("kind", PAIRS)
def test_rows_are_the_slopes_of_gaps(kind):
    m, _, _ = pair(kind, friction=0.3)
    rows, rng, h = Rows(m), np.random.default_rng(3), 1e-6
    y = random_state(rng, 12)
    y[0] += 1.2
    rates, matrix = rows.of(y, rows.about.rates), rows.matrix(y)
    ahead, behind = y.copy(), y.copy()
    ahead[:12] += h * rates
    behind[:12] -= h * rates
    held = [one.held for one in rows.rows]
    slope = (rows.of(ahead, held) - rows.of(behind, held)) / (2 * h)
    assert slope == pytest.approx(matrix @ y[12:], rel=1e-5, abs=2e-7)
    bend = (rows.matrix(ahead) - rows.matrix(behind)) @ y[12:] / (2 * h)
    assert -rows.of(y, [one.least for one in rows.rows]) == pytest.approx(bend, rel=1e-4, abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["cylinders", "capsule", "box", "ellipsoid"])
def test_a_free_pair_collides_and_keeps_its_momenta(kind):
    m, _, _ = pair(kind, restitution=1)
    start = dict(zip(["x", "y", "z", "al", "be", "ga"], [-1.5, 0.05, -0.07, 0.4, 0.3, -0.8], strict=True))
    m.start = {f"aj.{name}": value for name, value in start.items()}
    m.start |= {"aj.x'": 2.0, "aj.al'": 0.5, "bj.be'": -0.7, "bj.al": 0.6, "bj.be": -0.4}
    mo = m.simulate((0, 1.2))
    assert mo.jumps
    energy = mo.kinetic_energy()
    assert np.ptp(energy) < 1e-8 * energy[0]
    for name in ("total.PX", "total.PY", "total.PZ", "total.LX", "total.LY", "total.LZ"):
        assert np.ptp(mo[name]) < 1e-7
    assert mo.quality.inside < 1e-9


def standing(ground, offset, shape=lambda b: da.Cylinder(b, 0.1, 0.4)):
    m = da.Mechanism("stand")
    body = m.body("can", mass=1, inertia=[0.016, 0.016, 0.005])
    m.join(da.earth, body, da.free("quaternion"), name="f")
    m.gravity, m.start = [0, 0, -9.81], {"f.z": 0.7, "f.x": offset}
    m.contact(shape(body), ground, friction=0.5, name="c")
    return m


STANDS = {
    "can on a table": (lambda: da.Box(da.earth, [1, 1, 1]), 0.5, lambda b: da.Cylinder(b, 0.1, 0.4)),
    "can on a can": (lambda: da.Cylinder(da.earth, 0.15, 1), 0.15, lambda b: da.Cylinder(b, 0.1, 0.4)),
    "box on a can": (lambda: da.Cylinder(da.earth, 0.15, 1), 0.15, lambda b: da.Box(b, [0.2, 0.2, 0.4])),
}


@pytest.mark.parametrize("method", ["DOP853", "moreau"])
@pytest.mark.parametrize("kind", STANDS)
def test_what_overhangs_stands_while_its_centre_is_supported(kind, method):
    """Over the edge by a hair less than half it rests without a motion, by a hair more it tips."""
    ground, edge, shape = STANDS[kind]
    step = {"max_step": 2e-3} if method == "moreau" else {}
    for offset in (0.0, 0.5 * edge, edge - 0.01):
        mo = standing(ground(), offset, shape).simulate((0, 0.2), method=method, **step)
        assert mo["f.z"][-1] == pytest.approx(0.7, abs=1e-9)
        assert mo["f.x"][-1] == pytest.approx(offset, abs=1e-9)
    mo = standing(ground(), edge + 0.01, shape).simulate((0, 0.2), method=method, **step)
    assert mo["f.e2"][-1] > 0.01
    assert mo["f.z"][-1] < 0.7 - 1e-4


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3])
def test_a_disc_without_friction_leaves_a_log_at_two_thirds_of_its_height(unit):
    """Energy and the centripetal force: cos = 2/3 of that of the start, for a smooth disc as for a point."""
    m, far, first = da.Mechanism("disc on a log"), 0.4 * unit, 0.2
    body = m.body("disc", mass=1, inertia=[0.005 * unit**2] * 3)
    m.join(da.earth, body, da.composite(["x", "z", "th"], ["x", 0, "z"], da.turn("th", "y")), name="f")
    m.gravity = [0, 0, -9.81 * unit]
    m.start = {"f.x": far * math.sin(first), "f.z": far * math.cos(first)}
    lying = da.turn("pi/2", "x")
    log = da.Cylinder(da.earth.at([0, 0, 0], lying), 0.3 * unit, 0.6 * unit)
    m.contact(da.Cylinder(body.at([0, 0, 0], lying), 0.1 * unit), log, name="c")
    mo = m.simulate((0, 0.6), rtol=1e-10, atol=1e-12)
    left = mo.state(max(t for name, some in mo.contacts.times().items() if name.endswith("opens") for t in some))
    assert math.cos(math.atan2(left["f.x"], left["f.z"])) == pytest.approx(2 / 3 * math.cos(first), abs=1e-8)


def test_a_capsule_lies_across_the_top_of_a_cylinder():
    """Longer than the top is wide: it rests on two cuts with the rim, half its weight on each."""
    lying = da.turn("pi/2", "y")
    m = standing(da.Cylinder(da.earth, 0.15, 1), 0.0, lambda b: da.Capsule(b.at([0, 0, 0], lying), 0.05, 0.6))
    m.start["f.z"] = 0.55
    mo = m.simulate((0, 0.2))
    assert mo["f.z"][-1] == pytest.approx(0.55, abs=1e-12)
    forces = [mo[f"c_{k}.force"][-1] for k in range(1, 8)]
    assert sorted(forces)[-2:] == pytest.approx([9.81 / 2] * 2, abs=1e-9)


def test_a_disc_and_an_edge_are_told():
    m, a, b = two()
    with pytest.raises(da.ModelError, match="give it a height"):
        m.contact(da.Cylinder(a, 0.1), da.Box(b, [1, 1, 1]))
