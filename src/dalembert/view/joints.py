"""Symbols of joints: hinge, slide, screw, cylinder, universal, ball, from the displacements that a joint allows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.mechanism import Link, QuaternionTurn, Turn
from dalembert.view.facts import Machine
from dalembert.view.solids import Solid, quaternion, round_, turned_to

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Symbol:
    """A joint to be drawn on a body: its axis is the z axis of `turn`; `low` to `high` is what a slide travels."""

    name: str
    kind: str
    body: int
    other: int
    at: Array
    turn: Array
    size: float
    there: tuple[Array, Array]  # the same place and base on the other body
    low: float = 0.0
    high: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "kind": self.kind,
            "body": self.body,
            "other": self.other,
            "at": [round_(x) for x in self.at],
            "turn": [round_(x) for x in quaternion(self.turn)],
            "there": {
                "at": [round_(x) for x in self.there[0]],
                "turn": [round_(x) for x in quaternion(self.there[1])],
            },
            "size": round_(self.size),
            "low": round_(self.low),
            "high": round_(self.high),
        }


def symbols_of(machine: Machine, looks: Mapping[str, list[Solid]], size: float) -> tuple[Symbol, ...]:
    """The symbols of all joints, none thicker than what they join; a slide that ends at contacts is no rail."""
    stopped = {x.name for one in machine.model.contacts for x in ex.free_symbols(one.scalars)}
    girth = {name: max((float(one.half[1].min()) for one in solids), default=size) for name, solids in looks.items()}
    found = []
    for link in machine.model.links.values():
        if stopped & set(link.coordinates):
            continue
        thin = min([size, *(0.75 * girth[x.body] for x in (link.first, link.second) if x.body in girth)])
        one = symbol_of(machine, link, thin)
        if one is not None:
            found.append(_beside(one, machine, looks))
    return tuple(found)


def _beside(one: Symbol, machine: Machine, looks: Mapping[str, list[Solid]]) -> Symbol:
    """A hinge is a line: draw it where the solids of the other body are nearest, if it is outside of them."""
    solids = looks.get(machine.bodies[one.other].name, [])
    place, base = one.there
    if one.kind != "hinge" or not solids or any(solid.holds(place, one.size) for solid in solids):
        return one
    axis = base[:, 2]
    along = [float((solid.at - place) @ axis) for solid in solids]
    off = [float(np.linalg.norm(np.cross(solid.at - place, axis))) for solid in solids]
    shift = along[int(np.argmin(off))]
    moved = place + shift * axis
    return replace(one, at=one.at + shift * one.turn[:, 2], there=(moved, base))


def is_planar(link: Link) -> bool:
    """Two slides and a turn, or two slides: what moves on a floor."""
    moves = [step.displacement for step in link.joint.steps]
    slides = {x for one in moves for x in ex.free_symbols(one.translation)} & {*map(ex.symbol, link.joint.parameters)}
    return len(slides) == 2 and link.joint.dof <= 3


def symbol_of(machine: Machine, link: Link, size: float) -> Symbol | None:
    """The symbol of a link, or None where nothing is to be seen (a weld, a body free in space)."""
    joint = link.joint
    names = {ex.symbol(x) for x in link.coordinates}
    turns: list[tuple[Array, set[ex.Expr]]] = []
    slides: list[tuple[Array, set[ex.Expr], ex.Expr]] = []
    ball = False
    base = np.eye(3)
    for step in link.placed_steps():
        displacement = step.displacement
        moved = ex.free_symbols(displacement.translation) & names
        for x in sorted(moved, key=lambda e: e.name):
            slope = [ex.gradient(y, [x])[0] for y in displacement.translation]
            direction = base @ machine.constants(slope)
            length = float(np.linalg.norm(direction))
            if length > 0 and np.all(np.isfinite(direction)):
                slides.append((direction / length, {x}, x * ex.const(length)))
        for one in displacement.turns:
            used = ex.free_symbols(one.scalars) & names
            if isinstance(one, QuaternionTurn):
                ball = ball or bool(used)
            elif used and isinstance(one, Turn):
                turns.append((base @ machine.constants(one.axis), used))
            else:
                base = base @ machine.constants([x for row in one.matrix for x in row]).reshape(3, 3)
    kind = _kind(len(turns) + (3 if ball else 0), len(slides), bool(turns and slides and turns[0][1] == slides[0][1]))
    if kind is None or joint.dof == 0:
        return None
    axis = turns[0][0] if kind in ("hinge", "screw", "universal") else slides[0][0] if slides else np.array([0, 0, 1.0])
    beside = turns[1][0] if kind == "universal" else None
    at, turn = machine.place(link.first.displacement)
    low = high = 0.0
    if kind in ("slide", "cylinder") and slides:
        travel = machine.numbers([slides[0][2]])[0]
        low, high = min(0.0, float(np.nanmin(travel))), max(0.0, float(np.nanmax(travel)))
    bodies = machine.index[link.first.body], machine.index[link.second.body]
    base = turned_to(axis, beside)
    other, turned = machine.place(link.second.displacement)
    return Symbol(link.name, kind, *bodies, at, turn @ base, size, (other, turned @ base), low, high)


def _kind(turns: int, slides: int, together: bool) -> str | None:
    if (turns, slides) == (1, 1):
        return "screw" if together else "cylinder"
    if turns == 3 and slides <= 1:
        return "ball"
    return {(1, 0): "hinge", (0, 1): "slide", (2, 0): "universal"}.get((turns, slides))
