"""Derivatives of the dynamics by a recursion over joints are those of the formulas, on random trees."""

from __future__ import annotations

import random

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert.codegen import _target, compile_mechanism, varied
from dalembert.dynamics import dynamics_of
from dalembert.dynamics.variations import effort_slopes, has_variations
from dalembert.mechanism import Layout, Mechanism, earth, prismatic, revolute


def _tree(seed: int, count: int, unit: float = 1.0, place: float = 0.0, alone: int = 1) -> Mechanism:
    """Random joints on random bodies, some with springs and dampers; lengths in another unit, or far from earth.

    The first `alone` joints follow each other; none means that several stand on earth.
    """
    rng = random.Random(seed)
    m = Mechanism(f"tree {seed}")
    bodies = [earth]
    for k in range(count):
        centre = [unit * rng.uniform(-0.3, 0.3) for _ in range(3)]
        inertia = [unit**2 * rng.uniform(0.5, 0.6) for _ in range(3)]
        body = m.body(f"b{k}", rng.uniform(1, 2), centre, inertia)
        offset = [unit * (rng.uniform(-0.5, 0.5) + (place if len(bodies) == 1 else 0)) for _ in range(3)]
        kind, axis = rng.choice([revolute, revolute, prismatic]), rng.choice("xyz")
        on = bodies[-1] if k < max(alone, 1) else rng.choice(bodies[min(alone, 1) :][-4:])
        variable = "th" if kind is revolute else "x"
        joint = kind(axis)
        if rng.random() < 0.4:
            joint = joint.with_efforts(**{variable: f"-3*{variable} - sin({variable}) - 0.2*{variable}'"})
        m.join(on.at(offset), body, joint, name=f"j{k}")
        bodies.append(body)
    m.gravity = [unit * 0.3, unit, -9.81 * unit]
    return m


@pytest.mark.parametrize("seed", range(6))
def test_efforts_vary_joint_by_joint_as_their_formulas_do(seed: int) -> None:
    about = dynamics_of(Layout.of(_tree(seed, 7)))
    assert has_variations(about.recursion)
    variables = [*about.coordinates, *about.speeds]
    told = [x for row in effort_slopes(about.recursion, about.accelerations_given) for x in row]
    formulas = [x for row in ex.jacobian(about.inverse_dynamics, variables) for x in row]
    rng = np.random.default_rng(seed)
    values = {x: float(rng.normal()) for x in sorted(ex.free_symbols([*told, *formulas]), key=lambda x: x.name)}
    one, two = (np.array(ex.evaluate(some, values), dtype=float) for some in (told, formulas))
    np.testing.assert_allclose(one, two, rtol=1e-12, atol=1e-12 * np.abs(two).max())


@pytest.mark.parametrize(("seed", "unit", "place"), [(1, 1.0, 0.0), (2, 1e3, 0.0), (3, 1e-3, 0.0), (4, 1.0, 1e5)])
def test_the_recursion_in_lanes_gives_the_derivatives_of_the_formulas(
    seed: int, unit: float, place: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    m, n = _tree(seed, 18, unit, place), 18
    f = compile_mechanism(m)
    assert "recursion" in f.derived_by
    rng = np.random.default_rng(seed)
    q, u, e = rng.normal(size=(3, 5, n))
    lengths = np.array([unit if name.endswith(".x") else 1.0 for name in f.coordinates])
    q, u, e = q * lengths, u * lengths, e * unit**2 / lengths
    found = f.acceleration_derivatives(q, u, efforts=e)
    monkeypatch.setattr(varied, "_FEW", 100)
    by_formulas = compile_mechanism(m)
    assert "formulas" in by_formulas.derived_by
    expected = by_formulas.acceleration_derivatives(q, u, efforts=e)
    for one, two in zip(found, expected, strict=True):
        assert one.shape == two.shape
        scaled = [x / lengths[:, None] for x in (one, two)]
        np.testing.assert_allclose(scaled[0], scaled[1], rtol=1e-9, atol=1e-9 * np.abs(scaled[1]).max())
    single = f.acceleration_derivatives(q[2], u[2], efforts=e[2])
    np.testing.assert_array_equal(single.coordinates, found.coordinates[2])


@pytest.mark.parametrize("seed", range(8))
def test_branches_that_part_anywhere_beside_the_vectors_give_the_derivatives_of_the_formulas(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(seed)
    count, alone = int(rng.integers(6, 26)), int(rng.integers(0, 14))
    m = _tree(seed, count, alone=alone)
    q, u, e = rng.normal(size=(3, count))
    f = compile_mechanism(m)
    f.acceleration_derivatives(u, q, efforts=e)  # nothing of it is left in the memory that is used again
    found = f.acceleration_derivatives(q, u, efforts=e)
    about = dynamics_of(Layout.of(m))
    lacking = [a - b for a, b in zip(about.inverse_dynamics, about.efforts, strict=True)]
    state = [*about.coordinates, *about.speeds, *about.efforts]
    held = dict(zip(state, [*q, *u, *e], strict=True))
    udot = compile_mechanism(m).acceleration(q, u, efforts=e)
    held |= dict(zip(about.accelerations_given, udot, strict=True)) | {ex.TIME: 0.0}
    slopes = ex.jacobian(lacking, state)  # of M u' - tau by automatic differentiation, u' held
    numbers = np.array(ex.evaluate([x for row in slopes for x in row], held), dtype=float).reshape(count, -1)
    mass = np.array(ex.evaluate(list(about.mass_matrix.entries), held), dtype=float).reshape(count, count)
    expected = -np.linalg.solve(mass, numbers)
    np.testing.assert_allclose(np.hstack(found), expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize(("joints", "states"), [(6, 1500), (14, 1100), (6, 3), (6, 0)])
def test_batches_of_any_length_are_what_their_states_are_one_by_one(joints: int, states: int) -> None:
    f = compile_mechanism(_tree(7, joints))
    q, u = np.random.default_rng(7).normal(size=(2, states, joints))
    found = f.acceleration_derivatives(q, u, efforts=np.ones(joints))
    assert found.coordinates.shape == (states, joints, joints)
    for k in range(0, states, max(1, states // 4)):
        for many, one in zip(found, f.acceleration_derivatives(q[k], u[k], efforts=np.ones(joints)), strict=True):
            np.testing.assert_allclose(many[k], one, rtol=1e-10, atol=1e-10 * np.abs(one).max())


@pytest.mark.parametrize("width", [2, 4])
def test_processors_with_shorter_vectors_find_the_same_derivatives(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    m, (q, u) = _tree(3, 11, alone=5), np.random.default_rng(3).normal(size=(2, 11))
    expected = compile_mechanism(m).acceleration_derivatives(q, u)
    monkeypatch.setattr(_target, "vector_width", lambda: width)
    varied.kernel.cache_clear()
    try:
        found = compile_mechanism(m).acceleration_derivatives(q, u)
    finally:
        varied.kernel.cache_clear()
    for one, two in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-12, atol=1e-12 * np.abs(two).max())


def test_derivatives_agree_with_differences() -> None:
    n = 20
    f = compile_mechanism(_tree(9, n))
    q, u, e = np.random.default_rng(9).normal(size=(3, n))
    d = f.acceleration_derivatives(q, u, efforts=e)
    step = 1e-6
    for k in (0, 7, 19):
        shift = np.zeros(n)
        shift[k] = step
        by_q = (f.acceleration(q + shift, u, efforts=e) - f.acceleration(q - shift, u, efforts=e)) / (2 * step)
        by_u = (f.acceleration(q, u + shift, efforts=e) - f.acceleration(q, u - shift, efforts=e)) / (2 * step)
        by_e = (f.acceleration(q, u, efforts=e + shift) - f.acceleration(q, u, efforts=e - shift)) / (2 * step)
        for column, difference in ((d.coordinates, by_q), (d.speeds, by_u), (d.efforts, by_e)):
            np.testing.assert_allclose(column[:, k], difference, rtol=1e-5, atol=1e-6 * np.abs(difference).max())


def test_joints_that_are_not_of_one_fixed_axis_keep_their_formulas() -> None:
    driven = Mechanism("driven")
    last = earth
    for k in range(18):
        body = driven.body(f"b{k}", 1.0, [0, 0, 0.1], [0.1, 0.1, 0.1])
        driven.join(last.at([0, 0, 0.2]), body, revolute("x" if k % 2 else "y"), name=f"j{k}")
        last = body
    driven.force(body, [1.0, 0, 0])  # fixed in earth: its moments vary with every joint before it
    assert "formulas" in compile_mechanism(driven).derived_by
