"""Variational integrators in machine code beside the same formulas in Python, and what such integrators keep."""

from __future__ import annotations

import random
import time

import numpy as np
import pytest

from dalembert import analytic as an
from dalembert import expr as ex
from dalembert.codegen import Function, NativeIteration
from dalembert.errors import ExpressionError, ModelError
from dalembert.simulate import compile_integrator

BOBS = [
    an.Particle("m1", ["l1*sin(a)", "-l1*cos(a)"]),
    an.Particle("m2", ["l1*sin(a) + l2*sin(b)", "-l1*cos(a) - l2*cos(b)"]),
]
SYSTEMS = {
    "pendulum": (an.System("th", L="th_d**2/2 + cos(th)"), {}, 0.1),
    "kepler": (an.System("x y", L="(x_d**2 + y_d**2)/2 + 1/sqrt(x**2 + y**2)"), {}, 0.02),
    "double": (
        an.System("a b", particles=BOBS, gravity=["0", "-g"]),
        dict.fromkeys(("m1", "m2", "l1", "l2", "g"), 1),
        0.05,
    ),
    "magnet": (an.System("x y", L="(x_d**2 + y_d**2)/2 + B*(x*y_d - y*x_d)/2 - x**4/4 - y**2/2"), {"B": 3}, 0.05),
}


@pytest.mark.parametrize("rule", ["midpoint", "trapezoid"])
@pytest.mark.parametrize("name", SYSTEMS)
def test_machine_code_gives_the_motion_of_the_formulas(name, rule):
    system, values, step = SYSTEMS[name]
    made = an.variational_integrator(system, values, step, rule=rule)
    pick = random.Random(name)
    start = {c: 0.3 * pick.random() for c in system.coordinates} | {p: 0.5 * pick.random() for p in system.momenta}
    if name == "kepler":
        start |= {"x": 1 + start["x"], "py": 0.7 + start["py"]}  # away from the collision
    native, python = compile_integrator(made).run(start, 200), made.run(start, 200)
    for c in system.coordinates:
        np.testing.assert_allclose(native.q[c], python.q[c], atol=1e-9)
    np.testing.assert_allclose(native.energy, python.energy, atol=1e-9)


def test_the_angular_momentum_is_kept_to_rounding_over_a_million_steps():
    """Discrete Noether (Marsden and West): the energy of Kepler's orbit does not drift, its spin is kept."""
    system, values, step = SYSTEMS["kepler"]
    orbit = compile_integrator(an.variational_integrator(system, values, step)).run(
        {"x": 1, "y": 0, "px": 0, "py": 1.2}, 1_000_000
    )
    spin = orbit.q["x"] * orbit.p["py"] - orbit.q["y"] * orbit.p["px"]
    assert np.abs(spin - spin[0]).max() < 1e-9
    early, late = (np.abs(orbit.energy[part] - orbit.energy[0]).max() for part in (slice(0, 2000), slice(-2000, None)))
    assert late < 1.5 * early


def test_machine_code_is_tens_of_times_quicker():
    system, values, step = SYSTEMS["pendulum"]
    made = an.variational_integrator(system, values, step)
    quick = compile_integrator(made)

    def cost(run, steps):
        begin = time.process_time()
        run({"th": 2.0, "p": 0.0}, steps)
        return (time.process_time() - begin) / steps

    assert 10 * cost(quick.run, 200_000) < cost(made.run, 1000)


def test_a_step_that_is_too_long_is_told():
    stiff = an.System("x", L="x_d**2/2 + sqrt(x)")  # it ends at x = 0
    with pytest.raises(ModelError, match="smaller step"):
        compile_integrator(an.variational_integrator(stiff, {}, 2.0)).run({"x": 0.1, "p": -5.0}, 50)
    with pytest.raises(ModelError, match="number for p"):
        compile_integrator(an.variational_integrator(stiff, {}, 0.01)).run({"x": 1.0}, 5)


def test_a_map_is_repeated_only_when_its_image_is_a_state():
    x, y = ex.symbols("x y")
    with pytest.raises(ExpressionError, match="as many outputs"):
        NativeIteration(Function("lost", [[x, y]], [x]))
    rows = NativeIteration(Function("henon", [[x, y]], [1 - 1.4 * x * x + y, 0.3 * x])).run([0.1, 0.1], 5)
    at = np.array([0.1, 0.1])
    for row in rows[1:]:
        at = np.array([1 - 1.4 * at[0] ** 2 + at[1], 0.3 * at[0]])
        np.testing.assert_allclose(row, at, rtol=1e-14)
