"""From one level of detail to the next at one place: definitions written out where their names are used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from dalembert import algebra as al
from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import Expr
from dalembert.mechanism.names import did_you_mean
from dalembert.presentation.lines import Line, Statement, definition, equation, scalar_line
from dalembert.presentation.terms import gathered


def opened(statement: Statement, names: Sequence[str], further: Callable[[], Iterable[Line]] = tuple) -> Statement:
    """The statement with these definitions in place of their names, all of them if none is named.

    What the statement leaves open and `further` lines define is added with its line.
    """
    known = {_name(line): line for line in statement.formulas if line.meant is not None or line.scalars is not None}
    wanted, added = [_spelled(name, known) for name in names] or list(known), list[Line]()
    missing = [name for name in wanted if name not in known]
    if missing:
        table = {_name(line): line for line in further()}
        lists = {_name(line): line.text for line in statement.formulas if " := " in line.text}
        for name in (_spelled(x, table) for x in missing):
            if name not in table and name in lists:
                raise ModelError(f"'{name}' is a list of names, which stand as they are: {lists[name]}.")
            if name not in table:
                some = ", ".join([*known][:12]) or "none"
                hint = did_you_mean(name, [*known, *table]) or f" Defined here: {some}."
                raise ModelError(f"the {statement.level} level defines no '{name}' that could be opened.{hint}")
            added.append(table[name])
    chosen = {line.text: line for name, line in known.items() if name in set(wanted)}
    place = _Place(chosen.values(), statement.level)
    lines = tuple(place.line(line) for line in statement.lines)
    formulas = tuple(place.line(line) for line in statement.formulas if line.text not in chosen)
    texts = {line.text for line in formulas}
    return replace(statement, lines=lines, formulas=(*formulas, *(x for x in added if x.text not in texts)))


def _name(line: Line) -> str:
    return line.text.partition(" := ")[0]


def _spelled(name: str, known: Iterable[str]) -> str:
    """The known name that is meant: `Gamma_4` is `gamma(G4)`, the acceleration of a body being that of its centre."""
    names = list(known)
    if name in names:
        return name
    meant = [x for x in names if _plain(name) in (_plain(x), _plain(x.replace("(G", "(")))]
    return meant[0] if len(meant) == 1 else name


def _plain(name: str) -> str:
    """A name without what thesis and levels write differently: capitals, underscores and brackets."""
    return "".join(c for c in name.casefold() if c not in "_()")


class _Place:
    """Definitions that are written out, each in what it is made of itself."""

    def __init__(self, chosen: Iterable[Line], style: str) -> None:
        self.style = style
        self.scalars: dict[Expr, Expr] = {}
        self.terms: dict[al.Term, al.Term] = {}
        for line in chosen:
            if line.scalars is not None:
                left, right, _ = line.scalars
                self.scalars[left] = ex.substitute([right], self.scalars)[0]
            elif line.meant is not None:
                symbol, term, _ = line.meant
                self.terms[symbol] = term
        for _ in self.terms:  # definitions may stand in any order: as often as one may stand in another
            again = {symbol: al.substitute(term, self.terms) for symbol, term in self.terms.items()}
            if again == self.terms:
                break
            self.terms = again

    def line(self, line: Line) -> Line:
        """A line in which nothing changes stays itself."""
        if line.scalars is not None and self.scalars:
            left, right, writer = line.scalars
            found = ex.substitute([left, right], self.scalars)
            if found == [left, right]:
                return line
            sign = ":=" if " := " in line.text else "="
            first = left if sign == ":=" else gathered(found[0])
            return scalar_line(line.label, first, gathered(found[1]), writer, sign)
        if line.meant is not None and self.terms:
            symbol, term, style = line.meant
            after = al.substitute(term, self.terms)
            return line if after == term else definition(symbol, after, style, line.label)
        if line.sides is not None and self.terms:
            a, b = line.sides
            c, d = al.substitute(a, self.terms), al.substitute(b, self.terms)
            return line if (a, b) == (c, d) else equation(line.label, c, d, self.style)
        return line
