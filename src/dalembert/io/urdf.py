"""URDF: links and joints of a tree. What other tools add to it (transmissions, sensors, plugins) is noted."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from dalembert.errors import ModelError
from dalembert.io import urdf_more
from dalembert.io.assembly import Assembly
from dalembert.io.folder import Folder
from dalembert.io.parts import WORLD, Freedom, Joined, Mass
from dalembert.io.poses import Pose, roll_pitch_yaw, unit
from dalembert.io.reading import Reading
from dalembert.io.unread import inside, note_unread
from dalembert.io.visuals import SOLIDS, Visuals, tint
from dalembert.mechanism.xml import Element

KINDS = {
    "revolute": "hinge",
    "continuous": "hinge",
    "prismatic": "slide",
    "fixed": "",
    "floating": "free",
    "spherical": "ball",
    "planar": "planar",
}
#: Tags with nothing mechanical in them.
_LOOKS = {"material", "visual", "collision", "origin", "inertial", "contact", "self_collision_checking"}
_JOINTS = {"parent", "child", "origin", "axis", "limit", "dynamics", "mimic", "joint_properties"}
#: What nothing here asks for, by tag: the reader of what moves asks the rest.
_QUIET = {
    **dict.fromkeys(
        ("link", "joint", "inertial", "inertia", "mass", "axis", "dynamics", "mimic"), frozenset(("name", "type"))
    ),
    "limit": frozenset(("effort", "velocity")),
}
_WORLDS = ("world", "World", "universe")


def read(folder: Folder, a: Assembly, how: Reading) -> None:
    """All of a <robot>."""
    robot = folder.main("robot")
    _refuse_xacro(robot)
    links = dict[str, Element]()
    for one in robot.all("link"):
        if one.need("name") in links:
            raise ModelError(f"{one.where}: there are two links '{one.need('name')}'. Give each a name of its own.")
        links[one.need("name")] = one
    if not links:
        raise ModelError(f"{robot.where}: the robot has no links.")
    children = {_end(joint, "child") for joint in robot.all("joint")}
    roots = [name for name in links if name not in children]
    if "world" in {_end(joint, "parent") for joint in robot.all("joint")} - set(links):  # Drake's, without a <link>
        links["world"] = robot
    elif not roots:
        raise ModelError(f"{robot.where}: every link is the child of a joint, so that none stands on earth.")
    for element in robot.all("link"):
        name = element.need("name")
        if name in _WORLDS and name in roots and element.first("inertial") is None:
            continue
        a.part(name, [_mass(element)], element.where)
    if how.floating and not any(name in a.masses for name in roots):
        a.note("floating=True lets nothing float: the robot hangs on a link that is the world.")
    for name in roots:
        if name in a.masses:
            base = (Freedom(a.fit(f"{name}_base", "base"), "free"),) if how.floating else ()
            a.join(Joined(name, WORLD, Pose(), base, (0, 0, 0, 1, 0, 0, 0) if base else ()), links[name].where)
    _join(robot, a, set(links))
    for joint in robot.all("joint"):
        _mimic(robot, joint, a)
    _actuators(robot, a)
    urdf_more.read(robot, set(links), a)
    _looks(robot, Visuals(a, folder, how.meshes))
    _noted(robot, a)
    note_unread(inside(robot), _QUIET, a)
    placed = (one for held in inside(robot) if held.tag in ("joint", "inertial") for one in held.children)
    note_unread((one for one in placed if one.tag == "origin"), {"origin": frozenset()}, a)


def _refuse_xacro(robot: Element) -> None:
    queue = [robot]
    while queue:
        one = queue.pop()
        if one.tag.startswith("xacro:"):
            raise ModelError(f"{one.where}: <{one.tag}> is xacro. Expand it first: `xacro robot.xacro > robot.urdf`.")
        if word := next((x for x in one.attributes.values() if "${" in x), ""):
            raise ModelError(
                f"{one.where}: '{word[:60]}' is a formula of xacro. Expand it first: `xacro robot.xacro > robot.urdf`."
            )
        queue += one.children


def _end(joint: Element, tag: str) -> str:
    end = joint.first(tag)
    if end is None:
        raise ModelError(f"{joint.where}: joint '{joint.get('name')}' has no <{tag}>.")
    return end.need("link")


def _pose(element: Element | None) -> Pose:
    """<origin xyz rpy>, or nothing."""
    origin = element.first("origin") if element is not None else None
    if origin is None:
        return Pose()
    turned = roll_pitch_yaw(origin.numbers("rpy", [0, 0, 0], exactly=3))
    return Pose(np.array(origin.numbers("xyz", [0, 0, 0], exactly=3)), turned)


def _mass(link: Element) -> Mass:
    inertial = link.first("inertial")
    if inertial is None:
        return Mass()
    mass, inertia = inertial.first("mass"), inertial.first("inertia")
    xx, xy, xz, yy, yz, zz = (
        inertia.number(name, 0.0) if inertia is not None else 0.0 for name in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    )
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return Mass(mass.number("value", 0.0) if mass is not None else 0.0, _pose(inertial), tensor)


def _join(robot: Element, a: Assembly, links: set[str]) -> None:
    for joint in robot.all("joint"):
        kind = KINDS.get(joint.get("type"))
        if kind is None:
            raise ModelError(
                f"{joint.where}: joint '{joint.get('name')}' is '{joint.get('type')}'. Known: {', '.join(KINDS)}."
            )
        parent, child = _end(joint, "parent"), _end(joint, "child")
        for end in (parent, child):
            if end not in links:
                raise ModelError(
                    f"{joint.where}: joint '{joint.get('name')}' names the link '{end}', which is not there."
                )
        freedoms = _freedoms(joint, kind)
        above = parent if parent in a.masses else WORLD
        start = (0, 0, 0, 1, 0, 0, 0) if kind == "free" else (1, 0, 0, 0) if kind == "ball" else ()
        a.join(Joined(child, above, _pose(joint), freedoms, start, joint.need("name")), joint.where)
        for x in freedoms:
            if x.kind in ("hinge", "slide"):
                a.resist(x, joint.where)


def _freedoms(joint: Element, kind: str) -> tuple[Freedom, ...]:
    name = joint.need("name")
    if not kind:  # what it may say of a motion that it has not
        for one in joint.all("axis", "limit", "dynamics"):
            one.pass_over()
        return ()
    axis_element = joint.first("axis")
    written = axis_element.numbers("xyz", [1, 0, 0], exactly=3) if axis_element is not None else [1.0, 0.0, 0.0]
    if kind in ("free", "ball"):
        return (Freedom(name, kind),)
    axis = unit(written, joint.where)
    if kind == "planar":  # two slides across the normal, and the turn about it
        first = unit(np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))]), joint.where)
        second = np.cross(axis, first)
        ways = (("x", "slide", first), ("y", "slide", second), ("th", "hinge", axis))
        return tuple(Freedom(f"{name}_{end}", one, tuple(way)) for end, one, way in ways)
    dynamics = joint.first("dynamics")
    x = Freedom(name, kind, tuple(axis))
    if dynamics is not None:
        x = replace(x, damping=dynamics.number("damping", 0.0), dry=dynamics.number("friction", 0.0))
    limit = joint.first("limit")
    if limit is not None and joint.get("type") != "continuous" and ({"lower", "upper"} & limit.attributes.keys()):
        x = replace(x, low=limit.number("lower", 0.0), high=limit.number("upper", 0.0))
    return (x,)


def _mimic(robot: Element, joint: Element, a: Assembly) -> None:
    mimic = joint.first("mimic")
    if mimic is None:
        return
    name, other = joint.need("name"), mimic.need("joint")
    rule = mimic.number("multiplier", 1.0), mimic.number("offset", 0.0)
    if all(one.get("name") != other for one in robot.all("joint")):
        a.note(f"joint '{name}' mimics '{other}', but there is no such joint: left out.")
        return
    if not a.has(name) or not a.has(other):
        a.note(f"joint '{name}' mimics '{other}', but one of them does not move, or in many ways: left out.")
        return
    if not all((x := a.freedom(one)) is not None and x.kind in ("hinge", "slide") for one in (name, other)):
        a.note(f"joint '{name}' mimics '{other}', but one of them is neither a hinge nor a slide: left out.")
        return
    followed = a.coordinate(other, mimic.where) * rule[0] + rule[1]
    condition, called = a.coordinate(name, mimic.where) - followed, a.fit(f"{name}_mimic", "link")
    a.later(lambda: a.m.constrain(condition, name=called))


def _actuators(robot: Element, a: Assembly) -> None:
    """A transmission gives its joint an effort that is named after its actuator."""
    for one in robot.all("transmission"):
        actuators, joints = list(one.all("actuator")), [x.get("name") for x in one.all("joint")]
        if len(actuators) != 1 or len(joints) != 1 or not a.has(joints[0]):
            a.note(f"transmission '{one.get('name')}' is not one actuator on one joint: left out.")
            continue
        try:  # ROS writes it in the actuator, PR2 beside it, others in the joint
            said = [x for x in (actuators[0], one, *one.all("joint")) if x.first("mechanicalReduction") is not None]
            ratio = next(iter(said[0].content_numbers("mechanicalReduction", [1.0])), 1.0) if said else 1.0
            if len(said) > 1:
                a.note(f"{one.where}: transmission '{one.get('name')}' tells several reductions: {ratio:g} is taken.")
        except ModelError as error:
            a.note(f"{error} It is taken as 1.")
            ratio = 1.0
        a.push(joints[0], ratio * a.control(actuators[0].get("name") or f"{joints[0]}_motor"), one.where)


def _looks(robot: Element, seen: Visuals) -> None:
    colours = {
        one.get("name"): tint(said.numbers("rgba", []))
        for one in robot.all("material")
        if (said := one.first("color")) is not None
    }
    for link in robot.all("link"):
        if link.get("name") not in seen.a.masses:
            continue
        for visual in link.all("visual"):
            geometry, material = visual.first("geometry"), visual.first("material")
            name, pose = link.get("name"), _pose(visual)
            own = material.first("color") if material is not None else None
            colour = tint(own.numbers("rgba", [])) if own is not None else ""
            colour = colour or colours.get(material.get("name") if material is not None else "", "")
            for one in geometry.children if geometry is not None else ():
                if one.tag == "mesh":
                    scales = one.numbers("scale", [1, 1, 1])
                    seen.mesh(name, pose, one.get("filename"), scales, colour, one.where)
                elif one.tag in SOLIDS:
                    sizes = [x for key in SOLIDS[one.tag] for x in one.numbers(key, [])]
                    seen.solid(name, pose, one.tag, sizes, colour)
    seen.noted()


def _noted(robot: Element, a: Assembly) -> None:
    known = {"link", "joint", "transmission", "material", *urdf_more.TAGS}
    left = [x for x in robot.children if x.tag not in known and not _is_joints(x)]
    for tag, count in Counter(one.tag for one in left).items():
        a.note(f"<{tag}> ({count} times) is not part of URDF's mechanics: left out.")
    odd = Counter(x.tag for one in robot.all("link") for x in one.children if x.tag not in _LOOKS)
    for tag, count in odd.items():
        a.note(f"<{tag}> in {count} links is left out.")
    odd = Counter(x.tag for one in robot.all("joint") for x in one.children if x.tag not in _JOINTS)
    for tag, count in odd.items():
        a.note(f"<{tag}> in {count} joints is left out.")
    efforts = [
        one
        for one in robot.all("joint")
        if (x := one.first("limit")) is not None and {"effort", "velocity"} & x.attributes.keys()
    ]
    if efforts:
        a.note(f"limits of effort and velocity of {len(efforts)} joints bind whoever drives them: left out.")


def _is_joints(one: Element) -> bool:
    """A <gazebo> that adds joints, which are read, and nothing else."""
    return one.tag == "gazebo" and {x.tag for x in one.children} == {"joint"}
