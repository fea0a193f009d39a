"""Capsules and convex solids on smooth surfaces f = 0, on the side where f is positive.

A capsule touches with its ends, and between them where its axis is nearest: Newton's method for the foot x, its weight
and the place s on the axis together,

    x - c(s) + mu grad f(x) = 0,    f(x) = 0,    e . grad f(x) = 0.

A solid touches with its corners, and with an edge or a face where f is least on it. Each edge and face is asked for one
such place, the one that Newton's method finds from its middle.
"""

from __future__ import annotations

from functools import reduce

from dalembert import expr as ex
from dalembert.contact.pairs import LOCAL, Meeting, ball_surface, solved
from dalembert.contact.rims import Rod
from dalembert.expr import HALF, ONE, ZERO, Expr
from dalembert.expr.space import Vector3, cross, dot3, norm3
from dalembert.kinematics import Pose
from dalembert.mechanism.hulls import Face, Solid

_ROUNDS = 10
"""Newton steps from the middle: well beyond rounding where edges are shorter than the surface is wavy."""
_STRAIGHT = 1e-12
"""Curvature along an axis or an edge, in parts of the slope over its length, that is none: its ends touch then."""


class _Shaped:
    """f with its slope and its curvature, to be asked anywhere."""

    def __init__(self, formula: Expr) -> None:
        slope = [ex.derivative(formula, s) for s in LOCAL]
        self.told = [formula, *slope, *(ex.derivative(g, s) for g in slope for s in LOCAL)]

    def at(self, place: Vector3) -> tuple[Expr, Vector3, list[list[Expr]]]:
        value, *rest = ex.substitute(self.told, dict(zip(LOCAL, place, strict=True)))
        return value, Vector3(rest[:3]), [rest[3 + 3 * k : 6 + 3 * k] for k in range(3)]


def _times(matrix: list[list[Expr]], a: Vector3) -> Vector3:
    return Vector3([dot3(Vector3(row), a) for row in matrix])


def under_capsule(rod: Rod, pose: Pose, formula: Expr) -> Meeting:
    """The middle of a capsule (the first) on a surface."""
    shaped = _Shaped(formula)
    middle, e = pose.vector_back(rod.middle - pose.position), pose.vector_back(rod.way)
    value, slope, _ = shaped.at(middle)
    weight = value / dot3(slope, slope)
    place, s, straight = middle - weight * slope, ZERO, ZERO
    for _ in range(_ROUNDS):
        value, slope, bend = shaped.at(place)
        matrix = [[(ONE if i == j else ZERO) + weight * bend[i][j] for j in range(3)] for i in range(3)]
        left = middle + s * e - place - weight * slope
        a, b, d = solved(matrix, left), solved(matrix, slope), solved(matrix, e)
        along = _times(bend, e)
        # f + g.dx = 0 and e.g + (B e).dx = 0, with dx = a + d ds - b dmu
        p, q, r = dot3(slope, d), -dot3(slope, b), -(value + dot3(slope, a))
        u, v, w = dot3(along, d), -dot3(along, b), -(dot3(e, slope) + dot3(along, a))
        whole = p * v - q * u
        straight = ex.less(ex.absolute(whole), _STRAIGHT * norm3(slope) * dot3(slope, slope) / rod.half)
        solid = ex.where(straight, ONE, whole)
        step = ex.where(straight, ZERO, (r * v - q * w) / solid)
        change = ex.where(straight, r / q, (p * w - u * r) / solid)
        place, s, weight = place + a + step * d - change * b, s + step, weight + change
    _, slope, _ = shaped.at(place)
    normal = pose.vector((ONE / norm3(slope)) * slope)
    near, centre = pose.point(place), rod.middle + s * rod.way
    gap = dot3(normal, centre - near) - rod.radius
    past = ex.where(straight, rod.half, ex.absolute(s) - rod.half)
    return Meeting(gap, normal, centre - rod.radius * normal, near, past=past)


def on_surface(solid: Solid, own: Pose, pose: Pose, formula: Expr, number: int) -> Meeting:
    """A solid (the first) on a surface: corners, then edges, then faces."""
    if number < len(solid.corners):
        return ball_surface(own.point(solid.corners[number]), ZERO, pose, formula)
    number -= len(solid.corners)
    shaped = _Shaped(formula)
    local = [pose.vector_back(own.point(x) - pose.position) for x in solid.corners]
    if number < len(solid.all_edges):
        a, b = solid.all_edges[number]
        return _least_on_edge(shaped, local[a], local[b], pose)
    face = solid.faces[number - len(solid.all_edges)]
    return _least_on_face(shaped, face, local, pose.vector_back(own.vector(face.normal)), pose)


def _least_on_edge(shaped: _Shaped, a: Vector3, b: Vector3, pose: Pose) -> Meeting:
    way, share = b - a, HALF
    length = norm3(way)
    for _ in range(_ROUNDS):
        _, slope, bend = shaped.at(a + share * way)
        along, size = dot3(way, slope), norm3(slope) * length
        curved = ex.absolute(dot3(way, _times(bend, way))) + along * along / size  # see `_least_on_face`
        share = ex.minimum(ex.maximum(share - along / ex.maximum(curved, _STRAIGHT * size), -ONE), 2)
    value, slope, bend = shaped.at(a + share * way)
    hollow = ex.less(dot3(way, _times(bend, way)), _STRAIGHT * norm3(slope) * length)
    past = ex.where(hollow, length, length * ex.maximum(-share, share - ONE))
    return _met(value, slope, a + share * way, pose, past)


def _least_on_face(shaped: _Shaped, face: Face, corners: list[Vector3], normal: Vector3, pose: Pose) -> Meeting:
    around = [corners[k] for k in face.corners]
    middle = (ONE / len(around)) * reduce(lambda one, two: one + two, around)
    one = around[1] - around[0]
    reach = norm3(one)
    one = (ONE / reach) * one
    two = cross(normal, one)
    x, y, some = ZERO, ZERO, ONE
    for _ in range(_ROUNDS):
        _, slope, bend = shaped.at(middle + x * one + y * two)
        first, second = _times(bend, one), _times(bend, two)
        g, h, size = dot3(one, slope), dot3(two, slope), norm3(slope) * reach
        # the curvature of exp(f / size), which has its least value there, too: f alone, a distance, is flat far away
        a, b, c = dot3(one, first) + g * g / size, dot3(one, second) + g * h / size, dot3(two, second) + h * h / size
        whole = a * c - b * b
        some = ex.less(_STRAIGHT * dot3(slope, slope) / (reach * reach), whole) * ex.less(ZERO, a)
        solid = ex.where(some, whole, ONE)
        x = x - ex.where(some, (c * g - b * h) / solid, ZERO)
        y = y - ex.where(some, (a * h - b * g) / solid, ZERO)
    place = middle + x * one + y * two
    value, slope, bend = shaped.at(place)
    outside = []
    for here, there in zip(around, (*around[1:], around[0]), strict=True):
        inwards = cross(normal, there - here)
        outside.append(-dot3(inwards, place - here) / norm3(there - here))
    return _met(value, slope, place, pose, ex.where(some, reduce(ex.maximum, outside), reach))


def _met(value: Expr, slope: Vector3, place: Vector3, pose: Pose, past: Expr) -> Meeting:
    """A point of the solid where f has this value and slope: a distance where it touches."""
    size = norm3(slope)
    gap, normal, point = value / size, pose.vector((ONE / size) * slope), pose.point(place)
    return Meeting(gap, normal, point, point - gap * normal, past=past)
