"""Many contacts with friction: nonsmooth Gauss-Seidel, an exact conic step for each contact, the pattern polished.

What a few sweeps do not settle is solved as a whole (`newton`). Frictionless contacts are projected Gauss-Seidel. It
stops on the natural map, never on the change alone: it creeps.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dalembert.contact.coulomb import Answer, Frictional, balanced, choose, fault, onto_cone, single
from dalembert.contact.newton import newton, stopped
from dalembert.contact.planar import all_answers, enumerable

Array = NDArray[np.float64]

TOLERANCE = 1e-12
"""Natural map over |b| of the balanced problem: what a polished answer has; unpolished ones are accepted to `LOOSE`."""
LOOSE = 1e-8
_SWEEPS = 2000
_WHOLE = (4, 16, 64, 128, 256)
"""Sweeps after which the problem is taken as a whole: for a column sweeps take the square of its height. After the last
of them an answer to `LOOSE` is enough."""
_OPEN, _SLIPS, _EDGE = 1e-12, 1e-9, 1e-7
"""What a contact shows in a balanced problem (no units): a normal impulse below this share of the largest is none; a
slip above this share of |b|, with friction this near to its bound, is one. Wrong guesses show in the fault."""
_INNER = 5
_TURNS = 40


@dataclass(frozen=True, slots=True, eq=False)
class Swept:
    """Impulses, the natural map left over |b| (balanced), sweeps, and the contact with the largest share of it."""

    impulses: Array
    fault: float
    sweeps: int
    worst: int
    states: tuple[str, ...] = ()


def gauss_seidel(
    problem: Frictional, guess: Array | None = None, most: int = _SWEEPS, accept: float = TOLERANCE
) -> Swept:
    """Sweep over the contacts, alternating directions; after each few sweeps try the pattern that shows."""
    same, scale, unit = balanced(problem)
    swept = _sweep(same, None if guess is None else guess / (scale * unit), most, accept)
    return replace(swept, impulses=unit * scale * swept.impulses)


def _sweep(problem: Frictional, guess: Array | None, most: int, accept: float) -> Swept:
    count = len(problem.tangents)
    p = np.zeros(len(problem.right)) if guess is None else guess.copy()
    u = problem.matrix @ p + problem.right
    size = float(np.linalg.norm(problem.right)) or 1.0
    parts = [problem.block(i) for i in range(count)]
    best, sweep, left = p.copy(), 0, np.inf
    for sweep in range(1, most + 1):
        order = range(count) if sweep % 2 else range(count - 1, -1, -1)
        for i in order:
            part = parts[i]
            own = problem.matrix[part, part]
            new = _one(own, u[part] - own @ p[part], float(problem.mu[i]), p[part])
            change = new - p[part]
            if change.any():
                u += problem.matrix[:, part] @ change
                p[part] = new
        if sweep in (1, 2, 4, 8, 16) or sweep % 32 == 0:
            if sweep == _WHOLE[0] and count > 1 and (still := stopped(problem)) is not None:
                best, left = still, fault(problem, still) / size
                if left <= accept:
                    break
            if sweep in _WHOLE and count > 1:
                p = newton(problem, p)
            u = problem.matrix @ p + problem.right
            for trial in (polished(problem, p, 0 * p), polished(problem, p, p), p):
                here = fault(problem, trial) / size
                if here < left:
                    best, left = trial.copy(), here
                if left <= accept:
                    break
            if left <= (accept if sweep < _WHOLE[-1] else max(accept, LOOSE)):
                break
    return Swept(best, left, sweep, _worst(problem, best), pattern_of(problem, best))


def _one(own: Array, b: Array, mu: float, guess: Array) -> Array:
    """One contact with the others held."""
    if len(b) == 1:
        return np.maximum(-b / own[0, 0], 0.0) if own[0, 0] > 0 else 0 * b
    if len(b) == 3 and b[0] < 0:
        quick = _spatial(own, b, mu)
        if quick is not None:
            return quick
    if len(b) == 2 or b[0] < 0:
        answers = single(own, b, mu)
        if answers:
            found: Array = choose(answers).impulses
            return found
    if b[0] >= 0:
        return 0 * b
    rho, p = 1.0 / float(np.linalg.eigvalsh(own)[-1]), guess
    for _ in range(_INNER):
        u = own @ p + b
        u[0] += mu * float(np.sqrt(u[1:] @ u[1:]))
        p = onto_cone(p - rho * u, mu)
    return p


def _spatial(own: Array, b: Array, mu: float) -> Array | None:
    """Stick, or slip along a direction that is its own consequence; None where that does not settle at once."""
    try:
        stuck = np.asarray(np.linalg.solve(own, -b), dtype=np.float64)
    except np.linalg.LinAlgError:
        return None
    if np.abs(stuck).max() * np.abs(np.diag(own)).max() > 1e8 * np.abs(b).max():
        return None  # its rows nearly depend on each other
    if stuck[0] >= 0 and stuck[1] ** 2 + stuck[2] ** 2 <= (mu * stuck[0]) ** 2:
        return stuck
    x, y = float(b[1]), float(b[2])
    for _ in range(_TURNS):
        size = (x * x + y * y) ** 0.5
        if size == 0:
            return None
        ratio = np.array([1.0, -mu * x / size, -mu * y / size])
        slope = float(own[0] @ ratio)
        if slope <= 0:
            return None
        found: Array = (-b[0] / slope) * ratio
        u = own @ found + b
        turned = abs(float(u[1] * y - u[2] * x)) / (size * max(float(np.hypot(u[1], u[2])), 1e-300))
        if turned < 1e-15 and u[1] * x + u[2] * y > 0:  # the sine of an angle, to rounding
            return found
        x, y = float(u[1]), float(u[2])
    return None


def pattern_of(problem: Frictional, p: Array) -> tuple[str, ...]:
    """The state that each contact shows."""
    found = []
    u = problem.matrix @ p + problem.right
    for i, d in enumerate(problem.tangents):
        part = problem.block(i)
        n = part.start
        if p[n] <= _OPEN * np.abs(p).max(initial=0.0):
            found.append("open")
        elif d == 0:
            found.append("closed")
        else:
            along = float(np.linalg.norm(p[n + 1 : part.stop]))
            slipping = np.linalg.norm(u[n + 1 : part.stop]) > _SLIPS * np.abs(problem.right).max()
            found.append("slip" if slipping and along >= problem.mu[i] * p[n] * (1 - _EDGE) else "stick")
    return tuple(found)


def polished(problem: Frictional, p: Array, near: Array) -> Array:
    """The pattern that shows, solved: Newton on the slip directions; the same p where that leads nowhere.

    Where impulses are one of many, those nearest to `near`: the least depend on nothing but the problem, those nearest
    to what shows stay in their cones.
    """
    pattern, found = pattern_of(problem, p), p
    for _ in range(8):
        u = problem.matrix @ found + problem.right
        rows, system, right = list[int](), list[Array](), list[float]()
        unknown = [k for i, s in enumerate(pattern) if s != "open" for k in range(*_range(problem, i))]
        if not unknown:
            return 0 * p
        place = {k: j for j, k in enumerate(unknown)}
        for i, state in enumerate(pattern):
            if state == "open":
                continue
            first, last = _range(problem, i)
            system.append(problem.matrix[first, unknown])
            right.append(-problem.right[first])
            if state == "stick":
                for k in range(first + 1, last):
                    system.append(problem.matrix[k, unknown])
                    right.append(-problem.right[k])
            elif state == "slip":
                speed = u[first + 1 : last]
                length = float(np.linalg.norm(speed))
                if not length > 0:
                    return p  # what seemed to slip stands still here: another pattern
                d = speed / length
                # P_t + mu P_n d = 0, d moving with u_t: its derivative is (1 - d d^T) / |u_t| on W.
                turn = (np.eye(len(d)) - np.outer(d, d)) / length * (problem.mu[i] * found[first])
                block = turn @ problem.matrix[first + 1 : last][:, unknown]
                for j in range(len(d)):
                    row = block[j].copy()
                    row[place[first + 1 + j]] += 1.0
                    row[place[first]] += problem.mu[i] * d[j]
                    system.append(row)
                    right.append(float(block[j] @ found[unknown]))
        made, asked = np.array(system), np.array(right)
        new = 0 * p
        new[unknown] = near[unknown] + np.linalg.lstsq(made, asked - made @ near[unknown], rcond=1e-12)[0]
        rows = unknown
        done = np.abs(new - found).max() <= 1e-15 * np.abs(new).max()  # nothing but rounding moves
        found = new
        if done or "slip" not in pattern or not rows:
            break
    return found if np.isfinite(found).all() else p


def _range(problem: Frictional, i: int) -> tuple[int, int]:
    part = problem.block(i)
    return part.start, part.stop


def _worst(problem: Frictional, p: Array) -> int:
    u, worst, most = problem.matrix @ p + problem.right, 0, -1.0
    for i, mu in enumerate(problem.mu):
        part = problem.block(i)
        rate = u[part].copy()
        rate[0] += mu * float(np.linalg.norm(rate[1:]))
        here = float(np.linalg.norm(p[part] - onto_cone(p[part] - rate, float(mu))))
        if here > most:
            worst, most = i, here
    return worst


def solve_frictional(
    problem: Frictional, guess: Array | None = None, prefer: str = "stick"
) -> tuple[list[Answer], str]:
    """The answers of any problem: all of them where they can be enumerated, else the one that sweeps lead to.

    An empty list is Painleve's case: no bounded answer.
    """
    if not problem.tangents:
        return [Answer(np.zeros(0), np.zeros(0), ())], ""
    if enumerable(problem):
        answers = all_answers(problem)
        return sorted(answers, key=lambda a: _rank(a, prefer)), ""
    if len(problem.tangents) == 1:
        return sorted(single(problem.matrix, problem.right, float(problem.mu[0])), key=lambda a: _rank(a, prefer)), ""
    swept = gauss_seidel(problem, guess)
    if swept.fault > LOOSE:
        return [], f"the sweeps end with the fault {swept.fault:.1e}, most of it in contact {swept.worst}"
    return [Answer(swept.impulses, problem.matrix @ swept.impulses + problem.right, swept.states)], ""


def _rank(answer: Answer, prefer: str) -> int:
    order = {"closed": 0, "stick": 1, "slip": 2, "open": 3}
    return sum(-1 if s == prefer else order[s] for s in answer.states)
