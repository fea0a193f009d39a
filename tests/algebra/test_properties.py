"""Properties of symbols beyond symmetry: projectors, nilpotent, commuting; collinear vectors; given norms."""

import random

import numpy as np
import pytest

from dalembert import algebra as al

A = al.matrix("A")
B, C = al.matrix("B", commutes_with=A), al.matrix("C")
P, Q = al.matrix("P", projector=True), al.matrix("Q", projector=True, symmetric=True)
N = al.matrix("N", nilpotent=3)
D, E = al.matrix("D", diagonal=True), al.matrix("E", diagonal=True)
u = al.vector("u")
v = al.vector("v", collinear_to=u)
w = al.vector("w", norm=al.scalar("l"))
one = al.identity(3)


def test_a_projector_is_its_own_square_and_has_any_rank():
    assert P * P is P
    assert P.T * P.T is P.T
    assert al.is_zero((one - P) * (one - P) - (one - P))
    assert al.is_zero(al.det(P) ** 2 - al.det(P))
    assert al.is_zero(al.det(P)).zero is False
    assert al.is_zero(al.trace(P) - 1).zero is False
    assert al.is_zero(Q * Q.T - Q)
    with pytest.raises(al.AlgebraError, match="would be 0 or 1"):
        al.matrix("X", projector=True, rotation=True)


def test_a_nilpotent_matrix_ends_in_zero():
    assert N**3 == 0
    assert N * N * u != 0
    assert N * (N * (N * u)) == 0
    assert al.trace(N * N) == 0
    assert al.is_zero((one + N) * (one - N + N * N) - one)
    assert al.is_zero(N * N).zero is False


def test_commuting_matrices_find_one_order():
    assert A * B is B * A
    assert B * A * B * A is A**2 * B**2
    assert B**-1 * A is A * B**-1
    assert A * B * A**-1 is B
    assert D * E is E * D
    assert B.T * A.T is A.T * B.T
    assert A * C is not C * A
    assert al.is_zero((A + B) * (A - B) - A * A + B * B)
    assert al.is_zero(A * B.T - B.T * A).zero is False
    assert al.is_zero(B - A).zero is False


def test_words_of_commuting_letters_do_not_depend_on_the_order_of_allowed_swaps():
    letters = [A, B, C, D, E, al.matrix("F", commutes_with=[A, B])]
    clash = {(0, 1), (3, 4), (0, 5), (1, 5)}
    for seed in range(200):
        rng = random.Random(seed)
        word = [rng.randrange(6) for _ in range(6)]
        other = list(word)
        for _ in range(12):
            i = rng.randrange(5)
            if tuple(sorted(other[i : i + 2])) in clash:
                other[i], other[i + 1] = other[i + 1], other[i]
        assert al.product(*[letters[i] for i in word]) is al.product(*[letters[i] for i in other])


def test_collinear_vectors_and_given_norms():
    x = al.vector("x", collinear_to=v)
    assert al.cross(u, v) == 0
    assert al.cross(x, u) == 0
    assert al.triple(u, w, v) == 0
    assert al.is_zero(al.dot(u, v) ** 2 - al.dot(u, u) * al.dot(v, v))
    assert al.is_zero(u - v).zero is False
    assert al.dot(w, w) is al.scalar("l") ** 2
    assert al.is_zero(al.norm(w) - al.absolute(al.scalar("l")))
    with pytest.raises(al.AlgebraError, match="one scalar"):
        al.vector("y", unit=True, norm=2)


def test_rules_make_more_things_zero_and_refute_nothing():
    a, b = al.vectors("a b")
    right_angle = al.Rule(al.dot(a, b), 0)
    verdict = al.is_zero(al.dot(a + b, b) - al.dot(b, b), [right_angle])
    assert verdict
    assert "modulo the given rules" in verdict.method
    assert al.is_zero(al.cross(a, al.cross(a, b)) + al.dot(a, a) * b, [right_angle])
    assert al.is_zero(al.dot(a, a) - 1, [right_angle]).answer == "undecided"


def test_gradients_of_vector_expressions_agree_with_differences():
    x, a = al.vector("x"), al.vector("a")
    for f in (al.dot(x, A * x), al.norm(x - a), al.triple(x, a, A * x), al.dot(x, a) ** 2, 1 / al.norm(x)):
        check(f, x)
    for f in (al.cross(a, al.cross(x, A * x)), al.dot(a, x) * x, x / al.norm(x)):
        check(f, x)
    assert al.gradient(al.scalar("k") ** 2 * x, al.scalar("k")) is 2 * al.scalar("k") * x


def check(f, x):
    rng = np.random.default_rng(1)
    values = {al.matrix("A"): rng.normal(size=(3, 3)), al.vector("a"): rng.normal(size=3)}
    at = rng.normal(size=3)

    def value(term, point):
        from dalembert import expr as ex

        found = al.components(term, {**values, x: point})
        entries = list(found.entries) if hasattr(found, "entries") else [found]
        return np.array([float(n) for n in ex.evaluate(entries, {})])

    slope = value(al.gradient(f, x), at).reshape(-1, 3)
    h = 1e-6
    for j in range(3):
        step = h * np.eye(3)[j]
        difference = (value(f, at + step) - value(f, at - step)) / (2 * h)
        assert np.allclose(slope[:, j], difference, rtol=1e-6, atol=1e-7)


def test_rodrigues_and_half_angles():
    e, th = al.vector("e", unit=True), al.scalar("th")
    turn = al.rotation(e, th)
    assert al.is_zero(al.rodrigues(turn * u) - turn * u)
    assert al.is_zero(al.rodrigues(turn**-2) - turn.T * turn.T)
    from dalembert import expr as ex

    angle = ex.symbol("th")
    assert al.half_angles(1 + al.scalar(ex.cos(angle))) is 2 * al.scalar(ex.cos(angle / 2)) ** 2
    quaternion = al.pair(al.scalar(ex.cos(angle / 2)), al.scalar(ex.sin(angle / 2)) * e)
    assert al.is_zero(al.matrix_of(quaternion) - turn)


def test_block_inverses():
    B2, F = al.matrix("B2"), al.matrix("F")
    G = al.matrix("G", 2, 3)
    M = al.matrix("M", positive_definite=True)
    for whole in (
        al.array([[A, B2], [C, F]]),
        al.array([[M, G.T], [G, 0]]),
        al.array([[0, G], [G.T, M]]),
        al.array([[0, A], [C, 0]]),
        al.array([[A, B2, 0], [C, F, A], [0, F, A]]),
    ):
        assert al.is_zero(al.block_inverse(whole) * whole - al.identity(whole.sort.rows))


def test_elimination_tells_the_cases_apart():
    """The example of the thesis: a blind elimination divides by 1 - x y without a word."""
    x, y = al.scalar("x"), al.scalar("y")
    general, special = al.eliminate(al.array([[x, 1, 0], [0, 0, 1], [1, y, 1]]))
    assert (general.rank, special.rank) == (3, 2)
    assert general.not_zero == special.zero == (1 - x * y,)
    ranks = [(c.zero, c.rank) for c in al.eliminate(al.array([[x, y], [y, x]]))]
    assert [rank for _, rank in ranks] == [2, 1, 2, 0]


def test_every_case_of_an_elimination_has_the_rank_of_numbers_in_it():
    from fractions import Fraction

    x, y = al.scalar("x"), al.scalar("y")
    pool = [al.number(0), al.number(1), x, y, x * y, x - y, x + 1]
    for seed in range(8):
        rng = random.Random(seed)
        rows = [[rng.choice(pool) for _ in range(3)] for _ in range(3)]
        cases = al.eliminate(al.array([[*r, 1] for r in rows]))
        for a in range(-2, 3):
            for b in range(-2, 3):
                at = {x: al.number(a), y: al.number(b)}
                fitting = [
                    c for c in cases
                    if all(al.substitute(t, at) == 0 for t in c.zero)
                    and all(al.substitute(t, at) != 0 for t in c.not_zero)
                ]  # fmt: skip
                assert len(fitting) == 1, (rows, a, b)
                from dalembert.algebra.core.engine import numeric_value

                numbers = [[float(numeric_value(al.substitute(e, at)) or Fraction(0)) for e in r] + [1.0] for r in rows]
                assert np.linalg.matrix_rank(np.array(numbers)) == fitting[0].rank, (rows, a, b)


@pytest.mark.parametrize("other", ["P", 3, ("P",)])
def test_a_partner_that_is_no_symbol_is_refused_with_a_sentence(other):
    with pytest.raises(al.AlgebraError, match="Q"):
        al.matrix("Q", commutes_with=[other])
    with pytest.raises(al.AlgebraError, match="v"):
        al.vector("v", collinear_to=other)
