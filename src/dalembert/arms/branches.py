"""All values of the joints that a plan gives for a target: branch by branch, with what stays free."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.arms.features import Features
from dalembert.arms.plan import Plan, Stage, aimed, coefficients, eliminated

Array = NDArray[Any]

#: Coefficients in parts of the arm's size: below, a target lies on an axis, and the angle about it is free. A target
#: computed in floats lies within 1e-15 of it; a distance whose square is compared, within the root of that.
NOTHING = 1e-7
#: Cosines beyond one by this much are the edge of reach: what is found there is polished, then judged.
_EDGE = 1e-6
#: Roots of a polynomial whose modulus is so near one are angles: double roots are known to half the digits.
_CIRCLE = 1e-4


@dataclass(frozen=True, eq=False)
class Candidate:
    """Amounts of all joints; `free`: joints whose amount was chosen, since the target leaves them free."""

    x: Array
    free: tuple[int, ...] = ()


def candidates(plan: Plan, target: Array, chosen: Array) -> list[Candidate]:
    """Every branch of the plan; joints that stay free have the amount `chosen`."""
    features = aimed(plan, target)
    found = [Candidate(np.array(chosen, dtype=float))]
    for stage in plan.stages:
        found = [
            Candidate(_with(one.x, stage.unknown, value), (*one.free, stage.unknown) if free else one.free)
            for one in found
            for value, free in _values(features, stage, one.x)
        ]
    return found


def _with(x: Array, j: int, value: float) -> Array:
    made = x.copy()
    made[j] = value
    return made


def _values(features: Features, stage: Stage, x: Array) -> list[tuple[float, bool]]:
    """Amounts of the unknown, each with whether it is free."""
    turns = features.screws.turns[stage.unknown]
    if stage.beside is not None:
        polynomial = eliminated(features, stage.equations, stage.unknown, stage.beside, x)
        if polynomial is None:
            return [(float(x[stage.unknown]), True)]
        roots = np.roots(polynomial)
        if turns:
            return [(float(np.angle(z)), False) for z in roots if abs(abs(z) - 1) < _CIRCLE]
        return [(float(z.real), False) for z in roots if abs(z.imag) < _CIRCLE * (1 + abs(z))]
    rows = coefficients(features, stage.equations, stage.unknown, x)
    sizes = np.linalg.norm(rows[:, :2], axis=1)
    if sizes.max() < NOTHING:
        return [(float(x[stage.unknown]), True)] if np.abs(rows[:, 2]).max() < NOTHING else []
    found = _angles(rows, sizes) if turns else _slides(rows)
    return [(float(value), False) for value in found]


def _angles(rows: Array, sizes: Array) -> list[float]:
    loud = rows[sizes > NOTHING]
    u, s, vt = np.linalg.svd(loud[:, :2], full_matrices=False)
    if len(s) == 2 and s[1] > 1e-3 * s[0]:  # both cosine and sine are told
        cosine, sine = vt.T @ ((u.T @ -loud[:, 2]) / s)
        return [float(np.arctan2(sine, cosine))]
    a, b, c = rows[int(np.argmax(sizes))]
    middle, over = np.arctan2(b, a), -c / np.hypot(a, b)
    if abs(over) > 1 + _EDGE:
        return []
    half = float(np.arccos(np.clip(over, -1, 1)))
    return [middle + half, middle - half] if half > 0 else [middle]


def _slides(rows: Array) -> list[float]:
    a, b, c = rows[int(np.argmax(np.abs(rows[:, :2]).max(axis=1)))]
    if abs(a) < NOTHING * abs(b):
        return [-c / b]
    inside = b * b - 4 * a * c
    if inside < -_EDGE * (b * b + abs(4 * a * c)):
        return []
    root = np.sqrt(max(inside, 0.0))
    return [(-b + root) / (2 * a), (-b - root) / (2 * a)]
