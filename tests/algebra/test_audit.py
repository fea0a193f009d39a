"""The audit of `is_zero` by NumPy: no wrong answer, and hardly any term without one; `make audit` asks 5,000."""

import pytest

from algebra.audit import Report, audit


def expect(report: Report, share: float) -> None:
    assert not report.wrong_not_zero, report.wrong_not_zero[:3]
    assert not report.wrong_zero, report.wrong_zero[:3]
    assert not report.unsimplified, report.unsimplified[:3]
    assert report.decided > share, str(report)


def test_no_wrong_verdict_on_random_terms_with_declared_operators():
    expect(audit(range(200)), 0.98)


@pytest.mark.slow
def test_no_wrong_verdict_on_a_thousand_more_random_terms_with_declared_operators():
    expect(audit(range(10_000, 11_000)), 0.99)
