"""Verdicts on random linkages agree with brute-force continuation, and no wrong verdict is called proved."""

import pytest
from random_loops import MAKERS, freedoms_by_continuation, random_linkage

from dalembert import loops

QUICK = range(2 * len(MAKERS))


def check(seed):
    m = random_linkage(seed)
    verdict = loops.mobility(m)
    found = freedoms_by_continuation(m, verdict.at)
    assert verdict.lower <= verdict.dof <= verdict.upper <= verdict.instantaneous
    if verdict.proved and not verdict.singular:
        assert verdict.dof == found, str(verdict)
    return verdict, found


@pytest.mark.parametrize("seed", QUICK)
def test_verdict_agrees_with_continuation(seed):
    check(seed)


@pytest.mark.slow
def test_two_hundred_linkages_without_a_wrong_proof():
    proved = agree = 0
    for seed in range(1000, 1200):
        verdict, found = check(seed)
        proved += verdict.proved
        agree += verdict.dof == found
    assert agree >= 198
    assert proved >= 190
