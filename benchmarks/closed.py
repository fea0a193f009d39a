"""Large closed machines as they grow: set-up, one evaluation by sparse and by orthogonal factors, closure, energy.

python benchmarks/closed.py [antenna|row|scissors|ring ...] [sizes ...]

CPU seconds, medians; the ratio of the two solves is of one run. Exponents are in the number of links.
"""

from __future__ import annotations

import itertools
import math
import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small matrices: threads only wait for each other
os.environ.setdefault("DALEMBERT_CACHE", "")  # set-up from nothing

import numpy as np

import dalembert as da
from dalembert.simulate import simulate
from loops import families


def ring(count: int) -> Any:
    """A closed chain of equal rods that hangs from earth, drawn as a regular polygon."""
    corners = [(math.cos(2 * math.pi * k / count), math.sin(2 * math.pi * k / count)) for k in range(count)]
    names = ["earth", *(f"r{k}" for k in range(1, count))]
    pins = [(names[k - 1], names[k], corners[k]) for k in range(1, count)]
    m = families().planar_linkage(f"ring_{count}", [*pins, (names[-1], "earth", corners[0])])
    m.gravity = [0, -9.81, 0]
    return m


def row(count: int) -> Any:
    m = families().n_four_bar(count, upright=True)
    m.gravity = [0, -9.81, 0]
    m.start["earth_c0.th'"] = 1.0
    return m


FAMILIES: dict[str, tuple[Callable[[int], Any], list[int]]] = {
    "antenna": (lambda n: families().antenna_grid(n, 1.2, "-2*(th + 0.6) - th'"), [3, 4, 6, 8]),
    "row": (row, [20, 50, 100]),
    "scissors": (lambda n: families().scissor_lift(n), [20, 40, 80]),
    "ring": (ring, [20, 40, 80]),
}


def median(call: Callable[[], Any], times: int) -> float:
    found = []
    for _ in range(times):
        clock = time.process_time()
        call()
        found.append(time.process_time() - clock)
    return statistics.median(found)


def measured(m: da.Mechanism) -> tuple[int, float, float, float]:
    """Links, set-up to the first steps, an evaluation by sparse factors, the same by orthogonal ones."""
    clock = time.process_time()
    motion = simulate(m, (0, 1e-3), rtol=1e-6, atol=1e-9)
    first = time.process_time() - clock
    again = median(lambda: simulate(m, (0, 1e-3), rtol=1e-6, atol=1e-9), 1)
    system = motion.system
    if not system.large:
        print(f"{m.name}: {len(m.links)} links, set-up {first:.2f} s, again {again:.2f} s, expanded code")
        return len(m.links), first, math.nan, math.nan
    machine, y = system.machine, motion.y[:, -1].copy()
    p = np.array([motion.parameters[name] for name in system.known_parameters])
    machine.rates(0.0, y, p)  # the rows that count are known to both from here on
    sparse = median(lambda: machine.called(machine.entries[0].rates, len(y), 0.0, y, p), 25)
    dense = median(lambda: machine.rates(0.0, y, p), 5)
    one, two = machine.called(machine.entries[0].rates, len(y), 0.0, y, p), machine.rates(0.0, y, p)
    assert machine.structure is not None
    print(
        f"{m.name}: {len(m.links)} links, {machine.structure.operations} products, set-up {first:.2f} s, again "
        f"{again:.2f} s, sparse {1e3 * sparse:.3f} ms, orthogonal {1e3 * dense:.3f} ms, ratio {dense / sparse:.1f}, "
        f"they part by {np.abs(one - two).max() / np.abs(two).max():.0e}; {motion.quality}",
        flush=True,
    )
    return len(m.links), first, sparse, dense


def main() -> None:
    asked = [x for x in sys.argv[1:] if x in FAMILIES] or list(FAMILIES)
    sizes = [int(x) for x in sys.argv[1:] if x not in FAMILIES]
    simulate(row(20), (0, 1e-3))  # what is loaded once is none of theirs
    for name in asked:
        make, usual = FAMILIES[name]
        rows = [measured(make(size)) for size in sizes or usual]
        for before, after in itertools.pairwise(rows):
            grown = math.log(after[0] / before[0])
            told = [math.log(b / a) / grown for a, b in zip(before[1:], after[1:], strict=True)]
            print(
                f"  from {before[0]} to {after[0]} links: exponents of set-up {told[0]:.2f}, sparse {told[1]:.2f}, "
                f"orthogonal {told[2]:.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
