"""A tree as URDF: every hinge and slide is a joint; links between several motions of one body have no mass."""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree.ElementTree import Element

import numpy as np

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.io.chain import (
    Hung,
    Law,
    Move,
    Numbers,
    hung_bodies,
    inertia_of,
    joint_names,
    law_of_loose,
    laws_of,
    note_rest,
    relations_of,
)
from dalembert.io.parts import NO_END
from dalembert.io.poses import Pose, turns_of
from dalembert.io.write_xml import add, finished, solids_of, words
from dalembert.mechanism import EARTH, Body, Model

#: What readers take for the world where it is the root without a mass: the first that is no body.
_WORLDS = ("world", "universe", "World")
_SOLIDS = ("box", "sphere", "cylinder", "mesh")


def to_urdf(model: Model, given: Mapping[str, float] | None = None) -> str:
    """The text of a URDF file; what it cannot say is told in a warning."""
    numbers = Numbers.of(model, given)
    hung, armatures = hung_bodies(numbers)
    laws = laws_of(numbers, armatures)
    robot = Element("robot", name=model.name)
    root = next((x for x in _WORLDS if x not in model.bodies), None)
    if root is None:
        raise ModelError(f"bodies are called {', '.join(_WORLDS)}: no name is left for the world. Rename one.")
    add(robot, "link", name=root)
    held: dict[str, tuple[str, Pose]] = {EARTH: (root, Pose())}  # the link that is a body, and the body's place in it
    taken, names = {*model.bodies, root}, joint_names(hung)
    for one in hung:
        _hang(robot, one, held, taken, names, laws, numbers)
    mimicked = _mimics(robot, numbers)
    loose = {x for one in hung if is_free(one.moves) for move in one.moves for x in move.coordinates}
    for name, law in laws.items():
        if name in loose:
            continue
        for control, gear in law.motors.items():
            _transmission(robot, control, gear, names[name])
        if law.stiffness or law.armature:
            what = [x for x, y in (("a spring", law.stiffness), ("a rotor", law.armature)) if y]
            numbers.left.append(f"'{name}' has {' and '.join(what)}, of which URDF knows nothing.")
    gravity = [numbers.value(x, "gravity") for x in model.gravity]
    if gravity != [0.0, 0.0, -9.81]:
        numbers.left.append(f"gravity {words(gravity)} is not part of URDF; readers take 0 0 -9.81.")
    note_rest(numbers, [one.link.name for one in numbers.layout.cuts], mimicked)
    return finished(robot, numbers.left, f"URDF of '{model.name}'")


def _hang(
    robot: Element,
    one: Hung,
    held: dict[str, tuple[str, Pose]],
    taken: set[str],
    names: Mapping[str, str],
    laws: Mapping[str, Law],
    numbers: Numbers,
) -> None:
    above, place = held[one.parent]
    if is_free(one.moves):
        if one.parent != EARTH or not all(x.is_identity for x in one.places):
            raise ModelError(f"link '{one.link.name}' is free between turned or moved frames: URDF has no such joint.")
        law_of_loose(numbers, laws, one.moves[3], [x.coordinates[0] for x in one.moves[:3]], said=False)
        _joint(robot, one.link.name, "floating", above, one.body.name, Pose())
        _link(robot, one.body, Pose(), numbers)
        held[one.body.name] = (one.body.name, Pose())
        return
    here = place @ one.places[0]
    for k, move in enumerate(one.moves):
        if move.axis is None:
            raise ModelError(f"link '{one.link.name}' is a ball: URDF has no ball joints. Write MJCF, or use angles.")
        last = k + 1 == len(one.moves)
        child = one.body.name if last else _free_name(f"{one.body.name}_{k + 1}", taken)
        law = laws[move.coordinates[0]]
        kind = "prismatic" if move.kind == "slide" else "continuous" if law.low is law.high is None else "revolute"
        joint = _joint(robot, names[move.coordinates[0]], kind, above, child, here)
        add(joint, "axis", xyz=words(move.axis))
        if law.damping or law.dry:
            add(joint, "dynamics", damping=words([law.damping]), friction=words([law.dry]))
        if kind != "continuous":
            low, high = (-NO_END if law.low is None else law.low), (NO_END if law.high is None else law.high)
            ends = {"lower": words([low]), "upper": words([high])}
            add(joint, "limit", **ends, effort=words([NO_END]), velocity=words([NO_END]))
        above, here = child, one.places[k + 1]
        if not last:
            add(robot, "link", name=child)
    if one.moves:
        _link(robot, one.body, here, numbers)
        held[one.body.name] = (one.body.name, here)
    else:
        _joint(robot, one.link.name, "fixed", above, one.body.name, here)
        _link(robot, one.body, Pose(), numbers)
        held[one.body.name] = (one.body.name, Pose())


def is_free(moves: tuple[Move, ...]) -> bool:
    """Three slides along x, y, z, then a ball."""
    if [x.kind for x in moves] != ["slide"] * 3 + ["ball"]:
        return False
    return all(x.axis is not None and np.array_equal(x.axis, np.eye(3)[k]) for k, x in enumerate(moves[:3]))


def _joint(robot: Element, name: str, kind: str, parent: str, child: str, pose: Pose) -> Element:
    joint = add(robot, "joint", name=name, type=kind)
    _origin(joint, pose)
    add(joint, "parent", link=parent)
    add(joint, "child", link=child)
    return joint


def _transmission(robot: Element, control: str, gear: float, joint: str) -> None:
    """An actuator on a joint, as ROS writes it: its effort times the reduction acts there."""
    one = add(robot, "transmission", name=f"{control}_transmission")
    add(one, "type").text = "transmission_interface/SimpleTransmission"
    add(add(one, "joint", name=joint), "hardwareInterface").text = "hardware_interface/EffortJointInterface"
    add(add(one, "actuator", name=control), "mechanicalReduction").text = words([gear])


def _origin(where: Element, pose: Pose) -> None:
    angles = {axis: float(ex.evaluate([ex.as_expr(a)], {})[0]) for a, axis in turns_of(pose.R)}
    add(where, "origin", xyz=words(pose.p), rpy=words([angles.get(a, 0.0) for a in "xyz"]))


def _link(robot: Element, body: Body, place: Pose, numbers: Numbers) -> None:
    link = add(robot, "link", name=body.name)
    mass, centre, tensor = inertia_of(numbers, body)
    if mass or tensor.any():
        inertial = add(link, "inertial")
        I = place.R @ tensor @ place.R.T
        add(inertial, "origin", xyz=words(place.p + place.R @ centre), rpy="0 0 0")
        add(inertial, "mass", value=words([mass]))
        names = {f"i{'xyz'[i]}{'xyz'[j]}": words([I[i, j]]) for i in range(3) for j in range(i, 3)}
        add(inertial, "inertia", **names)
    for kind, pose, sizes, shape in solids_of(numbers, body, place, _SOLIDS):
        visual = add(link, "visual")
        _origin(visual, pose)
        geometry = add(visual, "geometry")
        if kind == "mesh":
            assert shape.mesh is not None
            add(geometry, "mesh", filename=shape.mesh.file, scale=words([shape.mesh.scale] * 3))
        elif kind == "box":
            add(geometry, kind, size=words(sizes))
        else:
            add(geometry, kind, **dict(zip(("radius", "length"), (words([x]) for x in sizes), strict=False)))
        if shape.colour:
            material = add(visual, "material", name=shape.colour)
            rgb = [int(shape.colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
            add(material, "color", rgba=words([*rgb, 1.0]))


def _free_name(wish: str, taken: set[str]) -> str:
    name, count = wish, 1
    while name in taken:
        count += 1
        name = f"{wish}_{count}"
    taken.add(name)
    return name


def _mimics(robot: Element, numbers: Numbers) -> list[str]:
    """Linear relations of two coordinates are mimic joints; the names of their constraints."""
    found = []
    joints = {one.get("name"): one for one in robot.iter("joint")}
    owner = {x: link for link in numbers.model.links.values() for x in link.coordinates}
    for one in relations_of(numbers):
        if one.x is None or any(len(owner[x].coordinates) != 1 for x in (one.x, one.y)):
            continue
        joint = joints.get(owner[one.y].name)
        if joint is not None and joint.find("mimic") is None:
            share = {"multiplier": words([one.share]), "offset": words([one.offset])}
            add(joint, "mimic", joint=owner[one.x].name, **share)
            found.append(one.name)
    return found
