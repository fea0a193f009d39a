"""The mechanical quantities of a machine by name: what an intermediate of long equations may be.

Bodies have the numbers of the layout, coordinates and speeds theirs, from 1 on. Components are in the body's own axes,
`omega4_x`, or in those of another body, `omega4_1_x`; in `4a, 4b...`, the axes between the displacements of the link
that carries body 4; `0` is earth. The letters are those of the vector and matrix levels.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dalembert import expr as ex
from dalembert.expr import ZERO, Expr, Matrix
from dalembert.expr.space import ZERO3, Vector3, apply3, apply_transposed3, scale3
from dalembert.kinematics import Tree
from dalembert.kinematics.actions import Action, known_actions
from dalembert.kinematics.bodies import (
    BodyMotion,
    acceleration_symbols,
    body_accelerations,
    body_motions,
    body_poses,
    dynamic_moment,
    in_time,
)
from dalembert.kinematics.links import joint_powers, link_motions_of, total_powers
from dalembert.kinematics.spatial import Pose
from dalembert.mechanism import Link
from dalembert.presentation.axes import AXES, FURTHEST, Base, Quantity, bases_of, components, seen
from dalembert.presentation.carried import carried_quantities, matter_quantities
from dalembert.presentation.ties import tie_quantities


def quantities(tree: Tree, mass_matrix: Matrix) -> list[Quantity]:
    """Kinematic and kinetic quantities, and the entries of M; the first of two equal ones is the better name."""
    motions, poses, along = body_motions(tree), body_poses(tree), ex.Along(in_time(tree))
    bases = [bases_of(tree, one.number) for one in motions]
    found = [*_angles(tree), *_rates(tree)]
    for one in motions[1:]:
        found += _motion(one, bases[one.number])
        found += _places(tree, one, poses)
        found += _turns(one, bases[one.number])
    flat = [x for one in motions for x in (*one.spin, *one.velocity, *one.centre_velocity)]
    by_speed, by_place = ex.jacobian(flat, tree.speeds), ex.jacobian(flat, tree.coordinates)
    actions = [action for action in known_actions(tree) if not isinstance(action.effort, Link)]
    for one in motions[1:]:
        own = slice(9 * one.number, 9 * one.number + 9)
        found += _partial(tree, one, bases[one.number], by_speed[own], by_place[own])
        found += _remaining(one, bases[one.number], along)
        found += _efforts(tree, one, bases[one.number], [a for a in actions if a.body == one.number])
    found += [*_motors(tree), *tie_quantities(tree), *matter_quantities(tree, motions)]
    for i, row in enumerate(mass_matrix.rows(), 1):
        entries = enumerate(row[i - 1 :], i)
        found += [Quantity(f"M_{i}_{j}", x, "M", "mass matrix") for j, x in entries if x.args]
    return found + carried_quantities(tree, motions, bases)


# --- a body ----------------------------------------------------------------------------------------------------------


def _angles(tree: Tree) -> Iterator[Quantity]:
    for k, q in enumerate(tree.coordinates, 1):
        yield Quantity(f"c{k}", ex.cos(q), f"q{k}", "")
        yield Quantity(f"s{k}", ex.sin(q), f"q{k}", "")


def _rates(tree: Tree) -> Iterator[Quantity]:
    """Rates of coordinates that are no speeds: of quaternions, and where speeds were chosen."""
    for q in tree.coordinates:
        rate = tree.rates[q]
        if rate.args:
            yield Quantity(ex.prime(q).name, rate, "rate", "rate")


def _motion(one: BodyMotion, bases: Sequence[Base]) -> Iterator[Quantity]:
    j, name = one.number, one.body.name
    yield from seen(f"omega{j}", one.spin, f"angular velocity of {name}", bases)
    yield from seen(f"v_O{j}", one.velocity, f"velocity of the origin of {name}", bases)
    yield from seen(f"v_G{j}", one.centre_velocity, f"velocity of the centre of {name}", bases)
    yield from seen(f"kappa{j}", apply3(one.inertia, one.spin), f"angular momentum of {name} about its centre", bases)


def _places(tree: Tree, one: BodyMotion, poses: Sequence[Pose]) -> Iterator[Quantity]:
    """Where origin and centre are, from the origins of bodies below, in either's axes."""
    j, bodies = one.number, tree.layout.bodies
    below = [k for k in (0, *tree.layout.path(j)) if k != j]
    for k in below[-FURTHEST:]:
        pose = poses[k].inverse() @ poses[j]
        for mark, point, told in (("", pose.position, "origin"), ("G", pose.point(one.body.centre), "centre")):
            words = f"from the origin of {bodies[k].name} to the {told} of {one.body.name}"
            yield from components(f"r_{k}_{mark}{j}", point, f"{words}, in the axes of {bodies[k].name}")
            back = apply_transposed3(pose.rotation, point)
            yield from components(f"r_{k}_{mark}{j}_{j}", back, f"{words}, in the axes of {one.body.name}")


def _turns(one: BodyMotion, bases: Sequence[Base]) -> Iterator[Quantity]:
    """Direction cosines: M_0_4_xy is the y axis of body 4 along the x axis of earth."""
    for base in sorted(bases[1:], key=lambda one: one.tag != "_0"):
        family = f"M{base.tag}_{one.number}"
        meaning = f"direction cosines of {one.body.name} in {base.told}"
        for a, row in zip(AXES, base.turn, strict=True):
            for b, x in zip(AXES, row, strict=True):
                if x.args:
                    yield Quantity(f"{family}_{a}{b}", x, family, meaning)


def _partial(
    tree: Tree,
    one: BodyMotion,
    bases: Sequence[Base],
    by_speed: Sequence[Sequence[Expr]],
    by_place: Sequence[Sequence[Expr]],
) -> Iterator[Quantity]:
    """Partial velocities W, U, V for each speed, and slopes of the velocities by the coordinates."""
    j, name = one.number, one.body.name
    kinds = (("W", "omega", "angular velocity"), ("U", "v_O", "velocity of the origin"),
             ("V", "v_G", "velocity of the centre"))  # fmt: skip
    for r, speed in enumerate(tree.speeds):
        for k, (letter, _, told) in enumerate(kinds):
            vector = Vector3(row[r] for row in by_speed[3 * k : 3 * k + 3])
            words = f"partial {told} of {name} for {speed.name}"
            yield from seen(f"{letter}{j}", vector, words, bases, f"_{r + 1}")
            if letter == "W":
                words = f"angular momentum of {name} about its centre for a unit of {speed.name}, in its own axes"
                yield from components(f"kappa{j}", apply3(one.inertia, vector), words, f"_{r + 1}")
    for r, q in enumerate(tree.coordinates):
        for k, (_, letter, told) in enumerate(kinds):
            vector = Vector3(row[r] for row in by_place[3 * k : 3 * k + 3])
            words = f"slope of the {told} of {name} by {q.name}, in its own axes"
            yield from components(f"{letter}{j}", vector, words, f"_q{r + 1}")


def _remaining(one: BodyMotion, bases: Sequence[Base], along: ex.Along) -> Iterator[Quantity]:
    """Accelerations without u', and the rates of the components of velocities, at constant speeds."""
    j, name = one.number, one.body.name
    parts = {"omega": one.spin, "v_O": one.velocity, "v_G": one.centre_velocity}
    moved = {key: Vector3(along.of(vector)) for key, vector in parts.items()}
    accelerated = {key: moved[key] + one.spin.cross(parts[key]) for key in ("v_O", "v_G")}
    told = f"{name} without u'"
    yield from seen(f"Phi{j}", moved["omega"], f"angular acceleration of {told}", bases)
    yield from seen(f"Xi{j}", accelerated["v_O"], f"acceleration of the origin of {told}", bases)
    yield from seen(f"Gamma{j}", accelerated["v_G"], f"acceleration of the centre of {told}", bases)
    moment = dynamic_moment(one, moved["omega"])
    yield from seen(f"delta{j}", moment, f"moment of the inertia of {told}, about its centre", bases)
    for letter, rate, kind in (
        ("omega", "eta", "angular velocity"),
        ("v_O", "nu_O", "velocity of the origin"),
        ("v_G", "nu_G", "velocity of the centre"),
    ):
        for base in bases:
            rates = Vector3(along.of(apply3(base.turn, parts[letter])))
            words = f"rates, without u', of the components of the {kind} of {name} in {base.told}"
            yield from components(f"{rate}{j}{base.tag}", rates, words)


def accelerated(tree: Tree) -> Iterator[Quantity]:
    """Accelerations with u': of balances that are not yet solved for them."""
    motions = body_motions(tree)
    for one, moved in zip(motions, body_accelerations(tree, motions, acceleration_symbols(tree)), strict=True):
        if one.number:
            j, name, bases = one.number, one.body.name, bases_of(tree, one.number)
            yield from seen(f"alpha{j}", moved.angular, f"angular acceleration of {name}", bases)
            yield from seen(f"gamma_G{j}", moved.centre, f"acceleration of the centre of {name}", bases)


def _motors(tree: Tree) -> Iterator[Quantity]:
    """Q_r: what the springs and motors of the joints give for a unit of each speed."""
    powers = total_powers(tree, joint_powers(tree, link_motions_of(tree)))
    for r, (speed, power) in enumerate(zip(tree.speeds, powers, strict=True), 1):
        if power.args:
            yield Quantity(f"Q_{r}", power, f"Q_{r}", f"springs and motors of joints on {speed.name}")


def _efforts(tree: Tree, one: BodyMotion, bases: Sequence[Base], actions: Sequence[Action]) -> Iterator[Quantity]:
    """Known efforts on a body, joints apart: resultant and moment about the centre, and its weight."""
    j, name, force, moment, weight = one.number, one.body.name, ZERO3, ZERO3, ZERO3
    for action in actions:
        force = force + action.force
        moment = moment + action.torque + (action.point + -one.body.centre).cross(action.force)
    gravity, earth = tree.layout.model.gravity, next(base for base in bases if base.tag == "_0")
    if one.body.mass is not ZERO:
        weight = apply_transposed3(earth.turn, scale3(one.body.mass, gravity))
        yield from seen(f"g{j}", apply_transposed3(earth.turn, gravity), f"gravity at {name}", bases)
    yield from seen(f"F{j}", force, f"resultant of the known efforts on {name}", bases)
    yield from seen(f"f{j}", force + -weight, f"resultant of the applied efforts on {name}", bases)
    yield from seen(f"C{j}", moment, f"moment of the known efforts on {name}, about its centre", bases)
