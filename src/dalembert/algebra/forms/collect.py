"""`collect`: gather what multiplies a chosen scalar, vector or matrix."""

from __future__ import annotations

from dalembert.algebra.core import operator as op
from dalembert.algebra.core.engine import (
    add,
    as_term,
    identity,
    items,
    linear_combination,
    power_product,
    scale,
    times,
    zero,
)
from dalembert.algebra.core.scalars import scalar_power
from dalembert.algebra.core.sorts import AlgebraError, Sort
from dalembert.algebra.core.term import ONE, Term, TermLike, postorder
from dalembert.algebra.forms.expand import expand
from dalembert.algebra.operators.vectors import cross, dot, dyad, split_column, tilde
from dalembert.algebra.operators.words import multiply, product, transpose


def collect(term: TermLike, factor: TermLike) -> Term:
    """Gather by a factor: powers of a scalar, `M x + rest` for a vector x, `L A + A R + rest` for a matrix A.

    >>> a, x, A = vector("a"), vector("x"), matrix("A")
    >>> collect(A * x + cross(a, x) + a, x)
    (A + ~a) x + a
    """
    x = as_term(factor)
    whole = as_term(term)
    if x.sort.is_scalar:
        return _collect_scalar(expand(whole), x)
    if x.sort.is_vector:
        matrix, rest = linear_part(whole, x)
        return add(_apply(matrix, x, whole.sort), rest)
    return _collect_matrix(expand(whole), x)


def linear_part(term: TermLike, x: Term) -> tuple[Term, Term]:
    """(M, rest) with term = M x + rest; for a scalar term M is a row. What is not linear in x stays in the rest.

    >>> a, w, I = vector("a"), vector("w"), matrix("I", symmetric=True)
    >>> linear_part(I * w + dot(a, w) * a, w)[0]
    I + a (x) a
    """
    whole = expand(as_term(term))
    if not (whole.sort.is_scalar or whole.sort.is_vector):
        raise AlgebraError(f"'{whole}' is a {whole.sort}: only scalars and vectors are linear forms in a vector.")
    size = x.sort.rows
    shape = Sort(whole.sort.rows, size)
    matrices: list[Term] = []
    rest: list[Term] = []
    for body, weight in items(whole):
        if whole.sort.is_scalar:
            found = _row_of_monomial(body, x)
            found = None if found is None else scale(as_term(weight), transpose(found))
        else:
            found = None
            parts: list[Term] = []
            for monomial, coefficient in items(as_term(weight)):
                front = linear_combination([(coefficient, monomial)], monomial.sort)
                one = _matrix_of_monomial(front, monomial, body, x)
                (matrices if one is not None else parts).append(one if one is not None else scale(front, body))
            rest.extend(parts)
            continue
        if found is None:
            rest.append(linear_combination([(weight, body)], whole.sort))
        else:
            matrices.append(found)
    return (add(*matrices) if matrices else zero(shape)), (add(*rest) if rest else zero(whole.sort))


def _apply(matrix: Term, x: Term, sort: Sort) -> Term:
    return dot(transpose(matrix), x) if sort.is_scalar and matrix else product(matrix, x) if matrix else zero(sort)


def _holds(term: Term, x: Term) -> bool:
    return x in postorder([term])


def _matrix_of_monomial(front: Term, monomial: Term, body: Term, x: Term) -> Term | None:
    if _holds(body, x):
        if _holds(monomial, x):
            return None
        matrix = matrix_on(body, x)
        return None if matrix is None else scale(front, matrix)
    split = _row_and_rest(monomial, x)
    if split is None:
        return None
    row, others = split
    number = times(front, power_product([(monomial, -1)]))
    return scale(times(number, others), dyad(body, row))


def matrix_on(column: Term, x: Term) -> Term | None:
    """M with column = M x, if the column is linear in x."""
    if column is x:
        return identity(x.sort.rows)
    front, tail = split_column(column)
    if front is not None and _holds(front, x):
        return None
    inner: Term | None
    if tail is x:
        inner = identity(x.sort.rows)
    elif tail.op is op.CROSS:
        a, b = tail.args
        if _holds(a, x) == _holds(b, x):
            return None
        moving, fixed, sign = (b, a, 1) if _holds(b, x) else (a, b, -1)
        found = matrix_on(moving, x)
        inner = None if found is None else scale(as_term(sign), multiply(tilde(fixed), found))
    else:
        return None
    if inner is None:
        return None
    return inner if front is None else multiply(front, inner)


def _row_of_monomial(monomial: Term, x: Term) -> Term | None:
    split = _row_and_rest(monomial, x)
    return None if split is None else scale(split[1], split[0])


def _row_and_rest(monomial: Term, x: Term) -> tuple[Term, Term] | None:
    """A scalar monomial as (r . x) * others; returns the vector r and the others."""
    powers = list(zip(monomial.args, monomial.weights)) if monomial.op is op.TIMES else [(monomial, 1)]
    moving = [(b, e) for b, e in powers if _holds(b, x)]
    if len(moving) != 1 or moving[0][1] != 1:
        return None
    factor = moving[0][0]
    others = times(*[scalar_power(b, e) for b, e in powers if b is not factor])
    holders = [i for i, a in enumerate(factor.args) if _holds(a, x)]
    if factor.op not in (op.DOT, op.TRIPLE) or len(holders) != 1:
        return None
    i = holders[0]
    matrix = matrix_on(factor.args[i], x)
    if matrix is None:
        return None
    fixed = factor.args[1 - i] if factor.op is op.DOT else cross(factor.args[i - 2], factor.args[i - 1])
    return multiply(transpose(matrix), fixed), others


def _collect_scalar(whole: Term, x: Term) -> Term:
    groups: dict[object, list[Term]] = {}
    for body, weight in items(whole):
        scalar_sum = body.sort.is_scalar
        for monomial, coefficient in items(body if scalar_sum else as_term(weight)):
            exponent: object = 0
            if monomial is x:
                exponent = 1
            elif monomial.op is op.TIMES and x in monomial.args:
                exponent = monomial.weights[monomial.args.index(x)]
            front = linear_combination([(coefficient, monomial)], monomial.sort)
            rest = times(front, power_product([(x, -exponent)])) if isinstance(exponent, int) else front
            piece = linear_combination([(weight, rest)], whole.sort) if scalar_sum else scale(rest, body)
            groups.setdefault(exponent if isinstance(exponent, int) else 0, []).append(piece)
    parts = [scale(power_product([(x, e)]) if e else ONE, add(*ps)) for e, ps in groups.items()]  # type: ignore[list-item]
    return add(*parts) if parts else whole


def _collect_matrix(whole: Term, x: Term) -> Term:
    left: list[Term] = []
    right: list[Term] = []
    rest: list[Term] = []
    for body, weight in items(whole):
        parts = list(zip(body.args, body.weights)) if body.op is op.PRODUCT else [(body, 1)]
        pieces = [b if e == 1 else b**e for b, e in parts]  # type: ignore[operator]
        if pieces and pieces[-1] is x:
            left.append(scale(as_term(weight), product(identity(x.sort.rows), *pieces[:-1])))
        elif pieces and pieces[0] is x and len(pieces) > 1:
            right.append(scale(as_term(weight), product(*pieces[1:])))
        else:
            rest.append(linear_combination([(weight, body)], whole.sort))
    total = list(rest)
    if left:
        total.append(product(add(*left), x))
    if right:
        total.append(product(x, add(*right)))
    return add(*total) if total else whole
