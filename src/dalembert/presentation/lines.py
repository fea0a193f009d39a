"""Equations on paper: lines with a label, and the formulas that say what each name stands for."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Literal

from dalembert import algebra as al
from dalembert.expr import Expr
from dalembert.presentation.breaking import PAGE, broken, head_of, latex_rows
from dalembert.presentation.formula import Token, Writer, text_of
from dalembert.presentation.mathml import mathml_of
from dalembert.presentation.notation import PLAIN, Notation
from dalembert.presentation.tokens import sides_of

Level = Literal["vector", "matrix", "scalar"]
LEVELS: tuple[Level, ...] = ("vector", "matrix", "scalar")
#: Width in em of a piece of a formula within brackets, where a page may break it.
_WIDEST = 20.0
_SIGNS = frozenset({"+", "-", "x", ".", "=", ":=", "(x)"})


@dataclass(frozen=True, slots=True)
class Line:
    """One equation or definition in three notations; `sides` are its algebra, where it has one."""

    label: str
    text: str
    latex: str
    sides: tuple[al.Term, al.Term] | None = None
    parts: tuple[Sequence[Token], str, Sequence[Token]] | None = None  # of scalar lines: left, sign, right
    meant: tuple[al.Term, al.Term, str] | None = None  # of a definition: symbol, term, style
    scalars: tuple[Expr, Expr, Writer] | None = None  # of scalar lines: left, right, and who wrote them

    @property
    def residual(self) -> al.Term | None:
        """left - right."""
        return None if self.sides is None else self.sides[0] - self.sides[1]

    @property
    def mathml(self) -> str:
        """The inside of a <math> element."""
        return mathml_of(self.latex) if self.parts is None else f"<mrow>{''.join(self.mathml_parts)}</mrow>"

    @property
    def mathml_parts(self) -> list[str]:
        """The same in pieces, between which a line may be broken."""
        left, sign, right = self.parts or sides_of(self.latex)
        terms: list[list[Token]] = [[]]
        equal = [Token(sign, sign, f'<mo form="infix">{sign}</mo>', 1.6, 0)] if sign else []
        for token in (*left, *equal, *right):
            if token.penalty == 0:
                terms.append([])
            terms[-1].append(token)
        pieces = [piece for term in terms for piece in broken(term, _WIDEST)]
        return ["".join(token.mathml for token in piece) for piece in pieces if piece]

    def latex_rows(self, width: float, head: float) -> list[str]:
        """Rows of an `align` environment with signs at `head`, no wider than `width`, in em, where it can be broken."""
        left, sign, right = self.parts or sides_of(self.latex)
        return latex_rows(left, sign, right, width, head)

    @property
    def in_words(self) -> bool:
        """Is it a sentence, and no formula?"""
        return self.latex.startswith("\\text{") and self.latex.endswith("}") and self.latex.count("\\text{") == 1


def _in_rows(lines: Sequence[Line], width: float) -> list[list[str]]:
    """The rows of every line of one `align` environment."""
    sides = [line.parts or sides_of(line.latex) for line in lines if not line.in_words]
    head = max((head_of(left) for left, sign, _ in sides if sign), default=0.0)
    return [line.latex_rows(width, head) for line in lines]


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
    return Line(label, f"{a[0]} := {b[0]}", f"{a[1]} := {b[1]}", meant=(symbol, term, style))


def plain(label: str, text: str, latex: str) -> Line:
    """A line written by hand, for operators that the algebra does not know."""
    return Line(label, text, latex)


def scalar_line(label: str, left: Expr, right: Expr, writer: Writer, sign: str = "=") -> Line:
    """An equation between two formulas, set alike in text, LaTeX and MathML."""
    a, b = writer.formula(left), writer.formula(right)
    latex = "".join(t.latex for t in (*a, Token("", f" {sign} ", "", 0.0), *b))
    text = f"{text_of(a)} {sign} {text_of(b)}"
    return Line(label, text, latex, parts=(a, sign, b), scalars=(left, right, writer))


@dataclass(frozen=True, slots=True)
class Statement:
    """Equations of one formalism at one level, with the formulas used: text, LaTeX, MathML, HTML, JSON."""

    formalism: str
    level: str
    title: str
    lines: tuple[Line, ...]
    formulas: tuple[Line, ...]
    notation: Notation = PLAIN

    def __iter__(self) -> Iterator[Line]:
        return iter(self.lines)

    def __len__(self) -> int:
        return len(self.lines)

    def open(self, *names: str) -> Statement:
        """The same statement with some definitions written out where they are used; with all of them if none is named.

        A name is what stands before `:=`.
        """
        from dalembert.presentation.opening import opened

        return opened(self, names)

    def __str__(self) -> str:
        if self.formulas and self.notation.definitions == "first":
            return "\n".join([self.title, "with", *_listed(self.formulas), "there is", *_listed(self.lines)])
        parts = [self.title, *_listed(self.lines)]
        if self.formulas:
            parts += ["where", *_listed(self.formulas)]
        return "\n".join(parts)

    def latex(self, width: float = PAGE) -> str:
        """An `align*` environment of the equations, and one of the formulas; rows are no wider than `width`, in em.

        `presentation.COLUMN` is the width of a column of 9 cm, and needs LaTeX's `amsmath` only.
        """
        parts = [aligned(self.lines, width)]
        if self.formulas:
            parts.append(aligned(self.formulas, width))
            if self.notation.definitions == "first":
                parts.reverse()
        between = "and" if self.notation.definitions == "first" else "where"
        return f"\n\n\\noindent {between}\\par\n".join(parts)

    def mathml(self) -> list[str]:
        """One <math> element for each line, equations first."""
        head = '<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">'
        return [f"{head}{line.mathml}</math>" for line in (*self.lines, *self.formulas)]

    def html(self) -> str:
        """A section with every line as MathML, in pieces between which a page breaks what is too long for it."""
        blocks = [_table(self.lines)]
        if self.formulas:
            blocks.append(_table(self.formulas))
        between = "where"
        if self.notation.definitions == "first":
            blocks, between = blocks[::-1], "and"
        head = f'<section class="dalembert-equations"><style>{_STYLE}</style><h3>{escape(self.title)}</h3>'
        return f"{head}\n" + f"\n<h4>{between}</h4>\n".join(blocks) + "\n</section>"

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
    """Rows of an `aligned` environment, for notebooks: labels stand at the right."""

    def row(line: Line, rows: list[str]) -> str:
        first, *rest = rows
        label = f" && \\text{{{escaped(line.label)}}}" if line.label else ""
        return " \\\\\n".join([first + label, *rest])

    return " \\\\\n".join(map(row, lines, _in_rows(lines, PAGE)))


def escaped(text: str) -> str:
    """Plain text inside LaTeX."""
    return (
        re.sub(r"[_&#%${}]", lambda m: f"\\{m[0]}", text.replace("\\", "")).replace("^", "\\^{}").replace("~", "\\~{}")
    )


def aligned(lines: Sequence[Line], width: float = PAGE, said: Callable[[str], str] = escaped) -> str:
    """An `align*` whose rows may be parted by pages, each formula with its label, as it is `said`, above it."""
    rows: list[str] = []
    words = [line for line in lines if line.in_words]
    said_before = [said(f"{x.label}: {x.text}") for x in words]
    before = "".join(f"\\noindent {{\\footnotesize\\raggedright {x}\\par}}\n" for x in said_before)
    lines = [line for line in lines if not line.in_words]
    for k, (line, own) in enumerate(zip(lines, _in_rows(lines, width), strict=True)):
        told = f"\\intertext{{\\footnotesize\\raggedright {said(line.label)}}}\n" if line.label and k else ""
        rows.append(told + " \\\\\n".join(own))
    told = said(lines[0].label) if lines else ""
    first = f"\\noindent\\parbox{{\\linewidth}}{{\\footnotesize\\raggedright {told}}}\n" if told else ""
    body = " \\\\\n".join(rows).replace(" \\\\\n\\intertext", "\n\\intertext")
    return before + (f"{first}\\begin{{align*}}\n{body}\n\\end{{align*}}" if lines else "")


#: Fonts with the tables that roots and brackets need to stretch, then whatever the browser has.
_STYLE = (
    '.dalembert-equations math{font-family:"STIX Two Math","DejaVu Math TeX Gyre","Latin Modern Math",'
    '"Cambria Math",math;'
    "font-size:1.1em;display:inline math;margin:0;padding:.15em 0}"
    ".dalembert-equations mover>mo{padding-bottom:.08em}"  # dots stay off their letter where a pixel is rounded away
    ".dalembert-equations td{padding:.25em 1.5em .25em 2em;text-indent:-2em;text-align:left;vertical-align:baseline;"
    "line-height:1.7;white-space:normal}"
    ".dalembert-equations td+td{color:#666;font-size:.85em;padding-left:0;text-indent:0}"
)


_MATH = '<math xmlns="http://www.w3.org/1998/Math/MathML" displaystyle="true">'


def _table(lines: Sequence[Line]) -> str:
    cells = []
    for line in lines:
        if line.in_words:
            cells.append(f"<tr><td>{escape(line.text)}</td><td>{escape(line.label)}</td></tr>")
            continue
        pieces = "<wbr/>".join(f"{_MATH}{part}</math>" for part in line.mathml_parts)  # signs bring their own space
        cells.append(f"<tr><td>{pieces}</td><td>{escape(line.label)}</td></tr>")
    return "<table>" + "".join(cells) + "</table>"
