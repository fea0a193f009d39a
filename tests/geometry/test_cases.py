"""Worked cases of servo and nonholonomic mechanics as Lagrangians by hand: accelerations, efforts, sum of parts.

Numbers were derived apart from this package. Rows are "left side minus right side".
"""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert.geometry import Geometry, constrained

G = 9.81


def told(g, state, rates):
    """Accelerations in the order of the setting, then multipliers, at a state in rates; the parts must sum up there."""
    values = {**state, **{f"{x}'": v for x, v in rates.items()}}
    symbols = {ex.symbol(x): float(v) for x, v in {"t": 0.0, **values}.items()}
    setting, n = g.setting, len(g.setting.free)
    momenta = [float(x) for x in ex.evaluate(setting.momenta_in_rates[:n], symbols)]
    on = {**state, **dict(zip((p.name for p in setting.momenta), momenta, strict=True))}
    assert g.check(on)
    assert g.at(on, setting.rates) == pytest.approx([rates[x.name] for x in setting.coordinates], rel=1e-9, abs=1e-12)
    # p' = d(M u - a) in the accelerations, the driven ones being those of their laws
    moved = ex.tangent(list(g.speeds), {ex.TIME: 1, **dict(zip((*setting.coordinates, *setting.momenta), g.field))})
    return g.at(on, [*moved, *g.multipliers, *g.powers])


def test_foucault_pendulum_as_a_constraint():
    """The earth is driven at a constant rate; the torque that keeps it so is tiny, and not zero."""
    latitude = np.radians(48.85)
    c, s = float(np.cos(latitude)), float(np.sin(latitude))
    z, zr = "(-sqrt(4-x^2-y^2))", "((x*x'+y*y')/sqrt(4-x^2-y^2))"
    # velocity r' + ph' (0, c, s) x r
    v = [f"x' + ph'*({c}*{z} - {s}*y)", f"y' + ph'*{s}*x", f"{zr} - ph'*{c}*x"]
    lagrangian = f"(({v[0]})^2 + ({v[1]})^2 + ({v[2]})^2)/2 + 5*ph'^2 - {G}*{z}"
    g = Geometry(constrained("x y ph", lagrangian, driven={"ph": 0.01}))
    found = told(g, {"x": 0.1, "y": 0.05, "ph": 0}, {"x": 0.2, "y": -0.1, "ph": 0.01})
    assert found == pytest.approx([-0.4924446577, -0.2483350891, 0, 0.645529984, 0.00645529984], rel=1e-8, abs=1e-12)


def test_child_on_a_swing():
    w = float(np.sqrt(G / 2.5))
    g = Geometry(
        constrained("th l", f"15*(l'^2 + l^2*th'^2) + {30 * G}*l*cos(th)", driven={"l": f"0.3*{w}*cos(2*{w}*t)"})
    )
    found = told(g, {"th": 0.1, "l": 2.5}, {"th": 0, "l": 0.3 * w})
    assert [found[0], *found[2:]] == pytest.approx([-0.3917463269, -292.8297258, -174.0207015], rel=1e-8)


def test_a_child_who_pumps_by_the_angle_gains_nothing():
    """l = l(th): (l^2 th')^2/2 + g int l^3 sin th dth is kept; here l = 2.5 + 0.2 cos th."""
    g = Geometry(constrained("th l", f"15*(l'^2 + l^2*th'^2) + {30 * G}*l*cos(th)", driven={"l": "-0.2*sin(th)*th'"}))
    c = "(cos(th))"
    area = f"-(2.5^3*{c} + 3*2.5^2*0.2*{c}^2/2 + 3*2.5*0.04*{c}^3/3 + 0.008*{c}^4/4)"
    kept = ex.parse(f"(l^2*th')^2/2 + {G}*({area})")
    state = {"th": 0.4, "l": 2.5 + 0.2 * float(np.cos(0.4)), "p_th": 12.0}
    (value,) = g.on_phase_space([kept])
    (rate,) = ex.tangent([value], dict(zip((*g.setting.coordinates, *g.setting.momenta), g.field)))
    assert g.at(state, [rate])[0] == pytest.approx(0, abs=1e-11)
    assert g.check(state)


def test_walker_in_a_rolling_ball():
    lagrangian = (
        "2.5*x'^2 + (10/6)*ph'^2 + 30*((x' + 0.9*cos(s-ph)*(s'-ph'))^2 + (0.9*sin(s-ph)*(s'-ph'))^2)"
        f" + 60*{G}*0.9*cos(s-ph)"
    )
    g = Geometry(
        constrained(
            "x ph s",
            lagrangian,
            driven={"s": "0.1 + 0.3*(sin(t) - sin(1))"},
            kept={"roll": "x' - ph'"},
        )
    )
    found = told(g, {"x": 0, "ph": 0.05, "s": 0.2, "t": 1}, {"x": 0.4, "ph": 0.4, "s": 0.1})
    # multipliers: the drive, then the ground
    expected = [7.797376078, 7.797376078, 0.1620906918, 124.4187638, 98.42751022]
    assert found[:5] == pytest.approx(expected, rel=1e-8)


def test_car_with_a_driver():
    g = Geometry(
        constrained(
            "x y th",
            "600*((x' - 1.2*sin(th)*th')^2 + (y' + 1.2*cos(th)*th')^2) + 900*th'^2",
            kept={
                "rear": "-x'*sin(th) + y'*cos(th)",
                "front": "-x'*sin(th+0.2*sin(t)) + y'*cos(th+0.2*sin(t)) + 2.6*th'*cos(0.2*sin(t))",
            },
            efforts={"x": "800*cos(th)", "y": "800*sin(th)"},
        )
    )
    delta = 0.2 * np.sin(1)
    rates = {"x": 5 * np.cos(0.1), "y": 5 * np.sin(0.1), "th": 5 * np.tan(delta) / 2.6}
    # front wheel: -v sin(delta) + 2.6 th' cos(delta) = 0
    found = told(g, {"x": 0, "y": 0, "th": 0.1, "t": 1}, rates)
    expected = [0.4516526484, 1.687184964, 0.254180631, 1076.71614, 1267.612137]
    assert found[:5] == pytest.approx(expected, rel=1e-8)
    assert found[5:] == pytest.approx([0, 0], abs=1e-8)


def test_chaplygin_sleigh_and_knife_edge():
    sleigh = Geometry(
        constrained(
            "x y th",
            "(x' - 0.25*sin(th)*th')^2 + (y' + 0.25*cos(th)*th')^2 + 0.15*th'^2",
            kept={"blade": "-x'*sin(th) + y'*cos(th)"},
        )
    )
    found = told(sleigh, {"x": 0, "y": 0, "th": 0.4}, {"x": -np.cos(0.4), "y": -np.sin(0.4), "th": 1.5})
    assert found[:4] == pytest.approx([1.102224323, -1.162543673, 1.764705882, -2.117647059], rel=1e-8)
    edge = Geometry(
        constrained(
            "x y th",
            f"(x'^2 + y'^2)/2 + 0.1*th'^2 + {G}*sin(0.3)*x",
            kept={"blade": "x'*sin(th) - y'*cos(th)"},
        )
    )
    found = told(edge, {"x": 0, "y": 0, "th": 0.5}, {"x": 0.3 * np.cos(0.5), "y": 0.3 * np.sin(0.5), "th": 1.2})
    assert found[:4] == pytest.approx([2.060115992, 1.535664309, 0, -1.749880155], rel=1e-8, abs=1e-10)


def test_snakeboard():
    g = Geometry(
        constrained(
            "x y th ps ph",
            "3*(x'^2+y'^2) + 0.0827*th'^2 + 0.036*(th'+ps')^2 + 0.00065*((th'-ph')^2 + (th'+ph')^2)",
            driven={"ps": "1.4*cos(2*t)", "ph": "0.6*cos(2*t)"},
            kept={
                "rear": "-x'*sin(th+ph) + y'*cos(th+ph) - 0.2*th'*cos(ph)",
                "front": "-x'*sin(th-ph) + y'*cos(th-ph) + 0.2*th'*cos(ph)",
            },
        )
    )
    state = {"x": 0, "y": 0, "th": 0, "ps": 0.7 * np.sin(0.8), "ph": 0.3 * np.sin(0.8), "t": 0.4}
    rates = {"x": 0, "y": 0, "th": 0, "ps": 1.4 * np.cos(0.8), "ph": 0.6 * np.cos(0.8)}
    found = told(g, state, rates)
    accelerations = [-0.02514241867, 0, 0.02747964701, -2.008597055, -0.8608273091]
    efforts = [-0.1426404533, -0.002238151004, 0.3532073822, -0.3532073822]
    assert found[:9] == pytest.approx([*accelerations, *efforts], rel=1e-8, abs=1e-11)
