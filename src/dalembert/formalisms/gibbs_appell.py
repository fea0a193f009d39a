"""The Gibbs-Appell equations: the energy of accelerations, derived with respect to the accelerations.

Papegay 1.3.3.xi-xii, in the form for rigid bodies (terms without accelerations left out):

    G = sum_i mu gamma(G)^2 / 2 + alpha . I alpha / 2 + alpha . (w x I w)          dG/du'_r = Q_r

Q_r is the coefficient of u_r in the power of the known efforts.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert import expr as ex
from dalembert.expr import HALF, ZERO, Expr
from dalembert.expr.space import apply3, cross, dot3
from dalembert.formalisms.collecting import split_accelerations
from dalembert.formalisms.equations import Equations
from dalembert.kinematics import Tree
from dalembert.kinematics.actions import coordinate_efforts, known_actions, pull_back
from dalembert.kinematics.bodies import BodyMotion, acceleration_symbols, body_accelerations, body_motions


def derive(tree: Tree) -> Equations:
    """Gradient of the Gibbs function."""
    motions, udot = body_motions(tree), acceleration_symbols(tree)
    slopes = ex.gradient(gibbs_function(tree, motions, udot), udot)
    mass, bias = split_accelerations(slopes, udot)
    return Equations("gibbs-appell", tree, mass, bias, tuple(generalised_efforts(tree, motions)))


def gibbs_function(tree: Tree, motions: Sequence[BodyMotion], udot: Sequence[Expr]) -> Expr:
    """The energy of accelerations."""
    total = ZERO
    for one, moved in zip(motions, body_accelerations(tree, motions, udot), strict=True):
        if one.has_mass:
            total += HALF * one.body.mass * dot3(moved.centre, moved.centre)
            total += HALF * dot3(moved.angular, apply3(one.inertia, moved.angular))
            total += dot3(moved.angular, cross(one.spin, apply3(one.inertia, one.spin)))
    return total


def generalised_efforts(tree: Tree, motions: Sequence[BodyMotion]) -> list[Expr]:
    """Coefficients of the speeds in the power of the known efforts."""
    fields: list[Expr] = []
    efforts: list[Expr] = []
    for action in known_actions(tree):
        one = motions[action.body]
        fields += [*one.point(action.point), *one.spin]
        efforts += [*action.force, *action.torque]
    for effort in coordinate_efforts(tree):
        fields.append(tree.rates[effort.coordinate])
        efforts.append(effort.effort)
    return pull_back(fields, efforts, tree.speeds)
