"""A choice of closure rows that are independent at a configuration, and of the variables that they determine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.loops.assembly import Closing

Array = Any

#: Rows are independent when they leave the span of the others by this share of the longest: postures close to 1e-11.
_INDEPENDENT = 1e-9
#: The same for the last digits of a float: less is rounding of the orthogonalisation.
_ROUNDING = 1e-14


@dataclass(frozen=True, slots=True)
class Multiple:
    """Relations of a multiple root: with the regular block J[rows, columns], entries S[row, column] of what is left.

    S = J - J[:, columns] J[rows, columns]^-1 J[rows, :] vanishes wherever J keeps the rank of the block.
    """

    rows: Array
    columns: Array
    entries: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Reduced:
    """Independent closure rows plus relations `linear @ x = constant`, and the variables they determine."""

    rows: Array
    linear: Array
    constant: tuple[Any, ...]
    dependent: Array
    independent: Array
    multiple: Multiple | None = None

    @property
    def rank(self) -> int:
        return len(self.rows) + len(self.linear) + (len(self.multiple.entries) if self.multiple else 0)


def choose_reduced(
    closing: Closing,
    x: Array,
    tolerance: float = _INDEPENDENT,
    linear: Array | None = None,
    constant: Sequence[Any] = (),
) -> Reduced:
    """Independent rows and well-conditioned dependent variables, by orthogonalisation with pivoting.

    Lengths are in parts of the machine, and each chosen row in its own: neither the unit of a coordinate nor a steep
    formula decides.
    """
    jacobian = closing.jacobian(x) * closing.units
    n = jacobian.shape[1]
    linear = np.zeros((0, n)) if linear is None else np.asarray(linear, dtype=float)
    given = linear * closing.units
    if len(given):  # rows that the linear relations already give are not asked for again
        q, _ = np.linalg.qr(given.T)
        inside = jacobian - (jacobian @ q) @ q.T
    else:
        inside = jacobian
    rows = np.sort(independent_columns(inside.T, tolerance))
    system = np.concatenate([jacobian[rows], given])
    sizes = np.linalg.norm(system, axis=1, keepdims=True)
    system = system / np.where(sizes > 0, sizes, 1.0)
    dependent = np.sort(independent_columns(system, 0.0)[: len(system)])
    if len(dependent) < len(system):  # rows that only steep formulas told apart: fewer prove less
        kept = np.sort(independent_columns(system.T, _INDEPENDENT))
        rows, lines = rows[kept[kept < len(rows)]], kept[kept >= len(rows)] - len(rows)
        linear, constant = linear[lines], [constant[i] for i in lines]
        dependent = np.sort(independent_columns(system[kept], 0.0)[: len(kept)])
    return Reduced(rows, linear, tuple(constant), dependent, np.setdiff1d(np.arange(n), dependent))


def independent_columns(matrix: Array, tolerance: float) -> Array:
    """Columns in the order of their distance from those before (Gram-Schmidt with pivoting), until it is small."""
    a = np.array(matrix, dtype=float)
    lengths = (a * a).sum(axis=0)
    chosen: list[int] = []
    first = 0.0
    for _ in range(min(a.shape)):
        j = int(np.argmax(lengths))
        length = float(np.linalg.norm(a[:, j]))
        first = first or length
        if length <= max(tolerance * max(1.0, first), _ROUNDING * first) or not length:
            break
        chosen.append(j)
        q = a[:, j] / length
        a -= np.outer(q, q @ a)
        a -= np.outer(q, q @ a)  # twice is enough
        lengths = (a * a).sum(axis=0)
        lengths[chosen] = -1.0
    return np.array(chosen, dtype=int)
