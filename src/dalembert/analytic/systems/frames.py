"""A particle in a moving frame: the accelerations of transport by their names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._names import Formula, Names
from ..formulas._normal import tidy


@dataclass(frozen=True)
class FictitiousForces:
    """What a frame that turns with w, and whose origin accelerates with A, adds to m a = F, along its own axes."""

    translation: sp.Matrix
    euler: sp.Matrix
    centrifugal: sp.Matrix
    coriolis: sp.Matrix

    @property
    def total(self) -> sp.Matrix:
        """-m (A + w' x r + w x (w x r) + 2 w x v)."""
        return (self.translation + self.euler + self.centrifugal + self.coriolis).applyfunc(tidy)

    def __str__(self) -> str:
        rows = ("translation", "euler", "centrifugal", "coriolis")
        return "\n".join(f"{name:12} {tuple(getattr(self, name))}" for name in rows)


def fictitious_forces(
    rotation: Sequence[Formula],
    origin: Sequence[Formula] = ("0", "0", "0"),
    *,
    axes: str = "x y z",
    mass: Formula = "m",
    given: str | Sequence[str] | Mapping[str, Formula] = (),
) -> FictitiousForces:
    """Inertial forces on a mass at (x, y, z) of a frame that turns with `rotation` and whose origin accelerates.

    Both vectors are given along the axes of the frame; `given` names functions of time in them.

    >>> print(fictitious_forces(["0", "0", "W"]))
    translation  (0, 0, 0)
    euler        (0, 0, 0)
    centrifugal  (W**2*m*x, W**2*m*y, 0)
    coriolis     (2*W*m*y', -2*W*m*x', 0)
    """
    labels = axes.replace(",", " ").split()
    if len(labels) != 3 or len(rotation) != 3 or len(origin) != 3:
        raise ModelError(
            "a frame has three axes: give three components of the rotation and of the origin's acceleration"
        )
    prescribed = given.replace(",", " ").split() if isinstance(given, str) else list(given)
    n = Names(labels, given=prescribed)
    m, w, a = n.read(mass), sp.Matrix(n.read_all(rotation)), sp.Matrix(n.read_all(origin))
    r, v = sp.Matrix(n.q), sp.Matrix(n.v)
    if any(e.has(*n.q, *n.v) for e in (*w, *a)):
        raise ModelError("the motion of the frame depends on time, not on the place of the particle in it")
    formulas = {k: n.read(f) for k, f in given.items()} if isinstance(given, Mapping) else {}

    def final(vector: sp.Matrix) -> sp.Matrix:
        return (-m * vector).applyfunc(lambda e: tidy(sp.expand(n.at_functions(e, formulas))))

    return FictitiousForces(
        final(a), final(w.applyfunc(n.derivative).cross(r)), final(w.cross(w.cross(r))), final(2 * w.cross(v))
    )
