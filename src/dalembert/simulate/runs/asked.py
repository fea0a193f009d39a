"""What may be asked of a simulation beside its system and its span, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict

from numpy.typing import ArrayLike

from dalembert.simulate.methods.contract import Method
from dalembert.simulate.system.system import Value


class Asked(TypedDict, total=False):
    """The arguments of `run`; what is left out has its default there."""

    start: Mapping[str, Value] | None
    given: Mapping[str, Value] | None
    method: str | Method
    t_eval: ArrayLike | None
    events: Any
    rtol: ArrayLike
    atol: ArrayLike | None
    max_step: float
    first_step: float | None
    dense_output: bool | None
    progress: bool | None
    impacts: str
