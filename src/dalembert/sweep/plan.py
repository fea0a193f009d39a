"""A sweep before it runs: cases, times, measures; and what one chunk of it gives. A plan can be sent elsewhere."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.dynamics.numbers import check_names, resolve
from dalembert.errors import ArgumentError, CouplingError, ModelError, SimulationError, SingularError, warn
from dalembert.mechanism import Layout, Mechanism
from dalembert.simulate.contact.outputs import pushes_of
from dalembert.simulate.methods.problem import EVENT, FAILED, FINISHED, INTERRUPTED, Ensemble
from dalembert.simulate.methods.table import find_method
from dalembert.simulate.motion.motion import Motion
from dalembert.simulate.runs.run_many import each_alone, run_many
from dalembert.simulate.system.from_mechanism import system_of
from dalembert.simulate.system.system import System
from dalembert.simulate.system.values import parameter_values
from dalembert.sweep.design import Design, column_names
from dalembert.sweep.measures import Gauge, Measure

Array = NDArray[Any]
Table = dict[str, Array]
#: Numbers of one chunk in memory: 32 MB of them, so that a chunk is some seconds of work and little is lost with it.
_CHUNK = 4_000_000
#: Cases that are tried, spread over the sweep, to tell a wrong question from a case that cannot begin.
_PROBES = 8
_NO_START = (SimulationError, ModelError, SingularError, CouplingError)
_OF_ONE = re.compile(" in trajectory 0|trajectory 0: ")


class SweepWarning(UserWarning):
    """Cases of a sweep that do not begin, measures that its instants do not tell."""


@dataclass(frozen=True)
class Plan:
    """Everything that decides the result, bit by bit."""

    mechanism: Mechanism
    t_span: tuple[float, float]
    design: Design
    measures: tuple[str, ...]
    start: Mapping[str, Any]
    given: Mapping[str, Any]
    events: tuple[str, ...]
    method: str
    instants: int
    rtol: float
    atol: float | None
    cut: tuple[str, ...]
    keep: tuple[str, ...] = ()

    @cached_property
    def system(self) -> System:
        return system_of(self.mechanism, Layout.of(self.mechanism, self.cut))

    @cached_property
    def gauge(self) -> Gauge:
        return Gauge(self.system, [Measure.read(text) for text in self.measures])

    @cached_property
    def kept(self) -> Gauge:
        """Formulas whose whole course is kept."""
        return Gauge(self.system, [Measure.read(f"first({text})") for text in self.keep])

    @cached_property
    def cases(self) -> Table:
        return self.design.table()

    @cached_property
    def columns(self) -> tuple[str, ...]:
        return column_names(self.design.names, (*self.measures, *map(course, self.keep)))

    @property
    def chunk(self) -> int:
        """Cases of one chunk; the last may have fewer."""
        return max(1, min(len(self.design), _CHUNK // (self.instants * len(self.system.states))))

    @property
    def chunks(self) -> int:
        return -(-len(self.design) // self.chunk)

    def check(self) -> None:
        """Names and numbers that the first motion would stumble over."""
        check_names(
            self.design.names,
            [*self.system.states, *self.system.known_parameters],
            "start or parameter",
            self.system.name,
        )
        if self.instants < 2:
            raise ArgumentError("`instants` is at least 2: the ends of the span.")
        known = {*self.system.known_parameters, *self.system.outputs, *self.system.states, "t"}
        known |= pushes_of(self.system.contacts)
        used = [x.name for x in ex.free_symbols([*self.gauge.formulas, *self.kept.formulas])]
        check_names([x.removesuffix("'") if x not in known else x for x in used], known, "quantity", self.system.name)
        outer = [x for x in self.gauge.constants if x not in self.system.known_parameters]
        if outer:
            raise ArgumentError(f"'{outer[0]}' changes during a motion: say which value, e.g. final({outer[0]}).")

    @cached_property
    def digest(self) -> str:
        """Of all that decides the result; another machine, another digest."""
        said = {
            "mechanism": self.mechanism.as_dict(),
            "t_span": self.t_span,
            "design": self.design.as_dict(),
            "measures": self.measures,
            "start": {k: str(v) for k, v in self.start.items()},
            "given": {k: str(v) for k, v in self.given.items()},
            "events": self.events,
            **({"keep": self.keep} if self.keep else {}),
            "how": [self.method, self.instants, self.rtol, self.atol, list(self.cut)],
        }
        return hashlib.sha256(json.dumps(said, sort_keys=True, default=str).encode()).hexdigest()

    def run(self, k: int, threads: int | None = None) -> Table:
        """The rows of chunk k."""
        first = k * self.chunk
        refused = dict[int, str]()
        parts = list(self._begun(first, min(first + self.chunk, len(self.design)), threads, refused))
        for case, why in islice(refused.items(), 1):
            others = f", nor do {len(refused) - 1} others of its chunk" if len(refused) > 1 else ""
            warn(f"case {case} of the sweep does not begin{others}: {why}", SweepWarning)
        return {name: np.concatenate([part[name] for part in parts]) for name in self.columns}

    def _begun(self, first: int, last: int, threads: int | None, refused: dict[int, str]) -> Iterator[Table]:
        """Rows from `first` to `last`; cases that cannot begin are parted from the others by halving.

        An error that cases all over the sweep have is one of the question, and raised.
        """
        try:
            yield self._rows(first, last, threads)
            return
        except _NO_START as error:
            if self._asked_wrongly:
                raise
            if last - first == 1:
                refused[first] = _OF_ONE.sub("", str(error))
                yield self._refused(first)
                return
        middle = (first + last) // 2
        yield from self._begun(first, middle, threads, refused)
        yield from self._begun(middle, last, threads, refused)

    @cached_property
    def _asked_wrongly(self) -> bool:
        """Does none of some cases spread over the sweep begin?"""
        for case in np.unique(np.linspace(0, len(self.design) - 1, _PROBES).astype(int)):
            try:
                self._rows(int(case), int(case) + 1, 1)
            except _NO_START:
                continue
            return False
        return True

    def _refused(self, case: int) -> Table:
        """The row of a case that does not begin."""
        nothing = np.full(1, np.nan)
        return {
            "case": np.array([case], dtype=np.int64),
            **{name: values[case : case + 1] for name, values in self.cases.items()},
            **dict.fromkeys(self.measures, nothing),
            **{course(text): np.full((1, self.instants), np.nan) for text in self.keep},
            "status": np.array([FAILED], dtype=np.int64),
            "t_last": np.full(1, self.t_span[0]),
        }

    def _rows(self, first: int, last: int, threads: int | None) -> Table:
        """The rows of some cases, in one ensemble."""
        rows, count = slice(first, last), last - first
        varied = {name: values[rows] for name, values in self.cases.items()}
        system = self.system
        start = {**self.start, **{name: v for name, v in varied.items() if name in system.states}}
        given = {**self.given, **{name: v for name, v in varied.items() if name not in system.states}}
        times = np.linspace(*self.t_span, self.instants)
        alone = each_alone(system, find_method(self.method))
        many = run_many(
            system,
            self.t_span,
            start=start,
            given=given,
            method=self.method,
            t_eval=times,
            events=[_terminal(e) for e in self.events] or None,
            rtol=self.rtol,
            atol=self.atol,
            threads=threads,
            progress=False,
            tell=(lambda motion: self._of_touching(motion, times)) if alone else None,
        )
        if (many.status == INTERRUPTED).any():
            raise KeyboardInterrupt
        good = np.isin(many.status, (FINISHED, EVENT))
        if many.told is None:
            measured, courses = self._of_all(many, times, given)
        else:
            measured, courses = np.split(many.told, [len(self.measures)], axis=1)
            courses = courses.reshape(count, len(self.keep), self.instants)
        return {
            "case": np.arange(rows.start, rows.stop, dtype=np.int64),
            **varied,
            **{name: np.where(good, v, np.nan) for name, v in zip(self.measures, measured.T, strict=True)},
            **{course(text): courses[:, i] for i, text in enumerate(self.keep)},
            "status": many.status.astype(np.int64),
            "t_last": many.t_last,
        }

    def _of_touching(self, motion: Motion, times: Array) -> Array:
        """Measures of one motion with contacts, then its courses: nothing after its end."""
        courses = np.full((len(self.keep), self.instants), np.nan)
        seen = np.abs(times - times[0]) <= abs(motion.arcs[-1].span[1] - times[0])
        if self.keep:
            courses[:, seen] = motion.at(times[seen]).evaluate(self.kept.formulas)
        return np.concatenate([self.gauge.of_touching(motion, times), courses.ravel()])

    def _of_all(self, many: Ensemble, times: Array, given: Mapping[str, Any]) -> tuple[Array, Array]:
        """Measures and courses of motions without contacts, all at once: a row for each case."""
        system, count = self.system, len(many)
        # instants after the end of a motion become its end: pieces of no length
        t = np.broadcast_to(times, (count, self.instants))
        ended = np.asarray(np.isnan(many.y).any(axis=1))
        t = np.concatenate([np.where(ended, many.t_last[:, None], t), many.t_last[:, None]], axis=1)
        y = np.where(ended[:, None, :], many.y_last[:, :, None], many.y)
        y = np.concatenate([y, many.y_last[:, :, None]], axis=2).transpose(0, 2, 1)
        known = parameter_values(system, given, sorted({*self.gauge.needs, *self.kept.needs}))
        numbers = (
            np.stack(
                [
                    np.broadcast_to(np.asarray(known.get(p, np.nan), dtype=float), (count,))
                    for p in system.known_parameters
                ],
                axis=1,
            )
            if system.known_parameters
            else np.zeros((count, 0))
        )
        numbers = np.ascontiguousarray(numbers)
        courses = self.kept.values(t, y, numbers)[:, :-1] if self.keep else np.zeros((count, self.instants, 0))
        courses = np.where(ended[:, :, None], np.nan, courses).transpose(0, 2, 1)
        good = np.isin(many.status, (FINISHED, EVENT))
        measured, doubts = self.gauge.of(t, y, numbers, good, self.rtol)
        for text, missed in doubts.items():
            why = f"the motion turns between them, its course may be missed by up to {missed:.1%} of itself"
            why = (
                why if np.isfinite(missed) else "of a motion that passes no more than two, what is between is not known"
            )
            warn(
                f"{self.instants} instants do not tell '{text}': {why}. "
                "Take more (instants=..., --instants), or a shorter span.",
                SweepWarning,
            )
        return np.stack(measured, axis=1), courses


def course(formula: str) -> str:
    """The column of a formula that is kept at every instant."""
    return f"{formula} (t)"


def _terminal(formula: str) -> Any:
    from dalembert.simulate import Event

    return Event(formula, terminal=True)


def plan_of(
    mechanism: Mechanism,
    t_span: tuple[float, float],
    design: Design,
    measures: str | Sequence[str],
    *,
    start: Mapping[str, Any] | None,
    given: Mapping[str, Any] | None,
    events: str | Sequence[str] | None,
    method: str,
    instants: int,
    rtol: float,
    atol: float | None,
    cut: Collection[str],
    keep: str | Sequence[str],
) -> Plan:
    """The plan, checked."""
    told = (measures,) if isinstance(measures, str) else tuple(measures)
    if not told:
        raise ArgumentError("a sweep measures something: e.g. measures=['max(abs(elbow.th))'].")
    watched = (events,) if isinstance(events, str) else tuple(events or ())
    courses = (keep,) if isinstance(keep, str) else tuple(keep)
    if not all(isinstance(e, str) for e in (*told, *watched, *courses)):
        raise ArgumentError("measures and events of a sweep are formulas in text: they are kept with the result.")
    for name in design.names:
        if name in (given or {}) or name in (start or {}):
            raise ArgumentError(f"'{name}' varies, and has one value beside: leave one of them out.")
    if float(t_span[0]) == float(t_span[1]):
        raise ArgumentError(f"a sweep runs over a span of time, and ({t_span[0]}, {t_span[1]}) has none.")
    plan = Plan(
        mechanism,
        (float(t_span[0]), float(t_span[1])),
        design,
        told,
        dict(start or {}),
        dict(given or {}),
        watched,
        method,
        int(instants),
        float(rtol),
        None if atol is None else float(atol),
        tuple(cut),
        courses,
    )
    resolve({**mechanism.given, **plan.given}, "given")
    plan.check()
    return plan
