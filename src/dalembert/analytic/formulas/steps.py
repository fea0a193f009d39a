"""The reasoning behind a result, line by line, as a person would write it: plain text, or LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from html import escape, unescape
from typing import Any

import sympy as sp
from sympy.printing.latex import LatexPrinter
from sympy.printing.mathml import MathMLPresentationPrinter


class _Printer(LatexPrinter):  # type: ignore[misc]
    """SymPy's LaTeX with dots for the primes of our velocities."""

    def _print_Symbol(self, symbol: sp.Symbol, style: str = "plain") -> str:
        match = re.fullmatch(r"(.*?)('*)", symbol.name)
        base, primes = (match.group(1), len(match.group(2))) if match else (symbol.name, 0)
        text = super()._print_Symbol(sp.Symbol(base)) if base else ""
        marks = ("", r"\dot", r"\ddot", r"\dddot", r"\ddddot")
        return f"{marks[primes]}{{{text}}}" if primes else str(text)


def latex(expression: Any) -> str:
    """LaTeX of an expression, of several, or of any result of this package; x' is written as a dotted x.

    >>> latex(sp.Symbol("x'")**2)
    '\\\\dot{x}^{2}'
    """
    if isinstance(expression, str):
        return rf"\text{{{_escaped(expression)}}}"
    if _is_formula(expression):
        return str(_Printer({"mat_delim": "("}).doprint(expression))
    if isinstance(expression, (list, tuple, set, frozenset)) and all(map(_is_plain, expression)):
        return r",\; ".join(latex(e) for e in expression)
    return lines_of(expression).latex


class _MathML(MathMLPresentationPrinter):  # type: ignore[misc]
    """SymPy's presentation MathML with dots for the primes of our velocities."""

    def _print_Symbol(self, symbol: sp.Symbol, style: str = "plain") -> Any:
        base = symbol.name.rstrip("'")
        primes = len(symbol.name) - len(base)
        plain = super()._print_Symbol(sp.Symbol(base))
        if not primes:
            return plain
        over, dots = self.dom.createElement("mover"), self.dom.createElement("mo")
        dots.appendChild(self.dom.createTextNode("\u02d9" * primes))
        over.appendChild(plain)
        over.appendChild(dots)
        return over


def mathml(expression: Any) -> str:
    """Presentation MathML of an expression, of several, or of any result; x' is written as a dotted x.

    >>> mathml(sp.Symbol("x'"))
    '<mover><mi>x</mi><mo>&#729;</mo></mover>'
    """
    if isinstance(expression, str):
        return f"<mtext>{escape(expression)}</mtext>"
    if isinstance(expression, (list, tuple, set, frozenset)) and all(map(_is_plain, expression)):
        return "<mrow>" + "<mo>,</mo>".join(mathml(e) for e in expression) + "</mrow>"
    if not _is_formula(expression):
        return lines_of(expression).mathml
    if isinstance(expression, (bool, sp.logic.boolalg.BooleanAtom)) or hasattr(expression, "dtype"):
        return f"<mtext>{escape(str(expression))}</mtext>"
    if isinstance(expression, sp.Ne):
        return f"<mrow>{mathml(expression.lhs)}<mo>&#8800;</mo>{mathml(expression.rhs)}</mrow>"
    if not isinstance(expression, (sp.Basic, sp.MatrixBase)):
        return f"<mn>{expression}</mn>"
    return re.sub(r"&(?!amp;|lt;|gt;)\w+;", lambda m: unescape(m.group()), str(_MathML().doprint(expression)))


_SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}


def _escaped(text: str) -> str:
    """Words for TeX: what it would read as commands is written out."""
    return "".join(_SPECIAL.get(c, rf"\{c}" if c in "_%#&${}" else c) for c in text)


def _is_formula(value: Any) -> bool:
    return isinstance(value, (sp.Basic, sp.MatrixBase, bool, int, float, complex)) or hasattr(value, "dtype")


def _is_plain(value: Any) -> bool:
    return isinstance(value, str) or _is_formula(value)


def lines_of(result: Any) -> Steps:
    """Any result as lines `name = value`: the steps of a derivation, the entries of a table, the fields of a record."""
    if isinstance(result, Steps):
        return result
    if isinstance(result, Step):
        return Steps((result,))
    if isinstance(found := getattr(result, "steps", None), Steps) and found.lines:
        return found
    if isinstance(result, Mapping):
        return _table((" ".join(map(str, k)) if isinstance(k, tuple) else str(k), v) for k, v in result.items())
    if isinstance(result, (list, tuple, set, frozenset)):
        return Steps(tuple(line for one in result for line in lines_of(one)))
    if _is_plain(result) or result is None:
        return Steps((Step("", result),))
    if isinstance(stated := getattr(result, "stated", None), Mapping):
        return _table(stated.items())
    if is_dataclass(result):
        rows = ((f.name, getattr(result, f.name)) for f in fields(result) if not f.name.startswith("_") and f.repr)
        return _table(rows)
    return Steps(tuple(Step(line) for line in str(result).split("\n")))


def _table(rows: Iterable[tuple[str, Any]]) -> Steps:
    """A line for each entry; what holds several lines itself follows under its name."""
    lines: list[Step] = []
    for name, value in rows:
        if value is None or callable(value) or (isinstance(value, (tuple, dict, list)) and not value):
            continue
        if _is_plain(value) or (isinstance(value, (list, tuple)) and all(map(_is_plain, value))):
            lines.append(Step("", name, value))
        else:
            lines += [Step(name), *lines_of(value)]
    return Steps(tuple(lines))


@dataclass(frozen=True, slots=True)
class Step:
    """One line: what is done, and the formula that comes of it."""

    words: str
    left: Any = None
    right: Any = None

    def __str__(self) -> str:
        if self.left is None:
            return self.words
        formula = f"{self.left}" if self.right is None else f"{self.left} = {self.right}"
        return f"{self.words}: {formula}" if self.words else formula

    @property
    def latex(self) -> str:
        if self.left is None:
            return rf"\text{{{_escaped(self.words)}}}"
        left = self.left if isinstance(self.left, str) and "\\" in self.left else _latex_name(self.left)
        formula = left if self.right is None else f"{left} = {latex(self.right)}"
        return rf"\text{{{_escaped(self.words)}: }} {formula}" if self.words else formula

    @property
    def mathml(self) -> str:
        """The line as a row of MathML."""
        parts = [f"<mtext>{escape(self.words)}{':' if self.left is not None else ''} </mtext>"] if self.words else []
        if self.left is not None:
            parts.append(mathml(self.left))
        if self.right is not None:
            parts += ["<mo>=</mo>", mathml(self.right)]
        return f"<mrow>{''.join(parts)}</mrow>"


def _latex_name(left: Any) -> str:
    if isinstance(left, str):
        simple = re.fullmatch(r"[A-Za-z]\w*'*", left)
        return latex(sp.Symbol(left)) if simple else rf"\text{{{_escaped(left)}}}"
    return latex(left)


@dataclass(frozen=True, slots=True)
class Steps:
    """The lines of an argument, in order."""

    lines: tuple[Step, ...] = ()

    def __iter__(self) -> Iterator[Step]:
        return iter(self.lines)

    def __len__(self) -> int:
        return len(self.lines)

    def __add__(self, other: Steps | Iterable[Step]) -> Steps:
        return Steps((*self.lines, *other))

    @property
    def text(self) -> str:
        return "\n".join(f"{i}. {line}" for i, line in enumerate(self.lines, 1))

    @property
    def latex(self) -> str:
        body = " \\\\\n".join("& " + line.latex for line in self.lines)
        return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"

    @property
    def mathml(self) -> str:
        """The lines as one MathML table, for a page without scripts."""
        rows = "".join(f"<mtr><mtd columnalign='left'>{line.mathml}</mtd></mtr>" for line in self.lines)
        return f"<math xmlns='http://www.w3.org/1998/Math/MathML' display='block'><mtable>{rows}</mtable></math>"

    def __str__(self) -> str:
        return self.text

    def _repr_latex_(self) -> str:
        return f"$${self.latex}$$"


class Listing(list[Any]):
    """Several results, told one to a line."""

    def __str__(self) -> str:
        return "\n".join(map(str, self)) if self else "none"

    __repr__ = __str__


class Notebook:
    """Collects steps while a result is being worked out."""

    def __init__(self) -> None:
        self.lines: list[Step] = []

    def note(self, words: str, left: Any = None, right: Any = None) -> None:
        self.lines.append(Step(words, left, right))

    def close(self) -> Steps:
        return Steps(tuple(self.lines))
