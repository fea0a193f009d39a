"""Formulas without what cancels: hidden zeros, values that occur twice, turns forth and back, in one linear sweep.

Each node is compared by its fingerprint with those before it, so that equal functions become one node however they were
written: cos^2 + sin^2 is 1, what was carried into another base and back is itself, and an entry that vanishes is 0. A
sum is further compared with the multiples of earlier nodes by its own symbols, and its terms are tried in another
order. A replacement never divides or takes a root where the formula did not: it holds wherever the formula held.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Sequence
from typing import TypeAlias

from dalembert.expr._arithmetic import add, mul, neg, sub
from dalembert.expr._collector import uncollected
from dalembert.expr._fingerprint import PRIME, Fingerprints, drawn, inverse, residue, written_number
from dalembert.expr._node import HALF, ONE, TWO, ZERO, Expr
from dalembert.expr._rounding import without_rounding
from dalembert.expr._table import rebuild
from dalembert.expr._traverse import operations_in, reached, topological

_TOTAL = frozenset({"add", "sub", "neg", "mul", "sin", "cos", "const", "symbol", "pi"})
#: Functions that have a value at every number.
_SAFE = frozenset("exp sinh cosh tanh atan atan2 abs sign min max lt le eq where".split())
_NOWHERE: frozenset[int] = frozenset()
_SUMS = frozenset({"add", "sub"})
_PAIRS = frozenset({"add", "sub", "mul"})
_HALF_PRIME = PRIME // 2
#: What a node became, its fingerprint, and the symbols that divide it: a bit for each.
_Found: TypeAlias = tuple[Expr, int, int]


def _number(e: Expr) -> tuple[int, _Found]:
    """The place of a number, and what stands there."""
    value = residue(e.data)
    return min(value, PRIME - value), (e, value, 0)


#: Numbers that stand in every table.
_NUMBERS = dict(map(_number, (ZERO, ONE, TWO, HALF)))


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
    least, found = operations_in(order), _Sweep().run(order, exprs)
    nodes: Collection[Expr] = order
    if found != [*exprs]:
        nodes = reached(found)
        if operations_in(nodes) > least:  # another order of the terms has kept what was not needed any more
            found = _Sweep(reorders=False).run(order, exprs)
            nodes = reached(found)
            if operations_in(nodes) > least:
                found, nodes = [*exprs], order
    return without_rounding(found, nodes)


class _Either:
    """What one of two collections contains."""

    def __init__(self, first: Container[Expr], second: Container[Expr]) -> None:
        self.first, self.second = first, second

    def __contains__(self, e: object) -> bool:
        return e in self.first or e in self.second


class _Sweep:
    """One pass over a graph, operands first: what each node becomes.

    A node and its opposite share one place in the table, that of the smaller of their values.
    """

    def __init__(self, reorders: bool = True) -> None:
        self.reorders = reorders
        self.prints = Fingerprints()
        self.found = {one[0]: one for one in _NUMBERS.values()}  # for every node seen, old and new
        self.made = dict(_NUMBERS)  # fingerprint, or that of the opposite -> the node that stands for it
        self.domains: dict[Expr, frozenset[int]] = {}  # divisions, roots... that a node needs; absent for none
        self.symbols: list[Expr] = []  # by their bits

    def run(self, order: Sequence[Expr], exprs: Sequence[Expr]) -> list[Expr]:
        found, made, domains, domain = self.found, self.made, self.domains, _NOWHERE
        prime, half = PRIME, _HALF_PRIME
        self._number([e for e in order if e.op == "symbol"])
        for e in order:
            op = e.op
            if op == "mul":
                a, b = e.args
                first, x, scale = found[a]
                second, y, other = found[b]
                value, scale = x * y % prime, scale | other
            elif op == "add":
                a, b = e.args
                first, x, scale = found[a]
                second, y, other = found[b]
                value, scale = (x + y) % prime, scale & other
            elif op == "sub":
                a, b = e.args
                first, x, scale = found[a]
                second, y, other = found[b]
                value, scale = (x - y) % prime, scale & other
            elif e in found:
                continue
            elif op == "const":
                self._constant(e)
                continue
            else:
                a = b = first = second = e  # whatever its operands became: see below
                value, scale = self._value_of(e), 0
            if domains or op not in _TOTAL:
                domain = self._domain(e)
            place = value if value < half else prime - value
            known = made.get(place)
            if known is not None and (not domains or domains.get(known[0], _NOWHERE) <= domain):
                found[e] = known if known[1] == value else (neg(known[0]), value, known[2])
                continue
            if first is a and second is b and op in _PAIRS:
                node = e
            else:
                node = self._again(e, first, second)
                op = node.op
                if op not in _PAIRS:
                    scale = self._scale(node)
            if op != "mul" and op in _SUMS:
                a, b = node.args
                if scale or a.op in _SUMS or b.op in _SUMS:
                    folded = self._folded(node, value, domain, scale)
                    if folded is not node:
                        node, scale = folded, self._scale(folded)
            made[place] = found[e] = known = (node, value, scale)
            if node is not e:
                found[node] = known
            if domain:
                domains[node] = domain
        return [found[e][0] for e in exprs]

    def _again(self, e: Expr, first: Expr, second: Expr) -> Expr:
        """A node on what its operands have become."""
        op = e.op
        if op == "mul":
            node = mul(first, second)
        elif op == "add":
            node = add(first, second)
        elif op == "sub":
            node = sub(first, second)
        else:
            below = tuple([self.found[a][0] for a in e.args])
            return e if below == e.args else rebuild(e, below)
        return _spelled(node) if node.op == "const" or node.args[0].op == "const" else node

    def _number(self, symbols: Sequence[Expr]) -> None:
        """Give every symbol its bit."""
        values = self.prints.values
        for i, e in enumerate(symbols):
            values[e] = value = drawn("symbol", e.data)
            self.made[min(value, PRIME - value)] = self.found[e] = (e, value, 1 << i)
        self.symbols += symbols

    def _constant(self, e: Expr) -> None:
        place, one = _number(written_number(e))
        self.found[one[0]], value = one, one[1]
        known = self.made.setdefault(place, one)
        self.found[e] = known if known[1] == value else (neg(known[0]), value, 0)

    def _value_of(self, e: Expr) -> int:
        """The fingerprint of a node that is neither sum nor product."""
        values = self.prints.values
        if e.op not in ("sin", "cos"):
            for a in e.args:
                values[a] = self.found[a][1]
        elif e.args[0] not in values:
            self.prints.of(e.args)
        return self.prints.value(e)

    def _domain(self, e: Expr) -> frozenset[int]:
        """The partial operations below a node, by the fingerprints of their operands."""
        domains, found = self.domains, _NOWHERE
        for a in e.args:
            below = domains.get(a)
            if below and below is not found:
                found = found | below if found else below
        if e.op not in _TOTAL and not _everywhere(e):
            found = found | {self.found[e.args[-1 if e.op == "div" else 0]][1]}
        if found:
            domains[e] = found
        return found

    def _known(self, value: int, domain: frozenset[int]) -> Expr | None:
        """A node with this value, or the opposite of one with the opposite value, that holds wherever this one does."""
        known = self.made.get(value if value < _HALF_PRIME else PRIME - value)
        if known is None or (self.domains and not self.domains.get(known[0], _NOWHERE) <= domain):
            return None
        return known[0] if known[1] == value else neg(known[0])

    def _folded(self, e: Expr, value: int, domain: frozenset[int], scale: int) -> Expr:
        """A sum as a multiple of a node that is there, or with two of its terms joined to one that is there."""
        while scale:
            bit = scale & -scale
            scale ^= bit
            factor = self.symbols[bit.bit_length() - 1]
            known = self._known(value * inverse(self.found[factor][1]) % PRIME, domain)
            if known is not None:
                return mul(factor, known)
        if not self.reorders:
            return e
        a, b = e.args
        made, found = self.made, self.found
        for total, minus in ((a, False), (b, e.op == "sub")):
            if total.op not in _SUMS:
                continue
            p, q = total.args
            for kept, less in ((p, minus), (q, minus ^ (total.op == "sub"))):
                one = found.get(kept)
                x = self._value(kept) if one is None else one[1]  # None: made by the identities of a node
                joined = (value + x if less else value - x) % PRIME
                if (joined if joined < _HALF_PRIME else PRIME - joined) in made:
                    known = self._known(joined, domain)
                    if known is not None:
                        return sub(known, kept) if less else add(known, kept)
        return e

    def _value(self, e: Expr) -> int:
        known = self.found.get(e)
        if known is not None:
            return known[1]
        values = self.prints.values
        for x in topological([e], stop=_Either(self.found, values)):  # what identities of a node have made
            if x not in values:
                one = self.found.get(x)
                values[x] = self.prints.value(x) if one is None else one[1]
        return values[e]

    def _scale(self, e: Expr) -> int:
        """Symbols that are factors of a product, or of both terms of a sum."""
        below = [self.found[a][2] if a in self.found else 0 for a in e.args]
        if e.op == "mul":
            return below[0] | below[1]
        if e.op in _SUMS:
            return below[0] & below[1]
        return below[0] if e.op in ("neg", "pow") else 0


def _spelled(e: Expr) -> Expr:
    """A node whose number has come out of a calculation just now, with the number as it is written."""
    if e.op == "const":
        return written_number(e)
    if e.args and e.args[0].op == "const":
        number = written_number(e.args[0])
        return e if number is e.args[0] else rebuild(e, (number, *e.args[1:]))
    return e


def _everywhere(e: Expr) -> bool:
    """Whether an operation is defined for all numbers."""
    if e.op == "pow":
        return type(e.args[1].data) is int and e.args[1].op == "const"
    if e.op == "sqrt":
        return e.args[0].op == "const" and e.args[0].data >= 0
    return e.op in _SAFE
