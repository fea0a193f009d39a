"""Equations on paper: lines with a label, and the formulas that say what each name stands for."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Literal

from dalembert import algebra as al
from dalembert import expr as ex
from dalembert.presentation.mathml import mathml_of, mathml_parts

Level = Literal["vector", "matrix", "scalar"]
LEVELS: tuple[Level, ...] = ("vector", "matrix", "scalar")
_SIGNS = frozenset({"+", "-", "x", ".", "=", ":=", "(x)"})


@dataclass(frozen=True, slots=True)
class Line:
    """One equation or definition in three notations; `sides` are its algebra, where it has one."""

    label: str
    text: str
    latex: str
    sides: tuple[al.Term, al.Term] | None = None

    @property
    def residual(self) -> al.Term | None:
        """left - right."""
        return None if self.sides is None else self.sides[0] - self.sides[1]

    @property
    def mathml(self) -> str:
        """The inside of a <math> element."""
        return mathml_of(self.latex)

    @property
    def mathml_parts(self) -> list[str]:
        """The same in pieces, between which a line may be broken."""
        return mathml_parts(self.latex)


def written(term: al.Term, style: str = "vector") -> tuple[str, str]:
    """Text (with `*` for products) and LaTeX."""
    text = _starred(al.text(term, style=style)).replace("vstar(", "v*(")  # type: ignore[arg-type]
    text = re.sub(r"\b(\w+)star\b", r"\1*", text)
    text = re.sub(r"\b(\w+)star_", r"\1*_", text)
    text = re.sub(r"\b([nmd])dot(\d+)(?:_own)?", r"\1'\2", text)
    return text, _NAME.sub(_typeset, al.latex(term, style=style))  # type: ignore[arg-type]


#: A name with a number, a mark and the base of its components: r3_1, ndot4, sigmastar_3.
_NAME = re.compile(r"\\boldsymbol\{\\?([A-Za-z]+?)(dot|star)?(\d*)\}(?:_\{(?:own,\\,\s*)?([^{}]*)\})?")
_GREEK = frozenset("alpha epsilon gamma omega rho sigma tau theta Gamma Phi Psi Xi".split())


def _typeset(found: re.Match[str]) -> str:
    r"""\boldsymbol{r3}_{1}, the column of r_3 in the base of body 1, as \boldsymbol{r}_{3}^{(1)}."""
    letters, mark, number, index = found.groups()
    if letters == "boldsymbol":
        return found[0]
    bold = f"\\boldsymbol{{{chr(92) if letters in _GREEK else ''}{letters}}}"
    if mark == "dot":
        bold = f"\\dot{{{bold}}}"
    if mark == "star":
        bold += "^{*}"
    if number:
        return f"{bold}_{{{number}}}" + (f"^{{({index})}}" if index else "")
    return bold + (f"_{{{index}}}" if index else "")


def _starred(text: str) -> str:
    """Products are written with spaces: put a `*` where two factors meet."""
    words = text.split(" ")
    found = words[0]
    for before, word in itertools.pairwise(words):
        apart = before in _SIGNS or word in _SIGNS or before.endswith((",", ";"))
        found += (" " if apart else "*") + word
    return found


def equation(label: str, left: al.Term, right: al.Term, style: str = "vector") -> Line:
    """left = right."""
    a, b = written(left, style), written(right, style)
    return Line(label, f"{a[0]} = {b[0]}", f"{a[1]} = {b[1]}", (left, right))


def definition(symbol: al.Term, term: al.Term, style: str = "vector", label: str = "") -> Line:
    """symbol := term."""
    a, b = written(symbol, style), written(term, style)
    return Line(label, f"{a[0]} := {b[0]}", f"{a[1]} := {b[1]}")


def plain(label: str, text: str, latex: str) -> Line:
    """A line written by hand, for operators that the algebra does not know."""
    return Line(label, text, latex)


def scalar_line(label: str, left: str, right: str, sign: str = "=") -> Line:
    """An equation between two formulas of our grammar; LaTeX and MathML are set from the same text."""
    a, b = ex.parse(left), ex.parse(right)
    return Line(label, f"{left} {sign} {right}", f"{ex.latex(a)} {sign} {ex.latex(b)}")


@dataclass(frozen=True, slots=True)
class Statement:
    """Equations of one formalism at one level, with the formulas used: text, LaTeX, MathML, HTML, JSON."""

    formalism: str
    level: str
    title: str
    lines: tuple[Line, ...]
    formulas: tuple[Line, ...]

    def __iter__(self) -> Iterator[Line]:
        return iter(self.lines)

    def __len__(self) -> int:
        return len(self.lines)

    def __str__(self) -> str:
        parts = [self.title, *_listed(self.lines)]
        if self.formulas:
            parts += ["where", *_listed(self.formulas)]
        return "\n".join(parts)

    def latex(self) -> str:
        """An `align*` environment of the equations, and one of the formulas."""
        parts = [_aligned(self.lines)]
        if self.formulas:
            parts.append(_aligned(self.formulas))
        return "\n\\text{where}\n".join(parts)

    def mathml(self) -> list[str]:
        """One <math> element for each line, equations first."""
        head = '<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">'
        return [f"{head}{line.mathml}</math>" for line in (*self.lines, *self.formulas)]

    def html(self) -> str:
        """A section with every line as MathML."""
        rows = self.mathml()
        count = len(self.lines)
        body = [f"<section><h3>{escape(self.title)}</h3>", _table(self.lines, rows[:count])]
        if self.formulas:
            body += ["<h4>where</h4>", _table(self.formulas, rows[count:])]
        return "\n".join([*body, "</section>"])

    def as_dict(self) -> dict[str, Any]:
        def plain_lines(lines: Sequence[Line]) -> list[dict[str, str]]:
            return [{"label": x.label, "text": x.text, "latex": x.latex} for x in lines]

        return {
            "formalism": self.formalism,
            "level": self.level,
            "title": self.title,
            "equations": plain_lines(self.lines),
            "formulas": plain_lines(self.formulas),
        }

    def _repr_latex_(self) -> str:
        return f"$$\\begin{{aligned}}{_rows(self.lines)}\\end{{aligned}}$$"

    def _repr_html_(self) -> str:
        return self.html()


def _listed(lines: Sequence[Line]) -> list[str]:
    return [f"  {x.text}" + (f"    [{x.label}]" if x.label else "") for x in lines]


def _rows(lines: Sequence[Line]) -> str:
    def row(line: Line) -> str:
        aligned = re.sub(r" (:=|=) ", r" &\1 ", line.latex, count=1)
        return aligned + (f" && \\text{{{escaped(line.label)}}}" if line.label else "")

    return " \\\\\n".join(row(x) for x in lines)


def escaped(text: str) -> str:
    """Plain text inside LaTeX."""
    return (
        re.sub(r"[_&#%${}]", lambda m: f"\\{m[0]}", text.replace("\\", "")).replace("^", "\\^{}").replace("~", "\\~{}")
    )


def _aligned(lines: Sequence[Line]) -> str:
    return f"\\begin{{align*}}\n{_rows(lines)}\n\\end{{align*}}"


def _table(lines: Sequence[Line], rows: Sequence[str]) -> str:
    cells = [f"<tr><td>{math}</td><td>{escape(x.label)}</td></tr>" for x, math in zip(lines, rows, strict=True)]
    return "<table>" + "".join(cells) + "</table>"
