"""Impacts: momentum is balanced, energy never created, and the laws differ where they must."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert.contact import Frictional, impact, path_impact, solve_frictional
from dalembert.errors import ContactError


def chain(masses):
    n = len(masses)
    return np.diag(np.array(masses, dtype=float)), np.eye(n)[1:] - np.eye(n)[:-1]


@pytest.mark.parametrize(
    ("incoming", "e", "after", "pulses"),
    [
        ([1, 0, 0], 1.0, [-1 / 3, 2 / 3, 2 / 3], [4 / 3, 2 / 3]),
        ([1, 0, 0], 0.9, [-0.266666666667, 0.633333333333, 0.633333333333], None),
        ([1, 0, 0], 0.5, [0, 0.5, 0.5], None),
        ([1, 0, 0, 0, 0], 1.0, [-0.6, 0.4, 0.4, 0.4, 0.4], [1.6, 1.2, 0.8, 0.4]),
        ([1, 0, 0, 0, 0], 0.9, [-0.52, 0.38, 0.38, 0.38, 0.38], None),
        ([1, 1, 0, 0, 0], 1.0, [-0.2, -0.2, 0.8, 0.8, 0.8], [1.2, 2.4, 1.6, 0.8]),
        ([1, 1, 0, 0, 0], 0.9, [-0.14, -0.14, 0.76, 0.76, 0.76], None),
        ([1, 0, 0], 0.0, [1 / 3, 1 / 3, 1 / 3], None),
    ],
)
@pytest.mark.parametrize("law", ["moreau", "newton", "poisson"])
def test_newtons_cradle_at_once(incoming, e, after, pulses, law):
    mass, rows = chain([1] * len(incoming))
    found = impact(mass, incoming, rows, e, law=law)
    assert found.velocity.tolist() == pytest.approx(after, abs=1e-12)
    assert "other laws" in found.told
    if pulses:
        assert found.impulses.tolist() == pytest.approx(pulses, abs=1e-12)


@pytest.mark.parametrize(
    ("incoming", "e", "after"),
    [
        ([1, 0, 0], 1.0, [0, 0, 1]),
        ([1, 0, 0], 0.9, [0.047625, 0.049875, 0.9025]),
        ([1, 0, 0], 0.5, [0.203125, 0.234375, 0.5625]),
        ([1, 0, 0, 0, 0], 0.9, [0.043525082031, 0.045372964844, 0.047296640625, 0.0492990625, 0.81450625]),
        ([1, 1, 0, 0, 0], 1.0, [0, 0, 0, 1, 1]),
        ([1, 1, 0, 0, 0], 0.9, [0.088892406215, 0.092766624998, 0.096810359373, 0.859840856330, 0.861689753084]),
    ],
)
def test_newtons_cradle_pair_by_pair(incoming, e, after):
    mass, rows = chain([1] * len(incoming))
    assert impact(mass, incoming, rows, e, law="sequential").velocity.tolist() == pytest.approx(after, abs=1e-12)


def test_unequal_balls():
    mass, rows = chain([1, 2, 1])
    assert impact(mass, [1, 0, 0], rows, 1.0).velocity.tolist() == pytest.approx([-0.5, 0.5, 0.5], abs=1e-12)


def test_a_leaving_contact_is_left_out_and_looked_at_again():
    rows = np.array([[1, 0], [-0.9, math.sqrt(0.19)]])
    v = np.linalg.solve(rows, [-1.0, 1.0])
    found = impact(np.eye(2), v, rows, 1.0)
    assert found.rounds == 3
    assert found.after.tolist() == pytest.approx([0.44, 0.008], abs=1e-12)


def test_ten_thousand_random_impacts_balance_momentum_and_gain_no_energy():
    rng = np.random.default_rng(7)
    for k in range(10_000):
        n, m = rng.integers(1, 5), rng.integers(1, 5)
        root = rng.normal(size=(n, n))
        mass, rows, v = root @ root.T + 0.3 * np.eye(n), rng.normal(size=(m, n)), rng.normal(size=n)
        if k % 5 == 0 and m > 1:
            rows[-1] = rows[0]
        rows = np.where((rows @ v > 0)[:, None], -rows, rows)  # contacts that touch and were not crossed
        law = ("newton", "poisson", "moreau")[k % 3]
        e = rng.random() if law == "moreau" else rng.random(m)
        found = impact(mass, v, rows, e, law=law)
        change = mass @ (found.velocity - v)
        assert np.abs(change - rows.T @ found.impulses).max() <= 1e-12 * (1 + np.abs(rows.T * found.impulses).max())
        before, after = v @ mass @ v / 2, found.velocity @ mass @ found.velocity / 2
        assert after <= before * (1 + 1e-12)
        assert (found.after >= -1e-9).all()
        assert (found.impulses >= 0).all()
        if law == "moreau" and found.rounds == 1:
            moved = found.velocity - v
            lost = -0.5 * (1 - e) / (1 + e) * (moved @ mass @ moved)
            assert after - before == pytest.approx(lost, abs=1e-9 * (1 + before))


def rod(theta):
    c, s = math.cos(theta), math.sin(theta)
    mass = np.diag([1, 1, 1 / 3])
    rows = np.array([[0, 1, -c], [1, 0, s]])
    return mass, rows, rows @ np.linalg.solve(mass, rows.T)


VECTORS = [
    (45, 0.5, 0.3, "newton", (0.8, 0), (1.0125, 0.4875), -0.028125),
    (45, 0.5, 0.3, "poisson", (0.669090909091, -0.187792207792), (0.860259740260, 0.321038961039), -0.124322347782),
    (45, 0.5, 0.3, "stronge", (0.683868432564, -0.189903282574), (0.868704039387, 0.325261110603), -0.119407294513),
    (60, 0.5, 0.5, "newton", (0.8, 0), (1.300120236790, 0.365817147554), -0.038557736790),
    (60, 0.5, 0.5, "poisson", (0.640118386994, 0), (1.170216426223, 0.313894070631), -0.132096169860),
    (60, 0.5, 0.5, "stronge", (0.660810205284, 0), (1.187028528584, 0.320613935740), -0.121160497531),
    (30, 0.4, -0.2, "newton", (0.8, -0.594914521540), (0.659247747009, 0.263699098803), -0.170733896179),
    (30, 0.4, -0.2, "poisson", (0.8, -0.594914521540), (0.659247747009, 0.263699098803), -0.170733896179),
    (30, 0.4, -0.2, "stronge", (0.8, -0.594914521540), (0.659247747009, 0.263699098803), -0.170733896179),
]


@pytest.mark.parametrize(("degrees", "mu", "along", "law", "after", "pulses", "energy"), VECTORS)
def test_a_rod_hits_the_floor_with_friction(degrees, mu, along, law, after, pulses, energy):
    _, _, w = rod(math.radians(degrees))
    before = np.array([-1, along])
    if law == "newton":
        right = before.copy()
        right[0] *= 1.8
        (answer, *_), _ = solve_frictional(Frictional(w, right, np.array([mu]), (1,)))
        u, p = w @ answer.impulses + before, answer.impulses
        change = float((u + before) @ p / 2)
    else:
        found = path_impact(w, before, mu, 0.8, law)
        u, p, change = found.rates, found.impulses, found.energy
    assert u.tolist() == pytest.approx(after, abs=2e-12)
    assert p.tolist() == pytest.approx(pulses, abs=2e-12)
    assert change == pytest.approx(energy, abs=2e-12)


def test_newtons_law_with_friction_can_create_energy():
    _, _, w = rod(math.radians(55))
    (answer,), _ = solve_frictional(Frictional(w, np.array([-2.0, 0.7]), np.array([0.3]), (1,)))
    p = answer.impulses
    assert p.tolist() == pytest.approx([1.259845794538, 0.357049753212], abs=2e-12)
    assert float((w @ p + [-2, 1.4]) @ p / 2) == pytest.approx(0.124967413624, abs=2e-12)


def test_path_laws_never_gain_in_random_planar_impacts():
    rng = np.random.default_rng(8)
    for k in range(4000):
        root = rng.normal(size=(2, 3))
        w = root @ root.T + 1e-3 * np.eye(2)
        before = np.array([-rng.exponential(), rng.normal()])
        found = path_impact(w, before, rng.exponential(), rng.random(), ("poisson", "stronge")[k % 2])
        assert found.energy <= 1e-10 * before @ np.linalg.solve(w, before)
        assert np.abs(w @ found.impulses + before - found.rates).max() < 1e-9 * (1 + np.abs(found.impulses).max())
        assert found.rates[0] >= -1e-12


@pytest.mark.parametrize("law", ["poisson", "stronge"])
def test_machines_of_one_freedom_strike_with_friction(law):
    """Rows along each other: both rates vanish together, and rounding must not decide which of them is first."""
    rng = np.random.default_rng(31)
    for k in range(2000):
        mass, normal, tangent = 10.0 ** rng.uniform(-6, 6), rng.normal(), rng.normal() * (k % 7 > 0)
        mu, e, speed = rng.exponential(), float(rng.random()), 10.0 ** rng.uniform(-6, 6) * rng.choice([-1, 1])
        speed = -abs(speed) * np.sign(normal)
        rows = np.array([normal, tangent])
        found = path_impact(np.outer(rows, rows) / mass, rows * speed, mu, e, law)
        into = (normal**2 + mu * abs(normal * tangent)) / mass  # of the normal rate, for each unit of the impulse
        out = (normal**2 - mu * abs(normal * tangent)) / mass
        back = {"poisson": e * out / into, "stronge": e * math.sqrt(max(out, 0) / into)}[law]
        after = -rows * speed * max(back, 0.0)  # wedged where friction holds what the normal impulse gives
        assert np.abs(found.rates - after).max() <= 1e-9 * abs(rows * speed).max(), (k, found)
        assert found.energy <= 0
        assert np.isfinite(found.impulses).all()


@pytest.mark.parametrize(
    ("e", "pulses", "up"),
    [
        (0.0, (0.324759526419, 0.4375), 0.0),
        (0.5, (0.487139289629, 0.502403846154), 0.199852016258),
        (1.0, (0.649519052838, 0.567307692308), 0.399704032516),
    ],
)
def test_impact_without_collision_of_painleves_rod(e, pulses, up):
    _, _, w = rod(math.radians(60))
    found = path_impact(w, [0.0, -1.0], 1.6, e)
    assert found.impulses.tolist() == pytest.approx(pulses, abs=2e-12)
    assert found.rates.tolist() == pytest.approx([up, 0], abs=2e-12)


def test_bad_coefficients_and_laws_are_refused():
    with pytest.raises(ContactError, match=r"'stop'.*1\.3 would create energy; use 0\.\.1"):
        impact([[1.0]], [-1.0], [[1.0]], 1.3, names=("stop",))
    with pytest.raises(ContactError, match="Laws: moreau, newton"):
        impact([[1.0]], [-1.0], [[1.0]], law="hertz")
    with pytest.raises(ContactError, match="one restitution"):
        impact(np.eye(2), [-1.0, -1], np.eye(2), [0.5, 1])


def test_moving_contacts_do_work():
    found = impact([[2.0]], [-1.0], [[1.0]], 0.5, drift=[-0.5])
    assert found.velocity.tolist() == pytest.approx([0.5 + 0.75])
    gain = 1.25**2 - 1
    assert found.energy + found.work == pytest.approx(gain)


def test_a_contact_that_rests_while_bodies_turn_past_it_is_not_struck_by_rounding():
    mass = np.array(
        [
            [3.738745237133836, 0.0, -1.4704408741513708, -0.07427774719756114, -1.2896224410253318e-16],
            [0.0, 3.738745237133836, 1.4404901678276925, 1.0460706275184595, 0.2704024374344158],
            [-1.4704408741513708, 1.4404901678276925, 1.4458903022154774, 0.6848330796742366, 0.21844934228648788],
            [-0.07427774719756114, 1.0460706275184595, 0.6848330796742366, 0.5309118032898804, 0.18665351407443007],
            [-1.2896224410253318e-16, 0.2704024374344158, 0.21844934228648788, 0.18665351407443007, 0.0842189475947733],
        ]
    )
    speeds = [0.27092897098695984, -1.8636033201644089, 3.75411514272504, 6.367828191115801e-05, -3.7541788210069513]
    rows = np.array(
        [
            [0, 0, 0, -1, 0],
            [0, 1, 0.4964097068254837, 0.37882264469047755, 0],
            [0, 1, 0.9769781779581769, 0.8593911158231707, 0.48056847113269324],
        ]
    )
    assert rows[2] @ speeds == pytest.approx(0, abs=1e-15)  # nothing, yet not beside the 6e-5 of the first
    done = impact(mass, speeds, rows, [0.43317292937503543, 0.7, 0.0], law="newton")
    assert (rows @ done.velocity >= -1e-11).all()
    assert done.energy < 1e-12


@pytest.mark.parametrize(("degrees", "mu", "along", "law", "after"), [x[:5] for x in VECTORS if x[3] != "newton"][:4])
def test_a_machine_strikes_by_the_law_that_was_asked_for(degrees, mu, along, law, after):
    """The same blows, of a rod whose foot is at the floor: Newton's law would throw it back otherwise."""
    m = da.loads(f"""
let rod = body mass = 1, iframe = 0, inertia = [1/3, 1/3, 0] end ;
join earth and rod.frame with link(x, z, th) dof1 = [x, 0, z], dof2 = th || [0, 1, 0] end as p ;
let foot = [-1, 0, 0] @ rod ;
contact foot.Z >= 0 restitution 0.8 friction {mu} slip foot.X' as floor ;""")
    th = -np.radians(degrees)  # the foot is below
    start = {"p.th": th, "p.z": np.sin(-th), "p.x'": along, "p.z'": -1.0}
    mo = m.simulate((0, 1e-4), start=start, impacts=law)
    jump = mo.state(5e-5)
    up, slip = jump["p.z'"] + np.cos(th) * jump["p.th'"], jump["p.x'"] + np.sin(th) * jump["p.th'"]
    assert (up, slip) == pytest.approx(after, abs=1e-9)


@pytest.mark.parametrize("unit", [1.0, 1e-3, 1e3])
def test_a_joint_that_rests_on_its_stop_ends_with_the_impact_that_others_bring(unit):
    """Its rate was judged by its own speed, nothing, not by the impulses whose sum it is: a walker never landed."""
    rng = np.random.default_rng(2)
    for _ in range(20):
        root = rng.standard_normal((9, 9))
        size = np.diag(np.where(np.arange(9) < 3, 1.0, unit))
        mass = size @ (root @ root.T + 0.02 * np.eye(9)) @ size
        rows = np.vstack([-np.eye(9)[3:7], rng.standard_normal((2, 9)) @ size])
        speeds = np.linalg.solve(size, rng.standard_normal(9))
        speeds[3:7] = 1e-24 * rng.standard_normal(4)
        rows[4:] *= -np.sign(rows[4:] @ speeds)[:, None]
        done = impact(mass, speeds, rows)
        assert (done.after >= -1e-9 * np.abs(rows) @ np.linalg.solve(size, np.ones(9))).all()
        assert done.rounds < 9


@pytest.mark.parametrize("seed", range(30))
def test_a_block_that_strikes_leaves_one_that_is_nearly_at_rest(seed: int) -> None:
    """Frictionless blocks on a floor share no row; what is left of the rocking of one is rounding beside the other."""
    rng = np.random.default_rng(seed)
    w, h = rng.uniform(0.1, 2, 2)
    mass = np.diag([1, 1, (w * w + h * h) / 3])
    rows = np.array([[0, 1, s * w] for s in (1, 1, -1, -1)])
    fast = np.array([0, -rng.uniform(0, 1), rng.uniform(-1, 1)])
    slow = 10.0 ** rng.integers(-60, -10) * np.array([0, -rng.uniform(0, 1), rng.uniform(-1, 1)])
    share = 10.0 ** rng.integers(-2, 3)
    both = impact(np.kron(np.diag([1, share]), mass), [*fast, *slow], np.kron(np.eye(2), rows))
    np.testing.assert_allclose(both.velocity[:3], impact(mass, fast, rows).velocity, rtol=0, atol=1e-12)
    assert abs(both.velocity[3:]).max() < 1e-9


@pytest.mark.slow
def test_dominoes_without_friction_come_to_rest_on_the_floor() -> None:
    """Two that rock in turn and strike each other; the first pushed over: momentum along the floor is kept."""
    m = da.Mechanism("dominoes")
    m.gravity = [0, 0, -9.81]
    boxes = []
    for k in range(2):
        body = m.body(f"b{k}", mass=1, inertia=[(0.05**2 + 0.008**2) / 12] * 3)
        m.join(da.earth, body, da.composite(["x", "z", "th"], ["x", 0, "z"], da.turn("th", "y")), name=f"p{k}")
        boxes.append(da.Box(body, [0.008, 0.01, 0.05]))
        m.contact(boxes[-1], da.Plane(da.earth), name=f"f{k}")
    m.contact(boxes[1], boxes[0], restitution=0.3, name="c")
    m.start = {"p0.z": 0.0252, "p0.th": 0.02, "p0.x'": 0.1, "p0.th'": 4, "p1.x": 0.028, "p1.z": 0.025}
    mo = m.simulate((0, 0.4))
    assert abs(mo["p0.x'"][-1] + mo["p1.x'"][-1] - 0.1) < 1e-9
    assert abs(mo["p0.z"][-1] - 0.025) < 1e-6
    assert abs(mo["p1.z"][-1] - 0.025) < 1e-6
