"""Three angles of a rotation, as formulas of its matrix: the way back from any chart to a sequence of turns."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert import expr as ex
from dalembert.expr import Expr
from dalembert.expr.space import Matrix3, Vector3, apply3
from dalembert.mechanism.displacement import Turn


def angles_of(rotation: Matrix3, turns: Sequence[Turn]) -> tuple[Expr, Expr, Expr] | None:
    """Angles of three turns about axes at right angles that make a rotation; None for axes of another kind.

    The second is between -pi/2 and pi/2 where the axes are three, between 0 and pi where the third is the first.
    """
    first, second, third = (one.axis for one in turns)
    if not all(x.is_number for axis in (first, second, third) for x in axis):
        return None
    across = first.cross(second)
    if first.dot(second) is not ex.ZERO or second.dot(third) is not ex.ZERO:
        return None

    def entry(a: Vector3, b: Vector3) -> Expr:
        """a . R b."""
        return a.dot(apply3(rotation, b))

    along = third.dot(first)
    if along is ex.ZERO:  # three axes, the third is the cross product of the others or its opposite
        sense = across.dot(third)
        return (
            ex.atan2(-sense * entry(second, third), entry(third, third)),
            ex.asin(_cosine(sense * entry(first, third))),
            ex.atan2(-sense * entry(first, second), entry(first, first)),
        )
    if along not in (ex.ONE, ex.MINUS_ONE):
        return None
    return (
        ex.atan2(entry(second, first), -entry(across, first)),
        ex.acos(_cosine(entry(first, first))),
        ex.atan2(along * entry(first, second), entry(first, across)),
    )


def _cosine(e: Expr) -> Expr:
    """Rounding of a unit quaternion may lead beyond one."""
    return ex.maximum(ex.minimum(e, ex.ONE), ex.MINUS_ONE)
