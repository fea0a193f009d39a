"""Closed configurations: residual and Jacobian in floats, projection onto the closure, assembly, assembly modes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.loops.linkage import Linkage
from dalembert.loops.positions import Frames, Positions

Array = Any

#: A loop counts as closed below this gap (radians, and lengths in parts of the machine): rounding of long chains.
CLOSED = 1e-11
#: Projection has reached the closure (same unit): it stops there where the root is simple, and goes on where it is not.
REACHED = 1e-9
#: A multiple root converges slowly, its gap is the square of its distance: accepted here, a thousandth from the root.
NEARLY = 1e-6
#: Squares of a gap: rounding; a gap that no longer falls.
_ROUNDING, _STUCK = 1e-29, 1e-22
#: The sine of an angle (radian) below which angle / sine is one to all digits of a float.
_SMALL_ANGLE = 1e-9
#: Damping of a step, in singular values of unit rows: at first, at least, and where it grows again.
_DAMPING, _LEAST_DAMPING, _SOME_DAMPING = 1e-3, 1e-12, 1e-8
#: Singular values beside the largest: below, they are rounding; of a product J J^T, which has half the digits.
_NO_SLOPE, _NO_SLOPE_OF_SQUARE = 1e-12, 1e-7


class Closing:
    """The closure of a linkage in floats: `residual(x) = 0`, `jacobian(x)`; lengths are divided by `scale`."""

    def __init__(self, linkage: Linkage) -> None:
        self.linkage = linkage
        self.positions = Positions(linkage)
        reach = np.abs(self.positions.fixed_position).sum() + np.abs(self.positions.end_a[1]).sum()
        count = max(1, np.count_nonzero(np.abs(self.positions.fixed_position).sum(axis=1) > 0))
        self.scale = float(reach / count) or 1.0
        self._symbols = [ex.symbol(name) for name in linkage.variables]

    @property
    def size(self) -> int:
        return self.linkage.size

    @cached_property
    def units(self) -> Array:
        """The size of each variable: one (a radian), or the scale for what only slides."""
        found = np.ones(self.size)
        slides = {int(v) for v, t in zip(self.positions.variable[1:], self.positions.is_turn[1:], strict=True) if not t}
        turns = {int(v) for v, t in zip(self.positions.variable[1:], self.positions.is_turn[1:], strict=True) if t}
        found[sorted(slides - turns)] = self.scale
        return found

    @cached_property
    def _gradients(self) -> list[ex.Expr]:
        return [d for e in self.linkage.equations for d in ex.gradient(e, self._symbols)]

    def frames(self, x: Array) -> Frames:
        return self.positions.frames(self.positions.motion(x))

    def residual(self, x: Array, frames: Frames | None = None) -> Array:
        """Rotation vectors of the gaps, gaps over the scale, equations: all zero when closed; oriented."""
        turn, gap = self.positions.gaps(frames or self.frames(x))
        rows = np.concatenate([rotation_vector(turn), gap / self.scale], axis=1).ravel()
        return np.concatenate([rows, self._values(self.linkage.equations, x)]) if self.linkage.equations else rows

    def jacobian(self, x: Array, frames: Frames | None = None) -> Array:
        """Derivative of the residual (exact where closed)."""
        rows = self.positions.velocity_rows(frames or self.frames(x))
        rows = rows / np.tile([1.0, 1.0, 1.0, self.scale, self.scale, self.scale], len(self.positions.ends))[:, None]
        if not self.linkage.equations:
            return rows
        slopes = self._values(self._gradients, x).reshape(len(self.linkage.equations), self.size)
        return np.concatenate([rows, slopes])

    def _values(self, exprs: Sequence[ex.Expr], x: Array) -> Array:
        known = dict(zip(self._symbols, x, strict=True)) | {
            ex.symbol(k): float(v) for k, v in self.linkage.given.items()
        }
        return np.array(ex.evaluate(list(exprs), known), dtype=float)

    def gap(self, x: Array) -> float:
        """The largest residual."""
        residual = self.residual(x)
        return float(np.abs(residual).max()) if residual.size else 0.0


def rotation_vector(turn: Array) -> Array:
    """Axis times angle of rotation matrices; half turns included, so a reversed assembly is not closed."""
    skew = np.stack(
        [turn[:, 2, 1] - turn[:, 1, 2], turn[:, 0, 2] - turn[:, 2, 0], turn[:, 1, 0] - turn[:, 0, 1]], axis=1
    )
    sine = np.linalg.norm(skew, axis=1) / 2
    cosine = (np.trace(turn, axis1=1, axis2=2) - 1) / 2
    angle = np.arctan2(sine, cosine)
    small = sine < _SMALL_ANGLE
    factor = np.where(small, 0.5, angle / np.where(small, 1.0, 2 * sine))
    vector = skew * factor[:, None]
    for i in np.flatnonzero(small & (cosine < 0)):
        values, vectors = np.linalg.eigh((turn[i] + turn[i].T) / 2)
        vector[i] = np.pi * vectors[:, np.argmax(values)]
    return vector


def project(closing: Closing, x: Array, iterations: int = 60, fixed: Sequence[int] = ()) -> Array:
    """The nearest closed configuration by damped Gauss-Newton steps; variables in `fixed` keep their values."""
    x = np.array(x, dtype=float)
    free = np.setdiff1d(np.arange(closing.size), np.asarray(fixed, dtype=int))
    units = closing.units[free]
    damping, residual = _DAMPING, closing.residual(x)
    best = float(residual @ residual)
    for _ in range(iterations):
        if best < _ROUNDING:
            break
        jacobian = closing.jacobian(x)[:, free] * units
        step, better = None, False
        for _ in range(8):
            step = _damped_step(jacobian, residual, damping * min(1.0, np.sqrt(best)))
            trial = x.copy()
            trial[free] -= units * step
            new = closing.residual(trial)
            value = float(new @ new)
            if value < best:
                x, residual, better = trial, new, True
                damping = max(damping / 10, _LEAST_DAMPING)
                break
            damping = max(damping * 10, _SOME_DAMPING)
        improved = better and value < 0.999999 * best
        best = min(best, value)
        if not improved and best < _STUCK:
            break
        if not better:
            break
    return x


def _damped_step(jacobian: Array, residual: Array, damping: float) -> Array:
    """(J^T J + d^2) step = J^T r by singular values; directions that do not show in J are left alone."""
    if min(jacobian.shape) > 60:
        small = max(damping, _NO_SLOPE_OF_SQUARE * float(np.abs(jacobian).max()))
        square = jacobian @ jacobian.T
        square[np.diag_indices(len(square))] += small * small
        return jacobian.T @ np.linalg.solve(square, residual)
    u, s, vt = np.linalg.svd(jacobian, full_matrices=False)
    keep = s > _NO_SLOPE * s.max(initial=0.0)
    weights = np.where(keep, s / (s * s + damping * damping), 0.0)
    return vt.T @ (weights * (u.T @ residual))


def assemble(linkage: Linkage, guess: Any = None, tries: int = 24, seed: int = 0) -> Array:
    """A closed configuration near a rough guess; random starts when the guess leads nowhere."""
    closing = Closing(linkage)
    start = np.array(linkage.start(linkage.layout.model.start) if guess is None else guess, dtype=float)
    if closing.gap(start) < CLOSED:
        return start
    rng = np.random.default_rng(seed)
    best, best_gap = start, closing.gap(start)
    for attempt in range(tries):
        spread = 0.0 if attempt == 0 else 0.05 * attempt if attempt < tries // 2 else np.pi
        x = project(closing, start + rng.normal(0, spread, closing.size) * closing.units if spread else start)
        gap = closing.gap(x)
        if gap < best_gap:
            best, best_gap = x, gap
        if gap < REACHED:
            return x
    if best_gap < NEARLY:
        return best
    raise ModelError(
        f"'{linkage.layout.model.name}' cannot be assembled: the best of {tries} attempts leaves a gap of "
        f"{best_gap:.2g}. Check the lengths, or give a closed configuration with `start`."
    )


def assembly_modes(
    linkage: Linkage, fixed: dict[str, float] | None = None, starts: int = 200, seed: int = 0, tolerance: float = 1e-6
) -> list[dict[str, float]]:
    """Closed configurations with some coordinates held, each once (angles modulo a turn), from many random starts.

    Those that differ by less than `tolerance` (radians, parts of the machine) are one.
    """
    closing = Closing(linkage)
    rng = np.random.default_rng(seed)
    held = [linkage.variables.index(name) for name in (fixed or {})]
    turning = {int(v) for v, t in zip(closing.positions.variable, closing.positions.is_turn, strict=True) if t}
    found: list[Array] = []
    base = np.array(linkage.start(linkage.layout.model.start))
    for _ in range(starts):
        x = rng.uniform(-np.pi, np.pi, closing.size)
        for i in range(closing.size):
            if i not in turning:
                x[i] = base[i] + rng.normal(0, 2 * closing.scale)
        for i, name in zip(held, fixed or {}, strict=True):
            x[i] = (fixed or {})[name]
        x = project(closing, x, fixed=held)
        if closing.gap(x) > REACHED:
            continue
        for i in turning:
            x[i] = np.remainder(x[i] + np.pi, 2 * np.pi) - np.pi
        if all(_apart(x / closing.units, y / closing.units, turning) > tolerance for y in found):
            found.append(x)
    return [linkage.coordinates(x) for x in sorted(found, key=lambda v: [round(float(c), 6) for c in v])]


def _apart(x: Array, y: Array, turning: set[int]) -> float:
    d = np.abs(x - y)
    for i in turning:
        d[i] = min(d[i], abs(2 * np.pi - d[i]))
    return float(d.max())
