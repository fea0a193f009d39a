"""Sensitivities of random machines beside differences: `python benchmarks/audit_sensitivity.py [COUNT] [SEED]`.

Trees, coupled trees, trees under a condition, closed loops and loops that time moves, in turns; every second one has
an event that halves a speed on its way. The derivatives of the last state by parameters and by a value of the start
stand beside differences of the fourth order, of motions at rtol 1e-11 with the steps that agree best, in parts of the
largest of their column. The
cost is processor time, in motions at the same tolerance, code compiled.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

sys.path.append(str(Path(__file__).parents[1] / "tests"))

import dalembert as da
from dalembert.dynamics import dynamics_of
from dalembert.mechanism import Layout, Mechanism
from dalembert.simulate import Event, run, sensitivities, system_of
from random_loops import loaded
from random_mechanisms import random_couplings, random_tree

TIGHT = {"rtol": 1e-11, "atol": 1e-13}
END = 0.4
GOOD = 1e-7
SETTLED = 2e-8  # between differences of two steps: else they are no measure of 1e-7


def conditioned(seed: int) -> Mechanism:
    """A tree of two bodies whose first coordinates keep a relation that time moves."""
    m = random_tree(seed, 2)
    first, *others = Layout.of(m).coordinates
    if others:
        m.constrain(f"{others[-1]} - {first}/2 - 0.1*sin(t)", name="relation")
    return m


def closed(seed: int, driven: bool = False) -> Mechanism:
    """A loop with springs, under gravity of a strength and a direction that are parameters."""
    m = loaded(seed, driven=driven)
    m.gravity = ["g*sin(slope)", "-g*cos(slope)", "0.2*g"]
    m.given = {**m.given, "g": 9.81, "slope": 0.3}
    return m


KINDS: dict[str, Callable[[int], Mechanism]] = {
    "tree": lambda k: random_tree(k, 1 + k % 3),
    "coupled tree": lambda k: random_couplings(k, 1 + k % 2),
    "condition": conditioned,
    "loop": closed,
    "driven loop": lambda k: closed(k, driven=True),
}


def judged(m: Mechanism, acts: bool) -> tuple[float, float, int]:
    """The largest gap, what sensitivities cost in motions, and how many names they were by."""
    given = {x.name: float(m.given.get(x.name, 1.3)) for x in dynamics_of(Layout.of(m)).parameters}
    system = system_of(m)
    plain = run(system, (0, END), given=given, **TIGHT)
    names: dict[str, float] = dict(list(given.items())[:3])
    states = plain.system.coordinates
    open_ones = [x for x in states if not Layout.of(m).constraints and not x.rpartition(".")[2].startswith("e")]
    if open_ones:
        names[open_ones[0]] = float(plain.y[states.index(open_ones[0]), 0])
    events: list[Event] = []
    if not states or not names:
        raise da.ModelError("nothing moves, or nothing is open")
    speed = f"{states[0]}'"
    if acts and speed in plain.names:
        middle = float(plain.sol(END / 2)[0])
        events = [Event(f"{states[0]} - ({middle!r})", then={speed: f"0.5*{speed}"}, terminal=False)]
    asked: dict[str, Any] = {"given": given, "events": events or None, **TIGHT}

    def last(name: str, value: float) -> np.ndarray:
        which = "given" if name in given else "start"
        changed = {**asked, which: {**asked.get(which, {}), name: value}}
        return run(system, (0, END), t_eval=[END], **changed).y[:, -1]

    sensitivities(system, (0, END), list(names), **asked)  # compiled
    began = time.process_time()
    found = sensitivities(system, (0, END), list(names), **asked).at(END)
    middle_time = time.process_time()
    run(system, (0, END), **asked)
    cost = (middle_time - began) / (time.process_time() - middle_time)
    worst = 0.0
    for column, (name, base) in enumerate(names.items()):
        tried = list[np.ndarray]()
        for h in (1e-3 * max(abs(base), 1.0) * 0.1**k for k in range(4)):  # an event may be nearer than a large step
            steps = [last(name, base + i * h) for i in (1, -1, 2, -2)]
            tried.append((8 * (steps[0] - steps[1]) - (steps[2] - steps[3])) / (12 * h))
        right, other = min(pairwise(tried), key=lambda two: float(np.abs(two[0] - two[1]).max()))
        if np.abs(right - other).max() > SETTLED * max(np.abs(right).max(), 1.0):
            raise da.SimulationError(f"differences by '{name}' do not settle: an event is too near")
        worst = max(worst, float(np.abs(found[:, column] - right).max() / max(np.abs(right).max(), 1.0)))
    return worst, cost, len(names)


def main() -> None:
    numbers = [int(x) for x in sys.argv[1:]]
    count, seed = (numbers + [100, 0][len(numbers) :])[:2]
    warnings.simplefilter("ignore")
    gaps: dict[str, list[float]] = {}
    costs, refused = list[float](), 0
    for k in range(seed, seed + count):
        kind = list(KINDS)[k % 5]
        title = f"{kind}{' with an event' if k % 2 else ''}"
        try:
            gap, cost, names = judged(KINDS[kind](k), bool(k % 2))
        except da.DalembertError as error:
            refused += 1
            print(f"{title} {k}: {str(error).splitlines()[0]}", flush=True)
            continue
        gaps.setdefault(title, []).append(gap)
        costs.append(cost)
        if gap > GOOD:
            print(f"{title} {k}: {gap:.1e} by {names} names", flush=True)
    for title, found in sorted(gaps.items()):
        print(
            f"{title}: {len(found)} machines, {sum(x <= GOOD for x in found)} within {GOOD:g}, largest {max(found):.1e}"
        )
    print(f"{refused} refused; cost {np.median(costs):.1f} motions in the middle, {max(costs):.1f} at most")


if __name__ == "__main__":
    main()
