"""How closures bend: the second rate of every gap along a motion whose speeds stay the same.

With gap' = V w + d the second rate is gap'' = V w' + bend(w), quadratic in the speeds w (and in time, where drives
move). Where rows of V depend on each other, y V = 0, no acceleration w' helps: a motion needs y bend(w) = 0.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.dynamics.closing import Loops
from dalembert.dynamics.closure import ROWS, Closure
from dalembert.expr import Expr

Array = Any


class Bending:
    """Second rates of the gaps of a closure, row by row as in `Closure.at`; made once for a structure."""

    def __init__(self, closure: Closure) -> None:
        self.closure = closure

    @cached_property
    def _along(self) -> list[Expr]:
        """Entries of every factor with their first and second rates; then second rates of norms and formulas."""
        moving = self.closure.moving
        found: list[Expr] = []
        for one in self.closure.factors:
            first = ex.tangent(one.entries, moving)
            found += [*one.entries, *first, *ex.tangent(first, moving)]
        names = [ex.symbol(x) for x in self.closure.coordinates]
        norms = [ex.dot_product(part, part) for part in ([names[i] for i in g] for g in self.closure.quaternions)]
        found += ex.tangent(ex.tangent([*norms, *self.closure.holonomic], moving), moving)
        return found + ex.tangent(self.closure.kinematic, moving)

    def at(self, loops: Loops, x: Array, w: Array) -> Array:
        """bend(w); speeds in natural units."""
        closure, count = self.closure, len(x)
        values = closure.numbers(self._along, x, loops.t, loops.parameters, w * loops.scales.speeds)
        size = len(closure.factors) * 3 * ROWS
        made = np.zeros((count, len(closure.factors), 3, 4, 4))
        made[..., :3, :] = values[:, :size].reshape(count, -1, 3, 3, 4)
        made[:, :, 0, 3, 3] = 1.0
        found = []
        for k, (near, far) in enumerate(closure.sides):
            gap = _second(made, far) - _second(made, near)
            found += [gap[:, :3, :3].reshape(count, -1) / np.sqrt(2), gap[:, :3, 3] / loops.scales.loops[:, k, None]]
        rest = values[:, size:]
        if closure.holonomic:
            units, _ = closure.holonomic_units(x, loops.t, loops.parameters, loops.scales)
            last = len(closure.quaternions) + len(closure.holonomic)
            rest[:, len(closure.quaternions) : last] /= units
        if closure.kinematic:
            speeds = w * loops.scales.speeds
            rest[:, -len(closure.kinematic) :] /= closure.steered(x, speeds, loops.t, loops.parameters, loops.scales)[2]
        return np.concatenate([*found, rest], axis=1)


def _second(made: Array, side: list[int]) -> Array:
    """The second rate of a product of factors."""
    value = np.broadcast_to(np.eye(4), (len(made), 4, 4))
    first = second = np.zeros((len(made), 4, 4))
    for i in side:
        a, b, c = made[:, i, 0], made[:, i, 1], made[:, i, 2]
        second = second @ a + 2 * (first @ b) + value @ c
        first = first @ a + value @ b
        value = value @ a
    return second
