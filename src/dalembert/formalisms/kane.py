"""Kane's equations: generalised active forces and generalised inertia forces balance for every generalised speed.

Papegay 1.3.4.i-ii and 2.6. With the partial velocities v_r(P) = dv(P)/du_r and w_r = dw/du_r,

    K_r  = sum_P F . v_r(P) + sum_i C . w_r          K*_r = - sum_i mu gamma(G) . v_r(G) + (I alpha + w x I w) . w_r
    K_r + K*_r = 0
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert import expr as ex
from dalembert.expr import ZERO, Expr
from dalembert.expr.space import dot3, scale3
from dalembert.formalisms.collecting import split_accelerations
from dalembert.formalisms.equations import Equations
from dalembert.formalisms.formalism import Formalism
from dalembert.kinematics import Tree, Twist
from dalembert.kinematics.actions import coordinate_efforts, known_actions
from dalembert.kinematics.bodies import (
    BodyMotion,
    acceleration_symbols,
    body_accelerations,
    body_motions,
    dynamic_moment,
)
from dalembert.presentation.jacobians import projection
from dalembert.presentation.lines import equation
from dalembert.presentation.statements import Statements
from dalembert.presentation.theorems import PARTIAL, powers
from dalembert.presentation.vocabulary import Vocabulary


def derive(tree: Tree) -> Equations:
    """Partial velocities, then K + K* = 0."""
    motions = body_motions(tree)
    partial = partial_velocities(tree, motions)
    udot = acceleration_symbols(tree)
    mass, bias = split_accelerations(inertia_forces(tree, motions, partial, udot), udot)
    return Equations("kane", tree, mass, bias, tuple(active_forces(tree, partial)))


def partial_velocities(tree: Tree, motions: Sequence[BodyMotion]) -> list[list[Twist]]:
    """The coefficients of the speeds in the twists of the bodies: body by body, w_r and v_r(O), in the body's base."""
    rows = ex.jacobian([x for one in motions for x in one.twist.scalars], tree.speeds)
    blocks = [rows[6 * i : 6 * i + 6] for i in range(len(motions))]
    return [[Twist.of([row[r] for row in block]) for r in range(len(tree.speeds))] for block in blocks]


def active_forces(tree: Tree, partial: Sequence[Sequence[Twist]]) -> list[Expr]:
    """K_r, from every known effort."""
    total = [ZERO] * len(tree.speeds)
    for action in known_actions(tree):
        for r, twist in enumerate(partial[action.body]):
            total[r] += dot3(action.force, twist.velocity(action.point)) + dot3(action.torque, twist.angular)
    for one in coordinate_efforts(tree):
        for r, slope in enumerate(ex.gradient(tree.rates[one.coordinate], tree.speeds)):
            total[r] += one.effort * slope
    return total


def inertia_forces(
    tree: Tree, motions: Sequence[BodyMotion], partial: Sequence[Sequence[Twist]], udot: Sequence[Expr]
) -> list[Expr]:
    """-K*_r, with the accelerations u' as symbols."""
    total = [ZERO] * len(tree.speeds)
    for motion, own, moved in zip(motions, partial, body_accelerations(tree, motions, udot), strict=True):
        if not motion.has_mass:
            continue
        force = scale3(motion.body.mass, moved.centre)
        moment = dynamic_moment(motion, moved.angular)
        for r, twist in enumerate(own):
            total[r] += dot3(force, twist.velocity(motion.body.centre)) + dot3(moment, twist.angular)
    return total


# --- for people ----------------------------------------------------------------------------------------------------


def vector_level(words: Vocabulary) -> Statements:
    left, right = powers(words, "_r")
    count = len(words.tree.speeds)
    line = equation(f"r = 1..{count}: {', '.join(u.name for u in words.tree.speeds)}", left, right)
    return Statements([line], [PARTIAL], [left, right])


FORMALISM = Formalism(name="kane", title="Kane", derive=derive, vector=vector_level, matrix=projection)
