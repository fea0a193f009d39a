"""Dimensional analysis of formulas: sums of unlike quantities are found before any algebra is done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import sympy as sp

from dalembert.errors import ExpressionError

from ._names import Formula, Names

Dimension = tuple[sp.Rational, sp.Rational, sp.Rational]
"""Exponents of mass, length and time."""

UNITS: dict[str, str] = {
    **dict.fromkeys(("m", "m1", "m2", "M", "mass"), "M"),
    **dict.fromkeys(("x", "y", "z", "r", "rho", "l", "L_", "R", "R1", "R2", "length", "rho0", "h"), "L"),
    **dict.fromkeys(("t", "time", "beta"), "T"),
    **dict.fromkeys(("g",), "L T-2"),
    **dict.fromkeys(("k",), "M T-2"),
    **dict.fromkeys(("w", "omega"), "T-1"),
    **dict.fromkeys(("E", "V", "H", "L", "energy"), "M L2 T-2"),
    **dict.fromkeys(("p", "px", "py", "pz", "momentum"), "M L T-1"),
    **dict.fromkeys(("S", "S0", "hbar", "action", "J"), "M L2 T-1"),
    **dict.fromkeys(("theta", "phi", "alpha", "angle", "alpha1", "alpha2", "s", "number", "pi"), ""),
}


@dataclass(frozen=True)
class Mismatch:
    """Two parts that are added or compared although their dimensions differ."""

    left: sp.Expr
    right: sp.Expr
    dimensions: tuple[str, str]

    def __str__(self) -> str:
        return f"{self.left} has dimension {self.dimensions[0]}, but {self.right} has {self.dimensions[1]}"


def parse_dimension(text: str) -> Dimension:
    """ "M L2 T-2" -> exponents of mass, length, time."""
    found = {"M": sp.Integer(0), "L": sp.Integer(0), "T": sp.Integer(0)}
    for word in text.split():
        if word[0] not in found:
            raise ExpressionError(f"unknown base dimension {word[0]!r} in {text!r}: use M, L, T")
        found[word[0]] = sp.Rational(word[1:] or "1")
    return found["M"], found["L"], found["T"]


def show_dimension(d: Dimension) -> str:
    words = [f"{n}{'' if e == 1 else e}" for n, e in zip("MLT", d) if e != 0]
    return " ".join(words) or "1"


def check_dimensions(
    formula: Formula, units: Mapping[str, str] | None = None, *, names: Names | None = None
) -> Mismatch | None:
    """The first clash of dimensions in a formula, or None. `units` adds to or overrides the usual meaning of names.

    >>> print(check_dimensions("rho*thetad**2/2 + m*g*cos(theta)", {"thetad": "T-1"}))
    rho*thetad**2/2 has dimension L T-2, but g*m*cos(theta) has M L T-2
    """
    n = names or Names()
    expression = n.read(formula)
    table = {k: parse_dimension(v) for k, v in {**UNITS, **(units or {})}.items()}
    try:
        _dimension(expression, table)
    except _Clash as clash:
        return clash.mismatch
    return None


class _Clash(Exception):
    def __init__(self, mismatch: Mismatch) -> None:
        self.mismatch = mismatch


_NONE: Dimension = (sp.Integer(0), sp.Integer(0), sp.Integer(0))


def _dimension(e: sp.Expr, table: Mapping[str, Dimension]) -> Dimension:
    if e.is_number:
        return _NONE
    if e.is_Symbol:
        base = e.name.rstrip("'")
        if base not in table:
            raise ExpressionError(
                f"the dimension of {e.name} is not known: pass units={{{e.name!r}: 'M L T-1'}} or the like"
            )
        m, l, t = table[base]
        return m, l, t - (len(e.name) - len(base))
    if isinstance(e, sp.core.relational.Relational):
        return _same([e.lhs, e.rhs], table)
    if isinstance(e, sp.Add):
        return _same(list(e.args), table)
    if isinstance(e, sp.Mul):
        parts = [_dimension(a, table) for a in e.args]
        return tuple(sum((p[i] for p in parts), sp.Integer(0)) for i in range(3))  # type: ignore[return-value]
    if isinstance(e, sp.Pow):
        base = _dimension(e.base, table)
        if base != _NONE and not e.exp.is_number:
            raise _Clash(Mismatch(e.base, e.exp, (show_dimension(base), "an exponent that is not a number")))
        return tuple(x * e.exp for x in base) if base != _NONE else _NONE  # type: ignore[return-value]
    if isinstance(e, sp.atan2):
        _same(list(e.args), table)
        return _NONE
    for argument in e.args:
        d = _dimension(argument, table)
        if d != _NONE:
            raise _Clash(Mismatch(argument, sp.Symbol(f"argument of {e.func.__name__}"), (show_dimension(d), "1")))
    return _NONE


def _same(terms: list[sp.Expr], table: Mapping[str, Dimension]) -> Dimension:
    terms = [t for t in terms if t != 0]
    found = [_dimension(t, table) for t in terms]
    for t, d in zip(terms[1:], found[1:]):
        if d != found[0]:
            raise _Clash(Mismatch(terms[0], t, (show_dimension(found[0]), show_dimension(d))))
    return found[0] if found else _NONE
