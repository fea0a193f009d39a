"""The frozen model: what a mechanism is once it is described. Everything after the builder holds one of these.

Changing the builder afterwards changes no model, layout, dynamics or equations that were made from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from math import copysign
from types import MappingProxyType
from typing import Any

from dalembert import expr as ex
from dalembert.expr import Expr
from dalembert.expr.space import ZERO3, Vector3
from dalembert.mechanism.body import EARTH, Body, Frame, earth
from dalembert.mechanism.constraint import Constraint
from dalembert.mechanism.contact import Contact, Gap, Pressed
from dalembert.mechanism.effort import Effort, effort_symbols
from dalembert.mechanism.link import Link
from dalembert.mechanism.names import POSITION
from dalembert.mechanism.quantities import plain_symbols

Functions = Mapping[str, tuple[tuple[str, ...], Expr]]


def _nothing() -> Mapping[str, Any]:
    return MappingProxyType({})


def _below_zero(value: object) -> bool:
    """Has a number the sign of a negative one? -0.0 equals 0.0, and atan2 and 1/x do not take them for one."""
    return isinstance(value, float) and copysign(1.0, value) < 0.0


@dataclass(frozen=True, eq=False, repr=False)
class Model:
    """Bodies (earth first), links, efforts, constraints and frames by unique names, gravity, laws, and given numbers.

    Two models are equal when all of this is; `structure` is what equations depend on (everything but the numbers).
    """

    name: str
    bodies: Mapping[str, Body] = field(default_factory=lambda: MappingProxyType({EARTH: earth}))
    links: Mapping[str, Link] = field(default_factory=_nothing)
    efforts: tuple[Effort, ...] = ()
    frames: Mapping[str, Frame] = field(default_factory=_nothing)
    functions: Functions = field(default_factory=_nothing)
    gravity: Vector3 = ZERO3
    given: Mapping[str, Any] = field(default_factory=_nothing)
    start: Mapping[str, Any] = field(default_factory=_nothing)
    contacts: tuple[Contact, ...] = ()
    constraints: tuple[Constraint, ...] = ()  # in the order of declaration
    outputs: Mapping[str, Expr] = field(default_factory=_nothing)  # formulas that a motion is asked for by name
    loose: Model | None = None  # of one whose dry friction slides: as it was described, where it may stick

    def __post_init__(self) -> None:
        for name in ("bodies", "links", "frames", "functions", "given", "start", "outputs"):
            object.__setattr__(self, name, MappingProxyType(dict(getattr(self, name))))

    def __reduce__(self) -> tuple[Any, ...]:
        return Model, tuple(
            dict(value) if isinstance(value, MappingProxyType) else value
            for value in (getattr(self, one.name) for one in fields(self))
        )

    def unless_known(self, other: Model | None) -> Model:
        """The other one, if it is the same to the last word and number, and none is an array, whose entries change."""
        if other is None or self.name != other.name or self.loose is not other.loose:
            return self
        numbers, others = ((*one.given.items(), ("", ""), *one.start.items()) for one in (self, other))
        if len(numbers) != len(others) or self.structure != other.structure:
            return self
        for (name, value), (known, its) in zip(numbers, others, strict=True):
            plain = isinstance(value, int | float | str | Expr) and type(value) is type(its)
            if name != known or not plain or value != its or _below_zero(value) != _below_zero(its):
                return self
        return other

    @cached_property
    def made(self) -> dict[Any, Any]:
        """What was made of this model and is asked for again, such as its layouts, by what it was made with."""
        return {}

    def freeze(self) -> Model:
        """Itself: what takes a description takes a builder or a model."""
        return self

    @cached_property
    def structure(self) -> tuple[Any, ...]:
        """Everything that equations depend on, comparable and hashable."""
        return (
            tuple(self.bodies.values()),
            tuple(self.links.values()),
            self.efforts,
            tuple(self.frames.items()),
            tuple(self.functions.items()),
            self.gravity,
            self.contacts,
            self.constraints,
            tuple(self.outputs.items()),
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Model):
            return NotImplemented
        return self is other or (self.structure, self.given, self.start) == (other.structure, other.given, other.start)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(self.structure)

    def __repr__(self) -> str:
        return f"<Model {self.name!r}: {len(self.bodies) - 1} bodies, {len(self.links)} links>"

    def as_dict(self) -> dict[str, Any]:
        """The description as plain data: names, numbers, and formulas as text."""
        from dalembert.mechanism.data import model_data

        return model_data(self)

    def scalars(self) -> list[Expr]:
        """Every expression of the description, in the mechanism's own names."""
        found: list[Expr] = list(self.gravity)
        for body in self.bodies.values():
            found += [body.mass, *body.iframe.scalars, *body.inertia.entries]
            found += [x for shape in body.shapes for x in shape.scalars]
        for link in self.links.values():
            found += [*link.first.displacement.scalars, *link.second.displacement.scalars]
            for step in link.placed_steps():
                found += [*step.displacement.scalars, *step.force, *step.torque]
            found += link.placed_efforts().values()
        for effort in self.efforts:
            found += [x for frame in effort.frames for x in frame.displacement.scalars]
        for frame in self.frames.values():
            found += frame.displacement.scalars
        for contact in self.contacts:
            if not isinstance(contact.place, Pressed):  # whose bound is a formula of what moves, as its slip is
                found += contact.laws if isinstance(contact.place, Gap) else contact.scalars
        return found

    @cached_property
    def symbols(self) -> frozenset[str]:
        """Names that the description uses: of parameters and of what moves. Arguments of laws are none of them."""
        found = ex.free_symbols(self.scalars())
        for effort in self.efforts:
            found |= effort_symbols(effort)
        found |= plain_symbols([x for one in self.constraints for x in one.formulas])
        found |= plain_symbols(
            [x for one in self.contacts if isinstance(one.place, Gap | Pressed) for x in one.scalars]
        )
        told = plain_symbols(list(self.outputs.values()))  # what has a point in its name is asked of the motion
        found |= {x for x in told if "." not in x.name and x.name.rstrip("'") not in self.outputs}
        for arguments, formula in self.functions.values():
            found |= ex.free_symbols(formula) - {ex.symbol(x) for x in arguments}
        return frozenset(x.name for x in found)

    @cached_property
    def moving(self) -> frozenset[str]:
        """Names of what changes while the mechanism moves: coordinates, their rates, speeds, time, places of frames."""
        found = {name for link in self.links.values() for x in link.coordinates for name in (x, x + "'", x + "''")}
        found |= {speed for link in self.links.values() for speed in link.speeds} | {ex.TIME.name}
        found |= {x for one in self.constraints if one.followed for x in one.followed.coordinates}
        return frozenset(found | {name for name in self.symbols if self.frame_quantity(name)})

    def frame_quantity(self, name: str) -> tuple[Frame, int, int] | None:
        """What `tip.X` or `tip.X'` asks for: frame, axis of earth, order of the derivative; None if nothing."""
        place, _, what = name.rpartition(".")
        axis = what.rstrip("'")
        order = len(what) - len(axis)
        if axis not in POSITION or order > 1 or not (place in self.bodies or place in self.frames):
            return None
        return self.frame_called(place), POSITION.index(axis), order

    def frame_called(self, name: str) -> Frame:
        """The frame of that name, or the reference frame of the body."""
        return self.frames[name] if name in self.frames else self.bodies[name].frame

    def parts_of_outputs(self, names: Iterable[str]) -> tuple[str, ...]:
        """Names that are asked for with some: those in formulas that the model declares stand for these."""
        found, asked = list[str](), list(dict.fromkeys(names))
        for name in asked:
            if name in self.outputs:
                asked += sorted({x.name for x in plain_symbols([self.outputs[name]])} - {*asked})
            else:
                found.append(name)
        return tuple(found)

    def parameters(self) -> tuple[str, ...]:
        """Names of the constants that need a value before anything is computed in numbers."""
        return self._parameters

    @cached_property
    def _parameters(self) -> tuple[str, ...]:
        return tuple(sorted(self.symbols - self.moving))
