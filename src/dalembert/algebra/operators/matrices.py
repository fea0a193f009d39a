"""Trace and determinant of matrices without entries."""

from __future__ import annotations

from dalembert.algebra.core.apply import apply, ordered
from dalembert.algebra.core.engine import ZERO, as_term, number, times
from dalembert.algebra.core.facts import is_antisymmetric, is_orthogonal, is_rotation
from dalembert.algebra.core.operator import ARRAY, DET, DYAD, PRODUCT, SUM, SYMBOL, TILDE, TRACE, TRANSPOSE
from dalembert.algebra.core.sorts import SCALAR, AlgebraError
from dalembert.algebra.core.term import ONE, Term, TermLike
from dalembert.algebra.operators.vectors import dot
from dalembert.algebra.operators.words import Letters, _join, letters, power, transpose, word
from dalembert.algebra.values.linear_algebra import determinant, trace_rows


def _square(value: TermLike, what: str) -> Term:
    term = as_term(value)
    if not term.sort.is_square:
        raise AlgebraError(f"the {what} needs a square matrix, but '{term}' is a {term.sort}.")
    return term


def trace(matrix: TermLike) -> Term:
    """The trace: linear, cyclic, blind to transposition, 0 on antisymmetric matrices.

    >>> A, B, S = matrix("A"), matrix("B"), matrix("S", symmetric=True)
    >>> trace(A * B) - trace(B * A), trace(~vector("u") * S)
    (0, 0)
    """
    term = _square(matrix, "trace")
    if term.sort.is_scalar:
        return term
    return apply(TRACE, [term], SCALAR, _trace)


def _trace(term: Term) -> Term | None:
    if term.op is SUM:
        return None
    if term.op is DYAD:
        return dot(*term.args)
    if term.op is ARRAY:
        from dalembert.algebra.operators.arrays import trace_array

        found = trace_array(term)
        if found is not None:
            return found
    ring, size = _cyclic(term)
    if not ring:
        return number(size)
    if len(ring) == 1 and ring[0][0].op is SYMBOL and ring[0][0].payload.nilpotent:
        return ZERO
    sign, best = _least_rotation(ring)
    if best is None:
        return ZERO
    shortest = word(best, best[0][0].sort if len(best) == 1 else _sort(best))
    return times(number(sign), ordered(TRACE, [shortest], SCALAR))


def _sort(ring: Letters):  # type: ignore[no-untyped-def]
    from dalembert.algebra.core.sorts import Sort

    return Sort(ring[0][0].sort.rows, ring[-1][0].sort.columns)


def _cyclic(term: Term) -> tuple[Letters, int]:
    """Letters with the two ends joined as well: trace(A B A^-1) = trace(B)."""
    ring = letters(term)
    size = term.sort.rows
    while len(ring) > 1 and ring[0][0] is ring[-1][0]:
        size = ring[0][0].sort.rows
        closed = _join(ring[-1:], ring[:1])
        ring = closed + ring[1:-1]
        if closed:
            break
    return ring, size


def _least_rotation(ring: Letters) -> tuple[int, Letters | None]:
    """The first of all cyclic shifts of the word and of its transpose; None if the trace equals its own opposite."""
    flipped = transpose(word(ring, _sort(ring)))
    sign = 1
    if flipped.op is SUM:
        if len(flipped.args) > 1:
            return 1, min(_shifts(ring), key=_key)
        sign = -1 if flipped.weights[0] == -1 else 1
        flipped = flipped.args[0]
    forward = min(_shifts(ring), key=_key)
    backward = min(_shifts(letters(flipped)), key=_key)
    if sign < 0 and _key(forward) == _key(backward):
        return 1, None
    if _key(backward) < _key(forward):
        return sign, backward
    return 1, forward


def _shifts(ring: Letters) -> list[Letters]:
    return [ring[i:] + ring[:i] for i in range(len(ring))]


def _key(ring: Letters) -> list[tuple[tuple[str, bytes], str]]:
    return [(b.key, str(e) if not isinstance(e, Term) else e.key[1].hex()) for b, e in ring]


def det(matrix: TermLike) -> Term:
    """The determinant: multiplicative, blind to transposition, 1 on rotations, 0 on odd antisymmetric matrices.

    >>> A, R = matrix("A"), matrix("R", rotation=True)
    >>> det(2 * R * A * R.T)
    8 det(A)
    """
    term = _square(matrix, "determinant")
    if term.sort.is_scalar:
        return term
    return apply(DET, [term], SCALAR, _det)


def _det(term: Term) -> Term | None:
    size = term.sort.rows
    if term.op is DYAD or term.op is TILDE or (size % 2 and is_antisymmetric(term)):
        return ZERO
    if term.op is ARRAY and size <= 4 and all(e.sort.is_scalar for e in term.args):
        from dalembert.algebra.operators.arrays import cells

        found: Term = determinant([list(row) for row in cells(term)])
        return found
    if term.op is SUM:  # det A^T = det A: the smaller of the two
        flipped = transpose(term)
        return det(flipped) if flipped.op is SUM and flipped.key < term.key else None
    if term.op is PRODUCT:
        return _of_orthogonal_powers(term)
    if is_rotation(term):
        return ONE
    if term.op is SYMBOL and term.payload.nilpotent:
        return ZERO
    return det(term.args[0]) if term.op is TRANSPOSE else None


def _of_orthogonal_powers(term: Term) -> Term | None:
    """The square of the determinant of an orthogonal matrix is 1: only the parity of its exponent counts."""
    if not term.args:
        return ONE
    parts = [(b, e % 2 if isinstance(e, int) and is_orthogonal(b) else e) for b, e in letters(term)]
    if all(e is f for (_, e), f in zip(parts, term.weights)):
        return None
    return times(*[det(power(b, e)) for b, e in parts if e != 0])


TRACE.meaning.define(trace, trace_rows, "tr")
DET.meaning.define(det, determinant)
