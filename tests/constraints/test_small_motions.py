"""Small motions on the set of states that conditions allow, and inverse dynamics: closed forms and differences."""

from __future__ import annotations

import numpy as np
import pytest
from typer.testing import CliRunner

import dalembert as da
from dalembert import expr as ex
from dalembert.cli import app
from parallelograms import parallelogram


def on_belt(friction: str) -> da.Mechanism:
    m = da.Mechanism("block on a belt")
    cart, block = m.body("cart"), m.body("block", mass=2)
    m.join(da.earth, cart, da.prismatic("x"), name="x")
    m.join(cart, block, da.prismatic("z"), name="z")
    m.gravity = [0, 0, -9.81]
    m.force(block, ["-50*x.x + w", 0, 0])
    m.constrain("z.x = 0", by=da.coulomb(friction, "x.x' - 1"), name="belt")
    m.given = {"w": 0}
    return m


def test_friction_that_falls_with_the_slip_makes_a_block_on_a_belt_unstable():
    place = 0.28 * 2 * 9.81 / 50
    found = on_belt("0.3 - 0.02*(1 - x.x')").linearize({"x.x": place, "x.x'": 0}, inputs=["w"])
    assert found.coordinates == ("x.x",)
    a, b = found.numbers()
    assert a == pytest.approx(np.array([[0, 1], [-25, 0.02 * 9.81]]), abs=1e-12)
    assert b[:, 0] == pytest.approx([0, 0.5])
    assert [float(x.value) for x in found.residual] == pytest.approx([0], abs=1e-12)


def test_friction_without_slip_has_no_slope():
    with pytest.raises(da.ModelError, match="'belt' of 'block on a belt' does not slip"):
        on_belt("0.3").linearize({"x.x'": 1})


def test_a_servo_through_a_spring_leaves_the_mass_behind_it_free():
    m = da.Mechanism("three masses")
    bodies = {x: m.body(f"m{x}", mass=mass) for x, mass in (("p", 1), ("q", 2), ("r", 0.5))}
    for x, body in bodies.items():
        m.join(da.earth, body, da.prismatic("x"), name=x)
    pull, far = "30*(q.x - p.x)", "8*(r.x - q.x)"
    m.force(bodies["p"], [pull, 0, 0])
    m.force(bodies["q"], [f"{far} - {pull}", 0, 0])
    m.force(bodies["r"], [f"-({far}) - 0.1*r.x'", 0, 0])
    m.constrain("q.x = 0", by="p.x", name="law")
    found = m.linearize(independent=["r.x"])
    assert (found.coordinates, found.speeds) == (("r.x",), ("r.x'",))
    wanted = np.roots([0.5, 0.1, 8])
    assert np.sort_complex(found.eigenvalues()) == pytest.approx(np.sort_complex(wanted))
    left = m.zero_dynamics()
    assert (left.index, left.dimension, left.stable) == ({"law": 5}, 2, True)
    assert "2 free initial values" in str(left)
    m.force(bodies["r"], ["0.3*r.x'", 0, 0])
    assert not m.zero_dynamics().stable


def test_conditions_that_are_not_linear_in_the_speeds_against_differences():
    m = da.Mechanism("Appell")
    last, body = da.earth, m.body("point", mass=1.5)
    for axis in "xyz":
        following = body if axis == "z" else m.body(f"s{axis}")
        m.join(last, following, da.prismatic(axis), name=axis)
        last = following
    m.gravity = [0, 0, -9.81]
    m.force(body, ["-2*x.x*y.x", "-0.5*x.x", "0.3*x.x'"])
    m.constrain("x.x'^2 + y.x'^2 = 0.49*z.x'^2 + 0.1*x.x", name="law")
    at = {"x.x": 0.3, "y.x": -0.2, "z.x": 0.1, "x.x'": 0.3, "y.x'": 0.4}
    found = m.linearize(at, independent=["x.x", "y.x"])
    assert found.coordinates == ("x.x", "y.x", "z.x")
    assert found.speeds == ("x.x'", "y.x'")
    f = m.compile()

    def rate(s):
        """In the chart of three places and two speeds: the third follows from the law."""
        third = -np.sqrt((s[3] ** 2 + s[4] ** 2 - 0.1 * s[0]) / 0.49) * way
        u = np.array([s[3], s[4], third])
        return np.concatenate([u, f.acceleration(s[:3], u)[:2]])

    way = -np.sign(float(found.point[ex.symbol("z.x'")].value))
    y = np.array([0.3, -0.2, 0.1, 0.3, 0.4])
    h = 1e-5
    slopes = np.array([(rate(y + h * e) - rate(y - h * e)) / (2 * h) for e in np.eye(5)]).T
    assert found.numbers()[0] == pytest.approx(slopes, rel=1e-7, abs=1e-8)


def test_the_torque_of_a_parallelogram_is_that_of_virtual_work_wherever_it_acts():
    m = da.Mechanism("driven")
    m.__dict__.update(parallelogram().__dict__)
    for device in ("a.th", "d.th"):
        found = m.inverse_dynamics({"a.th": "0.7 + 0.3*t^2"}, (0, 1), by=device)
        angle = 0.7 + 0.3 * found.t**2
        torque = (2 * 0.35 + 2) * 0.6 + 9.81 * 3 * np.cos(angle)
        assert found.efforts[device] == pytest.approx(torque, rel=1e-9)
        assert found.powers[device] == pytest.approx(torque * 0.6 * found.t, rel=1e-9, abs=1e-9)


def test_inverse_dynamics_of_a_tree_is_that_of_its_equations():
    m = da.Mechanism("arm")
    upper = m.body("upper", mass=2, centre=[0.5, 0, 0], inertia=[0.1, 0.2, 0.2])
    lower = m.body("lower", mass=1, centre=[0.3, 0, 0], inertia=[0.1, 0.1, 0.1])
    m.join(da.earth, upper, da.revolute("z"), name="a")
    m.join(upper, lower, da.revolute("y"), name="b")
    m.gravity = [0, -9.81, 0]
    found = m.inverse_dynamics({"a.th": "sin(2*t)", "b.th": "0.5*cos(t)"}, (0, 2), t_eval=[0, 0.7, 2])
    f = m.compile()
    for k, t in enumerate((0, 0.7, 2)):
        q, u = [np.sin(2 * t), 0.5 * np.cos(t)], [2 * np.cos(2 * t), -0.5 * np.sin(t)]
        wanted = f.inverse_dynamics(q, u, [-4 * np.sin(2 * t), -0.5 * np.cos(t)])
        assert [found.efforts[x][k] for x in ("a.th", "b.th")] == pytest.approx(wanted, rel=1e-8, abs=1e-9)


def test_what_inverse_dynamics_cannot_answer_is_said():
    m = on_belt("0.3")
    with pytest.raises(da.ModelError, match=r"'y\.x' is no coordinate"):
        m.inverse_dynamics({"y.x": "t"}, (0, 1))
    with pytest.raises(da.ModelError, match="2 laws and 1 devices"):
        m.inverse_dynamics({"x.x": "t", "z.x": "0"}, (0, 1), by=["x.x"])
    with pytest.raises(da.ModelError, match="needs a law"):
        m.inverse_dynamics({}, (0, 1))


def test_the_command_tells_efforts_and_powers():
    words = ["inverse", "examples/double_pendulum.lsd", "--law", "shoulder.th=t^2", "--law", "elbow.th=0"]
    shown = CliRunner().invoke(app, [*words, "--until", "1", "--points", "3"])
    assert shown.exit_code == 0
    assert "power of shoulder.th" in shown.stdout
    assert len(shown.stdout.splitlines()) == 4
