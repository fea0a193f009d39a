"""Long equations in parts: intermediates that are mechanical quantities bear their names, the few others z1, z2...

What a formula is made of is recognised by its value in a finite field, so that a velocity is found however the
derivation wrote it, with either sign.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from dalembert import expr as ex
from dalembert.expr import Expr
from dalembert.presentation.axes import Quantity
from dalembert.presentation.terms import gathered

#: Signs up to which a formula is repeated instead of named, of a quantity and of what has no name in mechanics.
SHORTEST, SHORTEST_STRANGER = 12, 30
#: Signs of a quantity that is named although it occurs once, and of any other part: three rows of a page.
LONG, LONGEST = 40, 240


@dataclass(frozen=True, slots=True)
class Part:
    """An intermediate: its symbol, its formula, and what it is."""

    symbol: Expr
    value: Expr
    family: str
    meaning: str


@dataclass(frozen=True, slots=True)
class InParts:
    """Expressions written in intermediates, and these in an order in which each is defined before it is used."""

    parts: tuple[Part, ...]
    results: tuple[Expr, ...]


def in_parts(exprs: Sequence[Expr], known: Iterable[Quantity] = ()) -> InParts:
    """Names for what occurs twice or is long.

    >>> x, y = ex.symbols("elbow.th wrist.th")
    >>> long = ex.sin(x + y) ** 2 + ex.cos(x - y) ** 2 * x
    >>> found = in_parts([long * x, long * y])
    >>> [p.symbol for p in found.parts], found.results == (x * ex.symbol("z1"), y * ex.symbol("z1"))
    ([z1], True)
    """
    results = ex.reduce(exprs)
    order = ex.topological(results)
    taken = {e.name for e in order if e.op == "symbol"}
    names = _Names(known, taken)
    values = names.prints.of(order)
    uses = _uses(order)
    strangers = (name for name in (f"z{i}" for i in itertools.count(1)) if name not in taken)
    new: dict[Expr, Expr] = {}
    signs = _Signs()
    parts: list[Part] = []
    defined: set[str] = set()
    for e, print_ in zip(order, values, strict=True):
        if not e.args:
            new[e] = e
            continue
        written = ex.rebuild(e, tuple([new[a] for a in e.args]))
        size = signs.of(written)
        inner = _multiple_of(written)
        if uses[e] and written.args and size > SHORTEST and (inner is None or inner.args):
            found = names.found.get(print_)
            if found is not None and (uses[e] > 1 or size > LONG or found[1].name in defined):
                sign, quantity = found
                symbol = ex.symbol(quantity.name)
                if quantity.name not in defined:  # another formula of the same value is the same quantity
                    value = gathered(written if sign > 0 else -written)
                    parts.append(Part(symbol, value, quantity.family, quantity.meaning))
                    defined.add(quantity.name)
                written = symbol if sign > 0 else -symbol
            elif found is None and ((uses[e] > 1 and size > SHORTEST_STRANGER) or size > LONGEST):
                symbol = ex.symbol(next(strangers))
                parts.append(Part(symbol, gathered(written), symbol.name, ""))
                written = symbol
        new[e] = written
    return InParts(tuple(_together(parts)), tuple(new[e] for e in results))


class _Names:
    """Quantities by their fingerprints and those of their opposites; a name that the machine has gets a mark."""

    def __init__(self, known: Iterable[Quantity], taken: set[str]) -> None:
        self.prints = ex.Fingerprints()
        self.found: dict[int, tuple[int, Quantity]] = {}
        for q, value in self._values(list(known)):
            if value in self.found or not value:
                continue
            name = q.name
            while name in taken:
                name += "_"
            named = q if name == q.name else replace(q, name=name)
            self.found[value] = 1, named
            self.found.setdefault(self.prints.opposite(value), (-1, named))

    def _values(self, quantities: list[Quantity]) -> Iterator[tuple[Quantity, int]]:
        """Values of all quantities, those of products by the field itself."""
        flat = [x for q in quantities for x in _factors(q)]
        self.prints.of_written(flat)
        values = self.prints.values
        for q in quantities:
            if isinstance(q.value, Expr):
                yield q, values[q.value]
            else:
                pairs = zip(*q.value, strict=True)
                yield q, self.prints.total(values[a] * values[b] for a, b in pairs)


def _factors(q: Quantity) -> tuple[Expr, ...]:
    return (q.value,) if isinstance(q.value, Expr) else (*q.value[0], *q.value[1])


class _Signs:
    """How many signs formulas take."""

    def __init__(self) -> None:
        self.sizes: dict[Expr, int] = {}

    def of(self, e: Expr) -> int:
        sizes = self.sizes
        for x in [e] if all(a in sizes for a in e.args) else ex.topological([e], stop=sizes.keys()):
            if x not in sizes:
                sizes[x] = sum([sizes[a] for a in x.args]) + (1 if x.args else len(str(x.data)))
        return sizes[e]


def _uses(order: Sequence[Expr]) -> Counter[Expr]:
    """How often each node stands in a formula; who uses a multiple of something uses that."""
    uses = Counter(a for e in order for a in e.args)
    for e in reversed(order):
        inner = _multiple_of(e)
        if inner is not None and uses[e] > 1:
            uses[inner] += uses[e] - 1
    return uses


def _multiple_of(e: Expr) -> Expr | None:
    """What a node is times a number or a name: another name would say less."""
    if e.op == "neg":
        return e.args[0]
    if e.op == "mul":
        a, b = e.args
        return b if not a.args else a if not b.args else None
    return None


def _together(parts: Sequence[Part]) -> Iterator[Part]:
    """Definitions in their order, those of one family beside each other as far as they can be."""
    waiting = {p.symbol: p for p in parts}
    families: dict[str, list[Part]] = {}
    for p in parts:
        families.setdefault(p.family, []).append(p)
    needs = {p.symbol: ex.free_symbols(p.value) for p in parts}
    while waiting:
        told = False
        for p in families[next(iter(waiting.values())).family]:  # the first one waits for nothing
            if p.symbol in waiting and waiting.keys().isdisjoint(needs[p.symbol]):
                yield replace(p, meaning="" if told else p.meaning)
                told = True
                del waiting[p.symbol]
