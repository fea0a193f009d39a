"""Frames of SDF: every link, joint, frame and model of a scope by name, where it stands and what it moves with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from dalembert.errors import ModelError
from dalembert.io.parts import WORLD
from dalembert.io.poses import Pose, from_quaternion, roll_pitch_yaw
from dalembert.mechanism.xml import Element, numbers_of


@dataclass(frozen=True)
class Placed:
    """A frame stands at `pose` in the frame `on`, and moves with the frame `held`."""

    on: str
    pose: Pose
    held: str


@dataclass(eq=False)
class Scope:
    """One model (or the world, as the model of models)."""

    prefix: str  # of its links and joints, in the names of the mechanism
    element: Element
    old: bool = False  # before SDF 1.5, when axes were written in the frame of the model
    pose: Pose = field(default_factory=Pose)  # of the model in the world, known when all are read
    static: bool = False
    frames: dict[str, Placed] = field(default_factory=dict)
    links: dict[str, str] = field(default_factory=dict)  # name here, also "inner::link" -> part
    inner: dict[str, Scope] = field(default_factory=dict)

    def place(self, name: str, where: str, depth: int = 0) -> Pose:
        """Where a frame stands in the model."""
        if name in ("", "__model__"):
            return Pose()
        if name == "world":
            return self.pose.inverse()
        if name not in self.frames or depth > len(self.frames):
            raise ModelError(f"{where}: there is no frame '{name}', or frames that stand on each other in a circle.")
        one = self.frames[name]
        return self.place(one.on, where, depth + 1) @ one.pose

    def link(self, name: str, where: str) -> str:
        """The link, as it is called here, that a frame moves with; WORLD for the world."""
        for _ in range(len(self.frames) + 2):
            if name == "world":
                return WORLD
            if name in self.links:
                return name
            if name in ("", "__model__") and self.canonical:
                name = self.canonical
            elif name in self.frames:
                name = self.frames[name].held
            else:
                break
        raise ModelError(f"{where}: there is no link '{name}'.")

    @property
    def canonical(self) -> str:
        """The link that the model itself moves with: the one that it says, or its first."""
        own = [x for x in self.links if "::" not in x]
        return self.element.get("canonical_link") or next(iter(own or self.links), "")

    def enter(self, one: Element, tag: str) -> None:
        """A link, a frame or a joint; they stand in the model (joints in their child) unless they say otherwise."""
        pose = one.first("pose")
        on = one.content("child") if tag == "joint" else one.get("attached_to") if tag == "frame" else ""
        self._new(one, one.need("name"), Placed(relative_to(pose) or on, pose_of(pose), on))

    def nest(self, one: Element, name: str, inner: Scope) -> None:
        """A model inside this one, with its frames as "name::frame"."""
        pose = one.first("pose")
        there = pose_of(pose)
        if frame := one.get("placement_frame"):  # the pose is that of this frame of it
            there = there @ inner.place(frame, one.where).inverse()
        self._new(one, name, Placed(relative_to(pose), there, f"{name}::{inner.canonical}"))
        self.inner[name] = inner
        for x in inner.frames:
            held = inner.frames[x].held or inner.canonical
            to = "world" if held == "world" else f"{name}::{held}"
            self.frames[f"{name}::{x}"] = Placed(name, inner.place(x, one.where), to)
        self.links |= {f"{name}::{x}": part for x, part in inner.links.items()}

    def _new(self, one: Element, name: str, placed: Placed) -> None:
        if name in self.frames:
            raise ModelError(f"{one.where}: there are two frames '{name}' in this model.")
        self.frames[name] = placed

    def settle(self, pose: Pose) -> Iterator[Scope]:
        """This model and those inside it, each with its place in the world."""
        self.pose = pose
        yield self
        for name, inner in self.inner.items():
            inner.static = inner.static or self.static
            yield from inner.settle(pose @ self.place(name, inner.element.where))


def relative_to(pose: Element | None) -> str:
    """The frame that a pose is written in; it was called `frame` before SDF 1.7."""
    return "" if pose is None else pose.get("relative_to") or pose.get("frame")


def pose_of(element: Element | None) -> Pose:
    """The numbers of a <pose>."""
    if element is None or not element.text.strip():
        return Pose()
    way = element.get("rotation_format", "euler_rpy")
    if way not in ("euler_rpy", "quat_xyzw"):
        raise ModelError(f"{element.where}: the rotation of a <pose> is euler_rpy or quat_xyzw, not '{way}'.")
    quaternion = way == "quat_xyzw"
    values = numbers_of(element.text, f"{element.where}: <pose>", 7 if quaternion else 6)
    if quaternion:
        return Pose(np.array(values[:3]), from_quaternion([values[6], *values[3:6]], element.where))
    angles = [np.deg2rad(x) if element.get("degrees") in ("true", "1") else x for x in values[3:]]
    return Pose(np.array(values[:3]), roll_pitch_yaw(angles))
