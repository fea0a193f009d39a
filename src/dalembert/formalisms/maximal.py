"""Lagrange's equations in absolute coordinates: every body free, every link a condition with its multipliers.

Papegay 1.3.3.iii-iv and 3.3 steps 1-2:   M p'' = S + F + D^T lambda,    D p'' = c

The rows of D are the link's powerless wrenches applied to its relative velocity, so the multipliers of a link are the
free components of its reaction. Nothing of Newton-Euler is used: M and S come from the kinetic energy T(p, p').
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dalembert import expr as ex
from dalembert.constraints.complement import Complement, complement
from dalembert.dynamics.potential import find_potential
from dalembert.expr import ONE, TIME, ZERO, Expr, Matrix, dot_product
from dalembert.expr.space import Vector3, sub3
from dalembert.formalisms.lagrange import Lagrangian, kinetic_energy, lagrangian_derivative
from dalembert.formalisms.newton_euler import Isolated, isolate
from dalembert.formalisms.reactions import motor_wrench
from dalembert.kinematics import COMPONENTS, Tree, Twist, Wrench, build_tree
from dalembert.kinematics.actions import known_actions, pull_back
from dalembert.kinematics.bodies import BodyMotion, body_motions, body_poses
from dalembert.kinematics.links import LinkMotion, link_twist
from dalembert.mechanism import Layout, Link, Mechanism, earth, free


@dataclass(frozen=True)
class MaximalEquations:
    """M p'' = S + F + D^T lambda, D p'' = c, with `embedding` p and p' as functions of the relative state."""

    tree: Tree
    coordinates: tuple[Expr, ...]
    rates: tuple[Expr, ...]
    mass_matrix: Matrix
    bias: tuple[Expr, ...]
    forces: tuple[Expr, ...]
    jacobian: Matrix
    right: tuple[Expr, ...]
    multipliers: tuple[Expr, ...]
    complements: Mapping[str, Complement]
    embedding: Mapping[Expr, Expr]

    def reaction(self, link: str) -> Wrench:
        """Perfect reaction of a link on its child (at the child's origin, in its base) in the multipliers."""
        found = self.complements[link]
        own = [ex.symbol(f"{link}.{COMPONENTS[k]}") for k in found.free]
        parts = [dot_product(own, [column[i] for column in found.basis]) for i in range(6)]
        return Wrench.of(parts)


def derive(layout: Layout) -> MaximalEquations:
    """Free bodies by Lagrange, links by multipliers."""
    tree = build_tree(layout)
    loose = build_tree(Layout.of(released(layout)))
    motions, system = body_motions(loose), isolate(tree)
    p, rates = loose.coordinates, tuple(ex.prime(x) for x in loose.coordinates)
    efforts = _efforts(tree, system, motions, rates)
    lagrangian = Lagrangian(kinetic_energy(motions), find_potential(loose, "gravity").value, tuple(efforts), p, rates)
    mass, bias = lagrangian_derivative(lagrangian)
    slopes = ex.gradient(lagrangian.potential, p)
    conditions: list[Expr] = []
    names: list[Expr] = []
    complements: dict[str, Complement] = {}
    for one in system.links:
        link = one.link.link.name
        complements[link] = complement([twist for _, twist in one.columns])
        conditions += _conditions(tree, one, motions, complements[link])
        names += [ex.symbol(f"{link}.{COMPONENTS[k]}") for k in complements[link].free]
    along = {TIME: ONE, **dict(zip(p, rates, strict=True)), **tree.rates}
    rows = ex.jacobian(conditions, rates) if conditions else []
    return MaximalEquations(
        tree,
        p,
        rates,
        mass,
        tuple(bias),
        tuple(q - v for q, v in zip(efforts, slopes, strict=True)),
        Matrix(rows, (len(conditions), len(p))),
        tuple(-x for x in ex.tangent(conditions, along)),
        tuple(names),
        complements,
        _embedding(tree, loose),
    )


def released(layout: Layout) -> Mechanism:
    """The same bodies, each free, in the order of the layout."""
    made = Mechanism(f"{layout.model.name}, bodies released")
    for body in layout.bodies[1:]:
        made.add_body(body)
        made.join(earth, body, free("bryant", "rates"), name=f"{body.name}_abs")
    made.gravity = layout.model.gravity
    return made


def _efforts(tree: Tree, system: Isolated, motions: Sequence[BodyMotion], rates: Sequence[Expr]) -> list[Expr]:
    """Generalised efforts in absolute coordinates; joint coordinates stay as they are in the laws of the efforts."""
    fields: list[Expr] = []
    efforts: list[Expr] = []

    def push(body: int, point: Vector3, force: Vector3, torque: Vector3) -> None:
        if body:
            fields.extend([*motions[body].point(point), *motions[body].spin])
            efforts.extend([*force, *torque])

    for action in known_actions(tree, gravity=False):
        if not isinstance(action.effort, Link):
            push(action.body, action.point, action.force, action.torque)
    for one in system.links:
        wrench = motor_wrench(system, one)
        back = wrench.seen_from(one.pose)
        origin = (ZERO, ZERO, ZERO)
        push(one.link.child, origin, wrench.force, wrench.moment)
        push(one.link.parent, origin, sub3(origin, back.force), sub3(origin, back.moment))
    return pull_back(fields, efforts, rates)


def _conditions(tree: Tree, one: LinkMotion, motions: Sequence[BodyMotion], found: Complement) -> list[Expr]:
    """The relative velocity has no component along the reactions (but that of a displacement driven by time)."""
    child, parent = motions[one.link.child], motions[one.link.parent]
    slip = child.twist - parent.twist.at(one.pose) - _drift(tree, one)
    return [dot_product(column, slip.scalars) for column in found.basis]


def _drift(tree: Tree, one: LinkMotion) -> Twist:
    """Relative twist of the child at its origin when all speeds vanish."""
    twist = link_twist(tree, one.link.link.name).at(tree.place[one.link.child][1])
    return Twist.of(ex.substitute(list(twist.scalars), dict.fromkeys(tree.speeds, 0)))


def _embedding(tree: Tree, loose: Tree) -> dict[Expr, Expr]:
    """Absolute coordinates and their rates in the relative state: positions, and the Bryant angles of rotations."""
    found: dict[Expr, Expr] = {}
    for body, pose in zip(tree.layout.bodies[1:], body_poses(tree)[1:], strict=True):
        r = pose.rotation
        angles = [ex.atan2(-r[1][2], r[2][2]), ex.asin(r[0][2]), ex.atan2(-r[0][1], r[0][0])]
        names = [ex.symbol(f"{body.name}_abs.{x}") for x in ("x", "y", "z", "al", "be", "ga")]
        found |= dict(zip(names, [*pose.position, *angles], strict=True))
    values = [found[x] for x in loose.coordinates]
    moved = ex.tangent(values, {TIME: ONE, **tree.rates})
    return {**found, **{ex.prime(x): v for x, v in zip(loose.coordinates, moved, strict=True)}}
