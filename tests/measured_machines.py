"""Machines whose inertias tests identify."""

from __future__ import annotations

import numpy as np

import dalembert as da


def two_bars(unit=1.0):
    m = da.Mechanism("two bars")
    upper = m.body(
        "a", mass=1.2, centre=[0.3 * unit, 0.02 * unit, 0], inertia=[0.1 * unit**2, 0.12 * unit**2, 0.2 * unit**2]
    )
    lower = m.body(
        "b", mass=0.7, centre=[0.2 * unit, -0.03 * unit, 0], inertia=[0.05 * unit**2, 0.05 * unit**2, 0.06 * unit**2]
    )
    m.join(da.earth, upper, da.revolute("z"), name="p")
    m.join(upper.at([0.5 * unit, 0, 0]), lower, da.revolute("z").with_efforts(th=f"-{0.3 * unit**2}*th'"), name="q")
    m.gravity = [0, -9.81 * unit, 0]
    return m


def four_bar(unit=1.0):
    m = da.Mechanism("four-bar")
    lengths = {"crank": 1 * unit, "coupler": 3 * unit, "rocker": 2 * unit}
    bars = {
        name: m.body(name, mass=1.5, centre=[l / 2, 0.1 * unit, 0], inertia=[0.3 * l * l, 0.3 * l * l, 0.4 * l * l])
        for name, l in lengths.items()
    }
    m.join(da.earth, bars["crank"], da.revolute("z"), name="A")
    m.join(bars["crank"].at([unit, 0, 0]), bars["coupler"], da.revolute("z"), name="B")
    m.join(da.earth.at([3 * unit, 0, 0]), bars["rocker"], da.revolute("z"), name="D")
    m.join(bars["coupler"].at([3 * unit, 0, 0]), bars["rocker"].at([2 * unit, 0, 0]), da.revolute("z"), name="C")
    m.gravity = [0, -9.81 * unit, 0]
    m.start.update({"A.th": np.pi / 2, "B.th": -1.2334888453651298, "D.th": 1.6554235530825847})
    return m


def floating():
    m = da.Mechanism("floating")
    base = m.body("base", mass=2, centre=[0.1, 0, 0.05], inertia=[0.1, 0.2, 0.25])
    arm = m.body("arm", mass=1, centre=[0.2, 0, 0], inertia=[0.1, 0.1, 0.1])
    m.join(da.earth, base, da.free("quaternion"), name="p")
    m.join(base.at([0.3, 0, 0]), arm, da.revolute("y"), name="h")
    m.gravity = [0, 0, -9.81]
    return m
