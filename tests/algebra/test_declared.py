"""Operators known by their properties alone: values keyed by values, one operator for each name, honest verdicts."""

from fractions import Fraction
from itertools import product

import pytest

from dalembert import algebra as al
from dalembert import expr as ex
from dalembert.algebra.values.fields import PRIMES, Residues
from dalembert.algebra.values.sample import NoValue

a, b, c = al.vectors("a b c")
k = al.scalar("k")
D, E = al.matrix("D", diagonal=True), al.matrix("E", diagonal=True)


def test_an_operator_is_a_function_of_the_value_of_its_argument():
    f = al.operator("f_free", 1)
    assert al.is_zero(f(D * E) - f(E * D))
    assert al.simplify(f(D * E) - f(E * D)) == 0
    assert al.is_zero(f(a) - f(b)).zero is False
    assert al.is_zero(f(2 * a) - 2 * f(a)).zero is False


def test_an_unknown_function_times_a_hidden_zero_is_zero():
    x, g = ex.symbol("x"), ex.function("g")
    hidden = al.scalar(g(x)) * (al.scalar(ex.exp(x)) * al.scalar(ex.exp(-x)) - 1)
    assert al.is_zero(hidden)
    assert al.simplify(hidden) == 0
    assert al.is_zero(al.scalar(g(ex.sqrt(x * x))) - al.scalar(g(x))).zero is False


def test_declaring_twice_gives_one_operator_and_declaring_otherwise_is_an_error():
    def declare():
        return al.operator("twice", 2, neutral=al.zero(al.VECTOR), symmetric=lambda t: -t)

    assert declare()(a, b) - declare()(a, b) == 0
    with pytest.raises(al.AlgebraError, match=r"already declared.*other arity"):
        al.operator("twice", 3)
    with pytest.raises(al.AlgebraError, match="other elements"):
        al.operator("twice", 2, neutral=al.zero(al.VECTOR), symmetric=lambda t: -2 * t)
    with pytest.raises(al.AlgebraError, match="of the algebra itself"):
        al.operator("cross", 2)


def test_an_additive_operator_lets_numbers_out_and_nothing_else():
    f = al.operator("additive", 1, morphism=(0,))
    assert f(2 * a) is 2 * f(a)
    assert al.expand(f(k * a + b)) is f(k * a) + f(b)
    assert al.is_zero(f(k * a) - k * f(a)).zero is None
    with pytest.raises(al.AlgebraError, match="additive and homogeneous of degree 2"):
        al.operator("both", 1, morphism=(0,), homogeneous={0: 2})


def test_a_projector_may_have_any_rank():
    P = al.operator("Proj", 1, projector=True, homogeneous={0: 1}, morphism=(0,))
    assert al.is_zero(P(P(a) + b) - P(a) - P(b))
    assert al.is_zero(al.triple(P(a), P(b), P(c))).zero is False
    assert al.is_zero(al.cross(P(a), P(b))).zero is False
    assert al.is_zero(P(a) - a).zero is False


UNARY = ({}, {"projector": True}, {"involution": True}, {"nilpotent": 2}, {"nilpotent": 3})
SLOTS = ({}, {"homogeneous": {0: 1}}, {"homogeneous": {0: 1}, "morphism": (0,)}, {"homogeneous": {0: 2}})
BINARY = ({}, {"symmetry": 1}, {"symmetry": -1}, {"idempotent": True}, {"associative": True},
          {"associative": True, "symmetry": 1}, {"associative": True, "symmetry": 1, "idempotent": True})  # fmt: skip
PAIRS = ({}, {"homogeneous": {0: 1, 1: 1}}, {"homogeneous": {0: 1, 1: 1}, "morphism": (0, 1)},
         {"homogeneous": {0: 1}, "morphism": (0,)})  # fmt: skip


def schemas(properties, f, x, y, z, n):
    """Pairs of terms that the properties say are equal."""
    if properties.get("projector"):
        yield f(f(x)), f(x)
    if properties.get("involution"):
        yield f(f(x)), x
    if properties.get("nilpotent"):
        inner = x
        for _ in range(properties["nilpotent"]):
            inner = f(inner)
        yield inner, 0 * x
    if "symmetry" in properties:
        yield f(x, y), properties["symmetry"] * f(y, x)
    if properties.get("idempotent"):
        yield f(x, x), x
    if properties.get("associative"):
        yield f(x, f(y, z)), f(f(x, y), z)
    rest = (y,) if n == 2 else ()
    for slot, degree in properties.get("homogeneous", {}).items():
        args, scaled = [x, *rest], [x, *rest]
        scaled[slot] = k * scaled[slot]
        yield f(*scaled), k**degree * f(*args)
    for slot in properties.get("morphism", ()):
        one, two, both = [x, *rest], [x, *rest], [x, *rest]
        two[slot], both[slot] = z, one[slot] + z
        yield f(*both), f(*one) + f(*two)


@pytest.mark.parametrize("sort", [al.SCALAR, al.VECTOR, al.Sort(2, 2), al.QUATERNION], ids=str)
def test_every_model_has_the_properties_that_it_stands_for(sort):
    """The term is built without any rule, so only the random function itself can make both sides equal."""
    from dalembert.algebra.core.declared import Elements
    from dalembert.algebra.core.operator import Operator
    from dalembert.algebra.core.term import Facts, make
    from dalembert.algebra.values.evaluate import evaluate

    x, y, z = (make("symbol", (), (), Facts(name), sort) for name in ("x", "y", "z"))
    checked = 0
    cases = [(1, {**u, **s}) for u, s in product(UNARY, SLOTS)] + [(2, {**u, **s}) for u, s in product(BINARY, PAIRS)]
    for n, properties in cases:
        o = Operator("model", n, payload=Elements(sort, None, None, None), **properties)

        def f(*args, o=o):
            return make(o, args, (), None, sort)

        for left, right in schemas(properties, f, x, y, z, n):
            for seed in range(4):
                field = Residues(PRIMES[0], seed)
                try:
                    values = [evaluate(t, field) for t in (left, right)]
                except NoValue:
                    continue
                assert values[0] == values[1], (properties, str(left), str(right))
                checked += 1
    assert checked > 200


def test_neutral_and_absorbing_elements_of_a_model():
    e, o = al.vector("e"), al.vector("o")
    f = al.operator("with_elements", 2, neutral=e, absorbing=o)
    moved = al.identity(3) * Fraction(1, 2)
    assert al.is_zero(f(moved * e + e / 2, a) - a)
    assert al.is_zero(f(a, o) - o)
    assert al.is_zero(f(a, b) - f(b, a)).zero is False
    join = al.operator("join", associative=True, symmetry=1, idempotent=True, neutral=e)
    assert al.is_zero(join(join(D * E * a, b), E * D * a, e) - join(D * E * a, b))
    assert al.is_zero(join(a, b) - a).zero is False


@pytest.mark.parametrize(
    "properties",
    [
        {"symmetry": "commutative"},  # was taken for no symmetry: g(a, b) - g(b, a) was "not zero"
        {"symmetry": True},
        {"nilpotent": True},  # was taken for N = 0: N(a) was "zero"
        {"nilpotent": 1},
        {"projector": "yes"},
        {"morphism": (2,)},
        {"homogeneous": {-2: 2}},
        {"neutral": 0},
        {"side": "middle"},
    ],
)
def test_a_property_that_is_none_is_refused(properties):
    arity = 1 if {"nilpotent", "projector"} & properties.keys() else 2
    with pytest.raises(al.AlgebraError, match="bad_one"):
        al.operator("bad_one", arity, **properties)
    with pytest.raises(TypeError):
        al.operator("bad_one", 2, commutative=True)
