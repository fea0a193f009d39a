"""Copies of MJCF: each <replicate> becomes frames with what it repeats; laws on what is repeated are repeated too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from dalembert.errors import ModelError
from dalembert.io.mjcf_scope import Settings
from dalembert.io.poses import Array
from dalembert.mechanism.xml import Element

#: Elements that copies may make in all: more than machines have, so that no short file asks for memory without end.
_MOST = 20_000
#: What attributes of laws name, where it is not called as they are.
_NAMES = {"jointinparent": "joint", "refsite": "site", "cranksite": "site", "slidersite": "site"}
_NAMES |= {f"{kind}{k}": kind for kind in ("joint", "body", "site", "tendon") for k in (1, 2)}
_LAWS = ("tendon", "actuator", "equality")  # in this order: actuators and equalities name tendons


def with_copies(root: Element, settings: Settings) -> None:
    """Puts frames in the place of each <replicate>."""
    copies = _Copies(root, settings)
    for world in root.all("worldbody"):
        copies.expand(world)


class _Copies:
    """Counts what it makes."""

    def __init__(self, root: Element, settings: Settings) -> None:
        self.root, self.settings, self.made = root, settings, 0

    def expand(self, element: Element) -> None:
        found: list[Element] = []
        for one in element.children:
            self.expand(one)  # inner ones first: their numbers stand first in a name
            found += [one] if one.tag != "replicate" else self._frames(one)
        element.children = found

    def _frames(self, one: Element) -> list[Element]:
        """Each copy stands at the offset in the frame of the one before; the angles, not the turns, are added up."""
        inside = list(_all(one))
        count = int(min(max(one.number("count", 0.0), 0.0), float(_MOST)))
        self._add(one, count * (1 + len(inside)))
        offset, angles = (np.array(one.numbers(key, [0, 0, 0], exactly=3)) for key in ("offset", "euler"))
        width = len(str(count - 1))
        ends = [f"{one.get('sep')}{k:0{width}d}" for k in range(count)]
        self._repeat(one, {("joint" if x.tag == "freejoint" else x.tag, x.get("name")) for x in inside}, ends)
        place, frames = np.zeros(3), list[Element]()
        for k, end in enumerate(ends):
            said = {"pos": _words(place), "euler": _words(k * angles)}
            said |= {"childclass": one.get("childclass")} if one.get("childclass") else {}
            frames.append(Element("frame", said, one.where, [_renamed(x, end) for x in one.children]))
            place = place + self.settings.rotation(frames[-1]) @ offset
        return frames

    def _repeat(self, one: Element, names: set[tuple[str, str]], ends: list[str]) -> None:
        for tag in _LAWS:
            for section in self.root.all(tag):
                found: list[Element] = []
                for law in section.children:
                    if not any(_named(x) & names for x in (law, *_all(law))):
                        found.append(law)
                        continue
                    if tag == "tendon":
                        names |= {("tendon", law.get("name"))}
                    self._add(one, len(ends))
                    found += [_renamed(_pointed(law, names, end), end) for end in ends]
                section.children = found

    def _add(self, one: Element, count: int) -> None:
        self.made += count
        if not count or self.made > _MOST:
            raise ModelError(f"{one.where}: <replicate> makes a copy or more, and a file at most {_MOST} elements so.")


def _all(element: Element) -> Iterator[Element]:
    for one in element.children:
        yield one
        yield from _all(one)


def _named(one: Element) -> set[tuple[str, str]]:
    """Kinds and names of what an element speaks of."""
    return {(_NAMES.get(key, key), value) for key, value in one.attributes.items() if key != "name" and value}


def _pointed(one: Element, names: set[tuple[str, str]], end: str) -> Element:
    said = {k: f"{v}{end}" if k != "name" and (_NAMES.get(k, k), v) in names else v for k, v in one.attributes.items()}
    return replace(one, attributes=said, children=[_pointed(x, names, end) for x in one.children])


def _renamed(one: Element, end: str) -> Element:
    said = {**one.attributes, "name": one.get("name") + end} if one.get("name") else dict(one.attributes)
    return replace(one, attributes=said, children=[_renamed(x, end) for x in one.children])


def _words(values: Array) -> str:
    return " ".join(repr(float(x)) for x in values)
