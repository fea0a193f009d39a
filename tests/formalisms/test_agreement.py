"""Formalisms that share only kinematics give one dynamics, and that of a numeric oracle."""

from __future__ import annotations

import functools
import itertools
import random

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert.formalisms import derive
from dalembert.mechanism import Layout
from oracle import Oracle
from random_mechanisms import random_state, random_tree

SEEDS = range(12)
TEXTBOOK = ["newton-euler", "dalembert", "lagrange", "hamilton", "kane", "gibbs-appell", "boltzmann-hamel", "lie-group"]


def numbers(exprs, state):
    return np.array(ex.evaluate(list(exprs), {ex.symbol(k): v for k, v in state.items()}))


def system(seed, bodies=None):
    m = random_tree(seed, bodies)
    layout = Layout.of(m)
    return m, layout, random_state(m, layout.coordinates, layout.speeds, seed)


@functools.cache
def oracle_numbers(seed):
    m, layout, state = system(seed, 1 + seed % 5)
    oracle = Oracle(m, state)
    return layout, state, oracle.mass_matrix(), oracle.bias(), oracle.forces()


@pytest.mark.parametrize("name", TEXTBOOK)
@pytest.mark.parametrize("seed", SEEDS)
def test_each_formalism_agrees_with_the_numeric_oracle(seed, name):
    layout, state, mass, bias, forces = oracle_numbers(seed)
    eq, n = derive(layout, name), layout.dof
    scale = 1 + max(np.abs(x).max(initial=0) for x in (mass, bias, forces))
    assert np.abs(numbers(eq.mass_matrix.entries, state).reshape(n, n) - mass).max(initial=0) < 1e-9 * scale
    assert np.abs(numbers(eq.bias, state) - bias).max(initial=0) < 1e-9 * scale
    assert np.abs(numbers(eq.forces, state) - forces).max(initial=0) < 1e-9 * scale


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 112))
def test_every_pair_of_formalisms_gives_the_same_accelerations(seed):
    _, layout, state = system(seed)
    found = {name: numbers(derive(layout, name).accelerations, state) for name in [*TEXTBOOK, "mixed", "recursive"]}
    for a, b in itertools.combinations(found, 2):
        scale = 1 + np.abs(found[a]).max(initial=0)
        assert np.abs(found[a] - found[b]).max(initial=0) < 1e-9 * scale, (a, b)


@functools.cache
def field_numbers(seed):
    """A random tree whose gravity and points of force depend on time and on its coordinates."""
    rng = random.Random(seed)
    m = random_tree(seed, 1 + seed % 4)
    coordinates = [ex.symbol(x) for x in Layout.of(m).coordinates] or [ex.TIME]
    x, y = rng.choice(coordinates), rng.choice(coordinates)
    m.gravity = [x * y, ex.sin(ex.TIME), -9 - ex.cos(x)]
    for body in list(m.bodies.values())[1:]:
        m.force(body.at([ex.sin(x), y, ex.TIME]), [1, 2 * y, "f"], rng.choice(list(m.bodies)))
    layout = Layout.of(m)
    state = random_state(m, layout.coordinates, layout.speeds, seed)
    return layout, state, Oracle(m, state).forces()


@pytest.mark.parametrize("name", [*TEXTBOOK, "mixed", "recursive"])
@pytest.mark.parametrize("seed", range(6))
def test_gravity_and_points_that_depend_on_the_state_have_the_power_of_the_oracle(seed, name):
    layout, state, forces = field_numbers(seed)
    found = numbers(derive(layout, name).forces, state)
    assert np.abs(found - forces).max(initial=0) < 1e-9 * (1 + np.abs(forces).max(initial=0))
