"""The wrenches that a link can transmit: those that do no power in its own motions, and those of its motors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dalembert import expr as ex
from dalembert.expr import ONE, ZERO, Expr
from dalembert.expr.elimination import TOLERANCE, sample, solve_linear
from dalembert.expr.space import ZERO3, Vector3, dot3, is_zero3
from dalembert.kinematics import COMPONENTS, Twist, Wrench


@dataclass(frozen=True, slots=True)
class Complement:
    """A basis of the powerless wrenches: columns of six components (moment, force), one for each free component."""

    free: tuple[int, ...]
    basis: list[list[Expr]]  # one list of six for each free component


def complement(columns: Sequence[Twist]) -> Complement:
    """Wrenches w with w . s = 0 for every motion s: pivot components follow from the free ones."""
    rows = [list(t.scalars) for t in columns]
    pivots = _pivots(rows)
    free = tuple(i for i in range(6) if i not in pivots)
    if not pivots:
        return Complement(free, [[ONE if i == k else ZERO for i in range(6)] for k in free])
    kept = _independent(rows, pivots)
    matrix = [[rows[i][p] for p in pivots] for i in kept]
    right = [[-rows[i][k] for i in kept] for k in free]
    names = [ex.symbol(COMPONENTS[p]) for p in pivots]
    solved = solve_linear(matrix, right, names, "the motion of a link")
    basis = []
    for k, column in zip(free, solved.columns, strict=True):
        own = [ZERO] * 6
        own[k] = ONE
        for p, value in zip(pivots, column, strict=True):
            own[p] = value
        basis.append(own)
    return Complement(free, basis)


def free_components(columns: Sequence[Twist]) -> tuple[str, ...]:
    return tuple(COMPONENTS[k] for k in complement(columns).free)


def _pivots(rows: Sequence[Sequence[Expr]]) -> list[int]:
    """Columns that hold the rank of the motions at a generic point, the surest first."""
    import numpy as np

    if not rows:
        return []
    m = _levelled(rows)
    pivots: list[int] = []
    for _ in range(np.linalg.matrix_rank(m, tol=TOLERANCE)):
        norms = np.abs(m).max(axis=0)
        norms[pivots] = 0.0
        best = int(np.argmax(norms > (1 - 1e-9) * norms.max()))
        i = int(np.argmax(np.abs(m[:, best])))
        m = m - np.outer(m[:, best], m[i] / m[i, best]) * (np.arange(len(m)) != i)[:, None]
        m[i] = 0.0
        pivots.append(best)
    return pivots


def _levelled(rows: Sequence[Sequence[Expr]]) -> Any:
    """The motions at a generic point, each of length one: the unit of its coordinate has no say."""
    import numpy as np

    m = np.array(sample([x for row in rows for x in row])).reshape(len(rows), 6)
    sizes = np.linalg.norm(m, axis=1, keepdims=True)
    return m / np.where(sizes > 0, sizes, 1.0)


def _independent(rows: Sequence[Sequence[Expr]], pivots: Sequence[int]) -> list[int]:
    """As many independent rows as pivots (a joint may have motions that coincide)."""
    import numpy as np

    m = _levelled(rows)[:, pivots]
    kept: list[int] = []
    for i in range(len(rows)):
        if np.linalg.matrix_rank(m[[*kept, i]], tol=TOLERANCE) > len(kept):
            kept.append(i)
    return kept


def actuation_wrench(columns: Sequence[Twist], powers: Sequence[Expr]) -> Wrench:
    """The wrench in the span of a link's motions that has the given power for a unit of each speed.

    Slides are pushed by forces along them; turns by torques about them. So a motor on a hinge is a torque about its
    axis, whatever the lengths in the joint.
    """
    slides = [k for k, t in enumerate(columns) if is_zero3(t.angular)]
    turns = [k for k in range(len(columns)) if k not in slides]
    force = _in_span([columns[k].linear for k in slides], [powers[k] for k in slides])
    left = [powers[k] - dot3(columns[k].linear, force) for k in turns]
    moment = _in_span([columns[k].angular for k in turns], left)
    return Wrench(moment, force)


def _in_span(vectors: Sequence[Vector3], values: Sequence[Expr]) -> Vector3:
    """The vector in the span with given scalar products."""
    if not vectors or all(v is ZERO for v in values):
        return ZERO3
    gram = [[dot3(a, b) for b in vectors] for a in vectors]
    names = [ex.symbol(f"effort {k}") for k in range(len(vectors))]
    weights = solve_linear(gram, [list(values)], names, "the efforts on the coordinates of a link").columns[0]
    found = [ZERO, ZERO, ZERO]
    for vector, weight in zip(vectors, weights, strict=True):
        found = [a + weight * b for a, b in zip(found, vector, strict=True)]
    return Vector3(found[:3])
