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


def error_size(exprs: Sequence[Expr]) -> list[Expr]:
    """What rounding can have made of expressions, in units of it: running error analysis (Wilkinson), first order.

    Unlike `magnitude` it does not grow with the depth of products: the error of a b is that of a times |b|, not times
    what b is made of.

    >>> from dalembert import expr as ex
    >>> a, b = ex.symbols("a b")
    >>> ex.evaluate(error_size([a - b]), {a: 3.0, b: 2.0})
    [6.0]
    """
    found: dict[Expr, Expr] = {}
    for e in ex.topological(exprs):
        own, parts = ex.absolute(e), [found[a] for a in e.args]
        if e.op in ("add", "sub"):
            own = parts[0] + parts[1] + own
        elif e.op in ("neg", "abs"):
            own = parts[0]
        elif e.op == "mul":
            own = parts[0] * ex.absolute(e.args[1]) + parts[1] * ex.absolute(e.args[0]) + own
        elif e.op == "div":
            own = (parts[0] + own * parts[1]) / ex.absolute(e.args[1]) + own
        elif e.op == "where":
            own = ex.where(e.args[0], parts[1], parts[2])
        elif e.op in _SMOOTH:
            for k, (argument, part) in enumerate(zip(e.args, parts, strict=True)):
                if not argument.is_number:
                    held = ex.symbol("argument")
                    moved = ex.rebuild(e, tuple(held if i == k else a for i, a in enumerate(e.args)))
                    (slope,) = ex.substitute([ex.derivative(moved, held)], {held: argument})
                    own = own + ex.absolute(slope) * part
        found[e] = own
    return [found[e] for e in exprs]


_SMOOTH = frozenset(
    ("sin", "cos", "sqrt", "pow", "exp", "log", "atan", "atan2", "asin", "acos", "sinh", "cosh", "tanh")
)
