"""Formulas that fit a column: rows of tokens broken where it reads best, set in LaTeX and in MathML."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.presentation.formula import NEVER, Token

#: Width of a page of LaTeX's article class in em, and of a column of a paper (9 cm at 10 pt).
PAGE, COLUMN = 34.0, 25.0
#: What a line that begins a new row is moved by, in em.
INDENT = 2.0
#: A break that leaves a whole row empty is as bad as one six brackets deep.
_EMPTY = 18.0


def broken(row: Sequence[Token], width: float, first: float = 0.0) -> list[list[Token]]:
    """The tokens in rows no wider than `width`, as far as tokens go; the first row has `first` less."""
    rows: list[list[Token]] = []
    start, room = 0, width - first
    while start < len(row):
        stop, used, best, cost = start, 0.0, -1, float("inf")
        while stop < len(row) and (used + row[stop].width <= room or stop == start):
            used += row[stop].width
            stop += 1
            if stop < len(row) and row[stop].penalty < NEVER:
                here = row[stop].penalty + _EMPTY * max(0.0, 1 - used / room)
                if here <= cost:
                    best, cost = stop, here
        if stop == len(row):
            rows.append(list(row[start:]))
            break
        if best < 0:  # nothing breaks in time: go on to the next place that does
            best = next((k for k in range(stop, len(row)) if row[k].penalty < NEVER), len(row))
        rows.append(list(row[start:best]))
        start, room = best, width - INDENT
    return rows or [[]]


def width_of(row: Sequence[Token]) -> float:
    return sum(t.width for t in row)


def head_of(left: Sequence[Token]) -> float:
    """How far the sign of a line stands from its beginning."""
    return width_of(left) + 1.6


def latex_rows(left: Sequence[Token], sign: str, right: Sequence[Token], width: float, head: float) -> list[str]:
    """Rows of an `align` environment: signs aligned at `head`, the widest of its left sides.

    Where that takes too much of the width, nothing is aligned, and a long left side stands on rows of its own.
    """
    if not sign:
        first, *rest = broken(right, width)
        return [f"& {_begun(first)}", *(f"&\\quad {_continued(more)}" for more in rest)]
    if head <= 0.4 * width:
        first, *rest = broken(right, width - head)
        return [f"{_latex(left)} &{sign} {_latex(first)}", *(f"&\\quad {_continued(more)}" for more in rest)]
    if head_of(left) + width_of(right) <= width:
        return [f"& {_begun(left)} {sign} {_latex(right)}"]
    first, *rest = broken(left, width)
    rows = [f"& {_begun(first)}", *(f"&\\quad {_continued(more)}" for more in rest)]
    first, *rest = broken(right, width - INDENT, 1.6)
    rows.append(f"&\\quad {sign} {_latex(first)}")
    return rows + [f"&\\quad\\quad {_continued(more)}" for more in rest]


def _latex(row: Sequence[Token]) -> str:
    return "".join(t.latex for t in row).strip()


def _begun(row: Sequence[Token]) -> str:
    """The beginning of a line: behind `&` a sign would be set as one between two terms."""
    text = _latex(row)
    return f"{{-}}{text[1:].lstrip()}" if text.startswith("-") else text


def _continued(row: Sequence[Token]) -> str:
    """The rest of a line: a sign stands between two terms, and a factor has its dot, so that it is not read as one."""
    text = _latex(row)
    if row[0].text.startswith("*") and not text.startswith("\\cdot"):
        return f"{{}}\\cdot {text.removeprefix(chr(92) + ',')}"
    return f"{{}}{text}"
