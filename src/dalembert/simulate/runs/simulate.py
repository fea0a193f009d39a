"""The motion of a mechanism."""

from __future__ import annotations

from collections.abc import Collection
from typing import TypeVar, Unpack

from dalembert.mechanism import Layout, Mechanism, Model
from dalembert.simulate.motion.motion import Motion
from dalembert.simulate.motion.quality import checked
from dalembert.simulate.runs.asked import Asked
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
    """The motion of a mechanism: `run` on its system, `cut` names links that close its loops."""
    return checked(run(system_of(mechanism, Layout.of(mechanism, cut)), t_span, kind=kind, **asked))
