"""Servo conditions that their actuators reach only through the motion of something else: hidden conditions, and index.

A crane follows a path, a motor holds the far mass of a spring: G M^-1 W^T is singular, and no effort changes the law's
acceleration at once. Each condition is derived until it is: with h' = d + e lambda, a combination N of the e that
vanishes leaves N d = 0, a condition on the state that was hidden. It takes the place of one of those it came from,
which then hold because it does (structure algorithm).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.constraints.coupling import LOST, coupling
from dalembert.constraints.determinant import determinant
from dalembert.constraints.resolve import resolve
from dalembert.constraints.rows import Rows, rows_of
from dalembert.dynamics.recursive import Recursion, mass_matrix, right_side
from dalembert.errors import CouplingError, ModelError, SimulationError, SingularError
from dalembert.expr import ONE, Expr
from dalembert.expr.elimination import sample
from dalembert.expr.magnitude import magnitude
from dalembert.kinematics import Tree, build_tree
from dalembert.mechanism import Along, Constraint, Holonomic, Kinematic, Layout
from dalembert.mechanism.constraint import IMPLIED

Array = NDArray[np.float64]
#: Values of expressions at one of a few states.
States = Callable[..., list[float]]
_STATES = (1, 2, 3)
#: A value below this share of the largest beside it is zero at a random state: rounding of long formulas.
_NOTHING = 1e-8
#: How far beside its start a closed machine is looked at, in radians or its own unit of length.
_ASIDE = 0.1
#: An angle that is small and yet not nothing, in radians.
_SMALL = 1e-3


@dataclass(frozen=True, slots=True)
class Servo:
    """The layout with its hidden conditions, and the index of each law: that of a plain position law is 3."""

    layout: Layout
    index: dict[str, int]
    hidden: tuple[str, ...] = ()  # in words


def with_hidden_conditions(layout: Layout) -> Servo:
    """The same layout where actuators have hold on their laws; with hidden conditions where they reach them later."""
    if not any(isinstance(one.reaction, Along) for one in layout.further):
        return Servo(layout, {})
    bare = layout if layout.cuts else replace(layout, model=replace(layout.model, given={}, start={}))
    numbers = f"{layout.model.given} {layout.model.start}" if layout.cuts else ""
    found = _found(layout.model.name, bare, numbers)
    return replace(found, layout=replace(layout, further=found.layout.further))


@lru_cache(maxsize=32)
def _found(_name: str, layout: Layout, _numbers: str) -> Servo:
    tree = build_tree(layout)
    rows = rows_of(tree, layout.constraints)
    if not rows.pushed:
        return Servo(layout, {})
    states = _closed_states(layout) if layout.cuts else _open_states
    if states is None or not _lost(tree, rows, states):
        return Servo(layout, {})
    return _Search(tree, rows, states).servo()


def _open_states(exprs: Sequence[Expr], seed: int = 1) -> list[float]:
    return list(sample(list(exprs), seed))


def _closed_states(layout: Layout) -> States | None:
    """Values of expressions at states in which a machine is closed, beside its start; None if it has no numbers."""
    from dalembert.dynamics.dynamics import dynamics_of
    from dalembert.dynamics.numbers import resolve as numbers_of
    from dalembert.dynamics.start import closed_start

    plain = tuple(one for one in layout.further if not isinstance(one.reaction, Along))
    free = replace(layout, further=plain)
    given = numbers_of(layout.model.given, "given")
    if not set(layout.model.parameters()) <= given.keys():
        return None
    about, states = dynamics_of(free), list[dict[Expr, float]]()
    known = {ex.symbol(k): float(v) for k, v in given.items()}
    try:
        first = closed_start(free).values
        for seed in _STATES:
            rng = np.random.default_rng(seed)
            names = layout.coordinates
            aside = {x: first[x] + _ASIDE * rng.normal() for x in names}
            bare = replace(free, model=replace(free.model, start=aside))
            values = closed_start(bare, {names[0]: aside[names[0]]}).values
            here = known | {ex.symbol(k): v for k, v in values.items()} | {ex.TIME: float(rng.uniform(0.3, 1.3))}
            g = np.array(ex.evaluate(list(about.rows.matrix.entries), here), dtype=float).reshape(
                about.rows.matrix.shape
            )
            _, s, vt = np.linalg.svd(g)
            held = int((s > _NOTHING * s.max(initial=0.0)).sum())
            speeds = rng.normal(size=len(vt) - held) @ vt[held:]
            states.append(here | dict(zip(about.tree.speeds, speeds.tolist(), strict=True)))
    except (SimulationError, SingularError):
        return None

    def at(exprs: Sequence[Expr], seed: int = 1) -> list[float]:
        return [float(x) for x in ex.evaluate(list(exprs), states[_STATES.index(seed)])]

    return at


def _lost(tree: Tree, rows: Rows, states: States) -> bool:
    """Whether conditions and reactions, as many of one as of the other, are without coupling at every state."""
    mass = mass_matrix(Recursion.of(tree))
    count, n = rows.matrix.shape
    flat = [*mass.entries, *rows.matrix.entries, *rows.reaction.entries]
    for seed in _STATES:
        values = np.array(states(flat, seed))
        m, g, w = np.split(values, np.cumsum((n * n, count * n)))
        try:
            found = coupling(m.reshape(n, n), g.reshape(count, n), w.reshape(count, n))
        except np.linalg.LinAlgError:
            return False
        if found.rank != found.rank_of_reactions or found.kappa > LOST:
            return False
    return True


@dataclass(slots=True)
class _Law:
    """A condition in the search: what stays zero, on places or on speeds, and how often it was derived."""

    owner: Constraint
    value: Expr
    holonomic: bool
    spent: int
    form: Expr
    part: int

    def level(self, moving: dict[Expr, Expr]) -> Expr:
        """The condition on speeds that it is."""
        return ex.tangent([self.value], moving)[0] if self.holonomic else self.value


class _Search:
    """The structure algorithm on one machine."""

    def __init__(self, tree: Tree, rows: Rows, states: States) -> None:
        self.tree, self.rows, self.states = tree, rows, states
        self.moving: dict[Expr, Expr] = {ex.TIME: ONE, **tree.rates, **{x.coordinate: x.rate for x in rows.own}}
        layout = tree.layout
        plain = [one for one in layout.further if not isinstance(one.reaction, Along)]
        recursion = Recursion.of(tree)
        self.mass, right = mass_matrix(recursion), right_side(recursion)
        others = rows_of(tree, [one for one in layout.constraints if not isinstance(one.reaction, Along)])
        right = [a + b for a, b in zip(right, others.efforts, strict=True)]
        right = ex.substitute(right, {ex.prime(x.coordinate): x.rate for x in others.own})
        held = resolve(self.mass, right, others, layout.speeds)
        self.free = list(held.accelerations)
        self.plain = plain
        self.laws: list[_Law] = []
        self.pushes: list[list[Expr]] = []
        for one in layout.further:
            if isinstance(one.reaction, Along):
                places = rows.of(one.name)
                holonomic = isinstance(one.condition, Holonomic)
                for part, (k, form) in enumerate(zip(places, one.reaction.forms, strict=True), 1):
                    value = rows.gap[k] if holonomic else rows.conditions[k]
                    assert value is not None
                    self.laws.append(_Law(one, value, holonomic, int(holonomic), form, part if len(places) > 1 else 0))
                    self.pushes.append(held.driven(list(rows.reaction.rows()[k])))
        self.kept: list[tuple[_Law, Expr, bool]] = []
        self.words: list[str] = []

    def servo(self) -> Servo:
        for _ in range(len(self.tree.speeds) + len(self.laws) + 1):
            e, d = self._rates()
            rows, columns = self._rank(e)
            if len(rows) == len(self.laws):
                return self._done()
            dependent = [i for i in range(len(self.laws)) if i not in rows]
            hidden = [self._hidden(i, rows, columns, e, d) for i in dependent]
            for i, value in zip(dependent, hidden, strict=True):
                self._replace(i, value)
            self._check_growth()
        self._refuse()
        raise AssertionError

    def _rates(self) -> tuple[list[list[Expr]], list[Expr]]:
        """h' = d + e lambda of every law."""
        e, d = list[list[Expr]](), list[Expr]()
        for law in self.laws:
            h = law.level(self.moving)
            slopes = ex.gradient(h, self.tree.speeds)
            e.append([ex.dot_product(slopes, push) for push in self.pushes])
            d.append(ex.dot_product(slopes, self.free) + ex.tangent([h], self.moving)[0])
        return e, d

    def _rank(self, e: Sequence[Sequence[Expr]]) -> tuple[list[int], list[int]]:
        """Rows and columns that carry the rank of e at a random state; which, as where machines mostly are: upright."""
        flat = [x for row in e for x in row]
        generic = self._pivots(np.array(self.states(flat)).reshape(len(e), -1))
        if self.tree.layout.cuts:
            return generic
        upright = self._pivots(np.array(self._upright(flat)).reshape(len(e), -1))
        return upright if len(upright[0]) == len(generic[0]) else generic

    def _upright(self, exprs: Sequence[Expr]) -> list[float]:
        """Values at a random state whose angles are small."""
        rng = np.random.default_rng(0)
        angles = {x for e in ex.topological(exprs) if e.op in ("sin", "cos") for x in ex.free_symbols(e)}
        names = sorted(ex.free_symbols(exprs), key=lambda e: e.name)
        values = {
            x: float(rng.uniform(0.3, 1.3)) * (_SMALL if x in angles and x is not ex.TIME else 1.0) for x in names
        }
        values |= {e: float(rng.uniform(0.3, 1.3)) for e in ex.topological(exprs) if e.op == "apply"}
        return [float(x) for x in ex.evaluate(list(exprs), values)]

    def _pivots(self, m: Array) -> tuple[list[int], list[int]]:
        scale = np.abs(m).max(initial=0.0)
        rows, columns = list[int](), list[int]()
        while m.size:
            i, j = np.unravel_index(int(np.abs(m).argmax()), m.shape)
            if not abs(m[i, j]) > _NOTHING * scale:
                break
            rows.append(int(i))
            columns.append(int(j))
            m = m - np.outer(m[:, j], m[i] / m[i, j])
            m[i] = m[:, j] = 0.0
        return sorted(rows), sorted(columns)

    def _hidden(
        self, i: int, rows: Sequence[int], columns: Sequence[int], e: Sequence[Sequence[Expr]], d: Sequence[Expr]
    ) -> Expr:
        """N d, N the minors of e on the row and those that carry the rank: nothing is divided."""
        chosen = [*rows, i]
        total = ex.ZERO
        for k, r in enumerate(chosen):
            minor = determinant([[e[s][c] for c in columns] for s in chosen if s != r])
            total = total + minor * d[r] if (len(chosen) - 1 - k) % 2 == 0 else total - minor * d[r]
        return total

    def _replace(self, i: int, value: Expr) -> None:
        law = self.laws[i]
        states = {*self.tree.coordinates, *self.tree.speeds}
        moving = [x for x in self.tree.speeds if not self._vanishes(ex.derivative(value, x))]
        if not moving:
            value = ex.substitute([value], dict.fromkeys(self.tree.speeds, 0))[0]
        if self._vanishes(value):
            raise ModelError(
                f"the law '{law.owner.name}' goes on by itself once it holds, or follows from the others, and its "
                "actuator has no hold: nothing tells how large its effort is. Push what moves it, or leave it out."
            ).of([law.owner.name])
        if all(self._vanishes(ex.derivative(value, x)) for x in states & ex.free_symbols(value)):
            self._refuse(law)
        self.kept.append((law, law.value, law.holonomic))
        holonomic = not moving
        self.words.append(f"{ex.text(ex.tidy(value))[:120]} = 0")
        self.laws[i] = replace(law, value=value, holonomic=holonomic, spent=law.spent + 1 + int(holonomic))

    def _check_growth(self) -> None:
        """Hidden conditions that say nothing new come from laws that no actuator reaches."""
        values: list[Expr] = []
        for value, holonomic in [
            *((v, h) for _, v, h in self.kept),
            *((law.value, law.holonomic) for law in self.laws),
        ]:
            values += [value, ex.tangent([value], self.moving)[0]] if holonomic else [value]
        if self.tree.layout.cuts:  # conditions of loops are none of them: rounds are counted instead
            return
        states = [*self.tree.coordinates, *self.tree.speeds]
        slopes = ex.jacobian(values, states)
        m = np.array(self.states([x for row in slopes for x in row])).reshape(len(values), -1)
        sizes = np.linalg.norm(m, axis=1)
        if np.linalg.matrix_rank(m / np.where(sizes > 0, sizes, 1.0)[:, None], tol=_NOTHING) < len(values):
            self._refuse()

    def _refuse(self, law: _Law | None = None) -> None:
        name = (law or self.laws[0]).owner.name
        raise CouplingError(
            f"the actuators never reach the law '{name}': however often it is derived, no effort enters (kappa = 0). "
            "It prescribes a motion that nothing can influence. Push on something that moves what the law holds."
        ).of([name])

    def _done(self) -> Servo:
        further: list[Constraint] = list(self.plain)
        for law in self.laws:
            kind = Holonomic if law.holonomic else Kinematic
            further.append(Constraint(law.owner.name, kind((law.value,)), Along((law.form,)), part=law.part))
        for number, (law, value, holonomic) in enumerate(self.kept, 1):
            kind = Holonomic if holonomic else Kinematic
            further.append(Constraint(f"{law.owner.name}_kept_{number}", kind((value,)), IMPLIED))
        index: dict[str, int] = {}
        for law in self.laws:
            index[law.owner.name] = max(index.get(law.owner.name, 0), law.spent + 2)
        return Servo(replace(self.tree.layout, further=tuple(further)), index, tuple(self.words))

    def _vanishes(self, e: Expr) -> bool:
        """Whether an expression is zero at some states, beside the size of what it is made of."""
        if e is ex.ZERO:
            return True
        for seed in _STATES:
            value, size = self.states([e, magnitude([e])[0]], seed)
            if abs(value) > _NOTHING * abs(size):
                return False
        return True
