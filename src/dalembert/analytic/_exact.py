"""Numbers and expressions as SymPy; text has no way in."""

from __future__ import annotations

from typing import Any

from sympy.core.sympify import _sympify


def as_sympy(value: Any) -> Any:
    """The SymPy twin of a number or expression. Text is refused: formulas go through our own grammar."""
    return _sympify(value)
