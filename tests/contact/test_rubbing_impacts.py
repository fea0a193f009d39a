"""A sample of the impacts that `benchmarks/audit_impacts.py` makes by the thousand."""

from itertools import islice

import numpy as np
import pytest
from rubbing_impacts import audit, audited, blows, soft_blows

from dalembert.contact import Frictional, solve_frictional
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


@pytest.mark.parametrize(("tangents", "count"), [(1, 30), (2, 5)])
def test_impulses_too_large_to_be_judged_are_refused_and_all_others_obey(tangents, count):
    """Masses of a condition up to 1e14: a fault that is a share of impulses of 1e9 hides any speed."""
    found = audited(soft_blows(count, 5, tangents))
    assert found.law < 1e-7
    assert found.cone < 1e-9
    assert found.gain < 1e-7
    assert found.unsolved < count / 2


def test_slips_that_hardly_move_and_contacts_that_hardly_push_are_solved():
    """The direction of such a slip is that of the friction, not of its speed; friction that grows finds the others."""
    found = audited(blow for k, blow in enumerate(blows(4173, 0)) if k in (886, 3525, 4172))
    found = audited(islice(blows(537, 1), 536, None), found)  # speeds tell directions where impulses are still far off
    assert found.unsolved == 0
    assert found.gain < 1e-12
    assert found.cone < 1e-12
    assert found.law < 1e-9


def test_elastic_blows_on_contacts_that_stick_gain_nothing():
    """A rounded W gave them up to 6e-10 of their energy: it squares the condition of the rows."""
    found = audited(blow for k, blow in enumerate(blows(9769, 0)) if k in (1121, 4104, 6588, 7067, 8517, 8837, 9768))
    assert found.unsolved == 0
    assert found.gain < 1e-12
    assert found.momentum < 1e-12
    assert found.cone < 1e-12


@pytest.mark.slow
def test_an_answer_that_sweeps_go_round_is_found_from_elsewhere():
    found = audited(islice(blows(5898, 0), 5897, None))
    assert found.unsolved == 0
    assert found.law < 1e-9


def test_an_impact_whose_digits_cancel_is_refused_with_its_reason():
    """Its mass matrix has the condition 1e14, and patterns that leave a tenth of the speeds looked admissible."""
    blow = next(islice(blows(4425, 0), 4424, None))
    answers, why = solve_frictional(blow.problem())
    assert not answers
    assert "rounding alone" in why


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
