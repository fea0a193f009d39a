"""Several contacts with planar friction, or none: every pattern of open, stick and slip tried, exactly."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from dalembert.contact.coulomb import ADMISSIBLE, BLURRED, Answer, Frictional, balanced, rounding, told

Array = NDArray[np.float64]

MOST = 1024
"""Patterns that are tried, at most: five contacts with friction."""
_RUBS = ("stick", "slip+", "slip-")
Pattern = tuple[tuple[str, ...] | None, ...]
"""Of each contact the states of its discs; None where it is open."""


def enumerable(problem: Frictional) -> bool:
    """Are there few enough patterns, and no friction in a plane of directions?"""
    single = all(disc.stop - disc.start == 1 for discs in problem.discs for disc in discs)
    return single and float(np.prod([1.0 + 3.0 ** len(discs) for discs in problem.discs])) <= MOST


def all_answers(problem: Frictional) -> list[Answer]:
    """Every admissible answer; those of equal rates and impulses count once, of several impulses one is kept.

    >>> rest = Frictional(np.eye(2), np.array([-1.0, 0.2]), np.array([0.5]), (1,))
    >>> [a.states for a in all_answers(rest)]
    [('stick',)]
    """
    found: list[Answer] = []
    same, scale, size = balanced(problem)
    for pattern in product(*_ways(problem)):
        answer = _try(same, pattern, found, ADMISSIBLE)
        if answer is not None and not any(_same(answer, other, ADMISSIBLE) for other in found):
            found.append(answer)
    return [replace(one, impulses=size * scale * one.impulses, rates=size * one.rates / scale) for one in found]


def _ways(problem: Frictional) -> list[list[tuple[str, ...] | None]]:
    """What each contact may do: all ways to stick and slip, then to open, if it may."""
    closed = [list(product(_RUBS, repeat=len(discs))) for discs in problem.discs]
    return [[*some, *(() if i in problem.kept else (None,))] for i, some in enumerate(closed)]


def _same(a: Answer, b: Answer, small: float) -> bool:
    scale = 1 + np.abs(a.impulses).max(initial=0.0)
    near = np.abs(a.impulses - b.impulses).max(initial=0.0) <= small * scale
    return bool(near and np.abs(a.rates - b.rates).max(initial=0.0) <= small)


def _try(problem: Frictional, pattern: Pattern, known: list[Answer], small: float) -> Answer | None:
    """The answer of one pattern: impulses B z with u = 0 on the rows of z, if the signs are right.

    Where impulses are one of many, others are looked for unless they would make rates that are known.
    """
    columns, rows = list[Array](), list[int]()
    for n, discs, shown in zip(problem.starts, problem.discs, pattern, strict=True):
        if shown is None:
            continue
        column = np.zeros(len(problem.right))
        column[n] = 1.0
        rows.append(n)
        columns.append(column)
        for disc, state in zip(discs, shown, strict=True):
            if state == "stick":
                side = np.zeros(len(problem.right))
                side[disc.start] = 1.0
                columns.append(side)
                rows.append(disc.start)
            else:
                column[disc.start] = -disc.mu if state == "slip+" else disc.mu
    if not columns:
        return _admissible(problem, pattern, 0 * problem.right, rows, small)
    base = np.array(columns).T
    system = (problem.matrix @ base)[rows]
    z, _, full, _singular = np.linalg.lstsq(system, -problem.right[rows], rcond=1e-11)
    answer = _admissible(problem, pattern, base @ z, rows, small)
    if answer is None and full < len(rows):
        rates = problem.matrix @ (base @ z) + problem.right
        slack = small + rounding(problem, base @ z)
        missed = (np.abs(rates) > slack)[rows].any()
        if missed or any((np.abs(rates - one.rates) <= slack).all() for one in known):
            return None
        if _wrong_anyway(problem, pattern, base, system, rates, slack):
            return None
        other = _within(problem, pattern, base, system, rows)
        answer = None if other is None else _admissible(problem, pattern, other, rows, small)
    return answer


def _admissible(problem: Frictional, pattern: Pattern, impulses: Array, rows: list[int], small: float) -> Answer | None:
    """The answer, if impulses brought into their cones, where rounding has left them outside, leave rates that obey."""
    p, near = impulses.copy(), small * (1 + np.abs(impulses).max(initial=0.0))
    for n, discs, shown in zip(problem.starts, problem.discs, pattern, strict=True):
        if p[n] < -near:
            return None
        p[n] = max(p[n], 0.0)
        for disc, state in zip(discs, shown or (), strict=False):
            most = p[n] * (disc.static if state == "stick" else disc.mu)
            if abs(p[disc.start]) > most + near:
                return None
            p[disc.start] = min(max(p[disc.start], -most), most)
    u = problem.matrix @ p + problem.right
    slack = small + rounding(problem, p)  # not a share of impulses: large ones would hide any speed
    if (np.abs(u) > slack)[rows].any() or slack.max() > small + BLURRED:
        return None
    u[rows] = 0.0
    for n, discs, shown in zip(problem.starts, problem.discs, pattern, strict=True):
        if u[n] < -slack[n]:
            return None
        for disc, state in zip(discs, shown or (), strict=False):
            k = disc.start
            if (state == "slip+" and u[k] < -slack[k]) or (state == "slip-" and u[k] > slack[k]):
                return None
            if state != "stick" and p[n] <= near and u[n] <= small and len(pattern) == 1 and not problem.kept:
                return None
    plain = [shown and tuple(state.rstrip("+-") for state in shown) for shown in pattern]
    return Answer(p, u, *told(problem, plain))


def _wrong_anyway(
    problem: Frictional, pattern: Pattern, base: Array, system: Array, rates: Array, slack: Array
) -> bool:
    """Has a rate that is the same for all impulses of the pattern the wrong sign?

    Or do all of them stop everything: then they would be among those of contacts that stick, which are tried first.
    """
    _, values, v = np.linalg.svd(system)
    rank = int((values > 1e-11 * values.max(initial=0.0)).sum())  # as in the solve before
    loose = np.abs(problem.matrix @ base @ v[rank:].T).max(axis=1, initial=0.0) > 1e-9  # balanced: compliances are 1
    sticks = all(shown is not None and set(shown) <= {"stick"} for shown in pattern)
    if not loose.any() and not sticks and (np.abs(rates) <= slack).all():
        return True
    wrong = np.zeros(len(rates), dtype=bool)
    wrong[problem.starts] = (rates < -slack)[problem.starts]
    for discs, shown in zip(problem.discs, pattern, strict=True):
        for disc, state in zip(discs, shown or (), strict=False):
            turned = -rates[disc.start] if state == "slip+" else rates[disc.start]
            wrong[disc.start] = state != "stick" and turned > slack[disc.start]
    return bool((wrong & ~loose).any())


def _within(problem: Frictional, pattern: Pattern, base: Array, system: Array, rows: list[int]) -> Array | None:
    """Where impulses are one of many: a point inside all cones, as deep as it gets."""
    from scipy.optimize import linprog

    faces = list[Array]()
    for n, discs, shown in zip(problem.starts, problem.discs, pattern, strict=True):
        if shown is None:
            continue
        faces.append(base[n])
        for disc, state in zip(discs, shown, strict=True):
            if state == "stick":
                faces += [disc.static * base[n] + sign * base[disc.start] for sign in (1.0, -1.0)]
    size = base.shape[1]
    u, s, v = np.linalg.svd(system)
    kept = s > 1e-11 * s.max(initial=0.0)  # as in the solve above: rows that depend leave rounding, hundredfold
    equations = (s[kept, None] * v[: len(s)][kept]) if kept.any() else np.zeros((0, size))
    wanted = u.T[: len(s)][kept] @ -problem.right[rows]
    cost = np.zeros(size + 1)
    cost[-1] = -1.0
    limits = np.concatenate([-np.array(faces), np.ones((len(faces), 1))], axis=1)
    found = linprog(
        cost,
        A_ub=limits,
        b_ub=np.zeros(len(faces)),
        A_eq=np.concatenate([equations, np.zeros((len(equations), 1))], axis=1),
        b_eq=wanted,
        bounds=[(None, None)] * size + [(0, 1.0)],
    )
    return base @ found.x[:-1] if found.success else None
