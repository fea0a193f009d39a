"""Minimal equations in machine code: the object behind `m.compile(independent=...)`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.codegen.function import Function
from dalembert.codegen.mechanism import CompiledMechanism
from dalembert.codegen.native import NativeFunction, compile_functions
from dalembert.errors import ModelError, SingularError
from dalembert.expr import Expr
from dalembert.formalisms import Equations
from dalembert.formalisms.minimal import NEARLY_HALF, SINGULAR, MinimalEquations
from dalembert.formalisms.quasi import QuasiEquations
from dalembert.mechanism import Mechanism
from dalembert.mechanism.contact import say_open

Array = Any
Given = Mapping[str, Any] | None
#: Loops that formulas leave open by more than this share of their lengths are those of another assembly.
_CLOSED = 1e-6


class CompiledMinimal:
    """Numbers of M P'' = S + F in independent coordinates P; arrays may have a leading batch axis.

    `p` and `v` are in the order of `coordinates` and `speeds`. The other coordinates come from compiled formulas, or
    from Newton's method with compiled rows. A state that is singular for P, or that the branch does not reach, is an
    error; of formulas, the way there is not looked at (`MinimalEquations.state` does).
    """

    def __init__(self, mechanism: Mechanism, eq: MinimalEquations) -> None:
        self.equations = eq
        self.coordinates, self.speeds = eq.coordinates, eq.speeds
        self._machine = CompiledMechanism(mechanism, eq.layout)
        self._machine.given |= {name: value for name, value in eq.given.items() if name in self._machine.parameters}
        named = {*eq.coordinates, *(eq.positions or eq.layout.state.coordinates)}
        self.states = (*(x for x in eq.layout.state.coordinates if x in named), *eq.closed.speeds)
        self._placed = tuple(ex.symbol(x) for x in eq.layout.state.coordinates if x in named)
        self._made: dict[str, NativeFunction] = {}

    @property
    def parameters(self) -> tuple[str, ...]:
        return self._machine.parameters

    @property
    def given(self) -> dict[str, float]:
        """Values that hold unless a call says otherwise."""
        return self._machine.given

    def __repr__(self) -> str:
        name = self.equations.layout.model.name
        return f"<compiled {name!r}: in {', '.join(self.coordinates)} alone, {len(self.parameters)} parameters>"

    def acceleration(
        self, p: Array, v: Array, /, t: Array = 0.0, *, given: Given = None, **parameters: Array
    ) -> np.ndarray:
        """P''."""
        return self._run("acceleration", p, v, t, {**(given or {}), **parameters})

    def state(self, p: Array, v: Array, /, t: Array = 0.0, *, given: Given = None, **parameters: Array) -> np.ndarray:
        """All coordinates and speeds, in the order of `states`."""
        return self._run("state", p, v, t, {**(given or {}), **parameters})

    def mass_matrix(self, p: Array, /, t: Array = 0.0, *, given: Given = None, **parameters: Array) -> np.ndarray:
        return self._run("mass_matrix", p, np.zeros(len(self.speeds)), t, {**(given or {}), **parameters})

    def bias(self, p: Array, v: Array, /, t: Array = 0.0, *, given: Given = None, **parameters: Array) -> np.ndarray:
        """S of M P'' = S + F."""
        return self._run("bias", p, v, t, {**(given or {}), **parameters})

    def forces(self, p: Array, v: Array, /, t: Array = 0.0, *, given: Given = None, **parameters: Array) -> np.ndarray:
        """F of M P'' = S + F."""
        return self._run("forces", p, v, t, {**(given or {}), **parameters})

    # --- machinery -------------------------------------------------------------------------------------------------

    def _run(self, kind: str, p: Array, v: Array, t: Array, parameters: Mapping[str, Array]) -> np.ndarray:
        numbers = self._machine.parameter_vector(given=parameters)
        arrays = [np.asarray(x, dtype=float) for x in (p, v, numbers)]
        shape = np.broadcast_shapes(np.shape(t), *(x.shape[:-1] for x in arrays))
        count = math.prod(shape)
        p, v, numbers = (np.broadcast_to(x, (*shape, x.shape[-1])).reshape(count, x.shape[-1]) for x in arrays)
        times = np.broadcast_to(np.asarray(t, dtype=float), shape).reshape(count)
        y = self._places(p, times, numbers)
        self._check(p, y, times, numbers)
        native = self._native(kind)
        found = native(times[:, None], y, v, numbers)
        return found.reshape(*shape, *found.shape[1:])

    def _places(self, p: Array, t: Array, numbers: Array) -> Array:
        """Coordinates of the states."""
        if self.equations.positions is not None:
            return self._native("places")(t[:, None], p, numbers)
        follower, native = self.equations.follow, self._native("steps")
        assert follower is not None
        return follower.along(p, t, lambda rows, y, times: native(times[:, None], y, numbers[rows]))

    def _check(self, p: Array, y: Array, t: Array, numbers: Array) -> None:
        eq = self.equations
        limits = self._native("limits")(t[:, None], y, numbers)
        count, turns = len(eq.elimination.determinants), len(eq.chart.turning)
        regular, turned, gaps = np.split(limits, [count, count + turns], axis=1)
        bad = ~np.isfinite(y).all(axis=1) | ~(regular > SINGULAR).all(axis=1) | ~(np.abs(gaps) < _CLOSED).all(axis=1)
        bad |= (np.abs(turned) > NEARLY_HALF).any(axis=1)
        for k in np.flatnonzero(bad)[:1]:
            where = ", ".join(f"{x} = {value:.6g}" for x, value in zip(self.coordinates, p[k], strict=True))
            beside = f" (state {k} of {len(bad)})" if len(bad) > 1 else ""
            raise SingularError(
                f"'{eq.layout.model.name}' has no state on this branch at {where}{beside}, or is singular for "
                f"{', '.join(self.coordinates)} there. They hold for: {'; '.join(eq.domain)}. Stay there, or choose "
                "other independent coordinates."
            )

    def _native(self, kind: str) -> NativeFunction:
        if kind not in self._made:
            function = self.function(kind)
            self._made[kind] = compile_functions([function])[function.name]
        return self._made[kind]

    def function(self, kind: str) -> Function:
        """The expressions behind a quantity, with its inputs: time, places, independent speeds, parameters."""
        eq, t, numbers = self.equations, [ex.TIME], [ex.symbol(name) for name in self.parameters]
        if kind == "places":
            chosen = [ex.symbol(x) for x in self.coordinates]
            return Function(kind, [t, chosen, numbers], eq.nested(list(self._placed)), constants=[2])
        if kind == "steps":
            assert eq.follow is not None
            return Function(kind, [t, self._placed, numbers], eq.follow.exprs, constants=[2])
        if kind == "limits":
            return Function(kind, [t, self._placed, numbers], self._limits(), constants=[2])
        n = len(self.speeds)
        outputs: Sequence[Expr] = {
            "acceleration": lambda: eq.accelerations,
            "state": lambda: [*self._placed, *(ex.symbol(x) for x in eq.closed.speeds)],
            "mass_matrix": lambda: eq.mass_matrix.entries,
            "bias": lambda: eq.bias,
            "forces": lambda: eq.forces,
        }[kind]()
        known = {ex.symbol(name): formula for name, formula in eq.dependent_speeds.items()}
        own = [ex.symbol(x) for x in self.speeds]
        shape = (n, n) if kind == "mass_matrix" else None
        groups = [t, self._placed, own, numbers]
        return Function(kind, groups, ex.substitute(list(outputs), known), constants=[3], shape=shape)

    def _limits(self) -> list[Expr]:
        """Determinants in parts of their sizes, angles from the middle of their turn, gaps in parts of lengths."""
        eq, rows = self.equations, self.equations.rows
        made = zip(eq.elimination.determinants, eq.elimination.sizes, eq.chart.signs, strict=True)
        found = [ex.as_expr(sign) * value / size for value, size, sign in made]
        found += [ex.symbol(name) - ex.as_expr(middle) for name, middle in eq.chart.turning]
        known = {*self._placed, *(ex.symbol(x) for x in self.parameters), ex.TIME}
        for gap, reach in zip(rows.gap, rows.reach, strict=True):
            if gap is not None and gap is not ex.ZERO and ex.free_symbols([gap, reach]) <= known:
                found.append(gap / reach)
        return found


def compile_minimal(
    mechanism: Mechanism, eq: Equations | MinimalEquations | QuasiEquations
) -> CompiledMechanism | CompiledMinimal:
    """Minimal equations in machine code; a tree is in independent coordinates already."""
    say_open(eq.layout.model.contacts, "these functions")
    if isinstance(eq, QuasiEquations):
        raise ModelError(
            f"'{mechanism.name}' has conditions on speeds, which take no coordinate away: compile it without "
            "`independent`."
        )
    return (
        CompiledMinimal(mechanism, eq) if isinstance(eq, MinimalEquations) else CompiledMechanism(mechanism, eq.layout)
    )
