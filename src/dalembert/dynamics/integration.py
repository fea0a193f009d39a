"""Antiderivatives of the efforts that springs, weights and motors have: polynomials, sines, exponentials."""

from __future__ import annotations

from fractions import Fraction

from dalembert import expr as ex
from dalembert.expr import HALF, ZERO, Expr

HIGHEST_DEGREE = 12


def antiderivative(e: Expr, x: Expr) -> Expr | None:
    """A primitive of e in x, or None when no rule applies.

    >>> from dalembert import expr as ex
    >>> x, k = ex.symbols("x k")
    >>> antiderivative(k * x**3, x)
    1/4*k*x**4
    """
    if x not in ex.free_symbols(e):
        return e * x
    if _is_polynomial(e, x):
        return _of_polynomial(e, x)
    if e.op in ("add", "sub"):
        a, b = (antiderivative(part, x) for part in e.args)
        return None if a is None or b is None else a + b if e.op == "add" else a - b
    if e.op == "neg":
        inner = antiderivative(e.args[0], x)
        return None if inner is None else -inner
    if e.op == "mul":
        return _of_product(e.args[0], e.args[1], x)
    if e.op == "div" and x not in ex.free_symbols(e.args[1]):
        top = antiderivative(e.args[0], x)
        return None if top is None else top / e.args[1]
    if e.op == "div" and x not in ex.free_symbols(e.args[0]):
        inner = _of_inverse(e.args[1], x)
        return None if inner is None else e.args[0] * inner
    return _of_function(e, x)


def _of_inverse(e: Expr, x: Expr) -> Expr | None:
    """A primitive of 1/e, for e a power of a linear argument."""
    base, power = (e.args[0], e.args[1]) if e.op == "pow" and e.args[1].is_number else (e, ex.ONE)
    slope = _slope(base, x)
    if slope is None:
        return None
    if power is ex.ONE:
        return ex.log(ex.absolute(base)) / slope
    return base ** (1 - power) / ((1 - power) * slope)


def _of_product(a: Expr, b: Expr, x: Expr) -> Expr | None:
    for held, other in ((a, b), (b, a)):
        if x not in ex.free_symbols(held):
            inner = antiderivative(other, x)
            return None if inner is None else held * inner
    if {a.op, b.op} == {"sin", "cos"} and a.args == b.args:
        slope = _slope(a.args[0], x)
        if slope is not None:
            s = ex.sin(a.args[0])
            return HALF * s * s / slope
    if {a.op, b.op} & {"add", "sub"}:
        whole, other = (a, b) if a.op in ("add", "sub") else (b, a)
        left, right = (antiderivative(part * other, x) for part in whole.args)
        if left is not None and right is not None:
            return left + right if whole.op == "add" else left - right
    return None


def _of_function(e: Expr, x: Expr) -> Expr | None:
    """Functions of one argument that is linear in x, and powers."""
    if not e.args:
        return None
    slope = _slope(e.args[0], x)
    if slope is None:
        return None
    inner = e.args[0]
    if e.op == "sin":
        return -ex.cos(inner) / slope
    if e.op == "cos":
        return ex.sin(inner) / slope
    if e.op == "exp":
        return e / slope
    if e.op == "pow" and e.args[1].is_number and e.args[1].value != -1:
        raised = e.args[1] + 1
        return inner**raised / (raised * slope)
    if e.op == "sqrt":
        return ex.const(Fraction(2, 3)) * e * inner / slope
    return None


def _slope(e: Expr, x: Expr) -> Expr | None:
    """The coefficient of x when e is linear in it."""
    slope = ex.derivative(e, x)
    return None if slope is ZERO or x in ex.free_symbols(slope) else slope


def _is_polynomial(e: Expr, x: Expr) -> bool:
    for node in ex.topological([e]):
        if x not in ex.free_symbols(node) or node is x:
            continue
        integral = node.op == "pow" and type(node.args[1].data) is int and node.args[1].data > 0
        if node.op == "div" and x not in ex.free_symbols(node.args[1]):
            continue
        if node.op not in ("add", "sub", "neg", "mul") and not integral:
            return False
    return True


def _of_polynomial(e: Expr, x: Expr) -> Expr | None:
    total, factorial, slope = ZERO, 1, e
    for k in range(HIGHEST_DEGREE + 1):
        value = ex.substitute([slope], {x: 0})[0]
        total = total + value * x ** (k + 1) * ex.const(Fraction(1, factorial * (k + 1)))
        slope = ex.derivative(slope, x)
        if slope is ZERO:
            return total
        factorial *= k + 1
    return None
