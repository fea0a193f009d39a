"""The Gibbs-Appell equations: the energy of accelerations, derived with respect to the accelerations.

Papegay 1.3.3.xi-xii, in the form for rigid bodies (terms without accelerations left out):

    G = sum_i mu gamma(G)^2 / 2 + alpha . I alpha / 2 + alpha . (w x I w)          dG/du'_r = Q_r

Q_r is the coefficient of u_r in the power of the known efforts.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert import algebra as al
from dalembert import expr as ex
from dalembert.expr import HALF, ZERO, Expr
from dalembert.expr.space import apply3, cross, dot3
from dalembert.formalisms.collecting import split_accelerations
from dalembert.formalisms.equations import Equations
from dalembert.formalisms.formalism import Formalism
from dalembert.kinematics import Tree
from dalembert.kinematics.actions import coordinate_efforts, known_actions, pull_back
from dalembert.kinematics.bodies import BodyMotion, acceleration_symbols, body_accelerations, body_motions
from dalembert.presentation.closing import reaction_terms
from dalembert.presentation.jacobians import projection
from dalembert.presentation.lines import definition, plain
from dalembert.presentation.statements import Statements
from dalembert.presentation.theorems import power_of_efforts
from dalembert.presentation.vocabulary import Vocabulary


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


# --- for people ----------------------------------------------------------------------------------------------------


def vector_level(words: Vocabulary) -> Statements:
    total = al.number(0)
    for i in words.bodies():
        g, a, w = words.vector(f"gamma(G{i})"), words.vector(f"alpha{i}"), words.vector(f"omega{i}")
        if i in words.massive():
            total = total + HALF * words.mass(i) * al.dot(g, g)
        if i in words.rotating():
            inertia = words.inertia(i)
            total = total + HALF * al.dot(a, inertia * a) + al.dot(a, al.cross(w, inertia * w))
    power = power_of_efforts(words)
    text, latex = reaction_terms(words, "u_r", "u_r")
    lines = [
        plain(
            f"r = 1..{len(words.tree.speeds)}",
            "dG/du'_r = dP/du_r" + text,
            "\\frac{\\partial G}{\\partial \\dot{u}_r} = \\frac{\\partial P}{\\partial u_r}" + latex,
        )
    ]
    heads = [
        definition(al.scalar("G"), total, label="energy of accelerations"),
        definition(al.scalar("P"), power, label="power of the known efforts, held while deriving"),
    ]
    return Statements(lines, heads, [total, power])


FORMALISM = Formalism(name="gibbs-appell", title="Gibbs-Appell", derive=derive, vector=vector_level, matrix=projection)
