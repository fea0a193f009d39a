"""A joint's own axes in a posture: where it sits, along what it turns or slides, and the efforts that it carries.

Efforts are named as a designer does: axial and radial force, bending moment of a hinge; lateral force, twisting and
bending moment of a slide.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert.loops.assembly import Closing

Array = Any

#: Unit directions agree below this: rounding of a closed posture, which is known to about 1e-11.
_ALONG = 1e-7
#: Unit wrenches (lengths in parts of the machine) that leave a space by less lie in it.
_WITHIN = 1e-6


@dataclass(frozen=True, slots=True)
class JointAxes:
    """Place and base (columns: the joint's axis, then two across it) in earth's frame, and what it moves along.

    `carried` are the efforts it can carry: orthonormal columns in the order force along the base, moment about it.
    """

    link: str
    kind: str
    place: Array
    start: Array  # origins of the joint's first and second frames
    end: Array
    base: Array
    turns: Array
    slides: Array
    carried: Array
    body: str
    body_rotation: Array

    def own(self, moment: Array, force: Array) -> Array:
        """Wrenches (columns, moment taken at earth's origin) in the joint's own base: force, then moment."""
        at = moment - np.cross(self.place[:, None], force, axis=0)
        return np.concatenate([self.base.T @ force, self.base.T @ at])


_NAMES = {
    "hinge": ("axial force", "radial force", "torque about the axis", "bending moment"),
    "slide": ("force along the rail", "lateral force", "twisting moment about the rail", "bending moment"),
    "plane": ("force normal to the plane", "force in the plane", "torque about the normal", "tilting moment"),
    "cardan": ("force along the shaft", "force across the shaft", "torque across the cross", "moment about the cross"),
}
#: Rows of the four kinds of efforts in the joint's base.
GROUPS = ((0,), (1, 2), (3,), (4, 5))


def joint_axes(closing: Closing, x: Array) -> dict[str, JointAxes]:
    """Axes of all links in a posture."""
    positions, linkage = closing.positions, closing.linkage
    frames = closing.frames(x)
    rotation, origin = positions.body_frames(frames)
    nodes: dict[str, list[int]] = {}
    for i in range(1, positions.count):
        nodes.setdefault(positions.node_link[i], []).append(i)
    found = {}
    for name, chain in linkage.chains.items():
        own = nodes.get(name, [])
        turning = [i for i in own if positions.is_turn[i]]
        turns = np.array([_unit(frames.axes[i]) for i in turning]).reshape(-1, 3)
        slides = np.array([_unit(frames.axes[i]) for i in own if not positions.is_turn[i]]).reshape(-1, 3)
        link = linkage.layout.model.links[name]
        offset = positions.arithmetic.constants(link.first.displacement.translation, linkage.given)
        place = origin[chain.first] + rotation[chain.first] @ np.array(offset, dtype=float)
        start = place
        if turning:  # a slide before the turn carries it along
            place = np.array(frames.position[turning[0]], dtype=float)
        far = positions.arithmetic.constants(link.second.displacement.translation, linkage.given)
        end = origin[chain.second] + rotation[chain.second] @ np.array(far, dtype=float)
        turned = [v for row in link.first.displacement.matrix for v in row]
        fixed = np.array(positions.arithmetic.constants(turned, linkage.given), dtype=float).reshape(3, 3)
        kind, axis = _kind(turns, slides)
        base = rotation[chain.first] if axis is None else _base(axis, rotation[chain.first] @ fixed)
        found[name] = JointAxes(
            link=name,
            kind=kind,
            place=place,
            start=start,
            end=end,
            base=base,
            turns=turns,
            slides=slides,
            carried=_carried(
                base, [(int(positions.variable[i]), bool(positions.is_turn[i]), _unit(frames.axes[i])) for i in own]
            ),
            body=link.first.body,
            body_rotation=rotation[chain.first],
        )
    return found


def _unit(v: Array) -> Array:
    v = np.array(v, dtype=float)
    v = v / np.abs(v).max()  # squares of the smallest numbers are none
    return v / np.linalg.norm(v)


def _kind(turns: Array, slides: Array) -> tuple[str, Array | None]:
    """hinge, slide, plane or cardan with its axis; anything else keeps the axes of its body."""
    if len(turns) == 1:
        along = [abs(s @ turns[0]) for s in slides]
        if all(a > 1 - _ALONG for a in along):
            return "hinge", turns[0]
        if len(slides) == 2 and all(a < _ALONG for a in along):
            return "plane", turns[0]
    if not len(turns) and len(slides) == 1:
        return "slide", slides[0]
    if len(turns) == 2 and not len(slides) and np.linalg.norm(np.cross(*turns)) > _ALONG:
        return "cardan", _unit(np.cross(*turns))
    return "other", None


def _base(axis: Array, frame: Array) -> Array:
    """The axis, then two directions across it by the rule of `across`, in the joint's first frame."""
    local = frame.T @ axis
    first = frame @ across(local)
    return np.array([axis, first, np.cross(axis, first)]).T


def across(axis: Array) -> Array:
    """A direction square to an axis: the first of x, y, z that is, else the vector product with x."""
    square = [k for k in range(3) if abs(axis[k]) < _ALONG]
    return np.eye(3)[square[0]] if square else _unit(np.cross(axis, [1.0, 0.0, 0.0]))


def _carried(base: Array, steps: Sequence[tuple[int, bool, Array]]) -> Array:
    """Efforts without power in the joint's motions: the orthogonal complement of its freedoms, at its place.

    Steps of one variable are one motion: a screw turns and slides at once, and carries five efforts.
    """
    motions: dict[int, Array] = {}
    for variable, turn, axis in steps:
        motion = motions.setdefault(variable, np.zeros(6))
        motion[slice(3, 6) if turn else slice(0, 3)] += base.T @ axis
    if not motions:
        return np.eye(6)
    _, s, vt = np.linalg.svd(np.array(list(motions.values())))
    return vt[int((s > _ALONG).sum()) :].T


def effort_words(axes: JointAxes, space: Array, scale: float) -> str:
    """Efforts (columns, force times `scale` first) in words: along the joint's axes where they are, else as screws."""
    words: list[str] = []
    named = np.zeros((6, 0))
    whole = _orthonormal(space)
    for group, rows in enumerate(GROUPS):
        inside = _inside(whole, rows)
        if not inside.shape[1]:
            continue
        named = np.concatenate([named, inside], axis=1)
        words.append(_group_words(axes, group, rows, inside))
    left = whole - named @ (named.T @ whole) if named.shape[1] else whole
    rest = _orthonormal(left)
    if rest.shape[1] == 1:
        words.append(_screw_words(axes, rest[:, 0], scale))
    elif rest.shape[1]:
        words.append(_system_words(axes, rest, scale))
    return ", ".join(words)


def _system_words(axes: JointAxes, rest: Array, scale: float) -> str:
    """Several wrenches at once: forces through one point, or screws that no single line describes."""
    force, moment = rest[:3] / scale, rest[3:]
    # moment = point x force for all of them: linear in the point
    rows = np.concatenate([-_tilde(f) for f in force.T])
    point, *_ = np.linalg.lstsq(rows, moment.T.ravel(), rcond=None)
    count = rest.shape[1]
    if np.abs(rows @ point - moment.T.ravel()).max() < _WITHIN:
        return (
            f"{count} forces through {_numbers(axes.body_rotation.T @ axes.base @ point)} of {axes.body} from the joint"
        )
    return f"{count} screws that mix force and moment"


def _tilde(v: Array) -> Array:
    return np.array([[0.0, -v[2], v[1]], [v[2], 0.0, -v[0]], [-v[1], v[0], 0.0]])


def _group_words(axes: JointAxes, group: int, rows: tuple[int, ...], inside: Array) -> str:
    force = group < 2
    if axes.kind == "other":
        count = inside.shape[1]
        directions = ", ".join(
            direction(axes, axes.base @ inside[(slice(0, 3) if force else slice(3, 6)), k]) for k in range(count)
        )
        return f"{'force along' if force else 'moment about'} {directions}"
    name = _NAMES[axes.kind][group]
    if inside.shape[1] == len(rows):
        return name
    part = inside[:3, 0] if force else inside[3:, 0]
    return f"{name} {'along' if force else 'about'} {direction(axes, axes.base @ part)}"


def direction(axes: JointAxes, world: Array) -> str:
    """A direction of earth's frame in words of the joint's first body."""
    local = axes.body_rotation.T @ world
    for k, name in enumerate("xyz"):
        if abs(local[k]) > (1 - _ALONG) * np.linalg.norm(local):
            return f"{name} of {axes.body}"
    return f"{_numbers(local / np.linalg.norm(local))} of {axes.body}"


def _screw_words(axes: JointAxes, wrench: Array, scale: float) -> str:
    """A force along an axis with a moment about it."""
    force, moment = axes.base @ wrench[:3] / scale, axes.base @ wrench[3:]
    size = float(force @ force)
    if not size * scale * scale > _ALONG**2:
        return f"moment about {direction(axes, moment)}"
    pitch = float(force @ moment) / size
    point = axes.body_rotation.T @ (np.cross(force, moment) / size)
    text = f"force along {direction(axes, force)}"
    if np.linalg.norm(point) > _ALONG * scale:
        text += f" through {_numbers(point)} from the joint"
    return text + (f" with {pitch:.4g} m times it as moment" if abs(pitch) > _ALONG * scale else "")


def _numbers(v: Array) -> str:
    # four digits are printed: what is less beside the largest is nothing
    return "[" + ", ".join(f"{0.0 if abs(c) < 5e-5 * max(np.abs(v).max(), 1e-300) else c:.4g}" for c in v) + "]"


def _inside(space: Array, rows: tuple[int, ...]) -> Array:
    """The part of a subspace (orthonormal columns) that lies in some coordinate directions."""
    if not space.shape[1]:
        return np.zeros((6, 0))
    others = [k for k in range(6) if k not in rows]
    _, s, vt = np.linalg.svd(space[others])
    full = np.concatenate([s, np.zeros(vt.shape[0] - len(s))])
    return space @ vt[full < _WITHIN].T


def _orthonormal(space: Array) -> Array:
    if not space.shape[1]:
        return space
    u, s, _ = np.linalg.svd(space, full_matrices=False)
    return u[:, s > _WITHIN]
