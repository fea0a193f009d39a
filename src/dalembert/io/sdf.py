"""SDF: models of links, nested and included. Frames are in `sdf_frames`, joints in `sdf_joints`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from dalembert.errors import ModelError
from dalembert.io import sdf_joints
from dalembert.io.assembly import Assembly
from dalembert.io.folder import Folder
from dalembert.io.parts import Mass
from dalembert.io.poses import Pose
from dalembert.io.reading import Reading
from dalembert.io.sdf_frames import Scope, pose_of
from dalembert.io.unread import inside, note_unread
from dalembert.io.visuals import SOLIDS, Visuals, tint
from dalembert.mechanism.xml import Element, read_xml

_MOST_NESTED = 20
_SILENT = {"pose", "inertial", "visual", "collision", "light", "audio_sink", "self_collide", "enable_wind"}
_READ = {"link", "joint", "frame", "model", "include", "pose", "static", "self_collide", "enable_wind"}
_READ |= {"allow_auto_disable", "uri", "name"}  # nothing mechanical in them
_QUIET = {
    **dict.fromkeys(
        ("joint", "axis", "axis2", "inertial", "inertia", "dynamics", "mimic"), frozenset(("name", "type"))
    ),
    "limit": frozenset(("<effort>", "<velocity>")),
}
_PLACED = {"link", "joint", "frame", "model", "include", "inertial"}  # whose <pose> counts
_AROUND = {"plugin", "population", "actor", "state", "wind"}  # of a world, beside its models
_YES = ("true", "1")


def read(folder: Folder, a: Assembly, how: Reading) -> None:
    """Every model of an <sdf>; the world is the model of them all."""
    seen = Visuals(a, folder, how.meshes)
    root = folder.main("sdf")
    worlds = list(root.all("world"))
    for world in worlds:
        a.gravity = np.array(world.content_numbers("gravity", [0, 0, -9.8], exactly=3))
        for tag in Counter(one.tag for one in world.all(*_AROUND)):
            a.note(f"{world.where}: <{tag}> of the world is left out.")
    tops = [one for above in (root, *worlds) for one in above.all("model", "include")]
    if not tops:
        raise ModelError(f"{root.where}: no model in it.")
    world = Element("world", {}, root.where, [x for above in (root, *worlds) for x in above.children])
    scope = Scope("", world, _is_old(root))
    read_in = Reader(seen)
    for one in tops:
        model, old = read_in.opened(one, scope.old)
        name = model.get("name")
        count = sum(x == name or x.startswith(f"{name}_") for x in scope.inner)
        name = f"{name}_{count + 1}" if name in scope.inner else name
        prefix = "" if len(tops) == 1 else f"{name}::"
        scope.nest(model, name, read_in.model(model, prefix, old, 1))
    for tag in ("frame", "joint"):
        for one in world.all(tag):
            scope.enter(one, tag)
    sdf_joints.join(list(scope.settle(Pose())), a)
    seen.noted()
    note_unread(inside(root), _QUIET, a, tags=True)
    poses = (x for one in inside(root) if one.tag in _PLACED for x in one.children if x.tag == "pose")
    note_unread(poses, {"pose": frozenset()}, a)


def _is_old(root: Element) -> bool:
    """Whether a file is older than SDF 1.5; a file that does not say is not."""
    parts = root.get("version").split(".")
    return len(parts) == 2 and all(x.isdecimal() for x in parts) and tuple(map(int, parts)) < (1, 5)


@dataclass
class Reader:
    """Reads models into scopes, their links into the assembly."""

    seen: Visuals

    def model(self, one: Element, prefix: str, old: bool, depth: int) -> Scope:
        """A model with those inside it."""
        if depth > _MOST_NESTED:
            raise ModelError(f"{one.where}: models inside models inside models ...: more than {_MOST_NESTED}.")
        scope = Scope(prefix, one, old, static=one.content("static", "false") in _YES)
        for link in one.all("link"):
            scope.links[link.need("name")] = f"{prefix}{link.need('name')}"
            scope.enter(link, "link")
            self._link(link, scope.links[link.need("name")])
        for child in one.all("model", "include"):
            inner, inner_old = self.opened(child, old)
            name = inner.need("name")
            scope.nest(inner, name, self.model(inner, f"{prefix}{name}::", inner_old, depth + 1))
        for tag in ("frame", "joint"):
            for child in one.all(tag):
                scope.enter(child, tag)
        for tag, count in Counter(x.tag for x in one.children if x.tag not in _READ).items():
            self.seen.a.note(f"{one.where}: <{tag}> ({count} times) is left out.")
        return scope

    def opened(self, one: Element, old: bool) -> tuple[Element, bool]:
        """A model, or the model of an included file with what the <include> says of it, and whether it is old."""
        if one.tag != "include":
            return one, old
        folder, uri = self.seen.folder, one.content("uri")
        for name in (uri, f"{uri}/model.sdf"):
            try:
                path = folder.find(name, one.where)
                break
            except ModelError:
                continue
        else:
            raise ModelError(
                f"{one.where}: model '{uri[:100]}' is not in {folder.root.name}/, the folder of this file."
            )
        if one.get("merge") in _YES:
            raise ModelError(
                f"{one.where}: an <include> that is merged into its model. Write the content in its place."
            )
        root = read_xml(path, "sdf")
        model = root.first("model")
        if model is None:
            raise ModelError(f"{path.name}: no model in it.")
        named = {**model.attributes, "name": one.content("name") or model.get("name")}
        if one.content("placement_frame"):
            named["placement_frame"] = one.content("placement_frame")
        says = {x for x in ("pose", "static") if one.first(x) is not None}
        own = [x for x in model.children if x.tag not in says]
        return Element("model", named, one.where, [*own, *one.all(*says)]), _is_old(root)

    def _link(self, link: Element, name: str) -> None:
        a = self.seen.a
        a.part(name, [_mass(link)], link.where)
        inertial = link.first("inertial")
        if inertial is not None and inertial.get("auto") in _YES:
            a.note(
                f"{link.where}: inertia of link '{name}' by density is left out: it is as its <mass> and <inertia> say."
            )
        if link.get("name") == "world":
            a.note(f"{link.where}: a link is called 'world', but joints that name 'world' hang on the world itself.")
        _looks(link, name, self.seen)
        for tag, count in Counter(x.tag for x in link.children if x.tag not in _SILENT and x.tag != "gravity").items():
            a.note(f"{link.where}: <{tag}> ({count} times) of link '{name}' is left out.")
        if link.content("gravity", "true") in ("false", "0"):
            a.weightless[name] = 1.0


def _mass(link: Element) -> Mass:
    inertial = link.first("inertial")
    if inertial is None:
        return Mass(1.0, Pose(), np.eye(3))  # SDF's default
    inertia = inertial.first("inertia")

    def entry(name: str, default: float) -> float:
        return default if inertia is None else inertia.content_numbers(name, [default], exactly=1)[0]

    xx, yy, zz = (entry(name, 1.0) for name in ("ixx", "iyy", "izz"))
    xy, xz, yz = (entry(name, 0.0) for name in ("ixy", "ixz", "iyz"))
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return Mass(inertial.content_numbers("mass", [1.0], exactly=1)[0], pose_of(inertial.first("pose")), tensor)


def _looks(link: Element, name: str, seen: Visuals) -> None:
    for visual in link.all("visual"):
        geometry, material, pose = visual.first("geometry"), visual.first("material"), pose_of(visual.first("pose"))
        shade = () if material is None else material.content_numbers("diffuse", material.content_numbers("ambient", []))
        for one in geometry.children if geometry is not None else ():
            if one.tag == "mesh":
                scales = one.content_numbers("scale", [1, 1, 1])
                seen.mesh(name, pose, one.content("uri"), scales, tint(shade), one.where)
            elif one.tag in SOLIDS:
                sizes = [x for key in SOLIDS[one.tag] for x in one.content_numbers(key, [])]
                seen.solid(name, pose, one.tag, sizes, tint(shade))
