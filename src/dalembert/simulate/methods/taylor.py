"""Taylor's method: steps by the series of the motion itself, as long as its last terms allow; for tight tolerances.

The order follows from the tolerance, the length of a step from the last two coefficients (Jorba and Zou, Exp. Math. 14,
2005), so that no step is rejected. In pairs of doubles tolerances go to 1e-30.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.dynamics.scales import ATOL
from dalembert.errors import ExpressionError, SimulationError
from dalembert.simulate.loop.dense import DenseOutput
from dalembert.simulate.methods.contract import Method
from dalembert.simulate.methods.inputs import as_state
from dalembert.simulate.methods.problem import Ensemble, NativeEvents, Problem, Solution
from dalembert.simulate.methods.schemes import Scheme

if TYPE_CHECKING:
    from dalembert.simulate.system.system import System

_LEAST_ORDER, _MOST_ORDER = 4, 40
_MOST_OPERATIONS = 200_000
"""Of the rates: more would take a minute to compile."""
_FINEST = {1: 2.0**-52, 2: 1e-31}
"""The tightest relative tolerance, by doubles a number: its rounding."""


@dataclass(frozen=True, eq=False)
class Taylor(Method):
    """Numbers of one double, or of two: `motion.low` has the second parts of states then."""

    parts: int = 1
    kind: str = "series"

    @property
    def name(self) -> str:  # type: ignore[override]
        return "taylor" if self.parts == 1 else "taylor-double-double"

    @property
    def order(self) -> int:  # type: ignore[override]
        """At the finest tolerance."""
        return order_for(_FINEST[self.parts])

    def integrate(self, problem: Problem) -> Solution:
        from dalembert.simulate.methods.driver import solve

        scheme, ready = self._ready(problem)
        found = solve(scheme, ready)
        return found if self.parts == 1 else _first_parts(found, len(found.y_last) // 2)

    def integrate_many(self, problem: Problem, threads: int | None) -> Ensemble:
        from dalembert.simulate.methods.driver_many import solve_many

        if self.parts > 1:
            return super().integrate_many(problem, threads)
        return solve_many(*self._ready(problem), threads)

    def _ready(self, problem: Problem) -> tuple[Scheme, Problem]:
        """The scheme for the tolerance, and the problem with its series."""
        if problem.series is None:
            raise SimulationError(
                f"the method '{self.name}' needs formulas, not a function f(t, y): simulate a mechanism or a System, "
                "or choose DOP853."
            )
        if problem.first_step is not None:
            raise SimulationError(f"the method '{self.name}' finds its first step itself: leave first_step out.")
        rtol = np.maximum(np.asarray(problem.rtol, dtype=float), _FINEST[self.parts])
        order = order_for(float(np.min(rtol)))
        atol = problem.atol
        if atol is None:  # a tolerance below the usual absolute one is meant for both
            atol = np.minimum(ATOL, rtol) * np.asarray(problem.scales, dtype=float)
        series = problem.series(order, self.parts > 1)
        scheme = _scheme(self.name, order, _FINEST[self.parts])
        if self.parts == 1:
            return scheme, replace(problem, series=series, atol=atol)
        start = as_state(problem.y0)
        events = problem.events
        events = replace(events, bounds=0) if isinstance(events, NativeEvents) else events
        twice: dict[str, Any] = {"rtol": problem.rtol, "atol": atol, "scales": problem.scales}
        twice = {name: np.tile(np.broadcast_to(np.asarray(x), start.shape), 2) for name, x in twice.items()}
        y0 = np.concatenate([start, np.zeros_like(start)])
        return scheme, replace(problem, series=series, y0=y0, events=events, quaternions=(), project=0, **twice)

    def obstacle(self, system: System, parameters: Mapping[str, float]) -> str:
        return system.kept(f"why not {self.name}", lambda: self._obstacle(system))

    def _obstacle(self, system: System) -> str:
        from dalembert import expr as ex
        from dalembert.codegen.series.graph import Graph

        if system.large:
            return "a machine of this size is solved in numbers, which have no series"
        if self.parts > 1 and system.constrained is not None:
            return "the start of a closed or constrained machine is closed to sixteen digits only; 'taylor' takes it"
        if ex.count_operations(system.rates) > _MOST_OPERATIONS:
            return "the series of its rates are too long to compile"
        try:
            names = [ex.symbol(name) for name in system.known_parameters]
            Graph([[ex.TIME], system.symbols, names], frozenset({0, 1})).add(system.rates)
        except ExpressionError as error:
            if system.constrained is not None:
                return "its constraints are solved by pivots that are chosen by size, and a choice has no series"
            return f"its rates are not smooth everywhere: {str(error).rstrip('.')}"
        return ""

    def wants(self, system: System) -> dict[str, Any]:
        from dalembert import expr as ex
        from dalembert.codegen.series.native import NativeSeries, compile_series

        def series(order: int, paired: bool) -> NativeSeries:
            names = tuple(ex.symbol(name) for name in system.known_parameters)
            return compile_series(system.symbols, names, system.rates, order, paired)

        return {"series": lambda *asked: system.kept(f"series {asked}", lambda: series(*asked))}


@cache
def _scheme(name: str, order: int, finest: float) -> Scheme:
    """One for each order: tables and forms of memory are kept by it."""
    return Scheme(name, order, order, series=order, finest=finest)


def order_for(tolerance: float) -> int:
    """The order that costs least for a relative tolerance: half its natural logarithm, and one.

    >>> order_for(1e-15), order_for(1e-30)
    (19, 36)
    """
    return min(max(math.ceil(1 - math.log(tolerance) / 2), _LEAST_ORDER), _MOST_ORDER)


def _first_parts(found: Solution, n: int) -> Solution:
    """The solution in doubles, and `low`, what they leave out of each number."""
    sol = found.sol
    if sol is not None:
        whole = sol
        sol = DenseOutput(sol.t, sol.h, sol.y[:, :n], lambda: whole.coefficients[:, :, :n], sol.manifold)
    return replace(
        found,
        y=found.y[:n],
        low=found.y[n:],
        sol=sol,
        y_last=found.y_last[:n],
        y_events=None if found.y_events is None else [states[:, :n] for states in found.y_events],
    )
