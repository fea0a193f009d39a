"""The accelerations as code: machine code, alone and in batches, and every language, against the DAG in NumPy."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.codegen import Function, compile_functions
from dalembert.dynamics import dynamics_of
from dalembert.expr import Expr
from dalembert.formalisms.registry import derive
from dalembert.mechanism import Layout
from dalembert.verify.equations import ROUNDED, SINGULAR, sizes_of, states_of
from dalembert.verify.languages import in_languages
from dalembert.verify.verdict import Check

Array = NDArray[np.float64]

_STATES = 7
"""Odd, so that the last of a batch fills no vector register."""
_SMALL_STEP = 1e-5
"""Of central differences: their error is its square, 1e-10, and rounding over it, 1e-11."""
_DIFFERENCES = 1e-6


def backends(layout: Layout, seed: int, languages: Collection[str] | None) -> list[Check]:
    """Every back end that runs here."""
    dynamics = dynamics_of(layout)
    outputs = dynamics.accelerations()
    if not outputs:
        return [Check.left_out("back ends", "nothing moves")]
    q, u = [ex.symbol(x) for x in dynamics.state.coordinates], [ex.symbol(x) for x in dynamics.state.speeds]
    others = sorted(ex.free_symbols(outputs) - {*q, *u, ex.TIME}, key=lambda x: x.name)
    groups = [[ex.TIME], q, u, others]
    eq = derive(layout, "recursive")
    states = [_filled(state, groups, seed) for state in states_of(layout, eq, seed, _STATES)]
    if not states:
        return [Check.left_out("back ends", SINGULAR)]
    sizes = np.array([max(float(sizes_of(eq, state).max(initial=0.0)), 1e-300) for state in states])
    inputs = [np.array([[state[x] for x in group] for state in states]) for group in groups]
    known = np.array([[float(v) for v in ex.evaluate(outputs, state)] for state in states])
    function = Function("accelerations", groups, outputs)
    native = compile_functions([function])["accelerations"]
    alone = np.array([native(*(group[k] for group in inputs)) for k in range(len(states))])
    batch = np.asarray(native(*inputs))
    found = [
        Check.within("machine code", _apart(sizes, alone, known), ROUNDED, "LLVM against the DAG in NumPy"),
        Check.within(
            "machine code in batches", _apart(sizes, batch, known), ROUNDED, "the same states in vector registers"
        ),
        *in_languages(function, inputs, known, partial(_apart, sizes), ROUNDED, languages),
        Check.left_out("derivatives", "states beside closed loops, which differences need, are none of the machine")
        if layout.constraints
        else _slopes(outputs, [*q, *u], states, sizes),
    ]
    return found


def _filled(state: Mapping[Expr, float], groups: Sequence[Sequence[Expr]], seed: int) -> dict[Expr, float]:
    rng = np.random.default_rng(seed)
    return {ex.TIME: 0.0, **{x: float(rng.uniform(0.3, 1.3)) for group in groups[1:] for x in group}, **state}


def _apart(sizes: Array, found: Array, known: Array) -> float:
    """In parts of the largest acceleration of each state, as it is or as it would be if nothing cancelled."""
    scale = np.maximum(np.abs(known).max(axis=1, initial=0.0), sizes)
    gaps = np.abs(found - known).max(axis=1, initial=0.0) / scale
    return float(gaps.max()) if np.isfinite(found).all() else np.inf


def _slopes(
    outputs: Sequence[Expr], states: Sequence[Expr], points: Sequence[Mapping[Expr, float]], sizes: Array
) -> Check:
    """Derivatives of the DAG against central differences, along one direction of all states."""
    rng = np.random.default_rng(0)
    way = {x: float(rng.normal()) for x in states}
    slopes = ex.tangent(outputs, way)
    worst = 0.0
    for point, least in zip(points[:3], sizes, strict=False):
        ahead, behind = (
            np.array(ex.evaluate(outputs, {**point, **{x: point[x] + s * _SMALL_STEP * d for x, d in way.items()}}))
            for s in (1.0, -1.0)
        )
        exact, here = (np.array(ex.evaluate(list(one), dict(point)), dtype=float) for one in (slopes, outputs))
        size = max(float(np.abs(exact).max(initial=0.0)), float(np.abs(here).max(initial=0.0)), float(least))
        worst = max(worst, float(np.abs((ahead - behind) / (2 * _SMALL_STEP) - exact).max(initial=0.0)) / size)
    return Check.within("derivatives", worst, _DIFFERENCES, "of the accelerations, against central differences")
