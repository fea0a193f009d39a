"""How far expressions stray from their value at a point while their symbols stray by given radii: a proof, not a guess.

Each node keeps its value at the centre and gets a radius that no value in the box exceeds (midpoint-radius interval
arithmetic; rounding, one part in 1e16, is left out). Where no bound is known, it is `FAR`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from dalembert import expr as ex
from dalembert.expr import HALF, ONE, PI, TWO, ZERO, Expr

FAR = ex.const(1e300)
"""Stands for no bound: a pole, a jump of unknown height, an unknown function."""


def spread(exprs: Sequence[Expr], radius: Mapping[Expr, Expr]) -> list[Expr]:
    """|e - e(centre)| at most, for every symbol within its radius of the centre; symbols without a radius stay.

    >>> from dalembert import expr as ex
    >>> x, r = ex.symbols("x r")
    >>> spread([3 * x - 1], {x: r})
    [3*r]
    >>> ex.evaluate(spread([1 / x], {x: r}), {x: 2.0, r: 1.0})  # 1/x lies in [1/3, 1], 1/2 in the centre
    [0.5]
    """
    found: dict[Expr, Expr] = {}
    for e in ex.topological(exprs):
        parts = [found[a] for a in e.args]
        if e.op == "symbol":
            found[e] = radius.get(e, ZERO)
        elif all(part is ZERO for part in parts):
            found[e] = ZERO
        elif e.op in _RULES:
            found[e] = _RULES[e.op](e, parts)
        else:
            found[e] = FAR
    return [found[e] for e in exprs]


Rule = Callable[[Expr, Sequence[Expr]], Expr]


def _product(e: Expr, r: Sequence[Expr]) -> Expr:
    a, b = (ex.absolute(x) for x in e.args)
    return a * r[1] + b * r[0] + r[0] * r[1]


def _quotient(e: Expr, r: Sequence[Expr]) -> Expr:
    # a/b - q = (da - q db) / (b + db)
    room = ex.absolute(e.args[1]) - r[1]
    return ex.where(room > 0, (r[0] + ex.absolute(e) * r[1]) / room, FAR)


def _power(e: Expr, r: Sequence[Expr]) -> Expr:
    a, exponent = e.args
    n = exponent.data if exponent.op == "const" else None
    if isinstance(n, int) and not isinstance(n, bool):
        size = ex.absolute(a)
        swing = (size + r[0]) ** abs(n) - size ** abs(n)
        if n >= 0:
            return swing
        room = size ** abs(n) - swing
        return ex.where(room > 0, swing * ex.absolute(e) / room, FAR)
    if r[1] is not ZERO:
        return FAR
    ends = [ex.absolute((a + s * r[0]) ** exponent - e) for s in (1, -1)]  # monotone in the base
    return ex.where(a - r[0] > 0, ex.maximum(*ends), FAR)


def _root(e: Expr, r: Sequence[Expr]) -> Expr:
    return r[0] / (e + ex.sqrt(ex.maximum(e.args[0] - r[0], ZERO)))


def _wave(e: Expr, r: Sequence[Expr]) -> Expr:
    # the second derivative is never larger than one
    slope = ex.cos(e.args[0]) if e.op == "sin" else ex.sin(e.args[0])
    return ex.minimum(TWO, ex.absolute(slope) * r[0] + HALF * r[0] * r[0])


def _arc(e: Expr, r: Sequence[Expr]) -> Expr:
    end = ex.absolute(e.args[0]) + r[0]
    return ex.where(end < 1, r[0] / ex.sqrt(ex.maximum(ONE - end * end, ZERO)), PI)


def _angle(e: Expr, r: Sequence[Expr]) -> Expr:
    # seen from the origin, a disc of radius s at the distance d takes asin(s/d) < pi s / (2 d) on either side
    y, x = e.args
    size, distance = r[0] + r[1], ex.sqrt(x * x + y * y)
    cut = ex.where(x - r[1] > 0, ONE, ex.where(ex.absolute(y) - r[0] > 0, ONE, ZERO))
    return ex.where(ex.where(distance > size, cut, ZERO), PI * HALF * size / distance, TWO * PI)


def _hyperbolic(e: Expr, r: Sequence[Expr]) -> Expr:
    end = ex.absolute(e.args[0]) + r[0]
    return r[0] * (ex.cosh(end) if e.op == "sinh" else ex.sinh(end))


def _comparison(e: Expr, r: Sequence[Expr]) -> Expr:
    return ex.where(ex.absolute(e.args[0] - e.args[1]) > r[0] + r[1], ZERO, ONE)


def _choice(e: Expr, r: Sequence[Expr]) -> Expr:
    condition, a, b = e.args
    settled = ex.where(condition, r[1], r[2])
    return ex.where(r[0] > 0, ex.absolute(a - b) + ex.maximum(r[1], r[2]), settled)


_RULES: dict[str, Rule] = {
    "add": lambda e, r: r[0] + r[1],
    "sub": lambda e, r: r[0] + r[1],
    "neg": lambda e, r: r[0],
    "mul": _product,
    "div": _quotient,
    "pow": _power,
    "sqrt": _root,
    "sin": _wave,
    "cos": _wave,
    "asin": _arc,
    "acos": _arc,
    "atan": lambda e, r: ex.minimum(r[0], PI),
    "atan2": _angle,
    "exp": lambda e, r: e * (ex.exp(r[0]) - 1),
    "log": lambda e, r: ex.where(e.args[0] - r[0] > 0, -ex.log(ONE - r[0] / e.args[0]), FAR),
    "sinh": _hyperbolic,
    "cosh": _hyperbolic,
    "tanh": lambda e, r: ex.minimum(r[0], TWO),
    "abs": lambda e, r: r[0],
    "sign": lambda e, r: ex.where(ex.absolute(e.args[0]) > r[0], ZERO, TWO),
    "min": lambda e, r: ex.maximum(r[0], r[1]),
    "max": lambda e, r: ex.maximum(r[0], r[1]),
    "lt": _comparison,
    "le": _comparison,
    "eq": _comparison,
    "where": _choice,
}
