"""What robot files are made of: masses, freedoms with their laws, and parts on parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from dalembert import expr as ex
from dalembert.expr import ZERO, Expr
from dalembert.io.poses import Array, Pose, about, at
from dalembert.mechanism import BodyShape
from dalembert.mechanism.meshes import Mesh
from dalembert.mechanism.sliding import rub

if TYPE_CHECKING:
    from dalembert.io.assembly import Assembly

#: A limit that is none, where a format wants a number: far beyond any machine, far below what a double holds.
NO_END = 1e300
WORLD = ""  #: what the readers call the fixed body


@dataclass(frozen=True, eq=False)
class Mass:
    """Mass, place and axes of the centre, inertia tensor about it in these axes."""

    mass: float = 0.0
    pose: Pose = field(default_factory=Pose)
    tensor: Array = field(default_factory=lambda: np.zeros((3, 3)))

    def seen_from(self, pose: Pose) -> Mass:
        return replace(self, pose=pose @ self.pose)

    @staticmethod
    def together(parts: Iterable[Mass]) -> Mass:
        """Several as one, in the axes of the body."""
        held = [one for one in parts if one.mass or one.tensor.any()]
        if len(held) == 1:
            return held[0]
        total = sum(one.mass for one in held)
        centre = sum((one.mass * one.pose.p for one in held), np.zeros(3)) / (total or 1.0)
        tensor = np.zeros((3, 3))
        for one in held:
            d = one.pose.p - centre
            tensor += one.pose.R @ one.tensor @ one.pose.R.T + one.mass * (d @ d * np.eye(3) - np.outer(d, d))
        return Mass(total, at(centre), (tensor + tensor.T) / 2)


@dataclass(frozen=True, eq=False)
class Look:
    """A solid that a part is seen as: kind and sizes of `mechanism.bodyshape`, or a mesh."""

    pose: Pose
    kind: str
    sizes: tuple[float, ...]
    colour: str = ""
    mesh: Mesh | None = None

    def seen_from(self, pose: Pose) -> BodyShape:
        """The shape on a body that holds the part at a pose."""
        place = (pose @ self.pose).displacement
        return BodyShape.of(self.mesh or self.kind, *self.sizes, place=place, colour=self.colour)


@dataclass(frozen=True)
class Freedom:
    """One joint of a file. The axis and the anchor are in the frame of the child, at the posture where q is `zero`."""

    name: str
    kind: str  # hinge, slide, ball, free, screw
    axis: Sequence[float] = (0.0, 0.0, 1.0)
    anchor: Sequence[float] = (0.0, 0.0, 0.0)
    zero: float = 0.0
    lead: float = 0.0
    low: float | None = None
    high: float | None = None
    damping: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    dry: float = 0.0
    armature: float = 0.0

    def moved(self, q: float) -> Pose:
        """Of a hinge or a slide: where q takes the child, from where it stands at `zero`."""
        axis, by = np.array(self.axis), q - self.zero
        if self.kind == "slide":
            return at(by * axis)
        if self.kind != "hinge" or not by:
            return Pose()
        return at(self.anchor) @ Pose(R=about(axis, by)) @ at(-np.array(self.anchor))


@dataclass(eq=False)
class Joined:
    """A part on its parent: where it stands, and its freedoms in order."""

    child: str
    parent: str
    pose: Pose
    freedoms: tuple[Freedom, ...] = ()
    start: tuple[float, ...] = ()
    name: str = ""
    efforts: dict[str, Expr] = field(default_factory=dict)  # by freedom, written in coordinates of the mechanism
    speeds: tuple[float, ...] = ()  # at the start
    rest: tuple[float, ...] = ()  # where a spring of a free joint rests: its start, unless a keyframe has another


def passive(x: Freedom, q: Expr) -> Expr:
    """Spring and damper on a coordinate."""
    rate = ex.prime(q)
    found = ZERO
    if x.stiffness:
        found = found - x.stiffness * (q - x.rest)
    if x.damping:
        found = found - x.damping * rate
    return found


def started(one: Joined, coordinates: Sequence[str]) -> dict[str, float]:
    """The start, without zeros that nobody chose: a closed machine may leave them."""
    found, place = dict[str, float](), 0
    for x in one.freedoms:
        names = coordinates[place : place + {"free": 7, "ball": 4}.get(x.kind, 1)]
        values = one.start[place : place + len(names)]
        place += len(names)
        zero = (1.0, 0.0, 0.0, 0.0) if x.kind == "ball" else (0.0,)
        if one.start != one.rest or tuple(values) != zero:
            found |= {name: float(value) for name, value in zip(names, values, strict=False)}
    return found


def ball_dampers(one: Joined, own: Mapping[str, str]) -> dict[str, Expr]:
    """Damping -d w of balls with other freedoms beside them, as efforts on their quaternions: -4 d e'.

    w = 2 G e' and G' G e' = e' of a unit quaternion, so that d w.dw = 4 d e'.de.
    """
    loose = [x for x in one.freedoms if x.kind == "ball" and x.damping and len(one.freedoms) > 1]
    names = [(x, f"{own[x.name]}_e{k}") for x in loose for k in range(4)]
    return {name: -4 * x.damping * ex.symbol(f"{name}'") for x, name in names}


def grip(assembly: Assembly, name: str, dry: float, slip: Callable[[], Expr], what: str) -> None:
    """Dry friction of a given bound, when bodies and links are there."""
    if dry < 0:
        assembly.note(f"the dry friction {dry:g} of {what} is negative, which would push: it is left out.")
        return
    called = assembly.fit(f"{name}_friction", "link")
    assembly.later(lambda: rub(assembly.m, slip(), dry, name=called), unless="friction")


def grip_ball(assembly: Assembly, one: Joined, x: Freedom) -> None:
    """Dry friction of a ball or free joint: a bound for each of its three turns, about axes of the child, and ways."""
    turning = [y for y in one.freedoms if y.kind in ("ball", "free")]
    mark = str(turning.index(x) + 1) if len(turning) > 1 else ""
    ways = {f"w{c}": f"{one.name}.w{c}{mark}" for c in "xyz"}
    if x.kind == "free":
        ways |= {c: f"{one.name}.{c}'" for c in "xyz"}
    for way, speed in ways.items():
        grip(assembly, f"{x.name}_{way}", x.dry, partial(ex.symbol, speed), f"the {x.kind} joint '{x.name}'")
