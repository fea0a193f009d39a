"""Where a description ends: displacements by formulas that have no value, or no slope, beyond some coordinate.

A bead on y = sqrt(1 - a^2), z = a cannot pass a = 1: there the mass matrix is infinite.
"""

from __future__ import annotations

from collections.abc import Iterable

from dalembert import expr as ex
from dalembert.expr import ONE, Expr
from dalembert.mechanism import Layout, Link, Turn
from dalembert.simulate.system.system import Condition

_REMEDY = "Describe this displacement with a coordinate that goes on there: an angle, or the length of the path."


def chart_ends(layout: Layout) -> list[Condition]:
    """What must not vanish in the displacements of joints: arguments of roots and logarithms, denominators."""
    found: dict[Expr, Condition] = {}
    moving = {ex.symbol(x) for one in layout.model.links.values() for x in one.coordinates}
    for link in layout.model.links.values():
        for e in ex.topological(_formulas(link)):
            for edge in _edges(e):
                if ex.free_symbols([edge]) & moving:
                    meaning = f"the chart of '{link.name}' ends: its displacement by {ex.text(e)[:60]} goes no further"
                    found.setdefault(edge, Condition(edge, meaning, _REMEDY))
    return list(found.values())


def has_edges(exprs: Iterable[Expr], moving: set[Expr]) -> bool:
    """May one of these be infinite at some value of the coordinates?"""
    return any(ex.free_symbols([edge]) & moving for e in ex.topological(exprs) for edge in _edges(e))


def _formulas(link: Link) -> list[Expr]:
    found: list[Expr] = []
    for step in link.placed_steps():
        found += step.displacement.translation
        for one in step.displacement.turns:
            found += [one.angle, *one.axis] if isinstance(one, Turn) else one.components
    return found


def _edges(e: Expr) -> Iterable[Expr]:
    """Expressions that vanish where this operation or its derivative is infinite."""
    if e.op in ("sqrt", "log"):
        return (e.args[0],)
    if e.op == "div":
        return (e.args[1],)
    if e.op == "pow" and e.args[1].op == "const":
        power = e.args[1].data
        return () if isinstance(power, int) and power >= 0 else (e.args[0],)
    if e.op in ("asin", "acos"):
        return (ONE - e.args[0] * e.args[0],)
    return (ex.cos(e.args[0]),) if e.op == "tan" else ()
