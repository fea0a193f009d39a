"""A machine as MJCF: all motions of a body are its joints; balls and free bases too, and loops as far as they map."""

from __future__ import annotations

from collections.abc import Mapping
from xml.etree.ElementTree import Element

import numpy as np

from dalembert.errors import ModelError
from dalembert.io.chain import (
    Hung,
    Law,
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
from dalembert.io.poses import Pose, to_quaternion
from dalembert.io.write_urdf import is_free
from dalembert.io.write_xml import add, finished, solids_of, words
from dalembert.mechanism import EARTH, Frame, Link, Model


def to_mjcf(model: Model, given: Mapping[str, float] | None = None) -> str:
    """The text of an MJCF file; what it cannot say is told in a warning."""
    numbers = Numbers.of(model, given)
    hung, armatures = hung_bodies(numbers)
    laws = laws_of(numbers, armatures)
    root = Element("mujoco", model=model.name)
    add(root, "compiler", angle="radian", autolimits="true")
    add(root, "option", gravity=words(numbers.value(x, "gravity") for x in model.gravity))
    asset, world = add(root, "asset"), add(root, "worldbody")
    held: dict[str, tuple[Element, Pose]] = {EARTH: (world, Pose())}
    joints: dict[str, str] = {}
    names = joint_names(hung)
    for one in hung:
        _hang(one, held, laws, names, joints, asset, numbers)
    if not len(asset):
        root.remove(asset)
    actuator = Element("actuator")
    for coordinate, law in laws.items():
        for control, gear in law.motors.items() if coordinate in joints else ():
            add(actuator, "motor", name=control, joint=joints[coordinate], gear=words([gear]))
    if len(actuator):
        root.append(actuator)
    equality = Element("equality")
    closing = [one.link.name for one in numbers.layout.cuts if not _closed(equality, one.link, numbers)]
    kept = _relations(equality, joints, numbers)
    if len(equality):
        root.append(equality)
    note_rest(numbers, closing, kept)
    return finished(root, numbers.left, f"MJCF of '{model.name}'")


def _hang(
    one: Hung,
    held: dict[str, tuple[Element, Pose]],
    laws: Mapping[str, Law],
    names: Mapping[str, str],
    joints: dict[str, str],
    asset: Element,
    numbers: Numbers,
) -> None:
    """A body inside its parent; axes and anchors of its joints stand in its own frame, all coordinates zero."""
    above, place = held[one.parent]
    here = place
    for pose in one.places:
        here = here @ pose
    body = add(above, "body", name=_called(one.body.name), pos=words(here.p), quat=words(to_quaternion(here.R)))
    if is_free(one.moves) and one.parent == EARTH and all(x.is_identity for x in one.places):
        free = add(body, "joint", name=one.link.name, type="free")
        slides = [x.coordinates[0] for x in one.moves[:3]]
        _said(free, law_of_loose(numbers, laws, one.moves[3], slides, said=True))
    else:
        after = Pose()  # from a joint to the body
        made = []
        for k in range(len(one.moves) - 1, -1, -1):
            after = one.places[k + 1] @ after
            move, back = one.moves[k], after.inverse()
            called = names[move.coordinates[0]]
            joint = Element("joint", name=called, type=move.kind, pos=words(back.p))
            ball = move.axis is None
            _said(joint, law_of_loose(numbers, laws, move, (), said=True) if ball else laws[move.coordinates[0]])
            if move.axis is not None:
                joint.set("axis", words(back.R @ move.axis))
                joints[move.coordinates[0]] = called
            elif not np.array_equal(back.R, np.eye(3)):
                raise ModelError(
                    f"link '{one.link.name}' is a ball whose second frame is turned in '{one.body.name}': MJCF counts "
                    "its quaternion in the axes of the body. Turn the frame of the body instead."
                )
            made.append(joint)
        body.extend(reversed(made))
    mass, centre, tensor = inertia_of(numbers, one.body)
    if one.body.doubtful:
        numbers.left.append(f"body '{one.body.name}' has an inertia that no body can have: MuJoCo does not read it.")
    if mass or tensor.any():
        six = [tensor[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
        add(body, "inertial", pos=words(centre), mass=words([mass]), fullinertia=words(six))
    for kind, pose, sizes, shape in solids_of(numbers, one.body, Pose()):
        seen = {"pos": words(pose.p), "quat": words(to_quaternion(pose.R)), "contype": "0", "conaffinity": "0"}
        if shape.colour:
            seen["rgba"] = words([*(int(shape.colour[i : i + 2], 16) / 255 for i in (1, 3, 5)), 1.0])
        if kind == "mesh":
            assert shape.mesh is not None
            name = f"{one.body.name}_{len(asset) + 1}"
            add(asset, "mesh", name=name, file=shape.mesh.file, scale=words([shape.mesh.scale] * 3))
            add(body, "geom", type="mesh", mesh=name, mass="0", **seen)
            continue
        half = [x / 2 for x in sizes] if kind == "box" else [sizes[0], *(x / 2 for x in sizes[1:])]
        half = list(sizes) if kind == "ellipsoid" else half
        add(body, "geom", type=kind, size=words(half), mass="0", **seen)
    held[one.body.name] = (body, Pose())


def _said(joint: Element, law: Law) -> None:
    for name, value in (("damping", law.damping), ("frictionloss", law.dry), ("armature", law.armature)):
        if value:
            joint.set(name, words([value]))
    if law.stiffness:
        joint.set("stiffness", words([law.stiffness]))
        joint.set("springref", words([law.rest]))
    if law.low is not None or law.high is not None:
        ends = -NO_END if law.low is None else law.low, NO_END if law.high is None else law.high
        joint.set("range", words(ends))


def _closed(equality: Element, link: Link, numbers: Numbers) -> bool:
    """A link that closes a loop as equalities between its bodies: balls and hinges by points, welds by a pose."""
    kinds = [step.displacement for step in link.placed_steps()]
    what = f"link '{link.name}'"
    if link.joint.kind not in ("spherical", "revolute", "") or link.placed_efforts():
        return False
    first, second = (numbers.pose(x.displacement, what) for x in (link.first, link.second))
    if not kinds:
        rest = first @ second.inverse()
        ends = _bodies(link.first, link.second)
        add(equality, "weld", name=link.name, **ends, relpose=words([*rest.p, *to_quaternion(rest.R)]))
        return True
    if link.joint.kind == "":
        return False
    anchors = [first.p]
    if link.joint.kind == "revolute":
        turned = kinds[0].turns[0]
        axis = np.array([numbers.value(x, what) for x in turned.axis])  # type: ignore[union-attr]
        anchors.append(first.p + first.R @ axis * _size(numbers))
    for k, anchor in enumerate(anchors):
        name = link.name if k == 0 else f"{link.name}_axis"
        add(equality, "connect", name=name, **_bodies(link.first, link.second), anchor=words(anchor))
    return True


def _size(numbers: Numbers) -> float:
    """A length of the machine, for the second point of an axis."""
    reach = [
        float(np.abs(numbers.pose(x.displacement, "a frame").p).max())
        for link in numbers.model.links.values()
        for x in (link.first, link.second)
    ]
    return max(reach, default=0.0) or 1.0


def _bodies(first: Frame, second: Frame) -> dict[str, str]:
    return {k: "world" if x.body == EARTH else _called(x.body) for k, x in (("body1", first), ("body2", second))}


def _relations(equality: Element, joints: Mapping[str, str], numbers: Numbers) -> list[str]:
    """Linear relations of one or two coordinates are equalities of joints; the names of their constraints."""
    found = []
    for one in relations_of(numbers):
        if one.y in joints and (one.x is None or one.x in joints):
            said = {"joint1": joints[one.y]} | ({} if one.x is None else {"joint2": joints[one.x]})
            add(equality, "joint", name=one.name, **said, polycoef=words([one.offset, one.share, 0, 0, 0]))
            found.append(one.name)
    return found


def _called(body: str) -> str:
    """The name of a body; MuJoCo keeps one for itself."""
    return f"{body}_body" if body == "world" else body
