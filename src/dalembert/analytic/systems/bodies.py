"""What a system is made of: particles, rotors and rigid bodies placed by formulas of the coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._names import Formula, Names
from ..formulas._normal import tidy


@dataclass(frozen=True, slots=True)
class Particle:
    """A point of given mass (0 for a mere point of application) at `position`, under the given `force`."""

    mass: Formula
    position: Sequence[Formula]
    force: Sequence[Formula] | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Rotor:
    """A body that turns about a fixed direction by `angle`, with moment of inertia `inertia` and given `torque`."""

    inertia: Formula
    angle: Formula
    torque: Formula = 0
    name: str = ""


@dataclass(frozen=True, slots=True)
class RigidBody:
    """A body in space: centre of mass, rotation matrix (body to space), principal or full inertia in body axes."""

    mass: Formula
    center: Sequence[Formula]
    rotation: Sequence[Sequence[Formula]]
    inertia: Sequence[Formula] | Sequence[Sequence[Formula]]
    force: Sequence[Formula] | None = None
    torque: Sequence[Formula] | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class ElectromagneticField:
    """Potentials phi and A (formulas of coordinates and time) that act on a charge, the first particle or another.

    A is given in the axes of the particle's position, and x, y, z in the formulas are its place there unless they are
    coordinates. Without particles the first coordinates are Cartesian.
    """

    charge: Formula
    phi: Formula = 0
    A: Sequence[Formula] = ()
    particle: int = 1


def euler_rotation(phi: str, theta: str, psi: str) -> list[list[str]]:
    """Rotation matrix of the z-x-z Euler angles, as formulas: precession phi, nutation theta, spin psi."""
    cf, sf, ct, st, cp, sp_ = (f"{f}({a})" for a in (phi, theta, psi) for f in ("cos", "sin"))
    return [
        [f"{cf}*{cp} - {sf}*{ct}*{sp_}", f"-{cf}*{sp_} - {sf}*{ct}*{cp}", f"{sf}*{st}"],
        [f"{sf}*{cp} + {cf}*{ct}*{sp_}", f"-{sf}*{sp_} + {cf}*{ct}*{cp}", f"-{cf}*{st}"],
        [f"{st}*{sp_}", f"{st}*{cp}", ct],
    ]


@dataclass(frozen=True, slots=True)
class Point:
    """A particle after its formulas have been read."""

    name: str
    mass: sp.Expr
    position: sp.Matrix
    force: sp.Matrix


@dataclass(frozen=True, slots=True)
class Turning:
    """Rotational inertia after reading: angular velocity components, their inertia matrix, the torque on them."""

    name: str
    inertia: sp.Matrix
    omega: sp.Matrix
    torque: sp.Matrix


def read_points(names: Names, particles: Sequence[Particle], gravity: sp.Matrix | None) -> list[Point]:
    """Particles as matrices, the weight added to the given force."""
    points = []
    for index, particle in enumerate(particles, 1):
        label = particle.name or f"particle {index}"
        position = sp.Matrix(names.read_all(particle.position))
        force = sp.zeros(position.rows, 1)
        if particle.force is not None:
            if len(particle.force) != position.rows:
                raise ModelError(
                    f"{label}: the force has {len(particle.force)} components, the position {position.rows}. "
                    "Give both in the same axes."
                )
            force = sp.Matrix(names.read_all(particle.force))
        mass = names.read(particle.mass)
        if gravity is not None:
            if gravity.rows != position.rows:
                raise ModelError(f"{label}: gravity has {gravity.rows} components, the position {position.rows}")
            force += mass * gravity
        points.append(Point(label, mass, position, force))
    return points


def read_rotors(names: Names, rotors: Sequence[Rotor]) -> list[Turning]:
    return [
        Turning(
            r.name or f"rotor {i}",
            sp.Matrix([[names.read(r.inertia)]]),
            sp.Matrix([names.derivative(names.read(r.angle))]),
            sp.Matrix([names.read(r.torque)]),
        )
        for i, r in enumerate(rotors, 1)
    ]


def read_bodies(names: Names, bodies: Sequence[RigidBody]) -> tuple[list[Particle], list[Turning]]:
    """A rigid body is a particle at its centre of mass and a turning inertia: omega from R^T dR/dt in body axes."""
    centers, turning = [], []
    for index, body in enumerate(bodies, 1):
        label = body.name or f"body {index}"
        rotation = sp.Matrix([names.read_all(row) for row in body.rotation])
        if rotation.shape != (3, 3):
            raise ModelError(f"{label}: the rotation is a 3 by 3 matrix of formulas, not {rotation.shape}")
        rate = rotation.T * rotation.applyfunc(names.derivative)
        omega = sp.Matrix([rate[2, 1], rate[0, 2], rate[1, 0]]).applyfunc(lambda e: tidy(sp.expand(e)))
        first = body.inertia[0]
        if isinstance(first, (list, tuple)):
            inertia = sp.Matrix([names.read_all(row) for row in body.inertia])  # type: ignore[arg-type]
        else:
            inertia = sp.diag(*names.read_all(body.inertia))  # type: ignore[arg-type]
        torque = sp.zeros(3, 1) if body.torque is None else rotation.T * sp.Matrix(names.read_all(body.torque))
        centers.append(Particle(body.mass, body.center, body.force, label))
        turning.append(Turning(label, inertia, omega, torque))
    return centers, turning
