"""From the action to waves: fronts and rays, front and particle speeds, and the stationary wave equation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sympy as sp

from ..formulas._equality import is_zero
from ..formulas._names import Formula, Names
from ..formulas._normal import tidy


@dataclass(frozen=True)
class Fronts:
    """Momentum field p = grad S0, its size, and the speeds of the front (E/|p|) and of the particle (dE/dp)."""

    momentum: tuple[sp.Expr, ...]
    size: sp.Expr
    front_speed: sp.Expr
    particle_speed: sp.Expr


def fronts(
    S0: Formula,
    coordinates: str | Sequence[str],
    *,
    energy: Formula = "E",
    mass: Formula = "m",
    names: Names | None = None,
) -> Fronts:
    """The surfaces S0 = E t move with E/|grad S0|; the rays are their normals, run with |grad S0|/m."""
    n = names or Names()
    labels = coordinates.replace(",", " ").split() if isinstance(coordinates, str) else coordinates
    action = n.read(S0)
    p = tuple(tidy(sp.diff(action, n.symbol(c))) for c in labels)
    size = sp.sqrt(tidy(sp.expand(sum((x**2 for x in p), sp.Integer(0)))))
    return Fronts(p, size, tidy(n.read(energy) / size), tidy(size / n.read(mass)))


def are_orthogonal(
    S0: Formula, velocity: Sequence[Formula], coordinates: str | Sequence[str], *, names: Names | None = None
) -> bool:
    """Whether a velocity field is everywhere normal to the fronts S0 = constant."""
    n = names or Names()
    labels = coordinates.replace(",", " ").split() if isinstance(coordinates, str) else coordinates
    p = [sp.diff(n.read(S0), n.symbol(c)) for c in labels]
    v = n.read_all(velocity)
    return all(is_zero(p[i] * v[j] - p[j] * v[i], signs=n.signs) for i in range(len(p)) for j in range(i))


@dataclass(frozen=True)
class StationaryWave:
    """Laplacian psi + coefficient psi = 0, with h and with hbar."""

    coefficient: sp.Expr
    coefficient_hbar: sp.Expr


def stationary_wave(V: Formula = "V", *, mass: Formula = "m", energy: Formula = "E") -> StationaryWave:
    """The wave equation at frequency nu = E/h with the front speed v = E/|p|, p^2 = 2 m (E - V).

    Laplacian psi = (1/v^2) psi_tt and psi ~ exp(-2 i pi nu t) give the coefficient (2 pi nu/v)^2.

    >>> stationary_wave().coefficient
    8*pi**2*m*(E - V)/h**2
    """
    n = Names()
    E, m, h, hbar = n.read(energy), n.read(mass), sp.Symbol("h", positive=True), n.symbol("hbar")
    momentum_squared = 2 * m * (E - n.read(V))
    nu = E / h
    coefficient = tidy((2 * sp.pi * nu) ** 2 * momentum_squared / E**2)
    return StationaryWave(coefficient, tidy(coefficient.subs(h, 2 * sp.pi * hbar)))


def de_broglie() -> tuple[sp.Expr, sp.Expr]:
    """S = hbar*phase and phase = k.x - omega t: the momentum dS/dx = hbar k and the energy -dS/dt = hbar omega."""
    k, omega, x, t, hbar = sp.symbols("k omega x t hbar", real=True)
    S = hbar * (k * x - omega * t)
    return sp.diff(S, x), -sp.diff(S, t)
