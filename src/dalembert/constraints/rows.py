"""Rows: what conditions ask of the speeds, G u + drift = 0 and G u' = gamma, and what keeps them, W^T lambda.

A cut link of d freedoms gives 6 - d rows: the power, in the motion of its second frame relative to its first, of each
wrench that its joint transmits. With every entry comes what it is made of, the size of the motions of the two frames
before they cancel, so that rounding can be told from a small number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any

from dalembert import expr as ex
from dalembert.constraints.followed import Own, followed
from dalembert.constraints.freedom import Freedom, Transmitted
from dalembert.constraints.friction import Sliding, press_name, sliding, stick_name
from dalembert.constraints.loop import Loop
from dalembert.constraints.sizes import still_size
from dalembert.expr import ONE, ZERO, Expr, Matrix
from dalembert.expr.magnitude import error_size, magnitude
from dalembert.expr.space import cross, dot3
from dalembert.kinematics import Tree, Twist, Wrench, form_row, in_speeds, in_state, link_efforts
from dalembert.kinematics.frames import FrameMotions
from dalembert.mechanism import Along, Closed, Constraint, Coulomb, Holonomic, Link
from dalembert.mechanism.constraint import Implied

EPSILON = 2.0**-52
#: Rounding of one displacement, as a share of what it moves: a product of rotations, a sine, a cosine, a sum.
ROUNDING = 32 * EPSILON
#: No length: in no unit is a loop that small, and squares of its inverse are finite.
_NOTHING = 1e-100


@dataclass(frozen=True, slots=True)
class Rows:
    """Conditions on the speeds of a tree, row by row; see the fields."""

    names: tuple[str, ...]  # of the multipliers: link and component of its reaction "crank.Fx", or "gear.lambda"
    matrix: Matrix  # G: G u + drift = 0
    conditions: tuple[Expr, ...]  # G u + drift, in few operations
    drift: tuple[Expr, ...]  # what is left of the conditions when u = 0: explicit time
    gamma: tuple[Expr, ...]  # G u' = gamma
    gap: tuple[Expr | None, ...]  # how far from closed, in the unit of the row's velocity times time; None: kinematic
    reach: tuple[Expr, ...]  # size of the positions that the gap is a difference of
    made_of: Matrix  # size of each entry of G before it cancels
    rounding: tuple[float, ...]  # the share of `made_of` that may be rounding
    seen: Matrix  # square of the size of the motion at the closing point that a row sees one component of
    scales: tuple[Expr, ...]  # how large an angle a unit of each speed is in its loops; zero outside all of them
    own: tuple[Own, ...] = ()
    efforts: tuple[Expr, ...] = ()  # known efforts in cut links, on the speeds of the tree
    wrenches: tuple[Wrench | None, ...] = ()  # what a unit of lambda is on the second body, in its link's second frame
    pushed: Mapping[int, tuple[Expr, ...]] = field(default_factory=dict)  # rows of W that are not those of G
    sliding: Mapping[int, Sliding] = field(default_factory=dict)  # rows whose reaction drags against a slip
    owners: tuple[str, ...] = ()  # the constraint that each row belongs to
    bent: tuple[int, ...] = ()  # rows of conditions that are not affine in the speeds
    implied: tuple[int, ...] = ()  # rows without a reaction, which hold because others do

    @property
    def reaction(self) -> Matrix:
        """W: the generalised efforts of the multipliers are W^T lambda. Perfect constraints: W is G."""
        if not self.pushed and not self.implied:
            return self.matrix
        none = (ZERO,) * self.matrix.shape[1]
        rows = [none if k in self.implied else self.pushed.get(k, row) for k, row in enumerate(self.matrix.rows())]
        return Matrix([list(row) for row in rows], self.matrix.shape)

    @property
    def imperfect(self) -> tuple[int, ...]:
        """Rows whose reaction is not along their condition."""
        return tuple(k for k in range(len(self)) if k in self.pushed or k in self.sliding)

    @property
    def guided(self) -> bool:
        """Whether contacts may stick: then which rows count changes with the motion."""
        return any(one.guided for one in self.sliding.values())

    def told_by(self, output: str) -> list[str]:
        """Multipliers that an output of this name is made of; a contact that sticks is held by rows of its own."""
        owner, _, part = output.rpartition(".")
        if part.startswith("friction"):
            held = self.of(stick_name(owner))[int(part.removeprefix("friction") or 1) - 1 :]
            return [self.names[k] for k in held[:1]]
        if part == "power":  # passive perfect rows have none, whatever they carry
            unlike = {*self.pushed, *self.bent, *self.sliding}
            return [self.names[k] for k in self.with_stick(owner) if k in unlike or self.drift[k] is not ex.ZERO]
        found = [self.names[k] for k in self.of(owner) if self.names[k] == output]
        return found + [self.names[k] for k in self.of(press_name(owner)) if found]

    def with_stick(self, constraint: str) -> list[int]:
        """Places of the rows of a constraint, and of those that hold it while it sticks."""
        return [k for name in (constraint, press_name(constraint), stick_name(constraint)) for k in self.of(name)]

    def efforts_of(self, multipliers: Sequence[Expr]) -> list[Expr]:
        """W^T lambda on the speeds, friction included."""
        total = [ex.dot_product(column, list(multipliers)) for column in self.reaction.T.rows()]
        for k, one in self.sliding.items():
            total = [x - ex.absolute(multipliers[k]) * d for x, d in zip(total, one.drag, strict=True)]
        return total

    def of(self, constraint: str) -> list[int]:
        """Places of the rows of a constraint."""
        return [k for k, owner in enumerate(self.owners) if owner == constraint]

    def powers(self, multipliers: Sequence[Expr], speeds: Sequence[Expr]) -> list[Expr]:
        """lambda . W u of each row: of perfect affine ones what time asks for, -lambda drift."""
        found, u = [], list(speeds)
        for k, (weight, row) in enumerate(zip(multipliers, self.reaction.rows(), strict=True)):
            plain = k not in self.pushed and k not in self.bent
            power = weight * (-self.drift[k] if plain else ex.dot_product(row, u))
            if k in self.sliding:
                power = power - ex.absolute(weight) * ex.dot_product(list(self.sliding[k].drag), u)
            found.append(power)
        return found

    def __len__(self) -> int:
        return len(self.names)

    def asking(self) -> Rows:
        """Without the rows that hold whatever the machine does: those of links in a plane that keep bodies in it."""
        zero = ex.fingerprints([ZERO])[0]
        found = [ex.fingerprints([*row, drift]) for row, drift in zip(self.matrix.rows(), self.drift, strict=True)]
        kept = [k for k, row in enumerate(found) if k in self.pushed or any(x != zero for x in row)]
        place = {k: new for new, k in enumerate(kept)}

        def some(values: Sequence[Any]) -> tuple[Any, ...]:
            return tuple(values[k] for k in kept) if len(values) == len(self) else tuple(values)

        def table(matrix: Matrix) -> Matrix:
            return Matrix([matrix.rows()[k] for k in kept], (len(kept), matrix.shape[1]))

        return replace(
            self,
            names=some(self.names),
            matrix=table(self.matrix),
            conditions=some(self.conditions),
            drift=some(self.drift),
            gamma=some(self.gamma),
            gap=some(self.gap),
            reach=some(self.reach),
            made_of=table(self.made_of),
            rounding=some(self.rounding),
            seen=table(self.seen),
            wrenches=some(self.wrenches),
            owners=some(self.owners),
            pushed={place[k]: row for k, row in self.pushed.items()},
            sliding={place[k]: one for k, one in self.sliding.items() if k in place},
            bent=tuple(place[k] for k in self.bent if k in place),
            implied=tuple(place[k] for k in self.implied if k in place),
        )

    def reactions(self, multipliers: Sequence[Expr]) -> dict[str, Wrench]:
        """The wrench of each closing link on its second body, at and in the base of its second frame."""
        found: dict[str, Wrench] = {}
        for name, unit, value in zip(self.names, self.wrenches, multipliers, strict=True):
            if unit is not None:
                link = name.rsplit(".", 1)[0]
                part = Wrench.of([value * x for x in unit.scalars])
                found[link] = found.get(link, Wrench()) + part
        return found


def rows_of(tree: Tree, constraints: Iterable[Constraint]) -> Rows:
    """The rows of all constraints, in the speeds of the tree."""
    return collect(tree, constraints).rows()


def collect(tree: Tree, constraints: Iterable[Constraint], before: Collected | None = None) -> Collected:
    """The rows of constraints, one after the other, behind those `before` them, which are left as they are."""
    total = Collected(tree) if before is None else before.on(tree)
    for one in constraints:
        condition = one.condition
        if isinstance(condition, Closed):
            _close(total, condition.link)
        else:
            _ask(total, one)
        total.owners += [one.name] * (len(total.names) - len(total.owners))
    return total


class Collected:
    """Rows while they are collected."""

    def __init__(self, tree: Tree) -> None:
        n = len(tree.speeds)
        self.tree, self.frames = tree, FrameMotions(tree)
        self.names, self.own = list[str](), list[Own]()
        self.matrix, self.made_of, self.seen = list[list[Expr]](), list[list[Expr]](), list[list[Expr]]()
        self.conditions, self.gamma, self.rounding = list[Expr](), list[Expr](), list[float]()
        self.gap, self.reach, self.wrenches = list[Expr | None](), list[Expr](), list[Wrench | None]()
        self.efforts = [ZERO] * n
        self.turns, self.pushes, self.lengths = [ZERO] * n, [ZERO] * n, [ZERO] * n
        self.pushed, self.sliding = dict[int, tuple[Expr, ...]](), dict[int, Sliding]()
        self.owners, self.bent, self.implied = list[str](), set[int](), list[int]()

    def on(self, tree: Tree) -> Collected:
        """The same rows, to which others can be added, on a tree of the same nodes."""
        other = Collected(tree)
        other.__dict__ |= {name: copy(value) for name, value in self.__dict__.items() if name not in ("tree", "frames")}
        return other

    def row(self, entries: Mapping[int, Expr]) -> list[Expr]:
        found = [ZERO] * len(self.tree.speeds)
        for k, entry in entries.items():
            found[k] = entry
        return found

    def moving(self) -> dict[Expr, Expr]:
        return {ex.TIME: ONE, **self.tree.rates, **{one.coordinate: one.rate for one in self.own}}

    def scales(self) -> list[Expr]:
        found = []
        for turn, push, length in zip(self.turns, self.pushes, self.lengths, strict=True):
            found.append(turn + push / _not_nothing(length) if push is not ZERO else turn)
        return found

    def rows(self) -> Rows:
        shape = (len(self.names), len(self.tree.speeds))
        return Rows(
            tuple(self.names),
            Matrix(self.matrix, shape),
            tuple(self.conditions),
            tuple(ex.substitute(self.conditions, dict.fromkeys(self.tree.speeds, 0))),
            tuple(self.gamma),
            tuple(self.gap),
            tuple(self.reach),
            Matrix(self.made_of, shape),
            tuple(self.rounding),
            Matrix(self.seen, shape),
            tuple(self.scales()),
            tuple(self.own),
            tuple(in_speeds(self.tree, self.efforts)),
            tuple(self.wrenches),
            self.pushed,
            self.sliding,
            tuple(self.owners),
            tuple(sorted(self.bent)),
            tuple(self.implied),
        )


def _not_nothing(length: Expr) -> Expr:
    """A length, or one where all joints of a loop meet: turning then moves no point of it, and any unit will do."""
    return ex.where(ex.less(_NOTHING, length), length, 1)


def _close(total: Collected, link: Link) -> None:
    """Rows of a cut link, and its own coordinates."""
    tree, motions = total.tree, total.tree.motions[link.name]
    freedom, loop = Freedom.of(link, motions), Loop.of(tree, link)
    rest = Twist.of(in_speeds(tree, list(freedom.rest.scalars)))
    for k in loop.columns:
        total.turns[k] = total.turns[k] + loop.turns[k]
        total.pushes[k] = total.pushes[k] + loop.pushes[k]
        total.lengths[k] = total.lengths[k] + loop.length
    base = loop.second
    seen = Twist(base.vector_back(loop.twist.angular), base.vector_back(loop.twist.linear)) - rest
    misfit = loop.misfit(freedom.pose)
    own = _own(freedom, seen, misfit)
    total.own += own
    moving = {ex.TIME: ONE, **tree.rates, **{one.coordinate: one.rate for one in own}}
    turning = Twist(cross(loop.spin, loop.twist.angular), cross(loop.spin, loop.twist.linear))
    rate = loop.rate - turning
    for part in freedom.transmitted:
        own_base = part.wrench
        wrench = Wrench(base.vector(own_base.moment), base.vector(own_base.force))
        driven = own_base.power(rest)
        # Of a joint that nothing drives: a pass over all speeds for each row would be quadratic.
        shared = {} if driven.is_number else _sparse(ex.gradient(driven, tree.speeds))
        changing = Wrench.of(ex.tangent(own_base.scalars, moving))
        changed = Wrench(base.vector(changing.moment), base.vector(changing.force)).power(loop.twist)
        total.names.append(f"{link.name}.{part.component}")
        entries = {k: wrench.power(column) for k, column in loop.columns.items()}
        total.matrix.append(total.row(_joined(entries, {k: -b for k, b in shared.items()})))
        total.conditions.append(wrench.power(loop.twist) - driven)
        total.gamma.append(ex.tangent([driven], moving)[0] - wrench.power(rate) - changed)
        sizes_of = dict(zip(shared, magnitude(list(shared.values())), strict=True))
        total.made_of.append(total.row(_joined(_sizes(part, loop), sizes_of)))
        total.seen.append(total.row(_joined(_seen(part, loop), {k: b * b for k, b in shared.items()})))
        total.wrenches.append(own_base)
        total.gap.append(own_base.power(misfit))
        total.reach.append(part.turn + part.push * loop.length)
        total.rounding.append(ROUNDING * (loop.depth + 2))
    for speed, effort in link_efforts(link, motions):
        (value,) = ex.substitute([effort], {ex.prime(one.coordinate): one.rate for one in total.own})
        if speed in tree.speeds:
            k = tree.speeds.index(speed)
            total.efforts[k] = total.efforts[k] + value
            continue
        slopes = ex.gradient(freedom.own_speeds(seen)[freedom.speeds.index(speed)], tree.speeds)
        total.efforts = [a + value * slope for a, slope in zip(total.efforts, slopes, strict=True)]


def _sparse(row: Sequence[Expr]) -> dict[int, Expr]:
    return {k: entry for k, entry in enumerate(row) if entry is not ZERO}


def _joined(one: Mapping[int, Expr], two: Mapping[int, Expr]) -> dict[int, Expr]:
    """The sum of two rows."""
    return {**one, **{k: one.get(k, ZERO) + entry for k, entry in two.items()}}


def _own(freedom: Freedom, seen: Twist, misfit: Twist) -> list[Own]:
    """The joint's coordinates: rates that follow the relative motion, offsets that follow the misfit."""
    rates = ex.substitute(freedom.rates, dict(zip(freedom.speeds, freedom.own_speeds(seen), strict=True)))
    offsets = ex.substitute(freedom.rates, dict(zip(freedom.speeds, freedom.own_speeds(misfit), strict=True)))
    return [Own(*one) for one in zip(freedom.coordinates, rates, offsets, strict=True)]


def _sizes(part: Transmitted, loop: Loop) -> dict[int, Expr]:
    """|N_moment| |w_k| + |N_force| (|v_k| + |w_k| length): the same for every base, mostly constants."""
    lever = part.turn + part.push * loop.length
    return {k: lever * loop.turns[k] + part.push * loop.pushes[k] for k in loop.columns}


def _seen(part: Transmitted, loop: Loop) -> dict[int, Expr]:
    """|N_moment|^2 |w_k|^2 + |N_force|^2 |v_k|^2, of the motion of the second frame itself."""
    turn, push = part.turn * part.turn, part.push * part.push
    return {
        k: turn * (loop.turns[k] * loop.turns[k]) + push * dot3(one.linear, one.linear)
        for k, one in loop.columns.items()
    }


def up_to_turns(gap: Expr) -> Expr:
    """A gap in which angles of frames (atan2) stand with whole coefficients, without whole turns."""
    angles = [e for e in ex.topological([gap]) if e.op == "atan2"]
    held = [ex.symbol(f"angle {i}") for i in range(len(angles))]
    (told,) = ex.substitute([gap], dict(zip(angles, held, strict=True)))
    slopes = ex.gradient(told, held)
    if not angles or not all(x.is_number and float(x).is_integer() for x in slopes):
        return gap
    return ex.atan2(ex.sin(gap), ex.cos(gap))


def _ask(total: Collected, one: Constraint) -> None:
    """Rows of formulas: their rates if they hold coordinates, themselves if they hold speeds; and what pushes."""
    if one.followed is not None:
        own = {x.coordinate: x.rate for x in total.own}
        total.own += followed(total.tree, [one.followed], total.moving(), own)
    tree, moving, holonomic = total.tree, total.moving(), isinstance(one.condition, Holonomic)
    own = {x.coordinate: x.rate for x in total.own}
    told = in_state(tree, one.expressions, own, total.frames)
    asked = ex.tangent(told, moving) if holonomic else told
    matrix = ex.jacobian(asked, tree.speeds)
    gamma = [-x for x in ex.tangent(asked, moving)]
    sizes = still_size(matrix, [*moving, *tree.speeds])
    first = len(total.names)
    asking = zip(told, asked, matrix, gamma, sizes, strict=True)
    for number, (gap, condition, row, right, size) in enumerate(asking, 1):
        if not ex.free_symbols(row).isdisjoint(tree.speeds):
            total.bent.add(len(total.names))
        total.names.append(f"{one.name}.lambda{one.part or (number if len(told) > 1 else '')}")
        total.matrix.append(row)
        total.conditions.append(condition)
        total.gamma.append(right)
        total.made_of.append(size)
        total.seen.append([x * x for x in row])
        total.wrenches.append(None)
        total.gap.append(up_to_turns(gap) if holonomic else None)
        total.reach.append(error_size([gap])[0] if holonomic else ZERO)
        total.rounding.append(ROUNDING)
    if isinstance(one.reaction, Along):
        for k, form in enumerate(one.reaction.forms, first):
            pushed = tuple(form_row(tree, form, own))
            if list(pushed) != total.matrix[k]:
                total.pushed[k] = pushed
    elif isinstance(one.reaction, Implied):
        total.implied += range(first, len(total.names))
    elif isinstance(one.reaction, Coulomb):
        total.sliding[first] = sliding(tree, one.reaction, own)
