"""Self-stresses that friction makes possible: forces inside their cones that move nothing, however large (wedging)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dalembert.contact.coulomb import Frictional

Array = NDArray[np.float64]

_SIDES = 32
"""Edges of the cone inside a spatial one: 995 parts of 1000 of its friction, so that no ray is told that is none."""
_NOTHING = 1e-10
"""Effect of a unit self-stress on rows of unit length that is rounding: it is a linear program's."""


def wedge(problem: Frictional, resting: Sequence[int], every: Array) -> Array | None:
    """A ray of the forces of `resting` contacts that friction alone makes possible; None if there is none.

    y in the cones, y != 0, with no effect on `every` row: the set of forces is unbounded, and what is held depends on
    what has been. A disc between walls whose normals make the angle beta with the line of its contacts is wedged from
    mu = tan(beta) on. Where normals alone have such a ray, two stops for one, friction has no part in it.

    >>> W = np.array([[1, 0, -1, 0], [0, 1, 0, 1], [-1, 0, 1, 0], [0, 1, 0, 1.0]])
    >>> wedge(Frictional(W, np.zeros(4), np.array([0.5, 0.5]), (1, 1)), (0, 1), W) is None
    True
    """
    sizes = np.sqrt(np.abs(np.diag(problem.matrix)))
    heights = np.sqrt(np.abs(every).max(axis=1, initial=0.0))
    effects = every / np.where(heights > 0, heights, 1.0)[:, None]
    places = [k for i in resting for k in range(problem.blocks[i].start, problem.blocks[i].stop)]
    scaled = effects[:, places] / np.where(sizes > 0, sizes, 1.0)[places]
    if not places or np.linalg.matrix_rank(scaled, 1e-10) == len(places):
        return None
    plain, rubbing = (_edges(problem, resting, share) for share in (0.0, 1.0))
    if _ray(effects, plain) is not None:
        return None
    return _ray(effects, rubbing)


def _edges(problem: Frictional, resting: Sequence[int], share: float) -> Array:
    """Forces along the edges of the cones, in columns; what resists turning is left out."""
    found = list[Array]()
    for i in resting:
        normal = np.zeros(len(problem.right))
        normal[problem.starts[i]] = 1.0
        most = share * float(problem.static[i])
        if not problem.tangents[i] or not most:
            found.append(normal)
            continue
        disc = problem.discs[i][0]
        count = _SIDES if problem.tangents[i] > 1 else 2
        for angle in 2 * np.pi * np.arange(count) / count:
            edge = normal.copy()
            edge[disc.rows] = most * np.array([np.cos(angle), np.sin(angle)])[: problem.tangents[i]]
            found.append(edge)
    return np.array(found).T


def _ray(effects: Array, edges: Array) -> Array | None:
    """The sum of edges with the least effect, where that is none: a linear program."""
    from scipy.optimize import linprog

    columns = effects @ edges
    lengths = np.linalg.norm(columns, axis=0)
    lengths[lengths == 0] = 1.0
    columns = columns / lengths
    (rows, count) = columns.shape
    bound = -np.ones((rows, 1))
    found = linprog(
        np.concatenate([np.zeros(count), [1.0]]),
        A_ub=np.concatenate([np.hstack([columns, bound]), np.hstack([-columns, bound])]),
        b_ub=np.zeros(2 * rows),
        A_eq=np.concatenate([np.ones(count), [0.0]])[None],
        b_eq=[1.0],
    )
    if not found.success or found.x[-1] > _NOTHING:
        return None
    ray: Array = edges @ (found.x[:-1] / lengths)
    return ray
