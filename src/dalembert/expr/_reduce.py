"""Formulas without what cancels: hidden zeros, values that occur twice, turns forth and back, in one linear sweep.

Each node is compared by its fingerprint with those before it, so that equal functions become one node however they were
written: cos^2 + sin^2 is 1, what was carried into another base and back is itself, and an entry that vanishes is 0. A
sum is further compared with the multiples of earlier nodes by its own symbols, and its terms are tried in another
order. A replacement never divides or takes a root where the formula did not: it holds wherever the formula held.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from dalembert.expr._arithmetic import add, mul, neg, sub
from dalembert.expr._collector import uncollected
from dalembert.expr._fingerprint import PRIME, Fingerprints, residue
from dalembert.expr._node import HALF, MINUS_ONE, ONE, TWO, ZERO, Expr, Number, const
from dalembert.expr._rounding import without_rounding
from dalembert.expr._table import rebuild
from dalembert.expr._traverse import count_operations, topological

_TOTAL = frozenset({"add", "sub", "neg", "mul", "sin", "cos", "const", "symbol", "pi"})
#: Functions that have a value at every number.
_SAFE = frozenset("exp sinh cosh tanh atan atan2 abs sign min max lt le eq where".split())
_NOWHERE: frozenset[int] = frozenset()
_NO_SYMBOLS: frozenset[Expr] = frozenset()
#: Denominators of fractions that a long decimal may be. Two of them differ by more than 1e-10, so that none is met by
#: accident within the rounding of a double.
_SIMPLE = 100_000
#: Digits beyond which a decimal is the result of a calculation, and may be a third or a seventh.
_SPELLED = 9


@uncollected()
def reduce(exprs: Sequence[Expr]) -> list[Expr]:
    """The same functions, with everything in them that is equal written once and everything that vanishes gone.

    The result never takes more operations.

    >>> from dalembert import expr as ex
    >>> a, x, y, m = ex.symbols("a x y m")
    >>> forth = ex.cos(a) * x - ex.sin(a) * y, ex.sin(a) * x + ex.cos(a) * y
    >>> ex.reduce([m * forth[0] * ex.cos(a) + m * forth[1] * ex.sin(a), forth[0] ** 2 + forth[1] ** 2 - x**2 - y**2])
    [m*x, 0]
    """
    order = topological(exprs)
    found = _Sweep().run(order, exprs)
    least = count_operations(order)
    if count_operations(found) > least:  # another order of the terms has kept what was not needed any more
        found = _Sweep(reorders=False).run(order, exprs)
    return without_rounding(found if count_operations(found) <= least else exprs)


class _Sweep:
    """One pass over a graph, operands first: what each node becomes."""

    def __init__(self, reorders: bool = True) -> None:
        self.reorders = reorders
        self.prints = Fingerprints()
        self.made: dict[int, Expr] = {}  # fingerprint -> the node that stands for it
        self.domains: dict[Expr, frozenset[int]] = {}  # divisions, roots... that a node needs; absent for none
        self.scales: dict[Expr, frozenset[Expr]] = {}  # symbols that divide a node; absent for none
        for e in (ZERO, ONE, MINUS_ONE, TWO, HALF):
            self.made[self.prints.of([e])[0]] = e

    def run(self, order: Sequence[Expr], exprs: Sequence[Expr]) -> list[Expr]:
        values, made, domains, new = self.prints.values, self.made, self.domains, dict[Expr, Expr]()
        for e in order:
            op, args = e.op, e.args
            if op == "mul":
                value = values[args[0]] * values[args[1]] % PRIME
            elif op == "add":
                value = (values[args[0]] + values[args[1]]) % PRIME
            elif op == "sub":
                value = (values[args[0]] - values[args[1]]) % PRIME
            elif op == "const":
                written = _written(e)
                value = values[e] = residue(written.data)
                new[e] = made.setdefault(value, written)
                continue
            else:
                value = self.prints.value(e)
            values[e] = value
            domain = self._domain(e) if domains or op not in _TOTAL else _NOWHERE
            known = made.get(value)
            if known is None or (domains and not domains.get(known, _NOWHERE) <= domain):
                known = self._opposite(value, domain)
            if known is None:
                below = tuple([new[a] for a in args])
                known = e if below == args else rebuild(e, below)
                if known.op in ("add", "sub"):
                    known = self._folded(known, value, domain)
                values[known] = value
                made[value] = known
                if domain:
                    domains[known] = domain
                self._scale(known)
            new[e] = known
        return [new[e] for e in exprs]

    def _domain(self, e: Expr) -> frozenset[int]:
        """The partial operations below a node, by the fingerprints of their operands."""
        domains, found = self.domains, _NOWHERE
        for a in e.args:
            below = domains.get(a)
            if below and below is not found:
                found = found | below if found else below
        if e.op not in _TOTAL and not _everywhere(e):
            found = found | {self.prints.values[e.args[-1 if e.op == "div" else 0]]}
        if found:
            domains[e] = found
        return found

    def _opposite(self, value: int, domain: frozenset[int]) -> Expr | None:
        """The opposite of a node with the opposite value that holds wherever this one does."""
        found = self.made.get(PRIME - value)
        return neg(found) if found is not None and self.domains.get(found, _NOWHERE) <= domain else None

    def _known(self, value: int, domain: frozenset[int]) -> Expr | None:
        found = self.made.get(value)
        if found is not None and self.domains.get(found, _NOWHERE) <= domain:
            return found
        return self._opposite(value, domain)

    def _folded(self, e: Expr, value: int, domain: frozenset[int]) -> Expr:
        """A sum as a multiple of a node that is there, or with two of its terms joined to one that is there."""
        a, b = e.args
        common = self.scales.get(a, _NO_SYMBOLS) & self.scales.get(b, _NO_SYMBOLS)
        for scale in common:
            known = self._known(value * self.prints.inverse(self._value(scale)) % PRIME, domain)
            if known is not None:
                return mul(scale, known)
        if not self.reorders:
            return e
        sign = 1 if e.op == "add" else -1
        for sum_sign, total, other_sign, other in ((1, a, sign, b), (sign, b, 1, a)):
            if total.op == "add":
                second = sum_sign
            elif total.op == "sub":
                second = -sum_sign
            else:
                continue
            (p, q), apart = total.args, other_sign * self._value(other)
            for kept_sign, kept, moved_sign, moved in ((sum_sign, p, second, q), (second, q, sum_sign, p)):
                known = self._known((moved_sign * self._value(moved) + apart) % PRIME, domain)
                if known is not None:
                    return add(known, kept) if kept_sign > 0 else sub(known, kept)
        return e

    def _value(self, e: Expr) -> int:
        value = self.prints.values.get(e)
        return self.prints.of([e])[0] if value is None else value

    def _scale(self, e: Expr) -> None:
        """Symbols that are factors of a product, or of both terms of a sum."""
        op, scales = e.op, self.scales
        if op == "mul":
            a, b = scales.get(e.args[0]), scales.get(e.args[1])
            found = (a | b if b else a) if a else b
        elif op in ("add", "sub"):
            a, b = scales.get(e.args[0]), scales.get(e.args[1])
            found = a & b if a and b else None
        elif op == "symbol":
            found = frozenset((e,))
        else:
            found = scales.get(e.args[0]) if op in ("neg", "pow") else None
        if found:
            scales[e] = found


def _everywhere(e: Expr) -> bool:
    """Whether an operation is defined for all numbers."""
    if e.op == "pow":
        return type(e.args[1].data) is int and e.args[1].op == "const"
    return e.op in _SAFE


def _written(e: Expr) -> Expr:
    """A decimal as a fraction: halves, quarters and eighths, and thirds, sevenths... that a calculation has rounded.

    >>> from dalembert import expr as ex
    >>> [_written(ex.const(x)) for x in (0.5, 9.81, 1 / 6, 0.3, 1.7999999999999998)]
    [1/2, 9.81, 1/6, 0.3, 1.8]
    """
    value: Number = e.data
    if not isinstance(value, float):
        return e
    exact = Fraction(value)
    if exact.denominator in (2, 4, 8):
        return const(exact)
    short = float(f"{value:.{_SPELLED}g}")
    if short == value:
        return e
    if abs(short - value) <= 2 * math.ulp(value):
        return const(short)
    near = exact.limit_denominator(_SIMPLE)
    return const(near) if near and abs(float(near) - value) <= math.ulp(value) else e
