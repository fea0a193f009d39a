"""Small errors that nobody had seen in motion: what a step's polynomial passes through, and who is computed apart."""

from __future__ import annotations

import gc
import os
import sys
from weakref import ref

import numpy as np
import pytest

from dalembert.limits import apart
from dalembert.simulate.loop import layout
from dalembert.simulate.methods.memory import allocate
from dalembert.simulate.methods.schemes import table
from dalembert.simulate.methods.table import _NATIVE

PASSING = [one for one in _NATIVE if one.tableau is not None and one.tableau.through]


@pytest.mark.parametrize("method", PASSING, ids=lambda one: one.name)
def test_dense_output_has_the_slopes_that_it_is_said_to_pass_through(method):
    """x (step + (1-x) (c1 + x (c2 + ...))), also at the ends: the first slope, and that of the step's end."""
    table.cache_clear()
    told, pair = table(method), method.tableau
    rows = [*pair.stages, pair.step, *pair.extra]
    step = np.array([pair.step.get(k, 0.0) for k in range(len(rows))])
    x, rest = np.polynomial.Polynomial([0.0, 1.0]), np.polynomial.Polynomial([1.0, -1.0])
    factor, slopes = np.polynomial.Polynomial([1.0]), dict[int, np.ndarray]()
    places = {k: told.node[k] for k in pair.through} | {0: 0.0, len(pair.stages): 1.0}
    for i, row in enumerate([step, *told.dense]):
        factor = factor * (rest if i % 2 else x)
        for k, place in places.items():
            slopes[k] = slopes.get(k, 0.0) + factor.deriv()(place) * row
    assert pair.through
    for k, slope in slopes.items():
        np.testing.assert_allclose(slope, np.eye(len(rows))[k], atol=1e-9)


def test_numbers_whose_addresses_are_kept_live_as_long():
    """A method's numbers left memory when their cache was emptied, and motions read what came after them."""
    method = PASSING[0]
    memory = allocate(method, 1, {})
    numbers = ref(table(method).column)
    table.cache_clear()
    gc.collect()
    alive = numbers()
    assert alive is not None
    assert alive.ctypes.data == memory.block[layout.COLUMN]


@pytest.mark.skipif(not hasattr(os, "fork") or sys.platform == "darwin", reason="computed in place without a fork")
def test_what_is_computed_apart_is_computed_by_another_process():
    """Asked in a process of its own: one that mistakes itself for its child ends there without a word."""
    child = os.fork()
    if not child:
        try:
            os.setsid()  # what it ends in its place is not the run of tests
            os._exit(3 if apart(os.getpid, "asking") != os.getpid() == apart(os.getppid, "asking") else 4)
        finally:
            os._exit(5)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
