"""Downhill: where a machine settles that is let go in honey, as configurations that Newton's method may begin from.

Newton's method ends at any balance, at few of them where there are many freedoms: of a chain that hangs from two points
it misses the one that everybody sees. With K = V diag(k) V^T in units of mass and the load r, the step -V |k|^-1 V^T r
goes down wherever forces have a potential, and past tops and saddles.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dalembert.analysis.reduced import Small

Array = Any

#: Steps of at most this, in radians or lengths of the machine: loops of ten links close again after them.
_STRIDE = 0.3
#: Strides to the foot of a slope: some turns of every joint.
_STRIDES = 60
#: Stiffness below this share of the largest is taken for it: along what is nearly a family steps are no longer.
_LEAST = 1e-3
#: A stride this short is the last: Newton's method does the rest in a few steps.
_ARRIVED = 1e-3


def downhill(
    q: Array,
    smalls: Callable[[Array], Sequence[Small]],
    directions: Callable[[Array], Array],
    closed: Callable[[Array], Array],
    units: Array,
) -> Array:
    """Where the columns of q come to; `closed` leaves out those that do not close."""
    arrived = [q[:, :0]]
    for _ in range(_STRIDES):
        if not q.shape[1]:
            break
        new, going = list[Array](), list[bool]()
        for one, ways, column in zip(smalls(q), directions(q), q.T, strict=True):
            if not (len(one.leading) and np.isfinite(one.metric).all() and np.isfinite(one.residual).all()):
                continue
            change = ways @ one.posture @ _down(one)
            size = np.abs(change / units).max(initial=0.0)
            new.append(column + change * min(1.0, _STRIDE / max(size, _STRIDE)))
            going.append(bool(size > _ARRIVED))
        q, on = np.array(new).reshape(-1, len(units)).T, np.array(going, dtype=bool)
        arrived.append(closed(q[:, ~on]))
        q = closed(q[:, on])
    return np.hstack([*arrived, q])


def _down(one: Small) -> Array:
    rows, columns = one.units
    metric = one.metric
    if metric.shape[0] != metric.shape[1]:  # conditions on speeds: there is no potential of as many places
        return np.zeros(metric.shape[1])
    squares, ways = np.linalg.eigh((metric + metric.T) / 2)
    size = np.abs(squares)
    return -columns * (ways @ ((ways.T @ (rows * one.residual)) / np.maximum(size, _LEAST * size.max() or 1.0)))
