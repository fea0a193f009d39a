"""Speeds at a singular posture: of those that the loops allow at first order, the ones that belong to a motion.

Where rows of V depend on each other (y V = 0), accelerations exist only if y bend(w) = 0: quadratic conditions on the
speeds (Connelly and Whiteley 1996: second-order flex). A flat parallelogram may start as a parallelogram or as an
antiparallelogram, not between; a stretched truss is shaky: it may not start at all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.dynamics.bending import Bending
from dalembert.dynamics.closing import Loops
from dalembert.dynamics.posture import WRITTEN

Array = Any

#: Singular values (dimensionless, one for a plain joint) below this are none: ten times what a posture where branches
#: meet, known to the square root of rounding, can leave.
_NONE = 1e-6
#: What is left of the conditions, as a share of the square of the speeds, when they are nearly met. A posture that is
#: _NONE off leaves as much, times the curvature of a motion in its natural units.
_BENT = 1e-5
#: Rounding of a second rate, as a share of the largest: from rest a law of time may ask for much.
_ROUNDED = 1e-12
#: A solution leaves less than this, as a share of the square of its speeds: what a posture leaves that is known to the
#: square root of rounding, tenfold. Where two solutions meet they are known to the square root of that.
_SOLVED, _APART = 1e-7, 1e-3
#: Beginnings of the search, and steps of each: a double solution comes nearer by half a step only.
_TRIES, _STEPS = 40, 60
#: Directions whose slope is below this share are free: rounding of a slope.
_FREE = 1e-9
#: Of the natural metric, added to the kinetic one: bodies without mass move no more than they must.
_MASSLESS = 1e-9


@dataclass(frozen=True, slots=True)
class Allowed:
    """Speeds of one trajectory, in natural units, that belong to a motion.

    `others` are as good. Where no motion has the firm ones, they are `far`: the nearest that a motion has.
    """

    speeds: Array
    others: tuple[Array, ...] = ()
    far: bool = False


def misfits(bending: Bending, loops: Loops, x: Array, w: Array) -> tuple[Array, Array]:
    """For each trajectory: do its speeds belong to no motion, and are there such speeds at all in its posture?"""
    slopes, drift = loops.speed_slopes(x, w)
    moving = slopes.any(axis=(0, 2))  # of a loop in a plane, half of its gaps never open, and nothing closes them
    u, s, vt = np.linalg.svd(slopes[:, moving])
    held = np.zeros((len(x), u.shape[1]), dtype=bool)
    held[:, : s.shape[1]] = s > _NONE
    turned = np.zeros((len(x), slopes.shape[2]), dtype=bool)
    turned[:, : s.shape[1]] = s > _NONE
    # One direction of the kernel at random shows whether any of its directions bends a gap that nothing can close.
    mixed = np.random.default_rng(0).normal(size=slopes.shape[2])
    probe = np.einsum("kij,ki->kj", vt, np.where(turned, 0.0, mixed))
    size = np.maximum(np.abs(w).max(axis=1, initial=0.0), np.abs(drift).max(axis=1, initial=0.0))
    still = bending.at(loops, x, np.zeros_like(w))
    whole = bending.at(loops, x, w)
    bent = _left(u, held, moving, whole) > _BENT * size**2 + _ROUNDED * np.abs(whole).max(axis=1, initial=0.0)
    even = (bending.at(loops, x, probe) + bending.at(loops, x, -probe)) / 2 - still
    return bent, _left(u, held, moving, even) > _BENT * (probe**2).sum(axis=1)


def _left(u: Array, held: Array, moving: Array, bend: Array) -> Array:
    """The part that no acceleration can close."""
    left, some = bend.copy(), bend[:, moving]
    inside = np.where(held, np.einsum("kij,ki->kj", u, some), 0.0)
    left[:, moving] -= np.einsum("kij,kj->ki", u, inside)
    return np.abs(left).max(axis=1, initial=0.0)


def allowed_speeds(
    bending: Bending,
    loops: Loops,
    x: Array,
    w: Array,
    asked: Sequence[int],
    firm: int,
    metric: Callable[[], Array],
) -> Allowed:
    """Speeds of a motion of one trajectory: those asked for are kept, the rest has the least kinetic energy.

    Where no motion has them all, the later ones give way, as little as they can: firm ones as far as people round.
    `metric` is the mass matrix on all speeds, in natural units.
    """
    at = _Conditions.of(bending, loops, x, w)
    found = at.solutions(asked, metric)
    if found:
        return Allowed(found[0], tuple(found[1:]))
    near = w[:1] * 0.0
    for count in range(len(asked) - 1, -1, -1):
        near = np.array(at.solutions(asked[:count], None) or near)
        shift = np.abs(near[0] - w[0])[list(asked[:firm])].max(initial=0.0)
        if shift <= WRITTEN * np.abs(w).max(initial=0.0):
            return Allowed(near[0])
    return Allowed(near[0], far=True)


@dataclass(frozen=True, slots=True)
class _Conditions:
    """y bend(w + kernel c) = 0, in numbers: `bend` is called for many speeds at once."""

    bend: Callable[[Array], Array]
    slopes: Array
    left: Array
    begin: Array
    size: float

    @staticmethod
    def of(bending: Bending, loops: Loops, x: Array, w: Array) -> _Conditions:
        slopes, drift = loops.speed_slopes(x, w)
        u, s, _ = np.linalg.svd(slopes[0])
        size = max(np.abs(w).max(initial=0.0), np.abs(drift).max(initial=0.0))

        def bend(speeds: Array) -> Array:
            same = [0] * len(speeds)
            return bending.at(loops.only(same), x[same], speeds)

        return _Conditions(bend, slopes[0], u[:, (s > _NONE).sum() :], w[0], float(size) or 1.0)  # at rest: any size

    def solutions(self, kept: Sequence[int], metric: Callable[[], Array] | None) -> list[Array]:
        """Speeds that meet the conditions, those of `kept` as they are: least first, by the metric or by distance."""
        n = len(self.begin)
        held = np.concatenate([self.slopes, np.eye(n)[list(kept)]])
        _, s, vt = np.linalg.svd(held)
        free = vt[(s > _NONE).sum() :].T
        if not free.shape[1]:
            return []
        forms = self._forms(free)
        if metric is None:
            mass, pull = np.eye(n), np.zeros(n)
        else:
            mass = metric()
            mass = mass / max(np.abs(mass).max(initial=0.0), 1e-300) + _MASSLESS * np.eye(n)
            pull = self.begin / self.size
        square, linear = free.T @ mass @ free, free.T @ mass @ pull
        rng = np.random.default_rng(0)
        starts = [np.zeros(free.shape[1]), *rng.normal(size=(_TRIES, free.shape[1])) * 2.0]
        found: list[tuple[float, Array]] = []
        for start in starts:
            c = forms.solved(start, square, linear)
            if c is None or any(np.abs(c - other).max() < _APART * (1 + np.abs(c).max()) for _, other in found):
                continue
            found.append((float(c @ square @ c / 2 + linear @ c), c))
        ordered = sorted(found, key=lambda one: one[0])
        return [self._with_zeros(self.begin + self.size * (free @ c), kept) for _, c in ordered]

    def _with_zeros(self, speeds: Array, kept: Sequence[int]) -> Array:
        """Values that are kept to the last digit, and no rounding of zeros."""
        found = np.where(np.abs(speeds) < 1e-15 * np.abs(speeds).max(initial=0.0), 0.0, speeds)
        found[list(kept)] = self.begin[list(kept)]
        return found

    def _forms(self, free: Array) -> _Forms:
        """The conditions as polynomials of c, over the square of the speeds; equal ones once."""
        p = free.shape[1]
        pairs = [(i, j) for i in range(p) for j in range(i, p)]
        base = self.begin / self.size
        steps = [np.zeros(p), *np.eye(p), *(-np.eye(p)), *(np.eye(p)[i] + np.eye(p)[j] for i, j in pairs if i != j)]
        speeds = np.array([base + free @ c for c in steps]) * self.size
        values = self.bend(speeds) @ self.left / self.size**2
        constant, plus, minus = values[0], values[1 : p + 1], values[p + 1 : 2 * p + 1]
        linear = (plus - minus) / 2
        square = np.zeros((values.shape[1], p, p))
        for i in range(p):
            square[:, i, i] = (plus[i] + minus[i]) / 2 - constant
        for (i, j), value in zip([one for one in pairs if one[0] != one[1]], values[2 * p + 1 :], strict=True):
            square[:, i, j] = square[:, j, i] = (value - plus[i] - plus[j] + constant) / 2
        table = np.concatenate([constant[:, None], linear.T, square.reshape(len(constant), -1)], axis=1)
        _, s, vt = np.linalg.svd(table, full_matrices=False)
        rows = (s[:, None] * vt)[s > _BENT]
        return _Forms(rows[:, 0], rows[:, 1 : p + 1], rows[:, p + 1 :].reshape(-1, p, p))


@dataclass(frozen=True, slots=True)
class _Forms:
    """constant + linear c + c square c, one of each for every condition."""

    constant: Array
    linear: Array
    square: Array

    def at(self, c: Array) -> tuple[Array, Array]:
        slopes = self.linear + 2 * self.square @ c
        return self.constant + (self.linear + self.square @ c) @ c, slopes

    def solved(self, c: Array, mass: Array, pull: Array) -> Array | None:
        """The zero with the least c mass c / 2 + pull c, from here: Newton across the zeros, then along them."""
        best, found = np.inf, c
        for _ in range(_STEPS):
            value, slopes = self.at(c)
            share = float(np.abs(value).max(initial=0.0) / (1 + c @ c))
            if share < best or share < 1e-14:
                best, found = min(share, best), c
            u, s, vt = np.linalg.svd(slopes)
            rank = int((s > _FREE * max(1.0, float(s.max(initial=0.0)))).sum())
            across = vt[:rank].T @ ((u[:, :rank].T @ value) / s[:rank])
            along = vt[rank:].T
            step = -across
            if along.shape[1]:
                inner = along.T @ mass @ along
                step = step - along @ np.linalg.solve(inner, along.T @ (mass @ (c - across) + pull))
            length = float(np.linalg.norm(step))
            longest = 1 + float(np.linalg.norm(c))
            c = c + step * min(1.0, longest / length) if length else c
            if length < 1e-15 * longest:
                break
        return found if best < _SOLVED else None
