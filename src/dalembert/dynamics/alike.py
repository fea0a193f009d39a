"""Nodes that are alike: a long tree as a few kinds of joints, the articulated bodies of each derived once.

A node's numbers and states become slots; nodes that differ in nothing else are of one kind. Of a kind three functions
go over all its nodes: outwards with the spin of the parent, inwards with what the branches beyond oppose, outwards
again with the acceleration of the parent. What one of them finds and a later one needs is kept for it, and what
depends on the numbers alone is found before any motion.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dalembert import expr as ex
from dalembert.dynamics.articulated import (
    ArticulatedInertia,
    Joint,
    bias_wrench,
    held_acceleration,
    taken_along,
)
from dalembert.dynamics.recursive import Recursion, turned_back
from dalembert.expr import ONE, ZERO, Expr
from dalembert.expr.space import ZERO3, Matrix3, Vector3, symmetric3
from dalembert.kinematics import EARTH_NODE, Node, Pose, RigidInertia, Twist, Wrench

_PLAIN = frozenset({ZERO, ONE, -ONE})
#: Nodes for each kind, at least: formulas of a kind are made and compiled for so many.
_ALIKE = 4
#: Operations of a state from which code of few kinds is taken: it is half as quick as formulas of each node where
#: these fit a processor's memory for code and data, quicker above, and there in a twentieth of their time.
LONG = 50_000
_MOST = 1000  # operations of a node: shorter trees are not looked at
#: Numbers of a branch: the articulated inertia (6 + 9 + 6), and its wrench at zero acceleration.
BRANCH = 27

_Slots = dict[Expr, Expr]


@dataclass(frozen=True, slots=True)
class Stage:
    """One of the three functions: what it reads and what it leaves."""

    inputs: tuple[tuple[Expr, ...], ...]
    outputs: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Kind:
    """What nodes alike compute.

    `prepared` are formulas in the `constants` of a node. `outwards` reads (prepared, states, spin above) and leaves the
    spin and what is kept; `inwards` reads (prepared, what was kept, branches beyond) and leaves the branch as felt
    above and more to keep; `answer` reads (prepared, kept, kept, acceleration above) and leaves its own and its u'.
    """

    constants: tuple[Expr, ...]
    states: tuple[Expr, ...]
    prepared: tuple[Expr, ...]
    outwards: Stage
    inwards: Stage
    answer: Stage

    @property
    def operations(self) -> int:
        stages = (self.outwards, self.inwards, self.answer)
        return sum(ex.count_operations(one.outputs) for one in stages)

    @property
    def symbols(self) -> set[Expr]:
        """What its functions read."""
        return ex.free_symbols([*self.outwards.outputs, *self.inwards.outputs, *self.answer.outputs])


@dataclass(frozen=True, slots=True, eq=False)
class Alike:
    """A tree by kinds: of each node its kind, its constants, and the states and parameters in its slots.

    `formulas` are what the nodes' numbers are made of, where these are neither numbers nor symbols.
    """

    kinds: tuple[Kind, ...]
    of: tuple[int, ...]
    constants: tuple[tuple[Expr, ...], ...]
    states: tuple[tuple[Expr, ...], ...]
    parents: tuple[int, ...]
    speeds: tuple[tuple[int, ...], ...]  # places of the speeds of each node
    formulas: tuple[Expr, ...]

    @property
    def used(self) -> set[Expr]:
        """The symbols that its accelerations depend on."""
        reads = [[x in used for x in kind.states] for kind, used in ((k, k.symbols) for k in self.kinds)]
        pairs = zip(self.of, self.states, strict=True)
        return {x for k, some in pairs for x, read in zip(some, reads[k], strict=True) if read}

    @property
    def operations(self) -> int:
        """Of one state."""
        counts = [kind.operations for kind in self.kinds]
        return sum(counts[k] for k in self.of)


@dataclass(frozen=True, slots=True)
class _Scalars:
    """All that a node's formulas are made of."""

    node: Node
    inertia: RigidInertia
    relative: Twist
    efforts: tuple[Expr, ...]
    speeds: tuple[Expr, ...]
    up: Vector3

    def listed(self) -> list[Expr]:
        node, body = self.node, self.inertia
        found: list[Expr] = [*self.speeds, *self.efforts, *self.up, body.mass, *body.moment]
        found += [x for row in body.inertia for x in row]
        found += [*node.rate.scalars, *self.relative.scalars, *node.pose.position]
        for _, twist in node.columns:
            found += twist.scalars
        for pose in node.chain:
            found += [*(x for row in pose.rotation for x in row), *pose.position]
        return found

    def filled(self, values: Iterator[Expr]) -> _Scalars:
        """The same with other scalars, in the order of `listed`."""

        def vector() -> Vector3:
            return Vector3([next(values) for _ in range(3)])

        def matrix() -> Matrix3:
            return vector(), vector(), vector()

        node = self.node
        speeds, efforts = (tuple(next(values) for _ in some) for some in (self.speeds, self.efforts))
        up, inertia = vector(), RigidInertia(next(values), vector(), matrix())
        rate, relative, position = Twist(vector(), vector()), Twist(vector(), vector()), vector()
        columns = tuple((index, Twist(vector(), vector())) for index, _ in node.columns)
        chain = tuple(Pose(matrix(), vector()) for _ in node.chain)
        pose = replace(node.pose, position=position)
        held = replace(node, pose=pose, chain=chain, columns=columns, rate=rate)
        return _Scalars(held, inertia, relative, efforts, speeds, up)


def alike(model: Recursion) -> Alike | None:
    """The kinds of a tree; nothing where speeds are shared, forces reach across, or hardly two nodes are alike."""
    tree = model.tree
    if tree.shares_speeds() or any(w != Wrench() for w in model.wrenches):
        return None
    parents = tuple(node.parent for node in tree.nodes)
    carrying = set(parents)
    numbers: dict[Any, int] = {}
    first: list[tuple[_Scalars, _Reader, bool]] = []
    of, constants, states = list[int](), list[tuple[Expr, ...]](), list[tuple[Expr, ...]]()
    formulas = dict[Expr, None]()
    up = -tree.layout.model.gravity
    for k, node in enumerate(tree.nodes):
        speeds = tuple(tree.speeds[i] for i, _ in node.columns)
        efforts = tuple(model.efforts[i] for i, _ in node.columns)
        at_earth = node.parent == EARTH_NODE
        own = _Scalars(node, model.inertias[k], model.relative[k], efforts, speeds, up if at_earth else ZERO3)
        listed = own.listed()
        reader = _Reader.of(listed)
        if reader is None:
            return None
        formulas.update((e, None) for e in listed if e.args)
        key = (at_earth, k in carrying, len(node.columns), len(node.chain), reader.key)
        number = numbers.setdefault(key, len(numbers))
        if number == len(first):
            if len(first) * _ALIKE >= len(tree.nodes):
                return None
            first.append((own, reader, k in carrying))
        of.append(number)
        constants.append(tuple(reader.constants))
        states.append(tuple(reader.states))
    kinds = tuple(_kind(*one) for one in first)
    places = tuple(tuple(i for i, _ in node.columns) for node in tree.nodes)
    return Alike(kinds, tuple(of), tuple(constants), tuple(states), parents, places, tuple(formulas))


def long_and_alike(model: Recursion) -> Alike | None:
    """The kinds of a tree that is so long that loops over its nodes are worth more than formulas of each."""
    if len(model.tree.nodes) * _MOST < LONG:
        return None
    found = alike(model)
    return None if found is None or found.operations < LONG else found


@dataclass(slots=True)
class _Reader:
    """What a node's scalars look like with their numbers and symbols taken out, and these, in order."""

    key: tuple[Any, ...]
    constants: dict[Expr, int]
    states: dict[Expr, int]

    @staticmethod
    def of(scalars: Sequence[Expr]) -> _Reader | None:
        constants, states, inner = dict[Expr, int](), dict[Expr, int](), list[Expr]()
        key: list[Any] = []
        for e in scalars:
            if e.op == "const":
                key.append(e if e in _PLAIN else constants.setdefault(e, len(constants)))
            elif e.op == "symbol":
                key.append(("state", states.setdefault(e, len(states))))
            else:
                key.append(None)
                inner.append(e)
        if inner:
            places = _by_structure(inner)
            exact = {a.args[1] for a in places if a.op == "pow"} | _PLAIN
            for e in places:
                if e.op == "apply":
                    return None
                if e.op == "const" and e not in exact:
                    key.append(("number", constants.setdefault(e, len(constants))))
                elif e.op == "symbol":
                    key.append(("state", states.setdefault(e, len(states))))
                else:
                    key.append((e.op, e.data, *(places[a] for a in e.args)))
            key += [places[e] for e in inner]
            both = exact & constants.keys() - _PLAIN  # exponents that are numbers elsewhere, too, stay as they are
            key += sorted(("exponent", constants[e], float(e)) for e in both)
        return _Reader(tuple(key), constants, states)

    def slots(self, scalars: Sequence[Expr]) -> _Slots:
        exact = {a.args[1] for a in ex.topological(scalars) if a.op == "pow"}
        numbers = {e: _constant(i) for e, i in self.constants.items() if e not in exact}
        return numbers | {e: _state(i) for e, i in self.states.items()}


def _by_structure(exprs: Sequence[Expr]) -> dict[Expr, int]:
    """Every node below, operands first, in an order that structure alone decides."""
    places, stack = dict[Expr, int](), list(reversed(exprs))
    while stack:
        e = stack[-1]
        waiting = [a for a in reversed(e.args) if a not in places]
        if e in places or not waiting:
            places.setdefault(e, len(places))
            stack.pop()
        else:
            stack += waiting
    return places


def _constant(i: int) -> Expr:
    return ex.symbol(f"constant {i}")


def _state(i: int) -> Expr:
    return ex.symbol(f"state {i}")


def _named(what: str, count: int) -> tuple[Expr, ...]:
    return tuple(ex.symbol(f"{what} {i}") for i in range(count))


def _kind(own: _Scalars, reader: _Reader, carrying: bool) -> Kind:
    """The formulas of a kind, from one of its nodes with slots for its numbers and states."""
    listed = own.listed()
    one = own.filled(iter(ex.substitute(listed, reader.slots(listed))))
    node, at_earth = one.node, own.node.parent == EARTH_NODE
    spin, beyond, above = _named("spin", 3), _named("beyond", BRANCH), _named("above", 6)
    parent = None if at_earth else Vector3(spin)
    carried = ZERO3 if parent is None else turned_back(node, parent)
    own_spin = carried + one.relative.angular
    held = held_acceleration(node, one.relative, carried, parent)
    inertia = ArticulatedInertia.of(one.inertia)
    bias = bias_wrench(one.inertia, own_spin, Wrench())
    if carrying:
        branch, push = _branch(beyond)
        inertia, bias = inertia + branch, bias + push
    joint = Joint.of(node, [x.name for x in one.speeds], one.efforts, inertia, bias)
    felt = [] if at_earth else _listed(*joint.felt_above(node, inertia, bias, held))
    along = taken_along(node, None if at_earth else Twist.of(above), Twist(ZERO3, one.up))
    values, total = joint.answer(along + held)
    constants = tuple(map(_constant, range(len(reader.constants))))
    states = tuple(map(_state, range(len(reader.states))))
    given = ((*constants,), (*states, *spin), beyond, above)
    asked: list[list[Expr]] = [[], list(own_spin), felt, [*total.scalars, *values]]
    kept, stages = _cut(given, asked)
    prepared, first, second = (_named(what, len(some)) for what, some in zip(_KEPT, kept, strict=True))
    return Kind(
        constants,
        states,
        tuple(stages[0]),
        Stage((prepared, states, spin), tuple(stages[1])),
        Stage((prepared, first, beyond), tuple(stages[2])),
        Stage((prepared, first, second, above), tuple(stages[3])),
    )


_KEPT = ("prepared", "first", "second")


def _cut(given: Sequence[Sequence[Expr]], asked: Sequence[Sequence[Expr]]) -> tuple[list[list[Expr]], list[list[Expr]]]:
    """Formulas cut where the next group of symbols comes in.

    Returns what each stage but the last leaves (what is asked of it, then what later ones need, with symbols of its
    name), and the formulas of all stages in what was left before and their own symbols.
    """
    level = {e: k for k, group in enumerate(given) for e in group}
    for e in ex.topological([x for some in asked for x in some]):
        if e.args:
            level[e] = max([level.get(a, -1) for a in e.args])
    needed: list[dict[Expr, None]] = [dict.fromkeys(some) for some in asked]
    last = len(given) - 1
    for k in range(last, 0, -1):
        stack, seen = list(needed[k]), set[Expr]()
        while stack:
            e = stack.pop()
            at = level.get(e, -1)
            if e in seen or at < 0:
                continue
            seen.add(e)
            if at < k:
                needed[at].setdefault(e)
            else:
                stack += e.args
    left = [[*asked[k], *(e for e in needed[k] if e not in asked[k])] for k in range(last)]
    names = [dict(zip(some, _named(_KEPT[k], len(some)), strict=True)) for k, some in enumerate(left)]
    formulas = []
    for k in range(last + 1):
        known = {e: x for one in names[:k] for e, x in one.items() if level.get(e, -1) >= 0}
        formulas.append(ex.substitute(left[k] if k < last else list(asked[k]), known))
    return left, formulas


def _branch(beyond: Sequence[Expr]) -> tuple[ArticulatedInertia, Wrench]:
    a, b, c, d, e, f = beyond[:6]
    rows = [Vector3(beyond[6 + 3 * i : 9 + 3 * i]) for i in range(3)]
    linear = symmetric3(*beyond[15:21])
    return (
        ArticulatedInertia(symmetric3(a, b, c, d, e, f), (rows[0], rows[1], rows[2]), linear),
        Wrench(Vector3(beyond[21:24]), Vector3(beyond[24:27])),
    )


def _listed(branch: ArticulatedInertia, push: Wrench) -> list[Expr]:
    return [
        *_upper(branch.angular),
        *(x for row in branch.mixed for x in row),
        *_upper(branch.linear),
        *push.moment,
        *push.force,
    ]


def _upper(m: Matrix3) -> Iterable[Expr]:
    return m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2]
