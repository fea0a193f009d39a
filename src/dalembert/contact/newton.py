"""Many contacts with friction at once: Newton's method on an augmented Lagrangian, for problems that sweeps creep in.

    P = proj_K( P0 - r (u + mu |u_t| n) ),     u = W P + b

For fixed P0 and |u_t| and a symmetric W the answer u = W x + b is where a convex function of x is least: Newton's steps
with a search along them find it. Then P0 and |u_t| are taken from there, with firmer r. Rows may depend on each other:
impulses that are one of many stay near those that they began with.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dalembert.contact.cones import project
from dalembert.contact.coulomb import Frictional

Array = NDArray[np.float64]

_FIRM, _FIRMEST = 1e2, 1e6
"""r of the first round of a balanced problem (compliances are 1), and of the last: see `crowd.direct`."""
_ROUNDS, _STEPS, _HALVINGS = 40, 60, 40
"""Rounds, steps of Newton in each, and halvings along one. The slip |u_t| follows by rounds: tens where all slips."""
_CALM = 1e-23
"""The square of a step of Newton, as a share of the square of what contacts change, that is rounding."""
_OBEYED = 1e-10
"""Fault (natural map over |b|) at which rounds end; the pattern that shows is solved to rounding afterwards."""
_MARGINS, _STOPPING, _STOPS = (0.1, 1e-2, 1e-3), 20, 1e4
"""How much narrower the cones are, rounds, and r, where everything is to be stopped."""
_SLOW, _PUSHES, _STILL = 1e-6, 1e-6, 1e-13
"""Speeds left, as shares of |b|, from which the last digits are solved for, and at which all is still; the share of the
largest impulse from which on a contact takes part in that."""


def newton(problem: Frictional, guess: Array | None = None) -> Array:
    """Impulses of a balanced problem, in their cones; how well they obey the law is for the caller to ask."""
    matrix, right = problem.matrix, problem.right
    cones = _Cones(problem)
    p = np.zeros(len(right)) if guess is None else guess.copy()
    firm, best, least = _FIRM, p, np.inf
    size = float(np.linalg.norm(right)) or 1.0
    for _ in range(_ROUNDS):
        u = matrix @ p + right
        found = _least(matrix, right + problem.lifted(u) - u, p, firm, cones)
        if found is None:
            break
        p = found
        u = problem.lifted(matrix @ p + right)
        missed = float(np.linalg.norm(p - cones.nearest(p - u))) / size
        if missed < least:
            best, least = p, missed
        if missed <= _OBEYED:
            break
        firm = min(100 * firm, _FIRMEST)
    return best


def stopped(problem: Frictional) -> Array | None:
    """Impulses of a balanced problem that stop everything at once, to rounding; None where none are found.

    Where more rows meet than there are freedoms, such impulses fill a set, and sweeps creep along its border. With all
    at rest nothing lifts: they are where P W P / 2 + b P is least over the cones, a convex problem. Cones that are a
    little narrower leave room for the last digits, which the contacts that push share.
    """
    matrix, right = problem.matrix, problem.right
    size = float(np.abs(right).max(initial=0.0))
    for margin in _MARGINS:
        cones = _Cones(problem.narrower(1 - margin))
        p, firm = np.zeros(len(right)), _FIRM
        for _ in range(_STOPPING):
            found = _least(matrix, right, p, firm, cones)
            if found is None:
                break
            p, firm = found, min(100 * firm, _STOPS)
            left = matrix @ p + right
            if np.abs(left).max() > _SLOW * size:
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


def _all_inside(problem: Frictional, p: Array) -> bool:
    pairs = zip(problem.starts, problem.discs, strict=True)
    return all(p[n] >= 0 and all(disc.size(p) <= disc.mu * p[n] for disc in discs) for n, discs in pairs)


def _least(matrix: Array, right: Array, first: Array, firm: float, cones: _Cones) -> Array | None:
    """P = proj_K(first - firm (W x + right)) with x = P; None if Newton does not get there."""
    x = first.copy()
    identity = np.eye(len(x))
    for _ in range(_STEPS):
        u = matrix @ x + right
        p, slope = cones.with_slope(first - firm * u)
        try:
            step = np.linalg.solve(identity + firm * slope @ matrix, p - x)
        except np.linalg.LinAlgError:  # constraints that push elsewhere than along their law: W is not symmetric
            return None
        along = matrix @ step
        falling = float((p - x) @ along)
        if falling <= _CALM * float(np.abs(p) @ np.abs(matrix @ p)) + 1e-300:
            return p
        low, high, share = 0.0, 1.0, 1.0
        for _ in range(_HALVINGS):
            there = cones.nearest(first - firm * (u + share * along))
            left = float((there - x - share * step) @ along)
            if left < -0.5 * falling:
                high = share
            elif left > 0.5 * falling and high < 1.0:
                low = share
            else:
                break
            share = (low + high) / 2
        x = x + share * step
        if not np.isfinite(x).all():
            return None
    return None


class _Cones:
    """The product of the cones of all contacts."""

    def __init__(self, problem: Frictional) -> None:
        self.parts = list(zip(problem.starts, problem.discs, strict=True))

    def nearest(self, x: Array) -> Array:
        """The nearest point."""
        point = np.zeros(len(x))
        for normal, discs in self.parts:
            project(x, normal, discs, point)
        return point

    def with_slope(self, x: Array) -> tuple[Array, Array]:
        """The nearest point, and its derivative."""
        point, slope = np.zeros(len(x)), np.zeros((len(x), len(x)))
        for normal, discs in self.parts:
            project(x, normal, discs, point, slope)
        return point, slope
