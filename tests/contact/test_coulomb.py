"""Coulomb's law: non-associated, exact for one contact, enumerated in the plane, swept for many."""

import math

import numpy as np
import pytest

from dalembert.contact import Frictional, all_answers, fault, gauss_seidel, single, sliding, solve_frictional

W = np.array([[2, 0.3, -0.2], [0.3, 3, 0.4], [-0.2, 0.4, 2.5]])


@pytest.mark.parametrize(
    ("b", "mu", "state", "p"),
    [
        ((-1, 0.1, 0.05), 0.5, "stick", (0.517043466088052, -0.089801917827396, 0.035731784139427)),
        ((-1, 1, -0.5), 0.5, "slip", (0.549520342534784, -0.232013519004029, 0.147183146841796)),
        ((-1, 1, -0.5), 0.2, "slip", (0.518650233787840, -0.090281426083320, 0.051080198753424)),
        ((0.2, 1, 0), 0.5, "open", (0, 0, 0)),
    ],
)
def test_one_spatial_contact(b, mu, state, p):
    (answer,) = single(W, np.array(b, dtype=float), mu)
    assert answer.states == (state,)
    assert answer.impulses.tolist() == pytest.approx(p, abs=1e-13)


def test_two_answers_are_both_told():
    found = single(np.array([[1, -0.9], [-0.9, 1]]), np.array([0.1, -1.0]), 1.5)
    assert {a.states[0] for a in found} >= {"stick", "open"}
    assert next(a for a in found if a.states == ("stick",)).impulses.tolist() == pytest.approx(
        [4.210526316, 4.789473684]
    )


def random_frictional(rng, contacts, tangents, freedoms):
    rows = rng.normal(size=(contacts * (1 + tangents), freedoms))
    w = rows @ rows.T
    return Frictional(
        w, rows @ rng.normal(size=freedoms), np.full(contacts, 0.2 + 0.3 * rng.random()), (tangents,) * contacts
    )


@pytest.mark.parametrize("tangents", [0, 1, 2])
def test_answers_obey_the_law(tangents):
    rng = np.random.default_rng(9)
    solved = 0
    for _ in range(60):
        problem = random_frictional(rng, rng.integers(1, 4), tangents, 8)
        answers, _ = solve_frictional(problem)
        for answer in answers:
            assert fault(problem, answer.impulses) < 1e-9
        solved += bool(answers)
    assert solved > 55


def test_sweeps_and_enumeration_agree_where_the_answer_is_one():
    rng = np.random.default_rng(10)
    for _ in range(40):
        problem = random_frictional(rng, 3, 1, 9)
        answers = all_answers(problem)
        if len(answers) == 1:
            swept = gauss_seidel(problem)
            assert swept.fault < 1e-12
            assert np.abs(problem.matrix @ (swept.impulses - answers[0].impulses)).max() < 1e-9


def test_ten_spatial_contacts_on_sixty_freedoms():
    problem = random_frictional(np.random.default_rng(11), 10, 2, 60)
    assert gauss_seidel(problem).fault < 1e-12


def painleve_rod(degrees, spin, side=-1.0):
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    rows = np.array([[0, 1, -c], [1, 0, s]])
    w = rows @ np.diag([1, 1, 3]) @ rows.T
    return sliding(w, [spin**2 * s - 9.81, 0], 1.6, [side])


@pytest.mark.parametrize(
    ("degrees", "spin", "kind", "slope", "forces"),
    [
        (30, 0, "slides", 1.171539030917, (8.373600657862,)),
        (60, 0, "inconsistent", -0.328460969083, ()),
        (60, 4, "indeterminate", -0.328460969083, (0, 12.319291609752)),
        (80, 0, "slides", 0.269612724840, (36.385522997,)),
    ],
)
def test_painleves_rod(degrees, spin, kind, slope, forces):
    found = painleve_rod(degrees, spin)
    assert found.kind == kind
    assert found.slope == pytest.approx(slope, abs=1e-12)
    assert found.forces == pytest.approx(forces, abs=1e-8)
    assert bool(found.told) == (kind in ("inconsistent", "indeterminate"))


def test_the_rod_that_slips_the_other_way_has_no_paradox():
    found = painleve_rod(60, 0, 1.0)
    assert found.slope == pytest.approx(3.828460969083, abs=1e-12)
    assert found.forces == pytest.approx((2.562387361193,), abs=1e-11)


def test_rocking_block_feet():
    """F4: the e = 0 impact with sticking feet; the old foot leaves by itself."""
    b, h = 0.1, 0.4
    inertia = (b * b + h * h) / 3
    mass = np.diag([1, 1, inertia])
    # Centre (x, y), angle; feet at (-b, -h) and (b, -h); turning about the left foot with unit speed (falling back).
    rows = np.array([[0, 1, -b], [1, 0, h], [0, 1, b], [1, 0, h]])  # left normal, left tangent, right normal, right
    v = np.array([-h, b, 1.0])  # left foot at rest, then mirrored: the right foot hits
    v = np.array([-h, -b, 1.0])  # right foot at rest, the left one falls
    w = rows @ np.linalg.solve(mass, rows.T)
    answers = all_answers(Frictional(w, rows @ v, np.array([0.2, 0.2]), (1, 1)))
    assert len(answers) == 1
    (answer,) = answers
    p, u = answer.impulses, answer.rates
    after = v + np.linalg.solve(mass, rows.T @ p)
    assert after[2] == pytest.approx(0.9117647058823529, abs=1e-12)
    assert p[:2].tolist() == pytest.approx([0.191176470588, abs(p[1])], abs=1e-11)
    assert abs(p[1]) == pytest.approx(0.035294117647, abs=1e-11)
    assert u[2] == pytest.approx(0.182352941176, abs=1e-11)
    free = all_answers(Frictional(w[::2, ::2], (rows @ v)[::2], np.zeros(2), (0, 0)))
    assert (v + np.linalg.solve(mass, rows[::2].T @ free[0].impulses))[2] == pytest.approx(0.7, abs=1e-12)


def test_many_dependent_contacts_are_solved_as_a_whole():
    """Sweeps would take about 1,900 rounds for sixty contacts of rank sixty, and 9,392 for a column of forty."""
    rng = np.random.default_rng(8)
    rows = rng.normal(size=(180, 60))
    heap = Frictional(rows @ rows.T, rows @ np.tile([0, 0, -1.0, 0, 0, 0], 10), np.full(60, 0.5), (2,) * 60)
    swept = gauss_seidel(heap, most=64)
    assert swept.fault < 1e-12
    count = 40
    up = np.eye(count) - np.eye(count, k=-1)
    column = Frictional(up @ up.T, up @ np.full(count, -9.81e-2), np.zeros(count), (0,) * count)
    swept = gauss_seidel(column, most=64)
    assert swept.fault < 1e-12
    assert swept.impulses == pytest.approx(9.81e-2 * np.arange(count, 0, -1), rel=1e-10)
