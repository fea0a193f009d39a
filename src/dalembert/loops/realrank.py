"""The rank of a matrix of polynomials at a random real point, in balls: what no algebra of generators can get wrong."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from dalembert import expr as ex
from dalembert.errors import ExpressionError
from dalembert.expr import Expr
from dalembert.loops.arithmetic import Balls

#: Digits of the balls in which a rank is confirmed, and random points that are tried until all roots are real.
_DIGITS, _POINTS = 60, 40


def real_rank(rows: Sequence[Sequence[Any]], meaning: Callable[[str], Expr]) -> int | None:
    """The rank at a random real point; None where there are only symbols and angles, which are independent for sure.

    The methods take every generator of the tower for independent of those below it, and unknown functions for free;
    sqrt(a b) beside sqrt(a) and sqrt(b), sqrt(5) beside cos(pi/5) are not. Lengths are drawn positive.
    """
    used = sorted({n for row in rows for p in row for n in _used(p)})
    letters = [meaning(n) for n in used]
    if not any(e.op not in ("symbol", "cos", "sin") or (e.args and e.args[0].op != "symbol") for e in letters):
        return None
    from flint import arb, ctx

    rng = random.Random(11)
    symbols = sorted(ex.free_symbols(letters), key=lambda s: s.name)
    old, ctx.dps = ctx.dps, _DIGITS
    try:
        for _ in range(_POINTS):
            point = {s.name: Fraction(rng.randrange(10**6, 3 * 10**6), 10**6) for s in symbols}
            try:
                balls = Balls(_DIGITS).constants(letters, point)
            except (ExpressionError, ZeroDivisionError, ValueError):
                continue
            if not all(b.is_finite() for b in balls):
                continue
            values = dict(zip(used, balls, strict=True))
            table = [[_at(p, values, arb(0)) for p in row] for row in rows]
            return _ball_rank(table, arb(10) ** (-_DIGITS // 2))
    finally:
        ctx.dps = old
    raise ExpressionError(
        "no real point was found where all roots in this matrix exist: it has no rank over the reals."
    )


def _used(p: Any) -> set[str]:
    names = p.context().names()
    return {names[k] for e in p.to_dict() for k, n in enumerate(e) if n}


def _at(p: Any, values: Mapping[str, Any], zero: Any) -> Any:
    names, total = p.context().names(), zero
    for exponents, c in p.to_dict().items():
        term = zero + (zero + int(c.p)) / int(c.q)
        for name, k in zip(names, exponents, strict=True):
            if k:
                term = term * values[name] ** int(k)
        total = total + term
    return total


def _ball_rank(rows: list[list[Any]], small: Any) -> int:
    """Pivots that leave zero out; what is smaller than half of the digits counts as zero."""
    rank = 0
    while True:
        sizes = [(abs(float(v.mid())), i, j) for i, row in enumerate(rows) for j, v in enumerate(row)]
        size, i, j = max(sizes, default=(0.0, 0, 0))
        if not size or not bool(abs(rows[i][j]) > small):
            return rank
        pivot, rank = rows.pop(i), rank + 1
        rows = [[v - row[j] / pivot[j] * w for v, w in zip(row, pivot, strict=True)] for row in rows]
