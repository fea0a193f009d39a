"""Laws in time that leap: a place that jumps is one that no motion has, a speed that jumps is a blow.

g(q, t) = 0   jumps: refused
G u + g_t     jumps: the speeds after it are the nearest in the kinetic metric, an impulse of the device
dT/du         jumps with the law of a joint of the tree: refused, what hangs on the joint would not feel the blow
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.constraints.friction import stick_name, switch_names
from dalembert.errors import SimulationError
from dalembert.expr import Expr
from dalembert.simulate.system.corners import instants, switching
from dalembert.simulate.system.jump import past_jump
from dalembert.simulate.system.system import System

_LOOKED_AT = 1000
"""Instants at which a law is looked at, at most: one that leaps leaps at the first ones too."""
_FELT = 1e-9
"""Change of a momentum at once, in parts of itself at speeds of one, that is more than rounding."""

Parameters = Mapping[str, float]
Span = tuple[float, float]
Laws = Sequence[tuple[str, Expr]]


def refuse_leaps(system: System, parameters: Parameters, y0: Sequence[float], span: Span) -> None:
    """An error where a law in time asks for another place at once, or for a blow that the equations do not pass on."""
    joints, rows = _of_joints(system), system.constrained.rows if system.constrained else None
    gaps = [(o, gap) for o, gap in zip(rows.owners, rows.gap, strict=True) if gap is not None] if rows else []
    gaps += [(one.name, one.gap) for one in system.contacts]
    for owner, t in _leaps(system, [*gaps, *joints], parameters, y0, span):
        raise SimulationError(
            f"the law of '{owner}' asks for another place at once, at t = {t:.6g}, and no motion has two places at one "
            f"instant. Let it change in some time (a ramp, `tanh`), or begin a new motion there."
        )
    pushed = {rows.owners[k] for k in rows.imperfect} if rows else set[str]()
    touching = [(one.name, x) for one in system.contacts for x in (one.rate, *(slip.value for slip in one.slips))]
    belts = {stick_name(owner): owner for owner in rows.owners} if rows else {}
    stuck = {**parameters, **{switch_names(owner, 1)[0]: 1.0 for owner in belts.values()}}
    moving = [(belts[owner], t) for owner, t in blows(system, stuck, y0, span) if owner in belts]
    for owner, t in [*_leaps(system, touching, parameters, y0, span), *moving]:
        raise SimulationError(
            f"what contact '{owner}' touches asks for another speed at once, at t = {t:.6g}: a blow, which no law of "
            "contact here decides. Let its speed change in some time (a ramp, `tanh`), or begin a new motion there."
        )
    names = {owner for owner, _ in joints}
    for owner, t in blows(system, parameters, y0, span):
        if owner in pushed:
            raise SimulationError(
                f"the law of '{owner}' asks for another speed at once, at t = {t:.6g}: a blow of a device that pushes "
                "elsewhere. Let its speed change in some time."
            )
        if owner in names and _felt(system, parameters, t, span):
            raise SimulationError(
                f"the law of '{owner}' asks for another speed at once, at t = {t:.6g}: a blow, which a joint that time "
                f"moves does not pass on. Give the joint a coordinate and drive it (`m.drive` knows blows), or let its "
                f"speed change in some time."
            )


def blows(system: System, parameters: Parameters, y0: Sequence[float], span: Span) -> list[tuple[str, float]]:
    """Laws that ask for another speed at once, and when they first do."""
    rows = system.constrained.rows if system.constrained else None
    laws = list(zip(rows.owners, rows.conditions, strict=True)) if rows else []
    laws += [(owner, x) for owner, law in _of_joints(system) for x in ex.tangent([law], {ex.TIME: ex.ONE})]
    return _leaps(system, laws, parameters, y0, span)


def _of_joints(system: System) -> list[tuple[str, Expr]]:
    """The formulas in time of joints of the tree."""
    tree = [] if system.layout is None else [one.link for one in system.layout.tree]
    moves = [(link.name, step.displacement) for link in tree for step in link.placed_steps()]
    laws = [
        (name, x) for name, move in moves for x in (*move.translation, *(a for one in move.turns for a in one.scalars))
    ]
    return [(name, x) for name, x in laws if ex.TIME in ex.free_symbols(x)]


def _felt(system: System, parameters: Parameters, t: float, span: Span) -> bool:
    """Does a momentum of the free speeds change at this instant, at a state like any other?"""
    if system.kinetic is None:
        return False
    speeds = [ex.symbol(name) for name in system.speeds]
    momenta = [p for u in speeds for p in ex.tangent([system.kinetic], {u: ex.ONE})]
    numbers: dict[Expr, Any] = {ex.symbol(k): v for k, v in parameters.items()}
    numbers |= dict(zip(system.symbols, np.random.default_rng(0).uniform(0.5, 1.5, len(system.symbols)), strict=True))
    step = _rounding(t, span)
    before, after = (np.array(ex.evaluate(momenta, {**numbers, ex.TIME: s}), dtype=float) for s in (t - step, t + step))
    return bool((np.abs(after - before) > _FELT * (np.abs(after) + np.abs(before))).any())


def _leaps(
    system: System, told: Laws, parameters: Parameters, y0: Sequence[float], span: Span
) -> list[tuple[str, float]]:
    numbers = {ex.symbol(k): v for k, v in parameters.items()} | dict(zip(system.symbols, map(float, y0), strict=True))
    found = dict[str, float]()
    for owner, value in told:
        functions = switching([value], system.symbols)
        if not functions or owner in found:
            continue

        def at(t: float, value: Expr = value) -> NDArray[np.float64]:
            return np.array([float(ex.evaluate([value], {**numbers, ex.TIME: t})[0])])

        for corner in instants(functions, parameters, span)[:_LOOKED_AT]:
            before = corner - np.copysign(_rounding(corner, span), span[1] - span[0])
            if past_jump(at, before, span) != before:
                found[owner] = corner
                break
    return list(found.items())


def _rounding(t: float, span: Span) -> float:
    return 8 * float(np.finfo(float).eps) * max(abs(span[0]), abs(t), abs(span[1] - span[0]))
