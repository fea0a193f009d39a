"""Speeds that rows allow at one state, in numbers: a basis with unit rows for the independent ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dalembert.errors import SingularError

Array = Any

#: Rows that agree to this share of their size ask for one thing: postures are closed to 1e-10, rounding adds little.
ALIKE = 1e-8
#: An earlier speed is taken as independent unless another leads the rest of the motion this much better.
_BETTER = 10.0


@dataclass(frozen=True, slots=True)
class Allowed:
    """Speeds that rows allow: B, the independent ones, and the rows' columns of the others; N."""

    tangent: Array
    independent: tuple[int, ...]
    dependent: tuple[int, ...]
    rows: Array
    powerless: Array

    def pushed_by(self, mass: Array, rows: Array, pushed: Array) -> Allowed:
        """The same speeds under reactions W: N^T = (B^T M B) E P M^-1, P = 1 - M^-1 W^T S^+ G, E the independent."""
        raised = np.linalg.solve(mass, pushed.T)
        projector = np.eye(len(mass)) - raised @ np.linalg.pinv(rows @ raised, rcond=ALIKE) @ rows
        reduced = self.tangent.T @ mass @ self.tangent
        powerless = reduced @ np.linalg.solve(mass, projector.T)[:, list(self.independent)].T
        return replace(self, powerless=powerless.T)

    def follow(self, wanted: Array) -> Array:
        """Change of all speeds with G change = wanted, none of the independent ones."""
        found = np.zeros((self.tangent.shape[0], *wanted.shape[1:]))
        if self.dependent and len(self.rows):
            scale = _sizes(self.rows)
            found[list(self.dependent)] = np.linalg.lstsq(
                self.rows[:, list(self.dependent)] / scale[:, None], (wanted.T / scale).T, rcond=ALIKE
            )[0]
        return found

    def speeds(self, asked: Array, drift: Array) -> Array:
        found: Array = self.tangent @ asked[list(self.independent)] + self.follow(-drift)
        return found

    def multipliers(self, rows: Array, needed: Array) -> Array:
        """lambda with W^T lambda = needed, but for efforts on the independent speeds; of several, the least."""
        if not len(rows):
            return np.zeros(0)
        left = needed.copy()
        if self.powerless is self.tangent:
            left[list(self.independent)] -= self.tangent.T @ needed
        scale = _sizes(rows)
        found: Array = np.linalg.lstsq((rows / scale[:, None]).T, left, rcond=ALIKE)[0] / scale
        return found


def _sizes(rows: Array) -> Array:
    size = np.linalg.norm(rows, axis=1)
    return np.where(size > 0, size, 1.0)


def allowed_speeds(mass: Array, rows: Array, order: Sequence[int], firm: int = 0) -> Allowed:
    """Independent speeds in the given order, unless a later one leads much better; sizes in the kinetic metric.

    The first `firm` ones are taken if they lead anything at all.
    """
    n = len(mass)
    weight = np.diag(mass)
    unit = 1 / np.sqrt(np.where(weight > 0, weight, 1.0))
    scaled = rows * unit
    _, s, vt = np.linalg.svd(scaled / _sizes(scaled)[:, None]) if len(rows) and n else (0, np.zeros(0), np.eye(n))
    rank = int((s > ALIKE * s.max(initial=0.0)).sum())
    left = vt[rank:].T.copy()  # rows are speeds, columns allowed motions
    basis, chosen = left.copy(), list[int]()
    for _ in range(n - rank):
        size = np.linalg.norm(left, axis=1)
        best = size.max()
        named = next((i for i in order[:firm] if size[i] > ALIKE * best and i not in chosen), None)
        pick = next(i for i in order if size[i] * _BETTER >= best and i not in chosen) if named is None else named
        way = left[pick] / size[pick]
        left = left - np.outer(left @ way, way)
        chosen.append(pick)
    if chosen and not np.linalg.cond(basis[chosen]) < 1 / ALIKE:
        raise SingularError("no independent speeds were found in this posture: it is singular. Choose another one.")
    tangent = (unit[:, None] * basis) @ np.linalg.inv(unit[chosen, None] * basis[chosen])
    return Allowed(tangent, tuple(chosen), tuple(i for i in range(n) if i not in chosen), rows, tangent)
