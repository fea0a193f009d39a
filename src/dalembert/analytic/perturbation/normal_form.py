"""Birkhoff's and Gustavson's normal form of a Hamiltonian near a stable rest, by Lie series.

With z = (q + i p)/sqrt 2 and its conjugate, H2 = sum w z zbar. Degree by degree a generator chi takes away every
monomial z^a zbar^b with w.(a - b) not zero; what stays commutes with H2. Polynomials are tables of exponents with exact
coefficients.
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

if TYPE_CHECKING:
    from ..systems.system import System

Poly = dict[tuple[int, ...], Any]


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
    scale = [sp.sqrt(tidy(w[k] / stiff[k])) for k in range(size)]  # q = scale Q, p = P/scale makes H2 = w (Q^2 + P^2)/2
    z, zb = _waves(size)
    half = sp.sqrt(2) / 2
    old = {q[k]: scale[k] * half * (z[k] + zb[k]) for k in range(size)}
    old |= {p[k]: (z[k] - zb[k]) * half / (sp.I * scale[k]) for k in range(size)}
    terms = {d: _as_waves(parts[d], [*q, *p], old, (*z, *zb)) for d in range(3, degree + 1)}
    normal, generators = _normalise(terms, w, degree)
    energy, resonant = _told(normal, w, system.coordinates, z, zb)
    energy += tidy(H.subs(dict.fromkeys((*q, *p), sp.Integer(0))))
    kept = _carry_back(generators, w, degree)
    back = {z[k]: half * (q[k] / scale[k] + sp.I * scale[k] * p[k]) for k in range(size)}
    back |= {zb[k]: half * (q[k] / scale[k] - sp.I * scale[k] * p[k]) for k in range(size)}
    integral = sp.expand(_expression(kept, (*z, *zb)).subs(back, simultaneous=True))
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


def _waves(size: int) -> tuple[tuple[sp.Symbol, ...], tuple[sp.Symbol, ...]]:
    return tuple(sp.Symbol(f"z{k + 1}") for k in range(size)), tuple(sp.Symbol(f"zbar{k + 1}") for k in range(size))


def _as_waves(
    part: dict[tuple[int, ...], sp.Expr],
    x: Sequence[sp.Symbol],
    old: Mapping[sp.Symbol, sp.Expr],
    waves: Sequence[sp.Symbol],
) -> Poly:
    if not part:
        return {}
    e = sp.expand(_expression(part, x).subs(old, simultaneous=True))
    return {m: tidy(c) for m, c in sp.Poly(e, *waves).terms() if c != 0}


def _expression(poly: Mapping[tuple[int, ...], Any], x: Sequence[sp.Symbol]) -> sp.Expr:
    return sp.Add(*(c * sp.Mul(*(s**e for s, e in zip(x, m))) for m, c in poly.items()))


def _bracket(f: Poly, g: Poly) -> Poly:
    """{f, g} with {z, zbar} = -i."""
    found: Poly = {}
    for a, ca in f.items():
        size = len(a) // 2
        for b, cb in g.items():
            for k in range(size):
                weight = a[k] * b[size + k] - a[size + k] * b[k]
                if weight:
                    m = [i + j for i, j in zip(a, b)]
                    m[k] -= 1
                    m[size + k] -= 1
                    key = tuple(m)
                    found[key] = found.get(key, 0) + -sp.I * weight * ca * cb
    return {m: e for m, c in found.items() if (e := _short(c)) != 0}


def _short(c: Any) -> Any:
    return sp.expand(c) if c.is_number or c.is_polynomial() else tidy(c)


def _shift(w: Sequence[sp.Expr], m: tuple[int, ...]) -> sp.Expr:
    size = len(w)
    return sp.expand(sum((w[k] * (m[k] - m[size + k]) for k in range(size)), sp.Integer(0)))


def _normalise(terms: dict[int, Poly], w: Sequence[sp.Expr], degree: int) -> tuple[dict[int, Poly], dict[int, Poly]]:
    """Normal terms and generators by degree; after each step all higher terms are carried through exp(L_chi)."""
    size = len(w)
    first = {tuple(int(i in (k, size + k)) for i in range(2 * size)): w[k] for k in range(size)}
    current: dict[int, Poly] = {2: first, **terms}
    generators: dict[int, Poly] = {}
    for d in range(3, degree + 1):
        chi = {m: _short(sp.I * c / _shift(w, m)) for m, c in current[d].items() if not is_zero(_shift(w, m))}
        generators[d] = chi
        current = _through(current, chi, d, degree)
    return {d: p for d, p in current.items() if d > 2}, generators


def _through(poly: dict[int, Poly], chi: Poly, d: int, degree: int) -> dict[int, Poly]:
    """exp(L_chi) of a polynomial sorted by degree: {., chi} raises the degree by d - 2."""
    total = {k: dict(p) for k, p in poly.items()}
    if not chi:
        return total
    for start, piece in poly.items():
        layer, k, factor = piece, start, 1
        while layer and k + d - 2 <= degree:
            k, layer = k + d - 2, _bracket(layer, chi)
            factor += 1
            layer = {m: c / (factor - 1) for m, c in layer.items()}
            target = total.setdefault(k, {})
            for m, c in layer.items():
                value = _short(target.get(m, sp.Integer(0)) + c)
                if value == 0:
                    target.pop(m, None)
                else:
                    target[m] = value
    return total


def _carry_back(generators: dict[int, Poly], w: Sequence[sp.Expr], degree: int) -> Poly:
    """H2 of the new variables, as a polynomial of the old ones: the inverse transforms, last generator first."""
    size = len(w)
    first = {tuple(int(i in (k, size + k)) for i in range(2 * size)): w[k] for k in range(size)}
    current: dict[int, Poly] = {2: first}
    for d in range(degree, 2, -1):
        minus = {m: -c for m, c in generators[d].items()}
        current = _through(current, minus, d, degree)
    whole: Poly = {}
    for piece in current.values():
        whole |= piece
    return whole


def _told(
    normal: dict[int, Poly],
    w: Sequence[sp.Expr],
    labels: Sequence[str],
    z: Sequence[sp.Symbol],
    zb: Sequence[sp.Symbol],
) -> tuple[sp.Expr, sp.Expr]:
    """Terms in the actions alone, and the resonant ones."""
    size = len(w)
    actions = [sp.Symbol(f"J_{c}", real=True) for c in labels]
    energy, resonant = sum((a * x for a, x in zip(w, actions)), sp.Integer(0)), sp.Integer(0)
    for piece in normal.values():
        for m, c in piece.items():
            if not is_zero(_shift(w, m)):
                continue
            if m[:size] == m[size:]:
                energy += tidy(c) * sp.Mul(*(a**e for a, e in zip(actions, m)))
            else:
                resonant += tidy(c) * _expression({m: sp.Integer(1)}, (*z, *zb))
    return sp.expand(energy), sp.expand(resonant)
