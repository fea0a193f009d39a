"""Reductions inside scalar monomials: mixed products in pairs, sin^2, signs of orthogonal determinants, unit
quaternions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from dalembert.algebra.core import operator as op
from dalembert.algebra.core.engine import (
    add,
    as_term,
    items,
    linear_combination,
    number,
    numeric_value,
    power_product,
    times,
)
from dalembert.algebra.core.facts import is_orthogonal, is_unit
from dalembert.algebra.core.scalars import scalar_power
from dalembert.algebra.core.term import ONE, Term, Weight
from dalembert.algebra.forms.canonical_vectors import (
    apply_to_column,
    canonical_dot,
    canonical_triple,
)
from dalembert.algebra.forms.expand import multiply_scalars, scale_expanded
from dalembert.algebra.operators.quaternions import scalar_part
from dalembert.algebra.operators.vectors import split_column
from dalembert.expr import cos, exp


def reduce_scalar(poly: Term) -> Term:
    """Apply the reductions to every monomial until none applies."""
    current = poly
    while True:
        pieces: list[Term] = []
        changed = False
        for monomial, weight in items(current):
            found = _reduce_monomial(monomial)
            if found is None:
                pieces.append(linear_combination([(weight, monomial)], poly.sort))
            else:
                changed = True
                pieces.append(multiply_scalars(number(Fraction(weight)), found))  # type: ignore[arg-type]
        if not changed:
            return current
        current = add(*pieces)


def _reduce_monomial(monomial: Term) -> Term | None:
    if monomial.op is op.TIMES:
        powers = list(zip(monomial.args, monomial.weights))
    elif monomial.op in (op.DOT, op.DET):
        powers = [(monomial, 1)]
    else:
        return None
    triples = [(b, e) for b, e in powers if b.op is op.TRIPLE and isinstance(e, int) and e > 0]
    if sum(e for _, e in triples) >= 2:
        first = triples[0][0]
        second = first if triples[0][1] >= 2 else triples[1][0]
        return multiply_scalars(_lower(powers, [first, second]), gram(first.args, second.args))
    exponentials = [(b, e) for b, e in powers if b.op is op.EXPR and b.payload.op == "exp" and isinstance(e, int)]
    if len(exponentials) > 1 or any(e != 1 for _, e in exponentials):
        return _merged(powers, exponentials)
    for base, e in powers:
        if not isinstance(e, int):
            continue
        if base.op is op.EXPR and base.payload.op == "sin" and e >= 2:
            cosine = as_term(cos(base.payload.args[0]))
            return multiply_scalars(_lower(powers, [base, base]), add(ONE, -scalar_power(cosine, 2)))
        if base.op is op.DET and is_orthogonal(base.args[0]) and (e > 1 or e < 0):
            steps = e - e % 2
            return power_product([(b, f - steps if b is base else f) for b, f in powers])  # type: ignore[operator,misc]
        if e >= 1 and base.op is op.DOT and base.args[0] is base.args[1]:
            q = base.args[0]
            if q.op is op.VECTOR_PART and is_unit(q.args[0]):
                return multiply_scalars(_lower(powers, [base]), add(ONE, -scalar_power(scalar_part(q.args[0]), 2)))
    return None


def _merged(powers: Sequence[tuple[Term, Weight]], exponentials: Sequence[tuple[Term, Weight]]) -> Term:
    """exp(x)^m exp(y)^n = exp(m x + n y)."""
    from dalembert.algebra.values.components import to_expr

    argument = linear_combination([(e, as_term(b.payload.args[0])) for b, e in exponentials], ONE.sort)
    rest = times(*[scalar_power(b, e) for b, e in powers if (b, e) not in exponentials])
    return times(rest, as_term(exp(to_expr(argument))))


def _lower(powers: list[tuple[Term, Weight]], used: list[Term]) -> Term:
    """The monomial with one power of each used factor taken away."""
    left = [scalar_power(b, e - used.count(b) if b in used else e) for b, e in powers]  # type: ignore[operator]
    result: Term = ONE
    for factor in left:
        result = multiply_scalars(result, factor)
    return result


def gram(rows: tuple[Term, ...], columns: tuple[Term, ...]) -> Term:
    """[a b c][d e f] = det of the nine dot products."""
    g = [[canonical_dot(r, c) for c in columns] for r in rows]
    parts = []
    for i, j, k, sign in ((0, 1, 2, 1), (1, 2, 0, 1), (2, 0, 1, 1), (0, 2, 1, -1), (2, 1, 0, -1), (1, 0, 2, -1)):
        parts.append(multiply_scalars(number(sign), multiply_scalars(g[0][i], multiply_scalars(g[1][j], g[2][k]))))
    return add(*parts)


def reduce_tensor(tensor: Term) -> Term:
    """[c d e] (a x b) -> Cramer: no monomial holds both a mixed product and a cross product."""
    if not tensor.sort.is_vector or tensor.sort.rows != 3 or tensor.op is not op.SUM:
        return tensor
    if all(numeric_value(w) is not None for w in tensor.weights):  # type: ignore[arg-type]
        return tensor
    parts: list[Term] = []
    changed = False
    for body, weight in items(tensor):
        matrix, tail = split_column(body)
        scalar = as_term(weight)
        if tail.op is op.CROSS:
            for monomial, coefficient in items(scalar):
                found = _triple_in(monomial)
                front = linear_combination([(coefficient, monomial)], scalar.sort)
                if found is None:
                    parts.append(scale_expanded(front, body))
                    continue
                changed = True
                rest = multiply_scalars(front, scalar_power(found, -1))
                combined = _cramer(found.args, tail)
                if matrix is not None:
                    combined = apply_to_column(matrix, combined)
                parts.append(scale_expanded(rest, combined))
        else:
            parts.append(scale_expanded(scalar, body))
    if not changed:
        return tensor
    total = add(*parts)
    cleaned = [(reduce_scalar(as_term(w)), t) for t, w in items(total)]
    return linear_combination(cleaned, tensor.sort)


def _triple_in(monomial: Term) -> Term | None:
    if monomial.op is op.TRIPLE:
        return monomial
    if monomial.op is op.TIMES:
        for base, e in zip(monomial.args, monomial.weights):
            if base.op is op.TRIPLE and isinstance(e, int) and e > 0:
                return base
    return None


def _cramer(basis: tuple[Term, ...], x: Term) -> Term:
    """[c d e] x = [x d e] c + [c x e] d + [c d x] e, for x = a x b each bracket is a difference of dot products."""
    c, d, e = basis
    return add(
        scale_expanded(canonical_triple(x, d, e), c),
        scale_expanded(canonical_triple(c, x, e), d),
        scale_expanded(canonical_triple(c, d, x), e),
    )
