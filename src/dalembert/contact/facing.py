"""Two convex solids with flat faces: corners on faces, edges that cross edges, faces that lie on each other.

What separates two solids best is a face of one of them or the common perpendicular of two edges (separating axes). A
corner is held by the face that separates the solids, not by the one that it is highest above: it does not strike a side
that it slides past, and is let go where it slides over an edge. Faces that lie on each other touch with the corners of
what they have in common: corners of either, and the ends of the edges of one that the other cuts off.
"""

from __future__ import annotations

from functools import cached_property, reduce
from itertools import product

from dalembert import expr as ex
from dalembert.contact.pairs import Meeting, choose
from dalembert.contact.solids import PARALLEL, nearest_on_lines, support
from dalembert.expr import ONE, ZERO, Expr
from dalembert.expr.space import Vector3, cross, dot3, norm3
from dalembert.kinematics import Pose
from dalembert.mechanism.hulls import Face, Solid

_FAR = 1e300
"""The separation along no direction, with its sign."""
BEYOND = 1e-11
"""How far a corner may be past the edge of a face, in parts of the solids: more than rounding, so that edges which lie
on each other are in, and less than what touches."""
_FLAT = 1e-6
"""Where edges separate by no more than this than faces do, in parts of the solids, a face lies on what it touches."""


class Facing:
    """A pair of solids in their poses."""

    def __init__(self, one: Solid, pose: Pose, two: Solid, other: Pose) -> None:
        self.solids, self.poses = (one, two), (pose, other)
        self.points = tuple([p.point(x) for x in s.corners] for s, p in ((one, pose), (two, other)))
        self.size = norm3(one.corners[0]) + norm3(two.corners[0])

    def corner(self, which: int, number: int) -> Meeting:
        """A corner of the first (0) or the second (1) solid against the faces of the other."""
        solid, pose = self.solids[1 - which], self.poses[1 - which]
        local = self._local(1 - which)
        heights = [_height(solid, face, local[number]) for face in solid.faces]
        gap, past, best = heights[0], ex.as_expr(-_FAR), self.separations[1 - which][0]
        normal, (first, second) = solid.faces[0].normal, solid.faces[0].tangents
        feature: Expr = ZERO
        rest = zip(solid.faces[1:], heights[1:], self.separations[1 - which][1:], strict=True)
        for place, (face, height, apart) in enumerate(rest, 1):
            better = ex.less(best, apart)
            feature = ex.where(better, place, feature)
            past = ex.maximum(past, ex.where(better, gap, height))
            gap, best = ex.where(better, height, gap), ex.maximum(best, apart)
            normal = choose(better, face.normal, normal)
            first, second = choose(better, face.tangents[0], first), choose(better, face.tangents[1], second)
        outwards, point = pose.vector(normal), self.points[which][number]
        tangents = (pose.vector(first), pose.vector(second))
        met = Meeting(gap, outwards, point, point - gap * outwards, tangents, past - BEYOND * self.size, feature)
        return met if which == 0 else met.turned

    def edges(self) -> Meeting:
        """Edges that cross: lifted where faces separate as well, for there corners or ends of edges touch."""
        best, normal, on_first, on_second = self._crossing
        gap = ex.maximum(best, self.by_faces) + ex.maximum(self.by_faces - best + _FLAT * self.size, ZERO)
        return Meeting(gap, normal, on_first, on_second)

    def end(self, number: int, leaving: bool) -> Meeting:
        """Where an edge of the first solid's face enters, or leaves, the second's face that lies against it."""
        up = self._up
        (mine, one), (its, two) = (self._against(k) for k in (0, 1))
        a, b = mine[number], mine[(number + 1) % len(mine)]
        way = b - a
        enters, leaves, outside = ex.as_expr(-_FAR), ex.as_expr(_FAR), ex.as_expr(-_FAR)
        corner = side = Vector3((ZERO, ZERO, ONE))
        for first, second in zip(its, (*its[1:], its[0]), strict=True):
            along = second - first
            inwards = cross(up, along)
            here, there = dot3(inwards, a - first), dot3(inwards, b - first)
            square = dot3(along, along)
            steep = (there - here) * (there - here)
            parallel = ex.less(steep, PARALLEL * square * dot3(way, way) + 1e-300)
            cut = -here / ex.where(parallel, ONE, there - here)
            goes_in = ex.less(here, there)
            length = ex.sqrt(ex.where(ex.less(square, 1e-300), ONE, square))
            outside = ex.maximum(outside, ex.where(parallel, -here / length, -_FAR))
            entry = ex.where(parallel, -_FAR, ex.where(goes_in, cut, -_FAR))
            exit_ = ex.where(parallel, _FAR, ex.where(goes_in, _FAR, cut))
            chosen = ex.less(exit_, leaves) if leaving else ex.less(enters, entry)
            corner, side = choose(chosen, first, corner), choose(chosen, along, side)
            enters, leaves = ex.maximum(enters, entry), ex.minimum(leaves, exit_)
        share = leaves if leaving else enters
        point = a + ex.minimum(ex.maximum(share, ZERO), ONE) * way
        between, tilt, square = point - corner, dot3(side, up), dot3(side, side)
        gap = (dot3(between, up) - dot3(between, side) * tilt / square) / (ONE - tilt * tilt / square)
        length = norm3(way)
        ends = ex.minimum(reduce(ex.maximum, [-share, share - ONE, enters - leaves]), ONE)
        past = ex.maximum(
            length * ends + 0.5 * BEYOND * self.size, outside - BEYOND * self.size
        )  # its own corner is a contact of its own
        feature = len(self.solids[1].faces) * one + two
        edges_first = self._crossing[0] - self.by_faces - _FLAT * self.size
        return Meeting(gap, up, point, point - gap * up, (), ex.maximum(past, edges_first), feature)

    # --- what separates -----------------------------------------------------------------------------------------------

    @cached_property
    def separations(self) -> tuple[list[Expr], list[Expr]]:
        """For each face of each solid, how high the lowest corner of the other is above it."""
        found = []
        for k in (0, 1):
            solid, local = self.solids[k], self._local(k)
            found.append([reduce(ex.minimum, [_height(solid, face, x) for x in local]) for face in solid.faces])
        return found[0], found[1]

    def _local(self, k: int) -> list[Vector3]:
        """The corners of the other solid in the frame of one."""
        pose = self.poses[k]
        return [pose.vector_back(x - pose.position) for x in self.points[1 - k]]

    @cached_property
    def by_faces(self) -> Expr:
        return reduce(ex.maximum, [*self.separations[0], *self.separations[1]])

    @cached_property
    def _up(self) -> Vector3:
        """The normal of the face that separates best, from the second solid to the first."""
        best, normal = ex.as_expr(-_FAR), Vector3((ZERO, ZERO, ONE))
        for k, sign in ((1, ONE), (0, -ONE)):
            for face, apart in zip(self.solids[k].faces, self.separations[k], strict=True):
                normal = choose(ex.less(best, apart), sign * self.poses[k].vector(face.normal), normal)
                best = ex.maximum(best, apart)
        return normal

    def _against(self, k: int) -> tuple[list[Vector3], Expr]:
        """The corners around the face of a solid that looks most at the other, and its number.

        Short faces repeat their last corner.
        """
        solid, pose = self.solids[k], self.poses[k]
        way = -self._up if k == 0 else self._up
        count = max(len(face.corners) for face in solid.faces)
        best, corners = ex.as_expr(-_FAR), [Vector3((ZERO, ZERO, ZERO))] * count
        number: Expr = ZERO
        for place, face in enumerate(solid.faces):
            looks = dot3(pose.vector(face.normal), way)
            better = ex.less(best, looks)
            around = [*face.corners, *[face.corners[-1]] * (count - len(face.corners))]
            corners = [choose(better, self.points[k][i], old) for i, old in zip(around, corners, strict=True)]
            best, number = ex.maximum(best, looks), ex.where(better, place, number)
        return corners, number

    @cached_property
    def _crossing(self) -> tuple[Expr, Vector3, Vector3, Vector3]:
        """The best common perpendicular of two edges: separation along it, itself, and the nearest points."""
        (one, two), (first, second) = self.solids, self.points
        best: Expr = ex.as_expr(-_FAR)
        normal = on_first = on_second = Vector3((ZERO, ZERO, ONE))
        for mine, its in product(one.edges, two.edges):
            way, other_way = first[mine[0][1]] - first[mine[0][0]], second[its[0][1]] - second[its[0][0]]
            turned = cross(way, other_way)
            size = dot3(turned, turned)
            parallel = ex.less(size, PARALLEL * dot3(way, way) * dot3(other_way, other_way))
            plain = (ONE / ex.sqrt(ex.where(parallel, ONE, size))) * turned
            here, there = [dot3(plain, x) for x in first], [dot3(plain, x) for x in second]
            above = reduce(ex.minimum, here) - reduce(ex.maximum, there)
            below = reduce(ex.minimum, there) - reduce(ex.maximum, here)
            upwards = ex.less(below, above)
            found = ex.where(parallel, -_FAR, ex.maximum(above, below))
            axis = ex.where(upwards, 1, -1) * plain
            a, b = support(mine, first, axis, lowest=True), support(its, second, axis, lowest=False)
            p, q = nearest_on_lines(a, way, b, other_way)
            better = ex.less(best, found)
            normal, on_first, on_second = (
                choose(better, axis, normal),
                choose(better, p, on_first),
                choose(better, q, on_second),
            )
            best = ex.maximum(best, found)
        return best, normal, on_first, on_second


def _height(solid: Solid, face: Face, point: Vector3) -> Expr:
    return dot3(face.normal, point - solid.corners[face.corners[0]])
