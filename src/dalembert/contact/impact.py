"""Impacts without friction: several contacts at once, by the law that the user chooses; energy is never created.

With W = G M^-1 G^T, u = G v + f_t the rates of the gaps and P >= 0 the impulses, v+ = v- + M^-1 G^T P:

- Moreau: v+ = -e v- + (1 + e) proj(v-), the projection on the speeds that the contacts allow, in the metric M; one e;
- Newton: 0 <= u+ + e u- orthogonal to P, an e for each contact;
- Poisson: compression to u >= 0, then at least the share e of each impulse again;
- sequential: pairs one after the other in a given order, as for chains of hard balls.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.contact.least_distance import VIOLATED, nearest
from dalembert.contact.moreau import Moreau, Reduced, called, reduce_to_contacts
from dalembert.errors import ContactError

Array = NDArray[np.float64]

APPROACHING = 1e-12
"""A touching contact approaches if its rate is below minus this share of the speeds that it is, or was, the sum of,
and of those that the impulses give: where bodies turn against each other, or all come to rest, what is left rounds."""
_AGAIN = 1000
"""Impacts at one instant, at most, before the sentence that they do not end."""
_GAIN = 1e-10
"""Energy gained, as a share of the kinetic energy in the motion of the contacts, that is more than rounding."""

_BALANCE = 1e-9
"""What is left of the change of a momentum, as a share of the terms that it is the sum of, that is more than rounding:
masses of a condition up to 1e6 leave 1e-10."""


@dataclass(frozen=True, slots=True, eq=False)
class Impact:
    """Speeds after, impulses, rates of the gaps before and after, energy given (never positive but by moving contacts).

    `work` is what prescribed motions of the contacts have put in; `law` and `told` say how it was found.
    """

    velocity: Array
    impulses: Array
    before: Array
    after: Array
    energy: float
    work: float
    law: str
    rounds: int = 1
    told: str = ""


def check_restitution(e: ArrayLike, names: Sequence[str] = ()) -> Array:
    """Coefficients between 0 and 1."""
    values = np.atleast_1d(np.asarray(e, dtype=float))
    for i, value in enumerate(values):
        if not 0 <= value <= 1:
            who = called(tuple(names), i)
            why = "would create energy" if value > 1 else "is no coefficient"
            raise ContactError(f"contact {who}: restitution {value:g} {why}; use 0..1.")
    return values


def impact(
    mass: ArrayLike,
    velocity: ArrayLike,
    rows: ArrayLike,
    restitution: ArrayLike = 0.0,
    *,
    drift: ArrayLike | None = None,
    law: str = "moreau",
    order: Sequence[int] | None = None,
    names: tuple[str, ...] = (),
    bilateral: ArrayLike = (),
) -> Impact:
    """The speeds after an impact of touching contacts; those that leave are left out, and looked at again.

    `drift` is f_t, the rate of each gap by prescribed motion alone; `bilateral` rows hold before and after.

    >>> cradle = impact(np.eye(3), [1.0, 0, 0], [[-1.0, 1, 0], [0, -1, 1]], 1.0)
    >>> cradle.velocity.round(6).tolist(), cradle.impulses.round(6).tolist()
    ([-0.333333, 0.666667, 0.666667], [1.333333, 0.666667])
    """
    if law not in LAWS:
        raise ContactError(f"unknown law of impact '{law}'. Laws: {', '.join(LAWS)}.")
    v = np.asarray(velocity, dtype=float).copy()
    m = np.asarray(mass, dtype=float)
    g = np.asarray(rows, dtype=float).reshape(-1, len(v))
    e = np.broadcast_to(check_restitution(restitution, names), (len(g),)).copy()
    f = np.zeros(len(g)) if drift is None else np.asarray(drift, dtype=float)
    if law == "moreau" and len(set(e.tolist())) > 1:
        raise ContactError(
            f"Moreau's law has one restitution for all contacts, and these have {sorted(set(e.tolist()))}. "
            "Use law='newton' or law='poisson'."
        )
    reduced = reduce_to_contacts(Moreau(m, 0 * v, g, 0 * f, names, bilateral, np.zeros(_count(bilateral, len(v)))))
    first, start, total, rounds, pushed = g @ v + f, v.copy(), np.zeros(len(g)), 0, np.zeros(len(v))
    sizes, left = np.linalg.norm(reduced.rows, axis=1), np.zeros(len(g))
    while True:
        u = g @ v + f
        least = APPROACHING * (np.abs(g) @ (np.maximum(np.abs(v), np.abs(start)) + pushed) + np.abs(f))
        least = np.maximum(least, left)
        if (u >= -least).all():
            break
        rounds += 1
        if rounds > _AGAIN:
            raise ContactError(
                f"impacts at one instant do not end (contacts {', '.join(names)}): use restitution below 1."
            )
        held = [i for i in range(len(g)) if u[i] <= least[i]]
        if law == "sequential":
            pulses = _one_pair(reduced, u, e, order or range(len(g)), least)
        else:
            hardest = max((abs(u[i]) / sizes[i] for i in held if sizes[i] > 0), default=0.0)
            left = np.maximum(left, 2 * VIOLATED * hardest * sizes)  # what the projection leaves of the rates of others
            pulses = np.zeros(len(g))
            pulses[held] = LAWS[law](reduced.rows[held], u[held], e[held], tuple(names[i] for i in held if names))
        v = v + reduced.back @ (reduced.rows.T @ pulses)
        pushed += np.abs(reduced.back) @ (np.abs(reduced.rows).T @ np.abs(pulses))  # what speeds are sums of
        total += pulses
    after = g @ v + f
    work = float(-f @ total)
    energy = float((after + first) @ total / 2)
    moved = float(np.abs(total) @ (np.abs(after) + np.abs(first)))
    if energy > _GAIN * moved:
        raise ContactError(f"the law '{law}' would create the energy {energy:.3g} in this impact.")
    left = np.abs(m @ (v - start) - g.T @ total)
    parts = np.abs(m) @ (np.abs(v) + np.abs(start)) + np.abs(g.T) @ np.abs(total)
    if (left > _BALANCE * parts).any() and not _count(bilateral, len(v)):
        raise ContactError(f"the impulses of contacts {', '.join(names)} do not balance the change of momentum.")
    said = ""
    if rounds and (total > 0).sum() > 1:
        said = f"{int((total > 0).sum())} contacts at once by the law of '{law}'; other laws of impact would differ"
    return Impact(v, total, first, after, energy, work, law, rounds, said)


def _count(rows: ArrayLike, n: int) -> int:
    return len(np.asarray(rows, dtype=float).reshape(-1, n))


def _complementary(rows: Array, right: Array, names: tuple[str, ...]) -> Array:
    """P >= 0 with 0 <= W P + right, orthogonal; W = R R^T."""
    found = nearest(rows, right)
    if found.proof is not None:
        who = ", ".join(called(names, i) for i in range(len(right)) if found.proof[i] > 0)
        raise ContactError(f"contacts {who}: no speeds satisfy all of them. Change a prescribed motion or a gap.")
    return found.multipliers


def _newton(rows: Array, u: Array, e: Array, names: tuple[str, ...]) -> Array:
    return _complementary(rows, (1 + e) * u, names)


def _poisson(rows: Array, u: Array, e: Array, names: tuple[str, ...]) -> Array:
    compression = _complementary(rows, u, names)
    least = e * compression
    compressed = u + rows @ (rows.T @ (compression + least))
    return compression + least + _complementary(rows, compressed, names)


def _one_pair(reduced: Reduced, u: Array, e: Array, order: Sequence[int], least: Array) -> Array:
    """The first contact in the order that approaches."""
    pulses = np.zeros(len(u))
    i = next(k for k in order if u[k] < -least[k])
    pulses[i] = -(1 + e[i]) * u[i] / float(reduced.rows[i] @ reduced.rows[i])
    return pulses


Law = Callable[[Array, Array, Array, tuple[str, ...]], Array]
LAWS: dict[str, Any] = {"moreau": _newton, "newton": _newton, "poisson": _poisson, "sequential": None}
"""Laws by name; Moreau's is Newton's with one e (the complementarity is the projection)."""
