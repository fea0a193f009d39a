"""Quantities of a body with all that it carries: mass and inertia, momentum, efforts on it and of its inertia.

All are taken about the origin of the body; a branch of a machine is thus one solid for whoever looks at it from below.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dalembert import expr as ex
from dalembert.expr import ZERO, Expr
from dalembert.expr.space import Matrix3, Vector3, apply3, scale3, turned_symmetric
from dalembert.kinematics import Tree
from dalembert.kinematics.actions import known_actions
from dalembert.kinematics.bodies import BodyMotion, body_poses, dynamic_moment, in_time
from dalembert.kinematics.spatial import Pose, Wrench
from dalembert.mechanism import Link
from dalembert.presentation.axes import AXES, Base, Quantity, components, seen


def carried_quantities(tree: Tree, motions: Sequence[BodyMotion], bases: Sequence[Sequence[Base]]) -> list[Quantity]:
    """Momentum and efforts of every body, those that carry nothing too."""
    poses = relative_poses(tree)
    found, along = list[Quantity](), ex.Along(in_time(tree))
    momenta = gathered(tree, poses, [_momentum(one) for one in motions])
    efforts = gathered(tree, poses, _efforts(tree))
    inertia = gathered(tree, poses, [_inertia(one, along) for one in motions])
    columns = _columns(momenta, tree.speeds)
    for one in motions[1:]:
        j, told = one.number, _told(tree, one.number)
        for name, rate, part, what in (("P", "Pi", "force", "momentum"), ("H", "chi", "moment", "angular momentum")):
            vector: Vector3 = getattr(momenta[j], part)
            found += seen(f"{name}{j}", vector, f"{what} of {told}", bases[j])
            for r, column in enumerate(columns[j], 1):
                words = f"{what} of {told} for a unit of {tree.speeds[r - 1].name}"
                found += seen(f"{name}{j}", getattr(column, part), words, bases[j], f"_{r}")
            for base in bases[j]:
                rates = Vector3(along.of(apply3(base.turn, vector)))
                words = f"rates, without u', of the components of the {what} of {told} in {base.told}"
                found += components(f"{rate}{j}{base.tag}", rates, words)
        for name, wrench, what in (
            ("F_c", efforts[j], "resultant of the known efforts on"),
            ("B_c", inertia[j], "resultant of the inertia, without u', of"),
            ("R_c", inertia[j] - efforts[j], "force, without u', on"),
        ):
            found += seen(f"{name}{j}", wrench.force, f"{what} {told}", bases[j])
        for name, wrench, what in (
            ("C_c", efforts[j], "moment of the known efforts on"),
            ("N_c", inertia[j], "moment of the inertia, without u', of"),
            ("K_c", inertia[j] - efforts[j], "moment, without u', on"),
        ):
            found += seen(f"{name}{j}", wrench.moment, f"{what} {told}, about its origin", bases[j])
    return found


def _told(tree: Tree, j: int) -> str:
    name = tree.layout.bodies[j].name
    return f"{name} with all it carries" if any(one.parent == j for one in tree.layout.tree) else name


def relative_poses(tree: Tree) -> dict[int, Pose]:
    """Pose of each body in the one that carries it."""
    absolute = body_poses(tree)
    return {one.child: absolute[one.parent].inverse() @ absolute[one.child] for one in tree.layout.tree}


def gathered(tree: Tree, poses: dict[int, Pose], own: Sequence[Wrench]) -> list[Wrench]:
    """Sums over each body and all beyond it, about its origin and in its axes."""
    found = list(own)
    for one in reversed(tree.layout.tree):
        found[one.parent] = found[one.parent] + found[one.child].seen_from(poses[one.child])
    return found


def _momentum(one: BodyMotion) -> Wrench:
    return Wrench.at_point(one.body.centre, scale3(one.body.mass, one.centre_velocity), apply3(one.inertia, one.spin))


def _efforts(tree: Tree) -> list[Wrench]:
    """Known efforts on every body, joints apart."""
    total = [Wrench() for _ in tree.layout.bodies]
    for action in known_actions(tree):
        if not isinstance(action.effort, Link):
            total[action.body] = total[action.body] + action.wrench
    return total


def _inertia(one: BodyMotion, along: ex.Along) -> Wrench:
    """mu gamma(G) and the moment of the inertia, at constant speeds."""
    flat = along.of([*one.spin, *one.centre_velocity])
    acceleration = Vector3(flat[3:]) + one.spin.cross(one.centre_velocity)
    moment = dynamic_moment(one, Vector3(flat[:3]))
    return Wrench.at_point(one.body.centre, scale3(one.body.mass, acceleration), moment)


def _columns(totals: Sequence[Wrench], speeds: Sequence[Expr]) -> list[list[Wrench]]:
    """For each of them its parts for a unit of each speed."""
    slopes = ex.jacobian([x for one in totals for x in (*one.moment, *one.force)], speeds)
    blocks = [slopes[6 * i : 6 * i + 6] for i in range(len(totals))]
    return [[Wrench.of([row[r] for row in block]) for r in range(len(speeds))] for block in blocks]


# --- mass ------------------------------------------------------------------------------------------------------------


def matter_quantities(tree: Tree, motions: Sequence[BodyMotion]) -> Iterator[Quantity]:
    """Mass, first moment of mass and inertia, in the body's axes."""
    poses = relative_poses(tree)
    masses = [one.body.mass for one in motions]
    moments = [scale3(one.body.mass, one.body.centre) for one in motions]
    inertias = [about_origin(one) for one in motions]
    for link in reversed(tree.layout.tree):
        i, j = link.parent, link.child
        at, turned = poses[j].position, poses[j].vector(moments[j])
        moved = _plus(turned_symmetric(poses[j].rotation, inertias[j]), _steiner(masses[j], at, at))
        moved = _plus(moved, _plus(_steiner(ex.ONE, at, turned), _steiner(ex.ONE, turned, at)))
        masses[i], inertias[i] = masses[i] + masses[j], _plus(inertias[i], moved)
        moments[i] = moments[i] + turned + scale3(masses[j], at)
    for one in motions[1:]:
        j, told = one.number, _told(tree, one.number)
        where = f"of {told}, about its origin, in the axes of {one.body.name}"
        if masses[j].args:
            yield Quantity(f"mu{j}", masses[j], f"mu{j}", f"mass of {told}")
        yield from components(f"m{j}", moments[j], f"first moment of mass {where}")
        for a, row in enumerate(inertias[j]):
            for b, x in enumerate(row):
                if b >= a and x.args:
                    yield Quantity(f"I{j}_{AXES[a]}{AXES[b]}", x, f"I{j}", f"inertia {where}")


def about_origin(one: BodyMotion) -> Matrix3:
    """Inertia of a body about its origin, in its axes (Huygens, Steiner)."""
    return _plus(one.inertia, _steiner(one.body.mass, one.body.centre, one.body.centre))


def _steiner(mass: Expr, a: Vector3, b: Vector3) -> Matrix3:
    """mass ((a . b) 1 - a b^T)."""
    total = a.dot(b)
    rows = [Vector3(mass * ((total if i == k else ZERO) - a[i] * b[k]) for k in range(3)) for i in range(3)]
    return rows[0], rows[1], rows[2]


def _plus(a: Matrix3, b: Matrix3) -> Matrix3:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]
