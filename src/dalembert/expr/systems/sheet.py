"""One file for a computer algebra system: a title, the names, intermediates, then columns and matrices."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterable, Mapping, Sequence

from dalembert.expr._matrix import Matrix
from dalembert.expr._node import Expr
from dalembert.expr._text import ATOM, RELATIONS, SUM, Writer
from dalembert.expr._traverse import topological
from dalembert.expr.identifiers import Identifiers
from dalembert.expr.systems.system import System

#: Signs of a line; longer formulas are parted by intermediates.
_LONGEST = 160


class Sheet:
    """Formulas in the names that a system allows; `defined` are the names of what the sheet defines.

    Where it is `linked`, formulas use these names too and are written whole; else they share intermediates.
    """

    def __init__(self, system: System, exprs: Iterable[Expr], defined: Sequence[str], linked: bool = False) -> None:
        self.system, self.exprs, self.linked = system, list(exprs), linked
        make = Identifiers(system.reserved, foreign=system.foreign, joint=system.joint).make
        self.defined = {name: make(name) for name in defined}
        order = topological(self.exprs)
        used = {e.name for e in order if e.op in ("symbol", "apply")}
        self.unknown = {e.name for e in order if e.op == "apply"}
        known = self.defined if linked else {}
        self.names = {name: known.get(name) or make(name) for name in sorted(used)}
        self.writer = _Writer(system, self.names)
        inner = (make(f"z{k}") for k in itertools.count(1))
        longest = _LONGEST if not linked else sys.maxsize
        self.intermediates = self.writer.run(self.exprs, shared=not linked, longest=longest, names=inner)

    def text(self, e: Expr) -> str:
        """A formula that was given to the sheet."""
        return self.writer.written[e][0]

    def head(self, title: str, notes: Sequence[str] = ()) -> list[str]:
        """The title, what the names mean, symbols that must be made, and the intermediates."""
        s = self.system
        lines = [s.comment(_said(x)) for x in (title, *notes)]
        other = [(ours, told) for told, ours in self.names.items() if ours != told]
        lines += [s.comment(_said(f"{ours}: {told}")) for ours, told in other]
        lines += [*s.head, *([s.helper] if self.linked else [])]
        known = {*self.unknown, *(self.defined if self.linked else ())}
        lines += s.introduce([(ours, told) for told, ours in self.names.items() if told not in known])
        return lines + [s.assign(name, value) for name, value in self.intermediates]

    def column(self, exprs: Sequence[Expr]) -> str:
        return self.system.column([self.text(x) for x in exprs])

    def matrix(self, matrix: Matrix) -> str:
        return self.system.matrix([[self.text(x) for x in row] for row in matrix.rows()])


def worksheet(system: System, title: str, parts: Mapping[str, Matrix | Sequence[Expr]], notes: Sequence[str]) -> str:
    """Matrices and columns by name, with the intermediates that they share.

    >>> from dalembert import expr as ex
    >>> from dalembert.expr.systems import MAXIMA
    >>> x = ex.symbol("elbow.th")
    >>> print(worksheet(MAXIMA, "one column", {"forces": [ex.sin(x) / 2]}, []).splitlines()[-1])
    forces : matrix([1/2*sin(elbow_th)])$
    """
    exprs = [x for one in parts.values() for x in (one.entries if isinstance(one, Matrix) else one)]
    sheet = Sheet(system, exprs, list(parts))
    lines = sheet.head(title, notes)
    for name, one in parts.items():
        body = sheet.matrix(one) if isinstance(one, Matrix) else sheet.column(one)
        lines.append(system.assign(sheet.defined[name], body))
    return "\n".join(lines)


def _said(text: str) -> str:
    """Text that ends no comment."""
    return " ".join(text.replace("*/", "* /").replace("*)", "* )").split())


class _Writer(Writer):
    """Conditions are no numbers in these systems: each is written as what it is used for."""

    def __init__(self, system: System, names: Mapping[str, str]) -> None:
        super().__init__(system.dialect(lambda name: names.get(name, name)))
        self.system = system
        self.conditions: dict[Expr, str] = {}

    def write(self, e: Expr) -> tuple[str, int]:
        if e.op in RELATIONS:
            left, right = (self.bracket(a, SUM) for a in e.args)
            self.conditions[e] = self.system.relations[e.op].format(left, right)
            return self.system.indicator(self.conditions[e]), ATOM
        if e.op == "where":
            condition, yes, no = e.args
            asked = self.conditions.get(condition)
            if asked is None:
                asked = self.system.relations["ne"].format(self.written[condition][0], "0")
            return self.system.choose(asked, self.written[yes][0], self.written[no][0]), ATOM
        return super().write(e)
