"""Closed loops in motion: multipliers solved at every instant, every step brought back to the closure."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.errors import ModelError, SimulationError
from dalembert.expr import Expr
from dalembert.loops import Closing, assemble, build_linkage, project
from dalembert.loops.dynamics import LoopEquations
from dalembert.mechanism import Layout
from dalembert.simulate._run import compiled
from dalembert.dynamics.numbers import single
from dalembert.simulate._values import initial_values, parameter_values
from dalembert.simulate.projection import in_place
from dalembert.simulate.system import System

#: A loop counts as closed below this gap.
_CLOSED = 1e-9
_REPEATS = 8


def with_loops(system: System, equations: LoopEquations) -> System:
    """The system of a tree, completed by its cut links: their coordinates, reactions and the projection."""
    coordinates = tuple(x.name for x in equations.cut_coordinates)
    count = len(system.coordinates)
    rates = (*system.rates[:count], *equations.cut_rates, *equations.accelerations)
    reactions: dict[str, Expr] = {}
    for name, wrench in equations.reactions().items():
        parts = zip(("Mx", "My", "Mz", "Fx", "Fy", "Fz"), wrench, strict=True)
        reactions |= {f"{name}.{part}": value for part, value in parts}
    whole = replace(
        system,
        coordinates=(*system.coordinates, *coordinates),
        rates=rates,
        outputs=ChainMap(reactions, system.outputs),  # type: ignore[arg-type]
    )
    step = compiled("projection", whole.symbols, whole.known_parameters, equations.corrected)
    return replace(whole, project=in_place(step, len(whole.states), _REPEATS))


def closed_start(
    layout: Layout, system: System, equations: LoopEquations, start: Mapping[str, Any], given: Mapping[str, Any]
) -> dict[str, float]:
    """A start that closes every loop: what the user gives is kept where it can be, the rest follows."""
    values = single(parameter_values(system, given))
    first = single(dict(zip(system.states, initial_values(system, start, values), strict=True)))
    wanted = {name: first[name] for name in {**system.start, **start}}
    state = {**first, **_closed_positions(layout, wanted, values)}
    numbers = {ex.symbol(name): value for name, value in {**values, **state}.items()} | {ex.TIME: 0.0}
    gap = np.abs(ex.evaluate(equations.misfit, numbers)).max(initial=0.0)
    if not gap < _CLOSED:
        raise SimulationError(
            f"'{system.name}' does not close at its start: a gap of {gap:.2g} is left. "
            "Give a better guess of its coordinates with `start`."
        )
    speeds = _closed_speeds(system, equations, numbers, {name for name in wanted if name in system.speeds})
    return {**{name: state[name] for name in system.coordinates}, **speeds}


def _closed_positions(layout: Layout, wanted: Mapping[str, float], values: Mapping[str, float]) -> dict[str, float]:
    """Coordinates that close the loops: the first ones given are kept; the last ones are guesses if not all can be."""
    linkage = build_linkage(layout, values, wanted)
    closing = Closing(linkage)
    guess = np.array(linkage.start(wanted), dtype=float)
    held = [linkage.variables.index(name) for name in wanted if name in linkage.variables]
    for count in range(len(held), -1, -1):
        x = project(closing, guess, fixed=held[:count])
        if closing.gap(x) < _CLOSED:
            return linkage.coordinates(x)
    try:
        return linkage.coordinates(assemble(linkage, guess))
    except ModelError as error:
        raise SimulationError(str(error)) from None


def _closed_speeds(
    system: System, equations: LoopEquations, numbers: dict[Expr, float], kept: set[str]
) -> dict[str, float]:
    """Speeds that the loops allow: those the user gives stay, the others follow; all move if that cannot be."""
    names = system.speeds
    flat = ex.evaluate([*equations.constraint.entries], numbers)
    matrix = np.array(flat, dtype=float).reshape(equations.constraint.shape)
    conditions = [c for one in equations.closures for c in one.condition]
    u = np.array([numbers[ex.symbol(name)] for name in names])
    for free in ([i for i, name in enumerate(names) if name not in kept], list(range(len(names)))):
        gap = np.array(ex.evaluate(conditions, {**numbers, **dict(zip(map(ex.symbol, names), u, strict=True))}))
        if free and np.abs(gap).max(initial=0.0) > 0:
            u[free] -= np.linalg.lstsq(matrix[:, free], gap, rcond=1e-12)[0]
    return dict(zip(names, map(float, u), strict=True))
