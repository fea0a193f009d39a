"""Constraints in motion: multipliers solved at every instant, every step brought back, coupling and slip watched."""

from __future__ import annotations

from dataclasses import replace

from dalembert.dynamics import Dynamics
from dalembert.simulate.system.system import Condition, Constrained, System


def kept_closed(system: System, about: Dynamics) -> System:
    """The system, brought back to its constraints after every step."""
    return replace(
        system,
        corrected=tuple(about.corrected),
        still_open=about.still_open,
        constrained=Constrained(about.mass_matrix, tuple(about.right_side), about.rows, about.resolved),
    )


def coupling_conditions(about: Dynamics) -> list[Condition]:
    """What devices need to keep their hold: the angle between what they push and what is asked stays below a right one.

    Of sliding contacts, for pushed and pulled ones; and slip, without which friction has no direction.
    """
    rows = about.rows
    if not rows.imperfect:
        return []
    names = ", ".join(f"'{rows.owners[k]}'" for k in rows.imperfect)
    lost = f"the reactions of {names} lose their hold on what they keep (kappa = 0): the effort grows without bound"
    remedy = "Push on what is coupled to the condition there, or end the motion before with an event"
    if rows.sliding:
        remedy += "; with dry friction this is the jamming of Painleve"
    oblique = about.resolved.oblique
    assert oblique is not None
    values = oblique.couplings([about.multipliers[k] for k in rows.imperfect])
    found = [Condition(value, lost, remedy, coupling=True) for value in values if not value.is_number]
    for k, one in rows.sliding.items():
        if one.guided:
            continue
        meaning = f"the contact '{rows.owners[k]}' no longer slides, and dry friction has no direction there"
        found.append(
            Condition(one.speed, meaning, "End the motion there with an event, or hold the contact from then on")
        )
    return found
