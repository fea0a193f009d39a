"""Rows of closed machines: as many as a joint holds back, nothing where nothing is held, and the one solve."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert.dynamics import dynamics_of
from dalembert.mechanism import Layout
from random_loops import closed_state, random_linkage


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
