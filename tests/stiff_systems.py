"""Stiff systems whose slow motion is known: a decay that follows a load, and random ones in any unit."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.simulate import Motion, System

Array = NDArray[np.float64]


def follower(k: float = 1e5) -> System:
    x = ex.symbol("x")
    return System(("x",), (), (-k * (x - ex.cos(ex.TIME)),), start={"x": 1.0})


@dataclass(frozen=True)
class Led:
    """A stiff linear system that is led along a known slow motion, in some unit of time and of length."""

    system: System
    exact: Callable[[Array], Array]
    atol: Array


def led(seed: int, rtol: float, second: float, metre: float) -> Led:
    """y' = g' - A (y - g), or q'' = g'' - D (q' - g') - K (q - g), rates from 1e2 to 1e8 in skew directions."""
    rng = random.Random(seed)
    n, waves = rng.choice([1, 2, 3]), list[list[tuple[float, float, float]]]()
    for _ in range(n):
        waves.append([(rng.uniform(0.3, 1), rng.uniform(0.3, 3), rng.uniform(0, 6)) for _ in range(2)])
    names = [f"x{i}" for i in range(n)]
    x, v = [ex.symbol(one) for one in names], [ex.symbol(one + "'") for one in names]

    def load(turn: int) -> list[Any]:
        """Derivatives of sums of sines, by a quarter of a turn each."""
        return [
            sum((metre * a * (w / second) ** turn * ex.sin(ex.TIME * (w / second) + (p + turn * math.pi / 2))
                 for a, w, p in one), ex.ZERO)
            for one in waves
        ]  # fmt: skip

    def exact(t: Array, turn: int = 0) -> Array:
        terms = ([metre * a * (w / second) ** turn * np.sin(w / second * t + p + turn * math.pi / 2)
                  for a, w, p in one] for one in waves)  # fmt: skip
        return np.array([sum(one) for one in terms])

    skew = np.eye(n) + 0.4 / math.sqrt(n) * np.array([[rng.gauss(0, 1) for _ in range(n)] for _ in range(n)])
    place, pace, push = load(0), load(1), load(2)
    start = dict(zip(names, exact(np.zeros(1))[:, 0].tolist(), strict=True))
    if rng.random() < 0.5:
        rates = [10 ** rng.uniform(2, 8) / second for _ in range(n)]
        a = skew @ np.diag(rates) @ np.linalg.inv(skew)
        right = [pace[i] - sum((float(a[i, j]) * (x[j] - place[j]) for j in range(n)), ex.ZERO) for i in range(n)]
        return Led(System(tuple(names), (), tuple(right), start=start), exact, np.full(n, rtol * metre))
    q, springs = np.linalg.qr(skew)[0], [10 ** rng.uniform(4, 9) / second**2 for _ in range(n)]
    dampers = [2 * 10 ** rng.uniform(-0.5, 1) * math.sqrt(k) for k in springs]
    stiffness, damping = q @ np.diag(springs) @ q.T, q @ np.diag(dampers) @ q.T
    right = [
        push[i]
        - sum((float(damping[i, j]) * (v[j] - pace[j]) + float(stiffness[i, j]) * (x[j] - place[j])
               for j in range(n)), ex.ZERO)
        for i in range(n)
    ]  # fmt: skip
    start |= dict(zip((one + "'" for one in names), exact(np.zeros(1), 1)[:, 0].tolist(), strict=True))
    return Led(
        System(tuple(names), tuple(one + "'" for one in names), (*v, *right), start=start),
        lambda t: np.concatenate([exact(t), exact(t, 1)]),
        np.repeat([rtol * metre, rtol * metre / second], n),
    )


def worst(motion: Motion, case: Led, rtol: float, seed: int) -> float:
    """The largest distance from the slow motion at random times, in the tolerances of the steps they lie in."""
    rng, t, y = np.random.default_rng(seed), motion.t, motion.y
    times = np.sort(rng.uniform(t[0], t[-1], 1000))
    k = np.clip(np.searchsorted(t, times, side="right") - 1, 0, len(t) - 2)
    scales = case.atol[:, None] + rtol * np.maximum(np.abs(y[:, k]), np.abs(y[:, k + 1]))
    off: Array = (motion.sol(times) - case.exact(times)) / scales
    return float(np.sqrt((off**2).mean(axis=0)).max())
