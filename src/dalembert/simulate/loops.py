"""Closed loops in motion: reactions to tell, a projection on the constraints, the equations before they are solved."""

from __future__ import annotations

from collections import ChainMap
from dataclasses import replace

from dalembert.dynamics import Dynamics
from dalembert.expr import Expr
from dalembert.kinematics import COMPONENTS
from dalembert.simulate.system import Constrained, System


def with_loops(system: System, about: Dynamics) -> System:
    """The system with the reactions of its cut links, brought back to its constraints after every step."""
    reactions: dict[str, Expr] = {}
    for name, wrench in about.reactions.items():
        reactions |= {f"{name}.{part}": value for part, value in zip(COMPONENTS, wrench.scalars, strict=True)}
    return replace(
        system,
        outputs=ChainMap(reactions, system.outputs),  # type: ignore[arg-type]
        corrected=tuple(about.corrected),
        still_open=about.still_open,
        constrained=Constrained(about.mass_matrix, tuple(about.right_side), about.rows, about.resolved),
    )
