"""Closure of each complementary link as expressions: oriented equations, velocity matrix, and its derivative.

    g(q) = 0,    Delta(q) u = 0  (u: speeds of the tree),    Delta u' + gamma(q, u) = 0

Axes that must agree are equal as vectors, not merely parallel: the reversed assembly is no solution. In maximal
coordinates every body is free and every link closes a loop.
"""

from __future__ import annotations

from dataclasses import dataclass

from dalembert import expr as ex
from dalembert.expr import Expr, Matrix
from dalembert.expr.space import AXES, Vector3, apply3, apply_transposed3, cross, dot3, is_zero3, sub3
from dalembert.kinematics import Pose, Tree, build_tree, frame_pose, poses, time_derivative
from dalembert.mechanism import CutLink, Displacement, Layout, Link, Mechanism, Step, Turn, earth, free


@dataclass(frozen=True, slots=True)
class LinkClosure:
    """One link that closes a loop: equations, their velocity matrix and acceleration term.

    `own` are coordinates of the link itself that the equations use (only for links that are no classic joint).
    """

    link: Link
    equations: tuple[Expr, ...]
    matrix: Matrix
    gamma: tuple[Expr, ...]
    own: tuple[Expr, ...] = ()


def closure_equations(layout: Layout) -> list[LinkClosure]:
    """Closure of all cut links in the coordinates and speeds of the tree.

    >>> from dalembert.mechanism import Mechanism, Layout, earth, prismatic
    >>> m = Mechanism()
    >>> a = m.body("a", mass=1)
    >>> rails = [m.join(earth, a, prismatic("x"), name="p"), m.join(earth, a, prismatic([1, 1, 0]), name="q")]
    >>> [str(g) for g in closure_equations(Layout.of(m))[0].equations]
    ['1/2*p.x*sqrt(2)']
    """
    tree = build_tree(layout)
    absolute = poses(tree)
    return [_link_closure(tree, absolute, cut) for cut in layout.cuts]


def maximal_closure(mechanism: Mechanism) -> list[LinkClosure]:
    """Closure of every link in maximal coordinates: each body has six, named after it (`rod.x` ... `rod.ga`)."""
    loose = Mechanism(mechanism.name)
    loose.given, loose.start = dict(mechanism.given), {}
    for body in mechanism.bodies.values():
        if body.name != earth.name:
            loose.join(earth, loose.add_body(body), free(), name=body.name)
    for link in mechanism.links.values():
        loose.join(link.first, link.second, link.joint, name=f"link_{link.name}")
    return closure_equations(Layout.of(loose, cut=[f"link_{name}" for name in mechanism.links]))


def _link_closure(tree: Tree, absolute: list[Pose], cut: CutLink) -> LinkClosure:
    link = cut.link
    near, far = frame_pose(tree, link.first, absolute), frame_pose(tree, link.second, absolute)
    classic = _classic(link)
    own: tuple[Expr, ...] = ()
    if classic is None:
        own = tuple(ex.symbol(x) for x in link.coordinates)
        end = near
        for step in link.placed_steps():
            end = end @ Pose.of(step.displacement)
        found = [*sub3(far.position, end.position), *_same_base(end, far)]
    else:
        slides, turns = classic
        found = [*_position(near, far, slides), *_rotation(near, far, turns)]
    equations = tuple(e for e in found if e is not ex.ZERO)
    if own:
        rates = {x: ex.prime(x) for x in own}
        moved = ex.tangent(list(equations), {ex.TIME: ex.ONE, **tree.rates, **rates})
        speeds = [*tree.speeds, *rates.values()]
    else:
        rates, moved, speeds = {}, time_derivative(tree, list(equations)), list(tree.speeds)
    matrix = Matrix(ex.jacobian(moved, speeds), (len(equations), len(speeds)))
    gamma = ex.tangent(moved, {ex.TIME: ex.ONE, **tree.rates, **rates})
    return LinkClosure(link, equations, matrix, tuple(gamma), own)


def _classic(link: Link) -> tuple[list[Vector3], list[Vector3]] | None:
    """Slide directions (in the first frame) and turn axes of a link whose slides come before its turns."""
    slides: list[Vector3] = []
    turns: list[Vector3] = []
    seen: set[Expr] = set()
    moving = {ex.symbol(x) for x in link.coordinates}
    for step in link.placed_steps():
        used = _coordinates(step, moving)
        if used & seen or ex.TIME in ex.free_symbols(step.displacement.scalars):
            return None
        seen |= used
        directions = _directions(step.displacement, moving)
        if directions is None or (directions and turns):
            return None
        slides += directions
        for one in step.displacement.turns:
            if not isinstance(one, Turn):
                return (slides, [AXES["x"], AXES["y"], AXES["z"]]) if not turns and used else None
            if one.angle not in moving or {one.angle} & ex.free_symbols(step.displacement.translation):
                return None
            turns.append(one.axis)
    if len(turns) == 3:
        triple = dot3(turns[0], cross(turns[1], turns[2]))
        return None if triple is ex.ZERO and turns[0] is not turns[2] and turns[0] != turns[2] else (slides, turns)
    return slides, turns


def _coordinates(step: Step, moving: set[Expr]) -> set[Expr]:
    return ex.free_symbols(step.displacement.scalars) & moving


def _directions(displacement: Displacement, moving: set[Expr]) -> list[Vector3] | None:
    """Constant directions along which the coordinates slide; None when the translation is not linear and central."""
    used = sorted(ex.free_symbols(displacement.translation) & moving, key=lambda x: x.name)
    found: list[Vector3] = []
    for x in used:
        slope = ex.tangent(list(displacement.translation), {x: ex.ONE})
        if ex.free_symbols(slope) & moving:
            return None
        found.append(Vector3(slope[:3]))
    rest = ex.substitute(list(displacement.translation), dict.fromkeys(used, 0))
    return found if is_zero3(Vector3(rest[:3])) else None


def _position(near: Pose, far: Pose, slides: list[Vector3]) -> list[Expr]:
    """The part of the gap that no slide covers."""
    gap = sub3(far.position, near.position)
    if not slides:
        return list(gap)
    local = apply_transposed3(near.rotation, gap)
    if len(slides) == 1:
        # two directions square to the slide, made with base axes that are not along it
        square = [cross(slides[0], AXES[n]) for n in "xyz"]
        independent = [w for w in square if not is_zero3(w)]
        skip = next((k for k in range(3) if slides[0][k] is not ex.ZERO), 0)
        chosen = [cross(slides[0], AXES["xyz"[k]]) for k in range(3) if k != skip]
        return [dot3(w, local) for w in (chosen if all(not is_zero3(w) for w in chosen) else independent[:2])]
    if len(slides) == 2:
        return [dot3(cross(slides[0], slides[1]), local)]
    return []


def _rotation(near: Pose, far: Pose, turns: list[Vector3]) -> list[Expr]:
    """Base vectors that agree (no turn), the common axis (one), the angle between two axes (two), nothing (three)."""
    if not turns:
        return _same_base(near, far)
    if len(turns) == 1:
        return list(sub3(apply3(near.rotation, turns[0]), apply3(far.rotation, turns[0])))
    if len(turns) == 2:
        angle = dot3(apply3(near.rotation, turns[0]), apply3(far.rotation, turns[1]))
        return [angle - dot3(turns[0], turns[1])]
    return []


def _same_base(near: Pose, far: Pose) -> list[Expr]:
    """Two base vectors of each are equal: six equations of rank three, without a mirrored solution."""
    return [near.rotation[i][k] - far.rotation[i][k] for k in (0, 1) for i in range(3)]
