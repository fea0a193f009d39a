"""Results that are nothing but the rounding of decimals: smaller, at every point, than the error of their own numbers.

Numbers that a calculation has rounded (0.09998000399920015) no longer cancel exactly. Each operation passes on the
error of its operands and adds half a unit in the last place; what stays within a few such errors of zero at random
points could be any number of that size, and is written 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dalembert.expr._fingerprint import drawn
from dalembert.expr._node import ZERO, Expr
from dalembert.expr._traverse import topological

#: Digits of a decimal that somebody may have typed; longer ones come out of calculations.
_TYPED = 12
_UNIT = 2.0**-53
#: Errors within which a number is no number: bounds of single operations are nearly sharp.
_FEW = 4


def without_rounding(exprs: Sequence[Expr], order: Sequence[Expr] | None = None) -> list[Expr]:
    """The expressions, with 0 for those that are no larger than the rounding of the calculated decimals in them.

    `order` are their nodes, operands first, where they are known.
    """
    order = topological(exprs) if order is None else order
    if not any(_is_calculated(e.data) for e in order if e.op == "const"):
        return list(exprs)
    import numpy as np

    sizes: dict[Expr, tuple[Any, Any]] = {}
    with np.errstate(all="ignore"):
        for e in order:
            sizes[e] = _with_error(e, [sizes[a] for a in e.args])
        gone = {e for e in exprs if bool(np.all(np.abs(sizes[e][0]) <= _FEW * sizes[e][1]))}
    return [ZERO if e in gone else e for e in exprs]


def _is_calculated(value: object) -> bool:
    return isinstance(value, float) and float(f"{value:.{_TYPED}g}") != value


def _with_error(e: Expr, below: list[tuple[Any, Any]]) -> tuple[Any, Any]:
    """Value at three points and the bound of its error; what is not judged has no error and is never nothing."""
    import numpy as np

    op = e.op
    if op == "const":
        value = np.full(3, float(e.data))
        return value, _UNIT * np.abs(value) if _is_calculated(e.data) else np.zeros(3)
    if not e.args:
        name = e.data if op == "symbol" else op
        return np.array([0.3 + drawn("point", name, k) % 10**6 / 10**6 for k in range(3)]), np.zeros(3)
    (a, x), *rest = below
    b, y = rest[0] if rest else (a, x)
    if op in ("add", "sub"):
        value, error = (a + b if op == "add" else a - b), x + y
    elif op == "neg":
        return -a, x
    elif op == "mul":
        value, error = a * b, np.abs(a) * y + np.abs(b) * x + x * y
    elif op == "div":
        value = a / b
        error = (x + np.abs(value) * y) / np.abs(b)
    elif op == "pow" and type(e.args[1].data) is int:
        n = e.args[1].data
        value = a**n
        error = abs(n) * (np.abs(value / a) * x + _UNIT * np.abs(value))
    elif op in ("sin", "cos"):
        value, error = (np.sin(a) if op == "sin" else np.cos(a)), x
    else:
        return np.full(3, np.nan), np.zeros(3)
    return value, error + _UNIT * np.abs(value)
