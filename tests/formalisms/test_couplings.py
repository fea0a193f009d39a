"""Displacements that use coordinates of other links: ropes, gears, cams. One dynamics in every formalism."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.dynamics import dynamics_of
from dalembert.errors import ModelError
from dalembert.formalisms import derive
from dalembert.formalisms.balance import balance_of
from dalembert.kinematics import build_tree
from dalembert.kinematics.actions import known_actions
from dalembert.kinematics.bodies import body_poses
from dalembert.mechanism import Displacement, Layout, Mechanism, composite, earth, prismatic, revolute, turn
from oracle import Oracle
from random_mechanisms import random_couplings, random_state

FORMALISMS = [
    "newton-euler",
    "dalembert",
    "lagrange",
    "hamilton",
    "kane",
    "gibbs-appell",
    "boltzmann-hamel",
    "lie-group",
    "mixed",
    "recursive",
]


def numbers(exprs, state):
    return np.array(ex.evaluate(list(exprs), {ex.symbol(k): v for k, v in state.items()}))


def atwood():
    """Two weights on a rope over a pulley; the rope is written into the joints of the weights."""
    m = Mechanism("Atwood")
    wheel = m.body("wheel", mass="M", inertia=["J", "J", "J"])
    m.join(earth, wheel, revolute("y"), name="axle")
    for name, formula in (("a", "-l + r*axle.th"), ("b", "-l - r*axle.th")):
        m.join(
            earth, m.body(name, mass=f"m{name}"), composite([], Displacement.of([0, 0, formula])), name=f"rope_{name}"
        )
    m.gravity = [0, 0, "-g"]
    return m


@pytest.mark.parametrize("name", FORMALISMS)
def test_atwoods_machine_falls_as_in_the_books(name):
    """th'' = (mb - ma) g r / (J + (ma + mb) r^2)."""
    values = {"M": 5.0, "J": 0.3, "ma": 2.0, "mb": 3.0, "g": 9.81, "r": 0.2, "l": 1.0, "axle.th": 0.4, "axle.th'": 2.0}
    (found,) = numbers(derive(Layout.of(atwood()), name).accelerations, values)
    assert found == pytest.approx(1.0 * 9.81 * 0.2 / (0.3 + 5.0 * 0.04), rel=1e-12)


@functools.cache
def oracle_numbers(seed):
    m = random_couplings(seed, 2 + seed % 4)
    layout = Layout.of(m)
    state = random_state(m, layout.coordinates, layout.speeds, seed)
    oracle = Oracle(m, state)
    return layout, state, oracle.mass_matrix(), oracle.bias(), oracle.forces()


@pytest.mark.parametrize("name", FORMALISMS)
@pytest.mark.parametrize("seed", range(10))
def test_each_formalism_agrees_with_the_numeric_oracle(seed, name):
    layout, state, mass, bias, forces = oracle_numbers(seed)
    eq, n = derive(layout, name), layout.dof
    scale = 1 + max(np.abs(x).max(initial=0) for x in (mass, bias, forces))
    assert np.abs(numbers(eq.mass_matrix.entries, state).reshape(n, n) - mass).max(initial=0) < 1e-9 * scale
    assert np.abs(numbers(eq.bias, state) - bias).max(initial=0) < 1e-9 * scale
    assert np.abs(numbers(eq.forces, state) - forces).max(initial=0) < 1e-9 * scale


@pytest.mark.parametrize("seed", range(10))
def test_the_fast_path_agrees_with_the_numeric_oracle(seed):
    layout, state, mass, bias, forces = oracle_numbers(seed)
    found = numbers(dynamics_of(layout).accelerations(), state)
    wanted = np.linalg.solve(mass, bias + forces) if layout.dof else bias
    assert found == pytest.approx(wanted, rel=1e-8, abs=1e-8 * (1 + np.abs(wanted).max(initial=0)))


@pytest.mark.parametrize("seed", range(6))
def test_reactions_of_coupled_links_balance_every_body(seed):
    """The sum of what links do over all coupled motions is what their motors do: the coupling itself has no power."""
    layout, state, *_ = oracle_numbers(seed)
    eq = derive(layout, "newton-euler")
    found = derive(layout, "kane").reactions(base="earth", at="earth")
    state = state | {f"{u}'": a for u, a in zip(layout.speeds, numbers(eq.accelerations, state), strict=True)}
    momentum = balance_of(build_tree(layout))
    moving = {ex.TIME: ex.ONE, **build_tree(layout).rates}
    moving |= {ex.symbol(u): ex.symbol(f"{u}'") for u in layout.speeds}
    on_earth = [one for one in layout.tree if one.parent == 0]
    for part, rate in (("force", momentum.momentum), ("moment", momentum.angular_momentum)):
        given = np.zeros(3)
        for one in on_earth:
            sign = -1 if one.reversed else 1
            given += sign * numbers(getattr(found[one.link.name], part), state)
        outer = sum((outside(layout, state)[part == "moment"]), np.zeros(3))
        wanted = numbers(ex.tangent(list(rate), moving), state)
        assert given + outer == pytest.approx(wanted, rel=1e-8, abs=1e-8 * (1 + np.abs(wanted).max()))


def outside(layout, state):
    """Forces, and moments at the origin of earth, of weights and applied efforts on all bodies."""
    forces, moments = [], []
    tree = build_tree(layout)
    poses = body_poses(tree)
    for action in known_actions(tree):
        if action.effort not in layout.model.links.values():
            pose = poses[action.body]
            force, arm = pose.vector(action.force), pose.point(action.point)
            f, p, c = (numbers(v, state) for v in (force, arm, pose.vector(action.torque)))
            forces.append(f)
            moments.append(c + np.cross(p, f))
    return forces, moments


def test_a_rope_in_a_loop_and_the_loop_it_closes_move_together():
    """A geared five-bar has one freedom, keeps its energy, and says so in `mobility` too."""
    m = da.Mechanism("geared five-bar")
    a, b, c, d = (m.body(x, mass=1, inertia=[1, 1, 1]) for x in "abcd")
    m.join(earth, a, revolute("z"), name="A")
    m.join(earth.at([2, 0, 0]), b, composite([], Displacement.of([0, 0, 0], turn("3 - 0.5*A.th", "z"))), name="B")
    m.join(a.at([1, 0, 0]), c, revolute("z"), name="C")
    m.join(b.at([1, 0, 0]), d, revolute("z"), name="D")
    m.join(c.at([1.2, 0, 0]), d.at([1.2, 0, 0]), revolute("z"), name="E")
    m.start = {"A.th": 1.2}
    m.gravity = [0, -9.81, 0]
    assert m.mobility().dof == 1
    energy = m.simulate((0, 1), rtol=1e-10, atol=1e-10).energy()
    assert np.ptp(energy) < 1e-8 * abs(energy[0])


def test_a_displacement_by_a_coordinate_of_a_cut_link_is_refused_with_advice():
    m = Mechanism()
    a, b = m.body("a", mass=1), m.body("b", mass=1)
    m.join(earth, a, prismatic("x"), name="p")
    m.join(earth, a, prismatic("y"), name="q")
    m.join(earth, b, composite([], Displacement.of(["q.x", 0, 0])), name="r")
    assert [one.link.name for one in Layout.of(m).cuts] == ["p"]
    with pytest.raises(ModelError, match=r"'r' is displaced by 'q\.x'.*Cut another link"):
        Layout.of(m, cut=["q"])


def test_a_force_whose_point_wanders_with_the_speeds_is_one_in_all_formalisms():
    """The power of a force is that of the point of the body where it acts now, however that point was chosen."""
    state = {"h.th": 0.4, "k.th": 0.7, "h.th'": 1.0, "k.th'": -2.0}

    def arm(place):
        m = Mechanism("arm")
        b = m.body("b", mass=2, centre=[0.2, 0, -1], inertia=[0.1, 0.2, 0.3])
        c = m.body("c", mass=1, centre=[0.1, 0, -0.5], inertia=[0.1, 0.2, 0.3])
        m.join(earth, b, revolute("y"), name="h")
        m.join(b.at([0, 0, -1]), c, revolute("y"), name="k")
        m.force(c.at([0.1, 0, place]), [3, 0, 1], name="push")
        return m

    for place, now in (("h.th'", 1.0), ("k.th*k.th'", -1.4), ("sin(h.th)", np.sin(0.4))):
        expected = numbers(derive(Layout.of(arm(now)), "kane").accelerations, state)
        for formalism in FORMALISMS:
            found = numbers(derive(Layout.of(arm(place)), formalism).accelerations, state)
            assert found == pytest.approx(expected, abs=1e-12), (place, formalism)
