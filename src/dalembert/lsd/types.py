"""Types of LSD, and the fields of mechanical objects with separate types for writing and reading (spec 1.6, 1.7)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Type(Enum):
    """What an expression denotes; the value is the word for people and for `x : type`."""

    SCALAR = "scalar"
    VECTOR = "vector"
    MATRIX = "matrix"
    ROT = "rotation"
    DISPL = "displacement"
    BODY = "body"
    FRAME = "frame"
    LINK = "link"
    FORCE = "force"
    TORQUE = "torque"
    SPRING = "spring"
    TORSION = "torsion"
    BUSHING = "bushing"
    SHAPE = "shape"
    DEFINITION = "definition"
    PACKAGE = "package"
    MACHINE = "machine"
    LIST = "list"
    ERROR = "error"

    def __str__(self) -> str:
        return self.value


MATHEMATICAL = frozenset((Type.SCALAR, Type.VECTOR, Type.MATRIX, Type.ROT, Type.DISPL))
MECHANICAL = frozenset((Type.BODY, Type.FRAME, Type.LINK, Type.FORCE, Type.TORQUE))

TYPE_NAMES = {
    "scalar": Type.SCALAR,
    "vector": Type.VECTOR,
    "translation": Type.VECTOR,
    "matrix": Type.MATRIX,
    "rot": Type.ROT,
    "rotation": Type.ROT,
    "displ": Type.DISPL,
    "displacement": Type.DISPL,
    "body": Type.BODY,
    "frame": Type.FRAME,
    "link": Type.LINK,
    "force": Type.FORCE,
    "torque": Type.TORQUE,
}


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a mechanical object: what may be written, what is read, and what it means."""

    name: str
    written: tuple[Type, ...]
    read: Type | None
    meaning: str


def _fields(*items: Field) -> dict[str, Field]:
    return {item.name: item for item in items}


def _effort(kind: str) -> dict[str, Field]:
    return _fields(
        Field("value", (Type.VECTOR,), Type.VECTOR, f"the {kind} vector; generic when absent"),
        Field("body", (Type.BODY,), Type.BODY, "the body in whose base the value is expressed"),
    )


def _link() -> dict[str, Field]:
    fields = {}
    for k in ("", *map(str, range(1, 7))):
        fields["dof" + k] = Field("dof" + k, (Type.DISPL,), None, "admissible displacement, in the frame before it")
    for effort in ("force", "torque"):
        for k in ("", *map(str, range(1, 7))):
            meaning = f"known joint {effort} on the second body, in the frame of dof{k}"
            fields[effort + k] = Field(effort + k, (Type.VECTOR,), None, meaning)
    for k in ("", *map(str, range(1, 8))):
        meaning = f"known effort on parameter {k or 1}: its power is effort times rate"
        fields["effort" + k] = Field("effort" + k, (Type.SCALAR,), None, meaning)
    return fields


def _between() -> dict[Type, dict[str, Field]]:
    """Fields of the efforts between two frames."""
    scalar, vector = (Type.SCALAR,), (Type.VECTOR,)
    each = (Type.VECTOR, Type.SCALAR)
    return {
        Type.SPRING: _fields(
            Field("stiffness", scalar, None, "force for a unit of length beyond `length`"),
            Field("damping", scalar, None, "force for a unit of speed"),
            Field("length", scalar, None, "length where the spring is slack"),
            Field(
                "force", scalar, None, "any further force, positive apart: a formula of the length l and its rate l'"
            ),
        ),
        Type.TORSION: _fields(
            Field("axis", vector, None, "the axis, with the same components in both frames"),
            Field("stiffness", scalar, None, "torque for a radian beyond `angle`"),
            Field("damping", scalar, None, "torque for a unit of angular speed"),
            Field("angle", scalar, None, "angle where the spring is slack"),
            Field(
                "torque", scalar, None, "any further torque on the second: a formula of the angle th and its rate th'"
            ),
        ),
        Type.BUSHING: _fields(
            Field("stiffness", each, None, "along the axes of the first frame"),
            Field("damping", each, None, "along the axes of the first frame"),
            Field("turning", each, None, "stiffness about the axes of the first frame"),
            Field("turning_damping", each, None, "damping about the axes of the first frame"),
        ),
    }


#: Declarations of efforts between two frames, and the variable of the laws that they hold.
BETWEEN = {"spring": Type.SPRING, "torsion": Type.TORSION, "bushing": Type.BUSHING}
LAW_VARIABLES = {"force": "l", "torque": "th"}

FIELDS: dict[Type, dict[str, Field]] = {
    Type.BODY: _fields(
        Field("mass", (Type.SCALAR,), Type.SCALAR, "mass; generic mu_i when absent"),
        Field("iframe", (Type.DISPL,), Type.FRAME, "inertia frame, origin at the centre of mass"),
        Field(
            "inertia",
            (Type.VECTOR, Type.MATRIX),
            Type.VECTOR,
            "principal moments about the centre of mass, or the full matrix in the base of iframe",
        ),
        Field("centre", (Type.VECTOR,), None, "centre of mass: an iframe that is not turned"),
        Field(
            "doubtful", (Type.SCALAR,), None, "1 keeps a mass and an inertia that no body can have, as a file had them"
        ),
        *(
            Field(
                f"shape{k}",
                (Type.SHAPE,),
                None if k else Type.SHAPE,
                "what it looks like: box(1, 2, 3), [0, 0, 1] @ sphere(2)...",
            )
            for k in ("", *range(1, 10))
        ),
        *(
            Field(f"colour{k}", (Type.VECTOR,), None, "red, green and blue from 0 to 1, of all shapes or of one")
            for k in ("", *range(1, 10))
        ),
        Field("frame", (), Type.FRAME, "reference frame"),
    ),
    Type.LINK: _link(),
    Type.FORCE: _effort("force"),
    Type.TORQUE: _effort("torque"),
    **_between(),
    Type.FRAME: _fields(
        Field("body", (), Type.BODY, "the body that carries the frame"),
        Field("displ", (), Type.DISPL, "displacement from the body's reference frame to this frame"),
    ),
    Type.VECTOR: _fields(*(Field(axis, (), Type.SCALAR, f"component along {axis}") for axis in "xyz")),
}

UNKNOWNS = {"s": Type.SCALAR, "scalar": Type.SCALAR, "v": Type.VECTOR, "vector": Type.VECTOR}
UNKNOWN_FUNCTIONS = {"fs": Type.SCALAR, "fscalar": Type.SCALAR, "fv": Type.VECTOR, "fvector": Type.VECTOR}


def readable(kind: Type) -> list[str]:
    return [f.name for f in FIELDS.get(kind, {}).values() if f.read is not None]


def writable(kind: Type) -> list[str]:
    return [f.name for f in FIELDS.get(kind, {}).values() if f.written]


#: Fields that some object has to read: `arm.mass` is never a coordinate; `rail.x` may be one.
FIELD_NAMES = frozenset(name for kind in FIELDS if kind is not Type.VECTOR for name in readable(kind))
