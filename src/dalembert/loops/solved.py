"""One equation solved for one unknown: linear or quadratic in it, a sum of its cosine and sine, or with roots of these.

Every solution is a formula with the expressions that are not negative where it holds. `numbers` are values of all
symbols at a posture; they only tell what is zero and what is not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.expr import ZERO, Expr

Numbers = Mapping[Expr, Any]
Solution = tuple[Expr, list[Expr]]

#: A coefficient that is this small beside the others belongs to a joint that the equation does not see.
SEEN = 1e-7
#: What is this small beside its parts, at postures drawn around one, is zero: half of the digits are left for roots.
_ZERO = 1e-9


def linear(e: Expr, x: Expr, numbers: Numbers) -> list[Solution]:
    """B x + C = 0."""
    b, c, bend = _coefficients(e, x)
    if bend is not ZERO:
        return []
    steep = abs(_number(b, numbers)) * max(abs(numbers[x]), 1e-300)
    return [(-c / b, [])] if steep > SEEN * abs(_number(c, numbers)) else []


def quadratic(e: Expr, x: Expr, numbers: Numbers) -> list[Solution]:
    """A x^2 + B x + C = 0."""
    b, c, bend = _coefficients(e, x)
    if bend is ZERO or x in ex.free_symbols(bend):
        return []
    half, rest = ex.tidy(b / bend), ex.tidy(2 * c / bend)
    inside = ex.tidy(half * half - rest)
    return [(s * ex.sqrt(inside) - half, [inside]) for s in (1, -1)]


def turns(e: Expr, x: Expr, numbers: Numbers) -> list[Solution]:
    """A cos x + B sin x + C = 0 (a joint of factor one: others are no such sums)."""
    slope = ex.derivative(e, x)
    a, b, c = (ex.tidy(ex.substitute([y], {x: 0})[0]) for y in (-ex.derivative(slope, x), slope, e))
    c = ex.tidy(c - a)
    if not _same(e, a * ex.cos(x) + b * ex.sin(x) + c, x, numbers):
        return []
    sizes = [abs(_number(y, numbers)) for y in (a, b, c)]
    if max(sizes[:2]) <= SEEN * sizes[2]:
        return []
    if b is ZERO:
        ratio, inside = ex.tidy(-c / a), a * a - c * c
        return [(ex.acos(ratio), [inside]), (-ex.acos(ratio), [inside])]
    inside = a * a + b * b - c * c
    root = ex.sqrt(inside)
    return [(ex.atan2(s * a * root - b * c, -(a * c) - s * b * root), [inside]) for s in (1, -1)]


def rooted(e: Expr, x: Expr, numbers: Numbers) -> list[Solution]:
    """R + s sqrt(P(x)) = 0 or R + s sqrt(P(x)) + t sqrt(Q(x)) = 0, R, s and t without x: the rope over a sheave."""
    roots = [one for one in ex.topological([e]) if one.op == "sqrt" and x in ex.free_symbols(one)]
    held = [ex.symbol(f"root {i}") for i in range(len(roots))]
    (told,) = ex.substitute([e], dict(zip(roots, held, strict=True)))
    slopes = ex.gradient(told, held) if roots else []
    rest = ex.tidy(ex.substitute([told], dict.fromkeys(held, 0))[0])
    if not 1 <= len(roots) <= 2 or ex.free_symbols([rest, *slopes]) & {x, *held}:
        return []
    inner = [slope * slope * root.args[0] for slope, root in zip(slopes, roots, strict=True)]
    if len(roots) == 1:
        equation, kept = inner[0] - rest * rest, [-rest * slopes[0]]
    else:
        less = ex.tidy(inner[0] - inner[1])
        equation = ex.tidy(4 * rest * rest * inner[0] - (rest * rest + less) ** 2)
        kept = []
    straight = _straight(inner[0], rest, x, numbers) if len(roots) == 1 else []
    found = straight or quadratic(equation, x, numbers) or turns(equation, x, numbers)
    return [(formula, [*positive, *kept]) for formula, positive in found]


def _straight(inner: Expr, rest: Expr, x: Expr, numbers: Numbers) -> list[Solution]:
    """inner = (a x + b)^2 = rest^2: the rope points at what it holds, and no root is left."""
    b, c, bend = _coefficients(inner, x)
    if x in ex.free_symbols(bend) or bend is ZERO or not bend.is_number:
        return []
    left = b * b - 2 * bend * c
    parts = abs(_number(b, numbers)) ** 2 + abs(_number(bend * c, numbers))
    around = {y: v * 1.01 + 0.013 for y, v in numbers.items()}
    if max(abs(_number(left, one)) for one in (numbers, around)) > _ZERO * max(parts, 1e-300):
        return []
    half, scale = ex.tidy(b / bend), ex.sqrt(2 / bend)
    return [(s * scale * rest - half, []) for s in (1, -1)]


def _coefficients(e: Expr, x: Expr) -> tuple[Expr, Expr, Expr]:
    slope = ex.derivative(e, x)
    bend = ex.tidy(ex.derivative(slope, x))
    b, c = (ex.tidy(ex.substitute([y], {x: 0})[0]) for y in (slope, e))
    return b, c, bend


def _number(e: Expr, numbers: Numbers) -> float:
    with np.errstate(all="ignore"):
        return float(np.real(ex.evaluate([e], dict(numbers))[0]))


def _same(a: Expr, b: Expr, x: Expr, numbers: Numbers) -> bool:
    """Equal values at turns of x: a sum of harmonics above the first would show."""
    places = np.linspace(0.3, 6.1, 9)
    with np.errstate(all="ignore"):
        one, other = (np.broadcast_to(v, places.shape) for v in ex.evaluate([a, b], {**numbers, x: places}))
    # in parts of the values: half of the digits, for formulas with roots of differences
    return bool(np.abs(one - other).max() < _ZERO * (1e-300 + np.abs(one).max() + np.abs(other).max()))
