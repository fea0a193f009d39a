"""MJCF beside its bodies: equalities become links and constraints, tendons and actuators become efforts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import ZERO, Expr
from dalembert.io.assembly import Assembly
from dalembert.io.mjcf_scope import ACTUATORS, is_limited
from dalembert.io.parts import WORLD
from dalembert.io.poses import Pose, at, from_quaternion
from dalembert.mechanism import spherical, weld
from dalembert.mechanism.xml import Element

if TYPE_CHECKING:
    from dalembert.io.mjcf import Tree


def read(root: Element, tree: Tree) -> None:
    lengths = _tendons(root, tree)
    for section in root.all("actuator"):
        for one in section.children:
            if one.tag in ACTUATORS:
                _actuator(tree.defaults.apply(one, ""), tree, lengths)
            else:
                tree.a.note(f"{one.where}: actuator <{one.tag}> is left out.")
    for section in root.all("equality"):
        for number, one in enumerate(section.children, 1):
            _equality(tree.defaults.apply(one, ""), number, tree, lengths)


# --- equalities ----------------------------------------------------------------------------------------------------


def _equality(one: Element, number: int, tree: Tree, lengths: dict[str, Length]) -> None:
    a = tree.a
    name = one.get("name") or f"{one.tag}_{number}"
    if one.get("active") == "false":
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
        ends = [_site(one.need(x), one, tree) for x in ("site1", "site2")]
        first, second = ends
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
    link = a.fit(name, "link")
    a.later(lambda: a.m.join(a.frame(*first), a.frame(*second), joint, name=link))


def _site(name: str, one: Element, tree: Tree) -> tuple[str, Pose]:
    if name not in tree.sites:
        raise ModelError(f"{one.where}: there is no site '{name}'.")
    return tree.sites[name]


def _relation(one: Element, name: str, tree: Tree, lengths: dict[str, Length]) -> None:
    """y - y0 is a polynomial of x - x0; without x it is constant."""
    a = tree.a

    def side(key: str) -> Expr | None:
        called = one.get(key)
        if one.tag == "tendon":
            if called and called not in lengths:
                a.note(f"{one.where}: tendon '{called}' of equality '{name}' is not a sum of joints: left out.")
                return None
            return lengths[called].away if called else ZERO
        freedom = a.freedom(called) if called else None
        if called and (freedom is None or freedom.kind not in ("hinge", "slide")):
            a.note(f"{one.where}: equality '{name}' is not between hinges and slides: left out.")
            return None
        return a.coordinate(called, one.where) - freedom.zero if freedom is not None else ZERO

    y, x = side(f"{one.tag}1"), side(f"{one.tag}2")
    if y is None or x is None:
        return
    coefficients = one.numbers("polycoef", [0, 1, 0, 0, 0])
    rule = sum((c * x**k for k, c in enumerate(coefficients) if c and (k == 0 or x is not ZERO)), ZERO)
    link = a.fit(name, "link")
    a.later(lambda: a.m.constrain(y - rule, name=link))


# --- tendons -------------------------------------------------------------------------------------------------------


class Length:
    """A fixed tendon: a sum of joints with coefficients."""

    def __init__(self, one: Element, a: Assembly) -> None:
        self.parts: list[tuple[str, float]] = []
        self.value: Expr = ZERO
        self.rate: Expr = ZERO
        self.away: Expr = ZERO  # from its value at the zero of every joint
        self.zero = 0.0
        for joint in one.all("joint"):
            name, share = joint.need("joint"), joint.number("coef", 0.0)
            freedom = a.freedom(name)
            if freedom is None:
                raise ModelError(f"{joint.where}: there is no joint '{name}'.")
            q = a.coordinate(name, joint.where)
            self.parts.append((name, share))
            self.value = self.value + share * q
            self.rate = self.rate + share * ex.prime(q)
            self.away = self.away + share * (q - freedom.zero)
            self.zero += share * freedom.zero


def _tendons(root: Element, tree: Tree) -> dict[str, Length]:
    a = tree.a
    found: dict[str, Length] = {}
    for section in root.all("tendon"):
        for number, raw in enumerate(section.children, 1):
            children = raw.children
            one = tree.defaults.apply(Element("tendon", raw.attributes, raw.where, children), "")
            name = raw.get("name") or f"tendon_{number}"
            if raw.tag == "fixed":
                found[name] = _fixed(one, name, tree)
            elif raw.tag == "spatial":
                _spatial(one, name, tree)
            else:
                a.note(f"{raw.where}: tendon <{raw.tag}> is left out.")
    return found


def _fixed(one: Element, name: str, tree: Tree) -> Length:
    a = tree.a
    length = Length(one, a)
    force = _spring(one, name, length.value, length.rate, length.zero, tree)
    if force is not ZERO:
        for joint, share in length.parts:
            a.push(joint, share * force, one.where)
    if is_limited(one, tree.settings):
        low, high = one.numbers("range", [0, 0], exactly=2)
        for end, gap in (("low", length.value - low), ("high", high - length.value)):
            stop = a.fit(f"{name}_{end}", "link")
            a.later(_contact(a, gap, stop), stop=True)
    return length


def _contact(a: Assembly, gap: Expr, name: str) -> Callable[[], object]:
    return lambda: a.m.contact(gap, name=name)


def _spring(one: Element, name: str, value: Expr, rate: Expr, zero: float, tree: Tree) -> Expr:
    """The force along a tendon."""
    a = tree.a
    found: Expr = ZERO
    stiffness = one.numbers("stiffness", [0.0])[0]
    if stiffness:
        rest = one.numbers("springlength", [-1.0])
        low, high = (zero, zero) if rest[0] < 0 else (rest[0], rest[-1])
        if low == high:
            found = found - stiffness * (value - low)
        else:
            found = found - stiffness * (ex.minimum(value - low, ZERO) + ex.maximum(value - high, ZERO))
    damping = one.numbers("damping", [0.0])[0]
    if damping:
        found = found - damping * rate
    if one.number("frictionloss", 0.0):
        found = found - one.number("frictionloss", 0.0) * ex.sign(rate)
    if one.number("armature", 0.0):
        a.note(f"{one.where}: the armature of tendon '{name}' is left out.")
    return found


def _spatial(one: Element, name: str, tree: Tree) -> None:
    """A straight tendon between two sites with a spring or a damper; others are noted."""
    a = tree.a
    sites = [x for x in one.children if x.tag == "site"]
    stiffness, damping = one.numbers("stiffness", [0.0])[0], one.numbers("damping", [0.0])[0]
    if len(sites) != 2 or len(sites) != len(one.children):
        a.note(f"{one.where}: tendon '{name}' goes over more than two points: left out.")
        return
    if is_limited(one, tree.settings) or one.number("frictionloss", 0.0):
        a.note(f"{one.where}: limits and friction of tendon '{name}' are left out.")
    if not stiffness and not damping:
        return
    first, second = (_site(x.need("site"), x, tree) for x in sites)
    stand = a.posture()
    ends = [(stand[body] @ pose).p for body, pose in (first, second)]
    rest = one.numbers("springlength", [-1.0])
    length = float(np.linalg.norm(ends[0] - ends[1])) if rest[0] < 0 else rest[0]
    if rest[0] >= 0 and rest[-1] != rest[0]:
        a.note(f"{one.where}: tendon '{name}' is slack between {rest[0]:g} and {rest[-1]:g}; here it is a spring.")
    link = a.fit(name, "link")
    a.later(
        lambda: a.m.spring(
            a.frame(*first), a.frame(*second), stiffness=stiffness, damping=damping, length=length, name=link
        )
    )


# --- actuators -----------------------------------------------------------------------------------------------------


def _actuator(one: Element, tree: Tree, lengths: dict[str, Length]) -> None:
    a = tree.a
    joint = one.get("joint") or one.get("jointinparent")
    name = one.get("name") or f"{joint or one.get('tendon') or one.get('site') or one.get('body')}_{one.tag}"
    gear = one.numbers("gear", [1.0])
    if one.tag in ("muscle", "adhesion", "intvelocity", "cylinder", "dcmotor"):
        a.note(f"{one.where}: the {one.tag} '{name}' is left out.")
        return
    u = a.control(name)
    if is_limited(one, tree.settings, "ctrllimited", "ctrlrange"):
        a.note("ranges of controls bind whoever gives them: left out.")
    if joint:
        freedom = a.freedom(joint)
        if freedom is None:
            raise ModelError(f"{one.where}: there is no joint '{joint}'.")
        if freedom.kind not in ("hinge", "slide"):
            a.note(f"{one.where}: '{name}' drives the {freedom.kind} joint '{joint}': left out.")
            return
        q = a.coordinate(joint, one.where)
        a.push(joint, gear[0] * _force(one, name, u, gear[0] * q, gear[0] * ex.prime(q), tree), one.where)
    elif one.get("tendon") in lengths:
        length = lengths[one.get("tendon")]
        force = _force(one, name, u, gear[0] * length.value, gear[0] * length.rate, tree)
        for part, share in length.parts:
            a.push(part, gear[0] * share * force, one.where)
    elif one.get("site") and "refsite" not in one.attributes:
        _thruster(one, name, u, gear, tree)
    else:
        a.note(f"{one.where}: '{name}' drives neither a joint, a sum of joints nor a site: left out.")


def _force(one: Element, name: str, u: Expr, length: Expr, rate: Expr, tree: Tree) -> Expr:
    """Gain times control plus bias, as the kinds of actuators set them."""
    if one.tag == "motor":
        force = u
    elif one.tag == "position":
        kp, kv = one.number("kp", 1.0), one.number("kv", 0.0)
        force = kp * (u - length) - kv * rate
        if one.number("dampratio", 0.0) or one.number("timeconst", 0.0):
            tree.a.note(f"{one.where}: dampratio and timeconst of '{name}' are left out.")
    elif one.tag == "velocity":
        force = one.number("kv", 1.0) * (u - rate)
    elif one.tag == "damper":
        force = -one.number("kv", 1.0) * u * rate
    else:
        force = _general(one, name, u, length, rate, tree)
    if is_limited(one, tree.settings, "forcelimited", "forcerange"):
        low, high = one.numbers("forcerange", [0, 0], exactly=2)
        force = ex.minimum(ex.maximum(force, ex.as_expr(low)), ex.as_expr(high))
    return force


def _general(one: Element, name: str, u: Expr, length: Expr, rate: Expr, tree: Tree) -> Expr:
    gain, bias = [*one.numbers("gainprm", [1.0]), 0.0, 0.0], [*one.numbers("biasprm", [0.0]), 0.0, 0.0]
    kinds = one.get("gaintype", "fixed"), one.get("biastype", "none")
    if one.get("dyntype", "none") != "none":
        tree.a.note(f"{one.where}: the activation of '{name}' ({one.get('dyntype')}) is at once here.")
    if kinds[0] not in ("fixed", "affine") or kinds[1] not in ("none", "affine"):
        tree.a.note(f"{one.where}: gain or bias of '{name}' ({kinds[0]}, {kinds[1]}) is left out.")
        return ZERO
    force = gain[0] * u if kinds[0] == "fixed" else (gain[0] + gain[1] * length + gain[2] * rate) * u
    return force if kinds[1] == "none" else force + bias[0] + bias[1] * length + bias[2] * rate


def _thruster(one: Element, name: str, u: Expr, gear: list[float], tree: Tree) -> None:
    """A force and a torque in the axes of a site."""
    a = tree.a
    body, pose = _site(one.need("site"), one, tree)
    if body == WORLD:
        a.note(f"{one.where}: '{name}' pushes the earth: left out.")
        return
    force = _force(one, name, u, ZERO, ZERO, tree)
    wrench = np.array([*gear, *([0.0] * 6)][:6])

    def push() -> None:
        held = a.frame(body, pose)
        turned = a.place(body, pose).R
        for kind, part in (("force", wrench[:3]), ("torque", wrench[3:])):
            value = [float(x) * force for x in turned @ part]
            if part.any():
                called = a.fit(f"{name}_{kind}", "link")
                if kind == "force":
                    a.m.force(held, value, held.body, name=called)
                else:
                    a.m.torque(held.body, value, held.body, name=called)

    a.later(push)
