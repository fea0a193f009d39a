"""The result of a simulation: states by name, energy, events, files."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert import expr as ex
from dalembert.errors import SimulationError
from dalembert.expr import Expr
from dalembert.mechanism import did_you_mean
from dalembert.simulate._dense import DenseOutput
from dalembert.simulate._files import written_whole
from dalembert.simulate.system import System
from dalembert.simulate.work import work_along

Array = NDArray[np.float64]
M = TypeVar("M", bound="Motion")


@dataclass(frozen=True, eq=False, repr=False)
class Motion:
    """A motion in time, with SciPy's names for its arrays and the system's names for its states.

    `y` has a row for each state and a column for each time; `sol(t)` is the state at any time. `status` is 0 at the
    end of the span, 1 after a terminal event, 2 after Ctrl-C and -1 after a failure.
    """

    system: System
    parameters: Mapping[str, float]
    t: Array
    y: Array
    sol: DenseOutput | None = None
    t_events: list[Array] | None = None
    y_events: list[Array] | None = None
    event_names: tuple[str, ...] = ()
    status: int = 0
    message: str = ""
    method: str = ""
    nfev: int = 0
    accepted: int = 0
    rejected: int = 0
    _cache: dict[str, Any] = field(default_factory=dict, init=False)

    @property
    def success(self) -> bool:
        """Was the end of the span, or a terminal event, reached?"""
        return self.status in (0, 1)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the states, in the order of the rows of `y`."""
        return self.system.states

    @property
    def events(self) -> dict[str, Array]:
        """The times of each event, by name."""
        return dict(zip(self.event_names, self.t_events or [], strict=True))

    def __getitem__(self, what: str | Expr) -> Array:
        """A state, an output, the time, or any formula of them: `mo["th"]`, `mo["tip.X''"]`, `mo["sin(th)"]`."""
        if isinstance(what, str):
            if what in self.names:
                row: Array = self.y[self.names.index(what)]
                return row
            what = ex.symbol(what) if what in self.system.outputs else ex.parse(what)
        return self.evaluate([what])[0]

    def evaluate(self, exprs: Sequence[Expr]) -> list[Array]:
        """The values of expressions along the motion, one array each."""
        return self._values(self.system.in_states_and_rates(exprs), self.t, self.y)

    def _values(self, exprs: Sequence[Expr], t: Array, y: Array) -> list[Array]:
        """Expressions in states, their rates, time and parameters, at states in the columns of `y`."""
        system = self.system
        values: dict[Expr, Any] = dict(zip(system.symbols, y, strict=True))
        values |= {ex.symbol(name): number for name, number in self.parameters.items()}
        values[ex.TIME] = t
        used = ex.free_symbols(exprs)
        if not used.isdisjoint(system.slopes):
            values |= dict(zip(map(ex.prime, system.symbols), self._rates(t, y), strict=True))
        known = [*self.names, *system.outputs, *self.parameters, "t"]
        for symbol in sorted(used - values.keys(), key=lambda e: e.name):
            if symbol.name in system.known_parameters:
                raise SimulationError(f"'{symbol.name}' has no value: simulate with given={{'{symbol.name}': ...}}.")
            hint = did_you_mean(symbol.name, known)
            raise SimulationError(f"the motion of '{system.name}' has no '{symbol.name}'.{hint}")
        found = ex.evaluate(list(exprs), values)
        return [np.broadcast_to(np.asarray(x, dtype=float), t.shape).copy() for x in found]

    def _rates(self, t: Array, y: Array) -> Array:
        """y' at states in the columns of `y`, from the machine code that moved them."""
        from dalembert.simulate._run import compiled

        system = self.system
        numbers = np.array([self.parameters.get(name, np.nan) for name in system.known_parameters])
        found: Array = compiled("rates", system.symbols, system.known_parameters, system.rates)(t, y.T, numbers).T
        return found

    def state(self, t: float) -> dict[str, float]:
        """The named state at one time."""
        if self.sol is None:
            raise SimulationError("states between the computed times need dense_output=True.")
        return dict(zip(self.names, map(float, self.sol(t)), strict=True))

    def at(self: M, times: ArrayLike) -> M:
        """The same motion, seen at other times."""
        if self.sol is None:
            raise SimulationError("states between the computed times need dense_output=True.")
        t = np.atleast_1d(np.asarray(times, dtype=float))
        return replace(self, t=t, y=self.sol(t))

    def energy(self) -> Array:
        """Kinetic and potential energy together, at each time: gravity, springs, every effort with a potential."""
        return self.kinetic_energy() + self.potential_energy()

    def kinetic_energy(self) -> Array:
        return self._cached("kinetic", lambda: self.evaluate([self._energy("T", self.system.kinetic)])[0])

    def potential_energy(self) -> Array:
        return self._cached("potential", lambda: self.evaluate([self._energy("V", self.system.potential)])[0])

    def work(self) -> Array:
        """Work of all that has no potential (dampers, motors, drives, explicit time) from the start to each time.

        Found from efforts and reactions and integrated along the motion: `energy()` changes by as much.
        """
        return self._cached("work", self._work)

    def _work(self) -> Array:
        if self.sol is None:
            raise SimulationError("the work along a motion needs its dense output: simulate with dense_output=True.")
        power = self.system.in_states_and_rates([self._energy("power", None)])
        return work_along(self.sol, self.t, lambda t, y: self._values(power, t, y)[0])

    def _energy(self, kind: str, own: Expr | None) -> Expr:
        name = f"total.{kind}"
        if own is None and name not in self.system.outputs:
            raise SimulationError(f"'{self.system.name}' does not say what its energies are ({name}).")
        return ex.symbol(name) if own is None else own

    def _cached(self, kind: str, made: Callable[[], Array]) -> Array:
        if kind not in self._cache:
            self._cache[kind] = made()
        found: Array = self._cache[kind]
        return found.copy()

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write a table with a column for the time and one for each state."""
        header = ",".join(f'"{name}"' if "," in name else name for name in ("t", *self.names))
        with written_whole(path) as file:
            np.savetxt(file, np.vstack([self.t, self.y]).T, "%.17g", ",", header=header, comments="", encoding="utf-8")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything, dense output and equations included, as NumPy's .npz; `Motion.load` reads it."""
        from dalembert.simulate._archive import pack

        with written_whole(path) as file:
            np.savez_compressed(file, allow_pickle=False, **pack(self))

    @classmethod
    def load(cls: type[M], path: str | os.PathLike[str]) -> M:
        """Read what `save` wrote."""
        from dalembert.simulate._archive import unpack

        with np.load(path, allow_pickle=False) as stored:
            return unpack(cls, stored, str(path))

    def __repr__(self) -> str:
        span = f"t = {self.t[0]:g} ... {self.t[-1]:g}" if len(self.t) else "no times"
        return (
            f"<Motion of '{self.system.name}': {len(self.names)} states, {span}, {len(self.t)} points, "
            f"{self.method}, {self.nfev} evaluations; {self.message}>"
        )

    def _repr_html_(self) -> str:
        from html import escape

        shown = self.names[:24]
        rows = "".join(
            f"<tr><td><code>{escape(name)}</code></td><td>{row[0]:.6g}</td><td>{row[-1]:.6g}</td>"
            f"<td>{row.min():.6g}</td><td>{row.max():.6g}</td></tr>"
            for name, row in zip(shown, self.y, strict=False)
            if len(row)
        )
        more = f"<p>and {len(self.names) - len(shown)} more</p>" if len(self.names) > len(shown) else ""
        head = "<tr><th>state</th><th>start</th><th>end</th><th>least</th><th>most</th></tr>"
        return f"<p>{escape(repr(self)[1:-1])}</p><table>{head}{rows}</table>{more}"
