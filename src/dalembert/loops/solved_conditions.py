"""Closed forms of what gears, racks, cams, belts and ropes give: conditions, each solved for one coordinate."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.expr import ZERO, Expr
from dalembert.loops.formulas import Formulas
from dalembert.loops.solved import Solution, quadratic, rooted, turns

#: A formula must give the posture to this share of a radian or of its length: it is closed to 1e-10, not exactly.
_SAME = 1e-6


def solve_conditions(
    gaps: Sequence[Expr], independent: Collection[str], coordinates: Collection[str], here: Mapping[Expr, Any]
) -> Formulas | None:
    """Formulas of all coordinates that the conditions hold, if each can be solved for one of them; None otherwise.

    A condition is solved for a coordinate whose slope in it no motion changes, else for one in the root of a rope, and
    that one is put into the others. `here` is a posture: it says which of two solutions is meant.

    >>> a, b, n = ex.symbols("a b n")
    >>> solve_conditions([a + n * b], ["a"], ["a", "b"], {a: 1.0, b: -0.5, n: 2.0}).definitions
    (('b', -a/n),)
    """
    moving = {ex.symbol(x) for x in coordinates}
    left, domain = _pointed(gaps, here)
    held = ex.free_symbols(left) & moving - {ex.symbol(x) for x in independent}
    found, kept = list[tuple[str, Expr]](), list[tuple[str, Expr]]()
    while held:
        choice = next(_affine(left, held, moving), None) or next(_rooted(left, held, here), None)
        if choice is None:
            return None
        gap, x, formula, positive = choice
        found.append((x.name, formula))
        kept += [(x.name, one) for one in positive]
        left = [ex.substitute([one], {x: formula})[0] for one in left if one is not gap]
        held = held - {x}
    kept += [_of_last(one, found) for one in domain if found]
    return Formulas(tuple(reversed(found)), tuple(kept))


def _of_last(positive: Expr, found: Sequence[tuple[str, Expr]]) -> tuple[str, Expr]:
    """An expression with the formula of the last coordinate that it holds put in: it bounds that one."""
    used = {x.name for x in ex.free_symbols(positive)}
    name, formula = next((one for one in found if one[0] in used), found[-1])
    return name, ex.tidy(ex.substitute([positive], {ex.symbol(name): formula})[0])


def _pointed(gaps: Sequence[Expr], here: Mapping[Expr, Any]) -> tuple[list[Expr], list[Expr]]:
    """sqrt(e^2) written as e or -e, as it is at the posture, and what is not negative then."""
    squares = [one for one in ex.topological(list(gaps)) if one.op == "sqrt" and _squared(one.args[0]) is not None]
    plain, domain = dict[Expr, Expr](), list[Expr]()
    for one in squares:
        inner = _squared(one.args[0])
        assert inner is not None
        meant = inner if float(ex.evaluate([inner], dict(here))[0]) >= 0 else -inner
        plain[one] = meant
        domain.append(meant)
    return ex.substitute(list(gaps), plain) if plain else list(gaps), domain


def _squared(e: Expr) -> Expr | None:
    if e.op == "pow" and e.args[1].is_number and float(e.args[1]) == 2:
        return e.args[0]
    return e.args[0] if e.op == "mul" and len(e.args) == 2 and e.args[0] is e.args[1] else None


Choice = tuple[Expr, Expr, Expr, list[Expr]]


def _affine(left: Sequence[Expr], held: set[Expr], moving: set[Expr]) -> Iterator[Choice]:
    for gap in left:
        for x in _named(gap, held):
            slope = ex.derivative(gap, x)
            if slope is not ZERO and not ex.free_symbols(slope) & moving:
                yield gap, x, -ex.tidy(ex.substitute([gap], {x: ZERO})[0]) / slope, []


def _rooted(left: Sequence[Expr], held: set[Expr], here: Mapping[Expr, Any]) -> Iterator[Choice]:
    for gap in left:
        for x in _named(gap, held):
            for formula, positive in _solutions(gap, x, here):
                value, wanted = float(np.real(ex.evaluate([formula], dict(here))[0])), float(here[x])
                turned = round((wanted - value) / (2 * np.pi)) if formula.op in ("atan2", "acos") else 0
                if abs(wanted - value - 2 * np.pi * turned) < _SAME * (abs(wanted) + abs(value) + bool(turned)):
                    yield gap, x, formula + 2 * turned * ex.PI if turned else formula, positive


def _solutions(gap: Expr, x: Expr, here: Mapping[Expr, Any]) -> list[Solution]:
    with np.errstate(all="ignore"):
        return rooted(gap, x, here) or quadratic(gap, x, here) or turns(gap, x, here)


def _named(gap: Expr, held: set[Expr]) -> list[Expr]:
    return sorted(ex.free_symbols(gap) & held, key=lambda x: x.name)
