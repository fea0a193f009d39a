"""Rows of closed machines: as many as a joint holds back, nothing where nothing is held, and the one solve."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert.dynamics import dynamics_of
from dalembert.mechanism import Layout
from random_loops import closed_state, loaded, random_linkage


def evaluated(matrix, values):
    return np.array(ex.evaluate(list(matrix.entries), values)).reshape(matrix.shape)


@pytest.mark.parametrize("seed", range(39))
def test_random_overconstrained_machines_move_as_least_squares_say(seed):
    """Gauss in NumPy: the motion nearest to the free one, by the pseudo-inverse in the kinetic metric."""
    m = random_linkage(seed)
    m.gravity = [0.3, -9.81, 1.7]
    about = dynamics_of(Layout.of(m))
    assert len(about.rows) == sum(6 - one.link.joint.dof for one in about.layout.cuts)
    values = closed_state(m, about, seed)
    n = len(about.speeds)
    mass, g = evaluated(about.mass_matrix, values), evaluated(about.rows.matrix, values).reshape(-1, n)
    right, gamma = (np.array(ex.evaluate(list(x), values)) for x in (about.right_side, about.rows.gamma))
    back = np.linalg.inv(np.linalg.cholesky(mass))
    rows, free = g @ back.T, back @ right
    expected = back.T @ (free + np.linalg.pinv(rows, rcond=1e-10) @ (gamma - rows @ free))
    found = ex.evaluate(about.accelerations(), values)
    assert np.abs(found - expected).max() < 1e-11 * max(1.0, np.abs(free).max())
    assert sum(ex.evaluate(list(about.resolved.kept), values)) == np.linalg.matrix_rank(g, tol=1e-9)
    balance = mass @ expected - right - g.T @ ex.evaluate(list(about.multipliers), values)
    assert np.abs(balance).max() < 1e-9 * max(1.0, np.abs(right).max())


@pytest.mark.parametrize("driven", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_rows_are_the_rates_of_gaps_and_their_right_sides_the_rates_of_rows(seed, driven):
    """Three ways to say one condition, derived by chain rule: gap' = G u + drift where closed, (G u + drift)' = 0."""
    m = loaded(seed, driven=driven)
    about = dynamics_of(Layout.of(m, [next(iter(m.links))]))
    rows, u = about.rows, list(about.speeds)
    moving = {ex.TIME: ex.ONE, **about.tree.rates, **{one.coordinate: one.rate for one in rows.own}}
    rng = np.random.default_rng(seed)
    names = sorted(ex.free_symbols([*moving, *moving.values(), *rows.conditions, *rows.gap]), key=lambda x: x.name)
    values = dict(zip(names, rng.uniform(-1, 1, len(names)), strict=True))
    g = evaluated(rows.matrix, values)
    told = [*rows.conditions, *rows.drift, *rows.gamma, *ex.tangent(list(rows.conditions), moving)]
    conditions, drift, gamma, rate = np.array(ex.evaluate(told, values), float).reshape(4, -1)
    np.testing.assert_allclose(conditions, g @ [values[x] for x in u] + drift, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(gamma, -rate, rtol=1e-9, atol=1e-10)
    closed = {x: v if x in u else 0.0 for x, v in values.items()}  # so it is drawn
    told = [*rows.gap, *ex.tangent(list(rows.gap), moving), *rows.conditions]
    gap, rate, conditions = np.array(ex.evaluate(told, closed), float).reshape(3, -1)
    np.testing.assert_allclose(gap, 0, atol=1e-13)
    np.testing.assert_allclose(rate, conditions, rtol=1e-9, atol=1e-11)
