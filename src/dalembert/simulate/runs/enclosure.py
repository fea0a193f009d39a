"""A rigorous enclosure of a motion: intervals that the exact solution of the equations cannot leave.

Taylor's formula with Lagrange's remainder in ball arithmetic (Moore; FLINT's arb): on a step of length h a ball B is
found with y0 + [0, h] f(t + [0, h], B) inside B, so that the solution exists and stays there (Picard), and then

    y(t + h)  in  sum_{k<K} y_k h^k + Y_K h^K,    y_k the coefficients at the start, Y_K the last one over all of B

The coefficients come from the same DAG as every other answer, by power series of balls. Numbers are those of the model,
exactly; rounding of the arithmetic is in the balls.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.dynamics.numbers import single
from dalembert.errors import SimulationError
from dalembert.expr import Expr
from dalembert.mechanism import Layout, Mechanism, Model
from dalembert.presentation.told import Told
from dalembert.simulate.methods.inputs import as_span
from dalembert.simulate.motion.motion import Motion
from dalembert.simulate.system.from_mechanism import system_of
from dalembert.simulate.system.system import System, Value
from dalembert.simulate.system.values import first_state, parameter_values

Array = NDArray[np.float64]

_SMOOTH = {"sin", "cos", "tan", "exp", "log", "sqrt", "atan", "asin", "acos"}
_LONGEST = 4_000
"""Operations above which a step in power series of balls takes seconds."""
_TRIES = 30
"""Halvings of a step for which no ball is found."""
_WIDER = 1.5
"""Growth of a ball that Picard's map leaves, at each try."""


@dataclass(frozen=True, eq=False)
class Enclosure(Told):
    """At each of the times `t` the exact state lies between `lower` and `upper` (a row for each state).

    `exact` are the ends as texts of all their digits: doubles are too coarse for most of them.
    """

    names: tuple[str, ...]
    t: Array
    lower: Array
    upper: Array
    exact: tuple[str, ...]
    digits: int

    def __getitem__(self, name: str) -> tuple[Array, Array]:
        """Both bounds of a state at the times."""
        if name not in self.names:
            raise SimulationError(f"the enclosure has no state '{name}'; it has {', '.join(self.names)}.")
        k = self.names.index(name)
        return self.lower[k], self.upper[k]

    def error(self, motion: Motion) -> float:
        """How far a motion is from the exact one at these times, at most: relative to the largest of each state."""
        if motion.sol is None:
            raise SimulationError("the motion has no dense output: leave out dense_output=False.")
        y = motion.sol(self.t)
        sizes = np.maximum(np.abs(self.lower), np.abs(self.upper)).max(axis=1)
        far = np.maximum(np.abs(y - self.lower), np.abs(y - self.upper)).max(axis=1)
        return float((far / np.where(sizes > 0, sizes, 1.0)).max(initial=0.0))

    def as_dict(self) -> dict[str, Any]:
        ends = {"lower": self.lower.tolist(), "upper": self.upper.tolist()}
        return {"states": list(self.names), "t": self.t.tolist(), **ends, "end": list(self.exact)}

    def __str__(self) -> str:
        rows = [f"  {name} = {text}" for name, text in zip(self.names, self.exact, strict=True)]
        return "\n".join([f"at t = {self.t[-1]:.9g}, {len(self.t) - 1} steps, for certain:", *rows])


def enclose(
    subject: System | Mechanism | Model,
    t_span: tuple[float, float],
    *,
    start: Mapping[str, Value] | None = None,
    given: Mapping[str, Value] | None = None,
    order: int = 20,
    digits: int = 40,
    cut: Collection[str] = (),
) -> Enclosure:
    """Intervals that contain the exact motion, for a tree over a short span; `digits` is the working precision.

    >>> x, v = ex.symbols("x x'")
    >>> found = enclose(System(("x",), ("x'",), (v, -x), start={"x": 1.0}), (0, 1))
    >>> found.exact[0][:20]  # cos 1
    '[0.54030230586813971'
    """
    import flint

    system = subject if isinstance(subject, System) else system_of(subject, Layout.of(subject, cut))
    begin, end = as_span(t_span)
    _refuse(system)
    parameters = single(parameter_values(system, given))
    first = first_state(system, start, given, parameters, begin).values
    kept = flint.ctx.prec, flint.ctx.cap
    flint.ctx.dps = digits
    try:
        return _walked(system, parameters, [flint.arb(float(v)) for v in first.values()], (begin, end), order, digits)
    finally:
        flint.ctx.prec, flint.ctx.cap = kept


def _refuse(system: System) -> None:
    why = ""
    if system.constrained is not None or system.corrected:
        why = "its loops and conditions are closed to rounding only, and the exact motion of that start is none of it"
    elif system.contacts:
        why = "its contacts change the equations at instants that are not known exactly"
    elif ex.count_operations(system.rates) > _LONGEST:
        why = f"its equations have more than {_LONGEST} operations"
    else:
        kinds = {e.op for e in ex.topological(list(system.rates))}
        rough = kinds - _SMOOTH - {"const", "pi", "symbol", "add", "sub", "mul", "div", "neg", "pow"}
        if rough:
            why = f"'{min(rough)}' in its equations has no power series"
    if why:
        raise SimulationError(
            f"the motion of '{system.name}' cannot be enclosed: {why}. Take a second run (errors=True)."
        )


class _Series:
    """Rates as power series of balls, node by node of the DAG."""

    def __init__(self, system: System, parameters: Mapping[str, float]) -> None:
        import flint

        self.flint = flint
        self.system = system
        self.nodes = ex.topological(list(system.rates))
        self.known = {ex.symbol(name): flint.arb(float(value)) for name, value in parameters.items()}

    def coefficients(self, t: Any, y: Sequence[Any], count: int) -> list[list[Any]]:
        """y_0 ... y_count of each state, with y' = f(t, y)."""
        flint = self.flint
        rows = [[one] for one in y]
        for k in range(count):
            flint.ctx.cap = k + 1
            rates = self.rates(flint.arb_series([t, 1]), [flint.arb_series(row) for row in rows])
            for row, rate in zip(rows, rates, strict=True):
                row.append(rate[k] / (k + 1))
        return rows

    def rates(self, t: Any, y: Sequence[Any]) -> list[Any]:
        flint = self.flint
        values: dict[Expr, Any] = {x: flint.arb_series([v]) for x, v in self.known.items()}
        values |= {ex.TIME: t, **dict(zip(self.system.symbols, y, strict=True))}
        for e in self.nodes:
            if e not in values:
                values[e] = self._node(e, [values[a] for a in e.args])
        return [values[e] for e in self.system.rates]

    def _node(self, e: Expr, args: list[Any]) -> Any:
        flint = self.flint
        if e.op == "const":
            value = e.value
            whole = flint.arb(flint.fmpq(value.numerator, value.denominator)) if isinstance(value, Fraction) else value
            return flint.arb_series([flint.arb(whole)])
        if e.op == "pi":
            return flint.arb_series([flint.arb.pi()])
        if e.op == "symbol":
            raise SimulationError(f"'{e.name}' of '{self.system.name}' has no value.")
        if e.op in ("add", "sub", "mul", "div"):
            a, b = args
            return a + b if e.op == "add" else a - b if e.op == "sub" else a * b if e.op == "mul" else a / b
        if e.op == "neg":
            return -args[0]
        if e.op == "pow":
            power = e.args[1].value if e.args[1].is_number else None
            if isinstance(power, int) or (isinstance(power, Fraction) and power.denominator == 1):
                found = flint.arb_series([1])
                for _ in range(abs(int(power))):
                    found = found * args[0]
                return found if power >= 0 else flint.arb_series([1]) / found
            return (args[1] * args[0].log()).exp()
        return getattr(args[0], e.op)()


def _walked(
    system: System, parameters: Mapping[str, float], y: list[Any], span: tuple[float, float], order: int, digits: int
) -> Enclosure:
    import flint

    series = _Series(system, parameters)
    begin, end = span
    sense = 1.0 if end >= begin else -1.0
    t, times, states = begin, [begin], [list(y)]
    small, coarse = flint.arb(10) ** -(digits - 8), flint.arb(10) ** -(digits // 2)
    while sense * t < sense * end:
        rows = series.coefficients(flint.arb(t), y, order)
        h = _length(rows, order, digits, abs(end - t))
        before = t
        for _ in range(_TRIES):
            later = min(t + h, end) if sense > 0 else max(t - h, end)
            step = flint.arb(later) - flint.arb(t)
            new = _step(series, rows, flint.arb(t), y, step, small, order) if later != t else None
            if new is not None and all(map(_narrow, new, y, [coarse] * len(y))):
                t, y = later, new
                break
            h /= 2
        if t == before:
            raise SimulationError(
                f"the motion of '{system.name}' is enclosed until t = {t:.6g} only: its bounds grow too wide, or it "
                "comes near a singular posture. Ask for a shorter span, or more digits."
            )
        times.append(t)
        states.append(list(y))
    bounds = np.array([[_ends(one) for one in row] for row in states])
    shown = tuple(one.str(digits, more=True) for one in y)
    return Enclosure(system.states, np.array(times), bounds[:, :, 0].T, bounds[:, :, 1].T, shown, digits)


def _narrow(new: Any, old: Any, coarse: Any) -> bool:
    """Has the step widened a ball by no more than the dynamics may, and half of the digits?"""
    return bool(new.is_finite() and new.rad() < 4 * old.rad() + coarse * (1 + abs(new.mid())))


def _length(rows: Sequence[Sequence[Any]], order: int, digits: int, most: float) -> float:
    """The step whose last term is below the precision, by the size of the last two coefficients."""
    found = most
    for row in rows:
        size = max(float(abs(row[0].mid())), 1e-6)
        for k in (order - 1, order):
            last = float(abs(row[k].mid()))
            if last > 0 and math.isfinite(last):
                found = min(found, (size / last) ** (1 / k) * 10 ** (-digits / 3 / k))
    return found


def _picard(series: _Series, t: Any, y: Sequence[Any], step: Any, small: Any) -> list[Any] | None:
    """A ball that the solution does not leave during the step."""
    flint = series.flint
    zero = flint.arb(0)
    whole = zero.union(step)
    flint.ctx.cap = 1
    ball = list(y)
    for _ in range(12):
        rates = series.rates(flint.arb_series([t + whole]), [flint.arb_series([one]) for one in ball])
        image = [a + whole * rate[0] for a, rate in zip(y, rates, strict=True)]
        if not all(one.is_finite() for one in image):
            return None
        if all(b.contains(i) for b, i in zip(ball, image, strict=True)):
            return image
        ball = [flint.arb(one.mid(), one.rad() * _WIDER) + flint.arb(0, small * (1 + abs(one.mid()))) for one in image]
    return None


def _step(
    series: _Series, rows: Sequence[Sequence[Any]], t: Any, y: Sequence[Any], step: Any, small: Any, order: int
) -> list[Any] | None:
    """The state after a step; nothing where a ball reaches what has no value, such as a quotient by zero."""
    try:
        ball = _picard(series, t, y, step, small)
        return None if ball is None else _stepped(series, rows, t, step, ball, order)
    except (ValueError, ZeroDivisionError):
        return None


def _stepped(
    series: _Series, rows: Sequence[Sequence[Any]], t: Any, step: Any, ball: Sequence[Any], order: int
) -> list[Any]:
    """Taylor's polynomial from the start, and the last term over the whole ball."""
    whole = series.flint.arb(0).union(step)
    last = series.coefficients(t + whole, ball, order)
    found = []
    for row, far in zip(rows, last, strict=True):
        total = far[order]
        for k in range(order - 1, -1, -1):
            total = total * step + row[k]
        found.append(total)
    return found


def _ends(one: Any) -> tuple[float, float]:
    """Doubles at and outside the ends."""
    low, high = float(one.lower()), float(one.upper())
    return math.nextafter(low, -math.inf), math.nextafter(high, math.inf)
