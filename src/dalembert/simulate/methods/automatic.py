"""The method that chooses: by the tolerance at first, and again where the motion turns out to be stiff."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.simulate.loop import layout as at
from dalembert.simulate.loop.callback import call_address
from dalembert.simulate.methods import native
from dalembert.simulate.methods.code import as_address
from dalembert.simulate.methods.contract import Method
from dalembert.simulate.methods.driver_many import tables
from dalembert.simulate.methods.inputs import as_grid, as_span
from dalembert.simulate.methods.joined import joined, onward
from dalembert.simulate.methods.native import NativeMethod
from dalembert.simulate.methods.problem import Ensemble, Problem, Solution

if TYPE_CHECKING:
    from dalembert.simulate.system.system import System


_LOOSE, _TIGHT = 1e-3, 1e-11
"""Relative tolerances from which a method of order five, or nine, needs fewer evaluations than that of order eight."""

_STIFF_LOOSE = 1e-4
"""From here on the five stages of a stiff method are more than the motion needs."""

_DOUBTS = 4
"""Looks at eigenvalues that found no stiffness, after which an explicit method goes on unwatched."""


@dataclass(frozen=True, eq=False)
class Later:
    """A compiled Jacobian that is made when it is needed, which is seldom."""

    make: Callable[[], Any]
    address: int = 0


@dataclass(frozen=True, eq=False)
class Automatic(Method):
    """Explicit of an order that suits the tolerance; implicit from where an explicit step is bound by stability.

    That is so where fifteen steps, with few others between, are as long as the stability of the explicit method allows
    for the fastest rate it sees (Hairer and Wanner II, IV.2), and the eigenvalues of the Jacobian say so, too.
    """

    loose: NativeMethod
    usual: NativeMethod
    tight: NativeMethod
    stiff_loose: NativeMethod
    stiff: NativeMethod
    name: str = "auto"
    order: int = 8
    kind: str = "explicit"

    def chosen(self, problem: Problem) -> NativeMethod:
        """The explicit method for the tightest relative tolerance."""
        rtol = _tightest(problem)
        if rtol <= _TIGHT:  # the many slopes of its dense output are made only where an event is near, if that is known
            return self.tight if getattr(problem.events, "bounds", problem.events is None) else self.usual
        return self.loose if rtol >= _LOOSE else self.usual

    def integrate(self, problem: Problem) -> Solution:
        first, pieces = self.chosen(problem), list[Solution]()
        gridded = as_grid(problem.t_eval, as_span(problem.span)) is not None
        left = problem
        while True:
            watch = len(pieces) < _DOUBTS and np.shape(problem.y0)[-1] <= native.MOST_STATES
            pieces.append(first.integrate(replace(left, method=first, jacobian=0, watch_stiffness=watch)))
            last = pieces[-1]
            if last.reason != at.STIFF:
                return last if len(pieces) == 1 else joined(pieces, gridded)
            left = onward(problem, pieces)
            implicit, stiff = self._stiff(left)
            if last.last_step * _fastest(stiff, last) > first.scheme.stable:
                break
            left = replace(left, first_step=min(last.last_step, abs(left.span[1] - left.span[0]) or 1.0))
        word = (
            f"stiff from t = {last.t_last:.6g}: {first.name} gave way to {implicit.name}, which damps what is "
            "faster than its steps"
        )
        whole = joined([*pieces, implicit.integrate(stiff)], gridded)
        return replace(whole, method=f"{first.name}, {implicit.name}", remarks=(word, *whole.remarks))

    def integrate_many(self, problem: Problem, threads: int | None) -> Ensemble:
        first = self.chosen(problem)
        watch = np.shape(problem.y0)[-1] <= native.MOST_STATES
        many = first.integrate_many(replace(problem, method=first, jacobian=0, watch_stiffness=watch), threads)
        starts, table = tables(problem.y0, problem.parameters)
        for k in np.flatnonzero(many.reasons == at.STIFF).tolist():  # each as if it were alone
            own = {"y0": starts[k], "parameters": table[k % len(table)]}
            one = replace(problem, **own, t_eval=many.t, dense_output=False, progress=False)
            many.put(k, self.integrate(one))
        return many

    def _stiff(self, problem: Problem) -> tuple[NativeMethod, Problem]:
        later, method = problem.jacobian, self.stiff_loose if _tightest(problem) >= _STIFF_LOOSE else self.stiff
        return method, replace(problem, method=method, jacobian=later.make() if isinstance(later, Later) else later)

    def wants(self, system: System) -> dict[str, Any]:
        from dalembert.simulate.system.compiled import native_jacobian

        return {"jacobian": Later(lambda: native_jacobian(system))}


def _tightest(problem: Problem) -> float:
    return float(np.min(np.asarray(problem.rtol, dtype=float)))


def _fastest(problem: Problem, last: Solution) -> float:
    """The largest eigenvalue, in absolute value, of the Jacobian where a solution ended."""
    t, y, p = last.t_last, last.y_last, np.array(problem.parameters, dtype=float).reshape(-1)
    n, address = len(y), getattr(problem.jacobian, "address", problem.jacobian)
    if address:
        matrix = call_address(address, t, y, p, n * n + n)[: n * n].reshape(n, n)
    else:
        rates = as_address(problem.rhs, n, problem.callbacks)
        here, steps = call_address(rates, t, y, p, n), np.sqrt(at.EPS) * np.maximum(1e-3, np.abs(y))
        moved = [call_address(rates, t, y + step * unit, p, n) for step, unit in zip(steps, np.eye(n), strict=True)]
        matrix = (np.array(moved) - here).T / steps
    if not np.isfinite(matrix).all():
        return 0.0
    return float(np.abs(np.linalg.eigvals(matrix)).max(initial=0.0))
