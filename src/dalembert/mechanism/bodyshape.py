"""What a body looks like: solids drawn on it. They are for the eye; mass and inertia are said apart."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import Expr, Scalar
from dalembert.mechanism.displacement import Displacement

if TYPE_CHECKING:
    from dalembert.mechanism.meshes import Mesh

#: Kinds of solids and their sizes: full edges of a box, half axes of an ellipsoid; axles, heights, lengths along z.
SIZES: dict[str, tuple[str, ...]] = {
    "box": ("x", "y", "z"),
    "sphere": ("radius",),
    "ellipsoid": ("x", "y", "z"),
    "cylinder": ("radius", "height"),
    "tube": ("inner", "outer", "height"),
    "cone": ("radius", "height"),
    "capsule": ("radius", "length"),
    "wheel": ("radius", "width"),
    "gear": ("radius", "width", "teeth"),
}


@dataclass(frozen=True, slots=True)
class BodyShape:
    """One solid of a body: its kind, its sizes, its place in the reference frame, its colour `#rrggbb` if it has one.

    The origin of a solid is its centre of mass; that of a `mesh` is the origin of its file.
    """

    kind: str
    sizes: tuple[Expr, ...]
    place: Displacement = Displacement()
    colour: str = ""
    mesh: Mesh | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "colour", colour_of(self.colour))
        if self.mesh is not None:
            return
        if self.kind not in SIZES:
            more = ". A mesh is `da.Mesh.read(path)`" if self.kind == "mesh" else ""
            raise ModelError(f"no solid is called {self.kind!r}: there are {', '.join(SIZES)}{more}.")
        names = SIZES[self.kind]
        if len(self.sizes) != len(names):
            raise ModelError(f"a {self.kind} has {len(names)} sizes ({', '.join(names)}), not {len(self.sizes)}.")
        for size, what in zip(self.sizes, names, strict=True):
            if size.op == "const" and not 0 <= size.data <= sys.float_info.max:
                raise ModelError(f"the {what} of a {self.kind} is {str(size)[:40]}: it cannot be negative or infinite.")

    @staticmethod
    def of(
        kind: str | Mesh, *sizes: Scalar, place: Displacement | None = None, colour: str | Sequence[float] = ""
    ) -> BodyShape:
        """A solid from numbers or formulas.

        >>> BodyShape.of("box", 1, "2*a", 3, colour=[1, 0, 0])
        BodyShape(kind='box', sizes=(1, 2*a, 3), place=Displacement(translation=(0, 0, 0), turns=()), colour='#ff0000')
        """
        if not isinstance(kind, str):
            if sizes:
                raise ModelError("a mesh has its size from its file: `da.Mesh.read(path, scale)`.")
            return BodyShape("mesh", (), place or Displacement(), colour_of(colour), kind)
        found = tuple(ex.as_expr(x) for x in sizes)
        return BodyShape(kind, found, place or Displacement(), colour_of(colour))

    @property
    def scalars(self) -> tuple[Expr, ...]:
        return (*self.sizes, *self.place.scalars)


def colour_of(colour: str | Sequence[float]) -> str:
    """`#rrggbb` from that, or from three numbers between 0 and 1; empty when nothing is said."""
    if isinstance(colour, str):
        if colour and not re.fullmatch(r"#[0-9a-fA-F]{6}", colour):
            raise ModelError(f"the colour {colour!r} is not of the form #rrggbb; or give three numbers from 0 to 1.")
        return colour.lower()
    parts = [float(x) for x in colour]
    if len(parts) != 3 or not all(0 <= x <= 1 for x in parts):
        raise ModelError(f"a colour is #rrggbb or three numbers from 0 to 1 (red, green, blue), not {list(colour)}.")
    return "#" + "".join(f"{round(255 * x):02x}" for x in parts)
