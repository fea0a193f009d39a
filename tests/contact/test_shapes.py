"""Pairs of shapes against searches for their nearest points, and their rows against differences and virtual power."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import minimize

import dalembert as da
from dalembert import expr as ex
from dalembert.contact.rows import contact_rows
from dalembert.dynamics import dynamics_of
from dalembert.mechanism import Layout

TETRA = [[0, 0, 0.6], [0.5, 0, -0.2], [-0.3, 0.45, -0.2], [-0.3, -0.4, -0.25]]


def two():
    m = da.Mechanism("pair")
    bodies = []
    for name in ("a", "b"):
        bodies.append(m.body(name, mass=1, inertia=[1, 1.2, 0.8]))
        m.join(da.earth, bodies[-1], da.free("xyz"), name=name + "j")
    return m, *bodies


def corners(sides):
    return np.array([[x, y, z] for z in (-1, 1) for y in (-1, 1) for x in (-1, 1)]) * np.array(sides) / 2


def core(shape):
    """Convex hull points and radius of a shape, which is all points within the radius of the hull."""
    kind = type(shape)
    if kind is da.Sphere:
        return np.zeros((1, 3)), float(shape.radius.value)
    if kind is da.Capsule:
        half = float(shape.length.value) / 2
        return np.array([[0, 0, -half], [0, 0, half]]), float(shape.radius.value)
    if kind is da.Box:
        return corners([float(x.value) for x in shape.sides]), 0.0
    return np.array([[float(x.value) for x in point] for point in shape.points]), 0.0


def distance(one, two):
    """Of two convex hulls, by the least difference of their points (a quadratic program)."""
    k = len(one)
    both = np.concatenate([one, -two])

    def square(w):
        away = w @ both
        return away @ away, 2 * both @ away

    sums = [
        {"type": "eq", "fun": lambda w: w[:k].sum() - 1, "jac": lambda w: np.r_[np.ones(k), np.zeros(len(two))]},
        {"type": "eq", "fun": lambda w: w[k:].sum() - 1, "jac": lambda w: np.r_[np.zeros(k), np.ones(len(two))]},
    ]
    start = np.r_[np.full(k, 1 / k), np.full(len(two), 1 / len(two))]
    limits = {"maxiter": 500, "ftol": 1e-16}
    found = minimize(square, start, jac=True, bounds=[(0, 1)] * len(start), constraints=sums, options=limits)
    return math.sqrt(max(found.fun, 0.0))


class Rows:
    """Gaps, rates, rows and slips of a machine's contacts at a state."""

    def __init__(self, m):
        self.about = dynamics_of(Layout.of(m))
        self.rows = contact_rows(self.about)
        self.names = self.about.state.names

    def _known(self, y):
        return dict(zip(map(ex.symbol, self.names), map(float, y), strict=True))

    def of(self, y, exprs):
        return np.array(ex.evaluate(list(exprs), self._known(y)), dtype=float)

    def gaps(self, y):
        return self.of(y, [one.gap for one in self.rows])

    def matrix(self, y):
        return self.of(y, [x for one in self.rows for x in one.row]).reshape(len(self.rows), -1)

    def placed(self, y, frame, points):
        pose = self.about.pose(frame)
        place = self.of(y, pose.position)
        turned = self.of(y, [x for row in pose.rotation for x in row]).reshape(3, 3)
        return place + points @ turned.T


PAIRS = {
    "capsules": (lambda b: da.Capsule(b, 0.1, 0.8), lambda b: da.Capsule(b, 0.15, 0.5)),
    "capsule and box": (lambda b: da.Capsule(b, 0.1, 0.8), lambda b: da.Box(b, [0.5, 0.3, 0.7])),
    "capsule and polytope": (lambda b: da.Polytope(b, TETRA), lambda b: da.Capsule(b, 0.05, 0.6)),
    "boxes": (lambda b: da.Box(b, [0.6, 0.4, 0.2]), lambda b: da.Box(b, [0.5, 0.3, 0.7])),
    "polytopes": (lambda b: da.Polytope(b, TETRA), lambda b: da.Polytope(b, [[-x for x in p] for p in TETRA])),
    "box and polytope": (lambda b: da.Box(b, [0.6, 0.4, 0.2]), lambda b: da.Polytope(b, TETRA)),
    "ball and polytope": (lambda b: da.Sphere(b, 0.2), lambda b: da.Polytope(b, TETRA)),
    "point and box": (da.Sphere, lambda b: da.Box(b, [0.5, 0.3, 0.7])),
}


def pair(kind):
    m, a, b = two()
    first, second = PAIRS[kind][0](a), PAIRS[kind][1](b)
    m.contact(first, second, friction=0.3, name="c")
    return Rows(m), first, second


def random_state(rng, count):
    y = rng.uniform(-1, 1, 2 * count)
    y[:count] *= np.tile([0.25, 0.25, 0.25, 3, 1.4, 3], 2)
    return y


@pytest.mark.parametrize("kind", PAIRS)
def test_a_pair_touches_where_its_distance_vanishes(kind):
    """Pushed together from random places until the nearest points meet: there the least gap is zero, not before."""
    rows, first, second = pair(kind)
    rng = np.random.default_rng(7)
    (one, r), (other, s) = core(first), core(second)
    for _ in range(6):
        y = random_state(rng, 6 * 2)
        way = rng.normal(size=3)
        way /= np.linalg.norm(way)

        def apart(shift, y=y, way=way):
            moved = y.copy()
            moved[:3] = y[6:9] + shift * way
            return moved

        def away(shift, apart=apart):
            state = apart(shift)
            return distance(rows.placed(state, "a", one), rows.placed(state, "b", other)) - r - s

        low, high = 0.0, 3.0
        assert away(high) > 0
        for _ in range(30):  # the oracle knows distances of what overlaps as nothing
            middle = (low + high) / 2
            low, high = (low, middle) if away(middle) > 2e-7 else (middle, high)
        assert abs(rows.gaps(apart(high)).min()) < 2e-6
        for more in (0.01, 0.1, 1.0):
            assert rows.gaps(apart(high + more)).min() > 0
        if high > 0.05:
            assert rows.gaps(apart(high - 0.01)).min() < 0


@pytest.mark.parametrize("kind", PAIRS)
def test_rows_are_the_slopes_of_gaps_and_slips_have_no_part_along_the_normal(kind):
    rows, _, _ = pair(kind)
    rng, h = np.random.default_rng(3), 1e-6
    for _ in range(4):
        y = random_state(rng, 12)
        y[0] += 1.2
        matrix = rows.matrix(y)
        rates = rows.of(y, rows.about.rates)
        assert rows.of(y, [one.rate for one in rows.rows]) == pytest.approx(matrix @ y[12:], abs=1e-12)
        ahead, behind = (y.copy() for _ in range(2))
        ahead[:12] += h * rates
        behind[:12] -= h * rates
        held, gaps = [one.held for one in rows.rows], [one.gap for one in rows.rows]
        slope = (rows.of(ahead, held) - rows.of(behind, held)) / (2 * h)
        assert slope == pytest.approx(matrix @ y[12:], abs=2e-8)
        slope = (rows.of(ahead, gaps) - rows.of(behind, gaps)) / (2 * h)
        assert slope == pytest.approx(rows.of(y, [one.falling for one in rows.rows]), abs=2e-8)
        turned = [(rows.matrix(state) @ y[12:]) for state in (ahead, behind)]
        bend = (turned[0] - turned[1]) / (2 * h)
        assert -rows.of(y, [one.least for one in rows.rows]) == pytest.approx(bend, abs=2e-6)


@pytest.mark.parametrize("kind", ["capsules", "boxes", "polytopes", "ball and polytope"])
def test_forces_of_contacts_are_internal_where_they_touch(kind):
    """Momentum and moment of momentum of the pair: a force on one is met by its opposite on the other, in one line."""
    rows, _, _ = pair(kind)
    rng = np.random.default_rng(5)
    y = random_state(rng, 12)
    y[12:] = 0
    y[1:3] = y[7:9]
    low, high = 0.0, 3.0
    for _ in range(60):  # until they touch
        middle = (low + high) / 2
        y[0] = y[6] + middle
        low, high = (low, middle) if rows.gaps(y).min() > 0 else (middle, high)
    k = int(np.argmin(np.abs(rows.gaps(y))))
    pushes = [rows.rows[k].row, *(slip.row for slip in rows.rows[k].slips)]
    for push in pushes:
        effort = rows.of(y, push)  # power in the rates; motions of the whole pair are no slip and change no gap
        for axis in range(3):
            shift = np.zeros(12)
            shift[[axis, 6 + axis]] = 1.0
            assert effort @ shift == pytest.approx(0.0, abs=1e-12)
        h = 1e-7
        for axis in "xyz":
            assert _turned_power(rows, y, effort, axis, h) == pytest.approx(0.0, abs=1e-6)


def _turned_power(rows, y, effort, axis, h):
    """Power of an effort while both bodies turn together about an axis of earth."""
    from scipy.spatial.transform import Rotation

    turn = Rotation.from_rotvec(h * np.eye(3)["xyz".index(axis)])
    rates = np.zeros(12)
    for base, frame in ((0, "a"), (6, "b")):
        pose = rows.about.pose(frame)
        turned = rows.of(y, [x for row in pose.rotation for x in row]).reshape(3, 3)
        after = Rotation.from_matrix(turn.as_matrix() @ turned).as_euler("XYZ")
        change = after - Rotation.from_matrix(turned).as_euler("XYZ")
        rates[base + 3 : base + 6] = np.angle(np.exp(1j * change)) / h
        rates[base : base + 3] = (turn.apply(y[base : base + 3]) - y[base : base + 3]) / h
    return effort @ rates


def test_parallel_capsules_touch_along_their_length():
    """Two logs: the ends of the shorter one touch, each where it is; the crossing has no say."""
    m, a, b = two()
    m.contact(da.Capsule(a, 0.1, 1.0), da.Capsule(b, 0.1, 0.6), name="c")
    rows = Rows(m)
    y = np.zeros(24)
    y[0] = 0.2
    gaps, matrix = rows.gaps(y), rows.matrix(y)
    assert gaps[2:4] == pytest.approx([0, 0], abs=1e-15)
    assert np.isfinite(matrix).all()
    assert np.linalg.matrix_rank(matrix[2:4]) == 2
    assert (gaps >= -1e-15).all()


def test_boxes_on_each_other_touch_with_their_corners():
    m, a, b = two()
    m.contact(da.Box(a, [1, 1, 1]), da.Box(b, [0.6, 2, 1]), friction=0.5, name="c")
    rows = Rows(m)
    y = np.zeros(24)
    y[2] = 1.0
    gaps = rows.gaps(y)
    touching = np.flatnonzero(np.abs(gaps) < 1e-12)
    places = rows.placed(y, "a", corners([1, 1, 1])), rows.placed(y, "b", corners([0.6, 2, 1]))
    over = [k for k, p in enumerate(places[0]) if abs(p[2] - 0.5) < 1e-12 and abs(p[0]) <= 0.3]
    under = [8 + k for k, p in enumerate(places[1]) if abs(p[2] - 0.5) < 1e-12 and abs(p[1]) <= 0.5]
    assert not over
    assert not under
    assert touching.tolist() == [17, 18, 21, 22]
    assert np.isfinite(rows.matrix(y)).all()


@pytest.mark.parametrize("seed", range(3))
def test_a_ball_on_a_cylinder(seed):
    rng = np.random.default_rng(seed)
    m, a, b = two()
    m.contact(da.Sphere(a, 0.1), da.Cylinder(b, 0.3, 0.5), name="c")
    rows = Rows(m)
    y = random_state(rng, 12)
    y[:3] *= 4
    local = np.linalg.solve(rows.placed(y, "b", np.eye(3)).T - y[6:9, None], y[:3] - y[6:9])

    def away(p):
        point = np.array([0.3 * p[0] * math.cos(p[1]), 0.3 * p[0] * math.sin(p[1]), 0.25 * p[2]])
        return np.linalg.norm(point - local)

    starts = [[0.5, t, z] for t in np.linspace(0, 6, 7) for z in (-1, 1)]
    bounds = [(0, 1), (-10, 10), (-1, 1)]
    best = min(minimize(away, start, bounds=bounds, options={"ftol": 1e-15, "gtol": 1e-10}).fun for start in starts)
    assert rows.gaps(y)[0] == pytest.approx(best - 0.1, abs=1e-6)


@pytest.mark.parametrize("radius", [0.0, 0.15])
@pytest.mark.parametrize("seed", range(3))
def test_a_ball_on_a_surface_is_as_far_as_its_nearest_point(seed, radius):
    """A wavy ground and an ellipsoid, by search over their points."""
    rng = np.random.default_rng(seed)
    m, a, b = two()
    m.contact(da.Sphere(a, radius), da.Surface(b, "z - 0.1*sin(2*x)*cos(y)"), friction=0.2, name="c")
    m.contact(da.Sphere(a, radius), da.Ellipsoid(b, [0.5, 0.3, 0.4]), name="e")
    rows = Rows(m)
    y = random_state(rng, 12)
    y[6:12] = 0
    y[:3] = [0.2, -0.1, 0.5]
    centre = y[:3]

    def wave(p):
        return np.linalg.norm(np.array([p[0], p[1], 0.1 * math.sin(2 * p[0]) * math.cos(p[1])]) - centre)

    def egg(p):
        u, v = p
        point = np.array([0.5 * math.cos(u) * math.cos(v), 0.3 * math.sin(u) * math.cos(v), 0.4 * math.sin(v)])
        return np.linalg.norm(point - centre)

    exact = {"xatol": 1e-10, "fatol": 1e-15, "maxiter": 4000}
    wanted = [
        minimize(f, start, method="Nelder-Mead", options=exact).fun for f, start in ((wave, centre[:2]), (egg, [0, 1]))
    ]
    gaps, matrix = rows.gaps(y), rows.matrix(y)
    if radius:
        assert gaps == pytest.approx(np.array(wanted) - radius, abs=1e-9)
    else:
        assert (gaps > 0).all()
    h = 1e-6
    for j in range(3):
        ahead, behind = y.copy(), y.copy()
        ahead[j] += h
        behind[j] -= h
        assert matrix[:, j] == pytest.approx((rows.gaps(ahead) - rows.gaps(behind)) / (2 * h), abs=1e-7)


def test_an_ellipsoid_on_a_plane():
    m, a, _ = two()
    m.contact(da.Ellipsoid(a, [0.5, 0.3, 0.2]), da.Plane(da.earth), friction=0.1, name="egg")
    rows = Rows(m)
    rng = np.random.default_rng(1)
    y = random_state(rng, 12)
    u = rng.normal(size=(400000, 3))
    u /= np.linalg.norm(u, axis=1)[:, None]
    low = rows.placed(y, "a", u * [0.5, 0.3, 0.2])[:, 2].min()
    assert rows.gaps(y)[0] == pytest.approx(low, abs=1e-4)
    assert rows.gaps(y)[0] <= low


def test_a_cylinder_stands_on_its_rim():
    """Flat on the floor it stands on four points of its rim; tilted, on the lowest one alone."""
    m = da.Mechanism("can")
    can = m.body("can", mass=1, inertia=[0.1, 0.1, 0.1])
    m.join(da.earth, can, da.free("xyz"), name="f")
    m.contact(da.Cylinder(can, 0.2, 0.6), da.Plane(da.earth), friction=0.4, name="rim")
    m.gravity = [0, 0, -9.81]
    rows = Rows(m)
    y = np.zeros(12)
    y[2] = 0.3
    assert rows.gaps(y)[2:6] == pytest.approx(np.zeros(4), abs=1e-15)
    assert np.isfinite(rows.matrix(y)).all()
    assert rows.gaps(y)[6:] == pytest.approx(np.full(4, 0.6))
    y[3], y[2] = 0.2, 0.3 * math.cos(0.2) + 0.2 * math.sin(0.2)
    assert rows.gaps(y)[0] == pytest.approx(0, abs=1e-15)
    assert (rows.gaps(y)[1:] > 0.005).all()
    m.start = {"f.z": 0.35}
    mo = m.simulate((0, 1))
    assert mo["f.z"][-1] == pytest.approx(0.3, abs=1e-9)
    assert np.abs(mo.y[3:6, -1]).max() < 1e-9
    assert sum(mo[f"rim_{k}.force"][-1] for k in range(3, 7)) == pytest.approx(9.81)


def test_a_cylinder_that_lies_rolls_on_both_rims():
    """Dropped on its side it comes to rest on two points; friction turns it until it rolls."""
    m = da.Mechanism("log")
    log = m.body("log", mass=2, inertia=[0.03, 0.03, 0.01])
    m.join(da.earth, log, da.free("xyz"), name="f")
    m.contact(da.Cylinder(log, 0.1, 0.4), da.Plane(da.earth), friction=0.3, name="rim")
    m.gravity = [0, 0, -9.81]
    m.start = {"f.z": 0.12, "f.al": math.pi / 2, "f.x'": 0.3}
    mo = m.simulate((0, 0.15))
    assert mo["f.z"][-1] == pytest.approx(0.1, abs=1e-12)
    assert mo["rim_1.force"][-1] == pytest.approx(9.81)
    assert mo["rim_2.force"][-1] == pytest.approx(9.81)
    # the blow of landing rubs, too: in all, rolling without slip takes J v / (J + m R^2) of the momentum
    assert mo["f.x'"][-1] == pytest.approx(0.3 * 2 / 3, abs=1e-9)


def test_what_cannot_touch_is_told():
    _, a, b = two()
    with pytest.raises(da.ModelError, match="nothing is known about cylinder against surface"):
        two()[0].contact(da.Cylinder(a, 1, 1), da.Surface(b, "z - x^2"))
    with pytest.raises(da.ModelError, match="four points that are not in one plane"):
        da.Polytope(a, [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]])
    with pytest.raises(da.ModelError, match="points of a polytope are numbers"):
        da.Polytope(a, [["a", 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    with pytest.raises(da.ModelError, match="none of x, y and z"):
        da.Surface(a, "3*k")


def test_shapes_are_written_in_lsd_and_read_back():
    m, a, b = two()
    m.contact(da.Polytope(a, TETRA), da.Plane(da.earth), friction=0.2, name="rock")
    m.contact(da.Ellipsoid(b, ["r", 2, 3]), da.Plane(da.earth), name="egg")
    m.contact(da.Capsule(a, 0.1, 1), da.Box(b, [1, 1, "h"]), name="bar")
    again = da.loads(m.to_lsd())
    assert [one.name for one in again.contacts] == [one.name for one in m.contacts]
    assert [one.place.second for one in again.contacts][:1] == [one.place.second for one in m.contacts][:1]
    assert again.as_dict()["contacts"] == m.as_dict()["contacts"]
    m.contact(da.Sphere(a, 0.1), da.Surface(b, "z - x^2"), name="bowl")
    assert da.loads(m.to_lsd()).as_dict()["contacts"] == m.as_dict()["contacts"]


@pytest.mark.parametrize("kind", ["capsules", "boxes", "polytopes", "capsule and box", "ball and polytope"])
def test_a_free_pair_collides_and_keeps_its_momenta(kind):
    """Without restitution losses the energy stays; momentum and moment of momentum stay always."""
    m, a, b = two()
    first, second = PAIRS[kind][0](a), PAIRS[kind][1](b)
    m.contact(first, second, restitution=1, name="c")
    start = dict(
        zip(["aj.x", "aj.y", "aj.z", "aj.al", "aj.be", "aj.ga"], [-1.5, 0.05, -0.07, 0.4, 0.3, -0.8], strict=True)
    )
    m.start = {**start, "aj.x'": 2.0, "aj.al'": 0.5, "bj.be'": -0.7, "bj.al": 0.6, "bj.be": -0.4}
    mo = m.simulate((0, 1.5))
    assert mo.jumps
    energy = mo.kinetic_energy()
    assert np.ptp(energy) < 1e-8 * energy[0]
    for name in ("total.PX", "total.PY", "total.PZ", "total.LX", "total.LY", "total.LZ"):
        assert np.ptp(mo[name]) < 1e-7
    assert mo.quality.inside < 1e-9


@pytest.mark.slow
def test_a_box_lies_on_a_box_with_friction():
    """Nine contacts that stick, forces one of many: still, to rounding, without a single event."""
    m = da.Mechanism("two")
    m.gravity = [0, 0, -9.81]
    made = []
    for name, side, place in (("low", 0.2, {"z": 0.1}), ("high", 0.15, {"x": 0.01, "z": 0.275})):
        body = m.body(name, mass=1, inertia=[0.01] * 3)
        m.join(da.earth, body, da.free("quaternion"), name=name + "_free")
        m.start |= {f"{name}_free.{axis}": value for axis, value in place.items()}
        made.append(da.Box(body, [side] * 3))
    m.contact(made[0], da.Plane(da.earth), friction=0.5, name="floor")
    m.contact(made[1], made[0], friction=0.5, name="lies")
    mo = m.simulate((0, 10))
    assert not any(name.endswith(("opens", "slips", "impact")) for name in mo.contacts.times())
    for name in mo.names:
        assert np.ptp(mo[name]) < 1e-12
