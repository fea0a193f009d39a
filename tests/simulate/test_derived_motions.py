"""Forward and adjoint derivatives of random machines, with loops, constraints and events, against differences."""

from __future__ import annotations

import random

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.dynamics import dynamics_of
from dalembert.mechanism import Layout
from dalembert.simulate import Event, System, run, sensitivities, simulate
from dalembert.simulate.runs.adjoint import Glance, adjoint
from random_loops import loaded
from random_mechanisms import random_tree

TIGHT = {"rtol": 1e-12, "atol": 1e-14}
END = 0.4


def differences(m, names, given, start, events, formula):
    """Four motions for each name, error of the fourth order in a step of 3e-4."""

    def last(name: str, shift: float) -> float:
        which, other = (given, start) if name in given else (start, given)
        changed = {**which, name: which[name] + shift}
        own = {"given": changed, "start": other} if name in given else {"given": other, "start": changed}
        mo = simulate(m, (0, END), events=events, **own, **TIGHT)
        return float(mo[formula][-1])

    h = 3e-4
    weights = {1: 8 / 12, -1: -8 / 12, 2: -1 / 12, -2: 1 / 12}
    return np.array([sum(w * last(name, k * h) for k, w in weights.items()) / h for name in names])


def agree(m, given, start, events, formula, names=None, *, within=1e-7):
    names = names or [*given, *start]
    found = sensitivities(m, (0, END), names, given=given, start=start, events=events, **TIGHT)
    forward = found.of(formula, END)
    one = adjoint(m, (0, END), names, given=given, start=start, events=events, **TIGHT)
    backward = one.gradient([Glance(None, ex.parse(formula))])
    right = differences(m, names, given, start, events, formula)
    size = np.abs(right).max()
    assert size > 0
    assert np.abs(forward - right).max() < within * size, (names, forward, right)
    assert np.abs(backward - forward).max() < 1e-8 * size, (names, backward, forward)
    return found


def a_tree(seed: int):
    """A tree whose first joint starts somewhere, with numbers of its parameters."""
    m = random_tree(seed, 2)
    about = dynamics_of(Layout.of(m))
    rng = random.Random(seed)
    given = {x.name: rng.uniform(0.8, 1.6) for x in about.parameters}
    speeds = [s for s in about.state.speeds if s.endswith("'")]
    return m, given, speeds


@pytest.mark.parametrize("seed", [1, 4, 7])
def test_random_trees_with_an_event_that_changes_a_speed(seed: int) -> None:
    m, given, speeds = a_tree(seed)
    x = speeds[0].removesuffix("'")
    start = {speeds[0]: 3.0}
    bounce = Event(f"{x} - 0.3", then={speeds[0]: f"-0.7*{speeds[0]} + 0.1*t"})
    found = agree(m, given, start, bounce, f"{x} + 0.2*{speeds[0]}")
    assert len(found.motion.jumps) >= 1


@pytest.mark.parametrize("seed", [3, pytest.param(0, marks=pytest.mark.slow), pytest.param(8, marks=pytest.mark.slow)])
def test_random_loops_with_springs_and_an_event_that_changes_a_speed(seed: int) -> None:
    m = loaded(seed, driven=seed == 8)
    state = Layout.of(m).state
    x = state.coordinates[0]
    start = {x: 0.0, f"{x}'": 1.5}
    middle = simulate(m, (0, END), start=start).state(0.7 * END)[x]
    change = Event(f"{x} - {middle!r}", then={f"{x}'": f"0.5*{x}'"}, terminal=2)
    found = agree(m, {}, start, change, f"{x} + 0.1*{x}'")
    assert len(found.motion.jumps) == 1


def test_a_constraint_between_speeds_and_a_parameter_of_it() -> None:
    """A skate: sideways it does not slip, by a formula with a parameter."""
    m = da.Mechanism("skate")
    body = m.body("skate", mass="m", centre=["e", 0, 0], inertia=[0.3, 0.3, 0.3])
    m.join(da.earth, body, da.planar("z"), name="ice")
    m.constrain("ice.y'*cos(ice.th) - ice.x'*sin(ice.th) + c*ice.th' = 0", name="edge")
    m.torque(body, [0, 0, "0.4 - 0.1*ice.th'"])
    given, start = {"m": 1.2, "e": 0.15, "c": 0.1}, {"ice.x'": 1.0, "ice.th'": 0.5}
    agree(m, given, start, None, "ice.y + ice.th")


def test_an_event_that_changes_a_parameter_and_one_that_ends_the_motion() -> None:
    x, v, k, c = ex.symbols("x x' k c")
    spring = System(("x",), ("x'",), (v, -k * x - c * v), given={"k": 40.0, "c": 0.3}, start={"x": 1.0, "x'": 0.2})
    harder = Event("x", then={"k": "2*k + c"}, direction=-1)
    names, h = ["k", "c", "x"], 1e-3
    end = Event("x' - 1", terminal=True, direction=1)
    found = sensitivities(spring, (0, 3), names, events=[harder, end], **TIGHT)
    late = found.event_times(1)[-1]
    one = adjoint(spring, (0, 3), names, events=[harder, end], **TIGHT)
    assert one.motion.status == 1
    np.testing.assert_allclose(one.gradient([Glance(None, ex.TIME)]), late, rtol=1e-9)
    for number, name in enumerate(names):
        base = {"k": 40.0, "c": 0.3, "x": 1.0}[name]

        def last(value: float, name: str = name) -> float:
            how = {"start": {"x": value}} if name == "x" else {"given": {name: value}}
            return run(spring, (0, 3), events=[harder, end], **how, **TIGHT).t[-1]

        right = (8 * (last(base + h) - last(base - h)) - last(base + 2 * h) + last(base - 2 * h)) / (12 * h)
        assert late[number] == pytest.approx(right, rel=1e-7)


def test_integrals_and_glances_add_up() -> None:
    """J = integral of x^2 + 3 x(0.2) of a spring, by its closed form."""
    x, v, k = ex.symbols("x x' k")
    spring = System(("x",), ("x'",), (v, -k * x), given={"k": 9.0}, start={"x": 1.0})
    one = adjoint(spring, (0, 1), ["k", "x"], **TIGHT)
    found = one.gradient([Glance(0.2, x, 3.0)], running=x * x)
    w, t = 3.0, 1.0
    # x = a cos wt: the integral is a^2 (t/2 + sin(2wt)/(4w)); dw/dk = 1/(2w)
    by_w = np.cos(2 * w * t) * t / (2 * w) - np.sin(2 * w * t) / (4 * w * w) - 3 * 0.2 * np.sin(0.2 * w)
    by_a = 2 * (t / 2 + np.sin(2 * w * t) / (4 * w)) + 3 * np.cos(0.2 * w)
    np.testing.assert_allclose(found, [by_w / (2 * w), by_a], rtol=1e-9)


@pytest.mark.parametrize("size", [1e-6, 1e3])
def test_the_size_of_the_machine_changes_no_sensitivity(size: float) -> None:
    """A slider-crank with an offset of zero, whose slide starts at zero, in microns and kilometres."""

    def of(size: float) -> np.ndarray:
        m = da.Mechanism("slider-crank")
        crank, rod = (m.body(name, mass=1, centre=[f"{x}/2", 0, 0], inertia=[size**2, size**2, size**2]) for name, x in
                      (("crank", "r"), ("rod", "l")))  # fmt: skip
        block = m.body("block", mass=1, inertia=[size**2, size**2, size**2])
        m.join(da.earth, crank, da.revolute("z"), name="shaft")
        m.join(crank.at(["r", 0, 0]), rod, da.revolute("z"), name="pin")
        m.join(m.frame("far", da.earth.at(["r + l - d", "e", 0])), block, da.prismatic("x"), name="slide")
        m.join(rod.at(["l", 0, 0]), block, da.revolute("z"), name="gudgeon")
        m.gravity = [0, -9.81 * size, 0]
        given = {"r": size, "l": 3 * size, "e": 0.0, "d": 0.2 * size}
        found = m.sensitivities((0, 0.5), ["r", "e", "slide.x"], given=given, start={"slide.x": 0.0}, rtol=1e-10)
        units = np.array([size if s.startswith("slide") else 1.0 for s in found.system.states])
        return found.at(0.5) * size / units[:, None]

    usual = of(1.0)
    np.testing.assert_allclose(of(size), usual, rtol=1e-7, atol=1e-8 * np.abs(usual).max())
