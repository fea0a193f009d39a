"""The equations of motion before they are solved, in numbers: masses, efforts, condition rows, rates of coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.codegen import Function, compile_functions
from dalembert.expr import Expr
from dalembert.simulate.system.compiled import compiled, native_rates
from dalembert.simulate.system.system import System

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """M w = right + W^T lambda; for each row how far it is from closed (gap) and from moving as it must (residual)."""

    mass: Array
    right: Array
    matrix: Array
    reaction: Array
    made_of: Array
    gap: Array
    residual: Array
    correction: Array
    holonomic: NDArray[np.bool_]

    @property
    def finite(self) -> bool:
        return bool(np.isfinite(self.mass).all() and np.isfinite(self.right).all() and np.isfinite(self.matrix).all())

    @property
    def none(self) -> Array:
        """No multipliers."""
        return np.zeros(len(self.matrix))


class Balance:
    """The functions behind those numbers; a tree has no rows, and its accelerations are known."""

    def __init__(self, system: System) -> None:
        self.coordinates, self.speeds = len(system.coordinates), len(system.speeds)
        self._groups = system.quaternion_rows
        self._kinematics = _native("kinematics", system, tuple(system.rates[: self.coordinates]))
        self._rates = native_rates(system)
        self._parts: dict[str, tuple[int, ...]] = {}
        outputs: list[Expr] = []
        for name, shape, values in _parts(system):
            self._parts[name] = shape
            outputs += values
        self._balance = _native("balance", system, tuple(outputs))
        self._solve = _solver(system)
        gaps = system.constrained.rows.gap if system.constrained else ()
        self._holonomic = np.array([gap is not None for gap in gaps], dtype=bool)

    def at(self, t: float, y: Array, parameters: Array) -> Numbers:
        flat, place, found = self._balance([t], y, parameters), 0, {}
        for name, shape in self._parts.items():
            size = int(np.prod(shape))
            found[name] = flat[place : place + size].reshape(shape)
            place += size
        return Numbers(holonomic=self._holonomic, **found)

    def solve(self, t: float, y: Array, parameters: Array, force: Array, wanted: Array) -> tuple[Array, Array]:
        """w and lambda of M w - W^T lambda = force, G w = wanted, in the kinetic metric: `constraints.resolve`."""
        found = self._solve([t], y, parameters, force, wanted)
        return found[: self.speeds], found[self.speeds :]

    def slope(self, t: float, y: Array, parameters: Array) -> Array:
        """All rates, the accelerations solved for."""
        return np.array(self._rates([t], y, parameters))

    def told(self, t: float, y: Array, w: Array, parameters: Array) -> tuple[Array, Array]:
        """A state with its slope, the accelerations given."""
        return y, np.concatenate([self._kinematics([t], y, parameters), w])

    def flow(self, t: float, h: float, c: Array, u: Array, parameters: Array) -> Array:
        """Coordinates after a time h at constant speeds: exact where speeds are rates, order four elsewhere."""

        def rate(part: float, place: Array) -> Array:
            return h * np.array(self._kinematics([t + part * h], np.concatenate([place, u]), parameters))

        k1 = rate(0.0, c)
        k2 = rate(0.5, c + k1 / 2)
        k3 = rate(0.5, c + k2 / 2)
        k4 = rate(1.0, c + k3)
        return c + (k1 + 2 * k2 + 2 * k3 + k4) / 6

    def moved(self, t: float, c: Array, shift: Array, parameters: Array) -> Array:
        """P shift: the change of coordinates for a small displacement along the speeds."""
        moving = np.array(self._kinematics([t], np.concatenate([c, shift]), parameters))
        resting = np.array(self._kinematics([t], np.concatenate([c, np.zeros(self.speeds)]), parameters))
        change: Array = moving - resting
        return change

    def normalised(self, y: Array) -> Array:
        for group in self._groups:
            y[group] /= np.linalg.norm(y[group])
        return y


def _native(name: str, system: System, outputs: tuple[Expr, ...]) -> Any:
    return compiled(name, system.symbols, system.known_parameters, outputs)


def _solver(system: System) -> Any:
    """The one solve of a machine, for any force and any wanted accelerations of its rows."""
    n, held = len(system.speeds), system.constrained
    force = [ex.symbol(f"force {k}") for k in range(n)]
    wanted = [ex.symbol(f"wanted {k}") for k in range(len(held.rows) if held else 0)]
    outputs = [x for group in held.resolved.solve(force, wanted) for x in group] if held and held.resolved else force
    inputs = [[ex.TIME], system.symbols, [ex.symbol(x) for x in system.known_parameters], force, wanted]
    return compile_functions([Function("solve", inputs, outputs)])["solve"]


def _parts(system: System) -> list[tuple[str, tuple[int, ...], list[Expr]]]:
    n, held = len(system.speeds), system.constrained
    if held is None:
        unit = [ex.ONE if i == j else ex.ZERO for i in range(n) for j in range(n)]
        none: list[Expr] = []
        right = list(system.rates[len(system.coordinates) :])
        tables = [(name, (0, n), none) for name in ("matrix", "reaction", "made_of")]
        lists = [(name, (0,), none) for name in ("gap", "residual", "correction")]
        return [("mass", (n, n), unit), ("right", (n,), right), *tables, *lists]
    rows = held.rows
    count = len(rows)
    return [
        ("mass", (n, n), list(system.mass.entries)),
        ("right", (n,), list(held.right)),
        ("matrix", (count, n), list(rows.matrix.entries)),
        ("reaction", (count, n), list(rows.reaction.entries)),
        ("made_of", (count, n), list(rows.made_of.entries)),
        ("gap", (count,), [ex.ZERO if gap is None else gap for gap in rows.gap]),
        ("residual", (count,), list(rows.conditions)),
        ("correction", (len(rows.own),), [one.offset for one in rows.own]),
    ]
