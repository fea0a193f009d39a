"""Plane machines: recognised, and written in three coordinates a body; the same accelerations as in joint angles."""

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.errors import ModelError

PLANE = ["four_bar", "double_pendulum", "cart_pole", "slider_crank", "spring_train", "loops/watt"]


def numbers(exprs, values):
    return np.array([float(x) for x in ex.evaluate(list(exprs), values)])


@pytest.mark.parametrize("name", PLANE)
@pytest.mark.parametrize("formalism", ["lagrange", "newton-euler"])
def test_accelerations_in_the_plane_are_those_of_the_joints(name, formalism):
    m = da.load(f"examples/{name}.lsd")
    plane = m.plane()
    axes = np.array([numbers(v, {}) for v in (*plane.axes, plane.normal)])
    motion = m.simulate((0, 0.2), given={x: 0.7 for x in m.parameters() if x not in m.given})
    state = motion.state(0.2)
    values = {ex.symbol(x): float(v) for x, v in {**motion.parameters, **state}.items()}
    flat = m.equations(formalism, parametrisation="planar")
    bodies = [x for x in m.bodies if x != "earth"]
    assert len(flat.coordinates) == 3 * len(bodies)
    rest = dict.fromkeys(m.layout().coordinates, 0.0)
    expected = {}
    for body in bodies:
        told = {x: np.array([motion[f"{body}.{axis}{x}"][-1] for axis in "XYZ"]) for x in ("", "'", "''")}
        direct = m.direct_kinematics(body)
        turned = direct.at({**motion.parameters, **state})[:3, :3] @ direct.at({**motion.parameters, **rest})[:3, :3].T
        spin = numbers(direct.angular, values)
        for i, letter in enumerate("xy"):
            values[ex.symbol(f"{body}_abs.{letter}")] = axes[i] @ told[""]
            values[ex.symbol(f"{body}_abs.{letter}'")] = axes[i] @ told["'"]
            expected[f"{body}_abs.{letter}'"] = axes[i] @ told["''"]
        values[ex.symbol(f"{body}_abs.th")] = np.arctan2(axes[1] @ turned @ axes[0], axes[0] @ turned @ axes[0])
        values[ex.symbol(f"{body}_abs.th'")] = axes[2] @ spin
    n, k = len(flat.speeds), len(flat.multiplier_names)
    mass = numbers(flat.mass_matrix.entries, values).reshape(n, n)
    rows = numbers(flat.constraint.entries, values).reshape(k, n)
    whole = np.block([[mass, -rows.T], [rows, np.zeros((k, k))]])
    right = np.r_[numbers(flat.right_side, values), numbers(flat.gamma, values)]
    found = dict(zip(flat.speeds, np.linalg.lstsq(whole, right, rcond=None)[0][:n], strict=True))
    assert np.abs(rows @ [values[ex.symbol(u)] for u in flat.speeds]).max(initial=0) < 1e-7
    size = 1 + max(map(abs, expected.values()))
    for speed, value in expected.items():
        assert found[speed] == pytest.approx(value, abs=1e-6 * size), speed


def test_a_plane_may_lie_anywhere_and_be_told_in_letters():
    m = da.Mechanism("tilted")
    a, b = m.body("a", mass=1), m.body("b", mass=1)
    m.join(da.earth.at([0, 0, "h"], da.turn("alpha", "x")), a, da.revolute("z"), name="A")
    m.join(a.at(["l", 0, "d"]), b.at([0, 0, 0], da.turn("pi", "x")), da.revolute("z"), name="B")
    plane = m.plane()
    assert plane
    assert [ex.text(x) for x in plane.normal] == ["0", "-sin(alpha)", "cos(alpha)"]
    assert m.equations(parametrisation="planar").multiplier_names == ("A.Fx", "A.Fy", "B.Fx", "B.Fy")
    m.join(b.at([1, 0, 0], da.turn("1/1000", "y")), m.body("c", mass=1), da.revolute("z"), name="C")
    assert not m.plane()
    assert "link 'C' turns about another direction" in m.plane().why


@pytest.mark.parametrize("name", ["scara", "gyroscope", "drone", "screw_press", "loops/sarrus", "loops/bennett"])
def test_machines_in_space_are_told_why(name):
    m = da.load(f"examples/{name}.lsd")
    assert m.plane().normal is None
    with pytest.raises(ModelError, match="does not move in a plane: link"):
        m.equations(parametrisation="planar")
