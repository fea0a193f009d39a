"""Inverse kinematics as formulas: the stages of a plan written in the target, the lengths, and the joints before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from dalembert import expr as ex
from dalembert.arms.chain import Arm, ArmJoint
from dalembert.arms.features import MEETS, Features, Scalar, meeting, normals
from dalembert.arms.plan import Plan, Stage, coefficients
from dalembert.expr import Expr
from dalembert.expr.space import IDENTITY3, Vector3, turn_matrix
from dalembert.kinematics import Pose

#: Names of the target in the formulas: place and axes of the tip, in the base.
PLACE = ("X", "Y", "Z")
#: Rounding of products of rotations, and of lengths in parts of the arm: zero and one are meant.
_DUST = 1e-14
#: Pairs of equations for an angle that are written out, to take the shortest.
_TRIED = 6
AXES = tuple(f"R{i}{j}" for i in "123" for j in "123")


@dataclass(frozen=True, slots=True)
class ClosedStep:
    """A coordinate as a formula of the target and of what comes before; `sign` is +1 or -1, each a branch.

    The first ones may be places that the target tells, such as the centre of a wrist, W1_x. Of a polynomial stage there
    is no formula: `degree` tells how many values it has.
    """

    coordinate: str
    formula: Expr | None
    sign: str = ""
    degree: int = 1

    def __str__(self) -> str:
        if self.formula is None:
            return f"{self.coordinate}: a root of a polynomial of degree {self.degree} in the tangent of its half"
        note = f"    ({self.sign} = +1 or -1)" if self.sign else ""
        return f"{self.coordinate} = {ex.text(self.formula)}{note}"


def closed_form(arm: Arm, plan: Plan, asked: str) -> tuple[ClosedStep, ...]:
    """The formulas, in the order in which they are used."""
    written = _Written(arm, plan.features, asked)
    steps = [written.step(stage, i) for i, stage in enumerate(plan.stages, 1)]
    used = {x for one in steps if one.formula is not None for x in ex.free_symbols([one.formula])}
    places = [ClosedStep(name.name, value) for name, value in written.places.items() if name in used]
    return (*places, *steps)


class _Written:
    """The features of an arm with formulas in place of numbers."""

    def __init__(self, arm: Arm, features: Features, asked: str) -> None:
        screws = features.screws
        size = screws.size
        joints = tuple(replace(x, axis=_clean(x.axis, 1.0), point=_clean(x.point, size)) for x in arm.joints)
        tip = Pose(tuple(_clean(row, 1.0) for row in arm.tip_pose.rotation), _clean(arm.tip_pose.position, size))  # type: ignore[arg-type]
        self.arm, self.features = replace(arm, joints=joints, tip_pose=tip), features
        lines = [i for i, one in enumerate(joints) if one.turns]
        named = [(screws.axes[i], joints[i].axis) for i in range(len(joints))]
        named += [(np.array(e, dtype=float), axis) for e, axis in zip(np.eye(3), IDENTITY3, strict=True)]
        for i, j, value in normals(screws):
            across = joints[i].axis.cross(joints[j].axis)
            named.append((value, across * (ex.ONE / ex.sqrt(across.dot(across)))))
        spots = [(screws.points[i], joints[i].point) for i in lines]
        for i, j in pairwise(lines):
            point = meeting(screws, i, j)
            if point is not None:
                spots.append((point, _crossing(joints[i], joints[j])))
        self.directions = [_named(x, named) for x in features.directions]
        self.points = [_named(x, spots) for x in features.points] if spots else [IDENTITY3[0] * ex.ZERO]
        if asked == "pose":
            self.seen_directions, self.seen_points = self.directions, self.points
        else:
            self.seen_directions = [Vector3(row[2] for row in tip.rotation)] if asked == "direction" else []
            self.seen_points = [tip.position]
        goal = Pose(
            tuple(Vector3(ex.symbol(AXES[3 * i + j]) for j in range(3)) for i in range(3)),  # type: ignore[arg-type]
            Vector3(ex.symbol(x) for x in PLACE),
        )
        self.target, self.whole, self.goal = goal @ tip.inverse(), asked == "pose", goal
        self.amounts = [ex.ZERO] * len(joints)  # of joints that are not yet known: the equations do not hold them
        self.tidier = ex.Tidier(for_reading=True)
        self.places: dict[Expr, Expr] = {}  # names of what the target tells of points: centres of wrists
        self.images = [self._image(i, p) for i, p in enumerate(self.seen_points, 1)] if self.whole else []

    def _image(self, number: int, point: Vector3) -> Vector3:
        """Where the target puts a point: the place of the tip itself, or a name for it."""
        found = Vector3(self._tidy(x) for x in self.target.point(point))
        if all(x.op in ("symbol", "const") for x in found):
            return found
        named = Vector3(ex.symbol(f"W{number}_{axis}") for axis in "xyz")
        self.places |= dict(zip(named, found, strict=True))
        return named

    def step(self, stage: Stage, number: int) -> ClosedStep:
        joint = self.arm.joints[stage.unknown]
        found = self._step(stage, number)
        self.amounts[stage.unknown] = joint.factor * ex.symbol(joint.coordinate) + joint.offset
        return found

    def _step(self, stage: Stage, number: int) -> ClosedStep:
        joint = self.arm.joints[stage.unknown]
        if stage.beside is not None:
            return ClosedStep(joint.coordinate, None, degree=stage.values)
        turns, sign = joint.turns, ""
        if turns and stage.values == 1:
            amount = min(self._both(stage), key=lambda e: len(ex.text(e)))
        else:
            a, b, c = self.coefficients(self.one(stage), stage.unknown)
            if stage.values == 1:
                amount = self._tidy(-c) / b
            else:
                sign = f"s{number}"
                s = ex.symbol(sign)
                if turns:
                    size = ex.sqrt(self._tidy(a * a + b * b))
                    amount = ex.atan2(b, a) + s * (ex.PI / 2 if c is ex.ZERO else ex.acos(self._tidy(-c) / size))
                else:
                    amount = (self._tidy(-b) + s * ex.sqrt(self._tidy(b * b - 4 * a * c))) / (2 * a)
        return ClosedStep(joint.coordinate, self._tidy((amount - joint.offset) / joint.factor), sign, stage.values)

    def one(self, stage: Stage) -> Scalar:
        """The equation that is shortest when it is written."""
        return min(stage.equations, key=lambda one: self._size(one, stage.unknown))

    def _both(self, stage: Stage) -> Iterator[Expr]:
        """The angle from pairs of equations that tell its cosine and sine apart, the shortest few."""
        x = np.linspace(0.3, 1.7, len(self.arm.joints))
        rows = coefficients(self.features, stage.equations, stage.unknown, x)
        order = sorted(range(len(rows)), key=lambda i: self._size(stage.equations[i], stage.unknown))
        made = 0
        for i, j in ((i, j) for n, i in enumerate(order) for j in order[:n]):
            size = np.linalg.norm(rows[i, :2]) * np.linalg.norm(rows[j, :2])
            if abs(rows[i, 0] * rows[j, 1] - rows[i, 1] * rows[j, 0]) > 1e-3 * size and made < _TRIED:
                made += 1
                yield self._angle(*(self.coefficients(stage.equations[k], stage.unknown) for k in (j, i)))

    def _angle(self, first: tuple[Expr, Expr, Expr], second: tuple[Expr, Expr, Expr]) -> Expr:
        """Of a cos + b sin + c = 0 twice, by Cramer's rule; of the determinant only the sign matters."""
        (a, b, c), (d, e, f) = first, second
        value = self._tidy(a * e - b * d)
        sense = (ex.ONE if float(value.value) > 0 else ex.MINUS_ONE) if value.is_number else ex.sign(value)
        return ex.atan2(self._tidy(c * d - a * f) * sense, self._tidy(b * f - c * e) * sense)

    def _size(self, one: Scalar, unknown: int) -> int:
        return sum(len(ex.text(x)) for x in self.coefficients(one, unknown))

    def coefficients(self, one: Scalar, unknown: int) -> tuple[Expr, Expr, Expr]:
        """(a, b, c) as in `plan.coefficients`, as formulas."""
        turns = self.arm.joints[unknown].turns
        probes = (ex.ZERO, ex.PI / 2, ex.PI) if turns else (ex.ZERO, ex.ONE, ex.MINUS_ONE)
        zero, first, other = (self._gap(one, unknown, p) for p in probes)
        if turns:
            c = (zero + other) / 2
            found = ((zero - other) / 2, first - c, c)
        else:
            found = ((first + other) / 2 - zero, (first - other) / 2, zero)
        a, b, c = (self._tidy(x) for x in found)
        return a, b, c

    def _tidy(self, e: Expr) -> Expr:
        return self.tidier.tidy(e)

    def _gap(self, one: Scalar, unknown: int, value: Expr) -> Expr:
        amounts = [*self.amounts[:unknown], value, *self.amounts[unknown + 1 :]]
        moves = [_moved(joint, x) for joint, x in zip(self.arm.joints, amounts, strict=True)]
        right = Pose()
        for i in range(one.k, one.l):
            right = right @ moves[i]
        return self._number(one, *self._left(one, moves)) - self._number(one, *self._right(one, right))

    def _left(self, one: Scalar, moves: list[Pose]) -> tuple[Vector3, Vector3]:
        """The seen direction and point, as the target and the other joints carry them."""
        way, place = self._seen(one)
        if self.whole:
            back = Pose()
            for i in reversed(range(one.l, len(moves))):
                back = back @ moves[i].inverse()
            pointed = one.kind in ("places", "distances") and one.l == len(moves)
            place = self.images[one.right] if pointed else self.target.point(back.point(place))
            way = self.target.vector(back.vector(way))
        else:
            way, place = Vector3(row[2] for row in self.goal.rotation), self.goal.position
        for i in range(one.k):
            inverse = moves[i].inverse()
            way, place = inverse.vector(way), inverse.point(place)
        return way, place

    def _right(self, one: Scalar, pose: Pose) -> tuple[Vector3, Vector3]:
        way, place = self._seen(one)
        return pose.vector(way), pose.point(place)

    def _seen(self, one: Scalar) -> tuple[Vector3, Vector3]:
        if one.kind == "moments":
            joint = self.arm.joints[int(self.features.lines[one.right])]
            return joint.axis, joint.point
        nothing = IDENTITY3[0] * ex.ZERO
        if one.kind == "directions":
            return self.seen_directions[one.right], nothing
        return nothing, self.seen_points[one.right]

    def _number(self, one: Scalar, way: Vector3, place: Vector3) -> Expr:
        if one.kind == "directions":
            return self.directions[one.left].dot(way)
        if one.kind == "places":
            return self.directions[one.left].dot(place)
        if one.kind == "distances":
            off = place - self.points[one.left]
            return off.dot(off)
        joint = self.arm.joints[int(self.features.lines[one.left])]
        return joint.axis.cross(way).dot(place - joint.point)


def _moved(joint: ArmJoint, amount: Expr) -> Pose:
    if not joint.turns:
        return Pose(position=joint.axis * amount)
    turned = Pose(turn_matrix(amount, joint.axis))
    return Pose(turned.rotation, joint.point - turned.vector(joint.point))


def _clean(v: Vector3, size: float) -> Vector3:
    """Numbers that are zero or one but for the rounding of sines and cosines, as such."""

    def one(e: Expr) -> Expr:
        if not e.is_number:
            return e
        value = float(e.value) / size
        whole = round(value)
        return ex.const(whole) * ex.const(size) if abs(value - whole) < _DUST and (size == 1.0 or not whole) else e

    return Vector3(one(x) for x in v)


def _crossing(first: ArmJoint, second: ArmJoint) -> Vector3:
    across = first.axis.cross(second.axis)
    along = (second.point - first.point).cross(second.axis).dot(across) / across.dot(across)
    return Vector3(ex.tidy(x) for x in first.point + first.axis * along)


def _named(value: np.ndarray, known: list[tuple[np.ndarray, Vector3]]) -> Vector3:
    return next(v for x, v in known if np.abs(x - value).max() < MEETS)
