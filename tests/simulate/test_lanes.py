"""Trajectories side by side in vectors are, bit by bit, those integrated alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.codegen import Function, compile_functions
from dalembert.errors import SimulationError
from dalembert.simulate import Ensemble, Event, Problem, System, integrate, integrate_many, run_many, system_of
from dalembert.simulate.lanes import native
from dalembert.simulate.loop.native import text_in
from dalembert.simulate.methods import driver_lanes, driver_many
from linkages import four_bar
from random_mechanisms import random_tree
from sample_systems import double_pendulum, free_body, pendulum, spherical_pendulum

X, V = ex.symbols("x x'")
NUMBERS = ("y", "status", "t_last", "y_last", "nfev", "reasons", "shortest")


@pytest.fixture
def road(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], None]:
    """Choose the road of every ensemble to come: in lanes or one by one."""

    def choose(side_by_side: bool, width: int = native.lanes()) -> None:
        monkeypatch.setattr(driver_lanes, "_MADE", -np.inf if side_by_side else np.inf)
        monkeypatch.setattr(driver_lanes, "lanes", lambda: width)
        monkeypatch.setattr(driver_many, "_SAMPLE", 1)

    return choose


@pytest.fixture
def in_lanes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The widths of the lanes that were used."""
    used, real = list[int](), driver_lanes.advance_lanes
    monkeypatch.setattr(driver_lanes, "advance_lanes", lambda width, block: [used.append(width), real(width, block)][1])
    return used


def same(one: Ensemble, other: Ensemble, order: Any = slice(None)) -> None:
    for name in NUMBERS:
        np.testing.assert_array_equal(getattr(one, name)[order], getattr(other, name), err_msg=name)


def blow_up() -> System:
    return System(("x",), ("x'",), (V, ex.symbol("k") * X**3), {"k": 1.0}, {"x": 1.0})


def pushed() -> System:
    m = da.Mechanism("block")
    m.join(
        da.earth, m.body("block", mass=1), da.prismatic("x").with_efforts(x="max(0, 0.05 - abs(t - a))*400"), name="s"
    )
    m.given["a"] = 2.0
    return system_of(m)


def closed() -> System:
    m = four_bar((0.2, 0.4, 0.35), 0.5)
    m.start = {"A.th": 0.7}
    return system_of(m)


def spread(low: float, high: float, count: int = 37) -> np.ndarray:
    return np.random.default_rng(5).uniform(low, high, count)


#: A system, its span and what is asked of it: of each kind of thing that may happen to a trajectory.
ASKED: dict[str, tuple[Callable[[], System], tuple[float, float], Callable[[], dict[str, Any]]]] = {
    "order 8": (double_pendulum, (0, 3), lambda: {"start": {"a": spread(-2, 2)}, "method": "DOP853"}),
    "order 9": (double_pendulum, (0, 2), lambda: {"start": {"a": spread(-2, 2)}, "method": "VERNER98", "rtol": 1e-12}),
    "order 5": (double_pendulum, (0, 2), lambda: {"given": {"g": spread(1, 20)}, "method": "DOPRI5"}),
    "order 3": (pendulum, (0, 2), lambda: {"start": {"joint.th": spread(-2, 2)}, "method": "BS23", "rtol": 1e-5}),
    "backwards": (double_pendulum, (2, -1), lambda: {"start": {"a": spread(-2, 2)}, "t_eval": [2.0, 1.5, 0.0, -0.4]}),
    "the end alone": (double_pendulum, (0, 2), lambda: {"start": {"a": spread(-2, 2)}, "t_eval": None}),
    "unit quaternions": (free_body, (0, 3), lambda: {"start": {"wx": spread(-3, 3)}}),
    "closed loops": (closed, (0, 0.5), lambda: {"start": {"A.th'": spread(1, 4)}}),
    "vanished guards": (spherical_pendulum, (0, 2), lambda: {"start": {"th": 1.0, "ph'": spread(-1, 1).round(0)}}),
    "terminal events": (
        pendulum,
        (0, 9),
        lambda: {"start": {"joint.th": spread(0.1, 3)}, "events": [Event("joint.th", terminal=2), "joint.th' - 7"]},
    ),
    "quick events": (
        pendulum,
        (0, 1),
        lambda: {"start": {"joint.th": spread(0.1, 3)}, "events": Event("sin(300*t) - joint.th/2", terminal=9)},
    ),
    "blow-ups": (blow_up, (0, 3), lambda: {"given": {"k": spread(-3, 3)}}),
    "corners by time": (pushed, (0, 9), lambda: {"given": {"a": spread(0, 10)}}),
    "stiffness": (
        lambda: System(("x",), ("x'",), (V, ex.symbol("mu") * (1 - X**2) * V - X), {"mu": 1.0}, {"x": 2.0}),
        (0, 3),
        lambda: {"given": {"mu": np.exp(spread(0, 9))}, "method": "auto"},
    ),
    "chosen steps": (
        double_pendulum,
        (0, 1),
        lambda: {"start": {"a": spread(-1, 1)}, "max_step": 0.02, "first_step": 1e-3},
    ),
    "huge angles": (double_pendulum, (0, 1), lambda: {"start": {"a": spread(-1, 1) * 10 ** spread(0, 9).round(0)}}),
}


@pytest.mark.parametrize("kind", ASKED)
def test_each_is_the_one_alone_bit_by_bit(kind: str, road: Callable[..., None], in_lanes: list[int]) -> None:
    make, span, asked = ASKED[kind]
    words = {"t_eval": np.linspace(*span, 13), "method": "DOP853", "rtol": 1e-7, **asked()}
    road(False)
    alone = run_many(make(), span, **words)
    assert not in_lanes
    for width in native.WIDTHS:
        road(True, width)
        same(run_many(make(), span, **words, threads=width // 4), alone)
    assert set(in_lanes) == set(native.WIDTHS)


@pytest.mark.parametrize("seed", range(4))
def test_random_machines_are_the_same_in_any_order_and_company(seed: int, road: Callable[..., None]) -> None:
    rng = np.random.default_rng(seed)
    system = system_of(random_tree(seed, 3, moving_time=bool(seed % 2)))
    count, names = int(rng.integers(9, 40)), system.parameters
    start = {x: rng.uniform(0.2, 0.9, count) for x in system.states if x not in sum(system.quaternions, ())}
    given = {x: rng.uniform(0.5, 2, count) for x in names}
    asked = {"t_eval": np.sort(rng.uniform(0, 0.5, 9)), "rtol": 10.0 ** rng.uniform(-11, -4), "atol": 1e-9}
    road(False)
    alone = run_many(system, (0, 0.5), start=start, given=given, **asked)
    road(True)
    order = rng.permutation(count)[: int(rng.integers(3, count + 1))]
    some = {"start": {k: v[order] for k, v in start.items()}, "given": {k: v[order] for k, v in given.items()}}
    same(alone, run_many(system, (0, 0.5), **some, **asked, threads=int(rng.integers(1, 4))), order)


def test_a_large_ensemble_goes_in_lanes_and_what_has_no_vectors_alone(in_lanes: list[int]) -> None:
    rates = compile_functions(
        [Function("rhs", [[ex.TIME], [X, V], [ex.symbol("k")]], [V, -ex.symbol("k") * ex.sin(X)])]
    )["rhs"]
    starts = np.column_stack([np.linspace(-2, 2, 9_000), np.zeros(9_000)])
    many = integrate_many(Problem(rates, (0.0, 30.0), starts, [1.0], rtol=1e-10), threads=1)
    assert in_lanes == [native.lanes()]
    assert many.success
    for k in (0, 777, 8_999):
        alone = integrate(Problem(rates, (0.0, 30.0), starts[k], [1.0], t_eval=[30.0], rtol=1e-10))
        np.testing.assert_array_equal(many.y[k], alone.y)
    in_lanes.clear()
    for how in ({"method": "RADAU9"}, {"method": "symplectic4", "first_step": 0.1}):
        integrate_many(Problem(rates, (0.0, 1.0), starts[:50], [1.0], **how))
    integrate_many(Problem(lambda t, y: -y, (0.0, 1.0), starts[:50]))
    assert not in_lanes


def test_python_errors_and_wrong_tables_are_told_in_lanes_too(road: Callable[..., None]) -> None:
    road(True)
    with pytest.raises(SimulationError, match="'a' has 30, 'b' has 20"):
        run_many(double_pendulum(), (0, 1), start={"a": np.zeros(30), "b": np.zeros(20)})


def test_an_event_too_quick_for_one_trajectory_is_followed_in_the_next(road: Callable[..., None]) -> None:
    """What one motion has done to its memory is not there for the one that follows."""
    asked: dict[str, Any] = {"events": Event("c + sin(k*t)", terminal=2000), "t_eval": [1.0], "threads": 1}
    system = System(("x",), ("x'",), (V, -X), {"k": 1.0, "c": 0.0}, {"x": 1.0})
    quick = np.arange(18) < 9  # no zero, which only short pieces tell
    given = {"k": np.where(quick, 1e9, 3e4), "c": np.where(quick, 1 + 1e-9, 0.0)}
    for side_by_side in (False, True):
        road(side_by_side)
        many = run_many(system, (0, 1), given=given, **asked)
        assert many.t_last[-1] == pytest.approx(2000 * np.pi / 3e4, rel=1e-9)


def test_shipped_code_is_that_of_the_sources() -> None:
    """After a change of lanes or loop: `python -m dalembert.simulate.lanes.translate`."""
    for width in native.WIDTHS:
        assert text_in(native.shipped(width), native.stamp()) is not None


FRESH = """
import json, sys, numpy as np
from dalembert import expr as ex
from dalembert.codegen import Function, compile_functions
from dalembert.simulate import Problem, integrate_many
from dalembert.simulate.methods import driver_lanes
driver_lanes._MADE = -1e9
x = ex.symbol("x")
f = compile_functions([Function("f", [[ex.TIME], [x], []], [-x])])["f"]
many = integrate_many(Problem(f, (0.0, 1.0), np.ones((40, 1))))
print(json.dumps({"numba": "numba" in sys.modules, "ends": many.y[:, 0, -1].tolist()}))
"""


def test_a_fresh_machine_needs_no_numba_for_lanes(tmp_path: Path) -> None:
    fresh = {**os.environ, "DALEMBERT_CACHE": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", FRESH], capture_output=True, text=True, check=True, timeout=120, env=fresh
    )
    told = json.loads(done.stdout)
    assert told["numba"] is False
    assert told["ends"] == pytest.approx([np.exp(-1)] * 40, abs=1e-9)
