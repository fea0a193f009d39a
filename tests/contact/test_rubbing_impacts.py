"""A sample of the impacts that `benchmarks/audit_impacts.py` makes by the thousand."""

import pytest
from rubbing_impacts import audit


@pytest.mark.slow
def test_impacts_of_several_rubbing_contacts_balance_momentum_and_gain_no_energy():
    found = audit(30, 2)
    assert found.momentum < 1e-12
    assert found.gain < 1e-12
    assert found.cone < 1e-9
    assert found.law < 1e-7
    assert found.unsolved <= 1
    assert {"open", "stick", "slip"} <= found.told.keys()
