"""Numbers from expressions: NumPy arrays, exact fractions, residues modulo a prime."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from dalembert.errors import ExpressionError
from dalembert.expr._node import Expr
from dalembert.expr._table import FUNCTIONS, Function
from dalembert.expr._traverse import topological

Values = Mapping[Expr, Any]


def numpy_operations() -> Mapping[str, Callable[..., Any]]:
    """What each operation of the DAG does to arrays, functions that were added since included."""
    return _numpy_operations(tuple(FUNCTIONS.items()))


@lru_cache(maxsize=4)
def _numpy_operations(functions: tuple[tuple[str, Function], ...]) -> Mapping[str, Callable[..., Any]]:
    import numpy as np

    return {
        "add": np.add,
        "sub": np.subtract,
        "neg": np.negative,
        "mul": np.multiply,
        "div": np.divide,
        "pow": np.power,
        "lt": lambda a, b: np.less(a, b) * 1.0,
        "le": lambda a, b: np.less_equal(a, b) * 1.0,
        "eq": lambda a, b: np.equal(a, b) * 1.0,
        **{name: f.in_numpy() for name, f in functions},
    }


def floating(value: Any) -> Any:
    """Whole numbers as floats, so that no product wraps around; complex numbers stay, for complex-step derivatives."""
    import numpy as np

    array = np.asarray(value)
    if array.dtype.kind not in "fc":
        try:
            array = array.astype(float)
        except (TypeError, ValueError) as error:
            raise ExpressionError(f"{value!r} is not a number or an array of numbers.") from error
        except OverflowError:  # whole numbers beyond all doubles
            array = np.vectorize(_float, otypes=[float])(array)
    return array if array.ndim else array[()]


def _exact_power(a: Fraction, b: Fraction) -> Fraction:
    if b.denominator != 1:
        raise ExpressionError(f"{a}**{b} is not a rational number. Evaluate with floats instead.")
    return _exact_quotient(Fraction(1), a ** -int(b)) if b < 0 else a ** int(b)


def _exact_quotient(a: Fraction, b: Fraction) -> Fraction:
    if not b:
        raise ExpressionError("a denominator vanishes at these values. Take another point.")
    return a / b


_EXACT: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "neg": lambda a: -a,
    "mul": lambda a, b: a * b,
    "div": _exact_quotient,
    "pow": _exact_power,
    "lt": lambda a, b: Fraction(a < b),
    "le": lambda a, b: Fraction(a <= b),
    "eq": lambda a, b: Fraction(a == b),
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

    with np.errstate(all="ignore"):
        found = _run(exprs, values, numpy_operations(), _float, lambda: np.float64(math.pi), functions or {}, floating)
    return [x.item() if np.ndim(x) == 0 else x for x in map(np.asarray, found)]


def evaluate_with(exprs: Sequence[Expr], values: Values, operations: Mapping[str, Callable[..., Any]]) -> list[Any]:
    """Values of any library whose operations are given by the names that they have in the graph."""
    return _run(exprs, values, operations, float, lambda: math.pi, {})


def _float(value: Any) -> Any:
    """A constant as NumPy's own scalar, which overflows to infinity where Python's raises."""
    import numpy as np

    try:
        return np.float64(value)
    except OverflowError:
        return np.float64(math.inf if value > 0 else -math.inf)


def evaluate_exact(exprs: Sequence[Expr], values: Values) -> list[Fraction]:
    """Exact rational values; transcendental nodes must be given values themselves (`{sin(x): Fraction(3, 5)}`)."""
    exact = {e: _fraction(v) for e, v in values.items()}
    operations = _EXACT | {name: f.exact for name, f in FUNCTIONS.items() if f.exact is not None}
    return _run(exprs, exact, operations, Fraction, None, {})


def evaluate_mod(exprs: Sequence[Expr], values: Values, prime: int) -> list[int]:
    """Residues modulo a prime; a denominator that vanishes there is an error that says so."""

    def inverse(a: int) -> int:
        try:
            return pow(a, -1, prime)
        except ValueError:
            raise ExpressionError(
                f"a denominator vanishes modulo {prime}. Take another prime or another point."
            ) from None

    def residue(value: Any) -> int:
        fraction = _fraction(value)
        return fraction.numerator * inverse(fraction.denominator) % prime

    operations: dict[str, Callable[..., Any]] = {
        "add": lambda a, b: (a + b) % prime,
        "sub": lambda a, b: (a - b) % prime,
        "neg": lambda a: -a % prime,
        "mul": lambda a, b: a * b % prime,
        "div": lambda a, b: a * inverse(b) % prime,
    }
    given = {e: residue(v) for e, v in values.items()}
    return _run(exprs, given, operations, residue, None, {}, integer_power=lambda base, n: pow(base, n, prime))


def _fraction(value: Any) -> Fraction:
    try:
        return Fraction(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise ExpressionError(f"{value!r} is not a rational number.") from error


def _run(
    exprs: Sequence[Expr],
    values: Values,
    operations: Mapping[str, Callable[..., Any]],
    number: Callable[[Any], Any],
    pi: Callable[[], Any] | None,
    functions: Mapping[str, Callable[..., Any]],
    taken: Callable[[Any], Any] | None = None,
    integer_power: Callable[[Any, int], Any] | None = None,
) -> list[Any]:
    """What a long machine knows by its thousands of names is looked at only where an expression asks for it."""
    found: dict[Expr, Any] = {}
    for e in topological(exprs, stop=values):
        if e in values:
            found[e] = values[e] if taken is None else taken(values[e])
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
            raise ExpressionError(missing(e))
    return [found[e] for e in exprs]


def missing(e: Expr) -> str:
    """Why a node has no value, and what to give."""
    if e.op == "symbol":
        return f"no value for the symbol '{e.name}'. Give one, for example {{symbol('{e.name}'): 1}}."
    if e.op == "apply":
        return f"no definition for the unknown function in {e}. Give a value for this node or define the function."
    return f"{e} has no exact value here. Give a value for this node."
