"""A system on the branch where its motion starts: relations that its loops force, where the closure is singular."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dalembert.dynamics import dynamics_of
from dalembert.errors import SimulationError
from dalembert.expr import uncollected
from dalembert.loops.branch import has_branch, on_branch
from dalembert.simulate.system.from_mechanism import system_of
from dalembert.simulate.system.system import System


@uncollected()
def on_its_branch(
    system: System,
    start: Mapping[str, Any] | None,
    given: Mapping[str, Any] | None,
    t: float,
    *,
    many: bool = False,
) -> tuple[System, str]:
    """The system with the relations of its branch as constraints, and a word about them; the same where none are."""
    if system.layout is None:
        return system, ""
    posture = {name: value for name, value in (start or {}).items() if name != "t"}  # `mo.state(t)` tells its time
    layout, word = on_branch(system.layout, posture, given, t, many=many)
    return (system_of(layout.model, layout), word) if word else (system, "")


def check_switch(system: System, changes: Mapping[str, float]) -> None:
    """Refuse another length of a loop whose relations hold for the one that it had."""
    if system.layout is None or not has_branch(system.layout):
        return
    wrong = [name for name in dynamics_of(system.layout).closure.parameters if name in changes]
    if wrong:
        raise SimulationError(
            f"an event gives '{wrong[0]}' of '{system.name}' another value: the closure is singular along the whole "
            "motion, and the relations that its loops force hold for the value at the start. End the motion with this "
            "event, and begin another with the new value."
        )
