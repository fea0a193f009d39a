"""Time derivatives: Leibniz' rule read from the multilinear slots, and R' = ~w R for whatever turns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction

from dalembert.algebra.core import operator as op
from dalembert.algebra.core.engine import ZERO, add, as_term, identity, number, quaternion_one, scale, times, zero
from dalembert.algebra.core.facts import is_orthogonal
from dalembert.algebra.core.rebuild import rebuild
from dalembert.algebra.core.scalars import absolute, scalar_power
from dalembert.algebra.core.sorts import VECTOR, AlgebraError, Sort
from dalembert.algebra.core.term import Facts, Term, TermLike, Weight, make, postorder
from dalembert.algebra.operators.matrices import det, trace
from dalembert.algebra.operators.quaternions import conjugate, pair, scalar_part, vector_part
from dalembert.algebra.operators.vectors import cross, tilde
from dalembert.algebra.operators.words import letters, power, product, transpose
from dalembert.expr import TIME, cos, free_symbols, prime, sin, tangent
from dalembert.expr import dot as expr_dot

HALF = number(Fraction(1, 2))
_KEPT = frozenset({"symmetric", "antisymmetric", "diagonal", "row"})


def dt(term: TermLike, constants: Iterable[TermLike] = ()) -> Term:
    """The time derivative. Symbols declared `constant` and those listed in `constants` do not move.

    >>> w = vector("w")
    >>> R, r = matrix("R", rotation=True, turning=w), vector("r", constant=True)
    >>> dt(R * r)
    w x (R r)
    """
    fixed = {as_term(c) for c in constants}

    def leaf(t: Term) -> Term:
        if t in fixed:
            return zero(t.sort)
        return _symbol_rate(t) if t.op is op.SYMBOL else _expr_rate(t, fixed)

    root = as_term(term)
    rates: dict[Term, Term] = {}
    for t in postorder([root]):
        rates[t] = zero(t.sort) if t in fixed else _rate(t, rates, leaf)
    return rates[root]


def directional(term: Term, seeds: Mapping[Term, Term]) -> Term:
    """The derivative when each given symbol moves with its given rate, and nothing else moves."""

    def leaf(t: Term) -> Term:
        if t in seeds:
            return seeds[t]
        if t.op is not op.EXPR or not t.payload.args:
            return zero(t.sort)
        moving = {s.payload: to_expr(rate) for s, rate in seeds.items() if s.op is op.EXPR}
        return as_term(tangent([t.payload], moving)[0]) if moving else zero(t.sort)

    from dalembert.algebra.values.components import to_expr

    rates: dict[Term, Term] = {}
    for t in postorder([term]):
        rates[t] = _rate(t, rates, leaf)
    return rates[term]


def gradient(term: TermLike, symbol: TermLike) -> Term:
    """The gradient of a scalar by a vector (a vector), the Jacobian of a vector by a vector (a matrix), or the
    derivative of any term by a scalar symbol.

    >>> x, A = vector("x"), matrix("A")
    >>> gradient(dot(x, A * x), x), gradient(cross(vector("a"), x), x)
    (A^T x + A x, ~a)
    """
    root, by = as_term(term), as_term(symbol)
    if by.op is not op.SYMBOL and not (by.op is op.EXPR and not by.payload.args):
        raise AlgebraError(f"'{by}' is no symbol: derivatives are taken by vector and scalar symbols.")
    if by.sort.is_scalar:
        return directional(root, {by: number(1)})
    if not by.sort.is_vector or not (root.sort.is_scalar or root.sort.is_vector):
        raise AlgebraError(f"the derivative of '{root}', a {root.sort}, by '{by}', a {by.sort}, has no name here.")
    from dalembert.algebra.forms.collect import linear_part

    step = make(op.SYMBOL, (), (), Facts("~step"), by.sort)
    matrix, rest = linear_part(directional(root, {by: step}), step)
    if rest:
        raise AlgebraError(f"the derivative of '{root}' by '{by}' cannot be written as a matrix: '{rest}' remains.")
    return transpose(matrix) if root.sort.is_scalar else matrix


def _rate(t: Term, rates: dict[Term, Term], leaf: Callable[[Term], Term]) -> Term:
    kind = t.op
    if kind in (op.SYMBOL, op.EXPR):
        return leaf(t)
    if kind is op.SUM:
        parts = [zero(t.sort)]
        for a, w in zip(t.args, t.weights):
            if isinstance(w, Term):
                parts += [scale(rates[w], a), scale(w, rates[a])]
            else:
                parts.append(times(number(w), rates[a]))
        return add(*parts)
    if kind is op.TIMES:
        return _monomial_rate(t, rates)
    if kind in (op.PRODUCT, op.QPRODUCT):
        return _word_rate(t, rates)
    if all(kind.is_additive(i) and kind.degree(i, a.sort) == 1 for i, a in enumerate(t.args)):
        parts = [rebuild(t, (*t.args[:i], rates[t.args[i]], *t.args[i + 1 :]), ()) for i in range(len(t.args))]
        return add(*parts)
    if kind is op.PAIR:
        return pair(rates[t.args[0]], rates[t.args[1]])
    if kind is op.ARRAY:
        return rebuild(t, tuple(rates[a] for a in t.args), ())
    if kind is op.ROTATION or kind is op.MATRIX_OF:
        return product(tilde(_turning(t, rates)), t)
    if kind is op.DET:
        (a,) = t.args
        return times(det(a), trace(product(power(a, -1), rates[a])))
    if kind is op.ABS:
        (x,) = t.args
        return times(x, scalar_power(absolute(x), -1), rates[x])
    if kind is op.SQUARED_NORM:
        (q,) = t.args
        return times(number(2), scalar_part(product(conjugate(q), rates[q])))
    raise AlgebraError(
        f"the operator '{kind.name}' in '{t}' has no time derivative: declare its value by a definition first."
    )


def _symbol_rate(t: Term) -> Term:
    facts: Facts = t.payload
    if "constant" in facts.properties:
        return zero(t.sort)
    spin = facts.turning if facts.order == 0 else None
    if spin is None and facts.order == 0:
        spin = _implied_spin(t)
    if spin is None:
        rate = Facts(facts.name, facts.properties & _KEPT, order=facts.order + 1, origin=facts.origin or t)
        return make(op.SYMBOL, (), (), rate, t.sort)
    if t.sort.is_quaternion:
        return scale(HALF, product(pair(0, spin), t))
    if t.sort.is_vector:
        return cross(spin, t)
    if spin.sort.is_matrix:
        return product(spin, t)
    if is_orthogonal(t):
        return product(tilde(spin), t)
    return product(tilde(spin), t) - product(t, tilde(spin))


def _implied_spin(t: Term) -> Term | None:
    """Rotations, unit quaternions and bases always turn with some angular velocity; name it after them."""
    facts: Facts = t.payload
    if t.sort.is_quaternion and "unit" in facts.properties:
        return make(op.SYMBOL, (), (), Facts(f"omega_{facts.name}"), VECTOR)
    if facts.basis is not None:
        return make(op.SYMBOL, (), (), Facts(f"omega_{facts.basis[0]}"), VECTOR)
    if t.sort.is_matrix and is_orthogonal(t):
        if t.sort.rows == 3:
            return make(op.SYMBOL, (), (), Facts(f"omega_{facts.name}"), VECTOR)
        return make(op.SYMBOL, (), (), Facts(f"Omega_{facts.name}", frozenset({"antisymmetric"})), t.sort)
    return None


def _expr_rate(t: Term, fixed: set[Term]) -> Term:
    frozen = {f.payload for f in fixed if f.op is op.EXPR}
    rates = {}
    for s in free_symbols([t.payload]):
        if s not in frozen:
            rates[s] = ONE_EXPR if s is TIME else prime(s)
    return as_term(expr_dot(t.payload, rates)) if rates else ZERO


ONE_EXPR = TIME**0


def _monomial_rate(t: Term, rates: dict[Term, Term]) -> Term:
    parts = [ZERO]
    pairs = list(zip(t.args, t.weights))
    for i, (base, e) in enumerate(pairs):
        if isinstance(e, Term):
            raise AlgebraError(
                f"the derivative of '{t}' needs a numeric exponent: write it with exp and log of an Expr instead."
            )
        rest = [scalar_power(b, f - 1 if j == i else f) for j, (b, f) in enumerate(pairs)]  # type: ignore[operator]
        parts.append(times(number(e), *list(rest), rates[base]))
    return add(*parts)


def _word_rate(t: Term, rates: dict[Term, Term]) -> Term:
    start = quaternion_one() if t.sort.is_quaternion else identity(t.sort.rows)
    steps: list[tuple[Term, Weight]] = []
    for base, e in zip(t.args, t.weights):
        if not isinstance(e, int):
            raise AlgebraError(f"the derivative of '{t}' needs integer exponents.")
        steps.extend([(base, 1 if e > 0 else -1)] * abs(e))
    parts = [zero(t.sort)]
    for i, (base, sign) in enumerate(steps):
        before = [power(b, s) if s != 1 else b for b, s in steps[:i]]
        after = [power(b, s) if s != 1 else b for b, s in steps[i + 1 :]]
        inner = rates[base]
        if sign == -1:
            inverse = power(base, -1)
            inner = -product(inverse, inner, inverse)
        parts.append(product(start, *before, inner, *after))
    return add(*parts)


def _turning(t: Term, rates: dict[Term, Term]) -> Term:
    if t.op is op.MATRIX_OF:
        (q,) = t.args
        return scale(number(2), vector_part(product(rates[q], power(q, -1))))
    axis, angle = t.args
    from dalembert.algebra.values.components import to_expr

    theta = to_expr(angle)
    return add(
        scale(rates[angle], axis),
        scale(as_term(sin(theta)), rates[axis]),
        scale(as_term(1 - cos(theta)), cross(axis, rates[axis])),
    )


def angular_velocity(rotation: TermLike) -> Term:
    """The vector w with R' = ~w R (matrix) or q' = (0, w) q / 2 (unit quaternion); for R1 R2 it is w1 + R1 w2.

    >>> R, S = matrix("R", rotation=True), matrix("S", rotation=True)
    >>> angular_velocity(R * S)
    R omega_S + omega_R
    """
    t = as_term(rotation)
    if t.sort.is_quaternion:
        return scale(number(2), vector_part(product(dt(t), power(t, -1))))
    if t.sort != Sort(3, 3) or not (is_orthogonal(t) or not t.args):
        raise AlgebraError(
            f"'{t}' is not a rotation: an angular velocity belongs to rotation matrices and unit quaternions."
        )
    total, before = zero(VECTOR), identity(3)
    for base, e in letters(t):
        if not isinstance(e, int):
            raise AlgebraError(f"the angular velocity of '{t}' needs integer exponents.")
        for _ in range(abs(e)):
            spin = _spin_of_letter(base)
            step = power(base, 1 if e > 0 else -1)
            total = add(total, product(before, spin if e > 0 else -product(step, spin)))
            before = product(before, step)
    return total


def _spin_of_letter(base: Term) -> Term:
    if base.op is op.SYMBOL:
        facts: Facts = base.payload
        if "constant" in facts.properties:
            return zero(VECTOR)
        return facts.turning or _implied_spin(base) or zero(VECTOR)
    rates: dict[Term, Term] = {a: dt(a) for a in base.args}
    return _turning(base, rates)
