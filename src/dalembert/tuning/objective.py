"""A number of a motion, in the words of sweeps, and its exact derivatives by the adjoint equations."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert import expr as ex
from dalembert.errors import ArgumentError, DalembertError, SimulationError
from dalembert.expr import Expr
from dalembert.mechanism import Layout, Mechanism, Model
from dalembert.presentation.told import Told
from dalembert.simulate import Motion, System, system_of
from dalembert.simulate.motion.arcs import Arc
from dalembert.simulate.runs.adjoint import Adjoint, Glance, adjoint
from dalembert.sweep.measures import Measure, reduced_symbol

Array = NDArray[np.float64]

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(6)
"""Of a step: exact for the polynomials of degree eight that it is made of, and near it for formulas of them."""
_LOOKS = 16
"""Places of a step at which an extreme is looked for, before it is followed to its top."""


def came_to(names: Collection[str], values: Collection[float], error: DalembertError) -> SimulationError:
    """What is said when a search has come to values with which nothing moves."""
    told = ", ".join(f"{name} = {value:.6g}" for name, value in zip(names, values, strict=True))
    return SimulationError(
        f"the search came to {told}: {error} Begin nearer, or bound what varies: {{'l': (0.1, 2)}}.",
        partial=getattr(error, "partial", None),
    )


@dataclass(frozen=True)
class Gradient(Told):
    """The value of an objective, and its derivative by each name."""

    objective: str
    value: float
    slopes: Mapping[str, float]
    motion: Motion

    def __getitem__(self, name: str) -> float:
        if name not in self.slopes:
            raise ArgumentError(f"the objective was not derived by '{name}', but by {', '.join(self.slopes)}.")
        return self.slopes[name]

    def as_dict(self) -> dict[str, Any]:
        return {"objective": self.objective, "value": self.value, "slopes": dict(self.slopes)}

    def __str__(self) -> str:
        width = max(map(len, self.slopes), default=0)
        rows = [f"  d / d {name:{width}} = {slope:.10g}" for name, slope in self.slopes.items()]
        return "\n".join([f"{self.objective} = {self.value:.10g}", *rows])


@dataclass(frozen=True, eq=False)
class _Part:
    """One reduced formula: its value, and the glances and the integral whose derivative is its own."""

    value: float
    glances: tuple[tuple[float | None, Expr, float], ...] = ()
    running: tuple[Expr, float] | None = None


class Objective:
    """A measure of motions (`final(x)`, `mean(x^2) + rms(tau)`, `max(abs(x))`): value and gradient of one motion."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.measure = Measure.read(text)

    @property
    def formulas(self) -> list[Expr]:
        return [formula for _, formula in self.measure.inner]

    def of(self, motion: Adjoint, slopes: bool = True) -> tuple[float, Array]:
        """Its value and its derivatives by the names of the motion."""
        parts = [_REDUCED[kind](motion, formula) for kind, formula in self.measure.inner]
        symbols = [reduced_symbol(k) for k in range(len(parts))]
        numbers = {ex.symbol(k): v for k, v in motion.motion.parameters.items()} | dict(
            zip(symbols, (part.value for part in parts), strict=True)
        )
        outer = self.measure.outer
        value = float(ex.evaluate([outer], numbers)[0])
        names = motion.parameters
        if not slopes:
            return value, np.zeros(0)
        found = ex.evaluate(ex.gradient(outer, [*symbols, *map(ex.symbol, names)]), numbers)
        weights, own = np.array(found[: len(parts)], dtype=float), np.array(found[len(parts) :], dtype=float)
        glances, running = list[Glance](), ex.ZERO
        for part, weight in zip(parts, weights, strict=True):
            glances += [Glance(t, e, float(weight) * w) for t, e, w in part.glances]
            if part.running is not None:
                running = running + ex.const(float(weight) * part.running[1]) * part.running[0]
        slope = motion.gradient(glances, None if running is ex.ZERO else running)
        return value, slope + motion.by_names(own)


def _final(motion: Adjoint, e: Expr) -> _Part:
    return _Part(motion.value(e), ((None, e, 1.0),))


def _first(motion: Adjoint, e: Expr) -> _Part:
    t = motion.motion.arcs[0].span[0]
    return _Part(motion.value(e, t), ((t, e, 1.0),))


def _mean(motion: Adjoint, e: Expr) -> _Part:
    """I/T; where an event ends the motion, T answers too."""
    begin, end = motion.motion.arcs[0].span[0], motion.motion.arcs[-1].span[1]
    length = end - begin
    if not length:
        return _first(motion, e)
    value = sum(_integral(motion, arc, e) for arc in motion.motion.arcs) / length
    return _Part(value, ((None, ex.TIME, -value / length),), (e, 1.0 / length))


def _rms(motion: Adjoint, e: Expr) -> _Part:
    square = _mean(motion, e * e)
    value = float(np.sqrt(square.value))
    share = 0.5 / value if value else 0.0
    running = None if square.running is None else (square.running[0], square.running[1] * share)
    return _Part(value, tuple((t, f, w * share) for t, f, w in square.glances), running)


def _extreme(sign: float) -> Callable[[Adjoint, Expr], _Part]:
    """Where it is largest: there the time makes no difference, so the glance at it is all."""

    def found(motion: Adjoint, e: Expr) -> _Part:
        from scipy.optimize import minimize_scalar

        best, place = -np.inf, 0.0
        for arc in motion.motion.arcs:
            assert arc.sol is not None
            ends = arc.sol.t
            times = np.unique(np.concatenate([a + (b - a) * np.linspace(0, 1, _LOOKS + 1) for a, b in _pairs(ends)]))
            values = sign * _along(motion, arc, e, times)
            k = int(np.argmax(values))
            low, high = times[max(0, k - 1)], times[min(len(times) - 1, k + 1)]
            top = minimize_scalar(
                lambda t, arc=arc: -sign * float(_along(motion, arc, e, np.array([t]))[0]),
                bounds=(low, high),
                method="bounded",
                options={"xatol": 1e-9 * (high - low)},
            )
            for t, value in ((float(times[k]), float(values[k])), (float(top.x), -float(top.fun))):
                if value > best:
                    best, place = value, t
        spans = [arc.span for arc in motion.motion.arcs]
        if place == spans[-1][1]:
            return _Part(sign * best, ((None, e, 1.0),))
        if any(place in (a[1], b[0]) for a, b in pairwise(spans)):
            raise SimulationError(
                f"'{ex.text(e)}' has its extreme at t = {place:.6g}, where an event makes the motion jump: it has no "
                "derivative that this finds. Ask for its value before or after, or take differences."
            )
        return _Part(sign * best, ((place, e, 1.0),))

    return found


def _pairs(ends: Array) -> list[tuple[float, float]]:
    return list(zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)) or [(float(ends[0]), float(ends[0]))]


def _along(motion: Adjoint, arc: Arc, e: Expr, times: Array) -> Array:
    assert arc.sol is not None
    (told,) = motion.system.with_outputs([e])
    return motion.motion.values([told], times, arc.sol(times), arc.parameters)[0]


def _integral(motion: Adjoint, arc: Arc, e: Expr) -> float:
    assert arc.sol is not None
    h = np.diff(arc.sol.t)
    times = (arc.sol.t[:-1, None] + h[:, None] * (_NODES + 1) / 2).reshape(-1)
    values = _along(motion, arc, e, times).reshape(len(h), -1)
    return float((values @ _WEIGHTS * h / 2).sum())


_REDUCED: dict[str, Callable[[Adjoint, Expr], _Part]] = {
    "final": _final,
    "first": _first,
    "mean": _mean,
    "rms": _rms,
    "max": _extreme(1.0),
    "min": _extreme(-1.0),
}


def system_for(subject: System | Mechanism | Model, cut: Collection[str] = ()) -> System:
    """The equations, once for many motions."""
    return subject if isinstance(subject, System) else system_of(subject, Layout.of(subject, cut))


def gradient(
    subject: System | Mechanism | Model,
    t_span: tuple[float, float],
    objective: str,
    names: Sequence[str],
    *,
    start: Mapping[str, Any] | None = None,
    given: Mapping[str, Any] | None = None,
    events: Any = None,
    rtol: float = 1e-8,
    atol: ArrayLike | None = None,
    method: str = "auto",
    cut: Collection[str] = (),
) -> Gradient:
    """A number of the motion and its derivatives by parameters and starts, however many: one run back along it.

    `objective` is a formula of final, first, mean, rms, max and min of what a motion can tell, as in sweeps.
    """
    asked = Objective(objective)
    system = system_for(subject, cut)
    how: dict[str, Any] = {"start": start, "given": given, "events": events, "needs": asked.formulas}
    motion = adjoint(system, t_span, names, rtol=rtol, atol=atol, method=method, **how)
    value, slopes = asked.of(motion)
    return Gradient(objective, value, dict(zip(names, slopes.tolist(), strict=True)), motion.motion)
