"""How near rows are to being lost: bounds of large machines hold what their singular values are."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.simulate import simulate
from dalembert.simulate.runs.strength import Strength
from dalembert.simulate.system import large
from dalembert.simulate.system.branch import on_its_branch
from dalembert.simulate.system.from_mechanism import system_of
from dalembert.simulate.system.large import LargeMachine
from linkages import four_bar


@pytest.fixture(autouse=True)
def everything_is_large(monkeypatch):
    monkeypatch.setattr(large, "_EXPANDED", 0)


@pytest.mark.parametrize("bar", [2e-3, 2.0, 2e3])
@pytest.mark.parametrize("stages", [2, 7])
def test_the_weakest_row_lies_between_its_bounds(families, stages, bar):
    system = system_of(families.scissor_lift(stages, bar=bar))
    p = np.array([float(system.given[x]) for x in system.known_parameters])
    strength, draw = Strength(system, p), np.random.default_rng(stages)
    for _ in range(5):
        y = draw.uniform(-1, 1, len(system.states)) * [*[bar / 20 if x == "rail.x" else 0.1 for x in system.states]]
        counting = system.machine.counting(0.0, y, p)
        low, high = strength._bounds(0.0, y, counting)
        weakest = strength.values(np.zeros(1), y[None])[0, counting.sum() - 1]
        assert low <= weakest <= high * (1 + 1e-9)
        assert high < 30 * low


def test_numbers_and_formulas_tell_the_same_of_rows(families):
    system = system_of(families.antenna_grid(2, 1.2))
    strength = Strength(system, np.zeros(0))
    y = np.random.default_rng(1).uniform(-1, 1, (3, len(system.states)))
    by_formulas = np.linalg.svd(strength._by_formulas(np.zeros(3), y), compute_uv=False)
    assert strength.values(np.zeros(3), y) == pytest.approx(by_formulas, abs=1e-13 * by_formulas.max())


def test_a_row_that_is_nearly_lost_is_not_alike():
    """A parallelogram a thousandth of a radian before it lies flat, and far from there."""
    system = system_of(four_bar((1.0, 2.0, 1.0), 2.0))
    p = np.array([float(system.given[x]) for x in system.known_parameters])
    states = np.array([[a, -a, a, a, 0.0, 0.0, 0.0] for a in (0.5, 0.6, 1e-4, 0.0)])
    strength, t = Strength(system, p), np.zeros(2)
    assert strength.alike(t, states[[0, 1]], 1e-3)
    assert not strength.alike(t, states[[0, 2]], 1e-3)
    assert not strength.alike(t, states[[3, 0]], 1e-3)


def upright(count: int, size: float) -> da.Mechanism:
    """Cranks that stand, with their couplers on them: their rows hold all loads, nothing accelerates."""
    m = da.Mechanism("upright")
    solid = {"mass": 1.0, "inertia": [0.1 * size**2] * 3}
    cranks = [m.body(f"c{k}", centre=[0, size / 2, 0], **solid) for k in range(count + 1)]
    for k, crank in enumerate(cranks):
        m.join(da.earth.at([k * size, 0, 0]), crank, da.revolute("z"), name=f"foot{k}")
    for k in range(count):
        coupler = m.body(f"k{k}", centre=[size / 2, 0, 0], **solid)
        m.join(cranks[k].at([0, size, 0]), coupler, da.revolute("z"), name=f"head{k}")
        m.join(coupler.at([size, 0, 0]), cranks[k + 1].at([0, size, 0]), da.revolute("z"), name=f"tail{k}")
    m.gravity = [0, -9.81 * size, 0]
    return m


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_loads_that_rows_hold_are_no_fault_of_the_factors(size, monkeypatch):
    """What was left of weights at rest was rounding of them; orthogonal factors took over, of the whole machine."""
    asked = []
    monkeypatch.setattr(LargeMachine, "rates", lambda *given: asked.append(given))
    motion = simulate(upright(6, size), (0, 0.5), start={"foot0.th'": 1.0}, rtol=1e-8, atol=1e-10)
    assert not asked
    assert motion.quality.energy < 1e-8


def test_a_second_motion_on_a_branch_makes_nothing_anew(families):
    """The closure of the antenna is singular all along: its relations, its system and its code serve every motion."""
    system = system_of(families.antenna_grid(2, 1.2))
    first, word = on_its_branch(system, None, None, 0.0)
    assert "relations" in word
    assert first is not system
    assert on_its_branch(system, None, None, 0.0)[0] is first
    speed = {f"{next(x for x in system.coordinates if x.startswith('b'))}'": 0.1}
    assert on_its_branch(system, speed, None, 0.0)[0] is first
