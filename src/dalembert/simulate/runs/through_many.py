"""Many motions of a closed machine: those that may have met a singular posture are made again as one alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dalembert.simulate.methods.driver_many import tables
from dalembert.simulate.methods.problem import INTERRUPTED, Ensemble, Problem
from dalembert.simulate.methods.table import find_method, integrate_many
from dalembert.simulate.motion.quality import SHORT
from dalembert.simulate.runs.passage import integrate_through
from dalembert.simulate.system.system import System


def integrate_many_through(system: System, problem: Problem, threads: int | None) -> Ensemble:
    """The trajectories of all rows of `y0` and `parameters`, singular postures passed as `passage` passes them."""
    many = integrate_many(problem, threads=threads)
    explicit = find_method(problem.method).kind in ("explicit", "implicit")
    if system.constrained is None or not explicit or many.shortest is None:
        return many
    starts, table = tables(problem.y0, problem.parameters)
    one, slow = replace(problem, t_eval=many.t, dense_output=False, progress=False), dict[int, float]()
    for k in map(int, np.flatnonzero((many.shortest < SHORT) & (many.status != INTERRUPTED))):
        found = integrate_through(system, replace(one, y0=starts[k], parameters=table[k % len(table)]))
        many.put(k, found)
        if found.slow:
            slow[k] = found.slow[0]
        if found.status == INTERRUPTED:
            break
    return replace(many, slow=slow)
