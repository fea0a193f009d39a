"""The motion of a mechanism."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from dalembert.mechanism import Layout, Mechanism
from dalembert.simulate.methods.contract import Method
from dalembert.simulate.methods.problem import RTOL
from dalembert.simulate.motion.motion import Motion
from dalembert.simulate.motion.quality import checked
from dalembert.simulate.runs.run import run
from dalembert.simulate.system.from_mechanism import system_of
from dalembert.simulate.system.system import Value

M = TypeVar("M", bound=Motion)


def simulate(
    mechanism: Mechanism,
    t_span: tuple[float, float],
    *,
    start: Mapping[str, Value] | None = None,
    given: Mapping[str, Value] | None = None,
    method: str | Method = "DOP853",
    t_eval: ArrayLike | None = None,
    events: Any = None,
    rtol: ArrayLike = RTOL,
    atol: ArrayLike | None = None,
    max_step: float = np.inf,
    first_step: float | None = None,
    dense_output: bool | None = None,
    progress: bool | None = None,
    impacts: str = "auto",
    cut: Collection[str] = (),
    kind: type[M] | None = None,
) -> M:
    """The motion of a mechanism: `run` on its system, `cut` names links that close its loops."""
    motion = run(
        system_of(mechanism, Layout.of(mechanism, cut)),
        t_span,
        start=start,
        given=given,
        method=method,
        t_eval=t_eval,
        events=events,
        rtol=rtol,
        atol=atol,
        max_step=max_step,
        first_step=first_step,
        dense_output=dense_output,
        progress=progress,
        impacts=impacts,
        kind=kind,
    )
    return checked(motion)
