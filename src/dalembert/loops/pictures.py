"""Pictures: the configuration curve, and the mechanism with its joints' axes and its redundant links in colour."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.files import check_suffix, written_whole
from dalembert.loops.assembly import Closing
from dalembert.loops.charts import judged_at
from dalembert.loops.curve import trace_curve
from dalembert.loops.jointaxes import JointAxes, joint_axes
from dalembert.loops.linkage import build_linkage
from dalembert.loops.mobility import conditions_of
from dalembert.loops.postures import locate
from dalembert.loops.units import in_own_units
from dalembert.loops.verdict import Mobility
from dalembert.loops.words import freedoms_words, posture_words
from dalembert.mechanism import Layout, Mechanism

Array = Any

_BODIES = ("#34495e", "#16806a", "#8e5ea2", "#b8860b", "#5d6d7e", "#2e6da4", "#7d5a3c", "#4b7a2b")
_PLAIN = "#2f6fb3"
_EARTH = "0.55"


def draw_curve(mechanism: Mechanism, verdict: Mobility, path: Path, *, cut: Collection[str] = ()) -> None:
    """All coordinates along the branch of a mechanism with one freedom: angles above, lengths below.

    Postures where a coordinate turns back or branches meet are marked and named.
    """
    if verdict.dof != 1:
        raise ModelError(f"'{verdict.name}' has {freedoms_words(verdict)}: only one freedom gives a curve.")
    layout = Layout.of(mechanism, cut)
    linkage = in_own_units(build_linkage(layout, at=verdict.at, equations=conditions_of(layout)), verdict.at)
    if not linkage.cuts:
        raise ModelError(f"'{verdict.name}' has no loop: its coordinate runs freely, there is no curve to draw.")
    curve = trace_curve(linkage, judged_at(linkage, verdict))
    closing = Closing(linkage)
    positions = closing.positions
    turning = {int(v) for v, t in zip(positions.variable[1:], positions.is_turn[1:], strict=True) if t}
    angles = [i for i in range(linkage.size) if i in turning]
    lengths = [i for i in range(linkage.size) if i not in turning]
    steps = np.linalg.norm(np.diff(curve.points, axis=0), axis=1)
    length = np.concatenate([[0.0], np.cumsum(steps)])
    panels = [(which, name) for which, name in ((angles, "angle (rad)"), (lengths, "length (m)")) if which]
    plt = _pyplot()
    height = 3.4 * len(panels) + 1
    figure, axes = plt.subplots(len(panels), 1, figsize=(8, height), sharex=True, squeeze=False, layout="constrained")
    for panel, (which, name) in zip(axes[:, 0], panels, strict=True):
        for i in which[:12]:
            panel.plot(length, curve[linkage.variables[i]], label=linkage.variables[i])
        panel.set_ylabel(name)
        panel.grid(alpha=0.3)
        panel.legend(loc="best", fontsize="small")
    for posture in locate(closing, curve):
        meeting = posture.kind == "crossing"
        words = "branches meet" if meeting else f"{posture.coordinate} turns back"
        for panel in axes[:, 0]:
            panel.axvline(posture.along, color="#c0392b" if meeting else "0.6", linestyle="-" if meeting else ":")
        axes[0, 0].annotate(words, (posture.along, 0.02), xycoords=("data", "axes fraction"), xytext=(-2, 0),
                            textcoords="offset points", rotation=90, fontsize=7, color="0.3", ha="right",
                            va="bottom")  # fmt: skip
    axes[-1, 0].set_xlabel("along the configuration curve" + (" (closed)" if curve.closed else ""))
    axes[0, 0].set_title(f"{verdict.name}, from {posture_words(verdict.at, 3)}", fontsize="medium")
    _save(plt, figure, path)


def draw_mechanism(mechanism: Mechanism, verdict: Mobility, path: Path, *, cut: Collection[str] = ()) -> None:
    """Bodies between their joints, joints by their symbols along their axes, redundant ones in red.

    A plane machine is drawn in its plane.
    """
    linkage = build_linkage(Layout.of(mechanism, cut), at=verdict.at)
    closing = Closing(linkage)
    x = judged_at(linkage, verdict)
    joints = joint_axes(closing, x)
    share = {r.link: r.count / max(r.of, 1) for r in verdict.redundant}
    places = _places(closing, x, mechanism)
    plane = _plane(joints)
    plt = _pyplot()
    colours = {
        name: plt.get_cmap("autumn_r")(0.35 + 0.65 * share[name]) if name in share else _PLAIN for name in joints
    }
    flat = plane is not None
    figure = plt.figure(figsize=(8, 6), layout="constrained")
    axes: Any = figure.add_subplot() if flat else figure.add_subplot(projection="3d")
    drawing = _Drawing(axes, plane, places, joints)
    for number, (body, points) in enumerate(places.items()):
        drawing.body(points, _EARTH if body == "earth" else _BODIES[number % len(_BODIES)], body)
    for name, one in joints.items():
        drawing.joint(one, colours[name])
    drawing.finish(labels=len(joints) <= 40)
    title = f"{verdict.name}: {freedoms_words(verdict)}" + (
        ", joints with redundant constraints in red" if share else ""
    )
    axes.set_title(f"{title}\nat {posture_words(verdict.at, 4)}", fontsize="medium")
    _save(plt, figure, path)


def _places(closing: Closing, x: Array, mechanism: Mechanism) -> dict[str, list[Array]]:
    """Link points of every body in earth's frame."""
    linkage = closing.linkage
    rotation, origin = closing.positions.body_frames(closing.frames(x))
    places: dict[str, list[Array]] = {"earth": []}
    for link in mechanism.links.values():
        for frame in (link.first, link.second):
            number = linkage.layout.number(frame.body)
            offset = closing.positions.arithmetic.constants(frame.displacement.translation, linkage.given)
            places.setdefault(frame.body, []).append(origin[number] + rotation[number] @ np.array(offset, dtype=float))
    return places


def _plane(joints: dict[str, JointAxes]) -> Array | None:
    """Two directions (rows) of the plane in which a plane machine moves; None for a machine of space."""
    turns = np.concatenate([j.turns for j in joints.values()])
    slides = np.concatenate([j.slides for j in joints.values()])
    if not len(turns):
        return None
    normal = turns[0]
    # directions of a drawing: a hundredth of a radian is not seen
    if np.linalg.norm(np.cross(turns, normal), axis=1).max() > 1e-2 or np.abs(slides @ normal).max(initial=0) > 1e-2:
        return None
    k = int(np.argmax(np.abs(normal)))
    normal = normal * np.sign(normal[k])
    first = np.eye(3)[{0: 1, 1: 0, 2: 0}[k]]  # y up with z forward, else x to the right
    first = first - normal * (first @ normal)
    first /= np.linalg.norm(first)
    second = np.cross(normal, first)
    return np.array([first, second if second[np.argmax(np.abs(second))] > 0 else -second])


class _Drawing:
    """A picture in the plane or in space; `size` is a twentieth of the machine."""

    def __init__(
        self, axes: Any, plane: Array | None, places: dict[str, list[Array]], joints: dict[str, JointAxes]
    ) -> None:
        self.axes, self.plane, self.joints = axes, plane, joints
        cloud = np.array(
            [p for points in places.values() for p in points] + [p for j in joints.values() for p in (j.place, j.end)]
        )
        self.cloud = cloud
        self.size = float(np.ptp(cloud, axis=0).max()) / 20 or 0.05

    def flat(self, p: Array) -> Array:
        return np.asarray(p) @ self.plane.T if self.plane is not None else np.asarray(p)

    def line(self, points: list[Array], **style: Any) -> None:
        self.axes.plot(*self.flat(np.array(points)).T, **style)

    def body(self, points: list[Array], colour: str, name: str) -> None:
        if not points:
            return
        spread = _distinct(points, self.size * 1e-3)
        if name == "earth":
            for p in spread:
                self._ground(p)
        elif len(spread) == 2:
            self.line(spread, color=colour, linewidth=4, solid_capstyle="round", alpha=0.85, zorder=2)
        elif len(spread) > 2 and self.plane is not None:
            corners = self.flat(np.array(spread))
            middle = corners.mean(axis=0)
            order = np.argsort(np.arctan2(*(corners - middle).T[::-1]))
            self.axes.fill(*corners[order].T, color=colour, alpha=0.35, linewidth=4, joinstyle="round", zorder=2)
            self.axes.plot(*corners[[*order, order[0]]].T, color=colour, linewidth=3, zorder=2)
        elif len(spread) > 2:
            middle = np.mean(spread, axis=0)
            for p in spread:
                self.line([middle, p], color=colour, linewidth=3, alpha=0.85)

    def _ground(self, p: Array) -> None:
        """Earth: a hatched foot in the plane, a grey square in space."""
        if self.plane is None:
            self.axes.scatter(*p, marker="s", s=110, color=_EARTH, alpha=0.5)
            return
        x, y = self.flat(p)
        s = 1.3 * self.size
        self.axes.fill([x, x - 0.8 * s, x + 0.8 * s], [y, y - s, y - s], facecolor="white", edgecolor=_EARTH, zorder=1)
        for k in range(5):
            left = x - s + k * 0.5 * s
            self.axes.plot([left - 0.35 * s, left], [y - 1.35 * s, y - s], color=_EARTH, linewidth=1, zorder=1)

    def joint(self, one: JointAxes, colour: Any) -> None:
        s = self.size
        if self.plane is not None:
            self._plane_joint(one, colour)
            return
        for axis in one.turns if len(one.turns) < 3 else ():
            self.line([one.place - 1.4 * s * axis, one.place + 1.4 * s * axis], color=colour, linewidth=5, zorder=4)
            self.line([one.place - 2.6 * s * axis, one.place + 2.6 * s * axis], color=colour, linewidth=1,
                      linestyle="-.", zorder=4)  # fmt: skip
        for axis in one.slides:
            ends = [one.start - 2 * s * axis, one.start, one.end, one.end + 2 * s * axis]
            self.line(ends, color=colour, linewidth=2, linestyle="--")
            self.axes.scatter(*one.end, marker="s", s=90, color=[colour], depthshade=False, zorder=5)
        if len(one.turns) == 3:
            self.axes.scatter(*one.place, marker="o", s=120, color=[colour], edgecolors="white", depthshade=False)
        elif not len(one.turns) and not len(one.slides):
            self.axes.scatter(*one.place, marker="X", s=70, color=[colour], depthshade=False)

    def _plane_joint(self, one: JointAxes, colour: Any) -> None:
        from matplotlib.patches import Polygon

        x, y = self.flat(one.end)
        for axis in one.slides:
            d = self.flat(axis) / max(float(np.linalg.norm(self.flat(axis))), 1e-300)
            across = np.array([-d[1], d[0]])
            away = abs(float((self.flat(one.start) - [x, y]) @ d)) + 3 * self.size
            for side in (-0.75, 0.75):  # the rail
                ends = [np.array([x, y]) + side * self.size * across + k * d for k in (-away, 3 * self.size)]
                if (self.flat(one.start) - [x, y]) @ d > 0:
                    ends = [2 * np.array([x, y]) + 2 * side * self.size * across - e for e in ends]
                self.axes.plot(*np.array(ends).T, color=_EARTH, linewidth=1.5, zorder=1)
            corners = [(a, b) for a, b in ((-1.3, -0.7), (1.3, -0.7), (1.3, 0.7), (-1.3, 0.7))]
            box = np.array([np.array([x, y]) + self.size * (a * d + b * across) for a, b in corners])
            self.axes.add_patch(Polygon(box, closed=True, facecolor=colour, edgecolor="white", alpha=0.8, zorder=3))
        if len(one.turns):
            self.axes.plot([x], [y], marker="o", markersize=11, markerfacecolor="white", markeredgecolor=colour,
                           markeredgewidth=2.5, linestyle="none", zorder=5)  # fmt: skip

    def finish(self, labels: bool) -> None:
        together: dict[tuple[int, ...], list[str]] = {}
        for name, one in self.joints.items() if labels else ():
            together.setdefault(tuple(np.round(one.end / self.size).astype(int)), []).append(name)
        for names in together.values():
            at, text = self.joints[names[0]].end, ", ".join(names)
            if self.plane is not None:
                self.axes.annotate(text, self.flat(at), xytext=(9, 7), textcoords="offset points", fontsize=8, zorder=6)
            else:
                self.axes.text(*at, f"   {text}", fontsize=8, zorder=6)
        if self.plane is not None:
            self.axes.set_aspect("equal")
            self.axes.margins(0.12)
            names = [_direction_name(d) for d in self.plane]
            self.axes.set_xlabel(f"{names[0]} (m)")
            self.axes.set_ylabel(f"{names[1]} (m)")
            self.axes.grid(alpha=0.2)
            return
        self.axes.locator_params(nbins=5)  # before the limits, which it would forget
        low, high = self.cloud.min(axis=0), self.cloud.max(axis=0)
        # the same scale along all three, and room for the axes of the joints
        half = np.maximum((high - low) / 2, 0.3 * (high - low).max() / 2) + 2 * self.size
        for k, name in enumerate("xyz"):
            middle = (low[k] + high[k]) / 2
            getattr(self.axes, f"set_{name}lim")(middle - half[k], middle + half[k])
            getattr(self.axes, f"set_{name}label")(f"{name} (m)")
        self.axes.set_box_aspect(half)


def _direction_name(d: Array) -> str:
    k = int(np.argmax(np.abs(d)))
    return "xyz"[k] if abs(d[k]) > 1 - 1e-9 else "along [" + ", ".join(f"{c:.3g}" for c in d) + "]"


def _distinct(points: list[Array], apart: float) -> list[Array]:
    kept: list[Array] = []
    for p in points:
        if all(np.linalg.norm(p - q) > apart for q in kept):
            kept.append(p)
    return kept


def _pyplot() -> Any:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    return pyplot


def _save(plt: Any, figure: Any, path: Path) -> None:
    try:
        check_suffix(path, [f".{kind}" for kind in ("png", "svg", "pdf", "jpg")], "this is a picture")
        with written_whole(path) as file:
            figure.savefig(file, format=path.suffix[1:] or "png")
    finally:
        plt.close(figure)
