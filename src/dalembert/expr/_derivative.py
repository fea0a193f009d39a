"""Derivatives by one sweep over the DAG: forward along the descendants of a variable, reverse from a result."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence

from dalembert.errors import ExpressionError
from dalembert.expr import _arithmetic as arithmetic
from dalembert.expr import _functions as fn
from dalembert.expr import _node as node
from dalembert.expr._collector import uncollected
from dalembert.expr._node import ONE, TIME, ZERO, Expr, Scalar, as_expr
from dalembert.expr._table import FUNCTIONS
from dalembert.expr._traverse import SERIAL, topological

Partials = Callable[[Expr], tuple[Expr, ...]]
_PAIRS = frozenset({"add", "sub", "mul"})


def _power(e: Expr) -> tuple[Expr, ...]:
    a, b = e.args
    outer = b * arithmetic.power(a, b - 1)
    return (outer, ZERO) if b.op == "const" else (outer, fn.log(a) * e)


def _unknown(e: Expr) -> tuple[Expr, ...]:
    name, orders = e.data
    return tuple(
        node.apply(name, e.args, tuple(order + (i == k) for i, order in enumerate(orders))) for k in range(len(e.args))
    )


#: Partial derivatives of each operation with respect to its operands; those of functions are in their table.
PARTIALS: dict[str, Partials] = {
    "add": lambda e: (ONE, ONE),
    "sub": lambda e: (ONE, node.MINUS_ONE),
    "neg": lambda e: (node.MINUS_ONE,),
    "mul": lambda e: (e.args[1], e.args[0]),
    "div": lambda e: (ONE / e.args[1], -(e / e.args[1])),
    "pow": _power,
    "lt": lambda e: (ZERO, ZERO),
    "le": lambda e: (ZERO, ZERO),
    "eq": lambda e: (ZERO, ZERO),
    "apply": _unknown,
}


def _partials(e: Expr) -> tuple[Expr, ...]:
    rule = PARTIALS.get(e.op) or FUNCTIONS[e.op].partials
    assert rule is not None
    return rule(e)


class _Sweep:
    """The nodes below some results, their partials made once, and who uses whom."""

    def __init__(self, exprs: Sequence[Expr]) -> None:
        self.order = topological(exprs)
        self.users: dict[Expr, list[Expr]] = {}
        self._partials: dict[Expr, tuple[Expr, ...]] = {}
        for e in self.order:
            for a in e.args:
                self.users.setdefault(a, []).append(e)

    def partials(self, e: Expr) -> tuple[Expr, ...]:
        known = self._partials.get(e)
        if known is None:
            known = self._partials[e] = _partials(e)
        return known

    def dependents(self, variables: Iterable[Expr], within: Container[Expr] | None = None) -> list[Expr]:
        """The nodes above the variables, operands first, the variables themselves left out."""
        seen: set[Expr] = set()
        stack = list(variables)
        while stack:
            for user in self.users.get(stack.pop(), ()):
                if user not in seen and (within is None or user in within):
                    seen.add(user)
                    stack.append(user)
        return sorted(seen, key=SERIAL)

    def forward(self, seeds: Mapping[Expr, Expr], within: Container[Expr] | None = None) -> dict[Expr, Expr]:
        """Tangent of every node (of those `within`) that moves when the seeds do."""
        tangent = dict(seeds)
        for e in self.dependents(seeds, within):
            if e in seeds:
                continue
            total = _tangent_of_common(e, tangent)
            if total is None:
                total = _chained(e.args, self.partials(e), tangent)
            if total is not ZERO:
                tangent[e] = total
        return tangent

    def reverse(self, seeds: Mapping[Expr, Expr]) -> dict[Expr, Expr]:
        """Adjoint of every node with respect to the seeded results."""
        adjoint = dict(seeds)
        for e in reversed(self.order):
            weight = adjoint.get(e)
            if weight is None or not e.args:
                continue
            for a, partial in zip(e.args, self.partials(e), strict=True):
                if partial is not ZERO and a.op != "const":
                    adjoint[a] = adjoint.get(a, ZERO) + weight * partial
        return adjoint


def _tangent_of_common(e: Expr, tangent: Mapping[Expr, Expr]) -> Expr | None:
    """Sums, signs and products without products by one: the common operations, done directly."""
    op = e.op
    if op == "neg":
        return arithmetic.neg(tangent.get(e.args[0], ZERO))
    if op not in _PAIRS:
        return None
    a, b = e.args
    first, second = tangent.get(a), tangent.get(b)
    if op == "mul":
        if first is None:
            return ZERO if second is None else arithmetic.mul(a, second)
        moved = arithmetic.mul(b, first)
        return moved if second is None else arithmetic.add(moved, arithmetic.mul(a, second))
    if second is None:
        return ZERO if first is None else first
    if op == "add":
        return second if first is None else arithmetic.add(first, second)
    return arithmetic.neg(second) if first is None else arithmetic.sub(first, second)


@uncollected()
def derivative(e: Expr, variable: Expr) -> Expr:
    """Partial derivative of one expression.

    >>> from dalembert import expr as ex
    >>> x = ex.symbol("x")
    >>> ex.derivative(x * ex.sin(x), x)
    x*cos(x) + sin(x)
    """
    _check_variables([variable])
    return _Sweep([e]).forward({variable: ONE}).get(e, ZERO)


@uncollected()
def gradient(e: Expr, variables: Sequence[Expr]) -> list[Expr]:
    """All partial derivatives of one expression by one reverse sweep."""
    _check_variables(variables)
    adjoint = _Sweep([e]).reverse({e: ONE})
    return [adjoint.get(x, ZERO) for x in variables]


@uncollected()
def jacobian(exprs: Sequence[Expr], variables: Sequence[Expr]) -> list[list[Expr]]:
    """Rows of partial derivatives; sweeps go from the shorter side."""
    _check_variables(variables)
    sweep = _Sweep(exprs)
    if len(variables) <= 2 * len(exprs):
        columns = [sweep.forward({x: ONE}) for x in variables]
        return [[column.get(e, ZERO) for column in columns] for e in exprs]
    rows = [sweep.reverse({e: ONE}) for e in exprs]
    return [[row.get(x, ZERO) for x in variables] for row in rows]


@uncollected()
def upper_jacobian(exprs: Sequence[Expr], variables: Sequence[Expr]) -> list[list[Expr]]:
    """Rows of partial derivatives from the diagonal on, for a square matrix whose lower half is its mirror image.

    >>> from dalembert import expr as ex
    >>> x, y = ex.symbols("x y")
    >>> upper_jacobian([x * x * y, x**3 / 3], [x, y])
    [[2*x*y, x**2], [0]]
    """
    _check_variables(variables)
    sweep, within, rows = _Sweep(exprs), set[Expr](), list[list[Expr]]([] for _ in exprs)
    for j, x in enumerate(variables):
        within.update(topological(exprs[j : j + 1], stop=within))  # what the rows down to the diagonal are made of
        column = sweep.forward({x: ONE}, within)
        for row, e in zip(rows[: j + 1], exprs, strict=False):
            row.append(column.get(e, ZERO))
    return rows


@uncollected()
def tangent(exprs: Sequence[Expr], direction: Mapping[Expr, Scalar]) -> list[Expr]:
    """Derivative of each expression along a direction: the product of the Jacobian and a vector."""
    sweep = _Sweep(exprs)
    # Of a machine's whole motion a formula sees a few names: a pass over all for each formula would be quadratic.
    seeds = {x: v for x in sweep.order if x in direction and (v := as_expr(direction[x])) is not ZERO}
    _check_variables(seeds)
    moved = sweep.forward(seeds)
    return [moved.get(e, ZERO) for e in exprs]


class Along:
    """Derivatives along one direction, for many expressions one after the other; what they share is derived once.

    >>> from dalembert import expr as ex
    >>> x, v = ex.symbols("x v")
    >>> rate = Along({x: v})
    >>> rate.of([x * x, ex.sin(x)]), rate.of([x * x * x])
    ([2*v*x, v*cos(x)], [3*v*x**2])
    """

    def __init__(self, direction: Mapping[Expr, Scalar]) -> None:
        _check_variables(direction)
        self._moved = {x: as_expr(v) for x, v in direction.items()}

    @uncollected()
    def of(self, exprs: Sequence[Expr]) -> list[Expr]:
        moved = self._moved
        for e in topological(exprs, stop=moved.keys()):
            if e in moved:
                continue
            rates = [moved[a] for a in e.args]
            if all(rate is ZERO for rate in rates):
                moved[e] = ZERO
                continue
            here = {a: rate for a, rate in zip(e.args, rates, strict=True) if rate is not ZERO}
            total = _tangent_of_common(e, here)
            moved[e] = _chained(e.args, _partials(e), here) if total is None else total
        return [moved[e] for e in exprs]


def _chained(args: Sequence[Expr], partials: Sequence[Expr], rates: Mapping[Expr, Expr]) -> Expr:
    """The rule of the chain: the sum over the operands that move."""
    total = ZERO
    for a, partial in zip(args, partials, strict=True):
        rate = rates.get(a)
        if rate is not None:
            total = total + partial * rate
    return total


def hessian_vector(e: Expr, variables: Sequence[Expr], vector: Sequence[Scalar]) -> list[Expr]:
    """The product of the Hessian and a vector, without forming the Hessian."""
    return tangent(gradient(e, variables), dict(zip(variables, vector, strict=True)))


def prime(x: Expr, order: int = 1) -> Expr:
    """The symbol of the time derivative: `x` gives `x'`."""
    return node.symbol(x.name + "'" * order)


def dot(e: Expr | Sequence[Expr], rates: Mapping[Expr, Scalar] | Iterable[Expr]) -> Expr | list[Expr]:
    """Total time derivative, explicit time included.

    `rates` maps each moving symbol to its rate; a plain list of symbols takes their primes.

    >>> from dalembert import expr as ex
    >>> x = ex.symbol("x")
    >>> ex.dot(x**2, [x])
    2*x*x'
    """
    if not isinstance(rates, Mapping):
        rates = {x: prime(x) for x in rates}
    moved = tangent([e] if isinstance(e, Expr) else e, {TIME: ONE, **rates})
    return moved[0] if isinstance(e, Expr) else moved


def _check_variables(variables: Iterable[Expr]) -> None:
    for x in variables:
        if not isinstance(x, Expr) or x.op in ("const", "pi"):
            raise ExpressionError(f"cannot differentiate with respect to {x!r}: it is not a variable.")


def taylor(e: Expr, variables: Sequence[Expr], point: Sequence[Scalar]) -> Expr:
    """First-order expansion about a point, in the variables' excursions from it."""
    from dalembert.expr._traverse import substitute

    at = dict(zip(variables, point, strict=True))
    slopes = substitute([e, *gradient(e, variables)], at)
    total = slopes[0]
    for x, x0, slope in zip(variables, point, slopes[1:], strict=True):
        total = total + slope * (x - as_expr(x0))
    return total
