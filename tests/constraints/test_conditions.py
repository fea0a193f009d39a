"""Conditions written as formulas: the same rows and the same solve as for links."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.constraints import resolve, rows_of
from dalembert.dynamics import dynamics_of
from dalembert.mechanism import Constraint, Holonomic, Kinematic


def sled() -> da.Mechanism:
    m = da.Mechanism("sled")
    body = m.body("sled", mass=2, centre=[0.3, 0, 0], inertia=[0.3, 0.3, 0.5])
    m.join(da.earth, body, da.planar(), name="p")
    m.gravity = [0, -9.81, 0]
    return m


def solved(m: da.Mechanism, condition: Holonomic | Kinematic, state: dict[str, float]):
    about = dynamics_of(m.layout())
    rows = rows_of(about.tree, [Constraint("held", condition)])
    found = resolve(about.mass_matrix, about.right_side, rows, about.state.speeds)
    values = {ex.symbol(name): value for name, value in state.items()}
    told = ex.evaluate([*found.accelerations, *found.multipliers, *found.kept], values)
    n = len(about.speeds)
    return told[:n], told[n : n + len(rows)], told[n + len(rows) :]


def test_a_bead_on_a_circle_is_a_pendulum():
    """x^2 + y^2 = l^2 beside an equal condition: one counts; the tension is m (g cos + l w^2)."""
    m = da.Mechanism("bead")
    bead = m.body("bead", mass=2)
    first = m.body("first")
    m.join(da.earth, first, da.prismatic("x"), name="a")
    m.join(first, bead, da.prismatic("y", coordinate="y"), name="b")
    m.gravity = [0, -9.81, 0]
    th, w, l = 0.4, 1.5, 0.7
    x, y = l * np.sin(th), -l * np.cos(th)
    state = {"a.x": x, "b.y": y, "a.x'": -w * y, "b.y'": w * x}
    circle = ex.parse("(a.x**2 + b.y**2)/2")
    (ax, ay), (lam, _), kept = solved(m, Holonomic((circle - l * l / 2, 3 * circle - 3 * l * l / 2)), state)
    angular = -9.81 / l * np.sin(th)
    assert kept == [1, 0]
    assert (ax, ay) == pytest.approx((-angular * y - w * w * x, angular * x - w * w * y), rel=1e-12)
    assert -lam * l == pytest.approx(2 * (9.81 * np.cos(th) + l * w * w), rel=1e-12)


def test_a_blade_does_not_slip():
    """A sled on a blade (Chaplygin): v across the blade is zero; the reaction has no power, and energy is kept."""
    m = sled()
    th, v, w = 0.6, 1.2, 2.0
    state = {"p.x": 0.1, "p.y": 0.2, "p.th": th, "p.x'": v * np.cos(th), "p.y'": v * np.sin(th), "p.th'": w}
    blade = ex.parse("-sin(p.th)*p.x' + cos(p.th)*p.y'")
    (ax, ay, aw), _, kept = solved(m, Kinematic((blade,)), state)
    along, across = ax * np.cos(th) + ay * np.sin(th), -ax * np.sin(th) + ay * np.cos(th)
    assert kept == [1]
    assert across == pytest.approx(v * w, rel=1e-12)
    assert along == pytest.approx(0.3 * w * w - 9.81 * np.sin(th), rel=1e-12)
    assert aw == pytest.approx(-2 * 0.3 * (v * w + 9.81 * np.cos(th)) / (0.5 + 2 * 0.3**2), rel=1e-12)


def arm() -> da.Mechanism:
    m, before = da.Mechanism("arm"), da.earth
    for k in (0, 1):
        body = m.body(f"b{k}", mass=1 + k, centre=[0.5, 0, 0], inertia=[0.1, 0.1, 0.1])
        m.join(before.at([k, 0, 0]) if k else before, body, da.revolute("z"), name=f"j{k}")
        before = body
    m.gravity = [0, -9.81, 0]
    return m


@pytest.mark.parametrize(("equation", "plain"), [("angle(b1, z)", "j0.th + j1.th"), ("angle(b1, z, b0)", "j1.th")])
def test_an_angle_is_held_through_whole_turns(equation, plain):
    """The same motion as with the coordinates, from a time at which the law has gone round several times."""
    motions = []
    for what in (equation, plain):
        m = arm()
        m.constrain(f"{what} = 3*t", name="law")
        motions.append(m.simulate((5, 7), start={"j0.th": 0.2}, rtol=1e-10, atol=1e-12))
    a, b = motions
    assert b["j0.th"][0] == pytest.approx(0.2, abs=1e-12)  # the turns of a law in coordinates are counted
    turned = (a["j1.th"][0] - b["j1.th"][0]) / (2 * np.pi)
    assert turned == pytest.approx(round(turned), abs=1e-9)
    assert a["j0.th"][-1] == pytest.approx(b["j0.th"][-1], abs=1e-7)
    assert a["law.lambda"][-1] == pytest.approx(b["law.lambda"][-1], rel=1e-6)
    assert a.quality.closure < 1e-10


def test_an_angle_in_lsd_is_that_of_python():
    m = da.loads(arm().to_lsd() + "\nconstrain angle(b1, z) = 2*angle(b0, z) by d(angle(b1, x)) + d(j0.th) as law ;")
    n = arm()
    n.constrain("angle(b1, z) = 2*angle(b0, z)", by="d(angle(b1, x)) + d(j0.th)", name="law")
    assert m.tied["law"] == n.tied["law"]
    assert da.loads(m.to_lsd()).to_lsd() == m.to_lsd()


def test_the_arc_of_a_cosine_holds_from_a_posture_where_it_has_no_slope():
    m = arm()
    m.constrain("acos(axis(b1, x, x, b0)) = 0.5 + 0.3*sin(t)", name="law")
    mo = m.simulate((0, 1))
    assert np.abs(mo["j1.th"]) == pytest.approx(0.5 + 0.3 * np.sin(mo.t), abs=1e-9)


def test_a_function_that_is_no_quantity_is_named():
    m = arm()
    m.constrain("angel(b1, b0) = 0.3", name="law")
    with pytest.raises(da.ModelError, match=r"'angel', which is no quantity of frames.*Did you mean 'angle'"):
        m.simulate((0, 1))
    with pytest.raises(da.ModelError, match=r"write angle\(f, z\)"):
        m.constrain("angle(b1, b0) = 0.3", name="other")
