"""Equations of ropes over sheaves in independent coordinates alone: formulas of the others, and their motion."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq

import dalembert as da

G = 9.81


def test_a_block_and_tackle_is_linear_in_its_weight():
    """Case 3.21: x1 + 2 x2 = const, 1 and 3.5 kg."""
    m = da.load("examples/constraints/pulley_block.lsd")
    eq = m.equations("lagrange", independent=["one.x"])
    ((name, formula),) = eq.chart.definitions
    assert (name, str(formula)) == ("two.x", "1/2*(7 - one.x)")
    assert np.ravel(eq.acceleration({"one.x": 3, "one.x'": 0.4}))[0] == pytest.approx(-3.924, rel=1e-12)
    with pytest.raises(da.SingularError):  # the loose sheave is above its ceiling
        eq.acceleration({"one.x": 7.5, "one.x'": 0})


@pytest.mark.parametrize("seed", range(4))
def test_a_bead_on_a_rope_between_two_hooks_runs_on_an_ellipse(seed):
    """Two falls that both move: z(x) by a search, its slopes by differences, apart from this package."""
    rng = np.random.default_rng(seed)
    right, up = rng.uniform(0.8, 1.5), rng.uniform(-0.5, 0.5)
    length = np.hypot(1 + right, up) * rng.uniform(1.2, 1.8)
    m = da.Mechanism("bead")
    bead, slide = m.body("bead", mass=1.3), m.body("slide")
    m.join(da.earth, slide, da.prismatic("x"), name="x")
    m.join(slide, bead, da.prismatic("z"), name="z")
    m.frame("left", da.earth.at([-1, 0, 0]))
    m.frame("right", da.earth.at([right, 0, up]))
    m.gravity = [0, 0, -G]
    m.rope(["left", bead, "right"], length, name="line")
    eq = m.equations("lagrange", independent=["x.x"], at={"x.x": 0.1})
    assert [name for name, _ in eq.chart.definitions] == ["z.x"]
    told = eq.state({"x.x": 0.1, "x.x'": 0.0})["z.x"]
    whole = lambda x, z: np.hypot(x + 1, z) + np.hypot(x - right, z - up) - length

    def height(x):
        line = up * (x + 1) / (1 + right)  # of the hooks: between the branches
        away = np.sign(told - up * 1.1 / (1 + right))
        return brentq(lambda z: whole(x, z), line, line + away * length, xtol=1e-15)

    x, speed, h = 0.1 + rng.uniform(-0.1, 0.1), rng.uniform(-1, 1), 1e-3
    z = [height(x + k * h) for k in (-2, -1, 0, 1, 2)]
    slope = (z[0] - 8 * z[1] + 8 * z[3] - z[4]) / (12 * h)
    bend = (-z[0] + 16 * z[1] - 30 * z[2] + 16 * z[3] - z[4]) / (12 * h * h)
    wanted = -(slope * bend * speed**2 + G * slope) / (1 + slope**2)
    found = np.ravel(eq.acceleration({"x.x": x, "x.x'": speed}))[0]
    assert found == pytest.approx(wanted, rel=1e-7)
    assert eq.state({"x.x": x, "x.x'": speed})["z.x"] == pytest.approx(z[2], rel=1e-10)


def swinging(rng):
    """A weight and a pendulum of changing length on one rope, a third weight on a second one."""
    m = da.Mechanism("ropes")
    a, arm, b, c = m.body("a", mass=1.0), m.body("arm"), m.body("b", mass=1.2), m.body("c", mass=0.7)
    m.join(da.earth, a, da.prismatic("-z"), name="left")
    m.join(da.earth.at([1, 0, 0]), arm, da.revolute("y"), name="swing")
    m.join(arm, b, da.prismatic("-z"), name="fall")
    m.join(da.earth.at([-1, 0, 0]), c, da.prismatic("-z"), name="third")
    m.gravity = [0, 0, -G]
    m.frame("s1", da.earth.at([0.2, 0, 0.1]))
    m.frame("s2", da.earth.at([float(rng.uniform(0.8, 1.2)), 0, 0.1]))
    m.frame("s3", da.earth.at([-0.5, 0, 0.2]))
    m.rope([a, "s1", "s2", b], 4.0, name="line")
    m.rope([a, "s3", c], 3.0, name="other", falls=[2, 1])
    return m


@pytest.mark.parametrize("independent", [["swing.th", "fall.x"], ["swing.th", "left.x"], ["left.x", "fall.x"]])
def test_any_of_the_coordinates_of_two_ropes_may_lead(independent):
    """Against a motion with multipliers, and the lengths of both ropes."""
    m = swinging(np.random.default_rng(3))
    at = {"left.x": 0.7, "swing.th": 0.3}
    eq = m.equations("kane", independent=independent, at=at)
    names = {name for name, _ in eq.chart.definitions}
    assert names == {"left.x", "swing.th", "fall.x", "third.x"} - set(independent)
    mo = m.simulate((0, 0.3), start=at | {"swing.th'": 0.4}, rtol=1e-10, atol=1e-12)
    for k in (0, len(mo.t) // 2, -1):
        leading = {x: mo[x][k] for x in independent} | {f"{x}'": mo[f"{x}'"][k] for x in independent}
        state = eq.state(leading)
        assert [state[x] for x in names] == pytest.approx([mo[x][k] for x in names], abs=1e-7)
        wanted = [mo[f"{x}''"][k] for x in independent]
        assert np.ravel(eq.acceleration(leading)) == pytest.approx(wanted, rel=1e-6)
