"""Large closed machines: masses, efforts and rows in machine code, solved in numbers at every instant.

The expanded code of the constrained solve grows with the cube of the machine; these grow with the machine. Both are
behind the same address, so that methods, events and dense output do not know which it is. The solve is sparse and in
machine code (`simulate.sparse`); where its factors lose too much, and for reactions that are not along their
conditions, orthogonal factors take over (`constraints.numeric`).
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.constraints.independence import speed_scales
from dalembert.constraints.numeric import NumericResolved, RowNumbers
from dalembert.constraints.rows import EPSILON
from dalembert.dynamics import Dynamics
from dalembert.expr import Expr, Matrix
from dalembert.kinematics import EARTH_NODE
from dalembert.simulate.sparse.machine import Described
from dalembert.simulate.sparse.native import Entries
from dalembert.simulate.sparse.placed import blocks_of
from dalembert.simulate.sparse.structure import Structure
from dalembert.simulate.system.system import Constrained, System

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Array = NDArray[np.float64]

#: Products of the solve as code: rows, squared, times speeds, which is what orthogonal rows cost, and the factor of M,
#: each with its share of the entries. Above this the compiler needs minutes.
_EXPANDED = 50_000
_ENTRIES = 5
_REPEATS = 8
"""Newton steps towards the constraints, at most: quadratic convergence needs four from any state of a step."""
_MUCH = 1e-3
"""A correction that is this part of the one before: factors of the state before are good enough for the next."""
_POINTER = ctypes.POINTER(ctypes.c_double)


def is_large(about: Dynamics) -> bool:
    """Whether the solve of a machine is left to numbers."""
    if not about.closed:
        return False
    large = len(about.rows) ** 2 * len(about.speeds) + _ENTRIES * _factor(about) > _EXPANDED
    return large and not (about.rows.sliding or about.rows.implied)  # choices by value, which expressions can make


def _factor(about: Dynamics) -> int:
    """Products of the factor of M, where each speed meets those that carry it: of a chain its length cubed, by six."""
    carrying, total = list[int](), 0
    for node in about.tree.nodes:
        above = 0 if node.parent == EARTH_NODE else carrying[node.parent]
        carrying.append(above + len(node.columns))
        total += len(node.columns) * carrying[-1] ** 2
    return total // 2


def with_numbers(system: System, about: Dynamics) -> System:
    """The system with its equations before they are solved; the multipliers stay numbers, reactions are not told."""
    return replace(system, constrained=Constrained(None, tuple(about.right_side), about.rows, None))


@dataclass(frozen=True, slots=True)
class Part:
    """Some of the numbers of a state: where they come from and where they go; the others are zero."""

    shape: tuple[int, ...]
    places: NDArray[np.int64]
    begin: int

    def of(self, flat: Array) -> Array:
        found = np.zeros(self.shape)
        found.flat[self.places] = flat[self.begin : self.begin + len(self.places)]
        return found

    def sparse(self, flat: Array) -> csr_array:
        from scipy.sparse import csr_array

        values = flat[self.begin : self.begin + len(self.places)]
        return csr_array((values, np.divmod(self.places, self.shape[1])), shape=self.shape)


class LargeMachine:
    """Rates and projection of a system, in numbers."""

    def __init__(self, system: System) -> None:
        from dalembert.simulate.system.compiled import compiled

        held = system.constrained
        assert held is not None
        self.coordinates, self.size = len(system.coordinates), len(system.states)
        self._groups = system.quaternion_rows
        self._parts: dict[str, Part] = {}
        self.nodes = system.nodes
        self.structure = _structure(system)
        order = self.structure.rows if self.structure is not None else tuple(range(len(held.rows)))
        self._rounding = np.array([held.rows.rounding[k] for k in order])
        self._imperfect = held.rows.imperfect
        self._kept: NDArray[np.int64] | None = None  # the rows that counted last: mostly they do again
        places = {rate: i for i, rate in enumerate(system.rates[: self.coordinates])}
        #: The coordinate whose rate is a speed; -1 where there is none.
        self._own_place = np.array([places.get(ex.symbol(u), -1) for u in system.speeds])
        outputs: list[Expr] = []
        for name, shape, values in _tables(system, held, order):
            self._parts[name] = Part(shape, np.array([*values], dtype=np.int64), len(outputs))
            outputs += values.values()
        names = system.known_parameters
        # Any code for what is solved is quicker than the solve; this is compiled in a tenth of the time.
        self._numbers = compiled("numbers", system.symbols, names, tuple(outputs), quickly=True)
        self._kinematics = compiled("kinematics", system.symbols, names, system.rates[: self.coordinates])
        self.parameters = len(names)

    @cached_property
    def entries(self) -> tuple[Entries, Any]:
        """Rates, projection and counted rows as addresses, and what must live as long as they."""
        slow = [
            ctypes.CFUNCTYPE(None, *[_POINTER] * count)(call) for count, call in ((4, self._rates), (3, self._back))
        ]
        rates, project = (int(ctypes.cast(one, ctypes.c_void_p).value or 0) for one in slow)
        if self.structure is None:
            return Entries(rates, project, 0, None), slow
        described = Described(
            self.structure,
            self.nodes,
            self._parts,
            sum(len(part.places) for part in self._parts.values()),
            self.coordinates,
            self._parts["offset"].shape[0],
            self._rounding,
            self._own_place,
            self._groups,
            self._numbers.address,
            self._kinematics.address,
        )
        made, kept = described.entries(rates, project)
        return made, (slow, kept)

    def tables(self, t: float, y: Array, p: Array) -> dict[str, Array]:
        """All numbers of a state, by name."""
        flat = np.asarray(self._numbers([t], y, p))
        found = {name: part.of(flat) for name, part in self._parts.items()}
        found["mass"] = self._mass(found["blocks"])
        return found

    def _mass(self, blocks: Array) -> Array:
        """M, the sum of J^T I J over the nodes."""
        total, moved, begin = np.zeros((len(self._own_place),) * 2), list[Array](), 0
        for node in self.nodes:
            above = 0 if node.parent == EARTH_NODE else self.nodes[node.parent].size
            shapes = [(node.size, above), (node.size, len(node.speeds)), (node.size, node.size)]
            parts = []
            for shape in shapes:
                end = begin + shape[0] * shape[1]
                parts.append(blocks[begin:end].reshape(shape))
                begin = end
            own = parts[0] @ moved[node.parent] if above else np.zeros((node.size, len(total)))
            for i, j in enumerate(node.speeds):
                own[:, j] += parts[1][:, i]
            moved.append(own)
            total += own.T @ (parts[2] @ own)
        return total

    def solver(self, found: dict[str, Array]) -> NumericResolved:
        """The least motions of a state."""
        sizes = (found["made_of"], found["seen"], found["scales"], self._rounding)
        rows = RowNumbers(found["matrix"], *sizes, found["reaction"])
        solver = NumericResolved(found["mass"], rows, self._imperfect, self._kept)
        self._kept = solver.kept
        return solver

    def count(self, t: float, y: Array, p: Array) -> int:
        """How many rows count at a state."""
        if self.structure is None:
            return len(self.solver(self.tables(t, y, p)).kept)
        return int(self.counting(t, y, p).sum())

    def counting(self, t: float, y: Array, p: Array) -> NDArray[np.bool_]:
        """Which rows count, in the order in which they are taken; of reactions along their conditions."""
        return self.called(self.entries[0].count, len(self._rounding), t, y, p) > 0

    def sines(self, t: float, y: Array, p: Array) -> csr_array:
        """Rows of the constraints, each in parts of the motion that it looks at, speeds measured as angles."""
        flat = np.asarray(self._numbers([t], y, p))
        matrix, seen = (self._parts[name].sparse(flat) for name in ("matrix", "seen"))
        angles = 1 / self._parts["scales"].of(flat)
        sizes = seen @ angles**2
        return matrix.multiply(angles).multiply(1 / np.sqrt(np.where(sizes > 0, sizes, 1.0))[:, None]).tocsr()

    def called(self, address: int, size: int, t: float, y: Array, p: Array) -> Array:
        """What one of the functions at an address gives."""
        groups = [np.ascontiguousarray(x, dtype=np.float64) for x in (np.array([t]), y, p)]
        out = np.empty(size)
        ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(address)(*(x.ctypes.data for x in (*groups, out)))
        return out

    def called_in_place(self, t: Array, y: Array, p: Array) -> None:
        """The projection at its address."""
        ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(self.entries[0].project)(*(x.ctypes.data for x in (t, y, p)))

    def rates(self, t: float, y: Array, p: Array) -> Array:
        found = self.tables(t, y, p)
        accelerations = self.solver(found).accelerations(found["right"], found["gamma"])
        return np.concatenate([self._kinematics([t], y, p), accelerations])

    def project(self, t: float, y: Array, p: Array) -> None:
        """Newton steps towards the constraints, in place, as long as the state before the step was open.

        The factors of a step serve those after it, as long as these are much smaller.
        """
        n, solver, sizes = self.coordinates, None, (np.inf, np.inf)
        for _ in range(_REPEATS):
            before = y.copy()
            found = self.tables(t, y, p)
            if solver is None:
                solver = self.solver(found)
            shift, change = solver.least(-found["gap"]), solver.least(-found["conditions"])
            last, sizes = sizes, (float(np.linalg.norm(shift)), float(np.linalg.norm(change)))
            if not (sizes[0] <= _MUCH * last[0] and sizes[1] <= _MUCH * last[1]):
                solver = None
            moving = np.asarray(self._kinematics([t], np.concatenate([y[:n], shift]), p))
            resting = np.asarray(self._kinematics([t], np.concatenate([y[:n], 0 * shift]), p))
            y[:n] += moving - resting
            y[n - len(found["offset"]) : n] += found["offset"]
            y[n:] += change
            for group in self._groups:
                y[group] /= np.linalg.norm(y[group])
            if not self._open(found, before):
                break

    def _open(self, found: dict[str, Array], y: Array) -> bool:
        """Is a gap, or a speed that opens one, more than rounding of what it is made of? (`Dynamics.still_open`)"""
        made_of, rounding = found["made_of"], self._rounding
        places = np.where(self._own_place >= 0, np.abs(y[self._own_place]), 0.0)
        gap = np.abs(found["gap"]) - rounding * found["reach"] - EPSILON * (made_of @ places)
        made = made_of @ np.abs(y[self.coordinates :]) + np.abs(found["drift"])
        return bool(((gap > 0) & (found["gap"] != 0)).any() or (np.abs(found["conditions"]) > rounding * made).any())

    def _rates(self, t: Any, y: Any, p: Any, out: Any) -> None:
        result = np.ctypeslib.as_array(out, (self.size,))
        try:
            result[:] = self.rates(float(t[0]), *self._arrays(y, p))
        except np.linalg.LinAlgError:  # no mass: the step is refused
            result[:] = np.nan

    def _back(self, t: Any, y: Any, p: Any) -> None:
        state, numbers = self._arrays(y, p)
        try:
            self.project(float(t[0]), state, numbers)
        except np.linalg.LinAlgError:
            state[:] = np.nan

    def _arrays(self, y: Any, p: Any) -> tuple[Array, Array]:
        numbers = np.ctypeslib.as_array(p, (self.parameters,)) if self.parameters else np.zeros(0)
        return np.ctypeslib.as_array(y, (self.size,)), numbers


def _structure(system: System) -> Structure | None:
    """The sparse elimination of a machine; None where reactions are not along their conditions."""
    held = system.constrained
    if held is None or held.rows.imperfect:
        return None
    rows = [[j for j, x in enumerate(row) if x is not ex.ZERO] for row in held.rows.matrix.rows()]
    return Structure.of(system.nodes, len(system.speeds), rows)


def _tables(
    system: System, held: Constrained, order: Sequence[int]
) -> list[tuple[str, tuple[int, ...], dict[int, Expr]]]:
    """Names, shapes and expressions by their places; rows in an order. What is left out is zero."""
    rows, n, count = held.rows, len(system.speeds), len(held.rows)
    blocks = [x for node in system.nodes for x in blocks_of(node)]

    def listed(matrix: Matrix) -> dict[int, Expr]:
        lines = matrix.rows()
        return {g * n + j: x for g, k in enumerate(order) for j, x in enumerate(lines[k]) if x is not ex.ZERO}

    def some(values: Sequence[Expr | None]) -> dict[int, Expr]:
        return whole([ex.ZERO if (x := values[k]) is None else x for k in order])

    def whole(values: Sequence[Expr]) -> dict[int, Expr]:
        return dict(enumerate(values))

    return [
        ("blocks", (len(blocks),), {k: x for k, x in enumerate(blocks) if x is not ex.ZERO}),
        ("matrix", (count, n), listed(rows.matrix)),
        ("reaction", (count, n), listed(rows.reaction) if rows.pushed else {}),
        ("made_of", (count, n), listed(rows.made_of)),
        ("seen", (count, n), listed(rows.seen)),
        ("right", (n,), whole(held.right)),
        ("scales", (n,), whole(speed_scales(rows, system.masses_moved))),
        ("gamma", (count,), some(rows.gamma)),
        ("conditions", (count,), some(rows.conditions)),
        ("gap", (count,), some(rows.gap)),
        ("offset", (len(rows.own),), whole([one.offset for one in rows.own])),
        ("reach", (count,), some(rows.reach)),
        ("drift", (count,), some(rows.drift)),
    ]


class LargeRates:
    """`void f(const double *t, const double *y, const double *p, double *dy)` at `address`; called, as from Python."""

    def __init__(self, machine: LargeMachine) -> None:
        self.machine = machine
        self.address = machine.entries[0].rates

    def __call__(self, t: Any, y: Any, p: Any) -> Array:
        times, states = np.broadcast_to(np.asarray(t, dtype=float), np.shape(y)[:-1] or (1,)), np.atleast_2d(y)
        pairs = zip(times.tolist(), states, strict=True)
        found = np.array([self.machine.called(self.address, self.machine.size, a, b, p) for a, b in pairs])
        return found if np.ndim(y) > 1 else found[0]


class LargeProjection:
    """`void project(const double *t, double *y, const double *p)` at `address`."""

    def __init__(self, machine: LargeMachine) -> None:
        self.machine = machine
        self.address = machine.entries[0].project
