"""The last digits of impulses, from a root of their matrix: W = A A^T squares what rounding does, A does not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dalembert.contact.coulomb import Answer, Frictional

Array = NDArray[np.float64]

_DEPENDENT = 1e-12
"""A singular value, as a share of the largest, that is nothing: rows have unit length."""
_TURNS = 3
"""Corrections, at most: each divides what is missed by the inverse of rounding times the condition of W."""
_NEAR = 1e-7
"""A correction that changes rates by more than this share of the blow is none: root and matrix tell of other masses."""
_CONE = 1e-12
"""Share of the largest impulse by which one may be beyond its cone."""


def refined(problem: Frictional, answer: Answer) -> Answer:
    """The same answer, corrected until what it leaves of the rates is rounding of the speeds.

    With A the rows over the root of the mass, x = A^T P is the change of the speeds in the kinetic metric. What a
    rounded W leaves of contacts that stick is work that nobody does: at e = 1 energy was gained, 6e-10 of the kinetic
    one. Rates are asked of A (A^T P) + b instead, and the states stay as they are.
    """
    if problem.root is None or not answer.impulses.any():
        return answer
    base, rows = _pattern(problem, answer)
    sizes = np.linalg.norm(problem.root, axis=1)
    sizes[sizes == 0] = 1.0
    unit, right = problem.root / sizes[:, None], problem.right / sizes
    p, columns = answer.impulses * sizes, base * sizes[:, None]
    widths = np.abs(columns).max(axis=0)
    columns = columns / widths
    inverse = np.linalg.pinv(unit[rows] @ (unit.T @ columns), rcond=_DEPENDENT)
    best = float(np.abs((unit @ (unit.T @ p) + right)[rows]).max(initial=0.0))
    for _ in range(_TURNS):
        trial = p - columns @ (inverse @ (unit @ (unit.T @ p) + right)[rows])
        left = float(np.abs((unit @ (unit.T @ trial) + right)[rows]).max(initial=0.0))
        if not left < best:
            break
        p, best = trial, left
    found = p / sizes
    changed = np.abs(unit @ (unit.T @ (p - answer.impulses * sizes))).max()
    if changed > _NEAR * np.abs(right).max() or not _inside(problem, found):
        return answer
    return replace(answer, impulses=found, rates=problem.root @ (problem.root.T @ found) + problem.right)


def _pattern(problem: Frictional, answer: Answer) -> tuple[Array, list[int]]:
    """Columns that may change (a slip pushes along its own direction), and rows whose rates are nothing."""
    columns, rows, ones = list[Array](), list[int](), np.eye(len(problem.right))
    for i, (n, discs) in enumerate(zip(problem.starts, problem.discs, strict=True)):
        normal = float(answer.impulses[n])
        if answer.states[i] == "open" or normal <= 0:
            continue
        column = ones[n].copy()
        rows.append(n)
        columns.append(column)
        for disc, state in zip(discs, answer.disc_states(i), strict=True):
            if state == "stick":
                rows += range(disc.start, disc.stop)
                columns += list(ones[disc.rows])
            else:
                column[disc.rows] = answer.impulses[disc.rows] / normal
    return np.array(columns).T, rows


def _inside(problem: Frictional, p: Array) -> bool:
    small = _CONE * float(np.abs(p).max(initial=0.0))
    for n, discs in zip(problem.starts, problem.discs, strict=True):
        if p[n] < -small or any(disc.size(p) > max(disc.static, disc.mu) * p[n] + small for disc in discs):
            return False
    return True
