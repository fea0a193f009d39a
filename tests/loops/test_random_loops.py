"""Verdicts on random linkages agree with brute-force continuation, and no wrong verdict is called proved."""

import random

import pytest

from dalembert import loops
from random_loops import MAKERS, freedoms_by_continuation, random_linkage

QUICK = range(2 * len(MAKERS))


def check(seed):
    m = random_linkage(seed)
    verdict = loops.mobility(m)
    found = freedoms_by_continuation(m, verdict.at)
    assert verdict.lower <= verdict.upper <= verdict.instantaneous
    assert verdict.dof in (None, verdict.lower)
    if verdict.proved and not verdict.singular:
        assert verdict.dof == found, str(verdict)
    return verdict, found


@pytest.mark.parametrize("seed", QUICK)
def test_verdict_agrees_with_continuation(seed):
    check(seed)


@pytest.mark.parametrize("seed", range(12))
def test_four_bars_on_one_line_are_judged_at_their_singular_posture(families, seed):
    """All pins on a line: rigid exactly when the longest bar is the sum of the others, else one freedom."""
    rng = random.Random(seed)
    a, b, d = (rng.choice([-3, -2, -1, 1, 2, 3]) for _ in range(3))
    end = a + b + d or 1
    pins = [("earth", "a", (0, 0)), ("a", "b", (a, 0)), ("earth", "c", (end, 0)), ("b", "c", (a + b, 0))]
    bars = sorted([abs(a), abs(b), abs(end - a - b), abs(end)])
    if not all(bars):
        return
    verdict = loops.mobility(families.planar_linkage("line", pins))
    assert verdict.instantaneous == 2
    assert (verdict.dof, verdict.proved) == (0 if bars[3] == sum(bars[:3]) else 1, True)


@pytest.mark.slow
def test_eighty_linkages_without_a_wrong_proof():
    proved = agree = 0
    for seed in range(1000, 1080):
        verdict, found = check(seed)
        proved += verdict.proved
        agree += verdict.dof == found
    assert agree >= 79
    assert proved >= 76
