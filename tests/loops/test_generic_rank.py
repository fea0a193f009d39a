"""Rank off the closure: regression data of the thesis (section 4.2), corrected."""

from fractions import Fraction
from itertools import product

import pytest

from dalembert import expr as ex
from dalembert.errors import ExpressionError
from dalembert.expr import Matrix
from dalembert.loops import generic_rank
from dalembert.loops.genericrank import METHODS, first_primes, integer_matrix, modular_bound, rank_modulo

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
