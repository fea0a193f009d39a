"""Coulomb's law at contacts: 0 <= u_n orth P_n >= 0, |P_t| <= mu P_n, P_t against u_t where it slips (non-associated).

u = W P + b, rows of a contact together: normal, then no tangent, one (planar) or two (spatial), then the turning that
resists: rolling about tangents, drilling about the normal. The same law holds for speeds and impulses, and at rest for
accelerations and forces.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.contact.cones import Disc, project
from dalembert.errors import ContactError

Array = NDArray[np.float64]

ADMISSIBLE = 1e-10
"""Fault of an answer of a balanced problem (no units, the largest of b is 1) that is rounding."""
_ROUNDING = 4 * np.finfo(float).eps
"""Of a sum of products, as a share of their sizes: some units in the last place."""
BLURRED = 1e-7
"""Rounding of a rate of a balanced problem beyond which nobody can tell whether impulses obey the law: those of 1e8
times the blow have no more digits to leave of each other, and what fits then fits by luck."""
_ON_CIRCLE = 1e-6
"""A root e^(i theta) is a direction if it is this near to the unit circle: double roots are known to half the digits.
What is no direction is found out by the law afterwards."""
_SINGULAR = 1e-11
"""A singular value of the block of one contact, as a share of the largest, that is nothing: the rows depend."""


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """Impulses (or forces), what is left of u, and the state of each contact: open, closed, stick, slip.

    `turning` are the states (stick, slip) of what resists turning, for each contact in the order of its rows.
    """

    impulses: Array
    rates: Array
    states: tuple[str, ...]
    turning: tuple[tuple[str, ...], ...] = ()

    def disc_states(self, i: int) -> tuple[str, ...]:
        """Stick or slip of each disc of a contact that is not open: sliding first, then turning."""
        sliding = () if self.states[i] == "closed" else (self.states[i],)
        return sliding + (self.turning[i] if self.turning else ())


@dataclass(frozen=True, eq=False)
class Frictional:
    """W, b and, for each contact, mu and how many tangents it has; `mu_static` is tested where a contact sticks.

    `further` are, for each contact, rows that resist turning: how many, and |P| over the normal impulse at most.
    `root` is A with W = A A^T, where it is known: the last digits of impulses are in it.
    `kept` are contacts that never open: u_n = 0, whatever pushes.
    """

    matrix: Array
    right: Array
    mu: Array
    tangents: tuple[int, ...]
    mu_static: Array | None = None
    further: tuple[tuple[tuple[int, float], ...], ...] = ()
    root: Array | None = None
    kept: tuple[int, ...] = ()

    @cached_property
    def starts(self) -> list[int]:
        """The row of each normal."""
        return [part.start for part in self.blocks]

    @cached_property
    def blocks(self) -> list[slice]:
        """The rows of each contact."""
        found, place = list[slice](), 0
        for i, tangents in enumerate(self.tangents):
            size = 1 + tangents + sum(rows for rows, _ in self.turning(i))
            found.append(slice(place, place + size))
            place += size
        return found

    @cached_property
    def discs(self) -> list[tuple[Disc, ...]]:
        """What rubs at each contact: sliding, then turning."""
        found = []
        for i, part in enumerate(self.blocks):
            place, some = part.start + 1, list[Disc]()
            if self.tangents[i]:
                some.append(Disc(place, place + self.tangents[i], float(self.mu[i]), float(self.static[i])))
                place += self.tangents[i]
            for rows, mu in self.turning(i):
                some.append(Disc(place, place + rows, mu, mu))
                place += rows
            found.append(tuple(some))
        return found

    def turning(self, i: int) -> tuple[tuple[int, float], ...]:
        return self.further[i] if self.further else ()

    @property
    def turns(self) -> bool:
        """Does a contact resist turning?"""
        return any(self.further)

    @property
    def static(self) -> Array:
        return self.mu if self.mu_static is None else self.mu_static

    def block(self, i: int) -> slice:
        return self.blocks[i]

    def lifted(self, u: Array) -> Array:
        """u~: the normal parts of u raised by mu_k |u_k| of each disc, which makes the law a projection (De Saxce)."""
        found = u.copy()
        for start, discs in zip(self.starts, self.discs, strict=True):
            for disc in discs:
                found[start] += disc.mu * disc.size(u)
        return found

    def narrower(self, share: float) -> Frictional:
        """The same with all friction times `share`."""
        further = tuple(tuple((rows, share * mu) for rows, mu in some) for some in self.further)
        return replace(self, mu=share * self.mu, mu_static=None, further=further)


def balanced(problem: Frictional) -> tuple[Frictional, Array, float]:
    """The same problem without units, with scales s and the size b: P = b s p, u = b w / s.

    Each contact has the mean compliance 1, and the largest right side is 1: the law is homogeneous, so that nothing of
    it depends on the units of mass, length and time, nor on how heavy the bodies of one contact are beside another's.
    Turning has a compliance of its own: moments are not forces.
    """
    compliance, diagonal = np.zeros(len(problem.right)), np.abs(np.diag(problem.matrix))
    for i, part in enumerate(problem.blocks):
        sliding = slice(part.start, part.start + 1 + problem.tangents[i])
        compliance[sliding] = diagonal[sliding].mean()
        for disc in problem.discs[i][1 if problem.tangents[i] else 0 :]:
            compliance[disc.rows] = diagonal[disc.rows].mean()
    largest = compliance.max(initial=0.0)
    scale = 1 / np.sqrt(np.where(compliance > 0, compliance, largest if largest > 0 else 1.0))
    size = float(np.abs(scale * problem.right).max(initial=0.0)) or 1.0
    further = list[tuple[tuple[int, float], ...]]()
    for i, start in enumerate(problem.starts if problem.further else ()):
        discs = problem.discs[i][1 if problem.tangents[i] else 0 :]
        further.append(tuple((d.stop - d.start, d.mu * float(scale[start] / scale[d.start])) for d in discs))
    same = Frictional(
        scale[:, None] * problem.matrix * scale,
        scale * problem.right / size,
        problem.mu,
        problem.tangents,
        problem.mu_static,
        tuple(further),
        kept=problem.kept,
    )
    return same, scale, size


def check_friction(mu: float, name: str = "") -> float:
    if not mu >= 0:
        raise ContactError(f"contact '{name}': friction {mu:g} is no coefficient; use 0 or more.")
    return mu


def fault(problem: Frictional, impulses: Array) -> float:
    """The natural map of De Saxce's form, |P - proj(P - rho u~)|: zero at a solution, whatever rho > 0."""
    return float(np.linalg.norm(faults(problem, impulses)))


def faults(problem: Frictional, impulses: Array) -> Array:
    """The natural map of each contact."""
    u = problem.lifted(problem.matrix @ impulses + problem.right)
    diagonal, rest = np.diag(problem.matrix), np.zeros(len(u))
    moved = impulses.copy()
    for part in problem.blocks:
        moved[part] -= u[part] / max(float(diagonal[part].sum()), 1e-300)
    for start, discs in zip(problem.starts, problem.discs, strict=True):
        project(moved, start, discs, rest)
    return np.array([float(np.linalg.norm((impulses - rest)[part])) for part in problem.blocks])


def rounding(problem: Frictional, impulses: Array) -> Array:
    """What rounding makes of each rate that large impulses leave of each other: no fault up to `BLURRED`."""
    found: Array = _ROUNDING * (np.abs(problem.matrix) @ np.abs(impulses))
    return found


def blurred(problem: Frictional, impulses: Array) -> str:
    """Why nobody can tell whether these impulses obey the law, where they are that large; else nothing."""
    same, scale, size = balanced(problem)
    hidden = float(rounding(same, impulses / (size * scale)).max(initial=0.0))
    if hidden <= BLURRED:
        return ""
    return (
        f"; its impulses are so large that rounding alone makes {hidden:.0e} of the speeds. "
        "Make masses, or directions of contacts, more alike"
    )


def told(
    problem: Frictional, pattern: Sequence[tuple[str, ...] | None]
) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """States of contacts, and of what resists turning, of a pattern: states of the discs, None where one is open."""
    states, turning = list[str](), list[tuple[str, ...]]()
    for tangents, shown in zip(problem.tangents, pattern, strict=True):
        states.append("open" if shown is None else shown[0] if tangents else "closed")
        turning.append(() if shown is None else shown[1 if tangents else 0 :])
    return tuple(states), tuple(turning) if problem.turns else ()


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
    w, b = matrix.tolist(), right.tolist()
    values = np.array([_cross(w, b, mu, th) for th in angles.tolist()])
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
            th = _polished(w, b, mu, float(np.angle(z)))
            found.append(np.array([np.cos(th), np.sin(th)]))
    return found


def _cross(w: list[list[float]], b: list[float], mu: float, th: float) -> float:
    x, y = math.cos(th), math.sin(th)
    slope = w[0][0] - mu * (w[0][1] * x + w[0][2] * y)
    u = b[1] * slope - b[0] * (w[1][0] - mu * (w[1][1] * x + w[1][2] * y))
    v = b[2] * slope - b[0] * (w[2][0] - mu * (w[2][1] * x + w[2][2] * y))
    return x * v - y * u


def _polished(w: list[list[float]], b: list[float], mu: float, th: float) -> float:
    for _ in range(4):
        h = 1e-6  # radian: near the cube root of rounding, best for central differences
        slope = (_cross(w, b, mu, th + h) - _cross(w, b, mu, th - h)) / (2 * h)
        if slope == 0:
            break
        th -= _cross(w, b, mu, th) / slope
    return th


def choose(answers: list[Answer], prefer: str = "stick") -> Any:
    """One of several answers: the preferred state first, then stick, slip, open."""
    order = [prefer, "closed", "stick", "slip", "open"]
    rank = {name: k for k, name in reversed(list(enumerate(order)))}
    return min(answers, key=lambda a: sum(rank.get(s, 9) for s in a.states))
