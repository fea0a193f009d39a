"""Joints of SDF: a graph of links, of which a tree carries and the others close loops; gearboxes tie angles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.io.assembly import Assembly
from dalembert.io.parts import WORLD, Freedom, Joined
from dalembert.io.poses import Array, Pose, to_quaternion, unit
from dalembert.io.sdf_frames import Scope
from dalembert.mechanism import prismatic, revolute, screw, spherical, universal, weld
from dalembert.mechanism.xml import Element

_HINGES = ("revolute", "continuous", "revolute2", "universal")
_KNOWN = (*_HINGES, "prismatic", "ball", "fixed", "screw", "gearbox")
_LARGE = 1e16  # SDF's own word for "no limit"
_DYNAMICS = ("damping", "friction", "spring_stiffness", "spring_reference")
#: Directions of one axis that is written twice agree to the digits of a file.
_SAME = 1e-6


def join(scopes: Sequence[Scope], a: Assembly) -> None:
    """Hang every link: by a joint, on the world where its model is static, free where nothing holds it."""
    above: dict[str, str] = {}  # child -> parent, of the tree
    tree: list[tuple[Scope, Element, bool]] = []
    left: list[tuple[Scope, Element]] = []
    closing: list[tuple[Scope, Element]] = []

    def root(part: str) -> str:
        while part in above:
            part = above[part]
        return part

    static = {part for scope in scopes if scope.static for part in scope.links.values()}
    above |= dict.fromkeys(static, WORLD)
    for scope in scopes:
        for joint in scope.element.all("joint"):
            kind = joint.get("type")
            if kind not in _KNOWN:
                raise ModelError(f"{joint.where}: a joint is {', '.join(_KNOWN)}, not '{kind}'.")
            parent, child = (ends_on(joint, tag, scope)[1] for tag in ("parent", "child"))
            if parent in {*static, WORLD} and child in {*static, WORLD}:
                continue  # both stand still
            if kind != "gearbox" and child not in above and child != WORLD and root(parent) != child:
                above[child] = parent
                tree.append((scope, joint, False))
            else:
                left.append((scope, joint))
    for scope, joint in left:
        parent, child = (ends_on(joint, tag, scope)[1] for tag in ("parent", "child"))
        loose = parent not in above and parent != WORLD and root(child) != parent
        if (
            joint.get("type") != "gearbox" and loose
        ):  # nothing else holds the parent: the tree comes from the other side
            above[parent] = child
            tree.append((scope, joint, True))
        else:
            closing.append((scope, joint))
    for scope in scopes:
        for name, part in scope.links.items():
            if "::" not in name and above.get(part, WORLD) == WORLD and not _hung(part, tree):
                _stand(part, scope.pose @ scope.place(name, scope.element.where), part in static, scope, a)
    for scope, joint, back in tree:
        _hang(joint, scope, back, a)
    for scope, joint, _ in tree:
        _mimic(joint, scope, a)
    bound = sum(x is not None and (x.first("effort") or x.first("velocity")) is not None for x in _limits(scopes))
    if bound:
        a.note(f"limits of effort and velocity of {bound} joints bind whoever drives them: left out.")
    for scope, joint in closing:
        if joint.get("type") == "gearbox":
            _gearbox(joint, scope, a)
        else:
            close(joint, scope, a)


def _limits(scopes: Sequence[Scope]) -> Iterator[Element | None]:
    for scope in scopes:
        for joint in scope.element.all("joint"):
            for axis in joint.all("axis", "axis2"):
                yield axis.first("limit")


def _mimic(joint: Element, scope: Scope, a: Assembly) -> None:
    """q - q0 is a share of the other coordinate, less its reference (SDF 1.11)."""
    for axis in joint.all("axis", "axis2"):
        mimic = axis.first("mimic")
        if mimic is None:
            continue
        other, way = scope.prefix + mimic.need("joint"), mimic.get("axis", "axis")
        ends = [scope.prefix + joint.need("name"), other]
        ends = [x if a.has(x) else f"{x}_{tag}" for x, tag in zip(ends, (axis.tag, way), strict=True)]
        if not all((x := a.freedom(end)) is not None and x.kind in ("hinge", "slide") for end in ends):
            a.note(f"{mimic.where}: '{ends[0]}' mimics '{other}', but both are not hinges or slides: left out.")
            continue
        share, offset, rest = (
            mimic.content_numbers(tag, [value], exactly=1)[0]
            for tag, value in (("multiplier", 1.0), ("offset", 0.0), ("reference", 0.0))
        )
        first, second = (a.coordinate(end, mimic.where) for end in ends)
        condition, called = first - share * (second - rest) - offset, a.beside(f"{ends[0]}_mimic")
        a.later(lambda condition=condition, called=called: a.m.constrain(condition, name=called))  # type: ignore[misc]


def _hung(part: str, tree: Sequence[tuple[Scope, Element, bool]]) -> bool:
    return any(ends_on(joint, "parent" if back else "child", scope)[1] == part for scope, joint, back in tree)


def _stand(part: str, place: Pose, fixed: bool, scope: Scope, a: Assembly) -> None:
    if fixed:
        a.join(Joined(part, WORLD, place), scope.element.where)
    else:
        start = (*(float(x) for x in place.p), *to_quaternion(place.R))
        a.join(Joined(part, WORLD, Pose(), (Freedom(f"{part}_free", "free"),), start), scope.element.where)


def ends_on(joint: Element, tag: str, scope: Scope) -> tuple[Pose, str]:
    """The link at an end of a joint: where it stands in the model, and the part that it is."""
    link = scope.link(joint.content(tag), joint.where)
    if link == WORLD:
        return scope.pose.inverse(), WORLD
    return scope.place(link, joint.where), scope.links[link]


def _hang(joint: Element, scope: Scope, back: bool, a: Assembly) -> None:
    (on, parent), (there, child) = (ends_on(joint, tag, scope) for tag in ("parent", "child"))
    pose, freedoms = on.inverse() @ there, _freedoms(joint, scope)
    if back:
        parent, child, freedoms = child, parent, tuple(_turned(x, pose) for x in reversed(freedoms))
        pose = pose.inverse()
    start = (1, 0, 0, 0) if joint.get("type") == "ball" else ()
    a.join(Joined(child, parent, pose, freedoms, start, scope.prefix + joint.need("name")), joint.where)
    for x in freedoms:
        if x.kind in ("hinge", "slide", "screw"):
            a.resist(x, joint.where)


def _turned(x: Freedom, pose: Pose) -> Freedom:
    """A freedom of the child, which stands at `pose`, as one of the parent: q turns it the other way."""
    axis, anchor = -(pose.R @ np.asarray(x.axis)), (pose @ Pose(np.asarray(x.anchor))).p
    return replace(x, axis=tuple(float(v) for v in axis), anchor=tuple(float(v) for v in anchor))


def _axis(joint: Element, tag: str, scope: Scope) -> tuple[Array, Element | None]:
    """A direction in the frame of the child link."""
    axis = joint.first(tag)
    xyz = axis.first("xyz") if axis is not None else None
    written = axis.content_numbers("xyz", [0, 0, 1], exactly=3) if axis is not None else [0.0, 0.0, 1.0]
    child, _ = ends_on(joint, "child", scope)
    base = scope.place(joint.need("name"), joint.where)
    if xyz is not None and xyz.get("expressed_in"):
        base = scope.place(xyz.get("expressed_in"), joint.where)
    elif scope.old or (axis is not None and axis.content("use_parent_model_frame") in ("true", "1")):
        base = Pose()
    return child.R.T @ base.R @ unit(written, joint.where), axis


def _freedoms(joint: Element, scope: Scope) -> tuple[Freedom, ...]:
    kind, name = joint.get("type"), scope.prefix + joint.need("name")
    if kind == "fixed":
        return ()
    child, _ = ends_on(joint, "child", scope)
    anchor = tuple((child.inverse() @ scope.place(joint.need("name"), joint.where)).p)
    if kind == "ball":
        for one_axis in joint.all("axis", "axis2"):  # it turns about all of them
            one_axis.asked.update(("<xyz>", "<use_parent_model_frame>"))
        return (Freedom(name, "ball", anchor=anchor),)
    found = []
    tags = ("axis", "axis2") if kind in ("universal", "revolute2") else ("axis",)
    for tag in tags:
        direction, axis = _axis(joint, tag, scope)
        one = "slide" if kind == "prismatic" else "screw" if kind == "screw" else "hinge"
        called = name if len(tags) == 1 else f"{name}_{tag}"
        x = Freedom(called, one, tuple(direction), anchor)
        if one == "screw":
            pitch = joint.content_numbers(
                "screw_thread_pitch", joint.content_numbers("thread_pitch", [1.0]), exactly=1
            )[0]
            if not pitch:
                raise ModelError(f"{joint.where}: a screw of pitch 0 does not move along its axis: it is revolute.")
            x = replace(x, lead=pitch / (2 * np.pi) if joint.first("screw_thread_pitch") is not None else -1 / pitch)
        found.append(_laws(x, axis, kind))
    return tuple(found)


def _laws(x: Freedom, axis: Element | None, kind: str) -> Freedom:
    limit = axis.first("limit") if axis is not None else None
    dynamics = axis.first("dynamics") if axis is not None else None
    if limit is not None and kind != "continuous":
        low, high = _end(limit, "lower", -_LARGE), _end(limit, "upper", _LARGE)
        x = replace(x, low=low if low > -_LARGE else None, high=high if high < _LARGE else None)
    if dynamics is not None:
        one = {tag: dynamics.content_numbers(tag, [0.0], exactly=1)[0] for tag in _DYNAMICS}
        x = replace(
            x,
            damping=one["damping"],
            dry=one["friction"],
            stiffness=one["spring_stiffness"],
            rest=one["spring_reference"],
        )
    return x


def _end(limit: Element, tag: str, none: float) -> float:
    """A limit; infinity, the default of newer versions, is none."""
    if limit.content(tag).lower().lstrip("+-") in ("inf", "infinity"):
        return none
    return limit.content_numbers(tag, [none], exactly=1)[0]


def close(joint: Element, scope: Scope, a: Assembly) -> None:
    """A joint that closes a loop."""
    kind, name = joint.get("type"), a.beside(scope.prefix + joint.need("name"))
    here = scope.place(joint.need("name"), joint.where)
    ends = [(part, on.inverse() @ here) for on, part in (ends_on(joint, tag, scope) for tag in ("parent", "child"))]
    child, _ = ends_on(joint, "child", scope)
    turned = here.R.T @ child.R
    axes = [[float(v) for v in turned @ _axis(joint, tag, scope)[0]] for tag in ("axis", "axis2")]
    made = {
        "ball": lambda: spherical("quaternion"),
        "fixed": weld,
        "prismatic": lambda: prismatic(axes[0]),
        "screw": lambda: screw(axes[0], _freedoms(joint, scope)[0].lead),
        "universal": lambda: universal(axes),
        "revolute2": lambda: universal(axes),
    }.get(kind, lambda: revolute(axes[0]))
    laws = [
        x
        for x in _freedoms(joint, scope)
        if x.damping or x.dry or x.stiffness or x.low is not None or x.high is not None
    ]
    if laws:
        a.note(
            f"{joint.where}: joint '{joint.get('name')}' closes a loop; its limits, springs and dampers are left out."
        )
    a.later(lambda: a.m.join(a.frame(*ends[0]), a.frame(*ends[1]), made(), name=name))


def _gearbox(joint: Element, scope: Scope, a: Assembly) -> None:
    """theta_2 = -ratio theta_1: angles of child (about axis2) and parent (about axis) from the reference body."""
    name = joint.need("name")
    reference = scope.link(joint.content("gearbox_reference_body"), joint.where)
    ratio = joint.content_numbers("gearbox_ratio", [1.0], exactly=1)[0]
    middle = scope.links.get(reference, WORLD)
    angles = []
    for tag, along in (("parent", "axis"), ("child", "axis2")):
        _, part = ends_on(joint, tag, scope)
        child, _ = ends_on(joint, "child", scope)
        angles.append(_angle(part, middle, child.R @ _axis(joint, along, scope)[0], scope, a))
    first, second = angles
    if first is None or second is None:
        a.note(f"{joint.where}: gearbox '{name}' does not join two hinges on its reference body: left out.")
        return
    called = a.beside(f"{scope.prefix}{name}")
    a.later(lambda: a.m.constrain(second + ratio * first, name=called))


def _angle(part: str, middle: str, axis: Array, scope: Scope, a: Assembly) -> ex.Expr | None:
    """By how much a part has turned from another about an axis of the model, where one hinge joins them."""
    for one in a.joined.values():
        if {one.child, one.parent} != {part, middle} or len(one.freedoms) != 1 or one.freedoms[0].kind != "hinge":
            continue
        held = next(name for name, x in scope.links.items() if x == one.child)
        turned = scope.place(held, scope.element.where).R @ np.asarray(one.freedoms[0].axis)
        share = float(turned @ axis) * (1 if one.child == part else -1)
        if abs(abs(share) - 1) <= _SAME:
            return round(share) * a.coordinate(one.freedoms[0].name, scope.element.where)
    return None
