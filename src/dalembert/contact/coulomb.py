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
"""Fault of an answer of a balanced problem (no units, the largest of b is 1) that is rounding."""
_ON_CIRCLE = 1e-6
"""A root e^(i theta) is a direction if it is this near to the unit circle: double roots are known to half the digits.
What is no direction is found out by the law afterwards."""
_SINGULAR = 1e-11
"""A singular value of the block of one contact, as a share of the largest, that is nothing: the rows depend."""


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


def balanced(problem: Frictional) -> tuple[Frictional, Array, float]:
    """The same problem without units, with scales s and the size b: P = b s p, u = b w / s.

    Each contact has the mean compliance 1, and the largest right side is 1: the law is homogeneous, so that nothing of
    it depends on the units of mass, length and time, nor on how heavy the bodies of one contact are beside another's.
    """
    compliance = np.zeros(len(problem.right))
    for i in range(len(problem.tangents)):
        part = problem.block(i)
        compliance[part] = np.abs(np.diag(problem.matrix)[part]).mean()
    largest = compliance.max(initial=0.0)
    scale = 1 / np.sqrt(np.where(compliance > 0, compliance, largest if largest > 0 else 1.0))
    size = float(np.abs(scale * problem.right).max(initial=0.0)) or 1.0
    same = Frictional(
        scale[:, None] * problem.matrix * scale,
        scale * problem.right / size,
        problem.mu,
        problem.tangents,
        problem.mu_static,
    )
    return same, scale, size


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
    small = ADMISSIBLE * float(np.abs(right).max())
    tiny = small / max(float(np.abs(np.diag(matrix)).mean()), 1e-300)
    found: list[Answer] = []
    stuck = _stuck(matrix, right, mu if mu_static is None else mu_static)
    if stuck is not None:
        found.append(Answer(stuck, 0 * right, ("stick",)))
    for direction in _slips(matrix, right, mu):
        ratio = np.concatenate([[1.0], -mu * direction])
        push = -right[0] / float(matrix[0] @ ratio)
        pulse = push * ratio
        u = matrix @ pulse + right
        u[0] = 0.0
        forward = float(u[1:] @ direction)
        new = all(np.abs(pulse - other.impulses).max() > tiny for other in found)
        moves = forward > (0 if stuck is None else small)  # else it is one of the impulses with which it sticks
        if push >= 0 and moves and new:
            found.append(Answer(pulse, u, ("slip",)))
    if right[0] >= 0 and all(np.abs(other.impulses).max() > tiny for other in found):
        found.append(Answer(0 * right, right.copy(), ("open",)))
    return found


def _stuck(matrix: Array, right: Array, mu: float) -> Array | None:
    """Impulses in the cone that stop the contact: where its rows depend on each other, the least of them."""
    u, values, v = np.linalg.svd(matrix)
    rank = int((values > _SINGULAR * values[0]).sum())
    if rank == len(right):
        plain = np.asarray(np.linalg.solve(matrix, -right), dtype=np.float64)
        return plain if _inside(plain, mu, 1e-14) else None  # a share of the cone: rounding of the solve
    if rank == 0:
        return None if np.abs(right).max() > 0 else 0 * right
    least = -v[:rank].T @ ((u[:, :rank].T @ right) / values[:rank])
    if np.abs(matrix @ least + right).max() > ADMISSIBLE * np.abs(right).max():
        return None
    along = v[rank]
    if len(right) - rank == 2:  # one equation: the tangent that has most of it, and the normal
        side = np.concatenate([[0.0], v[0, 1:]])
        length = float(np.linalg.norm(side))
        side = side / length if length else np.array([0.0, 1.0, 0.0])
        along = np.array([side @ v[0], *(-v[0, 0] * side[1:])])
    # |p_t|^2 - (mu p_n)^2 along the line least + z along: it is inside at z = 0, or nearest to that at a root
    signs = np.array([-mu * mu, *np.ones(len(right) - 1)])
    roots = np.roots([signs @ along**2, 2 * (signs * along) @ least, signs @ least**2])
    ways = [least, *(least + float(z.real) * along for z in sorted(roots, key=abs))]
    return next((p for p in ways if _inside(p, mu, 1e-9)), None)  # directions are roots of a quartic: half the digits


def _inside(p: Array, mu: float, share: float) -> bool:
    return bool(p[0] >= 0 and np.linalg.norm(p[1:]) <= mu * p[0] * (1 + share))


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
    # eight samples leave rounding of some 1e-16 of the largest in every coefficient
    roots = np.roots([x if abs(x) > 1e-14 * largest else 0 for x in coefficients])
    found = []
    for z in roots:
        if abs(abs(z) - 1) < _ON_CIRCLE:
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
        h = 1e-6  # radian: near the cube root of rounding, best for central differences
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
