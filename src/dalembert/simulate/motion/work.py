"""Work along a motion: a power integrated on its dense output, step by step."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from dalembert.simulate.loop.dense import DenseOutput

Array = NDArray[np.float64]
#: Nodes a step. The highest order of a method here is 12 (in its steps, 8 between them): 8 nodes are of order 16.
_NODES = 8
_PLACES, _WEIGHTS = ((x + shift) / 2 for x, shift in zip(np.polynomial.legendre.leggauss(_NODES), (1, 0), strict=True))


def work_along(sol: DenseOutput, times: Array, power: Callable[[Array, Array], Array]) -> Array:
    """The integral of `power(t, y)` from the start of the motion to each of `times`."""

    def integrals(begin: Array, end: Array) -> Array:
        h = end - begin
        t = (begin[:, None] + h[:, None] * _PLACES).ravel()
        values = power(t, sol(t)) if len(t) else np.zeros(0)
        found: Array = h * (values.reshape(-1, _NODES) @ _WEIGHTS)
        return found

    edges = sol.t
    if len(edges) < 2:
        return np.zeros(len(times))
    sense = 1.0 if edges[-1] >= edges[0] else -1.0
    whole = np.concatenate([[0.0], np.cumsum(integrals(edges[:-1], edges[1:]))])
    step = np.clip(np.searchsorted(sense * edges, sense * times, side="right") - 1, 0, len(edges) - 1)
    inside = times != edges[step]
    found = whole[step]
    found[inside] += integrals(edges[step[inside]], times[inside])
    return found
