"""Many contacts with friction: nonsmooth Gauss-Seidel, an exact conic step for each contact, the pattern polished.

What a few sweeps do not settle is solved as a whole (`newton`). Frictionless contacts are projected Gauss-Seidel. It
stops on the natural map, never on the change alone: it creeps.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from dalembert.contact.cones import onto_cone
from dalembert.contact.coulomb import (
    BLURRED,
    Answer,
    Frictional,
    balanced,
    blurred,
    choose,
    fault,
    faults,
    rounding,
    single,
    told,
)
from dalembert.contact.newton import grown, newton, stopped
from dalembert.contact.planar import all_answers, enumerable
from dalembert.contact.refined import refined

Array = NDArray[np.float64]

TOLERANCE = 1e-12
"""Natural map over |b| of the balanced problem: what a polished answer has; unpolished ones are accepted to `LOOSE`."""
LOOSE = 1e-8
_SWEEPS = 2000
_WHOLE = (4, 16, 64, 128, 256)
"""Sweeps after which the problem is taken as a whole: for a column sweeps take the square of its height. After the last
of them, for which friction grows from nothing, an answer to `LOOSE` is enough."""
_OPEN, _SLIPS, _EDGE = 1e-12, 1e-9, 1e-7
"""What a contact shows in a balanced problem (no units): a normal impulse below this share of the largest is none; a
slip above this share of |b|, with friction this near to its bound, is one. Wrong guesses show in the fault."""
_BY: tuple[Literal["friction"], Literal["speed"]] = ("friction", "speed")
_STARTS, _AGAIN = 8, 48
"""Other beginnings that are tried where sweeps from nothing find no answer, and sweeps of each."""
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
    turning: tuple[tuple[str, ...], ...] = ()


def gauss_seidel(
    problem: Frictional, guess: Array | None = None, most: int = _SWEEPS, accept: float = TOLERANCE
) -> Swept:
    """Sweep over the contacts, alternating directions; after each few sweeps try the pattern that shows."""
    same, scale, unit = balanced(problem)
    swept = _sweep(same, None if guess is None else guess / (scale * unit), most, accept)
    return replace(swept, impulses=unit * scale * swept.impulses)


def _sweep(problem: Frictional, guess: Array | None, most: int, accept: float) -> Swept:
    count = len(problem.tangents)
    joint = count > 1 or problem.turns
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
            if problem.turns and problem.turning(i):
                new = _turning(problem, i, own, u[part] - own @ p[part], p[part])
            else:
                new = _one(own, u[part] - own @ p[part], float(problem.mu[i]), p[part])
            change = new - p[part]
            if change.any():
                u += problem.matrix[:, part] @ change
                p[part] = new
        if sweep in (1, 2, 4, 8, 16) or sweep % 32 == 0:
            if sweep == _WHOLE[0] and joint and (still := stopped(problem)) is not None:
                best, left = still, _missed(problem, still) / size
                if left <= accept:
                    break
            if sweep in _WHOLE and joint:
                p = grown(problem) if sweep == _WHOLE[-1] and left > LOOSE else newton(problem, p)
            u = problem.matrix @ p + problem.right
            for trial in _trials(problem, p):
                here = _missed(problem, trial) / size
                if here < left:
                    best, left = trial.copy(), here
                if left <= accept:
                    break
            if left <= (accept if sweep < _WHOLE[-1] else max(accept, LOOSE)):
                break
    shown = pattern_of(problem, best)
    worst = int(np.argmax(faults(problem, best))) if count else 0
    return Swept(best, left, sweep, worst, *told(problem, shown))


def _trials(problem: Frictional, p: Array) -> Iterator[Array]:
    for by in _BY:
        yield polished(problem, p, 0 * p, by)
        yield polished(problem, p, p, by)
    yield p


def _missed(problem: Frictional, p: Array) -> float:
    """The fault beyond what rounding makes of rates that large impulses leave of each other; that, where it blurs."""
    found, hidden = fault(problem, p), rounding(problem, p)
    size = float(np.linalg.norm(hidden))
    return max(found - size, 0.0) if hidden.max(initial=0.0) <= BLURRED else max(found, size)


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


def _turning(problem: Frictional, i: int, own: Array, b: Array, guess: Array) -> Array:
    """One contact that resists turning, with the others held: sliding exactly, then each turning within its bound."""
    part, p = problem.block(i), guess.copy()
    size = 1 + problem.tangents[i]
    right = b[:size] + own[:size, size:] @ p[size:]
    p[:size] = _one(own[:size, :size], right, float(problem.mu[i]), p[:size])
    for disc in problem.discs[i][1 if problem.tangents[i] else 0 :]:
        rows = slice(disc.start - part.start, disc.stop - part.start)
        stiff = float(np.linalg.norm(own[rows, rows], 2))
        if stiff > 0:
            p[rows] -= (own[rows] @ p + b[rows]) / stiff
        along, most = float(np.linalg.norm(p[rows])), disc.mu * float(p[0])
        if along > most:
            p[rows] *= most / along
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
    w, (n, x, y) = own.tolist(), b.tolist()
    first, second = x, y
    for _ in range(_TURNS):
        size = math.hypot(x, y)
        if size == 0:
            return None
        across, up = -mu * x / size, -mu * y / size
        slope = w[0][0] + w[0][1] * across + w[0][2] * up
        if slope <= 0:
            return None
        push = -n / slope
        u = first + push * (w[1][0] + w[1][1] * across + w[1][2] * up)
        v = second + push * (w[2][0] + w[2][1] * across + w[2][2] * up)
        turned = abs(u * y - v * x) / (size * max(math.hypot(u, v), 1e-300))
        if turned < 1e-15 and u * x + v * y > 0:  # the sine of an angle, to rounding
            return push * np.array([1.0, across, up])
        x, y = u, v
    return None


def pattern_of(problem: Frictional, p: Array) -> list[tuple[str, ...] | None]:
    """Stick or slip of each disc of each contact; None for a contact that is open."""
    found: list[tuple[str, ...] | None] = []
    u = problem.matrix @ p + problem.right
    least, fast = _OPEN * np.abs(p).max(initial=0.0), _SLIPS * np.abs(problem.right).max(initial=0.0)
    for n, discs in zip(problem.starts, problem.discs, strict=True):
        if p[n] <= least:
            found.append(None)
            continue
        slipping = [d.size(u) > fast and d.size(p) >= d.mu * p[n] * (1 - _EDGE) for d in discs]
        found.append(tuple("slip" if one else "stick" for one in slipping))
    return found


def polished(problem: Frictional, p: Array, near: Array, by: Literal["friction", "speed"] = "friction") -> Array:
    """The pattern that shows, solved: Newton on the slip directions; the same p where that leads nowhere.

    Where impulses are one of many, those nearest to `near`: the least depend on nothing but the problem, those nearest
    to what shows stay in their cones. Directions of slips are told `by` friction, which has its digits where what
    slips hardly does, or by speeds, which are right first where impulses are still far off.
    """
    pattern, found = pattern_of(problem, p), p
    unknown = [k for part, s in zip(problem.blocks, pattern, strict=True) if s is not None
               for k in range(part.start, part.stop)]  # fmt: skip
    if not unknown:
        return 0 * p
    part_of, ones = problem.matrix[:, unknown], np.eye(len(p))[:, unknown]
    slips = any(shown is not None and "slip" in shown for shown in pattern)
    for _ in range(8):
        u = problem.matrix @ found + problem.right
        system, right = list[Array](), list[float]()
        for n, discs, shown in zip(problem.starts, problem.discs, pattern, strict=True):
            if shown is None:
                continue
            system.append(part_of[n])
            right.append(-problem.right[n])
            for disc, state in zip(discs, shown, strict=True):
                if state == "stick":
                    system += list(part_of[disc.rows])
                    right += list(-problem.right[disc.rows])
                    continue
                # d.P_t + mu P_n = 0, and nothing of u_t across d: either turns d as the other changes.
                push, slip = disc.size(found), disc.size(u)
                if by == "friction" and push > 0:
                    d = -found[disc.rows] / push
                elif slip > 0:
                    d, push = u[disc.rows] / slip, disc.mu * float(found[n])
                else:
                    return p  # what seemed to slip stands still here: another pattern
                system.append(d @ ones[disc.rows] + disc.mu * ones[n])
                right.append(0.0)
                if len(d) > 1:
                    across = np.array([-d[1], d[0]])
                    system.append(across @ (push * part_of[disc.rows] + float(d @ u[disc.rows]) * ones[disc.rows]))
                    right.append(-push * float(across @ problem.right[disc.rows]))
        heights = np.linalg.norm(system, axis=1)  # rows of slips are as steep as impulses are large
        heights[heights == 0] = 1.0
        made, asked = np.array(system) / heights[:, None], np.array(right) / heights
        new = 0 * p
        new[unknown] = near[unknown] + np.linalg.lstsq(made, asked - made @ near[unknown], rcond=1e-12)[0]
        done = np.abs(new - found).max() <= 1e-15 * np.abs(new).max()  # nothing but rounding moves
        found = new
        if done or not slips:
            break
    return found if np.isfinite(found).all() else p


def solve_frictional(
    problem: Frictional, guess: Array | None = None, prefer: str = "stick"
) -> tuple[list[Answer], str]:
    """The answers of any problem: all of them where they can be enumerated, else the one that sweeps lead to.

    An empty list is Painleve's case, no bounded answer; or none that obeys the law beyond rounding, and why.
    """
    answers, why = _answers(problem, guess)
    return [refined(problem, one) for one in sorted(answers, key=lambda a: rank(a, prefer))], why


def _answers(problem: Frictional, guess: Array | None) -> tuple[list[Answer], str]:
    if not problem.tangents:
        return [Answer(np.zeros(0), np.zeros(0), ())], ""
    if enumerable(problem):
        answers = all_answers(problem)
        if answers or len(problem.tangents) == 1 or problem.kept:
            return answers, ""
    elif problem.kept:
        return [], "Beside constraints with dry friction every way to stick or slip is tried, and these are too many."
    elif len(problem.tangents) == 1 and not problem.turns:
        return single(problem.matrix, problem.right, float(problem.mu[0])), ""
    swept = gauss_seidel(problem, guess, most=_WHOLE[-1] if enumerable(problem) else _SWEEPS)
    if swept.fault > LOOSE and not blurred(problem, swept.impulses):
        swept = _elsewhere(problem, swept)
    if swept.fault > LOOSE:
        why = f"the sweeps end with the fault {swept.fault:.1e}, most of it in contact {swept.worst}"
        return [], why + blurred(problem, swept.impulses)
    rates = problem.matrix @ swept.impulses + problem.right
    return [Answer(swept.impulses, rates, swept.states, swept.turning)], ""


def _elsewhere(problem: Frictional, best: Swept) -> Swept:
    """The best of sweeps that begin with all contacts pushing and rubbing, strongly and in many directions.

    The law is not that of a least: from nothing, sweeps and Newton's steps may go round an answer that is there.
    """
    same, scale, unit = balanced(problem)
    rng = np.random.default_rng(1)
    for _ in range(_STARTS):
        start = np.abs(rng.normal(size=len(problem.right))) * 10.0 ** rng.uniform(-1, 2)
        for n, discs in zip(same.starts, same.discs, strict=True):
            for disc in discs:
                way = rng.normal(size=disc.stop - disc.start)
                start[disc.rows] = disc.mu * start[n] * way / np.linalg.norm(way)
        swept = _sweep(same, newton(same, start), _AGAIN, TOLERANCE)
        if swept.fault < best.fault:
            best = replace(swept, impulses=unit * scale * swept.impulses)
        if best.fault <= LOOSE:
            break
    return best


def rank(answer: Answer, prefer: str) -> int:
    """Of several answers the least is taken: the preferred state first, then closed, stick, slip, open."""
    order = {"closed": 0, "stick": 1, "slip": 2, "open": 3}
    return sum(-1 if s == prefer else order[s] for s in answer.states)
