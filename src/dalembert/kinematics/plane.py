"""Plane machines: every body moves in parallel to one plane, so three numbers place it instead of six.

Papegay 3.1.1: displacements of the plane are a group of dimension 3. All turns are about one normal and all slides at
right angles to it, in loops too. Then each frame keeps its height over the plane, and turns by a sum of angles only.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dalembert import expr as ex
from dalembert.expr import Expr
from dalembert.expr.space import AXES, Vector3
from dalembert.kinematics.spatial import Pose
from dalembert.mechanism import Displacement, Layout, Link, QuaternionTurn


@dataclass(frozen=True, slots=True)
class Plane:
    """The plane in which a machine moves: its normal and two axes, in the base of earth; or why there is none."""

    normal: Vector3 | None
    axes: tuple[Vector3, Vector3] | None
    why: str

    def __bool__(self) -> bool:
        return self.normal is not None

    def __str__(self) -> str:
        return self.why


def plane_of(layout: Layout) -> Plane:
    """The plane of a machine, exact in letters and numbers.

    >>> from dalembert.mechanism import Layout, Mechanism, earth, revolute
    >>> m = Mechanism("arm")
    >>> link = m.join(earth, m.body("rod", mass=1), revolute("z"), name="pivot")
    >>> plane_of(Layout.of(m)).normal
    (0, 0, 1)
    """
    turns, slides = list[tuple[str, Vector3]](), list[tuple[str, Vector3]]()
    rest = resting_poses(layout)
    for link in layout.model.links.values():
        base = rest[layout.number(link.first.body)] @ Pose.of(link.first.displacement)
        for kind, way in _ways(link, base):
            if kind == "free":
                return _none(layout, f"link '{link.name}' turns about several axes")
            (turns if kind == "turn" else slides).append((link.name, way))
    if not turns and not slides:
        return _none(layout, "nothing moves")
    normal = _normal([way for _, way in turns], [way for _, way in slides])
    for name, way in turns:
        if not _vanishes(way.cross(normal)):
            other = f"another direction than '{turns[0][0]}'" if name != turns[0][0] else "several axes"
            return _none(layout, f"link '{name}' turns about {other}")
    for name, way in slides:
        if not _vanishes((way.dot(normal),)):
            return _none(layout, f"link '{name}' slides out of the plane of the others")
    first, second = _along(normal)
    said = f"'{layout.model.name}' moves in the plane with the normal [{', '.join(ex.text(x) for x in normal)}]"
    return Plane(normal, (first, second), said)


def resting_poses(layout: Layout) -> list[Pose]:
    """Where each body is when all coordinates of the tree, and time, are zero, and quaternions turn nothing."""
    found = [Pose()] * len(layout.bodies)
    for one, own in zip(layout.tree, resting_links(layout), strict=True):
        found[one.child] = found[one.parent] @ Pose.of(own)
    return found


def resting_links(layout: Layout) -> list[Displacement]:
    """Where the links of the tree leave their bodies then, each in its parent."""
    zero = dict.fromkeys([*(ex.symbol(x) for x in layout.coordinates), ex.TIME], ex.ZERO)
    zero |= {ex.symbol(group[0]): ex.ONE for group in layout.state.quaternions}
    found = []
    for one in layout.tree:
        whole = one.link.first.displacement
        for step in one.link.placed_steps():
            used = ex.free_symbols(step.displacement.scalars) & zero.keys()
            whole = whole @ step.displacement.substitute({x: zero[x] for x in used})
        whole = whole @ one.link.second.displacement.inverse()
        found.append(whole.inverse() if one.reversed else whole)
    return found


def _ways(link: Link, here: Pose) -> Iterator[tuple[str, Vector3]]:
    """Directions in the base of earth in which the steps of a link turn and slide, at its zero posture."""
    own = {ex.symbol(x) for x in link.coordinates}
    for step in link.placed_steps():
        moving = {x for x in ex.free_symbols(step.displacement.scalars) if x in own or "." in x.name or x is ex.TIME}
        for x in moving:
            way = Vector3(ex.derivative(y, x) for y in step.displacement.translation)
            if not _vanishes(way):
                yield "slide", here.vector(way)
        for one in step.displacement.turns:
            if ex.free_symbols(one.scalars) & moving:
                if isinstance(one, QuaternionTurn):
                    yield "free", Vector3(AXES["z"])
                    return
                yield "turn", here.vector(one.axis)
        here = here @ Pose.of(step.displacement.substitute(dict.fromkeys(moving, ex.ZERO)))


def _none(layout: Layout, why: str) -> Plane:
    return Plane(None, None, f"'{layout.model.name}' does not move in a plane: {why}")


def _vanishes(values: tuple[Expr, ...] | Vector3) -> bool:
    zero = ex.fingerprints([ex.ZERO])[0]
    return all(x is ex.ZERO for x in values) or all(x == zero for x in ex.fingerprints(values))


def _normal(turns: list[Vector3], slides: list[Vector3]) -> Vector3:
    if turns:
        return _positive(turns[0])
    for one in slides:
        for other in slides:
            across = one.cross(other)
            if not _vanishes(across):
                return _positive(across * (ex.ONE / ex.sqrt(across.dot(across))))
    return next(axis for axis in AXES.values() if _vanishes((slides[0].dot(axis),)) or axis is AXES["z"])


def _positive(v: Vector3) -> Vector3:
    """The same line in the direction of growing x, y or z."""
    first = next((x for x in v if x is not ex.ZERO), ex.ONE)
    return -v if not ex.free_symbols(first) and ex.evaluate([first], {})[0] < 0 else v


def _along(normal: Vector3) -> tuple[Vector3, Vector3]:
    """Two axes that are right-handed with the normal: those of earth where it is one of them."""
    order = {"x": ("y", "z"), "y": ("z", "x"), "z": ("x", "y")}
    for name, axis in AXES.items():
        if normal == axis:
            return AXES[order[name][0]], AXES[order[name][1]]
    helper = next(axis for axis in AXES.values() if not _vanishes(axis.cross(normal)))
    across = normal.cross(helper)
    first = Vector3(ex.tidy(x) for x in across * (ex.ONE / ex.sqrt(across.dot(across))))
    return first, Vector3(ex.tidy(x) for x in normal.cross(first))
