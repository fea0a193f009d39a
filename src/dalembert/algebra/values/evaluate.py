"""Evaluation of terms over any field: residues modulo a prime, fractions, balls, or scalar expressions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dalembert.algebra.core import operator as op
from dalembert.algebra.core.sorts import AlgebraError
from dalembert.algebra.core.term import ONE, Term, Weight, postorder
from dalembert.algebra.values.linear_algebra import (
    Rows,
    hamilton,
    identity_rows,
    multiply_rows,
    quaternion_inverse,
    tilde_rows,
)


class Field(ABC):
    """What evaluation needs to know of numbers; elements themselves do + - * /."""

    @abstractmethod
    def number(self, value: Fraction) -> Any: ...

    @abstractmethod
    def symbol(self, term: Term) -> Any:
        """The value of a symbol: an element, rows of elements, or four elements for a quaternion."""

    @abstractmethod
    def expr(self, term: Term) -> Any:
        """The value of a scalar expression atom."""

    @abstractmethod
    def power(self, base: Any, exponent: Any) -> Any:
        """base ** exponent for exponents that are no integers."""

    @abstractmethod
    def angle(self, term: Term, value: Any) -> tuple[Any, Any]:
        """Cosine and sine of an angle, given the term and its value."""

    @abstractmethod
    def absolute(self, value: Any) -> Any: ...

    @abstractmethod
    def inverse(self, rows: Rows) -> Rows: ...

    def operator(self, term: Term, values: list[Any]) -> Any:
        """The value of an operator that a user declared."""
        raise AlgebraError(
            f"the operator '{term.op.name}' in '{term}' has no value: it is declared by its properties only."
        )


def evaluate(root: Term, field: Field, known: Mapping[Term, Any] | None = None) -> Any:
    """The value of a term: a field element, a list of rows, or a list of four elements (quaternion)."""
    found: dict[Term, Any] = dict(known or {})
    for t in postorder([root]):
        if t not in found:
            found[t] = _value(t, found, field)
    return found[root]


def _value(t: Term, found: dict[Term, Any], field: Field) -> Any:
    kind = t.op
    if kind is op.SYMBOL:
        return field.symbol(t)
    if kind is op.EXPR:
        return field.expr(t)
    if kind is op.SUM:
        return _sum(t, found, field)
    if kind is op.TIMES:
        result = field.number(Fraction(1))
        for b, e in zip(t.args, t.weights):
            result = result * _scalar_power(found[b], e, found, field)
        return result
    if kind is op.PRODUCT:
        return _matrix_product(t, found, field)
    if kind is op.QPRODUCT:
        result = [field.number(Fraction(x)) for x in (1, 0, 0, 0)]
        for b, e in zip(t.args, t.weights):
            if not isinstance(e, int):
                raise AlgebraError(f"the power {e} of a quaternion has no value here: give the exponent a number.")
            factor = found[b] if e > 0 else quaternion_inverse(found[b])
            for _ in range(abs(e)):
                result = hamilton(result, factor)
        return result
    if kind is op.ROTATION:
        return _rotation(found[t.args[0]], *field.angle(t.args[1], found[t.args[1]]), field)
    if kind is op.ABS:
        return field.absolute(found[t.args[0]])
    if kind is op.ARRAY:
        return _assemble(t, found)
    rule = kind.meaning.value
    if rule is None:
        return field.operator(t, [found[a] for a in t.args])
    return rule(*[found[a] for a in t.args])


def _sum(t: Term, found: dict[Term, Any], field: Field) -> Any:
    zero = field.number(Fraction(0))
    if t.sort.is_scalar:
        total = zero
        for a, w in zip(t.args, t.weights):
            value = field.number(Fraction(w))  # type: ignore[arg-type]
            total = total + (value if a is ONE else value * found[a])
        return total
    if t.sort.is_quaternion:
        parts = [zero] * 4
        for a, w in zip(t.args, t.weights):
            parts = [p + found[w] * x for p, x in zip(parts, found[a])]  # type: ignore[index]
        return parts
    rows = [[zero] * t.sort.columns for _ in range(t.sort.rows)]
    for a, w in zip(t.args, t.weights):
        factor = found[w]  # type: ignore[index]
        rows = [[p + factor * x for p, x in zip(r, s)] for r, s in zip(rows, found[a])]
    return rows


def _scalar_power(base: Any, e: Weight, found: dict[Term, Any], field: Field) -> Any:
    if isinstance(e, int):
        return integer_power(base, e, field)
    return field.power(base, found[e] if isinstance(e, Term) else e)


def integer_power(base: Any, e: int, field: Field) -> Any:
    one = field.number(Fraction(1))
    if e < 0:
        return integer_power(one / base, -e, field)
    result, square = one, base
    while e:
        if e & 1:
            result = result * square
        e >>= 1
        if e:
            square = square * square
    return result


def _matrix_product(t: Term, found: dict[Term, Any], field: Field) -> Rows:
    zero, one = field.number(Fraction(0)), field.number(Fraction(1))
    result: Rows | None = None
    for b, e in zip(reversed(t.args), reversed(t.weights)):
        if not isinstance(e, int):
            raise AlgebraError(f"the power {e} of the matrix '{b}' has no value here: give the exponent a number.")
        factor = found[b] if e > 0 else field.inverse(found[b])
        for _ in range(abs(e)):
            result = factor if result is None else multiply_rows(factor, result)
    return identity_rows(t.sort.rows, zero, one) if result is None else result


def _rotation(axis: Rows, c: Any, s: Any, field: Field) -> Rows:
    one = field.number(Fraction(1))
    u = [row[0] for row in axis]
    skew = tilde_rows(axis)
    return [[(c if i == j else c - c) + s * skew[i][j] + (one - c) * u[i] * u[j] for j in range(3)] for i in range(3)]


def _assemble(t: Term, found: dict[Term, Any]) -> Rows:
    height, width = t.payload
    rows: Rows = []
    for i in range(height):
        line = [found[a] if not a.sort.is_scalar else [[found[a]]] for a in t.args[i * width : (i + 1) * width]]
        rows.extend([x for block in line for x in block[k]] for k in range(len(line[0])))
    return rows
