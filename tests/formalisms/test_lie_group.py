"""The group of displacements: its matrices, its bracket, and mechanics written with it."""

from __future__ import annotations

import random

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert.expr import Expr
from dalembert.expr.space import Vector3
from dalembert.formalisms import derive
from dalembert.kinematics import Pose, RigidInertia, Twist, Wrench, body_inertia
from dalembert.kinematics.lie import (
    adjoint,
    b_of,
    bracket,
    bracket_matrix,
    c_of,
    homogeneous,
    inertia_matrix,
    momentum,
    on_torsor,
    screw,
    twist_matrix,
)
from dalembert.mechanism import Displacement, Layout, Mechanism, earth, prismatic, revolute, turn
from dalembert.mechanism import screw as screw_joint


def numbers(exprs) -> np.ndarray:
    return np.array(ex.evaluate(list(exprs), {}), float)


def matrix(found: ex.Matrix) -> np.ndarray:
    return numbers(found.entries).reshape(found.shape)


def draw(rng: random.Random, count: int) -> list[Expr]:
    return [ex.const(round(rng.uniform(-1, 1), 6)) for _ in range(count)]


def twist(rng: random.Random) -> Twist:
    return Twist.of(draw(rng, 6))


def pose(rng: random.Random) -> Pose:
    turns = [turn(rng.uniform(-2, 2), axis) for axis in "zxy"]
    return Pose.of(Displacement.of([rng.uniform(-1, 1) for _ in range(3)], *turns))


def inertia(rng: random.Random) -> RigidInertia:
    m = Mechanism()
    sizes = [rng.uniform(1, 2) for _ in range(3)]
    return body_inertia(m.body("b", mass=rng.uniform(1, 2), centre=[0.1, -0.4, 0.3], inertia=sizes))


@pytest.mark.parametrize("seed", range(4))
def test_displacements_are_matrices_and_twists_their_rates(seed: int) -> None:
    rng = random.Random(seed)
    g, h, x, y = pose(rng), pose(rng), twist(rng), twist(rng)
    np.testing.assert_allclose(matrix(homogeneous(g @ h)), matrix(homogeneous(g)) @ matrix(homogeneous(h)), atol=1e-12)
    np.testing.assert_allclose(matrix(homogeneous(g.inverse())), np.linalg.inv(matrix(homogeneous(g))), atol=1e-12)
    a, b = matrix(twist_matrix(x)), matrix(twist_matrix(y))
    np.testing.assert_allclose(matrix(twist_matrix(bracket(x, y))), a @ b - b @ a, atol=1e-12)
    moved = matrix(homogeneous(g)) @ a @ np.linalg.inv(matrix(homogeneous(g)))
    seen = Twist.of([ex.const(v) for v in matrix(adjoint(g)) @ numbers(x.scalars)])
    np.testing.assert_allclose(matrix(twist_matrix(seen)), moved, atol=1e-12)
    np.testing.assert_allclose(
        matrix(bracket_matrix(x)) @ numbers(y.scalars), numbers(bracket(x, y).scalars), atol=1e-12
    )


@pytest.mark.parametrize("seed", range(4))
def test_brackets_obey_jacobi_and_are_dual_on_torsors(seed: int) -> None:
    rng = random.Random(seed)
    x, y, z, force = twist(rng), twist(rng), twist(rng), Wrench.of(draw(rng, 6))
    total = bracket(x, bracket(y, z)) + bracket(y, bracket(z, x)) + bracket(z, bracket(x, y))
    np.testing.assert_allclose(numbers(total.scalars), 0, atol=1e-14)
    left, right = on_torsor(x, force).power(y), force.power(bracket(y, x))
    np.testing.assert_allclose(numbers([left]), numbers([right]), atol=1e-14)


@pytest.mark.parametrize("seed", range(4))
def test_the_operator_of_inertia_and_its_brackets(seed: int) -> None:
    rng = random.Random(seed)
    h, x, y = inertia(rng), twist(rng), twist(rng)
    whole = matrix(inertia_matrix(h))
    np.testing.assert_allclose(whole, whole.T, atol=1e-14)
    assert np.linalg.eigvalsh(whole).min() > 0
    np.testing.assert_allclose(whole @ numbers(x.scalars), numbers(momentum(h, x).scalars), atol=1e-13)
    both = numbers((b_of(h, x, y) + b_of(h, y, x)).scalars) + whole @ numbers(bracket(x, y).scalars)
    np.testing.assert_allclose(numbers(c_of(h, x, y).scalars), both, atol=1e-13)
    np.testing.assert_allclose(numbers([b_of(h, x, x).power(x)]), 0, atol=1e-14)  # gyroscopic: no power


@pytest.mark.parametrize("seed", range(4))
def test_a_screw_moves_its_points_along_itself(seed: int) -> None:
    rng = random.Random(seed)
    x, force = twist(rng), Wrench.of(draw(rng, 6))
    axis, line = screw(x), screw(force)
    assert axis is not None
    assert line is not None
    np.testing.assert_allclose(
        numbers(x.velocity(axis.point)), numbers([axis.pitch * w for w in x.angular]), atol=1e-12
    )
    moment = force.moment + -(line.point.cross(force.force))
    np.testing.assert_allclose(numbers(moment), numbers([line.pitch * f for f in force.force]), atol=1e-12)
    assert screw(Twist(linear=Vector3((ex.ONE, ex.ZERO, ex.ZERO)))) is None


def test_b_and_c_say_all_products_of_speeds_of_a_chain() -> None:
    """S_r = - sum_{s<=t} products_st u_s u_t for screws that are constant in their links (1.3.4)."""
    rng, m, previous = random.Random(3), Mechanism("chain"), earth
    for i, joint in enumerate([revolute("z"), prismatic([1, 2, 0.5]), screw_joint("y", lead=0.3), revolute([1, 1, 0])]):
        sizes = [rng.uniform(1, 2) for _ in range(3)]
        body = m.body(f"b{i}", mass=rng.uniform(1, 2), centre=[rng.uniform(-1, 1) for _ in range(3)], inertia=sizes)
        m.join(previous.at([rng.uniform(-1, 1) for _ in range(3)]), body, joint, name=f"j{i}")
        previous = body
    eq = derive(Layout.of(m), "lie-group")
    other = derive(Layout.of(m), "lagrange")
    values = {x: rng.uniform(-1, 1) for x in (*eq.tree.coordinates, *eq.tree.speeds)}
    u = np.array([values[x] for x in eq.tree.speeds])
    for r in range(4):
        table = np.array(ex.evaluate(list(eq.detail.products(r).entries), values), float).reshape(4, 4)
        assert np.allclose(table, np.triu(table))
        wanted = ex.evaluate([other.bias[r]], values)[0]
        assert abs(-(u @ table @ u) - wanted) < 1e-12
    assert set(eq.detail.of("b2")) == set(eq.speeds[:3])
