"""Forces that begin and end by time are met, however long the steps are that a machine at rest takes."""

from __future__ import annotations

import re

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.errors import SimulationError
from dalembert.simulate import run_many, system_of
from dalembert.simulate.system.corners import instants, switching

PUSHES = {
    "(sign(t - a) - sign(t - a - 0.1))*m*p/0.2": 1e-6,
    "max(0, 0.05 - abs(t - a - 0.05))*400*m*p": 1e-9,
    "max(0, sin(10*pi*(t - a)))*max(0, sign(t - a))*max(0, sign(a + 0.1 - t))*5*pi*m*p": 1e-6,
}


def block(push: str, unit: float = 1.0) -> da.Mechanism:
    """At rest, pushed once by an impulse p for a tenth of a second from the instant a on."""
    m = da.Mechanism("block")
    body = m.body("block", mass="m")
    m.join(da.earth, body, da.prismatic("x").with_efforts(x=push), name="s")
    m.given.update({"m": unit, "p": unit, "a": 2.0})
    return m


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize(("push", "error"), PUSHES.items())
def test_a_push_of_a_tenth_of_a_second_moves_what_rests(push, error, unit):
    motion = block(push, unit).simulate((0, 50))
    assert motion["s.x'"][-1] == pytest.approx(unit, rel=error)
    assert motion["s.x"][-1] == pytest.approx(unit * (50 - 2.05), rel=error)


@pytest.mark.parametrize("method", ["DOPRI5", "BS23", "RADAU5", "RODAS4"])
def test_every_method_that_chooses_its_steps_meets_it(method):
    motion = block(list(PUSHES)[1]).simulate((0, 50), method=method)
    assert motion["s.x'"][-1] == pytest.approx(1.0, rel=1e-6)


def test_each_of_many_motions_meets_its_own():
    m, begins = block(list(PUSHES)[1]), np.array([2.0, 7.3, 49.0, 60.0])
    many = da.simulate.run_many(da.simulate.system_of(m), (0, 50), given={"a": begins}, t_eval=[10, 50])
    assert many["s.x'"][:, -1] == pytest.approx([1, 1, 1, 0], abs=1e-9)
    assert many["s.x'"][:, 0] == pytest.approx([1, 1, 0, 0], abs=1e-9)


def test_a_push_is_met_backwards_and_after_its_instant_was_changed():
    m = block(list(PUSHES)[1])
    assert m.simulate((50, 0), start={"s.x'": 1.0})["s.x'"][-1] == pytest.approx(0.0, abs=1e-9)
    later = da.Event("t - 1", then={"a": 30.0})
    motion = m.simulate((0, 50), events=later)
    assert motion.at(29.9)["s.x'"] == pytest.approx(0.0, abs=1e-9)
    assert motion["s.x'"][-1] == pytest.approx(1.0, rel=1e-9)


def test_only_what_time_decides_alone_is_a_corner():
    x = ex.symbol("x")
    found = switching([ex.parse("abs(x) + max(t - a, x) + sign(t - a)*x"), ex.parse("min(b, t^2)")], [x])
    assert {str(f) for f in found} == {"t - a", "b - t^2"} or len(found) == 2
    numbers = {"a": 1.5, "b": 4.0}
    assert sorted(abs(t) for t in instants(found, numbers, (0.0, 3.0))) == pytest.approx([1.5, 2.0], abs=1e-12)
    assert instants(found, numbers, (3.0, 0.0)) == pytest.approx([2.0, 1.5], abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_corners_of_lines_in_lines_are_found_to_the_digit(seed):
    draw = np.random.default_rng(seed)
    a, b, width = draw.uniform(0, 1e3), draw.uniform(0, 1e3), 10 ** draw.uniform(-6, 0)
    functions = switching([ex.parse("sign(t - a) + max(abs(t - b), w)")], [])
    found = instants(functions, {"a": a, "b": b, "w": width}, (0.0, 1e3))
    expected = sorted(t for t in (a, b - width, b, b + width) if 0 < t < 1e3)
    assert found == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize("method", ["DOP853", "RADAU9", "RODAS4"])
@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3])
def test_events_at_the_instant_of_a_corner_and_at_the_end_are_kept(method, unit):
    """Their values there are rounding, of either sign: a motion that arrives at them has met them."""
    m = block("m*max(t - a, 0)/a", unit)
    events = ["t - 2", f"s.x - {2 * unit!r}", f"s.x - {3.1 * unit!r}"]
    for end in (3.1, 10.0):
        push = {"m": 0.0 + unit, "a": 2.0 if end > 5 else 4.0}
        motion = m.simulate((0, end), start={"s.x'": unit}, given=push, events=events, method=method, rtol=1e-12)
        assert [len(t) for t in motion.t_events] == [1, 1, 1]
        assert motion.t_events[1] == pytest.approx([2.0], abs=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_no_pulse_of_a_quick_train_is_missed(seed):
    """What a switch gives to a mass at rest, from all its pulses: as long as they are, in a period of any length."""
    draw = np.random.default_rng(seed)
    pace, level = 10 ** draw.uniform(0, 3.5), 1 - 10 ** draw.uniform(-5, -0.5)
    m = da.Mechanism("block")
    m.join(da.earth, m.body("block", mass=1), da.prismatic("x").with_efforts(x="where(sin(w*t) > c, 100, 0)"), name="s")
    m.given = {"w": pace, "c": level}
    begins = (np.arcsin(level) + 2 * np.pi * np.arange(pace / 3)) / pace
    ends = (np.pi - np.arcsin(level) + 2 * np.pi * np.arange(pace / 3)) / pace
    impulse = 100 * (np.minimum(ends, 2) - np.minimum(begins, 2)).sum()
    assert m.simulate((0, 2))["s.x'"][-1] == pytest.approx(impulse, rel=2e-5)


@pytest.mark.parametrize("seed", range(20))
def test_zeros_of_random_functions_of_time_are_all_found(seed):
    """Products of waves and of distances to given instants: each zero is known."""
    draw = np.random.default_rng(seed)
    w, a, b = draw.uniform(1, 300), *draw.uniform(1, 9, 2)
    found = instants([ex.parse("sin(w*t)*exp(-t/9)*(t - a)*(t^2 + 1)/(b + t)")], {"w": w, "a": a, "b": b}, (0.5, 10.0))
    zeros = np.arange(1, int(10 * w / np.pi) + 1) * np.pi / w
    expected = sorted([a, *zeros[(zeros > 0.5) & (zeros < 10)]])
    assert found == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("seed", range(6))
def test_more_switches_than_are_followed_are_refused_with_a_span_that_is_followed(seed):
    """A hundred thousand were kept, the rest was lost without a word: how many, and how long a span has fewer."""
    draw = np.random.default_rng(seed)
    pace, end = 10 ** draw.uniform(4.7, 7), draw.uniform(6.5, 90) * draw.choice([-1, 1])
    law = [ex.parse("sin(w*t) - c")]
    numbers = {"w": pace, "c": draw.uniform(-0.9, 0.9)}
    with pytest.raises(SimulationError, match=r"switches .*\d\d\d,\d\d\d times in this span .*sin\(t\*w\)") as told:
        instants(law, numbers, (0.0, end))
    (length,) = re.findall(r"spans of (\S+),", str(told.value))
    found = instants(law, numbers, (0.0, np.copysign(float(length), end)))
    assert len(found) == pytest.approx(pace * float(length) / np.pi, abs=2)


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3])
def test_a_motion_with_more_switches_than_are_followed_is_refused(unit):
    m = block("where(sin(w*t) > 0, 2, 0)", unit)
    m.given = {"m": unit, "w": 1e5 / unit}
    with pytest.raises(SimulationError, match="switches 127,323 times in this span"):
        m.simulate((0, 4 * unit))
    with pytest.raises(SimulationError, match="switches 127,323 times in this span"):
        run_many(system_of(m), (0, 4 * unit), given={"w": [1e5 / unit, 1 / unit]})


@pytest.mark.parametrize("seed", range(4))
def test_a_function_that_is_flat_at_zero_switches_once_there_or_never(seed):
    """Of t - sin(t) a stretch of 1e-8 s is rounding, of exp(-t) all that follows after 745 s: pieces of it are one."""
    rng = np.random.default_rng(seed)
    unit, a, c = 10.0 ** rng.uniform(-3, 3), rng.uniform(-0.9, 0.9), rng.uniform(0.5, 3)
    s, span = f"({c / unit!r}*(t - {a * unit!r}))", (-unit, unit * rng.uniform(1, 2))
    for flat in (f"{s} - sin{s}", f"{s} - atan{s}", f"min({s}, 0)", f"max({s}, 0)^3", f"{s} - tanh{s}"):
        found = np.array(instants([ex.parse(flat)], {}, span if seed % 2 else span[::-1]))
        assert len(found) < 10
        assert (abs(found - a * unit) < 1e-4 * unit).all()
        if "0)" not in flat:  # it passes from one sign to the other
            assert len(found)
    assert len(instants([ex.parse(f"exp(-{c / unit!r}*t)")], {}, (0.0, 1000 * unit))) < 2


def test_a_push_that_sets_in_as_a_cycloid_moves_what_rests():
    m = block("m*max(t - sin(t), 0)")
    m.given = {"m": 2.0}
    motion = m.simulate((0, 3), rtol=1e-10)
    assert motion["s.x'"][-1] == pytest.approx(4.5 + np.cos(3) - 1, rel=1e-9)
