"""Ensembles of arms, each motion with its own steps: ours in lanes and one by one, heyoka's one by one and in batches.

    python benchmarks/ensemble.py [--count 1000] [--seconds 2] [--diffrax PYTHON]

A pendulum, a double pendulum and an arm of seven joints at three tolerances, on one thread and on two; times in turns,
the best of three, wall clock (and processor time, which other work disturbs less); errors are the median over
trajectories of the largest deviation at the end from a motion at 1e-13. A peer that is not installed is left out;
diffrax, for the double pendulum, may live in another environment.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).with_name("native")))

from chains import make_chain, mechanism
from integrators import translated
from peers import optional
from rows import tell

from dalembert.mechanism import Mechanism, earth, revolute
from dalembert.simulate import System, run_many, system_of
from dalembert.simulate.methods import driver_lanes

DIFFRAX = """
import json, sys, time
import diffrax, jax, jax.numpy as jnp, numpy as np
jax.config.update("jax_enable_x64", True)
count, seconds, tol = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
def rates(t, y, args):
    a, b, u, v = y
    c, s = jnp.cos(b), jnp.sin(b)
    m = jnp.array([[3.0 + 2.0 * c, 1.0 + c], [1.0 + c, 1.0]])
    g = 9.81
    f = jnp.array([s * v * (2 * u + v) - g * (2 * jnp.sin(a) + jnp.sin(a + b)), -s * u * u - g * jnp.sin(a + b)])
    return jnp.concatenate([jnp.array([u, v]), jnp.linalg.solve(m, f)])
def one(y0):
    control = diffrax.PIDController(rtol=tol, atol=tol)
    return diffrax.diffeqsolve(diffrax.ODETerm(rates), diffrax.Dopri8(), 0.0, seconds, None, y0,
        stepsize_controller=control, max_steps=100000).ys[-1]
zero = np.zeros(count)
starts = jnp.array(np.stack([np.linspace(0.5, 2.5, count), np.linspace(-1.0, 1.0, count), zero, zero], 1))
go = jax.jit(jax.vmap(one))
go(starts[:8]).block_until_ready()
go(starts).block_until_ready()
began = time.perf_counter(); end = go(starts).block_until_ready(); elapsed = time.perf_counter() - began
print(json.dumps({"seconds": elapsed, "end": np.asarray(end[::max(1, count // 100)]).tolist()}))
"""


def double_pendulum() -> Mechanism:
    m = Mechanism("double pendulum")
    upper, lower = (m.body(name, mass=1, centre=[0, 0, -1]) for name in ("upper", "lower"))
    m.join(earth, upper, revolute("x"), name="a")
    m.join(upper.at([0, 0, -1]), lower, revolute("x"), name="b")
    m.gravity = [0, 0, -9.81]
    return m


def pendulum() -> Mechanism:
    m = Mechanism("pendulum")
    m.join(earth, m.body("rod", mass=1, centre=[0, 0, -1]), revolute("x"), name="a")
    m.gravity = [0, 0, -9.81]
    return m


MACHINES: dict[str, Callable[[], Mechanism]] = {
    "pendulum": pendulum,
    "double pendulum": double_pendulum,
    "arm": lambda: mechanism(make_chain(7)),
}
#: Trajectories for the work of one, about.
SHARE = {"pendulum": 20, "double pendulum": 8, "arm": 1}
Ends = np.ndarray


def starts(system: System, count: int) -> np.ndarray:
    """At rest, in random postures."""
    angles = np.random.default_rng(3).uniform(-1, 1, (count, len(system.coordinates)))
    return np.concatenate([angles, np.zeros_like(angles)], axis=1)


def ours(
    system: System,
    y0: np.ndarray,
    seconds: float,
    tolerance: float,
    threads: int,
    side_by_side: bool,
    method: str = "auto",
) -> Ends:
    """With what has been compiled: the roads are chosen here, not by what compiling repays."""
    driver_lanes._MADE = -np.inf if side_by_side else np.inf
    asked: dict[str, Any] = {"rtol": tolerance, "atol": tolerance, "method": method, "threads": threads}
    found = run_many(system, (0, seconds), start=dict(zip(system.states, y0.T, strict=True)), **asked)
    return np.asarray(found.y)[:, :, -1]


def heyoka(
    system: System, y0: np.ndarray, seconds: float, tolerance: float, threads: int, width: int
) -> Callable[[], Ends]:
    """One by one (width 1), or so many in a vector, each with its own steps.

    An integrator for each thread, used again: heyoka's own ensembles copy it for each trajectory, in milliseconds.
    """
    hy = optional("heyoka")
    equations = list(zip(*translated(hy, system), strict=True))
    if width == 1:
        made = [hy.taylor_adaptive(equations, y0[0], tol=tolerance) for _ in range(threads)]
    else:
        first = np.ascontiguousarray(y0[:width].T)
        made = [hy.taylor_adaptive_batch(equations, first, tol=tolerance) for _ in range(threads)]
    ends = np.empty_like(y0)

    def work(integrator: Any, own: range) -> None:
        for i in own:
            if width == 1:
                integrator.time, integrator.state[:] = 0.0, y0[i]
                integrator.propagate_until(seconds)
                ends[i] = integrator.state
            else:
                rows = slice(width * i, width * (i + 1))
                integrator.set_time(0.0)
                integrator.state[:] = y0[rows].T
                integrator.propagate_until(seconds)
                ends[rows] = integrator.state.T

    def go() -> Ends:
        with ThreadPoolExecutor(threads) as pool:
            count = len(y0) // width
            list(pool.map(work, made, (range(k, count, threads) for k in range(threads))))
        return ends.copy()

    return go


def diffrax(python: str, count: int, seconds: float, tolerance: float) -> tuple[float, np.ndarray]:
    told = subprocess.run(
        [python, "-c", DIFFRAX, str(count), str(seconds), str(tolerance)], capture_output=True, text=True, check=True
    )
    data = json.loads(told.stdout)
    return data["seconds"], np.array(data["end"])


def compared(name: str, count: int, seconds: float, tolerance: float, threads: int) -> None:
    system = system_of(MACHINES[name]())
    y0 = starts(system, count * SHARE[name] // 8 * 8)
    some = slice(None, None, max(1, len(y0) // 64))
    exact = ours(system, y0[some], seconds, 1e-13, 1, False, "VERNER98")
    runs: dict[str, Callable[[], Ends]] = {
        "lanes": partial(ours, system, y0, seconds, tolerance, threads, True),
        "one by one": partial(ours, system, y0, seconds, tolerance, threads, False),
    }
    hy = optional("heyoka")
    if hy is not None:
        runs["heyoka one by one"] = heyoka(system, y0, seconds, tolerance, threads, 1)
        runs["heyoka batches"] = heyoka(system, y0, seconds, tolerance, threads, hy.recommended_simd_size())
    best = dict.fromkeys(runs, (np.inf, np.inf))
    ends = {program: run() for program, run in runs.items()}
    for _ in range(3):
        for program, run in runs.items():
            wall, work = time.perf_counter(), time.process_time()
            run()
            spent = time.perf_counter() - wall, time.process_time() - work
            best[program] = min(best[program][0], spent[0]), min(best[program][1], spent[1])
    for program, (wall, work) in best.items():
        error = float(np.median(np.abs(ends[program][some] - exact).max(axis=1)))
        told = {
            "machine": name,
            "tolerance": tolerance,
            "threads": threads,
            "program": program,
            "a second": len(y0) / wall,
        }
        ratios = {"times lanes": wall / best["lanes"][0], "processor": work / best["lanes"][1]}
        tell("ensemble", **told, **ratios, error=error)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--diffrax", metavar="PYTHON", help="an interpreter that has diffrax")
    chosen = parser.parse_args()
    for name in MACHINES:
        for threads in (1, 2):
            for tolerance in (1e-4, 1e-8, 1e-11):
                compared(name, chosen.count, chosen.seconds, tolerance, threads)
    if chosen.diffrax:
        count = chosen.count * SHARE["double pendulum"]
        elapsed, _ = diffrax(chosen.diffrax, count, chosen.seconds, 1e-8)
        tell(
            "ensemble",
            machine="double pendulum",
            tolerance=1e-8,
            program="diffrax Dopri8",
            **{"a second": count / elapsed},
        )


if __name__ == "__main__":
    main()
