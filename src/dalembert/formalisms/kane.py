"""Kane's equations: generalised active forces and generalised inertia forces balance for every generalised speed.

Papegay 1.3.4.i-ii and 2.6. With the partial velocities v_r(P) = dv(P)/du_r and w_r = dw/du_r,

    K_r  = sum_P F . v_r(P) + sum_i C . w_r          K*_r = - sum_i mu gamma(G) . v_r(G) + (I alpha + w x I w) . w_r
    K_r + K*_r = 0
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert import expr as ex
from dalembert.expr import ZERO, Expr
from dalembert.expr.space import Vector3, apply3, dot3, scale3
from dalembert.formalisms.collecting import split_accelerations
from dalembert.formalisms.equations import Equations
from dalembert.formalisms.formalism import Formalism
from dalembert.formalisms.speeds import ChosenTree
from dalembert.kinematics import Tree, Twist
from dalembert.kinematics.actions import coordinate_efforts, known_actions
from dalembert.kinematics.bodies import (
    BodyMotion,
    acceleration_symbols,
    body_accelerations,
    body_motions,
    dynamic_moment,
    in_time,
)
from dalembert.kinematics.links import link_motions_of
from dalembert.presentation.formula import Writer
from dalembert.presentation.jacobians import projection
from dalembert.presentation.lines import Line, Statement, equation, scalar_line
from dalembert.presentation.statements import Statements
from dalembert.presentation.theorems import PARTIAL, powers
from dalembert.presentation.vocabulary import Vocabulary


def derive(tree: Tree) -> Equations:
    """Partial velocities, then K + K* = 0."""
    motions = body_motions(tree)
    partial = partial_velocities(tree, motions)
    udot = acceleration_symbols(tree)
    active = tuple(active_forces(tree, partial))
    found = [inertia_forces(tree, motions, partial, udot)]
    if isinstance(tree, ChosenTree):
        chosen = [u for u, formula in tree.definitions.items() if formula is not u]
        found += [inertia_in_short_bases(tree, motions, partial, udot, u) for u in (chosen, tree.speeds)]
    ways = [Equations("kane", tree, *split_accelerations(inertia, udot), active) for inertia in found]
    return ways[0] if len(ways) == 1 else min((one.reduced() for one in ways), key=lambda one: one.operations)


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


def inertia_in_short_bases(
    tree: Tree,
    motions: Sequence[BodyMotion],
    partial: Sequence[Sequence[Twist]],
    udot: Sequence[Expr],
    speeds: Sequence[Expr],
) -> list[Expr]:
    """-K*_r with the velocity of each centre in the base where it is shortest: good speeds are its components there.

    The velocities are written by their partial velocities for the given speeds.
    """
    total = [ZERO] * len(tree.speeds)
    accelerations = body_accelerations(tree, motions, udot)
    for motion, own, moved in zip(motions, partial, accelerations, strict=True):
        if not motion.has_mass:
            continue
        spin, velocity = shortest_velocity(tree, motions, motion.number, speeds)
        centre = Vector3(ex.tangent(velocity, in_time(tree, udot))) + spin.cross(velocity)
        force, moment = scale3(motion.body.mass, centre), dynamic_moment(motion, moved.angular)
        slopes = ex.jacobian(velocity, tree.speeds)
        for r, twist in enumerate(own):
            arm = Vector3(row[r] for row in slopes)
            total[r] += dot3(force, arm) + dot3(moment, twist.angular)
    return total


def shortest_velocity(
    tree: Tree, motions: Sequence[BodyMotion], number: int, speeds: Sequence[Expr]
) -> tuple[Vector3, Vector3]:
    """The spin of a base on the way to earth and the velocity of a body's centre in it, in the fewest operations."""
    velocity, place, found = motions[number].centre_velocity, number, list[tuple[int, Vector3, Vector3]]()
    links = {one.link.child: one for one in link_motions_of(tree)}
    while True:
        slopes = [[ex.tidy(x) for x in row] for row in ex.jacobian(velocity, speeds)]
        rest = ex.reduce(ex.substitute(velocity, dict.fromkeys(speeds, ZERO)))
        velocity = Vector3(ex.dot_product(row, speeds) + other for row, other in zip(slopes, rest, strict=True))
        found.append((ex.count_operations(velocity), motions[place].spin, velocity))
        if place == 0:
            return min(found, key=lambda one: one[0])[1:]
        velocity = apply3(links[place].pose.rotation, velocity)
        place = links[place].link.parent


# --- for people ----------------------------------------------------------------------------------------------------


def vector_level(words: Vocabulary) -> Statements:
    left, right = powers(words, "_r")
    count = len(words.tree.speeds)
    line = equation(f"r = 1..{count}: {', '.join(u.name for u in words.tree.speeds)}", left, right)
    return Statements([line], [PARTIAL], [left, right])


def partial_velocity_table(tree: Tree) -> Statement:
    """For every speed the partial angular velocity of each body and the partial velocity of its centre, in its base.

    What vanishes is left out (Papegay L3327).
    """
    motions = body_motions(tree)
    lines, hand = list[Line](), Writer(moving=[u.name for u in tree.speeds])
    for r, speed in enumerate(tree.speeds):
        for motion, own in zip(motions[1:], partial_velocities(tree, motions)[1:], strict=True):
            name, twist = motion.body.name, own[r]
            for letter, vector in (("W", twist.angular), ("V", twist.velocity(motion.body.centre))):
                told = "angular velocity" if letter == "W" else "velocity of the centre"
                label = f"partial {told} of {name} for {speed.name}"
                for axis, x in zip("xyz", ex.reduce(vector), strict=True):
                    if x is not ZERO:
                        symbol = ex.symbol(f"{letter}{motion.number}_{axis}_{r + 1}")
                        lines.append(scalar_line(label, symbol, ex.tidy(x, for_reading=True), hand))
                        label = ""
    return Statement("kane", "scalar", "partial velocities, each in the axes of its body", tuple(lines), ())


FORMALISM = Formalism(name="kane", title="Kane", derive=derive, vector=vector_level, matrix=projection)
