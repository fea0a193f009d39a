"""The numbers of a machine that a picture needs: sizes of its bodies, places of its joints, poses over the frames."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.expr import Expr
from dalembert.kinematics.bodies import body_poses
from dalembert.kinematics.spatial import Pose
from dalembert.kinematics.tree import Tree
from dalembert.mechanism import Body, BodyShape, Displacement, Frame, Link, Model
from dalembert.view.meshing import coarse
from dalembert.view.solids import Solid

Array = NDArray[np.float64]
Numbers = Callable[[Sequence[Expr]], Array]
"""Expressions to their values: a row for each, a column for each frame."""

#: Places nearer than this share of a machine, turns by less than this angle: no picture shows them apart.
APART = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Hold:
    """A joint as a body feels it: where, about or along what (in the body's base), and which link it is."""

    link: Link
    at: Array
    turn: Array  # 3x3: base of the joint's frame
    parent: bool  # the joint that carries the body, seen from earth


@dataclass(frozen=True, eq=False)
class BodyFacts:
    """A body in numbers: mass, centre, principal axes (columns) and moments about the centre, and its joints."""

    body: Body
    mass: float
    centre: Array
    axes: Array
    moments: Array
    holds: tuple[Hold, ...] = ()
    extent: float = 0.0  # how far from its centre its shapes reach, where it has some

    @property
    def name(self) -> str:
        return self.body.name

    @cached_property
    def edges(self) -> Array:
        """Edges, along the principal axes, of the homogeneous box that has these moments; 0 where there is none."""
        if self.mass <= 0:
            return np.zeros(3)
        a, b, c = self.moments
        return np.sqrt(np.maximum(6 * np.array([b + c - a, c + a - b, a + b - c]) / self.mass, 0.0))

    @cached_property
    def points(self) -> list[Array]:
        """Places of its joints, that of its parent first, each once."""
        found: list[Array] = []
        ordered = sorted(self.holds, key=lambda hold: not hold.parent)
        apart = APART * max((float(np.linalg.norm(hold.at)) for hold in ordered), default=0.0)
        for hold in ordered:
            if all(np.linalg.norm(hold.at - other) > apart for other in found):
                found.append(hold.at)
        return found

    @cached_property
    def reach(self) -> float:
        """How far from its centre the body is: its joints, and its shapes or else its inertia."""
        far = [float(np.linalg.norm(p - self.centre)) for p in self.points]
        return max([*far, self.extent or float(self.edges.max()) / 2, 0.0])


@dataclass(frozen=True, eq=False)
class Machine:
    """A model in numbers over the frames of a picture: facts of bodies, and their poses."""

    model: Model
    tree: Tree
    numbers: Numbers
    poses: Array = field(init=False)  # body (earth first), frame, 3x4
    bodies: tuple[BodyFacts, ...] = field(init=False)

    def __post_init__(self) -> None:
        layout = self.tree.layout
        flat = [x for pose in body_poses(self.tree) for x in _scalars(pose)]
        values = self.numbers(flat)
        shape = (len(layout.bodies), 12, values.shape[1])
        object.__setattr__(self, "poses", values.reshape(shape).transpose(0, 2, 1).reshape(shape[0], -1, 3, 4))
        object.__setattr__(self, "bodies", tuple(self._facts(body) for body in layout.bodies))

    @cached_property
    def index(self) -> Mapping[str, int]:
        """Numbers of bodies, earth 0."""
        return {body.name: k for k, body in enumerate(self.tree.layout.bodies)}

    def constants(self, exprs: Sequence[Expr]) -> Array:
        """Values of what does not move."""
        found: Array = self.numbers(list(exprs))[:, 0]
        return found

    def place(self, displacement: Displacement) -> tuple[Array, Array]:
        """Origin and base of a frame in its body."""
        matrix = displacement.matrix
        values = self.constants([*displacement.translation, *(x for row in matrix for x in row)])
        return values[:3], values[3:].reshape(3, 3)

    def world(self, frame: Frame) -> Array:
        """The origin of a frame at each frame of the picture."""
        at, _ = self.place(frame.displacement)
        pose = self.poses[self.index[frame.body]]
        found: Array = pose[:, :, :3] @ at + pose[:, :, 3]
        return found

    @property
    def size(self) -> float:
        """How large the machine is where the picture begins; 1 where it is one point."""
        return self.spread or 1.0

    def one_place(self, a: Array, b: Array) -> bool:
        """Whether no picture could show two points apart."""
        return bool(np.linalg.norm(a - b) <= APART * self.size)

    @cached_property
    def spread(self) -> float:
        """The diagonal of the places and reaches of its bodies where the picture begins; 0 for a point mass."""
        first = self.poses[:, 0]
        points = [pose[:, :3] @ facts.centre + pose[:, 3] for pose, facts in zip(first, self.bodies, strict=True)]
        reach = np.array([facts.reach for facts in self.bodies])
        points, reach = points[1:] or points, reach[1:] if len(reach) > 1 else reach
        places = np.array(points)
        spread = (places + reach[:, None]).max(axis=0) - (places - reach[:, None]).min(axis=0)
        return float(np.linalg.norm(spread))

    @cached_property
    def _ends(self) -> Mapping[str, list[tuple[Link, Frame]]]:
        """The ends of links on each body."""
        found: dict[str, list[tuple[Link, Frame]]] = {}
        for link in self.model.links.values():
            for frame in (link.first, link.second):
                found.setdefault(frame.body, []).append((link, frame))
        return found

    @cached_property
    def _children(self) -> Mapping[str, int]:
        """The body that each link of the tree carries."""
        return {one.link.name: one.child for one in self.tree.layout.tree}

    @cached_property
    def reach(self) -> float:
        """How far its bodies reach, typically."""
        reaches = [facts.reach for facts in self.bodies[1:] if facts.reach > 0]
        return float(np.median(reaches)) if reaches else self.size

    @cached_property
    def shaped(self) -> bool:
        """Whether the description says a shape of any body."""
        return any(facts.body.shapes for facts in self.bodies)

    def _facts(self, body: Body) -> BodyFacts:
        massive = body.mass is not ex.ZERO  # a place of no mass may well have no numbers
        centre, base = self.place(body.iframe) if massive else (np.zeros(3), np.eye(3))
        mass, *entries = self.constants([body.mass, *body.inertia.entries])
        xx, yy, zz, xy, xz, yz = entries
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        moments, axes = np.array([xx, yy, zz]), base
        if np.abs([xy, xz, yz]).max() > APART * np.abs(moments).max():  # axes that a picture would show turned
            moments, turned = np.linalg.eigh(inertia)
            turned[:, 2] *= np.sign(np.linalg.det(turned))
            axes = base @ turned
        number, holds = self.tree.layout.number(body.name), []
        for link, frame in self._ends.get(body.name, ()):
            parent = self._children.get(link.name) == number
            holds.append(Hold(link, *self.place(frame.displacement), parent))
        far = [np.linalg.norm(self.solid(one).corners() - centre, axis=1).max() for one in body.shapes]
        extent = float(max(far, default=0.0))
        return BodyFacts(body, float(mass), centre, axes, np.maximum(moments, 0.0), tuple(holds), extent)

    def solid(self, shape: BodyShape) -> Solid:
        """A shape of a body in numbers."""
        at, turn = self.place(shape.place)
        if shape.mesh is not None:
            return Solid("mesh", (), at, turn, shape.colour, coarse(shape.mesh))
        return Solid(shape.kind, tuple(float(x) for x in self.constants(shape.sizes)), at, turn, shape.colour)


def _scalars(pose: Pose) -> list[Any]:
    return [x for row, p in zip(pose.rotation, pose.position, strict=True) for x in (*row, p)]


def numbers_of(values: Mapping[Expr, Any], frames: int) -> Numbers:
    """Evaluate with these values."""

    def evaluate(exprs: Sequence[Expr]) -> Array:
        found = ex.evaluate(list(exprs), dict(values))
        return np.array([np.broadcast_to(np.asarray(x, dtype=float), (frames,)) for x in found]).reshape(-1, frames)

    return evaluate
