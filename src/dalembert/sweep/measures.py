"""What is kept of a motion: one number for each formula with max, min, mean, rms, first, final.

Between two instants a formula is the cubic with its values and slopes there, so an extreme is found between them too,
and a mean is exact to the fourth order in their distance. Where it has a corner there are more cubics (`corners`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.codegen import Function, compile_functions
from dalembert.errors import ArgumentError
from dalembert.expr import Expr
from dalembert.simulate.contact.outputs import stepped
from dalembert.simulate.motion.arcs import Arc
from dalembert.simulate.motion.motion import Motion
from dalembert.simulate.system.compiled import native_rates
from dalembert.simulate.system.system import System
from dalembert.sweep.corners import Pieces, coefficients, corners, near_zero, parted, steep, turns, zeros

Array = NDArray[np.float64]
_NAME = "reduced__"
#: The share of its course by which a measure may be missed without a word.
_KNOWN = 1e-3
#: Errors of the motion's own, in parts of its size and of `rtol`: gathered in many steps, they are no course.
_OWN = 10.0
#: How much less cubics miss, at the least, with half the distance of instants where they follow the course (of the
#: fourth order: 16 times; a quick course, of which instants tell phases only, 6.7 at the most), and by how much more
#: than instants that were left out a quick one may be missed.
_FOLLOWED, _QUICK = 7.0, 4.0
_AT_ENDS = ("first", "final")
_APART = 1e-6
"""Times of an arc closer than this share of it tell no slope: differences of nine digits leave three."""


def reduced_symbol(k: int) -> Expr:
    """What stands for the k-th reduced formula in the outer formula of a measure."""
    return ex.symbol(f"{_NAME}{k}")


def _extreme(sign: float) -> Callable[[Pieces], Array]:
    def found(pieces: Pieces) -> Array:
        a, b = sign * pieces.begin, sign * pieces.end
        best: Array = np.maximum(np.max(a, axis=1), np.max(b, axis=1))
        if pieces.turned is True:
            return sign * best
        p, q = sign * pieces.slope * pieces.h, sign * pieces.slope_end * pieces.h
        c, d = coefficients(a, b, p, q)
        for s in turns(p, c, d):
            within = np.where(
                (s > 0) & (s < 1) & np.logical_not(pieces.turned), s, 0.0
            )  # others are anywhere, at infinity where a cubic is a line
            best = np.maximum(best, np.max(a + within * (p + within * (c + within * d)), axis=1, initial=-np.inf))
        return sign * best

    return found


def _mean(pieces: Pieces) -> Array:
    h, whole = pieces.h, pieces.h.sum(axis=1)
    area = (h / 2 * (pieces.begin + pieces.end) + h * h / 12 * (pieces.slope - pieces.slope_end)).sum(axis=1)
    return np.where(whole != 0, area / np.where(whole != 0, whole, 1.0), pieces.begin[:, 0])


def _rms(pieces: Pieces) -> Array:
    a, b = pieces.begin, pieces.end
    squares = replace(pieces, begin=a * a, end=b * b, slope=2 * a * pieces.slope, slope_end=2 * b * pieces.slope_end)
    found: Array = np.sqrt(np.maximum(_mean(squares), 0.0))
    return found


REDUCTIONS: dict[str, Callable[[Pieces], Array]] = {
    "max": _extreme(1.0),
    "min": _extreme(-1.0),
    "mean": _mean,
    "rms": _rms,
    "first": lambda pieces: pieces.begin[:, 0],
    "final": lambda pieces: pieces.end[:, -1],
}
_CALL = re.compile(rf"(?<![\w.'`])({'|'.join(REDUCTIONS)})\s*\(")


@dataclass(frozen=True)
class Measure:
    """`outer` in terms of reduced formulas and parameters; `inner` are those formulas with their reductions."""

    text: str
    outer: Expr
    inner: tuple[tuple[str, Expr], ...]

    @staticmethod
    def read(text: str) -> Measure:
        """
        >>> Measure.read("max(abs(x)) - final(x)").outer
        reduced__0 - reduced__1
        """
        if _NAME in text:
            raise ArgumentError(f"names with '{_NAME}' are taken: call it something else in '{text}'.")
        inner: list[tuple[str, Expr]] = []
        rest, at = "", 0
        while call := _CALL.search(text, at):
            end = _closing(text, call.end())
            body = text[call.end() : end]
            if _commas(body):  # max and min of two things
                rest += text[at : call.end()]
                at = call.end()
                continue
            nested = _CALL.search(body)
            if nested is not None and not _commas(body[nested.end() : _closing(body, nested.end())]):
                raise ArgumentError(f"'{text}': a number of a motion inside another one ({body}) says nothing.")
            rest += text[at : call.start()] + f"{_NAME}{len(inner)}"
            inner.append((call[1], ex.parse(body)))
            at = end + 1
        rest += text[at:]
        if not inner:
            raise ArgumentError(
                f"'{text}' is a curve, not a number for each motion: write final({text}), max({text}), min, mean, rms "
                "or first."
            )
        return Measure(text, ex.parse(rest), tuple(inner))


def _closing(text: str, at: int) -> int:
    depth = 1
    for k in range(at, len(text)):
        depth += (text[k] == "(") - (text[k] == ")")
        if not depth:
            return k
    raise ArgumentError(f"'{text}': a parenthesis is not closed.")


def _commas(text: str) -> bool:
    depth = 0
    for c in text:
        depth += (c in "([") - (c in ")]")
        if c == "," and not depth:
            return True
    return False


def _looked_at(arc: Arc, instants: Array) -> Arc:
    """An arc at its ends, its steps, and the instants in it; of times that differ by rounding, at one."""
    assert arc.sol is not None
    (begin, end), apart = arc.span, _APART * (arc.span[1] - arc.span[0])
    t = np.unique(np.concatenate([arc.sol.t, instants]))
    t = t[(t > begin + apart) & (t < end - apart)]
    here = np.array([begin, *t[np.diff(t, prepend=begin) > apart], end] if end > begin else [begin])
    return replace(arc, t=here, y=arc.sol(here))


@dataclass(eq=False)
class Gauge:
    """Measures of a system, in machine code: values and slopes of all formulas at once."""

    system: System
    measures: Sequence[Measure]

    @property
    def formulas(self) -> list[Expr]:
        return [e for measure in self.measures for _, e in measure.inner]

    @property
    def constants(self) -> tuple[str, ...]:
        """Names that stand outside of what is reduced."""
        names = {x.name for x in ex.free_symbols([m.outer for m in self.measures])}
        return tuple(sorted(x for x in names if not x.startswith(_NAME)))

    @property
    def needs(self) -> tuple[str, ...]:
        """Parameters that the measures use."""
        return tuple(sorted({*self.constants, *self.system.names_in(self.system.with_outputs(self.formulas))}))

    @cached_property
    def corners(self) -> list[list[int]]:
        """Of each formula, the places behind all formulas of what must not vanish for it to be smooth."""
        told = self._whole
        return [[len(told) + self._vanishing.index(x) for x in corners([e])] for e in told]

    @cached_property
    def _whole(self) -> list[Expr]:
        """The formulas in states and parameters."""
        return list(self.system.with_outputs(self.formulas))

    @cached_property
    def _vanishing(self) -> list[Expr]:
        return corners(self._whole)

    @cached_property
    def _compiled(self) -> Any:
        system = self.system
        told = [*self._whole, *self._vanishing]
        rates = [ex.symbol(f"rate {k}") for k in range(len(system.states))]
        slopes = []
        for e in told:
            grown = zip(ex.gradient(e, system.symbols), rates, strict=True)
            slopes.append(sum((g * r for g, r in grown), ex.derivative(e, ex.TIME)))
        inputs = [[ex.TIME], system.symbols, rates, [ex.symbol(p) for p in system.known_parameters]]
        return compile_functions([Function("measures", inputs, [*told, *slopes])])["measures"]

    def _told(self, t: Array, y: Array, rates: Array, numbers: Array) -> tuple[Array, Array]:
        """Formulas and what makes their corners, and the slopes of all: rows of instants with their numbers."""
        found = np.asarray(self._compiled(*map(np.ascontiguousarray, (t, y, rates, numbers))))
        half = found.shape[1] // 2
        return found[:, :half], found[:, half:]

    def _at_instants(self, t: Array, y: Array, parameters: Array) -> tuple[Array, Array, Array]:
        """The same at instant j of case k (`t[k, j]`, `y[k, j, i]`, `parameters[k, p]`), and the rates there."""
        cases, instants, width = y.shape
        flat, times = np.ascontiguousarray(y.reshape(-1, width)), np.ascontiguousarray(t.reshape(-1))
        numbers = np.repeat(parameters, instants, axis=0)
        rates = np.asarray(native_rates(self.system)(times, flat, numbers))
        values, slopes = (x.reshape(cases, instants, -1) for x in self._told(times, flat, rates, numbers))
        return values, slopes, rates.reshape(cases, instants, width)

    def values(self, t: Array, y: Array, parameters: Array) -> Array:
        """All formulas at instant j of case k."""
        return self._at_instants(t, y, parameters)[0][:, :, : len(self.formulas)]

    def of(
        self, t: Array, y: Array, parameters: Array, good: NDArray[np.bool_], rtol: float
    ) -> tuple[list[Array], dict[str, float]]:
        """One array for each measure, and how much the instants may miss of some in `good` cases: see `_doubtful`."""
        known = {ex.symbol(name): parameters[:, k] for k, name in enumerate(self.system.known_parameters)}
        at = self._at_instants(t, y, parameters)
        measured = self._reduced(self._courses(t, y, parameters, *at), known)
        return measured, self._doubtful(t[good], at[0][good], at[1][good], rtol)

    def _courses(
        self, t: Array, y: Array, parameters: Array, values: Array, slopes: Array, rates: Array
    ) -> list[Pieces]:
        """Of each formula, its cubics in all cases."""
        h = np.diff(t, axis=1)
        course, found = _Course(self, t[:, :-1], h, y, rates, parameters), list[Pieces]()
        kinds = [kind for measure in self.measures for kind, _ in measure.inner]
        for i, (places, kind, formula) in enumerate(zip(self.corners, kinds, self._whole, strict=True)):
            whole = Pieces.between(h, values[:, :, i], slopes[:, :, i])
            if places and kind not in _AT_ENDS:
                inner = [Pieces.between(h, values[:, :, k], slopes[:, :, k]) for k in places]
                among = np.full(h.shape, steep(formula)) | np.any([near_zero(x) for x in inner], axis=0)
                cuts = [zeros(x.some(among)) for x in inner]
                whole = parted(whole, among, np.concatenate(cuts, axis=1), partial(course.look, i))
            found.append(whole)
        return found

    def _doubtful(self, t: Array, values: Array, slopes: Array, rtol: float) -> dict[str, float]:
        """Measures that the instants do not tell, each with the share of its course by which the cubics may miss it.

        Of a formula with corners, what vanishes there is looked at. A motion that passes two instants only is not
        known between them: infinity. What the motion itself does not know, some `rtol` of its size, is not missed.
        """
        found = dict[str, float]()
        reduced = [(measure.text, kind) for measure in self.measures for kind, _ in measure.inner]
        for i, ((text, kind), places) in enumerate(zip(reduced, self.corners, strict=True)):
            smooth = [k for k in places or [i] if k < len(reduced) or not corners([self._vanishing[k - len(reduced)]])]
            if kind in _AT_ENDS:
                continue
            for k in smooth:
                worst = float(np.max(_missed(t, values[:, :, k], slopes[:, :, k], rtol), initial=0.0))
                if worst > max(_KNOWN, found.get(text, 0.0)):
                    found[text] = worst
        return found

    def of_touching(self, motion: Motion, instants: Array) -> Array:
        """A number for each measure of one motion with contacts: what they push is in it, and no arc sees another.

        Slopes are differences within an arc; time stepping has none, its forces being those of whole steps.
        """
        arcs = [_looked_at(arc, instants) for arc in motion.arcs]
        values = np.stack(replace(motion, arcs=tuple(arcs)).evaluate(self.formulas), axis=1)
        t, slopes, first = np.concatenate([arc.t for arc in arcs]), np.zeros_like(values), 0
        for arc in arcs:
            last = first + len(arc.t)
            if len(arc.t) > 2 and not stepped(motion):
                slopes[first:last] = np.gradient(values[first:last], arc.t, axis=0, edge_order=2)
            first = last
        known = {ex.symbol(name): number for name, number in motion.parameters.items()}
        h = np.diff(t)[None]
        pieces = [Pieces.between(h, values[None, :, i], slopes[None, :, i]) for i in range(values.shape[1])]
        pieces = [x.straight() if places else x for x, places in zip(pieces, self.corners, strict=True)]
        return np.concatenate(self._reduced(pieces, known))

    def _reduced(self, pieces: Sequence[Pieces], known: Mapping[Expr, Any]) -> list[Array]:
        """One array for each measure, from the courses of its formulas."""
        cases, told, at = len(pieces[0].h), list[Array](), 0
        for measure in self.measures:
            values: dict[Expr, Any] = dict(known)
            for k, (kind, _) in enumerate(measure.inner):
                values[reduced_symbol(k)] = REDUCTIONS[kind](pieces[at])
                at += 1
            (number,) = ex.evaluate([measure.outer], values)
            told.append(np.broadcast_to(np.asarray(number, dtype=float), (cases,)).copy())
        return told


def _missed(t: Array, values: Array, slopes: Array, rtol: float) -> Array:
    """By how much cubics between instants may miss a course, in parts of what it runs through: a number for each case.

    Every second instant is left out, and those that are left tell it; then of four, three. Where the second gap is as
    much larger as that of a cubic is, cubics between all instants miss less than the first (some sixteenth of it, where
    nothing quick hides below). Where it is not, the motion may be quick: between two instants it goes where its slopes
    lead, and the first gap is a quarter of that, unless all instants find it in one phase and at rest.
    """
    fine, evenly = _left_out(t, values, slopes, 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        rough, _ = _left_out(t, values, slopes, 2)
        missed = np.where(rough >= _FOLLOWED * fine, fine, _QUICK * fine)
        size, run = np.max(np.abs(values), axis=1), np.max(values, axis=1) - np.min(values, axis=1)
        share = np.where(fine > _OWN * rtol * size, missed / run, 0.0)
    known = evenly | (t[:, -1] == t[:, 0])
    return np.where(known, np.nan_to_num(share, nan=0.0, posinf=np.inf), np.inf)


def _left_out(t: Array, values: Array, slopes: Array, apart: int) -> tuple[Array, NDArray[np.bool_]]:
    """What cubics over `2 apart` intervals miss in their middles, at the most; and is there one that tells?

    A slope that is missed there by d is a value missed beside it by less than d h/4: quick motions may look slow where
    only their values are seen.
    """
    first, middle, after = (slice(k * apart, values.shape[1] - (2 - k) * apart, 2 * apart) for k in range(3))
    h = t[:, after] - t[:, first]
    evenly = (np.abs(t[:, middle] - (t[:, after] + t[:, first]) / 2) < 1e-9 * np.abs(h)) & (h != 0)
    a, b, p, q = values[:, first], values[:, after], slopes[:, first] * h, slopes[:, after] * h
    away = np.abs(values[:, middle] - (a + b) / 2 - (p - q) / 8)
    steeper = np.abs(slopes[:, middle] * h - 3 * (b - a) / 2 + (p + q) / 4) / 4
    gap: Array = np.max(np.where(evenly, np.maximum(away, steeper), 0.0), axis=1, initial=0.0)
    return gap, np.asarray(evenly.any(axis=1))


@dataclass(frozen=True)
class _Course:
    """States between instants: the cubics with the states and rates there."""

    gauge: Gauge
    begin: Array
    h: Array
    y: Array
    rates: Array
    parameters: Array

    def look(self, formula: int, case: NDArray[np.int64], interval: NDArray[np.int64], s: Array) -> tuple[Array, Array]:
        """A formula and its slope at shares of intervals."""
        h, s = self.h[case, interval][:, None], s[:, None]
        a, b = self.y[case, interval], self.y[case, interval + 1]
        p, q = self.rates[case, interval] * h, self.rates[case, interval + 1] * h
        c, d = coefficients(a, b, p, q)
        t, numbers = self.begin[case, interval] + (s * h)[:, 0], self.parameters[case]
        # slopes are those of this course, not of the motion near it: cubics would never follow it
        rates = (p + s * (2 * c + s * 3 * d)) / np.where(h != 0, h, 1.0)
        values, slopes = self.gauge._told(t, a + s * (p + s * (c + s * d)), rates, numbers)
        return values[:, formula], slopes[:, formula]
