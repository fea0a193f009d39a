"""Coupling in numbers: the angles, in the kinetic metric, between what conditions ask and what reactions push.

With M = L L^T, A and B orthonormal bases of the ranges of L^-1 G^T and L^-1 W^T, the singular values of A^T B are the
cosines of these angles, whatever the units; kappa is the smallest. It is one for perfect reactions; where it is zero no
finite effort keeps the conditions.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: Rows that agree to this share of their length, in the kinetic metric, ask or push the same: rounding of a solve.
ALIKE = 1e-10
#: The same, of postures that are closed to 1e-10 only: rows that agree show that much of it, and some more.
LOOSE = 1e-8
#: Below this a single state is refused: the force that is needed is beyond what numbers hold.
LOST = 1e-10
#: Below this efforts are a thousand times what a perfect reaction would need: worth a word.
WEAK = 1e-3


@dataclass(frozen=True, slots=True)
class Coupling:
    """Ranks of conditions and reactions; kappa, and the row of each that has the largest part in it."""

    rank: int
    rank_of_reactions: int
    kappa: float
    law: int
    actuator: int


def coupling(mass: Array, matrix: Array, reaction: Array) -> Coupling:
    """Of rows G and W at a state; rows that are nothing are left out of both."""
    inverse = np.linalg.inv(np.linalg.cholesky(mass))
    asked, pushed = _levelled(inverse @ matrix.T), _levelled(inverse @ reaction.T)
    a, left = _basis(asked)
    b, right = _basis(pushed)
    if not a.shape[1] or a.shape[1] != b.shape[1]:
        return Coupling(a.shape[1], b.shape[1], 0.0 if a.shape[1] != b.shape[1] else 1.0, 0, 0)
    u, s, vt = np.linalg.svd(a.T @ b)
    law, actuator = np.abs(left @ u[:, -1]).argmax(), np.abs(right @ vt[-1]).argmax()
    return Coupling(a.shape[1], b.shape[1], float(s[-1]), int(law), int(actuator))


def left_null(matrix: Array) -> Array:
    """Combinations of rows that vanish, as rows of weights."""
    sizes = np.linalg.norm(matrix, axis=1)
    sizes = np.where(sizes > 0, sizes, 1.0)
    u, s, _ = np.linalg.svd(matrix / sizes[:, None])
    rank = int((s > ALIKE * s.max(initial=0.0)).sum()) if s.size else 0
    found: Array = u[:, rank:].T / sizes
    return found


def loose_combinations(mass: Array, reaction: Array, made_of: Array) -> Array:
    """Efforts that do nothing together, y with W^T y = 0: orthonormal rows, in the units of the multipliers.

    A row that is nothing beside what it is made of, as of a hinge on the axis of another, does nothing alone.
    """
    inverse = np.linalg.inv(np.linalg.cholesky(mass))
    columns = inverse @ reaction.T
    sizes, parts = np.linalg.norm(columns, axis=0), np.linalg.norm(np.abs(inverse) @ np.abs(made_of.T), axis=0)
    nothing = sizes <= LOOSE * parts
    sizes = np.where(nothing, 1.0, sizes)
    _, s, vt = np.linalg.svd(np.where(nothing, 0.0, columns) / sizes)
    rank = int((s > LOOSE * s.max(initial=0.0)).sum()) if s.size else 0
    found: Array = np.linalg.qr((vt[rank:] / sizes).T)[0].T
    return found


def _levelled(columns: Array) -> Array:
    sizes = np.linalg.norm(columns, axis=0)
    found: Array = columns / np.where(sizes > 0, sizes, 1.0)
    return found


def _basis(columns: Array) -> tuple[Array, Array]:
    """An orthonormal basis of the range, and the part of each column in every vector of it."""
    u, s, vt = np.linalg.svd(columns, full_matrices=False)
    rank = int((s > ALIKE * s.max(initial=0.0)).sum()) if s.size else 0
    return u[:, :rank], vt[:rank].T * s[:rank]
