"""The table of definitions: names for intermediate terms, opened one level at a time.

This is what the formalisms use for their vector and matrix levels: an equation is a short term in named symbols, and
the table says what each name stands for, in terms of earlier names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from dalembert.algebra.core.engine import as_term
from dalembert.algebra.core.operator import EXPR, SYMBOL
from dalembert.algebra.core.rebuild import substitute
from dalembert.algebra.core.sorts import AlgebraError
from dalembert.algebra.core.term import Facts, Term, TermLike, make, postorder
from dalembert.algebra.notation.writer import Style, latex, mathml, text


@dataclass(slots=True)
class Definitions:
    """An ordered table: symbol := term. A definition may use only symbols defined before it, so no cycle can arise.

    >>> table = Definitions()
    >>> m, g = scalar("m"), vector("g", constant=True)
    >>> P = table.define("P", m * g)
    >>> table.expand_once(cross(vector("r"), P))
    -m (g x r)
    """

    entries: dict[Term, Term] = field(default_factory=dict)
    _used: set[Term] = field(default_factory=set, repr=False)

    def define(self, symbol: str | Term, value: TermLike) -> Term:
        """Name a term; a name alone makes a symbol of the same sort, with the properties that the value has."""
        term = as_term(value)
        target = _symbol_like(symbol, term) if isinstance(symbol, str) else symbol
        if target.op not in (SYMBOL, EXPR) or target.args:
            raise AlgebraError(f"only a symbol can be defined, not '{target}'.")
        if target.sort != term.sort:
            raise AlgebraError(f"'{target}', a {target.sort}, cannot stand for '{term}', a {term.sort}.")
        if target in self.entries:
            raise AlgebraError(f"'{target}' is already defined as '{self.entries[target]}'. Choose another name.")
        leaves = {t for t in postorder([term]) if not t.args}
        if target in leaves or target in self._used:
            users = [str(n) for n, t in self.entries.items() if target in postorder([t])]
            raise AlgebraError(f"the definition of '{target}' would go in a circle (through {users or 'itself'}).")
        self._used |= leaves
        self.entries[target] = term
        return target

    def __getitem__(self, symbol: str | Term) -> Term:
        return self.entries[self.symbol(symbol)]

    def symbol(self, name: str | Term) -> Term:
        """The symbol of this name in the table."""
        if isinstance(name, Term):
            return name
        for known in self.entries:
            if str(known) == name:
                return known
        raise AlgebraError(
            f"no definition for '{name}'. Defined: {', '.join(str(k) for k in self.entries) or 'nothing'}."
        )

    def __contains__(self, symbol: object) -> bool:
        return symbol in self.entries or any(str(k) == symbol for k in self.entries)

    def __iter__(self) -> Iterator[Term]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def items(self) -> list[tuple[Term, Term]]:
        """Pairs (symbol, term) in the order of definition."""
        return list(self.entries.items())

    def used_by(self, term: TermLike) -> list[Term]:
        """The defined symbols that a term uses, directly or through other definitions, in the order of definition."""
        wanted = {s for s in postorder([as_term(term)]) if s in self.entries}
        for symbol in reversed(list(self.entries)):
            if symbol in wanted:
                wanted |= {s for s in postorder([self.entries[symbol]]) if s in self.entries}
        return [s for s in self.entries if s in wanted]

    def expand_once(self, term: TermLike) -> Term:
        """Replace each defined symbol by its definition, one level."""
        return substitute(term, self.entries)

    def expand_all(self, term: TermLike) -> Term:
        """Replace defined symbols until none is left."""
        resolved: dict[Term, Term] = {}
        for symbol in self.used_by(term):
            resolved[symbol] = substitute(self.entries[symbol], resolved)
        return substitute(term, resolved)

    def levels(self, term: TermLike) -> list[Term]:
        """The term, then opened once, twice, ... until no defined symbol is left."""
        seen = [as_term(term)]
        while any(s in self.entries for s in postorder([seen[-1]])):
            seen.append(self.expand_once(seen[-1]))
        return seen

    def text(self, style: Style = "vector") -> str:
        """One line `name := term` for each definition."""
        return "\n".join(f"{s} := {text(t, style=style)}" for s, t in self.entries.items())

    def latex(self, style: Style = "vector") -> str:
        """An aligned LaTeX list of the definitions."""
        rows = [f"{latex(s)} &= {latex(t, style=style)}" for s, t in self.entries.items()]
        return "\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}"

    def mathml(self, style: Style = "vector") -> list[tuple[str, str]]:
        """Pairs of MathML elements (name, term)."""
        return [(mathml(s), mathml(t, style=style)) for s, t in self.entries.items()]

    def __repr__(self) -> str:
        return self.text() or "Definitions()"

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"


def _symbol_like(name: str, term: Term) -> Term:
    """A fresh symbol that stands for a term: same sort, and the properties that can be derived for it."""
    from dalembert.algebra.core.facts import property_names

    if term.sort.is_scalar:
        from dalembert.algebra.core.scalars import scalar

        return scalar(name)
    kept = property_names(term) & {
        "symmetric",
        "antisymmetric",
        "orthogonal",
        "rotation",
        "unit",
        "constant",
        "invertible",
    }
    return make(SYMBOL, (), (), Facts(name, frozenset(kept)), term.sort)


def expand_once(term: TermLike, definitions: Definitions | Mapping[Term, Term]) -> Term:
    """Open the defined symbols of a term by one level."""
    if isinstance(definitions, Definitions):
        return definitions.expand_once(term)
    return substitute(term, definitions)
