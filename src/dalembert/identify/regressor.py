"""Efforts as a linear function of inertial parameters: Y(q, u, u') theta.

Ten numbers make the inertia of a body: its mass m, the first moments h = m c, and the inertia about the origin of its
reference frame, in the axes of this frame. The efforts that a motion needs are linear in them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.codegen import Function, NativeFunction, compile_functions
from dalembert.dynamics import dynamics_of
from dalembert.dynamics.extent import refuse_long_formulas
from dalembert.errors import ModelError
from dalembert.expr import ZERO, Expr, Matrix
from dalembert.expr.space import Vector3, dot3
from dalembert.kinematics.actions import coordinate_efforts, known_actions
from dalembert.kinematics.bodies import acceleration_symbols, body_motions, body_poses, in_time
from dalembert.kinematics.spatial import Twist
from dalembert.mechanism import Layout
from dalembert.mechanism.contact import say_open
from dalembert.presentation.told import Told

PARTS = ("m", "hx", "hy", "hz", "Ixx", "Iyy", "Izz", "Ixy", "Ixz", "Iyz")
_PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


@dataclass(frozen=True, eq=False)
class Regressor(Told):
    """Y of a machine; `efforts` on the speeds = Y theta - known, where known are the efforts of the description.

    Weight belongs to Y, with the gravity of the model.
    """

    layout: Layout
    names: tuple[str, ...]  # of theta: "arm.m", "arm.hx", ...
    matrix: Matrix
    known: tuple[Expr, ...]

    def __repr__(self) -> str:
        return f"<Regressor of '{self.layout.model.name}': {len(self.speeds)} efforts, {len(self.names)} parameters>"

    @property
    def speeds(self) -> tuple[str, ...]:
        return self.layout.state.speeds

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """Names of lengths, gravity and laws that Y and the known efforts need."""
        about = dynamics_of(self.layout)
        moving = {*about.coordinates, *about.speeds, *self._accelerations, ex.TIME}
        return tuple(
            sorted(
                x.name
                for x in ex.free_symbols([x for row in self.matrix.rows() for x in row] + list(self.known)) - moving
            )
        )

    @cached_property
    def _accelerations(self) -> list[Expr]:
        return [ex.prime(u) for u in dynamics_of(self.layout).speeds]

    @cached_property
    def _native(self) -> NativeFunction:
        about = dynamics_of(self.layout)
        rows, columns = self.matrix.shape
        outputs = [x for r, row in enumerate(self.matrix.rows()) for x in (*row, self.known[r])]
        inputs = [[ex.TIME], about.coordinates, about.speeds, self._accelerations]
        inputs.append([ex.symbol(x) for x in self.parameters])
        made = Function("regressor", inputs, outputs, constants=[4], shape=(rows, columns + 1))
        return compile_functions([made])["regressor"]

    def __call__(self, q: Any, u: Any, udot: Any, t: Any = 0.0, *, given: Mapping[str, Any] | None = None) -> Any:
        """Y in numbers, with an optional leading batch axis."""
        return self._both(q, u, udot, t, given)[..., :-1]

    def known_efforts(self, q: Any, u: Any, t: Any = 0.0, *, given: Mapping[str, Any] | None = None) -> Any:
        """Efforts of the description, weight apart, on the speeds."""
        return self._both(q, u, np.zeros_like(np.asarray(u, dtype=float)), t, given)[..., -1]

    def _both(self, q: Any, u: Any, udot: Any, t: Any, given: Mapping[str, Any] | None) -> Any:
        values = {**self.layout.model.given, **(given or {})}
        missing = [name for name in self.parameters if name not in values]
        if missing:
            raise ModelError(f"the regressor needs a number for {', '.join(missing)}: give it with `given`.")
        q = np.asarray(q, dtype=float)
        time = np.broadcast_to(np.asarray(t, dtype=float), q.shape[:-1])[..., None]
        return self._native(time, q, u, udot, [float(values[name]) for name in self.parameters])

    def theta(self, given: Mapping[str, Any] | None = None) -> Any:
        """The parameters that the description has, in numbers."""
        values = {ex.symbol(k): float(v) for k, v in {**self.layout.model.given, **(given or {})}.items()}
        found = []
        for body in _weighing(self.layout):
            m, c = body.mass, body.centre
            about = body.iframe.matrix
            own = [[body.inertia.matrix[i][j] for j in range(3)] for i in range(3)]
            R = np.array(ex.evaluate([about[i][j] for i in range(3) for j in range(3)], values)).reshape(3, 3)
            I = np.array(ex.evaluate([x for row in own for x in row], values)).reshape(3, 3)
            mass, *centre = ex.evaluate([m, *c], values)
            d = np.array(centre)
            total = R @ I @ R.T + mass * (d @ d * np.eye(3) - np.outer(d, d))
            found += [mass, *(mass * d), *(total[i, j] for i, j in _PAIRS)]
        return np.array(found, dtype=float)


def _weighing(layout: Layout) -> list[Any]:
    """Bodies that move: all but earth."""
    return list(layout.bodies)[1:]


def regressor(layout: Layout) -> Regressor:
    """Y of a tree, or of the tree of a closed machine, whose efforts are then projected on what its loops allow."""
    say_open(layout.model.contacts, "this regressor")
    refuse_long_formulas(layout, "the regressor")
    about = dynamics_of(layout)
    tree = about.tree
    motions = body_motions(tree)
    udot = acceleration_symbols(tree)
    moved = ex.tangent([x for one in motions for x in one.twist.scalars], in_time(tree, udot))
    partial = ex.jacobian([x for one in motions for x in one.twist.scalars], tree.speeds)
    poses = body_poses(tree)
    columns: list[list[Expr]] = []
    names: list[str] = []
    for i, one in list(enumerate(motions))[1:]:
        rate = Twist.of(moved[6 * i : 6 * i + 6])
        weight = poses[i].vector_back(layout.model.gravity)
        linear = rate.linear + one.spin.cross(one.velocity) - weight
        own = [Twist.of([partial[6 * i + k][r] for k in range(6)]) for r in range(len(tree.speeds))]
        for part, (force, moment) in zip(PARTS, _wrenches(one.spin, rate.angular, linear), strict=True):
            names.append(f"{one.body.name}.{part}")
            columns.append([dot3(force, twist.linear) + dot3(moment, twist.angular) for twist in own])
    rows = [[column[r] for column in columns] for r in range(len(tree.speeds))]
    known = _known(tree, partial)
    return Regressor(layout, tuple(names), Matrix(rows, (len(tree.speeds), len(names))), tuple(known))


def _wrenches(w: Vector3, alpha: Vector3, a: Vector3) -> list[tuple[Vector3, Vector3]]:
    """Force, and moment at the origin, that a unit of each parameter needs: m a, alpha x h + w x (w x h), and so on."""
    none = Vector3((ZERO, ZERO, ZERO))
    found = [(a, none)]
    units = [Vector3(tuple(ex.ONE if k == i else ZERO for k in range(3))) for i in range(3)]
    found += [(alpha.cross(e) + w.cross(w.cross(e)), e.cross(a)) for e in units]
    for i, j in _PAIRS:

        def times(v: Vector3, i: int = i, j: int = j) -> Vector3:
            parts = [ZERO, ZERO, ZERO]
            parts[i] = v[j]
            if i != j:
                parts[j] = v[i]
            return Vector3(tuple(parts))

        found.append((none, times(alpha) + w.cross(times(w))))
    return found


def _known(tree: Any, partial: Sequence[Sequence[Expr]]) -> list[Expr]:
    """Efforts of the description on the speeds, without weight."""
    total = [ZERO] * len(tree.speeds)
    for action in known_actions(tree, gravity=False):
        for r in range(len(tree.speeds)):
            twist = Twist.of([partial[6 * action.body + k][r] for k in range(6)])
            total[r] += dot3(action.force, twist.velocity(action.point)) + dot3(action.torque, twist.angular)
    for one in coordinate_efforts(tree):
        for r, slope in enumerate(ex.gradient(tree.rates[one.coordinate], tree.speeds)):
            total[r] += one.effort * slope
    return total
