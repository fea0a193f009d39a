"""The closure of loops in numbers: how far the two sides of every cut link are apart, with all derivatives.

Around a loop, both sides are products of elementary displacements (4 x 4 matrices), so that a gap and its derivatives
need no expression longer than one displacement. All arrays have a leading axis of trajectories.

The gap of a cut link is the difference of the two poses: nine numbers of the rotations, over sqrt(2), whose norm is
2 sin(angle/2) (a reversed assembly is far from closed), and three of the positions, over the length of the loop (the
sum of the lengths it is made of). All of it is dimensionless. Holonomic constraints are rows too, over how much a unit
of every coordinate changes them; kinematic ones are rows of the speeds, over how much a unit of every speed does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.constraints.followed import followed
from dalembert.constraints.rows import ROUNDING, up_to_turns
from dalembert.expr import Expr
from dalembert.expr.magnitude import error_size
from dalembert.kinematics import EARTH_NODE, Pose, StepMotion, Tree, in_state, link_motions
from dalembert.mechanism import Frame, Holonomic, Kinematic, Link, Turn
from dalembert.mechanism.constraint import Implied

Array = Any
_ROTATION, _POSITION = 9, 3
ROWS = _ROTATION + _POSITION


@dataclass(frozen=True, slots=True)
class Gap:
    """Gaps (trajectories x rows), their derivatives by the coordinates and by time."""

    value: Array
    slopes: Array
    drift: Array

    @property
    def size(self) -> Array:
        """The largest gap of each trajectory."""
        return np.abs(self.value).max(axis=1, initial=0.0)


@dataclass(frozen=True, slots=True)
class Scales:
    """What is one: of each loop's lengths, of each coordinate (it turns by a radian or shifts by a length), of speeds.

    All are arrays with a leading axis of trajectories.
    """

    loops: Array
    coordinates: Array
    speeds: Array


@dataclass(frozen=True, slots=True)
class _Factor:
    """An elementary displacement: rows of 3 x 4 entries, and the variables it depends on (-1 is time)."""

    entries: tuple[Expr, ...]
    variables: tuple[int, ...]
    slopes: tuple[Expr, ...]

    @staticmethod
    def of(pose: Pose, index: Mapping[Expr, int]) -> _Factor:
        entries = [x for row, p in zip(pose.rotation, pose.position, strict=True) for x in (*row, p)]
        used = ex.free_symbols(entries)
        variables = sorted((x for x in used if x in index), key=lambda x: (index[x] < 0, index[x]))
        slopes = [d for x in variables for d in ex.tangent(entries, {x: ex.ONE})]
        return _Factor(tuple(entries), tuple(index[x] for x in variables), tuple(slopes))


class Closure:
    """Loops of a layout in numbers, `at(x, t, parameters)`; made once for a structure."""

    def __init__(self, tree: Tree) -> None:
        layout = tree.layout
        state = layout.state
        self.coordinates = state.coordinates
        links = [*(one.link for one in layout.tree), *(one.link for one in layout.cuts)]
        self.speeds = tuple(x for link in links for x in link.speeds)
        self._symbols = [ex.symbol(x) for x in self.coordinates]
        self._index = {x: i for i, x in enumerate(self._symbols)} | {ex.TIME: -1}
        self.factors: list[_Factor] = []
        self.sides = self._loops(tree)
        self._displacements = tuple(e for one in self.factors for e in (*one.entries, *one.slopes))
        self._recipes: dict[tuple[Expr, ...], ex.Recipe] = {}
        self.closing = tuple(one.link.name for one in layout.cuts)
        place = {name: i for i, name in enumerate(self.coordinates)}
        self.quaternions = [[place[x] for x in group] for group in state.quaternions]
        declared = sorted(layout.model.links.values(), key=lambda link: not _elastic(link))
        #: Which coordinates and speeds begin at zero before others, when nobody names them.
        self.followed = [one.followed for one in layout.further if one.followed is not None]
        follow = [place[x] for one in self.followed for x in one.coordinates]
        self.first_coordinates = [*(place[x] for link in declared for x in link.coordinates), *follow]
        number = {x: i for i, x in enumerate(self.speeds)}
        self.first_speeds = [number[x] for link in declared for x in link.speeds]
        angles = _turning(links)
        self._angles = np.array([name in angles for name in self.coordinates], dtype=bool)
        own = {x: rate for link in links for step in link_motions(link) for x, rate in step.rates.items()}
        own |= self._followed(tree, own)
        #: How everything moves, in the speeds of tree and cut links.
        self.moving = {ex.symbol(x): own[x] for x in self.coordinates} | {ex.TIME: ex.ONE}
        #: Charts of turns whose speeds are those of the body: rates are infinite where one vanishes.
        self.charts = [one for link in links for step in tree.motions[link.name] for one in step.conditions]
        #: Of further constraints: which one each formula belongs to, what stays zero, and slopes by what moves it.
        self.holding, self.holonomic = self._formulas(tree, Holonomic)
        self._holonomic_slopes = [d for e in self.holonomic for d in ex.gradient(e, [*self._symbols, ex.TIME])]
        self.steering, self.kinematic = self._formulas(tree, Kinematic)
        counted = _counted_turns([*self.holonomic, *self.kinematic])
        #: Coordinates whose whole turns change nothing.
        self.turning = self._angles & np.array([x not in counted for x in self._symbols], dtype=bool)
        moved = ex.jacobian(self.kinematic, [ex.symbol(x) for x in self.speeds])
        self._kinematic_slopes = [x for row in moved for x in row]
        #: Whether time moves what closes.
        self.driven = any(-1 in one.variables for one in self.factors) or ex.TIME in ex.free_symbols(self.holonomic)
        #: Whether a condition on speeds is not affine in them.
        speeds = {ex.symbol(x) for x in self.speeds}
        self.bent = np.array([not ex.free_symbols(row).isdisjoint(speeds) for row in moved], dtype=bool)

        #: What rounding can leave of them: at rest hidden conditions hold, and no speed is there to tell how exactly.
        hidden = any(isinstance(one.reaction, Implied) for one in layout.further)
        self._noise = error_size(self.kinematic) if hidden else []

    @cached_property
    def _rates(self) -> list[Expr]:
        """P, row by row: a square table that a tree, whose start is what it is given, does without."""
        moved = [self.moving[x] for x in self._symbols]
        return [x for row in ex.jacobian(moved, [ex.symbol(x) for x in self.speeds]) for x in row]

    # --- structure ---------------------------------------------------------------------------------------------------

    def _loops(self, tree: Tree) -> list[tuple[list[int], list[int]]]:
        """For each cut link the factors of its two sides, from the last frame that both share."""
        nodes = [self._add(node.pose) for node in tree.nodes]
        found = []
        for one in tree.layout.cuts:
            motions: Sequence[StepMotion] = link_motions(one.link)
            near, far = self._path(tree, one.link.first), self._path(tree, one.link.second)
            while near[0] and far[0] and near[0][0] == far[0][0]:
                near[0].pop(0)
                far[0].pop(0)
            first = [*(nodes[i] for i in near[0]), self._add(near[1]), *(self._add(m.pose) for m in motions)]
            found.append((first, [*(nodes[i] for i in far[0]), self._add(far[1])]))
        return found

    def _formulas(self, tree: Tree, kind: type[Holonomic] | type[Kinematic]) -> tuple[tuple[str, ...], list[Expr]]:
        """Formulas of further constraints in coordinates and in the speeds of tree and cut links, with their owners."""
        own = {ex.symbol(x): self.moving[ex.symbol(x)] for x in tree.layout.state.own_coordinates}
        asked = [
            (one.name, e)
            for one in tree.layout.constraints
            if isinstance(one.condition, kind)
            for e in (*one.expressions, *(one.followed.formulas if one.followed else ()))
        ]
        told = in_state(tree, [e for _, e in asked], own)
        return tuple(name for name, _ in asked), [up_to_turns(e) for e in told] if kind is Holonomic else told

    def _followed(self, tree: Tree, rates: Mapping[str, Expr]) -> dict[str, Expr]:
        """Rates of what constraints follow by themselves."""
        if not self.followed:
            return {}
        known = {ex.symbol(x): rate for x, rate in rates.items()}
        cut = {ex.symbol(x): rates[x] for one in tree.layout.cuts for x in one.link.coordinates}
        return {x.coordinate.name: x.rate for x in followed(tree, self.followed, known | {ex.TIME: ex.ONE}, cut)}

    def _add(self, pose: Pose) -> int:
        self.factors.append(_Factor.of(pose, self._index))
        return len(self.factors) - 1

    def _path(self, tree: Tree, frame: Frame) -> tuple[list[int], Pose]:
        node, pose = tree.frame_place(frame)
        path: list[int] = []
        while node != EARTH_NODE:
            path.insert(0, node)
            node = tree.nodes[node].parent
        return path, pose

    @property
    def parameters(self) -> tuple[str, ...]:
        """Names whose numbers the loops need."""
        used = ex.free_symbols([*(x for one in self.factors for x in one.entries), *self.holonomic, *self.kinematic])
        return tuple(sorted(x.name for x in used - self._index.keys() - {ex.symbol(x) for x in self.speeds}))

    # --- numbers -----------------------------------------------------------------------------------------------------

    def numbers(
        self, exprs: Sequence[Expr], x: Array, t: float, parameters: Mapping[str, Any], w: Array | None = None
    ) -> Array:
        """Values of expressions of the coordinates, and of the speeds `w` if there are any, trajectories first."""
        known: dict[Expr, Any] = {ex.symbol(name): value for name, value in parameters.items()}
        known |= {symbol: x[:, i] for i, symbol in enumerate(self._symbols)} | {ex.TIME: t}
        if w is not None:
            known |= {ex.symbol(name): w[:, i] for i, name in enumerate(self.speeds)}
        asked = tuple(exprs)
        if asked not in self._recipes:
            self._recipes[asked] = ex.Recipe(asked)
        return self._recipes[asked](known, len(x))

    def _matrices(self, x: Array, t: float, parameters: Mapping[str, Any]) -> tuple[list[Array], list[list[Array]]]:
        """Each factor as a 4 x 4 matrix, and its derivatives."""
        values = self.numbers(self._displacements, x, t, parameters)
        matrices, slopes, place = [], [], 0
        for one in self.factors:
            made = []
            for k in range(1 + len(one.variables)):
                matrix = np.zeros((len(x), 4, 4))
                matrix[:, :3, :] = values[:, place : place + ROWS].reshape(len(x), 3, 4)
                matrix[:, 3, 3] = 1.0 if k == 0 else 0.0
                made.append(matrix)
                place += ROWS
            matrices.append(made[0])
            slopes.append(made[1:])
        return matrices, slopes

    def scales(self, x: Array, t: float, parameters: Mapping[str, Any]) -> Scales:
        """The natural units at a configuration."""
        matrices, slopes = self._matrices(x, t, parameters)
        lengths = [np.linalg.norm(matrix[:, :3, 3], axis=1) for matrix in matrices]
        none = np.zeros(len(x))
        loops = np.stack([sum((lengths[i] for i in (*a, *b)), none) for a, b in self.sides] or [none], axis=1)
        machine = loops.max(axis=1)
        machine = np.where(machine > 0, machine, self._length(x, t, parameters, lengths))
        loops = np.where(loops > 0, loops, machine[:, None])
        motion = np.zeros((len(x), len(self.coordinates) + 1))
        for one, made in zip(self.factors, slopes, strict=True):
            for j, slope in zip(one.variables, made, strict=True):
                turned = np.linalg.norm(slope[:, :3, :3], axis=(1, 2)) / np.sqrt(2)
                shifted = np.linalg.norm(slope[:, :3, 3], axis=1) / machine
                motion[:, j] = np.maximum(motion[:, j], np.maximum(turned, shifted))
        for name in (x for touch in self.followed if touch.lengths for x in touch.coordinates):
            motion[:, self.coordinates.index(name)] = 1 / machine
        units = 1 / np.where(motion > 0, motion, 1.0)[:, :-1]
        rates = np.abs(self.rates(x, t, parameters)) / units[:, :, None]
        fastest = rates.max(axis=1, initial=0.0)
        return Scales(loops, units, 1 / np.where(fastest > 0, fastest, 1.0))

    def _length(self, x: Array, t: float, parameters: Mapping[str, Any], lengths: Sequence[Array]) -> Array:
        """The size of a machine without loops: its largest distance, or how far a slide goes to meet a condition."""
        size = np.max([np.zeros(len(x)), *lengths], axis=0)
        if self.holonomic:
            shape = (len(x), len(self.holonomic), len(self.coordinates) + 1)
            slopes = np.abs(self.numbers(self._holonomic_slopes, x, t, parameters).reshape(shape)[..., :-1])
            slopes = np.where(self._angles, 0.0, slopes).max(axis=2, initial=0.0)
            gaps = np.abs(self.numbers(self.holonomic, x, t, parameters))
            far = np.where(slopes > 0, gaps / np.where(slopes > 0, slopes, 1.0), 0.0)
            size = np.maximum(size, far.max(axis=1, initial=0.0))
        return np.where(size > 0, size, 1.0)

    def rates(self, x: Array, t: float, parameters: Mapping[str, Any]) -> Array:
        """P of x' = P w, w the speeds of tree and cut links."""
        shape = (len(x), len(self.coordinates), len(self.speeds))
        return self.numbers(self._rates, x, t, parameters).reshape(shape)

    def at(self, x: Array, t: float, parameters: Mapping[str, Any], scales: Scales) -> Gap:
        """Gaps of loops, of the norms of quaternions and of formulas, with their derivatives."""
        matrices, slopes = self._matrices(x, t, parameters)
        last, size = len(self.sides) * ROWS + len(self.quaternions), len(self.coordinates)
        count = last + len(self.holonomic)
        value, slope = np.zeros((len(x), count)), np.zeros((len(x), count, size + 1))
        for k, (near, far) in enumerate(self.sides):
            rows = slice(k * ROWS, (k + 1) * ROWS)
            gap = np.zeros((len(x), 4, 4, size + 2))
            for sign, side in ((-1.0, near), (1.0, far)):
                product, along = _product(side, matrices)
                gap[..., -1] += sign * product
                for i, before, after in along:
                    for j, own in zip(self.factors[i].variables, slopes[i], strict=True):
                        gap[..., j if j >= 0 else size] += sign * (before @ own @ after)
            turned = gap[:, :3, :3].reshape(len(x), _ROTATION, size + 2) / np.sqrt(2)
            shifted = gap[:, :3, 3] / scales.loops[:, k, None, None]
            both = np.concatenate([turned, shifted], axis=1)
            value[:, rows], slope[:, rows] = both[..., -1], both[..., :-1]
        for k, group in enumerate(self.quaternions, len(self.sides) * ROWS):
            value[:, k] = (x[:, group] ** 2).sum(axis=1) - 1
            slope[:, k, group] = 2 * x[:, group]
        if self.holonomic:
            units, asked = self.holonomic_units(x, t, parameters, scales)
            value[:, last:] = self.numbers(self.holonomic, x, t, parameters) / units
            slope[:, last:] = asked / units[:, :, None]
        return Gap(value, slope[..., :-1], slope[..., -1])

    def open_parts(self, gap: Gap, trajectory: int) -> tuple[list[str], list[str]]:
        """Links that do not close and constraints that do not hold: those whose gap is of the size of the largest."""
        last, value = len(self.sides) * ROWS, np.abs(gap.value[trajectory])
        sizes = value[:last].reshape(-1, ROWS).max(axis=1, initial=0.0)
        asked = value[last + len(self.quaternions) :]
        large = max(sizes.max(initial=0.0), asked.max(initial=0.0)) / 2
        links = [name for name, size in zip(self.closing, sizes, strict=True) if size > large]
        names = [name for name, size in zip(self.holding, asked, strict=True) if size > large]
        return links, list(dict.fromkeys(names))

    def touched(self, condition: str) -> list[str]:
        """Coordinates in the formulas of a constraint on places."""
        own = [e for name, e in zip(self.holding, self.holonomic, strict=True) if name == condition]
        names = {s.name for s in ex.free_symbols(own)}
        return [x for x in self.coordinates if x in names]

    def still(self, gap: Gap, trajectory: int) -> set[str]:
        """Constraints on places that no coordinate changes, here at least."""
        rows = gap.slopes[trajectory][len(self.sides) * ROWS + len(self.quaternions) :]
        return {name for name, row in zip(self.holding, rows, strict=True) if not row.any()}

    def steered(
        self, x: Array, w: Array, t: float, parameters: Mapping[str, Any], scales: Scales
    ) -> tuple[Array, Array, Array]:
        """Conditions on speeds at the speeds w, their derivatives by them in natural units, and the units of both."""
        value = self.numbers(self.kinematic, x, t, parameters, w)
        if self._noise:
            noise = ROUNDING * self.numbers(self._noise, x, t, parameters, w)
            value = np.where(np.abs(value) <= noise, 0.0, value)
        shape = (len(x), len(self.kinematic), len(self.speeds))
        slopes = self.numbers(self._kinematic_slopes, x, t, parameters, w).reshape(shape) * scales.speeds[:, None, :]
        units = np.abs(slopes).sum(axis=2)
        units = np.where(units > 0, units, 1.0)
        return value / units, slopes / units[:, :, None], units

    def holonomic_units(self, x: Array, t: float, parameters: Mapping[str, Any], scales: Scales) -> tuple[Array, Array]:
        """How much a unit of every coordinate changes each formula, and the derivatives by coordinates and time."""
        shape = (len(x), len(self.holonomic), len(self.coordinates) + 1)
        slopes = self.numbers(self._holonomic_slopes, x, t, parameters).reshape(shape)
        known = np.where(np.isfinite(slopes[..., :-1]), np.abs(slopes[..., :-1]), 0.0)  # the end of a root has none
        units = (known * scales.coordinates[:, None, :]).sum(axis=2)
        return np.where(units > 0, units, 1.0), slopes


def _elastic(link: Link) -> bool:
    """Does an effort in the link depend on its position? A spring that nobody mentions begins without load."""
    efforts = [*link.placed_efforts().values(), *(x for s in link.placed_steps() for x in (*s.force, *s.torque))]
    return not ex.free_symbols(efforts).isdisjoint(map(ex.symbol, link.coordinates))


def _turning(links: Sequence[Link]) -> set[str]:
    """Coordinates that are angles of turns and nothing else: a whole turn changes no posture."""
    angles, others = set[Expr](), list[Expr]()
    for link in links:
        for step in link.placed_steps():
            others += step.displacement.translation
            for one in step.displacement.turns:
                plain = isinstance(one, Turn) and one.angle.op == "symbol"
                angles |= {one.angle} if isinstance(one, Turn) and plain else set()
                others += [] if plain else one.scalars
    return {x.name for x in angles - ex.free_symbols(others)}


def _counted_turns(formulas: Sequence[Expr]) -> set[Expr]:
    """Symbols in which formulas are not periodic: a gear, or a drive, knows how many turns a wheel has made."""
    waves = [e for e in ex.topological(formulas) if e.op in ("sin", "cos")]
    counted = ex.free_symbols(ex.substitute(list(formulas), dict.fromkeys(waves, ex.ONE)))
    for e in waves:
        for x in ex.free_symbols(e.args):
            slope = ex.derivative(e.args[0], x)
            if not (slope.is_number and float(slope).is_integer()):
                counted.add(x)
    return counted


def _product(side: Sequence[int], matrices: Sequence[Array]) -> tuple[Array, list[tuple[int, Array, Array]]]:
    """The product of some factors; for each, what stands before and after it."""
    one = np.eye(4)
    before, after = [one], [one]
    for i in side:
        before.append(before[-1] @ matrices[i])
    for i in reversed(side):
        after.insert(0, matrices[i] @ after[0])
    return before[-1], [(i, before[k], after[k + 1]) for k, i in enumerate(side)]
