"""Within long stiff steps dense output, asked times and events keep the tolerance that the nodes keep."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.simulate import System, run, run_many
from stiff_systems import follower, led, worst

Array = NDArray[np.float64]
STIFF = ("RADAU9", "RADAU5", "RODAS4")


def followed(t: Array, k: float = 1e5) -> Array:
    """The slow motion, on which the start lies but for 1/k^2."""
    return (k * k * np.cos(t) + k * np.sin(t)) / (k * k + 1)


@pytest.mark.parametrize("method", [*STIFF, "auto"])
def test_a_decay_that_follows_a_slow_load_is_told_between_its_steps(method: str) -> None:
    """Steps of up to 5 s were 7e-3 off in their middle, and 0.6 with three stages; times of zeros 2e-3 s."""
    rtol = 1e-6 if method == "RODAS4" else 1e-9
    options: dict[str, Any] = {"method": method, "rtol": rtol, "atol": 0.1 * rtol, "events": "x"}
    asked = np.linspace(0.05, 20, 501)
    motion, told = (run(follower(), (0, 20), t_eval=grid, **options) for grid in (None, asked))
    assert np.abs(motion.sol(asked)[0] - followed(asked)).max() < 2 * rtol
    assert np.abs(told.y[0] - followed(asked)).max() < 2 * rtol
    zeros = math.pi * (np.arange(6) + 0.5) + 1e-5  # tan t = -k
    assert motion.events["x"] == pytest.approx(zeros, abs=2 * rtol)
    if method == "RADAU9":
        assert motion.accepted < 200
        many = run_many(follower(), (0, 20), start={"x": np.array([1.0, 0.5])}, t_eval=asked, method=method, rtol=rtol)
        alone = run(follower(), (0, 20), t_eval=asked, method=method, rtol=rtol)
        np.testing.assert_array_equal(many.y[0], alone.y)


@pytest.mark.parametrize(("second", "metre"), [(1.0, 1.0), (1e-3, 1e3), (1e3, 1e-3)])
@pytest.mark.parametrize("seed", range(14))
def test_random_stiff_systems_keep_their_tolerance_everywhere(seed: int, second: float, metre: float) -> None:
    """Of 180 motions by Radau's methods the largest error was 1.4 tolerances; it was 1e9."""
    rng = random.Random(1000 + seed)
    method = STIFF[seed % 2]
    rtol = 10 ** rng.uniform(-10, -3)
    case = led(seed, rtol, second, metre)
    motion = run(case.system, (0, 20 * second), method=method, rtol=rtol, atol=case.atol, events="x0")
    assert worst(motion, case, rtol, seed) < 3
    fine = np.linspace(0, 20 * second, 20001)
    there = case.exact(fine)[0]
    assert np.abs(case.exact(motion.events["x0"])[0]).max(initial=0) < 6 * (case.atol[0] + rtol * metre)
    crossings = np.flatnonzero(there[:-1] * there[1:] < 0)
    assert len(motion.events["x0"]) == len(crossings)


@pytest.mark.parametrize("seed", range(3))
def test_the_linearly_implicit_method_does_so_too(seed: int) -> None:
    case = led(40 + seed, 1e-5, 1.0, 1.0)
    assert worst(run(case.system, (0, 20), method="RODAS4", rtol=1e-5, atol=case.atol), case, 1e-5, seed) < 3


@pytest.mark.parametrize("method", ["RADAU9", "RADAU5"])
def test_speeds_of_a_mass_on_a_stiff_spring_keep_the_tolerance(method: str) -> None:
    """The spring holds the place, and the speed is its rate: an order less (index 3), which went untold: 1e-3."""
    x, v = ex.symbols("x x'")
    guided = System(("x",), ("x'",), (v, -1e9 * (x - ex.sin(ex.TIME))), start={"x": 0.0, "x'": 1.0})
    motion = run(guided, (0, 1), method=method, rtol=1e-8)
    assert np.abs(motion.y[1] - np.cos(motion.t)).max() < 3e-8
    assert motion.accepted < 150
