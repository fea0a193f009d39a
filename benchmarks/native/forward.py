"""Forward dynamics of chains: one state in a native loop, and batches on all processors, against installed peers.

python benchmarks/native/forward.py [--sizes 7 20 50 100] [--batch 10000]
"""

from __future__ import annotations

import argparse
import os
import time

import numpy as np
from chains import chain_symbols, forward_dynamics, make_chain, mechanism
from peers import heyoka_function, mujoco_batch, mujoco_model, optional, pinocchio_model
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
    line = f"n = {n:4d}  {count_operations(function.outputs):7d} operations  {mine * 1e6:8.3f} us"
    if "pinocchio" in times:
        other = times["pinocchio"] / (count // 50 * 50)
        line += f"   Pinocchio ABA {other * 1e6:8.3f} us   ratio {mine / other:.3f}"
    print(line, flush=True)


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
    for name, (outputs, variables) in {
        "heyoka, our equations": (function.outputs, used),
        "heyoka, articulated body": (recursion, symbols),
    }.items():
        compiled = heyoka_function(variables, list(outputs))
        if compiled is not None:
            table = np.ascontiguousarray([rows[x] for x in used])
            found = np.empty((n, count))
            runs[name] = lambda c=compiled, x=table, o=found: c(x, outputs=o)
    times = compare(runs)
    processor = compare(runs, clock=time.process_time)
    mine = times.pop("dalembert")
    print(f"\nn = {n}, {count} states on {threads} threads")
    print(f"  {'dalembert':28s} {mine / count * 1e6:8.4f} us a state   {count / mine / 1e6:.1f} M/s")
    own = processor["dalembert"]
    for name, other in times.items():
        ratio = f"{other / mine:6.2f} times ours (CPU {processor[name] / own:5.2f})"
        print(f"  {name:28s} {other / count * 1e6:8.4f} us a state   {ratio}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[2, 7, 20, 50, 100, 1000])
    parser.add_argument("--batch", type=int, default=10_000)
    chosen = parser.parse_args()
    for size in chosen.sizes:
        one_state(size)
    batch(7, chosen.batch)
