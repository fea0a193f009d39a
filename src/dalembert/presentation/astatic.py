"""Astatic moments: what forces and places make together before anybody asks how the body can turn.

A virtual motion of a body is O* + R* x. The power of forces f at the places x of the body is therefore F . O* + A : R*,
with F their sum and A = sum f x^T, the astatic moment: f in the axes of earth, x from the origin and in the axes of the
body. Its antisymmetric part is the moment; a couple about z is a force along y at the end of a unit of x. Carried to
the axes below, R_j = R_i Q, O_j = O_i + R_i p,

    F_i = F_j          A_i = A_j Q^T + F_j p^T

d'Alembert's derivation, which knows positions alone, is made of them: A of the efforts, of the inertia without u', and
of the inertia for a unit of each u'. For the mass, Sigma = integral of x x^T dm gives A = R'' Sigma + O'' h^T.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dalembert import expr as ex
from dalembert.expr import HALF, ZERO, Expr
from dalembert.expr.space import IDENTITY3, ZERO3, Matrix3, Vector3, apply3, product3, transpose3
from dalembert.kinematics import Pose, Tree, body_inertia
from dalembert.kinematics.actions import known_actions
from dalembert.kinematics.bodies import body_poses, in_time
from dalembert.kinematics.tree import EARTH_NODE
from dalembert.presentation.axes import AXES, Quantity

_NOTHING: Matrix3 = (ZERO3, ZERO3, ZERO3)


@dataclass(frozen=True, slots=True)
class Load:
    """Forces on a body: their sum, and their astatic moment, rows along the axes of earth."""

    force: Vector3 = ZERO3
    astatic: Matrix3 = _NOTHING

    def __add__(self, other: Load) -> Load:
        return Load(self.force + other.force, _plus(self.astatic, other.astatic))

    def carried(self, pose: Pose) -> Load:
        """The same for the axes in which the body has this pose."""
        turned = product3(self.astatic, transpose3(pose.rotation))
        return Load(self.force, _plus(turned, _dyad(self.force, pose.position)))


def _plus(a: Matrix3, b: Matrix3) -> Matrix3:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def _dyad(a: Vector3, b: Vector3) -> Matrix3:
    rows = [Vector3(x * y for y in b) for x in a]
    return rows[0], rows[1], rows[2]


def astatic_quantities(tree: Tree) -> Iterator[Quantity]:
    """Second moments of mass, direction cosines for a unit of each speed, and the astatic moments of all loads."""
    poses = body_poses(tree)
    spreads = [_spread(tree, i) for i in range(len(poses))]
    for i, spread in enumerate(spreads[1:], 1):
        told = f"second moments of mass of {tree.layout.bodies[i].name} about its origin, in its own axes"
        yield from _entries(f"Sigma{i}", spread, told, half=True)
    along, flat = ex.Along(in_time(tree)), [x for pose in poses for v in (*pose.rotation, pose.position) for x in v]
    rates = along.of(flat)
    slopes = ex.jacobian(rates, tree.speeds)
    loads = [("zeta", "", "of the inertia, without u',", _moved(tree, spreads, along.of(rates)))]
    for r, speed in enumerate(tree.speeds):
        column = [row[r] for row in slopes]
        unit = f"for a unit of {speed.name}"
        for i, body in enumerate(tree.layout.bodies[1:], 1):
            words = f"direction cosines of {body.name} in the axes of earth {unit}"
            yield from _entries(f"M_0_{i}", _pose(column, i).rotation, words, f"_{r + 1}")
        loads.append(("zeta", f"_{r + 1}", f"of the inertia {unit}'", _moved(tree, spreads, column)))
    loads.append(("xi", "", "of the known efforts", _efforts(tree, poses)))
    for letter, tail, told, own in loads:
        for mark, where, load in _gathered(tree, own):
            yield from _entries(f"{letter}{mark}", load.astatic, f"astatic moment {told} on {where}", tail)
            yield from _in_planes(f"{letter}{mark}", load.astatic, f"astatic moment {told} on {where}", tail)


def _spread(tree: Tree, i: int) -> Matrix3:
    """Sigma = tr(I_O)/2 1 - I_O."""
    inertia = body_inertia(tree.layout.bodies[i]).inertia
    half = HALF * (inertia[0][0] + inertia[1][1] + inertia[2][2])
    rows = [Vector3((half if a == b else ZERO) - inertia[a][b] for b in range(3)) for a in range(3)]
    return rows[0], rows[1], rows[2]


def _pose(flat: Sequence[Expr], i: int) -> Pose:
    a = flat[12 * i : 12 * i + 12]
    return Pose((Vector3(a[:3]), Vector3(a[3:6]), Vector3(a[6:9])), Vector3(a[9:]))


def _moved(tree: Tree, spreads: Sequence[Matrix3], flat: Sequence[Expr]) -> list[Load]:
    """Inertia of every body for second rates of its pose, or for a column of them."""
    found = [Load()]
    for i, body in enumerate(tree.layout.bodies[1:], 1):
        matter, second = body_inertia(body), _pose(flat, i)
        force = matter.mass * second.position + apply3(second.rotation, matter.moment)
        spread = product3(second.rotation, spreads[i])
        found.append(Load(force, _plus(spread, _dyad(second.position, matter.moment))))
    return found


def _efforts(tree: Tree, poses: Sequence[Pose]) -> list[Load]:
    found = [Load() for _ in poses]
    for action in known_actions(tree):
        turn, (x, y, z) = transpose3(poses[action.body].rotation), action.torque
        force = apply3(poses[action.body].rotation, action.force)
        couple = transpose3((z * turn[1], x * turn[2], y * turn[0]))
        found[action.body] = found[action.body] + Load(force, _plus(_dyad(force, action.point), couple))
    return found


def _gathered(tree: Tree, own: Sequence[Load]) -> Iterator[tuple[str, str, Load]]:
    """Loads of all that stands beyond, for the axes of every body and those between the displacements of links."""
    total = [Load() for _ in tree.nodes]
    standing: dict[int, list[int]] = {}
    for i, (node, _) in enumerate(tree.place):
        standing.setdefault(node, []).append(i)
    for node in range(len(tree.nodes) - 1, EARTH_NODE, -1):
        here = total[node]
        for i in standing.get(node, ()):
            here = here + own[i].carried(tree.place[i][1])
        name, inside = node, 0
        for i in standing.get(node, ()):
            body, place, name = tree.layout.bodies[i].name, tree.place[i][1], i
            yield f"{i}", f"{body} with all it carries, in its own axes", here.carried(place.inverse())
            yield f"_own{i}", f"{body} alone, in its own axes", own[i]
            if place.rotation is not IDENTITY3:
                inside = 1
        told = tree.layout.bodies[name].name if node in standing else f"joint {node}"
        mark = f"{name}" if node in standing else f"_n{node}"
        for pose in reversed(tree.nodes[node].chain):
            if inside:
                yield f"{mark}{chr(96 + inside)}", f"{told} with all it carries, in the axes {inside} below it", here
            here, inside = here.carried(pose), inside + (pose.rotation is not IDENTITY3)
        parent = tree.nodes[node].parent
        if parent != EARTH_NODE:
            total[parent] = total[parent] + here


def _in_planes(family: str, a: Matrix3, told: str, tail: str) -> Iterator[Quantity]:
    """What turns about an axis across a plane, and what turns with it by a quarter: all that a plane machine has."""
    for k, axis in enumerate(AXES):
        i, j = (k + 1) % 3, (k + 2) % 3
        for mark, x in (("t", a[j][i] - a[i][j]), ("n", a[i][i] + a[j][j])):
            if x.args:
                words = f"in the plane across {axis}: A_{AXES[j]}{AXES[i]} - A_{AXES[i]}{AXES[j]} (t), "
                words += f"A_{AXES[i]}{AXES[i]} + A_{AXES[j]}{AXES[j]} (n)"
                yield Quantity(f"{family}_{mark}{axis}{tail}", x, f"{family}_{axis}{tail}", f"{told}, {words}")


def _entries(family: str, values: Matrix3, told: str, tail: str = "", half: bool = False) -> Iterator[Quantity]:
    for i, (a, row) in enumerate(zip(AXES, values, strict=True)):
        for k, (b, x) in enumerate(zip(AXES, row, strict=True)):
            if x.args and (k >= i or not half):
                yield Quantity(f"{family}_{a}{b}{tail}", x, family + tail, told)
