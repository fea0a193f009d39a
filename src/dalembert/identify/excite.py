"""Motions that tell parameters apart: periodic, within limits, with well-conditioned columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import minimize

from dalembert.errors import ArgumentError, ModelError
from dalembert.identify.driven import Driven
from dalembert.identify.states import States
from dalembert.presentation.records import Record

if TYPE_CHECKING:
    from dalembert.identify.base import BaseParameters

#: Logarithms of conditions end at 35 (doubles): motions that leave their limits count more, open loops most.
_OUTSIDE, _NOT_CLOSED = 50.0, 1e3


@dataclass(frozen=True, eq=False)
class Excitation(Record):
    """q, u, udot over a period, one row for each time; `condition` of the columns of the base parameters."""

    t: Any
    q: Any
    u: Any
    udot: Any
    condition: float


def excitation(
    base: BaseParameters,
    limits: Mapping[str, tuple[float, float]],
    *,
    period: float,
    rates: Mapping[str, float] | None = None,
    harmonics: int = 4,
    samples: int = 100,
    given: Mapping[str, Any] | None = None,
    tries: int = 3,
    seed: int = 0,
) -> Excitation:
    """A sum of sines in every driven coordinate, inside `limits` and below `rates`, whose condition number is small.

    In a tree every hinge and slide is driven, and "base.turn.x", "base.turn.y", "base.turn.z" of a floating base or a
    ball; of a machine with loops as many coordinates as it has freedoms: the first with limits that can be chosen.
    Others follow, within their limits where they have some. The first and the last posture are the middle, at rest.
    """
    driven = Driven(base.regressor.layout, limits, given)
    names = driven.names
    n = len(names)
    low, high = (np.array([float(limits[x][k]) for x in names]) for k in (0, 1))
    if not (low < high).all():
        raise ArgumentError("limits are a lower and a higher end: {'elbow.th': (-1, 1)}.")
    fastest = np.array([(rates or {}).get(x, np.inf) for x in names])
    t = np.linspace(0.0, period, samples)
    w = 2 * np.pi / period * np.arange(1, harmonics + 1)
    sine, cosine = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))

    def motion(x: Any) -> States | None:
        a, b = x.reshape(2, harmonics, n)
        b = b - b.mean(axis=0)  # at rest in the middle at the ends: sum of a w and sum of b vanish
        a = a - (a * w[:, None]).mean(axis=0) / w[:, None]
        q = sine @ a + (cosine - 1) @ b
        u = (cosine * w) @ a - (sine * w) @ b
        v = -(sine * w**2) @ a - (cosine * w**2) @ b
        size = np.maximum((np.abs(q) / ((high - low) / 2)).max(axis=0), (np.abs(u) / fastest).max(axis=0))
        share = 1 / np.maximum(size, 1e-300)  # as wide and as fast as the limits allow
        return driven.states((low + high) / 2 + q * share, u * share, v * share)

    def condition(x: Any) -> float:
        found = motion(x)
        if found is None:
            return _NOT_CLOSED
        W = base.columns(found.stacked(base.regressor(found.q, found.u, found.udot, given=given)))
        sizes = np.sqrt((W * W).sum(axis=0))
        single = np.linalg.svd(W / np.where(sizes > 0, sizes, 1), compute_uv=False)
        return float(np.log(single[0] / max(single[-1], 1e-15 * single[0]))) + _beyond(found, driven, limits, rates)

    rng = np.random.default_rng(seed)
    best: tuple[float, Any] | None = None
    for _ in range(tries):
        found = minimize(condition, rng.standard_normal(2 * harmonics * n), method="Powell", options={"maxfev": 600})
        if best is None or found.fun < best[0]:
            best = (float(found.fun), found.x)
    if best is None:
        raise ArgumentError("an excitation needs at least one try.")
    states = motion(best[1])
    if states is None or _beyond(states, driven, limits, rates):
        raise ModelError(
            f"no motion of {', '.join(names)} over these limits was found that keeps the loops closed and all others "
            "inside their limits: narrow the limits, or try more (`tries`)."
        )
    return Excitation(t, states.q, states.u, states.udot, float(np.exp(best[0])))


def _beyond(
    found: States,
    driven: Driven,
    limits: Mapping[str, tuple[float, float]],
    rates: Mapping[str, float] | None,
) -> float:
    """By how much what follows leaves its limits, in parts of them: more than any condition counts, where it does."""
    worst = 0.0
    for name, (low, high) in limits.items():
        if name not in driven.names:
            q = found.q[:, driven.coordinates.index(name)]
            worst = max(worst, float(max(low - q.min(), q.max() - high)) / (high - low))
    for name, fastest in (rates or {}).items():
        if name not in driven.names and f"{name}'" in driven.speeds:
            worst = max(worst, float(np.abs(found.u[:, driven.speeds.index(f"{name}'")]).max()) / fastest - 1)
    return _OUTSIDE * (1 + worst) if worst > 0 else 0.0
