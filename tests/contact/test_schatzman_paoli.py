"""Schatzman-Paoli time stepping: a published table (siconos/siconos-tutorials, Apache-2.0), own programs, refusals."""

from itertools import combinations

import numpy as np
import pytest
from contact_machines import ball, upright

import dalembert as da
from dalembert.errors import SimulationError
from dalembert.simulate import SchatzmanPaoli

G = 9.81


def test_bouncing_ball():
    """Rows of BouncingBallTS-SchatzmanPaoliOSI.ref (with the speed of the row before), then all to t = 6.5."""
    h, steps = 0.005, 1300
    motion = ball().simulate((0, steps * h), method="schatzman-paoli", max_step=h)
    q, v = motion["drop.x"], motion["drop.x'"]
    for row, place, speed in [
        (90, -0.004298749999899, -4.389975),
        (91, -0.015996375000089, -3.377012500019),
        (92, 0.003868874999909, 0.816762499981),
    ]:
        assert abs(q[row] - place) < 1e-9
        assert abs(v[row - 1] - speed) < 1e-9
    own = [1.0, 1.0]
    for _ in range(steps + 1):
        own.append(max(2 * own[-1] - own[-2] - h * h * G, -0.9 * own[-2]))
    places = np.array(own)  # from q_{-1} on
    assert np.abs(q - places[1:-1]).max() < 1e-9
    assert np.abs(v[1:] - (places[3:] - places[1:-2]) / (2 * h)).max() < 1e-9
    pushed = sum(strike.normal for strike in motion.contacts.strikes)
    assert v[-1] - v[0] == pytest.approx(pushed - G * h * (steps + 0.5), abs=1e-11)
    assert motion.quality.energy < 5e-3


def allowed(matrix, right):
    """0 <= matrix p + right, orthogonal to p >= 0: every set of contacts that push is tried."""
    small = 1e-12 * (np.abs(right).max() + 1e-300)
    for size in range(len(right) + 1):
        for some in map(list, combinations(range(len(right)), size)):
            p = np.zeros(len(right))
            p[some] = np.linalg.solve(matrix[np.ix_(some, some)], -right[some])
            if (p >= 0).all() and (matrix @ p + right >= -small).all():
                return p
    raise AssertionError("no set")


@pytest.mark.parametrize("seed", range(3))
def test_random_columns_on_a_floor_that_moves(seed):
    """Beads of any size above a floor, with springs and dampers, and two laws of restitution, beside an own program."""
    rng = np.random.default_rng(seed)
    n, size, span = 3, float(10.0 ** rng.integers(-3, 4)), 0.6
    masses, e = rng.uniform(0.5, 3, n), rng.choice([0.0, 0.5, 0.9, 1.0], n)
    stiffness, damping = rng.uniform(0, 20, n), rng.uniform(0, 2, n)
    q = size * np.cumsum(rng.uniform(0.02, 0.2, n))
    v, h = size * rng.normal(size=n), 0.004
    m = da.Mechanism("column")
    m.gravity = [0, 0, -G * size]
    for i in range(n):
        joint = da.prismatic("z").with_efforts(x=f"-{float(stiffness[i])!r}*x - {float(damping[i])!r}*x'")
        m.join(da.earth, m.body(f"b{i}", mass=float(masses[i])), joint, name=f"j{i}")
        below = f"j{i - 1}.x" if i else f"{0.01 * size!r}*sin(9*t)"
        m.contact(f"j{i}.x - {below}", restitution=float(e[i]), name=f"c{i}")
    m.start = {f"j{i}.x": q[i] for i in range(n)} | {f"j{i}.x'": v[i] for i in range(n)}
    motion = m.simulate((0, span), method=SchatzmanPaoli(), max_step=h)
    rows, weights = np.eye(n) - np.eye(n, k=-1), np.diag(masses)
    table = np.eye(n)[0] * 0.01 * size
    before, found = q - h * v, [q]
    gap_before = rows @ q - h * (rows @ v - 9 * table)
    for k in range(round(span / h)):
        left = weights + h / 2 * np.diag(damping)
        right = weights @ (2 * q - before) + h / 2 * damping * before - h * h * (stiffness * q + masses * G * size)
        free = np.linalg.solve(left, right)
        raised = np.linalg.solve(left, rows.T)
        p = allowed(rows @ raised, rows @ free - table * np.sin(9 * (k + 1) * h) + e * gap_before)
        gap_before = rows @ q - table * np.sin(9 * k * h)
        before, q = q, free + raised @ p
        found.append(q)
    told = np.array([motion[f"j{i}.x"] for i in range(n)]).T
    assert len(motion.contacts.strikes) > 5
    assert np.abs(told - found).max() < 1e-9 * size


def rod():
    """A rod above its two ends."""
    m = da.Mechanism("rod")
    m.join(da.earth, m.body("rod", mass=1, inertia=[1 / 12] * 3), upright(), name="p")
    m.gravity, m.start = [0, 0, -G], {"p.z": 0.5, "p.th": 0.3, "p.th'": 1.0}
    for side, sign in (("l", "+"), ("r", "-")):
        m.contact(f"p.z {sign} 0.5*sin(p.th)", name=side)
    return m


def pendulum():
    """Masses and a gap that turn, speeds in the efforts."""
    m = da.Mechanism("double")
    one, two = (m.body(name, mass=1, centre=[0, 0, -0.5], inertia=[0.1] * 3) for name in ("one", "two"))
    m.join(da.earth, one, da.revolute("y").with_efforts(th="-0.2*th'"), name="a")
    m.join(one.at([0, 0, -1]), two, da.revolute("y"), name="b")
    m.gravity, m.start = [0, 0, -G], {"a.th": 1.0, "b.th": 0.2}
    m.contact("sin(a.th) + 0.3*sin(a.th + b.th) + 0.1", restitution=0.7, name="stop")
    return m


def test_gaps_that_turn_keep_the_law_at_the_end_itself_and_approach_the_exact_motion():
    exact = pendulum().simulate((0, 0.8))
    assert len(exact.contacts.times()["stop.impact"]) == 1
    faults = []
    for h in (8e-3, 2e-3):
        steps = pendulum().simulate((0, 0.8), method="schatzman-paoli", max_step=h)
        faults.append(np.abs(steps.y[:, -1] - exact.y[:, -1]).max())
        gap = np.sin(steps["a.th"]) + 0.3 * np.sin(steps["a.th"] + steps["b.th"]) + 0.1
        kept = gap[2:] + 0.7 * gap[:-2]
        assert kept.min() > -1e-14
        held = np.flatnonzero(kept < 1e-14)
        struck = {round(strike.t / h) for strike in steps.contacts.strikes}
        assert len(held)
        assert struck == {k + 1 for k in held} | {k + 2 for k in held}  # pushed at k + 1: half in each step beside it
    assert faults[1] < 0.4 * faults[0] < 0.1


def rubbing():
    m = rod()
    m.contact("p.z", friction=0.3, slip="p.x'", name="foot")
    return m


def looped():
    m = rod()
    m.constrain("p.x - p.th")
    return m


def driven():
    m = rod()
    m.drive("p.x", "sin(t)", name="law")
    return m


def turning():
    m = da.Mechanism("turning")
    m.join(da.earth, m.body("b", mass=1, inertia=[1, 2, 3]), da.free("quaternion"), name="f")
    m.contact("f.z", name="floor")
    return m


def edged():
    m = da.Mechanism("edged")
    m.join(da.earth, m.body("b", mass=1), da.prismatic("z"), name="p")
    m.start = {"p.x": 2.0}
    m.contact(da.Box(m.bodies["b"], [1, 1, 1]), da.Box(da.earth, [4, 4, 1]), name="tops")
    return m


@pytest.mark.parametrize(
    ("machine", "why"),
    [
        (rubbing, "contact 'foot' has friction"),
        (looped, "it keeps no constraints"),
        (driven, "it keeps no constraints"),
        (turning, "is no speed"),
        (edged, "ends at the edge of a face"),
    ],
)
def test_what_it_does_not_treat_is_refused(machine, why):
    with pytest.raises(SimulationError, match=why):
        machine().simulate((0, 1), method="schatzman-paoli", max_step=0.01)


def test_starts_inside_and_motions_backwards_are_refused():
    with pytest.raises(SimulationError, match=r"starts 0\.25 beyond"):
        ball().simulate((0, 1), method="schatzman-paoli", start={"drop.x": -0.25})
    with pytest.raises(SimulationError, match="forward in time"):
        ball().simulate((1, 0), method="schatzman-paoli", max_step=0.01)
