"""Known efforts in numbers, on bodies whose places and velocities another program tells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from dalembert import expr as ex
from dalembert.expr import Expr
from dalembert.kinematics import Tree
from dalembert.kinematics.wrench import in_speeds
from dalembert.mechanism import EARTH, Bushing, Effort, Force, Frame, Link, Spring, Torque, TorsionSpring
from dalembert.verify.elementary import NOWHERE, Carried, Place, in_numbers, place_of
from dalembert.verify.peers import Seen

Array = NDArray[np.float64]


def loads(
    tree: Tree,
    bodies: Sequence[Carried],
    seen: Seen,
    slopes: Array,
    speeds: Sequence[Expr],
    state: Mapping[Expr, float],
) -> Array:
    """The efforts on our speeds: of joints on their coordinates, of wrenches in joints, of forces and springs."""
    acting = _Acting(tree, seen, [x for body in bodies for move in body.moves for x in move.speeds], state)
    links = [one.link for one in tree.layout.tree]
    links += [one.link for one in tree.layout.cuts if any(body.closes for body in bodies)]
    total = np.zeros(len(speeds))
    for link in links:
        rates = {x: rate for motion in tree.motions[link.name] for x, rate in motion.rates.items()}
        for x, effort in link.placed_efforts().items():
            slope = in_numbers(ex.gradient(rates[x], list(speeds)), state)
            total += acting.value([effort])[0] * slope
        acting.carry(link)
    for one in tree.layout.model.efforts:
        acting.push(one)
    found: Array = total + slopes.T @ acting.efforts
    return found


class _Acting:
    """Efforts on elementary joints, gathered force by force: J^T of each."""

    def __init__(self, tree: Tree, seen: Seen, moves: Sequence[Expr], state: Mapping[Expr, float]) -> None:
        self.tree, self.seen, self.state = tree, seen, state
        self.velocity = in_numbers(moves, state)
        self.efforts = np.zeros(len(moves))

    def value(self, exprs: Sequence[Expr]) -> Array:
        return in_numbers(in_speeds(self.tree, exprs), self.state)

    def place(self, body: str) -> Place:
        return NOWHERE if body == EARTH else self.seen.places[body]

    def frame(self, frame: Frame) -> Place:
        return self.place(frame.body) @ place_of(frame.displacement, self.state)

    def twist(self, body: str, point: Array) -> tuple[Array, Array]:
        """Velocity of a point that moves with a body, and the angular velocity."""
        if body == EARTH:
            return np.zeros(3), np.zeros(3)
        both = self.seen.jacobians[body] @ self.velocity
        return both[:3] + np.cross(both[3:], point - self.place(body).p), both[3:]

    def on(self, body: str, point: Array, force: Array, torque: Array) -> None:
        """A force at a point and a torque, in the axes of earth."""
        if body != EARTH:
            moment = torque + np.cross(point - self.place(body).p, force)
            self.efforts += self.seen.jacobians[body].T @ np.concatenate([force, moment])

    def carry(self, link: Link) -> None:
        """Wrenches in the steps of a joint: on the second body at the step, the opposite on the first."""
        here = self.frame(link.first)
        for step in link.placed_steps():
            scalars = [*step.displacement.translation, *(x for row in step.displacement.matrix for x in row)]
            numbers = self.value(scalars)
            after = here @ Place(numbers[:3], numbers[3:].reshape(3, 3))
            if step.is_loaded:
                wrench = self.value([*step.force, *step.torque])
                force, torque = here.R @ wrench[:3], here.R @ wrench[3:]
                self.on(link.second.body, after.p, force, torque)
                self.on(link.first.body, after.p, -force, -torque)
            here = after

    def push(self, effort: Effort) -> None:
        if isinstance(effort, Force):
            self.on(effort.at.body, self.frame(effort.at).p, self._free(effort), np.zeros(3))
        elif isinstance(effort, Torque):
            self.on(effort.on, self.place(effort.on).p, np.zeros(3), self._free(effort))
        else:
            first, second = self.frame(effort.first), self.frame(effort.second)
            if isinstance(effort, Spring):
                force, torque = self._along(effort, first.p, second.p), np.zeros(3)
            elif isinstance(effort, TorsionSpring):
                force, torque = np.zeros(3), self._about(effort, first, second)
            else:
                force, torque = self._held(effort, first, second)
            self.on(effort.second.body, second.p, force, torque)
            self.on(effort.first.body, second.p, -force, -torque)

    def _free(self, effort: Force | Torque) -> Array:
        found: Array = self.place(effort.base).R @ self.value(effort.value)
        return found

    def _law(self, effort: Spring | TorsionSpring, measure: float, rate: float) -> float:
        """Its own law at a value and a rate of its measure."""
        asked = effort.law(ex.const(measure), ex.const(rate))
        return float(self.value([asked])[0])

    def _along(self, spring: Spring, first: Array, second: Array) -> Array:
        ends = second - first
        length = float(np.linalg.norm(ends))
        (v, _), (w, _) = self.twist(spring.first.body, first), self.twist(spring.second.body, second)
        if not length:
            return np.zeros(3)
        found: Array = self._law(spring, length, float(ends @ (w - v)) / length) * ends / length
        return found

    def _about(self, spring: TorsionSpring, first: Place, second: Place) -> Array:
        """The torque whose power is its law times the rate of twice the half angle about the axis."""
        n = self.value(spring.axis)
        n = n / np.linalg.norm(n)
        relative = first.R.T @ second.R
        x, y, z, e0 = Rotation.from_matrix(relative).as_quat()
        angle = 2 * np.arctan2(n @ [x, y, z], e0)
        angle -= 2 * np.pi * np.round(angle / (2 * np.pi))
        carried = relative @ n
        direction = first.R @ (n + carried) / (1 + n @ carried)
        spin = self.twist(spring.second.body, second.p)[1] - self.twist(spring.first.body, first.p)[1]
        found: Array = self._law(spring, float(angle), float(direction @ spin)) * direction
        return found

    def _held(self, bushing: Bushing, first: Place, second: Place) -> tuple[Array, Array]:
        """Force and torque of V = (p.Kp + psi.Kr psi)/2, psi = 2e, e' = (e0 w + w x e)/2, and of the dampers."""
        k, c, kr, cr = self.value(bushing.scalars).reshape(4, 3)
        x, y, z, e0 = Rotation.from_matrix(first.R.T @ second.R).as_quat()
        e = np.array([x, y, z])
        bent = kr * 2 * e
        (v1, w1), (v2, w2) = (self.twist(f.body, second.p) for f in (bushing.first, bushing.second))
        force = -(k * (first.R.T @ (second.p - first.p)) + c * (first.R.T @ (v2 - v1)))
        torque = -(e0 * bent + np.cross(e, bent) + cr * (first.R.T @ (w2 - w1)))
        return first.R @ force, first.R @ torque
