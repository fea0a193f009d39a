"""A machine as elementary joints that every program knows: slides, hinges and balls between places of numbers.

Each elementary joint has a value x = f(q, t) and speeds v = V(q, u, t), formulas of the machine's own coordinates and
speeds; so gears, cams, screws and links that time moves become chains of plain joints, and the chain rule brings what
others say of x and v back to q and u.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import ZERO, Expr
from dalembert.expr.space import Vector3, apply3, neg3, quaternion_matrix
from dalembert.kinematics import Tree
from dalembert.kinematics.wrench import in_speeds
from dalembert.mechanism import EARTH, Body, Displacement, Layout, Link, QuaternionTurn, Turn

Array = NDArray[np.float64]

_UNIT = 1e-12
"""A norm this far from one is none of rounding."""


@dataclass(frozen=True, eq=False, slots=True)
class Place:
    """A fixed displacement: a point x goes to p + R x."""

    p: Array
    R: Array

    def __matmul__(self, other: Place) -> Place:
        return Place(self.p + self.R @ other.p, self.R @ other.R)

    def inverse(self) -> Place:
        return Place(-self.R.T @ self.p, self.R.T)


NOWHERE = Place(np.zeros(3), np.eye(3))


@dataclass(frozen=True, eq=False, slots=True)
class Move:
    """A slide along or a hinge about a fixed axis by one value, or a ball by the four of a unit quaternion.

    The speeds of a ball are the components of its angular velocity in the base that it leads to.
    """

    kind: str  # slide, hinge, ball
    axis: Array
    values: tuple[Expr, ...]
    speeds: tuple[Expr, ...]

    def inverse(self) -> Move:
        if self.kind != "ball":
            return replace(self, axis=-self.axis)
        e0, e1, e2, e3 = self.values
        back = neg3(apply3(quaternion_matrix((e0, e1, e2, e3)), Vector3(self.speeds)))
        return replace(self, values=(e0, -e1, -e2, -e3), speeds=tuple(back))


@dataclass(frozen=True, eq=False, slots=True)
class Carried:
    """A body on its parent: places before, between and after its moves (one more than there are moves).

    `inertia` is about the centre of mass, in the axes of the body. A body without mass may stand for the far end of a
    link that closes a loop: `closes` is then what it must coincide with.
    """

    name: str
    parent: str
    places: tuple[Place, ...]
    moves: tuple[Move, ...]
    mass: float = 0.0
    centre: Array = field(default_factory=lambda: np.zeros(3))
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))
    closes: str = ""


def in_numbers(exprs: Sequence[Expr], state: Mapping[Expr, float]) -> Array:
    """Values at a state; a formula that holds something else is refused by name."""
    missing = sorted(x.name for x in ex.free_symbols(exprs) - state.keys())
    if missing:
        raise ModelError(f"'{missing[0]}' has no value in the states that are compared.")
    return np.array(ex.evaluate(list(exprs), dict(state)), dtype=float)


def place_of(displacement: Displacement, state: Mapping[Expr, float]) -> Place:
    scalars = [*displacement.translation, *(x for row in displacement.matrix for x in row)]
    found = in_numbers(scalars, state)
    return Place(found[:3], found[3:].reshape(3, 3))


def tree_bodies(tree: Tree, state: Mapping[Expr, float]) -> list[Carried]:
    """Every body of the tree, parents first."""
    layout = tree.layout
    found = []
    for one in layout.tree:
        places, moves = _chain(tree, one.link, tree.rates, state)
        if one.reversed:
            places, moves = [x.inverse() for x in reversed(places)], [x.inverse() for x in reversed(moves)]
        body = layout.bodies[one.child]
        parent = layout.bodies[one.parent].name
        found.append(Carried(body.name, parent, tuple(places), tuple(moves), *_inertia(body, state)))
    return found


def far_ends(tree: Tree, state: Mapping[Expr, float]) -> list[Carried]:
    """For every link that closes a loop, the body at its far end as the link itself carries it."""
    found = []
    for one in tree.layout.cuts:
        own = {ex.symbol(x): rate for motion in tree.motions[one.link.name] for x, rate in motion.rates.items()}
        places, moves = _chain(tree, one.link, {**tree.rates, **own}, state)
        first, second = one.link.first.body, one.link.second.body
        found.append(Carried(f"{one.link.name} of {second}", first, tuple(places), tuple(moves), closes=second))
    return found


def by_branches(bodies: Sequence[Carried]) -> list[Carried]:
    """Each body before its children, and a branch to its end before the next: an order that every program takes."""
    found = list[Carried]()
    waiting = [body for body in reversed(bodies) if body.parent == EARTH]
    while waiting:
        found.append(waiting.pop())
        waiting += [body for body in reversed(bodies) if body.parent == found[-1].name]
    return found


def velocities(bodies: Sequence[Carried], state: Mapping[Expr, float]) -> tuple[Array, float]:
    """The speeds of all elementary joints, and the fastest turn among them."""
    moves = [move for body in bodies for move in body.moves]
    numbers = [in_numbers(move.speeds, state) for move in moves]
    turns = [float(np.abs(x).max()) for move, x in zip(moves, numbers, strict=True) if move.kind != "slide"]
    return np.concatenate([np.zeros(0), *numbers]), max(turns, default=0.0)


def cut_speeds(layout: Layout) -> list[Expr]:
    return [ex.symbol(x) for one in layout.cuts for x in one.link.speeds]


def _chain(
    tree: Tree, link: Link, rates: Mapping[Expr, Expr], state: Mapping[Expr, float]
) -> tuple[list[Place], list[Move]]:
    """The steps of a link one by one: slides along the three axes, then turns, in the order in which they act."""
    moving = {*rates, ex.TIME}
    places, moves = [place_of(link.first.displacement, state)], list[Move]()

    def take(kind: str, axis: Array, value: Expr) -> None:
        if ex.free_symbols(value) & moving:
            speed = ex.tangent([value], {**rates, ex.TIME: ex.ONE})[0]
            moves.append(Move(kind, axis, (value,), (speed,)))
            places.append(NOWHERE)
        else:
            size = float(in_numbers([value], state)[0])
            fixed = Place(size * axis, np.eye(3)) if kind == "slide" else Place(np.zeros(3), turned(axis, size))
            places[-1] = places[-1] @ fixed

    for step in link.placed_steps():
        for axis, value in zip(np.eye(3), in_speeds(tree, step.displacement.translation), strict=True):
            if value is not ZERO:
                take("slide", axis, value)
        for turn in step.displacement.turns:
            one = _as_ball(turn) if isinstance(turn, Turn) and ex.free_symbols(turn.axis) & moving else turn
            if not isinstance(one, QuaternionTurn):
                take("hinge", in_numbers(one.axis, state), in_speeds(tree, [one.angle])[0])
            elif not ex.free_symbols(one.scalars) & moving:
                places[-1] = places[-1] @ place_of(Displacement(turns=(one,)), state)
            else:
                moves.append(_ball(tree, link, one, rates, state))
                places.append(NOWHERE)
    places[-1] = places[-1] @ place_of(link.second.displacement, state).inverse()
    return places, moves


def _as_ball(turn: Turn) -> QuaternionTurn:
    """A turn about an axis that another joint moves: no hinge has it."""
    half = turn.angle / ex.TWO
    x, y, z = ex.sin(half) * turn.axis
    return QuaternionTurn((ex.cos(half), x, y, z))


def _ball(tree: Tree, link: Link, one: QuaternionTurn, rates: Mapping[Expr, Expr], state: Mapping[Expr, float]) -> Move:
    """A turn by a quaternion e: w = 2 (e0 e' - e0' e - e x e') in the base that it leads to."""
    values = in_speeds(tree, one.components)
    if abs(np.linalg.norm(in_numbers(values, state)) - 1) > _UNIT:
        raise ModelError(f"link '{link.name}' turns by a quaternion whose norm is not one.")
    moved = ex.tangent(values, {**rates, ex.TIME: ex.ONE})
    (e0, e), (f0, f) = ((x[0], Vector3(x[1:])) for x in (values, moved))
    spin = ex.TWO * (e0 * f - f0 * e - e.cross(f))
    return Move("ball", np.zeros(3), tuple(values), tuple(spin))


def turned(axis: Array, angle: float) -> Array:
    """The matrix of a turn about a unit axis (Rodrigues)."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    found: Array = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
    return found


def _inertia(body: Body, state: Mapping[Expr, float]) -> tuple[float, Array, Array]:
    held = place_of(body.iframe, state)
    numbers = in_numbers([body.mass, *(x for row in body.inertia.matrix for x in row)], state)
    return float(numbers[0]), held.p, held.R @ numbers[1:].reshape(3, 3) @ held.R.T
