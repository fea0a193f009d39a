"""Rigid bodies and the frames drawn on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import ZERO, Expr, Scalar
from dalembert.expr.space import Matrix3, Vector3, symmetric3
from dalembert.mechanism.bodyshape import BodyShape
from dalembert.mechanism.displacement import AnyTurn, Displacement

EARTH = "earth"


@dataclass(frozen=True, slots=True)
class Inertia:
    """Inertia tensor about the centre of mass, in the base of the inertia frame."""

    xx: Expr = ZERO
    yy: Expr = ZERO
    zz: Expr = ZERO
    xy: Expr = ZERO
    xz: Expr = ZERO
    yz: Expr = ZERO

    def __str__(self) -> str:
        shown = self.entries[:3] if self.is_diagonal else self.entries
        return f"[{', '.join(map(str, shown))}]"

    @staticmethod
    def of(value: Any) -> Inertia:
        """From 0, three principal values, six entries (xx yy zz xy xz yz), or a symmetric 3x3 array."""
        if isinstance(value, Inertia):
            return value
        if not hasattr(value, "__len__"):
            scalar = ex.as_expr(value)
            if scalar is not ZERO:
                raise ModelError(f"inertia {value!r}: give three principal values, six entries or a 3x3 array.")
            return Inertia()
        rows = [list(row) if hasattr(row, "__len__") and not isinstance(row, str) else row for row in value]
        if len(rows) == 3 and all(isinstance(row, list) for row in rows):
            m = [[ex.as_expr(x) for x in row] for row in rows]
            if any(len(row) != 3 for row in m) or any(m[i][j] is not m[j][i] for i in range(3) for j in range(i)):
                raise ModelError("an inertia tensor is a symmetric 3x3 array.")
            return Inertia(m[0][0], m[1][1], m[2][2], m[0][1], m[0][2], m[1][2])
        if len(rows) not in (3, 6):
            raise ModelError(f"inertia needs 3 principal values, 6 entries or a 3x3 array, not {len(rows)} values.")
        return Inertia(*[ex.as_expr(x) for x in value])

    @property
    def entries(self) -> tuple[Expr, ...]:
        return (self.xx, self.yy, self.zz, self.xy, self.xz, self.yz)

    @property
    def matrix(self) -> Matrix3:
        return symmetric3(*self.entries)

    @property
    def is_diagonal(self) -> bool:
        return self.xy is ZERO and self.xz is ZERO and self.yz is ZERO


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame fixed in a body: a displacement from the body's reference frame."""

    body: str
    displacement: Displacement = Displacement()
    name: str | None = None

    def __str__(self) -> str:
        place = "" if self.displacement == Displacement() else f" at {self.displacement}"
        return (f"{self.name}: " if self.name else "") + self.body + place


@dataclass(frozen=True, slots=True)
class Body:
    """A rigid body: mass, inertia frame (origin at the centre of mass), inertia about that centre, shapes."""

    name: str
    mass: Expr = ZERO
    iframe: Displacement = Displacement()
    inertia: Inertia = Inertia()
    shapes: tuple[BodyShape, ...] = ()
    doubtful: bool = False  # from a file, with numbers that no body can have: told there, not refused

    @property
    def frame(self) -> Frame:
        """The reference frame."""
        return Frame(self.name)

    @property
    def centre(self) -> Vector3:
        """Centre of mass in the reference frame."""
        return self.iframe.translation

    @property
    def centre_frame(self) -> Frame:
        return Frame(self.name, self.iframe)

    def at(self, translation: Sequence[Scalar] = (0, 0, 0), *turns: AnyTurn, name: str | None = None) -> Frame:
        """A frame on this body: `rod.at([0, 0, "-l"])`."""
        return Frame(self.name, Displacement.of(translation, *turns), name)


#: The fixed body, number 0.
earth = Body(EARTH)
