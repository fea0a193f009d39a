"""Simplification comes from declared properties: take one away from a built-in operator, and something is lost."""

from contextlib import contextmanager

import pytest

from dalembert import algebra as al
from dalembert.algebra.core import operator as op

u, v, w = al.vectors("u v w")
A, B, C = al.matrices("A B C")
p, q = al.quaternion("p"), al.quaternion("q")
k, m, n = (al.scalar(name) for name in "kmn")
zero = al.zero(al.VECTOR)
ABSENT = {"associative": False, "symmetry": 0, "homogeneous": {}, "morphism": (), "eager": False, "product": 0,
          "projector": False, "involution": False, "neutral": "", "symmetric": "", "absorbing": ""}  # fmt: skip


@contextmanager
def without(operator, field):
    before = getattr(operator, field)
    object.__setattr__(operator, field, ABSENT[field])
    try:
        yield
    finally:
        object.__setattr__(operator, field, before)


def same(left, right):
    """Whether two constructions give one term; what cannot be built any more is not the same."""
    try:
        return left() is right()
    except (al.AlgebraError, AssertionError, TypeError, RecursionError):
        return False


def applied(o):
    """What to apply an operator to: a constructor of applications in its first argument, and two such arguments."""
    vectors = {op.TILDE: al.tilde, op.DOT: lambda x: al.dot(x, w), op.CROSS: lambda x: al.cross(x, w),
               op.TRIPLE: lambda x: al.triple(x, v + w, w), op.DYAD: lambda x: al.dyad(x, w)}  # fmt: skip
    matrices = {op.TRANSPOSE: al.transpose, op.TRACE: al.trace, op.DET: al.det}
    quaternions = {op.CONJUGATE: al.conjugate, op.SCALAR_PART: al.scalar_part, op.VECTOR_PART: al.vector_part,
                   op.SQUARED_NORM: al.squared_norm, op.MATRIX_OF: al.matrix_of}  # fmt: skip
    for family, x, y in ((vectors, u, v), (matrices, A, B), (quaternions, p, q)):
        if o in family:
            return family[o], x, y
    return al.absolute, k, m


#: One example a property of a function of arguments: two constructions that the property makes equal.
EXAMPLES = {
    "homogeneous": lambda o, f, x, y: (lambda: f(k * x), lambda: k ** o.degree(0, x.sort) * f(x)),
    "morphism": lambda o, f, x, y: (lambda: al.expand(f(x + y)), lambda: al.expand(f(x)) + al.expand(f(y))),
    "eager": lambda o, f, x, y: (lambda: f(x + y), lambda: f(x) + f(y)),
    "product": lambda o, f, x, y: (lambda: f(x * y), lambda: f(x) * f(y) if o.product > 0 else f(y) * f(x)),
    "projector": lambda o, f, x, y: (lambda: f(f(x + y)), lambda: f(x + y)),
    "involution": lambda o, f, x, y: (lambda: f(f(x)), lambda: x),
}
SYMMETRIES = {
    op.DOT: (lambda: al.dot(v, u), lambda: al.dot(u, v)),
    op.CROSS: (lambda: al.cross(v, u), lambda: -al.cross(u, v)),
    op.TRIPLE: (lambda: al.triple(v, u, w), lambda: -al.triple(u, v, w)),
}
#: The operators of sums and products, each property by its law.
LAWS = {
    (op.SUM, "associative"): (lambda: (u + v) + w, lambda: u + (v + w)),
    (op.SUM, "symmetry"): (lambda: v + u, lambda: u + v),
    (op.SUM, "neutral"): (lambda: al.add(u, zero, v), lambda: al.add(u, v)),
    (op.SUM, "symmetric"): (lambda: u - u, lambda: zero),
    (op.TIMES, "associative"): (lambda: (k * m) * n, lambda: k * (m * n)),
    (op.TIMES, "symmetry"): (lambda: m * k, lambda: k * m),
    (op.TIMES, "neutral"): (lambda: al.product(k, 1, m), lambda: al.product(k, m)),
    (op.TIMES, "symmetric"): (lambda: k * m / m, lambda: k),
    (op.TIMES, "absorbing"): (lambda: k * al.number(0), lambda: al.number(0)),
    (op.TIMES, "morphism"): (lambda: al.expand(k * (m + n)), lambda: k * m + k * n),
    (op.PRODUCT, "associative"): (lambda: (A * B) * C, lambda: A * (B * C)),
    (op.PRODUCT, "neutral"): (lambda: A * al.identity(3), lambda: A),
    (op.PRODUCT, "symmetric"): (lambda: A * B * B**-1, lambda: A),
    (op.PRODUCT, "absorbing"): (lambda: A * (B - B), lambda: B - B),
    (op.PRODUCT, "homogeneous"): (lambda: A * (k * B), lambda: k * (A * B)),
    (op.PRODUCT, "morphism"): (lambda: al.expand(A * (B + C)), lambda: A * B + A * C),
    (op.QPRODUCT, "associative"): (lambda: (p * q) * p, lambda: p * (q * p)),
    (op.QPRODUCT, "neutral"): (lambda: p * al.quaternion_one(), lambda: p),
    (op.QPRODUCT, "symmetric"): (lambda: p * q * q**-1, lambda: p),
    (op.QPRODUCT, "absorbing"): (lambda: p * (q - q), lambda: q - q),
    (op.QPRODUCT, "homogeneous"): (lambda: p * (k * q), lambda: k * (p * q)),
    (op.QPRODUCT, "morphism"): (lambda: al.expand(p * (q + p)), lambda: p * q + p * p),
}


def cases():
    for o in op.BUILTIN:
        for field, absent in ABSENT.items():
            if getattr(o, field) != absent:
                yield pytest.param(o, field, id=f"{o.name}-{field}")


@pytest.mark.parametrize(("operator", "field"), list(cases()))
def test_erasing_a_property_of_a_built_in_operator_changes_simplification(operator, field):
    law = LAWS.get((operator, field)) or (SYMMETRIES.get(operator) if field == "symmetry" else None)
    if law is None:
        law = EXAMPLES[field](operator, *applied(operator))
    left, right = law
    assert same(left, right)
    with without(operator, field):
        assert not same(left, right)
    assert same(left, right)


def test_a_declared_operator_simplifies_as_the_built_in_one_with_its_properties():
    """The cross product under another name: everything but what is peculiar to it."""
    twin = al.operator("twin_cross", 2, symmetry=-1, homogeneous={0: 1, 1: 1}, morphism=(0, 1))

    def renamed(term):
        return str(term).replace("twin_cross(", "cross(")

    for left, right in ((u, v), (v, u), (2 * u, k * v), (u, u), (u + v, w), (0 * u, v), (-u, k * (v + w))):
        built, declared = al.cross(left, right), twin(left, right)
        assert al.cost(built) == al.cost(declared)
        assert bool(built) == bool(declared)
        assert len(al.expand(built).args) == len(al.expand(declared).args)


def test_a_declared_linear_operator_is_differentiated_by_leibniz():
    bracket = al.operator("twin_bracket", 2, symmetry=-1, homogeneous={0: 1, 1: 1}, morphism=(0, 1))
    assert al.dt(bracket(u, v)) is bracket(al.dt(u), v) + bracket(u, al.dt(v))
    with pytest.raises(al.AlgebraError, match="has no time derivative"):
        al.dt(al.operator("not_linear", 1)(u))
