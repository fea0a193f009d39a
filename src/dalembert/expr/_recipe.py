"""Numbers of the same expressions again and again: the walk over the DAG is made once, then operations run in a row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dalembert.errors import ExpressionError
from dalembert.expr._evaluate import evaluate, floating, missing, numpy_operations
from dalembert.expr._node import Expr
from dalembert.expr._traverse import topological

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Recipe:
    """Expressions of symbols as a table of numbers, a row for each trajectory.

    >>> from dalembert import expr as ex
    >>> import numpy as np
    >>> x = ex.symbol("x")
    >>> Recipe([x**2 + 1, ex.TWO])({x: np.array([1.0, 3.0])}, 2)
    array([[ 2.,  2.],
           [10.,  2.]])
    """

    __slots__ = ("_exprs", "_fixed", "_inputs", "_outputs", "_places", "_steps", "_template")

    def __init__(self, exprs: Sequence[Expr]) -> None:
        import numpy as np

        operations = numpy_operations()
        order = topological(exprs)
        place = {e: i for i, e in enumerate(order)}
        moving = set[Expr]()
        self._exprs = tuple(exprs)
        self._inputs: list[Expr] = []
        self._steps: list[tuple[Callable[..., Any], tuple[int, ...], int]] = []
        for e in order:
            if e.op == "symbol":
                self._inputs.append(e)
                moving.add(e)
            elif not moving.isdisjoint(e.args):
                if e.op not in operations:
                    raise ExpressionError(missing(e))
                self._steps.append((operations[e.op], tuple(place[a] for a in e.args), place[e]))
                moving.add(e)
        self._places = [place[e] for e in self._inputs]
        still = [e for e in order if e not in moving]
        self._fixed: list[Any] = [None] * len(order)
        for e, value in zip(still, evaluate(still, {}), strict=True):
            self._fixed[place[e]] = np.float64(value)
        self._template = np.array([0.0 if e in moving else self._fixed[place[e]] for e in exprs], dtype=float)
        self._outputs = [(i, place[e]) for i, e in enumerate(exprs) if e in moving]

    def __reduce__(self) -> tuple[Any, ...]:
        return Recipe, (self._exprs,)

    def __call__(self, values: Mapping[Expr, Any], rows: int) -> NDArray[np.float64]:
        """A number or an array of `rows` numbers for each symbol gives a table of `rows` rows."""
        import numpy as np

        found = self._fixed.copy()
        for e, i in zip(self._inputs, self._places, strict=True):
            if e not in values:
                raise ExpressionError(missing(e))
            found[i] = floating(values[e])
        with np.errstate(all="ignore"):
            for operation, args, i in self._steps:
                found[i] = operation(*[found[k] for k in args])
        table = np.empty((rows, len(self._template)))
        table[:] = self._template
        for i, k in self._outputs:
            table[:, i] = found[k]
        return table
