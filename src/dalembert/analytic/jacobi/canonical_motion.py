"""A motion solved in new canonical variables and carried back: K in (Q, P), its motion, then q(t) and p(t).

The new variables are chosen so that K is short: P alone (Q then grows evenly), or a sum that is linear in P.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sympy as sp

from dalembert.errors import ModelError

from ..canonical.maps import CanonicalMap
from ..formulas._equality import is_zero
from ..formulas._names import Formula
from ..formulas._normal import tidy
from ..formulas._solving import solve_linear, solve_system
from ..formulas.steps import Notebook, Steps


@dataclass(frozen=True)
class CanonicalMotion:
    """K(Q, P), the motion in the new variables and in the old ones, and the constants it starts from."""

    K: sp.Expr
    new: dict[str, sp.Expr]
    old: dict[str, sp.Expr]
    constants: dict[str, sp.Expr]
    steps: Steps


def canonical_motion(
    transformation: CanonicalMap,
    H: Formula,
    *,
    start: Mapping[str, Formula] | None = None,
    constants: Mapping[str, str] | None = None,
) -> CanonicalMotion:
    """Solve Hamilton's equations of K and carry the motion back; every line is put into the equations of H.

    Q and P start from Q0 and P0 (`constants` names them otherwise); with `start`, {q: value, p: value}, these are the
    images of the start. K must have equations of motion that are linear: then they are solved in order of dependence.

    >>> m = CanonicalMap("q", "p", "Q", "P", new={"Q": "-p", "P": "q + p**2/(2*m**2*g)"})
    >>> thrown = canonical_motion(m, "p**2/(2*m) + m*g*q", start={"q": "q0", "p": "m*v0"})
    >>> thrown.K, thrown.old["q"]
    (P*g*m, -g*t**2/2 + q0 + t*v0)
    """
    n, book = transformation.names, Notebook()
    q, p, Q, P = transformation.labels
    K = transformation.transform(H)
    book.note("The new Hamiltonian", "K", K)
    if K.has(n.time):
        raise ModelError(f"K = {K} depends on time: choose another map, or its motion is no quadrature")
    labels = [*Q, *P]
    rates = {a: sp.diff(K, n.symbol(b)) for a, b in zip(Q, P)} | {b: -sp.diff(K, n.symbol(a)) for a, b in zip(Q, P)}
    begin = {x: n.symbol((constants or {}).get(x, f"{x}0")) for x in labels}
    new = _solved({n.symbol(x): tidy(r) for x, r in rates.items()}, {n.symbol(x): s for x, s in begin.items()}, n.time)
    for x in labels:
        book.note(f"Canonical equation of {x}, solved", n.symbol(x), new[n.symbol(x)])
    values = {}
    if start is not None:
        wrong = sorted({*start} ^ {*q, *p})
        if wrong:
            raise ModelError(f"a start gives a value for each of {', '.join((*q, *p))}: see {wrong[0]}")
        at = {n.symbol(x): n.read(v) for x, v in start.items()}
        values = _images(transformation, at)
        for x, value in values.items():
            book.note("From the start", begin[x], value)
    put = {begin[x]: value for x, value in values.items()}
    moved = {x: tidy(e.subs(put, simultaneous=True)) if put else e for x, e in new.items()}
    old = {x: _short(e.subs(moved, simultaneous=True)) for x, e in transformation.old.items()}
    for x, e in old.items():
        book.note(f"Carried back: {x}", n.symbol(x), e)
    _prove(transformation, n.read(H), old)
    return CanonicalMotion(
        K, {x.name: e for x, e in new.items()}, old, values or {begin[x].name: begin[x] for x in labels}, book.close()
    )


def _short(e: sp.Expr) -> sp.Expr:
    """Sines of sums opened where that frees an arc: sin(w t + atan2(a, b)) holds roots that cancel."""
    opened = sp.expand_trig(e) if e.has(sp.atan2, sp.asin, sp.acos, sp.atan) else e
    parted = opened.replace(lambda f: isinstance(f, sp.Pow) and abs(f.exp) == sp.Rational(1, 2), _parted)
    return min((tidy(e), tidy(sp.expand(opened)), tidy(parted)), key=lambda f: f.count_ops())


def _parted(root: sp.Expr) -> sp.Expr:
    """sqrt(a/b) as sqrt(a)/sqrt(b) for b > 0."""
    top, bottom = sp.fraction(sp.together(root.base))
    return top**root.exp / bottom**root.exp if bottom.is_positive else root


def _images(transformation: CanonicalMap, at: Mapping[sp.Symbol, sp.Expr]) -> dict[str, sp.Expr]:
    """(Q, P) of a start, which must lead back to it: an angle is taken in its quadrant, by sine and cosine."""
    n = transformation.names
    _, _, Q, P = transformation.labels
    values = {x: tidy(transformation.new[x].subs(at, simultaneous=True).subs(n.time, 0)) for x in (*Q, *P)}
    back = {n.symbol(x): e.subs(n.time, 0) for x, e in transformation.old.items()}

    def wrong() -> list[sp.Symbol]:
        put = {n.symbol(x): e for x, e in values.items()}
        return [x for x, e in back.items() if not is_zero(e.subs(put, simultaneous=True) - at[x])]

    lost = wrong()
    for x in Q if lost else ():
        angle, s, c = n.symbol(x), sp.Dummy("s"), sp.Dummy("c")
        put = {n.symbol(y): e for y, e in values.items() if y != x}
        told = [
            e.subs(put, simultaneous=True).subs({sp.sin(angle): s, sp.cos(angle): c}) - at[y] for y, e in back.items()
        ]
        told = [e for e in told if e.has(s, c)]
        solutions = solve_system(told, [s, c]) if told and not any(e.has(angle) for e in told) else []
        if len(solutions) == 1 and {s, c} <= set(solutions[0]):
            values[x] = sp.atan2(tidy(solutions[0][s]), tidy(solutions[0][c]))
    if lost and (lost := wrong()):
        raise ModelError(
            f"the inverse of the map has several branches, and its formula is not the one of this start: {lost[0]} "
            "does not come back. Give the map by `new` on the branch that is meant"
        )
    return values


def _solved(
    rates: dict[sp.Symbol, sp.Expr], begin: Mapping[sp.Symbol, sp.Symbol], t: sp.Symbol
) -> dict[sp.Symbol, sp.Expr]:
    """x' = f, one after another where f holds only what is known; what is left together is linear, x' = A x + b."""
    found: dict[sp.Symbol, sp.Expr] = {}
    left = dict(rates)
    while left:
        ready = [x for x, r in left.items() if not r.subs(found).has(*left)]
        if not ready:
            return found | _linear({x: r.subs(found) for x, r in left.items()}, begin, t)
        for x in ready:
            grown = sp.integrate(sp.expand(left.pop(x).subs(found)), t)
            found[x] = tidy(grown - grown.subs(t, 0)) + begin[x]
    return found


def _linear(
    rates: dict[sp.Symbol, sp.Expr], begin: Mapping[sp.Symbol, sp.Symbol], t: sp.Symbol
) -> dict[sp.Symbol, sp.Expr]:
    x = list(rates)
    A = sp.Matrix(list(rates.values())).jacobian(x)
    b = sp.Matrix(list(rates.values())) - A * sp.Matrix(x)
    b = b.applyfunc(sp.expand)
    if A.has(*x, t) or b.has(t) or is_zero(A.det()):
        raise ModelError(
            f"the equations of {', '.join(map(str, x))} in the new variables are not linear: "
            "choose a map for which K holds P alone"
        )
    rest = -solve_linear(A, b)
    grown = (A * t).exp() * (sp.Matrix([begin[s] for s in x]) - rest) + rest
    return {s: tidy(sp.simplify(e.rewrite(sp.cos))) for s, e in zip(x, grown)}


def _prove(transformation: CanonicalMap, H: sp.Expr, motion: Mapping[str, sp.Expr]) -> None:
    n = transformation.names
    on = {n.symbol(x): e for x, e in motion.items()}
    for a, b in zip(transformation.labels[0], transformation.labels[1]):
        for x, rate in ((a, sp.diff(H, n.symbol(b))), (b, -sp.diff(H, n.symbol(a)))):
            if not is_zero(sp.diff(motion[x], n.time) - rate.subs(on, simultaneous=True)):
                raise ModelError(f"the motion found for {x} does not satisfy Hamilton's equations: {motion[x]}")
