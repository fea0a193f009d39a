"""The configuration curve of a mechanism with one freedom: continuation by arc length, and its special points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.errors import SingularError
from dalembert.loops.assembly import REACHED, Closing, project
from dalembert.loops.linkage import Linkage
from dalembert.loops.units import in_own_units

Array = Any

#: Singular values beside the largest, of points that close to 1e-9 in the machine's own units.
_RANK = 1e-6


@dataclass(frozen=True, slots=True)
class Curve:
    """Configurations along one branch; `closed` when it returns to its start, `singular` where the rank drops.

    `points` are variables of the linkage, `curve["rail.x"]` are coordinates in the units of the description.
    """

    linkage: Linkage
    points: Array
    closed: bool
    singular: tuple[int, ...]

    def __getitem__(self, name: str) -> Array:
        i = self.linkage.variables.index(name)
        return self.points[:, i] * self.linkage.units[i]


def trace_curve(linkage: Linkage, start: Any, step: float = 0.05, limit: int = 2000, reduced: Any = None) -> Curve:
    """Follow the branch through `start` until it closes, both ways if it does not.

    Steps are radians and shares of the machine's size. `reduced` (relations that hold on the closure) makes the tangent
    right where the closure has a multiple root.
    """
    own = in_own_units(linkage, dict(zip(linkage.variables, start, strict=True)))
    units = own.units / linkage.units
    relations = np.zeros((0, own.size)) if reduced is None else reduced.linear * units
    closing, x = Closing(own), np.asarray(start, dtype=float) / units
    forward, closed, low = _follow(closing, x, 1.0, step, limit, relations)
    if closed:
        return Curve(linkage, forward * units, True, tuple(low))
    back, _, low_back = _follow(closing, x, -1.0, step, limit, relations)
    points = np.concatenate([back[::-1], forward[1:]]) * units
    shift = len(back) - 1
    return Curve(linkage, points, False, tuple([shift - i for i in low_back] + [shift + i for i in low]))


def _follow(
    closing: Closing, x: Array, sense: float, step: float, limit: int, relations: Array
) -> tuple[Array, bool, list[int]]:
    start = x.copy()
    direction = _tangent(closing, x, None, relations) * sense
    points = [x]
    low: list[int] = []
    turning = sorted({int(v) for v, t in zip(closing.positions.variable, closing.positions.is_turn, strict=True) if t})
    values = np.linalg.svd(closing.jacobian(x), compute_uv=False)
    rank = int((values > _RANK * values[0]).sum())
    for count in range(limit):
        size = step
        for _ in range(12):
            end = project(closing, x + size * direction, iterations=15)
            if closing.gap(end) < REACHED and np.linalg.norm(end - x) < 3 * size:
                break
            size /= 2
        else:
            break
        direction = _tangent(closing, end, direction, relations)
        smallest = np.linalg.svd(closing.jacobian(end), compute_uv=False)
        if smallest[rank - 1] < 0.02 * smallest[0] and (not low or low[-1] < count - 3):
            low.append(count + 1)
        points.append(end)
        x = end
        gap = end - start
        gap[turning] = np.remainder(gap[turning] + np.pi, 2 * np.pi) - np.pi
        if count > 3 and np.linalg.norm(gap) < 0.75 * step:
            return np.array(points), True, low
    return np.array(points), False, low


def _tangent(closing: Closing, x: Array, before: Array | None, relations: Array) -> Array:
    rows = np.concatenate([closing.jacobian(x), relations])
    _, s, vt = np.linalg.svd(rows)
    kernel = vt[int((s > _RANK * s[0]).sum()) :]
    if not len(kernel):
        kernel = vt[-1:]
    if before is None:
        if len(kernel) != 1:
            raise SingularError("the mechanism does not move along a curve here: it has not one freedom.")
        return kernel[0]
    # at a crossing of branches keep going straight
    along = kernel.T @ (kernel @ before)
    return along / max(float(np.linalg.norm(along)), np.finfo(float).tiny)
