"""Long equations in parts: intermediates that are mechanical quantities bear their names, the few others z1, z2...

What a formula is made of is recognised by its value in a finite field, so that a velocity is found however the
derivation wrote it, with either sign.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from dalembert import expr as ex
from dalembert.expr import Expr
from dalembert.presentation.axes import Quantity
from dalembert.presentation.products import signed_terms
from dalembert.presentation.terms import Joined, gathered, rejoined

#: Signs up to which a formula is repeated instead of named: of a quantity, and of what has no name in mechanics, which
#: is read faster twice, in a row or two of a page, than looked up under a letter that says nothing.
SHORTEST, SHORTEST_STRANGER = 12, 60
#: Signs of a quantity that is named although it occurs once, and of any other part: three rows of a page.
LONG, LONGEST = 40, 240
#: Products that the formula of a part may have when it is written out, to look for sums of angles in it.
_FEW_TERMS = 60


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


def in_parts(exprs: Sequence[Expr], known: Iterable[Quantity] = (), told: Sequence[str] = ()) -> InParts:
    """Names for what occurs twice or is long; what mechanics has no name for is a part of something: see `told`.

    >>> x, y = ex.symbols("elbow.th wrist.th")
    >>> long = ex.sin(x + y) ** 2 + ex.cos(x - y) ** 2 * x + ex.sin(x) * y
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
    strange: set[Expr] = set()  # what is written with a stranger
    for e, print_ in zip(order, values, strict=True):
        if not e.args:
            new[e] = e
            continue
        written = ex.rebuild(e, tuple([new[a] for a in e.args]))
        size = signs.of(written)
        inner = _multiple_of(written)
        unclear = not strange.isdisjoint([new[a] for a in e.args])  # a name says more than strangers, however short
        if unclear:
            strange.add(written)
        if uses[e] and written.args and (size > SHORTEST or unclear) and (inner is None or inner.args):
            found = names.found.get(print_) or names.multiple(print_)
            if found is not None and (uses[e] > 1 or size > LONG or unclear or found[1].name in defined):
                factor, quantity = found
                symbol = ex.symbol(quantity.name)
                if quantity.name not in defined:  # another formula of the same value is the same quantity
                    value = gathered(written / factor)
                    parts.append(Part(symbol, value, quantity.family, quantity.meaning))
                    defined.add(quantity.name)
                written = factor * symbol
            elif found is None and ((uses[e] > 1 and size > SHORTEST_STRANGER) or size > LONGEST):
                symbol = ex.symbol(next(strangers))
                parts.append(Part(symbol, gathered(written), symbol.name, ""))
                written = symbol
                strange.add(symbol)
        new[e] = written
    return _with_few_strangers(parts, [new[e] for e in results], defined, told)


def _with_few_strangers(
    parts: Sequence[Part], results: Sequence[Expr], known_names: set[str], told: Sequence[str]
) -> InParts:
    """Strangers that stand in one place only are written there; the others are counted anew, z1, z2...

    Each is told by the first thing with a name that it is a part of; `told` are the names of the results.
    """
    pairs = dict(_pairs(parts, known_names))
    if pairs:
        parts = [replace(p, value=_apart_from(p, pairs)) for p in parts]
        results = [rejoined(e, pairs) for e in results]
    written = {p.symbol: p.value for p in parts}
    shown = [*written.values(), *results]
    times = Counter[Expr]()
    for e in shown:
        times += _occurrences(e)
    sizes, put = _Signs(), dict[Expr, Expr]()
    whole = {*results, *(-e for e in results)}  # a result that is nothing but a stranger is itself the place for it
    for p in parts:  # what it is made of comes first
        value = ex.substitute([p.value], put)[0] if put else p.value
        written[p.symbol] = value
        alone = p.symbol.name not in known_names and times[p.symbol] <= 1
        if alone and (p.symbol in whole or sizes.of(value) <= LONGEST):
            put[p.symbol] = value
    left = [p for p in parts if p.symbol not in put]
    results = ex.substitute(results, put)
    strangers = [p.symbol for p in left if p.symbol.name not in known_names]
    used = {e.name for e in ex.topological([*written.values(), *results]) if e.op == "symbol"} - {*map(_name, parts)}
    fresh = (name for name in (f"z{i}" for i in itertools.count(1)) if name not in used)
    names: dict[Expr, Expr] = {old: ex.symbol(next(fresh)) for old in strangers}
    final = [
        replace(p, symbol=names.get(p.symbol, p.symbol), value=_as_read(ex.substitute([written[p.symbol]], names)[0]),
                family=names[p.symbol].name if p.symbol in names else p.family)
        for p in left
    ]  # fmt: skip
    found = ex.substitute(results, names)
    return InParts(tuple(_together(_belonging(final, found, {*names.values()}, told))), tuple(found))


def _as_read(e: Expr) -> Expr:
    """Terms gathered; sums of angles are seen where a formula gets shorter by them."""
    value = gathered(e)
    if {"sin", "cos"} <= {x.op for x in ex.topological([value])}:
        found = ex.tidy(value, limit=_FEW_TERMS, for_reading=True)
        if ex.written_size(found) < ex.written_size(value):
            return gathered(found)
    return value


def _pairs(parts: Sequence[Part], known_names: set[str]) -> Iterator[tuple[frozenset[Expr], Joined]]:
    """Strangers whose sum or difference is a quantity with a name."""
    strangers = {p.symbol for p in parts if p.symbol.name not in known_names}
    for p in parts:
        if p.symbol not in strangers and p.value.op in ("add", "sub"):
            terms = signed_terms(p.value)
            if len(terms) == 2 and all(x in strangers for _, x in terms):
                yield frozenset(x for _, x in terms), (p.symbol, {x: sign for sign, x in terms})


def _apart_from(part: Part, pairs: Mapping[frozenset[Expr], Joined]) -> Expr:
    """The value of a part in the names of pairs, but for the one that it defines."""
    return part.value if any(part.symbol is total for total, _ in pairs.values()) else rejoined(part.value, pairs)


def _belonging(parts: Sequence[Part], results: Sequence[Expr], strangers: set[Expr], told: Sequence[str]) -> list[Part]:
    """Strangers with what they are a part of."""
    owner: dict[Expr, str] = {}
    for name, e in zip(told, results, strict=False):
        for x in ex.free_symbols(e) & strangers:
            owner.setdefault(x, name)
    for p in reversed(parts):  # users come after what they use
        whole = owner.get(p.symbol, "") if p.symbol in strangers else p.symbol.name
        for x in ex.free_symbols(p.value) & strangers:
            if p.symbol not in strangers or x not in owner:
                owner[x] = whole
    said = {x: f"part of {name}" for x, name in owner.items() if name}
    return [replace(p, meaning=said.get(p.symbol, p.meaning)) for p in parts]


def _name(part: Part) -> str:
    return part.symbol.name


def _occurrences(e: Expr) -> Counter[Expr]:
    """How often each name stands in a formula that is written out; twice is as good as more."""
    order = ex.topological([e])
    found = {e: 1}
    for x in reversed(order):
        count = found.get(x, 0)
        for a in x.args:
            found[a] = min(found.get(a, 0) + count, 2)
    return Counter({x: found[x] for x in order if x.op == "symbol"})


class _Names:
    """Quantities by their fingerprints and those of their opposites; a name that the machine has gets a mark."""

    def __init__(self, known: Iterable[Quantity], taken: set[str]) -> None:
        self.prints = ex.Fingerprints()
        self.found: dict[int, tuple[Fraction, Quantity]] = {}
        for q, value in self._values(list(known)):
            if value in self.found or not value:
                continue
            name = q.name
            while name in taken:  # by the machine, or by another quantity
                name += "_"
            taken.add(name)
            named = q if name == q.name else replace(q, name=name)
            self.found[value] = Fraction(1), named
            self.found.setdefault(self.prints.opposite(value), (Fraction(-1), named))

    def multiple(self, value: int) -> tuple[Fraction, Quantity] | None:
        """What a value is half or twice of: products of the parts of a quaternion are half direction cosines."""
        for factor, other in ((Fraction(1, 2), 2 * value), (Fraction(2), self.prints.half(value))):
            found = self.found.get(self.prints.total((other,)))
            if found is not None:
                return factor * found[0], found[1]
        return None

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
