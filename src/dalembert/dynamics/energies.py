"""Energies of a mechanism, and the power of everything that is not in them: d(T + V)/dt = P along every motion.

V holds all efforts that derive from a potential. P is found from efforts and reactions, never from dE/dt, so that the
balance is a check. With velocities v = v(u) + drift (a displacement that time drives), rows G u + g = 0 and their
multipliers, M u' = S + F + W^T lambda gives

    dT/dt = F . u + lambda . W u + sum (rate of momentum) . drift        perfect rows: W u = G u = -g
    P     = F' . u + dV/dt (explicit) + lambda . W u + sum (rate of momentum) . drift        F': efforts outside V
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol

from dalembert import expr as ex
from dalembert.constraints.freedom import Freedom
from dalembert.constraints.loop import Loop
from dalembert.constraints.resolve import Resolved
from dalembert.constraints.rows import Rows
from dalembert.dynamics.potential import Potential, find_potential, integrate, moving_symbols
from dalembert.expr import ZERO, Expr
from dalembert.kinematics import Tree, Twist, in_speeds, kinetic_energy, link_efforts
from dalembert.kinematics.bodies import (
    BodyMotion,
    acceleration_symbols,
    body_accelerations,
    body_motions,
    dynamic_moment,
)
from dalembert.mechanism import Link


class Machine(Protocol):
    """What energies need of the dynamics."""

    @property
    def tree(self) -> Tree: ...

    @property
    def rows(self) -> Rows: ...

    @property
    def multipliers(self) -> Sequence[Expr]: ...

    @property
    def resolved(self) -> Resolved: ...


class Energies:
    """T, V and P of a mechanism, each derived when first asked for; accelerations in P are the symbols u'.

    >>> from dalembert.dynamics import dynamics_of
    >>> from dalembert.mechanism import Layout, Mechanism, earth, prismatic
    >>> m = Mechanism()
    >>> link = m.join(earth, m.body("cart", mass="m"), prismatic("x").with_efforts(x="-k*x - c*x'"), name="s")
    >>> found = dynamics_of(Layout.of(m)).energies
    >>> found.potential, found.power
    (1/2*k*s.x**2, -c*s.x'*s.x')
    """

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.tree = machine.tree

    @cached_property
    def kinetic(self) -> Expr:
        return kinetic_energy(self.tree)

    @cached_property
    def potential(self) -> Expr:
        total = self.sources.value
        for one in self._stored:
            total = total + one.value
        return total

    @cached_property
    def sources(self) -> Potential:
        """The potential of the tree, with the efforts that it accounts for."""
        return find_potential(self.tree)

    @cached_property
    def power(self) -> Expr:
        """Of dampers, motors, explicit time and drives."""
        value, moving = self.sources.value, {ex.TIME: ex.ONE, **self.own_rates}
        total = self._of_efforts() + self._of_drives()
        if not ex.free_symbols(value).isdisjoint(moving):
            total = total + ex.tangent([value], moving)[0]
        for one in self._stored:
            total = total + one.power
        return ex.substitute([total], {ex.prime(x): rate for x, rate in self.own_rates.items()})[0]

    @cached_property
    def driven(self) -> bool:
        """Whether time alone moves a body: T has parts T1 and T0 of lower degree in the speeds."""
        return any(not node.drift.is_zero for node in self.tree.nodes)

    @cached_property
    def amended(self) -> Expr:
        """V - T0, the potential that somebody feels who is driven along: T0 is T with all speeds zero."""
        if not self.driven:
            return self.potential
        return self.potential - ex.substitute([self.kinetic], dict.fromkeys(self.tree.speeds, 0))[0]

    @cached_property
    def amended_power(self) -> Expr | None:
        """d(T2 - T0 + V)/dt along every motion, Jacobi's integral where it is zero; None where it is not derived.

        F' . u where V - T does not have the time itself: a drive at a constant pace gives no power to what moves beside
        it. One that quickens does, and what holds it at an instant says nothing of that.
        """
        rows = self.machine.rows
        if not self.driven:
            return self.power
        held = rows.imperfect or rows.bent or any(x is not ZERO for x in rows.drift) or self._stored or rows.own
        if held or ex.TIME in ex.free_symbols(list(self.tree.rates.values())):
            return None
        value = self.sources.value - self.kinetic
        if ex.TIME in ex.free_symbols([value]) and ex.reduce(ex.tangent([value], {ex.TIME: ex.ONE}))[0] is not ZERO:
            return None
        return self._of_efforts()

    @cached_property
    def own_rates(self) -> dict[Expr, Expr]:
        return {one.coordinate: one.rate for one in self.machine.rows.own}

    @cached_property
    def _stored(self) -> list[Stored]:
        """Potential and power of the efforts in each cut link."""
        rates = {**self.tree.rates, **self.own_rates}
        return [_stored(one.link, self.tree, rates) for one in self.tree.layout.cuts if _is_loaded(one.link)]

    def _of_efforts(self) -> Expr:
        """F' . u: each effort of the tree outside the potential, with the velocity that the speeds give it."""
        actions, efforts = self.sources.outside(self.tree)
        total = ZERO
        for effort in efforts:
            total += effort.effort * self.tree.rates[effort.coordinate]
        if not actions:
            return total
        moving, resting = self._motions, self._drifts
        for action in actions:
            total += action.wrench.power(moving[action.body].twist - resting[action.body].twist)
        return total

    def _of_drives(self) -> Expr:
        """Rate of momentum of each body along what time alone makes it do; reactions that have power."""
        total, rows = ZERO, self.machine.rows
        if rows.imperfect or rows.bent or any(x is not ZERO for x in rows.drift):
            for power in rows.powers(self.machine.multipliers, self.tree.speeds):
                total = total + power
        if not self.driven:
            return total
        drifting = [i for i, one in enumerate(self._drifts) if not one.twist.is_zero]
        if not drifting:
            return total
        found = body_accelerations(self.tree, self._motions, acceleration_symbols(self.tree))
        for i in drifting:
            one, drift, moved = self._motions[i], self._drifts[i], found[i]
            total += one.body.mass * moved.centre.dot(drift.centre_velocity)
            total += dynamic_moment(one, moved.angular).dot(drift.spin)
        return total

    @cached_property
    def _motions(self) -> list[BodyMotion]:
        return body_motions(self.tree)

    @cached_property
    def _drifts(self) -> list[BodyMotion]:
        """The same bodies with all speeds zero: only time moves them."""
        still = dict.fromkeys(self.tree.speeds, 0)
        flat = ex.substitute([x for one in self._motions for x in one.twist.scalars], still)
        twists = [Twist.of(flat[i : i + 6]) for i in range(0, len(flat), 6)]
        return [replace(one, twist=twist) for one, twist in zip(self._motions, twists, strict=True)]


@dataclass(frozen=True, slots=True)
class Stored:
    """Potential of the efforts in a cut link, and the power of what it leaves outside."""

    value: Expr
    power: Expr


def _is_loaded(link: Link) -> bool:
    return bool(link.joint.efforts) or any(step.is_loaded for step in link.joint.steps)


def _stored(link: Link, tree: Tree, rates: Mapping[Expr, Expr]) -> Stored:
    """Of efforts Q on the link's own speeds s: V(x) if they derive from one, and Q' . s of the rest.

    Whatever else V depends on, time or other coordinates, gives its power too; so do rates that are left when u = 0.
    """
    still = dict.fromkeys(tree.speeds, 0)
    speeds, shared = own_speeds(link, tree), ZERO
    efforts = dict.fromkeys(speeds, ZERO)
    for speed, effort in link_efforts(link, tree.motions[link.name]):
        if speed in efforts:
            efforts[speed] = efforts[speed] + effort
        else:  # of another link, whose coordinate this one uses
            shared = shared + effort * speed
    own, (extra, *values) = [ex.symbol(x) for x in link.coordinates], in_speeds(tree, [shared, *efforts.values()])
    held = ex.substitute(values, {**still, **{ex.prime(x): 0 for x in own}})
    changing = moving_symbols(tree)
    potential = integrate(held, own, changing)[0] if [ex.prime(x) for x in own] == list(speeds) else None
    left = values if potential is None else [a - b for a, b in zip(values, held, strict=True)]
    resting = ex.substitute(list(speeds.values()), still)
    power = extra
    for effort, speed, drift in zip(left, speeds.values(), resting, strict=True):
        power = power + effort * (speed - drift)
    if potential is not None:
        moving = {**rates, **dict(zip(own, resting, strict=True)), ex.TIME: ex.ONE}
        power = power + ex.tangent([potential], moving)[0]
    return Stored(ZERO if potential is None else potential, power)


def own_speeds(link: Link, tree: Tree) -> dict[Expr, Expr]:
    """The speeds of a cut link's joint, in those of the tree."""
    freedom, loop = Freedom.of(link, tree.motions[link.name]), Loop.of(tree, link)
    rest = Twist.of(in_speeds(tree, list(freedom.rest.scalars)))
    seen = Twist(loop.second.vector_back(loop.twist.angular), loop.second.vector_back(loop.twist.linear)) - rest
    return dict(zip(freedom.speeds, freedom.own_speeds(seen), strict=True))
