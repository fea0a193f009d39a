"""Coulomb's law at contacts: 0 <= u_n orth P_n >= 0, |P_t| <= mu P_n, P_t against u_t where it slips (non-associated).

u = W P + b, rows of a contact together: normal, then no tangent, one (planar) or two (spatial). The same law holds for
speeds and impulses, and at rest for accelerations and forces.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.errors import ContactError

Array = NDArray[np.float64]

ADMISSIBLE = 1e-10
"""Fault of an answer, as a share of 1 + the largest of b, that is rounding."""


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """Impulses (or forces), what is left of u, and the state of each contact: open, closed, stick, slip."""

    impulses: Array
    rates: Array
    states: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Frictional:
    """W, b and, for each contact, mu and how many tangents it has; `mu_static` is tested where a contact sticks."""

    matrix: Array
    right: Array
    mu: Array
    tangents: tuple[int, ...]
    mu_static: Array | None = None

    @property
    def starts(self) -> list[int]:
        """The row of each normal."""
        return [int(k) for k in np.cumsum([0, *(1 + d for d in self.tangents)])[:-1]]

    @property
    def static(self) -> Array:
        return self.mu if self.mu_static is None else self.mu_static

    def block(self, i: int) -> slice:
        start = self.starts[i]
        return slice(start, start + 1 + self.tangents[i])


def check_friction(mu: float, name: str = "") -> float:
    if not mu >= 0:
        raise ContactError(f"contact '{name}': friction {mu:g} is no coefficient; use 0 or more.")
    return mu


def onto_cone(x: Array, mu: float) -> Array:
    """The nearest point of the cone |x_t| <= mu x_n."""
    along = float(np.sqrt(x[1:] @ x[1:]))
    if along <= mu * x[0]:
        return x
    if mu * along <= -x[0]:
        return 0 * x
    a = (x[0] + mu * along) / (1 + mu * mu)
    return np.concatenate([[a], (mu * a / along) * x[1:]])


def fault(problem: Frictional, impulses: Array) -> float:
    """The natural map of De Saxce's form, |P - proj(P - rho u~)|: zero at a solution, whatever rho > 0."""
    u, total = problem.matrix @ impulses + problem.right, 0.0
    for i, mu in enumerate(problem.mu):
        part = problem.block(i)
        p, rate = impulses[part], u[part].copy()
        rho = 1.0 / max(float(np.trace(problem.matrix[part, part])), 1e-300)
        rate[0] += mu * float(np.sqrt(rate[1:] @ rate[1:]))
        total += float(((p - onto_cone(p - rho * rate, mu)) ** 2).sum())
    return float(np.sqrt(total))


def single(matrix: Array, right: Array, mu: float, mu_static: float | None = None) -> list[Answer]:
    """Every answer of one contact, exactly: take-off, stick, slips; none is Painleve's case.

    >>> W = np.array([[2, .3, -.2], [.3, 3, .4], [-.2, .4, 2.5]])
    >>> single(W, np.array([-1, .1, .05]), 0.5)[0].states
    ('stick',)
    """
    held = mu if mu_static is None else mu_static
    size = 1 + np.abs(right).max()
    found: list[Answer] = []
    try:
        stuck = np.asarray(np.linalg.solve(matrix, -right), dtype=np.float64)
        if stuck[0] >= 0 and np.linalg.norm(stuck[1:]) <= held * stuck[0] * (1 + 1e-14):
            found.append(Answer(stuck, 0 * right, ("stick",)))
    except np.linalg.LinAlgError:
        pass
    for direction in _slips(matrix, right, mu):
        ratio = np.concatenate([[1.0], -mu * direction])
        push = -right[0] / float(matrix[0] @ ratio)
        pulse = push * ratio
        u = matrix @ pulse + right
        u[0] = 0.0
        forward = float(u[1:] @ direction)
        new = all(np.abs(pulse - other.impulses).max() > ADMISSIBLE * size for other in found)
        if push >= 0 and forward > 0 and new:
            found.append(Answer(pulse, u, ("slip",)))
    if right[0] >= 0 and all(np.abs(other.impulses).max() > ADMISSIBLE * size for other in found):
        found.append(Answer(0 * right, right.copy(), ("open",)))
    return found


def _slips(matrix: Array, right: Array, mu: float) -> list[Array]:
    """Unit directions d with u_t along d when the friction is -mu P_n d: two signs, or the roots of a quartic."""
    if len(right) == 1:
        return []
    if len(right) == 2:
        return [np.array([1.0]), np.array([-1.0])]
    # With d = (cos, sin): the cross product of d with (b_t (W_n.r) - b_n W_t r), r = (1, -mu d), is a trigonometric
    # polynomial of degree two; in z = exp(i th) it is a quartic.
    angles = 2 * np.pi * np.arange(8) / 8
    values = np.array([_cross(matrix, right, mu, th) for th in angles])
    c = np.fft.fft(values) / 8
    coefficients = [c[2], c[1], c[0], c[-1], c[-2]]
    largest = max(abs(x) for x in coefficients)
    if largest == 0:
        return []
    roots = np.roots([x if abs(x) > 1e-14 * largest else 0 for x in coefficients])
    found = []
    for z in roots:
        if abs(abs(z) - 1) < 1e-6:
            th = _polished(matrix, right, mu, float(np.angle(z)))
            found.append(np.array([np.cos(th), np.sin(th)]))
    return found


def _cross(matrix: Array, right: Array, mu: float, th: float) -> float:
    d = np.array([np.cos(th), np.sin(th)])
    ratio = np.concatenate([[1.0], -mu * d])
    u = right[1:] * (matrix[0] @ ratio) - right[0] * (matrix[1:] @ ratio)
    return float(d[0] * u[1] - d[1] * u[0])


def _polished(matrix: Array, right: Array, mu: float, th: float) -> float:
    for _ in range(4):
        h = 1e-6
        slope = (_cross(matrix, right, mu, th + h) - _cross(matrix, right, mu, th - h)) / (2 * h)
        if slope == 0:
            break
        th -= _cross(matrix, right, mu, th) / slope
    return th


def choose(answers: list[Answer], prefer: str = "stick") -> Any:
    """One of several answers: the preferred state first, then stick, slip, open."""
    order = [prefer, "closed", "stick", "slip", "open"]
    rank = {name: k for k, name in reversed(list(enumerate(order)))}
    return min(answers, key=lambda a: sum(rank.get(s, 9) for s in a.states))
