"""Random formulas as plain trees, which any arithmetic can carry out: the oracle for expressions.

A tree is a symbol's name, a number, or a tuple (operation, operand, ...). `carry_out` computes it with Python's own
operators, so building an `Expr` from it and computing a `Fraction` from it share no code of the package.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from hypothesis import strategies as st

NAMES = ("a", "b", "c", "d")

ARITHMETIC: dict[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "neg": operator.neg,
    "pow": operator.pow,
}


def _numbers(floats: bool) -> st.SearchStrategy[Any]:
    exact = st.one_of(
        st.integers(-4, 4),
        st.fractions(min_value=-3, max_value=3, max_denominator=7),
    )
    return st.one_of(exact, st.floats(-4, 4, allow_subnormal=False).map(lambda x: round(x, 3))) if floats else exact


def _grown(children: st.SearchStrategy[Any], functions: tuple[str, ...]) -> st.SearchStrategy[Any]:
    pair = st.tuples(st.sampled_from(("add", "sub", "mul", "div", "add", "sub", "mul")), children, children)
    choices = [
        pair,
        pair,
        st.tuples(st.just("neg"), children),
        st.tuples(st.just("pow"), children, st.integers(-3, 4)),
    ]
    if functions:
        choices.append(st.tuples(st.sampled_from(functions), children))
    return st.one_of(choices)


def trees(functions: tuple[str, ...] = (), floats: bool = False, leaves: int = 12) -> st.SearchStrategy[Any]:
    """Trees of arithmetic, and of the named functions of one argument."""
    leaf = st.one_of(st.sampled_from(NAMES), _numbers(floats))
    return st.recursive(leaf, lambda children: _grown(children, functions), max_leaves=leaves)


def points() -> st.SearchStrategy[dict[str, Fraction]]:
    """Exact values for the symbols."""
    value = st.fractions(min_value=-5, max_value=5, max_denominator=11)
    return st.fixed_dictionaries(dict.fromkeys(NAMES, value))


def carry_out(
    tree: Any,
    names: Mapping[str, Any],
    functions: Mapping[str, Callable[..., Any]] | None = None,
    number: Callable[[Any], Any] = lambda x: x,
) -> Any:
    """The value of a tree in the arithmetic of its leaves."""
    if isinstance(tree, str):
        return names[tree]
    if not isinstance(tree, tuple):
        return number(tree)
    op, *operands = tree
    if op == "pow":
        return carry_out(operands[0], names, functions, number) ** operands[1]
    done = [carry_out(x, names, functions, number) for x in operands]
    return (ARITHMETIC.get(op) or (functions or {})[op])(*done)
