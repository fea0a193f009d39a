"""Quantities of springs, dampers and actuators between bodies, by the names that motions tell: strut.l, strut.l'..."""

from __future__ import annotations

from collections.abc import Iterator

from dalembert.expr import Expr
from dalembert.kinematics import Tree, Wrench
from dalembert.kinematics.actions import known_actions
from dalembert.kinematics.effort import effort_told
from dalembert.kinematics.wrench import in_speeds
from dalembert.mechanism import Spring, TorsionSpring
from dalembert.presentation.axes import Quantity, bases_of, seen


def tie_quantities(tree: Tree) -> Iterator[Quantity]:
    """Length or angle, rate, effort, and force and moment about its origin on each of the two bodies."""
    ties = [one for one in tree.layout.model.efforts if isinstance(one, Spring | TorsionSpring)]
    for one in ties:
        length = isinstance(one, Spring)
        x, effort = ("l", "force") if length else ("th", "torque")
        measure, rate, push = effort_told(tree, one)
        if length and measure.op == "sqrt":
            (square,) = in_speeds(tree, [measure.args[0]])
            yield from _named(f"{one.name}.l_squared", square, f"square of the length of {one.name}")
        told = (x, "length" if length else "angle"), (f"{x}'", "rate"), (effort, effort)
        for (mark, what), value in zip(told, in_speeds(tree, [measure, rate, push]), strict=True):
            yield from _named(f"{one.name}.{mark}", value, f"{what} of {one.name}")
    total: dict[tuple[str, int], Wrench] = {}  # a spring and its damper are two actions
    names = {one.name for one in ties}
    for action in known_actions(tree, gravity=False) if ties else ():
        if action.name in names:
            key = action.name, action.body
            total[key] = total.get(key, Wrench()) + action.wrench
    for (name, body), wrench in total.items():
        bases, on = bases_of(tree, body), tree.layout.bodies[body].name
        yield from seen(f"F_{name}_{body}", wrench.force, f"force of {name} on {on}", bases)
        yield from seen(f"C_{name}_{body}", wrench.moment, f"moment of {name} on {on}, about its origin", bases)


def _named(name: str, value: Expr, meaning: str) -> Iterator[Quantity]:
    if value.args:
        yield Quantity(name, value, name, meaning)
