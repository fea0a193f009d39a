"""Expressions as a flat list, for processes and files: no recursion, sharing kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dalembert.expr import _node as node
from dalembert.expr._arithmetic import decimals_as_spelled
from dalembert.expr._collector import uncollected
from dalembert.expr._node import Expr
from dalembert.expr._table import build
from dalembert.expr._traverse import topological

Flat = tuple[list[tuple[str, Any, tuple[int, ...]]], list[int]]


def flatten(exprs: Sequence[Expr]) -> Flat:
    """Rows (operation, data, operand rows) in topological order, and the rows of the results."""
    order = topological(exprs)
    row = {e: i for i, e in enumerate(order)}
    return [(e.op, e.data, tuple(row[a] for a in e.args)) for e in order], [row[e] for e in exprs]


@uncollected()
@decimals_as_spelled()
def restore_many(flat: Flat) -> list[Expr]:
    """The very nodes that were flattened: cos(0.5), which text keeps, is not made a number on the way."""
    rows, results = flat
    made: list[Expr] = []
    for op, data, operands in rows:
        args = tuple(made[i] for i in operands)
        if op == "const":
            made.append(node.const(data))
        elif op == "symbol":
            made.append(node.symbol(data))
        elif op == "pi":
            made.append(node.PI)
        elif op == "apply":
            made.append(node.apply(data[0], args, tuple(data[1])))
        else:
            made.append(build(op, args))
    return [made[i] for i in results]


def restore(flat: Flat) -> Expr:
    return restore_many(flat)[0]
