"""Closed loops as a differential-algebraic system of index 3: the generalised-alpha method of Chung and Hulbert.

    M(q) u' = f(q, u, t) + G(q)^T lambda,      g(q) = 0 at every step

(Arnold and Bruels 2007.) The closure holds at every step without projection; the order is two, the damping of high
frequencies is set by the spectral radius. A second road to the motion, independent of the projected integration.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.codegen import Function, compile_functions
from dalembert.dynamics.numbers import single
from dalembert.dynamics.recursive import Recursion, right_side
from dalembert.errors import ModelError, SimulationError
from dalembert.expr import Expr
from dalembert.loops.dynamics import Closure, LoopEquations
from dalembert.simulate._inputs import as_span
from dalembert.simulate._values import first_state, parameter_values
from dalembert.simulate.motion import Motion
from dalembert.simulate.system import System, Value

Array = Any
_ITERATIONS, _CONVERGED = 30, 1e-12


def simulate_dae(
    system: System,
    equations: LoopEquations,
    t_span: tuple[float, float],
    *,
    start: Mapping[str, Value] | None = None,
    given: Mapping[str, Value] | None = None,
    step: float = 1e-3,
    spectral_radius: float = 0.9,
    kind: type[Motion] = Motion,
) -> Motion:
    """The motion in equal steps; `spectral_radius` is 1 without damping, 0 with the most."""
    if not 0 < step < np.inf or not 0 <= spectral_radius <= 1:
        raise SimulationError("the DAE method takes a positive step (max_step=1e-3) and a spectral radius from 0 to 1.")
    begin, end = as_span(t_span)
    count = max(1, round(abs(end - begin) / step))
    times = np.linspace(begin, end, count + 1)
    parameters = single(parameter_values(system, given))
    balance = _Balance(system, equations, parameters)
    first = first_state(system, start, given, parameters, begin)
    y = np.array(list(first.values.values()))
    n, m = len(system.speeds), len(system.coordinates)
    stepper = _Alpha(balance, (end - begin) / count, spectral_radius)
    q, u, x = y[:n], y[m:], y[n:m]
    w = balance.rest(begin, q, u, x)
    a, rows = w.copy(), [y]
    for t in times[1:]:
        q, u, x, w, a = stepper.advance(float(t), q, u, x, w, a, system.name)
        rows.append(np.concatenate([q, x, u]))
    message = "; ".join(filter(None, ["the end of the span is reached", first.message]))
    return kind(system=system, parameters=parameters, t=times, y=np.array(rows).T, message=message, method="DAE")


class _Balance:
    """Numbers of the equations at a state: M, f, and each closure's Jacobian, misfit and motion subspace."""

    def __init__(self, system: System, equations: LoopEquations, parameters: Mapping[str, float]) -> None:
        self.size, self.closures = len(system.speeds), equations.closures
        if tuple(f"{x}'" for x in system.coordinates[: self.size]) != system.speeds or any(
            not _plain(one) for one in self.closures
        ):
            raise ModelError(
                f"'{system.name}' has joints whose speeds are not coordinate rates: the DAE method needs rates. "
                "Use the default method, which projects."
            )
        tree = equations.tree
        right = [r + e for r, e in zip(right_side(Recursion.of(tree)), equations.cut_efforts, strict=True)]
        outputs: list[Expr] = [*equations.mass.entries, *right]
        for one in self.closures:
            outputs += [x for row in ex.jacobian(one.twist, tree.speeds) for x in row]
            outputs += [*one.misfit, *[x for _, twist in one.columns for x in twist.scalars]]
        names = system.known_parameters
        self.values = np.array([parameters.get(name, np.nan) for name in names])
        inputs = [[ex.TIME], system.symbols, [ex.symbol(name) for name in names]]
        self.native = compile_functions([Function("balance", inputs, outputs)])["balance"]

    def at(self, t: float, q: Array, u: Array, x: Array) -> tuple[Array, Array, list[tuple[Array, Array, Array]]]:
        flat = self.native([t], np.concatenate([q, x, u]), self.values)
        n = self.size
        mass, right, place, parts = flat[: n * n].reshape(n, n), flat[n * n : n * n + n], n * n + n, []
        for one in self.closures:
            k = len(one.columns)
            jacobian = flat[place : place + 6 * n].reshape(6, n)
            misfit = flat[place + 6 * n : place + 6 * n + 6]
            columns = flat[place + 6 * n + 6 : place + 6 * n + 6 + 6 * k].reshape(k, 6).T
            parts.append((jacobian, misfit, columns))
            place += 6 * n + 6 + 6 * k
        return mass, right, parts

    def rest(self, t: float, q: Array, u: Array, x: Array) -> Array:
        """Accelerations at the start, from the condition on them by a difference along the motion."""
        h = 1e-6
        mass, right, parts = self.at(t, q, u, x)
        g = constraint(parts)
        shift = np.concatenate([np.linalg.lstsq(c, j @ u, rcond=None)[0] for j, _, c in parts]) if x.size else x
        ahead = constraint(self.at(t + h, q + h * u, u, x + h * shift)[2])
        behind = constraint(self.at(t - h, q - h * u, u, x - h * shift)[2])
        bias = (ahead - behind) @ u / (2 * h)
        return solve_saddle(mass, g, right, -bias)[0]


def _plain(one: Closure) -> bool:
    return tuple(f"{x.name}'" for x in one.coordinates) == tuple(speed.name for speed, _ in one.columns)


def _outside(columns: Array) -> Array:
    return np.eye(6) - columns @ np.linalg.pinv(columns) if columns.size else np.eye(6)


def constraint(parts: list[tuple[Array, Array, Array]]) -> Array:
    """G: what each joint does not allow of the relative twist."""
    return np.vstack([_outside(columns) @ jacobian for jacobian, _, columns in parts])


def solve_saddle(mass: Array, g: Array, force: Array, wanted: Array) -> tuple[Array, Array]:
    """M w - G^T lambda = force, G w = wanted; dependent rows share their multipliers (least norm)."""
    rows = len(g)
    matrix = np.block([[mass, -g.T], [g, np.zeros((rows, rows))]])
    found = np.linalg.lstsq(matrix, np.concatenate([force, wanted]), rcond=1e-11)[0]
    return found[: len(mass)], found[len(mass) :]


class _Alpha:
    """One step of generalised alpha; the letters are those of the method."""

    def __init__(self, balance: _Balance, h: float, radius: float) -> None:
        self.balance, self.h = balance, h
        self.m, self.f = (2 * radius - 1) / (radius + 1), radius / (radius + 1)
        self.gamma = 0.5 - self.m + self.f
        self.beta = 0.25 * (self.gamma + 0.5) ** 2

    def advance(self, t: float, q: Array, u: Array, x: Array, w: Array, a: Array, name: str) -> tuple[Array, ...]:
        h, m, f, beta, gamma = self.h, self.m, self.f, self.beta, self.gamma
        reach = h * h * beta * (1 - f) / (1 - m)  # change of q for a unit change of w
        new, lam, x = w.copy(), None, x.copy()
        for _ in range(_ITERATIONS):
            ahead = ((1 - f) * new + f * w - m * a) / (1 - m)
            q1 = q + h * u + h * h * ((0.5 - beta) * a + beta * ahead)
            u1 = u + h * ((1 - gamma) * a + gamma * ahead)
            mass, right, parts = self.balance.at(t, q1, u1, x)
            g = constraint(parts)
            gap = np.concatenate([_outside(columns) @ misfit for _, misfit, columns in parts])
            force = right - mass @ new + (g.T @ lam if lam is not None else 0.0)
            change, extra = solve_saddle(mass, g, force, -gap / reach)
            lam = extra if lam is None else lam + extra
            new = new + change
            own = [np.linalg.lstsq(c, e + j @ (reach * change), rcond=None)[0] for j, e, c in parts if c.size]
            x = x + np.concatenate(own) if own else x
            if not np.isfinite(change).all():
                break
            if np.abs(reach * change).max(initial=0) < _CONVERGED and np.abs(gap).max(initial=0) < _CONVERGED:
                ahead = ((1 - f) * new + f * w - m * a) / (1 - m)
                q1 = q + h * u + h * h * ((0.5 - beta) * a + beta * ahead)
                return q1, u + h * ((1 - gamma) * a + gamma * ahead), x, new, ahead
        raise SimulationError(
            f"the DAE method found no closed state of '{name}' at t = {t:.6g}. Take a smaller step (max_step), or the "
            "default method, which passes singular postures."
        )
