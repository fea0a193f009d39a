"""A charge in given potentials: the generalised potential, the fields E and B, and Lorentz's force."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._names import Formula, Names
from ..formulas._normal import tidy
from .bodies import ElectromagneticField, Point


@dataclass(frozen=True)
class Fields:
    """E = -grad phi - dA/dt and B = rot A, and the force q (E + v x B) on a charge."""

    E: sp.Matrix
    B: sp.Matrix
    names: Names

    def force(self, charge: Formula = "q") -> sp.Matrix:
        """Lorentz's force on a charge that moves with x', y', z'."""
        v = sp.Matrix(self.names.v)
        return (self.names.read(charge) * (self.E + v.cross(self.B))).applyfunc(tidy)


def fields_of(phi: Formula = 0, A: Sequence[Formula] = ("0", "0", "0"), axes: str = "x y z") -> Fields:
    """The fields of the potentials phi(x, y, z, t) and A(x, y, z, t) in Cartesian axes.

    >>> fields_of("-E0*x", uniform_potential(["0", "0", "B"])).force("q").T
    Matrix([[q*(B*y' + E0), -B*q*x', 0]])
    """
    labels = axes.replace(",", " ").split()
    if len(labels) != 3 or len(A) != 3:
        raise ModelError(f"fields live in three axes: got {labels} and {len(A)} components of A")
    n = Names(labels)
    p, a, q = n.read(phi), n.read_all(A), n.q
    E = sp.Matrix([-sp.diff(p, x) - sp.diff(c, n.time) for x, c in zip(q, a)])
    B = sp.Matrix([sp.diff(a[(i + 2) % 3], q[(i + 1) % 3]) - sp.diff(a[(i + 1) % 3], q[(i + 2) % 3]) for i in range(3)])
    return Fields(E.applyfunc(tidy), B.applyfunc(tidy), n)


def uniform_potential(B: Sequence[Formula], axes: str = "x y z") -> list[sp.Expr]:
    """A = B x r / 2, a potential of the uniform field B.

    >>> uniform_potential(["0", "0", "B"])
    [-B*y/2, B*x/2, 0]
    """
    n = Names(axes.replace(",", " ").split())
    if len(n.q) != 3 or len(B) != 3:
        raise ModelError(f"a field has three components on three axes: got {len(B)} on {n.coordinates}")
    return list(sp.Matrix(n.read_all(B)).cross(sp.Matrix(n.q)) / 2)


def electromagnetic_potential(
    names: Names, field: ElectromagneticField, points: Sequence[Point], kinetic_energy: sp.Expr | None
) -> sp.Expr:
    """U = q (phi - A.v), from which Q = q (E + v x B); A and v in the axes of the charge's position."""
    a, charge, phi = list(names.read_all(field.A)), names.read(field.charge), names.read(field.phi)
    if points:
        if not 1 <= field.particle <= len(points):
            raise ModelError(f"the field acts on particle {field.particle}, but there are {len(points)}")
        place = points[field.particle - 1].position
        axes = {names.symbol(x): e for x, e in zip("xyz", place) if x not in names.moving}
        phi, a = phi.subs(axes, simultaneous=True), [e.subs(axes, simultaneous=True) for e in a]
    if not a:
        return charge * phi
    if points:
        velocity = [names.derivative(x) for x in place]
    else:
        velocity = list(names.v[: len(a)])
        if kinetic_energy is not None and not _is_cartesian(kinetic_energy, velocity):
            raise ModelError(
                "A.v needs the velocity of the charge, and these coordinates are not Cartesian: give the charge as "
                "Particle(mass, position), and A in the axes of the position"
            )
    if len(a) != len(velocity):
        raise ModelError(f"A has {len(a)} components, the velocity of the charge {len(velocity)}")
    return charge * (phi - sum((x * v for x, v in zip(a, velocity)), sp.Integer(0)))


def _is_cartesian(T: sp.Expr, v: Sequence[sp.Symbol]) -> bool:
    """T = m/2 sum v^2 in these velocities."""
    masses = {sp.expand(sp.diff(T, x, 2)) for x in v}
    mixed = any(sp.expand(sp.diff(T, x, y)) != 0 for i, x in enumerate(v) for y in v[:i])
    return len(masses) == 1 and not mixed and not any(m.has(*v) for m in masses)
