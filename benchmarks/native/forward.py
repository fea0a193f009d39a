"""Forward dynamics of chains: one state in a native loop, and batches on all processors, against installed peers.

python benchmarks/native/forward.py [--sizes 7 20 50 100] [--batch 1000 10000 100000]
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
from chains import chain_symbols, forward_dynamics, make_chain, mechanism
from peers import heyoka_function, mujoco_batch, mujoco_model, optional, pinocchio_model
from rows import tell
from timing import compare, native_loop

from dalembert.codegen import compile_mechanism
from dalembert.expr import count_operations

#: Its work space holds arrays of n**3 numbers.
_MOST_FOR_PINOCCHIO = 300


def states(n: int, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    q, u, e = np.random.default_rng(n).normal(size=(3, count, n))
    return q, u, e


def one_state(n: int) -> None:
    chain = make_chain(n)
    f = compile_mechanism(mechanism(chain))
    function = f.function("forced_acceleration")
    q, u, e = states(n, 50)
    ours = f.acceleration(q, u, efforts=e)
    native = f._native(("forced_acceleration",))[0]
    count = max(100, 40_000 // n)
    loop = native_loop(native.address, q, u, e, n)
    runs = {"dalembert": lambda: loop(count)}
    model = pinocchio_model(chain) if n <= _MOST_FOR_PINOCCHIO else None
    if model is not None:
        pin = optional("pinocchio")
        data = model.createData()
        theirs = np.array([pin.aba(model, data, *x) for x in zip(q, u, e, strict=True)])
        assert np.abs(theirs - ours).max() < 1e-8 * np.abs(ours).max()
        pool = pin.ModelPool(model, 1)
        wide = [np.asfortranarray(np.tile(a, (count // 50, 1)).T) for a in (q, u, e)]
        out = np.asfortranarray(np.empty((n, wide[0].shape[1])))
        runs["pinocchio"] = lambda: pin.abaInParallel(1, pool, *wide, out)
    times = compare(runs)
    mine = times["dalembert"] / count
    told = {"joints": n, "operations": count_operations(function.outputs)}
    tell("forward dynamics", **told, program="dalembert", us=mine * 1e6)
    if "pinocchio" in times:
        other = times["pinocchio"] / (count // 50 * 50)
        tell("forward dynamics", **told, program="Pinocchio", us=other * 1e6, ratio=mine / other)


def batch(n: int, count: int) -> None:
    chain = make_chain(n)
    f = compile_mechanism(mechanism(chain))
    q, u, e = states(n, count)
    threads = len(os.sched_getaffinity(0))
    native = f._native(("forced_acceleration",))[0]
    result = np.empty((count, n))
    runs = {"dalembert": lambda: native(0.0, q, u, e, [], out=result)}
    model = pinocchio_model(chain)
    if model is not None:
        pin = optional("pinocchio")
        pool = pin.ModelPool(model, threads)
        wide = [np.asfortranarray(a.T) for a in (q, u, e)]
        out = np.asfortranarray(np.empty((n, count)))
        runs["Pinocchio abaInParallel"] = lambda: pin.abaInParallel(threads, pool, *wide, out)
    model = mujoco_model(chain)
    if model is not None:
        runs["MuJoCo, one step"] = mujoco_batch(model, q, u, threads)
    function = f.function("forced_acceleration")
    inputs = [x for group in function.inputs for x in group]
    rows = dict(zip(inputs, np.concatenate([np.zeros((count, 1)), q, u, e], axis=1).T, strict=False))
    symbols = list(chain_symbols(n)[0] + chain_symbols(n)[1] + chain_symbols(n)[2])
    recursion = forward_dynamics(chain, *chain_symbols(n))
    used = [x for x in inputs if x.name != "t"]
    others: dict[str, tuple[Any, np.ndarray, np.ndarray]] = {}
    for name, (outputs, variables) in {
        "heyoka, our equations": (function.outputs, used),
        "heyoka, articulated body": (recursion, symbols),
    }.items():
        compiled = heyoka_function(variables, list(outputs))
        if compiled is not None:
            table = np.ascontiguousarray([rows[x] for x in used])
            found = np.empty((n, count))
            others[name] = (compiled, table, found)
            runs[name] = lambda c=compiled, x=table, o=found: c(x, outputs=o)
    repeat = max(15, 300_000 // count)
    times = compare(runs, repeat, of=min)
    _tell(times, count, f"{threads} threads")
    alone = {"dalembert": _on_one_thread(native, [np.zeros(1), q, u, e, np.zeros(1)], result)}
    for name, (compiled, table, found) in others.items():
        alone[name] = lambda c=compiled, x=table, o=found: c(x, outputs=o, batch_parallel=False)
    _tell(compare(alone, repeat, clock=time.process_time, of=min), count, "one thread, CPU")


def _tell(times: dict[str, float], count: int, where: str) -> None:
    """The best of runs in turns."""
    mine = times["dalembert"]
    for name, other in times.items():
        each = {"us a state": other / count * 1e6, "M/s": count / other / 1e6, "times ours": other / mine}
        tell("batches", states=count, program=f"{name}, {where}", **each)


def _on_one_thread(native: Any, arrays: list[np.ndarray], out: np.ndarray) -> Callable[[], None]:
    code = native._batch_entry()
    pointers = np.array([a.ctypes.data for a in arrays], dtype=np.uintp)
    strides = np.array([a.shape[1] if a.ndim == 2 else 0 for a in arrays], dtype=np.int64)
    work = np.empty(code.room + 8)
    where = (pointers.ctypes.data, strides.ctypes.data, out.ctypes.data, 0, len(out), (work.ctypes.data + 63) & ~63)
    call = code.function()
    return lambda kept=(arrays, pointers, strides, work): call(*where)  # type: ignore[misc]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[2, 7, 20, 50, 100, 1000])
    parser.add_argument("--batch", type=int, nargs="*", default=[1_000, 10_000, 100_000])
    chosen = parser.parse_args()
    for size in chosen.sizes:
        one_state(size)
    for many in chosen.batch:
        batch(7, many)
