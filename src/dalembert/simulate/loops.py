"""Closed loops in motion: multipliers solved at every instant, every step brought back to the closure."""

from __future__ import annotations

from collections import ChainMap
from dataclasses import replace

from dalembert.expr import Expr
from dalembert.loops.dynamics import LoopEquations
from dalembert.simulate._run import compiled
from dalembert.simulate.projection import in_place
from dalembert.simulate.system import System

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
