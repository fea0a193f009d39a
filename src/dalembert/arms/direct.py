"""Direct kinematics: where a frame is, seen from another, and how it moves, as formulas of the coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from dalembert import expr as ex
from dalembert.arms.chain import Arm, CurvedError, arm_of
from dalembert.errors import ArgumentError
from dalembert.expr import Matrix
from dalembert.expr.space import Vector3, apply3
from dalembert.kinematics import Pose, Twist, build_tree, frame_pose
from dalembert.mechanism import Frame, Layout
from dalembert.presentation import LEVELS

_ROWS = ("X", "Y", "Z")


@dataclass(frozen=True)
class DirectKinematics:
    """Pose of the frame `tip` in the frame `base`, formulas of the coordinates of `layout`.

    `position` and `rotation` (columns: the axes of the tip), `homogeneous` (4x4), `angular` and `linear` velocity in
    the axes of the base, formulas of the speeds, and `jacobian`: their derivatives, angular first.
    """

    layout: Layout
    base: Frame
    tip: Frame
    pose: Pose

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Those that the pose depends on."""
        used = {x.name for x in ex.free_symbols([*self.position, *(x for row in self.rotation for x in row)])}
        return tuple(x for x in self.layout.coordinates if x in used)

    @property
    def position(self) -> Vector3:
        return self.pose.position

    @property
    def rotation(self) -> tuple[Vector3, Vector3, Vector3]:
        return self.pose.rotation

    @property
    def homogeneous(self) -> Matrix:
        """Rotation and position in one matrix, which carries points of the tip to the base."""
        rows = [[*row, x] for row, x in zip(self.rotation, self.position, strict=True)]
        return Matrix([*rows, [ex.ZERO, ex.ZERO, ex.ZERO, ex.ONE]])

    @cached_property
    def _twist(self) -> Twist:
        tree = build_tree(self.layout)
        own = Twist.of_motion(self.pose, {ex.TIME: ex.ONE, **tree.rates})  # in the axes of the tip
        tidier = ex.Tidier(for_reading=True)
        return Twist(*(Vector3(tidier.tidy(x) for x in apply3(self.rotation, v)) for v in (own.angular, own.linear)))

    @property
    def angular(self) -> Vector3:
        """Angular velocity of the tip, seen from the base, in its axes."""
        return self._twist.angular

    @property
    def linear(self) -> Vector3:
        """Velocity of the tip's origin, seen from the base, in its axes."""
        return self._twist.linear

    @cached_property
    def jacobian(self) -> Matrix:
        """Six rows, angular first; a column for every speed of the machine."""
        speeds = [ex.symbol(x) for x in self.layout.speeds]
        return Matrix([[ex.derivative(x, u) for u in speeds] for x in self._twist.scalars])

    def at(self, values: Mapping[str, float]) -> Any:
        """The 4x4 matrix in numbers."""
        import numpy as np

        entries = self.homogeneous.entries
        lacking = sorted(x.name for x in ex.free_symbols(entries) if x.name not in values)
        if lacking:
            raise ArgumentError(f"the pose of '{self.words[1]}' needs a number for '{lacking[0]}'.")
        found = ex.evaluate(entries, {ex.symbol(name): float(x) for name, x in values.items()})
        return np.array([float(x) for x in found]).reshape(4, 4)

    @property
    def words(self) -> tuple[str, str]:
        """Names of base and tip."""
        return _called(self.layout, self.base), _called(self.layout, self.tip)

    def show(self, level: str = "scalar") -> str:
        """As text: sums of vectors, products of matrices, or a formula for every component."""
        if level not in LEVELS:
            raise ArgumentError(f"there is no level '{level}': kinematics have {', '.join(LEVELS)}.")
        return "\n".join(getattr(self, f"_{level}")())

    def _scalar(self) -> list[str]:
        base, tip = self.words
        lines = [f"pose of {tip} in {base}:"]
        lines += [f"  {tip}.{name} = {ex.text(x)}" for name, x in zip(_ROWS, self.position, strict=True)]
        for i, row in enumerate(self.rotation, 1):
            lines += [f"  {tip}.R{i}{j} = {ex.text(x)}" for j, x in enumerate(row, 1)]
        lines.append(f"velocity of {tip} in the axes of {base}:")
        named = zip(("omega", "v"), (self.angular, self.linear), strict=True)
        return [*lines, *(f"  {name}_{i} = {ex.text(x)}" for name, v in named for i, x in zip("xyz", v, strict=True))]

    def _arm(self) -> Arm:
        try:
            return arm_of(self.layout, self.base, self.tip)
        except CurvedError as error:
            raise ArgumentError(f"{error} Only the scalar level says such a chain.") from None

    def _matrix(self) -> list[str]:
        base, tip = self.words
        arm = self._arm()
        moves = [f"E_{i}" for i in range(1, len(arm.joints) + 1)]
        lines = [f"T({base}, {tip}) = {' '.join([*moves, 'G'])}"]
        for name, one in zip(moves, arm.joints, strict=True):
            amount = ex.text(ex.tidy(one.factor * ex.symbol(one.coordinate) + one.offset))
            way, at = (_triple(v) for v in (one.axis, one.point))
            said = f"turn by {amount} about {way} through {at}" if one.turns else f"slide by {amount} along {way}"
            lines.append(f"  {name}: {said}")
        rows = zip(arm.tip_pose.rotation, arm.tip_pose.position, strict=True)
        lines.append(f"  G = [{', '.join(_triple([*row, x]) for row, x in rows)}, [0, 0, 0, 1]]")
        return lines

    def _vector(self) -> list[str]:
        base, tip = self.words
        joints = self._arm().joints
        stops = ["O", *(f"J{i}" for i in range(1, len(joints) + 1)), "P"]
        sliding = {i: f"{one.coordinate} n{i}" for i, one in enumerate(joints, 1) if not one.turns}
        path = [f"{a}{b}" for a, b in pairwise(stops)]
        for i, said in sliding.items():
            path[i] = f"{said} + {path[i]}"
        turning = [f"{one.coordinate}' n{i}" for i, one in enumerate(joints, 1) if one.turns]
        speed = [
            f"{one.coordinate}' n{i} x J{i}P" if one.turns else f"{one.coordinate}' n{i}"
            for i, one in enumerate(joints, 1)
        ]
        return [
            f"OP({tip}) = {' + '.join(path)}",
            f"omega({tip}/{base}) = {' + '.join(turning) or '0'}",
            f"v({tip}/{base}) = {' + '.join(speed) or '0'}",
            f"  O: origin of {base}, P: origin of {tip}, n_i: axis of joint i, J_i: a point on it",
            *(f"  joint {i}: {one.coordinate}" for i, one in enumerate(joints, 1)),
        ]

    def to_json(self) -> dict[str, Any]:
        """Formulas as text."""
        return {
            "tip": self.words[1],
            "base": self.words[0],
            "coordinates": list(self.coordinates),
            "position": [ex.text(x) for x in self.position],
            "rotation": [[ex.text(x) for x in row] for row in self.rotation],
            "angular": [ex.text(x) for x in self.angular],
            "linear": [ex.text(x) for x in self.linear],
        }

    def __str__(self) -> str:
        return self.show()

    def _repr_latex_(self) -> str:
        base, tip = self.words
        return rf"$$T({ex.latex_name(base)}, {ex.latex_name(tip)}) = {ex.latex_matrix(self.homogeneous)}$$"


def _triple(values: Any) -> str:
    return f"[{', '.join(ex.text(ex.tidy(x)) for x in values)}]"


def _called(layout: Layout, frame: Frame) -> str:
    return next((name for name, one in layout.model.frames.items() if one == frame), frame.name or frame.body)


def direct_kinematics(layout: Layout, tip: Frame, base: Frame) -> DirectKinematics:
    """The pose of one frame in another, tidied."""
    tree = build_tree(layout)
    pose = frame_pose(tree, base).inverse() @ frame_pose(tree, tip)
    tidier = ex.Tidier(for_reading=True)
    rotation = tuple(Vector3(tidier.tidy(x) for x in row) for row in pose.rotation)
    made = Pose((rotation[0], rotation[1], rotation[2]), Vector3(tidier.tidy(x) for x in pose.position))
    return DirectKinematics(layout, base, tip, made)
