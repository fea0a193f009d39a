"""The motion of one elementary displacement: rotation, translation, velocity subspace and its rate.

All of this is seen from the frame before the step, with components in the base of the frame after it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from dalembert import expr as ex
from dalembert.expr import ONE, ZERO, Expr
from dalembert.expr.space import (
    AXES,
    IDENTITY3,
    ZERO3,
    Matrix3,
    Vector3,
    apply3,
    apply_transposed3,
    is_zero3,
    product3,
)
from dalembert.kinematics.spatial import Pose, Twist
from dalembert.mechanism import QuaternionTurn, Step, Turn
from dalembert.mechanism.displacement import AnyTurn


@dataclass(frozen=True, slots=True)
class StepMotion:
    """A step in motion: second frame at (translation, rotation) from the first, twist = sum columns u + drift.

    `columns` pairs a speed name with its twist; `drift` is the twist left when all speeds vanish (explicit time);
    `rates` gives the coordinates' time derivatives; `conditions` must not vanish.
    """

    rotation: Matrix3
    translation: Vector3
    columns: tuple[tuple[str, Twist], ...]
    drift: Twist
    rates: Mapping[str, Expr]
    conditions: tuple[tuple[str, Expr], ...]

    @property
    def pose(self) -> Pose:
        return Pose(self.rotation, self.translation)

    def reversed(self) -> StepMotion:
        """The same step seen the other way: first frame relative to the second, in the base of the first."""

        back = self.pose.inverse()

        def turned(twist: Twist) -> Twist:
            return -twist.at(back)

        return StepMotion(
            back.rotation,
            back.position,
            tuple((name, turned(twist)) for name, twist in self.columns),
            turned(self.drift),
            self.rates,
            self.conditions,
        )


def step_motion(step: Step, speeds: Sequence[str]) -> StepMotion:
    """The motion of a placed step by time and by the `speeds` that it introduces."""
    rotation, translation = step.displacement.matrix, step.displacement.translation
    if step.speeds == "body":
        return _body_motion(step, rotation, translation, speeds)
    rates = {u.removesuffix("'"): ex.symbol(u) for u in speeds}
    columns = tuple((u.name, _slope(step, rotation, ex.symbol(x))) for x, u in rates.items())
    driven = ex.TIME in ex.free_symbols(step.displacement.scalars)
    drift = _slope(step, rotation, ex.TIME) if driven else Twist()
    return StepMotion(rotation, translation, columns, drift, rates, ())


def coupled_motion(motion: StepMotion, step: Step, rates: Mapping[Expr, Expr], speeds: Sequence[Expr]) -> StepMotion:
    """The motion of a step that uses coordinates of other steps, of its own joint or of another, moved by these too.

    Each such coordinate x adds dD/dx x', with x' = `rates`[x] affine in `speeds`: a rope, a gear or a cam is an ideal
    coupling, written as one column for each speed that moves it.
    """
    used = ex.free_symbols(step.displacement.scalars)
    others = [x for x in rates if x in used and x.name not in motion.rates]
    if not others:
        return motion
    columns, drift = dict(motion.columns), motion.drift
    for x in others:
        slope = _slope(step, motion.rotation, x)
        still = ex.substitute([rates[x]], dict.fromkeys(speeds, 0))[0]
        drift = drift + slope.scaled(still)
        for speed, share in zip(speeds, ex.gradient(rates[x], list(speeds)), strict=True):
            if share is not ZERO:
                columns[speed.name] = columns.get(speed.name, Twist()) + slope.scaled(share)
    return replace(motion, columns=tuple(columns.items()), drift=drift)


def _slope(step: Step, rotation: Matrix3, variable: Expr) -> Twist:
    """Twist of the step for a unit rate of one variable."""
    linear = ZERO3
    if not is_zero3(step.displacement.translation):
        moved = ex.tangent(step.displacement.translation, {variable: ONE})
        linear = apply_transposed3(rotation, Vector3(moved[:3]))
    angular, after = ZERO3, IDENTITY3
    for one in reversed(step.displacement.turns):
        angular = angular + apply_transposed3(after, _turning(one, variable))
        after = product3(one.matrix, after)
    return Twist(angular, linear)


def _turning(one: AnyTurn, variable: Expr) -> Vector3:
    """Angular velocity of one turn for a unit rate of one variable, in the base after it."""
    if isinstance(one, Turn):
        if one.angle is variable:
            return one.axis
        if variable not in ex.free_symbols(one.axis):
            return ex.derivative(one.angle, variable) * one.axis
    if variable not in ex.free_symbols(one.scalars):
        return ZERO3
    return Twist.of_motion(Pose(one.matrix), {variable: ONE}).angular


def _body_motion(step: Step, rotation: Matrix3, translation: Vector3, speeds: Sequence[str]) -> StepMotion:
    free = not is_zero3(translation)
    base = [AXES["x"], AXES["y"], AXES["z"]]
    units = ([Twist(linear=axis) for axis in base] if free else []) + [Twist(angular=axis) for axis in base]
    symbols = [ex.symbol(name) for name in speeds]
    omega = Vector3(symbols[-3:])
    rates, conditions = _rotation_rates(step, omega)
    if free:
        velocity = apply3(rotation, Vector3(symbols[:3]))
        rates |= {x.name: v for x, v in zip(translation, velocity, strict=True)}
    return StepMotion(rotation, translation, tuple(zip(speeds, units, strict=True)), Twist(), rates, conditions)


def _rotation_rates(step: Step, omega: Vector3) -> tuple[dict[str, Expr], tuple[tuple[str, Expr], ...]]:
    """Coordinate rates from the angular velocity in the base of the last frame."""
    turns = step.displacement.turns
    if isinstance(turns[0], QuaternionTurn):
        e0, e1, e2, e3 = turns[0].components
        x, y, z = omega
        half = ex.HALF
        return {
            e0.name: -half * (e1 * x + e2 * y + e3 * z),
            e1.name: half * (e0 * x + e2 * z - e3 * y),
            e2.name: half * (e0 * y + e3 * x - e1 * z),
            e3.name: half * (e0 * z + e1 * y - e2 * x),
        }, ()
    first, second, third = (one for one in turns if isinstance(one, Turn))
    # In the base after the second turn the three axes are simplest, and their triple product is a bare sine or cosine.
    a = apply_transposed3(second.matrix, first.axis)
    b, c = second.axis, third.axis
    normal = b.cross(c)
    condition = chart_condition(first, second, third)
    volume = condition[1]
    w = apply3(third.matrix, omega)
    rates = {
        first.angle.name: normal.dot(w) / volume,
        second.angle.name: c.cross(a).dot(w) / volume,
        third.angle.name: a.cross(b).dot(w) / volume,
    }
    return rates, (condition,)


def chart_condition(first: Turn, second: Turn, third: Turn) -> tuple[str, Expr]:
    """The triple product of the axes of three turns: where it vanishes, two axes agree and the chart is singular."""
    volume = apply_transposed3(second.matrix, first.axis).dot(second.axis.cross(third.axis))
    return f"chart of {first.angle.name}, {second.angle.name}, {third.angle.name}", volume
