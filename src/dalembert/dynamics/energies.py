"""Energies of a mechanism, and the power of everything that is not in them: d(T + V)/dt = P along every motion.

V holds all efforts that derive from a potential. P is found from efforts and reactions, never from dE/dt, so that the
balance is a check. With velocities v = v(u) + drift (a displacement that time drives), rows G u + g = 0 and their
multipliers, M u' = S + F + G^T lambda gives

    dT/dt = F . u - lambda . g + sum (rate of momentum) . drift
    P     = F' . u + dV/dt (explicit) - lambda . g + sum (rate of momentum) . drift        F': efforts outside V
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from dalembert import expr as ex
from dalembert.dynamics.potential import Potential, find_potential
from dalembert.expr import ZERO, Expr
from dalembert.kinematics import Tree, Twist, kinetic_energy
from dalembert.kinematics.bodies import (
    BodyMotion,
    acceleration_symbols,
    body_accelerations,
    body_motions,
    dynamic_moment,
)


class Energies:
    """T, V and P of a mechanism, each derived when first asked for; accelerations in P are the symbols u'.

    >>> from dalembert.kinematics import build_tree
    >>> from dalembert.mechanism import Layout, Mechanism, earth, prismatic
    >>> m = Mechanism()
    >>> link = m.join(earth, m.body("cart", mass="m"), prismatic("x").with_efforts(x="-k*x - c*x'"), name="s")
    >>> found = Energies(build_tree(Layout.of(m)))
    >>> found.potential, found.power
    (1/2*k*s.x**2, -c*s.x'*s.x')
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    @cached_property
    def kinetic(self) -> Expr:
        return kinetic_energy(self.tree)

    @property
    def potential(self) -> Expr:
        return self.sources.value

    @cached_property
    def sources(self) -> Potential:
        """The potential, with the efforts that it accounts for."""
        return find_potential(self.tree)

    @cached_property
    def power(self) -> Expr:
        """Of dampers, motors, explicit time and drives."""
        explicit = ex.tangent([self.potential], {ex.TIME: ex.ONE})[0]
        return self._of_efforts() + explicit + self._of_drives()

    def _of_efforts(self) -> Expr:
        """F' . u: each effort outside the potential, with the velocity that the speeds give it."""
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
        """Rate of momentum of each body along what time alone makes it do."""
        total = ZERO
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
