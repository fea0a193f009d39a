"""Impact of one contact with planar friction as a path (Darboux, Keller): piecewise linear in the normal impulse.

du/dP_n = W (1, tau): tau = -mu sign(u_t) while it slips; once u_t = 0 it sticks if mu allows, else slips back.
Compression ends at u_n = 0. Restitution ends at (1 + e) of the impulse of compression (Poisson), or when e^2 of the
work absorbed is given back (Stronge). Neither creates energy for e <= 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.contact.impact import check_restitution
from dalembert.errors import ContactError

Array = NDArray[np.float64]

# Share of a sum below which it is rounding: rates that meet zero together (machines of one freedom, whose two rows are
# along each other), and mobilities that sticking takes away altogether. W is a product of three matrices, so a few
# hundred eps.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class PathImpact:
    """Impulses (normal, tangential), rates after, energy change, and the pieces: slip, stick, reversed slip."""

    impulses: Array
    rates: Array
    energy: float
    pieces: tuple[str, ...]


def path_impact(
    matrix: ArrayLike, before: ArrayLike, mu: float, e: float, law: Literal["poisson", "stronge"] = "poisson"
) -> PathImpact:
    """Follow the impact of one planar contact from u- = (normal, tangential) to its end.

    A contact that slips into jamming (Painleve) has an impact without collision: u_n- may be zero.

    >>> W = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> path_impact(W, [-1.0, 0.1], 0.5, 0.5).rates.tolist()
    [0.5, 0.0]
    """
    check_restitution(e)
    w, u = np.asarray(matrix, dtype=float), np.asarray(before, dtype=float).copy()
    start, p, pieces, work = u.copy(), np.zeros(2), list[str](), 0.0
    absorbed, target, given = 0.0, np.inf, 0.0
    compressing = True
    for _ in range(12):
        state, tau, slope = _piece(w, u, mu)
        ends: list[tuple[float, str]] = []
        if state == "slip" and slope[1] * u[1] < 0:
            ends.append((-u[1] / slope[1], "stop"))
        if compressing:
            if slope[0] > 0 or (u[0] >= 0 and slope[0] == 0):
                ends.append((-u[0] / slope[0] if u[0] < 0 else 0.0, "compressed"))
        elif law == "poisson":
            ends.append((target - p[0], "end"))
        else:
            wanted = e * e * absorbed - given  # u_n s + slope s^2 / 2 = wanted
            root = u[0] ** 2 + 2 * slope[0] * wanted
            if wanted <= 0 or (u[0] == 0 and slope[0] == 0):  # all is given back, or it is wedged and nothing moves
                ends.append((0.0, "end"))
            elif root >= 0:
                ends.append(((2 * wanted) / (u[0] + np.sqrt(root)), "end"))
        if not ends:
            raise ContactError("the impact does not end: friction and inertia drive the contact inwards for ever.")
        length, why = min(ends)
        length = max(length, 0.0)
        done = u[0] * length + slope[0] * length**2 / 2
        work += done
        if compressing:
            absorbed -= done
        else:
            given += done
        u = _sum(u, length * slope)
        p = p + length * np.array([1.0, tau])
        pieces.append(state)
        if why == "stop":
            u[1] = 0.0
        elif why == "compressed":
            u[0], compressing, target = 0.0, False, (1 + e) * p[0]
        if why == "end":
            break
    energy = float((u + start) @ p / 2)
    return PathImpact(p, u, energy, tuple(dict.fromkeys(pieces)))


def _piece(w: Array, u: Array, mu: float) -> tuple[str, float, Array]:
    """Slip or stick, the ratio tau of tangential to normal impulse, and du/dP_n."""
    if u[1] != 0:
        tau = -mu * float(np.sign(u[1]))
        return "slip", tau, w @ np.array([1.0, tau])
    if w[1, 1] == 0:  # no impulse changes its slip, which is none: nothing rubs
        return "stick", 0.0, np.array([w[0, 0], 0.0])
    hold = -w[1, 0] / w[1, 1]
    if abs(hold) <= mu:
        return "stick", float(hold), np.array([_sum(w[0, :1], hold * w[0, 1:])[0], 0.0])
    tau = mu * float(np.sign(hold))  # the friction that does not suffice acts towards where it would hold
    return "slip", tau, w @ np.array([1.0, tau])


def _sum(first: Array, second: Array) -> Array:
    """Their sum, zero where it is rounding."""
    total = first + second
    return np.where(np.abs(total) <= _ROUNDING * (np.abs(first) + np.abs(second)), 0.0, total)
