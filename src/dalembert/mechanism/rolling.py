"""Rolling without slipping on a plane: spheres, thin discs, ellipsoids, as conditions in quantities of frames.

The plane is the x, y plane of a frame, its z axis the normal n; the contact is where the body touches it. With c from
the centre of the body to the contact, both at rest or moving:

    contact      n . (centre - plane) = height        rolling      v + w x c = velocity of the plane there

A disc has the y axis of its frame as its axis; an ellipsoid has the axes of its frame.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import ONE, ZERO, Expr
from dalembert.expr.space import Vector3
from dalembert.mechanism.quantities import AXES, called


def vector(kind: str, frame: str, base: str) -> Vector3:
    """The three components of `vel`, `omega` or `pos` of a frame, in the base of another."""
    x, y, z = (called(kind, frame, axis, base) for axis in AXES)
    return Vector3((x, y, z))


def direction(frame: str, axis: str, base: str) -> Vector3:
    """Components of an axis of a frame, in the base of another."""
    x, y, z = (called("axis", frame, axis, part, base) for part in AXES)
    return Vector3((x, y, z))


def rolling(body: str, plane: str, sizes: Sequence[Expr], moving: bool) -> tuple[Expr, tuple[Expr, Expr]]:
    """The condition of contact, and the two of rolling; `sizes` is one radius, of a disc or sphere, or three semi-axes.

    `moving` says that the plane is not on earth. A sphere has three equal ones.
    """
    if len(set(sizes)) == 1 and len(sizes) == 3:  # a sphere: the contact is straight below
        height, arm = sizes[0], Vector3((ZERO, ZERO, -sizes[0]))
    elif len(sizes) == 3:
        return _ellipsoid(body, plane, sizes, moving)
    elif len(sizes) == 1:
        a = direction(body, "y", plane)
        across = ex.sqrt(a[0] * a[0] + a[1] * a[1])
        tilt = a[2] / across
        height = sizes[0] * across
        arm = sizes[0] * Vector3((tilt * a[0], tilt * a[1], -across))
    else:
        raise ModelError(
            "what rolls has one radius (a disc about its y axis) or three semi-axes (an ellipsoid, a ball)."
        )
    slip = vector("vel", body, plane) + vector("omega", body, plane).cross(arm)
    slip = slip - _plane_motion(plane, vector("pos", body, plane) + arm, plane) if moving else slip
    return called("pos", body, "z", plane) - height, (slip[0], slip[1])


def _ellipsoid(body: str, plane: str, sizes: Sequence[Expr], moving: bool) -> tuple[Expr, tuple[Expr, Expr]]:
    """c = -A^2 n / |A n| in the base of the body, A the semi-axes; the height is |A n|."""
    n = direction(plane, "z", body)
    squares = [a * a for a in sizes]
    height = ex.sqrt(sum((s * x * x for s, x in zip(squares, n, strict=True)), ZERO))
    arm = -(ONE / height) * Vector3((squares[0] * n[0], squares[1] * n[1], squares[2] * n[2]))
    slip = vector("vel", body, body) + vector("omega", body, body).cross(arm)
    if moving:
        slip = slip - _plane_motion(plane, arm - vector("pos", plane, body), body)
    along = [slip.dot(direction(plane, axis, body)) for axis in "xy"]
    return called("pos", body, "z", plane) - height, (along[0], along[1])


def _plane_motion(plane: str, place: Vector3, base: str) -> Vector3:
    """Velocity of the point of the plane that is at a place seen from it, in a base."""
    return vector("vel", plane, base) + vector("omega", plane, base).cross(place)
