"""Large closed machines as they grow: set-up, a step, closure, energy, beside MuJoCo and Exudyn in the same run.

python benchmarks/closed.py [antenna|row|scissors|ring ...] [sizes ...] [equal]

CPU seconds, medians. Set-up is from the description to the first step; a step is one of a millisecond. The efforts of
the antenna's elbows are left out for peers. `equal` asks instead what the same error costs: peers at several steps,
ours at several tolerances, of each family at the sizes of `EQUAL`.
"""

from __future__ import annotations

import math
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small matrices: threads only wait for each other
os.environ.setdefault("DALEMBERT_CACHE", "")  # set-up from nothing

import numpy as np

sys.path.insert(0, str(Path(__file__).with_name("precision")))

from drawn import Drawing
from equal_error import equal_error
from equations import optional
from exudyn_peer import exudyn_bodies, exudyn_run, exudyn_steps
from machines import mujoco_model
from problems import Case
from rows import tell

import dalembert as da
from dalembert.simulate import run, simulate
from loops import families

STEP = 1e-3


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
    "row": (row, [20, 50, 100, 340]),
    "scissors": (lambda n: families().scissor_lift(n), [20, 40, 80, 340]),
    "ring": (ring, [20, 40, 80, 320, 1000]),
}


def falling_antenna(size: int) -> Any:
    """Without efforts of its elbows, which peers have not: it falls askew."""
    m = families().antenna_grid(size, 1.2)
    m.gravity = [-3, -4, -5]
    return m


#: What the same error costs: the machine, seconds of its motion before any of its loops is flat, and sizes.
EQUAL: dict[str, tuple[Callable[[int], Any], float, list[int]]] = {
    "antenna": (falling_antenna, 0.5, [2, 4]),
    "row": (row, 0.7, [20, 100]),
    "scissors": (FAMILIES["scissors"][0], 0.5, [20, 80]),
    "ring": (ring, 0.5, [40, 80]),
}


#: Links beyond which the orthogonal factors, whose work grows with the cube, are not asked for comparison.
FACTORED = 400
#: Processor seconds of a peer at one size, after which it is not asked for larger ones.
PATIENCE = 20.0


def median(call: Callable[[], Any], times: int) -> float:
    found = []
    for _ in range(times):
        clock = time.process_time()
        call()
        found.append(time.process_time() - clock)
    return statistics.median(found)


def measured(name: str, m: da.Mechanism) -> dict[str, float]:
    """Set-up to the first steps, a step of a millisecond, what is open and what energy is lost after forty of them."""
    clock = time.process_time()
    motion = simulate(m, (0, STEP), rtol=1e-6, atol=1e-9)
    first = time.process_time() - clock
    again = median(lambda: simulate(m, (0, STEP), rtol=1e-6, atol=1e-9), 1)
    system, start = motion.system, motion.state(0.0)

    def steps(count: int) -> Any:
        return run(system, (0, count * STEP), start=start, rtol=1e-6, atol=1e-9, first_step=STEP, max_step=STEP)

    short, long = median(lambda: steps(20), 3), median(lambda: steps(60), 3)
    quality = steps(60).quality
    told = {"series": f"{name}, dalembert", "links": len(m.links), "set-up s": first, "again s": again}
    told |= {"step ms": 1e3 * max(long - short, 0.0) / 40, "closure": float(quality.closure), "energy": quality.energy}
    tell("closed machines", **told, note="" if system.large else "expanded code")
    if system.large and len(m.links) < FACTORED:
        factors(name, motion)
    return {"links": len(m.links), "set-up s": first, "step ms": told["step ms"]}


def growth(name: str, found: list[dict[str, float]]) -> None:
    """Powers of the links with which set-up and step grow, from the smallest that is large to the largest."""
    if len(found) > 1:
        a, b = found[0], found[-1]
        by = math.log(b["links"] / a["links"])
        powers = {f"power of {x}": math.log(b[x] / a[x]) / by for x in ("set-up s", "step ms") if min(a[x], b[x]) > 0}
        tell("growth", series=name, **{"from": a["links"], "to": b["links"]}, **powers)


def factors(name: str, motion: Any) -> None:
    """One evaluation by sparse and by orthogonal factors, the ratio of one run."""
    machine, y, system = motion.system.machine, motion.y[:, -1].copy(), motion.system
    p = np.array([motion.parameters[name] for name in system.known_parameters])
    machine.rates(0.0, y, p)  # the rows that count are known to both from here on
    sparse = median(lambda: machine.called(machine.entries[0].rates, len(y), 0.0, y, p), 25)
    dense = median(lambda: machine.rates(0.0, y, p), 5)
    one, two = machine.called(machine.entries[0].rates, len(y), 0.0, y, p), machine.rates(0.0, y, p)
    told = {"series": name, "links": len(system.layout.model.links), "products": machine.structure.operations}
    told |= {"sparse ms": 1e3 * sparse, "orthogonal ms": 1e3 * dense, "ratio": dense / sparse}
    tell("factors", **told, apart=float(np.abs(one - two).max() / np.abs(two).max()))


def mujoco(name: str, drawing: Drawing) -> None:
    mj = optional("mujoco")
    if mj is None:
        return
    clock = time.process_time()
    model = mj.MjModel.from_xml_string(mujoco_model(drawing, STEP, "RK4"))
    data = mj.MjData(model)
    for one in drawing.tree:
        data.joint(one.coordinate).qvel[0] = one.speed
    mj.mj_step(model, data)
    first = time.process_time() - clock
    step = median(lambda: mj.mj_step(model, data), 40)
    gap = float(np.abs(data.efc_pos[: data.ne]).max())
    told = {"series": f"{name}, MuJoCo RK4", "links": len(drawing.tree) + len(drawing.cuts), "set-up s": first}
    tell("closed machines", **told, **{"step ms": 1e3 * step}, closure=gap)


def exudyn(name: str, drawing: Drawing) -> None:
    exu = optional("exudyn")
    if exu is None:
        return
    clock = time.process_time()
    go = exudyn_run(exu, drawing, exudyn_bodies, STEP, None)
    short = exudyn_steps(go, 1)
    first = time.process_time() - clock
    if not math.isfinite(short):
        tell("closed machines, failed", series=f"{name}, Exudyn", links=len(drawing.tree) + len(drawing.cuts))
        return
    long, less = (min(exudyn_steps(go, count) for _ in range(2)) for count in (30, 10))
    step = (long - less) / 20 if long > less else math.nan  # nothing can be said beside the noise of its set-up
    told = {"series": f"{name}, Exudyn generalised alpha", "links": len(drawing.tree) + len(drawing.cuts)}
    tell("closed machines", **told, **{"set-up s": first, "step ms": 1e3 * step})


def main() -> None:
    asked = [x for x in sys.argv[1:] if x in FAMILIES] or list(FAMILIES)
    sizes = [int(x) for x in sys.argv[1:] if x not in FAMILIES and x != "equal"]
    simulate(row(23), (0, 1e-3))  # what is loaded once is none of theirs; no size that is measured, or it is known
    for name in asked if "equal" in sys.argv else ():
        make, seconds, usual = EQUAL[name]
        for size in sizes or usual:
            m = make(size)
            equal_error(Case(m.name, m, seconds), len(m.links))
    for name in asked if "equal" not in sys.argv else ():
        make, usual = FAMILIES[name]
        peers, found = [mujoco, exudyn], list[dict[str, float]]()
        for size in sizes or usual:
            m = make(size)
            found.append(measured(name, m))
            drawing = Drawing(Case(m.name, m, 0.06))
            for peer in list(peers):
                clock = time.process_time()
                try:
                    peer(name, drawing)
                    if time.process_time() - clock > PATIENCE:
                        peers.remove(peer)
                        tell("closed machines, left out", series=f"{name}, {peer.__name__}", beyond=len(m.links))
                except Exception as error:  # a peer that fails is a result
                    tell("closed machines, failed", series=f"{name}, {peer.__name__}", reason=str(error)[:200])
        growth(name, found)


if __name__ == "__main__":
    main()
