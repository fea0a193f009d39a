"""Special postures of a machine with one freedom, located on its configuration curve and named.

limit       a coordinate turns back: its rate is zero while others move (dead centre of a slider, end of a rocker);
            driven by that coordinate the machine is stuck there
crossing    the rank drops: branches meet, and the machine may leave by any of them
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dalembert.errors import ModelError
from dalembert.loops.assembly import REACHED, Closing, project
from dalembert.loops.branch import branch_relations
from dalembert.loops.branches import BranchThrough, branches_through
from dalembert.loops.charts import judged_at
from dalembert.loops.curve import Curve, trace_curve
from dalembert.loops.jointaxes import JointAxes, joint_axes
from dalembert.loops.linkage import Linkage, build_linkage
from dalembert.loops.mobility import every_condition_of, mobility
from dalembert.loops.units import in_own_units
from dalembert.loops.words import freedoms_words, posture_words
from dalembert.mechanism import Layout, Mechanism

Array = Any

#: A unit rate below this is rounding: the coordinate stands still on the whole curve.
_STILL = 1e-7
#: The smallest singular value beside the largest: below, the rank drops; postures are located to about 1e-9.
_DROPS = 1e-6
#: Postures nearer than this (radians, parts of the machine) are one: the curve has steps of a twentieth.
_SAME = 1e-4
#: Singular values beside the largest, of points of a curve, which close to 1e-9; the rate of a coordinate (of unit
#: speed) that stands still; at the end of a bisection over a chord of a twentieth to this share.
_RANK, _RESTS, _BISECTED = 1e-6, 1e-5, 1e-13
#: Hinges are in line when they leave the line by less than this share of their distance.
_LINE = 1e-6


@dataclass(frozen=True, slots=True)
class SpecialPosture:
    """A posture on the curve: `kind` is "limit" or "crossing", `words` say what it is."""

    kind: str
    coordinate: str
    value: float
    words: str
    at: dict[str, float] = field(repr=False)
    along: float = field(repr=False)  # arc length on the curve
    branches: tuple[BranchThrough, ...] = field(default=(), repr=False)

    def __str__(self) -> str:
        return self.words


def special_postures(
    mechanism: Mechanism,
    at: Mapping[str, float] | None = None,
    *,
    given: Mapping[str, Any] | None = None,
    cut: Collection[str] = (),
    step: float = 0.05,
) -> tuple[SpecialPosture, ...]:
    """Limits of all coordinates and crossings of branches, along the curve through a closed configuration."""
    layout = Layout.of(mechanism, cut)
    conditions = every_condition_of(layout)
    verdict = mobility(mechanism, at, given=given, cut=cut)
    if verdict.dof != 1:
        raise ModelError(
            f"'{verdict.name}' has {freedoms_words(verdict)} here: special postures lie on a curve, which one "
            "freedom gives. Hold coordinates with `given`, or ask `branches_through` at a posture."
        )
    if not verdict.loops:
        raise ModelError(f"'{verdict.name}' has no loop: its coordinate runs freely, without special postures.")
    if verdict.singular:
        raise ModelError(
            f"'{verdict.name}' starts where branches meet: choose one with `branches_through` and start on it."
        )
    linkage = in_own_units(build_linkage(layout, given, verdict.at, conditions), verdict.at)
    x = judged_at(linkage, verdict)
    reduced = branch_relations(linkage, x) if verdict.instantaneous > 1 else None
    curve = trace_curve(linkage, x, step=step, reduced=reduced)
    found = []
    for one in locate(Closing(linkage), curve):
        if one.kind == "crossing":
            several: tuple[BranchThrough, ...]
            try:
                several = branches_through(mechanism, one.at, given=given, cut=cut)
            except ModelError:  # none was met: they are there, and not told apart
                several = ()
            one = replace(one, words=f"{len(several) or 'some'} {one.words}", branches=several)
        found.append(one)
    return tuple(found)


def locate(closing: Closing, curve: Curve) -> tuple[SpecialPosture, ...]:
    """Special postures between the points of a curve, each brought to rounding."""
    points = _joined(curve) if curve.closed else curve.points
    chords = np.diff(points, axis=0)
    length = np.concatenate([[0.0], np.cumsum(np.linalg.norm(chords, axis=1))])
    tangents, lowest = [], []
    rank = _rank(closing, points[0])
    for i, x in enumerate(points):
        chord = chords[min(i, len(chords) - 1)]
        tangents.append(_tangent(closing, x, chord, rank))
        lowest.append(_lowest(closing, x, rank))
    rates = np.array(tangents)
    found: list[SpecialPosture] = []
    still = np.abs(rates).max(axis=0) < _STILL
    crossings = [
        _crossing(closing, points[i - 1 : i + 2], length[i], rank)
        for i in range(1, len(points) - 1)
        if lowest[i] <= min(lowest[i - 1], lowest[i + 1]) and lowest[i] < 0.2 * max(lowest)
    ]
    found += [c for c in crossings if c is not None]
    shown = [i for i, n in enumerate(closing.linkage.variables) if "~" not in n and not still[i]]
    for k in range(len(points) - 1):
        for i in shown:
            a, b = rates[k, i], rates[k + 1, i]
            if a * b < 0 or (a == 0 and k):
                posture = _limit(closing, points[k], points[k + 1], i, length[k], rank)
                if posture is not None:
                    found.append(posture)
    found.sort(key=lambda p: p.along)
    return tuple(_once(found, closing))


def _joined(curve: Curve) -> Array:
    """The points of a closed curve and its first ones again, so that what lies at its start is between points too."""
    points = curve.points
    turns = 2 * np.pi * np.round((points[-1] - points[0]) / (2 * np.pi))
    turns[list(curve.linkage.lengths)] = 0.0
    again = points[:2] + turns
    return np.concatenate([points, again if np.abs(again[0] - points[-1]).max() > _SAME else again[1:]])


def _once(found: list[SpecialPosture], closing: Closing) -> list[SpecialPosture]:
    """A crossing explains the limits at it; a closed curve meets its start twice."""
    kept: list[SpecialPosture] = []
    for one in sorted(found, key=lambda p: p.kind != "crossing"):
        same = [other for other in kept if np.abs(_apart(closing.linkage, one.at, other.at)).max() < _SAME]
        if not any(o.kind == "crossing" or (o.kind, o.coordinate) == (one.kind, one.coordinate) for o in same):
            kept.append(one)
    return sorted(kept, key=lambda p: p.along)


def _apart(linkage: Linkage, one: Mapping[str, float], other: Mapping[str, float]) -> Array:
    """Differences of two postures: angles but for whole turns, lengths in parts of the machine."""
    found = np.array(linkage.start(one)) - np.array(linkage.start(other))
    turning = [i for i in range(linkage.size) if i not in linkage.lengths]
    found[turning] = np.remainder(found[turning] + np.pi, 2 * np.pi) - np.pi
    return found


def _rank(closing: Closing, x: Array) -> int:
    values = np.linalg.svd(closing.jacobian(x), compute_uv=False)
    return int((values > _RANK * values[0]).sum())


def _lowest(closing: Closing, x: Array, rank: int) -> float:
    values = np.linalg.svd(closing.jacobian(x), compute_uv=False)
    return float(values[rank - 1] / values[0]) if rank else 1.0


def _tangent(closing: Closing, x: Array, chord: Array, rank: int) -> Array:
    _, _, vt = np.linalg.svd(closing.jacobian(x))
    kernel = vt[rank:]
    along = kernel.T @ (kernel @ chord)
    norm = float(np.linalg.norm(along))
    return along / norm if norm > 0 else chord / np.linalg.norm(chord)


def _between(closing: Closing, a: Array, b: Array, share: float) -> Array:
    return project(closing, a + share * (b - a), iterations=30)


def _limit(closing: Closing, a: Array, b: Array, i: int, along: float, rank: int) -> SpecialPosture | None:
    """Where the rate of a coordinate vanishes, by bisection on the chord."""
    chord = b - a
    low, high = 0.0, 1.0
    first = _tangent(closing, a, chord, rank)[i]
    for _ in range(60):
        middle = (low + high) / 2
        x = _between(closing, a, b, middle)
        rate = _tangent(closing, x, chord, rank)[i]
        if rate * first > 0:
            low = middle
        else:
            high = middle
        if high - low < _BISECTED:
            break
    x = _between(closing, a, b, (low + high) / 2)
    if closing.gap(x) > REACHED or abs(_tangent(closing, x, chord, rank)[i]) > _RESTS:
        return None
    linkage = closing.linkage
    name = linkage.variables[i]
    side = "largest" if _curvature(closing, a, b, i) < 0 else "smallest"
    value = float(x[i] * linkage.units[i])
    words = f"{name} turns back at {value:.6g} (its {side} value near by)"
    lined = _in_line(closing, x, _tangent(closing, x, chord, rank), i)
    if lined:
        words += f": {lined}"
    reached = along + float(np.linalg.norm(x - a))
    return SpecialPosture("limit", name, value, words, linkage.coordinates(x), reached)


def _curvature(closing: Closing, a: Array, b: Array, i: int) -> float:
    middle = _between(closing, a, b, 0.5)
    return float(a[i] + b[i] - 2 * middle[i])


def _in_line(closing: Closing, x: Array, rates: Array, still: int) -> str:
    """Names the hinges that stand in one line, when the moving joints are three parallel hinges."""
    linkage = closing.linkage
    moving = [name for name, chain in linkage.chains.items() if any(abs(rates[v]) > _RESTS for v in chain.variables)]
    joints: list[JointAxes] = [joint_axes(closing, x)[name] for name in moving]
    if len(joints) != 3 or any(j.kind != "hinge" or len(j.slides) for j in joints):
        return ""
    normal = joints[0].turns[0]
    if any(np.linalg.norm(np.cross(j.turns[0], normal)) > _LINE for j in joints):
        return ""
    places = [j.place - normal * (j.place @ normal) for j in joints]
    u, v = places[1] - places[0], places[2] - places[0]
    size = max(float(np.linalg.norm(u) * np.linalg.norm(v)), np.finfo(float).tiny)
    return f"{', '.join(moving)} in line" if np.linalg.norm(np.cross(u, v)) < _LINE * size else ""


def _crossing(closing: Closing, three: Array, along: float, rank: int) -> SpecialPosture | None:
    """Where the smallest singular value is least, by golden section; a crossing when it vanishes."""
    a, b = three[0], three[2]
    ratio = (np.sqrt(5) - 1) / 2
    low, high = 0.0, 1.0
    inner = [high - ratio * (high - low), low + ratio * (high - low)]
    values = [_lowest(closing, _between(closing, a, b, t), rank) for t in inner]
    for _ in range(45):
        if values[0] < values[1]:
            high, inner[1], values[1] = inner[1], inner[0], values[0]
            inner[0] = high - ratio * (high - low)
            values[0] = _lowest(closing, _between(closing, a, b, inner[0]), rank)
        else:
            low, inner[0], values[0] = inner[0], inner[1], values[1]
            inner[1] = low + ratio * (high - low)
            values[1] = _lowest(closing, _between(closing, a, b, inner[1]), rank)
    x = _between(closing, a, b, (low + high) / 2)
    if _lowest(closing, x, rank) > _DROPS or closing.gap(x) > REACHED:
        return None
    at = closing.linkage.coordinates(x)
    return SpecialPosture("crossing", "", 0.0, f"branches meet at {posture_words(at, 4)}", at, along)
