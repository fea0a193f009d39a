"""The reasoning behind a result, line by line, as a person would write it: plain text, or LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import sympy as sp
from sympy.printing.latex import LatexPrinter


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
