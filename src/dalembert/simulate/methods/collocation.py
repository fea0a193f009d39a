"""One long step as a polynomial that obeys the equations at Gauss's points, all of them off a posture to be passed.

    y(t) = y0 + integral of f,   f = rates at the nearest states that the constraints allow

At a singular posture rows of the constraints are lost and accelerations are 0/0; the motion on its branch is as smooth
there as elsewhere. A polynomial that obeys the equations on both sides, at a distance, tells it in between. A path with
a kink, from one branch to another, is no polynomial: what is left between states and constraints shows it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.polynomial import legendre

from dalembert.simulate.loop.dense import Manifold
from dalembert.simulate.methods.problem import Array

NODES = 12
"""Even, so that no node falls on the middle; of degree 24, so that a fifth of a radian is told to the last digits."""
_ROUNDS = 60
"""Of the iteration, which gains a digit or more a round on steps that are worth to be made."""
_PATIENCE = 15
"""Rounds after which one that gains nothing ends the iteration."""
_CONVERGED = 1e-14
"""Change of a round, in parts of each state's scale: rounding."""
_FAR = 1e3
"""Change, in the same scales, of an iteration that leads nowhere."""
_KINKED = 1e-4
"""Of states that no longer change, how far they may be from the constraints: else they lie on two branches."""
SMOOTH, NOISY = 1e-9, 1e-7
"""What the last round changes: rounding of one part in 1e16, over the square of the angle that nodes keep from the
singular posture, a thousandth of a radian or more; and what is better than the steps that would stay."""


def _integrals(x: Array) -> Array:
    """Integrals of the Legendre polynomials over [0, (x + 1) / 2]: a row for each x."""
    found: Array = legendre.legvander(x, NODES) @ _INTEGRATED
    return found


_INTEGRATED = np.array([legendre.legint(one, lbnd=-1) / 2 for one in np.eye(NODES)]).T
_GAUSS = legendre.leggauss(NODES)[0]
_FIT = np.linalg.inv(legendre.legvander(_GAUSS, NODES - 1))
PARTS = (_GAUSS + 1) / 2
"""Gauss's points on [0, 1]."""


@dataclass(frozen=True, slots=True, eq=False)
class Polynomial:
    """The state on a step from `t` of length `h` that is `y` at its part `base`."""

    t: float
    h: float
    y: Array
    base: float
    coefficients: Array
    noise: float = np.inf

    @property
    def nodes(self) -> Array:
        return self.t + self.h * PARTS

    def at(self, times: Array) -> Array:
        """States, a row for each time."""
        sums = _integrals(2 * (times - self.t) / self.h - 1) - _integrals(np.array([2 * self.base - 1]))
        found: Array = self.y + self.h * sums @ self.coefficients
        return found

    def slopes(self, times: Array) -> Array:
        found: Array = legendre.legvander(2 * (times - self.t) / self.h - 1, NODES - 1) @ self.coefficients
        return found


def collocated(
    rates: Callable[[float, Array], Array], manifold: Manifold, scales: Array, begin: Polynomial, guess: Array
) -> Polynomial | None:
    """The polynomial on the step of `begin`, from guessed states at its nodes; nothing where none is found."""
    times, states, before = begin.nodes, guess.copy(), np.inf
    for round_ in range(_ROUNDS):
        allowed = states.copy()
        manifold.bring_back(times, allowed)
        if not np.isfinite(allowed).all():
            return None
        made = replace(begin, coefficients=_FIT @ np.array([rates(*one) for one in zip(times, allowed, strict=True)]))
        new = made.at(times)
        change = float(np.max(np.abs(new - states) / scales))
        lack = float(np.max(np.abs(allowed - states) / scales))
        if not change < _FAR or (change < _KINKED * lack and lack > _KINKED):
            return None
        states, stays = new, change > before / 2
        if change < _CONVERGED or (stays and max(change, lack) < SMOOTH) or (stays and round_ >= _PATIENCE):
            return replace(made, noise=max(change, lack)) if max(change, lack) < NOISY else None
        before = change
    return None
