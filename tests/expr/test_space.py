"""Products of vectors of space."""

from fractions import Fraction
from itertools import count
from random import Random

from dalembert import expr as ex
from dalembert.expr.space import Vector3

X, Y, Z, A, B, C = ex.symbols("x y z a b c")


def _serial() -> int:
    """How many nodes were made until now."""
    return ex.symbol(f"mark {next(_MARKS)}").id


_MARKS = count()


def _component(rng: Random) -> ex.Expr:
    plain = rng.choice([X, Y, Z, A, B, C, X * Y, A + B, A - B, ex.sin(X), ex.cos(X), A / B, ex.sqrt(A), X**2])
    factor = rng.choice([ex.const(0), ex.const(1), ex.const(-1), ex.const(-3), ex.const(Fraction(1, 2))])
    return rng.choice([plain, plain, -plain, -plain, factor, factor * plain])


def test_products_of_vectors_are_the_nodes_that_their_sums_make():
    rng = Random(3)
    for _ in range(3000):
        a, b = (Vector3(_component(rng) for _ in range(3)) for _ in range(2))
        assert a.dot(b) is a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
        assert a.cross(b)[0] is a[1] * b[2] - a[2] * b[1]


def test_signs_in_a_product_of_vectors_are_no_nodes():
    names = ex.symbols("n1 n2 n3 n4 n5 n6")
    a, b = Vector3(-x for x in names[:3]), Vector3(names[3:])
    before = _serial()
    found = -a.dot(b)
    assert _serial() - before == 1 + 5 + 1  # three products, two sums, the opposite; and the mark
    assert found is names[0] * names[3] + names[1] * names[4] + names[2] * names[5]
