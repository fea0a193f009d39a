"""Explicit entries: columns and matrices of scalars, and block matrices of terms; computed at once, entry by entry."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from dalembert.algebra.core.engine import add, as_term, linear_combination, scale, times, zero
from dalembert.algebra.core.operator import ARRAY
from dalembert.algebra.core.sorts import AlgebraError, Sort
from dalembert.algebra.core.term import ONE, Term, TermLike, Weight, is_zero_term, make

if TYPE_CHECKING:
    from dalembert.algebra.notation.writer import Piece, Writer


def array(rows: Iterable[Iterable[TermLike]]) -> Term:
    """A matrix given by its entries or blocks; the number 0 stands for a zero block of the size its row and column
    need.

    >>> A, v = matrix("A"), vector("v")
    >>> array([[A, 0], [0, 2 * A]]).sort.rows
    6
    >>> array([[1, 2], [3, 4]]) * array([[1], [1]])
    [3; 7]
    """
    listed = [list(row) for row in rows]
    width = len(listed[0]) if listed else 0
    if not width or any(len(row) != width for row in listed):
        raise AlgebraError(f"the rows of an array need one length above 0, not {[len(r) for r in listed]}.")
    cells = [[None if _is_plain_zero(x) else as_term(x) for x in row] for row in listed]
    if all(c is None or c.sort.is_quaternion for row in cells for c in row) and any(
        c is not None for row in cells for c in row
    ):
        raise AlgebraError("quaternions cannot be entries of an array. Use pair(s, v) for a quaternion by its parts.")
    heights = [_size([c.sort.rows for c in row if c is not None], f"block row {i}") for i, row in enumerate(cells)]
    widths = [_size([r[j].sort.columns for r in cells if r[j] is not None], f"block column {j}") for j in range(width)]  # type: ignore[union-attr]
    entries = [
        zero(Sort(heights[i], widths[j])) if c is None else c for i, row in enumerate(cells) for j, c in enumerate(row)
    ]
    return _build(entries, (len(cells), width), Sort(sum(heights), sum(widths)))


def _is_plain_zero(x: object) -> bool:
    return isinstance(x, int | float) and x == 0


def _size(found: Sequence[int], where: str) -> int:
    if len(set(found)) > 1:
        raise AlgebraError(f"{where} of the array holds blocks of sizes {sorted(set(found))}: they must be equal.")
    return found[0] if found else 1


def _build(entries: Sequence[Term], shape: tuple[int, int], sort: Sort) -> Term:
    if all(is_zero_term(e) for e in entries):
        return zero(sort)
    return entries[0] if shape == (1, 1) else make(ARRAY, tuple(entries), (), shape, sort)


def column(*entries: TermLike) -> Term:
    """A vector given by its components.

    >>> cross(column(1, 0, 0), column(0, 1, 0))
    [0; 0; 1]
    """
    return array([[e] for e in entries])


def cells(a: Term) -> list[tuple[Term, ...]]:
    """The rows of entries of an explicit array."""
    rows, columns = a.payload
    return [a.args[i * columns : (i + 1) * columns] for i in range(rows)]


def is_explicit(term: Term) -> bool:
    """Whether every component is given: an array of scalars, or zero."""
    return is_zero_term(term) or (term.op is ARRAY and all(e.sort.is_scalar for e in term.args))


def multiply_arrays(a: Term, b: Term) -> Term | None:
    """Block product, or None when the blocks do not fit each other."""
    from dalembert.algebra.operators.words import multiply

    left, right = cells(a), cells(b)
    if [e.sort.columns for e in left[0]] != [row[0].sort.rows for row in right]:
        return None
    entries = [add(*[multiply(x, row[j]) for x, row in zip(line, right)]) for line in left for j in range(b.payload[1])]
    return _build(entries, (a.payload[0], b.payload[1]), Sort(a.sort.rows, b.sort.columns))


def transpose_array(a: Term) -> Term:
    from dalembert.algebra.operators.words import transpose

    rows, columns = a.payload
    entries = [transpose(a.args[i * columns + j]) for j in range(columns) for i in range(rows)]
    return _build(entries, (columns, rows), a.sort.transposed)


def tilde_array(v: Term) -> Term:
    x, y, z = _three(v)
    return array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def cross_arrays(a: Term, b: Term) -> Term:
    (a1, a2, a3), (b1, b2, b3) = _three(a), _three(b)
    entries = [a2 * b3 - a3 * b2, a3 * b1 - a1 * b3, a1 * b2 - a2 * b1]
    return _build(entries, (3, 1), a.sort)


def _three(v: Term) -> tuple[Term, Term, Term]:
    if len(v.args) != 3:
        raise AlgebraError(f"'{v}' is not given by three components.")
    return v.args[0], v.args[1], v.args[2]


def dot_arrays(a: Term, b: Term) -> Term:
    from dalembert.algebra.operators.vectors import dot

    if [x.sort for x in a.args] != [y.sort for y in b.args]:
        raise AlgebraError(
            f"the blocks of '{a}' and '{b}' have different sizes: their dot product is not defined block by block."
        )
    return add(*[times(x, y) if x.sort.is_scalar else dot(x, y) for x, y in zip(a.args, b.args)])


def power_of_array(a: Term, n: int) -> Term | None:
    """Powers of a matrix of scalars, entry by entry; the inverse by cofactors up to size 4. None for block matrices."""
    from dalembert.algebra.values.linear_algebra import adjugate_inverse
    from dalembert.errors import SingularError

    if not is_explicit(a) or (n < 0 and a.sort.rows > 4):
        return None
    base = a
    if n < 0:
        from dalembert.algebra.operators.matrices import det

        if det(a) == 0:
            raise SingularError(f"'{a}' has no inverse: its determinant is 0.")
        base = array(adjugate_inverse([list(row) for row in cells(a)], ONE))
    result = base
    for _ in range(abs(n) - 1):
        step = multiply_arrays(result, base)
        assert step is not None
        result = step
    return result


def trace_array(a: Term) -> Term | None:
    from dalembert.algebra.operators.matrices import trace

    diagonal = [row[i] for i, row in enumerate(cells(a)) if i < len(row)]
    if a.payload[0] != a.payload[1] or not all(d.sort.is_square for d in diagonal):
        return None
    return add(*[trace(d) for d in diagonal])


def combine_arrays(weighted: Sequence[tuple[Term, Weight]]) -> Term | None:
    """The sum of multiples of arrays with the same blocks, entry by entry; None when blocks differ."""
    first = weighted[0][0]
    sorts = [e.sort for e in first.args]
    if any(a.payload != first.payload or [e.sort for e in a.args] != sorts for a, _ in weighted):
        return None
    entries = []
    for i, sort in enumerate(sorts):
        parts = [scale(w, a.args[i]) if w is not ONE else a.args[i] for a, w in weighted]  # type: ignore[arg-type]
        entries.append(add(*parts) if sort.is_scalar else linear_combination([(ONE, p) for p in parts], sort))
    return _build(entries, first.payload, first.sort)


def write_array(w: Writer, t: Term) -> Piece:
    return w.d.array([[w.text(e) for e in row] for row in cells(t)]), w.ATOM


ARRAY.meaning.define(array, notation=write_array)
