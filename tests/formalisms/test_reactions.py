"""Reactions of Newton-Euler are the multipliers of Lagrange in absolute coordinates."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.formalisms import derive, maximal
from dalembert.formalisms.newton_euler import link_actions
from dalembert.formalisms.reactions import motor_wrench, reactions
from dalembert.mechanism import Layout, Mechanism, cylindrical, earth, prismatic, revolute, weld
from random_mechanisms import random_state, random_tree


def evaluated(exprs, values):
    return np.array(ex.evaluate(list(exprs), values), dtype=float)


@pytest.mark.parametrize("seed", range(20, 30))
def test_reactions_of_newton_euler_are_the_multipliers_of_lagrange(seed):
    m = random_tree(seed, 1 + seed % 4)
    layout = Layout.of(m)
    state = random_state(m, layout.coordinates, layout.speeds, seed)
    values = {ex.symbol(k): v for k, v in state.items()}
    eq = derive(layout, "newton-euler")
    udot = dict(zip((ex.prime(u) for u in eq.tree.speeds), evaluated(eq.accelerations, values), strict=True))
    big = maximal.derive(layout)
    values |= dict(zip(big.embedding, evaluated(big.embedding.values(), values), strict=True))
    n, k = len(big.coordinates), len(big.multipliers)
    mass = evaluated(big.mass_matrix.entries, values).reshape(n, n)
    rows = evaluated(big.jacobian.entries, values).reshape(k, n)
    load = evaluated(big.bias, values) + evaluated(big.forces, values)
    whole = np.block([[mass, -rows.T], [rows, np.zeros((k, k))]])
    solution = np.linalg.solve(whole, np.concatenate([load, evaluated(big.right, values)]))
    values |= dict(zip(big.multipliers, solution[n:], strict=True))
    scale = 1 + np.abs(solution).max(initial=0)
    for one in eq.detail.links:
        name = one.link.link.name
        action, motor = link_actions(eq.detail)[name], motor_wrench(eq.detail, one)
        expected = evaluated([*action.force, *action.moment], values | udot)
        expected -= evaluated([*motor.force, *motor.moment], values)
        reaction = big.reaction(name)
        found = evaluated([*reaction.force, *reaction.moment], values)
        assert np.abs(found - expected).max() < 1e-9 * scale, name


@pytest.mark.parametrize("seed", range(6))
def test_perfect_reactions_do_no_power_in_their_links(seed):
    m = random_tree(seed, 3)
    layout = Layout.of(m)
    eq = derive(layout, "newton-euler")
    state = random_state(m, layout.coordinates, layout.speeds, seed)
    values = {ex.symbol(k): v for k, v in state.items()}
    values |= dict(zip((ex.prime(u) for u in eq.tree.speeds), evaluated(eq.accelerations, values), strict=True))
    for one in eq.detail.links:
        action, motor = link_actions(eq.detail)[one.link.link.name], motor_wrench(eq.detail, one)
        for _, twist in one.columns:
            powers = evaluated([action.power(twist), motor.power(twist)], values)
            assert abs(powers[0] - powers[1]) < 1e-8 * (1 + abs(powers[0]))


def beam():
    """A beam of weight m g clamped at one end."""
    m = Mechanism("beam")
    m.join(earth, m.body("beam", mass="m", centre=["l/2", 0, 0]), weld(), name="clamp")
    m.gravity = [0, 0, "-g"]
    return m


def test_a_clamped_beam_shows_force_and_moment():
    found = reactions(derive(Layout.of(beam()), "newton-euler"))["clamp"]
    values = {ex.symbol(k): v for k, v in {"m": 2.0, "g": 10.0, "l": 3.0}.items()}
    assert evaluated(found.force, values) == pytest.approx([0, 0, 20])
    assert evaluated(found.moment, values) == pytest.approx([0, -30, 0])
    assert found.unknown == ("Mx", "My", "Mz", "Fx", "Fy", "Fz")


def test_moments_move_with_the_point_and_turn_with_the_base():
    m = Mechanism()
    arm = m.body("arm", mass=2, centre=[1, 0, 0])
    m.join(earth, arm.at([-1, 0, 0]), revolute("y"), name="hinge")
    m.join(arm.at([3, 0, 0]), m.body("tip", mass=1), prismatic("x").with_efforts(x="-k*x"), name="slide")
    m.gravity = [0, 0, -10]
    eq = derive(Layout.of(m), "kane")
    values = {
        ex.symbol(k): v
        for k, v in {"hinge.th": 0.3, "hinge.th'": 0.2, "slide.x": 0.4, "slide.x'": 0.1, "k": 5.0}.items()
    }
    far, near = (reactions(eq, ["slide"], at=at)["slide"] for at in ("second", "first"))
    force, lever = evaluated(far.force, values), np.array([0.4, 0, 0])
    assert evaluated(near.moment, values) == pytest.approx(evaluated(far.moment, values) + np.cross(lever, force))
    assert evaluated(far.motor_force, values) == pytest.approx([-2.0, 0, 0])
    fixed = evaluated(reactions(eq, ["slide"], base="earth")["slide"].force, values)
    assert np.linalg.norm(fixed) == pytest.approx(np.linalg.norm(force))
    c, s = np.cos(0.3), np.sin(0.3)
    assert fixed == pytest.approx(np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]) @ force)


def test_moments_can_be_taken_at_any_named_point():
    m = Mechanism()
    arm = m.body("arm", mass=2, centre=[1, 0, 0])
    m.join(earth, arm, revolute("y"), name="hinge")
    m.frame("tip", arm.at([3, 0, 0]))
    m.gravity = [0, 0, -10]
    eq = derive(Layout.of(m), "kane")
    values = {ex.symbol("hinge.th"): 0.3, ex.symbol("hinge.th'"): 0.2}
    near, far, tip = (reactions(eq, at=at)["hinge"] for at in ("second", "arm", "tip"))
    force = evaluated(near.force, values)
    assert evaluated(near.moment, values) == pytest.approx([0, 0, 0], abs=1e-12)
    assert evaluated(far.moment, values) == pytest.approx(np.cross([-1, 0, 0], force))
    assert evaluated(tip.moment, values) == pytest.approx(np.cross([-3, 0, 0], force))
    with pytest.raises(ModelError, match="no point"):
        reactions(eq, at="top")


def test_absolute_parametrisation_is_a_choice_of_lagrange():
    layout = Layout.of(beam())
    assert len(derive(layout, "lagrange", parametrisation="absolute").multipliers) == 6
    with pytest.raises(ModelError, match="absolute"):
        derive(layout, "kane", parametrisation="absolute")
    with pytest.raises(ModelError, match="Did you mean 'chart'"):
        derive(layout, "kane", charts="euler")


def test_a_cylindrical_joint_transmits_two_forces_and_two_moments():
    m = Mechanism()
    m.join(earth, m.body("rod", mass=1, inertia=[1, 1, 1]), cylindrical("z"), name="c")
    found = reactions(derive(Layout.of(m), "newton-euler"))["c"]
    assert found.unknown == ("Mx", "My", "Fx", "Fy")


def test_an_unknown_link_is_refused_with_the_names():
    with pytest.raises(ModelError, match="clamp"):
        reactions(derive(Layout.of(beam()), "kane"), ["clam"])
