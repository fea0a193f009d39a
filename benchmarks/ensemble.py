"""An ensemble of double pendulums, each with its own step control: ours beside heyoka's ensemble and diffrax.

    python benchmarks/ensemble.py [--count 10000] [--seconds 10] [--tolerance 1e-8]

Times are wall seconds with all cores; trajectories are compared at the end by their energy drift. A peer that is not
installed is left out; diffrax may live in another environment: `--diffrax PYTHON` names its interpreter.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).with_name("native")))

from integrators import translated
from peers import optional
from rows import tell

from dalembert.mechanism import Mechanism, earth, revolute
from dalembert.simulate import System, run_many, system_of

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


def pendulum() -> Mechanism:
    m = Mechanism("double pendulum")
    upper, lower = (m.body(name, mass=1, centre=[0, 0, -1]) for name in ("upper", "lower"))
    m.join(earth, upper, revolute("x"), name="a")
    m.join(upper.at([0, 0, -1]), lower, revolute("x"), name="b")
    m.gravity = [0, 0, -9.81]
    return m


def starts(count: int) -> np.ndarray:
    zero = np.zeros(count)
    return np.stack([np.linspace(0.5, 2.5, count), np.linspace(-1.0, 1.0, count), zero, zero], axis=1)


def energy(y: np.ndarray) -> np.ndarray:
    a, b, u, v = np.moveaxis(y, -1, 0)
    kinetic = 0.5 * ((3 + 2 * np.cos(b)) * u**2 + 2 * (1 + np.cos(b)) * u * v + v**2)
    return kinetic - 9.81 * (2 * np.cos(a) + np.cos(a + b))


def ours(system: System, y0: np.ndarray, seconds: float, tolerance: float, method: str) -> tuple[float, np.ndarray]:
    start = dict(zip(system.states, y0.T, strict=True))
    options: dict[str, Any] = {"t_eval": [seconds], "rtol": tolerance, "atol": tolerance, "method": method}
    run_many(system, (0, seconds), start={k: v[:8] for k, v in start.items()}, **options)
    began = time.perf_counter()
    found = run_many(system, (0, seconds), start=start, **options)
    return time.perf_counter() - began, np.asarray(found.y)[:, :, -1]


def heyoka(system: System, y0: np.ndarray, seconds: float, tolerance: float) -> tuple[float, np.ndarray] | None:
    hy = optional("heyoka")
    if hy is None:
        return None
    integrator = hy.taylor_adaptive(list(zip(*translated(hy, system), strict=True)), y0[0], tol=tolerance)

    def prepare(one: Any, i: int) -> Any:
        one.time, one.state[:] = 0.0, y0[i]
        return one

    began = time.perf_counter()
    found = hy.ensemble_propagate_until(integrator, seconds, len(y0), prepare)
    return time.perf_counter() - began, np.array([one[0].state for one in found])


def diffrax(python: str, count: int, seconds: float, tolerance: float) -> tuple[float, np.ndarray]:
    told = subprocess.run(
        [python, "-c", DIFFRAX, str(count), str(seconds), str(tolerance)], capture_output=True, text=True, check=True
    )
    data = json.loads(told.stdout)
    return data["seconds"], np.array(data["end"])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--tolerance", type=float, default=1e-8)
    parser.add_argument("--diffrax", metavar="PYTHON", help="an interpreter that has diffrax")
    chosen = parser.parse_args()
    y0, system = starts(chosen.count), system_of(pendulum())
    rows = [(f"dalembert {m}", ours(system, y0, chosen.seconds, chosen.tolerance, m)) for m in ("DOP853", "VERNER98")]
    peer = heyoka(system, y0, chosen.seconds, chosen.tolerance)
    rows += [("heyoka ensemble", peer)] if peer else []
    if chosen.diffrax:
        rows.append(("diffrax Dopri8", diffrax(chosen.diffrax, chosen.count, chosen.seconds, chosen.tolerance)))
    for name, (elapsed, end) in rows:
        first = energy(y0[:: max(1, chosen.count // len(end))][: len(end)])
        drift = float(np.abs(energy(end) - first).max())
        told = {"trajectories": chosen.count, "program": name, "wall s": elapsed, "a second": chosen.count / elapsed}
        tell("ensemble", **told, **{"energy error": drift})


if __name__ == "__main__":
    main()
