"""Small dense matrices of expressions, for results that people read; entries are plain `Expr`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from dalembert.errors import ExpressionError
from dalembert.expr._arithmetic import add, mul
from dalembert.expr._node import ONE, ZERO, Expr, Scalar, as_expr
from dalembert.expr._traverse import substitute


class Matrix:
    """An immutable matrix of expressions.

    >>> from dalembert import expr as ex
    >>> a = ex.Matrix([[1, 2], [3, 4]])
    >>> (a @ a)[1, 0]
    15
    """

    __slots__ = ("entries", "shape")

    entries: tuple[Expr, ...]
    shape: tuple[int, int]

    def __init__(self, rows: Iterable[Iterable[Scalar]], shape: tuple[int, int] | None = None) -> None:
        listed = [[x if x.__class__ is Expr else as_expr(x) for x in row] for row in rows]
        width = len(listed[0]) if listed else 0
        if any(len(row) != width for row in listed):
            raise ExpressionError(f"the rows of a matrix need one length, not {[len(row) for row in listed]}.")
        self.entries = tuple(x for row in listed for x in row)
        self.shape = shape or (len(listed), width)

    @staticmethod
    def zeros(rows: int, columns: int) -> Matrix:
        return Matrix([[ZERO] * columns for _ in range(rows)], (rows, columns))

    @staticmethod
    def identity(size: int) -> Matrix:
        return Matrix([[ONE if i == j else ZERO for j in range(size)] for i in range(size)], (size, size))

    @staticmethod
    def column(entries: Iterable[Scalar]) -> Matrix:
        listed = [[x] for x in entries]
        return Matrix(listed, (len(listed), 1))

    def __getitem__(self, place: tuple[int, int]) -> Expr:
        i, j = place
        rows, columns = self.shape
        if not (-rows <= i < rows and -columns <= j < columns):
            raise IndexError(f"entry {place} is outside a {rows} by {columns} matrix")
        return self.entries[(i % rows) * columns + j % columns]

    def rows(self) -> list[tuple[Expr, ...]]:
        n = self.shape[1]
        return [self.entries[i * n : (i + 1) * n] for i in range(self.shape[0])]

    def __iter__(self) -> Iterator[tuple[Expr, ...]]:
        return iter(self.rows())

    def __len__(self) -> int:
        return self.shape[0]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Matrix) and self.shape == other.shape and self.entries == other.entries

    def __hash__(self) -> int:
        return hash((self.shape, self.entries))

    @property
    def T(self) -> Matrix:
        columns = [self.entries[j :: self.shape[1]] for j in range(self.shape[1])]
        return Matrix(columns, (self.shape[1], self.shape[0]))

    def map(self, function: Callable[[Expr], Scalar]) -> Matrix:
        return Matrix([[function(x) for x in row] for row in self.rows()], self.shape)

    def __add__(self, other: Matrix) -> Matrix:
        return self._zip(other, "+", lambda a, b: a + b)

    def __sub__(self, other: Matrix) -> Matrix:
        return self._zip(other, "-", lambda a, b: a - b)

    def _zip(self, other: Matrix, sign: str, combine: Callable[[Expr, Expr], Expr]) -> Matrix:
        if self.shape != other.shape:
            raise ExpressionError(f"matrices of shapes {self.shape} {sign} {other.shape} do not match.")
        pairs = zip(self.rows(), other.rows(), strict=True)
        return Matrix([[combine(a, b) for a, b in zip(x, y, strict=True)] for x, y in pairs], self.shape)

    def __neg__(self) -> Matrix:
        return self.map(lambda x: -x)

    def __mul__(self, factor: Scalar) -> Matrix:
        scale = as_expr(factor)
        return self.map(lambda x: scale * x)

    __rmul__ = __mul__

    def __matmul__(self, other: Matrix) -> Matrix:
        if self.shape[1] != other.shape[0]:
            raise ExpressionError(f"matrices of shapes {self.shape} @ {other.shape} do not match.")
        columns = other._columns()
        rows = [[_along(row, column) for column in columns] for row in self.rows()]
        return Matrix(rows, (self.shape[0], other.shape[1]))

    def symmetric_product(self, other: Matrix) -> Matrix:
        """`self @ other` that is known to be symmetric: its upper half twice, so that equal numbers are equal nodes."""
        columns, n = other._columns(), self.shape[0]
        upper = [[_along(row, column) for column in columns[i:]] for i, row in enumerate(self.rows())]
        return Matrix([[upper[min(i, j)][abs(i - j)] for j in range(n)] for i in range(n)], (n, n))

    def _columns(self) -> list[list[tuple[int, Expr]]]:
        """Columns by what is not zero in them: most of a mechanism's matrices is nothing."""
        n = self.shape[1]
        return [[(k, x) for k, x in enumerate(self.entries[j::n]) if x is not ZERO] for j in range(n)]

    def substitute(self, replace: dict[Expr, Scalar]) -> Matrix:
        new = substitute(self.entries, replace)
        n = self.shape[1]
        return Matrix([new[i * n : (i + 1) * n] for i in range(self.shape[0])], self.shape)

    def to_sympy(self) -> Any:
        from dalembert.expr._sympy import to_sympy_many

        import sympy  # isort: skip

        return sympy.Matrix(*self.shape, to_sympy_many(self.entries))

    def __reduce__(self) -> tuple[Any, ...]:
        from dalembert.expr._pickle import flatten

        return _restore_matrix, (flatten(self.entries), self.shape)

    def __repr__(self) -> str:
        from dalembert.expr._text import text

        rows = ", ".join("[" + ", ".join(text(x) for x in row) + "]" for row in self.rows())
        return f"Matrix([{rows}])"

    def _repr_latex_(self) -> str:
        from dalembert.expr._text import latex_matrix

        return f"$\\displaystyle {latex_matrix(self)}$"


def _restore_matrix(flat: Any, shape: tuple[int, int]) -> Matrix:
    from dalembert.expr._pickle import restore_many

    entries, n = restore_many(flat), shape[1]
    return Matrix([entries[i * n : (i + 1) * n] for i in range(shape[0])], shape)


def _along(row: Sequence[Expr], column: Sequence[tuple[int, Expr]]) -> Expr:
    total = ZERO
    for k, y in column:
        x = row[k]
        if x is not ZERO:
            total = add(total, mul(x, y))
    return total


def dot_product(a: Sequence[Expr], b: Sequence[Expr]) -> Expr:
    total = ZERO
    for x, y in zip(a, b, strict=True):
        if x is not ZERO and y is not ZERO:
            total = add(total, mul(x, y))
    return total
