"""The scalar level: equations in coordinates, speeds and accelerations, shared intermediates named z1, z2..."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dalembert import algebra as al
from dalembert import expr as ex
from dalembert.expr import Expr
from dalembert.presentation.formula import Writer
from dalembert.presentation.lines import Line, scalar_line, written

#: Signs of a line that is written out; a longer one reads better in parts.
LONGEST_LINE = 3000
#: Signs of all lines that are written out, without named intermediates: three pages.
MOST_WRITTEN_OUT = 12000

Side = tuple[str, Expr, Expr]  # label, left, right


@dataclass(frozen=True, slots=True)
class Scalars:
    """Equations (label, left, right), and what further names mean (label, name, formula)."""

    equations: tuple[Side, ...]
    meant: tuple[Side, ...] = ()
    notes: tuple[Line, ...] = ()  # said in words


def scalar_lines(found: Scalars, writer: Writer | None = None) -> tuple[list[Line], list[Line]]:
    """Lines of the equations, and the intermediates with the further formulas."""
    writer = writer or Writer()
    sides = (*found.equations, *found.meant)
    flat = [x for _, left, right in sides for x in (left, right)]
    where: list[Line] = []
    if not written_out(flat):
        named, flat = in_parts(flat)
        where = [scalar_line("", name, value, writer, ":=") for name, value in named]
    lines: list[Line] = []
    for k, (label, _, _) in enumerate(sides):
        equation = k < len(found.equations)
        line = scalar_line(label, flat[2 * k], flat[2 * k + 1], writer, "=" if equation else ":=")
        (lines if equation else where).append(line)
    return lines, [*where, *found.notes]


def written_out(exprs: Sequence[Expr]) -> bool:
    """Whether formulas are short enough to stand without intermediates, by the signs that they take."""
    sizes: dict[Expr, int] = {}
    for e in ex.topological(exprs):
        sizes[e] = sum(sizes[a] for a in e.args) + (1 if e.args else len(str(e.data)))
    return all(sizes[e] <= LONGEST_LINE for e in exprs) and sum(sizes[e] for e in exprs) <= MOST_WRITTEN_OUT


def in_parts(exprs: Sequence[Expr]) -> tuple[list[tuple[Expr, Expr]], list[Expr]]:
    """Names for what is used twice or is long, with their formulas, and the expressions in them."""
    listed = ex.listing(exprs)
    return [(ex.symbol(a), ex.parse(b)) for a, b in listed.definitions], [ex.parse(x) for x in listed.results]


def component_lines(values: dict[al.Term, Any]) -> list[Line]:
    """Components of every name that no formula defines, rotations and columns as arrays."""
    lines: list[Line] = []
    for symbol, value in values.items():
        name, latex = written(symbol, "matrix")
        rows = [[value]] if isinstance(value, Expr) else value
        cells = [[ex.text(x) for x in row] for row in rows]
        if len(rows) == len(rows[0]) == 1:
            shown, body = cells[0][0], ex.latex(rows[0][0])
        else:
            shown = "[" + "; ".join(", ".join(row) for row in cells) + "]"
            inner = " \\\\ ".join(" & ".join(ex.latex(x) for x in row) for row in rows)
            body = f"\\begin{{bmatrix}}{inner}\\end{{bmatrix}}"
        lines.append(Line("", f"{name} := {shown}", f"{latex} := {body}"))
    return lines
