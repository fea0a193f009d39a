"""Numbers from expressions: NumPy arrays, exact fractions, residues modulo a prime."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from dalembert.errors import ExpressionError
from dalembert.expr._node import Expr
from dalembert.expr._traverse import topological

Values = Mapping[Expr, Any]


def _numpy_operations() -> dict[str, Callable[..., Any]]:
    import numpy as np

    return {
        "add": np.add,
        "sub": np.subtract,
        "neg": np.negative,
        "mul": np.multiply,
        "div": np.divide,
        "pow": _numpy_power,
        "sqrt": np.sqrt,
        "sin": np.sin,
        "cos": np.cos,
        "asin": np.arcsin,
        "acos": np.arccos,
        "atan": np.arctan,
        "atan2": np.arctan2,
        "exp": np.exp,
        "log": np.log,
        "abs": np.abs,
        "sign": np.sign,
        "min": np.minimum,
        "max": np.maximum,
        "lt": lambda a, b: np.less(a, b) * 1.0,
        "le": lambda a, b: np.less_equal(a, b) * 1.0,
        "eq": lambda a, b: np.equal(a, b) * 1.0,
        "where": np.where,
    }


def _numpy_power(a: Any, b: Any) -> Any:
    import numpy as np

    return np.power(np.asarray(a, dtype=float), b)


def _exact_power(a: Fraction, b: Fraction) -> Fraction:
    if b.denominator != 1:
        raise ExpressionError(f"{a}**{b} is not a rational number. Evaluate with floats instead.")
    return a ** int(b)


_EXACT: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "neg": lambda a: -a,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "pow": _exact_power,
    "abs": abs,
    "sign": lambda a: Fraction((a > 0) - (a < 0)),
    "min": min,
    "max": max,
    "lt": lambda a, b: Fraction(a < b),
    "le": lambda a, b: Fraction(a <= b),
    "eq": lambda a, b: Fraction(a == b),
    "where": lambda c, a, b: a if c else b,
}


def evaluate(
    exprs: Sequence[Expr], values: Values, functions: Mapping[str, Callable[..., Any]] | None = None
) -> list[Any]:
    """Floats or arrays, broadcast as NumPy does; any node, not just a symbol, may be given a value.

    >>> from dalembert import expr as ex
    >>> x = ex.symbol("x")
    >>> ex.evaluate([x**2 + 1], {x: 3.0})
    [10.0]
    """
    import numpy as np

    operations = _numpy_operations()
    with np.errstate(all="ignore"):
        found = _run(exprs, values, operations, float, lambda: math.pi, functions or {})
    return [float(x) if np.ndim(x) == 0 else x for x in found]


def evaluate_exact(exprs: Sequence[Expr], values: Values) -> list[Fraction]:
    """Exact rational values; transcendental nodes must be given values themselves (`{sin(x): Fraction(3, 5)}`)."""
    exact = {e: Fraction(v) for e, v in values.items()}
    return _run(exprs, exact, _EXACT, Fraction, None, {})


def evaluate_mod(exprs: Sequence[Expr], values: Values, prime: int) -> list[int]:
    """Residues modulo a prime; a denominator that vanishes there is an error that says so."""

    def inverse(a: int) -> int:
        if a % prime == 0:
            raise ExpressionError(f"a denominator vanishes modulo {prime}. Take another prime or another point.")
        return pow(a, -1, prime)

    def residue(value: Any) -> int:
        fraction = Fraction(value)
        return fraction.numerator * inverse(fraction.denominator) % prime

    operations: dict[str, Callable[..., Any]] = {
        "add": lambda a, b: (a + b) % prime,
        "sub": lambda a, b: (a - b) % prime,
        "neg": lambda a: -a % prime,
        "mul": lambda a, b: a * b % prime,
        "div": lambda a, b: a * inverse(b) % prime,
    }
    given = {e: residue(v) for e, v in values.items()}
    return _run(exprs, given, operations, residue, None, {}, lambda base, n: pow(base, n, prime))


def _run(
    exprs: Sequence[Expr],
    values: Values,
    operations: Mapping[str, Callable[..., Any]],
    number: Callable[[Any], Any],
    pi: Callable[[], Any] | None,
    functions: Mapping[str, Callable[..., Any]],
    integer_power: Callable[[Any, int], Any] | None = None,
) -> list[Any]:
    found: dict[Expr, Any] = dict(values)
    for e in topological(exprs, stop=set(found)):
        if e in found:
            continue
        op = e.op
        if op == "const":
            found[e] = number(e.data)
        elif op == "pow" and integer_power is not None and type(e.args[1].data) is int:
            found[e] = integer_power(found[e.args[0]], e.args[1].data)
        elif op in operations:
            found[e] = operations[op](*[found[a] for a in e.args])
        elif op == "pi" and pi is not None:
            found[e] = pi()
        elif op == "apply" and e.name in functions and not any(e.orders):
            found[e] = functions[e.name](*[found[a] for a in e.args])
        else:
            raise ExpressionError(_missing(e))
    return [found[e] for e in exprs]


def _missing(e: Expr) -> str:
    if e.op == "symbol":
        return f"no value for the symbol '{e.name}'. Give one, for example {{symbol('{e.name}'): 1}}."
    if e.op == "apply":
        return f"no definition for the unknown function in {e}. Give a value for this node or define the function."
    return f"{e} has no exact value here. Give a value for this node."
