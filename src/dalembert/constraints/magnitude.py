"""The size of what an expression is made of: every sum taken without cancelling."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert import expr as ex
from dalembert.expr import Expr


def magnitude(exprs: Sequence[Expr]) -> list[Expr]:
    """Sums of absolute values: |a| + |b| for a - b, |a| |b| for a b.

    >>> from dalembert import expr as ex
    >>> a, b = ex.symbols("a b")
    >>> magnitude([2 * a - b])
    [2*abs(a) + abs(b)]
    """
    size: dict[Expr, Expr] = {}
    for e in ex.topological(exprs):
        parts = [size[a] for a in e.args]
        if e.op in ("add", "sub"):
            size[e] = parts[0] + parts[1]
        elif e.op == "neg":
            size[e] = parts[0]
        elif e.op == "mul":
            size[e] = parts[0] * parts[1]
        elif e.op == "div":
            size[e] = parts[0] / ex.absolute(e.args[1])
        else:
            size[e] = ex.absolute(e)
    return [size[e] for e in exprs]
