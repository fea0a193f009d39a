"""MJCF before its bodies: included files, settings of the compiler, defaults by class, orientations."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from dalembert.errors import ModelError
from dalembert.io.folder import Folder
from dalembert.io.poses import Array, Pose, about, from_quaternion, unit, z_onto
from dalembert.mechanism.xml import Element, read_xml

ACTUATORS = (
    "general",
    "motor",
    "position",
    "velocity",
    "intvelocity",
    "damper",
    "cylinder",
    "muscle",
    "adhesion",
    "dcmotor",
)
#: Flags whose "disable" leaves a part of the mechanics out.
OFF = ("spring", "damper", "passive", "constraint", "limit", "equality", "frictionloss", "actuation")
_MOST_INCLUDES = 100


def with_includes(folder: Folder) -> Element:
    """The root, with the content of included files in the place of each <include>."""
    root = folder.main("mujoco")
    seen = {folder.file}

    def expand(element: Element) -> None:
        found: list[Element] = []
        for one in element.children:
            if one.tag != "include":
                expand(one)
                found.append(one)
                continue
            path = folder.find(one.need("file"), one.where)
            if path in seen or len(seen) > _MOST_INCLUDES:
                raise ModelError(f"{one.where}: '{path.name}' is included twice.")
            seen.add(path)
            inner = read_xml(path, ("mujocoinclude", "mujoco"))
            expand(inner)
            found += inner.children
        element.children = found

    expand(root)
    return root


@dataclass(frozen=True)
class Settings:
    """What <compiler> says, as far as it changes the mechanism."""

    degrees: bool = True
    eulerseq: str = "xyz"
    autolimits: bool = True
    from_geoms: str = "auto"
    groups: tuple[int, int] = (0, 5)
    boundmass: float = 0.0
    boundinertia: float = 0.0
    balance: bool = False
    total: float = -1.0
    meshdir: str = ""
    off: frozenset[str] = frozenset()  # what the file switches off
    groups_off: frozenset[str] = frozenset()  # of actuators

    @staticmethod
    def of(root: Element) -> Settings:
        s = Settings()
        for one in root.all("compiler"):
            if one.get("coordinate", "local") != "local":
                raise ModelError(f"{one.where}: global coordinates are read by old versions of MuJoCo only.")
            s = replace(
                s,
                degrees=one.get("angle", "degree" if s.degrees else "radian") == "degree",
                eulerseq=one.get("eulerseq", s.eulerseq),
                autolimits=one.get("autolimits", "true" if s.autolimits else "false") == "true",
                from_geoms=one.get("inertiafromgeom", s.from_geoms),
                groups=_pair(one.numbers("inertiagrouprange", s.groups, exactly=2)),
                boundmass=one.number("boundmass", s.boundmass),
                boundinertia=one.number("boundinertia", s.boundinertia),
                balance=one.get("balanceinertia", "true" if s.balance else "false") == "true",
                total=one.number("settotalmass", s.total),
                meshdir=one.get("meshdir", one.get("assetdir", s.meshdir)),
            )
        said = [one for option in root.all("option") for one in option.all("flag")]
        flags = {name for one in said for name in OFF if one.get(name) == "disable"}
        if "passive" in flags:
            flags |= {"spring", "damper"}
        if "constraint" in flags:
            flags |= {"limit", "equality", "frictionloss"}
        groups = {x for option in root.all("option") for x in option.get("actuatorgroupdisable", "").split()}
        s = replace(s, off=frozenset(flags), groups_off=frozenset(groups))
        if len(s.eulerseq) != 3 or set(s.eulerseq.lower()) - set("xyz"):
            raise ModelError(f"{root.where}: eulerseq '{s.eulerseq}' is not three of x, y, z.")
        return s

    def angle(self, value: float) -> float:
        return math.radians(value) if self.degrees else value

    def rotation(self, one: Element) -> Array:
        """The orientation of an element, in whichever way it is written."""
        where = one.where
        if "quat" in one.attributes:
            return from_quaternion(one.numbers("quat", [], exactly=4), where)
        if "axisangle" in one.attributes:
            x, y, z, angle = one.numbers("axisangle", [], exactly=4)
            return about(unit([x, y, z], where), self.angle(angle))
        if "euler" in one.attributes:
            R = np.eye(3)
            for letter, angle in zip(self.eulerseq, one.numbers("euler", [], exactly=3), strict=True):
                turned = about(letter.lower(), self.angle(angle))
                R = R @ turned if letter.islower() else turned @ R
            return R
        if "xyaxes" in one.attributes:
            both = one.numbers("xyaxes", [], exactly=6)
            first, second = unit(both[:3], where), np.array(both[3:])
            second = unit(second - (second @ first) * first, where)
            return np.column_stack([first, second, np.cross(first, second)])
        if "zaxis" in one.attributes:
            return z_onto(one.numbers("zaxis", [], exactly=3), where)
        return np.eye(3)

    def pose(self, one: Element) -> Pose:
        return Pose(np.array(one.numbers("pos", [0, 0, 0], exactly=3)), self.rotation(one))


def _pair(values: list[float]) -> tuple[int, int]:
    return int(values[0]), int(values[1])


def is_limited(one: Element, settings: Settings, word: str = "limited", span: str = "range") -> bool:
    """Whether a range binds: as said, or by its presence."""
    one.asked.add(span)  # a range that does not bind is no loss
    said = one.get(word, "auto")
    return said == "true" or (said == "auto" and settings.autolimits and span in one.attributes)


def named(elements: Iterator[Element]) -> dict[str, Element]:
    return {one.get("name"): one for one in elements if one.get("name")}
