"""Many free bodies in contact: geometry against brute force, impulses by balance, motions against formulas."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import minimize

import dalembert as da
from dalembert.contact import Frictional, fault, single
from dalembert.contact.crowd.cone import solve_block
from dalembert.contact.crowd.crowd import Crowd
from dalembert.contact.crowd.data import Laws, bodies, shapes
from dalembert.errors import ModelError, SimulationError
from dalembert.simulate import MoreauJean

SPHERE, PLANE, BOX, CAPSULE = range(4)


def random_turn(rng):
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def matrix(q):
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def crowd_of(
    kinds, sizes, x, q, v=None, mu=0.5, e=0.0, gravity=(0, 0, -9.81), mass=1.0, moment=0.1, lengths=(0.0, 0.0)
):
    """Each shape on a body of its own; planes are on earth."""
    count = len(x)
    body = np.array([k if k < count else count for k in range(len(kinds))])
    n = len(kinds)
    made = shapes(
        np.array(kinds),
        body,
        np.zeros(n),
        np.array(sizes, dtype=float),
        np.zeros((n, 3)),
        np.tile(np.eye(3), (n, 1, 1)),
    )
    held = bodies(
        np.array(x, dtype=float),
        np.array(q, dtype=float),
        np.zeros((count, 6)) if v is None else np.array(v, dtype=float),
        np.full(count, mass),
        np.broadcast_to(moment, (count, 3)).astype(float),
    )
    return Crowd(made, held, Laws(*(np.array([value]) for value in (mu, e, *lengths))), np.array(gravity, dtype=float))


def test_one_block_agrees_with_the_exact_answers():
    rng = np.random.default_rng(1)
    for _ in range(300):
        rows = rng.normal(size=(3, rng.integers(3, 7)))
        w, b, mu = rows @ rows.T, rng.normal(size=3), rng.uniform(0, 1.2)
        p = np.zeros(3)
        if solve_block(w, b, mu, p):
            assert fault(Frictional(w, b, np.array([mu]), (2,)), p) * np.trace(w) < 1e-10
        else:
            assert not single(w, b, mu)


def inside(kind, size, point):
    """Signed distance of a point from a shape at the origin, by definition."""
    if kind == SPHERE:
        return np.linalg.norm(point) - size[0]
    if kind == CAPSULE:
        return np.linalg.norm(point - [0, 0, np.clip(point[2], -size[1], size[1])]) - size[0]
    out = np.abs(point) - size
    return np.linalg.norm(np.maximum(out, 0)) + min(out.max(), 0)


def distance(kind, size, x, q, other, other_size, y, p):
    """The distance of two convex shapes: a search for the nearest point of the first to the second."""
    first, second = matrix(q), matrix(p)

    def apart(point):
        return max(inside(kind, size, first.T @ (point - x)), 0) + max(
            inside(other, other_size, second.T @ (point - y)), 0
        )

    best = min(
        (minimize(apart, start, method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-12, "maxiter": 4000}).fun)
        for start in (x, y, (np.asarray(x) + y) / 2)
    )
    return float(best)


PAIRS = [pair for pair in itertools.combinations_with_replacement((SPHERE, BOX, CAPSULE), 2) if pair != (BOX, BOX)]


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_gaps_of_shapes_are_their_distances(a, b):
    rng = np.random.default_rng(10 * a + b)
    met = 0
    for _ in range(12):
        sizes = rng.uniform(0.3, 0.8, size=(2, 3))
        x = np.array([np.zeros(3), rng.normal(size=3) * 1.1])
        q = [random_turn(rng), random_turn(rng)]
        told = distance(a, sizes[0], x[0], q[0], b, sizes[1], x[1], q[1])
        if told < 1e-3:
            continue
        _, points = crowd_of([a, b], sizes, x, q).touching(3.0)
        assert points[:, 6].min() == pytest.approx(told, abs=1e-6)
        assert np.abs(np.linalg.norm(points[:, :3], axis=1) - 1).max() < 1e-12
        met += 1
    assert met > 3


def test_boxes_that_overlap_are_told_and_boxes_apart_are_not_inside():
    """Against corners and edges by brute force: two boxes overlap where an edge of one enters the other."""
    rng = np.random.default_rng(12)
    count = [0, 0]
    for _ in range(300):
        half, x, q = rng.uniform(0.3, 0.8, size=(2, 3)), rng.normal(size=3) * 0.8, (random_turn(rng), random_turn(rng))
        deepest = min(_entered(half[a], half[1 - a], q[a], q[1 - a], (1 - 2 * a) * x) for a in (0, 1))
        _, points = crowd_of([BOX, BOX], half, [np.zeros(3), x], q).touching(0.0)
        if deepest < -1e-3:
            count[0] += 1
            assert points[:, 6].min(initial=0.0) < 0
        elif deepest > 1e-3:
            count[1] += 1
            assert points[:, 6].min(initial=0.0) > -2e-3
    assert min(count) > 50


def _entered(own, other, q, p, x):
    """The least signed distance from the first box, at the origin, of points on the edges of the second, at x."""
    steps = np.linspace(-1, 1, 41)
    found = np.inf
    for axis in range(3):
        for a, b in itertools.product((-1, 1), repeat=2):
            points = np.empty((len(steps), 3))
            points[:, axis], points[:, (axis + 1) % 3], points[:, (axis + 2) % 3] = steps, a, b
            local = ((points * other) @ matrix(p).T + x) @ matrix(q)
            out = np.abs(local) - own
            found = min(found, (np.linalg.norm(np.maximum(out, 0), axis=1) + np.minimum(out.max(axis=1), 0)).min())
    return found


def test_a_box_stands_on_a_box_by_the_corners_of_the_common_face():
    found = crowd_of(
        [BOX, BOX], [[0.5, 0.5, 0.1], [0.2, 0.1, 0.3]], [[0, 0, 0], [0.1, 0.05, 0.401]], [[1, 0, 0, 0]] * 2
    )
    _, points = found.touching(0.01)
    corners = sorted((round(p[3], 9), round(p[4], 9)) for p in points)
    assert corners == [(-0.1, -0.05), (-0.1, 0.15), (0.3, -0.05), (0.3, 0.15)]
    assert points[:, 6] == pytest.approx([0.001] * 4, abs=1e-12)
    assert np.abs(points[:, :3] - [0, 0, -1]).max() < 1e-12  # from the second to the first


def test_pairs_are_those_of_brute_force():
    """Three sizes of balls, some far larger: the grid misses none."""
    rng = np.random.default_rng(3)
    for _ in range(5):
        x = rng.uniform(-3, 3, size=(300, 3))
        radius = rng.choice([0.1, 0.15, 1.5], size=300, p=[0.6, 0.38, 0.02])
        crowd = crowd_of([SPHERE] * 300, np.stack([radius] * 3, axis=1), x, [[1, 0, 0, 0]] * 300)
        pairs, points = crowd.touching(0.05)
        apart = np.linalg.norm(x[:, None] - x[None], axis=2) - radius[:, None] - radius[None]
        expected = {(i, j) for i, j in zip(*np.nonzero(apart <= 0.05), strict=True) if i < j}
        assert {tuple(map(int, p)) for p in pairs} == expected
        assert all(abs(apart[i, j] - p[6]) < 1e-12 for (i, j), p in zip(pairs, points, strict=True))


def heap(rng, count, mu, kinds=(SPHERE, BOX)):
    """Balls and boxes in a loose heap above a floor, moving."""
    kinds = [*rng.choice(kinds, size=count), PLANE]
    x = np.array([[0.9 * (k % 3), 0.9 * (k // 3 % 3), 0.5 + 0.95 * (k // 9)] for k in range(count)])
    sizes = np.full((count + 1, 3), 0.4)
    v = np.concatenate([rng.normal(size=(count, 3)), 2 * rng.normal(size=(count, 3))], axis=1)
    return crowd_of(kinds, sizes, x, [[1, 0, 0, 0]] * count, v, mu)


def test_momentum_balances_and_impulses_obey_coulombs_law():
    """After a step, from the outside: M (v+ - v - h g) is the sum of the impulses, each in its cone."""
    rng = np.random.default_rng(5)
    h, seen = 2e-3, 0
    for round_ in range(6):
        crowd = heap(rng, 18, 0.4, (SPHERE,) if round_ % 2 else (SPHERE, BOX))
        for _ in range(15):
            crowd.go(5, h, 1e-12, 1000)
            made, gravity = crowd.bodies, crowd.gravity
            before = made.last.copy()
            count, rows = crowd.count, crowd.old
            if not count:
                continue
            # from scratch: impulses and their moments about the centres where the step began
            change = np.zeros((19, 6))
            place = made.x - h * np.where(made.touched[:, None], made.v[:, :3], (made.v + before)[:, :3] / 2)
            for c in range(count):
                p, point = rows.made[c, :3], rows.points[c, 3:6]
                for body, sign in ((rows.first[c], 1), (rows.second[c], -1)):
                    change[body, :3] += sign * p
                    change[body, 3:] += sign * np.cross(point - place[body], p)
            moved = (made.v - before)[:-1]
            assert np.abs(moved[:, :3] - h * gravity - change[:-1, :3]).max() < 1e-12
            if round_ % 2:  # boxes may have been brought back by 1e-10 before the step
                assert np.abs(0.1 * moved[:, 3:] - change[:-1, 3:]).max() < 1e-12
            for c in range(count):
                n, p = rows.points[c, :3], rows.made[c, :3]
                along = p - (p @ n) * n
                assert p @ n >= -1e-15
                assert np.linalg.norm(along) <= 0.4 * (p @ n) * (1 + 1e-9) + 1e-15
            seen += count
    assert seen > 200


def energy(crowd):
    v = crowd.bodies.v[:-1]
    return (v[:, :3] ** 2).sum() / 2 + 0.1 * (v[:, 3:] ** 2).sum() / 2


def test_impacts_of_heaps_never_create_energy():
    """No gravity: what contacts do to the kinetic energy is never a gain, whatever slips and sticks at once."""
    rng = np.random.default_rng(6)
    for _ in range(10):
        crowd = heap(rng, 18, rng.uniform(0, 1))
        crowd.gravity[:] = 0
        before = None
        for _ in range(100):
            crowd.go(1, 2e-3, 1e-10, 1000)
            now = energy(crowd)
            assert before is None or now <= before * (1 + 1e-9)
            before = now


def balls(count, *, radius=0.1, h=2e-3, laws=None, start=None, shape=None):
    m = da.Mechanism("balls")
    m.gravity = [0, 0, -9.81]
    made = []
    for k in range(count):
        body = m.body(f"b{k}", mass=1, inertia=[0.4 * radius**2] * 3)
        m.join(da.earth, body, da.free("quaternion"), name=f"f{k}")
        made.append(shape(body) if shape else da.Sphere(body, radius))
    m.start = start or {}
    m.contact([*made, da.Plane(da.earth)], name="grains", **(laws or {}))
    return m


def test_a_ball_falls_as_a_ball_falls_and_rests():
    m = balls(1, start={"f0.z": 1.1})
    mo = m.simulate((0, 1), method="moreau", max_step=1e-3)
    falling = mo.t < 0.44
    assert np.abs(mo["f0.z"][falling] - (1.1 - 9.81 * mo.t[falling] ** 2 / 2)).max() < 1e-12
    assert mo["f0.z"][-1] == pytest.approx(0.1, abs=1e-12)
    assert mo["f0.z'"][-1] == pytest.approx(0, abs=1e-12)
    assert mo["f0.z"].min() > 0.1 - 1e-12
    (last,) = mo.contacts.last
    assert last.force == pytest.approx((0, 0, 9.81), abs=1e-9)
    assert last.bodies == ("b0", "earth")
    with pytest.raises(SimulationError, match="no accelerations"):
        mo["f0.z''"]


def test_a_ball_bounces_with_its_restitution():
    """First order in the step: the times of bounces approach those of F1."""
    faults = []
    for h in (4e-3, 1e-3, 2.5e-4):
        mo = balls(1, laws={"restitution": 0.9}, start={"f0.z": 1.1}).simulate((0, 1), method="moreau", max_step=h)
        faults.append(abs(mo["f0.z"][-1] - 0.1 - 0.7109491443330383))
    assert faults[-1] < 2e-3
    assert max(faults) < 3e-2


def test_a_billiard_ball_slides_then_rolls():
    """F8: slides 0.2912 s, then rolls at 5/7 of its speed."""
    m = balls(1, laws={"friction": 0.2}, start={"f0.z": 0.1, "f0.x'": 2.0})
    mo = m.simulate((0, 0.5), method="moreau", max_step=1e-4)
    assert mo["f0.x'"][-1] == pytest.approx(10 / 7, abs=1e-9)
    rolling = mo.t[np.argmax(np.abs(mo["f0.x'"] - 10 / 7) < 1e-6)]
    assert rolling == pytest.approx(0.291247997670016, abs=3e-4)


def test_rolling_friction_stops_a_ball():
    """Pure rolling with the moment a m g against it: deceleration a g / (r (1 + 2/5)), then exactly still."""
    r, a, v = 0.1, 0.002, 1.0
    start = {"f0.z": r, "f0.x'": v, "f0.wy": v / r}
    m = balls(1, laws={"friction": 0.5, "rolling": a}, start=start)
    slow = a * 9.81 / (r * 1.4)
    mo = m.simulate((0, 12), method="moreau", max_step=1e-3)
    early = mo.t < 0.9 * v / slow
    assert np.abs(mo["f0.x'"][early] - (v - slow * mo.t[early])).max() < 1e-9
    assert mo["f0.x"][-1] == pytest.approx(v**2 / (2 * slow), rel=1e-3)
    assert abs(mo["f0.x'"][-1]) < 1e-12


def test_drilling_friction_stops_a_spinning_ball():
    """Moment b m g about the normal: w' = -b g / (2/5 r^2), then still; without it the ball spins for ever."""
    r, b, w = 0.1, 0.001, 10.0
    slow = b * 9.81 / (0.4 * r * r)
    m = balls(1, laws={"friction": 0.5, "drilling": b}, start={"f0.z": r, "f0.wz": w})
    mo = m.simulate((0, 6), method="moreau", max_step=1e-3)
    early = mo.t < 0.9 * w / slow
    assert np.abs(mo["f0.wz"][early] - (w - slow * mo.t[early])).max() < 1e-9
    assert abs(mo["f0.wz"][-1]) < 1e-12
    free = balls(1, laws={"friction": 0.5}, start={"f0.z": r, "f0.wz": w}).simulate(
        (0, 1), method="moreau", max_step=1e-3
    )
    assert free["f0.wz"][-1] == pytest.approx(w, abs=1e-12)


def tilted(share):
    """A box on a slope, by gravity turned; friction 0.5."""
    angle = share * math.atan(0.5)
    start = {"f0.z": 0.05}
    m = balls(1, laws={"friction": 0.5}, start=start, shape=lambda body: da.Box(body, [0.2, 0.2, 0.1]))
    m.gravity = [9.81 * math.sin(angle), 0, -9.81 * math.cos(angle)]
    return m


def test_a_box_on_a_slope_stays_or_slides():
    """F3 beside a penalty method's creep: still below the angle of friction, the right acceleration above it."""
    still = tilted(0.999).simulate((0, 10), method="moreau", max_step=2e-3)
    assert np.abs(still["f0.x"]).max() < 1e-8
    assert np.ptp(still["f0.x"][still.t > 5]) < 1e-12
    sliding = tilted(1.001).simulate((0, 1), method="moreau", max_step=1e-3)
    assert sliding["f0.x"][-1] == pytest.approx(0.002542623327591811, rel=2e-3)


def column(count, lean=0.0):
    m = da.Mechanism("stack")
    m.gravity = [0, 0, -9.81]
    made = []
    for k in range(count):
        body = m.body(f"b{k}", mass=8, inertia=[8 * 0.04 / 6] * 3)
        m.join(da.earth, body, da.free("quaternion"), name=f"f{k}")
        m.start |= {f"f{k}.z": 0.1 + 0.2 * k, f"f{k}.x": lean * k}
        made.append(da.Box(body, [0.2, 0.2, 0.2]))
    m.contact([*made, da.Plane(da.earth)], friction=0.5, name="stack")
    return m


@pytest.mark.parametrize("lean", [0.0, 0.008])
def test_a_stack_of_boxes_stands(lean):
    """F13: forces between boxes are the weights above; nothing sinks, nothing creeps."""
    mo = column(10, lean).simulate((0, 2), method="moreau", max_step=2e-3)
    for k in range(10):
        assert np.abs(mo[f"f{k}.z"] - (0.1 + 0.2 * k)).max() < 1e-8
        assert np.abs(mo[f"f{k}.x"] - lean * k).max() < 1e-8
    assert np.mean(mo.contacts.sweeps) < 10
    for below in range(10):
        pair = (f"b{below - 1}", f"b{below}") if below else ("b0", "earth")
        force = sum(one.force[2] for one in mo.contacts.last if one.bodies == pair)
        assert abs(force) == pytest.approx((10 - below) * 8 * 9.81, rel=1e-6)


def test_a_stack_that_leans_too_far_falls():
    """The centre of the upper nine is 5 lean beside that of the lowest: beyond half a side it tips."""
    mo = column(10, 0.03).simulate((0, 1), method="moreau", max_step=2e-3)
    assert mo["f9.z"][-1] < 1.75
    assert mo.contacts.gap.min() > -1e-5


def test_the_crowd_and_the_equations_agree():
    """A ball that falls, bounces aside and slides: the same motion by the rows of its own equations."""
    start = {"f0.z": 0.2, "f0.x'": 1.0, "f1.z": 0.1, "f1.x": 0.5}
    m = balls(2, laws={"friction": 0.3}, start=start)
    names = ("f0.x", "f0.z", "f0.x'", "f0.wy", "f1.x", "f1.x'", "f1.wy")
    exact = m.simulate((0, 0.4))
    faults = []
    for h in (4e-4, 1e-4, 2.5e-5):
        mo = m.simulate((0, 0.4), method=MoreauJean(), max_step=h)
        faults.append(max(abs(mo[name][-1] - exact[name][-1]) for name in names))
    assert faults[2] < 3e-3
    assert faults[2] < faults[0] / 4


def test_bodies_with_offset_centres_and_turned_frames_agree_with_their_own_equations():
    """The joint stands on a turned frame of earth and on an offset frame of the body, whose inertia is full."""
    m = da.Mechanism("odd")
    m.gravity = [0, 0, -9.81]
    body = m.body("b", mass=2, inertia=[0.03, 0.04, 0.05, 0.004, 0.003, 0.002], centre=[0.02, -0.01, 0.03])
    frame = body.at([0.05, 0.02, 0.01], da.turn(0.4, "x"))
    m.join(da.earth.at([0.1, 0.2, 0.3], da.turn(0.7, "y")), frame, da.free("quaternion", speeds="body"), name="f")
    m.start = {"f.x": 0.2, "f.z": 0.5, "f.e0": 0.8, "f.e1": 0.6, "f.vx": 0.3, "f.wx": 3.0, "f.wy": 1.0, "f.wz": -2.0}
    free = m.simulate((0, 0.2))
    m.contact([da.Sphere(body, 0.01), da.Plane(da.earth.at([0, 0, -10]))], name="c")
    crowd = m.simulate((0, 0.2), method="moreau", max_step=1e-4)
    for name in free.names:
        assert crowd[name][-1] == pytest.approx(free[name][-1], abs=1e-6)
    assert crowd["b.Z"][-1] == pytest.approx(free["b.Z"][-1], abs=1e-6)


def test_what_a_crowd_does_not_know_is_said():
    with pytest.raises(SimulationError, match=r"'b0' 0.02 inside 'earth'"):
        balls(1, start={"f0.z": 0.08}).simulate((0, 1), method="moreau", max_step=1e-3)
    with pytest.raises(SimulationError, match="smaller max_step"):
        balls(1, start={"f0.z": 50.0, "f0.z'": -200.0}).simulate((0, 1), method="moreau", max_step=1e-2)
    with pytest.raises(SimulationError, match="`events` would change nothing"):
        balls(1, start={"f0.z": 1.0}).simulate((0, 1), method="moreau", max_step=1e-3, events="f0.z - 0.5")
    with pytest.raises(ModelError, match="more than 300 pairs"):
        balls(40, start={f"f{k}.z": 0.1 + 0.3 * k for k in range(40)}).simulate((0, 1))
    m = da.Mechanism()
    b = m.body("b", mass=1)
    with pytest.raises(ModelError, match="one body"):
        m.contact([da.Sphere(b, 1), da.Sphere(b, 2)])


def test_a_crowd_is_written_and_read():
    text = """
    let ball(r : scalar) = body mass = 1, inertia = [r, r, r] end ;
    let a = ball(r = 0.1) ; let b = ball(r = 0.2) ;
    join earth and a.frame with link(x, y, z) dof = [x, y, z] end as ja ;
    join earth and b.frame with link(x, y, z) dof = [x, y, z] end as jb ;
    contact sphere(a, 0.1) and sphere(b, 0.2) and plane(earth) friction 0.5 rolling 0.001 drilling 0.002 as grains ;
    """
    m = da.loads(text)
    (contact,) = m.contacts
    assert len(contact.place.shapes) == 3
    again = da.loads(m.to_lsd())
    assert again.contacts == m.contacts
    assert m.as_dict()["contacts"][0]["rolling"] == "0.001"


def test_the_code_that_travels_with_the_package_is_that_of_the_sources():
    """After a change of contact/crowd: `python -m dalembert.simulate.contact.crowd_translate`."""
    from dalembert.simulate.contact.crowd_code import shipped

    assert shipped() is not None


@pytest.mark.slow
def test_the_code_that_travels_and_that_of_numba_give_the_same_bits(monkeypatch):
    from dalembert.simulate.contact import crowd

    ends = []
    for code in (crowd.shipped, lambda: None):
        monkeypatch.setattr(crowd, "shipped", code)
        start = {f"f{k}.z": 0.1 + 0.21 * k for k in range(8)} | {f"f{k}.x": 0.03 * (k % 3) for k in range(8)}
        m = balls(8, laws={"friction": 0.5, "rolling": 0.001}, start=start)
        ends.append(m.simulate((0, 0.3), method="moreau", max_step=2e-3).y[:, -1])
    assert (ends[0] == ends[1]).all()
