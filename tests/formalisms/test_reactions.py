"""Reactions of Newton-Euler are the multipliers of Lagrange in absolute coordinates."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert.constraints.complement import actuation_wrench
from dalembert.constraints.freedom import Freedom
from dalembert.errors import ModelError
from dalembert.formalisms import derive
from dalembert.formalisms.newton_euler import link_actions
from dalembert.formalisms.reactions import motor_wrench, reactions
from dalembert.kinematics import in_speeds, link_efforts
from dalembert.kinematics.bodies import body_poses
from dalembert.mechanism import Layout, Mechanism, cylindrical, earth, prismatic, revolute, weld
from random_mechanisms import random_state, random_tree


def evaluated(exprs, values):
    return np.array(ex.evaluate(list(exprs), values), dtype=float)


def absolute(tree, values):
    """Positions and Bryant angles of all bodies, and their rates, at a state of the tree."""
    places = []
    for pose in body_poses(tree)[1:]:
        r = pose.rotation
        places += [*pose.position, ex.atan2(-r[1][2], r[2][2]), ex.asin(r[0][2]), ex.atan2(-r[0][1], r[0][0])]
    moved = ex.tangent(places, {ex.TIME: ex.ONE, **tree.rates})
    own = [ex.symbol(x) for x in tree.layout.coordinates]
    return [*evaluated(places, values), *(values[x] for x in own), *evaluated(moved, values)]


@pytest.mark.parametrize("seed", range(20, 30))
def test_reactions_of_newton_euler_are_the_multipliers_of_lagrange(seed):
    m = random_tree(seed, 1 + seed % 4)
    layout = Layout.of(m)
    state = random_state(m, layout.coordinates, layout.speeds, seed)
    values = {ex.symbol(k): v for k, v in state.items()}
    eq = derive(layout, "newton-euler")
    udot = dict(zip((ex.prime(u) for u in eq.tree.speeds), evaluated(eq.accelerations, values), strict=True))
    big = derive(layout, "lagrange", parametrisation="absolute")
    values |= dict(zip((ex.symbol(x) for x in big.layout.state.names), absolute(eq.tree, values), strict=False))
    n, k = len(big.speeds), len(big.multiplier_names)
    mass = evaluated(big.mass_matrix.entries, values).reshape(n, n)
    rows = evaluated(big.constraint.entries, values).reshape(k, n)
    whole = np.block([[mass, -rows.T], [rows, np.zeros((k, k))]])
    solution = np.linalg.solve(whole, np.concatenate([evaluated(big.right_side, values), evaluated(big.gamma, values)]))
    scale = 1 + np.abs(solution).max(initial=0)
    found = {}
    for name, unit, value in zip(big.multiplier_names, big.rows.wrenches, solution[n:], strict=True):
        link = name.rpartition(".")[0]
        found[link] = found.get(link, 0) + value * evaluated(unit.scalars, values)
    for name, one in reactions(eq, solved=False).items():
        whole = evaluated([*one.moment, *one.force], values | udot)
        expected = whole - evaluated(motor_in_motion(eq.tree, m.links[name]), values)
        assert np.abs(found.get(name, np.zeros(6)) - expected).max() < 1e-8 * scale, name


def motor_in_motion(tree, link):
    """The known efforts of a link as the wrench in the span of its motions that has their power."""
    freedom = Freedom.of(link, tree.motions[link.name])
    powers = dict.fromkeys(freedom.speeds, ex.ZERO)
    for speed, effort in link_efforts(link, tree.motions[link.name]):
        powers[speed] = powers[speed] + effort
    return in_speeds(tree, list(actuation_wrench(freedom.columns, list(powers.values())).scalars))


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


@pytest.mark.parametrize("formalism", ["lagrange", "kane"])
def test_absolute_coordinates_keep_every_link_as_rows(formalism):
    layout = Layout.of(beam())
    eq = derive(layout, formalism, parametrisation="absolute")
    assert len(eq.multiplier_names) == 6
    assert "closed by clamp" in str(eq.show("matrix"))
    with pytest.raises(ModelError, match="'relative' or 'absolute'"):
        derive(layout, formalism, parametrisation="maximal")


def test_a_cylindrical_joint_transmits_two_forces_and_two_moments():
    m = Mechanism()
    m.join(earth, m.body("rod", mass=1, inertia=[1, 1, 1]), cylindrical("z"), name="c")
    found = reactions(derive(Layout.of(m), "newton-euler"))["c"]
    assert found.unknown == ("Mx", "My", "Fx", "Fy")


def test_an_unknown_link_is_refused_with_the_names():
    with pytest.raises(ModelError, match="clamp"):
        reactions(derive(Layout.of(beam()), "kane"), ["clam"])


def closed_linkage():
    import dalembert as da

    m = da.Mechanism("closed")
    a, b, c = (m.body(n, mass=1.3, centre=[0.4, 0.1, 0.2], inertia=[0.2, 0.3, 0.4]) for n in "abc")
    m.join(da.earth, a, da.revolute("z").with_efforts(th="2 - 0.3*th'"), name="A")
    m.join(a.at([1, 0, 0]), b, da.universal(("y", "z")), name="B")
    m.join(da.earth.at([2.5, 0, 0.2]), c, da.revolute("y"), name="D")
    m.join(b.at([2, 0, 0]), c.at([1.2, 0, 0]), da.spherical(), name="C")
    m.gravity = [0, -9.81, 0]
    m.start = {"A.th": 0.8, "A.th'": 1.5}
    return m


@pytest.mark.parametrize("formalism", ["kane", "newton-euler", "lagrange", "hamilton", "mixed"])
def test_reactions_of_a_closed_machine_in_symbols_are_those_in_numbers(formalism):
    m = closed_linkage()
    start = dict(m.simulate((0, 0.1)).state(0.07))
    expected = m.reactions(start)
    values = {ex.symbol(k): v for k, v in start.items()} | {ex.TIME: start["t"]}
    found = m.equations(formalism).reactions()
    assert set(found) == set(expected) == {"A", "B", "C", "D"}
    for name, one in found.items():
        here, there = evaluated([*one.moment, *one.force], values), expected[name]
        sure = np.array(there.determined)
        assert sure.all()  # nothing is redundant in a loop of seven freedoms
        assert np.abs(here - there.wrench).max() < 1e-8 * (1 + np.abs(there.wrench).max())
        assert one.determined is None


def test_a_cut_link_acts_at_any_point_and_in_any_base():
    m = closed_linkage()
    start = dict(m.simulate((0, 0.1)).state(0.05))
    values = {ex.symbol(k): v for k, v in start.items()} | {ex.TIME: start["t"]}
    eq = m.equations("kane")
    whole = eq.reactions(["C"])["C"]
    sizes = [np.linalg.norm(evaluated(eq.reactions(["C"], base=base)["C"].force, values)) for base in "abc"]
    assert sizes == pytest.approx([np.linalg.norm(evaluated(whole.force, values))] * 3)
    assert np.abs(evaluated(whole.moment, values)).max() < 1e-9  # a ball transmits none
    assert np.abs(evaluated(eq.reactions(["C"], at="c")["C"].moment, values)).max() > 1e-3
    with pytest.raises(ModelError, match="no link 'X'"):
        eq.reactions(["X"])
