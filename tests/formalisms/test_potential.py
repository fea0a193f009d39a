"""Potentials found by the integrability test, and the integrals of motion that follow."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert.dynamics.integration import antiderivative
from dalembert.dynamics.potential import find_potential
from dalembert.expr.space import vector3
from dalembert.formalisms import derive
from dalembert.kinematics import build_tree
from dalembert.mechanism import Force, Layout, Mechanism, earth, free, prismatic, revolute
from formalisms.satellite import satellite


def pendulum(**efforts):
    m = Mechanism("pendulum")
    rod = m.body("rod", mass="m", centre=[0, 0, "-l"])
    m.join(earth, rod, revolute("x").with_efforts(**efforts), name="pivot")
    m.gravity = [0, 0, "-g"]
    return m, rod


def test_gravity_and_a_torsion_spring_add_up():
    m, _ = pendulum(th="-k*th + a*sin(th)")
    found = find_potential(build_tree(Layout.of(m)))
    th, k, a, g, l, mass = ex.symbols("pivot.th k a g l m")
    wanted = -g * mass * l * ex.cos(th) + k * th * th / 2 + a * ex.cos(th)
    values = {th: 0.7, k: 2.0, a: 0.3, g: 9.8, l: 1.2, mass: 0.5}
    assert ex.evaluate([found.value], values) == pytest.approx(ex.evaluate([wanted], values))


def test_of_a_spring_with_a_damper_the_spring_has_a_potential_and_the_damper_remains():
    m, _ = pendulum(th="-k*th - c*th'")
    found = find_potential(build_tree(Layout.of(m)), "automatic")
    _, (left,) = found.outside(build_tree(Layout.of(m)))
    th, rate, k, c = ex.symbols("pivot.th pivot.th' k c")
    assert ex.derivative(ex.derivative(found.value, k), th) is th
    values = {th: 0.3, rate: 0.7, k: 2.0, c: 5.0}
    assert ex.evaluate([left.effort], values) == pytest.approx([-3.5])


def test_an_unknown_law_has_no_potential_and_says_why():
    m, _ = pendulum(th="f(th, th')")
    found = find_potential(build_tree(Layout.of(m)))
    assert "unknown function" in found.refused["effort on pivot.th"]


def test_a_dead_force_has_a_potential_and_a_follower_force_on_a_double_pendulum_has_none():
    """Ziegler's column: the follower force fails the integrability conditions."""
    for base, conservative in ((earth, True), ("b", False)):
        m = Mechanism()
        a, b = m.body("a", mass=1, centre=[0, 0, 1]), m.body("b", mass=1, centre=[0, 0, 1])
        m.join(earth, a, revolute("x"), name="ja")
        m.join(a.at([0, 0, 1]), b, revolute("x"), name="jb")
        load = m.force(b.at([0, 0, 1]), [0, 0, "-P"], base=base)
        found = find_potential(build_tree(Layout.of(m)))
        assert (load in found.conservative) is conservative
        if not conservative:
            assert "integrability" in found.refused["force_1"]


@pytest.mark.parametrize("names", [("push", "push"), ("force 2", ""), ("weight of a", ""), ("joint pivot", "")])
def test_no_name_of_an_effort_makes_lagrange_or_hamilton_lose_one(names):
    """One dead force and one follower force: whatever they are called, kane and lagrange have both."""
    m = Mechanism()
    a = m.body("a", mass=1, centre=[0, 0, -0.5], inertia=[1, 1, 1])
    b = m.body("b", mass=1, centre=[0, 0, -0.5], inertia=[1, 1, 1])
    m.join(earth, a, revolute("x").with_efforts(th="-2*th"), name="pivot")
    m.join(a.at([0, 0, -1]), b, revolute("x"), name="knee")
    m.gravity = [0, 0, -9.81]
    tip = b.at([0, 0, -1])
    efforts = (Force(tip, vector3([0, 3, 0]), "earth", names[0]), Force(tip, vector3([0, 4, 1]), "b", names[1]))
    layout = Layout.of(replace(m.freeze(), efforts=efforts))
    state = {"pivot.th": 0.4, "knee.th": 0.7, "pivot.th'": 0.1, "knee.th'": -0.3}
    values = {ex.symbol(x): v for x, v in state.items()}
    wanted = ex.evaluate(list(derive(layout, "kane").accelerations), values)
    for name in ("lagrange", "hamilton"):
        assert ex.evaluate(list(derive(layout, name).accelerations), values) == pytest.approx(wanted, rel=1e-12)


def test_a_constant_torque_in_a_plane_has_a_potential():
    m = Mechanism()
    m.join(earth, m.body("wheel", mass=1, inertia=[1, 1, 1]), revolute("z"), name="w")
    m.torque("wheel", [0, 0, "T"])
    found = find_potential(build_tree(Layout.of(m)))
    assert found.value is -ex.symbol("T") * ex.symbol("w.th")


def test_the_satellite_seen_from_its_own_base_has_the_potential_of_the_thesis_with_the_sign_corrected():
    """(H.2): X F4x + Y F4y + (q8 s7 + z34 c7 c9) F4z + C12 q7 + F23 q8 + C34 q9 satisfies Q = +dV/dq (L3074-3115)."""
    from dalembert.formalisms.relative import seen_from

    tree = build_tree(Layout.of(seen_from(satellite(), "S1")))
    found = find_potential(tree)
    assert not found.refused
    q7, q8, q9 = tree.coordinates
    z, f = ex.symbol("z34"), [ex.symbol(f"F4{x}") for x in "xyz"]
    x, y = z * ex.sin(q9), q8 * ex.cos(q7) - z * ex.sin(q7) * ex.cos(q9)
    height = q8 * ex.sin(q7) + z * ex.cos(q7) * ex.cos(q9)
    printed = x * f[0] + y * f[1] + height * f[2]
    printed += ex.symbol("C12") * q7 + ex.symbol("F23") * q8 + ex.symbol("C34") * q9
    rng = np.random.default_rng(1)
    points = [{s: rng.uniform(0.5, 1) for s in ex.free_symbols([printed, found.value])} for _ in range(3)]
    gaps = [sum(ex.evaluate([found.value, printed], p)) for p in points]
    height_of_joint = [
        -ex.evaluate([ex.symbol("z12") * f[2]], p | {ex.symbol("z12"): p.get(ex.symbol("z12"), 0)})[0] for p in points
    ]
    assert np.allclose(gaps, height_of_joint)  # V = -printed, up to the constant z12 F4z


@pytest.mark.parametrize(
    "formula", ["x**3 - 2*a*x", "sin(3*x + b)", "a*exp(-2*x)", "sin(x)*cos(x)", "(x + b)**(-2)", "sqrt(2*x + 1)"]
)
def test_antiderivatives_differentiate_back(formula):
    x, e = ex.symbol("x"), ex.parse(formula)
    back = ex.derivative(antiderivative(e, x), x)
    values = {x: 0.7, ex.symbol("a"): 1.3, ex.symbol("b"): 0.4}
    assert ex.evaluate([back], values) == pytest.approx(ex.evaluate([e], values))


def test_lagrangian_names_its_cyclic_coordinates():
    m = Mechanism()
    m.join(earth, m.body("ball", mass="m", inertia=["J", "J", "J"]), free("euler"), name="b")
    m.gravity = [0, 0, "-g"]
    detail = derive(Layout.of(m), "lagrange").detail
    assert detail.cyclic == ("b.x", "b.y", "b.ps", "b.ph")


def test_a_spring_enters_the_hamiltonian():
    m = Mechanism()
    m.join(earth, m.body("cart", mass="m"), prismatic("x").with_efforts(x="-k*x"), name="s")
    detail = derive(Layout.of(m), "hamilton").detail
    p, q, k, mass = ex.symbols("s.p_x s.x k m")
    values = {p: 0.3, q: 0.4, k: 2.0, mass: 1.5}
    assert ex.evaluate([detail.value], values) == pytest.approx([0.3**2 / 3 + 0.4**2])
    assert all(e is ex.ZERO for e in detail.efforts)


ONE_SIDED = ["-k*min(x + 2, 0)", "-k*max(x - 3, 0)", "where(x < -1, -k*(x + 1), 0)", "-k*(abs(x) - x)"]


@pytest.mark.parametrize("law", ONE_SIDED)
def test_an_effort_that_acts_on_one_side_only_is_not_lost(law):
    """Where it is looked at by chance it may be nothing: Lagrange and Hamilton keep it wherever it acts."""
    m = Mechanism("stop")
    m.join(earth, m.body("ram", mass="m"), prismatic("x").with_efforts(x=law), name="rail")
    equations = [derive(Layout.of(m), name) for name in ("kane", "lagrange", "hamilton", "newton-euler")]
    for x in (-4.0, 0.5, 5.0):
        at = {ex.symbol(name): value for name, value in {"k": 7.0, "m": 2.0, "rail.x": x, "rail.x'": 0.3}.items()}
        found = [float(ex.evaluate([eq.right_side[0] / eq.mass_matrix[0, 0]], at)[0]) for eq in equations]
        assert found == pytest.approx([found[0]] * 4, rel=1e-12)
