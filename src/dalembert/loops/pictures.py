"""Pictures: the configuration curve, and the mechanism with its redundant links in colour."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.files import check_suffix, written_whole
from dalembert.loops.assembly import Closing
from dalembert.loops.curve import trace_curve
from dalembert.loops.linkage import build_linkage
from dalembert.loops.verdict import Mobility
from dalembert.mechanism import Layout, Mechanism


def draw_curve(mechanism: Mechanism, verdict: Mobility, path: Path, *, cut: Collection[str] = ()) -> None:
    """All coordinates along the branch of a mechanism with one freedom."""
    if verdict.dof != 1:
        raise ModelError(f"'{verdict.name}' has {verdict.dof} degrees of freedom: only one freedom gives a curve.")
    linkage = build_linkage(Layout.of(mechanism, cut), at=verdict.at)
    curve = trace_curve(linkage, linkage.start(verdict.at))
    steps = np.linalg.norm(np.diff(curve.points, axis=0), axis=1)
    length = np.concatenate([[0.0], np.cumsum(steps)])
    plt = _pyplot()
    figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
    for i, name in enumerate(linkage.variables[:12]):
        axes.plot(length, curve.points[:, i], label=name)
    for i in curve.singular:
        axes.axvline(length[i], color="0.6", linestyle=":")
    axes.set_xlabel("arc length of the configuration curve" + (" (closed)" if curve.closed else ""))
    axes.set_title(verdict.name)
    axes.grid(alpha=0.3)
    axes.legend(loc="best", fontsize="small")
    _save(plt, figure, path)


def draw_mechanism(mechanism: Mechanism, verdict: Mobility, path: Path, *, cut: Collection[str] = ()) -> None:
    """Bodies as lines between their link points; links coloured by the number of their redundant constraints."""
    linkage = build_linkage(Layout.of(mechanism, cut), at=verdict.at)
    closing = Closing(linkage)
    frames = closing.frames(linkage.start(verdict.at))
    rotation, origin = closing.positions.body_frames(frames)
    places: dict[str, list[Any]] = {}
    hubs: dict[str, Any] = {}
    for link in mechanism.links.values():
        for frame in (link.first, link.second):
            number = linkage.layout.number(frame.body)
            offset = closing.positions.arithmetic.constants(frame.displacement.translation, linkage.given)
            point = origin[number] + rotation[number] @ np.array(offset)
            places.setdefault(frame.body, []).append(point)
            hubs[link.name] = point
    plt = _pyplot()
    figure = plt.figure(figsize=(7, 6), layout="constrained")
    axes: Any = figure.add_subplot(projection="3d")
    for body, points in places.items():
        centre = np.mean(points, axis=0)
        for p in points:
            axes.plot(*np.array([centre, p]).T, color="0.35" if body != "earth" else "0.8", linewidth=2)
    share = {r.link: r.count / max(r.of, 1) for r in verdict.redundant}
    colours = [plt.get_cmap("autumn_r")(share[name]) if name in share else (0.2, 0.5, 0.9, 1.0) for name in hubs]
    cloud = np.array(list(hubs.values())).reshape(-1, 3)
    axes.scatter(*cloud.T, c=colours, s=45, depthshade=False)
    for name, p in list(hubs.items())[:40]:
        axes.text(*p, f" {name}", fontsize=7)
    axes.set_box_aspect(np.maximum(np.ptp(cloud, axis=0), 0.2 * np.ptp(cloud, axis=0).max() + 1e-9))
    title = f"{verdict.name}: {verdict.dof} freedom{'s' if verdict.dof != 1 else ''}"
    axes.set_title(title + (", links with redundant constraints in red" if share else ""))
    _save(plt, figure, path)


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
