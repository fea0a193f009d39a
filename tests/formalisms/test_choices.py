"""Choices of the user change the words, not the motion: chart, speeds, spanning tree, reference body."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.formalisms import balance, conserved, derive, recharted, seen_from
from dalembert.formalisms.speeds import speeds_from_rates
from dalembert.kinematics.bodies import body_accelerations, body_motions, body_poses
from dalembert.mechanism import Layout, Mechanism, earth, free, prismatic, revolute, spherical
from formalisms.satellite import STATE, satellite
from random_mechanisms import random_state, random_tree

TEXTBOOK = ["newton-euler", "dalembert", "lagrange", "hamilton", "kane", "gibbs-appell", "boltzmann-hamel", "lie-group"]


def evaluated(exprs, values):
    return np.array(ex.evaluate(list(exprs), values), dtype=float)


@pytest.mark.parametrize("name", TEXTBOOK)
@pytest.mark.parametrize("seed", range(50, 54))
def test_automatic_speeds_keep_the_motion_of_every_body(seed, name):
    m = random_tree(seed, 3)
    layout = Layout.of(m)
    old, new = derive(layout, "kane"), derive(layout, name, speeds="automatic")
    state = random_state(m, layout.coordinates, layout.speeds, seed)
    values = {ex.symbol(k): v for k, v in state.items()}
    rates = {ex.prime(q): rate for q, rate in old.tree.rates.items()}
    formulas = ex.substitute(speeds_from_rates(new.tree), rates)
    values |= dict(zip(new.tree.speeds, evaluated(formulas, values), strict=True))
    seen = []
    for eq in (old, new):
        udot = [ex.symbol(f"given {i}") for i in range(len(eq.speeds))]
        moved = body_accelerations(eq.tree, body_motions(eq.tree), udot)
        own = values | dict(zip(udot, evaluated(eq.accelerations, values), strict=True))
        seen.append(evaluated([x for one in moved for x in (*one.angular, *one.centre)], own))
    assert np.abs(seen[0] - seen[1]).max() < 1e-8 * (1 + np.abs(seen[0]).max())


def test_automatic_speeds_are_the_body_components_of_a_free_joint():
    m = Mechanism()
    m.join(earth, m.body("stone", mass=1, inertia=[1, 2, 3]), free("bryant"), name="s")
    eq = derive(Layout.of(m), "kane", speeds="automatic")
    assert eq.speeds == ("s.vx", "s.vy", "s.vz", "s.wx", "s.wy", "s.wz")
    assert eq.operations < derive(Layout.of(m), "kane").operations / 3


@pytest.mark.parametrize("chart", ["euler", "quaternion", "zyx"])
def test_another_chart_gives_the_same_accelerations(chart):
    """In body components the angular acceleration of the satellite knows no chart."""
    start = derive(Layout.of(satellite()), "kane")
    values = {ex.symbol(k): float(v) for k, v in STATE.items()}
    base = evaluated([x for row in body_poses(start.tree)[1].rotation for x in row], values).reshape(3, 3)
    eq = derive(Layout.of(recharted(satellite(), chart, "body")), "lagrange")
    if chart == "quaternion":
        a = np.sqrt(1 + np.trace(base)) / 2
        axis = np.array([base[2, 1] - base[1, 2], base[0, 2] - base[2, 0], base[1, 0] - base[0, 1]]) / (4 * a)
        names = dict(zip(("s1.e0", "s1.e1", "s1.e2", "s1.e3"), (a, *axis), strict=True))
    elif chart == "euler":
        names = {
            "s1.ps": np.arctan2(base[0, 2], -base[1, 2]),
            "s1.th": np.arccos(base[2, 2]),
            "s1.ph": np.arctan2(base[2, 0], base[2, 1]),
        }
    else:
        names = {
            "s1.al": np.arctan2(base[1, 0], base[0, 0]),
            "s1.be": -np.arcsin(base[2, 0]),
            "s1.ga": np.arctan2(base[2, 1], base[2, 2]),
        }
    values |= {ex.symbol(k): v for k, v in names.items()}
    found = dict(zip(eq.speeds, evaluated(eq.accelerations, values), strict=True))
    wanted = dict(zip(start.speeds, evaluated(start.accelerations, values), strict=True))
    assert found == pytest.approx(wanted, abs=1e-10)


def test_a_chart_needs_a_joint_that_turns_freely():
    m = Mechanism()
    m.join(earth, m.body("rod", mass=1), revolute("z"), name="h")
    with pytest.raises(ModelError, match="no chart to choose"):
        derive(Layout.of(m), "kane", chart="euler")


def test_the_spanning_tree_is_a_choice():
    m = Mechanism("ring")
    a, b = m.body("a", mass=1, inertia=[1, 1, 1]), m.body("b", mass=1, inertia=[1, 1, 1])
    m.join(earth, a, revolute("z"), name="ja")
    m.join(a.at([1, 0, 0]), b, revolute("z"), name="jab")
    m.join(earth, b, revolute("z"), name="jb")
    assert derive(Layout.of(m), "kane").coordinates == ("ja.th", "jb.th")
    assert derive(Layout.of(m), "kane", cut=["jb"]).coordinates == ("ja.th", "jab.th")


def test_a_reference_body_takes_the_place_of_earth():
    eq = derive(Layout.of(satellite()), "lagrange", reference="S1")
    assert eq.coordinates == ("s2.q7", "s3.q8", "s4.q9")
    with pytest.raises(ModelError, match="no body"):
        seen_from(satellite(), "S9")


def test_a_reference_body_that_would_lose_others_is_refused():
    m = Mechanism()
    a, b = m.body("a", mass=1), m.body("b", mass=1)
    m.join(earth, a, revolute("z"), name="ja")
    m.join(earth, b, revolute("z"), name="jb")
    with pytest.raises(ModelError, match="jb"):
        seen_from(m, "a")


def test_chosen_speeds_must_be_enough_and_independent():
    m = Mechanism()
    a, b = m.body("a", mass=1), m.body("b", mass=1)
    m.join(earth, a, prismatic("x"), name="s")
    m.join(a, b, prismatic("x"), name="r")
    with pytest.raises(ModelError, match="1 generalised speeds are chosen for 2"):
        derive(Layout.of(m), "kane", speeds={"y": "s.x' + r.x'"})
    with pytest.raises(ModelError, match="singular"):
        derive(Layout.of(m), "kane", speeds={"y": "s.x' + r.x'", "z": "2*s.x' + 2*r.x'"})
    with pytest.raises(ModelError, match="affine"):
        derive(Layout.of(m), "kane", speeds={"y": "s.x'**2", "z": "r.x'"})
    with pytest.raises(ModelError, match="own speeds"):
        derive(Layout.of(m), "mixed", speeds={"y": "s.x'", "z": "s.x' + r.x'"})


@pytest.mark.parametrize("seed", range(60, 68))
def test_energy_changes_by_the_power_and_momenta_by_the_efforts_from_outside(seed):
    m = random_tree(seed, 3, moving_time=False)
    layout = Layout.of(m)
    eq = derive(layout, "kane")
    found = balance(layout)
    values = {ex.symbol(k): v for k, v in random_state(m, layout.coordinates, layout.speeds, seed).items()}
    udot = dict(zip(eq.tree.speeds, evaluated(eq.accelerations, values), strict=True))
    slope = ex.derivative(found.potential, ex.TIME)
    rate, power, explicit = evaluated(
        [*ex.tangent([found.energy], {**eq.tree.rates, **udot}), found.power, slope], values
    )
    assert rate == pytest.approx(power, rel=1e-8, abs=1e-8)
    assert np.isfinite(explicit)


def test_a_free_body_keeps_momentum_and_angular_momentum():
    m = Mechanism()
    m.join(earth, m.body("stone", mass=2, centre=[0.1, 0.2, 0], inertia=[1, 2, 2.5]), free("quaternion"), name="s")
    layout = Layout.of(m)
    eq, found = derive(layout, "hamilton"), balance(layout)
    values = {ex.symbol(k): v for k, v in random_state(m, eq.coordinates, eq.speeds, 3).items()}
    udot = dict(zip(eq.tree.speeds, evaluated(eq.accelerations, values), strict=True))
    moved = ex.tangent([*found.momentum, *found.angular_momentum], {**eq.tree.rates, **udot})
    assert np.abs(evaluated(moved, values)).max() < 1e-10


def test_conserved_quantities_of_the_heavy_top():
    m = Mechanism()
    m.join(earth, m.body("top", mass="m", centre=[0, 0, "h"], inertia=["A", "A", "C"]), spherical("euler"), name="o")
    m.gravity = [0, 0, "-g"]
    assert set(conserved(Layout.of(m))) == {"momentum of o.ps", "momentum of o.ph", "energy"}
