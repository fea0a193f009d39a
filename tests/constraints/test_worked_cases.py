"""Worked cases built in Python: critical spin, ropes over points, redundant gears; test_cases has the others."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.dynamics import dynamics_of

G = 9.81
EXACT = {"rtol": 1e-11, "atol": 1e-13}


def told(m: da.Mechanism, state: dict[str, float], *outputs: str, t: float = 0.0) -> list[float]:
    """Accelerations in the order of the speeds, then outputs, at a state; what is not named is zero."""
    about = dynamics_of(m.layout())
    values = {ex.symbol(x): 0.0 for x in about.state.names} | {ex.TIME: t}
    values |= {ex.symbol(x): v for x, v in {**m.given, **state}.items()}
    asked = [*about.accelerations(), *about.solved([about.outputs[name] for name in outputs])]
    return [float(x) for x in ex.evaluate(asked, values)]


def disc(radius: float = 0.5) -> da.Mechanism:
    m = da.Mechanism("disc")
    fork, arm = m.body("fork"), m.body("arm")
    r2 = radius**2
    wheel = m.body("wheel", mass=1, inertia=[r2 / 4, r2 / 2, r2 / 4])
    place = da.composite(
        ["x", "y", "z", "ps"], da.Displacement.of(["x", "y", "z"]), da.Displacement.of([0, 0, 0], da.turn("ps", "z"))
    )
    m.join(da.earth, fork, place, name="c")
    m.join(fork, arm, da.revolute("x"), name="lean")
    m.join(arm, wheel, da.revolute("y"), name="spin")
    m.gravity = [0, 0, -G]
    m.roll(wheel, da.earth, radius=radius, name="road")
    return m


def test_a_rolling_disc_stands_above_its_critical_spin():
    """Straight rolling is stable iff ph'^2 > g/(3 r)."""
    critical = np.sqrt(G / 1.5)
    for factor, stable in ((0.99, False), (1.01, True)):
        found = disc().linearize({"lean.th": 0, "spin.th'": float(factor * critical)}).eigenvalues()
        assert (found.real.max() < 1e-2) == stable  # zeros that are defective come out as roots of rounding


def test_a_start_far_from_the_plane_falls_on_it_along_the_slides():
    mo = disc().simulate((0, 0.1), start={"lean.th": 1e-4, "spin.th'": 2.6})
    assert (mo["lean.th"][0], mo["c.z"][0]) == pytest.approx((1e-4, 0.5), rel=1e-8)


def test_a_rope_over_points_of_frames_is_a_pulley():
    m = da.Mechanism("rope")
    for name, mass, side in (("a", 3, 0.0), ("b", 2, 1.0)):
        m.join(da.earth.at([side, 0, 0]), m.body(name, mass=mass), da.prismatic("-z"), name=name)
    m.gravity = [0, 0, -G]
    left, right = m.frame("left", da.earth.at([0, 0, 2])), m.frame("right", da.earth.at([1, 0, 2]))
    m.rope([m.bodies["a"], left, right, m.bodies["b"]], 7, name="line")
    found = told(m, {"a.x": 1, "b.x": 1}, "line.lambda")
    assert found == pytest.approx([G / 5, -G / 5, -(3 * G - 3 * G / 5)], rel=1e-9)


def planetary(planets: int) -> da.Mechanism:
    m = da.Mechanism("planetary")
    extra = 3 * 0.1 * 0.05**2
    parts = {"sun": 1e-4, "carrier": 5e-4 + extra, "ring": 1e-3}
    parts |= {f"planet{k}": 2e-5 * 3 / planets for k in range(planets)}
    for name, inertia in parts.items():
        m.join(da.earth, m.body(name, inertia=[inertia] * 3), da.revolute("z"), name=name)
    m.torque("sun", [0, 0, 2])
    m.torque("carrier", [0, 0, -3])
    for k in range(planets):
        m.planetary("sun.th", "carrier.th", "ring.th", [0.03, 0.07], f"planet{k}.th", name=f"mesh{k}")
    m.constrain("ring.th = 0", name="held")
    return m


def test_three_planets_are_redundant_and_move_alike():
    """Seven rows of rank five: the same accelerations; the sums of tooth forces are determined, least ones are told."""
    with pytest.warns(UserWarning, match="is not determined by the mechanics"):
        found = told(planetary(3), {}, *(f"mesh{k}.lambda{i}" for k in range(3) for i in (1, 2)))
    assert found[:6] == pytest.approx([4467.005076, 1340.101523, 0, *[-3350.253807] * 3], rel=1e-8, abs=1e-7)
    assert found[6:] == pytest.approx([-17.25888325, -13.90862944] * 3, rel=1e-8)


@pytest.mark.filterwarnings("ignore:.*not determined:UserWarning")
@pytest.mark.parametrize("seed", range(3))
def test_redundant_conditions_share_the_least_efforts(seed):
    """Rows of lower rank than their number: lambda is the pseudo-inverse of G^T times what they must give."""
    rng = np.random.default_rng(seed)
    rank, count, n = 2, 4, 4
    g = rng.integers(-3, 4, (count, rank)) @ rng.integers(-2, 3, (rank, n))
    g = g[np.abs(g).sum(axis=1) > 0]
    masses, pushes = rng.uniform(1, 3, n), rng.uniform(-5, 5, n)
    m = da.Mechanism("slides")
    for k in range(n):
        m.join(da.earth, m.body(f"b{k}", mass=masses[k]), da.prismatic("x"), name=f"s{k}")
        m.force(m.bodies[f"b{k}"], [pushes[k], 0, 0])
    for i, row in enumerate(g):
        m.constrain(" + ".join(f"({x})*s{k}.x" for k, x in enumerate(row)) + " = 0", name=f"c{i}")
    found = np.array(told(m, {}, *(f"c{i}.lambda" for i in range(len(g)))))
    assert found[n:] == pytest.approx(np.linalg.pinv(g.T) @ (masses * found[:n] - pushes), abs=1e-9)
    assert np.abs(g @ found[:n]).max() < 1e-10


@pytest.mark.slow
def test_a_passive_perfect_constraint_has_no_power():
    mo = disc().simulate((0, 1), start={"lean.th": 0.2, "spin.th'": 4})
    assert np.abs(mo["road.power"]).max() == np.abs(mo["road_contact.power"]).max() == 0.0


def test_a_block_slides_on_three_points():
    """Three conditions and three reactions: each contact carries its own normal force, friction brakes them alike."""
    m = da.Mechanism("block")
    block = m.body("block", mass=4, centre=[0, 0, 0.15], inertia=[0.1, 0.1, 0.1])
    m.join(da.earth, block, da.free("bryant", "rates"), name="f")
    m.gravity = [0, 0, -G]
    for k, (x, y) in enumerate(((0.2, 0.1), (0.2, -0.1), (-0.2, 0.0)), 1):
        m.frame(f"p{k}", block.at([x, y, 0]))
        m.constrain(f"pos(p{k}, z) = 0", by=da.coulomb(0.3, f"vel(p{k}, x)", f"vel(p{k}, y)"), name=f"c{k}")
    found = told(m, {"f.x'": 1.0}, "c1.lambda", "c2.lambda", "c3.lambda")
    assert found == pytest.approx([-2.943, 0, 0, 0, 0, 0, 12.01725, 12.01725, 15.2055], abs=1e-9)


@pytest.mark.parametrize(
    "law", ["d1.th = d2.th", "d1.th' = d2.th'", "rate(d1.th - d2.th) = 0", "2*d1.th - 2*d2.th = 0"]
)
def test_a_servo_moves_alike_however_its_law_is_written(law):
    """Results depend on rows and reactions only, never on the writing (Dazord 7.1)."""
    m = da.Mechanism("discs")
    m.join(da.earth, m.body("a", inertia=[1, 1, 2]), da.revolute("z").with_efforts(th="-5*th"), name="d1")
    m.join(da.earth, m.body("b", inertia=[2, 2, 3]), da.revolute("z"), name="d2")
    m.constrain(law, by="d2.th", name="servo")
    start = {"d1.th": 0.3, "d1.th'": 0.4, "d2.th": 0.3}
    mo = m.simulate((0, 5), start=start, t_eval=[0, 5], **EXACT)
    assert (mo["d1.th"][1], mo["d1.th'"][1]) == pytest.approx((0.2371371862, -0.4943833404), rel=1e-7)
