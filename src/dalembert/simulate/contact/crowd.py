"""Crowds: free bodies of a model as arrays for machine code, and back to coordinates and speeds.

A free body is data: mass, principal moments, a place. Nothing is derived for it, whatever the number of bodies.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.contact.crowd.crowd import Crowd
from dalembert.contact.crowd.data import Laws, bodies, shapes
from dalembert.errors import SimulationError
from dalembert.expr import ZERO, Expr
from dalembert.expr.space import is_zero3
from dalembert.mechanism import EARTH, Displacement, Layout, Link, Model
from dalembert.mechanism.contact import Among, Contact, Gap, Pressed
from dalembert.mechanism.shapes import Box, Capsule, Plane, Shape, Sphere
from dalembert.simulate.contact.crowd_code import shipped

Array = NDArray[Any]

_KINDS: dict[type, int] = {Sphere: 0, Plane: 1, Box: 2, Capsule: 3}
_INSIDE = 1e-8
"""A start deeper than this share of the smallest shape is refused: starts are written to eight digits."""


def is_crowd(model: Model) -> bool:
    """Does a contact among many shapes stand in it?"""
    return any(isinstance(one.place, Among) for one in model.contacts)


def obstacle(model: Model) -> str:
    """Why this model is no crowd of free bodies, in words; nothing if it is one."""
    joined: dict[str, Link] = {}
    for link in model.links.values():
        if link.first.body != EARTH or link.second.body in joined or _spin(link) is None:
            return f"link '{link.name}' does not join a body to earth by da.free('quaternion')"
        if link.placed_efforts() or any(not (is_zero3(s.force) and is_zero3(s.torque)) for s in link.placed_steps()):
            return f"link '{link.name}' has efforts"
        joined[link.second.body] = link
    for name in model.bodies:
        if name != EARTH and name not in joined:
            return f"body '{name}' is not joined to earth"
    if model.efforts or model.constraints:
        return f"it has {'efforts' if model.efforts else 'constraints'} beside gravity"
    if ex.TIME in ex.free_symbols(model.gravity):
        return "its gravity changes with time"
    for contact in model.contacts:
        if isinstance(contact.place, Pressed):
            return f"'{contact.name}' rubs in a joint"
        if isinstance(contact.place, Gap):
            return f"the gap of contact '{contact.name}' is a formula"
        if contact.static is not None:
            return f"contact '{contact.name}' has a friction of rest of its own"
        for shape in _shapes(contact):
            if type(shape) not in _KINDS:
                return f"contact '{contact.name}' has a {type(shape).__name__.lower()}"
    return ""


def _shapes(contact: Contact) -> Sequence[Shape]:
    place = contact.place
    assert not isinstance(place, Gap | Pressed)
    return place.shapes if isinstance(place, Among) else (place.first, place.second)


def _spin(link: Link) -> str | None:
    """How the speeds of a free joint with a quaternion are meant: `rates` of the place, or of the `body`."""
    steps = link.joint.steps
    if link.joint.kind != "free" or len(link.coordinates) != 7 or len(link.speeds) != 6:
        return None
    if len(steps) == 1:
        return "body" if steps[0].speeds == "body" else None
    return "rates" if steps[0].speeds == "rates" and steps[1].speeds == "body" else None


def _groups(model: Model) -> Iterator[tuple[Contact, Sequence[Shape]]]:
    """Every contact with its shapes; corners and ends of one pair count once."""
    for contact in model.contacts:
        if isinstance(contact.place, Among) or getattr(contact.place, "part", 0) == 0:
            yield contact, _shapes(contact)


@dataclass(frozen=True, eq=False)
class CrowdModel:
    """The numbers of a crowd: where joints stand on earth, where centres and principal axes stand in joints."""

    model: Model
    order: NDArray[np.int64]
    names: tuple[str, ...]
    labels: tuple[tuple[str, str], ...]
    earth_place: Array
    earth_turn: Array
    centre: Array
    axes: Array
    in_body: Array
    made: Crowd | None = None

    @property
    def crowd(self) -> Crowd:
        assert self.made is not None
        return self.made

    @staticmethod
    def of(layout: Layout, values: Mapping[str, float], state: Array) -> CrowdModel:
        """From the state of the system; `order` are its rows by body: seven coordinates each, then six speeds."""
        model = layout.model
        known = {ex.symbol(name): value for name, value in values.items()}
        links = list(model.links.values())
        held = [model.bodies[link.second.body] for link in links]
        scalars = [x for body in held for x in (body.mass, *body.inertia.entries)]
        table = _numbers(scalars, known).reshape(-1, 7)
        for body, row in zip(held, table, strict=True):
            if not row[0] > 0 or not (row[1:4] > 0).all():
                raise SimulationError(
                    f"body '{body.name}' of a crowd has mass {row[0]:g} and moments {row[1:4].tolist()}: a free body "
                    "needs a mass and three moments above zero."
                )
        place, turn = _poses([link.first.displacement for link in links], known)
        own_place, own_turn = _poses([link.second.displacement for link in links], known)
        centre, frame = _poses([body.iframe for body in held], known)
        moments, principal = _principal(table[:, 1:])
        back = own_turn.transpose(0, 2, 1)
        axes = back @ frame @ principal
        offset = np.einsum("bij,bj->bi", back, centre - own_place)
        whole = np.array([_spin(link) == "body" for link in links])
        where = {name: k for k, name in enumerate((*layout.state.coordinates, *layout.state.speeds))}
        rows = [x for link in links for x in link.coordinates], [x for link in links for x in link.speeds]
        order = np.array([where[name] for some in rows for name in some], dtype=np.int64)
        names = tuple(body.name for body in held)
        made = CrowdModel(model, order, names, (), place, turn, offset, axes, whole)
        x, q, v = made.in_space(state[order])
        number = {body.name: k for k, body in enumerate(held)} | {EARTH: len(held)}
        # shapes are drawn on the reference frame of a body; the crowd has its centre and principal axes
        reference = (frame @ principal).transpose(0, 2, 1)
        told = _shape_table(
            model, known, number, np.vstack([centre, np.zeros(3)]), np.vstack([reference, np.eye(3)[None]])
        )
        gravity = _numbers(list(model.gravity), known)
        crowd = Crowd(shapes(*told[:6]), bodies(x, q, v, table[:, 0], moments), told[6], gravity, shipped())
        return replace(made, labels=told[7], made=crowd)

    def in_space(self, state: Array) -> tuple[Array, Array, Array]:
        """Centres, quaternions of the principal axes, and speeds in the base of earth, of states by body."""
        count = len(self.names)
        q, u = state[: 7 * count].reshape(count, 7), state[7 * count :].reshape(count, 6)
        turn = self.earth_turn @ _matrices(q[:, 3:])
        arm = np.einsum("bij,bj->bi", turn, self.centre)
        x = self.earth_place + np.einsum("bij,bj->bi", self.earth_turn, q[:, :3]) + arm
        spin = np.einsum("bij,bj->bi", turn, u[:, 3:])
        base = np.where(self.in_body[:, None, None], turn, self.earth_turn)
        speed = np.einsum("bij,bj->bi", base, u[:, :3]) + np.cross(spin, arm)
        return x, _quaternions(turn @ self.axes), np.concatenate([speed, spin], axis=1)

    def in_joints(self, x: Array, q: Array, v: Array) -> Array:
        """The states of many instants (first axis) in coordinates and speeds of the joints."""
        turn = _matrices(q) @ self.axes.transpose(0, 2, 1)
        arm = np.einsum("tbij,bj->tbi", turn, self.centre)
        place = np.einsum("bji,tbj->tbi", self.earth_turn, x - arm - self.earth_place)
        spin = np.einsum("tbji,tbj->tbi", turn, v[..., 3:])
        base = np.where(self.in_body[:, None, None], turn, self.earth_turn)
        speed = np.einsum("tbji,tbj->tbi", base, v[..., :3] - np.cross(v[..., 3:], arm))
        own = _quaternions(self.earth_turn.transpose(0, 2, 1) @ turn)
        for k in range(1, len(own)):  # a quaternion and its opposite are one turn: stay near the last
            own[k] *= np.where((own[k] * own[k - 1]).sum(axis=-1, keepdims=True) < 0, -1.0, 1.0)
        count = len(x)
        coordinates = np.concatenate([place, own], axis=-1).reshape(count, -1)
        found = np.empty((count, len(self.order)))
        found[:, self.order] = np.concatenate(
            [coordinates, np.concatenate([speed, spin], axis=-1).reshape(count, -1)], axis=1
        )
        return found

    def check_start(self) -> None:
        """Refuse a start inside something."""
        crowd = self.crowd
        pairs, points = crowd.touching(0.0)
        if len(points) and points[:, 6].min() < -_INSIDE * crowd.small:
            k = int(np.argmin(points[:, 6]))
            (name, one), (_, two) = (self.labels[i] for i in pairs[k])
            raise SimulationError(
                f"contact '{name}' of '{self.model.name}' starts with '{one}' {-points[k, 6]:.3g} inside '{two}'. "
                "Move one of them, or change their shapes."
            )


def _shape_table(
    model: Model, known: Mapping[Expr, float], number: Mapping[str, int], centre: Array, back: Array
) -> tuple[Any, ...]:
    found = [(g, shape) for g, (_, some) in enumerate(_groups(model)) for shape in some]
    names = [contact.name for contact, _ in _groups(model)]
    laws = [contact for contact, _ in _groups(model)]
    place, turn = _poses([shape.frame.displacement for _, shape in found], known)
    body = np.array([number[shape.frame.body] for _, shape in found])
    sizes = _numbers([x for _, shape in found for x in _sizes(shape)], known).reshape(-1, 3)
    halves = np.array([_HALVES[type(shape)] for _, shape in found])
    local = np.einsum("sij,sj->si", back[body], place - centre[body])
    coefficients = _numbers(
        [x for one in laws for x in (one.friction, one.restitution, one.rolling, one.drilling)], known
    ).reshape(-1, 4)
    kinds = np.array([_KINDS[type(shape)] for _, shape in found])
    group = np.array([g for g, _ in found])
    return (
        kinds,
        body,
        group,
        sizes * halves,
        local,
        back[body] @ turn,
        Laws(*(np.ascontiguousarray(column) for column in coefficients.T)),
        tuple((names[g], shape.frame.body) for g, shape in found),
    )


_HALVES: dict[type, tuple[float, float, float]] = {
    Sphere: (1.0, 1.0, 1.0),
    Plane: (1.0, 1.0, 1.0),
    Box: (0.5, 0.5, 0.5),
    Capsule: (1.0, 0.5, 1.0),
}


def _sizes(shape: Shape) -> tuple[Expr, Expr, Expr]:
    if isinstance(shape, Sphere):
        return shape.radius, ZERO, ZERO
    if isinstance(shape, Box):
        x, y, z = shape.sides
        return x, y, z
    if isinstance(shape, Capsule):
        return shape.radius, shape.length, ZERO
    return ZERO, ZERO, ZERO


def _numbers(exprs: Sequence[Expr], known: Mapping[Expr, float]) -> Array:
    return np.array([float(x) for x in ex.evaluate(list(exprs), known)]) if exprs else np.zeros(0)


def _poses(displacements: Sequence[Displacement], known: Mapping[Expr, float]) -> tuple[Array, Array]:
    """Translations and rotation matrices; most displacements are none."""
    place, turn = np.zeros((len(displacements), 3)), np.tile(np.eye(3), (len(displacements), 1, 1))
    for k, one in enumerate(displacements):
        if not is_zero3(one.translation):
            place[k] = _numbers(list(one.translation), known)
        if one.turns:
            turn[k] = _numbers([x for row in one.matrix for x in row], known).reshape(3, 3)
    return place, turn


def _principal(inertia: Array) -> tuple[Array, Array]:
    """Moments and axes (columns) of inertias xx, yy, zz, xy, xz, yz; diagonal ones stay as they are."""
    moments, axes = inertia[:, :3].copy(), np.tile(np.eye(3), (len(inertia), 1, 1))
    for k in np.flatnonzero(inertia[:, 3:].any(axis=1)):
        xx, yy, zz, xy, xz, yz = inertia[k]
        moments[k], turned = np.linalg.eigh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
        axes[k] = turned * np.sign(np.linalg.det(turned))
    return moments, axes


def _matrices(q: Array) -> Array:
    """Rotation matrices of unit quaternions, scalar first."""
    w, x, y, z = np.moveaxis(q / np.linalg.norm(q, axis=-1, keepdims=True), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def _quaternions(matrices: Array) -> Array:
    """Unit quaternions of rotation matrices, the largest component positive: no square root is of a small number."""
    m = matrices
    trace = m[..., 0, 0] + m[..., 1, 1] + m[..., 2, 2]
    squares = np.stack([trace, *(2 * m[..., i, i] - trace for i in range(3))], axis=-1) + 1
    products = np.empty((*m.shape[:-2], 4, 4))
    for i in range(4):
        products[..., i, i] = squares[..., i]
    for i, (a, b) in enumerate(((2, 1), (0, 2), (1, 0)), start=1):
        products[..., 0, i] = products[..., i, 0] = m[..., a, b] - m[..., b, a]
    for i, j in ((0, 1), (0, 2), (1, 2)):
        products[..., 1 + i, 1 + j] = products[..., 1 + j, 1 + i] = m[..., i, j] + m[..., j, i]
    best = np.argmax(squares, axis=-1)
    found = np.take_along_axis(products, best[..., None, None], axis=-2)[..., 0, :]
    return found / np.linalg.norm(found, axis=-1, keepdims=True)
