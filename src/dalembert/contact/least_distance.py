"""The nearest point to the origin that obeys R x + b >= 0: a dual active set (Goldfarb and Idnani 1983), finite.

Rows are those of the contacts in the kinetic metric, x is L^T (a - a_free) with M = L L^T, so that |x|^2 / 2 is Gauss's
constraint. The distance grows with every full step, so that no set of active rows returns. A row that depends on the
active ones is entered by a step of the multipliers alone; where nothing blocks that step, the dependency proves that no
x obeys all rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

DEPENDENT = 1e-9
"""What is left of a unit row beside the active ones, below which it depends on them: rounding of a product is 1e-16,
and half the digits tell a nearly parallel row from a parallel one."""
VIOLATED = 1e-12
"""A row of unit length is violated by more than this share of the largest right side."""
_MOST = 20
"""Changes of the active set for each row, at most."""


@dataclass(frozen=True, slots=True)
class Nearest:
    """x with its multipliers (x = R^T l) and active rows, or a proof y >= 0, R^T y = 0, y.b < 0 that there is none."""

    x: Array
    multipliers: Array
    active: tuple[int, ...]
    proof: Array | None = None


def nearest(rows: Array, right: Array, guess: tuple[int, ...] = ()) -> Nearest:
    """The least |x| with rows @ x + right >= 0; `guess` names rows that were active at the last instant.

    >>> import numpy as np
    >>> nearest(np.array([[1.0, 0.0], [1.0, 1.0]]), np.array([-1.0, -3.0])).x
    array([1.5, 1.5])
    """
    count, n = rows.shape
    sizes = np.sqrt((rows**2).sum(axis=1))
    sizes[sizes == 0] = 1.0
    unit, b = rows / sizes[:, None], right / sizes
    none = VIOLATED * np.abs(b).max(initial=0.0)
    multipliers, active, x = np.zeros(count), list[int](), np.zeros(n)
    if guess:
        found = _warm(unit, b, guess, none)
        if found is not None:
            x, multipliers, active = found
    for _ in range(_MOST * (count + 1)):
        slack = unit @ x + b
        slack[active] = 0.0
        new = int(np.argmin(slack)) if count else -1
        if new < 0 or slack[new] >= -none:
            break
        x, proof = _enter(unit, b, x, multipliers, active, new)
        if proof is not None:
            return Nearest(x, multipliers / sizes, tuple(active), proof / sizes)
    if active:  # once more from the active rows alone: what many small steps have rounded is gone
        exact = np.linalg.lstsq(unit[active] @ unit[active].T, -b[active], rcond=None)[0]
        if (exact >= 0).all():
            multipliers[active] = exact
            x = unit[active].T @ exact
    return Nearest(x, multipliers / sizes, tuple(sorted(active)))


def _warm(unit: Array, b: Array, guess: tuple[int, ...], none: float) -> tuple[Array, Array, list[int]] | None:
    """Start at rows that were active, if they are independent and push."""
    active = [i for i in guess if i < len(b)]
    some = unit[active]
    if np.linalg.matrix_rank(some, DEPENDENT) < len(active):
        return None
    pushes = np.linalg.solve(some @ some.T, -b[active])
    if (pushes < 0).any():
        return None
    multipliers = np.zeros(len(b))
    multipliers[active] = pushes
    return some.T @ pushes, multipliers, active


def _enter(
    unit: Array, b: Array, x: Array, multipliers: Array, active: list[int], new: int
) -> tuple[Array, Array | None]:
    """Bring one violated row in; rows whose multiplier reaches zero on the way go out."""
    while True:
        held = unit[active]
        shares = np.linalg.lstsq(held.T, unit[new], rcond=None)[0] if active else np.zeros(0)
        left = unit[new] - shares @ held if active else unit[new]
        free = float(left @ left) > DEPENDENT**2
        falling = [k for k in range(len(active)) if shares[k] > DEPENDENT]
        blocked = min((multipliers[active[k]] / shares[k] for k in falling), default=np.inf)
        full = -(unit[new] @ x + b[new]) / float(left @ left) if free else np.inf
        step = min(blocked, full)
        if step == np.inf:
            proof = np.zeros(len(b))
            proof[new] = 1.0
            proof[active] = np.maximum(-shares, 0.0)
            return x, proof
        if free:
            x = x + step * left
        multipliers[active] -= step * shares
        multipliers[new] += step
        if full <= blocked:
            active.append(new)
            return x, None
        out = min(falling, key=lambda k: multipliers[active[k]] / shares[k])
        multipliers[active[out]] = 0.0
        del active[out]
