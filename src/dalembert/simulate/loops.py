"""Closed loops in motion: multipliers solved at every instant, every step brought back to the closure."""

from __future__ import annotations

from collections import ChainMap
from dataclasses import replace

from dalembert.dynamics import Dynamics
from dalembert.expr import Expr
from dalembert.kinematics import COMPONENTS
from dalembert.simulate._run import compiled
from dalembert.simulate.projection import in_place
from dalembert.simulate.system import System

_REPEATS = 8


def with_loops(system: System, about: Dynamics) -> System:
    """The system with the reactions of its cut links, brought back to its constraints after every step."""
    reactions: dict[str, Expr] = {}
    for name, wrench in about.reactions.items():
        reactions |= {f"{name}.{part}": value for part, value in zip(COMPONENTS, wrench.scalars, strict=True)}
    outputs = ChainMap(reactions, system.outputs)  # type: ignore[arg-type]
    step = compiled("projection", system.symbols, system.known_parameters, tuple(about.corrected))
    return replace(system, outputs=outputs, project=in_place(step, len(system.states), _REPEATS))
