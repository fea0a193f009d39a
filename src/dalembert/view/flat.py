"""Plane machines drawn flat, as on paper: bars, symbols of hinges and slides, hatched ground, lengths as dimensions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.dynamics import dynamics_of
from dalembert.errors import ModelError
from dalembert.mechanism import EARTH, Displacement, Layout, Mechanism, Model
from dalembert.view.facts import APART, BodyFacts, Machine
from dalembert.view.ground import upward
from dalembert.view.joints import Symbol, is_planar, symbol_of
from dalembert.view.posture import posture
from dalembert.view.theme import GREY, colour, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

_SQUARE = 1e-6
"""Sine of an angle below which two directions are parallel: closed starts hold to 1e-10 of a radian."""
_INK = "#1d2733"


def draw_flat(
    model: Mechanism | Model, *, at: Mapping[str, Any] | None = None, given: Mapping[str, Any] | None = None
) -> Figure:
    """The machine in its plane, with the distances of the joints on each body; a refusal where it moves in space."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    layout = Layout.of(model)
    numbers, note = posture(layout, at, given)
    machine = Machine(layout.model, dynamics_of(layout).tree, numbers)
    symbols = [one for link in layout.model.links.values() if (one := symbol_of(machine, link, 1.0)) is not None]
    base = _plane(machine, symbols)
    with mpl.rc_context({"font.family": "sans-serif"}):
        made = Figure(figsize=(8.0, 6.0))
        axes = made.add_axes((0.02, 0.02, 0.96, 0.9))
        axes.set_aspect("equal", adjustable="datalim")
        axes.set_axis_off()
        paper = Paper(axes, machine, base)
        for number, facts in enumerate(machine.bodies):
            paper.body(number, facts)
        for symbol in symbols:
            paper.joint(symbol)
        paper.springs()
        axes.autoscale_view()
        axes.margins(0.12)
        told = plain(layout.model.name + (f" ({note})" if note else ""))
        made.text(0.03, 0.955, told, fontsize=11, weight="bold", color=_INK)
    return made


def plane_normal(machine: Machine, symbols: Sequence[Symbol]) -> Array:
    """Normal of the plane in which all joints move; a refusal that names what leaves it."""
    up = upward(machine)
    normals = [_world(machine, one)[:, 2] for one in symbols if one.kind == "hinge"]
    lines = [_world(machine, one)[:, 2] for one in symbols if one.kind == "slide"]
    for link in machine.model.links.values():
        if is_planar(link) and link.joint.dof == 3:
            normals.append(machine.poses[machine.index[link.first.body], 0][:, :3] @ machine.place(
                link.first.displacement)[1][:, 2])  # fmt: skip
    known = {one.name for one in symbols} | {link.name for link in machine.model.links.values() if is_planar(link)}
    other = [link.name for link in machine.model.links.values() if link.joint.dof and link.name not in known]
    other += [one.name for one in symbols if one.kind not in ("hinge", "slide")]
    remedy = "`draw` shows machines in space."
    if other:
        raise ModelError(f"'{machine.model.name}' is not drawn flat: link '{other[0]}' moves out of a plane. {remedy}")
    normal = normals[0] if normals else _across(lines, up)
    for one in normals:
        if np.linalg.norm(np.cross(one, normal)) > _SQUARE:
            raise ModelError(f"'{machine.model.name}' is not drawn flat: its hinges are not parallel. {remedy}")
    if any(abs(line @ normal) > _SQUARE for line in lines):
        raise ModelError(f"'{machine.model.name}' is not drawn flat: a slide leaves the plane of the others. {remedy}")
    return normal


def _plane(machine: Machine, symbols: Sequence[Symbol]) -> Array:
    """Right, up and normal of the plane in which all joints move, as rows."""
    up, normal = upward(machine), plane_normal(machine, symbols)
    if abs(normal @ up) > 1 - _SQUARE:  # the floor, seen from above
        right = np.eye(3)[(int(np.argmax(np.abs(normal))) + 1) % 3]
        normal = normal * np.sign(normal @ up)
        return np.array([right, np.cross(normal, right), normal])
    upright = up - (up @ normal) * normal
    upright = upright / np.linalg.norm(upright)
    right = np.cross(upright, normal)
    if right[int(np.argmax(np.abs(right)))] < 0:  # x to the right
        right, normal = -right, -normal
    return np.array([right, upright, normal])


def _across(lines: Sequence[Array], up: Array) -> Array:
    for line in lines:
        found = np.cross(line, up)
        if np.linalg.norm(found) > _SQUARE:
            return found / np.linalg.norm(found)
    return np.array([0.0, -1.0, 0.0]) if abs(up[1]) < 0.5 else np.array([0.0, 0.0, 1.0])


def _world(machine: Machine, one: Symbol) -> Array:
    found: Array = machine.poses[one.body, 0][:, :3] @ one.turn
    return found


class Paper:
    """Axes on which parts of a machine are drawn, all sizes in parts of the machine's."""

    def __init__(self, axes: Any, machine: Machine, base: Array) -> None:
        self.axes, self.machine, self.base = axes, machine, base
        self.unit = 0.022 * machine.size

    def at(self, body: int, point: Array) -> Array:
        pose = self.machine.poses[body, 0]
        found: Array = self.base[:2] @ (pose[:, :3] @ point + pose[:, 3])
        return found

    def line(self, points: Sequence[Array], **style: Any) -> None:
        xs, ys = np.array(points).T
        self.axes.plot(xs, ys, **{"color": _INK, "lw": 1.2, "solid_capstyle": "round", **style})

    def body(self, number: int, facts: BodyFacts) -> None:
        """Bars between its joints with their dimensions, and its centre of mass."""
        if facts.name == EARTH:
            return
        tint = colour(number - 1)
        held = [(hold.at, hold.link.first if hold.link.first.body == facts.name else hold.link.second)
                for hold in sorted(facts.holds, key=lambda one: not one.parent)]  # fmt: skip
        kept: list[tuple[Array, Displacement | None]] = []
        for place, frame in held:
            if not any(self.machine.one_place(place, other) for other, _ in kept):
                kept.append((place, frame.displacement))
        if len(kept) == 1 and facts.mass > 0 and not self.machine.one_place(facts.centre, kept[0][0]):
            kept.append((facts.centre, facts.body.iframe))
        places = [self.at(number, place) for place, _ in kept]
        if len(places) > 2:
            self.axes.fill(*np.array(places).T, color=tint, alpha=0.18, lw=0)
            self.line([*places, places[0]], color=tint, lw=3)
        elif len(places) == 2:
            self.line(places, color=tint, lw=4)
        for ((_, one), (_, two)), (a, b) in zip(pairwise(kept), pairwise(places), strict=True):
            self.dimension(a, b, _length(one, two, self.machine))
        if facts.mass > 0:
            self.centre(self.at(number, facts.centre))
        middle = np.mean(places, axis=0) if places else self.at(number, facts.centre)
        shift = self.unit * (np.array([0.6, 0.6]) if len(places) < 2 else _normal(places[0], places[1]) * 1.3)
        self.axes.text(*(middle + shift), plain(facts.name), color=tint, fontsize=8.5, ha="center", va="center")

    def dimension(self, a: Array, b: Array, text: str) -> None:
        """Two thin lines at the ends, an arrow between them, the length in its middle."""
        way = b - a
        if np.linalg.norm(way) < 1.5 * self.unit:
            return
        off = -_normal(a, b) * 2.6 * self.unit
        for end in (a, b):
            self.line([end + 0.35 * off, end + 1.12 * off], color=GREY, lw=0.6)
        style = {"arrowstyle": "<|-|>", "color": GREY, "lw": 0.8, "shrinkA": 0, "shrinkB": 0, "mutation_scale": 8}
        self.axes.annotate("", b + off, a + off, arrowprops=style)
        angle = np.rad2deg(np.arctan2(way[1], way[0]))
        angle = angle - 180 if angle > 90.1 else angle + 180 if angle < -89.9 else angle
        back = {"fc": "white", "ec": "none", "pad": 0.4}
        self.axes.text(
            *((a + b) / 2 + off), plain(text), rotation=angle, rotation_mode="anchor", ha="center", va="center",
            fontsize=8, color=_INK, bbox=back,
        )  # fmt: skip

    def centre(self, place: Array) -> None:
        """The mark of a centre of mass: a circle with two black quarters."""
        from matplotlib.patches import Circle, Wedge

        r = 0.42 * self.unit
        self.axes.add_patch(Circle((place[0], place[1]), r, fc="white", ec=_INK, lw=0.7, zorder=6))
        for begin in (0, 180):
            self.axes.add_patch(Wedge((place[0], place[1]), r, begin, begin + 90, fc=_INK, lw=0, zorder=7))

    def joint(self, one: Symbol) -> None:
        from matplotlib.patches import Circle, Polygon

        fixed = 0 in (one.body, one.other)
        if one.kind == "hinge":
            place = self.at(one.body, one.at)
            if fixed:
                foot = place + self.unit * np.array([[-0.9, -1.4], [0.9, -1.4]])
                self.axes.add_patch(Polygon([place, *foot], closed=True, fc="#e8ecf1", ec=_INK, lw=1.0, zorder=4))
                self.ground(foot[0], foot[1])
            self.axes.add_patch(Circle((place[0], place[1]), 0.42 * self.unit, fc="white", ec=_INK, lw=1.2, zorder=5))
            self.axes.text(*(place + self.unit * np.array([0.75, 0.65])), plain(one.name), fontsize=7, color=GREY)
            return
        way = (self.base @ _world(self.machine, one)[:, 2])[:2]
        way = way / np.linalg.norm(way)
        across = np.array([-way[1], way[0]])
        slider = self.at(one.other, one.there[0])
        half = self.unit
        box = [
            slider + a * 1.3 * half * way + b * 0.75 * half * across for a, b in ((1, 1), (-1, 1), (-1, -1), (1, -1))
        ]
        self.axes.add_patch(Polygon(box, closed=True, fc="#e8ecf1", ec=_INK, lw=1.1, zorder=4))
        for side in (1, -1) if not fixed else (-1,):
            ends = [slider + s * 3.2 * half * way + side * 0.8 * half * across for s in (-1, 1)]
            if fixed:
                self.ground(*(ends if side * across[1] < 0 else ends[::-1]))
            else:
                self.line(ends, lw=1.0)
        self.axes.text(*(slider + 1.3 * half * across), plain(one.name), fontsize=7, color=GREY, ha="center")

    def ground(self, a: Array, b: Array) -> None:
        """A line with hatching on its right side."""
        way = b - a
        down = np.array([way[1], -way[0]]) / np.linalg.norm(way)
        a, b = a - 0.25 * way, b + 0.25 * way
        self.line([a, b], lw=1.3)
        for k in np.linspace(0.05, 0.95, 6):
            start = a + k * (b - a)
            slant = start + self.unit * (0.55 * down - 0.4 * way / np.linalg.norm(way))
            self.line([start, slant], lw=0.7)

    def springs(self) -> None:
        from dalembert.view.ties import ties_of

        for tie in ties_of(self.machine, 1.0):
            for (one, p), (two, q) in pairwise(tie.points):
                a, b = self.at(one, p), self.at(two, q)
                if np.linalg.norm(b - a) < self.unit:
                    continue
                across = _normal(a, b) * 0.6 * self.unit
                path = [a, b]
                if tie.kind in ("spring", "strut"):
                    marks = np.linspace(0.2, 0.8, 13)
                    zigzag = [a + k * (b - a) + (across if i % 2 else -across) for i, k in enumerate(marks)]
                    path = [a, a + 0.17 * (b - a), *zigzag, a + 0.83 * (b - a), b]
                self.line(path, color="#b8732a", lw=1.0)
                middle = (a + b) / 2 + 2.2 * across
                self.axes.text(*middle, plain(tie.name), fontsize=7, color="#b8732a", ha="center", va="center")


def _normal(a: Array, b: Array) -> Array:
    way = b - a
    size = float(np.linalg.norm(way)) or 1.0
    found: Array = np.array([-way[1], way[0]]) / size
    level = abs(found[1]) <= APART  # of a unit vector
    return found if (found[0] > 0 if level else found[1] > 0) else -found


def _length(one: Displacement | None, two: Displacement | None, machine: Machine) -> str:
    """The distance of two frames of a body as its formula, with its value, or as a number."""
    zero = (ex.ZERO,) * 3
    away = [b - a for a, b in zip(one.translation if one else zero, two.translation if two else zero, strict=True)]
    there = [x for x in away if x is not ex.ZERO]
    value = float(np.linalg.norm(machine.constants(away)))
    if len(there) == 1 and ex.free_symbols(there):
        formula = ex.text(there[0]) if machine.constants(there)[0] >= 0 else ex.text(-there[0])
        return f"{formula} = {value:.4g}"
    return f"{value:.4g}"
