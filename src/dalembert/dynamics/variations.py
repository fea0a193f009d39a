"""How the dynamics of a tree change with its state, by one recursion in numbers that grow with the tree.

All in the axes of earth about one point. Of what a joint j carries, with the twist S_j of its column, the composite
inertia I, momentum p and wrench f of the branch, v and a of the node before it (a with gravity):

    psi' = v x S,   psi'' = a x S + v x psi',   2 B w = (2 K w, 2 w x p),   K = sum m ((r.r') 1 - r' r^T)

    joints i at or beyond j: d(tau_i)/dq_j = b_i . psi'_j + A_i . psi''_j,  d(tau_i)/du_j = b_i . S_j + 2 A_i . psi'_j
    joints i before j:       d(tau_i)/dq_j = S_i . C_j,                     d(tau_i)/du_j = S_i . D_j

    A = I S,   b = 2 (K^T S + p x S),   C = 2 B psi' + I psi'' + S x* f,   D = 2 B S + 2 I psi'

(Singh, Russell and Wensing, IEEE Robot. Autom. Lett. 7, 2022; that B acts on the angular part alone is ours.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dalembert import expr as ex
from dalembert.dynamics.recursive import Recursion
from dalembert.expr import HALF, TWO, ZERO, Expr
from dalembert.expr.space import ZERO3, Matrix3, Vector3, apply3, apply_transposed3, sum3, symmetric3
from dalembert.kinematics import EARTH_NODE, Pose, RigidInertia, Twist, Wrench


@dataclass(frozen=True, slots=True)
class Variation:
    """A joint of the recursion: what it is (`twist`), what it carries, and what moving it does."""

    index: int  # of its speed
    end: int  # joints from this one to `end` are at or beyond it, in the order of the list
    above: int  # the joint that carries it, -1 for earth
    twist: Twist
    moved: Twist  # psi'
    bent: Twist  # psi''
    carried: Wrench  # A
    turned: Vector3  # b
    by_place: Wrench  # C
    by_speed: Wrench  # D
    spring: Expr  # derivatives of its own effort by its coordinate and speed
    damper: Expr


def has_variations(model: Recursion) -> bool:
    """Whether the formulas hold: one fixed axis a node, rates that are the speeds, efforts of their own joints."""
    tree = model.tree
    if tree.shares_speeds() or len(tree.coordinates) != len(tree.speeds) or any(w != Wrench() for w in model.wrenches):
        return False
    if any(tree.rates[q] is not u for q, u in zip(tree.coordinates, tree.speeds, strict=True)):
        return False
    moving = {*tree.coordinates, *tree.speeds, ex.TIME}
    for node in tree.nodes:
        scalars = [*(x for _, twist in node.columns for x in twist.scalars), *node.drift.scalars, *node.rate.scalars]
        if len(node.columns) > 1 or not node.drift.is_zero or not moving.isdisjoint(ex.free_symbols(scalars)):
            return False
        own = {s for i, _ in node.columns for s in (tree.coordinates[i], tree.speeds[i])}
        if not ex.free_symbols([*node.pose.position, *(x for row in node.pose.rotation for x in row)]) & moving <= own:
            return False
    pairs = zip(tree.coordinates, tree.speeds, model.efforts, strict=True)
    return all(ex.free_symbols([effort]) & moving <= {q, u, ex.TIME} for q, u, effort in pairs)


def variations(model: Recursion, udot: Sequence[Expr]) -> list[Variation]:
    """The joints, each before all that it carries."""
    tree, order = model.tree, outwards(model)
    poses, velocities, accelerations = dict[int, Pose](), dict[int, Twist](), dict[int, Twist]()
    bodies, columns = dict[int, Branch](), dict[int, tuple[Twist, Twist, Twist]]()
    rest, origin = Twist(ZERO3, -tree.layout.model.gravity), ZERO3
    for k in order:
        node = tree.nodes[k]
        first = node.parent == EARTH_NODE
        pose = node.pose if first else poses[node.parent] @ node.pose
        v, a = (Twist(), rest) if first else (velocities[node.parent], accelerations[node.parent])
        if k == order[0]:
            origin = pose.position
        poses[k] = pose
        place = Pose(pose.rotation, pose.position - origin)
        for index, column in node.columns:
            w = place.vector(column.angular)
            twist = Twist(w, place.vector(column.linear) + place.position.cross(w))
            moved = bracket(v, twist)
            columns[k] = (twist, moved, bracket(a, twist) + bracket(v, moved))
            u = tree.speeds[index]
            v, a = v + twist.scaled(u), a + twist.scaled(udot[index]) + moved.scaled(u)
        velocities[k], accelerations[k] = v, a
        bodies[k] = Branch.of(model.grouped[k].moved(place), v, a)
    found: dict[int, Variation] = {}
    places, ends = numbered(model, order)
    for k in reversed(order):
        node, branch = tree.nodes[k], bodies[k]
        for index, _ in node.columns:
            twist, moved, bent = columns[k]
            found[k] = Variation(
                index,
                ends[k],
                places.get(node.parent, -1),
                twist,
                moved,
                bent,
                branch.carry(twist),
                branch.turned(twist),
                branch.swept(moved) + branch.carry(bent) + dual_bracket(twist, branch.wrench),
                branch.swept(twist) + branch.carry(moved + moved),
                *effort_stiffness(model, index),
            )
        if node.parent != EARTH_NODE:
            bodies[node.parent] = bodies[node.parent] + branch
    return [found[k] for k in order if k in found]


@dataclass(frozen=True, slots=True)
class Branch:
    """Matter from a node on: its inertia, momentum, K and the wrench that its motion needs."""

    inertia: RigidInertia
    momentum: Vector3
    sweep: Matrix3
    wrench: Wrench

    @staticmethod
    def of(inertia: RigidInertia, v: Twist, a: Twist) -> Branch:
        angular, linear = inertia.momentum(v)
        needed = Wrench(*inertia.momentum(a)) + dual_bracket(v, Wrench(angular, linear))
        j, h = inertia.inertia, inertia.moment
        half = HALF * (j[0][0] + j[1][1] + j[2][2])
        spread = symmetric3(half - j[0][0], half - j[1][1], half - j[2][2], -j[0][1], -j[0][2], -j[1][2])
        # Columns of sum m r' r^T = v h^T + w~ E.
        lines = [v.linear * h[i] + v.angular.cross(spread[i]) for i in range(3)]
        trace = v.linear.dot(h)
        rows = [Vector3([(trace if i == j else ZERO) - lines[j][i] for j in range(3)]) for i in range(3)]
        return Branch(inertia, linear, (rows[0], rows[1], rows[2]), needed)

    def __add__(self, other: Branch) -> Branch:
        return Branch(
            self.inertia + other.inertia,
            self.momentum + other.momentum,
            sum3(self.sweep, other.sweep),
            self.wrench + other.wrench,
        )

    def carry(self, twist: Twist) -> Wrench:
        return Wrench(*self.inertia.momentum(twist))

    def swept(self, twist: Twist) -> Wrench:
        """2 B w."""
        w = twist.angular + twist.angular
        return Wrench(apply3(self.sweep, w), w.cross(self.momentum))

    def turned(self, twist: Twist) -> Vector3:
        """2 B^T S, of which only the angular part is not zero."""
        return TWO * (apply_transposed3(self.sweep, twist.angular) + self.momentum.cross(twist.linear))


def bracket(v: Twist, s: Twist) -> Twist:
    return Twist(v.angular.cross(s.angular), v.angular.cross(s.linear) + v.linear.cross(s.angular))


def dual_bracket(v: Twist, f: Wrench) -> Wrench:
    return Wrench(v.angular.cross(f.moment) + v.linear.cross(f.force), v.angular.cross(f.force))


def effort_stiffness(model: Recursion, index: int) -> tuple[Expr, Expr]:
    """Derivatives of a joint's own effort by its coordinate and speed."""
    tree, effort = model.tree, model.efforts[index]
    spring, damper = ex.gradient(effort, [tree.coordinates[index], tree.speeds[index]])
    return spring, damper


def outwards(model: Recursion) -> list[int]:
    """Nodes, each branch whole before the next begins."""
    beyond: dict[int, list[int]] = {}
    for k, node in enumerate(model.tree.nodes):
        beyond.setdefault(node.parent, []).append(k)
    order, waiting = list[int](), beyond.get(EARTH_NODE, [])[::-1]
    while waiting:
        k = waiting.pop()
        order.append(k)
        waiting += beyond.get(k, [])[::-1]
    return order


def numbered(model: Recursion, order: Sequence[int]) -> tuple[dict[int, int], dict[int, int]]:
    """Of each node the last joint up to it, and for each joint where its branch ends in the list of joints."""
    nodes = model.tree.nodes
    places, ends, count = dict[int, int](), dict[int, int](), 0
    for k in order:
        places[k] = count if nodes[k].columns else places.get(nodes[k].parent, -1)
        ends[k] = count = count + len(nodes[k].columns)
    for k in reversed(order):
        parent = nodes[k].parent
        if parent != EARTH_NODE:
            ends[parent] = max(ends[parent], ends[k])
    return places, ends


def effort_slopes(model: Recursion, udot: Sequence[Expr]) -> list[list[Expr]]:
    """Derivatives of the efforts that accelerations need, beyond the known ones: rows by speed, by (q, u)."""
    n, joints = len(model.tree.speeds), variations(model, udot)
    found = [[ZERO] * (2 * n) for _ in range(n)]
    for place, one in enumerate(joints):
        for beyond in joints[place : one.end]:
            row = found[beyond.index]
            row[one.index] = beyond.turned.dot(one.moved.angular) + beyond.carried.power(one.bent)
            twice = beyond.carried.power(one.moved + one.moved)
            row[n + one.index] = beyond.turned.dot(one.twist.angular) + twice
        above = one.above
        while above >= 0:
            before = joints[above]
            found[before.index][one.index] = one.by_place.power(before.twist)
            found[before.index][n + one.index] = one.by_speed.power(before.twist)
            above = before.above
        found[one.index][one.index] = found[one.index][one.index] - one.spring
        found[one.index][n + one.index] = found[one.index][n + one.index] - one.damper
    return found
