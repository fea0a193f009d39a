"""Ellipsoids against other convex shapes: where the gap vanishes its row is a plane that just separates the two."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq
from test_shapes import TETRA, Rows, core, random_state, two

import dalembert as da

PLACES = [0, 1, 2, 6, 7, 8]
OTHERS = {
    "ellipsoid": lambda b, k: da.Ellipsoid(b, [0.2 * k, 0.6 * k, 0.35 * k]),
    "box": lambda b, k: da.Box(b, [0.5 * k, 0.3 * k, 0.7 * k]),
    "polytope": lambda b, k: da.Polytope(b, [[k * x for x in p] for p in TETRA]),
    "capsule": lambda b, k: da.Capsule(b, 0.1 * k, 0.8 * k),
}


def reach(shape, turned, way):
    """How far a shape about its origin goes in some directions (rows): its support function."""
    local = way @ turned
    if isinstance(shape, da.Ellipsoid):
        return np.linalg.norm(local * [float(r.value) for r in shape.radii], axis=1)
    points, radius = core(shape)
    return (local @ points.T).max(axis=1) + radius


@pytest.mark.parametrize(
    ("kind", "scale"),
    [("ellipsoid", 1e-3), ("ellipsoid", 1e3), ("box", 1e3), ("polytope", 1.0), ("capsule", 1e-3), ("capsule", 1.0)],
)
def test_where_the_gap_vanishes_they_just_touch(kind: str, scale: float):
    """Concave as the separation n.c - h1(-n) - h2(n) is, zero and no larger beside n means that they touch."""
    m, a, b = two()
    egg, other = da.Ellipsoid(a, [0.5 * scale, 0.3 * scale, 0.2 * scale]), OTHERS[kind](b, scale)
    m.contact(egg, other, friction=0.3, name="c")
    rows, rng = Rows(m), np.random.default_rng(11)
    poses = [[x for row in rows.about.pose(name).rotation for x in row] for name in "ab"]
    for _ in range(2):
        y = random_state(rng, 12)
        y[PLACES] *= scale
        way = rng.normal(size=3)
        way /= np.linalg.norm(way)

        def at(d, y=y, way=way):
            return np.r_[y[6:9] + d * scale * way, y[3:]]

        # from far off until the first part touches
        far = np.linspace(1.6, 0.1, 20)
        gaps = [np.min(rows.gaps(at(d))) for d in far]
        first = next(i for i, gap in enumerate(gaps) if gap < 0)
        d = brentq(lambda d: np.min(rows.gaps(at(d))) / scale, far[first], far[first - 1], xtol=1e-15)
        here = at(d)
        part = int(np.argmin(np.abs(rows.gaps(here))))
        row = rows.matrix(here)[part]
        n = row[:3]
        assert np.linalg.norm(n) == pytest.approx(1, abs=1e-9)
        beside = n + 10.0 ** rng.uniform(-6, -2, size=(400, 1)) * rng.normal(size=(400, 3))
        beside = np.vstack([n, beside / np.linalg.norm(beside, axis=1)[:, None]])
        one, two_ = (rows.of(here, pose).reshape(3, 3) for pose in poses)
        apart = beside @ (here[:3] - here[6:9]) - reach(egg, one, -beside) - reach(other, two_, beside)
        assert abs(apart[0]) < 1e-11 * scale
        assert (apart[1:] < 1e-11 * scale).all()
        for j in range(12):
            h = 1e-6 * (scale if j in PLACES else 1.0)
            ahead, behind = here.copy(), here.copy()
            ahead[j] += h
            behind[j] -= h
            slope = (rows.gaps(ahead)[part] - rows.gaps(behind)[part]) / (2 * h)
            assert row[j] == pytest.approx(slope, abs=1e-7 * (1.0 if j in PLACES else scale))


def test_an_egg_lies_on_a_wavy_floor():
    """On z = 0.1 sin(2 x) with its point on the crest: the gap is that of its lowest point; off it, it just touches."""
    m, a, _ = two()
    m.contact(da.Ellipsoid(a, [0.2, 0.3, 0.1]), da.Surface(da.earth, "z - 0.1*sin(2*x)"), name="c")
    rows, y = Rows(m), np.zeros(24)
    y[0], y[2] = np.pi / 4, 0.25
    assert rows.gaps(y)[0] == pytest.approx(0.05, abs=1e-12)
    y[0] = 0.3
    y[2] = brentq(lambda z: rows.gaps(np.r_[y[:2], z, y[3:]])[0], 0.1, 0.4, xtol=1e-15)
    x = np.linspace(-0.2, 0.2, 400001)
    high = y[2] - 0.1 * np.sqrt(1 - (x / 0.2) ** 2) - 0.1 * np.sin(2 * (x + 0.3))
    assert abs(high.min()) < 1e-11


@pytest.mark.slow
def test_eggs_collide_and_keep_their_momenta():
    m, a, b = two()
    m.contact(da.Ellipsoid(a, [0.5, 0.3, 0.2]), da.Ellipsoid(b, [0.2, 0.6, 0.35]), restitution=1, name="c")
    m.start = {"aj.x": -1.2, "aj.x'": 2.0, "aj.al": 0.3, "bj.be": 0.4, "bj.y": 0.1}
    mo = m.simulate((0, 0.8))
    assert len(mo.contacts.times()["c.impact"]) == 1
    for what in ("total.PX", "total.PY", "total.LZ", "total.LX"):
        assert mo[what] == pytest.approx(np.full(len(mo.t), mo[what][0]), abs=1e-8)
    assert mo.energy()[-1] == pytest.approx(mo.energy()[0], rel=1e-8)
