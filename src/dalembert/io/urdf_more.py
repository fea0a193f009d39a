"""What tools add to the tree of a URDF: loops of Isaac Sim, Gazebo and Drake, springs and bushings of Drake."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from dalembert.errors import ModelError
from dalembert.io import sdf_joints
from dalembert.io.assembly import Assembly
from dalembert.io.parts import WORLD
from dalembert.io.poses import Pose, at, roll_pitch_yaw, unit
from dalembert.io.sdf_frames import Placed, Scope
from dalembert.mechanism import Joint, prismatic, revolute, spherical, universal, weld
from dalembert.mechanism.xml import Element

End = tuple[str, Pose]  #: a part and a place on it
#: Tags that are read here.
TAGS = {"loop_joint", "drake:ball_constraint", "drake:linear_spring_damper", "drake:linear_bushing_rpy", "frame"}
_BUSHING = ("force_stiffness", "force_damping", "torque_stiffness", "torque_damping")


def read(robot: Element, links: set[str], a: Assembly) -> None:
    """All that closes loops, and springs between links."""
    more = More(robot, links, a)
    for number, one in enumerate((x for x in robot.children if x.tag in TAGS and x.tag != "frame"), 1):
        {
            "loop_joint": more.loop_joint,
            "drake:ball_constraint": more.ball_constraint,
            "drake:linear_spring_damper": more.spring,
            "drake:linear_bushing_rpy": more.bushing,
        }[one.tag](one, number)
    more.gazebo()
    for one in robot.all("transmission"):
        _rotor(one, a)


class More:
    """Knows the links and the frames of a robot."""

    def __init__(self, robot: Element, links: set[str], a: Assembly) -> None:
        self.robot, self.links, self.a = robot, links, a
        self.frames = {
            one.need("name"): (self.part(one.need("link"), one), _placed(one))
            for one in robot.all("frame")
            if "link" in one.attributes
        }

    def part(self, name: str, one: Element) -> str:
        """The part of a link; the world where the link is one."""
        if name == "world" or (name in self.links and name not in self.a.masses):
            return WORLD
        if name not in self.links:
            raise ModelError(f"{one.where}: <{one.tag}> names the link '{name}', which is not there.")
        return name

    def loop_joint(self, one: Element, number: int) -> None:
        """Two links with a place on each, which the joint holds together: Isaac Sim, and Drake long ago."""
        ends = [x for x in one.children if x.tag in ("link1", "link2")]
        if len(ends) != 2:
            raise ModelError(f"{one.where}: a <loop_joint> has a <link1> and a <link2>, with a place on each.")
        first, second = ((self.part(x.need("link"), x), _placed(x)) for x in ends)
        self._close(one, number, first, second, _joint_of(one))

    def ball_constraint(self, one: Element, number: int) -> None:
        first, second = self._points(one, "drake:ball_constraint")
        self._close(one, number, first, second, spherical("quaternion"))

    def _close(self, one: Element, number: int, first: End, second: End, joint: Joint) -> None:
        a, name = self.a, one.get("name") or f"{one.tag.rpartition(':')[2]}_{number}"
        called = a.beside(name)
        a.later(lambda: a.m.join(a.frame(*first), a.frame(*second), joint, name=called))

    def spring(self, one: Element, number: int) -> None:
        """A force along the line between two points."""
        a, tag = self.a, "drake:linear_spring_damper"
        first, second = self._points(one, tag)
        length, stiffness, damping = (_value(one, f"{tag}_{x}", 1)[0] for x in ("free_length", "stiffness", "damping"))
        called = a.fit(f"linear_spring_damper_{number}", "link")
        a.later(
            lambda: a.m.spring(
                a.frame(*first), a.frame(*second), length=length, stiffness=stiffness, damping=damping, name=called
            )
        )

    def bushing(self, one: Element, number: int) -> None:
        a, ends = self.a, list[End]()
        for which in ("frameA", "frameC"):
            name = _child(one, f"drake:bushing_{which}").need("name")
            if name not in self.frames and name not in self.links:
                raise ModelError(f"{one.where}: there is no frame '{name}'.")
            ends.append(self.frames.get(name) or (self.part(name, one), Pose()))
        force, damping, torque, spin = (_value(one, f"drake:bushing_{x}", 3) for x in _BUSHING)
        a.note(f"{one.where}: a bushing by roll, pitch and yaw; here by the vector of rotation, alike for small turns.")
        called = a.fit(f"bushing_{number}", "link")
        a.later(
            lambda: a.m.bushing(
                a.frame(*ends[0]),
                a.frame(*ends[1]),
                stiffness=force,
                damping=damping,
                turning=torque,
                turning_damping=spin,
                name=called,
            )
        )

    def _points(self, one: Element, tag: str) -> tuple[End, End]:
        def end(body: str, point: str) -> End:
            part = self.part(_child(one, f"{tag}_{body}").need("name"), one)
            return part, at(_value(one, f"{tag}_{point}", 3))

        return end("body_A", "p_AP"), end("body_B", "p_BQ")

    def gazebo(self) -> None:
        """Joints of SDF inside <gazebo>: they stand in their child, and close a loop of the tree."""
        joints = [x for one in self.robot.all("gazebo") for x in one.all("joint")]
        if not joints:
            return
        scope = Scope("", Element("model", {}, self.robot.where, joints))
        for name, pose in self.a.posture().items():
            if name != WORLD:
                scope.links[name] = name
                scope.frames[name] = Placed("", pose, "")
        for name in self.links - self.a.masses.keys():  # links that are the world
            scope.frames[name] = Placed("world", Pose(), "world")
        for one in joints:
            scope.enter(one, "joint")
        for one in joints:
            sdf_joints.close(one, scope, self.a)


def _joint_of(one: Element) -> Joint:
    kind = one.get("type", "spherical")
    axis = one.first("axis")
    written = axis.numbers("xyz", [1, 0, 0], exactly=3) if axis is not None else [1.0, 0.0, 0.0]
    along = [float(x) for x in unit(written, one.where)]
    made: dict[str, Callable[[], Joint]] = {
        "spherical": lambda: spherical("quaternion"),
        "ball": lambda: spherical("quaternion"),
        "revolute": lambda: revolute(along),
        "continuous": lambda: revolute(along),
        "prismatic": lambda: prismatic(along),
        "universal": lambda: universal("xy"),
        "fixed": weld,
    }
    if kind not in made:
        raise ModelError(f"{one.where}: <loop_joint> '{one.get('name')}' is '{kind}'. Known: {', '.join(made)}.")
    return made[kind]()


def _placed(one: Element) -> Pose:
    """A place by its own attributes xyz and rpy."""
    turned = roll_pitch_yaw(one.numbers("rpy", [0, 0, 0], exactly=3))
    return Pose(np.array(one.numbers("xyz", [0, 0, 0], exactly=3)), turned)


def _child(one: Element, tag: str) -> Element:
    found = one.first(tag)
    if found is None:
        raise ModelError(f"{one.where}: <{one.tag}> has no <{tag}>.")
    return found


def _value(one: Element, tag: str, count: int) -> list[float]:
    return _child(one, tag).numbers("value", [0.0] * count, exactly=count)


def _rotor(one: Element, a: Assembly) -> None:
    """The inertia of a rotor behind its gear, n^2 J, on the joint of a transmission."""
    for actuator in one.all("actuator"):
        inertia, gear = actuator.first("drake:rotor_inertia"), actuator.first("drake:gear_ratio")
        size = inertia.number("value", 0.0) if inertia is not None else 0.0
        ratio = gear.number("value", 1.0) if gear is not None else 1.0
        if not size:
            continue
        joints = [x.get("name") for x in one.all("joint")]
        for held in a.joined.values():
            held.freedoms = tuple(
                replace(x, armature=ratio * ratio * size) if x.name in joints else x for x in held.freedoms
            )
