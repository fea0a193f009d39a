"""The one door from a user's arguments to SymPy: numbers and expressions pass, text is refused.

SymPy reads text by `eval`, deep inside `diff`, `subs`, `Matrix` and the like; so text must not get that far. Formulas
written as text go through our own grammar (`Names.read`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.core.sympify import SympifyError, _sympify

from dalembert.errors import ExpressionError, ModelError

_LONGEST_QUOTE = 60


def as_sympy(value: Any) -> Any:
    """The SymPy twin of one number or expression; whatever else it is, text or a list, is refused.

    >>> as_sympy(3) + as_sympy(sp.Symbol("x"))
    x + 3
    """
    if isinstance(value, sp.Basic | sp.MatrixBase):
        return value
    refuse_text(value)
    if isinstance(value, Iterable):
        raise ExpressionError(f"one expression or number is wanted here, not {_quoted(value)} ({type(value).__name__})")
    try:
        return _sympify(value)
    except SympifyError as error:
        raise ExpressionError(f"{_quoted(value)} is neither an expression nor a number") from error


def refuse_text(*values: Any) -> None:
    """Refuse text among expressions and numbers, also inside lists, arrays and the values of a mapping."""
    for value in values:
        if isinstance(value, str | bytes):
            raise ExpressionError(
                f"text stands where a SymPy expression or a number is wanted: {_quoted(value)}. "
                "Text is never run: read a formula first, as Names().read('k*x**2/2')."
            )
        if isinstance(value, Mapping):
            refuse_text(*value.values())
        elif hasattr(value, "tolist") and not isinstance(value, sp.MatrixBase):
            refuse_text(value.tolist())
        elif isinstance(value, list | tuple | set | frozenset):
            refuse_text(*value)


def number_function(arguments: Sequence[Any], expressions: Any, modules: str = "numpy") -> Callable[..., Any]:
    """The Python function that computes expressions from numbers.

    SymPy writes its source from the names in the expressions; so only the arguments, and no unspecified function
    (`exit(x)` would be called by its name), may be left in them.
    """
    refuse_text(expressions)
    known = {s for a in arguments for s in (a if isinstance(a, list | tuple) else (a,))}
    left: set[str] = set()
    for e in expressions if isinstance(expressions, list | tuple) else (expressions,):
        e = as_sympy(e)
        left |= {s.name for s in e.free_symbols - known} | {str(f.func) for f in e.atoms(AppliedUndef)}
    if left:
        raise ModelError(f"give numbers for {', '.join(sorted(left))}")
    function: Callable[..., Any] = sp.lambdify(list(arguments), expressions, modules)
    return function


def _quoted(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST_QUOTE else text[: _LONGEST_QUOTE - 3] + "..."
