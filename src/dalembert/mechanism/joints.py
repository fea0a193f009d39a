"""The library of classic joints: each a short constructor of the one structure `Joint`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import Scalar
from dalembert.expr.space import scale3, vector3
from dalembert.mechanism.displacement import AnyTurn, AxisLike, Displacement, QuaternionTurn, Turn, unit_axis
from dalembert.mechanism.joint import Joint, Speeds, Step

#: Names of three-turn charts; any of the twelve sequences is accepted.
CHARTS = {"euler": "zxz", "bryant": "xyz", "cardan": "xyz"}
QUATERNION = "quaternion"
T = TypeVar("T")


def _slide(axis: AxisLike, x: str) -> Step:
    return Step(Displacement(scale3(ex.symbol(x), unit_axis(axis))))


def _spin(axis: AxisLike, th: str) -> Step:
    return Step(Displacement(turns=(Turn(ex.symbol(th), unit_axis(axis)),)))


def _as_many(given: Sequence[T], count: int, what: str, joint: str) -> Sequence[T]:
    """Each a sequence of its own: a text is not one of its letters."""
    if isinstance(given, str) or len(given) != count:
        raise ModelError(f"{joint} takes a list of {count} {what}, not {given!r}.")
    return given


def weld() -> Joint:
    """No motion: the second frame is the first."""
    return Joint((), (), kind="weld")


def revolute(axis: AxisLike = "z", coordinate: str = "th") -> Joint:
    """Rotation about one axis fixed in both bodies."""
    return Joint((coordinate,), (_spin(axis, coordinate),), kind="revolute")


def prismatic(axis: AxisLike = "x", coordinate: str = "x") -> Joint:
    """Translation along one axis."""
    return Joint((coordinate,), (_slide(axis, coordinate),), kind="prismatic")


def screw(axis: AxisLike = "z", lead: Scalar = 1, coordinate: str = "th") -> Joint:
    """Rotation with a proportional advance: `lead` is the length travelled in one radian."""
    th, n = ex.symbol(coordinate), unit_axis(axis)
    advance = scale3(ex.as_expr(lead) * th, n)
    return Joint((coordinate,), (Step(Displacement(advance, (Turn(th, n),))),), kind="screw")


def cylindrical(axis: AxisLike = "z", coordinates: Sequence[str] = ("x", "th")) -> Joint:
    """Translation along an axis and rotation about it."""
    x, th = _as_many(coordinates, 2, "coordinates", "a cylindrical joint")
    return Joint((x, th), (_slide(axis, x), _spin(axis, th)), kind="cylindrical")


def universal(axes: Sequence[AxisLike] = ("x", "y"), coordinates: Sequence[str] = ("al", "be")) -> Joint:
    """Two turns about crossing axes, the second carried by the first (Hooke, Cardan)."""
    al, be = _as_many(coordinates, 2, "coordinates", "a universal joint")
    first, second = _as_many(axes, 2, "axes", "a universal joint")
    return Joint((al, be), (_spin(first, al), _spin(second, be)), kind="universal")


def planar(normal: str = "z", coordinates: Sequence[str] = ("x", "y", "th")) -> Joint:
    """Motion in a plane: two translations and a turn about the normal."""
    order = {"x": ("y", "z"), "y": ("z", "x"), "z": ("x", "y")}
    if not isinstance(normal, str) or normal not in order:
        raise ModelError(f"the normal of a planar joint is 'x', 'y' or 'z', not {normal!r}. Turn its frame instead.")
    x, y, th = _as_many(coordinates, 3, "coordinates", "a planar joint")
    first, second = order[normal]
    return Joint((x, y, th), (_slide(first, x), _slide(second, y), _spin(normal, th)), kind="planar")


def spherical(chart: str = "bryant", speeds: Speeds | None = None, coordinates: Sequence[str] | None = None) -> Joint:
    """Any rotation about a point; the chart is `euler`, `bryant`, one of the twelve sequences, or `quaternion`."""
    names = tuple(coordinates or _rotation_names(chart))
    return Joint(names, _rotation_steps(chart, names, speeds), kind="spherical")


def free(
    chart: str = "bryant",
    speeds: Speeds | None = None,
    coordinates: Sequence[str] | None = None,
) -> Joint:
    """No constraint: three translations, then any rotation.

    `speeds="body"` takes the velocity of the origin and the angular velocity in the base of the second frame.
    """
    names = tuple(coordinates or ("x", "y", "z", *_rotation_names(chart)))
    position, rotation = vector3([ex.symbol(x) for x in names[:3]]), names[3:]
    if speeds == "body":
        turns = _rotation_turns(chart, rotation)
        return Joint(names, (Step(Displacement(position, turns), speeds="body"),), kind="free")
    steps = (Step(Displacement(position)), *_rotation_steps(chart, rotation, speeds))
    return Joint(names, steps, kind="free")


def composite(parameters: Sequence[str], *displacements: Displacement | Step | AnyTurn | Sequence[Scalar]) -> Joint:
    """A chain of displacements that depend on named parameters: Papegay's `link(x, ...) dof1 = ..., dof2 = ...`.

    A displacement may be a `Displacement`, three components of a translation, or a `turn(angle, axis)`.

    >>> from dalembert.mechanism import composite, turn
    >>> composite(["a"], [0, 0, "sin(a)"], turn("2*a", "z")).parameters
    ('a',)
    """
    steps = tuple(d if isinstance(d, Step) else Step(_displacement(d)) for d in displacements)
    return Joint(tuple(parameters), steps, kind="composite")


def _displacement(what: Displacement | AnyTurn | Sequence[Scalar]) -> Displacement:
    if isinstance(what, Displacement):
        return what
    return Displacement.of((0, 0, 0), what) if isinstance(what, Turn | QuaternionTurn) else Displacement.of(what)


def _rotation_names(chart: str) -> tuple[str, ...]:
    if chart == QUATERNION:
        return ("e0", "e1", "e2", "e3")
    return ("ps", "th", "ph") if CHARTS.get(chart, chart).lower() == "zxz" else ("al", "be", "ga")


def _rotation_turns(chart: str, names: Sequence[str]) -> tuple[Turn | QuaternionTurn, ...]:
    if chart == QUATERNION:
        if len(names) != 4:
            raise ModelError(f"a quaternion has four coordinates, not {len(names)}.")
        e0, e1, e2, e3 = (ex.symbol(x) for x in names)
        return (QuaternionTurn((e0, e1, e2, e3)),)
    sequence = CHARTS.get(chart, chart).lower()
    moves = len(sequence) == 3 and set(sequence) <= set("xyz")
    if not moves or sequence[0] == sequence[1] or sequence[1] == sequence[2]:
        raise ModelError(
            f"chart {chart!r} is unknown: write 'euler', 'bryant', 'quaternion' or one of the twelve sequences "
            "such as 'zyx'."
        )
    if len(names) != 3:
        raise ModelError(f"the chart '{sequence}' has three angles, not {len(names)}.")
    return tuple(Turn(ex.symbol(x), unit_axis(axis)) for x, axis in zip(names, sequence, strict=True))


def _rotation_steps(chart: str, names: Sequence[str], speeds: Speeds | None) -> tuple[Step, ...]:
    turns = _rotation_turns(chart, names)
    if chart == QUATERNION and speeds == "rates":
        raise ModelError("quaternion coordinates are not independent: their speeds are 'body', not 'rates'.")
    if speeds == "body" or chart == QUATERNION:
        return (Step(Displacement(turns=turns), speeds="body"),)
    return tuple(Step(Displacement(turns=(one,))) for one in turns)
