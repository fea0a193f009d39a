"""Small motions of machines with closed loops: on their constraints, in independent coordinates."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.analysis import equilibria, linearize
from dalembert.dynamics.start import closed_start
from dalembert.mechanism import Layout
from random_loops import loaded


@pytest.mark.parametrize("seed", range(16))
def test_state_matrix_is_the_derivative_of_the_motion_on_the_constraints(seed):
    """Held in a steady motion by constant efforts; states that differ in one independent coordinate or speed."""
    m = loaded(seed, still=True)
    layout = Layout.of(m)
    f = m.compile()
    speed = {layout.speeds[0]: 0.7}
    try:
        found = linearize(m, speed)
    except da.SimulationError:
        found = linearize(m)
        speed = {}
    if not found.speeds:
        pytest.skip("rigid")
    point = {x.name: float(v.value) for x, v in found.point.items()}
    efforts = np.zeros(len(layout.speeds))
    places = [layout.speeds.index(x) for x in found.speeds]
    efforts[places] = ex.evaluate(found.residual, {})

    def rate(changed, amount):
        names = [*found.coordinates, *found.speeds]
        start = {x: point[x] + amount * (x == changed) for x in names}
        y = np.array(list(closed_start(layout, start).values.values()))
        q, u = y[: len(f.coordinates)], y[len(f.coordinates) :]
        return f.acceleration(q, u, efforts=efforts)[places]

    assert rate("", 0.0) == pytest.approx(0, abs=1e-8)
    h = 3e-4
    columns = [
        (rate(x, -2 * h) - 8 * rate(x, -h) + 8 * rate(x, h) - rate(x, 2 * h)) / (12 * h)
        for x in (*found.coordinates, *found.speeds)
    ]
    matrix, _ = found.numbers()
    assert matrix[len(places) :] == pytest.approx(np.array(columns).T, abs=1e-6 * (1 + np.abs(matrix).max()))


def pendulum(m, hinges):
    bob = m.body("bob", mass=2, centre=[0, 0, -1], inertia=[0.1, 0.1, 0.1])
    for name, x in hinges:
        m.join(da.earth.at([x, 0, 0]), bob.at([x, 0, 0]), da.revolute("x"), name=name)
    m.gravity = [0, 0, -10]
    return m


def test_a_rod_on_two_coaxial_hinges_is_a_pendulum():
    once, twice = pendulum(da.Mechanism(), [("p", 0)]), pendulum(da.Mechanism(), [("p", 0), ("q", 0.3)])
    for at in ({"p.th": 0.0}, {"p.th": 0.4}):
        one, two = linearize(once, at), linearize(twice, at)
        assert two.coordinates == one.coordinates == ("p.th",)
        assert two.numbers()[0] == pytest.approx(one.numbers()[0], abs=1e-12)
    ends = [[(e.coordinates["p.th"], e.stability) for e in equilibria(m)] for m in (once, twice)]
    assert [s for _, s in ends[1]] == [s for _, s in ends[0]] == ["stable", "unstable"]
    assert [x for x, _ in ends[1]] == pytest.approx([0, np.pi])


def four_bar_with_spring(k=30.0):
    """A parallelogram (cranks 0.5, coupler 0.8), which keeps its coupler level, with a spring on the first crank."""
    m = da.Mechanism("parallelogram")
    a, b, c = (m.body(name, mass=mass, inertia=[0.1, 0.1, 0.02]) for name, mass in (("a", 1), ("b", 2), ("c", 1.5)))
    spring = da.revolute("z").with_efforts(th=f"-{k}*th - c*th'")
    m.join(da.earth, a, spring, name="A")
    m.join(a.at([0, 0.5, 0]), b, da.revolute("z"), name="B")
    m.join(da.earth.at([0.8, 0, 0]), c, da.revolute("z"), name="D")
    m.join(b.at([0.8, 0, 0]), c.at([0, 0.5, 0]), da.revolute("z"), name="C")
    m.gravity = [0, -9.81, 0]
    m.given = {"c": 0.3}
    return m


def test_frequency_and_damping_of_a_parallelogram_are_those_of_its_one_coordinate():
    """I th'' = 9.81 (2*0.5) sin(th) - k th - c th': the coupler translates on a circle of 0.5."""
    m = four_bar_with_spring()
    inertia = 0.02 + 0.02 + 2 * 0.5**2
    stiffness = 30.0 - 2 * 9.81 * 0.5
    (mode,) = linearize(m, {"A.th": 0.0}).modes()
    assert mode.angular_frequency == pytest.approx(np.sqrt(stiffness / inertia), rel=1e-9)
    assert mode.damping_ratio == pytest.approx(0.3 / (2 * np.sqrt(stiffness * inertia)), rel=1e-9)
    assert mode.frequency == pytest.approx(np.sqrt(stiffness / inertia) / (2 * np.pi), rel=1e-9)


def test_a_soft_spring_lets_the_parallelogram_lean():
    """Pitchfork: 9.81 sin(th) = k th beside the upright posture, which is no longer stable."""
    m = four_bar_with_spring(k=6.0)
    found = equilibria(m, at={"A.th": 0.1}, spread=1.5)
    upright = [e for e in found if abs(e.coordinates["A.th"]) < 1e-6 and abs(e.coordinates["B.th"]) < 1e-6]
    assert {e.stability for e in upright} == {"unstable"}
    leaning = [
        e for e in found if e.coordinates["A.th"] > 0.1 and abs(e.coordinates["A.th"] + e.coordinates["B.th"]) < 1e-6
    ]
    assert {e.stability for e in leaning} == {"asymptotically stable"}
    th = leaning[0].coordinates["A.th"]
    assert 9.81 * np.sin(th) == pytest.approx(6.0 * th, rel=1e-9)


def governor():
    """Watt's governor, one half and its mirror: a loop that turns with its spindle."""
    m = da.Mechanism("governor")
    spindle, collar = m.body("spindle", inertia=[0.01, 0.01, 0.01]), m.body("collar", mass=1.0)
    m.join(da.earth, spindle, da.revolute("z"), name="spin")
    m.join(spindle, collar, da.prismatic("z"), name="slide")
    for name, side in (("l", 1), ("r", -1)):
        arm, rod = m.body(f"arm_{name}", mass=0.5, centre=[0, 0, -0.4]), m.body(f"rod_{name}", inertia=[1e-9] * 3)
        m.join(spindle, arm, da.revolute([0, -side, 0]), name=f"top_{name}")
        m.join(arm.at([0, 0, -0.2]), rod, da.revolute([0, -side, 0]), name=f"mid_{name}")
        m.join(collar, rod.at([0, 0, -0.2]), da.revolute([0, -side, 0]), name=f"low_{name}")
    m.gravity = [0, 0, -9.81]
    return m


def test_watts_governor_lifts_its_balls_with_the_speed():
    """Steady motion: ball m l^2 n^2 sin cos = (m l + M a) g sin, l = 0.4, a = 0.2 (collar carried by two arms)."""
    n = 9.0
    found = equilibria(
        governor(),
        speeds={"spin.th'": n},
        at={"top_l.th": 0.8, "mid_l.th": -1.6, "slide.x": -0.28, "top_r.th": 0.8, "mid_r.th": -1.6},
        spread=0.5,
        starts=40,
    )
    lifted = [e for e in found if 0.1 < e.coordinates["top_l.th"] < 1.5 and e.coordinates["slide.x"] < 0]
    cosine = (2 * 0.5 * 0.4 + 1.0 * 2 * 0.2) * 9.81 / (2 * 0.5 * 0.4**2 * n**2)
    assert {round(np.cos(e.coordinates["top_l.th"]), 6) for e in lifted} == {round(cosine, 6)}
    assert all(e.speeds["spin.th'"] == n for e in lifted)


def test_equilibria_of_a_machine_that_time_drives_need_the_time():
    m = da.Mechanism("blown")
    m.join(da.earth, m.body("bob", mass=1, centre=[0, 0, -1]), da.revolute("x"), name="p")
    m.force(m.bodies["bob"].at([0, 0, -1]), [0, "3*sin(t)", 0])
    m.gravity = [0, 0, -10]
    with pytest.raises(da.ModelError, match=r"changes with time.*t=0.0"):
        equilibria(m)
    (hang, _) = equilibria(m, t=np.pi / 2)
    assert np.tan(hang.coordinates["p.th"]) == pytest.approx(0.3)


def test_speeds_and_parameters_that_do_not_exist_are_refused():
    m = four_bar_with_spring()
    with pytest.raises(da.DalembertError, match="Did you mean"):
        equilibria(m, speeds={"A.th": 1.0})
    with pytest.raises(da.DalembertError, match="not a parameter"):
        linearize(m, given={"m": 1})


def test_inputs_push_a_loop():
    """A torque w on the crank of the parallelogram: B = 1/I."""
    m = four_bar_with_spring()
    m.torque("a", [0, 0, "w"])
    found = linearize(m, {"A.th": 0.0}, inputs=["w"])
    assert found.numbers()[1] == pytest.approx(np.array([[0], [1 / (0.04 + 2 * 0.25)]]))
    with pytest.raises(da.ModelError, match="no parameter"):
        linearize(m, inputs=["force"])
