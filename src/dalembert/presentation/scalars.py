"""The scalar level: equations in coordinates, speeds and accelerations, long ones in named parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from dalembert import algebra as al
from dalembert import expr as ex
from dalembert.expr import Expr
from dalembert.presentation.axes import Quantity
from dalembert.presentation.formula import Writer
from dalembert.presentation.lines import Line, scalar_line, written
from dalembert.presentation.parts import in_parts
from dalembert.presentation.terms import gathered

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

    @property
    def sides(self) -> list[Expr]:
        return [x for _, left, right in (*self.equations, *self.meant) for x in (left, right)]

    @property
    def written_out(self) -> bool:
        """Whether the formulas are short enough to stand without intermediates, by the signs that they take."""
        signs = signs_of(self.sides)
        return all(x <= LONGEST_LINE for x in signs) and sum(signs) <= MOST_WRITTEN_OUT


def signs_of(formulas: Sequence[Expr]) -> list[int]:
    """Signs that each formula takes when it is written out."""
    sizes: dict[Expr, int] = {}
    for e in ex.topological(formulas):
        sizes[e] = sum(sizes[a] for a in e.args) + (1 if e.args else len(str(e.data)))
    return [sizes[e] for e in formulas]


def readable(sides: Sequence[Side]) -> Scalars:
    """Equations in order, where they are short enough to be written out; else as they were derived, for their names."""
    tidy = Scalars(tuple((label, ex.tidy(a, for_reading=True), ex.tidy(b, for_reading=True)) for label, a, b in sides))
    return tidy if tidy.written_out else Scalars(tuple(sides))


def scalar_lines(
    found: Scalars, writer: Writer | None = None, known: Callable[[], Iterable[Quantity]] = tuple
) -> tuple[list[Line], list[Line]]:
    """Lines of the equations, and the intermediates with the further formulas; `known` quantities bear their names."""
    writer = writer or Writer()
    sides, where = [x for _, left, right in found.equations for x in (left, right)], list[Line]()
    values = [value for _, _, value in found.meant]
    if not found.written_out:
        told = [f"the equation {label}" for label, _, _ in found.equations for _ in range(2)]
        parted = in_parts([*sides, *values], known(), [*told, *(name.name for _, name, _ in found.meant)])
        results = [gathered(x) for x in parted.results]
        sides, values = results[: len(sides)], results[len(sides) :]
        writer.derived = frozenset(p.symbol.name for p in parted.parts)
        where = [scalar_line(p.meaning, p.symbol, p.value, writer, ":=") for p in parted.parts]
    labels = [label for label, _, _ in found.equations]
    pairs = zip(labels, sides[::2], sides[1::2], strict=True)
    lines = [scalar_line(label, left, right, writer) for label, left, right in pairs]
    for (label, name, _), value in zip(found.meant, values, strict=True):
        if value is not name:  # else it stands among the parts already
            where.append(scalar_line(label, name, value, writer, ":="))
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
