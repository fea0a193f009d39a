"""The result of a simulation: states by name, energy, events, files."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from io import BytesIO
from itertools import pairwise
from math import isnan
from tokenize import TokenError
from typing import IO, Any, TypeVar
from zipfile import BadZipFile

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert import expr as ex
from dalembert.analysis.constraint_efforts import undetermined_efforts
from dalembert.constraints.soundness import undetermined_words
from dalembert.dynamics import dynamics_of
from dalembert.dynamics.numbers import giving
from dalembert.errors import ArgumentError, SimulationError, warn
from dalembert.expr import Expr
from dalembert.files import check_suffix, written_whole
from dalembert.mechanism import Moment, did_you_mean
from dalembert.simulate.contact.energy import power_on, stepped_work
from dalembert.simulate.contact.links import efforts_in_links
from dalembert.simulate.contact.log import ContactLog
from dalembert.simulate.contact.outputs import (
    asks_push,
    pushes_of,
    refuse_slopes,
    stepped,
    with_pushes,
)
from dalembert.simulate.motion.arcs import Arc, Course, Jump, Side, megabytes
from dalembert.simulate.motion.error import MotionError
from dalembert.simulate.motion.quality import Quality, quality_of
from dalembert.simulate.motion.tables import to_pandas, to_parquet, to_xarray
from dalembert.simulate.motion.work import work_along
from dalembert.simulate.system.system import System
from dalembert.verbs import verb

Array = NDArray[np.float64]
M = TypeVar("M", bound="Motion")

_POSTURES = 8
"""Postures of an arc at which it is asked whether efforts of constraints are determined."""


@dataclass(frozen=True, eq=False, repr=False)
class Motion:
    """A motion in time, with SciPy's names for its arrays and the system's names for its states.

    It is made of smooth `arcs`, joined by the `jumps` that events do. `y` has a row for each state and a column for
    each time; the time of a jump stands there twice. `sol(t)` is the state at any time, `sol(t, side="before")` the one
    before a jump. `status` is 0 at the end of the span, 1 after a terminal event, 2 after Ctrl-C, -1 after a failure.
    """

    system: System
    arcs: tuple[Arc, ...]
    jumps: tuple[Jump, ...] = ()
    t_events: list[Array] | None = None
    y_events: list[Array] | None = None
    event_names: tuple[str, ...] = ()
    status: int = 0
    message: str = ""
    method: str = ""
    nfev: int = 0
    accepted: int = 0
    rejected: int = 0
    sol: Course | None = None
    contacts: ContactLog | None = None
    error: MotionError | None = None
    _cache: dict[str, Any] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        if self.sol is None and all(arc.sol is not None for arc in self.arcs):
            object.__setattr__(self, "sol", Course(self.arcs))

    @property
    def t(self) -> Array:
        """The times."""
        return self._kept("t", lambda: np.concatenate([arc.t for arc in self.arcs]))

    @property
    def y(self) -> Array:
        """The states: a row each, a column for each time."""
        return self._kept("y", lambda: np.concatenate([arc.y for arc in self.arcs], axis=1))

    @property
    def low(self) -> Array:
        """What the doubles of `y` leave out of each state: y + low has 32 digits where the method has, else zeros."""
        parts = [np.zeros_like(arc.y) if arc.low is None else arc.low for arc in self.arcs]
        return self._kept("low", lambda: np.concatenate(parts, axis=1))

    @property
    def parameters(self) -> Mapping[str, float]:
        """The numbers of the parameters at the start; events may have switched them since (`arcs[k].parameters`)."""
        return self.arcs[0].parameters

    @property
    def success(self) -> bool:
        """Was the end of the span, or a terminal event, reached?"""
        return self.status in (0, 1)

    @property
    def quality(self) -> Quality:
        """How well it keeps what should be kept: closure, energy balance, first integrals, unit quaternions."""
        if "quality" not in self._cache:
            self._cache["quality"] = quality_of(self)
        found: Quality = self._cache["quality"]
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the states, in the order of the rows of `y`."""
        return self.system.states

    @property
    def columns(self) -> tuple[str, ...]:
        """What tables tell: the states, and the outputs that the model declares."""
        layout = self.system.layout
        return (*self.names, *(() if layout is None else layout.model.outputs))

    @property
    def events(self) -> dict[str, Array]:
        """The times of each event, by name; what contacts did as `floor.impact`, `floor.opens`, ..."""
        touched = {} if self.contacts is None else self.contacts.times()
        return touched | dict(zip(self.event_names, self.t_events or [], strict=True))

    def __getitem__(self, what: str | Expr) -> Array:
        """A state, an output, the time, or any formula: `mo["elbow.th"]`, `mo["tip.X''"]`, `mo["sin(elbow.th)"]`."""
        if isinstance(what, str):
            if what in self.names:
                row: Array = self.y[self.names.index(what)]
                return row
            named = what in self.system.outputs or asks_push(self, what)
            what = ex.symbol(what) if named else ex.parse(what)
        if not isinstance(what, Expr):
            raise ArgumentError(
                f"a motion tells states, outputs and formulas by name, and {what!r} is none of them: write "
                f'mo["{self.names[0]}"], for example; mo.t and mo.y are its arrays.'
            )
        return self.evaluate([what])[0]

    def evaluate(self, exprs: Sequence[Expr]) -> list[Array]:
        """The values of expressions along the motion, one array each."""
        touching = self.system.contacts or (self.contacts is not None and self.contacts.crowd)
        self._say_undetermined(x.name for x in ex.free_symbols(exprs))
        exprs, pushes = with_pushes(self, exprs) if touching else (exprs, {})
        told = self.system.in_states_and_rates(exprs)
        if touching and not ex.free_symbols(told).isdisjoint(self.system.slopes):
            refuse_slopes(self)
        ends = np.cumsum([0, *(len(arc.t) for arc in self.arcs)])
        parts = [
            self.values(
                told, arc.t, arc.y, arc.parameters, arc.contacts, {x: along[a:b] for x, along in pushes.items()}
            )
            for arc, (a, b) in zip(self.arcs, pairwise(ends), strict=True)
        ]
        return parts[0] if len(parts) == 1 else [np.concatenate(pieces) for pieces in zip(*parts, strict=True)]

    def _say_undetermined(self, names: Iterable[str]) -> None:
        """Efforts of conditions that follow from each other at a posture of the motion, each by its name."""
        layout, held = self.system.balanced, self.system.constrained
        if held is None or layout is None:
            return
        parts = [name for name in layout.model.parts_of_outputs(names) if "." in name]
        asked = {name: rows for name in parts if (rows := held.rows.told_by(name))}
        for arc in self.arcs:
            if not asked:
                return
            some = np.unique(np.linspace(0, max(len(arc.t) - 1, 0), _POSTURES).astype(int))[: len(arc.t)]
            values: dict[Expr, Any] = dict(zip(self.system.symbols, arc.y[:, some], strict=True))
            values |= {ex.symbol(name): number for name, number in arc.parameters.items()} | {ex.TIME: arc.t[some]}
            loose = undetermined_efforts(dynamics_of(layout), values, len(some))
            for name in [x for x, rows in asked.items() if not loose.isdisjoint(rows)]:
                del asked[name]
                warn(undetermined_words(name))

    def values(
        self,
        exprs: Sequence[Expr],
        t: Array,
        y: Array,
        parameters: Mapping[str, float],
        contacts: Any = None,
        pushes: Mapping[Expr, Array] | None = None,
    ) -> list[Array]:
        """Expressions in states, their rates, time, parameters and `pushes`, at states in the columns of `y`."""
        system = self.system
        values: dict[Expr, Any] = dict(zip(system.symbols, y, strict=True)) | dict(pushes or {})
        values |= {ex.symbol(name): number for name, number in parameters.items()}
        values[ex.TIME] = t
        used = ex.free_symbols(exprs)
        if not used.isdisjoint(system.slopes):
            rates = self._rates(t, y, parameters) if contacts is None else contacts.accelerations(t, y)
            values |= dict(zip(map(ex.prime, system.symbols), rates, strict=True))
        if system.balanced is not None and not system.marked.isdisjoint(x.name for x in used):
            told = efforts_in_links(system.balanced, t, y, parameters, contacts)
            values |= {x: told.of(*x.name.rsplit(".", 1)) for x in used if x.name in system.marked}
        known = [*self.names, *system.outputs, *sorted(pushes_of(system.contacts)), *parameters, "t"]
        for symbol in sorted(used - values.keys(), key=lambda e: e.name):
            if symbol.name in system.known_parameters:
                raise SimulationError(f"'{symbol.name}' has no value: simulate with {giving(symbol.name)}.")
            owner, _, _part = symbol.name.rpartition(".")
            of_it = [x for x in known if owner and x.rpartition(".")[0] == owner]
            hint = f" Of '{owner}' it tells {', '.join(of_it)}." if of_it else did_you_mean(symbol.name, known)
            raise SimulationError(f"the motion of '{system.name}' has no '{symbol.name}'.{hint}")
        found = ex.evaluate(list(exprs), values)
        return [np.broadcast_to(np.asarray(x, dtype=float), t.shape).copy() for x in found]

    def _rates(self, t: Array, y: Array, parameters: Mapping[str, float]) -> Array:
        """y' at states in the columns of `y`, from the machine code that moved them."""
        from dalembert.simulate.system.compiled import native_rates

        numbers = np.array([parameters.get(name, np.nan) for name in self.system.known_parameters])
        found: Array = native_rates(self.system)(t, y.T, numbers).T
        return found

    @verb
    def state(self, t: float, side: Side = "after") -> Moment:
        """The named state at one time, with that time as `t`, and the parameters that the motion had then."""
        course = self._course()
        values = dict(zip(self.names, map(float, course(t, side)), strict=True))
        arc = self.arcs[int(course.owners(np.array([float(t)]))[0])]
        return Moment({**values, "t": float(t)}, arc.parameters)

    @verb
    def at(self: M, times: ArrayLike) -> M:
        """The same motion, seen at other times."""
        course = self._course()
        t = np.atleast_1d(np.asarray(times, dtype=float))
        owner = course.owners(t)
        cuts = [0, *(np.flatnonzero(np.diff(owner)) + 1), len(t)]
        arcs = []
        for a, b in pairwise(cuts):
            one = self.arcs[int(owner[a])] if b > a else self.arcs[0]
            here = t[a:b]
            arcs.append(replace(one, t=here, y=one.sol(here) if one.sol is not None else one.y))
        return replace(self, arcs=tuple(arcs))

    def _course(self) -> Course:
        if self.sol is None:
            raise SimulationError("states between the computed times need dense_output=True.")
        return self.sol

    def __add__(self: M, other: Motion) -> M:
        """One motion after the other, of the same system; where the second begins elsewhere, a jump is recorded."""
        from dalembert.simulate.motion.join import joined

        return joined(self, other)

    def energy(self) -> Array:
        """Kinetic and potential energy together, at each time: gravity, springs, every effort with a potential."""
        return self.kinetic_energy() + self.potential_energy()

    def kinetic_energy(self) -> Array:
        return self._kept("kinetic", lambda: self.evaluate([self._energy("T", self.system.kinetic)])[0]).copy()

    def potential_energy(self) -> Array:
        return self._kept("potential", lambda: self.evaluate([self._energy("V", self.system.potential)])[0]).copy()

    def work(self) -> Array:
        """Work of all that has no potential (dampers, drives, explicit time, contact forces) up to each time.

        Found from efforts and reactions and integrated along the arcs: on each of them `energy()` changes by as much;
        what a jump takes or gives is not in it: `mo.contacts.strikes` have the work of impacts.
        """
        return self._kept("work", self._work).copy()

    def _work(self) -> Array:
        self._energy("power", None)
        if stepped(self):
            return stepped_work(self)
        parts, done = [], 0.0
        for arc in self.arcs:
            if arc.sol is None:
                raise SimulationError(
                    "the work along a motion needs its dense output: simulate with dense_output=True."
                )
            end = np.append(arc.t, arc.sol.t[-1])
            found = work_along(arc.sol, end, lambda t, y, arc=arc: power_on(self, arc, t, y))  # type: ignore[misc]
            parts.append(done + found[:-1])
            done += found[-1]
        return np.concatenate(parts)

    def _energy(self, kind: str, own: Expr | None) -> Expr:
        name = f"total.{kind}"
        if own is None and name not in self.system.outputs:
            raise SimulationError(f"'{self.system.name}' does not say what its energies are ({name}).")
        return ex.symbol(name) if own is None else own

    def _kept(self, kind: str, made: Callable[[], Array]) -> Array:
        if kind not in self._cache:
            self._cache[kind] = made()
        found: Array = self._cache[kind]
        return found

    def as_dict(self, columns: Sequence[str] | None = None) -> dict[str, Any]:
        """Everything that is a number or a word, for JSON; `columns` as in `to_csv`, what is undetermined as None."""
        rows = {name: self[name] for name in self.columns if columns is None} | {
            name: self[name] for name in columns or ()
        }
        return {
            "name": self.system.name,
            "t": self.t.tolist(),
            "columns": {name: [None if isnan(x) else x for x in row.tolist()] for name, row in rows.items()},
            "parameters": dict(self.parameters),
            "events": {name: times.tolist() for name, times in self.events.items()},
            "jumps": [jump.as_dict() for jump in self.jumps],
            **({} if self.contacts is None else {"contacts": self.contacts.as_dict()}),
            "status": self.status,
            "success": self.success,
            "message": self.message,
            "method": self.method,
            "quality": self.quality.as_dict(),
        }

    def to_csv(self, path: str | os.PathLike[str] | IO[bytes], columns: Sequence[str] | None = None) -> None:
        """Write a table with a column for the time and one for each state, or for each of the `columns`.

        `path` is the name of a file, or an open one (of bytes).

        Columns are states, outputs or formulas: `mo.to_csv("m.csv", ["tip.X", "total.V", "2*elbow.th"])`.
        """
        names = self.columns if columns is None else columns
        rows = np.array([self[name] for name in names]).reshape(-1, len(self.t))
        header = ",".join(f'"{name}"' if "," in name else name for name in ("t", *names))
        with written_whole(path) if isinstance(path, str | os.PathLike) else nullcontext(path) as file:
            np.savetxt(file, np.vstack([self.t, rows]).T, "%.17g", ",", header=header, comments="", encoding="utf-8")

    to_pandas = to_pandas
    to_xarray = to_xarray
    to_parquet = to_parquet

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything, dense output and equations included, as NumPy's .npz; `Motion.load` reads it."""
        from dalembert.simulate.motion.archive import pack

        check_suffix(path, (".npz",), "a whole motion is an archive of NumPy (to_csv writes a table)")
        with written_whole(path) as file:
            np.savez_compressed(file, allow_pickle=False, **pack(self))

    @classmethod
    def load(cls: type[M], path: str | os.PathLike[str]) -> M:
        """Read what `save` wrote."""
        from dalembert.simulate.motion.archive import check_sizes, unpack

        try:
            with open(path, "rb") as file:
                held = file.read()  # what cannot be read at all is the system's to say
        except OSError as error:
            raise SimulationError(f"{path} cannot be read: {error.strerror or error}.") from error
        try:
            check_sizes(held)
            with np.load(BytesIO(held), allow_pickle=False) as stored:
                return unpack(cls, stored, str(path))
        except (
            ValueError,
            KeyError,
            EOFError,
            BadZipFile,
            OSError,
            NotImplementedError,
            zlib.error,
            TokenError,
        ) as error:
            raise SimulationError(f"{path} is not a motion, or is damaged: `save` writes them, as .npz.") from error

    def __repr__(self) -> str:
        span = f"t = {self.t[0]:g} ... {self.t[-1]:g}" if len(self.t) else "no times"
        pieces = f"{len(self.arcs)} arcs, " if len(self.arcs) > 1 else ""
        return (
            f"<Motion of '{self.system.name}': {len(self.names)} states, {span}, {pieces}{len(self.t)} points, "
            f"{self.method}, {self.nfev} evaluations, {megabytes(self.arcs):.1f} MB; {self.message}>"
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
