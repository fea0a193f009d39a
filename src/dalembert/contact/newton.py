"""Many contacts with friction at once: Newton's method on an augmented Lagrangian, for problems that sweeps creep in.

    P = proj_K( P0 - r (u + mu |u_t| n) ),     u = W P + b

For fixed P0 and |u_t| and a symmetric W the answer u = W x + b is where a convex function of x is least: Newton's steps
with a search along them find it. Then P0 and |u_t| are taken from there, with firmer r. Rows may depend on each other:
impulses that are one of many stay near those that they began with.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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


def newton(problem: Frictional, guess: Array | None = None) -> Array:
    """Impulses of a balanced problem, in their cones; how well they obey the law is for the caller to ask."""
    matrix, right = problem.matrix, problem.right
    starts = np.array(problem.starts)
    cones = _Cones(problem)
    p = np.zeros(len(right)) if guess is None else guess.copy()
    firm, best, least = _FIRM, p, np.inf
    size = float(np.linalg.norm(right)) or 1.0
    for _ in range(_ROUNDS):
        u = matrix @ p + right
        lifted = right.copy()
        lifted[starts] += problem.mu * cones.slips(u)
        found = _least(matrix, lifted, p, firm, cones)
        if found is None:
            break
        p = found
        u = matrix @ p + right
        u[starts] += problem.mu * cones.slips(u)
        missed = float(np.linalg.norm(p - cones.nearest(p - u)[0])) / size
        if missed < least:
            best, least = p, missed
        if missed <= _OBEYED:
            break
        firm = min(100 * firm, _FIRMEST)
    return best


def _least(matrix: Array, right: Array, first: Array, firm: float, cones: _Cones) -> Array | None:
    """P = proj_K(first - firm (W x + right)) with x = P; None if Newton does not get there."""
    x = first.copy()
    identity = np.eye(len(x))
    for _ in range(_STEPS):
        u = matrix @ x + right
        p, slope = cones.nearest(first - firm * u)
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
            there = cones.nearest(first - firm * (u + share * along))[0]
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
    """The product of the cones |x_t| <= mu x_n of all contacts."""

    def __init__(self, problem: Frictional) -> None:
        self.parts = [problem.block(i) for i in range(len(problem.tangents))]
        self.mu = [float(mu) for mu in problem.mu]

    def slips(self, u: Array) -> Array:
        """|u_t| of each contact."""
        return np.array([float(np.sqrt(u[s.start + 1 : s.stop] @ u[s.start + 1 : s.stop])) for s in self.parts])

    def nearest(self, x: Array) -> tuple[Array, Array]:
        """The nearest point, and its derivative."""
        point, slope = np.zeros(len(x)), np.zeros((len(x), len(x)))
        for part, mu in zip(self.parts, self.mu, strict=True):
            n, t = float(x[part.start]), x[part.start + 1 : part.stop]
            size = float(np.sqrt(t @ t))
            if size <= mu * n and n > 0:
                point[part] = x[part]
                slope[part, part] = np.eye(1 + len(t))
            elif mu * size < -n or (n <= 0 and size == 0):
                continue
            elif size == 0:
                point[part.start], slope[part.start, part.start] = n, 1.0
            else:
                ray = np.concatenate([[1.0], mu * t / size])
                along = (n + mu * size) / (1 + mu * mu)
                point[part] = along * ray
                slope[part, part] = np.outer(ray, ray) / (1 + mu * mu)
                across = np.eye(len(t)) - np.outer(t, t) / size**2
                slope[part.start + 1 : part.stop, part.start + 1 : part.stop] += mu * along / size * across
        return point, slope
