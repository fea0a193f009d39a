"""Joints: named coordinates and an ordered list of elementary displacements, as Papegay's `dof1 ... dof6`.

Every joint of the library is this one structure, so every formalism knows one kind of joint.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import ZERO, Expr, Scalar
from dalembert.expr.space import ZERO3, Vector3, is_zero3, vector3
from dalembert.mechanism.displacement import Displacement, QuaternionTurn, Turn

Speeds = Literal["rates", "body"]


@dataclass(frozen=True, slots=True)
class Step:
    """One elementary displacement, a function of the joint's coordinates.

    `force` and `torque` are known efforts on the second body (opposite on the first), expressed in the frame before the
    step; the force acts at the origin of the frame after it. With `speeds="body"` the speeds of the step are the
    components, in the frame after it, of its angular velocity (and of its velocity, when the translation is free).
    """

    displacement: Displacement
    force: Vector3 = ZERO3
    torque: Vector3 = ZERO3
    speeds: Speeds = "rates"

    @property
    def is_loaded(self) -> bool:
        return not (is_zero3(self.force) and is_zero3(self.torque))

    def substitute(self, replacement: Mapping[Expr, Scalar]) -> Step:
        efforts = ex.substitute([*self.force, *self.torque], replacement)
        return replace(
            self,
            displacement=self.displacement.substitute(replacement),
            force=vector3(efforts[:3]),
            torque=vector3(efforts[3:]),
        )


@dataclass(frozen=True, slots=True)
class Joint:
    """Coordinates by local name, steps in order (each expressed in the frame that the one before leads to).

    `efforts` gives a known generalised effort on a coordinate: its power is effort times rate.
    """

    parameters: tuple[str, ...]
    steps: tuple[Step, ...]
    efforts: tuple[tuple[str, Expr], ...] = ()
    kind: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        check_joint(self)

    def __str__(self) -> str:
        lines = [f"{self.kind or 'joint'} ({', '.join(self.parameters) or 'no freedom'})"]
        lines += [f"move {step.displacement}" for step in self.steps]
        lines += [f"effort on {x}: {effort}" for x, effort in self.efforts]
        return "\n  ".join(lines)

    @property
    def dof(self) -> int:
        """How many speeds: a quaternion has four coordinates for three speeds."""
        return sum(len(names) for names in self.speed_names_by_step())

    def speed_names_by_step(self) -> list[tuple[str, ...]]:
        """Local names of the speeds that each step introduces."""
        names: list[tuple[str, ...]] = []
        introduced: set[str] = set()
        body_steps = [step for step in self.steps if step.speeds == "body"]
        for step in self.steps:
            fresh = [x for x in self.step_parameters(step) if x not in introduced]
            introduced.update(fresh)
            if step.speeds == "rates":
                names.append(tuple(f"{x}'" for x in fresh))
                continue
            mark = str(body_steps.index(step) + 1) if len(body_steps) > 1 else ""
            linear = ("vx", "vy", "vz") if self.has_free_translation(step) else ()
            names.append(tuple(f"{name}{mark}" for name in (*linear, "wx", "wy", "wz")))
        return names

    def step_parameters(self, step: Step) -> list[str]:
        """The coordinates on which a step depends, in the joint's order."""
        used = {x.name for x in ex.free_symbols(step.displacement.scalars)}
        return [x for x in self.parameters if x in used]

    def has_free_translation(self, step: Step) -> bool:
        return not is_zero3(step.displacement.translation)

    def with_efforts(self, /, **efforts: Scalar) -> Joint:
        """The same joint with known efforts on coordinates: `revolute("z").with_efforts(th="-k*th - c*th'")`."""
        unknown = [x for x in efforts if x not in self.parameters]
        if unknown:
            raise ModelError(
                f"the joint has no coordinate '{unknown[0]}': it has {', '.join(self.parameters) or 'none'}."
            )
        merged = {**dict(self.efforts), **{x: ex.as_expr(value) for x, value in efforts.items()}}
        return replace(self, efforts=tuple((x, merged[x]) for x in self.parameters if x in merged))

    def renamed(self, *names: str) -> Joint:
        """The same joint with other coordinate names."""
        if len(names) != len(self.parameters):
            raise ModelError(f"the joint has {len(self.parameters)} coordinates, not {len(names)}.")
        replacement = renaming(dict(zip(self.parameters, names, strict=True)))
        efforts = tuple(
            (new, ex.substitute([dict(self.efforts)[old]], replacement)[0])
            for old, new in zip(self.parameters, names, strict=True)
            if old in dict(self.efforts)
        )
        return replace(
            self, parameters=tuple(names), steps=tuple(s.substitute(replacement) for s in self.steps), efforts=efforts
        )


def renaming(names: Mapping[str, str]) -> dict[Expr, Expr]:
    """Replacement of coordinates and of their first two rates."""
    primes = ("", "'", "''")
    return {ex.symbol(old + p): ex.symbol(new + p) for old, new in names.items() for p in primes}


def check_joint(joint: Joint) -> None:
    """The rules of a link: distinct coordinates, each used, at most six degrees of freedom, constant axes."""
    names = joint.parameters
    if len(set(names)) != len(names):
        twice = next(x for x in names if names.count(x) > 1)
        raise ModelError(f"the joint names its coordinate '{twice}' twice.")
    if ex.TIME.name in names:
        raise ModelError("a coordinate of a joint cannot be 't', which is the time. Give it another name.")
    used: set[str] = set()
    for number, step in enumerate(joint.steps, 1):
        used.update(joint.step_parameters(step))
        moving = {ex.symbol(x) for x in names} | {ex.TIME}
        for one in step.displacement.turns:
            if isinstance(one, Turn) and ex.free_symbols(one.axis) & moving:
                raise ModelError(
                    f"step {number} of the joint turns about an axis that moves: write it as several steps."
                )
        quaternions = [one for one in step.displacement.turns if isinstance(one, QuaternionTurn)]
        if quaternions and step.speeds != "body" and any(ex.free_symbols(one.scalars) & moving for one in quaternions):
            raise ModelError(f"step {number} of the joint has quaternion coordinates: its speeds must be 'body'.")
        if step.speeds == "body":
            _check_body_speeds(joint, step, number)
    idle = [x for x in names if x not in used]
    if idle:
        raise ModelError(f"the coordinate '{idle[0]}' of the joint moves nothing: use it in a displacement or drop it.")
    if joint.dof > 6:
        raise ModelError(f"the joint has {joint.dof} degrees of freedom: at most six exist.")


def _check_body_speeds(joint: Joint, step: Step, number: int) -> None:
    turns, parameters = step.displacement.turns, joint.step_parameters(step)
    symbols = [ex.symbol(x) for x in parameters]
    angles = len(turns) == 3 and all(isinstance(one, Turn) and one.angle in symbols for one in turns)
    quaternion = (
        len(turns) == 1 and isinstance(turns[0], QuaternionTurn) and all(x in symbols for x in turns[0].scalars)
    )
    t = step.displacement.translation
    free = all(x in symbols for x in t) and len(set(t)) == 3
    if not (angles or quaternion) or not (free or all(x is ZERO for x in t)):
        raise ModelError(
            f"step {number} of the joint cannot have body speeds: they need three turns by coordinates or one "
            "quaternion, with no translation or one by three coordinates."
        )
