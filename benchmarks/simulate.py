"""Simulated seconds per second of processor time, beside SciPy's solve_ivp with the same right-hand side and tolerance.

    python benchmarks/simulate.py [--seconds 10] [--scipy] [--format json]

Error: largest drift of the energy, in parts of the largest kinetic energy (end states of these motions depend too much
on the last digit). Without --scipy only our own methods are shown.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import dalembert as da
from dalembert.simulate import METHODS, Motion, System, run, system_of


def double_pendulum() -> da.Mechanism:
    m = da.Mechanism("double pendulum")
    upper = m.body("upper", mass=1, centre=[0, 0, -1])
    lower = m.body("lower", mass=1, centre=[0, 0, -1])
    m.join(da.earth, upper, da.revolute("y"), name="shoulder")
    m.join(upper.at([0, 0, -1]), lower, da.revolute("y"), name="elbow")
    m.gravity = [0, 0, -9.81]
    m.start = {"shoulder.th": 1.0, "elbow.th": 0.5}
    return m


def arm(n: int = 7) -> da.Mechanism:
    """n revolute joints with axes z, y, x in turn, full inertias."""
    m = da.Mechanism(f"{n}-joint arm")
    previous: Any = da.earth
    for i in range(n):
        inertia = [0.03, 0.04, 0.02, 0.001, 0.002, 0.0015]
        body = m.body(f"link{i}", mass=1 + 0.1 * i, centre=[0.02, 0.01, 0.25], inertia=inertia)
        m.join(previous, body, da.revolute("zyx"[i % 3]), name=f"j{i}")
        previous = body.at([0, 0, 0.5])
    m.gravity = [0, 0, -9.81]
    m.start = {f"j{i}.th": 0.1 * (i + 1) for i in range(n)}
    return m


def measure(system: System, seconds: float, with_scipy: bool) -> list[dict[str, Any]]:
    rows = []
    pairs = [name for name, method in METHODS.items() if method.kind in ("explicit", "implicit") and method.order > 3]
    for tolerance in (1e-4, 1e-6, 1e-8, 1e-10, 1e-12):
        for method in pairs:
            options: dict[str, Any] = {"method": method, "rtol": tolerance, "atol": tolerance}
            elapsed, motion = best(lambda o=options: run(system, (0, seconds), **o))
            error = drift(motion)
            rows.append(row(system, "dalembert", method, tolerance, seconds / elapsed, error, motion.nfev))
            if with_scipy and method in ("DOP853", "DOPRI5"):
                rows.append(scipy_row(system, seconds, method, tolerance))
    return rows


def scipy_row(system: System, seconds: float, method: str, tolerance: float) -> dict[str, Any]:
    from scipy.integrate import solve_ivp

    from dalembert.simulate.system.compiled import native_rates
    from dalembert.simulate.system.values import first_state, parameter_values

    values = parameter_values(system, None)
    native = native_rates(system)
    p = np.array([values[name] for name in system.known_parameters])
    first = first_state(system, None, None, values, 0.0).values
    y0 = np.array([first[name] for name in system.states])
    name = "RK45" if method == "DOPRI5" else method

    def solve() -> Any:
        return solve_ivp(lambda t, y: native([t], y, p), (0, seconds), y0, method=name, rtol=tolerance, atol=tolerance)

    elapsed, found = best(solve, most=1)
    error = drift(Motion(system, values, found.t, found.y))
    return row(system, "scipy", method, tolerance, seconds / elapsed, error, found.nfev)


def drift(motion: Motion) -> float:
    energy = motion.energy()
    return float(abs(energy - energy[0]).max() / motion.kinetic_energy().max())


def row(
    system: System, who: str, method: str, tolerance: float, rate: float, error: float, nfev: int
) -> dict[str, Any]:
    return {
        "system": system.name,
        "integrator": who,
        "method": method,
        "tolerance": tolerance,
        "simulated seconds per CPU second": rate,
        "error": error,
        "evaluations": nfev,
    }


def best(action: Callable[[], Any], most: int = 5) -> tuple[float, Any]:
    """The shortest of a few runs, the first left out unless it is the only one."""
    times, result = [], None
    for _ in range(most + (most > 1)):
        began = time.process_time()
        result = action()
        times.append(time.process_time() - began)
    return min(times[1:] or times), result


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--scipy", action="store_true", help="compare with SciPy (slow)")
    parser.add_argument("--format", choices=["text", "json"], default="text")
    chosen = parser.parse_args()
    rows = [one for m in (double_pendulum(), arm()) for one in measure(system_of(m), chosen.seconds, chosen.scipy)]
    if chosen.format == "json":
        print(json.dumps(rows, indent=1))
        return
    print(f"{'system':17}{'integrator':11}{'method':11}{'tolerance':>10}{'sim s / s':>12}{'error':>10}{'calls':>9}")
    for one in rows:
        system, who, method, tolerance, rate, error, nfev = one.values()
        print(f"{system:17}{who:11}{method:11}{tolerance:10.0e}{rate:12.0f}{error:10.1e}{nfev:9d}")


if __name__ == "__main__":
    main()
