"""Random trees: the readable path, the recursive path and a numeric oracle that share no code give one dynamics."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert.dynamics import articulated, recursive
from dalembert.formalisms import derive
from dalembert.kinematics import build_tree
from dalembert.mechanism import Layout
from oracle import Oracle
from random_mechanisms import random_state, random_tree

SEEDS = range(12)


def numbers(exprs, state):
    return np.array(ex.evaluate(list(exprs), {ex.symbol(k): v for k, v in state.items()}))


def system(seed):
    m = random_tree(seed)
    layout = Layout.of(m)
    return m, layout, random_state(m, layout.coordinates, layout.speeds, seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_recursive_and_mixed_paths_agree_with_the_numeric_oracle(seed):
    m, layout, state = system(seed)
    oracle = Oracle(m, state)
    mass, bias, forces = oracle.mass_matrix(), oracle.bias(), oracle.forces()
    scale = 1 + max(np.abs(mass).max(initial=0), np.abs(bias).max(initial=0), np.abs(forces).max(initial=0))
    for name in ("recursive", "mixed"):
        eq = derive(layout, name)
        n = layout.dof
        assert np.abs(numbers(eq.mass_matrix.entries, state).reshape(n, n) - mass).max(initial=0) < 1e-9 * scale
        assert np.abs(numbers(eq.bias, state) - bias).max(initial=0) < 1e-9 * scale
        assert np.abs(numbers(eq.forces, state) - forces).max(initial=0) < 1e-9 * scale


@pytest.mark.parametrize("seed", SEEDS)
def test_mass_matrix_is_symmetric_positive_definite(seed):
    _, layout, state = system(seed)
    n = layout.dof
    mass = numbers(derive(layout, "mixed").mass_matrix.entries, state).reshape(n, n)
    assert np.allclose(mass, mass.T)
    assert n == 0 or np.linalg.eigvalsh(mass).min() > 0


@pytest.mark.parametrize("seed", SEEDS)
def test_forward_dynamics_undoes_inverse_dynamics(seed):
    _, layout, state = system(seed)
    model = recursive.Recursion.of(build_tree(layout))
    wanted = [ex.symbol(f"wanted{i}") for i in range(layout.dof)]
    state |= {x.name: np.sin(i + 1) for i, x in enumerate(wanted)}
    efforts = recursive.inverse_dynamics(model, wanted, external=True)
    if not model.tree.shares_speeds():
        found = numbers(articulated.accelerations(model, efforts), state)
        assert np.allclose(found, numbers(wanted, state), atol=1e-9, rtol=1e-9)
    eq = derive(layout, "recursive")
    own = numbers(eq.accelerations, state)
    state |= {x.name: a for x, a in zip(wanted, own, strict=True)}
    left = numbers(efforts, state) - numbers(model.efforts, state)
    assert np.abs(left).max(initial=0) < 1e-8 * (1 + np.abs(own).max(initial=0))


@pytest.mark.parametrize("seed", SEEDS)
def test_articulated_bodies_agree_with_the_factored_mass_matrix(seed):
    _, layout, state = system(seed)
    model = recursive.Recursion.of(build_tree(layout))
    if model.tree.shares_speeds():
        pytest.skip("one speed moves several displacements")
    direct = numbers(derive(layout, "recursive").accelerations, state)
    linear = numbers(articulated.accelerations(model), state)
    assert np.allclose(direct, linear, rtol=1e-9, atol=1e-9 * (1 + np.abs(direct).max(initial=0)))
