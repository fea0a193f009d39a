"""Closed loops in motion: multipliers solved at every instant, every step brought back to the closure."""

from __future__ import annotations

from dataclasses import replace

from dalembert.dynamics import Dynamics
from dalembert.simulate.system import Constrained, System


def with_loops(system: System, about: Dynamics) -> System:
    """The system, brought back to its constraints after every step."""
    return replace(
        system,
        corrected=tuple(about.corrected),
        still_open=about.still_open,
        constrained=Constrained(about.mass_matrix, tuple(about.right_side), about.rows, about.resolved),
    )
