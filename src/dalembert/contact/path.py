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
        state, tau = _piece(w, u, mu)
        slope = w @ np.array([1.0, tau])
        ends: list[tuple[float, str]] = []
        if state == "slip" and slope[1] * u[1] < 0:
            ends.append((-u[1] / slope[1], "stop"))
        if compressing:
            if slope[0] > 0 and u[0] < 0:
                ends.append((-u[0] / slope[0], "compressed"))
        elif law == "poisson":
            ends.append((target - p[0], "end"))
        else:
            wanted = e * e * absorbed - given  # u_n s + slope s^2 / 2 = wanted
            root = u[0] ** 2 + 2 * slope[0] * wanted
            if root >= 0 and wanted > 0:
                ends.append(((2 * wanted) / (u[0] + np.sqrt(root)), "end"))
            elif wanted <= 0:
                ends.append((0.0, "end"))
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
        u = u + length * slope
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


def _piece(w: Array, u: Array, mu: float) -> tuple[str, float]:
    if u[1] != 0:
        return "slip", -mu * float(np.sign(u[1]))
    hold = -w[1, 0] / w[1, 1]
    if abs(hold) <= mu:
        return "stick", float(hold)
    return "slip", mu * float(np.sign(hold))  # the friction that does not suffice acts towards where it would hold
