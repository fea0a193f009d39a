"""Verbs of many motions and of measured ones: sweeps, derivatives, optima, fits, regressors, base parameters."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from dalembert.mechanism import Layout
from dalembert.model.forced import Forced
from dalembert.verbs import Later, verb

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from dalembert.identify import BaseParameters, Regressor
    from dalembert.simulate import Sensitivities
    from dalembert.simulate.runs.enclosure import enclose as _enclose
    from dalembert.sweep.sweep import sweep as _sweep
    from dalembert.tuning.fit import fit as _fit
    from dalembert.tuning.objective import gradient as _gradient
    from dalembert.tuning.optimize import optimize as _optimize
else:
    _sweep = Later("dalembert.sweep", "sweep")
    _enclose = Later("dalembert.simulate", "enclose")
    _fit, _gradient, _optimize = (Later("dalembert.tuning", name) for name in ("fit", "gradient", "optimize"))


class Measured(Forced):
    """A mechanism that is moved many times, or that data tell about."""

    sweep = _sweep
    enclose = _enclose
    gradient = _gradient
    optimize = _optimize
    fit = _fit

    @verb
    def sensitivities(
        self,
        t_span: tuple[float, float],
        names: Sequence[str],
        *,
        start: Mapping[str, Any] | None = None,
        given: Mapping[str, Any] | None = None,
        events: Any = None,
        t_eval: ArrayLike | None = None,
        rtol: float = 1e-8,
        atol: ArrayLike | None = None,
        method: str = "auto",
        cut: Collection[str] = (),
    ) -> Sensitivities:
        """Derivatives of the motion by parameters and values of its start, integrated beside it.

        `found["elbow.th", "l"]` is d elbow.th / d l along the motion, `found.at(t)` all of them, `found.of(formula, t)`
        those of a formula, `found.event_times()` those of the times of events.
        """
        from dalembert.simulate import sensitivities

        return sensitivities(
            self,
            t_span,
            names,
            start=start,
            given=given,
            events=events,
            t_eval=t_eval,
            rtol=rtol,
            atol=atol,
            method=method,
            cut=cut,
        )

    def regressor(self, *, cut: Collection[str] = ()) -> Regressor:
        """Y(q, u, u') of efforts = Y theta: linear in ten inertial parameters a body; see `base_parameters`."""
        from dalembert.identify import regressor

        return regressor(Layout.of(self, cut))

    @verb
    def base_parameters(
        self, given: Mapping[str, Any] | None = None, *, seed: int = 0, cut: Collection[str] = ()
    ) -> BaseParameters:
        """The combinations of inertial parameters that motions can tell, with `excitation` and `identify` of them."""
        from dalembert.identify import base_parameters

        return base_parameters(self.regressor(cut=cut), given, seed=seed)
