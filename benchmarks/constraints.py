"""What constraints cost: the bicycle beside SymPy's own test of it, and an arm with and without a gear and a wheel.

    python benchmarks/constraints.py [--sympy]

CPU seconds of one run (the second one: modules that Python has not compiled yet cost another half second); the arm in
microseconds a state, median of nine batches of 10,000.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np

import dalembert as da

EXAMPLES = Path(__file__).parents[1] / "examples"
UPRIGHT = dict.fromkeys(("ride.yaw", "ride.lean", "ride.pitch", "steer.de", "ride.lean'", "steer.de'"), 0.0)


def bicycle() -> float:
    """From the LSD file to the linear equations of lean and steer."""
    before = time.process_time()
    m = da.load(EXAMPLES / "bicycle.lsd")
    m.linearize({**UPRIGHT, "ride.x'": 4.6}, independent=("ride.lean", "steer.de")).eigenvalues()
    return time.process_time() - before


def sympy_bicycle() -> float:
    from sympy.physics.mechanics.tests import test_kane3

    before = time.process_time()
    getattr(test_kane3.test_bicycle, "__wrapped__", test_kane3.test_bicycle)()
    return time.process_time() - before


def arm(constrained: bool) -> da.Mechanism:
    """Seven joints; with a gear between two of them, and a wheel at the end that rolls."""
    m = da.Mechanism("arm")
    before = da.earth
    for i, axis in enumerate("zyzyzyz"):
        body = m.body(f"b{i}", mass=1 + 0.1 * i, centre=[0.1, 0.02, 0.2], inertia=[0.1, 0.12, 0.08])
        m.join(before.at([0, 0, 0.4]) if i else before, body, da.revolute(axis), name=f"j{i}")
        before = body
    m.gravity = [0, 0, -9.81]
    if constrained:
        wheel = m.body("wheel", mass=0.2, inertia=[0.01, 0.02, 0.01])
        m.join(before.at([0, 0, 0.3]), wheel, da.revolute("y"), name="w")
        m.gear("j1.th", "j3.th", 2, name="gear")
        m.constrain("vel(wheel, x) = 0.1*omega(wheel, y)", name="roll")
    return m


def microseconds(m: da.Mechanism, count: int = 10_000) -> float:
    f = m.compile()
    rng = np.random.default_rng(0)
    q, u = rng.normal(size=(2, count, len(f.coordinates)))
    f.acceleration(q, u)
    found = []
    for _ in range(9):
        before = time.perf_counter()
        f.acceleration(q, u)
        found.append(time.perf_counter() - before)
    return float(np.median(found)) / count * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sympy", action="store_true", help="run SymPy's test of the bicycle too: minutes")
    options = parser.parse_args()
    own = [bicycle() for _ in range(2)]
    print(f"bicycle, LSD file to eigenvalues: {own[0]:.2f} s CPU with imports, {own[1]:.2f} s again (remembered)")
    if options.sympy:
        other = sympy_bicycle()
        print(f"SymPy test_kane3.test_bicycle: {other:.1f} s CPU: {other / own[0]:.0f} times")
    free, held = (microseconds(arm(x)) for x in (False, True))
    print(f"arm: {free:.3f} us a state free, {held:.3f} with gear and wheel: {held / free:.1f} times")


if __name__ == "__main__":
    main()
