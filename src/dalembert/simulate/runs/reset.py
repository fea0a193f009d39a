"""A state that an event has changed, brought back to the constraints: what it asks for stays where it can."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from dalembert.dynamics import dynamics_of
from dalembert.dynamics.closing import CLOSED, Loops, close
from dalembert.simulate.loop.dense import Manifold
from dalembert.simulate.methods.problem import Array, Problem
from dalembert.simulate.system.balance import Balance
from dalembert.simulate.system.system import System

_KEPT = 1e-9
"""Speeds asked for are kept if the rows then hold to this share of what they are made of; else all speeds move."""


def consistent(system: System, problem: Problem, t: float, y: Array, touched: Collection[str]) -> Array:
    """The state with unit quaternions and closed loops; what the event has set is kept, the others follow."""
    state = y.copy()
    values = np.asarray(problem.parameters, dtype=float)
    quaternions = np.array(problem.quaternions, dtype=np.int64).reshape(-1, 4)
    manifold = Manifold(quaternions, getattr(problem.project, "address", problem.project), values, problem)
    if system.constrained is not None:
        count = len(system.coordinates)
        placed = _placed(system, t, state, values, touched)
        manifold.bring_back(np.array([t]), placed[None])
        state[:count] = placed[:count]
        held = [i for i, name in enumerate(system.speeds) if name in touched]
        state[count:] = _following(system, t, state, values, held)
    manifold.bring_back(np.array([t]), state[None])
    return state


def _placed(system: System, t: float, y: Array, values: Array, touched: Collection[str]) -> Array:
    """The state with coordinates that the event has set in place and the others closed around them, where they can."""
    free = np.array([name not in touched for name in system.coordinates])
    state = y.copy()
    if system.layout is None or free.all() or not free.any():
        return state
    closure, count = dynamics_of(system.layout).closure, len(free)
    parameters = dict(zip(system.known_parameters, values.tolist(), strict=True))
    x = state[None, :count]
    loops = Loops(closure, t, parameters, closure.scales(x, t, parameters))
    found, gap = close(loops, x, free)
    if gap[0] < CLOSED:
        state[:count] = found[0]
    return state


def _following(system: System, t: float, y: Array, values: Array, held: list[int]) -> Array:
    """Speeds that obey the rows, `held` ones unchanged: the least change of the others in the kinetic metric."""
    count, u = len(system.coordinates), y[len(system.coordinates) :].copy()
    numbers = Balance(system).at(t, y, values)
    free = [i for i in range(len(u)) if i not in held]
    if not free or not held:
        return u
    root = np.linalg.cholesky(numbers.mass[np.ix_(free, free)])
    rows = np.linalg.solve(root, numbers.matrix[:, free].T).T
    sizes = np.abs(numbers.made_of) @ np.abs(np.where(u == 0, 1.0, u)) + 1e-300
    change = np.linalg.lstsq(rows / sizes[:, None], -numbers.residual / sizes, rcond=1e-10)[0]
    u[free] += np.linalg.solve(root.T, change)
    left = Balance(system).at(t, np.concatenate([y[:count], u]), values).residual / sizes
    return u if np.abs(left).max(initial=0.0) < _KEPT else y[count:]
