"""The method that chooses: by the tolerance at first, and again where the motion turns out to be stiff."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.simulate.loop import layout as at
from dalembert.simulate.methods import native
from dalembert.simulate.methods.contract import Method
from dalembert.simulate.methods.driver_many import tables
from dalembert.simulate.methods.inputs import as_grid, as_span
from dalembert.simulate.methods.joined import joined, onward
from dalembert.simulate.methods.native import NativeMethod
from dalembert.simulate.methods.problem import FAILED, Array, Ensemble, Problem, Solution

if TYPE_CHECKING:
    from dalembert.simulate.system.system import System


_LOOSE, _TIGHT = 1e-3, 1e-11
"""Relative tolerances from which a method of order five, or nine, needs fewer evaluations than that of order eight."""

_STIFF_LOOSE = 1e-4
"""From here on the five stages of a stiff method are more than the motion needs."""

_AHEAD = 50
"""Explicit steps that an implicit method goes ahead to show what it costs: its own step grows tenfold at a time."""

_GLANCE = 0.2
"""Of that way, after which a trial that has used up its evaluations ends."""

_WORTH = 300
"""Explicit steps that are left: for fewer a Jacobian is not worth to be made."""

_GAIN = 2
"""What a switch must gain, in evaluations of the rates: the beginning is the most costly part of an implicit motion."""

_FACTORING = 36
"""Factors of all matrices of a step take about 11 n^3 operations, rates of a machine some 400 n: n^2/36 evaluations."""


@dataclass(frozen=True, eq=False)
class Later:
    """A compiled Jacobian that is made when it is needed, which is seldom."""

    make: Callable[[], Any]
    address: int = 0


@dataclass(frozen=True, eq=False)
class Automatic(Method):
    """Explicit of an order that suits the tolerance; implicit from where that is cheaper.

    It is asked where fifteen steps, with few others between, are much shorter than the motion is smooth, whatever holds
    them back: real rates, vibrations that are not there, stages that lose their order. The answer is a trial: the
    implicit method goes ahead over fifty explicit steps, and its evaluations are counted.
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
        first, watch = self.chosen(problem), np.shape(problem.y0)[-1] <= native.MOST_STATES
        spent: list[int] = []

        def doubt(t: float, y: Array, step: float, patience: int) -> bool:
            return self._gains(problem, first, (t, y, step, patience), spent)

        explicit = first.integrate(replace(problem, method=first, jacobian=0, watch_stiffness=watch, doubt=doubt))
        explicit = replace(explicit, nfev=explicit.nfev + sum(spent))
        if explicit.reason != at.STIFF:
            return explicit
        left = onward(problem, [explicit])
        implicit, stiff = self._stiff(left)
        rest = implicit.integrate(stiff)
        gridded = as_grid(problem.t_eval, as_span(problem.span)) is not None
        if rest.status == FAILED and rest.accepted < _AHEAD:  # it was no stiffness, if the explicit method goes on
            alone = first.integrate(replace(left, method=first, jacobian=0, watch_stiffness=False))
            if alone.status != FAILED:
                return joined([explicit, alone], gridded)
        word = (
            f"stiff from t = {explicit.t_last:.6g}: {first.name} gave way to {implicit.name}, which damps what is "
            "faster than its steps"
        )
        whole = joined([explicit, rest], gridded)
        return replace(whole, method=f"{first.name}, {implicit.name}", remarks=(word, *whole.remarks))

    def _gains(
        self, problem: Problem, first: NativeMethod, where: tuple[float, Array, float, int], spent: list[int]
    ) -> bool:
        """Would the implicit method take far fewer evaluations from here on? Those of the trial are `spent`."""
        t, y, step, patience = where
        left = as_span(problem.span)[1] - t
        if first.scheme.tableau is None or abs(left) < _WORTH * step:
            return False
        way, cost, before = np.copysign(min(step * max(_AHEAD, patience / 4), abs(left)), left), 0.0, t
        budget = len(first.scheme.tableau.stages) * abs(way) / step / _GAIN
        alone = replace(problem, t_eval=None, events=None, leaving={}, dense_output=None, progress=False)
        for part in (_GLANCE, 1.0):
            implicit, ahead = self._stiff(replace(alone, span=(before, t + part * way), y0=y, first_step=step))
            tried = implicit.integrate(ahead)
            spent.append(tried.nfev)
            cost += tried.nfev + (tried.accepted + tried.rejected) * len(y) ** 2 / _FACTORING
            if not tried.success or cost > budget:
                return False
            before, y, step = tried.t_last, tried.y_last, max(step, tried.last_step)
        return True

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

        return {"jacobian": Later(cache(lambda: native_jacobian(system)))}


def _tightest(problem: Problem) -> float:
    return float(np.min(np.asarray(problem.rtol, dtype=float)))
