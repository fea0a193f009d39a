"""Efforts in every link of a mechanism in motion, loops included, and which of them its mechanics determines.

Each body obeys Newton and Euler with the unknown wrenches of all its links. Where constraints are redundant the
unknowns are too many: the wrenches of least norm are given, and components that the equations leave open are told.
Lengths are measured in the distances between the joints of a body, so that no unit changes what is determined.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.analysis.carried import carried_wrenches
from dalembert.analysis.point import check_slips, parameters_of, with_parameters
from dalembert.constraints.actions import Actions
from dalembert.constraints.independence import diagonal, speed_scales
from dalembert.contact.posture import check_open
from dalembert.dynamics import Dynamics, dynamics_of
from dalembert.dynamics.extent import foresee
from dalembert.dynamics.start import closed_start
from dalembert.dynamics.transmitted import Transmitted
from dalembert.errors import DalembertError, ModelError, SingularError, warn
from dalembert.expr import Expr
from dalembert.expr.space import AXES
from dalembert.formalisms.charts import rotation_steps
from dalembert.kinematics import COMPONENTS, Twist, define_functions, link_efforts
from dalembert.kinematics.bodies import body_poses
from dalembert.mechanism import Layout, Link, Mechanism, Model
from dalembert.presentation.told import Told

Array = Any

#: Unit wrenches that act alike to this share are redundant: a posture is closed to 1e-10, rounding adds little to it.
_ALIKE = 1e-8
#: A component that a redundant wrench of unit size changes by less is determined: the share of `_ALIKE` in directions.
_FIXED = 1e-6
#: What is left of a balance, in parts of the efforts that should cancel, when no reaction can give it.
_LEFT = 1e-6
#: Square tables of its unknowns that the balance of a machine with loops needs, factors and work included.
_TABLES = 12
_SINGLE = "Describe a part of the machine alone."
#: Rounding of the whole solve, in parts of the largest effort.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True, eq=False)
class Reaction(Told):
    """The wrench that a link exerts on its second body, at and in the base of its second frame.

    `determined` tells, component by component (moments, then forces), whether the mechanics of rigid bodies fixes it.
    """

    link: str
    moment: Array
    force: Array
    determined: Array

    @property
    def wrench(self) -> Array:
        """Mx My Mz Fx Fy Fz."""
        return np.concatenate([self.moment, self.force])

    def as_dict(self) -> dict[str, Any]:
        values = zip(COMPONENTS, self.wrench, self.determined, strict=True)
        return {name: {"value": float(value), "determined": bool(known)} for name, value, known in values}

    def __str__(self) -> str:
        wrench = np.where(np.abs(self.wrench) > _ROUNDING * np.abs(self.wrench).max(), self.wrench, 0.0)
        values = zip(COMPONENTS, wrench, self.determined, strict=True)
        parts = (f"{n} = {v:.6g}{'' if known else ' (undetermined)'}" for n, v, known in values)
        return f"{self.link}: {', '.join(parts)}"

    def __repr__(self) -> str:
        return f"<Reaction of {self}>"


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """Reactions at several states: `wrenches[k, i]` and `determined[k, i]` are those of link i at state k.

    `exist[k]` is false where no finite reactions do: in singular postures.
    """

    links: tuple[str, ...]
    wrenches: Array
    determined: Array
    exist: Array

    def of(self, link: str, component: str) -> Array:
        """One component over the states, NaN where it is not determined."""
        i, j = self.links.index(link), COMPONENTS.index(component)
        return np.where(self.determined[:, i, j] & self.exist, self.wrenches[:, i, j], np.nan)


class Balance:
    """The balance of all bodies of a mechanism, ready to be evaluated at any states.

    Unknown are the whole wrenches of all links. Each body has six equations, each speed one: the wrenches of the links
    that it moves have the power of their known efforts in it. `actions` of others than the constraints alone may have
    symbols of their own, whose numbers are given with the states.
    """

    def __init__(self, dynamics: Dynamics, actions: Actions | None = None) -> None:
        self.dynamics, self.actions = dynamics, dynamics.actions if actions is None else actions
        self.layout: Layout = dynamics.layout
        self.links = tuple(self.layout.model.links.values())
        self.ends = [(self.layout.number(one.first.body), self.layout.number(one.second.body)) for one in self.links]

    @cached_property
    def _needed(self) -> list[Expr]:
        """What the links must give each body in the base of earth, about its origin; then that origin."""
        found: list[Expr] = []
        tree = self.dynamics.tree
        wrenches, poses = Transmitted(tree, acting=self.actions.bodies).needed, body_poses(tree)
        for wrench, pose in zip(wrenches[1:], poses[1:], strict=True):
            found += [*pose.vector(wrench.moment), *pose.vector(wrench.force), *pose.position]
        return found

    @cached_property
    def _frames(self) -> list[Expr]:
        """Where the second frame of each link is: rotation by rows, position."""
        found: list[Expr] = []
        for link in self.links:
            pose = self.dynamics.outputs.moving.pose(link.second)
            found += [*(x for row in pose.rotation for x in row), *pose.position]
        return found

    @cached_property
    def _speeds(self) -> tuple[str, ...]:
        """All speeds, those of cut links too."""
        return (*self.layout.speeds, *(x for one in self.layout.cuts for x in one.link.speeds))

    @cached_property
    def _moves(self) -> list[tuple[int, int, Twist]]:
        """Speed, link, and how that moves the link's second frame relative to its first, in the second."""
        found = []
        for i, link in enumerate(self.links):
            total: dict[str, Twist] = {}
            for motion in self.dynamics.tree.motions[link.name]:
                total = {name: twist.at(motion.pose) for name, twist in total.items()}
                for name, twist in motion.columns:
                    total[name] = total.get(name, Twist()) + twist
            total |= self._turning(link)
            found += [(self._speeds.index(name), i, twist) for name, twist in total.items() if not twist.is_zero]
        return found

    def _turning(self, link: Link) -> dict[str, Twist]:
        """A link that turns freely by three bare angles turns about any axis, where two of theirs agree too."""
        place = rotation_steps(link.joint)
        if place is None or place[1] - place[0] != 3:
            return {}
        turned = [name for motion in self.dynamics.tree.motions[link.name] for name, _ in motion.columns]
        names = turned[-3:]
        loaded = {link.coordinate_name(x) for x, _ in link.joint.efforts} | {x.name for x in self.actions.joints}
        if not loaded.isdisjoint((*names, *(x.removesuffix("'") for x in names))):
            return {}
        shared = self.dynamics.tree.shared_speeds()
        if len(set(turned)) < len(turned) or not shared.isdisjoint(turned):
            return {}
        return {name: Twist(angular=axis) for name, axis in zip(names, AXES.values(), strict=True)}

    @cached_property
    def _efforts(self) -> list[Expr]:
        """Known efforts of joints on every speed."""
        total = dict.fromkeys(self._speeds, ex.ZERO)
        for link in self.links:
            for speed, effort in link_efforts(link, self.dynamics.tree.motions[link.name]):
                total[speed.name] += effort
        for x, effort in self.actions.joints.items():
            link = next(one for one in self.links if x.name in (*one.coordinates, *one.speeds))
            rates = {name: rate for step in self.dynamics.tree.motions[link.name] for name, rate in step.rates.items()}
            slopes = ex.gradient(rates.get(x.name, x), [ex.symbol(name) for name in link.speeds])
            for name, slope in zip(link.speeds, slopes, strict=True):
                total[name] += effort * slope
        return define_functions(list(total.values()), self.layout.model.functions)

    def at(self, t: Array, y: Array, parameters: Mapping[str, Any], pushed: Mapping[Expr, Any] | None = None) -> Series:
        """Reactions at states in the columns of `y`; `pushed` are rates of states, and symbols of the actions."""
        names = tuple(link.name for link in self.links)
        if not y.shape[1]:  # an arc may have no times of its own
            return Series(names, none := np.zeros((0, len(names), 6)), none.astype(bool), np.zeros(0, dtype=bool))
        count, numbers = y.shape[1], self._numbers(t, y, parameters, pushed)

        def table(exprs: Sequence[Expr], width: int) -> Array:
            values = [np.broadcast_to(np.asarray(x, dtype=float), (count,)) for x in ex.evaluate(list(exprs), numbers)]
            return np.array(values).reshape(-1, width, count).transpose(2, 0, 1)

        parts = zip(
            table(self._needed, 9),
            table(self._frames, 12),
            table([x for _, _, twist in self._moves for x in twist.scalars], 6),
            table(self._efforts, 1)[..., 0],
            strict=True,
        )
        solve = self._carried
        if self.dynamics.closed or self.layout.model.contacts:
            what, solve = f"the balance of all {len(names)} links of '{self.layout.model.name}'", self._solved
            foresee(what, _TABLES * (6 * len(names)) ** 2 * 8e-6, _SINGLE)
        found = [solve(*one) for one in parts]
        values, known = (np.array([one[i] for one in found]).reshape(count, -1, 6) for i in (0, 1))
        exist = np.array([one[2] for one in found]) & can_move_on(self.dynamics, numbers, count)
        return Series(names, values, known, exist)

    def _numbers(
        self, t: Array, y: Array, parameters: Mapping[str, Any], known: Mapping[Expr, Any] | None
    ) -> dict[Expr, Any]:
        """States, their rates (of own coordinates too), accelerations, time and parameters."""
        names = [ex.symbol(x) for x in self.layout.state.names]
        numbers: dict[Expr, Any] = {ex.symbol(k): v for k, v in parameters.items()}
        numbers |= {**dict(zip(names, y, strict=True)), ex.TIME: t}
        if known is not None:
            return {**known, **numbers}
        rates = ex.evaluate([*self.dynamics.rates, *self.dynamics.accelerations()], numbers)
        return {**dict(zip(map(ex.prime, names), rates, strict=True)), **numbers}

    def _carried(self, needed: Array, frames: Array, *_: Array) -> tuple[Array, Array, bool]:
        found = carried_wrenches(self.layout, self.links, needed, frames)
        return found, np.ones(found.shape, dtype=bool), bool(np.isfinite(found).all())

    def _solved(self, needed: Array, frames: Array, moves: Array, efforts: Array) -> tuple[Array, Array, bool]:
        """Wrench and determined components of every link at one instant, and whether they balance every body."""
        bodies, count = len(self.layout.bodies), len(self.links)
        centres, lengths = _sizes(frames[:, 9:], self.ends, bodies)
        units = np.array([np.repeat([lengths[second], 1.0], 3) for _, second in self.ends]).reshape(-1)
        matrix, wanted = np.zeros((6 * bodies + len(efforts), 6 * count)), np.zeros(6 * bodies + len(efforts))
        for i, (frame, (first, second)) in enumerate(zip(frames, self.ends, strict=True)):
            rotation = frame[:9].reshape(3, 3)
            for body, sign in ((first, -1.0), (second, 1.0)):
                moment = _tilde(frame[9:] - centres[body]) @ rotation
                block = np.block([[rotation, moment], [np.zeros((3, 3)), rotation]])
                matrix[6 * body : 6 * body + 6, 6 * i : 6 * i + 6] = sign * block
        for body, one in enumerate(needed, 1):
            moment = one[:3] + np.cross(one[6:] - centres[body], one[3:6])
            wanted[6 * body : 6 * body + 6] = np.concatenate([moment, one[3:6]])
        for (k, i, _), twist in zip(self._moves, moves, strict=True):
            matrix[6 * bodies + k, 6 * i : 6 * i + 6] = twist
        wanted[6 * bodies :] = efforts
        matrix, wanted = matrix[6:] * units, wanted[6:]  # earth balances by itself
        rows = np.concatenate([*(np.repeat([size, 1.0], 3) for size in lengths[1:]), np.ones(len(efforts))])
        power = np.linalg.norm(matrix[6 * bodies - 6 :], axis=1)
        rows[6 * bodies - 6 :] = np.where(power > 0, power, 1.0)
        found, open_, balanced = self._least(matrix / rows[:, None], wanted / rows)
        loose = np.abs(open_).max(axis=0, initial=0.0)
        return (found * units).reshape(count, 6), (loose < _FIXED).reshape(count, 6), balanced

    def _least(self, matrix: Array, wanted: Array) -> tuple[Array, Array, bool]:
        """The wrenches of least norm that balance every body, a basis (rows) of those that balance by themselves."""
        if not matrix.shape[1]:
            return np.zeros(0), np.zeros((0, 0)), True
        u, s, vt = np.linalg.svd(matrix)
        rank = int((s > _ALIKE * s[0]).sum())
        found = vt[:rank].T @ ((u[:, :rank].T @ wanted) / s[:rank])
        left = np.abs(wanted - matrix @ found)
        sizes = np.repeat(np.abs(found).reshape(-1, 6).max(axis=1), 6)
        scale = np.abs(wanted) + np.abs(matrix) @ sizes
        return found, vt[rank:], bool((left <= _LEFT * scale + _ROUNDING * scale.max()).all())


def can_move_on(dynamics: Dynamics, numbers: Mapping[Expr, Any], count: int) -> Array:
    """Whether the constraints let the motion go on as its accelerations say; not so in some singular postures.

    Rows that depend on others, w^T G = 0, must ask for the same: w . (G u' - gamma) = 0. From rest the motion sets out
    along u', and the same is asked of what bends it there: w . gamma(u') = 0. A stretched toggle under load fails.
    """
    rows, speeds = dynamics.rows, [ex.symbol(x) for x in dynamics.state.speeds]
    found = np.ones(count, dtype=bool)
    if not len(rows):
        return found

    def table(exprs: Sequence[Expr], values: Mapping[Expr, Any]) -> Array:
        return np.array([np.broadcast_to(np.asarray(x, float), (count,)) for x in ex.evaluate(list(exprs), values)]).T

    u, moved = (
        np.array([np.broadcast_to(numbers[x], (count,)) for x in xs]).T for xs in (speeds, map(ex.prime, speeds))
    )
    g, sizes = (table(m.entries, numbers).reshape(count, *m.shape) for m in (rows.matrix, rows.made_of))
    gamma, scales = table(rows.gamma, numbers), table(speed_scales(rows, diagonal(dynamics.mass_matrix)), numbers)
    mass = dynamics.mass_matrix
    pushed, weights = (table(x, numbers) for x in (dynamics.right_side, [mass[i, i] for i in range(len(speeds))]))
    free = np.abs(pushed) / np.where(weights > 0, weights, np.inf) * scales
    rounded = _ROUNDING * free.max(axis=1, initial=0.0)[:, None] / scales  # accelerations of a machine that is held
    bent = [table(rows.gamma, {**numbers, **dict(zip(speeds, way * moved.T, strict=True))}) for way in (1, -1, 0)]
    curved = (bent[0] + bent[1]) / 2 - bent[2]
    for k in range(count):
        unit = sizes[k].sum(axis=1)
        unit = np.where(unit > 0, unit, 1.0)
        _, s, vt = np.linalg.svd((g[k] / unit[:, None]).T)
        stresses = vt[int((s > _ALIKE * s.max(initial=0.0)).sum()) :] / unit
        straight, bent_by = (sizes[k] @ np.abs(way) for way in (moved[k], u[k]))  # what rounding works on
        bent_by = bent_by * (np.abs(u[k]) * scales[k]).max(initial=0.0)
        size = np.abs(g[k]) @ np.abs(moved[k]) + np.abs(gamma[k])
        checks = [(g[k] @ moved[k] - gamma[k], size, straight + bent_by)]
        if not np.any(u[k]):
            fastest = (np.abs(moved[k]) * scales[k]).max(initial=0.0)
            checks.append((curved[k], np.abs(curved[k]), straight * fastest))
        for value, size, noise in checks:
            least = np.abs(stresses) @ (np.abs(g[k]) @ rounded[k])
            left = np.abs(stresses @ value) - least
            found[k] &= bool((left <= _LEFT * (np.abs(stresses) @ (size + noise * _LEFT))).all())
    return found


def marked_outputs(layout: Layout) -> frozenset[str]:
    """Outputs that are told by a balance at each state: efforts in links of machines with loops or contacts."""
    if not layout.cuts and not layout.model.contacts:
        return frozenset()
    return frozenset(f"{name}.{part}" for name in layout.model.links for part in COMPONENTS)


@lru_cache(maxsize=8)
def balance_of(layout: Layout) -> Balance:
    """The balance of a machine, remembered."""
    return Balance(dynamics_of(layout))


def _tilde(v: Array) -> Array:
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def _sizes(points: Array, ends: Sequence[tuple[int, int]], bodies: int) -> tuple[Array, Array]:
    """Middle of the joints of each body, and how far they spread; where they are at one point, the largest spread."""
    centres, lengths = np.zeros((bodies, 3)), np.zeros(bodies)
    for body in range(bodies):
        own = points[[i for i, pair in enumerate(ends) if body in pair]]
        if len(own):
            centres[body] = own.mean(axis=0)
            lengths[body] = np.linalg.norm(own - centres[body], axis=1).max()
    largest = lengths.max(initial=0.0) or 1.0  # all joints at one point: moments and forces do not mix
    return centres, np.where(lengths > _ALIKE * largest, lengths, largest)


def reactions(
    mechanism: Mechanism | Model,
    at: Mapping[str, Any] | None = None,
    *,
    given: Mapping[str, float] | None = None,
    t: float | None = None,
    cut: Collection[str] = (),
) -> dict[str, Reaction]:
    """Efforts in all links at a state: `at` names coordinates and speeds (as `mo.state(t)` does, its time included).

    Without `at`, those of the start. What it does not name follows, as at the start of a simulation; a state that its
    loops do not allow is refused.

    >>> from dalembert.mechanism import Mechanism, earth, revolute
    >>> m = Mechanism("hanging rod")
    >>> rod = m.body("rod", mass=2, centre=[0, 0, -0.5])
    >>> link = m.join(earth, rod, revolute("x"), name="pivot")
    >>> m.gravity = [0, 0, -9.81]
    >>> print(reactions(m, {"pivot.th": 0.0})["pivot"])
    pivot: Mx = 0, My = 0, Mz = 0, Fx = 0, Fy = 0, Fz = 19.62
    """
    layout = Layout.of(mechanism, cut)
    at = at or {}
    time = float(at.get("t", 0.0) if t is None else t)
    given = with_parameters(layout.model, at, given)
    parameters = parameters_of(layout.model, given)
    start = closed_start(layout, {k: v for k, v in at.items() if k != "t"}, given, time)
    if start.message:
        warn(f"reactions of '{layout.model.name}': {start.message}")
    numbers = {ex.symbol(k): v for k, v in {**parameters, **start.values}.items()}
    check_slips(dynamics_of(layout), {**numbers, ex.TIME: time})
    check_open(dynamics_of(layout), {**numbers, ex.TIME: time}, "these reactions")
    y = np.array([[start.values[name]] for name in layout.state.names])
    series = balance_of(layout).at(np.array([time]), y, parameters)
    if not series.exist[0]:
        raise SingularError(
            f"no finite reactions balance '{layout.model.name}' in this posture: what acts on it pulls where its "
            "links, taken together, cannot hold. The posture is singular: ask a little before or after it."
        )
    loose = [name for name, known in zip(series.links, series.determined[0], strict=True) if not known.all()]
    if loose:
        warn(
            f"the mechanics of rigid bodies does not determine all reactions in {', '.join(loose)}: "
            "the constraints are redundant. The wrenches of least norm are given."
        )
    rows = zip(series.links, series.wrenches[0], series.determined[0], strict=True)
    return {name: Reaction(name, wrench[:3], wrench[3:], known) for name, wrench, known in rows}


def check_determined(layout: Layout, names: Iterable[str]) -> None:
    """Refuse efforts in links, as `c.Fz`, that the mechanics of rigid bodies leaves open where the machine starts."""
    try:
        start = closed_start(layout)
        parameters = parameters_of(layout.model, None)
    except DalembertError:
        return  # numbers that come later: nothing can be told yet
    y = np.array([[start.values[name]] for name in layout.state.names])
    told = balance_of(layout).at(np.zeros(1), y, parameters)
    for name in names:
        if np.isnan(told.of(*name.rsplit(".", 1))[0]):
            raise ModelError(
                f"'{name}' is not determined by the mechanics of rigid bodies: constraints of '{layout.model.name}' "
                "are redundant. Ask for a component that is (`m.reactions` tells which), or take a redundant link away."
            )
