"""Integrators that are given our equations: our own methods, SciPy, heyoka and diffrax."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from problems import Array, Case

sys.path.insert(0, str(Path(__file__).parents[1] / "native"))

from peers import optional

from dalembert import expr as ex
from dalembert.errors import SimulationError
from dalembert.simulate.system.compiled import native_rates

TOLERANCES = (1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12)
SLOW = 1.5
"""CPU seconds of one point after which a curve ends: others wait."""
PATIENCE = 60
"""Wall seconds for one point with its repetitions and its compilation."""


@dataclass(frozen=True)
class Point:
    """One integration: the shortest CPU time of a few, and the error at the end."""

    curve: str
    accuracy: str
    seconds: float
    error: float


def timed(action: Callable[[], Any], repeats: int = 5) -> tuple[float, Any]:
    """The shortest CPU time (other work on the machine only adds), the first call left out: it compiles."""
    times: list[float] = []
    found = action()
    while len(times) < repeats and sum(times) < SLOW / 2:
        began = time.process_time()
        found = action()
        times.append(time.process_time() - began)
    return min(times), found


def curve(name: str, case: Case, accuracies: Any, make: Callable[[Any], Callable[[], Array]]) -> Iterator[Point]:
    """Points of one integrator from loose to tight, until one is slow."""
    for accuracy in accuracies:
        try:
            with deadline(PATIENCE):
                seconds, end = timed(make(accuracy))
        except TimeoutError:
            return
        except SimulationError:  # too loose to get through
            continue
        if np.isfinite(end[:1]).all():  # else it did not get there
            yield Point(name, f"{accuracy:.0e}", seconds, case.error(end))
        if seconds > SLOW / 2:
            return


@contextmanager
def deadline(seconds: int) -> Iterator[None]:
    """Ends what is interpreted after wall seconds; machine code is asked when it returns."""

    def late(*_: Any) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def ours(case: Case) -> Iterator[Point]:
    for method in case.methods:

        def make(tolerance: float, method: str = method) -> Callable[[], Array]:
            return lambda: case.end(method, tolerance, tolerance)

        yield from curve(f"dalembert {method}", case, TOLERANCES, make)


def scipy(case: Case) -> Iterator[Point]:
    from scipy.integrate import solve_ivp

    if case.system.large:
        return
    rates = native_rates(case.system)
    values = case.begun.parameters
    p = np.array([values[name] for name in case.system.known_parameters])

    def make(tolerance: float, method: str) -> Callable[[], Array]:
        options = {"method": method, "rtol": max(tolerance, 3e-14), "atol": tolerance}
        return lambda: solve_ivp(lambda t, y: rates([t], y, p), (0, case.seconds), case.y0, **options).y[:, -1]

    for method in ("Radau", "LSODA") if case.stiff else ("DOP853", "LSODA"):
        yield from curve(f"SciPy {method}", case, TOLERANCES[::2], lambda t, m=method: make(t, m))


def heyoka(case: Case) -> Iterator[Point]:
    hy = optional("heyoka")
    if hy is None or case.system.large:
        return
    names, rates = in_heyoka(hy, case.system.symbols, case.system.rates, case.begun.parameters)
    compact = ex.count_operations(case.system.rates) > 500  # else minutes of compilation for each tolerance

    def make(tolerance: float) -> Callable[[], Array]:
        built = list(zip(names, rates, strict=True))
        integrator = hy.taylor_adaptive(built, case.y0, tol=tolerance, compact_mode=compact)

        def go() -> Array:
            integrator.time, integrator.state[:] = 0.0, case.y0
            integrator.propagate_until(case.seconds)
            return np.array(integrator.state)

        return go

    yield from curve("heyoka Taylor", case, (1e-4, 1e-7, 1e-10, 1e-13, 2.3e-16), make)


def in_heyoka(hy: Any, symbols: Any, outputs: Any, values: Any) -> tuple[list[Any], list[Any]]:
    """The same expressions in heyoka's terms, parameters by value."""
    made: dict[Any, Any] = {e: hy.make_vars(f"v{k}") for k, e in enumerate(symbols)}
    operations: dict[str, Callable[..., Any]] = {
        "sin": hy.sin,
        "cos": hy.cos,
        "sqrt": hy.sqrt,
        "neg": lambda x: -x,
        "add": lambda x, y: x + y,
        "sub": lambda x, y: x - y,
        "mul": lambda x, y: x * y,
        "div": lambda x, y: x / y,
        "lt": hy.lt,
        "le": hy.lte,
        "where": hy.select,
        "abs": lambda x: hy.sqrt(x * x),
    }
    for e in ex.topological(outputs):
        if e in made:
            continue
        a = [made[x] for x in e.args]
        if e.op == "const":
            made[e] = hy.expression(float(e.data))
        elif e.op == "symbol":
            made[e] = hy.time if e == ex.TIME else hy.expression(float(values[e.name]))
        elif e.op == "pow":
            made[e] = a[0] * a[0] if e.args[1].data == 2 else a[0] ** float(e.args[1].data)
        else:
            made[e] = operations[e.op](*a)
    return [made[e] for e in symbols], [made[e] for e in outputs]


def diffrax(case: Case) -> Iterator[Point]:
    """Compiled by XLA, the compilation left out; machines of hundreds of operations take it minutes."""
    if optional("diffrax") is None or case.system.large or ex.count_operations(case.system.rates) > 300:
        return
    import diffrax as dx
    import jax
    import jax.numpy as jnp

    from dalembert.codegen import Function
    from dalembert.codegen.foreign import foreign

    jax.config.update("jax_enable_x64", True)
    system = case.system
    p = jnp.array([case.begun.parameters[name] for name in system.known_parameters])
    known = [ex.symbol(name) for name in system.known_parameters]
    groups = [[ex.TIME], list(system.symbols), known]
    rates = foreign(Function("rates", groups, list(system.rates)), ["t", "y", "p"], "jax")

    def make(tolerance: float) -> Callable[[], Array]:
        control = dx.PIDController(rtol=tolerance, atol=tolerance)
        term = dx.ODETerm(lambda t, y, _: rates(jnp.array([t]), y, p))
        solver = dx.Kvaerno5() if case.stiff else dx.Dopri8()

        @jax.jit
        def solve(y0: Any) -> Any:
            options = {"stepsize_controller": control, "max_steps": 1_000_000, "throw": False}
            return dx.diffeqsolve(term, solver, 0.0, case.seconds, None, y0, **options).ys[-1]

        y0 = jnp.array(case.y0)
        return lambda: np.asarray(solve(y0).block_until_ready())

    yield from curve(f"diffrax {'Kvaerno5' if case.stiff else 'Dopri8'}", case, (1e-4, 1e-6, 1e-8, 1e-10, 1e-12), make)
