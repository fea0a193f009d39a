"""Walks over the DAG: order, symbols, substitution, operation counts. All iterative."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from operator import attrgetter

from dalembert.expr._collector import uncollected
from dalembert.expr._node import Expr, Scalar, as_expr
from dalembert.expr._table import rebuild

LEAVES = frozenset({"const", "symbol", "pi"})
SERIAL = attrgetter("id")


def topological(exprs: Iterable[Expr], stop: Container[Expr] = frozenset()) -> list[Expr]:
    """Every node below `exprs`, operands first; the walk does not go below the nodes of `stop`."""
    return sorted(reached(exprs, stop), key=SERIAL)


def reached(exprs: Iterable[Expr], stop: Container[Expr] = frozenset()) -> set[Expr]:
    """The same nodes, in no order."""
    seen: set[Expr] = set()
    stack = list(exprs)
    take, put, see = stack.pop, stack.extend, seen.add
    while stack:
        e = take()
        if e not in seen:
            see(e)
            if e not in stop:
                put(e.args)
    return seen


def free_symbols(exprs: Expr | Iterable[Expr]) -> set[Expr]:
    """The symbols that occur."""
    return {e for e in reached(_listed(exprs)) if e.op == "symbol"}


def unknown_functions(exprs: Expr | Iterable[Expr]) -> set[str]:
    """The names of the unknown functions that occur."""
    return {e.name for e in reached(_listed(exprs)) if e.op == "apply"}


def _listed(exprs: Expr | Iterable[Expr]) -> list[Expr]:
    return [exprs] if isinstance(exprs, Expr) else list(exprs)


@uncollected()
def substitute(exprs: Sequence[Expr], replace: Mapping[Expr, Scalar]) -> list[Expr]:
    """Each expression with nodes replaced, all at once: replacements are not searched again."""
    new: dict[Expr, Expr] = {old: as_expr(value) for old, value in replace.items()}
    for e in topological(exprs, stop=set(new)):
        if e in new:
            continue
        if not e.args:
            new[e] = e
            continue
        args = tuple([new[a] for a in e.args])
        same = all(x is y for x, y in zip(args, e.args, strict=True))
        new[e] = e if same else rebuild(e, args)
    return [new[e] for e in exprs]


def count_operations(exprs: Expr | Iterable[Expr], depending_on: Collection[Expr] | None = None) -> int:
    """How many arithmetic operations and function calls evaluate these expressions, shared ones once.

    A sign costs one operation; an integer power costs its multiplications. With `depending_on`, only what changes with
    those symbols counts: the rest is computed once for all states.
    """
    order = topological(_listed(exprs))
    if depending_on is None:
        return operations_in(order)
    moving, total = set(depending_on), 0
    for e in order:
        if not moving.isdisjoint(e.args):
            moving.add(e)
            total += _cost(e)
    return total


def operations_in(nodes: Iterable[Expr]) -> int:
    """How many operations these very nodes are, without what is below them."""
    return sum([1 if e.op != "pow" else _cost(e) for e in nodes if e.op not in LEAVES])


def _cost(e: Expr) -> int:
    if e.op in LEAVES:
        return 0
    if e.op == "pow" and e.args[1].op == "const" and type(e.args[1].data) is int:
        n = abs(e.args[1].data)
        return n.bit_length() - 1 + n.bit_count() - 1
    return 1


def count_by_kind(exprs: Expr | Iterable[Expr]) -> dict[str, int]:
    """Operations by kind: additions, multiplications, divisions, functions."""
    kinds = {"add": "additions", "sub": "additions", "neg": "signs", "mul": "multiplications", "pow": "multiplications"}
    counts: dict[str, int] = {}
    for e in topological(_listed(exprs)):
        cost = _cost(e)
        if cost:
            kind = kinds.get(e.op, "divisions" if e.op == "div" else "functions")
            counts[kind] = counts.get(kind, 0) + cost
    return counts
