"""The motion of a mechanism."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TypeVar, Unpack

from dalembert.errors import DalembertError, SimulationError
from dalembert.mechanism import Layout, Mechanism, Model
from dalembert.simulate.contact.crowd import is_crowd, obstacle
from dalembert.simulate.contact.moreau_jean import MoreauJean
from dalembert.simulate.methods.table import find_method
from dalembert.simulate.motion.motion import Motion
from dalembert.simulate.motion.quality import checked
from dalembert.simulate.runs.accuracy import second_run
from dalembert.simulate.runs.asked import Asked
from dalembert.simulate.runs.crowd import run_crowd
from dalembert.simulate.runs.recharting import without_charts
from dalembert.simulate.runs.run import run
from dalembert.simulate.system.from_mechanism import system_of

M = TypeVar("M", bound=Motion)


def simulate(
    mechanism: Mechanism | Model,
    t_span: tuple[float, float],
    *,
    cut: Collection[str] = (),
    kind: type[M] | None = None,
    errors: bool = False,
    **asked: Unpack[Asked],
) -> M:
    """The motion of a mechanism: `run` on its system, `cut` names links that close its loops.

    Time stepping of free bodies with a contact among many shapes needs no equations: it has a way of its own. With
    `errors` the motion is made again at a hundredth of the tolerance, and `motion.error` tells how far they are apart.
    """
    layout = Layout.of(mechanism, cut)
    method = find_method(asked.get("method", "auto"))
    if isinstance(method, MoreauJean) and is_crowd(layout.model) and not obstacle(layout.model):
        if errors:
            raise SimulationError("time stepping has no tolerance to tighten: compare motions of two `max_step`s.")
        found: M = run_crowd(layout, t_span, method, kind or Motion, asked)
        return found
    system, said = system_of(mechanism, layout), ""
    try:
        motion: M = run(system, t_span, kind=kind, **asked)
    except SimulationError as error:
        again = without_charts(layout, error) if isinstance(error.partial, Motion) else None
        if again is None:
            raise
        model, asked["start"], said = again
        system = system_of(model, Layout.of(model, cut))
        try:
            motion = run(system, t_span, kind=kind, **asked)
        except DalembertError:
            raise error from None
    apart = second_run(system, t_span, motion, asked) if errors else None
    told = "; ".join(filter(None, [motion.message, said]))
    return checked(replace(motion, message=told, error=apart) if said or errors else motion)
