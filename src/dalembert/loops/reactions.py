"""Efforts in every link of a mechanism in motion, loops included, and which of them its mechanics determines.

Each body obeys Newton and Euler with the unknown wrenches of all its links. Where constraints are redundant the
unknowns are too many: the wrenches of least norm are given, and components that the equations leave open are told.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.dynamics import dynamics_of
from dalembert.errors import ModelError
from dalembert.expr import Expr, Matrix
from dalembert.formalisms.mixed import Absolute, block_diagonal, free_body, maximal_forces, time_derivative
from dalembert.kinematics import COMPONENTS, Pose, Tree, build_tree, joint_columns, link_efforts
from dalembert.mechanism import Layout, Link, Mechanism

Array = Any


@dataclass(frozen=True, slots=True, eq=False)
class Reaction:
    """The wrench that a link exerts on its second body, at and in the base of its second frame.

    `determined` tells, component by component (moments, then forces), whether the mechanics of rigid bodies fixes it.
    """

    link: str
    moment: Array
    force: Array
    determined: Array

    def __str__(self) -> str:
        values = [*self.moment, *self.force]
        parts = [
            f"{n} = {v:.6g}{'' if d else ' (undetermined)'}"
            for n, v, d in zip(COMPONENTS, values, self.determined, strict=True)
        ]
        return f"{self.link}: {', '.join(parts)}"


class ReactionEquations:
    """The balance of all bodies of a mechanism, ready to be evaluated at any state."""

    def __init__(self, mechanism: Mechanism, layout: Layout | None = None) -> None:
        self.layout = layout or Layout.of(mechanism)
        self.tree: Tree = build_tree(self.layout)
        self.chain = Absolute.of(self.tree)
        self.links = list(mechanism.links.values())
        shared = self.tree.shared_speeds()
        if shared and self.layout.cuts:
            raise ModelError(
                f"'{min(shared)}' moves several links and the mechanism has loops: how coupled links share their "
                "efforts is not found yet. Write the coupling as a body of its own, or open the loops."
            )
        self.shared = {ex.symbol(x) for x in shared}

    @cached_property
    def accelerations(self) -> tuple[Expr, ...]:
        """u' of the motion."""
        return tuple(dynamics_of(self.layout).accelerations())

    @cached_property
    def needed(self) -> list[Expr]:
        """Wrench at each O_i, in the base of earth, that the links must give: moment, then force, body by body."""
        bodies = range(1, len(self.layout.bodies))
        free = [free_body(self.layout.bodies[i], self.chain.poses[i], self.chain.twists[i].angular) for i in bodies]
        psi, drift = self.chain.jacobian()
        held = time_derivative(self.tree, psi) @ Matrix.column(self.tree.speeds) + time_derivative(self.tree, drift)
        motion = psi @ Matrix.column(self.accelerations) + held
        inertia = block_diagonal([one.mass for one in free]) @ motion
        bias = [x for one in free for x in one.bias]
        known = maximal_forces(self.tree, self.chain)
        return [a - s - f for a, s, f in zip(inertia.entries, bias, known, strict=True)]

    @cached_property
    def geometry(self) -> list[tuple[list[Expr], list[Expr], list[Expr]]]:
        """For each link: pose of its second frame, motion subspace there (column by column), efforts on its speeds."""
        found = []
        for link in self.links:
            motions = self.tree.motions[link.name]
            columns, _ = joint_columns(motions, link)
            efforts = dict.fromkeys([speed for speed, _ in columns], ex.ZERO)
            for speed, effort in link_efforts(link, motions):
                efforts[speed] = efforts.get(speed, ex.ZERO) + effort
            pose = self.chain.poses[self.layout.number(link.second.body)] @ Pose.of(link.second.displacement)
            flat = [*[x for row in pose.rotation for x in row], *pose.position]
            own = [efforts[speed] for speed, _ in columns]
            found.append((flat, [x for _, twist in columns for x in twist.scalars], own))
        return found

    def at(self, state: Mapping[str, float]) -> list[Reaction]:
        """Reactions at a state: coordinates, speeds and parameters by name (coordinates of cut links included)."""
        numbers = {ex.symbol(name): float(value) for name, value in state.items()}
        numbers = {ex.TIME: 0.0, **numbers}
        numbers |= {ex.prime(x): value for x, value in self._rates(numbers).items()}
        wanted = np.array(ex.evaluate(self.needed, numbers))
        blocks, known, bases = [], np.zeros_like(wanted), []
        for link, (flat, columns, efforts) in zip(self.links, self.geometry, strict=True):
            pose = np.array(ex.evaluate(flat, numbers))
            subspace = np.array(ex.evaluate(columns, numbers)).reshape(-1, 6).T
            effect = self._effect(link, pose, numbers)
            own = np.linalg.pinv(subspace.T) @ np.array(ex.evaluate(efforts, numbers)) if efforts else np.zeros(6)
            known += effect @ own
            alone = [ex.symbol(x) not in self.shared for x in link.speeds]
            free = _complement(subspace[:, alone])
            blocks.append(effect @ free)
            bases.append((own, free))
        matrix = np.hstack(blocks) if blocks else np.zeros((len(wanted), 0))
        u, s, vt = np.linalg.svd(matrix)
        rank = int((s > 1e-9 * max(1.0, s[0] if s.size else 1.0)).sum())
        unknown = vt[:rank].T @ ((u[:, :rank].T @ (wanted - known)) / s[:rank])
        return self._collected(unknown, vt[rank:], bases)

    def _rates(self, numbers: Mapping[Expr, float]) -> dict[Expr, float]:
        rates = {x: rate for x, rate in self.tree.rates.items() if ex.prime(x) not in numbers}
        return dict(zip(rates, ex.evaluate(list(rates.values()), numbers), strict=True))

    def _effect(self, link: Link, pose: Array, numbers: Mapping[Expr, float]) -> Array:
        """What a wrench in the link's second frame does to every body (opposite on the first)."""
        rotation, position = pose[:9].reshape(3, 3), pose[9:]
        effect = np.zeros((6 * (len(self.layout.bodies) - 1), 6))
        for body, sign in ((link.second.body, 1.0), (link.first.body, -1.0)):
            i = self.layout.number(body)
            if i:
                origin = np.array(ex.evaluate(list(self.chain.poses[i].position), numbers))
                arm = position - origin
                rows = slice(6 * (i - 1), 6 * i)
                lever = np.cross(np.eye(3), arm) @ np.eye(3)
                effect[rows, :] += sign * np.block([[rotation, -lever.T @ rotation], [np.zeros((3, 3)), rotation]])
        return effect

    def _collected(self, unknown: Array, null: Array, bases: list[tuple[Array, Array]]) -> list[Reaction]:
        found, place, loose = [], 0, []
        for link, (own, free) in zip(self.links, bases, strict=True):
            count = free.shape[1]
            wrench = own + free @ unknown[place : place + count]
            moving = (
                np.abs(free @ null[:, place : place + count].T).max(axis=1, initial=0.0) if null.size else np.zeros(6)
            )
            determined = moving < 1e-7
            found.append(Reaction(link.name, wrench[:3], wrench[3:], determined))
            if not determined.all():
                loose.append(link.name)
            place += count
        if loose:
            warnings.warn(
                f"the mechanics of rigid bodies does not determine all reactions in {', '.join(loose)}: "
                "the constraints are redundant. The wrenches of least norm are given.",
                stacklevel=3,
            )
        return found


def _complement(subspace: Array) -> Array:
    """Orthonormal wrenches that do no work in the motions of a joint."""
    if subspace.size == 0:
        return np.eye(6)
    u, s, _ = np.linalg.svd(subspace)
    rank = int((s > 1e-12 * s[0]).sum()) if s.size else 0
    return u[:, rank:]


def reactions(mechanism: Mechanism, state: Mapping[str, float]) -> dict[str, Reaction]:
    """Efforts in all links at a state; names as in `m.layout()`, parameters from `given` unless the state has them.

    >>> from dalembert.mechanism import Mechanism, earth, revolute
    >>> m = Mechanism("hanging rod")
    >>> rod = m.body("rod", mass=2, centre=[0, 0, -0.5])
    >>> link = m.join(earth, rod, revolute("x"), name="pivot")
    >>> m.gravity = [0, 0, -9.81]
    >>> print(reactions(m, {"pivot.th": 0.0, "pivot.th'": 0.0})["pivot"].force.round(6))
    [ 0.    0.   19.62]
    """
    values = {**{k: float(v) for k, v in mechanism.given.items()}, **state}
    equations = ReactionEquations(mechanism)
    missing = [x for x in (*equations.layout.coordinates, *equations.layout.speeds) if x not in values]
    if missing:
        raise ModelError(f"the state lacks '{missing[0]}': reactions need every coordinate and speed.")
    return {one.link: one for one in equations.at(values)}
