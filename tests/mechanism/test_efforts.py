"""Efforts between bodies: every formalism feels the same, a potential gives its force, action equals reaction."""

from __future__ import annotations

import random

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.formalisms import derive
from dalembert.kinematics import build_tree, effort_actions, effort_energy, frame_pose, in_speeds
from dalembert.mechanism import Displacement, Layout, Mechanism, earth, prismatic, revolute, spherical
from random_mechanisms import random_displacement, random_state, random_tree, random_vector

FORMALISMS = ["newton-euler", "dalembert", "lagrange", "hamilton", "kane", "gibbs-appell", "mixed", "recursive"]


def spatial_chain(seed: int) -> tuple[Mechanism, random.Random]:
    """A chain of three bodies and one beside it, in plain rates, no efforts yet."""
    rng = random.Random(seed)
    m = Mechanism("chain")
    held = earth
    for name, joint in [
        ("a", spherical("zxy")),
        ("b", revolute(random_vector(rng))),
        ("c", prismatic(random_vector(rng))),
    ]:
        body = m.body(name, mass=rng.uniform(1, 2), centre=random_vector(rng), inertia=[1, 1.2, 1.4])
        frame = random_displacement(rng)
        m.join(held.at(frame.translation, *frame.turns), body, joint, name=f"j{name}")
        held = body
    side = m.body("d", mass=1.5, centre=random_vector(rng), inertia=[1, 1, 1])
    m.join(m.bodies["a"].at(random_vector(rng)), side, revolute("y"), name="jd")
    return m, rng


def anywhere(m: Mechanism, rng: random.Random, body: str):
    frame = random_displacement(rng)
    return m.bodies[body].at(frame.translation, *frame.turns)


def with_spring(m, rng, pair):
    return m.spring(*pair, stiffness=3, damping=0.7, length=0.4, force="0.3*l**2 - 0.1*l' + cos(t)")


def with_torsion(m, rng, pair):
    return m.torsion_spring(*pair, random_vector(rng), stiffness=3, damping=0.7, angle=0.2, torque="0.1*sin(th) - th'")


def with_bushing(m, rng, pair):
    values = {"stiffness": [3, 4, 5], "damping": 0.6, "turning": [2, 1.5, 1], "turning_damping": [0.1, 0.2, 0.3]}
    return m.bushing(*pair, **values)


KINDS = [with_spring, with_torsion, with_bushing]
PAIRS = [("earth", "c"), ("c", "d"), ("a", "b"), ("b", "earth")]


def numbers(exprs, tree, state):
    return np.array(ex.evaluate(list(exprs), {ex.symbol(k): v for k, v in state.items()}), dtype=float)


def a_state(layout: Layout, seed: int) -> dict[str, float]:
    rng = random.Random(seed)
    return {x: rng.uniform(-0.8, 0.8) for x in (*layout.coordinates, *layout.speeds)} | {"t": 0.3}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_every_formalism_feels_the_same_effort(kind, pair):
    m, rng = spatial_chain(len(pair[0]) + 7 * PAIRS.index(pair))
    kind(m, rng, [anywhere(m, rng, name) for name in pair])
    layout = Layout.of(m)
    state = a_state(layout, 1)
    found = {}
    for name in FORMALISMS:
        eq = derive(layout, name)
        entries = numbers([*eq.mass_matrix.entries, *eq.bias, *eq.forces], eq, state)
        n = len(layout.speeds)
        mass = entries[: n * n].reshape(n, n)
        found[name] = np.linalg.solve(mass, entries[n * n : n * n + n] + entries[n * n + n :])
    for name, values in found.items():
        assert np.allclose(values, found["kane"], rtol=1e-9, atol=1e-9), name


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(6))
def test_the_elastic_part_is_the_slope_of_its_energy_and_the_rest_completes_it(kind, seed):
    m, rng = spatial_chain(seed)
    effort = kind(m, rng, [anywhere(m, rng, name) for name in PAIRS[seed % len(PAIRS)]])
    elastic, *rest = effort.split()
    tree = build_tree(Layout.of(m))
    state = a_state(tree.layout, seed)

    def generalised(one):
        total = np.zeros(len(tree.speeds))
        for action in effort_actions(tree, one):
            frame = m.bodies[tree.layout.bodies[action.body].name].frame
            pose = frame_pose(tree, frame)
            held = [ex.const(x) for x in numbers(action.point, tree, state)]  # a point of the body, which it keeps
            point = pose.point((held[0], held[1], held[2]))
            push, torque = pose.vector(action.force), pose.vector(action.torque)
            slopes = np.array([numbers(row, tree, state) for row in ex.jacobian(list(point), tree.coordinates)])
            total += numbers(in_speeds(tree, list(push)), tree, state) @ slopes
            total += numbers(in_speeds(tree, list(torque)), tree, state) @ spins(pose)
        return total

    def spins(pose):
        """Angular velocity for a unit of each rate, from the derivative of the rotation."""
        flat = [x for row in pose.rotation for x in row]
        value = numbers(flat, tree, state).reshape(3, 3)
        found = []
        for q in tree.coordinates:
            skew = numbers([ex.derivative(x, q) for x in flat], tree, state).reshape(3, 3) @ value.T
            found.append([skew[2, 1], skew[0, 2], skew[1, 0]])
        return np.array(found).T

    slope = numbers(ex.gradient(effort_energy(tree, effort), tree.coordinates), tree, state)
    assert np.allclose(generalised(elastic), -slope, rtol=1e-10, atol=1e-10)
    parts = sum(generalised(one) for one in (elastic, *rest) if one is not None)
    assert np.allclose(parts, generalised(effort), rtol=1e-10, atol=1e-10)


def test_a_spring_between_two_points_has_no_singular_force_where_it_needs_no_direction():
    m = Mechanism("slide")
    m.join(earth, m.body("cart", mass=1), prismatic("x"), name="rail")
    m.spring(earth, m.bodies["cart"], stiffness=5)
    eq = derive(Layout.of(m), "kane")
    assert numbers(eq.forces, eq, {"rail.x": 0.0, "rail.x'": 1.0, "t": 0}) == [0.0]
    assert numbers(eq.forces, eq, {"rail.x": -2.0, "rail.x'": 1.0, "t": 0}) == [10.0]


def test_a_thrust_is_positive_and_works_along_the_line_of_its_points():
    m = Mechanism("jack")
    m.join(earth, m.body("load", mass=2), prismatic("z"), name="guide")
    m.spring(earth.at([0, 0, -1]), m.bodies["load"], force="F")
    eq = derive(Layout.of(m), "kane")
    assert m.parameters() == ("F",)
    assert numbers(eq.forces, eq, {"guide.z": 0, "guide.x": 0.0, "guide.x'": 0.0, "F": 7.0}) == [7.0]


def test_a_force_may_depend_on_the_place_and_velocity_of_frames_and_on_any_coordinate():
    m = Mechanism("follower")
    arm = m.body("arm", mass=1, centre=[0.5, 0, 0], inertia=[0.1, 0.1, 0.1])
    m.join(earth, arm, revolute("z"), name="hinge")
    m.join(earth, m.body("cart", mass=1), prismatic("x"), name="rail")
    m.frame("tip", arm, Displacement.of([1, 0, 0]))
    m.force(m.bodies["cart"], ["-k*(cart.X - tip.X) - c*(cart.X' - tip.X')", "hinge.th * t", 0], name="follow")
    layout = Layout.of(m)
    assert m.parameters() == ("c", "k")
    state = {"hinge.th": 0.4, "hinge.th'": 2.0, "rail.x": 0.3, "rail.x'": -1.0, "t": 0.5, "k": 10.0, "c": 2.0}
    wanted = -10 * (0.3 - np.cos(0.4)) - 2 * (-1 + np.sin(0.4) * 2)
    for name in FORMALISMS:
        eq = derive(layout, name)
        assert np.isclose(numbers(eq.forces, eq, state)[layout.speeds.index("rail.x'")], wanted), name


def test_an_unknown_quantity_is_refused_with_the_nearest_name():
    m = Mechanism("follower")
    m.join(earth, m.body("cart", mass=1), prismatic("x"), name="rail")
    m.force(m.bodies["cart"], ["-k*rial.x", 0, 0])
    with pytest.raises(ModelError, match=r"'rial.x' is neither a coordinate .* Did you mean 'rail.x'"):
        Layout.of(m)


@pytest.mark.parametrize("seed", range(20))
def test_random_trees_with_springs_agree_between_kane_and_the_recursion(seed):
    m = random_tree(seed, bodies=4)
    rng = random.Random(seed)
    names = [*m.bodies]
    for kind in KINDS:
        kind(m, rng, [anywhere(m, rng, name) for name in rng.sample(names, 2)])
    layout = Layout.of(m)
    values = random_state(m, layout.coordinates, layout.speeds, seed)
    a, b = (numbers(derive(layout, name).forces, None, values) for name in ("kane", "recursive"))
    assert np.allclose(a, b, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("case", ["gravity", "point"])
def test_gravity_and_points_of_forces_may_depend_on_the_state(case):
    m = Mechanism()
    a = m.body("a", mass=1, centre=[0.1, 0.2, -0.5], inertia=[1, 1.1, 1.2])
    b = m.body("b", mass=2, centre=[0, 0.3, -0.5], inertia=[1, 1, 1])
    m.join(earth, a, revolute("x"), name="p")
    m.join(a.at([0, 0, -1]), b, revolute("y"), name="k")
    if case == "gravity":
        m.gravity = ["p.th", 0, "-9.81 - k.th*p.th"]
    else:
        m.force(b.at(["k.th", 0, "-p.th**2"]), [1, "p.th", 3], base=a)
    layout = Layout.of(m)
    state = {ex.symbol(x): v for x, v in {"p.th": 0.4, "k.th": 0.7, "p.th'": 0.2, "k.th'": -0.5, "t": 0}.items()}
    wanted = ex.evaluate(list(derive(layout, "kane").accelerations), state)
    for name in FORMALISMS:
        found = ex.evaluate(list(derive(layout, name).accelerations), state)
        assert found == pytest.approx(wanted, rel=1e-10), name
