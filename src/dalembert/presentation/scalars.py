"""The scalar level: equations in coordinates, speeds and accelerations, shared intermediates named z1, z2..."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dalembert import algebra as al
from dalembert import expr as ex
from dalembert.expr import Expr
from dalembert.presentation.lines import Line, scalar_line, written

#: Operations up to which equations are written out, without named intermediates.
MOST_WRITTEN_OUT = 150
#: Lines that are written without intermediates are shorter than this.
LONGEST_LINE = 1000

Side = tuple[str, Expr, Expr]  # label, left, right


@dataclass(frozen=True, slots=True)
class Scalars:
    """Equations (label, left, right), and what further names mean (label, name, formula)."""

    equations: tuple[Side, ...]
    meant: tuple[Side, ...] = ()
    notes: tuple[Line, ...] = ()  # said in words


def scalar_lines(found: Scalars) -> tuple[list[Line], list[Line]]:
    """Lines of the equations, and the intermediates with the further formulas."""
    sides = (*found.equations, *found.meant)
    flat = [x for _, left, right in sides for x in (left, right)]
    shown = ex.listing(flat)
    if ex.count_operations(flat) <= MOST_WRITTEN_OUT:
        whole = [x for x in map(ex.whole_text, flat) if x is not None and len(x) < LONGEST_LINE]
        if len(whole) == len(flat):  # longer ones read better in parts
            shown = ex.Listing((), tuple(whole))
    where = [scalar_line("", name, value, ":=") for name, value in shown.definitions]
    lines: list[Line] = []
    for k, (label, _, _) in enumerate(sides):
        a, b = 2 * k, 2 * k + 1
        equation = k < len(found.equations)
        line = scalar_line(label, shown.results[a], shown.results[b], "=" if equation else ":=")
        (lines if equation else where).append(line)
    return lines, [*where, *found.notes]


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
