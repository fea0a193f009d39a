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
    **asked: Unpack[Asked],
) -> M:
    """The motion of a mechanism: `run` on its system, `cut` names links that close its loops.

    Time stepping of free bodies with a contact among many shapes needs no equations: it has a way of its own.
    """
    layout = Layout.of(mechanism, cut)
    method = find_method(asked.get("method", "auto"))
    if isinstance(method, MoreauJean) and is_crowd(layout.model) and not obstacle(layout.model):
        found: M = run_crowd(layout, t_span, method, kind or Motion, asked)
        return found
    try:
        return checked(run(system_of(mechanism, layout), t_span, kind=kind, **asked))
    except SimulationError as error:
        again = without_charts(layout, error) if isinstance(error.partial, Motion) else None
        if again is None:
            raise
        model, begun, said = again
        asked["start"] = begun
        try:
            motion = checked(run(system_of(model, Layout.of(model, cut)), t_span, kind=kind, **asked))
        except DalembertError:
            raise error from None
        return replace(motion, message=f"{motion.message}; {said}")
