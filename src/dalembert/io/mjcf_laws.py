"""MJCF beside its bodies: equalities become links and constraints, tendons and actuators become efforts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from dalembert.errors import ModelError
from dalembert.expr import ZERO, Expr
from dalembert.io.mjcf_actuators import actuators
from dalembert.io.mjcf_tendons import Tendon, tendons
from dalembert.io.parts import WORLD
from dalembert.io.poses import Pose, at, from_quaternion
from dalembert.mechanism import spherical, weld
from dalembert.mechanism.xml import Element

if TYPE_CHECKING:
    from dalembert.io.mjcf import Tree


def read(root: Element, tree: Tree) -> list[str]:
    """All of it; gives the names of the controls, in the order of the file."""
    found = tendons(root, tree)
    controls = actuators(root, tree, found)
    for section in root.all("equality"):
        for number, one in enumerate(section.children, 1):
            _equality(tree.defaults.apply(one, "", "equality"), number, tree, found)
    return controls


# --- equalities ----------------------------------------------------------------------------------------------------


def _equality(one: Element, number: int, tree: Tree, lengths: Mapping[str, Tendon]) -> None:
    a = tree.a
    name = one.get("name") or f"{one.tag}_{number}"
    if "equality" in tree.settings.off or one.get("active") == "false":
        one.pass_over()
    if "equality" in tree.settings.off:
        a.note(f"{one.where}: equality '{name}' is switched off in the file: left out.")
    elif one.get("active") == "false":
        a.note(f"{one.where}: equality '{name}' is not active: left out.")
    elif one.tag in ("connect", "weld"):
        _closing(one, name, tree)
    elif one.tag in ("joint", "tendon"):
        _relation(one, name, tree, lengths)
    else:
        a.note(f"{one.where}: equality <{one.tag}> is left out.")


def _closing(one: Element, name: str, tree: Tree) -> None:
    """Two bodies that share a point, or stay as they are: a link that closes a loop."""
    a = tree.a
    stand = a.posture()
    if "site1" in one.attributes:
        first, second = (tree.site(one.need(x), one.where) for x in ("site1", "site2"))
    else:
        bodies = [one.need("body1"), one.get("body2") or WORLD]
        bodies = [WORLD if x == "world" else x for x in bodies]
        for body in bodies:
            if body not in stand:
                raise ModelError(f"{one.where}: there is no body '{body}'.")
        there = stand[bodies[1]].inverse() @ stand[bodies[0]]
        if one.tag == "connect":
            first = (bodies[0], at(one.numbers("anchor", [0, 0, 0], exactly=3)))
            second = (bodies[1], there @ first[1])
        else:
            pose = one.numbers("relpose", [0, 1, 0, 0, 0, 0, 0], exactly=7)
            said = any(pose[3:])
            rest = Pose(np.array(pose[:3]), from_quaternion(pose[3:], one.where)) if said else there.inverse()
            second = (bodies[1], at(one.numbers("anchor", [0, 0, 0], exactly=3)))
            first = (bodies[0], rest @ second[1])
    joint = spherical("quaternion") if one.tag == "connect" else weld()
    link = a.beside(name)
    a.later(lambda: a.m.join(a.frame(*first), a.frame(*second), joint, name=link))


def _relation(one: Element, name: str, tree: Tree, lengths: Mapping[str, Tendon]) -> None:
    """y - y0 is a polynomial of x - x0; without x it is constant."""
    a = tree.a

    def side(key: str) -> Callable[[], Expr] | None:
        called = one.get(key)
        if not called:
            return lambda: ZERO
        if one.tag == "tendon":
            if called not in lengths:
                a.note(f"{one.where}: tendon '{called}' of equality '{name}' is left out, and this with it.")
                return None
            return lambda: lengths[called].measured() - lengths[called].zero
        freedom = a.freedom(called)
        if freedom is None:
            a.note(f"{one.where}: there is no joint '{called}': equality '{name}' is left out.")
            return None
        if freedom.kind not in ("hinge", "slide"):
            a.note(f"{one.where}: equality '{name}' is not between hinges and slides: left out.")
            return None
        return lambda: a.coordinate(called, one.where) - freedom.zero

    y, x = side(f"{one.tag}1"), side(f"{one.tag}2")
    if y is None or x is None:
        return
    said = one.numbers("polycoef", [])
    first, second, coefficients = y, x, [*said, *[0.0, 1.0, 0.0, 0.0, 0.0][len(said) :]]
    link = a.beside(name)

    def constrain() -> None:
        x = second()
        rule = sum((c * x**k for k, c in enumerate(coefficients) if c and (k == 0 or x is not ZERO)), ZERO)
        a.m.constrain(first() - rule, name=link)

    a.later(constrain)
