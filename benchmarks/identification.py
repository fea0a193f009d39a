"""How often identified parameters lie within their stated uncertainty: simulated data with noise in the efforts.

    python benchmarks/identification.py [RUNS] [SEED]

Each machine moves on a fixed smooth path; efforts are those of its inverse dynamics with normal noise of a hundredth of
the largest of each joint. Counted are runs in which the true base parameters lie all together in the stated region of
95 per cent, and runs in which each lies in its own interval.
"""

from __future__ import annotations

import importlib.util
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "identify")]
SAMPLES, NOISE = 150, 0.01


def machines() -> dict[str, Any]:
    """Arms, a loop, a floating base, and a UR5 where example-robot-data is installed."""
    from test_grouping import spatial_arm
    from test_identify import puma

    import dalembert as da
    from measured_machines import floating, four_bar, two_bars

    found = {"two bars": two_bars(), "arm of three": spatial_arm(), "Puma 560": puma()}
    found |= {"four-bar": four_bar(), "floating base": floating()}
    spec = importlib.util.find_spec("cmeel")
    for place in (spec.submodule_search_locations or []) if spec else []:
        path = Path(place) / "../cmeel.prefix/share/example-robot-data/robots/ur_description/urdf/ur5_robot.urdf"
        if path.is_file():
            found["UR5"] = da.read_urdf(path, limits=False, fuse=True)
    return found


def measured(m: Any, rng: Any) -> tuple[Any, Any, Any, Any, Any]:
    """Base parameters, and states with the efforts that they need."""
    from dalembert.identify.driven import Driven

    base, layout = m.base_parameters(), m.layout()
    own = set(layout.state.own_coordinates)
    turns = [f"{g[0].rpartition('.')[0]}.turn.{c}" for g in layout.state.quaternions for c in "xyz"]
    closed = bool(layout.constraints)
    names = ["A.th"] if closed else [*(x for x in layout.state.coordinates if f"{x}'" in layout.state.speeds), *turns]
    driven = Driven(layout, {x: (-1, 1) for x in names if x not in own})
    t = np.linspace(0, 10, SAMPLES)
    s, v, a = (np.zeros((SAMPLES, len(driven.names))) for _ in range(3))
    for w in rng.uniform(0.5, 3.0, (3, len(driven.names))):
        size = rng.uniform(0.2, 0.5, len(driven.names))
        s, v, a = (
            s + size * np.sin(np.outer(t, w)),
            v + size * w * np.cos(np.outer(t, w)),
            a - size * w**2 * np.sin(np.outer(t, w)),
        )
    middle = np.pi / 2 if closed else 0.0
    states = driven.states(
        s * (0.6 if closed else 1.0) + middle, v * (0.6 if closed else 1.0), a * (0.6 if closed else 1.0)
    )
    assert states is not None
    if closed:
        efforts = np.zeros_like(states.u)
        needed = m.needed_efforts(states.q, states.u, states.udot, by=["A.th"])
        efforts[:, layout.state.speeds.index("A.th'")] = needed.efforts["A.th"]
    else:
        efforts = np.asarray(m.compile().inverse_dynamics(states.q, states.u, states.udot))
    return base, states.q, states.u, states.udot, efforts


def main() -> None:
    warnings.simplefilter("ignore")
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 2026
    print("| machine | base parameters | runs with all inside | each inside, mean and least | CPU s |")
    print("|---|---|---|---|---|")
    for name, m in machines().items():
        start, rng = time.process_time(), np.random.default_rng(seed)
        base, q, u, udot, efforts = measured(m, rng)
        true = base.values(base.regressor.theta())
        noise = NOISE * np.abs(efforts).max(axis=0)
        together, each = 0, np.zeros(len(base))
        for _ in range(runs):
            found = base.identify(q, u, udot, efforts + noise * rng.standard_normal(efforts.shape), physical=False)
            together += found.holds(true)
            low, high = found.intervals().T
            each += (low <= true) & (true <= high)
        share = each / runs
        print(
            f"| {name} | {len(base)} | {together} of {runs} | {share.mean():.1%}, {share.min():.1%} | "
            f"{time.process_time() - start:.1f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
