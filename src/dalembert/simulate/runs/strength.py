"""How well the rows of the constraints tell motions apart: their singular values, in parts of what each row looks at.

The weakest of them is the sine of the angle at which a row is lost. Of large machines it is found between two bounds by
the sparse rows that count: at most what A does to a motion v of their span, at least what they do to the worst one,

    min |A_k^T z| / |z|  <=  weakest  <=  |A v| / |v|,      A_k A_k^T z -> z  by inverse iteration,   v = A_k^T z
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.constraints.independence import speed_scales
from dalembert.expr import Expr
from dalembert.simulate.system.system import System

Array = NDArray[np.float64]
_ROUNDS = 4
_MARGIN = 10.0
"""An iteration that begins anywhere misses the smallest of n values by the root of order 4 of n at most: 6 of 1000."""


@dataclass(frozen=True)
class Strength:
    """The rows of one system with its parameters."""

    system: System
    parameters: Array

    def values(self, t: Array, y: Array) -> Array:
        """Singular values of the rows at states in the rows of `y`, from the largest to the smallest."""
        if self.system.large:
            machine = self.system.machine
            table = np.array([machine.sines(a, b, self.parameters).toarray() for a, b in zip(t, y, strict=True)])
        else:
            table = self._by_formulas(t, y)
        found: Array = np.linalg.svd(np.nan_to_num(table), compute_uv=False)
        return found

    def alike(self, t: Array, y: Array, part: float) -> bool:
        """Is it seen at once that no weakest row of these states is this part of that of another?"""
        if not self.system.large or self.system.machine.structure is None:
            return False
        bounds, counts = list[tuple[float, float]](), set[int]()
        for a, b in zip(t.tolist(), y, strict=True):
            counting = self.system.machine.counting(a, b, self.parameters)
            counts.add(int(counting.sum()))
            found = self._bounds(a, b, counting) if len(counts) == 1 and counting.any() else None
            if found is None:
                return False
            bounds.append(found)
        low, high = np.array(bounds).T
        return bool(low.min() >= part * high.max())

    def _bounds(self, t: float, y: Array, counting: NDArray[np.bool_]) -> tuple[float, float] | None:
        """Between what the weakest row is; None where that is not seen."""
        from scipy.sparse.linalg import splu

        rows = self.system.machine.sines(t, y, self.parameters)
        some = rows[np.flatnonzero(counting)]
        if not np.isfinite(rows.data).all():
            return None
        try:
            factor = splu((some @ some.T).tocsc())
        except RuntimeError:  # it is singular to all digits
            return None
        z = np.random.default_rng(len(y)).normal(size=some.shape[0])
        for _ in range(_ROUNDS):
            z = factor.solve(z / np.linalg.norm(z))
        v = some.T @ (z / np.linalg.norm(z))
        size = float(np.linalg.norm(v))
        return (size / _MARGIN, float(np.linalg.norm(rows @ v)) / size) if 0 < size < np.inf else None

    def _by_formulas(self, t: Array, y: Array) -> Array:
        system = self.system
        values: dict[Expr, Any] = dict(zip(system.symbols, y.T, strict=True)) | {ex.TIME: t}
        values |= {ex.symbol(name): x for name, x in zip(system.known_parameters, self.parameters, strict=True)}
        with np.errstate(all="ignore"):
            flat = [np.broadcast_to(np.asarray(x, dtype=float), t.shape) for x in ex.evaluate(self._sines, values)]
        return np.array(flat).T.reshape(len(t), -1, len(system.speeds))

    @cached_property
    def _sines(self) -> tuple[Expr, ...]:
        """Rows of the constraints, each in parts of the motion that it looks at, speeds measured as angles."""
        held = self.system.constrained
        assert held is not None
        scales = speed_scales(held.rows, self.system.masses_moved)
        found = list[Expr]()
        for row, motions in zip(held.rows.matrix.rows(), held.rows.seen.rows(), strict=True):
            seen = sum((x / (s * s) for x, s in zip(motions, scales, strict=True)), ex.ZERO)
            size = ex.sqrt(ex.where(ex.less(0, seen), seen, 1))
            found += [x / (s * size) for x, s in zip(row, scales, strict=True)]
        return tuple(found)
