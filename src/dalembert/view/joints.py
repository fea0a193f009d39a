"""Symbols of joints: hinge, slide, screw, cylinder, universal, ball, from the displacements that a joint allows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.mechanism import Link, QuaternionTurn, Turn
from dalembert.view.facts import Machine
from dalembert.view.solids import quaternion, round_, turned_to

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
