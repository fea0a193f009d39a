"""Geometric phase: what a closed loop of driven coordinates leaves in the free ones, without momentum (Marle 2).

    dx = -A_a ds^a along the loop;   where A does not depend on x, the phase is  -oint A = -int B  over any filling

The same loop is driven through the direct equations of motion, which know nothing of A.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.errors import ModelError, SimulationError
from dalembert.expr import ONE, TIME, ZERO, Expr, Scalar
from dalembert.expr.elimination import vanish
from dalembert.geometry.direct import direct_accelerations
from dalembert.geometry.geometry import Geometry
from dalembert.geometry.setting import Setting

Array = NDArray[np.float64]
#: Relative and absolute (coordinates are angles, or lengths of the size of the machine) tolerance of one step: phases
#: are compared to 1e-6, and a loop takes some hundred steps.
_RTOL, _ATOL = 1e-11, 1e-12
#: Share of its end by which a loop may stay open: rounding of its formulas.
_OPEN = 1e-9
_PANELS, _NODES, _LAYERS = 48, 12, 24


@dataclass(frozen=True, slots=True)
class Phase:
    """Changes of the free coordinates over one loop, in their order.

    `geometric` is the horizontal lift of the loop; `flux` the same by Stokes, None where A depends on free coordinates;
    `simulated` the change in the motion of the direct equations, which has also the `dynamic` part of momenta.
    """

    names: tuple[str, ...]
    geometric: tuple[float, ...]
    flux: tuple[float, ...] | None
    simulated: tuple[float, ...]

    @property
    def dynamic(self) -> tuple[float, ...]:
        """What momenta add: zero when the motion starts without."""
        return tuple(a - b for a, b in zip(self.simulated, self.geometric, strict=True))


@dataclass(frozen=True, slots=True)
class Loop:
    """Driven coordinates as formulas of t, piece by piece; each piece has its own time from 0 to its duration."""

    pieces: tuple[tuple[Expr, ...], ...]
    durations: tuple[float, ...]

    @staticmethod
    def of(driven: Sequence[Expr], path: object, duration: float, given: Mapping[Expr, float]) -> Loop:
        """`path`: formulas of t by name, or corners, each {name: value}, with straight ways between."""
        names = [s.name for s in driven]
        if isinstance(path, Mapping):
            _named(path, names)
            formulas = [ex.parse(x) if isinstance(x, str) else ex.as_expr(x) for x in (path[name] for name in names)]
            numbers: dict[Expr, Scalar] = {k: v for k, v in given.items() if k is not TIME}
            return Loop((tuple(ex.substitute(formulas, numbers)),), (duration,))
        corners = list(path)  # type: ignore[call-overload]
        for corner in corners:
            _named(corner, names)
        share = TIME / duration
        gone = share**3 * (10 - 15 * share + 6 * share**2)  # at rest, without acceleration, at both ends
        pieces = []
        for one, next_ in pairwise(corners):
            pieces.append(tuple(ex.as_expr(one[x]) + (next_[x] - one[x]) * gone for x in names))
        return Loop(tuple(pieces), (duration,) * len(pieces))

    @property
    def gap(self) -> float:
        """Distance of the end from the beginning, as a share of the way between."""
        first, last = _numbers(self.pieces[0], 0.0), _numbers(self.pieces[-1], self.durations[-1])
        places = np.array(
            [_numbers(p, d * k / 8) for p, d in zip(self.pieces, self.durations, strict=True) for k in range(9)]
        )
        return float(np.abs(last - first).max() / max(np.ptp(places, axis=0).max(), 1e-300))


def _named(path: Mapping[str, Any], names: Sequence[str]) -> None:
    if set(path) != set(names):
        raise ModelError(
            f"a loop gives {', '.join(names)}, all driven coordinates and no others; not {', '.join(path)}."
        )


def _numbers(exprs: Sequence[Expr], t: float) -> Array:
    return np.array([float(x) for x in ex.evaluate(list(exprs), {TIME: t})])


def phase(
    geometry: Geometry, path: object, duration: float = 1.0, *, start: Mapping[str, float] | None = None
) -> Phase:
    """The phase of a loop of all driven coordinates, by formula and by motion; `start`: free coordinates, momenta."""
    setting = geometry.setting
    if not setting.driven:
        raise ModelError("there is no driven coordinate, hence no loop to go round: drive the shape, `m.drive(...)`.")
    if setting.quantities:
        raise ModelError(
            f"the phase of kept conditions ({', '.join(setting.names[len(setting.driven) :])}) is not that of the "
            "kinetic connection: write them as laws of driven coordinates."
        )
    given = {ex.symbol(x): float(v) for x, v in {**(setting.given or {}), **(start or {})}.items()}
    loop = Loop.of(setting.driven, path, duration, given)
    if loop.gap > _OPEN:
        raise ModelError(
            f"the loop is open by {loop.gap:.2g} of its size: a phase is that of a closed one. Use `lift`."
        )
    begin = np.array([given.pop(q, 0.0) for q in setting.free])
    momenta = np.array([given.pop(p, 0.0) for p in setting.momenta])
    lifted = _lifted(geometry, loop, begin, given) - begin
    moved = _driven_through(setting, loop, begin, momenta, given) - begin
    return Phase(
        tuple(q.name for q in setting.free), tuple(lifted.tolist()), _flux(geometry, loop, given), tuple(moved.tolist())
    )


def lift(
    geometry: Geometry, path: object, duration: float = 1.0, *, start: Mapping[str, float] | None = None
) -> dict[str, float]:
    """Where the horizontal lift of a path ends; a lift that escapes is an error with its time."""
    setting = geometry.setting
    given = {ex.symbol(x): float(v) for x, v in {**(setting.given or {}), **(start or {})}.items()}
    loop = Loop.of(setting.driven, path, duration, given)
    begin = np.array([given.pop(q, 0.0) for q in setting.free])
    ends = _lifted(geometry, loop, begin, given)
    return {q.name: float(v) for q, v in zip(setting.free, ends, strict=True)}


def _lifted(geometry: Geometry, loop: Loop, begin: Array, given: Mapping[Expr, float]) -> Array:
    """x' = -A_a(x, s(t)) s^a'."""
    setting, place, before = geometry.setting, begin, 0.0
    for piece, duration in zip(loop.pieces, loop.durations, strict=True):
        rates = ex.tangent(list(piece), {TIME: ONE})
        moved = [-ex.dot_product(row, rates) for row in geometry.connection.rows()]
        moved = ex.substitute(moved, dict(zip(setting.driven, piece, strict=True)))
        place = _integrated(moved, setting.free, place, duration, given, before)
        before += duration
    return place


def _driven_through(setting: Setting, loop: Loop, begin: Array, momenta: Array, given: Mapping[Expr, float]) -> Array:
    """The direct equations with the loop as the law of the driven coordinates, pushed along themselves."""
    n, count = len(setting.free), len(setting.coordinates)
    pushes = tuple(tuple(ONE if j == n + a else ZERO for j in range(count)) for a in range(count - n))
    variables, state, before = (*setting.free, *setting.rates[:n]), np.array([]), 0.0
    for piece, duration in _timed(loop):
        rates = ex.tangent(list(piece), {TIME: ONE})
        follow = dict(zip((*setting.driven, *setting.rates[n:]), (*piece, *rates), strict=True))
        if not before:
            state = np.array([*begin, *_free_rates(setting, follow, begin, momenta, given)])
        accelerations, _ = direct_accelerations(replace(setting, laws=tuple(rates), pushes=pushes))
        asked = ex.substitute([*setting.rates[:n], *accelerations[:n]], follow)
        state = _integrated(asked, variables, state, duration, given, before)
        before += duration
    return state[:n]


def _free_rates(
    setting: Setting, follow: Mapping[Expr, Expr], begin: Array, momenta: Array, given: Mapping[Expr, float]
) -> Array:
    """The rates of the free coordinates that have these momenta at the start of the loop."""
    n = len(setting.free)
    own = dict.fromkeys(setting.rates[:n], ZERO)
    block = [x for row in setting.mass.rows()[:n] for x in row[:n]]
    asked = ex.substitute([*block, *ex.substitute(setting.momenta_in_rates[:n], own)], dict(follow))
    values = {**given, TIME: 0.0, **dict(zip(setting.free, begin, strict=True))}
    numbers = np.array([float(x) for x in ex.evaluate(asked, values)])
    found: Array = np.linalg.solve(numbers[: n * n].reshape(n, n), momenta - numbers[n * n :])
    return found


def _integrated(
    rates: Sequence[Expr],
    variables: Sequence[Expr],
    start: Array,
    duration: float,
    given: Mapping[Expr, float],
    before: float,
) -> Array:
    from scipy.integrate import solve_ivp

    held, asked = dict(given), list(rates)

    def slope(t: float, y: Array) -> Array:
        values = {**held, TIME: t, **dict(zip(variables, y, strict=True))}
        with np.errstate(all="ignore"):
            return np.array([float(x) for x in ex.evaluate(asked, values)])

    done = solve_ivp(slope, (0.0, duration), start, method="DOP853", rtol=_RTOL, atol=_ATOL)
    if not done.success or not np.isfinite(done.y[:, -1]).all():
        raise SimulationError(
            f"the lift of the path escapes at t = {before + done.t[-1]:.6g}: horizontal lifts need not exist along "
            "whole paths. Take a shorter one."
        )
    ends: Array = done.y[:, -1]
    return ends


def _flux(geometry: Geometry, loop: Loop, given: Mapping[Expr, float]) -> tuple[float, ...] | None:
    """-int B over the cone from the middle of the loop, where A does not depend on the free coordinates."""
    setting = geometry.setting
    slopes = [x for row in ex.jacobian(geometry.connection.entries, setting.free) for x in row]
    if not vanish(slopes):
        return None
    if len(setting.driven) == 1:
        return (0.0,) * len(setting.free)
    spread, width = np.polynomial.legendre.leggauss(_NODES)
    outward, thickness = np.polynomial.legendre.leggauss(_LAYERS)
    r, dr = (outward + 1) / 2, thickness / 2
    middle = np.mean([_numbers(p, 0.0) for p in loop.pieces] + [_numbers(p, d / 2) for p, d in _timed(loop)], axis=0)
    total = np.zeros(len(setting.free))
    pairs = list(geometry.curvature)
    curved = [x for pair in pairs for x in geometry.curvature[pair]]
    for piece, duration in _timed(loop):
        edges = np.linspace(0, duration, _PANELS + 1)
        t = (edges[:-1, None] + (edges[1:] - edges[:-1])[:, None] * (spread + 1) / 2).ravel()
        dt = np.tile(width, _PANELS) * duration / (2 * _PANELS)
        both = [*piece, *ex.tangent(list(piece), {TIME: ONE})]
        told = [np.broadcast_to(x, t.shape) for x in ex.evaluate(both, {TIME: t})]
        place, rate = np.array(told[: len(piece)]), np.array(told[len(piece) :])
        from_middle = place - middle[:, None]
        cone = middle[:, None, None] + r[None, :, None] * from_middle[:, None, :]
        values: dict[Expr, Any] = {**given, TIME: 0.0, **dict(zip(setting.driven, cone, strict=True))}
        values |= dict.fromkeys(setting.free, 0.0)
        found = [np.broadcast_to(x, (_LAYERS, t.size)) for x in ex.evaluate(curved, values)]
        for k, (a, b) in enumerate(pairs):
            area = (from_middle[a] * rate[b] - from_middle[b] * rate[a]) * dt
            for i in range(len(setting.free)):
                total[i] -= float((r * dr) @ found[k * len(setting.free) + i] @ area)
    return tuple(total.tolist())


def _timed(loop: Loop) -> list[tuple[tuple[Expr, ...], float]]:
    return list(zip(loop.pieces, loop.durations, strict=True))
