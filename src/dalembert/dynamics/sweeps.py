"""Derivatives of a tree's accelerations joint by joint: the formulas of four passes over the joints and of one start.

All in the axes of earth about one point, where no quantity has to be carried from joint to joint. A direction moves a
coordinate, a speed or an effort of one joint p. Of what p carries (Singh, Russell and Wensing, IEEE Robot. Autom.
Lett. 7, 2022) it asks: another acceleration psi of all, and the wrenches 2 B w of each body; before it, the wrench of
the branch turns. With articulated inertias A (Featherstone), and Q for 2 B eased like them, that is one wrench at p:

    by the coordinate  W = Q psi'_angular + A psi'' + S x* f,   psi' = v x S,  psi'' = a x S + v x psi'
    by the speed       W = Q S_angular + 2 A psi'

The compliance C of p (its acceleration is -C W) then starts the directions at p itself, wherever p is: beyond p they go
outwards, and joints that p does not carry feel them as p feels their efforts (reciprocity). Both are for pairs of
joints, a dozen products each; all before them is linear in the joints. That A replaces the sums over the branch, and
that nothing goes inwards for a pair, is ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dalembert import expr as ex
from dalembert.dynamics.articulated import ArticulatedInertia
from dalembert.dynamics.recursive import Recursion
from dalembert.dynamics.variations import Branch, bracket, dual_bracket, effort_stiffness, numbered, outwards
from dalembert.expr import Expr
from dalembert.expr.space import ZERO3, Matrix3, Vector3, symmetric3
from dalembert.kinematics import EARTH_NODE, Pose, RigidInertia, Twist, Wrench

#: What a machine says of each joint: its body (mass, first moment, inertia) in its own axes, where that is, its twist,
#: its speed, its effort and the derivatives of that effort by its own coordinate and speed.
GIVEN = {"inertia": 10, "rotation": 9, "position": 3, "twist": 6, "speed": 1, "effort": 1, "spring": 1, "damper": 1}
#: What the passes find. `opposed` is the articulated inertia (6 + 9 + 6), Q by columns, and the wrench at zero u'.
FOUND = {
    "velocity": 6,
    "moved": 6,  # psi'
    "steady": 6,  # the acceleration at zero u', with gravity
    "opposed": 45,
    "eased": 6,  # articulated inertia times twist, over the pivot
    "inverse": 1,  # of the pivot
    "ready": 1,  # what the effort leaves for u', over the pivot
    "swept": 3,  # the same of Q
    "gained": 6,  # the acceleration beyond `steady`
    "compliance": 21,
    "pushed": 6,  # acceleration for a unit of the own effort, and u'
    "pushes": 1,
    "by_place": 6,  # acceleration that the own coordinate makes, psi'' included, and u'
    "place": 1,
    "by_speed": 6,
    "fast": 1,
    "place_load": 6,  # W
    "speed_load": 6,
    "turning": 6,  # angular parts of psi' and of the twist: what Q takes
}


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass: formulas, each for a number of a field of the joint itself, or (`above`) of the one that carries it."""

    name: str
    writes: tuple[tuple[str, int, Expr], ...]
    above: tuple[tuple[str, int, Expr], ...] = ()


@dataclass(frozen=True, slots=True)
class CarriedJoint:
    """A joint in the order of the passes: its speed, the end of its branch, the joint it is on (-1 for earth)."""

    index: int
    end: int
    above: int
    numbers: tuple[Expr, ...]  # of the fields of `GIVEN`


def carried_joints(model: Recursion, efforts: Sequence[Expr]) -> list[CarriedJoint]:
    """The joints of a tree of which `has_variations` holds, each branch whole; `efforts` on the speeds in all."""
    tree, order = model.tree, outwards(model)
    places, ends = numbered(model, order)
    poses, bodies = dict[int, Pose](), dict[int, RigidInertia]()
    for k in order:
        node = tree.nodes[k]
        poses[k] = node.pose if node.parent == EARTH_NODE else poses[node.parent] @ node.pose
        bodies[k] = model.grouped[k]
    for k in reversed(order):  # what no joint moves belongs to the node before it
        node = tree.nodes[k]
        if not node.columns and node.parent != EARTH_NODE:
            bodies[node.parent] = bodies[node.parent] + bodies[k].moved(node.pose)
    origin = poses[order[0]].position if order else ZERO3
    found: list[CarriedJoint] = []
    for k in order:
        for index, column in tree.nodes[k].columns:
            place = Pose(poses[k].rotation, poses[k].position - origin)
            w, body = place.vector(column.angular), bodies[k]
            twist = Twist(w, place.vector(column.linear) + place.position.cross(w))
            inertia = (body.mass, *body.moment, *_upper(body.inertia))
            where = (*(x for row in place.rotation for x in row), *place.position)
            own = (tree.speeds[index], efforts[index], *effort_stiffness(model, index))
            above = places.get(tree.nodes[k].parent, -1)
            found.append(CarriedJoint(index, ends[k], above, (*inertia, *where, *twist.scalars, *own)))
    return found


def given(name: str, above: bool = False) -> tuple[Expr, ...]:
    """The numbers of a field as symbols."""
    count = GIVEN.get(name) or FOUND[name]
    return tuple(ex.symbol(f"{name} {i} above" if above else f"{name} {i}") for i in range(count))


def passes() -> tuple[Pass, ...]:
    """Outwards with velocities, own matter, inwards with articulated inertias, outwards with answers, and the start."""
    return _outwards(), _own(), _inwards(), _answer(), _start()


def _twist(name: str, above: bool = False) -> Twist:
    return Twist.of(given(name, above))


def _numbered(**fields: Sequence[Expr]) -> tuple[tuple[str, int, Expr], ...]:
    return tuple((name, i, x) for name, numbers in fields.items() for i, x in enumerate(numbers))


def _outwards() -> Pass:
    column, above, (u,) = _twist("twist"), _twist("velocity", above=True), given("speed")
    moved = bracket(above, column)
    velocity, steady = above + column.scaled(u), _twist("steady", above=True) + moved.scaled(u)
    return Pass("outwards", _numbered(velocity=velocity.scalars, moved=moved.scalars, steady=steady.scalars))


def _own() -> Pass:
    m, x, y, z, *half = given("inertia")
    r = given("rotation")
    pose = Pose((Vector3(r[0:3]), Vector3(r[3:6]), Vector3(r[6:9])), Vector3(given("position")))
    inertia = RigidInertia(m, Vector3((x, y, z)), symmetric3(*half)).moved(pose)
    body = Branch.of(inertia, _twist("velocity"), _twist("steady"))
    articulated = ArticulatedInertia.of(inertia)
    turns = [body.swept(Twist(Vector3(row))) for row in ex.Matrix.identity(3).rows()]
    flat = [*_listed(articulated), *(x for one in turns for x in one.scalars), *body.wrench.scalars]
    return Pass("own", _numbered(opposed=flat))


def _inwards() -> Pass:
    column, (effort,) = _twist("twist"), given("effort")
    inertia, turns, push = _opposed(given("opposed"))
    felt = inertia.wrench(column)
    inverse = 1 / felt.power(column)
    eased = Wrench(felt.moment * inverse, felt.force * inverse)
    left = [-one.power(column) for one in turns]
    drive = effort - push.power(column)
    lighter = [one + _scaled(x, eased) for one, x in zip([*turns, push], [*left, drive], strict=True)]
    branch = [*_listed(inertia.without(felt, eased)), *(x for one in lighter for x in one.scalars)]
    more = [a + b for a, b in zip(given("opposed", above=True), branch, strict=True)]
    kept = _numbered(eased=eased.scalars, inverse=[inverse], ready=[drive * inverse], swept=[x * inverse for x in left])
    return Pass("inwards", kept, _numbered(opposed=more))


def _answer() -> Pass:
    column, eased, above = given("twist"), given("eased"), given("gained", above=True)
    rate = given("ready")[0] - ex.dot_product(eased, above)
    gained = [a + s * rate for a, s in zip(above, column, strict=True)]
    compliance = _square(given("compliance", above=True))
    bent = [ex.dot_product(row, eased) for row in compliance]
    pushes = given("inverse")[0] + ex.dot_product(eased, bent)
    pushed = [s * pushes - y for s, y in zip(column, bent, strict=True)]
    own = [compliance[i][j] + (pushed[i] * column[j] - column[i] * bent[j]) for i in range(6) for j in range(i, 6)]
    return Pass("answer", _numbered(gained=gained, compliance=own, pushed=pushed, pushes=[pushes]))


def _start() -> Pass:
    column, velocity, moved = _twist("twist"), _twist("velocity"), _twist("moved")
    inertia, turns, push = _opposed(given("opposed"))
    gained = _twist("gained")
    bent = bracket(_twist("steady") + gained, column) + bracket(velocity, moved)
    felt = dual_bracket(column, push + inertia.wrench(gained))
    twice = moved + moved
    by_place = _turned(turns, moved.angular) + inertia.wrench(bent) + felt
    by_speed = _turned(turns, column.angular) + inertia.wrench(twice)
    found: dict[str, Sequence[Expr]] = {"turning": [*moved.angular, *column.angular]}
    pushed, (pushes,), compliance = given("pushed"), given("pushes"), _square(given("compliance"))
    for names, load, shift, (own,) in (
        (("by_place", "place", "place_load"), by_place, bent, given("spring")),
        (("by_speed", "fast", "speed_load"), by_speed, twice, given("damper")),
    ):
        wrench = load.scalars
        yielded = [ex.dot_product(row, wrench) for row in compliance]
        pairs = zip(shift.scalars, yielded, pushed, strict=True)
        found[names[0]] = [a - b + own * c for a, b, c in pairs]
        found[names[1]] = [own * pushes - ex.dot_product(pushed, wrench)]
        found[names[2]] = wrench
    return Pass("start", _numbered(**found))


def _opposed(numbers: Sequence[Expr]) -> tuple[ArticulatedInertia, list[Wrench], Wrench]:
    rest = iter(numbers)

    def symmetric() -> Matrix3:
        return symmetric3(*(next(rest) for _ in range(6)))

    def vector() -> Vector3:
        return Vector3([next(rest) for _ in range(3)])

    inertia = ArticulatedInertia(symmetric(), (vector(), vector(), vector()), symmetric())
    wrenches = [Wrench(vector(), vector()) for _ in range(4)]
    return inertia, wrenches[:3], wrenches[3]


def _listed(inertia: ArticulatedInertia) -> Iterator[Expr]:
    yield from _upper(inertia.angular)
    yield from (x for row in inertia.mixed for x in row)
    yield from _upper(inertia.linear)


def _upper(m: Matrix3) -> tuple[Expr, ...]:
    """The six numbers of a symmetric matrix, in the order of `symmetric3`."""
    return m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2]


def _square(numbers: Sequence[Expr]) -> list[list[Expr]]:
    """Six symmetric rows from their upper half."""
    rest = iter(numbers)
    half = {(i, j): next(rest) for i in range(6) for j in range(i, 6)}
    return [[half[min(i, j), max(i, j)] for j in range(6)] for i in range(6)]


def _scaled(factor: Expr, w: Wrench) -> Wrench:
    return Wrench(factor * w.moment, factor * w.force)


def _turned(turns: Sequence[Wrench], w: Vector3) -> Wrench:
    """Q w."""
    total = Wrench()
    for x, one in zip(w, turns, strict=True):
        total = total + _scaled(x, one)
    return total
