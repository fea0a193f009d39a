"""A machine as a part of another: everything it holds, under names that begin with what the part is called."""

from __future__ import annotations

import copy
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import Expr
from dalembert.expr.space import Vector3, is_zero3
from dalembert.mechanism.body import EARTH, Body, Frame, earth
from dalembert.mechanism.link import Link
from dalembert.mechanism.mechanism import Mechanism
from dalembert.mechanism.model import Model
from dalembert.mechanism.quantities import AXES, called, plain_symbols, quantities


@dataclass(frozen=True, slots=True)
class Part:
    """A machine inside another: `left["foot"]` is its body or frame of that name."""

    name: str
    whole: Mechanism

    def __getitem__(self, name: str) -> Body | Frame:
        found = self.whole.frames.get(f"{self.name}.{name}") or self.whole.bodies.get(f"{self.name}.{name}")
        if found is None:
            raise ModelError(f"the part '{self.name}' has no body or frame '{name}'.")
        return found


def include(into: Mechanism, part: Mechanism | Model, name: str, at: Body | Frame = earth) -> Part:
    """Build a machine into another: its earth becomes the frame `at`, and what it names is called `name.thigh`.

    Parameters and laws keep their names, so that parts made alike share them; those that are given differently are
    refused. What is written in the base of earth (forces, gravity, places) stays in the base of earth.
    """
    if not isinstance(part, Mechanism | Model):
        raise ModelError(f'a part is a machine, and {part!r} is none: m.include(da.load("leg.lsd"), "left").')
    held = at.frame if isinstance(at, Body) else at
    if not isinstance(held, Frame):
        raise ModelError(f"the part '{name}' is to stand on {at!r}, which is neither a body nor a frame.")
    model = part.freeze()
    if held.body not in into.bodies:
        raise ModelError(f"the part '{name}' is to stand on '{held.body}', which is not in '{into.name}'.")
    _agree(into, model, name)
    moved = _Moved(model, name, held)
    for body in model.bodies.values():
        if body.name != EARTH:
            into.add_body(moved(body))
    for called_, frame in model.frames.items():
        into.frame(f"{name}.{called_}", moved.frame(Frame(frame.body, frame.displacement)))
    for link in model.links.values():
        first, second = moved.frame(link.first), moved.frame(link.second)
        into.join(first, second, moved(link.joint), name=f"{name}.{link.name}")
    for effort in model.efforts:
        into.apply(moved(effort))
    for constraint in model.constraints:
        into.add_constraint(moved(constraint))
    for contact in model.contacts:
        into.add_contact(moved(contact))
    for function, law in model.functions.items():
        into.define(function, *law)
    into.given.update(model.given)
    into.start.update({f"{name}.{x}": value for x, value in model.start.items()})
    into.outputs.update({f"{name}.{x}": moved(formula) for x, formula in model.outputs.items()})
    if not is_zero3(model.gravity):
        into.gravity = model.gravity
    return Part(name, into)


def _agree(into: Mechanism, model: Model, name: str) -> None:
    """Constants, laws and gravity are of the whole machine: two values of one are refused."""
    for x, value in model.given.items():
        if x in into.given and into.given[x] != value:
            raise ModelError(
                f"'{x}' is {into.given[x]} in '{into.name}' and {value} in the part '{name}'. Rename it in one of them."
            )
    for x, law in model.functions.items():
        if x in into.functions and into.functions[x] != law:
            raise ModelError(
                f"the part '{name}' has another law of '{x}' than '{into.name}'. Rename it in one of them."
            )
    if not is_zero3(model.gravity) and not is_zero3(into.gravity) and model.gravity != into.gravity:
        raise ModelError(f"the part '{name}' has another gravity than '{into.name}'. Leave it out of one of them.")


class _Moved:
    """What a model holds, in the names of the machine that it becomes a part of."""

    def __init__(self, model: Model, name: str, at: Frame) -> None:
        self.model, self.name, self.at = model, name, at
        tied = (*model.efforts, *model.constraints, *model.contacts)
        self.owners = {*model.bodies, *model.frames, *model.links, *(one.name for one in tied)} - {EARTH}

    def frame(self, frame: Frame) -> Frame:
        known = frame.name if frame.name is None or frame.name not in self.model.frames else f"{self.name}.{frame.name}"
        if frame.body == EARTH:
            return Frame(self.at.body, self.at.displacement @ frame.displacement, known)
        return Frame(f"{self.name}.{frame.body}", frame.displacement, known)

    def __call__(self, value: Any) -> Any:
        if isinstance(value, Expr):
            return self._formula(value)
        if isinstance(value, Frame):
            return self.frame(value)
        if isinstance(value, Vector3):
            return Vector3(self(x) for x in value)
        if isinstance(value, tuple):
            return tuple(self(x) for x in value)
        if not is_dataclass(value) or isinstance(value, type | Link):
            return value
        made = copy.copy(value)
        for field in fields(value):
            old = getattr(value, field.name)
            new = self._named(field.name, old) if isinstance(old, str) else self(old)
            object.__setattr__(made, field.name, new)
        return made

    def _named(self, field: str, old: str) -> str:
        """Names of things and of bodies; other words stay."""
        if field == "name" or (field in ("on", "base", "body") and old != EARTH):
            return f"{self.name}.{old}"
        return old

    def _formula(self, e: Expr) -> Expr:
        dotted = [x for x in plain_symbols([e]) if x.name.rpartition(".")[0] in self.owners]
        (found,) = ex.substitute([e], {x: ex.symbol(f"{self.name}.{x.name}") for x in dotted})
        places: dict[Expr, Expr] = {}
        for one, asked in quantities([found]).items():
            first, *others = (x if x == EARTH else f"{self.name}.{x}" for x in asked.frames)
            places[one] = called(asked.kind, first, *(AXES[k] for k in asked.axes), *others)
        return ex.substitute([found], places)[0]
