"""Linearised equations are the derivatives of the motion, at rest, in steady motion and along trajectories."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert.analysis.equilibria import equilibria
from dalembert.analysis.linearize import linearize
from dalembert.errors import ModelError
from dalembert.formalisms import derive
from dalembert.mechanism import (
    Displacement,
    Layout,
    Mechanism,
    composite,
    cylindrical,
    earth,
    prismatic,
    revolute,
    spherical,
    turn,
    universal,
)
from random_mechanisms import random_state, random_tree


def flow(eq, values, x):
    names = [ex.symbol(n) for n in (*eq.coordinates, *eq.speeds)]
    return np.array(ex.evaluate([*eq.rates, *eq.accelerations], values | dict(zip(names, x, strict=True))), dtype=float)


@pytest.mark.parametrize("seed", range(6))
def test_state_matrix_is_the_derivative_of_the_flow_along_any_motion(seed):
    """About a trajectory that passes through a random state with the true accelerations (M depends on q)."""
    m = random_tree(seed + 40, 2)
    layout = Layout.of(m)
    if not layout.dof or any(not x.endswith("'") for x in layout.speeds):
        pytest.skip("trajectories are given by their coordinates here")
    eq = derive(layout, "kane")
    state = random_state(m, layout.coordinates, layout.speeds, seed)
    values = {ex.symbol(k): v for k, v in state.items()}
    t0, t = state["t"], ex.TIME - state["t"]
    x = np.array([state[n] for n in (*eq.coordinates, *eq.speeds)])
    udot = flow(eq, values, x)[len(eq.coordinates) :]
    about = {
        q: state[q] + state[u] * t + a * t * t / 2 for q, u, a in zip(eq.coordinates, eq.speeds, udot, strict=True)
    }
    found = linearize(eq, about)
    given = {n: state[n] for n in eq.parameters} | {"t": t0}
    matrix, _ = found.numbers(given)
    assert np.abs(ex.evaluate(found.residual, {ex.symbol(k): v for k, v in given.items()})).max() < 1e-8
    step = 1e-6
    columns = [(flow(eq, values, x + step * e) - flow(eq, values, x - step * e)) / (2 * step) for e in np.eye(len(x))]
    assert np.abs(matrix - np.array(columns).T).max() < 1e-5 * (1 + np.abs(matrix).max())


def test_symbolic_and_numeric_state_matrices_are_one():
    m = random_tree(3, 2, moving_time=False)
    eq = derive(Layout.of(m), "lagrange")
    state = random_state(m, eq.coordinates, eq.speeds, 1)
    found = linearize(eq, {x: state[x] for x in (*eq.coordinates, *eq.speeds)})
    given = {x: state[x] for x in eq.parameters} | {"t": 0.3}
    values = {ex.symbol(k): v for k, v in given.items()}
    exact = np.array(ex.evaluate(found.state_matrix.entries, values)).reshape(found.state_matrix.shape)
    assert np.allclose(exact, found.numbers(given)[0])


def test_body_speeds_and_quaternions_are_linearised_too():
    """A free rigid body spinning about its middle axis: the tennis racket theorem, growth sqrt((B-A)(C-B)/AC) n."""
    for chart in ("quaternion", "bryant"):
        m = Mechanism("racket")
        m.join(earth, m.body("racket", mass=1, inertia=["A", "B", "C"]), spherical(chart, "body"), name="r")
        eq = derive(Layout.of(m), "kane")
        at = (
            {"r.e0": 1, "r.e1": 0, "r.e2": 0, "r.e3": 0} if chart == "quaternion" else {"r.al": 0, "r.be": 0, "r.ga": 0}
        )
        found = linearize(eq, at | {"r.wx": 0, "r.wy": "n", "r.wz": 0})
        values = {"A": 1.0, "B": 2.0, "C": 2.5, "n": 3.0}
        growth = np.sqrt((2.0 - 1.0) * (2.5 - 2.0) / (1.0 * 2.5)) * 3.0
        assert found.eigenvalues(values).real.max() == pytest.approx(growth)


def test_inputs_give_columns_of_b():
    m = Mechanism()
    m.join(earth, m.body("cart", mass="m"), prismatic("x").with_efforts(x="-c*x' + F"), name="rail")
    found = linearize(derive(Layout.of(m), "kane"), {"rail.x": 0}, inputs=["F"])
    a, b = found.numbers({"m": 2.0, "c": 3.0, "F": 0.0})
    assert a == pytest.approx(np.array([[0, 1], [0, -1.5]]))
    assert b == pytest.approx(np.array([[0], [0.5]]))


def test_a_point_that_is_no_equilibrium_shows_its_residual():
    m = Mechanism()
    m.join(earth, m.body("bob", mass=1, centre=[0, 0, -1]), revolute("x"), name="p")
    m.gravity = [0, 0, -10]
    found = linearize(derive(Layout.of(m), "kane"), {"p.th": "pi/6"})
    assert ex.evaluate(found.residual, {}) == pytest.approx([5.0])
    assert "not a motion by itself" in str(found)


def test_misspelled_coordinates_and_inputs_are_refused():
    m = Mechanism()
    m.join(earth, m.body("bob", mass="m", centre=[0, 0, -1]), revolute("x"), name="pivot")
    eq = derive(Layout.of(m), "kane")
    with pytest.raises(ModelError, match=r"pivot\.th"):
        linearize(eq, {"pivot.thh": 0})
    with pytest.raises(ModelError, match="no parameter"):
        linearize(eq, {"pivot.th": 0}, inputs=["torque"])


def test_bead_on_a_hoop_leaves_the_bottom_when_the_hoop_turns_fast():
    """Steady motion at the speed n of the hoop: cos th = g/(r n^2) beyond n^2 = g/r."""
    m = Mechanism("hoop")
    hoop, bead = m.body("hoop", mass=1, inertia=[1, 1, 1]), m.body("bead", mass=1, centre=[0, 0, -2])
    m.join(earth, hoop, revolute("z"), name="axis")
    m.join(hoop, bead, revolute("y"), name="arm")
    m.gravity = [0, 0, -10]
    for n, expected in ((1.0, {0.0, np.pi}), (4.0, {0.0, np.pi, np.arccos(10 / 32), -np.arccos(10 / 32)})):
        found = equilibria(m, speeds={"axis.th'": n})
        angles = {round(e.coordinates["arm.th"], 6) for e in found}
        assert angles == {round(x, 6) for x in expected}
        assert all(e.coordinates["axis.th"] == 0.0 for e in found)


def test_equilibria_of_a_quaternion_pendulum_are_up_and_down():
    m = Mechanism()
    m.join(earth, m.body("bob", mass=1, centre=[0, 0, -1], inertia=[1, 1, 1]), spherical("quaternion"), name="ball")
    m.gravity = [0, 0, -10]
    found = equilibria(m, starts=20)
    heights = {round(1 - 2 * (e.coordinates["ball.e1"] ** 2 + e.coordinates["ball.e2"] ** 2), 6) for e in found}
    assert heights == {1.0, -1.0}
    assert {e.stability for e in found if e.coordinates["ball.e1"] ** 2 + e.coordinates["ball.e2"] ** 2 > 0.5} == {
        "unstable"
    }


def test_gimbal_lock_is_no_equilibrium():
    m = Mechanism()
    m.join(earth, m.body("bob", mass=1, centre=[0, 0, -1]), universal(("x", "y")), name="u")
    m.gravity = [0, 0, -10]
    found = equilibria(m)
    assert {(round(abs(e.coordinates["u.al"]), 3), round(abs(e.coordinates["u.be"]), 3)) for e in found} == {
        (0.0, 0.0), (0.0, 3.142), (3.142, 0.0), (3.142, 3.142)
    }  # fmt: skip


def test_the_link_that_closes_a_loop_reacts_too():
    m = Mechanism("ring")
    a, b = m.body("a", mass=1, inertia=[1, 1, 1]), m.body("b", mass=1, inertia=[1, 1, 1])
    m.join(earth, a, revolute("z"), name="ja")
    m.join(a.at([1, 0, 0]), b, revolute("z"), name="jab")
    m.join(earth, b, revolute("z"), name="jb")
    assert set(derive(Layout.of(m), "kane").reactions()) == {"ja", "jab", "jb"}


def test_a_damped_spring_is_asymptotically_stable_and_a_helical_slide_is_undecided():
    m = Mechanism()
    m.join(earth, m.body("cart", mass=1, inertia=[1, 1, 1]), cylindrical("x").with_efforts(x="-4*x - x'"), name="c")
    found = equilibria(m)
    assert [e.stability for e in found] == ["undecided"]  # it may turn at will
    m = Mechanism()
    m.join(earth, m.body("cart", mass=1), prismatic("x").with_efforts(x="-4*x - x'"), name="c")
    assert [e.stability for e in equilibria(m)] == ["asymptotically stable"]


def test_missing_parameters_are_named():
    m = Mechanism()
    m.join(earth, m.body("cart", mass="m"), prismatic("x").with_efforts(x="-k*x"), name="c")
    with pytest.raises(ModelError, match="k"):
        equilibria(m)


def shaken():
    """A pendulum whose pivot is shaken along the vertical: Mathieu's equation."""
    m = Mechanism("shaken")
    pivot = composite(["th"], Displacement.of([0, 0, "a*sin(3*t)"], turn("th", "y")))
    m.join(earth, m.body("rod", mass=1, centre=[0, 0, "-l"]), pivot, name="h")
    m.gravity = [0, 0, "-g"]
    m.given = {"a": "l/2", "l": np.float32(1), "g": 9.81}
    return m


def test_numbers_of_a_machine_that_changes_with_time_are_those_of_a_told_instant():
    with pytest.raises(ModelError, match=r"change with time.* Say which"):
        linearize(shaken(), {"h.th": 0}).eigenvalues()
    frequency = np.sqrt(9.81 - 4.5 * np.sin(1.5))  # g + the acceleration of the pivot, of which numbers are formulas
    for found in (linearize(shaken(), {"h.th": 0}, t=0.5), linearize(shaken(), {"h.th": 0, "t": 0.5})):
        assert np.abs(found.eigenvalues()) == pytest.approx([frequency, frequency])


def test_numbers_that_no_body_can_have_have_no_small_motions():
    m = Mechanism("rod")
    m.join(earth, m.body("rod", mass="m", centre=[1, 0, 0], inertia=[1, 1, 1]), revolute("z"), name="h")
    with pytest.raises(ModelError, match="body 'rod' has the negative mass"):
        equilibria(m, {"m": -1})
    with pytest.raises(ModelError, match="body 'rod' has the negative mass"):
        linearize(m, {"h.th": 0}, given={"m": "-1"})
