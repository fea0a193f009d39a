"""The group of displacements and its algebra: 4x4 matrices, adjoint, bracket, screws, and inertia as one operator.

Papegay 1.3.4 and L890. An element X of the algebra is a twist (angular, linear); a torsor (moment, force) is acted upon
by the same algebra, and the inertia H takes a twist to the torsor of its momentum:

    [X, Y]  = (w x w',  w x v' + v x w')        [X, (m, f)] = (w x m + v x f,  w x f)
    H(X') + [X, H(X)] = F                       a body under the torsor F
    B(X, Y) = [X, H(Y)]                         C(X, Y) = [X, H(Y)] + [Y, H(X)] + H([X, Y])
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from dalembert.expr import ONE, ZERO, Expr, Matrix
from dalembert.expr.space import Vector3, is_zero3
from dalembert.kinematics.inertia import RigidInertia
from dalembert.kinematics.spatial import Pose, Twist, Wrench

_AXES = tuple(Vector3(ONE if i == k else ZERO for i in range(3)) for k in range(3))


def homogeneous(pose: Pose) -> Matrix:
    """The displacement as a 4x4 matrix: products of displacements are products of matrices."""
    rows = [[*row, p] for row, p in zip(pose.rotation, pose.position, strict=True)]
    return Matrix([*rows, [ZERO, ZERO, ZERO, ONE]], (4, 4))


def twist_matrix(x: Twist) -> Matrix:
    """A twist as a 4x4 matrix: g' = g X for the displacement g of a frame whose twist in itself is X."""
    rows = [[*row, v] for row, v in zip(_tilde(x.angular), x.linear, strict=True)]
    return Matrix([*rows, [ZERO] * 4], (4, 4))


def adjoint(pose: Pose) -> Matrix:
    """6x6: a twist given in a frame at `pose`, seen in the frame that holds the pose."""
    columns = [_twist(k).at(pose.inverse()) for k in range(6)]
    return Matrix([[c.scalars[i] for c in columns] for i in range(6)], (6, 6))


def bracket(x: Twist, y: Twist) -> Twist:
    """[X, Y]: that of the algebra, Jacobi's identity with it."""
    return Twist(x.angular.cross(y.angular), x.angular.cross(y.linear) + x.linear.cross(y.angular))


def bracket_matrix(x: Twist) -> Matrix:
    """6x6: ad X, the bracket with X."""
    columns = [bracket(x, _twist(k)) for k in range(6)]
    return Matrix([[c.scalars[i] for c in columns] for i in range(6)], (6, 6))


def on_torsor(x: Twist, torsor: Wrench) -> Wrench:
    """[X, torsor]: the rate of a torsor that is carried along by X; <[X, t], Y> = <t, [Y, X]>."""
    moment = x.angular.cross(torsor.moment) + x.linear.cross(torsor.force)
    return Wrench(moment, x.angular.cross(torsor.force))


# --- inertia ---------------------------------------------------------------------------------------------------------


def momentum(h: RigidInertia, x: Twist) -> Wrench:
    """H(X): the torsor of momentum."""
    return Wrench(*h.momentum(x))


def inertia_matrix(h: RigidInertia) -> Matrix:
    """H as a 6x6 matrix."""
    columns = [momentum(h, _twist(k)) for k in range(6)]
    return Matrix([[c.scalars[i] for c in columns] for i in range(6)], (6, 6))


def b_of(h: RigidInertia, x: Twist, y: Twist) -> Wrench:
    """B(X, Y) = [X, H(Y)]."""
    return on_torsor(x, momentum(h, y))


def c_of(h: RigidInertia, x: Twist, y: Twist) -> Wrench:
    """C(X, Y): what a unit of two speeds asks together, where Y moves further out than X."""
    return b_of(h, x, y) + b_of(h, y, x) + momentum(h, bracket(x, y))


# --- screws ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Screw:
    """The axis of a twist or of a wrench: resultant along it, its point nearest to the origin, and the pitch."""

    resultant: Vector3
    point: Vector3
    pitch: Expr


def screw(found: Twist | Wrench) -> Screw | None:
    """The central axis; None for a translation or a couple, which have no axis.

    >>> from dalembert.expr.space import Vector3
    >>> from dalembert import expr as ex
    >>> a, w = ex.symbols("a w")
    >>> axis = screw(Twist(Vector3((ex.ZERO, ex.ZERO, w)), Vector3((ex.ZERO, -a * w, 2 * w))))
    >>> [str(x) for x in ex.reduce([*axis.point, axis.pitch])]
    ['a', '0', '0', '2']
    """
    resultant, moment = (found.angular, found.linear) if isinstance(found, Twist) else (found.force, found.moment)
    if is_zero3(resultant):
        return None
    size = resultant.dot(resultant)
    return Screw(resultant, resultant.cross(moment) * (ONE / size), resultant.dot(moment) / size)


def _twist(k: int) -> Twist:
    return Twist.of([ONE if i == k else ZERO for i in range(6)])


def _tilde(v: Vector3) -> Sequence[Vector3]:
    columns = [v.cross(axis) for axis in _AXES]
    return [Vector3(c[i] for c in columns) for i in range(3)]
