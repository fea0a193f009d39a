"""Random states of a machine, in its own units: for a closed one on its loops, with what they allow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.codegen import Function, compile_functions
from dalembert.dynamics import dynamics_of
from dalembert.dynamics.closing import CLOSED, RANK, Loops, close
from dalembert.dynamics.scales import scales_of
from dalembert.dynamics.start import closed_start
from dalembert.mechanism import Layout

#: A singular value of the conditions below this share of the largest is a redundant row.
_RANK = 1e-9
#: Steps of a walk on loops and the longest of them in natural units (radians, sizes of the machine). Where branches
#: meet, a singular value vanishes, which grows by about one for one: a quarter of it stays on this side.
_STEPS, _STRIDE, _SHARE = 40, 0.3, 0.25


@dataclass(frozen=True, eq=False)
class States:
    """Coordinates, speeds and accelerations, one row for each; `allowed` are the motions that loops allow, or None."""

    q: Any
    u: Any
    udot: Any
    allowed: list[Any] | None = None

    def stacked(self, Y: Any) -> Any:
        """Rows of Y below each other, projected on the allowed motions."""
        if self.allowed is None:
            return Y.reshape(-1, Y.shape[-1])
        return np.vstack([N.T @ one for N, one in zip(self.allowed, Y, strict=True)])

    def projected(self, efforts: Any) -> Any:
        """The same of efforts."""
        if self.allowed is None:
            return np.asarray(efforts).reshape(-1)
        return np.concatenate([N.T @ one for N, one in zip(self.allowed, efforts, strict=True)])


def random_states(layout: Layout, count: int, *, given: Mapping[str, Any] | None = None, seed: int = 0) -> States:
    """States for a rank: angles anywhere, speeds at which inertia and weight are of one size."""
    about, state = dynamics_of(layout), layout.state
    rng = np.random.default_rng(seed)
    values = {ex.symbol(k): float(v) for k, v in {**layout.model.given, **(given or {})}.items()}
    scales = scales_of(layout)
    unit, length = scales.at(values), scales.length(values)
    g = float(np.sqrt(sum(float(x) ** 2 for x in ex.evaluate(list(layout.model.gravity), values))))
    rate = float(np.sqrt(g / length)) if g else 1.0
    n = len(state.speeds)
    if about.closed:
        q = _well_held(layout, _closed_postures(layout, 2 * count, given, rng), count, unit, given)
    else:
        q = rng.uniform(-1, 1, (count, len(state.coordinates))) * unit[: len(state.coordinates)] * np.pi
        for group in state.quaternions:
            index = [state.coordinates.index(x) for x in group]
            four = rng.standard_normal((count, 4))
            q[:, index] = four / np.linalg.norm(four, axis=1, keepdims=True)
    u = rng.standard_normal((count, n)) * unit[len(state.coordinates) :] * rate
    udot = rng.standard_normal((count, n)) * unit[len(state.coordinates) :] * rate**2
    return States(q, u, udot) if not about.closed else on_loops(layout, q, u, udot, given)


class Conditions:
    """What loops ask of speeds and accelerations, G u + drift = 0 and G u' = gamma, in machine code."""

    def __init__(self, layout: Layout, given: Mapping[str, Any] | None = None) -> None:
        about = dynamics_of(layout)
        rows, known = about.rows, {**layout.model.given, **(given or {})}
        outputs = [*(x for row in rows.matrix.rows() for x in row), *rows.drift, *rows.gamma]
        moving = {*about.coordinates, *about.speeds, ex.TIME}
        names = sorted(x.name for x in ex.free_symbols(outputs) - moving)
        groups = [about.coordinates, about.speeds, [ex.symbol(x) for x in names]]
        self._native = compile_functions([Function("conditions", groups, outputs, constants=[2])])["conditions"]
        self._numbers = [float(known[x]) for x in names]
        self._shape = (len(rows), len(layout.state.speeds))

    def __call__(self, q: Any, u: Any) -> tuple[Any, Any, Any]:
        """G, drift and gamma at a state, or at many."""
        found, (m, n) = np.asarray(self._native(q, u, self._numbers)), self._shape
        head = found.shape[:-1]
        return (
            found[..., : m * n].reshape(*head, m, n),
            found[..., m * n : m * n + m],
            found[..., m * n + m :],
        )


def on_loops(layout: Layout, q: Any, u: Any, udot: Any, given: Mapping[str, Any] | None = None) -> States:
    """The same postures with the nearest speeds and accelerations that the conditions allow."""
    conditions = Conditions(layout, given)
    speeds, accelerations, allowed = np.array(u), np.array(udot), []
    for k in range(len(q)):
        G, drift, _ = conditions(q[k], u[k])
        N, back = split(G)
        speeds[k] = N @ (N.T @ u[k]) - back @ drift
        gamma = conditions(q[k], speeds[k])[2]
        accelerations[k] = N @ (N.T @ udot[k]) + back @ gamma
        allowed.append(N)
    return States(np.asarray(q), speeds, accelerations, allowed)


def split(G: Any) -> tuple[Any, Any]:
    """Columns that span what G u = 0 allows, and the pseudoinverse of G."""
    left, sizes, right = np.linalg.svd(G)
    rank = int((sizes > _RANK * sizes[0]).sum()) if len(sizes) else 0
    return right[rank:].T, right[:rank].T @ np.diag(1 / sizes[:rank]) @ left[:, :rank].T


def _well_held(layout: Layout, q: Any, count: int, unit: Any, given: Mapping[str, Any] | None) -> Any:
    """Those postures in which loops hold best, in their order.

    Near a singular posture the rounding of a posture is divided by what still holds it: it passed for a combination.
    """
    G = Conditions(layout, given)(q, np.zeros((len(q), len(layout.state.speeds))))[0]
    G = G * unit[len(layout.state.coordinates) :]
    sizes = np.linalg.norm(G, axis=2).max(axis=0)  # of each condition, whatever its unit
    held = np.linalg.svd(G / np.where(sizes > 0, sizes, 1.0)[:, None], compute_uv=False)
    if not held.size:
        return q[:count]
    rank = int((held > _RANK * held[:, :1]).sum(axis=1).max())
    return q[np.sort(np.argsort(-held[:, rank - 1], kind="stable")[:count])] if rank else q[:count]


def _closed_postures(layout: Layout, count: int, given: Mapping[str, Any] | None, rng: Any) -> Any:
    """Postures that walks from the start reach by short steps at random, each closed again: no force has a say.

    A motion would: a weight that slides away on its rail, or a stop, decides what it passes.
    """
    closure, state = dynamics_of(layout).closure, layout.state
    known = {**layout.model.given, **(given or {})}
    numbers = {name: float(known[name]) for name in closure.parameters}
    here = closed_start(layout, None, given).y[: len(state.coordinates)]
    x = np.tile(here, (count, 1))
    loops, every = Loops(closure, 0.0, numbers, closure.scales(x, 0.0, numbers)), np.ones(len(here), dtype=bool)
    for _ in range(_STEPS):
        sizes = np.linalg.svd(loops.slopes(x), compute_uv=False)
        rank = int((sizes > RANK).sum(axis=1).max(initial=0))
        stride = np.minimum(_STRIDE, _SHARE * sizes[:, rank - 1]) if rank else np.full(count, _STRIDE)
        way = rng.standard_normal(x.shape) / np.sqrt(x.shape[1])
        tried = x + stride[:, None] * way * loops.scales.coordinates
        for group in state.quaternions:
            index = [state.coordinates.index(name) for name in group]
            tried[:, index] /= np.linalg.norm(tried[:, index], axis=1, keepdims=True)
        found, gap = close(loops, tried, every)
        x = np.where((gap < CLOSED)[:, None], found, x)
    return x
