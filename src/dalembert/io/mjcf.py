"""MJCF: the tree of bodies with their joints and masses. Laws (tendons, actuators, equalities) are in `mjcf_laws`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.io import mjcf_laws
from dalembert.io.assembly import Assembly
from dalembert.io.folder import Folder
from dalembert.io.mjcf_copies import with_copies
from dalembert.io.mjcf_defaults import Defaults
from dalembert.io.mjcf_geoms import Geoms
from dalembert.io.mjcf_scope import ACTUATORS, OFF, Settings, is_limited, with_includes
from dalembert.io.parts import WORLD, Freedom, Joined, Mass
from dalembert.io.poses import Array, Pose, at, to_quaternion, unit
from dalembert.io.reading import Reading
from dalembert.io.resting import resting_mass
from dalembert.io.unread import inside, note_unread
from dalembert.io.visuals import Visuals
from dalembert.mechanism.xml import Element

_KINDS = {"hinge": "hinge", "slide": "slide", "ball": "ball", "free": "free"}
_MADE = ("composite", "flexcomp", "flex", "attach", "plugin", "deformable")
_LOOKS = {"camera", "light", "geom", "site", "body", "joint", "freejoint", "inertial", "frame"}
Geom = tuple[Element, Pose]
_TURNED = frozenset("pos quat axisangle euler xyaxes zaxis".split())
_TOLD = frozenset("name class childclass group user rgba material width".split())
_SOFT = frozenset("margin solref solimp solreflimit solimplimit solreffriction solimpfriction torquescale".split())
#: All that these may say: what nobody asks of them is of contacts and looks.
_OF_GEOMS = (
    "type size fromto mass density shellinertia mesh hfield fitscale contype conaffinity condim priority friction gap"
)
_OF_MESHES = (
    "name class file content_type scale inertia vertex normal texcoord face refpos refquat builtin params material"
)
#: What has nothing mechanical in it, and what constraints that do not give way have no use for.
_QUIET = {
    "compiler": frozenset("strippath texturedir assetdir discardvisual usethread fusestatic convexhull".split()),
    **dict.fromkeys(("body", "inertial", *ACTUATORS), _TOLD),
    "geom": _TOLD | _SOFT | _TURNED | frozenset(f"{_OF_GEOMS} solmix fluidshape fluidcoef".split()),
    "site": _TOLD | _TURNED | {"type", "size", "fromto"},
    "frame": _TURNED | {"name", "childclass"},
    "mesh": frozenset(f"{_OF_MESHES} smoothnormal maxhullvert octree_maxdepth".split()),
    "key": frozenset("name time qpos qvel ctrl mpos mquat".split()),
    **dict.fromkeys(("joint", "freejoint", "fixed", "spatial", "connect", "weld", "tendon"), _TOLD | _SOFT),
}


@dataclass
class Tree:
    """What is found on the way through the bodies."""

    a: Assembly
    settings: Settings
    defaults: Defaults
    geoms: Geoms
    sites: dict[str, tuple[str, Pose]] = field(default_factory=dict)
    order: list[tuple[str, Freedom, tuple[float, ...]]] = field(
        default_factory=list
    )  # body, joint, posture, as in qpos
    timed: list[tuple[str, float, float]] = field(default_factory=list)  # springs by time constant and damping ratio
    colliding: int = 0
    names: frozenset[str] = frozenset()  # of bodies and joints

    def unnamed(self, wish: str) -> str:
        """A name for what has none in the file, which nothing in it has."""
        while wish in self.names:
            wish += "_"
        return wish

    def site(self, name: str, where: str) -> tuple[str, Pose]:
        """The body of a site, and its place there."""
        if name not in self.sites:
            raise ModelError(f"{where}: there is no site '{name}'.")
        return self.sites[name]

    def first(self, one: Element, name: str) -> float:
        """The linear coefficient of a law that may have more."""
        values = one.numbers(name, [0.0])
        if any(values[1:]):
            self.a.note(f"{one.where}: '{name}' has higher terms {values[1:]}, which are left out.")
        return values[0] if values else 0.0

    @cached_property
    def _shown(self) -> tuple[Array, dict[str, int]]:
        M, place = resting_mass(self.a)
        try:
            return 1 / np.diag(np.linalg.inv(M)), place
        except np.linalg.LinAlgError:
            raise ModelError(f"{self.a.source}: laws by the inertia of joints need bodies with inertia.") from None

    def inertia(self, joint: str) -> float:
        """What a hinge or slide shows of the machine at the zero of all joints, 1/(M^-1)_jj, when bodies are read."""
        values, place = self._shown
        return float(values[place[joint]])


def read(folder: Folder, a: Assembly, how: Reading) -> None:
    """All of a <mujoco>."""
    root = with_includes(folder)
    settings = Settings.of(root)
    with_copies(root, settings)
    defaults = Defaults.of(root)
    tree = Tree(a, settings, defaults, Geoms(root, Visuals(a, folder, how.meshes), settings, defaults))
    tree.names = frozenset(x.get("name") for world in root.all("worldbody") for x in _all(world))
    _options(root, a)
    for world in root.all("worldbody"):
        _inside(world, WORLD, Pose(), world.get("childclass"), tree)
    _bounds(tree)
    _timed(tree)
    controls = mjcf_laws.read(root, tree)
    _start(root, tree, how.keyframe, controls)
    _noted(root, tree)
    said = [one for x in root.children if x.tag != "default" for one in inside(x)]  # defaults are told where they act
    note_unread([*said, *defaults.applied], _QUIET, a)
    tree.geoms.seen.noted()


def _all(element: Element) -> Iterator[Element]:
    for one in element.children:
        yield one
        yield from _all(one)


def _options(root: Element, a: Assembly) -> None:
    for one in root.all("compiler"):
        if one.get("alignfree") == "true":
            a.note(
                f"{one.where}: 'alignfree' is left out: free bodies keep the frames of the file, so that their places, "
                "keyframes among them, are not those of MuJoCo."
            )
    for one in root.all("option"):
        a.gravity = np.array(one.numbers("gravity", [float(x) for x in a.gravity], exactly=3))
        for name in ("density", "viscosity"):
            if one.number(name, 0.0):
                a.note(f"{one.where}: the fluid around the bodies ({name} {one.get(name)}) is left out.")
        if any(one.numbers("wind", [0, 0, 0])):
            a.note(f"{one.where}: the wind is left out.")
        for flag in one.all("flag"):
            if flag.get("gravity") == "disable":
                a.gravity = np.zeros(3)
            for name in OFF:
                if flag.get(name) == "disable":
                    a.note(f"{flag.where}: '{name}' is switched off in the file: left out.")


def _inside(element: Element, body: str, pose: Pose, childclass: str, tree: Tree) -> list[Geom]:
    """Children of a body or of a <frame> on it, placed by `pose`; gives its geoms."""
    geoms: list[Geom] = []
    for one in element.children:
        if one.tag == "body":
            _body(one, body, pose, childclass, tree)
        elif one.tag == "frame":
            inner = pose @ tree.settings.pose(one)
            geoms += _inside(one, body, inner, one.get("childclass") or childclass, tree)
        elif one.tag == "geom":
            geom = tree.defaults.apply(one, childclass)
            tree.colliding += geom.get("contype") != "0" or geom.get("conaffinity") != "0"
            if body != WORLD:
                geoms.append((geom, pose))
                tree.geoms.look(geom, body, pose)
        elif one.tag == "site":
            site = tree.defaults.apply(one, childclass)
            if site.get("name"):
                tree.sites[site.get("name")] = (body, pose @ _site_pose(site, tree))
        elif one.tag in _MADE:
            tree.a.note(f"{one.where}: what <{one.tag}> makes is left out.")
    return geoms


def _site_pose(site: Element, tree: Tree) -> Pose:
    if "fromto" not in site.attributes:
        return tree.settings.pose(site)
    ends = np.array(site.numbers("fromto", [], exactly=6))
    return tree.geoms.between(ends, site.where)


def _body(one: Element, parent: str, above: Pose, childclass: str, tree: Tree) -> None:
    name = one.get("name") or tree.unnamed(f"body_{len(tree.a.masses) + 1}")
    childclass = one.get("childclass") or childclass
    pose = above @ tree.settings.pose(one)
    found = _placed(one, ("joint", "freejoint"), Pose(), childclass, tree.settings)
    joints = [x for x in found if not _is_fixed(x[0], x[2], tree)]
    freedoms = tuple(_freedom(x, name, k, above, tree, there) for k, (x, there, above) in enumerate(joints))
    tree.a.part(name, [], one.where)
    loose = [x for x in freedoms if x.kind == "free"]
    if loose:
        if len(freedoms) > 1 or parent != WORLD:
            raise ModelError(f"{one.where}: a free joint is the only joint of a body on the world.")
        start = (*(float(x) for x in pose.p), *to_quaternion(pose.R))
        pose = Pose()
    else:
        start = tuple(v for x in freedoms for v in ((1.0, 0.0, 0.0, 0.0) if x.kind == "ball" else (x.zero,)))
    tree.a.join(Joined(name, parent, pose, freedoms, start), one.where)
    place = 0
    for x in freedoms:
        count = {"free": 7, "ball": 4}.get(x.kind, 1)
        tree.order.append((name, x, start[place : place + count]))
        place += count
        if x.kind in ("hinge", "slide"):
            tree.a.resist(x, one.where)
    if one.number("gravcomp", 0.0):
        tree.a.weightless[name] = one.number("gravcomp", 0.0)
    if one.get("mocap") == "true":
        tree.a.note(f"{one.where}: body '{name}' follows a mocap; here it is fixed.")
    geoms = _inside(one, name, Pose(), childclass, tree)
    tree.a.masses[name] = [_mass(one, geoms, tree)]
    for tag, count in Counter(x.tag for x in one.children if x.tag not in _LOOKS and x.tag not in _MADE).items():
        tree.a.note(f"{one.where}: <{tag}> ({count} times) is left out.")


def _placed(
    element: Element, tags: Collection[str], pose: Pose, childclass: str, settings: Settings
) -> Iterator[tuple[Element, Pose, str]]:
    """What a body has of its own, also in a <frame> of it, with the place of that frame and its class."""
    for one in element.children:
        if one.tag in tags:
            yield one, pose, childclass
        elif one.tag == "frame":
            inner = pose @ settings.pose(one)
            yield from _placed(one, tags, inner, one.get("childclass") or childclass, settings)


def _is_fixed(joint: Element, childclass: str, tree: Tree) -> bool:
    """A joint that Bullet reads and MuJoCo does not: none."""
    fixed = joint.tag == "joint" and tree.defaults.apply(joint, childclass).get("type") == "fixed"
    if fixed:
        joint.pass_over()
        tree.a.note(f"{joint.where}: joint '{joint.get('name')}' is 'fixed', a word of Bullet: it has no freedom.")
    return fixed


def _mass(one: Element, geoms: list[Geom], tree: Tree) -> Mass:
    s = tree.settings
    inertial, on = next(_placed(one, ("inertial",), Pose(), "", s), (None, Pose(), ""))[:2]
    if s.from_geoms == "true" or (s.from_geoms == "auto" and inertial is None):
        found = [mass for geom, pose in geoms for mass in tree.geoms.mass(geom, pose)]
        if found and inertial is not None:
            inertial.pass_over()  # as MuJoCo does
        if found or inertial is None:
            return Mass.together(found)
    if inertial is None:
        return Mass()
    m, pose = inertial.number("mass", 0.0), on @ s.pose(inertial)
    if "fullinertia" in inertial.attributes:
        xx, yy, zz, xy, xz, yz = inertial.numbers("fullinertia", [], exactly=6)
        return Mass(m, pose, np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    return Mass(m, pose, np.diag(inertial.numbers("diaginertia", [0, 0, 0], exactly=3)))


def _bounds(tree: Tree) -> None:
    """What the compiler does to masses after it has them."""
    s, a = tree.settings, tree.a
    for name in a.joined if s.boundmass or s.boundinertia or s.balance else ():
        (mass,) = a.masses[name]
        values, axes = np.linalg.eigh(mass.tensor)
        values = np.maximum(values, s.boundinertia)
        if s.balance and values[0] + values[1] < values[2]:
            values = np.full(3, values.mean())
        a.masses[name] = [replace(mass, mass=max(mass.mass, s.boundmass), tensor=axes @ np.diag(values) @ axes.T)]
    if s.total > 0:
        total = sum(mass.mass for masses in a.masses.values() for mass in masses)
        share = s.total / total if total else 1.0
        for name, masses in a.masses.items():
            a.masses[name] = [replace(x, mass=x.mass * share, tensor=x.tensor * share) for x in masses]


def _freedom(element: Element, body: str, number: int, childclass: str, tree: Tree, on: Pose) -> Freedom:
    """A joint that is written in a frame which stands at `on` in its body."""
    if element.tag == "freejoint":
        return Freedom(element.get("name") or tree.unnamed(f"{body}_free"), "free")
    one, s = tree.defaults.apply(element, childclass), tree.settings
    kind = _KINDS.get(one.get("type", "hinge"))
    if kind is None:
        raise ModelError(f"{one.where}: a joint is {', '.join(_KINDS)}, not '{one.get('type')}'.")
    name = one.get("name") or tree.unnamed(f"{body}_{'free' if kind == 'free' else f'joint{number + 1}'}")
    angle = s.angle if kind == "hinge" else float
    place = one.numbers("pos", [0, 0, 0], exactly=3)  # of no use to a free joint
    x = Freedom(
        name,
        kind,
        axis=tuple(on.R @ unit(one.numbers("axis", [0, 0, 1], exactly=3), one.where)),
        anchor=tuple((on @ at(place)).p) if kind != "free" else (0.0, 0.0, 0.0),
        zero=angle(one.number("ref", 0.0)) if kind in ("hinge", "slide") else 0.0,
        damping=0.0 if "damper" in s.off else tree.first(one, "damping"),
        stiffness=0.0 if "spring" in s.off else tree.first(one, "stiffness"),
        rest=angle(one.number("springref", 0.0)),
        dry=0.0 if "frictionloss" in s.off else one.number("frictionloss", 0.0),
        armature=one.number("armature", 0.0),
    )
    if "actuatorfrcrange" in one.attributes and one.get("actuatorfrclimited", "auto") != "false":
        tree.a.note(f"{one.where}: the range of what actuators together do on joint '{name}' is left out.")
    constant, ratio = one.numbers("springdamper", [0, 0], exactly=2)
    if constant > 0 and ratio > 0:
        if kind in ("hinge", "slide"):
            x = replace(x, stiffness=0.0, damping=0.0)
            tree.timed.append((name, constant, ratio))
        else:
            tree.a.note(f"{one.where}: spring and damper of the {kind} joint '{name}' by time constant are left out.")
    if is_limited(one, s) and "limit" not in s.off:
        low, high = (angle(v) for v in one.numbers("range", [0, 0], exactly=2))
        x = replace(x, low=low, high=high)
    return x


def _timed(tree: Tree) -> None:
    """Springs by time constant T and damping ratio r: of the inertia m that the joint shows, m/(T r)^2 and 2 m/T."""
    for name, constant, ratio in tree.timed:
        freedom, q, m = tree.a.freedom(name), tree.a.coordinate(name, tree.a.source), tree.inertia(name)
        assert freedom is not None
        if not ((constant * ratio) ** 2):
            raise ModelError(
                f"{tree.a.source}: the time constant of the spring of joint '{name}' is too short: {constant:g}."
            )
        spring = 0.0 if "spring" in tree.settings.off else m / (constant * ratio) ** 2
        damper = 0.0 if "damper" in tree.settings.off else 2 * m / constant
        tree.a.push(name, -spring * (q - freedom.rest) - damper * ex.prime(q), tree.a.source)


def _start(root: Element, tree: Tree, keyframe: str | int | None, controls: list[str]) -> None:
    keys = [key for one in root.all("keyframe") for key in one.all("key")]
    if keyframe is None:
        if keys:
            names = ", ".join(f"'{key.get('name') or i}'" for i, key in enumerate(keys))
            tree.a.note(f"the start is that of the bodies; keyframes {names} are starts too: `keyframe=`.")
        return
    chosen = [key for i, key in enumerate(keys) if keyframe in (i, key.get("name"))]
    if not chosen:
        raise ModelError(f"{root.where}: there is no keyframe {keyframe!r}; there are {len(keys)}.")
    key = chosen[0]
    zero = [v for _, _, start in tree.order for v in start]
    values = key.numbers("qpos", zero, exactly=len(zero))
    widths = [{"free": 6, "ball": 3}.get(x.kind, 1) for _, x, _ in tree.order]
    speeds = key.numbers("qvel", [0.0] * sum(widths), exactly=sum(widths))
    place = 0
    for body, _, start in tree.order:
        one = tree.a.joined[body]
        head = sum(len(s) for b, _, s in tree.order if b == body)
        if start is next(s for b, _, s in tree.order if b == body):
            one.start = tuple(values[place : place + head])
        place += len(start)
    for (body, _, _), width in zip(tree.order, widths, strict=True):
        tree.a.joined[body].speeds += tuple(speeds[:width])
        speeds = speeds[width:]
    told = key.numbers("ctrl", [0.0] * len(controls), exactly=len(controls))
    for name, value in zip(controls, told, strict=True):
        if name:
            tree.a.m.given[name] = value


def _noted(root: Element, tree: Tree) -> None:
    a = tree.a
    if tree.colliding > 1:
        a.note(f"{tree.colliding} shapes may touch each other in the file; contacts are left out (`m.contact`).")
    silent = {
        "compiler",
        "option",
        "size",
        "visual",
        "statistic",
        "default",
        "asset",
        "worldbody",
        "keyframe",
        "contact",
    }
    known = {*silent, "tendon", "actuator", "equality"}
    for tag, count in Counter(one.tag for one in root.children if one.tag not in known).items():
        a.note(f"<{tag}> ({count} times) is left out.")
