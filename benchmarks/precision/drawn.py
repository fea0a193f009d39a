"""A machine drawn where it starts: bodies, single hinges and slides in the base of earth, for programs that want that.

Every angle of a peer counts from there; joints of several steps become several joints with nothing between.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from problems import Array, Case

from dalembert.mechanism import Layout, Link


@dataclass(frozen=True)
class Solid:
    """Mass, and centre and inertia about it in the base of earth."""

    mass: float
    centre: Array
    inertia: Array


@dataclass(frozen=True)
class Single:
    """A hinge or a slide of `child` on `parent`; its coordinate of the machine, where that is a state."""

    coordinate: str
    hinge: bool
    parent: str
    child: str
    point: Array
    axis: Array
    first: float
    speed: float
    spring: tuple[float, float]
    last: bool
    """Whether the child itself follows, not a further joint on the way to it."""


@dataclass(frozen=True)
class Drawing:
    """The case for peers; `tree` from the root outwards, `cuts` close loops."""

    case: Case

    @property
    def gravity(self) -> Array:
        return np.array([float(g.value) for g in self.case.machine.gravity])

    @cached_property
    def bodies(self) -> dict[str, Solid]:
        found = {}
        for name, body in self.case.machine.bodies.items():
            if name == "earth":
                continue
            turned, origin = self.frame(name)
            own = turned @ self.numbers(body.inertia.matrix) @ turned.T
            centre = origin + turned @ self.numbers(body.centre)
            found[name] = Solid(float(self.numbers([body.mass])[0]), centre, (own + own.T) / 2)
        return found

    @cached_property
    def tree(self) -> list[Single]:
        layout = Layout.of(self.case.machine)
        names = [body.name for body in layout.bodies]
        return [one for x in layout.tree for one in self.singles(x.link, names[x.parent], names[x.child], x.reversed)]

    @cached_property
    def cuts(self) -> list[Single]:
        links = [x.link for x in Layout.of(self.case.machine).cuts]
        return [one for x in links for one in self.singles(x, x.first.body, x.second.body, False)]

    def frame(self, name: str) -> tuple[Array, Array]:
        if name == "earth":
            return np.eye(3), np.zeros(3)
        begun = self.case.begun
        rotation = np.array([[begun[f"{name}.R{i}{j}"][0] for j in (1, 2, 3)] for i in (1, 2, 3)])
        return rotation, np.array([begun[f"{name}.{x}"][0] for x in "XYZ"])

    def numbers(self, what: Any, at: dict[str, float] | None = None) -> Array:
        """Formulas of parameters, and of the joint's own coordinates `at`."""
        from dalembert import expr as ex

        flat = np.asarray(what, dtype=object)
        known = {**self.case.begun.parameters, **(at or {})}
        values = [
            ex.evaluate([ex.as_expr(e)], {ex.symbol(k): v for k, v in known.items()})[0] for e in flat.reshape(-1)
        ]
        return np.array(values, dtype=float).reshape(flat.shape)

    def singles(self, link: Link, parent: str, child: str, reverse: bool) -> list[Single]:
        rotation, origin = self.frame(link.first.body)
        here = link.first.displacement
        origin = origin + rotation @ self.numbers(here.translation)
        rotation = rotation @ self.numbers(here.matrix)
        names = [p.name if hasattr(p, "name") else str(p) for p in link.joint.parameters]
        values = {p: float(self.case.begun[f"{link.name}.{p}"][0]) for p in names}
        found: list[Single] = []
        for k, step in enumerate(link.joint.steps):
            moved, (name,) = step.displacement, [p for p in names if p in _names(step.displacement)]
            hinge = bool(moved.turns)
            unit = {**values, name: 1.0}
            local = self.numbers(moved.turns[0].axis) if hinge else self.numbers(moved.translation, unit)
            axis = rotation @ local / np.linalg.norm(local)
            full, last = f"{link.name}.{name}", k == len(link.joint.steps) - 1
            speed = float(self.case.begun[f"{full}'"][0])
            spring = self.case.springs.get(full, (0.0, 0.0))
            sense = -1.0 if reverse else 1.0
            found.append(Single(full, hinge, parent, child, origin, sense * axis, values[name], speed, spring, last))
            origin = origin + rotation @ self.numbers(moved.translation, values)
            rotation = rotation @ self.numbers(moved.matrix, values)
        return found

    def state(self, moved: dict[str, float]) -> Array:
        """Coordinates of the machine from what single joints have moved; not a number where no joint tells one."""
        first = {one.coordinate: one.first for one in (*self.tree, *self.cuts)}
        names = self.case.system.coordinates
        return np.array([first[name] + moved[name] if name in moved else np.nan for name in names])


def _names(displacement: Any) -> set[str]:
    from dalembert import expr as ex

    parts = [*displacement.translation, *(turn.angle for turn in displacement.turns)]
    return {e.name for e in ex.topological([ex.as_expr(p) for p in parts]) if e.op == "symbol"}
