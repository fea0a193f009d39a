"""Closed forms of what gears, racks, cams and belts give: conditions that are affine in what follows."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from dalembert import expr as ex
from dalembert.expr import ZERO, Expr
from dalembert.loops.formulas import Formulas


def solve_affine(gaps: Sequence[Expr], independent: Collection[str], coordinates: Collection[str]) -> Formulas | None:
    """Formulas of all coordinates that the conditions hold, if each can be solved for one of them; None otherwise.

    A condition is solved for a coordinate whose slope in it no motion changes, and that one is put into the others.

    >>> a, b, n = ex.symbols("a b n")
    >>> solve_affine([a + n * b], ["a"], ["a", "b"]).definitions
    (('b', -a/n),)
    """
    moving = {ex.symbol(x) for x in coordinates}
    held = ex.free_symbols(list(gaps)) & moving - {ex.symbol(x) for x in independent}
    left, found = list(gaps), list[tuple[str, Expr]]()
    while held:
        choice = next(((gap, x, s) for gap in left for x in _named(gap, held) if (s := _slope(gap, x, moving))), None)
        if choice is None:
            return None
        gap, x, slope = choice
        formula = -ex.tidy(ex.substitute([gap], {x: ZERO})[0]) / slope
        found.append((x.name, formula))
        left = [ex.substitute([one], {x: formula})[0] for one in left if one is not gap]
        held = held - {x}
    return Formulas(tuple(reversed(found)))


def _named(gap: Expr, held: set[Expr]) -> list[Expr]:
    return sorted(ex.free_symbols(gap) & held, key=lambda x: x.name)


def _slope(gap: Expr, x: Expr, moving: set[Expr]) -> Expr | None:
    slope = ex.derivative(gap, x)
    return None if slope is ZERO or ex.free_symbols(slope) & moving else slope
