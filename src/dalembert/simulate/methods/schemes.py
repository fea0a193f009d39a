"""Schemes of the compiled loop: an explicit or implicit pair, a symplectic composition, and their tables of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from dalembert.simulate.loop.layout import EPS
from dalembert.simulate.methods.tableaux import Row, Tableau

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A method as arrays. Row i of (start, column, value) combines earlier slopes into the input of slope i.

    Row `stages` is the step itself, slope `stages` the one at its end (`early` if the error needs it); rows after it
    serve dense output only. `error` holds two error estimates, `dense` the nested polynomial's coefficients 1, 2... by
    slope; `weights` are those of a composition. The step grows by `error**-alpha * last_error**beta`.
    """

    start: NDArray[np.int64]
    column: NDArray[np.int64]
    value: NDArray[np.float64]
    node: NDArray[np.float64]
    error: NDArray[np.float64]
    dense: NDArray[np.float64]
    weights: NDArray[np.float64]
    stages: int
    early: int
    exponent: float
    alpha: float
    beta: float


@dataclass(frozen=True, slots=True, eq=False)
class Scheme:
    """The numbers of a native method: a pair with error control, or a symplectic composition with a fixed step.

    `series` is the order of Taylor's method, 0 for others; `finest` the tightest relative tolerance.
    """

    name: str
    order: int
    error_order: int
    tableau: Tableau | None = None
    weights: tuple[float, ...] = ()
    damping: float = 0.0
    series: int = 0
    finest: float = 100 * EPS

    @property
    def symplectic(self) -> bool:
        """Does it need separable equations and a fixed step?"""
        return self.tableau is None and not self.series

    @property
    def implicit(self) -> bool:
        """Does it solve linear equations with the Jacobian, for the sake of stiff systems?"""
        return self.tableau is not None and self.tableau.implicit is not None


@cache
def table(method: Scheme) -> Table:
    """The numbers of a method as the compiled loop wants them."""
    import numpy as np

    exponent = 1.0 / (method.error_order + 1)
    pair = method.tableau
    if pair is None:
        none = np.zeros((0, 0))
        empty = np.zeros(0, dtype=np.int64)
        weights = np.array(method.weights)
        stages = 0 if method.series else 1
        return Table(empty, empty, np.zeros(0), np.zeros(0), none, none, weights, stages, 0, exponent, exponent, 0.0)
    stages = len(pair.stages)
    rows = [*pair.stages, pair.step, *pair.extra]
    start = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    column = np.array([j for row in rows for j in row], dtype=np.int64)
    value = np.array([a for row in rows for a in row.values()], dtype=float)
    implicit = pair.implicit
    node = np.array(implicit.nodes if implicit else [sum(row.values()) for row in rows], dtype=float)
    width = len(rows)
    step, first, end = _dense_row(pair.step, width), _dense_row({0: 1.0}, width), _dense_row({stages: 1.0}, width)
    cubic = [] if implicit else [first - step, 2.0 * step - first - end]
    return Table(
        start,
        column,
        value,
        node,
        np.array([_dense_row(pair.error, stages + 1), _dense_row(pair.milder, stages + 1)]),
        np.array([*cubic, *(_dense_row(row, width) for row in pair.dense), *_passing(pair, node, cubic, step)]),
        np.zeros(0),
        stages,
        int(stages in pair.error),
        exponent,
        exponent - 0.75 * method.damping,
        method.damping,
    )


def _passing(pair: Tableau, node: NDArray[np.float64], cubic: list[Any], step: Any) -> list[Any]:
    """Rows c3, c4... of the nested form whose derivative takes the values of the slopes `through` at their nodes.

    On top of the cubic come terms x^2 (1-x)^2 (c3 + x (c4 + (1-x) (c5 + ...))); their derivatives at the nodes are a
    matrix, and what the cubic lacks there is its right side.
    """
    import numpy as np

    if not pair.through:
        return []
    one, x, rest = (np.polynomial.Polynomial(c) for c in ([1.0], [0.0, 1.0], [1.0, -1.0]))
    terms, factor = [], one
    for k in range(3 + len(pair.through)):
        factor = factor * (x if k % 2 == 0 else rest)
        terms.append(factor)
    places = node[list(pair.through)]
    slopes_there = np.array([[term.deriv()(c) for term in terms] for c in places])
    wanted = np.array([_dense_row({k: 1.0}, len(step)) for k in pair.through])
    lacking = wanted - slopes_there[:, :3] @ np.array([step, *cubic])
    return list(np.linalg.solve(slopes_there[:, 3:], lacking))


def degree(method: Scheme) -> int:
    """Degree of the dense output's polynomial."""
    if method.tableau is None:
        return method.series or 5
    return len(method.tableau.dense) + len(method.tableau.through) + (1 if method.implicit else 3)


def slopes(method: Scheme) -> int:
    """How many slopes a step keeps."""
    if method.series:
        return 1
    return 2 if method.tableau is None else len(method.tableau.stages) + 1 + len(method.tableau.extra)


def _dense_row(row: Row, width: int) -> NDArray[np.float64]:
    import numpy as np

    out = np.zeros(width)
    for j, weight in row.items():
        out[j] = weight
    return out
