"""A scene: everything that a renderer needs to show a machine, at rest or in motion, as plain data.

`scene_of(model)` is a posture, `scene_of(model, motion)` a motion. `Scene.as_dict()` is ready for JSON and is what
viewer.js reads; the top of that file says what each field means. The same scene gives the page, the studio, pictures
and videos.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.dynamics import dynamics_of
from dalembert.errors import ModelError, SimulationError
from dalembert.mechanism import Layout, Mechanism, Model
from dalembert.simulate import Motion
from dalembert.view._packing import Table, packed_mesh
from dalembert.view.arrows import Arrow, arrows_of, reactions_of
from dalembert.view.contact_arrows import contact_arrows
from dalembert.view.facts import Machine, Numbers
from dalembert.view.flat import plane_normal
from dalembert.view.frames import frame_times, seen_at, sound
from dalembert.view.ground import Ground, ground_of, upward
from dalembert.view.joints import Symbol, symbols_of
from dalembert.view.looks import bar_radius, looks_of
from dalembert.view.posture import posture
from dalembert.view.sketch import sketch_of
from dalembert.view.solids import Solid, round_
from dalembert.view.theme import colour
from dalembert.view.ties import Tie, ties_of
from dalembert.view.viewpoint import Viewpoint, viewpoint_of

if TYPE_CHECKING:
    from dalembert.mechanism.meshes import Mesh

Array = NDArray[np.float64]

FORMAT = 1
"""Number of the format that viewer.js checks."""
_MOST_COLUMNS = 12


@dataclass(frozen=True, slots=True, eq=False)
class SceneBody:
    """A body with its solids; the first is earth. `mass` and `centre` are for the reader who asks."""

    name: str
    solids: tuple[Solid, ...]
    colour: str
    mass: float = 0.0
    centre: Array | None = None

    def as_dict(self, meshes: list[Mesh]) -> dict[str, Any]:
        centre = None if self.centre is None else [round_(x) for x in self.centre]
        shapes = [solid.as_dict(meshes) for solid in self.solids]
        return {"name": self.name, "colour": self.colour, "mass": round_(self.mass), "centre": centre, "shapes": shapes}


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """A place of a body that leaves a path."""

    name: str
    body: int
    at: Array


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A curve beside the picture; curves of one unit share a plot."""

    name: str
    unit: str
    values: Array


@dataclass(frozen=True, eq=False, repr=False)
class Scene:
    """A machine as a picture: bodies, joints, ties, arrows, traces, ground, and their poses at `times`."""

    name: str
    times: Array
    poses: Array  # body (earth first), frame, 3x4
    bodies: tuple[SceneBody, ...]
    joints: tuple[Symbol, ...] = ()
    ties: tuple[Tie, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    traces: tuple[Trace, ...] = ()
    columns: tuple[Column, ...] = ()
    ground: Ground | None = None
    up: Array = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    viewpoint: Viewpoint = field(default_factory=Viewpoint)
    size: float = 1.0
    speed: float = 1.0
    events: tuple[tuple[float, str], ...] = ()
    note: str = ""

    def __repr__(self) -> str:
        moving = f"{len(self.times)} frames" if len(self.times) > 1 else "a posture"
        return f"<Scene of '{self.name}': {len(self.bodies) - 1} bodies, {len(self.joints)} joints, {moving}>"

    def _repr_html_(self) -> str:
        from dalembert.view.page import page
        from dalembert.view.report.html import framed

        return framed(page(self), self.name, "24rem;width:100%;border:0")

    @property
    def box(self) -> tuple[Array, Array]:
        """The least box around all bodies at all times."""
        points = self.corners()
        return points.min(axis=(0, 1)), points.max(axis=(0, 1))

    def corners(self) -> Array:
        """Corners of the boxes around all solids, and ends of ties: frame, corner, 3."""
        found = []
        for body, poses in zip(self.bodies, self.poses, strict=True):
            for solid in body.solids:
                found.append(np.einsum("fij,cj->fci", poses[:, :, :3], solid.corners()) + poses[:, None, :, 3])
        for tie in self.ties:
            for number, at in tie.points:
                pose = self.poses[number]
                found.append((pose[:, :, :3] @ at + pose[:, :, 3])[:, None])
        if not found:
            found = [self.poses[:, :, :, 3].transpose(1, 0, 2)]
        return np.concatenate(found, axis=1)

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        low, high = self.box
        curves: list[Array] = []
        finest: list[float] = []
        for pose in self.poses[1:]:
            curves += [*pose[:, :, 3].T, *_quaternions(pose[:, :, :3]).T]
            finest += [2e-5 * self.size] * 3 + [1e-4] * 4  # of the size of the machine; of a turn, in radians
        arrows, columns = list[dict[str, Any]](), []
        for arrow in self.arrows:
            told = {"name": arrow.name, "kind": arrow.kind, "body": arrow.body, "channel": len(curves)}
            curves += [*arrow.values.T]
            finest += [0.0] * 3
            if arrow.at.ndim == 1:
                told["at"] = _list(arrow.at)
            else:
                told["place"] = len(curves)
                curves += [*arrow.at.T]
                finest += [2e-5 * self.size] * 3
            arrows.append(told)
        for column in self.columns:
            columns.append({"name": column.name, "unit": column.unit, "channel": len(curves)})
            curves.append(column.values)
            finest.append(0.0)
        meshes: list[Mesh] = []
        bodies = [body.as_dict(meshes) for body in self.bodies]
        values = np.array(curves, dtype=float).reshape(-1, len(self.times))
        narrow = np.array(finest, dtype=float).reshape(-1)
        narrow[narrow == 0.0] = np.inf
        return {
            "format": FORMAT,
            "name": self.name,
            "note": self.note,
            "up": _list(self.up),
            "view": self.viewpoint.as_dict(),
            "size": round_(self.size),
            "speed": self.speed,
            "times": [round_(t) for t in self.times],
            "table": Table(values, narrow).as_dict(),
            "bodies": bodies,
            **({"meshes": [packed_mesh(one) for one in meshes]} if meshes else {}),
            "joints": [joint.as_dict() for joint in self.joints],
            "ties": [tie.as_dict() for tie in self.ties],
            "arrows": arrows,
            "traces": [{"name": one.name, "body": one.body, "at": _list(one.at)} for one in self.traces],
            "columns": columns,
            "ground": None if self.ground is None else self.ground.as_dict(),
            "box": [_list(low), _list(high)],
            "events": [[round_(t), name] for t, name in self.events],
        }


def scene_of(
    model: Mechanism | Model | None = None,
    motion: Motion | None = None,
    at: Mapping[str, Any] | None = None,
    *,
    given: Mapping[str, Any] | None = None,
    fps: float = 30.0,
    speed: float | None = None,
    columns: Sequence[str] | None = None,
    reactions: Sequence[str] = (),
) -> Scene:
    """The scene of a motion, or of the posture `at` (the start when not said).

    `columns` are the curves beside the picture: states, outputs or formulas; when not said, the first coordinates.
    `reactions` names links whose forces on their second bodies are arrows, as applied forces and torques are.
    Parameters without a value count as 1 in a posture, and `note` says so.

    >>> from dalembert.mechanism import Mechanism, earth, revolute
    >>> m = Mechanism("pendulum")
    >>> pin = m.join(earth, m.body("rod", mass=1, centre=[0, 0, -1]), revolute("x"), name="pin")
    >>> [body.name for body in scene_of(m, at={"pin.th": 0.5}).bodies]
    ['earth', 'rod']
    """
    if motion is not None:
        times, pace = frame_times(motion, fps, speed, _turning(motion))
        seen = sound(seen_at(motion, times))
        if motion.system.layout is None:
            return sketch_of(Scene, seen, pace)
        layout = motion.system.layout
        unknown = {ex.symbol(x): ex.ONE for x in layout.model.parameters() if x not in motion.parameters}

        def numbers(exprs: Sequence[ex.Expr]) -> Array:
            asked = ex.substitute(list(exprs), unknown) if unknown else list(exprs)
            return np.array(seen.evaluate(asked)).reshape(-1, len(seen.t))

        chosen = [*motion.system.coordinates[:_MOST_COLUMNS]] if columns is None else list(columns)
        curves = tuple(Column(name, unit_of(layout, name), seen[name]) for name in chosen)
        return _scene(layout, numbers, seen.t, pace, curves, _events(motion), "", seen, reactions)
    if model is None:
        raise SimulationError("a scene needs a model or a motion.")
    layout = Layout.of(model)
    numbers_, note = posture(layout, at, given)
    return _scene(layout, numbers_, np.zeros(1), 1.0, (), (), note)


def moved_scene(layout: Layout, numbers: Numbers, times: Array) -> Scene:
    """The scene of postures that `numbers` knows, one for each time."""
    return _scene(layout, numbers, times, 1.0, (), (), "")


def _scene(
    layout: Layout,
    numbers: Numbers,
    times: Array,
    speed: float,
    columns: tuple[Column, ...],
    events: tuple[tuple[float, str], ...],
    note: str,
    seen: Motion | None = None,
    reactions: Sequence[str] = (),
) -> Scene:
    machine = Machine(layout.model, dynamics_of(layout).tree, numbers)
    looks = looks_of(machine)
    up = upward(machine)
    thick = bar_radius(machine)
    bodies = [SceneBody("earth", (), "#8a8f98")]
    for k, facts in enumerate(machine.bodies[1:]):
        centre = facts.centre if facts.mass > 0 else None
        bodies.append(SceneBody(facts.name, tuple(looks[facts.name]), colour(k), facts.mass, centre))
    arrows, lost = arrows_of(machine)
    if seen is not None:
        arrows += reactions_of(machine, seen, reactions) + contact_arrows(machine, seen, speed)
    scene = Scene(
        layout.model.name,
        times,
        machine.poses,
        tuple(bodies),
        symbols_of(machine, looks, thick),
        ties_of(machine, thick),
        arrows,
        _traces(machine, looks),
        columns,
        up=up,
        size=machine.size,
        speed=speed,
        events=events,
        note="; ".join(filter(None, [note, lost])),
    )
    if not machine.spread:  # a point mass is as large as it looks
        scene = replace(scene, size=float(np.linalg.norm(np.ptp(scene.corners()[0], axis=0))) or machine.size)
    ground, walls = ground_of(machine, scene.corners(), up)
    earth = replace(bodies[0], solids=walls)
    scene = replace(scene, ground=ground, bodies=(earth, *bodies[1:]))
    across = _across(machine, scene.joints) if len(times) == 1 else None
    return replace(scene, viewpoint=viewpoint_of(scene.corners(), scene.size, up, across))


def _across(machine: Machine, joints: Sequence[Symbol]) -> Array | None:
    """The normal of the plane in which a machine at rest would move, if it would in one."""
    try:
        return plane_normal(machine, joints) if joints else None
    except ModelError:
        return None


def unit_of(layout: Layout, name: str) -> str:
    """`rad`, `m`, their rates, or nothing where it is not known: what a curve is measured in."""
    from dalembert.mechanism import QuaternionTurn

    bare = name.rstrip("'")
    rate = len(name) - len(bare)
    for link in layout.model.links.values():
        if bare not in link.coordinates:
            continue
        x = ex.symbol(bare)
        for step in link.placed_steps():
            if x in ex.free_symbols(step.displacement.translation):
                return "m" + ("", "/s", "/s^2")[min(rate, 2)]
            turns = step.displacement.turns
            if any(x in ex.free_symbols(one.scalars) for one in turns if isinstance(one, QuaternionTurn)):
                return ""
        return "rad" + ("", "/s", "/s^2")[min(rate, 2)]
    return ""


def _turning(motion: Motion) -> float:
    """The largest rate of an angle."""
    layout, rows = motion.system.layout, zip(motion.names, motion.y, strict=True)
    found = [np.abs(y) for name, y in rows if layout is not None and unit_of(layout, name) == "rad/s"]
    return float(np.nanmax(found)) if found and len(motion.t) else 0.0


def _traces(machine: Machine, looks: Mapping[str, Sequence[Solid]]) -> tuple[Trace, ...]:
    """The centres of bodies that are seen and carry no other, the last first."""
    carriers = {one.parent for one in machine.tree.layout.tree}
    ends = [k for k, body in enumerate(machine.bodies) if k and k not in carriers and looks[body.name]]
    return tuple(Trace(machine.bodies[k].name, k, _far(machine, k)) for k in reversed(ends))


def _far(machine: Machine, number: int) -> Array:
    """The place of a body that tells most of its motion: its centre of mass."""
    return machine.bodies[number].centre


def _events(motion: Motion) -> tuple[tuple[float, str], ...]:
    """Named moments of a motion, those of contacts and of events that the user asked for."""
    found = [(float(t), name) for name, times in motion.events.items() for t in times]
    if motion.contacts is not None:
        found += [(float(t), f"{contact} {what}") for t, contact, what in motion.contacts.events]
    return tuple(sorted(found)[:400])


def _quaternions(turns: Array) -> Array:
    """Scalar first, without leaps from one cover to the other."""
    from scipy.spatial.transform import Rotation

    found = Rotation.from_matrix(turns).as_quat()[:, [3, 0, 1, 2]]
    signs = np.cumprod(np.where(np.sum(found[1:] * found[:-1], axis=1) < 0, -1.0, 1.0))
    found[1:] *= signs[:, None]
    return np.asarray(found, dtype=float)


def _list(values: Any) -> list[float]:
    return [round_(x) for x in values]
