"""Moreau's theorem: the right acceleration is a projection in the kinetic metric."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from dalembert.contact import Moreau, lemke, right_acceleration
from dalembert.contact.exact import fractions
from dalembert.errors import ContactError, SingularError


def random_problem(rng):
    """One to five freedoms, one to six rows, a third with repeated or dependent rows; feasible by construction."""
    n, m = rng.integers(1, 6), rng.integers(1, 7)
    root = rng.normal(size=(n, n)) + np.eye(n)
    mass = root @ root.T + 0.1 * np.eye(n)
    rows = rng.normal(size=(m, n))
    if rng.random() < 1 / 3 and m > 1:
        rows[-1] = rows[0] * rng.uniform(0.5, 2)
        if m > 2 and rng.random() < 0.5:
            rows[-2] = rows[0] + rows[1]
    allowed = rng.normal(size=n)
    least = rows @ allowed - rng.exponential(size=m) * (rng.random(m) < 0.7)
    if rng.random() < 1 / 3:
        least = rows @ allowed
    return Moreau(mass, rng.normal(size=n) * 3, rows, least, tuple(f"c{i}" for i in range(m)))


def enumerated(problem):
    """Every set of independent rows held as equations: the ones that push and stay outside."""
    mass, force, rows, least = (np.asarray(x) for x in (problem.mass, problem.force, problem.rows, problem.least))
    found = []
    for size in range(len(rows) + 1):
        for subset in combinations(range(len(rows)), size):
            held = rows[list(subset)]
            if size and np.linalg.matrix_rank(held, 1e-9) < size:
                continue
            saddle = np.block([[mass, -held.T], [held, np.zeros((size, size))]])
            answer = np.linalg.solve(saddle, np.concatenate([force, least[list(subset)]]))
            a, push = answer[: len(mass)], answer[len(mass) :]
            if (push >= -1e-9).all() and (rows @ a - least >= -1e-9).all():
                found.append(a)
    return found


def test_the_projection_is_what_enumeration_of_contact_states_finds():
    rng = np.random.default_rng(1966)
    several = 0
    for _ in range(300):
        problem = random_problem(rng)
        answer = right_acceleration(problem)
        others = enumerated(problem)
        assert others
        for a in others:  # unique although several bases give it
            assert np.abs(a - answer.acceleration).max() < 1e-8 * (1 + np.abs(a).max())
        several += not answer.forces.unique
        assert answer.residual < 1e-10
    assert several > 20


def test_primal_and_dual_agree_and_every_extreme_point_gives_the_same_acceleration():
    rng = np.random.default_rng(2)
    for _ in range(200):
        problem = random_problem(rng)
        answer = right_acceleration(problem)
        mass, force, rows = (np.asarray(x) for x in (problem.mass, problem.force, problem.rows))
        scale = 1 + np.abs(mass @ answer.acceleration).max()
        for forces in (answer.forces.one, *answer.forces.extreme):
            assert np.abs(mass @ answer.acceleration - force - rows.T @ forces).max() < 1e-8 * scale
            assert (forces >= 0).all()
            assert abs(forces @ answer.opening) < 1e-8 * scale


def test_appells_function_is_least_among_admissible_accelerations():
    rng = np.random.default_rng(3)
    for _ in range(20):
        problem = random_problem(rng)
        answer = right_acceleration(problem)
        appell, rows, least = problem.appell, np.asarray(problem.rows), np.asarray(problem.least)
        constant = appell.gauss(answer.acceleration) - appell(answer.acceleration)
        tried = 0
        for scale in 10.0 ** rng.uniform(-3, 1, size=4000):
            other = answer.acceleration + scale * rng.normal(size=len(answer.acceleration))
            if (rows @ other >= least).all():
                tried += 1
                assert appell(other) >= appell(answer.acceleration)
                assert appell.gauss(other) - appell(other) == pytest.approx(constant, abs=1e-8)
            if tried == 1000:
                break


def test_lemke_in_floats_and_in_fractions_finds_the_same_acceleration():
    rng = np.random.default_rng(4)
    for k in range(150):
        problem = random_problem(rng)
        answer = right_acceleration(problem)
        mass, force, rows, least = (np.asarray(x) for x in (problem.mass, problem.force, problem.rows, problem.least))
        raised = np.linalg.solve(mass, rows.T)
        free = np.linalg.solve(mass, force)
        found = lemke(rows @ raised, rows @ free - least)
        assert found.z is not None
        assert found.pivots <= 13
        assert np.abs(free + raised @ found.z - answer.acceleration).max() < 1e-9 * (1 + np.abs(free).max())
        if k % 10 == 0 and answer.forces.unique:
            proof = right_acceleration(problem, precise=True)
            assert proof.residual == 0
            assert all(isinstance(a, Fraction) for a in proof.acceleration)
            assert np.abs(proof.acceleration.astype(float) - answer.acceleration).max() < 1e-8 * (
                1 + np.abs(free).max()
            )


LEGS = [(1, 0.5), (1, -0.5), (-1, 0.5), (-1, -0.5)]


@pytest.mark.parametrize(
    ("centre", "ends"),
    [
        ((0, 0), [(0, 4.905, 4.905, 0), (4.905, 0, 0, 4.905)]),
        ((0.3, 0.1), [(2.4525, 3.924, 3.4335, 0), (5.886, 0.4905, 0, 3.4335)]),
    ],
)
def test_a_table_on_four_legs_has_a_segment_of_forces_and_does_not_move(centre, ends):
    x, y = centre
    rows = [[1, b - y, -(a - x)] for a, b in LEGS]
    answer = right_acceleration(Moreau(np.diag([1.0, 0.2, 0.3]), [-9.81, 0, 0], rows, np.zeros(4), tuple("abcd")))
    assert np.abs(answer.acceleration).max() < 1e-13
    assert sorted(map(tuple, np.round(answer.forces.extreme, 10).tolist())) == sorted(ends)
    assert not answer.forces.unique
    assert "one of many" in answer.told
    assert answer.forces.intervals[0].tolist() == pytest.approx([ends[0][0], ends[1][0]])


def test_exact_extreme_points():
    rows = [[1, 0, 0], [1, 0, 0], [0, 1, 0]]
    mass = np.diag([1.0, 0.5, 1.0])
    answer = right_acceleration(Moreau(mass, [-1, -1.5, 0], rows, [0, 0, 0]), precise=True)
    found = sorted(tuple(p) for p in answer.forces.extreme)
    assert found == [(0, 1, Fraction(3, 2)), (1, 0, Fraction(3, 2))]
    assert answer.undecided == ()
    assert answer.residual == 0


def test_contradiction_is_refused_with_the_names_and_a_self_stress_is_reported():
    pinched = Moreau([[1.0]], [0.0], [[1.0], [-1.0]], [1.0, 0.0], ("floor", "roof"))
    for precise in (False, True):
        with pytest.raises(ContactError, match=r"'floor', 'roof'.*no acceleration"):
            right_acceleration(pinched, precise=precise)
    answer = right_acceleration(Moreau([[1.0]], [-1.0], [[1.0], [-1.0]], [0.0, 0.0], ("floor", "roof")))
    assert answer.forces.rays[0].tolist() == pytest.approx([0.5, 0.5])
    assert "self-stress" in answer.told
    assert answer.forces.intervals[0][1] == np.inf
    ray = lemke(np.array([[1.0, -1.0], [-1.0, 1.0]]), np.array([-1.0, 0.0])).ray
    assert ray[0] == pytest.approx(ray[1])
    assert ray[0] > 0


def test_refusals_name_the_contact():
    with pytest.raises(ContactError, match=r"'lid'.*no coordinate moves it"):
        right_acceleration(Moreau([[1.0]], [0.0], [[0.0]], [1.0], ("lid",)))
    assert right_acceleration(Moreau([[1.0]], [0.0], [[0.0]], [-1.0], ("lid",))).acceleration.tolist() == [0.0]
    with pytest.raises(ContactError, match=r"'lid'.*finite"):
        right_acceleration(Moreau([[1.0]], [0.0], [[np.nan]], [1.0], ("lid",)))
    with pytest.raises(SingularError, match="moves none"):
        right_acceleration(Moreau([[1.0, 0], [0, 0]], [0.0, 1], [[0.0, 1]], [1.0], ("lid",)))


def test_bilateral_rows_are_taken_away_first():
    rng = np.random.default_rng(5)
    for _ in range(60):
        n = 5
        root = rng.normal(size=(n, n))
        mass, force = root @ root.T + np.eye(n), rng.normal(size=n)
        held, rows = rng.normal(size=(2, n)), rng.normal(size=(2, n))
        held = np.vstack([held, held[:1]])  # a dependent one too
        wanted, least = held @ (allowed := rng.normal(size=n)), rows @ allowed - 0.1
        problem = Moreau(mass, force, rows, least, ("a", "b"), held, wanted)
        a = right_acceleration(problem).acceleration
        assert np.abs(held @ a - wanted).max() < 1e-9
        basis = np.linalg.svd(held)[2][2:].T
        start = np.linalg.lstsq(held, wanted, rcond=None)[0]
        small = Moreau(basis.T @ mass @ basis, basis.T @ (force - mass @ start), rows @ basis, least - rows @ start)
        assert np.abs(start + basis @ right_acceleration(small).acceleration - a).max() < 1e-8


def test_fractions_are_the_floats_themselves():
    assert fractions([0.1])[0] == Fraction(0.1)
