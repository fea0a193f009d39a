"""Many contacts with friction at once: Newton's method on an augmented Lagrangian, for problems that sweeps creep in.

    P = proj_K( P0 - r (u + mu |u_t| n) ),     u = L x + b,     x = L^T P,     W = L L^T

For fixed P0 and |u_t| the x is where a convex function is least: Newton's steps with a search along them find it. Then
P0 and |u_t| are taken from there, with firmer r. x is what impulses do to the speeds, in the kinetic metric: it has as
many entries as W has rank, and stays of the size of b where bodies are so unlike that impulses grow by decades. Rows
may depend on each other: impulses that are one of many stay near those that they began with.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dalembert.contact.cones import project
from dalembert.contact.coulomb import Frictional

Array = NDArray[np.float64]

_FIRM, _FIRMEST = 1e2, 1e10
"""r of the first round of a balanced problem (compliances are 1), and of the last: a round divides the fault by r times
the least compliance, which is 1e-8 where masses differ by 1e6; more would leave no digits to the impulses."""
_AGAIN = 8
"""Rounds without half the fault after which r begins anew from the best: soft rounds let slips turn that firm ones
throw to and fro."""
_NOTHING = 1e-14
"""A singular value of a balanced matrix, as a share of the largest, that is rounding."""
_ROUNDS, _PATIENCE, _STEPS, _HALVINGS = 300, 40, 60, 40
"""Rounds, those without half the fault after which they end, steps of Newton in each, and halvings along one. The slip
|u_t| follows by rounds: tens where all slips, and more where what slips hardly does."""
_CALM = 1e-23
"""The square of a step of Newton, as a share of the square of what contacts change, that is rounding."""
_OBEYED = 1e-10
"""Fault (natural map over |b|) at which rounds end; the pattern that shows is solved to rounding afterwards."""
_MARGINS, _STOPPING, _FALLS = (0.1, 1e-2, 1e-3), 20, 0.5
"""How much narrower the cones are and rounds, where everything is to be stopped; and the share by which the speeds that
are left must fall in a round of the firmest r."""
_GROWTH = 12
"""Steps in which friction grows: in six, contacts that hardly push are still thrown to the other side."""
_SLOW, _PUSHES, _STILL = 1e-6, 1e-6, 1e-13
"""Speeds left, as shares of |b|, from which the last digits are solved for, and at which all is still; the share of the
largest impulse from which on a contact takes part in that."""


def newton(problem: Frictional, guess: Array | None = None) -> Array:
    """Impulses of a balanced problem, in their cones; how well they obey the law is for the caller to ask."""
    right, cones, factors = problem.right, _Cones(problem), _factors(problem.matrix)
    p = np.zeros(len(right)) if guess is None else guess.copy()
    firm, best, least, mark, waiting = _FIRM, p, np.inf, np.inf, 0
    size = float(np.linalg.norm(right)) or 1.0
    for _ in range(_ROUNDS):
        u = problem.matrix @ p + right
        p = _least(factors, right + problem.lifted(u) - u, p, firm, cones)
        u = problem.lifted(problem.matrix @ p + right)
        missed = float(np.linalg.norm(p - cones.nearest(p - u))) / size
        if not np.isfinite(missed):
            break
        if missed < least:
            best, least = p, missed
        mark, waiting = (least, 0) if least <= mark / 2 else (mark, waiting + 1)
        if missed <= _OBEYED or waiting > _PATIENCE:
            break
        if waiting % _AGAIN == _AGAIN - 1:
            p, firm = best, _FIRM
        else:
            firm = min(100 * firm, _FIRMEST)
    return best


def grown(problem: Frictional) -> Array:
    """The same with friction that grows from none, where the problem is convex: each answer is near to the one before.

    From elsewhere rounds may end where the fault is least and not nothing.
    """
    p: Array | None = None
    for share in np.linspace(0, 1, _GROWTH, endpoint=False):
        p = newton(problem.narrower(float(share)), p)
    return newton(problem, p)


def stopped(problem: Frictional) -> Array | None:
    """Impulses of a balanced problem that stop everything at once, to rounding; None where none are found.

    Where more rows meet than there are freedoms, such impulses fill a set, and sweeps creep along its border. With all
    at rest nothing lifts: they are where P W P / 2 + b P is least over the cones, a convex problem. Cones that are a
    little narrower leave room for the last digits, which the contacts that push share.
    """
    matrix, right, factors = problem.matrix, problem.right, _factors(problem.matrix)
    size = float(np.abs(right).max(initial=0.0))
    for margin in _MARGINS:
        cones = _Cones(problem.narrower(1 - margin))
        p, firm, before = np.zeros(len(right)), _FIRM, np.inf
        for _ in range(_STOPPING):
            p = _least(factors, right, p, firm, cones)
            firm = min(100 * firm, _FIRMEST)
            left = float(np.abs(matrix @ p + right).max())
            if not left <= _SLOW * size:
                if not left < _FALLS * before and firm == _FIRMEST:
                    break  # what is left does not fall any more: nothing stops it
                before = left
                continue
            pushing = [i for i, k in enumerate(problem.starts) if p[k] > _PUSHES * np.abs(p).max()]
            places = [k for i in pushing for k in range(problem.block(i).start, problem.block(i).stop)]
            new = 0 * p
            new[places] = p[places]
            missing = matrix @ new + right
            new[places] -= np.linalg.lstsq(matrix[:, places], missing, rcond=1e-12)[0]
            if np.abs(matrix @ new + right).max() <= _STILL * size and _all_inside(problem, new):
                return new
    return None


def _factors(matrix: Array) -> tuple[Array, Array]:
    """L and R with W = L R^T, of as many columns as its rank; the same where W is symmetric.

    It is not where constraints push elsewhere than along their law.
    """
    u, values, v = np.linalg.svd(matrix)
    kept = values > _NOTHING * values.max(initial=0.0)
    root = np.sqrt(values[kept])
    if np.abs(matrix - matrix.T).max(initial=0.0) <= _NOTHING * values.max(initial=0.0):
        return u[:, kept] * root, u[:, kept] * root
    return u[:, kept] * root, v[kept].T * root


def _all_inside(problem: Frictional, p: Array) -> bool:
    pairs = zip(problem.starts, problem.discs, strict=True)
    return all(p[n] >= 0 and all(disc.size(p) <= disc.mu * p[n] for disc in discs) for n, discs in pairs)


def _least(factors: tuple[Array, Array], right: Array, first: Array, firm: float, cones: _Cones) -> Array:
    """P = proj_K(first - firm (L x + right)) with x = R^T P, or as near as Newton gets."""
    to_rates, of_pulses = factors
    x = of_pulses.T @ first
    identity = np.eye(len(x))
    p = first
    for _ in range(_STEPS):
        u = to_rates @ x + right
        p, slope = cones.with_slope(first - firm * u)
        down = of_pulses.T @ p - x
        try:
            step = np.linalg.solve(identity + firm * (of_pulses.T @ slope @ to_rates), down)
        except np.linalg.LinAlgError:
            break
        falling = float(down @ step)
        if not falling > _CALM * float(x @ x + (of_pulses.T @ p) ** 2 @ np.ones(len(x))) + 1e-300:
            break
        along = to_rates @ step
        low, high, share = 0.0, 1.0, 1.0
        for _ in range(_HALVINGS):
            there = cones.nearest(first - firm * (u + share * along))
            left = float((of_pulses.T @ there - x - share * step) @ step)
            if left < -0.5 * falling:
                high = share
            elif left > 0.5 * falling and high < 1.0:
                low = share
            else:
                break
            share = (low + high) / 2
        x = x + share * step
    return p


class _Cones:
    """The product of the cones of all contacts; those that slide alone, all in as many directions, at once."""

    def __init__(self, problem: Frictional) -> None:
        self.parts = list(zip(problem.starts, problem.discs, strict=True))
        sizes = {tuple(disc.stop - disc.start for disc in discs) for discs in problem.discs}
        self.across = len(problem.right) // len(self.parts) - 1 if len(sizes) == 1 and len(min(sizes)) == 1 else 0
        self.mu = problem.mu

    def nearest(self, x: Array) -> Array:
        """The nearest point."""
        if self.across:
            return self._alike(x)[0].ravel()
        point = np.zeros(len(x))
        for normal, discs in self.parts:
            project(x, normal, discs, point)
        return point

    def with_slope(self, x: Array) -> tuple[Array, Array]:
        """The nearest point, and its derivative."""
        if self.across:
            return self._alike_with_slope(x)
        point, slope = np.zeros(len(x)), np.zeros((len(x), len(x)))
        for normal, discs in self.parts:
            project(x, normal, discs, point, slope)
        return point, slope

    def _alike(self, x: Array) -> tuple[Array, Array, Array, NDArray[np.bool_], NDArray[np.bool_]]:
        """Points of all contacts, sizes along, the normal parts on borders, and which are inside and on borders."""
        rows = x.reshape(-1, 1 + self.across)
        size = np.abs(rows[:, 1]) if self.across == 1 else np.sqrt(rows[:, 1] ** 2 + rows[:, 2] ** 2)
        inside = (size <= self.mu * rows[:, 0]) & (rows[:, 0] > 0)
        top = (rows[:, 0] + self.mu * size) / (1 + self.mu**2)
        border = ~inside & (top > 0)
        share = np.where(border, self.mu * top / np.where(size > 0, size, 1.0), np.where(inside, 1.0, 0.0))
        point = np.empty_like(rows)
        point[:, 0] = np.where(border, top, np.where(inside, rows[:, 0], 0.0))
        point[:, 1:] = share[:, None] * rows[:, 1:]
        return point, size, share, inside, border

    def _alike_with_slope(self, x: Array) -> tuple[Array, Array]:
        point, size, share, inside, border = self._alike(x)
        rows, count = x.reshape(-1, 1 + self.across), 1 + self.across
        blocks = np.zeros((len(rows), count, count))
        blocks[inside] = np.eye(count)
        way = rows[border, 1:] / size[border, None]
        ray = np.concatenate([np.ones((len(way), 1)), self.mu[border, None] * way], axis=1)
        across = share[border, None, None] * (np.eye(self.across) - way[:, :, None] * way[:, None, :])
        some = ray[:, :, None] * ray[:, None, :] / (1 + self.mu[border] ** 2)[:, None, None]
        some[:, 1:, 1:] += across
        blocks[border] = some
        slope = np.zeros((len(rows), count, len(rows), count))
        each = np.arange(len(rows))
        slope[each, :, each, :] = blocks
        return point.ravel(), slope.reshape(len(x), len(x))
