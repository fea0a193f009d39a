"""SDF: models of links and joints in named frames, nested and included."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

import numpy as np

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.io.assembly import Assembly
from dalembert.io.folder import Folder
from dalembert.io.parts import WORLD, Freedom, Joined, Mass, passive
from dalembert.io.poses import Array, Pose, from_quaternion, roll_pitch_yaw, to_quaternion, unit
from dalembert.io.visuals import SOLIDS, Visuals, tint
from dalembert.io.xml import Element, numbers_of, read_xml
from dalembert.mechanism import prismatic, revolute, screw, spherical, universal, weld

_HINGES = ("revolute", "continuous", "revolute2", "universal")
_KNOWN = (*_HINGES, "prismatic", "ball", "fixed", "screw", "gearbox")
_LARGE = 1e16  # SDF's own word for "no limit"
_MOST_NESTED = 20
_SILENT = {"pose", "inertial", "visual", "collision", "sensor", "light", "audio_sink", "self_collide", "enable_wind"}


@dataclass
class Scope:
    """Frames of one model, by name: what each is placed in, and where."""

    prefix: str
    pose: Pose  # of the model in the world
    frames: dict[str, tuple[str, Pose]] = field(default_factory=dict)  # name -> relative to, pose
    links: list[str] = field(default_factory=list)

    def place(self, name: str, where: str, depth: int = 0) -> Pose:
        """Where a frame stands in the model."""
        if name in ("", "__model__"):
            return Pose()
        if name == "world":
            return self.pose.inverse()
        if name not in self.frames or depth > len(self.frames):
            raise ModelError(f"{where}: there is no frame '{name}', or frames that stand on each other in a circle.")
        on, pose = self.frames[name]
        return self.place(on, where, depth + 1) @ pose


def read(folder: Folder, a: Assembly, *, meshes: bool) -> None:
    """Every model of an <sdf>."""
    seen = Visuals(a, folder, meshes)
    root = folder.main("sdf")
    worlds = list(root.all("world"))
    models = [*root.all("model"), *(one for world in worlds for one in world.all("model", "include"))]
    for world in worlds:
        a.gravity = np.array(world.content_numbers("gravity", [0, 0, -9.8], exactly=3))
        for tag in Counter(one.tag for one in world.all("plugin", "joint", "frame", "population", "actor")):
            a.note(f"{world.where}: <{tag}> of the world is left out.")
    if not models:
        raise ModelError(f"{root.where}: no model in it.")
    called: Counter[str] = Counter()
    for one in models:
        name = one.get("name") or one.content("name")
        called[name] += 1
        again = f"_{called[name]}" if called[name] > 1 else ""
        _model(one, "" if len(models) == 1 else f"{name}{again}::", Pose(), seen, 0)
    seen.noted()


def _model(one: Element, prefix: str, above: Pose, seen: Visuals, depth: int) -> Scope:
    folder, a = seen.folder, seen.a
    if depth > _MOST_NESTED:
        raise ModelError(f"{one.where}: models inside models inside models ...: more than {_MOST_NESTED}.")
    if one.tag == "include":
        one = _included(one, folder)
    scope = Scope(prefix, above @ _pose(one))
    for tag in ("link", "frame", "joint", "model", "include"):
        for child in one.all(tag):
            _placed(child, tag, scope)
    for child in one.all("model", "include"):
        inner = _model(child, f"{prefix}{child.get('name')}::", scope.pose, seen, depth + 1)
        for name in [*inner.frames, *(f"{x}" for x in inner.links)]:
            scope.frames[f"{child.get('name')}::{name}"] = (child.get("name"), inner.place(name, child.where))
    for link in one.all("link"):
        name = f"{prefix}{link.need('name')}"
        a.part(name, [_mass(link, scope)], link.where)
        scope.links.append(link.need("name"))
        _looks(link, name, seen)
        for tag, count in Counter(x.tag for x in link.children if x.tag not in _SILENT and x.tag != "gravity").items():
            a.note(f"{link.where}: <{tag}> ({count} times) of link '{name}' is left out.")
        if link.content("gravity", "true") in ("false", "0"):
            a.weightless[name] = 1.0
    _joints(one, scope, a)
    for tag in sorted({x.tag for x in one.all("plugin", "gripper")}):
        a.note(f"{one.where}: <{tag}> is left out.")
    return scope


def _included(one: Element, folder: Folder) -> Element:
    uri = one.content("uri")
    for name in (uri, f"{uri}/model.sdf"):
        try:
            path = folder.find(name, one.where)
            break
        except ModelError:
            continue
    else:
        raise ModelError(f"{one.where}: model '{uri[:100]}' is not in {folder.root.name}/, the folder of this file.")
    model = read_xml(path, "sdf").first("model")
    if model is None:
        raise ModelError(f"{path.name}: no model in it.")
    named = {**model.attributes, "name": one.content("name") or model.get("name")}
    own = [x for x in model.children if x.tag != "pose" or one.first("pose") is None]
    return Element("model", named, one.where, [*own, *one.all("pose")])


def _numbers_pose(element: Element | None) -> Pose:
    if element is None or not element.text.strip():
        return Pose()
    quaternion = element.get("rotation_format") == "quat_xyzw"
    values = numbers_of(element.text, f"{element.where}: <pose>", 7 if quaternion else 6)
    if quaternion:
        return Pose(np.array(values[:3]), from_quaternion([values[6], *values[3:6]], element.where))
    angles = [np.deg2rad(x) if element.get("degrees") in ("true", "1") else x for x in values[3:]]
    return Pose(np.array(values[:3]), roll_pitch_yaw(angles))


def _pose(one: Element) -> Pose:
    return _numbers_pose(one.first("pose"))


def _placed(one: Element, tag: str, scope: Scope) -> None:
    """Enter a frame: links, frames and models stand in the model, joints in their child, unless they say otherwise."""
    pose = one.first("pose")
    said = "" if pose is None else pose.get("relative_to")
    on = one.content("child") if tag == "joint" else one.get("attached_to") if tag == "frame" else ""
    name = one.get("name") if tag != "include" else one.content("name") or one.get("name")
    if name in scope.frames:
        raise ModelError(f"{one.where}: there are two frames '{name}' in this model.")
    scope.frames[name] = (said or on, _numbers_pose(pose))


def _mass(link: Element, scope: Scope) -> Mass:
    inertial = link.first("inertial")
    if inertial is None:
        return Mass(1.0, Pose(), np.eye(3))  # SDF's default
    inertia = inertial.first("inertia")

    def entry(name: str, default: float) -> float:
        return default if inertia is None else inertia.content_numbers(name, [default], exactly=1)[0]

    xx, yy, zz = (entry(name, 1.0) for name in ("ixx", "iyy", "izz"))
    xy, xz, yz = (entry(name, 0.0) for name in ("ixy", "ixz", "iyz"))
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return Mass(inertial.content_numbers("mass", [1.0], exactly=1)[0], _pose(inertial), tensor)


def _looks(link: Element, name: str, seen: Visuals) -> None:
    for visual in link.all("visual"):
        geometry, material, pose = visual.first("geometry"), visual.first("material"), _pose(visual)
        shade = () if material is None else material.content_numbers("diffuse", material.content_numbers("ambient", []))
        for one in geometry.children if geometry is not None else ():
            if one.tag == "mesh":
                scales = one.content_numbers("scale", [1, 1, 1])
                seen.mesh(name, pose, one.content("uri"), scales, tint(shade), one.where)
            elif one.tag in SOLIDS:
                sizes = [x for key in SOLIDS[one.tag] for x in one.content_numbers(key, [])]
                seen.solid(name, pose, one.tag, sizes, tint(shade))


def _joints(model: Element, scope: Scope, a: Assembly) -> None:
    """Joints by which links hang on the tree; a second way to a link closes a loop; what hangs on nothing is free."""
    waiting = list(model.all("joint"))
    closing: list[Element] = []
    children: dict[str, Element] = {}
    for joint in waiting:
        kind = joint.get("type")
        if kind not in _KNOWN:
            raise ModelError(f"{joint.where}: a joint is {', '.join(_KNOWN)}, not '{kind}'.")
        child = _link_of(joint.content("child"), scope, joint.where)
        if kind == "gearbox" or child in children or child == WORLD or child in a.joined:
            closing.append(joint)
        else:
            children[child] = joint
    for name in scope.links:
        full = scope.prefix + name
        if full not in children and full not in a.joined:
            place = scope.pose @ scope.place(name, model.where)
            if model.content("static", "false") in ("true", "1"):
                a.join(Joined(full, WORLD, place), model.where)
            else:
                start = (*(float(x) for x in place.p), *to_quaternion(place.R))
                a.join(Joined(full, WORLD, Pose(), (Freedom(f"{full}_free", "free"),), start), model.where)
    for child, joint in children.items():
        parent = _link_of(joint.content("parent"), scope, joint.where)
        stands = scope.pose if parent == WORLD else Pose()
        on = Pose() if parent == WORLD else scope.place(_own(joint.content("parent"), scope), joint.where)
        pose = stands @ on.inverse() @ scope.place(_own(joint.content("child"), scope), joint.where)
        freedoms = _freedoms(joint, scope)
        name = scope.prefix + joint.need("name")
        a.join(
            Joined(child, parent, pose, freedoms, (1, 0, 0, 0) if joint.get("type") == "ball" else (), name),
            joint.where,
        )
        for x in freedoms:
            if x.kind in ("hinge", "slide", "screw"):
                law = passive(x, a.coordinate(x.name, joint.where))
                if law is not ex.ZERO:
                    a.push(x.name, law, joint.where)
    for joint in closing:
        _close(joint, scope, a)


def _own(name: str, scope: Scope) -> str:
    """The frame of the link that a name, perhaps of a frame, means."""
    seen = 0
    while name in scope.frames and name not in scope.links and "::" not in name and seen < _MOST_NESTED:
        on, seen = scope.frames[name][0], seen + 1
        if not on:
            break
        name = on
    return name


def _link_of(name: str, scope: Scope, where: str) -> str:
    if name == "world":
        return WORLD
    link = _own(name, scope)
    if link in scope.links or (link in scope.frames and "::" in link):
        return scope.prefix + link
    raise ModelError(f"{where}: there is no link '{name}'.")


def _axis(joint: Element, tag: str, scope: Scope) -> tuple[Array, Element | None]:
    """A direction in the frame of the child."""
    axis = joint.first(tag)
    xyz = axis.first("xyz") if axis is not None else None
    written = axis.content_numbers("xyz", [0, 0, 1], exactly=3) if axis is not None else [0.0, 0.0, 1.0]
    child = scope.place(_own(joint.content("child"), scope), joint.where)
    base = scope.place(joint.need("name"), joint.where)
    if xyz is not None and xyz.get("expressed_in"):
        base = scope.place(xyz.get("expressed_in"), joint.where)
    elif axis is not None and axis.content("use_parent_model_frame") in ("true", "1"):
        base = Pose()
    return child.R.T @ base.R @ unit(written, joint.where), axis


def _freedoms(joint: Element, scope: Scope) -> tuple[Freedom, ...]:
    kind, name = joint.get("type"), scope.prefix + joint.need("name")
    if kind == "fixed":
        return ()
    child = scope.place(_own(joint.content("child"), scope), joint.where)
    anchor = tuple((child.inverse() @ scope.place(joint.need("name"), joint.where)).p)
    if kind == "ball":
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
            x = replace(x, lead=pitch / (2 * np.pi) if joint.first("screw_thread_pitch") is not None else -1 / pitch)
        found.append(_laws(x, axis, kind))
    return tuple(found)


def _laws(x: Freedom, axis: Element | None, kind: str) -> Freedom:
    limit = axis.first("limit") if axis is not None else None
    dynamics = axis.first("dynamics") if axis is not None else None
    if limit is not None and kind != "continuous":
        low = limit.content_numbers("lower", [-_LARGE], exactly=1)[0]
        high = limit.content_numbers("upper", [_LARGE], exactly=1)[0]
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


_DYNAMICS = ("damping", "friction", "spring_stiffness", "spring_reference")


def _close(joint: Element, scope: Scope, a: Assembly) -> None:
    """A joint that closes a loop, or a gearbox."""
    kind, name = joint.get("type"), a.fit(scope.prefix + joint.need("name"), "link")
    if kind == "gearbox":
        a.note(f"{joint.where}: gearbox '{joint.get('name')}' is left out (`m.gear`).")
        return
    ends = []
    here = scope.place(joint.need("name"), joint.where)
    for tag in ("parent", "child"):
        link = _link_of(joint.content(tag), scope, joint.where)
        on = scope.pose.inverse() if link == WORLD else scope.place(_own(joint.content(tag), scope), joint.where)
        ends.append((link, on.inverse() @ here))
    child = scope.place(_own(joint.content("child"), scope), joint.where)
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
    a.later(lambda: a.m.join(a.frame(*ends[0]), a.frame(*ends[1]), made(), name=name))
