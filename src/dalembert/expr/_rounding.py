"""Results that are nothing but the rounding of decimals: other digits behind the last change all of them.

Numbers that a calculation has rounded (0.09998000399920015) no longer cancel exactly. Suspects are found in floating
point: each operation passes on the error of its operands and adds half a unit in the last place. Such a bound knows
nothing of what cancels on the way (M^-1 M u), so a suspect is judged in long numbers, where only the decimals are
uncertain. Written 0 is what moves by a share of itself when each of them moves by a few units in its last place, and
does so whatever sizes the symbols have beside each other: 1e-17 x'^2 + 1e-18 th'^2 is no rounding where x is short.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import Any

from dalembert.expr._fingerprint import PRIME, drawn
from dalembert.expr._node import ZERO, Expr
from dalembert.expr._traverse import topological

#: Digits of a decimal that somebody may have typed; longer ones come out of calculations.
_TYPED = 12
_UNIT = 2.0**-53
#: Errors within which a number is suspected: bounds of single operations are nearly sharp.
_FEW = 4
#: Points at which an expression must be suspect.
_LOOKS = 3
_PAIRS = frozenset({"add", "sub", "mul", "div"})
#: Units by which decimals are moved: each has come out of a few operations.
_MOVED = 8
#: Bits of the long numbers, and of the range of sizes that symbols have (27 decades): pivots of several sizes cancel.
_BITS, _RANGE = 600, 90
#: Points: in each another monomial leads, so that one that is no rounding among many that are leads in some.
_POINTS = 48
#: Operations beyond which a suspect is left as it is: a tenth of a second each.
_LARGE = 2000


def without_rounding(exprs: Sequence[Expr], nodes: Collection[Expr] | None = None) -> list[Expr]:
    """The expressions, with 0 for those that are no more than the rounding of the calculated decimals in them.

    `nodes` are all that they are made of, where that is known.
    """
    if not any(_is_calculated(e.data) for e in (topological(exprs) if nodes is None else nodes) if e.op == "const"):
        return list(exprs)
    order = topological(exprs)
    suspects = {*exprs}
    for point in range(_LOOKS):
        suspects = _suspects(order if not point else topological(suspects), suspects, point)
        if not suspects:
            return list(exprs)
    gone = _moved_by_last_digits(suspects)
    return [ZERO if e in gone else e for e in exprs]


def _moved_by_last_digits(suspects: set[Expr]) -> set[Expr]:
    """Those that change by a quarter of themselves and more, at every point, with the last digits of their decimals."""
    from flint import ctx

    left = [e for e in suspects if len(topological([e])) <= _LARGE]
    order = topological(left)
    with ctx.workprec(_BITS):
        for point in range(_POINTS):
            written = _long_values(order, point, 0)
            others = [_long_values(order, point, way) for way in (1, 2)]
            left = [e for e in left if abs(written[e]) <= _FEW * max(abs(one[e] - written[e]) for one in others)]
            if not left:
                break
            order = topological(left)
    return set(left)


def _long_values(order: Sequence[Expr], point: int, way: int) -> dict[Expr, Any]:
    """Values at a point, in the first of which all symbols are of size one; `way` moves the decimals."""
    from flint import arb, fmpq

    found: dict[Expr, Any] = {}
    for e in order:
        op, below = e.op, [found[a] for a in e.args]
        if op == "const":
            value = Fraction(repr(e.data)) if isinstance(e.data, float) else Fraction(e.data)  # as it spells
            found[e] = arb(fmpq(value.numerator, value.denominator))
            if way and _is_calculated(e.data):
                found[e] *= 1 + (arb(drawn("digits", e.data, way)) / PRIME * 2 - 1) * (_MOVED * _UNIT)
        elif op == "add":
            found[e] = below[0] + below[1]
        elif op == "sub":
            found[e] = below[0] - below[1]
        elif op == "mul":
            found[e] = below[0] * below[1]
        elif op == "div":
            found[e] = below[0] / below[1]
        elif op == "neg":
            found[e] = -below[0]
        elif op == "pow":
            found[e] = below[0] ** below[1]
        elif op in ("sin", "cos"):
            found[e] = getattr(below[0], op)()
        else:  # a symbol or pi: nothing else is in what is suspected
            name = e.data if op == "symbol" else op
            size = -(drawn("size", name, point) % _RANGE) if point else 0
            found[e] = (arb(drawn("point", name, point)) / PRIME + arb("0.3")) * arb(2) ** size
    return found


def _is_calculated(value: object) -> bool:
    return isinstance(value, float) and float(f"{value:.{_TYPED}g}") != value


def _suspects(order: Sequence[Expr], exprs: set[Expr], point: int) -> set[Expr]:
    """Expressions whose value at a point is within a few of its errors; what is not judged is never among them."""
    values: dict[Expr, float] = {}
    errors: dict[Expr, float] = {}
    for e in order:
        op, args = e.op, e.args
        try:
            if op in _PAIRS:
                a, b, x, y = values[args[0]], values[args[1]], errors[args[0]], errors[args[1]]
                if op == "mul":
                    value, error = a * b, abs(a) * y + abs(b) * x + x * y
                elif op == "div":
                    value = a / b
                    error = (x + abs(value) * y) / abs(b)
                else:
                    value, error = (a + b if op == "add" else a - b), x + y
            elif op == "const":
                values[e] = value = float(e.data)
                errors[e] = _UNIT * abs(value) if _is_calculated(e.data) else 0.0
                continue
            elif not args:
                name = e.data if op == "symbol" else op
                values[e], errors[e] = 0.3 + drawn("point", name, point) % 10**6 / 10**6, 0.0
                continue
            elif op == "neg":
                values[e], errors[e] = -values[args[0]], errors[args[0]]
                continue
            elif op == "pow" and type(args[1].data) is int:
                a, n = values[args[0]], args[1].data
                value = a**n
                error = abs(n) * (abs(value / a) * errors[args[0]] + _UNIT * abs(value))
            elif op in ("sin", "cos"):
                value, error = getattr(math, op)(values[args[0]]), errors[args[0]]
            else:
                value, error = math.nan, 0.0
        except (ArithmeticError, ValueError):
            value, error = math.nan, 0.0
        values[e], errors[e] = value, error + _UNIT * abs(value)
    return {e for e in exprs if abs(values[e]) <= _FEW * errors[e]}
