"""What a joint lets its second frame do, and what it does not: motions, the wrenches without power in them, and the
speeds of its own that a motion of the second frame means.

Angular and linear parts are never added: turns are told by angular velocities, slides by what is left of the velocity.
So nothing here depends on the unit of length, and the wrenches (moments across the turns, forces across the slides)
are right at every posture, none of them solved for by a pivot that may vanish.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dalembert import expr as ex
from dalembert.expr import ONE, ZERO, Expr
from dalembert.expr.elimination import TOLERANCE, sample
from dalembert.expr.space import (
    IDENTITY3,
    ZERO3,
    Vector3,
    apply_transposed3,
    cross,
    dot3,
    is_zero3,
    neg3,
    norm3,
    scale3,
    sub3,
)
from dalembert.kinematics import Pose, StepMotion, Twist, Wrench, joint_columns
from dalembert.mechanism import Link, Step, Turn

_FORCES, _MOMENTS = ("Fx", "Fy", "Fz"), ("Mx", "My", "Mz")


@dataclass(frozen=True, slots=True)
class Transmitted:
    """A wrench that a joint can transmit, without power in its motions; `turn` and `push` bound moment and force."""

    component: str  # the name of its largest part: "Mx" ... "Fz"
    wrench: Wrench
    turn: Expr
    push: Expr


@dataclass(frozen=True, slots=True)
class Freedom:
    """Motions of a link's second frame relative to its first, at and in the base of the second.

    `pose` is where the joint puts the second frame; a motion is `sum speeds * columns + rest`, the rest moved by time
    and by other links; `rates` are those of the link's coordinates in its own speeds.
    """

    coordinates: tuple[Expr, ...]
    speeds: tuple[Expr, ...]
    columns: tuple[Twist, ...]
    rest: Twist
    rates: tuple[Expr, ...]
    pose: Pose
    transmitted: tuple[Transmitted, ...]
    _split: _Split

    @staticmethod
    def of(link: Link, motions: tuple[StepMotion, ...]) -> Freedom:
        """`motions` are the steps of the link as its tree knows them."""
        pairs, rest = joint_columns(motions, link)
        speeds, columns = tuple(speed for speed, _ in pairs), tuple(twist for _, twist in pairs)
        pose = Pose()
        for motion in motions:
            pose = pose @ motion.pose
        known = {x: rate for motion in motions for x, rate in motion.rates.items()}
        split = _Split.of(columns, _directions(link, motions), link.placed_steps())
        return Freedom(
            tuple(ex.symbol(x) for x in link.coordinates),
            speeds,
            columns,
            rest,
            tuple(known[x] for x in link.coordinates),
            pose,
            tuple(split.transmitted()),
            split,
        )

    def own_speeds(self, twist: Twist) -> list[Expr]:
        """The joint's speeds in a motion that it allows (of another, in the part that it allows)."""
        return self._split.speeds(twist)


def perpendicular(axis: Vector3) -> tuple[Vector3, Vector3]:
    """Two unit vectors that make a right-handed base with a unit axis, valid for every axis (Duff et al. 2017).

    >>> from dalembert.expr.space import vector3
    >>> perpendicular(vector3([0, 0, 1]))
    ((1, 0, 0), (0, 1, 0))
    """
    x, y, z = axis
    s = ex.where(z < 0, -1, 1) if ex.free_symbols(z) else ex.const(-1 if ex.evaluate([z], {})[0] < 0 else 1)
    a = -1 / (s + z)
    b = x * y * a
    return Vector3((1 + s * x * x * a, s * b, -s * x)), Vector3((b, s + y * y * a, -y))


@dataclass(frozen=True, slots=True)
class _Direction:
    """A vector that rests in the base before step number `place` of a joint."""

    vector: Vector3
    place: int
    steps: tuple[Step, ...]

    def at(self, place: int) -> Vector3:
        """The vector in the base before a later step; a turn about the vector leaves it alone."""
        found = self.vector
        for step in self.steps[self.place : place]:
            for one in step.displacement.turns:
                if not (isinstance(one, Turn) and is_zero3(cross(one.axis, found))):
                    found = apply_transposed3(one.matrix, found)
        return found

    @property
    def last(self) -> Vector3:
        return self.at(len(self.steps))

    @property
    def size(self) -> Expr:
        return norm3(self.vector)

    def across(self) -> list[_Direction]:
        """Two unit vectors at right angles to it and to each other."""
        last = self.last
        own = _resting(last, self.steps) if last is self.vector or not ex.free_symbols(last) else self
        unit = scale3(1 / own.size, own.vector)
        return [_Direction(x, own.place, own.steps) for x in perpendicular(unit)]

    def cross(self, other: _Direction) -> _Direction:
        place = max(self.place, other.place)
        return _Direction(cross(self.at(place), other.at(place)), place, self.steps)


def _resting(vector: Vector3, steps: tuple[Step, ...]) -> _Direction:
    """A vector that is known in the last base."""
    return _Direction(vector, len(steps), steps)


def _directions(link: Link, motions: Sequence[StepMotion]) -> list[tuple[_Direction, _Direction] | None]:
    """Angular and linear column of each speed where it rests, if it moves one step only."""
    steps = link.placed_steps()
    found: dict[str, list[tuple[_Direction, _Direction]]] = {name: [] for name in link.speeds}
    for k, (step, motion) in enumerate(zip(steps, motions, strict=True)):
        plain = step.speeds == "rates" and len(step.displacement.turns) < 2  # the same before and after the step
        place = k if plain else k + 1
        for name, twist in (one for one in motion.columns if one[0] in found):
            turned = step.displacement.turns and not is_zero3(twist.linear)
            linear = _Direction(twist.linear, k + 1 if turned else place, steps)
            found[name].append((_Direction(twist.angular, place, steps), linear))
    return [one[0] if len(one) == 1 else None for one in found.values()]


@dataclass(frozen=True, slots=True)
class _Split:
    """Columns of a joint as independent turns and as slides that are left when turns are taken away.

    `duals` and `slide_duals` have unit product with their own vector and none with the others; `shares[j]` says how
    much of each turn is in the column behind slide j.
    """

    columns: tuple[Twist, ...]
    turns: tuple[int, ...]
    axes: tuple[_Direction, ...]
    duals: tuple[Vector3, ...]
    slides: tuple[int, ...]
    ways: tuple[_Direction, ...]
    slide_duals: tuple[Vector3, ...]
    shares: tuple[tuple[Expr, ...], ...]

    @staticmethod
    def of(
        columns: tuple[Twist, ...], resting: Sequence[tuple[_Direction, _Direction] | None], steps: tuple[Step, ...]
    ) -> _Split:
        turning = [k for k, one in enumerate(columns) if not is_zero3(one.angular)]
        turns = _independent([columns[k].angular for k in turning], turning)
        at_rest = {k: one for k, one in enumerate(resting) if one is not None}
        axes = [at_rest[k][0] if k in at_rest else _resting(columns[k].angular, steps) for k in turns]
        duals = _duals([columns[k].angular for k in turns], axes)
        shares, lines, ways = dict[int, tuple[Expr, ...]](), dict[int, Vector3](), dict[int, _Direction]()
        for k in (k for k in range(len(columns)) if k not in turns):
            share = tuple(dot3(dual, columns[k].angular) for dual in duals)
            line = columns[k].linear
            for part, turn in zip(share, turns, strict=True):
                line = sub3(line, scale3(part, columns[turn].linear))
            plain = k in at_rest and is_zero3(columns[k].angular)
            ways[k] = at_rest[k][1] if plain else _resting(line, steps)
            shares[k], lines[k] = share, ways[k].last
        slides = _independent(list(lines.values()), list(lines))
        own = [lines[k] for k in slides]
        return _Split(
            columns,
            tuple(turns),
            tuple(axes),
            tuple(duals),
            tuple(slides),
            tuple(ways[k] for k in slides),
            tuple(_duals(own, [ways[k] for k in slides])),
            tuple(shares[k] for k in slides),
        )

    def speeds(self, twist: Twist) -> list[Expr]:
        """Speeds of the columns in a motion."""
        found = [ZERO] * len(self.columns)
        angles = [dot3(dual, twist.angular) for dual in self.duals]
        left = twist.linear
        for angle, turn in zip(angles, self.turns, strict=True):
            left = sub3(left, scale3(angle, self.columns[turn].linear))
        for k, dual, share in zip(self.slides, self.slide_duals, self.shares, strict=True):
            found[k] = dot3(dual, left)
            angles = [angle - part * found[k] for angle, part in zip(angles, share, strict=True)]
        for turn, angle in zip(self.turns, angles, strict=True):
            found[turn] = angle
        return found

    def transmitted(self) -> list[Transmitted]:
        """Moments across all turns; forces across all slides, with the moments that turns about them ask for."""
        found, taken = list[Transmitted](), set[str]()
        for across, size in _across(self.axes):
            name, moment = _named(across, _MOMENTS, taken)
            found.append(Transmitted(name, Wrench(moment), size, ZERO))
        for across, size in _across(self.ways):
            name, force = _named(across, _FORCES, taken)
            moment, turn = ZERO3, ZERO
            for k, dual in zip(self.turns, self.duals, strict=True):
                power = dot3(force, self.columns[k].linear)
                if power is not ZERO:
                    moment = sub3(moment, scale3(power, dual))
                    turn = turn + ex.absolute(power) * norm3(dual)
            found.append(Transmitted(name, Wrench(moment, force), turn, size))
        return found


def _independent(vectors: Sequence[Vector3], numbers: Sequence[int]) -> list[int]:
    """Numbers of vectors that are independent in a generic posture, first come first served."""
    values = np.array(sample([x for v in vectors for x in v])).reshape(-1, 3)
    kept: list[int] = []
    for i, value in enumerate(values):
        basis = np.array([values[j] / np.linalg.norm(values[j]) for j in kept]).reshape(-1, 3)
        size = np.linalg.norm(value)
        if size > 0 and np.linalg.matrix_rank(np.vstack([basis, value / size]), tol=TOLERANCE) > len(kept):
            kept.append(i)
    return [numbers[i] for i in kept]


def _duals(vectors: Sequence[Vector3], resting: Sequence[_Direction]) -> list[Vector3]:
    """Vectors in the span of the given ones, each with unit product with its own and none with the others."""
    if len(vectors) == 1:
        return [scale3(1 / dot3(resting[0].vector, resting[0].vector), vectors[0])]
    if len(vectors) == 2:
        (a, b), (aa, bb) = vectors, [dot3(one.vector, one.vector) for one in resting]
        ab = dot3(a, b)
        whole = aa * bb - ab * ab
        return [
            scale3(1 / whole, sub3(scale3(bb, a), scale3(ab, b))),
            scale3(1 / whole, sub3(scale3(aa, b), scale3(ab, a))),
        ]
    if len(vectors) == 3:
        a, b, c = vectors
        normals = [cross(b, c), cross(c, a), cross(a, b)]
        volume = dot3(a, normals[0])
        return [scale3(1 / volume, n) for n in normals]
    return []


def _across(directions: Sequence[_Direction]) -> list[tuple[Vector3, Expr]]:
    """A basis of what is at right angles to all directions, each with a bound of its size."""
    if not directions:
        return [(axis, ONE) for axis in IDENTITY3]
    if len(directions) == 1:
        return [(one.last, ONE) for one in directions[0].across()]
    if len(directions) == 2:
        a, b = directions
        return [(a.cross(b).last, a.size * b.size)]
    return []


def _named(vector: Vector3, names: Sequence[str], taken: set[str]) -> tuple[str, Vector3]:
    """The name of the largest component that names no other wrench of the joint, and the vector along it."""
    values = np.array(sample(vector))
    i = next(i for i in np.argsort(-np.abs(values), kind="stable") if names[i] not in taken)
    taken.add(names[i])
    return names[i], neg3(vector) if values[i] < 0 else vector
