"""Actuators of MJCF: each is an effort with one parameter, its control."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import ZERO, Expr
from dalembert.io.mjcf_scope import ACTUATORS, is_limited
from dalembert.io.mjcf_tendons import Tendon
from dalembert.io.parts import WORLD, Freedom
from dalembert.io.poses import Pose, at
from dalembert.mechanism.names import free_name
from dalembert.mechanism.xml import Element

if TYPE_CHECKING:
    from dalembert.io.mjcf import Tree

_LEFT = ("muscle", "adhesion", "dcmotor")


def actuators(root: Element, tree: Tree, tendons: Mapping[str, Tendon]) -> list[str]:
    """Lays all efforts on; gives the control of each, "" of those that are left out, in the order of the file."""
    found, said = list[str](), [one for section in root.all("actuator") for one in section.children]
    names = {one.get("name") for one in said}
    for one in said:
        if one.tag not in ACTUATORS:
            tree.a.note(f"{one.where}: actuator <{one.tag}> is left out.")
            found.append("")
            continue
        on = next((x for key in ("joint", "jointinparent", "tendon", "site", "body") if (x := one.get(key))), "")
        name = one.get("name") or free_name(f"{on}_{one.tag}", names, f"{on}_{one.tag}")
        names.add(name)
        found.append(_actuator(tree.defaults.apply(one, ""), name, tree, tendons))
    return found


def _actuator(one: Element, name: str, tree: Tree, tendons: Mapping[str, Tendon]) -> str:
    a = tree.a
    joint = one.get("joint") or one.get("jointinparent")
    gear = [*one.numbers("gear", [1.0]), *[0.0] * 6][:6]
    off = "actuation" in tree.settings.off or one.get("group", "0") in tree.settings.groups_off
    if one.tag in _LEFT or off:
        why = "is left out" if one.tag in _LEFT else "is switched off in the file: left out"
        a.note(f"{one.where}: the {one.tag} '{name}' {why}.")
        one.pass_over()
        return ""
    if joint:
        freedom = a.freedom(joint)
        if freedom is None:
            raise ModelError(f"{one.where}: there is no joint '{joint}'.")
        if freedom.kind in ("hinge", "slide"):
            u, q = a.control(name), a.coordinate(joint, one.where)
            law = _force(one, name, u, gear[0] * q, gear[0] * ex.prime(q), tree, inertia=lambda: tree.inertia(joint))
            a.push(joint, gear[0] * law, one.where)
        else:
            law = _force(one, name, u := a.control(name), None, None, tree)
            _turned(one, name, law, gear, freedom, tree)
    elif one.get("tendon") in tendons:
        tendon, u = tendons[one.get("tendon")], a.control(name)
        tendon.pull(gear[0] * _force(one, name, u, gear[0] * tendon.value, gear[0] * tendon.rate, tree), one.where)
    elif one.get("site") and "refsite" not in one.attributes:
        body, pose = tree.site(one.get("site"), one.where)
        if body == WORLD:
            a.note(f"{one.where}: '{name}' pushes the earth: left out.")
            return ""
        speed = ex.symbol("its speed")  # of the site; its place counts for nothing, as in MuJoCo
        law = _force(one, name, u := a.control(name), ZERO, speed, tree)
        if speed in ex.free_symbols(law):
            a.note(f"{one.where}: what '{name}' does against the speed of its site is left out.")
            (law,) = ex.substitute([law], {speed: ZERO})
        for kind, part in (("force", gear[:3]), ("torque", gear[3:])):
            _act(f"{name}_{kind}", kind, law, part, body, pose, tree)
    else:
        a.note(f"{one.where}: '{name}' drives neither a joint, a tendon that maps nor a site: left out.")
        one.pass_over()
        return ""
    if is_limited(one, tree.settings, "ctrllimited", "ctrlrange"):
        a.note("ranges of controls bind whoever gives them: left out.")
    return str(u.name)


def _turned(one: Element, name: str, law: Expr, gear: list[float], freedom: Freedom, tree: Tree) -> None:
    """On a ball or free joint: a torque (and force) whose axes are those of the child, or with jointinparent above."""
    a = tree.a
    body, joined = next((k, x) for k, x in a.joined.items() if freedom in x.freedoms)
    above = "jointinparent" in one.attributes
    place = Pose() if freedom.kind == "free" else at(freedom.anchor)
    turn = gear[3:] if freedom.kind == "free" else gear[:3]
    if freedom.kind == "free":
        _act(f"{name}_force", "force", law, gear[:3], body, place, tree, base=WORLD)
    seen = (joined.parent, joined.pose) if above else (body, Pose())
    _act(f"{name}_torque", "torque", law, turn, body, place, tree, base=seen[0], turned=seen[1])
    if freedom.kind == "ball":
        _act(f"{name}_counter", "torque", -law, turn, joined.parent, place, tree, base=seen[0], turned=seen[1])


def _act(
    name: str,
    kind: str,
    law: Expr,
    part: list[float],
    body: str,
    pose: Pose,
    tree: Tree,
    *,
    base: str | None = None,
    turned: Pose | None = None,
) -> None:
    """A force or torque on a part, along a direction in the axes of a part (its own place when not said)."""
    if body == WORLD or not any(part):
        return
    a, on = tree.a, body if base is None else base
    axes = turned if turned is not None else Pose() if base is not None else pose

    def push() -> None:
        held, way = a.frame(body, pose), a.place(on, axes).R @ np.asarray(part)
        value = [float(x) * law for x in way]
        called = a.fit(name, "link")
        seen = a.frame(on).body
        if kind == "force":
            a.m.force(held, value, seen, name=called)
        else:
            a.m.torque(held.body, value, seen, name=called)

    a.later(push)


def _force(
    one: Element,
    name: str,
    u: Expr,
    length: Expr | None,
    rate: Expr | None,
    tree: Tree,
    inertia: Callable[[], float] | None = None,
) -> Expr:
    """Gain times control plus bias, as the kinds of actuators set them."""
    a = tree.a
    if one.tag != "motor" and (length is None or rate is None):
        a.note(f"{one.where}: '{name}' is a {one.tag} on a ball or free joint; its control is taken for its effort.")
        return u
    if length is None or rate is None or one.tag == "motor":
        force = u
    elif one.tag in ("position", "intvelocity"):
        kp, kv = one.number("kp", 1.0), one.number("kv", 0.0)
        ratio = one.number("dampratio", 0.0)
        if ratio and inertia is not None:
            kv = 2 * ratio * float(np.sqrt(max(kp * inertia() / (one.numbers("gear", [1.0])[0] ** 2 or 1.0), 0.0)))
        elif ratio:
            a.note(f"{one.where}: dampratio of '{name}', which drives no joint, is left out.")
        force = kp * (u - length) - kv * rate
        if one.number("timeconst", 0.0):
            a.note(f"{one.where}: timeconst of '{name}' is left out: it acts at once.")
        if one.tag == "intvelocity":
            a.note(f"{one.where}: the control of '{name}' is the place it goes to, the integral of the file's.")
    elif one.tag == "velocity":
        force = one.number("kv", 1.0) * (u - rate)
    elif one.tag == "damper":
        force = -one.number("kv", 0.0) * u * rate  # whatever the manual of MuJoCo says
    elif one.tag == "cylinder":
        area = one.number("area", 1.0)
        if "diameter" in one.attributes:
            area = float(np.pi) / 4 * one.number("diameter", 0.0) ** 2
        bias = [*one.numbers("bias", [0.0]), 0.0, 0.0]
        force = area * u + bias[0] + bias[1] * length + bias[2] * rate
        a.note(f"{one.where}: the pressure of '{name}' is its control at once here.")
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
        tree.a.note(f"{one.where}: the activation of '{name}' ({one.get('dyntype')}) is its control at once here.")
    if kinds[0] not in ("fixed", "affine") or kinds[1] not in ("none", "affine"):
        tree.a.note(f"{one.where}: gain or bias of '{name}' ({kinds[0]}, {kinds[1]}) is left out.")
        return ZERO
    force = gain[0] * u if kinds[0] == "fixed" else (gain[0] + gain[1] * length + gain[2] * rate) * u
    return force if kinds[1] == "none" else force + bias[0] + bias[1] * length + bias[2] * rate
