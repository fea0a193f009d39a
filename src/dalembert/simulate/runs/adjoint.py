"""One number of a motion, and how it answers to any number of parameters and starts: the adjoint equations.

For J = sum w_k g_k(t_k, y(t_k)) + integral r(t, y) dt the costate runs backward along the motion,

    lam' = -f_y^T lam - r_y,    lam jumps by w_k g_y at t_k,    dJ = lam(0) dy0 + integral (lam f_p + r_p) dp dt

One backward run tells all derivatives, however many parameters there are. Its rates come from the DAG of the equations
by one reverse sweep, in machine code that reads the motion where its steps have left it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert import expr as ex
from dalembert.codegen import Function, NativeFunction, compile_functions
from dalembert.dynamics.scales import ATOL
from dalembert.errors import SimulationError
from dalembert.expr import Expr
from dalembert.mechanism import Mechanism, Model
from dalembert.simulate.loop.followed import course_of, follow
from dalembert.simulate.methods.inputs import as_span
from dalembert.simulate.methods.problem import EVENT, RTOL, Problem
from dalembert.simulate.methods.table import find_method, integrate
from dalembert.simulate.motion.arcs import Arc
from dalembert.simulate.motion.motion import Motion
from dalembert.simulate.runs.answering import Question, question
from dalembert.simulate.runs.leaping import leap
from dalembert.simulate.runs.run import run
from dalembert.simulate.system.event import ResolvedEvent
from dalembert.simulate.system.system import System, Value

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Glance:
    """`weight` times a formula at one time of the motion; at its end, wherever an event puts it, if `t` is None."""

    t: float | None
    formula: Expr
    weight: float = 1.0


@dataclass(frozen=True, eq=False)
class Adjoint:
    """A motion with what derivatives of its numbers need: where it starts, and how that answers to names."""

    asked: Question
    motion: Motion
    rtol: float
    method: str

    @property
    def system(self) -> System:
        return self.asked.system

    @property
    def parameters(self) -> tuple[str, ...]:
        """Parameters that the names move."""
        return tuple(dict.fromkeys(x.name for weight in self.asked.weights for x in weight))

    def value(self, formula: Expr, t: float | None = None) -> float:
        """A formula of states and parameters at one time, or at the end."""
        at, y = self._at(t)
        (e,) = self.system.with_outputs([formula])
        return float(ex.evaluate([e], self._values(self.motion.arcs[-1], at, y))[0])

    def gradient(self, glances: Sequence[Glance] = (), running: Expr | None = None) -> Array:
        """dJ by each of the names, for a sum of glances and the integral of `running` over the motion."""
        system, names = self.system, self.parameters
        inputs = (*system.symbols, *map(ex.symbol, names))
        n, p = len(system.states), len(names)
        told = system.with_outputs([g.formula for g in glances])
        rate = None if running is None else system.with_outputs([running])[0]
        slopes = [(g, e, ex.gradient(e, list(inputs))) for g, e in zip(glances, told, strict=True)]
        costate, share = np.zeros(n), np.zeros(p)
        end = self.motion.arcs[-1].span[1]
        sense = 1.0 if end >= self.motion.arcs[0].span[0] else -1.0
        waiting = sorted(slopes, key=lambda one: sense * (end if one[0].t is None else one[0].t))

        def look(arc: Arc, t: float, y: Array) -> None:
            nonlocal costate, share
            while waiting and sense * (end if waiting[-1][0].t is None else waiting[-1][0].t) >= sense * t:
                glance, _, slope = waiting.pop()
                found = glance.weight * np.array(ex.evaluate(slope, self._values(arc, t, y)), dtype=float)
                costate, share = costate + found[:n], share + found[n:]

        size = self._size(slopes, rate)
        code = _backward(system.rates, system.symbols, system.known_parameters, names, rate)
        moved = self.motion.status == EVENT
        for k in range(len(self.motion.arcs) - 1, -1, -1):
            arc = self.motion.arcs[k]
            begin, close = arc.span
            y = self._end(arc)
            if k + 1 < len(self.motion.arcs):
                event = self._event(self.motion.jumps[k].event)
                after = self._values(arc, close, np.array(list(self.motion.jumps[k].after.values())))
                gained = 0.0
                if rate is not None:
                    first, second = ex.evaluate([rate], self._values(arc, close, y)), ex.evaluate([rate], after)
                    gained = float(first[0]) - float(second[0])
                jump = leap(system, event, names, close, y, arc.parameters)
                costate, more = jump.backward(costate, gained)
                share = share + more
            elif moved:
                costate, share = self._last_event(arc, slopes, rate, names)
            look(arc, close, y)
            while True:
                stop = begin
                if waiting and waiting[-1][0].t is not None:
                    stop = max(sense * begin, sense * waiting[-1][0].t) * sense
                costate, share = self._back(code, arc, (close, stop), costate, share, size)
                close = stop
                if sense * close <= sense * begin:
                    break
                assert arc.sol is not None
                look(arc, close, arc.sol(close))
            assert arc.sol is not None
            look(arc, begin, arc.sol.y[0]) if k == 0 else None
        return np.array(
            [
                costate @ column + share @ self._weight(w)
                for column, w in zip(self.asked.columns, self.asked.weights, strict=True)
            ]
        )

    def by_names(self, by_parameters: Array) -> Array:
        """Derivatives by the names of something that has these by `parameters`."""
        return np.array([by_parameters @ self._weight(w) for w in self.asked.weights])

    def _weight(self, weight: Mapping[Expr, Expr]) -> Array:
        return np.array([float(weight[s].value) if (s := ex.symbol(x)) in weight else 0.0 for x in self.parameters])

    def _end(self, arc: Arc) -> Array:
        assert arc.sol is not None
        return arc.sol(arc.span[1])

    def _at(self, t: float | None) -> tuple[float, Array]:
        if t is None:
            return self.motion.arcs[-1].span[1], self._end(self.motion.arcs[-1])
        assert self.motion.sol is not None
        return t, self.motion.sol(t)

    def _values(self, arc: Arc, t: float, y: Array) -> dict[Expr, float]:
        values = {ex.symbol(k): v for k, v in arc.parameters.items()} | {ex.TIME: float(t)}
        return {**values, **dict(zip(self.system.symbols, y.tolist(), strict=True))}

    def _event(self, name: str) -> ResolvedEvent:
        found = [event for event in self.asked.events if event.name == name]
        if not found:
            raise SimulationError(
                f"the events {name} happen at the same time, where the motion has no derivatives: their order decides. "
                "Move one of them."
            )
        return found[0]

    def _last_event(
        self, arc: Arc, slopes: Sequence[Any], rate: Expr | None, names: tuple[str, ...]
    ) -> tuple[Array, Array]:
        """The end moves with its event: what glances there and the integral gain by it."""
        end, y = arc.span[1], self._end(arc)
        told = self.motion.t_events or []
        last = [k for k, times in enumerate(told) if len(times) and times[-1] == end and self.asked.events[k].terminal]
        here = self._values(arc, end, y)
        rates = dict(zip(self.system.symbols, self.system.rates, strict=True)) | {ex.TIME: ex.ONE}
        gained = 0.0 if rate is None else float(ex.evaluate([rate], here)[0])
        for glance, formula, _ in slopes:
            if glance.t is None:
                gained += glance.weight * float(ex.evaluate(ex.tangent([formula], rates), here)[0])
        event = self.asked.events[last[0]]
        jump = leap(self.system, replace(event, then=None), names, end, y, arc.parameters)
        late = gained / jump.passing
        return -late * jump.zero_by_state, -late * jump.zero_by_parameters

    def _size(self, slopes: Sequence[Any], rate: Expr | None) -> float:
        """How large the objective may become: by what tolerances of costates are measured."""
        arc = self.motion.arcs[-1]
        here = self._values(arc, arc.span[1], self._end(arc))
        scales = self.system.scale_of(arc.parameters, self._end(arc), arc.span[1])
        sizes = [
            abs(glance.weight) * float(np.abs(np.array(ex.evaluate(s[: len(scales)], here), dtype=float) @ scales))
            for glance, _, s in slopes
        ]
        if rate is not None:
            length = abs(self.motion.arcs[-1].span[1] - self.motion.arcs[0].span[0])
            sizes.append(length * float(np.abs(self.motion.evaluate([rate])[0]).max(initial=0.0)))
        return max(sizes, default=0.0) or 1.0

    def _back(
        self, code: NativeFunction, arc: Arc, span: tuple[float, float], costate: Array, share: Array, size: float
    ) -> tuple[Array, Array]:
        """Costate and shares from one time back to another of the same arc."""
        assert arc.sol is not None
        n, system = len(costate), self.system
        if span[0] == span[1]:
            return costate, share
        values = np.array([arc.parameters.get(name, np.nan) for name in system.known_parameters])
        course, kept = course_of(arc.sol)
        rates = follow(code, n, len(values), kept[3].shape[1])
        scales = system.scale_of(arc.parameters, arc.sol.y[-1], span[0])
        own = np.array([abs(arc.parameters[name]) or 1.0 for name in self.parameters])
        solution = integrate(
            Problem(
                rates,
                span,
                np.concatenate([costate, share]),
                parameters=np.concatenate([values, course]),
                method=find_method(self.method),
                rtol=self.rtol,
                atol=ATOL * size / np.concatenate([scales, own]),
                dense_output=False,
                t_eval=[span[1]],
                progress=False,
            )
        )
        if not solution.success:
            raise SimulationError(f"the costate of '{system.name}' cannot be followed back: {solution.message}.")
        return solution.y_last[:n], solution.y_last[n:]


@lru_cache(maxsize=32)
def _backward(
    rates: tuple[Expr, ...],
    states: tuple[Expr, ...],
    known: tuple[str, ...],
    names: tuple[str, ...],
    running: Expr | None,
) -> NativeFunction:
    """Rates of costates and shares: minus the gradient of lam f + r, by one reverse sweep."""
    costates = [ex.symbol(f"costate of {x.name}") for x in states]
    total = ex.ZERO if running is None else running
    for lam, rate in zip(costates, rates, strict=True):
        total = total + lam * rate
    slopes = ex.gradient(total, [*states, *map(ex.symbol, names)])
    shares = [ex.symbol(f"share of {name}") for name in names]
    inputs = [[ex.TIME], list(states), [*costates, *shares], [ex.symbol(p) for p in known]]
    return compile_functions([Function("costates", inputs, [-e for e in slopes])])["costates"]


def adjoint(
    subject: System | Mechanism | Model,
    t_span: tuple[float, float],
    names: Sequence[str],
    *,
    start: Mapping[str, Value] | None = None,
    given: Mapping[str, Value] | None = None,
    events: Any = None,
    needs: Sequence[Expr] = (),
    rtol: float = RTOL,
    atol: ArrayLike | None = None,
    method: str = "auto",
    cut: Collection[str] = (),
) -> Adjoint:
    """The motion, ready to tell how numbers of it answer to the names; `needs` are formulas that it will be asked.

    >>> x, v, k = ex.symbols("x x' k")
    >>> spring = System(("x",), ("x'",), (v, -k * x), given={"k": 4.0}, start={"x": 1.0})
    >>> found = adjoint(spring, (0, 1), ["k", "x"])  # x = cos(t sqrt k)
    >>> found.gradient([Glance(1.0, x)]).round(7).tolist()
    [-0.2273244, -0.4161468]
    """
    asked = question(subject, as_span(t_span)[0], names, start, given, events, cut, needs)
    promoted = any(name in asked.parameters for name in asked.first)
    motion: Motion = run(
        asked.system if promoted else asked.original,
        t_span,
        start=asked.first if promoted else start,
        given=asked.own if promoted else given,
        events=events,
        rtol=rtol,
        atol=atol,
        method=method,
        dense_output=True,
        progress=False,
    )
    return Adjoint(asked, motion, rtol, method)
