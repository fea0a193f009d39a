"""What sweeps bear: `python benchmarks/sweep_load.py [CASES] [SPAN]`, then with `--million` a million cases on disk.

Trajectories per second of the double pendulum on one core, on two, and on a Dask cluster of two workers of one thread
each on loopback; what distribution costs is the rate of the cluster beside that of two cores. The million is written
to Parquet and read back, with the largest memory of the process.
"""

from __future__ import annotations

import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import dalembert as da

MODEL = Path(__file__).parents[1] / "examples" / "double_pendulum.lsd"
ASKED: dict[str, Any] = {
    "vary": {"shoulder.th": "uniform(-2, 2)", "elbow.th": "uniform(-2, 2)"},
    "measures": ["max(abs(elbow.th))", "final(total.T)"],
    "design": "sobol",
    "progress": False,
}


def rate(machine: da.Mechanism, cases: int, span: float, **how: Any) -> tuple[float, da.Sweep]:
    began = time.perf_counter()
    found = machine.sweep((0, span), samples=cases, **ASKED, **how)
    return cases / (time.perf_counter() - began), found


def compared(cases: int, span: float) -> None:
    from distributed import Client, LocalCluster

    machine = da.load(MODEL)
    rate(machine, 64, span)  # compiled
    one, first = rate(machine, cases, span, threads=1)
    two, second = rate(machine, cases, span, threads=2)
    print(f"{cases} motions over {span:g} s, {os.getloadavg()[0]:.1f} others at work on {os.cpu_count()} cores")
    print(f"one core {one:.0f} a second, two cores {two:.0f} ({two / one:.2f} times)")
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as workers,
        Client(workers),
    ):
        rate(machine, 64, span, cluster=workers.scheduler_address, threads=1)
        far, third = rate(machine, cases, span, cluster=workers.scheduler_address, threads=1)
        print(f"two workers on loopback {far:.0f} a second ({far / one:.2f} times one core, {far / two:.2f} times two)")
    same = all(np.array_equal(first[x], other[x]) for x in first.table for other in (second, third))
    print(f"the same numbers, bit by bit, on all three: {same}")


def million(span: float) -> None:
    machine = da.load(MODEL)
    with tempfile.TemporaryDirectory() as folder:
        began, spent = time.perf_counter(), time.process_time()
        found = machine.sweep((0, span), samples=1_000_000, out=Path(folder) / "sweep", instants=51, **ASKED)
        wall, work = time.perf_counter() - began, time.process_time() - spent
        size = sum(file.stat().st_size for file in (Path(folder) / "sweep").iterdir())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(found)
    print(f"{wall:.0f} s ({work:.0f} s of processor), {memory:.0f} MB at most, {size / 1e6:.0f} MB on disk")


if __name__ == "__main__":
    numbers = [float(x) for x in sys.argv[1:] if not x.startswith("-")]
    count, span = (numbers + [20_000, 2.0][len(numbers) :])[:2]
    if "--million" in sys.argv:
        million(span)
    else:
        compared(int(count), span)
