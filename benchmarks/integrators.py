"""Work and precision on one arm in one run: our methods beside heyoka's Taylor, MuJoCo's RK4, Pinocchio with SciPy.

    python benchmarks/integrators.py [--joints 7] [--seconds 2]

The same chain for all; error is the largest difference of the end state from a reference at the tightest tolerance,
time is processor time of the integration alone (a heyoka integrator's and our compilation are not counted). Peers that
are not installed are left out. heyoka runs in compact mode; with --full-heyoka it runs about three times faster, after
two minutes of compilation for each tolerance.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).with_name("native")))

from chains import Chain, make_chain, mechanism
from peers import mujoco_model, optional, pinocchio_model

from dalembert.simulate import System, run, system_of

Row = tuple[str, str, float, float]


def best(action: Callable[[], Any], repeats: int = 3) -> tuple[float, Any]:
    times, result = [], None
    for _ in range(repeats):
        began = time.process_time()
        result = action()
        times.append(time.process_time() - began)
    return min(times), result


def ours(system: System, start: dict[str, float], seconds: float, reference: np.ndarray) -> Iterator[Row]:
    for method in ("DOPRI5", "DOP853", "VERNER98"):
        for tolerance in (1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-13):
            options: dict[str, Any] = {"method": method, "rtol": tolerance, "atol": tolerance, "start": start}
            elapsed, motion = best(
                lambda o=options: run(system, (0, seconds), dense_output=False, t_eval=[seconds], **o)
            )
            yield "dalembert " + method, f"{tolerance:.0e}", elapsed, float(abs(motion.y[:, -1] - reference).max())


def heyoka(system: System, y0: np.ndarray, seconds: float, reference: np.ndarray, full: bool) -> Iterator[Row]:
    hy = optional("heyoka")
    if hy is None:
        return
    equations = list(zip(*translated(hy, system), strict=True))
    for tolerance in (1e-6, 1e-9, 1e-12, 2.2e-16):
        integrator = hy.taylor_adaptive(equations, y0, tol=tolerance, compact_mode=not full)

        def go(integrator: Any = integrator) -> Any:
            integrator.time, integrator.state[:] = 0.0, y0
            integrator.propagate_until(seconds)
            return integrator.state.copy()

        elapsed, end = best(go)
        yield "heyoka Taylor", f"{tolerance:.0e}", elapsed, float(abs(end - reference).max())


def translated(hy: Any, system: System) -> tuple[list[Any], list[Any]]:
    """The same expressions in heyoka's terms."""
    from dalembert import expr as ex

    made: dict[Any, Any] = {e: hy.make_vars(f"v{k}") for k, e in enumerate(system.symbols)}
    unary = {"sin": hy.sin, "cos": hy.cos, "sqrt": hy.sqrt, "neg": lambda x: -x}
    binary = {
        "add": lambda x, y: x + y,
        "sub": lambda x, y: x - y,
        "mul": lambda x, y: x * y,
        "div": lambda x, y: x / y,
    }
    for e in ex.topological(system.rates):
        if e in made:
            continue
        a = [made[x] for x in e.args]
        if e.op == "const":
            made[e] = hy.expression(float(e.data))
        elif e.op == "pow":
            made[e] = a[0] * a[0] if e.args[1].data == 2 else hy.pow(a[0], float(e.args[1].data))
        else:
            made[e] = unary[e.op](*a) if e.op in unary else binary[e.op](*a)
    return [made[e] for e in system.symbols], [made[e] for e in system.rates]


def mujoco(chain: Chain, y0: np.ndarray, seconds: float, reference: np.ndarray) -> Iterator[Row]:
    model = mujoco_model(chain)
    if model is None:
        return
    import mujoco as mj

    model.opt.integrator = mj.mjtIntegrator.mjINT_RK4
    data, n = mj.MjData(model), chain.size
    for h in (1e-2, 3e-3, 1e-3, 3e-4, 1e-4):
        count = round(seconds / h)
        model.opt.timestep = seconds / count

        def go(count: int = count) -> Any:
            mj.mj_resetData(model, data)
            data.qpos[:], data.qvel[:] = y0[:n], y0[n:]
            mj.mj_step(model, data, count)
            return np.concatenate([data.qpos, data.qvel])

        elapsed, end = best(go)
        yield "MuJoCo RK4", f"h {h:.0e}", elapsed, float(abs(end - reference).max())


def pinocchio(chain: Chain, y0: np.ndarray, seconds: float, reference: np.ndarray) -> Iterator[Row]:
    model = pinocchio_model(chain)
    if model is None:
        return
    import pinocchio as pin
    from scipy.integrate import solve_ivp

    data, n, none = model.createData(), chain.size, np.zeros(chain.size)

    def rates(t: float, y: np.ndarray) -> np.ndarray:
        return np.concatenate([y[n:], pin.aba(model, data, y[:n], y[n:], none)])

    for tolerance in (1e-6, 1e-9, 1e-12):
        options = {"rtol": tolerance, "atol": tolerance}
        elapsed, found = best(lambda o=options: solve_ivp(rates, (0, seconds), y0, "DOP853", **o), 1)
        yield "Pinocchio, SciPy DOP853", f"{tolerance:.0e}", elapsed, float(abs(found.y[:, -1] - reference).max())


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--joints", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--full-heyoka", action="store_true", help="heyoka without compact mode")
    chosen = parser.parse_args()
    chain = make_chain(chosen.joints)
    system = system_of(mechanism(chain))
    start = {name: 0.1 * (k + 1) for k, name in enumerate(system.coordinates)}
    y0 = np.array([start.get(name, 0.0) for name in system.states])
    seconds = chosen.seconds
    reference = run(system, (0, seconds), start=start, method="VERNER98", rtol=3e-14, atol=1e-15).y[:, -1]
    print(f"{'integrator':26}{'accuracy':>10}{'CPU s per s':>14}{'error':>10}")
    for rows in (
        ours(system, start, seconds, reference),
        heyoka(system, y0, seconds, reference, chosen.full_heyoka),
        mujoco(chain, y0, seconds, reference),
        pinocchio(chain, y0, seconds, reference),
    ):
        for name, accuracy, elapsed, error in rows:
            print(f"{name:26}{accuracy:>10}{elapsed / seconds:14.6f}{error:10.1e}", flush=True)


if __name__ == "__main__":
    main()
