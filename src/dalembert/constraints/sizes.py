"""What entries of rows are made of, as sizes that no motion changes where such sizes are known.

Rounding is judged against them at every instant: sizes that are constants cost nothing there.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from dalembert import expr as ex
from dalembert.expr import ONE, Expr
from dalembert.expr.elimination import samples
from dalembert.expr.magnitude import error_size

#: So much larger than what it bounds may a bound be: rounding times it stays far below any row that counts.
_MUCH = 30.0
_SEEDS = (1, 2, 3)


def still_size(rows: Sequence[Sequence[Expr]], moving: Collection[Expr]) -> list[list[Expr]]:
    """`error_size` of entries, or a bound of it that nothing moving enters, where that is not much larger.

    Sines and cosines are at most one: what a chain of turns is made of are its lengths.

    >>> x, l = ex.symbols("x l")
    >>> still_size([[l * ex.sin(x) - 2 * ex.cos(x)]], [x])
    [[abs(l) + 2]]
    """
    entries = list(dict.fromkeys(e for row in rows for e in row if not e.is_number))
    exact, bounds, names = error_size(entries), _bounds(entries), set(moving)
    trials = [k for k, x in enumerate(bounds) if x is not None and ex.free_symbols(x).isdisjoint(names)]
    near = _near([x for k in trials if (x := bounds[k]) is not None], [exact[k] for k in trials])
    chosen = {k for k, fits in zip(trials, near, strict=True) if fits}
    found = {
        e: x if k in chosen and x is not None else exact[k]
        for k, (e, x) in enumerate(zip(entries, bounds, strict=True))
    }
    return [[found[e] if e in found else ex.absolute(e) for e in row] for row in rows]


def _bounds(entries: Sequence[Expr]) -> list[Expr | None]:
    """Sums of absolute values, every sine and cosine taken as one; None where a function has no such bound."""
    size: dict[Expr, Expr | None] = {}
    for e in ex.topological(entries):
        parts = [part for a in e.args if (part := size[a]) is not None]
        if e.op in ("sin", "cos"):
            size[e] = ONE
        elif len(parts) < len(e.args):
            size[e] = None
        elif e.op in ("add", "sub"):
            size[e] = parts[0] + parts[1]
        elif e.op == "neg":
            size[e] = parts[0]
        elif e.op == "mul":
            size[e] = parts[0] * parts[1]
        else:
            size[e] = ex.absolute(e)
    return [size[e] for e in entries]


def _near(bounds: Sequence[Expr], exact: Sequence[Expr]) -> list[bool]:
    """Which bounds are no more than _MUCH above what they bound, at random states; none where a root has no value."""
    if not bounds:
        return []
    with np.errstate(invalid="ignore"):
        values = samples([*bounds, *exact], _SEEDS)
        fits = values[:, : len(bounds)] <= _MUCH * values[:, len(bounds) :]
    return [bool(column.all()) for column in fits.T]
