"""Forces of contacts that stick, where they are one of many: well inside their cones, if any of them are."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.contact.coulomb import Answer, Frictional

Array = NDArray[Any]

_NEAR = 1e-3
"""Friction nearer to its bound than this share of it is brought inside, and as a share of the largest force what it
gains at least: less would be gone with the next change of the forces."""
_ENOUGH = 0.1
"""Room between friction and its bound, as a share of the largest normal force, that is enough: more asks for forces
that nothing calls for."""
_SIDES = 16
"""Sides of the polygon in the disc of a spatial friction: it has 98 parts of 100 of its radius."""
_LEAST = 1e-4
"""Weight of a change of forces beside the room that it makes: it breaks ties only."""
_DEPENDENT = 1e-10
"""A singular value, as a share of the largest, that is nothing; as where forces are evened."""


def inner(problem: Frictional, answer: Answer, every: Array) -> Answer:
    """The same accelerations with forces inside their cones, where contacts that stick hold more than they need.

    A machine with two freedoms whose tip sticks on a floor has a line of forces, and a solver takes the least: often
    one on the edge of its cone. Rounding would let it slip, and at once stick again, without end. Among all forces of
    `every` row with the same effect, those with room enough are taken that differ least.
    """
    resting = [i for i, state in enumerate(answer.states) if state in ("stick", "closed") and _still(answer, i)]
    if not any(_room(problem, answer.impulses, i) < _NEAR for i in resting):
        return answer
    places = [k for i in resting for k in range(problem.blocks[i].start, problem.blocks[i].stop)]
    free = _without_effect(problem, every, places)
    if not free.shape[1]:
        return answer
    size = float(np.abs(answer.impulses[places]).max(initial=0.0))
    if not size:
        return answer
    faces = _faces(problem, resting)[:, places]
    found = _deeper(faces, answer.impulses[places] / size, free)
    if found is None:
        return answer
    impulses = answer.impulses.copy()
    impulses[places] = size * found
    before, after = (min(_room(problem, p, i) for i in resting) for p in (answer.impulses, impulses))
    return replace(answer, impulses=impulses) if after > max(before, 0.0) + _NEAR**2 else answer


def _still(answer: Answer, i: int) -> bool:
    return "slip" not in answer.disc_states(i)


def _room(problem: Frictional, p: Array, i: int) -> float:
    """What is left of the friction of a contact that sticks, as a share of its bound."""
    normal = float(p[problem.starts[i]])
    bounds = [(disc.static * normal, disc.size(p)) for disc in problem.discs[i] if disc.static > 0]
    return min((1 - size / most if most > 0 else -1.0 for most, size in bounds), default=1.0)


def _without_effect(problem: Frictional, every: Array, places: list[int]) -> Array:
    """Forces at these places that accelerate nothing, in columns."""
    sizes = np.sqrt(np.abs(np.diag(problem.matrix)[places]))
    sizes[sizes == 0] = 1.0
    heights = np.sqrt(np.abs(every).max(axis=1, initial=0.0))
    part = every[:, places] / sizes / np.where(heights > 0, heights, 1.0)[:, None]
    _, values, v = np.linalg.svd(part)
    rank = int((values > _DEPENDENT * values.max(initial=0.0)).sum())
    free = v[rank:].T / sizes[:, None]
    found: Array = free / np.abs(free).max(axis=0, initial=1e-300)
    return found


def _faces(problem: Frictional, resting: list[int]) -> Array:
    """Rows that are positive inside: normals, and sides of polygons in the discs of friction."""
    rows = list[Array]()
    for i in resting:
        normal = np.zeros(len(problem.right))
        normal[problem.starts[i]] = 1.0
        rows.append(normal)
        for disc in problem.discs[i]:
            count = disc.stop - disc.start
            angles = 2 * np.pi * np.arange(_SIDES if count > 1 else 2) / (_SIDES if count > 1 else 2)
            share = np.cos(np.pi / _SIDES) if count > 1 else 1.0
            for angle in angles:
                side = disc.static * share * normal
                side[disc.rows] -= np.array([np.cos(angle), np.sin(angle)])[:count]
                rows.append(side)
    return np.array(rows)


def _deeper(faces: Array, p: Array, free: Array) -> Array | None:
    """p + free z with all faces at least s, s as large as is enough, and the change small: a linear program."""
    from scipy.optimize import linprog

    (many, count), own = faces.shape, free.shape[1]
    cost = np.concatenate([np.zeros(own), [-1.0], np.full(count, _LEAST)])
    inside = np.concatenate([-faces @ free, np.ones((many, 1)), np.zeros((many, count))], axis=1)
    changes = [np.concatenate([sign * free, np.zeros((count, 1)), -np.eye(count)], axis=1) for sign in (1.0, -1.0)]
    found = linprog(
        cost,
        A_ub=np.concatenate([inside, *changes]),
        b_ub=np.concatenate([faces @ p, np.zeros(2 * count)]),
        bounds=[(None, None)] * own + [(None, _ENOUGH)] + [(0, None)] * count,
    )
    return p + free @ found.x[:own] if found.success else None
