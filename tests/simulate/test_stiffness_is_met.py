"""`auto` finds out where an implicit method is cheaper, at any tolerance, and only there: by counts of evaluations."""

from __future__ import annotations

import random

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert.dynamics import dynamics_of
from dalembert.mechanism import Layout
from dalembert.simulate import Motion, System, run, simulate
from linkages import four_bar
from random_mechanisms import random_tree
from stiff_systems import follower, led, worst

BEGINNING = 2500
"""Evaluations until stiffness is met: two rounds of 64 explicit steps of sixteen, at most, and a trial."""


def guided(damping: float) -> System:
    """A mass on a spring of 1e8 whose end is led; vibrations are damped by this share of the critical."""
    x, v = ex.symbols("x x'")
    t, k, w = ex.TIME, 1e8, 1e4
    rate = -k * (x - ex.sin(t)) - 2 * damping * w * (v - ex.cos(t)) - ex.sin(t)
    return System(("x",), ("x'",), (v, rate), start={"x": 0.0, "x'": 1.0})


def robertson() -> System:
    a, b, c = ex.symbols("a b c")
    rates = (-0.04 * a + 1e4 * b * c, 0.04 * a - 1e4 * b * c - 3e7 * b * b, 3e7 * b * b)
    return System(("a", "b", "c"), (), rates, start={"a": 1.0})


def van_der_pol() -> System:
    x, v = ex.symbols("x x'")
    return System(("x",), ("x'",), (v, ((1 - x**2) * v - x) / 1e-3), start={"x": 2.0, "x'": -0.66})


STIFF = {
    "decay": (follower(), 3.0),
    "robertson": (robertson(), 40.0),
    "relaxation": (van_der_pol(), 2.0),
    "overdamped": (guided(1.0), 1.0),
    "damped": (guided(0.1), 1.0),
    "ringing": (guided(0.01), 1.0),
}


@pytest.mark.parametrize("rtol", [1e-6, 1e-8, 1e-10, 1e-11, 1e-12])
@pytest.mark.parametrize("name", STIFF)
def test_stiffness_is_met_at_every_tolerance(name: str, rtol: float) -> None:
    """It was missed at 1e-11 and tighter, and where vibrations are fast but damped: 40 to 4,600 times the work."""
    system, end = STIFF[name]
    if "damped" in name or name == "ringing":
        rtol = max(rtol, 1e-11)  # speeds are rounded to 1e-12 there: a step of 1 ms is the difference of two places
    options = {"rtol": rtol, "atol": 1e-2 * rtol}
    found, implicit = run(system, (0, end), **options), run(system, (0, end), method="RADAU9", **options)
    assert found.method.endswith("RADAU9")
    assert found.nfev < 2 * implicit.nfev + BEGINNING


@pytest.mark.parametrize(("second", "metre"), [(1.0, 1.0), (1e-3, 1e3), (1e3, 1e-3)])
@pytest.mark.parametrize("seed", range(6))
def test_random_stiff_systems_are_told_in_every_unit(seed: int, second: float, metre: float) -> None:
    rtol = 10 ** random.Random(500 + seed).uniform(-11, -5)
    case = led(500 + seed, rtol, second, metre)
    options = {"rtol": rtol, "atol": case.atol}
    found = run(case.system, (0, 20 * second), **options)
    implicit = run(case.system, (0, 20 * second), method="RADAU9", **options)
    assert found.nfev < 2 * implicit.nfev + 2 * BEGINNING
    assert worst(found, case, rtol, seed) < 30  # dense output of explicit methods: see docs/simulate.md


def _quick() -> dict[str, System]:
    x, v, y, z = ex.symbols("x x' y z")

    def mass(force: str, **start: float) -> System:
        rate = ex.parse(force)
        return System(("x",), ("x'",), (v, rate), start=start or {"x": 1.0})

    chaos = (10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z)
    return {
        "string": mass("-1e6*x"),
        "pendulum": mass("-9.81*sin(x)", x=3.0),
        "driven": mass("-x^3 - 0.1*x' + cos(3*t)"),
        "limit cycle": mass("5*(1 - x^2)*x' - x", x=2.0),
        "pulse": mass("-x + exp(-(20*(t - 10))^2)", x=0.0),
        "at rest": mass("-x - x' + 1", x=0.0),
        "chaos": System(("x", "y", "z"), (), chaos, start={"x": 1.0, "y": 1.0, "z": 1.0}),
    }


QUICK = _quick()


def _same(found: Motion, explicit: Motion) -> bool:
    return found.method == explicit.method and found.nfev == explicit.nfev and np.array_equal(found.y, explicit.y)


@pytest.mark.parametrize("rtol", [1e-4, 1e-7, 1e-10, 1e-12])
@pytest.mark.parametrize("name", QUICK)
def test_what_is_not_stiff_costs_no_evaluation_and_changes_no_digit(name: str, rtol: float) -> None:
    method = "VERNER98" if rtol < 1e-11 else "DOP853"
    end = 0.1 if name == "string" else 40
    options = {"rtol": rtol, "atol": 1e-2 * rtol}
    assert _same(run(QUICK[name], (0, end), **options), run(QUICK[name], (0, end), method=method, **options))


@pytest.mark.parametrize("seed", range(5))
def test_random_machines_raise_no_alarm(seed: int) -> None:
    m = random_tree(seed, 2) if seed else four_bar((2.0, 3.0, 3.0), 4.0)
    rng = random.Random(seed)
    given = {x.name: rng.uniform(0.8, 1.6) for x in dynamics_of(Layout.of(m)).parameters} if seed else {}
    options = {"rtol": 1e-9, "given": given}
    assert _same(simulate(m, (0, 2), **options), simulate(m, (0, 2), method="DOP853", **options))
