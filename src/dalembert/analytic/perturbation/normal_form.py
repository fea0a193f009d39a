"""Birkhoff's and Gustavson's normal form of a Hamiltonian near a stable rest, by Lie series.

Degree by degree a generator chi takes away every monomial z^a zbar^b with w.(a - b) not zero; what stays commutes with
H2. The polynomials and their exact field of coefficients are in `wave_algebra`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._equality import is_zero
from ..formulas._names import Formula
from ..formulas._normal import tidy
from .wave_algebra import Poly, WaveAlgebra, field_of

if TYPE_CHECKING:
    from ..systems.system import System


@dataclass(frozen=True)
class NormalForm:
    """H in normal form: by actions J where no resonance is met, and resonant terms in z, zbar beside them.

    `energy` holds the terms in J_k = z_k zbar_k; `resonant` what else commutes with H2; `integral` is H2 carried back
    to the old variables, a first integral up to terms beyond `degree`.
    """

    energy: sp.Expr
    resonant: sp.Expr
    frequencies: dict[str, sp.Expr]
    integral: sp.Expr
    degree: int

    def frequency(self, coordinate: str) -> sp.Expr:
        """dH/dJ: how the frequency changes with the actions."""
        return tidy(sp.diff(self.energy, sp.Symbol(f"J_{coordinate}", real=True)))


def birkhoff(system: System, degree: int = 4, at: Mapping[str, Formula] | None = None) -> NormalForm:
    """The normal form up to a degree, about a rest (`at`, the origin by default) where H2 is a sum of oscillators.

    >>> from dalembert.analytic import System
    >>> quartic = System("q", H="p**2/2 + q**2/2 + e*q**4")
    >>> birkhoff(quartic, 6).energy
    -17*J_q**3*e**2/4 + 3*J_q**2*e/2 + J_q
    """
    view = system.hamilton()
    n, size = system.names, len(system.coordinates)
    if not 2 <= degree <= 12:
        raise ModelError(f"degrees go from 2 to 12, not {degree}")
    rest = {n.symbol(c): n.read(f) for c, f in (at or {}).items()}
    q, p = list(view.q), list(view.p)
    H = view.H.subs({x: x + rest.get(x, sp.Integer(0)) for x in q}, simultaneous=True)
    if H.has(n.time):
        raise ModelError("the normal form is of a Hamiltonian without explicit time")
    parts = _taylor(H, [*q, *p], degree)
    if any(not is_zero(e) for e in parts[1].values()):
        raise ModelError("this is no rest: H has terms of first order there. Give at={coordinate: value}")
    stiff, soft = _oscillators(parts[2], size, system.coordinates)
    w = [tidy(sp.sqrt(tidy(a * b))) for a, b in zip(stiff, soft)]
    rho = [tidy(w[k] / stiff[k]) for k in range(size)]  # z = q + i rho p: H2 = sum w z zbar/(2 rho)
    field = field_of([c for d in range(3, degree + 1) for c in parts[d].values()], [*w, *rho])
    algebra = WaveAlgebra(field, [field.from_sympy(x) for x in w], [field.from_sympy(x) for x in rho], degree)
    terms = {d: algebra.waves({m: field.from_sympy(c) for m, c in parts[d].items()}) for d in range(3, degree + 1)}
    normal, generators = algebra.normalise(terms)
    energy, resonant = _told(algebra, normal, w, rho, system.coordinates)
    energy += tidy(H.subs(dict.fromkeys((*q, *p), sp.Integer(0))))
    kept = algebra.places(algebra.carry_back(generators))
    integral = _expression({m: tidy(field.to_sympy(c)) for m, c in kept.items()}, [*q, *p])
    unshift = {x: x - rest[x] for x in rest}
    return NormalForm(
        energy, resonant, dict(zip(system.coordinates, w)), tidy(integral.subs(unshift, simultaneous=True)), degree
    )


def _taylor(H: sp.Expr, x: Sequence[sp.Symbol], degree: int) -> dict[int, dict[tuple[int, ...], sp.Expr]]:
    """Coefficients of the Taylor polynomial about the origin, by degree."""
    step = sp.Dummy("step")
    line = H.subs({s: step * s for s in x}, simultaneous=True)
    found: dict[int, dict[tuple[int, ...], sp.Expr]] = {}
    for d in range(degree + 1):
        piece = sp.expand(sp.diff(line, step, d).subs(step, 0) / sp.factorial(d)) if d else line.subs(step, 0)
        if piece.has(sp.nan, sp.zoo, sp.oo):
            raise ModelError("H has no Taylor series there: it is singular at the place of rest")
        found[d] = {m: c for m, c in sp.Poly(piece, *x).terms() if c != 0} if d else {}
    return found


def _oscillators(
    second: dict[tuple[int, ...], sp.Expr], size: int, labels: Sequence[str]
) -> tuple[list[sp.Expr], list[sp.Expr]]:
    """a, b of H2 = sum a q^2/2 + b p^2/2."""
    stiff, soft = [sp.Integer(0)] * size, [sp.Integer(0)] * size
    for monomial, c in second.items():
        places = [k for k, e in enumerate(monomial) if e]
        if len(places) != 1:
            raise ModelError("H2 couples the coordinates: change to normal coordinates first (normal_modes)")
        (k,) = places
        (stiff if k < size else soft)[k % size] = 2 * c
    for label, a, b in zip(labels, stiff, soft):
        if (a * b).is_negative or is_zero(a * b):
            raise ModelError(f"{label} is no stable oscillator at this rest: H2 has {a}*{label}**2/2 + {b}*p**2/2")
    return stiff, soft


def _expression(poly: Mapping[tuple[int, ...], Any], x: Sequence[sp.Symbol]) -> sp.Expr:
    return sp.Add(*(c * sp.Mul(*(s**e for s, e in zip(x, m))) for m, c in poly.items()))


def _told(
    algebra: WaveAlgebra,
    normal: Mapping[int, Poly],
    w: Sequence[sp.Expr],
    rho: Sequence[sp.Expr],
    labels: Sequence[str],
) -> tuple[sp.Expr, sp.Expr]:
    """Terms in the actions alone, and the resonant ones, in waves with H2 = sum w z zbar."""
    size = len(w)
    actions = [sp.Symbol(f"J_{c}", real=True) for c in labels]
    waves = [sp.Symbol(f"z{k + 1}") for k in range(size)] + [sp.Symbol(f"zbar{k + 1}") for k in range(size)]
    energy, resonant = sum((a * x for a, x in zip(w, actions)), sp.Integer(0)), sp.Integer(0)
    for piece in normal.values():
        for m, c in piece.items():
            if algebra.shift(m):
                continue
            value = algebra.field.to_sympy(c)
            if m[:size] == m[size:]:
                energy += tidy(value * sp.Mul(*((2 * r) ** e for r, e in zip(rho, m)))) * _expression({m: 1}, actions)
            else:
                size_of = sp.Mul(*(sp.sqrt(2 * r) ** (m[k] + m[size + k]) for k, r in enumerate(rho)))
                resonant += tidy(value * size_of) * _expression({m: 1}, waves)
    return sp.expand(energy), sp.expand(resonant)
