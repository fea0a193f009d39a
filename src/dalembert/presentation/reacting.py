"""Quantities of conditions and closed loops: what a unit of a multiplier does to each body, roots and their rates.

A reaction is seen, as known efforts are, on a body with all that it carries: `h_c3_y_5` is the force along the y axis
of body 3 of a unit of the fifth multiplier, `k_c3_y_5` its moment about the origin of body 3.
"""

from __future__ import annotations

from collections.abc import Iterator

from dalembert import expr as ex
from dalembert.constraints.actions import constraint_actions
from dalembert.constraints.rows import Rows
from dalembert.expr import ZERO, Expr
from dalembert.kinematics import Pose, Tree, Wrench
from dalembert.kinematics.bodies import body_poses, in_time
from dalembert.presentation.axes import Quantity, bases_of, seen
from dalembert.presentation.carried import gathered, relative_poses


def reaction_quantities(rows: Rows, tree: Tree) -> Iterator[Quantity]:
    """Unit reactions on bodies and on speeds, and the roots that conditions hold."""
    yield from _roots(rows, tree)
    yield from _on_bodies(rows, tree)
    weights = [ex.symbol(name) for name in rows.names]
    for r, (speed, x) in enumerate(zip(tree.speeds, rows.efforts_of(weights), strict=True), 1):
        if x.args:
            yield Quantity(f"R_{r}", x, f"R_{r}", f"reactions on {speed.name}")


def _on_bodies(rows: Rows, tree: Tree) -> Iterator[Quantity]:
    """Force and moment about its origin of a unit of each multiplier on a body with all it carries."""
    weights = [ZERO if k in rows.implied else ex.symbol(name) for k, name in enumerate(rows.names)]
    total = [Wrench() for _ in tree.layout.bodies]
    for body, wrench in (*constraint_actions(tree, rows, weights).bodies, *_of_cut_links(rows, tree, weights)):
        total[body] = total[body] + wrench
    carried = gathered(tree, relative_poses(tree), total)
    units = [x for x in weights if x is not ZERO]
    slopes = ex.jacobian([x for one in carried for x in one.scalars], units)
    for j in range(1, len(tree.layout.bodies)):
        bases, name = bases_of(tree, j), tree.layout.bodies[j].name
        for c, weight in enumerate(units):
            one = Wrench.of([row[c] for row in slopes[6 * j : 6 * j + 6]])
            words = f"of a unit of {weight.name} on {name} and what it carries"
            k = rows.names.index(weight.name) + 1
            yield from seen(f"h_c{j}", one.force, f"force {words}", bases, f"_{k}")
            yield from seen(f"k_c{j}", one.moment, f"moment {words}, about its origin", bases, f"_{k}")


def _of_cut_links(rows: Rows, tree: Tree, weights: list[Expr]) -> Iterator[tuple[int, Wrench]]:
    """What the joints of cut links do to their two bodies, about the origins of these."""
    poses = body_poses(tree)
    for one in tree.layout.cuts:
        held = Pose.of(one.link.second.displacement)
        total = Wrench()
        for weight, name, unit in zip(weights, rows.names, rows.wrenches, strict=True):
            if unit is not None and name.rpartition(".")[0] == one.link.name:
                total = total + Wrench.of([weight * x for x in unit.scalars])
        yield one.second, total.seen_from(held)
        between = poses[one.first].inverse() @ poses[one.second]
        yield one.first, Wrench.of([-x for x in total.seen_from(between @ held).scalars])


def _roots(rows: Rows, tree: Tree) -> Iterator[Quantity]:
    """Square roots in conditions, what is divided by them, and the rates of both: of a disc that rolls, its tilt."""
    along = ex.Along(in_time(tree))
    seen_before = set[Expr]()
    for k, owner in enumerate(rows.owners):
        nodes = [] if rows.wrenches[k] is not None else ex.topological([rows.conditions[k]])
        roots = [e for e in nodes if e.op == "sqrt"]
        parts = [e for e in nodes if e.op == "div" and e.args[1] in roots]
        for letter, found, told in (("root", roots, "root"), ("tilt", parts, "quotient by a root")):
            for e in found:
                if e in seen_before:
                    continue
                number = sum(1 for x in seen_before if x.op == e.op) + 1
                seen_before.add(e)
                (rate,) = along.of([e])
                name, words = f"{letter}_{number}", f"{told} in the condition {owner}"
                yield Quantity(name, e, name, words)
                yield Quantity(f"d{name}", rate, f"d{name}", f"rate of the {words}")
                if e.op == "sqrt":
                    (square,) = along.of([e.args[0]])
                    yield Quantity(f"sq_{name}", e.args[0], f"sq_{name}", f"square of the {words}")
                    yield Quantity(f"dsq_{name}", square, f"dsq_{name}", f"rate of the square of the {words}")
