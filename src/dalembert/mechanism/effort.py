"""Efforts: forces and torques on a body, springs between two bodies. Each has a name of its own in its model.

An effort between two frames works on a measure of their relative place, and is positive when it makes the measure grow:
its power is effort times rate, as for the efforts on the coordinates of a joint. `split` parts it into what derives
from a potential by its description, what depends on the measure and not on its rate, and the rest (damping).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeAlias, TypeVar, cast

from dalembert import expr as ex
from dalembert.expr import ZERO, Expr, Scalar
from dalembert.expr.space import ZERO3, Vector3, is_zero3, vector3
from dalembert.mechanism.body import EARTH, Frame

E = TypeVar("E", bound=Any)

#: In the law of a spring, the distance of its two points and its rate; in that of a torsion spring, angle and rate.
LENGTH, ANGLE = ex.symbol("l"), ex.symbol("th")


class _Known:
    """What a force and a torque share: three components, no potential."""

    __slots__ = ()
    value: Vector3

    @property
    def scalars(self) -> tuple[Expr, ...]:
        return self.value

    def split(self: E) -> tuple[E | None, ...]:
        return None, self


class _Between:
    """What efforts between two frames share."""

    __slots__ = ()
    first: Frame
    second: Frame

    @property
    def frames(self) -> tuple[Frame, ...]:
        return (self.first, self.second)


class _Elastic(_Between):
    """A measure of two frames (`VARIABLE`) with a spring, a damper and any law: -k (x - rest) - c x' + law(x, x')."""

    __slots__ = ()
    VARIABLE: ClassVar[Expr]
    REST: ClassVar[str]
    LAW: ClassVar[str]
    stiffness: Expr
    damping: Expr

    @property
    def further(self) -> Expr:
        """What the effort is beside spring and damper."""
        return cast(Expr, getattr(self, self.LAW))

    def law(self, value: Expr, rate: Expr) -> Expr:
        """The effort on the measure, from its value and its rate."""
        own = -self.stiffness * (value - getattr(self, self.REST)) - self.damping * rate
        if self.further.is_number:
            return own + self.further
        return own + ex.substitute([self.further], {self.VARIABLE: value, ex.prime(self.VARIABLE): rate})[0]

    def energy(self, value: Expr) -> Expr:
        return ex.HALF * self.stiffness * (value - getattr(self, self.REST)) ** 2

    @property
    def has_rate(self) -> bool:
        """Whether the effort depends on the rate of its measure, which a frame that time moves has at rest, too."""
        return self.damping is not ZERO or ex.prime(self.VARIABLE) in ex.free_symbols(self.further)

    def split(self: E) -> tuple[E | None, ...]:
        """The spring, the terms of the law without the rate, the damper with the terms of the law that have it."""
        rate = ex.prime(self.VARIABLE)
        terms = _terms(self.further)
        moving = [x for x in terms if rate in ex.free_symbols(x)]
        still = [x for x in terms if rate not in ex.free_symbols(x)]
        plain = {"stiffness": ZERO, "damping": ZERO, self.REST: ZERO}
        parts = (
            replace(self, damping=ZERO, **{self.LAW: ZERO}),
            replace(self, **{**plain, self.LAW: sum(still, ZERO)}),
            replace(self, **{**plain, "damping": self.damping, self.LAW: sum(moving, ZERO)}),
        )
        acts = self.stiffness is not ZERO, bool(still), self.damping is not ZERO or bool(moving)
        return tuple(part if there else None for part, there in zip(parts, acts, strict=True))


@dataclass(frozen=True, slots=True)
class Force(_Known):
    """A force at the origin of a frame; its components are in the base of the body `base`."""

    at: Frame
    value: Vector3
    base: str = EARTH
    name: str = ""

    @property
    def frames(self) -> tuple[Frame, ...]:
        return (self.at,)


@dataclass(frozen=True, slots=True)
class Torque(_Known):
    """A torque on a body; its components are in the base of the body `base`."""

    on: str
    value: Vector3
    base: str = EARTH
    name: str = ""

    @property
    def frames(self) -> tuple[Frame, ...]:
        return (Frame(self.on),)


@dataclass(frozen=True, slots=True)
class Spring(_Elastic):
    """A spring, damper or actuator between the origins of two frames, whose distance is l.

    It pushes them apart with -stiffness (l - length) - damping l' + force; `force` is a formula that may use `l` and
    `l'`.
    """

    VARIABLE, REST, LAW = LENGTH, "length", "force"

    first: Frame
    second: Frame
    stiffness: Expr = ZERO
    damping: Expr = ZERO
    length: Expr = ZERO
    force: Expr = ZERO
    name: str = ""

    @property
    def scalars(self) -> tuple[Expr, ...]:
        return (self.stiffness, self.damping, self.length)

    @property
    def needs_direction(self) -> bool:
        """Whether the force is undefined where the two points meet: a bare spring of length zero has none there."""
        return not (self.length is ZERO and self.damping is ZERO and self.force is ZERO)


@dataclass(frozen=True, slots=True)
class TorsionSpring(_Elastic):
    """A torsion spring, damper or motor between two frames about an axis that has these components in both.

    The angle th is that of the second frame from the first about the axis, between -pi and pi; the torque on the
    second is -stiffness (th - angle) - damping th' + torque about the axis (about the bisector of its two directions
    where the frames tilt, so that its power is torque times th'); `torque` is a formula that may use `th` and `th'`.
    """

    VARIABLE, REST, LAW = ANGLE, "angle", "torque"

    first: Frame
    second: Frame
    axis: Vector3
    stiffness: Expr = ZERO
    damping: Expr = ZERO
    angle: Expr = ZERO
    torque: Expr = ZERO
    name: str = ""

    @property
    def scalars(self) -> tuple[Expr, ...]:
        return (*self.axis, self.stiffness, self.damping, self.angle)


@dataclass(frozen=True, slots=True)
class Bushing(_Between):
    """Springs and dampers along and about the three axes of the first frame, slack where the frames coincide.

    With p the place of the second origin in the first frame and psi twice the vector part of the unit quaternion of
    the relative rotation (small angles to second order), V = (p . K p + psi . Kr psi)/2: with equal `turning` the
    torque is k sin(angle). The dampers work on the relative velocity and angular velocity.
    """

    first: Frame
    second: Frame
    stiffness: Vector3 = ZERO3
    damping: Vector3 = ZERO3
    turning: Vector3 = ZERO3
    turning_damping: Vector3 = ZERO3
    name: str = ""

    @staticmethod
    def of(
        first: Frame,
        second: Frame,
        stiffness: Scalar | Sequence[Scalar],
        damping: Scalar | Sequence[Scalar],
        turning: Scalar | Sequence[Scalar],
        turning_damping: Scalar | Sequence[Scalar],
        name: str = "",
    ) -> Bushing:
        """Each size is one value for all axes, or three."""
        k, c, kr, cr = (_on_axes(x) for x in (stiffness, damping, turning, turning_damping))
        return Bushing(first, second, k, c, kr, cr, name)

    @property
    def scalars(self) -> tuple[Expr, ...]:
        return (*self.stiffness, *self.damping, *self.turning, *self.turning_damping)

    def split(self) -> tuple[Effort | None, ...]:
        if is_zero3(self.stiffness) and is_zero3(self.turning):
            return None, self
        elastic = replace(self, damping=ZERO3, turning_damping=ZERO3)
        return elastic, None if self == elastic else replace(self, stiffness=ZERO3, turning=ZERO3)


Effort: TypeAlias = Force | Torque | Spring | TorsionSpring | Bushing

#: What an effort is called in names that are made, in sentences and in the language.
KINDS: dict[type, str] = {
    Force: "force",
    Torque: "torque",
    Spring: "spring",
    TorsionSpring: "torsion",
    Bushing: "bushing",
}


def effort_kind(effort: Effort) -> str:
    return KINDS[type(effort)]


def effort_bodies(effort: Effort) -> tuple[str, ...]:
    """Bodies that the effort acts on, and the one in whose base it is written."""
    acted = tuple(frame.body for frame in effort.frames)
    return (*acted, effort.base) if isinstance(effort, Force | Torque) else acted


def effort_symbols(effort: Effort) -> set[Expr]:
    """Symbols that an effort takes from its model: those of its formulas, but the variable of its own law."""
    found = ex.free_symbols(effort.scalars)
    if isinstance(effort, Spring | TorsionSpring):
        found |= ex.free_symbols(effort.further) - {effort.VARIABLE, ex.prime(effort.VARIABLE)}
    return found


def _on_axes(value: Scalar | Sequence[Scalar]) -> Vector3:
    """The same value for three axes, or three values."""
    if hasattr(value, "__len__") and not isinstance(value, str):
        return vector3(value)  # type: ignore[arg-type]
    one = ex.as_expr(value)  # type: ignore[arg-type]
    return Vector3((one, one, one))


def _terms(e: Expr) -> list[Expr]:
    """What a sum is made of."""
    if e.op not in ("add", "sub", "neg"):
        return [] if e is ZERO else [e]
    first, *second = (_terms(x) for x in e.args)
    if e.op == "neg":
        return [-x for x in first]
    return [*first, *(x if e.op == "add" else -x for x in second[0])]
