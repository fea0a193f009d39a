"""The bridge between the two symbolic worlds: machine-sized DAG and human-sized SymPy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from dalembert.errors import ExpressionError
from dalembert.expr import _arithmetic as arithmetic
from dalembert.expr import _functions as fn
from dalembert.expr import _node as node
from dalembert.expr._node import PI, Expr
from dalembert.expr._table import FUNCTIONS
from dalembert.expr._traverse import topological
from dalembert.limits import bounded


def _operations() -> dict[str, Callable[..., Any]]:
    import sympy as sp

    return {
        "add": lambda a, b: a + b,
        "sub": lambda a, b: a - b,
        "neg": lambda a: -a,
        "mul": lambda a, b: a * b,
        "div": lambda a, b: a / b,
        "pow": lambda a, b: a**b,
        "lt": lambda a, b: sp.Piecewise((1, a < b), (0, True)),
        "le": lambda a, b: sp.Piecewise((1, a <= b), (0, True)),
        "eq": lambda a, b: sp.Piecewise((1, sp.Eq(a, b)), (0, True)),
        **{name: f.in_sympy() for name, f in FUNCTIONS.items()},
    }


def _number(value: int | float | Fraction) -> Any:
    import sympy as sp

    if isinstance(value, Fraction):
        return sp.Rational(value.numerator, value.denominator)
    return sp.Integer(value) if isinstance(value, int) else sp.Float(value)


@bounded("to_sympy()", "SymPy writes shared parts out again and again: take a part of the expression.")
def to_sympy_many(exprs: Sequence[Expr], symbols: Mapping[Expr, Any] | None = None) -> list[Any]:
    """SymPy twins; `symbols` may give the SymPy object that stands for a node. Symbols are real by default."""
    import sympy as sp

    operations = _operations()
    twin: dict[Expr, Any] = dict(symbols or {})
    for e in topological(exprs, stop=set(twin)):
        if e in twin:
            continue
        if e.op == "const":
            twin[e] = _number(e.data)
        elif e.op == "symbol":
            twin[e] = sp.Symbol(e.name, real=True)
        elif e.op == "pi":
            twin[e] = sp.pi
        elif e.op == "apply":
            twin[e] = _unknown(e, [twin[a] for a in e.args])
        else:
            twin[e] = operations[e.op](*[twin[a] for a in e.args])
    return [twin[e] for e in exprs]


def _unknown(e: Expr, args: list[Any]) -> Any:
    import sympy as sp

    function = sp.Function(e.name)
    if not any(e.orders):
        return function(*args)
    slots = [sp.Dummy(f"a{i}") for i in range(len(args))]
    slope = function(*slots)
    for slot, order in zip(slots, e.orders, strict=True):
        slope = sp.Derivative(slope, slot, order) if order else slope
    return sp.Subs(slope, slots, args)


def to_sympy(e: Expr, symbols: Mapping[Expr, Any] | None = None) -> Any:
    """The SymPy twin of one expression."""
    return to_sympy_many([e], symbols)[0]


def from_sympy(expression: Any) -> Expr:
    """Our twin of a SymPy expression; symbols go by name."""
    import sympy as sp

    if not isinstance(expression, sp.Basic):
        return node.as_expr(expression)
    made: dict[Any, Expr] = {}
    root, stack = expression, [(expression, False)]
    while stack:
        e, ready = stack.pop()
        if e in made:
            continue
        if ready or not e.args or e.is_Rational or e.is_Float or _is_condition(e):
            made[e] = _convert(e, made)
        else:
            stack.append((e, True))
            stack.extend((a, False) for a in _operands(e))
    return made[root]


def _is_condition(e: Any) -> bool:
    import sympy as sp

    return e is sp.true or e is sp.false


def _operands(e: Any) -> list[Any]:
    import sympy as sp

    if isinstance(e, sp.Piecewise):
        return [x for pair in e.args for x in (pair.expr, pair.cond)]
    if isinstance(e, sp.Subs):
        return list(e.point)
    if isinstance(e, sp.Derivative):
        return list(e.expr.args)
    return list(e.args)


def _convert(e: Any, made: Mapping[Any, Expr]) -> Expr:
    import sympy as sp

    if e.is_Integer:
        return node.const(int(e))
    if e.is_Rational:
        return node.const(Fraction(int(e.p), int(e.q)))
    if e.is_Float:
        return node.const(float(e))
    if e is sp.pi:
        return PI
    if e is sp.E:
        return fn.exp(1)
    if e.is_Symbol:
        return node.symbol(e.name)
    if e is sp.true or e is sp.false:
        return node.const(int(bool(e)))
    args = [made[a] for a in _operands(e)]
    if e.is_Add:
        return _fold(arithmetic.add, args)
    if e.is_Mul:
        return _fold(arithmetic.mul, args)
    if e.is_Pow:
        return arithmetic.power(args[0], args[1])
    name = type(e).__name__
    known = next((f for f in FUNCTIONS.values() if (f.sympy or f.name) == name), None)
    if known is not None:
        return _fold(known.build, args) if known.arity == 2 and len(args) > 2 else known.build(*args)
    if name in ("cot", "sec", "csc"):
        return from_sympy(e.rewrite(sp.cos))
    if isinstance(e, sp.Piecewise):
        value = args[-2]
        for i in range(len(args) - 4, -1, -2):
            value = fn.where(args[i + 1], args[i], value)
        return value
    if isinstance(e, (sp.StrictLessThan, sp.LessThan, sp.StrictGreaterThan, sp.GreaterThan, sp.Eq)):
        compare = {"<": arithmetic.less, "<=": arithmetic.less_equal, "==": arithmetic.equal}
        if e.rel_op in (">", ">="):
            return compare[e.rel_op.replace(">", "<")](args[1], args[0])
        return compare[e.rel_op](args[0], args[1])
    if isinstance(e, sp.Ne):
        return 1 - arithmetic.equal(args[0], args[1])
    if isinstance(e, sp.Not):
        return 1 - args[0]
    if isinstance(e, (sp.And, sp.Or)):  # of zeros and ones
        return _fold(fn.minimum if isinstance(e, sp.And) else fn.maximum, args)
    if isinstance(e, (sp.Subs, sp.Derivative)):
        return _slope(e, args)
    if isinstance(e, sp.core.function.AppliedUndef):
        return node.apply(e.func.__name__, tuple(args))
    raise ExpressionError(f"SymPy's {type(e).__name__} has no counterpart here: {e}.")


def _slope(e: Any, args: list[Expr]) -> Expr:
    """A partial derivative of an unknown function, plain or taken at a point."""
    import sympy as sp

    inner = e.expr if isinstance(e, sp.Subs) else e
    function = inner.expr
    slots = list(function.args)
    places = (
        dict(zip(e.variables, args, strict=True)) if isinstance(e, sp.Subs) else dict(zip(slots, args, strict=True))
    )
    orders = [0] * len(slots)
    for variable, order in inner.variable_count:
        orders[slots.index(variable)] += int(order)
    return node.apply(function.func.__name__, tuple(places[s] for s in slots), tuple(orders))


def _fold(combine: Callable[[Expr, Expr], Expr], args: list[Expr]) -> Expr:
    total = args[0]
    for a in args[1:]:
        total = combine(total, a)
    return total
