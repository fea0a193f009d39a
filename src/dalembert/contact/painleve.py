"""Painleve's cases: a sliding contact whose friction and inertia leave no bounded force, or several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

JAMMED = 1e-9
"""A = W_nn - mu W_nt.d is nothing below this share of W_nn."""


@dataclass(frozen=True, slots=True)
class Sliding:
    """What a sliding contact does: the gap accelerates by b + A lambda_n. `forces` are the admissible lambda_n."""

    kind: Literal["slides", "detaches", "indeterminate", "inconsistent"]
    slope: float
    right: float
    forces: tuple[float, ...]

    @property
    def told(self) -> str:
        if self.kind == "inconsistent":
            return "Painleve: no bounded force keeps it out; the motion goes on by an impact without collision"
        if self.kind == "indeterminate":
            other = f"{self.forces[-1]:.6g}"
            return f"Painleve: it may detach, or stay with the force {other}, or jam; detachment is taken"
        return ""


def sliding(matrix: ArrayLike, right: ArrayLike, mu: float, direction: ArrayLike) -> Sliding:
    """Classify a contact that slides along the unit `direction`; rows: normal, then tangents.

    >>> sliding([[1.0, 0.5], [0.5, 2.0]], [-9.81, 0.0], 0.4, [1.0]).kind
    'slides'
    """
    w, b = np.asarray(matrix, dtype=float), np.asarray(right, dtype=float)
    slope = float(w[0, 0] - mu * (w[0, 1:] @ np.asarray(direction, dtype=float)))
    if slope > JAMMED * w[0, 0]:
        return (
            Sliding("slides", slope, b[0], (-b[0] / slope,)) if b[0] < 0 else Sliding("detaches", slope, b[0], (0.0,))
        )
    if b[0] < 0:
        return Sliding("inconsistent", slope, b[0], ())
    other = (-b[0] / slope,) if slope < -JAMMED * w[0, 0] else ()
    return Sliding("indeterminate", slope, b[0], (0.0, *other))
