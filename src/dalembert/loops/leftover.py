"""What the regular rows of a closure leave to the others at a posture, as functions of k free variables, for a checker.

A regular block of the Jacobian is solved for the dependent variables; the other rows, on that manifold, are functions
g(xi) that begin with second order. Here are their quadratic forms, their power series along lines and on planes, and
their values at points.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dalembert.loops.anew import Closure, arb_of, array_of, matrix_of, objects
from dalembert.loops.forms_anew import pivots

Array = Any

#: Steps of Newton to the manifold, from a point in its tangent plane a tenth away at most: digits double.
_STEPS = 14


class LeftOver:
    """The functions at a posture of known rank; `clean` when the rank is no larger than said."""

    def __init__(self, closure: Closure, x: Sequence[Any], rank: int, small: Any) -> None:
        from flint import arb, ctx

        # the posture is known to all digits but the last: what is zero there, in balls around it, contains zero
        self.closure, self.small = closure, small
        self.x = [v + arb(0, (1 + abs(v)) * arb(10) ** (2 - ctx.dps)) for v in x]
        jacobian = closure.jacobian(self.x)
        self.rows, self.columns = (p[:rank] for p in pivots(jacobian, small))
        n, self.count = len(closure.names), len(jacobian)
        self.free = np.setdiff1d(np.arange(n), self.columns)
        self.others = np.setdiff1d(np.arange(self.count), self.rows)
        self.k = len(self.free)
        self.inverse = self._inverse(jacobian)
        kernel = np.full((n, self.k), arb_of(0), dtype=object)
        kernel[self.free, np.arange(self.k)] = arb_of(1)
        if rank:
            kernel[self.columns] = -array_of(self.inverse * matrix_of(jacobian[np.ix_(self.rows, self.free)]))
        self.kernel = kernel
        self._jacobian = jacobian
        self.clean = all(self.zero(v) for v in (jacobian[self.others] @ kernel).ravel())

    def zero(self, value: Any) -> bool:
        return bool(abs(value) < self.small) and value.contains(0)

    def _inverse(self, jacobian: Array) -> Any:
        return matrix_of(jacobian[np.ix_(self.rows, self.columns)]).inv() if len(self.rows) else None

    def forms(self) -> list[Array]:
        """Quadratic forms of the other rows, those that are not zero."""
        k, rank = self.k, len(self.rows)
        weights = matrix_of(self._jacobian[np.ix_(self.others, self.columns)]) * self.inverse if rank else None

        def second(v: Array) -> Array:
            values = self.closure.series(self.x, list(v), 2)[: self.count, 2]
            return values[self.others] - (array_of(weights) @ values[self.rows] if weights is not None else 0)

        squares = {(i, i): second(self.kernel[:, i]) for i in range(k)}
        for i in range(k):
            for j in range(i + 1, k):
                both = second(self.kernel[:, i] + self.kernel[:, j])
                squares[i, j] = (both - squares[i, i] - squares[j, j]) / 2
        found = []
        for row in range(len(self.others)):
            form = np.array([[squares[min(i, j), max(i, j)][row] for j in range(k)] for i in range(k)], dtype=object)
            if not all(self.zero(v) for v in form.ravel()):
                found.append(form)
        return found

    def along(self, direction: Sequence[int], order: int, at: list[Any] | None = None) -> Array:
        """Coefficients (rows, 0..order) of all rows on the curve of the manifold above `direction`, from a point of it.

        Each power of the dependent variables follows from the lower ones: the regular block times it is what is left.
        """
        point = self.x if at is None else at
        inverse = self.inverse if at is None else self._inverse(self.closure.jacobian(point))
        terms: list[list[Any]] = [[] for _ in point]
        for power in range(1, order + 1):
            for one in terms:
                one.append(arb_of(0))
            if power == 1:
                for i, d in zip(self.free, direction, strict=True):
                    terms[i][0] = arb_of(d)
            if len(self.rows):
                values = self.closure.curve(point, terms, power)[self.rows, power]
                for i, step in zip(self.columns, (inverse * matrix_of(values.reshape(-1, 1))).entries(), strict=True):
                    terms[i][-1] = -step
        return self.closure.curve(point, terms, order)[: self.count]

    def on_plane(self, first: Array, second: Array, order: int) -> list[tuple[int, dict[tuple[int, int], Any]]]:
        """Rows that are not zero on a plane, as {(a, b): coefficient} of xi = a first + b second.

        Along (1, j) the part of degree d is a polynomial in j of degree d: Vandermonde's matrix gives it.
        """
        nodes = range(-(order // 2), order // 2 + 1)
        lines = [self.along([int(c) for c in first + j * second], order) for j in nodes]
        found = []
        inverses = {
            d: matrix_of(objects([[arb_of(j**b) for b in range(d + 1)] for j in nodes[: d + 1]])).inv()
            for d in range(2, order + 1)
        }
        for row in self.others:
            terms = {}
            for degree, inverse in inverses.items():
                values = matrix_of(objects([[lines[i][row, degree]] for i in range(degree + 1)]))
                for b, c in enumerate((inverse * values).entries()):
                    if not self.zero(c):
                        terms[degree - b, b] = c
            if terms:
                found.append((int(row), terms))
        return sorted(found, key=lambda one: min(a + b for a, b in one[1]))

    def at(self, xi: Sequence[Any]) -> list[Any] | None:
        """The point of the manifold with these free variables, beside the posture, to all digits."""
        from flint import arb, ctx

        x = [(a + sum((k * v for k, v in zip(row, xi, strict=True)), arb_of(0))).mid() for a, row in self._rows_of()]
        for _ in range(_STEPS if len(self.rows) else 0):
            values = objects(self.closure.rows(x))[self.rows]
            block = matrix_of(self.closure.jacobian(x)[np.ix_(self.rows, self.columns)]).mid()
            step = (block.inv() * matrix_of(values.reshape(-1, 1))).entries()
            for i, s in zip(self.columns, step, strict=True):
                x[i] = (x[i] - s).mid()
            if all(bool(abs(s) < arb(10) ** (6 - ctx.dps)) for s in step):
                return x
            if not all(bool(abs(s) < 0.5) for s in step):  # radians, parts of the machine: it left for good
                return None
        return None if len(self.rows) else x

    def _rows_of(self) -> list[tuple[Any, Array]]:
        return list(zip(self.x, self.kernel, strict=True))

    def value_of(self, row: int, direction: Sequence[int], order: int) -> Callable[[Sequence[Any]], tuple[Any, Any]]:
        """xi -> the point there, and the coefficient of that order of a row in a direction (order 0: the row)."""

        def value(xi: Sequence[Any]) -> tuple[Any, Any]:
            x = self.at(xi)
            if x is None:
                return None, None
            return x, (self.along(direction, order, x)[row, order] if order else self.closure.rows(x)[row])

        return value

    def closes(self, x: Sequence[Any]) -> bool:
        return all(bool(abs(r) < self.small) for r in self.closure.rows(x))
