"""Belts, racks, differentials, joints of constant velocity, steering: each against a formula of its own."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.expr import as_expr
from dalembert.expr.space import vector3
from dalembert.mechanism import Displacement, Turn

DISC = """
let fork = body mass = 0, iframe = 0, inertia = 0 end ;
let arm = body mass = 0, iframe = 0, inertia = 0 end ;
let wheel = body mass = 1, iframe = 0, inertia = [0.0625, 0.125, 0.0625] end ;
join earth and fork.frame with link(x, y, z, ps) dof1 = [x, y, z], dof2 = ps || [0, 0, 1] end as c ;
join fork.frame and arm.frame with link(th) dof = th || [1, 0, 0] end as lean ;
join arm.frame and wheel.frame with link(th) dof = th || [0, 1, 0] end as spin ;
roll wheel on earth with radius = 0.5 as road ;
gravity [0, 0, -9.81] ;
"""


def shafts(*inertias: float, torques: tuple[float, ...] = ()) -> da.Mechanism:
    m = da.Mechanism("shafts")
    for k, j in enumerate(inertias, 1):
        body = m.body(f"b{k}", inertia=[j, j, j])
        torque = torques[k - 1] if k <= len(torques) else 0
        m.join(da.earth, body, da.revolute("z").with_efforts(th=str(torque)), name=f"s{k}")
    return m


def solved(m: da.Mechanism, **start: float):
    mo = m.simulate((0, 1), start={k.replace("_", "."): v for k, v in start.items()})
    return mo, {x: mo[f"{x}'"][0] for x in mo.names[len(mo.names) // 2 :]}


def test_a_belt_divides_torque_as_its_radii():
    r1, r2, j1, j2 = 0.1, 0.3, 0.4, 2.5
    m = shafts(j1, j2, torques=(3.0, -1.0))
    m.belt("s1.th", "s2.th", [r1, r2], name="belt")
    mo, found = solved(m)
    ratio = r1 / r2
    first = (3.0 - 1.0 * ratio) / (j1 + j2 * ratio**2)
    assert found["s1.th'"] == pytest.approx(first)
    assert found["s2.th'"] == pytest.approx(ratio * first)
    tension = (j1 * first - 3.0) / r1  # difference of the two falls
    assert mo["belt.lambda"][0] == pytest.approx(tension)
    assert np.abs(r1 * mo["s1.th"] - r2 * mo["s2.th"]).max() < 1e-12


def test_a_rack_moves_as_its_pinion_rolls():
    radius, j, mass = 0.05, 0.002, 1.7
    m = da.Mechanism("rack")
    m.join(da.earth, m.body("pinion", inertia=[j, j, j]), da.revolute("z").with_efforts(th="0.4"), name="p")
    m.join(da.earth, m.body("bar", mass=mass), da.prismatic("x").with_efforts(x="-2 - 30*x"), name="b")
    m.rack("b.x", "p.th", radius, name="mesh")
    mo, found = solved(m)
    whole = mass + j / radius**2
    assert found["b.x'"] == pytest.approx((0.4 / radius - 2) / whole)
    frequency = np.sqrt(30 / whole)
    rest = (0.4 / radius - 2) / 30
    assert mo["b.x"] == pytest.approx(rest * (1 - np.cos(frequency * mo.t)), abs=1e-7)
    assert mo["mesh.lambda"][0] == pytest.approx(mass * found["b.x'"] + 2)


def test_a_differential_gives_both_shafts_the_same_torque():
    jc, jl, jr = 1.3, 0.7, 0.2
    m = shafts(jc, jl, jr, torques=(5.0, -1.0, 0.5))
    m.differential("s1.th", "s2.th", "s3.th", name="diff")
    mo, found = solved(m, **{"s2_th'": 1.0, "s3_th'": -0.4})
    inverse = 4 / jc + 1 / jl + 1 / jr  # 2c - l - r = 0
    weight = -(2 * 5.0 / jc + 1.0 / jl - 0.5 / jr) / inverse
    assert mo["diff.lambda"] == pytest.approx(weight)
    assert found["s1.th'"] == pytest.approx((5.0 + 2 * weight) / jc)
    assert jl * found["s2.th'"] + 1.0 == pytest.approx(jr * found["s3.th'"] - 0.5)  # shares of the torque are equal
    assert np.abs(2 * mo["s1.th'"] - mo["s2.th'"] - mo["s3.th'"]).max() < 1e-12


@pytest.mark.parametrize("bend", [0.0, 0.4, 1.1])
def test_a_joint_of_constant_velocity_turns_alike_however_it_is_bent(bend):
    m = da.Mechanism("shafts")
    tilted = m.frame("tilted", da.earth, Displacement(vector3([0, 0, 0]), (Turn(as_expr(bend), vector3([1, 0, 0])),)))
    m.join(da.earth, m.body("a", inertia=[2, 2, 0.5]), da.revolute("z").with_efforts(th="1"), name="p")
    m.join(tilted, m.body("b", inertia=[2, 2, 1.5]), da.revolute("z").with_efforts(th="-0.2*th'"), name="q")
    m.constant_velocity("a", "b", name="joint")
    mo = m.simulate((0, 6), start={"p.th": 0.3, "q.th": 0.3, "p.th'": 1.0})
    speed = 5 - 4 * np.exp(-0.1 * mo.t)  # (0.5 + 1.5) w' = 1 - 0.2 w: no ripple of twice the angle
    assert mo["p.th'"] == pytest.approx(speed, abs=1e-7)
    assert mo["q.th'"] == pytest.approx(speed, abs=1e-7)


def test_steered_wheels_turn_about_one_centre():
    track, base = 1.5, 2.7
    m = shafts(1.0, 1.0, torques=(0.5,))
    m.ackermann("s1.th", "s2.th", track, base, name="steering")
    mo = m.simulate((0, 2), start={"s1.th": -0.3})
    for left, right in zip(mo["s1.th"], mo["s2.th"], strict=True):
        if abs(np.sin(left)) > 1e-3:
            # axles of the wheels at (base, +-track/2) meet that of the rear wheels, x = 0, in one point
            centres = track / 2 + base / np.tan(left), -track / 2 + base / np.tan(right)
            assert centres[0] == pytest.approx(centres[1], rel=1e-9)
    assert mo["s1.th"].max() > 0.05 > -0.05 > mo["s1.th"].min()  # through straight ahead
    assert mo.quality.closure < 1e-12


def test_equilibria_of_geared_pendulums_and_their_frequencies():
    m = da.Mechanism("geared")
    m.join(da.earth, m.body("p", mass=2, centre=[0, 0, -1]), da.revolute("x"), name="a")
    m.join(da.earth, m.body("q", mass=3, centre=[0, 0, -0.8]), da.revolute("x"), name="b")
    m.gravity = [0, 0, -9.81]
    m.gear("a.th", "b.th", 2)
    a, b, inertia = 2 * 9.81, 3 * 9.81 * 0.8, 2 * 4 + 3 * 0.64  # V = -a cos 2x - b cos x
    found = {round(e.coordinates["b.th"], 9): e for e in m.equilibria(starts=40)}
    tilt = np.arccos(-b / (4 * a))
    assert {round(tilt, 9), round(-tilt, 9), 0.0} <= set(found)
    assert abs(found[0.0].eigenvalues[0]) == pytest.approx(np.sqrt((4 * a + b) / inertia), rel=1e-9)
    slope = 4 * a * np.cos(2 * tilt) + b * np.cos(tilt)
    grows = max(z.real for z in found[round(tilt, 9)].eigenvalues)
    assert slope < 0
    assert grows == pytest.approx(np.sqrt(-slope / inertia), rel=1e-9)


@pytest.mark.parametrize(("yaw", "spin"), [(0.9, 6.0), (-1.5, 4.0)])
def test_the_steady_turn_of_a_disc_has_the_lean_of_its_formula(yaw, spin):
    mass, radius, across, axial = 1.0, 0.5, 0.0625, 0.125
    m = da.loads(DISC)
    found = m.equilibria(speeds={"c.ps'": yaw, "spin.th'": spin}, starts=12)
    leans = [
        e.coordinates["lean.th"] for e in found if abs(e.coordinates["lean.th"]) < np.pi / 2
    ]  # others: turned over
    assert leans
    for lean in leans:  # rate of the angular momentum, about the contact
        whole = spin + yaw * np.sin(lean)
        left = (axial + mass * radius**2) * whole * yaw * np.cos(lean)
        left += mass * 9.81 * radius * np.sin(lean) - across * yaw**2 * np.sin(lean) * np.cos(lean)
        assert abs(left) < 1e-8
    upright = min(leans, key=abs)
    mo = m.simulate((0, 2), start={"lean.th": upright, "c.ps'": yaw, "spin.th'": spin})
    assert np.abs(mo["lean.th"] - upright).max() < 1e-6
    assert np.abs(mo["c.ps'"] - yaw).max() < 1e-6


def test_the_oscillation_about_a_steady_turn_is_seen_in_motion():
    m = da.loads(DISC)
    (one,) = [
        e for e in m.equilibria(speeds={"c.ps'": 0.9, "spin.th'": 6.0}, starts=12) if abs(e.coordinates["lean.th"]) < 1
    ]
    frequency = max(z.imag for z in one.eigenvalues)
    lean = one.coordinates["lean.th"]
    start = {"lean.th": lean, "lean.th'": 1e-3, "c.ps'": 0.9, "spin.th'": 6.0}
    mo = m.simulate((0, np.pi / frequency), start=start)
    away = mo["lean.th"] - lean
    assert away[len(away) // 2] > 3e-5
    assert abs(away[-1]) < 2e-6


def test_passing_through_a_balance_is_no_steady_motion():
    m = da.Mechanism("pendulum")
    m.join(da.earth, m.body("bob", mass=2, centre=[0, 0, -1]), da.revolute("x"), name="a")
    m.gravity = [0, 0, -9.81]
    assert m.equilibria(speeds={"a.th'": 1.0}) == []
    m.gravity = [0, 0, 0]
    assert m.equilibria(speeds={"a.th'": 1.0})


def test_gears_have_minimal_equations_by_formulas():
    """Sun, planet, carrier and ring, a rack on the carrier: all follow from the sun, with sizes as letters."""
    m = da.Mechanism("train")
    for name in ("sun", "planet", "carrier", "ring"):
        body = m.body(name, inertia=[0, 0, f"J_{name}"])
        m.join(da.earth, body, da.revolute("z").with_efforts(th=f"T - k*th^2*{len(name)}"), name=name[0])
    m.join(da.earth, m.body("bar", mass="M"), da.prismatic("x").with_efforts(x="-k*x"), name="b")
    m.planetary("s.th", "c.th", "r.th", ["R", "3*R"], "p.th", name="gear")
    m.rack("b.x", "c.th", "R", name="rack")
    m.constrain("r.th = s.th*N", name="side")
    m.given = {"J_sun": 1, "J_planet": 0.2, "J_carrier": 2, "J_ring": 3, "M": 1.5, "R": 0.3, "N": 0.2, "T": 1, "k": 0.7}
    eq = m.equations("lagrange", independent=["s.th"])
    assert {name for name, _ in eq.chart.definitions} == {"p.th", "c.th", "r.th", "b.x"}
    assert set(eq.parameters) >= {"R", "N"}
    angle, speed = 0.8, 1.7
    carrier = (1 + 3 * 0.2) / 4  # R s + 3 R r = 4 R c
    planet = 2 * carrier - 1  # R s + R p = 2 R c
    ways = {"s": 1, "p": planet, "c": carrier, "r": 0.2, "b": 0.3 * carrier}
    inertia = {"s": 1, "p": 0.2, "c": 2, "r": 3, "b": 1.5}
    counts = {"s": 3, "p": 6, "c": 7, "r": 4}
    push = sum(w * (1 - 0.7 * (w * angle) ** 2 * counts[x]) for x, w in ways.items() if x in counts)
    push -= 0.7 * ways["b"] ** 2 * angle
    wanted = push / sum(inertia[x] * w * w for x, w in ways.items())
    assert np.ravel(eq.acceleration({"s.th": angle, "s.th'": speed}))[0] == pytest.approx(wanted, rel=1e-12)
