"""The compiled table as a file of a computer algebra system, in which each line uses earlier ones."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from dalembert import expr as ex
from dalembert.expr import Expr
from dalembert.expr.systems import Sheet, system
from dalembert.lsd.naming import terms as t
from dalembert.lsd.naming.entries import Entry
from dalembert.lsd.naming.table import NamingTable

#: `diff(x2[1](t),t)` and `x2[1](t)`, the thesis's spelling of rates and coordinates.
_RATE, _COORDINATE = re.compile(r"diff\((.*),t\)"), re.compile(r"(\w+)\[(\d+)\]\(t\)")


def export(table: NamingTable, to: str) -> str:
    """The text for "maple", "mathematica", "maxima" or "sympy": generic, declared, then deduced assignments.

    Coordinates are names (`x2_1`, their rates `x2_1_dot`), so that nothing is derived by time unless asked. Frames in
    which a loop closes are said twice: the second way is `closed_...`.
    """
    entries, closures = list[Entry](), list[Entry]()
    seen = set[str]()
    for entry in (*table.generic, *table.declared, *table.deduced):
        (closures if entry.name in seen else entries).append(entry)
        seen.add(entry.name)
    plain = _plain_symbols([x for one in (*entries, *closures) for x in _scalars(one.value)])
    named = [*(e.name for e in entries), *(f"closed_{e.name}" for e in closures)]
    exprs = [plain(x) for one in (*entries, *closures) for x in _scalars(one.value)]
    sheet = Sheet(system(to), exprs, named, linked=True)
    writer = _Terms(sheet, plain)
    bodies = ", ".join(f"S_{i} = {body.name}" for i, body in enumerate(table.indices.bodies[1:], 1))
    lines = sheet.head(f"{table.mechanism.name}, compiled table", [f"bodies: {bodies}"])
    for name, entry in zip(named, (*entries, *closures), strict=True):
        lines.append(sheet.system.assign(sheet.defined[name], writer.text(entry.value, _kind(entry.name))))
    return "\n".join(lines)


def _kind(name: str) -> str:
    """What a name denotes: V... a column, M... a matrix, MMassMax... one of six rows."""
    return "wide" if name.startswith("MMass") else {"V": "column", "M": "matrix"}.get(name[0], "scalar")


def _scalars(term: t.Term) -> Iterator[Expr]:
    """Every formula of a term, turns as the entries of their matrices."""
    yield from term.scalars
    for turn in term.turns:
        yield from (x for row in turn.matrix for x in row)
    for part in term.args:
        yield from _scalars(part)


def _plain_symbols(exprs: list[Expr]) -> Callable[[Expr], Expr]:
    """Coordinates of time as names: x2[1](t) is `x2_1`, and its rate is `x2_1'`."""
    names = {}
    for x in ex.free_symbols(exprs):
        rate = _RATE.fullmatch(x.name)
        inner = _COORDINATE.fullmatch(rate[1] if rate else x.name)
        if inner:
            names[x] = ex.symbol(f"{inner[1]}_{inner[2]}" + ("'" if rate else ""))
    return lambda e: ex.substitute([e], names)[0]


class _Terms:
    """Matrix terms in the syntax of a system; zero and identity have the shape of what they stand for."""

    def __init__(self, sheet: Sheet, plain: Callable[[Expr], Expr]) -> None:
        self.sheet, self.system, self.plain = sheet, sheet.system, plain

    def text(self, term: t.Term, kind: str) -> str:
        s, op, args = self.system, term.op, term.args
        if op == "zero":
            return self._zero(kind)
        if op == "identity":
            return s.identity(3)
        if op == "name":
            return self.sheet.defined.get(term.name, term.name)
        if op == "scalar":
            return self._scalar(term.scalars[0])
        if op == "vector":
            return s.column([self._scalar(x) for x in term.scalars])
        if op == "diagonal":
            a, b, c = (self._scalar(x) for x in term.scalars)
            return s.matrix([[a, "0", "0"], ["0", b, "0"], ["0", "0", c]])
        if op == "matrix":
            cells = [self._scalar(x) for x in term.scalars]
            return s.matrix([cells[k : k + 3] for k in (0, 3, 6)])
        if op == "turns":
            turns = [s.matrix([[self._scalar(x) for x in row] for row in turn.matrix]) for turn in term.turns]
            return s.product(turns)
        if op == "product":
            inner = [self._factor(a, "matrix" if a is not args[-1] else kind) for a in args]
            return s.product(inner)
        if op == "sum":
            return " + ".join(self.text(a, kind) for a in args)
        if op == "scale":
            return f"({self._scalar(term.scalars[0])})*{self._factor(args[0], kind)}"
        if op == "tilde":
            return s.tilde(self.text(args[0], "column"))
        if op == "transpose":
            return s.turned(self.text(args[0], "matrix"))
        cells = [self.text(a, "matrix") for a in args]
        return s.block([cells[:2], cells[2:]])

    def _factor(self, term: t.Term, kind: str) -> str:
        text = self.text(term, kind)
        return f"({text})" if term.op in ("sum", "scale", "product", "turns") else text

    def _scalar(self, e: Expr) -> str:
        return self.sheet.text(self.plain(e))

    def _zero(self, kind: str) -> str:
        rows = {"scalar": 0, "column": 0, "matrix": 3, "wide": 6}[kind]
        if rows:
            return self.system.matrix([["0"] * rows] * rows)
        return "0" if kind == "scalar" else self.system.column(["0"] * 3)
