"""Values of hand-sized formulas in balls: each number carries its error bound, so that what differs, differs for sure.

Outside its real domain (the root or the logarithm of a negative number, a division by zero) a formula has no value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from math import isnan
from operator import methodcaller
from typing import Any

import sympy as sp
from flint import acb, arb, ctx, fmpq  # type: ignore[import-untyped]

COARSE, FINE = 128, 1024
"""Bits: the first refutes nearly everything that is false, the second shows that a zero is no small number."""

SHRUNK = 256
"""Bits by which the bound of a zero must fall between the two: that of a true zero falls by about 896."""

MOST = 100_000
"""Bits that are never passed: where a formula could hide more, agreement shows nothing."""

_DIGITS, _TRUSTED = 45, 30
"""Digits asked for, and believed, where SymPy evaluates (definite integrals, rare functions)."""

Point = Mapping[sp.Symbol, fmpq]

_METHODS: dict[Any, Callable[[Any], Any]] = {
    getattr(sp, name): methodcaller(name)
    for name in "sin cos tan cot sec csc asin acos atan exp log sinh cosh tanh asinh acosh atanh erf gamma".split()
}


_STEEP = (sp.exp, sp.sinh, sp.cosh, sp.tanh, sp.erf, sp.gamma)


class Sight(Enum):
    """What two formulas show at one point."""

    DIFFER = "they differ"
    AGREE = "they agree to some 270 digits"
    NOTHING = "one of them has no real value, or none that can be told"


class Program:
    """Formulas made ready for evaluation at many points: common parts once, in an order that needs no recursion."""

    def __init__(self, expressions: Sequence[sp.Expr]) -> None:
        self._place: dict[sp.Basic, int] = {}
        self._steps: list[Callable[[list[Any], Point], Any]] = []
        self.complex = any(e.has(sp.I) for e in expressions)
        self.trusted = True
        """Whether every operation has a rigorous bound (False where SymPy evaluates a part)."""
        self._steep: list[tuple[int, int]] = []  # arguments of steep functions: place, power with which they count
        self._longest = max(
            (max(int(n.p).bit_length(), int(n.q).bit_length()) for e in expressions for n in e.atoms(sp.Rational)),
            default=0,
        )
        self._wanted = [self._compile(e) for e in expressions]

    def __call__(self, point: Point) -> list[Any]:
        """The values at a point, at the working precision; not finite where there is none."""
        values = self._values(point)
        return [values[i] for i in self._wanted]

    def _values(self, point: Point) -> list[Any]:
        values: list[Any] = []
        for step in self._steps:
            values.append(step(values, point))
        return values

    def hidden(self, point: Point) -> float:
        """Bits below one at which a part may differ from a simple number: 1 - tanh(400) is 2^-1153.

        Long numbers hide as many bits as they have, steep functions as many as their argument has units.
        """
        with ctx.workprec(COARSE):
            values = self._values(point)
            units = [float(abs(values[i]).upper()) ** power for i, power in self._steep]
        return self._longest + 3 * max((u for u in units if not isnan(u)), default=0.0)

    def _compile(self, e: sp.Expr) -> int:
        if e in self._place:
            return self._place[e]
        step = self._step(e)
        self._steps.append(step)
        self._place[e] = len(self._steps) - 1
        return self._place[e]

    def _step(self, e: sp.Expr) -> Callable[[list[Any], Point], Any]:
        ball = acb if self.complex else arb
        if e.is_Symbol:
            return lambda _, point: ball(point[e])
        if e.is_Rational:
            number = fmpq(int(e.p), int(e.q))
            return lambda *_: ball(number)
        if e is sp.pi:
            return lambda *_: ball(arb.pi())
        if e is sp.E:
            return lambda *_: ball(arb.const_e())
        if e is sp.I:
            return lambda *_: acb(0, 1)
        if isinstance(e, (sp.Add, sp.Mul)):
            return _sum(self._arguments(e), isinstance(e, sp.Mul))
        if isinstance(e, sp.Pow):
            return self._power(e)
        if e.func in _METHODS:
            (a,) = self._arguments(e)
            if isinstance(e, _STEEP):
                self._steep.append((a, 2 if isinstance(e, sp.erf) else 1))
            method = _METHODS[e.func]
            return lambda v, _: method(v[a])
        if isinstance(e, sp.Abs):
            (a,) = self._arguments(e)
            return lambda v, _: abs(v[a])
        if not self.complex and isinstance(e, sp.sign):
            (a,) = self._arguments(e)
            return lambda v, _: v[a].sgn()
        if not self.complex and isinstance(e, (sp.Min, sp.Max)):
            places, method = self._arguments(e), arb.min if isinstance(e, sp.Min) else arb.max
            return lambda v, _: _fold([v[i] for i in places], method)
        if not self.complex and isinstance(e, sp.atan2):
            y, x = self._arguments(e)
            return lambda v, _: arb.atan2(v[y], v[x])
        if not self.complex and isinstance(e, sp.elliptic_k):
            (a,) = self._arguments(e)
            return lambda v, _: acb(v[a]).elliptic_k().real if v[a] < 1 else arb.nan()
        self.trusted = False
        return lambda _, point: _by_sympy(e, point, ball)

    def _arguments(self, e: sp.Expr) -> list[int]:
        return [self._compile(a) for a in e.args]

    def _power(self, e: sp.Pow) -> Callable[[list[Any], Point], Any]:
        base = self._compile(e.base)
        if e.exp.is_Integer:
            n = int(e.exp)
            return lambda v, _: v[base] ** n
        if e.exp.is_Rational:
            p, q = int(e.exp.p), int(e.exp.q)
            if q == 2:
                return lambda v, _: v[base].sqrt() ** p
            return lambda v, _: v[base].root(q) ** p
        exponent = self._compile(e.exp)
        self._steep.append((self._compile(sp.log(e.base) * e.exp), 1))
        return lambda v, _: (v[base].log() * v[exponent]).exp()


def _sum(places: list[int], product: bool) -> Callable[[list[Any], Point], Any]:
    def run(values: list[Any], _: Point) -> Any:
        total = values[places[0]]
        for i in places[1:]:
            total = total * values[i] if product else total + values[i]
        return total

    return run


def _fold(values: list[Any], method: Callable[[Any, Any], Any]) -> Any:
    found = values[0]
    for value in values[1:]:
        found = method(found, value)
    return found


def _by_sympy(e: sp.Expr, point: Point, ball: Any) -> Any:
    """Parts that balls do not know, by SymPy's evaluation: bounds are then what its digits are worth."""
    values = {s: sp.Rational(int(v.p), int(v.q)) for s, v in point.items()}
    found = e.subs(values, simultaneous=True).evalf(_DIGITS)
    if not found.is_Float:
        return ball(arb.nan())
    middle = arb(str(found))
    return ball(arb(middle.mid(), abs(middle).upper() * arb(10) ** -_TRUSTED))


def look(program: Program, point: Point) -> tuple[Sight, tuple[Any, Any] | None]:
    """Compare the two formulas of a program at a point, finely when it is needed."""
    bounds: list[tuple[Any, Any]] = []
    for coarse in (True, False):
        bits = COARSE
        if not coarse:
            try:
                needed = FINE + 2 * program.hidden(point)
            except (ArithmeticError, ValueError, TypeError):
                return Sight.NOTHING, None
            if not needed < MOST:
                return Sight.NOTHING, None
            bits = int(needed)
        with ctx.workprec(bits):
            try:
                a, b = program(point)
            except (ArithmeticError, ValueError, TypeError):
                return Sight.NOTHING, None
            if not (a.is_finite() and b.is_finite()):
                if coarse:
                    continue  # a root of nearly nothing may need more digits to be seen as real
                return Sight.NOTHING, None
            gap = a - b
            if not gap.contains(0):
                return Sight.DIFFER, (a, b)
            bounds.append((gap.abs_upper(), abs(a).upper() + abs(b).upper() if not program.complex else None))
    if len(bounds) < 2:
        return Sight.NOTHING, None
    (before, _), (after, size) = bounds
    if program.trusted:
        agree = after == 0 or bool(after * arb(2) ** SHRUNK <= before)
    else:
        agree = size is not None and bool(after <= size * arb(10) ** (5 - _TRUSTED))
    return (Sight.AGREE, (a, b)) if agree else (Sight.NOTHING, None)


def signs_at(program: Program, point: Point) -> tuple[int, ...] | None:
    """The signs (+1, -1) of formulas at a point, None where one is zero or has no value."""
    with ctx.workprec(2 * COARSE):
        try:
            values = program(point)
        except (ArithmeticError, ValueError, TypeError):
            return None
        found = tuple(1 if v > 0 else -1 if v < 0 else 0 for v in values)
    return None if 0 in found else found
