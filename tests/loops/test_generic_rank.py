"""Rank off the closure: regression data of the thesis (section 4.2), corrected."""

import random
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert import loops
from dalembert.errors import ExpressionError
from dalembert.expr import Matrix
from dalembert.loops import generic_rank
from dalembert.loops.genericrank import METHODS, first_primes, integer_matrix, modular_bound, rank_modulo
from dalembert.mechanism import Layout

x, y = ex.symbols("x y")
ENTRIES = [
    (x + y) / (x * y), (2 * x + y) / (1 + y**2), y / (x - y),
    (x - y) / x**2, 2 * x / (x**2 - y), x / (x - y**2),
    (x**2 - y**2) / (x * y), (x**2 + 1) / (x + y), y / x,
]  # fmt: skip
MATRIX = Matrix([ENTRIES[0:3], ENTRIES[3:6], ENTRIES[6:9]])


@pytest.mark.parametrize("method", METHODS)
def test_all_methods_find_rank_three(method):
    assert generic_rank(MATRIX, method) == 3


def test_a_column_without_pivot_costs_no_row():
    """The printed `modgauss` answers 2 here."""
    assert rank_modulo([[0, 1], [0, 1]], 97) == 1


def test_sines_and_cosines_keep_their_relation():
    th = ex.symbol("th")
    c, s = ex.cos(th), ex.sin(th)
    dependent = Matrix([[c, s], [c * c * c + c * s * s, s]])
    assert all(generic_rank(dependent, method) == 1 for method in METHODS)


PAIRS = ((0, 1), (0, 2), (1, 2))


def minors(values):
    m = [values[0:3], values[3:6], values[6:9]]
    two = [
        m[i][k] * m[j][l] - m[i][l] * m[j][k] for i, j in ((0, 1), (0, 2), (1, 2)) for k, l in ((0, 1), (0, 2), (1, 2))
    ]
    det = sum(m[0][i] * (m[1][j] * m[2][k] - m[1][k] * m[2][j]) for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)))
    return [*values, *two], det


def test_unlucky_points_among_one_to_nine():
    usable, unlucky, fatal = 0, 0, 0
    for a, b in product(range(1, 10), repeat=2):
        try:
            values = ex.evaluate_exact(ENTRIES, {x: Fraction(a), y: Fraction(b)})
        except (ExpressionError, ZeroDivisionError):
            continue
        usable += 1
        lower, det = minors(values)
        # entries that vanish identically on the diagonal a = b are excluded with their denominators
        unlucky += any(not v for v in lower)
        fatal += not det
    assert (usable, fatal) == (68, 0)
    assert unlucky == 8


def test_modular_method_needs_the_first_forty_primes():
    whole, multiple = integer_matrix(ENTRIES, {x: Fraction(71), y: Fraction(98)})
    assert multiple == 204051978581450629266
    assert max(abs(v) for v in whole) == 6087751929039491554788
    bound = modular_bound(whole, 3)
    assert bound == 1353698947681286110681857045939467659007196388663219520018605391232
    primes, n = first_primes(40), 1
    for p in primes[:39]:
        n *= p
    assert n < bound < n * primes[39]
    rows = [whole[0:3], whole[3:6], whole[6:9]]
    assert [rank_modulo(rows, p) for p in (2, 11, 97)] == [1, 3, 3]
    _, det = minors(whole)
    assert det == 4403420881126816619950386568086807401230569349641785784388776
    residues = (
        "0,0,1,0,10,0,0,7,19,1,21,0,8,5,27,47,41,12,58,0,7,58,47,65,39,85,77,0,108,0,109,21,122,48,52,124,153,18,51,101"
    )
    assert [det % p for p in primes] == [int(v) for v in residues.split(",")]


def test_matrix_modulo_997():
    values = ex.evaluate_mod(ENTRIES, {x: 440, y: 43}, 997)
    assert values == [976, 319, 530, 172, 408, 299, 636, 149, 93]
    _, det = minors(values)
    assert det % 997 == 180


def values_at_random(matrix, seed=5):
    """Floats at a random point: an oracle that shares no code with the methods."""
    rng = np.random.default_rng(seed)
    known = {s: rng.uniform(0.3, 2.9) for s in sorted(ex.free_symbols(matrix.entries), key=lambda s: s.name)}
    return np.array(ex.evaluate(matrix.entries, known), dtype=float).reshape(matrix.shape)


@pytest.mark.parametrize("method", METHODS)
def test_antenna_with_its_root_of_three_in_every_method(families, method):
    """Macaulay and gausselim gave up here, and sqrt(3) was a free symbol (thesis, section 4.2)."""
    (closure,) = loops.closure_equations(Layout.of(families.antenna(1)))
    assert np.linalg.matrix_rank(values_at_random(closure.matrix), tol=1e-9) == 5
    assert generic_rank(closure.matrix, method) == 5
    linkage = loops.build_linkage(Layout.of(families.antenna(1)))
    assert loops.rank_by(loops.polynomial_closure(linkage, indeterminate=["L"]), method) == 5


@pytest.mark.parametrize("method", [m for m in METHODS if m != "minors"])
def test_two_levels_with_indeterminate_lengths(families, method):
    linkage = loops.build_linkage(Layout.of(families.antenna(2)))
    closure = loops.polynomial_closure(linkage, indeterminate=["L", "R"])
    assert closure.parameters == ("R", "L")
    assert loops.rank_by(closure, method) == 13
    assert loops.rank_by(closure, method, "closure") == loops.rank_off(linkage, "closure")


@pytest.mark.parametrize(
    ("formulas", "rank"),
    [
        ([["sqrt(2)", "sqrt(6)"], ["1", "sqrt(3)"]], 1),
        ([["sqrt(2)", "sqrt(6)"], ["1", "-sqrt(3)"]], 2),
        ([["cos(2*pi/7)", "1"], ["8*cos(2*pi/7)^3 + 4*cos(2*pi/7)^2 - 4*cos(2*pi/7) - 1", "0"]], 1),
        ([["sqrt(a^2 + 1)", "a + 1"], ["a - 1", "sqrt(a^2 + 1)"]], 2),
        ([["sqrt(a^2 - 1)", "a + 1"], ["a - 1", "sqrt(a^2 - 1)"]], 1),
        ([["cos(x + y)", "cos(x)*cos(y)"], ["sin(x)*sin(y)", "cos(x)*cos(y) - cos(x + y)"]], 2),
        ([["cos(x) - 1", "sin(x)"], ["-sin(x/2)", "cos(x/2)"]], 1),
        ([["sqrt(1 + sqrt(2))", "sqrt(2)"], ["sqrt(2)*sqrt(1 + sqrt(2))", "2"]], 1),
    ],
)
def test_algebraic_numbers_and_functions(formulas, rank):
    matrix = Matrix([[ex.parse(f) for f in row] for row in formulas])
    assert np.linalg.matrix_rank(values_at_random(matrix), tol=1e-9) == rank
    assert [generic_rank(matrix, method) for method in METHODS] == [rank] * len(METHODS)


def test_random_products_have_the_rank_that_they_were_given():
    """A (m x r) times B (r x n), entries with roots and angles: rank r by every method."""
    rng = random.Random(3)
    atoms = [ex.parse(f) for f in ("sqrt(3)", "sqrt(2)", "cos(x)", "sin(x)", "cos(y)", "l", "sqrt(6)", "cos(pi/5)")]
    for rank in (1, 2):

        def entry():
            return rng.choice(atoms) * rng.randint(1, 4) + rng.choice(atoms) * rng.randint(-3, 3) + rng.randint(1, 5)

        left = [[entry() for _ in range(rank)] for _ in range(3)]
        right = [[entry() for _ in range(3)] for _ in range(rank)]
        product = [[sum((left[i][k] * right[k][j] for k in range(rank)), ex.ZERO) for j in range(3)] for i in range(3)]
        assert [generic_rank(Matrix(product), method) for method in METHODS] == [rank] * len(METHODS)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("zero", "truth"),
    [
        ("sqrt(l1*l2) - sqrt(l1)*sqrt(l2)", 0),
        ("sqrt(8*l1) - 2*sqrt(2*l1)", 0),
        ("sqrt(l1/l2) - sqrt(l1)/sqrt(l2)", 0),
        ("4*cos(pi/5) - 1 - sqrt(5)", 0),
        ("2*sqrt(2 + sqrt(3)) - sqrt(6) - sqrt(2)", 0),
        ("cos(a) - 2*cos(a/2)^2 + 1", 0),
        ("sqrt(l1) - w1", 1),
        ("sqrt(2) - root2", 1),
        ("cos(a) - c_a", 1),
        ("a.b - a_b", 1),
        ("l1 - w1^2", 1),
    ],
)
def test_no_rank_is_wrong_because_letters_or_roots_depend_on_each_other(zero, truth, method):
    """Told or refused: names that are one letter in polynomials, roots whose product is a root, are no surprise."""
    e = ex.parse(zero)
    for rows, expected in (([[e]], truth), ([[e, ex.sqrt(ex.symbol("l1"))], [ex.ZERO, e]], 2 * truth or 1)):
        try:
            found = generic_rank(ex.Matrix(rows), method)
        except ExpressionError as error:
            assert "another name" in str(error) or "depend on each other" in str(error) or "random point" in str(error)  # noqa: PT017
        else:
            assert found == expected
