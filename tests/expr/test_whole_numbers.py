"""Whole numbers that no double holds."""

import math

from dalembert.expr._evaluate import floating


def test_whole_numbers_beyond_all_doubles_are_infinite():
    assert floating(10**400) == math.inf
    assert floating([-(10**400), 1]).tolist() == [-math.inf, 1.0]
