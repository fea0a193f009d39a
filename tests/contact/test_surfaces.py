"""Capsules and solids on smooth surfaces: hills, valleys and balls given by formulas."""

from __future__ import annotations

import math

import numpy as np
import pytest
from test_shapes import TETRA, Rows, random_state, two

import dalembert as da

RADIUS = 0.8
BALL = f"sqrt(x^2 + y^2 + z^2) - {RADIUS}"


@pytest.mark.parametrize(
    "shape",
    [
        lambda b: da.Capsule(b, 0.1, 1.2),
        lambda b: da.Box(b, [1.0, 0.7, 1.3]),
        lambda b: da.Polytope(b, [[2 * x for x in p] for p in TETRA]),
    ],
    ids=["capsule", "box", "polytope"],
)
def test_a_ball_given_by_a_formula_touches_as_a_sphere_does(shape):
    """Corners, edges and faces on a round surface: the least gap vanishes where that of a `Sphere` does."""
    m, a, b = two()
    m.contact(shape(a), da.Surface(b, BALL), name="f")
    other, c, d = two()
    other.contact(shape(c), da.Sphere(d, RADIUS), name="s")
    rows, round_, rng = Rows(m), Rows(other), np.random.default_rng(5)
    touched = set()
    for _ in range(12):
        y, way = random_state(rng, 12), rng.normal(size=3)
        way /= np.linalg.norm(way)
        low, high = 0.3, 3.0
        for _ in range(45):
            y[:3] = y[6:9] + (low + high) / 2 * way
            low, high = (low, (low + high) / 2) if round_.gaps(y).min() > 0 else ((low + high) / 2, high)
        gaps = rows.gaps(y)
        assert abs(gaps.min()) < 1e-9
        touched.add(int(np.argmin(gaps)))
    assert len(touched) > 1


def test_a_capsule_rolls_in_a_valley_as_a_pendulum_does():
    """Across a round valley the centre of a smooth capsule swings on a circle of the difference of radii."""
    m, far, first = da.Mechanism("valley"), 0.9, 0.3
    body = m.body("log", mass=2, inertia=[0.1] * 3)
    m.join(da.earth, body, da.composite(["x", "z"], ["x", 0, "z"]), name="p")
    m.gravity = [0, 0, -9.81]
    m.start = {"p.x": far * math.sin(first), "p.z": -far * math.cos(first)}
    log = da.Capsule(body.at([0, 0, 0], da.turn("pi/2", "x")), 0.1, 0.5)
    m.contact(log, da.Surface(da.earth, "1 - sqrt(x^2 + z^2)"), name="c")
    mo = m.simulate((0, 1), rtol=1e-10, atol=1e-12)
    assert np.hypot(mo["p.x"], mo["p.z"]) == pytest.approx(far, abs=1e-10)
    mean = far * math.sin(first)
    pendulum = da.Mechanism("pendulum")
    pendulum.join(da.earth, pendulum.body("bob", mass=2, centre=[0, 0, -far]), da.revolute("y"), name="h")
    pendulum.gravity, pendulum.start = [0, 0, -9.81], {"h.th": -first}
    swing = pendulum.simulate((0, 1), rtol=1e-11, atol=1e-12, t_eval=[1.0])
    assert mo["p.x"][-1] == pytest.approx(-far * math.sin(swing["h.th"][-1]), abs=1e-8 * mean)


@pytest.mark.parametrize("method", ["DOP853", "moreau"])
def test_a_box_lies_across_a_ridge(method):
    """A face on a ridge, nothing at its corners: the face carries it."""
    m = da.Mechanism("ridge")
    body = m.body("box", mass=1, inertia=[0.05] * 3)
    m.join(da.earth, body, da.free("quaternion"), name="f")
    m.gravity, m.start = [0, 0, -9.81], {"f.z": 0.1}
    m.contact(da.Box(body, [0.4, 0.4, 0.2]), da.Surface(da.earth, "z + x^2 + 2*y^2"), friction=0.5, name="c")
    mo = m.simulate((0, 0.1), method=method, **({"max_step": 1e-3} if method == "moreau" else {}))
    assert mo["f.z"][-1] == pytest.approx(0.1, abs=1e-6)
    carried = [row.name for row in mo.system.contacts if mo[f"{row.name}.force"][-1] > 1]
    assert len(carried) == 1
    assert mo[f"{carried[0]}.force"][-1] == pytest.approx(9.81, rel=1e-6)
