"""A sample of the impacts that `benchmarks/audit_impacts.py` makes by the thousand."""

import numpy as np
import pytest
from rubbing_impacts import audit

from dalembert.contact import Frictional
from dalembert.contact.nsgs import gauss_seidel


@pytest.mark.slow
def test_impacts_of_several_rubbing_contacts_balance_momentum_and_gain_no_energy():
    found = audit(30, 2)
    assert found.momentum < 1e-12
    assert found.gain < 1e-12
    assert found.cone < 1e-9
    assert found.law < 1e-7
    assert found.unsolved <= 1
    assert {"open", "stick", "slip"} <= found.told.keys()


@pytest.mark.parametrize("tangents", [1, 2])
def test_contacts_that_jam_are_stopped_to_rounding_at_once(tangents):
    """More rows than freedoms, and impulses within the cones that stop everything: sweeps alone creep there."""
    rng = np.random.default_rng(7)
    for _ in range(12):
        freedoms, mu = int(rng.integers(3, 7)), rng.uniform(0.2, 1, size=6)
        root = rng.normal(size=(6 * (1 + tangents), freedoms)) * 10.0 ** rng.uniform(-3, 3)
        matrix = root @ root.T
        normal = rng.uniform(0.5, 2, size=6)
        along = rng.normal(size=(6, tangents))
        along *= (0.95 * mu * normal / np.linalg.norm(along, axis=1))[:, None]
        right = -matrix @ np.column_stack([normal, along]).ravel()
        swept = gauss_seidel(Frictional(matrix, right, mu, (tangents,) * 6))
        assert swept.fault < 1e-12
        assert swept.sweeps <= 4
        left = matrix @ swept.impulses + right
        assert np.abs(left).max() < 1e-12 * np.abs(right).max()
