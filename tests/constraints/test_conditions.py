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
