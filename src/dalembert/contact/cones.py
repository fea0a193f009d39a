"""The cone of one contact: |x_k| <= mu_k x_n for each of its discs (sliding, rolling, drilling), which share a normal.

Coulomb's law in De Saxce's form is a projection on it: P = proj(P - r u~), u~_n = u_n + sum of mu_k |u_k|.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Disc:
    """Rows that friction acts along together: |P| <= mu P_n; `static` is its bound while they stand still."""

    start: int
    stop: int
    mu: float
    static: float

    @property
    def rows(self) -> slice:
        return slice(self.start, self.stop)

    def size(self, x: Array) -> float:
        """The length of the part of x along its rows."""
        part = x[self.start : self.stop]
        return abs(float(part[0])) if len(part) == 1 else float(np.sqrt(part @ part))


def onto_cone(x: Array, mu: float) -> Array:
    """The nearest point of the cone |x_t| <= mu x_n."""
    along = float(np.sqrt(x[1:] @ x[1:]))
    if along <= mu * x[0]:
        return x
    if mu * along <= -x[0]:
        return 0 * x
    a = (x[0] + mu * along) / (1 + mu * mu)
    return np.concatenate([[a], (mu * a / along) * x[1:]])


def reached(normal: float, sizes: Sequence[float], mus: Sequence[float]) -> tuple[float, list[int]]:
    """The normal part of the nearest point, and the discs on whose border it is.

    n - x_n = sum of mu_k (|x_k| - mu_k n) over those with |x_k| > mu_k n: the left side rises with n, the right falls.
    """
    far = [size / mu if mu > 0 else (np.inf if size > 0 else 0.0) for size, mu in zip(sizes, mus, strict=True)]
    order = sorted(range(len(mus)), key=lambda k: -far[k])
    top, whole, border = normal, 1.0, list[int]()
    for k in order:
        if sizes[k] <= mus[k] * max(top / whole, 0.0):
            break
        top, whole = top + mus[k] * sizes[k], whole + mus[k] ** 2
        border.append(k)
    return max(top / whole, 0.0), border


def project(x: Array, normal: int, discs: Sequence[Disc], point: Array, slope: Array | None = None) -> None:
    """The nearest point of one contact's cone, written into `point`, and its derivative, into `slope` (zero before)."""
    sizes, mus = [disc.size(x) for disc in discs], [disc.mu for disc in discs]
    top, border = reached(float(x[normal]), sizes, mus)
    if top <= 0:
        return
    point[normal] = top
    ray = np.zeros(len(x)) if slope is not None else None
    if ray is not None:
        ray[normal] = 1.0
    for k, disc in enumerate(discs):
        part = x[disc.rows]
        if k not in border:
            point[disc.rows] = part
            if slope is not None:
                slope[disc.rows, disc.rows] = np.eye(len(part))
            continue
        way = part / sizes[k]
        point[disc.rows] = mus[k] * top * way
        if slope is not None and ray is not None:
            ray[disc.rows] = mus[k] * way
            slope[disc.rows, disc.rows] = mus[k] * top / sizes[k] * (np.eye(len(part)) - np.outer(way, way))
    if slope is not None and ray is not None:
        some = np.flatnonzero(ray)
        slope[np.ix_(some, some)] += np.outer(ray[some], ray[some]) / float(ray[some] @ ray[some])
