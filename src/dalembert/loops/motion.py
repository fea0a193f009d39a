"""Motion on the closure in numbers: null-space dynamics in independent joint coordinates, for large linkages.

    q = (q_i, q_d),   G q' = 0,   q' = Psi q_i',   Psi = (1; -G_d^-1 G_i)
    (Psi^T M Psi) q_i'' = Psi^T (S + F - M gamma),   gamma = (0; -G_d^-1 G' q')

Redundant rows are left out and the relations of a multiple root are kept in (`Reduced`), so that spurious directions of
shaky closures do not move. Independent coordinates are chosen anew when they degrade; every step is brought back to
the closure. Cost of one evaluation grows with the square of the number of joints (dense matrix products).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.errors import ModelError, SimulationError
from dalembert.loops.assembly import Closing
from dalembert.loops.certify import Reduced, choose_reduced
from dalembert.loops.linkage import Linkage
from dalembert.loops.positions import cross

Array = Any
Efforts = Callable[[float, Array, Array], Array]


class LoopDynamics:
    """Mass matrix, forces and accelerations of a linkage in all its joint variables."""

    def __init__(self, linkage: Linkage, reduced: Reduced | None = None, efforts: Efforts | None = None) -> None:
        mechanism = linkage.layout.model
        if mechanism.efforts:
            raise ModelError("applied forces and torques are not supported here: use joint efforts, or `simulate`.")
        self.linkage = linkage
        self.closing = Closing(linkage)
        self.positions = self.closing.positions
        self.relations = reduced
        self.extra = efforts
        constants = self.positions.arithmetic.constants
        given = linkage.given
        self.gravity = np.array(constants(mechanism.gravity, given))
        bodies = linkage.layout.bodies
        self.mass = np.array(constants([b.mass for b in bodies], given))
        self.centre = np.array([constants(b.centre, given) for b in bodies])
        self.inertia = np.zeros((len(bodies), 3, 3))
        for i, b in enumerate(bodies):
            turn = np.array([constants(row, given) for row in b.iframe.matrix])
            own = np.array([constants(row, given) for row in b.inertia.matrix])
            self.inertia[i] = turn @ own @ turn.T
        nodes, n = self.positions.count, linkage.size
        self.collect = np.zeros((nodes, n))
        self.collect[np.arange(1, nodes), self.positions.variable[1:]] = 1.0
        self.carried = self.positions.ancestors[self.positions.body_node].astype(float)  # bodies, nodes
        self._springs = self._joint_efforts()

    def _joint_efforts(self) -> list[tuple[int, ex.Expr]]:
        known = {name: i for i, name in enumerate(self.linkage.variables)}
        found = []
        for link in self.linkage.layout.model.links.values():
            for name, effort in link.placed_efforts().items():
                if name not in known:
                    raise ModelError(f"the effort on '{name}' is not on a plain joint coordinate: use `simulate`.")
                found.append((known[name], effort))
        return found

    def bodies(self, x: Array, v: Array) -> dict[str, Array]:
        """Jacobians, velocities and bias accelerations of all centres of mass."""
        p = self.positions
        frames = self.closing.frames(x)
        spin, moment = p.screws(frames)
        rotation, origin = p.body_frames(frames)
        centre = origin + np.einsum("bij,bj->bi", rotation, self.centre)
        turn = np.einsum("bn,nc->bnc", self.carried, spin)
        move = np.einsum("bn,nc->bnc", self.carried, moment) + cross(turn, centre[:, None, :])
        angular = np.einsum("bnc,nk->bck", turn, self.collect, optimize=True)
        linear = np.einsum("bnc,nk->bck", move, self.collect, optimize=True)
        rates = self.collect @ v
        twist, bias = np.zeros((p.count, 6)), np.zeros((p.count, 6))
        screws = np.concatenate([spin, moment], axis=1)
        for level in p.levels:
            above = p.parent[level]
            own = screws[level] * rates[level][:, None]
            twist[level] = twist[above] + own
            bias[level] = bias[above] + _bracket(twist[above], own)
        node = p.body_node
        w, a = twist[node, :3], bias[node]
        speed = twist[node, 3:] + cross(w, centre)
        return {
            "angular": angular,
            "linear": linear,
            "spin": w,
            "speed": speed,
            "turning": a[:, :3],
            "pushing": a[:, 3:] + cross(a[:, :3], centre) + cross(w, speed),
            "inertia": rotation @ self.inertia @ np.swapaxes(rotation, 1, 2),
            "centre": centre,
            "twist": twist,
            "bias": bias,
            "frames": frames,
        }

    def mass_and_force(self, t: float, x: Array, v: Array, state: dict[str, Array]) -> tuple[Array, Array]:
        """M and S + F in all variables."""
        n = self.linkage.size
        linear, angular, inertia, w = state["linear"], state["angular"], state["inertia"], state["spin"]
        pushed = (linear * self.mass[:, None, None]).reshape(-1, n)
        turned = (inertia @ angular).reshape(-1, n)
        matrix = linear.reshape(-1, n).T @ pushed + angular.reshape(-1, n).T @ turned
        force = self.mass[:, None] * (self.gravity - state["pushing"])
        momentum = np.einsum("bij,bj->bi", inertia, w)
        torque = -np.einsum("bij,bj->bi", inertia, state["turning"]) - cross(w, momentum)
        total = linear.reshape(-1, n).T @ force.ravel() + angular.reshape(-1, n).T @ torque.ravel()
        return matrix, total + self.efforts(t, x, v)

    def efforts(self, t: float, x: Array, v: Array) -> Array:
        """Known efforts on the joint variables."""
        total = np.zeros(self.linkage.size)
        if self._springs:
            known: dict[ex.Expr, Any] = {ex.symbol(k): float(c) for k, c in self.linkage.given.items()}
            known |= {ex.symbol(name): float(a) for name, a in zip(self.linkage.variables, x, strict=True)}
            known |= {ex.symbol(name + "'"): float(a) for name, a in zip(self.linkage.variables, v, strict=True)}
            values = ex.evaluate([e for _, e in self._springs], known | {ex.TIME: t})
            for (i, _), value in zip(self._springs, values, strict=True):
                total[i] += value
        return total + self.extra(t, x, v) if self.extra is not None else total

    def rows(self, x: Array, reduced: Reduced) -> Array:
        return np.concatenate([self.closing.jacobian(x)[reduced.rows], reduced.linear])

    def row_bias(self, state: dict[str, Array], reduced: Reduced) -> Array:
        """G' q' of the reduced rows."""
        p = self.positions
        _, pa, _, pb = p.ends_of(state["frames"])
        sides = []
        for node, point in ((p.node_a, pa), (p.node_b, pb)):
            w, a = state["twist"][node, :3], state["bias"][node]
            speed = state["twist"][node, 3:] + cross(w, point)
            sides.append(np.concatenate([a[:, :3], (a[:, 3:] + cross(a[:, :3], point) + cross(w, speed))], axis=1))
        scale = np.array([1.0, 1.0, 1.0, *[1 / self.closing.scale] * 3])
        whole = ((sides[0] - sides[1]) * scale).ravel()
        return np.concatenate([whole[reduced.rows], np.zeros(len(reduced.linear))])

    def parametrisation(self, x: Array, reduced: Reduced) -> tuple[Array, Array]:
        """Psi (all variables by independent ones) and the inverse of G_d."""
        rows = self.rows(x, reduced)
        inverse = np.linalg.inv(rows[:, reduced.dependent])
        psi = np.zeros((self.linkage.size, len(reduced.independent)))
        psi[reduced.independent] = np.eye(len(reduced.independent))
        psi[reduced.dependent] = -inverse @ rows[:, reduced.independent]
        return psi, inverse

    def acceleration(self, t: float, x: Array, v: Array, reduced: Reduced) -> Array:
        """q'' of the motion on the closure."""
        state = self.bodies(x, v)
        matrix, force = self.mass_and_force(t, x, v, state)
        psi, inverse = self.parametrisation(x, reduced)
        gamma = np.zeros(self.linkage.size)
        gamma[reduced.dependent] = -inverse @ self.row_bias(state, reduced)
        small = psi.T @ matrix @ psi
        return psi @ np.linalg.solve(small, psi.T @ (force - matrix @ gamma)) + gamma

    def energy(self, x: Array, v: Array) -> float:
        """Kinetic energy and weight (springs not counted)."""
        state = self.bodies(x, v)
        kinetic = 0.5 * (self.mass * (state["speed"] ** 2).sum(axis=1)).sum()
        kinetic += 0.5 * np.einsum("bi,bij,bj->", state["spin"], state["inertia"], state["spin"])
        return float(kinetic - (self.mass * (state["centre"] @ self.gravity)).sum())

    def choose(self, x: Array) -> Reduced:
        """Independent rows and coordinates that are well conditioned here, with the relations that always hold."""
        linear = None if self.relations is None or not len(self.relations.linear) else self.relations.linear
        constant = () if self.relations is None else self.relations.constant
        return choose_reduced(self.closing, x, 1e-7, linear, constant)


def _bracket(a: Array, b: Array) -> Array:
    w = cross(a[:, :3], b[:, :3])
    return np.concatenate([w, cross(a[:, :3], b[:, 3:]) + cross(a[:, 3:], b[:, :3])], axis=1)


@dataclass(frozen=True, slots=True)
class LoopMotion:
    """Instants, variables, rates, energies; largest gap of the closure, and how often coordinates were changed."""

    t: Array
    x: Array
    v: Array
    energy: Array
    gap: float
    switches: int
    evaluations: int
    names: tuple[str, ...]

    def __getitem__(self, name: str) -> Array:
        return self.x[:, self.names.index(name)]


def simulate_loops(
    dynamics: LoopDynamics,
    start: Mapping[str, float],
    rates: Mapping[str, float],
    t_eval: Array,
    rtol: float = 1e-10,
    atol: float = 1e-12,
) -> LoopMotion:
    """Integrate on the closure: Dormand-Prince 8(5,3), every accepted step projected in position and velocity.

    `rates` names speeds wanted for some coordinates; the others follow from the closure.
    """
    from scipy.integrate import DOP853

    linkage = dynamics.linkage
    n = linkage.size
    x = np.array(linkage.start(start))
    reduced = dynamics.choose(x)
    x = _close(dynamics, x, reduced)
    v = _allowed(dynamics, x, reduced, np.array([rates.get(name, 0.0) for name in linkage.variables]), set(rates))
    count = [0]

    def slope(t: float, y: Array) -> Array:
        count[0] += 1
        return np.concatenate([y[n:], dynamics.acceleration(t, y[:n], y[n:], reduced)])

    times = np.asarray(t_eval, dtype=float)
    solver = DOP853(slope, times[0], np.concatenate([x, v]), times[-1], rtol=rtol, atol=atol)
    found, switches, gap = [np.concatenate([x, v])], 0, dynamics.closing.gap(x)
    while len(found) < len(times):
        message = solver.step()
        if solver.status == "failed":
            raise SimulationError(f"the step became too small at t = {solver.t:.6g}: {message}. A singular posture?")
        dense = solver.dense_output()
        while len(found) < len(times) and times[len(found)] <= solver.t + 1e-15:
            y = dense(times[len(found)])
            found.append(_on_closure(dynamics, y, reduced))
            gap = max(gap, dynamics.closing.gap(found[-1][:n]))
        y = _on_closure(dynamics, solver.y, reduced)
        better = _degraded(dynamics, y[:n], reduced)
        if better is not None:
            reduced, switches = better, switches + 1
            y = _on_closure(dynamics, y, reduced)
        solver.y, solver.f = y, slope(solver.t, y)
    states = np.array(found)
    energy = np.array([dynamics.energy(y[:n], y[n:]) for y in states])
    return LoopMotion(times, states[:, :n], states[:, n:], energy, gap, switches, count[0], linkage.variables)


def _close(dynamics: LoopDynamics, x: Array, reduced: Reduced) -> Array:
    constant = np.array([float(c) for c in reduced.constant])
    found = np.array(x, dtype=float)
    for _ in range(12):
        value = np.concatenate([dynamics.closing.residual(found)[reduced.rows], reduced.linear @ found - constant])
        if not value.size or np.abs(value).max() < 1e-14:
            break
        rows = dynamics.rows(found, reduced)
        step = rows.T @ np.linalg.solve(rows @ rows.T, value)
        found -= step
        if np.abs(step).max() < 1e-15:
            break
    return found


def _allowed(dynamics: LoopDynamics, x: Array, reduced: Reduced, v: Array, wanted: set[str]) -> Array:
    """The allowed speeds nearest to the wanted ones."""
    psi, _ = dynamics.parametrisation(x, reduced)
    kept = [i for i, name in enumerate(dynamics.linkage.variables) if name in wanted] or list(range(len(v)))
    return psi @ np.linalg.lstsq(psi[kept], v[kept], rcond=None)[0]


def _on_closure(dynamics: LoopDynamics, y: Array, reduced: Reduced) -> Array:
    n = dynamics.linkage.size
    x = _close(dynamics, y[:n], reduced)
    psi, _ = dynamics.parametrisation(x, reduced)
    return np.concatenate([x, psi @ y[n:][reduced.independent]])


def _degraded(dynamics: LoopDynamics, x: Array, reduced: Reduced) -> Reduced | None:
    """Other independent coordinates when the present ones make the dependent ones run."""
    psi, _ = dynamics.parametrisation(x, reduced)
    if np.abs(psi).max() < 20.0:
        return None
    better = dynamics.choose(x)
    changed = better.rank == reduced.rank and not np.array_equal(better.independent, reduced.independent)
    return better if changed else None
