"""Energy, momenta and power: what a motion keeps, and what changes it.

d(T + V)/dt = P_nc - dL/dt  (explicit time)        d(momentum)/dt = F        d(angular momentum at O)/dt = C(O)
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from dalembert import expr as ex
from dalembert.constraints.rows import rows_of
from dalembert.dynamics.potential import find_potential
from dalembert.expr import ZERO, Expr, dot_product
from dalembert.expr.space import ZERO3, Vector3, add3, apply3, cross, scale3
from dalembert.formalisms.hamilton import Hamiltonian
from dalembert.formalisms.lagrange import Lagrangian, closed_lagrangian, kinetic_energy, lagrangian_of
from dalembert.formalisms.registry import derive
from dalembert.kinematics import Tree, build_tree
from dalembert.kinematics.bodies import body_motions, body_poses
from dalembert.mechanism import Layout
from dalembert.mechanism.contact import say_open


@dataclass(frozen=True, slots=True)
class Balance:
    """Kinetic and potential energy, power of the efforts outside the potential, and momenta in the base of earth."""

    kinetic: Expr
    potential: Expr
    power: Expr
    momentum: Vector3
    angular_momentum: Vector3  # about the origin of earth

    @property
    def energy(self) -> Expr:
        return self.kinetic + self.potential


def balance(layout: Layout) -> Balance:
    """Energies, power and momenta as expressions of the state, springs and motors in cut links among the power.

    >>> from dalembert.mechanism import Layout, Mechanism, earth, prismatic
    >>> m = Mechanism()
    >>> link = m.join(earth, m.body("cart", mass="m"), prismatic("x").with_efforts(x="-k*x - c*x'"), name="s")
    >>> found = balance(Layout.of(m))
    >>> found.potential, found.power
    (1/2*k*s.x**2, -c*s.x'*s.x')
    """
    tree = build_tree(layout)
    found = balance_of(tree)
    if not layout.constraints:
        return found
    rows = rows_of(tree, layout.constraints)
    power = found.power + dot_product(rows.efforts, tree.speeds)
    multipliers = [ex.symbol(name) for name in rows.names]
    for one in layout.further:
        power = sum((rows.powers(multipliers, tree.speeds)[k] for k in rows.of(one.name)), power)
    return replace(found, power=power)


def balance_of(tree: Tree) -> Balance:
    motions, poses = body_motions(tree), body_poses(tree)
    found = find_potential(tree)
    power = ZERO
    actions, efforts = found.outside(tree)
    for action in actions:
        one = motions[action.body]
        power += dot_product(action.force, one.point(action.point)) + dot_product(action.torque, one.spin)
    for effort in efforts:
        power += effort.effort * tree.rates[effort.coordinate]
    total, spin = ZERO3, ZERO3
    for one, pose in zip(motions[1:], poses[1:], strict=True):
        linear = apply3(pose.rotation, scale3(one.body.mass, one.centre_velocity))
        centre = add3(pose.position, apply3(pose.rotation, one.body.centre))
        own = apply3(pose.rotation, apply3(one.inertia, one.spin))
        total, spin = add3(total, linear), add3(spin, add3(own, cross(centre, linear)))
    return Balance(kinetic_energy(motions), found.value, power, total, spin)


def lagrangian(layout: Layout, potential: str = "automatic") -> Lagrangian:
    """L = T - V in coordinates and rates, the efforts that derive from no potential, the conditions of closed loops."""
    tree = build_tree(layout)
    say_open(layout.model.contacts, "this Lagrangian")
    found = lagrangian_of(tree, potential)
    return closed_lagrangian(tree, found, rows_of(tree, layout.constraints)) if layout.constraints else found


def hamiltonian(layout: Layout, potential: str = "automatic") -> Hamiltonian:
    """H(q, p) with its canonical equations and the conditions of closed loops."""
    detail: Hamiltonian = derive(layout, "hamilton", potential=potential).detail
    return detail


def conserved(layout: Layout) -> dict[str, Expr]:
    """Integrals that can be read off: momenta of cyclic coordinates, and the energy when nothing takes it."""
    found = lagrangian(layout)
    tree = build_tree(layout)
    own = {ex.prime(q): tree.rates[q] for q in tree.coordinates}
    momenta = dict(zip((q.name for q in found.coordinates), ex.substitute(found.momenta, own), strict=True))
    kept = {f"momentum of {x}": momenta[x] for x in found.cyclic}
    whole = balance(layout)
    if whole.power is ZERO and ex.TIME not in ex.free_symbols([found.value, *found.conditions]):
        kept["energy"] = whole.energy
    return kept
