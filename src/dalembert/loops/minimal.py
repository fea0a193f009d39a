"""Independent coordinates of a closed machine at a posture, and its minimal equations in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.constraints.allowed import allowed_speeds
from dalembert.constraints.eliminate import Elimination, eliminate
from dalembert.constraints.independence import diagonal, speed_scales
from dalembert.constraints.independence import independent as counting
from dalembert.dynamics.numbers import check_names, resolve, single
from dalembert.dynamics.start import closed_start
from dalembert.errors import ModelError, SingularError
from dalembert.expr import Expr
from dalembert.expr.magnitude import magnitude
from dalembert.formalisms import Equations
from dalembert.formalisms.minimal import Chart, MinimalEquations
from dalembert.formalisms.quasi import QuasiEquations
from dalembert.loops.follow import Follower
from dalembert.loops.formulas import Formulas, solve_loops
from dalembert.loops.linkage import build_linkage
from dalembert.loops.solved_conditions import solve_conditions

Array = Any
#: Formulas close the loops to this share of their lengths, or they are not used.
_AGREE = 1e-8
#: A whole turn of an angle that changes equations by less, in parts of what they are made of, changes nothing.
_TURNED = 1e-9


def minimal_equations(
    eq: Equations,
    independent: Sequence[str] | str = "automatic",
    *,
    at: Mapping[str, Any] | None = None,
    given: Mapping[str, Any] | None = None,
) -> Equations | MinimalEquations | QuasiEquations:
    """Equations in independent coordinates: those named, completed where they are too few, on the branch of `at`.

    With conditions on speeds, in independent speeds and all coordinates: quasi-velocities.

    A tree is in independent coordinates already. `given` are numbers of lengths: formulas keep their names, but the
    branch needs numbers.
    """
    if eq.rows is None:
        return eq
    _refuse(eq)
    layout, model = eq.layout, eq.layout.model
    named = [] if independent == "automatic" else [independent] if isinstance(independent, str) else [*independent]
    named = [x.removesuffix("'") for x in named]
    _check_wanted(eq, named)
    start = closed_start(layout, at, given)
    if start.singular:
        raise SingularError(
            f"branches of '{model.name}' meet in this posture, or its loops are shaky: it has no independent "
            "coordinates there. Say another posture with `at`."
        )
    numbers = {ex.symbol(k): float(v) for k, v in single(resolve({**model.given, **(given or {})}, "given")).items()}
    here: dict[Expr, Any] = {**numbers, **{ex.symbol(k): v for k, v in start.values.items()}, ex.TIME: 0.0}
    elimination = _elimination(eq, here, named)
    if any(gap is None for gap in eq.rows.gap):
        return QuasiEquations(eq, elimination)
    order = [eq.speeds[k].removesuffix("'") for k in elimination.independent]
    follower = Follower(eq, elimination, np.array([start.values[x] for x in layout.state.coordinates]))
    posture = {x: start.values[x] for x in layout.state.coordinates}
    rest = {**here, **dict.fromkeys(eq.tree.speeds, 0.0)}
    units = speed_scales(eq.rows, diagonal(eq.mass_matrix))
    scales = [float(ex.evaluate([units[k]], rest)[0]) for k in elimination.independent]
    signs = tuple(float(np.sign(x)) for x in ex.evaluate(list(elimination.determinants), rest))
    bare = Chart(tuple(order), None, posture=posture, scales=tuple(scales), signs=signs)
    found = MinimalEquations(eq, elimination, bare, follower, {x.name: v for x, v in numbers.items()})
    formulas = _formulas(found, here)
    return found if formulas is None else replace(found, chart=_charted(found, formulas, here))


def _refuse(eq: Equations) -> None:
    name = eq.layout.model.name
    assert eq.rows is not None
    if eq.rows.bent:
        raise ModelError(
            f"the condition '{eq.rows.owners[eq.rows.bent[0]]}' of '{name}' is not linear in the speeds: no "
            "quasi-velocities follow from it. Take the equations with multipliers."
        )
    if eq.rows.implied:
        raise ModelError(
            f"the laws of '{name}' are kept through hidden conditions: its equations are those with multipliers."
        )
    if eq.rows.imperfect:
        raise ModelError(
            f"the reaction of '{eq.rows.owners[min(eq.rows.imperfect)]}' of '{name}' has power in the motions that its "
            "condition allows: no projection takes it out of the equations. Take those with multipliers."
        )
    if tuple(x.name for x in eq.tree.speeds) != eq.layout.speeds:
        raise ModelError(f"choose speeds or independent coordinates of '{name}', not both.")


def _check_wanted(eq: Equations, named: Sequence[str]) -> None:
    layout = eq.layout
    for one in layout.cuts:
        if own := [x for x in named if x in one.link.coordinates]:
            raise ModelError(
                f"'{own[0]}' belongs to '{one.link.name}', the link at which a loop of '{layout.model.name}' is cut: "
                f"independent coordinates are those of other links. Cut another one with `cut`."
            )
    check_names(named, layout.coordinates, "coordinate", layout.model.name)


def _elimination(eq: Equations, here: Mapping[Expr, Any], named: Sequence[str]) -> Elimination:
    """Which speeds are independent, and which rows give the others, judged at the posture."""
    from scipy.linalg import qr

    rows, layout = eq.rows, eq.layout
    assert rows is not None
    rest = {**here, **dict.fromkeys(eq.tree.speeds, 0.0)}
    m, n = rows.matrix.shape
    mass = eq.mass_matrix
    told = [*rows.matrix.entries, *counting(rows, mass), *speed_scales(rows, diagonal(mass))]
    flat: Array = np.array(ex.evaluate(told, rest), dtype=float)
    g, counts, scales = flat[: m * n].reshape(m, n), flat[m * n : m * n + m], flat[m * n + m :]
    g = g * counts[:, None]
    plain = [k for k, u in enumerate(layout.speeds) if u.removesuffix("'") in layout.coordinates]
    wanted = [layout.speeds.index(f"{x}'") if f"{x}'" in layout.speeds else -1 for x in named]
    if -1 in wanted:
        raise ModelError(f"'{named[wanted.index(-1)]}' has no speed of its own: choose a coordinate that has one.")
    others = [k for k in range(n) if k not in plain]
    allowed = allowed_speeds(np.diag(scales**2), g, [*wanted, *plain, *others], len(wanted))
    freedoms = len(allowed.independent)
    if len(named) > freedoms or not set(wanted) <= set(allowed.independent):
        follows = [x for x, k in zip(named, wanted, strict=True) if k not in allowed.independent]
        raise SingularError(
            f"'{follows[0]}' follows from the others in this posture of '{layout.model.name}', which has {freedoms} "
            f"freedom{'' if freedoms == 1 else 's'}. Name fewer independent coordinates, or another posture with `at`."
        )
    if loose := [layout.speeds[k] for k in allowed.independent if k not in plain]:
        raise ModelError(
            f"the speed '{loose[0]}' of '{layout.model.name}' is no rate of a coordinate: choose angles for free "
            "rotations, chart='bryant' for instance."
        )
    chosen = [*wanted, *sorted(k for k in allowed.independent if k not in wanted)]
    dependent = [k for k in range(n) if k not in chosen]
    live = [k for k in range(m) if counts[k] and np.abs(g[k]).max(initial=0.0) > 0]
    block = g[np.ix_(live, dependent)] / np.linalg.norm(g[live] / scales, axis=1)[:, None] / scales[dependent]
    _, _, picked = qr(block.T, pivoting=True, mode="economic")
    return eliminate(rows, sorted(live[k] for k in picked[: len(dependent)]), chosen, layout.model.name)


def _formulas(found: MinimalEquations, here: Mapping[Expr, Any]) -> Formulas | None:
    """Closed forms of all coordinates that the equations use, if they close the loops around the posture too."""
    eq, elimination = found.closed, found.elimination
    gaps = [gap for gap in found.rows.gap if gap is not None]
    if ex.TIME in ex.free_symbols(gaps):
        return None
    if eq.layout.further:
        meant = None if eq.layout.cuts else solve_conditions(gaps, found.coordinates, eq.coordinates, here)
        return meant if meant is not None and _closes(found, meant, here) else None
    values = {x.name: float(v) for x, v in here.items()}
    linkage = build_linkage(eq.layout, {x: v for x, v in values.items() if x in eq.layout.model.parameters()}, values)
    used = ex.free_symbols([*found.mass_matrix.entries, *found.right_side, *elimination.psi.entries, *elimination.rest])
    free = {*eq.coordinates, *(x for x in eq.cut_rates if ex.symbol(x) in used)} - set(found.coordinates)
    x = linkage.start(values)
    made = solve_loops(linkage, x, found.coordinates) or solve_loops(linkage, x, found.coordinates, free)
    if made is None or not free <= set(made.nested) or not _closes(found, made, here):
        return None
    return made.of(free)


def _closes(found: MinimalEquations, made: Formulas, here: Mapping[Expr, Any]) -> bool:
    """Whether every row is closed by the formulas, at the posture and around it, where they have values."""
    rows = found.rows
    trials = {**here, **dict.fromkeys(found.closed.tree.speeds, 0.0)}
    rng, count = np.random.default_rng(11), 9
    for scale, name in zip(found.chart.scales, found.coordinates, strict=True):
        trials[ex.symbol(name)] = trials[ex.symbol(name)] + rng.uniform(-0.3, 0.3, count) / scale * (
            np.arange(count) > 0
        )
    nested = made.nested
    open_ones = {ex.symbol(x) for x in found.layout.state.coordinates if x not in (*nested, *found.coordinates)}
    pairs = [(g, r) for g, r in zip(rows.gap, rows.reach, strict=True) if g is not None and g is not ex.ZERO]
    if any(ex.free_symbols(gap) & open_ones for gap, _ in pairs):
        return False
    with np.errstate(all="ignore"):
        found_ones = ex.evaluate(list(nested.values()), trials)
        trials |= {ex.symbol(x): v for x, v in zip(nested, found_ones, strict=True)}
        flat = ex.evaluate([x for pair in pairs for x in pair], trials)
    table = np.array([np.broadcast_to(x, (count,)) for x in [*found_ones, *flat]]).reshape(-1, count)
    valued = np.isfinite(table).all(axis=0)
    gap, reach = table[len(found_ones) :: 2], table[len(found_ones) + 1 :: 2]
    return bool(valued[0] and valued.sum() > 1 and (np.abs(gap) <= _AGREE * reach)[:, valued].all())


def _charted(found: MinimalEquations, made: Formulas, here: Mapping[Expr, Any]) -> Chart:
    """The chart of the formulas, with the angles whose whole turns the equations would see."""
    eq = found.closed
    rng = np.random.default_rng(3)
    exprs = [*eq.mass_matrix.entries, *eq.right_side]
    told = [*exprs, *magnitude(exprs)]
    numbers: dict[Expr, Any] = {x: rng.uniform(0.5, 1.5) for x in ex.free_symbols(exprs)} | dict(here)
    numbers |= {u: rng.uniform(0.5, 1.5) for u in eq.tree.speeds}
    turning = []
    for k, (name, formula) in enumerate(made.definitions):
        if not any(e.op == "atan2" for e in ex.topological([formula])):
            continue
        turned = {**numbers, ex.symbol(name): numbers[ex.symbol(name)] + 2 * np.pi}
        for later, meant in made.definitions[k + 1 :]:
            turned[ex.symbol(later)] = ex.evaluate([meant], turned)[0]
        if ex.unknown_functions(exprs) or not _same(ex.evaluate(told, numbers), ex.evaluate(told, turned)):
            middle = 2 * np.pi * round(numbers[ex.symbol(name)] / (2 * np.pi))
            turning.append((name, middle))
    return replace(found.chart, definitions=made.definitions, domain=made.domain, turning=tuple(turning))


def _same(one: Sequence[Any], other: Sequence[Any]) -> bool:
    """Equal numbers, then what they are made of: each is judged against its own."""
    a, size = np.array(one, dtype=float).reshape(2, -1)
    b = np.array(other, dtype=float).reshape(2, -1)[0]
    return bool((np.abs(a - b) <= _TURNED * size).all())
