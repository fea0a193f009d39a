"""Motions that tell parameters apart: periodic, within limits, with well-conditioned columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import minimize

from dalembert.dynamics import dynamics_of
from dalembert.errors import ModelError
from dalembert.presentation.records import Record

if TYPE_CHECKING:
    from dalembert.identify.base import BaseParameters


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
    """A sum of sines in every coordinate, inside `limits` and below `rates`, whose condition number is small.

    Trees whose speeds are the rates of their coordinates; the first and the last posture are the middle, at rest.
    """
    layout = base.regressor.layout
    state = layout.state
    names = state.coordinates
    if dynamics_of(layout).closed or tuple(f"{x}'" for x in names) != state.speeds:
        raise ModelError("excitations are made for trees whose speeds are the rates of their coordinates.")
    missing = [x for x in names if x not in limits]
    if missing:
        raise ModelError(f"an excitation needs limits of {', '.join(missing)}: `limits={{'{missing[0]}': (-1, 1)}}`.")
    n = len(names)
    low, high = (np.array([limits[x][k] for x in names]) for k in (0, 1))
    fastest = np.array([(rates or {}).get(x, np.inf) for x in names])
    t = np.linspace(0.0, period, samples)
    w = 2 * np.pi / period * np.arange(1, harmonics + 1)
    sine, cosine = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))

    def motion(x: Any) -> tuple[Any, Any, Any]:
        a, b = x.reshape(2, harmonics, n)
        b = b - b.mean(axis=0)  # at rest in the middle at the ends: sum of a w and sum of b vanish
        a = a - (a * w[:, None]).mean(axis=0) / w[:, None]
        q = sine @ a + (cosine - 1) @ b
        u = (cosine * w) @ a - (sine * w) @ b
        v = -(sine * w**2) @ a - (cosine * w**2) @ b
        size = np.maximum((np.abs(q) / ((high - low) / 2)).max(axis=0), (np.abs(u) / fastest).max(axis=0))
        share = 1 / np.maximum(size, 1e-300)  # as wide and as fast as the limits allow
        return (low + high) / 2 + q * share, u * share, v * share

    def condition(x: Any) -> float:
        q, u, v = motion(x)
        W = base.columns(base.regressor(q, u, v, given=given)).reshape(-1, len(base))
        sizes = np.sqrt((W * W).sum(axis=0))
        single = np.linalg.svd(W / np.where(sizes > 0, sizes, 1), compute_uv=False)
        return float(np.log(single[0] / max(single[-1], 1e-15 * single[0])))

    rng = np.random.default_rng(seed)
    best: tuple[float, Any] | None = None
    for _ in range(tries):
        found = minimize(condition, rng.standard_normal(2 * harmonics * n), method="Powell", options={"maxfev": 600})
        if best is None or found.fun < best[0]:
            best = (float(found.fun), found.x)
    if best is None:
        raise ModelError("an excitation needs at least one try.")
    q, u, v = motion(best[1])
    return Excitation(t, q, u, v, float(np.exp(best[0])))
