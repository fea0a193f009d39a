"""The reasoning behind a result, line by line, as a person would write it: plain text, or LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
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
    """LaTeX of an expression, with x' written as a dotted x.

    >>> latex(sp.Symbol("x'")**2)
    '\\\\dot{x}^{2}'
    """
    if isinstance(expression, str):
        return rf"\text{{{expression}}}"
    if isinstance(expression, (list, tuple)):
        return r",\; ".join(latex(e) for e in expression)
    return str(_Printer({"mat_delim": "("}).doprint(expression))


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
    """Presentation MathML of an expression or of a list of them, with x' written as a dotted x.

    >>> mathml(sp.Symbol("x'"))
    '<mover><mi>x</mi><mo>&#729;</mo></mover>'
    """
    if isinstance(expression, str):
        return f"<mtext>{escape(expression)}</mtext>"
    if isinstance(expression, (list, tuple)):
        return "<mrow>" + "<mo>,</mo>".join(mathml(e) for e in expression) + "</mrow>"
    return re.sub(r"&(?!amp;|lt;|gt;)\w+;", lambda m: unescape(m.group()), str(_MathML().doprint(expression)))


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
            return rf"\text{{{self.words}}}"
        left = self.left if isinstance(self.left, str) and "\\" in self.left else _latex_name(self.left)
        formula = left if self.right is None else f"{left} = {latex(self.right)}"
        return rf"\text{{{self.words}: }} {formula}" if self.words else formula

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
        return latex(sp.Symbol(left)) if simple else rf"\mathrm{{{left}}}"
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


class Notebook:
    """Collects steps while a result is being worked out."""

    def __init__(self) -> None:
        self.lines: list[Step] = []

    def note(self, words: str, left: Any = None, right: Any = None) -> None:
        self.lines.append(Step(words, left, right))

    def close(self) -> Steps:
        return Steps(tuple(self.lines))
