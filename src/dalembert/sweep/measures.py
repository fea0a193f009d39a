"""What is kept of a motion: one number for each formula with max, min, mean, rms, first, final.

Between two instants a formula is the cubic with its values and slopes there, so an extreme is found between them too,
and a mean is exact to the fourth order in their distance.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
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

Array = NDArray[np.float64]
_NAME = "reduced__"
_APART = 1e-6
"""Times of an arc closer than this share of it tell no slope: differences of nine digits leave three."""


def reduced_symbol(k: int) -> Expr:
    """What stands for the k-th reduced formula in the outer formula of a measure."""
    return ex.symbol(f"{_NAME}{k}")


def _extreme(sign: float) -> Callable[[Array, Array, Array], Array]:
    def found(h: Array, f: Array, slope: Array) -> Array:
        best: Array = np.max(sign * f, axis=1)
        a, b = sign * f[:, :-1], sign * f[:, 1:]
        da, db = sign * slope[:, :-1] * h, sign * slope[:, 1:] * h
        # the cubic a + da s + c s^2 + d s^3 on 0 < s < 1, where its slope vanishes
        c, d = 3 * (b - a) - 2 * da - db, da + db - 2 * (b - a)
        with np.errstate(invalid="ignore", divide="ignore"):
            root = np.sqrt(c * c - 3 * d * da)
            for s in ((-c - root) / (3 * d), (-c + root) / (3 * d), -da / (2 * c)):
                inner = np.where((s > 0) & (s < 1), a + s * (da + s * (c + s * d)), -np.inf)
                best = np.maximum(best, np.max(inner, axis=1, initial=-np.inf))  # the third serves where d is nothing
        return sign * best

    return found


def _mean(h: Array, f: Array, slope: Array) -> Array:
    whole = h.sum(axis=1)
    area = (h / 2 * (f[:, :-1] + f[:, 1:]) + h * h / 12 * (slope[:, :-1] - slope[:, 1:])).sum(axis=1)
    return np.where(whole != 0, area / np.where(whole != 0, whole, 1.0), f[:, 0])


def _rms(h: Array, f: Array, slope: Array) -> Array:
    found: Array = np.sqrt(np.maximum(_mean(h, f * f, 2 * f * slope), 0.0))
    return found


REDUCTIONS: dict[str, Callable[[Array, Array, Array], Array]] = {
    "max": _extreme(1.0),
    "min": _extreme(-1.0),
    "mean": _mean,
    "rms": _rms,
    "first": lambda h, f, slope: f[:, 0],
    "final": lambda h, f, slope: f[:, -1],
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


@dataclass
class Gauge:
    """Measures of a system, in machine code: values and slopes of all formulas at once."""

    system: System
    measures: Sequence[Measure]
    _function: Any = field(default=None, repr=False)

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

    def _compiled(self) -> Any:
        if self._function is None:
            system = self.system
            told = system.with_outputs(self.formulas)
            rates = [ex.symbol(f"rate {k}") for k in range(len(system.states))]
            slopes = []
            for e in told:
                grown = zip(ex.gradient(e, system.symbols), rates, strict=True)
                slopes.append(sum((g * r for g, r in grown), ex.derivative(e, ex.TIME)))
            inputs = [[ex.TIME], system.symbols, rates, [ex.symbol(p) for p in system.known_parameters]]
            self._function = compile_functions([Function("measures", inputs, [*told, *slopes])])["measures"]
        return self._function

    def values(self, t: Array, y: Array, parameters: Array) -> Array:
        """At instant j of case k (`t[k, j]`, `y[k, j, i]`, `parameters[k, p]`): all formulas, then their slopes."""
        cases, instants, width = y.shape
        flat, times = np.ascontiguousarray(y.reshape(-1, width)), np.ascontiguousarray(t.reshape(-1))
        numbers = np.repeat(parameters, instants, axis=0)
        rates = np.asarray(native_rates(self.system)(times, flat, numbers))
        found: Array = self._compiled()(times, flat, rates, numbers).reshape(cases, instants, -1)
        return found

    def of(self, t: Array, y: Array, parameters: Array) -> list[Array]:
        """One array for each measure."""
        found = self.values(t, y, parameters)
        half = found.shape[2] // 2
        known = {ex.symbol(name): parameters[:, k] for k, name in enumerate(self.system.known_parameters)}
        return self._reduced(np.diff(t, axis=1), found[:, :, :half], found[:, :, half:], known)

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
        return np.concatenate(self._reduced(np.diff(t)[None], values[None], slopes[None], known))

    def _reduced(self, h: Array, found: Array, slopes: Array, known: Mapping[Expr, Any]) -> list[Array]:
        """One array for each measure, from values and slopes of its formulas: `found[k, j, i]`."""
        cases, told, at = len(found), list[Array](), 0
        for measure in self.measures:
            values: dict[Expr, Any] = dict(known)
            for k, (kind, _) in enumerate(measure.inner):
                values[reduced_symbol(k)] = REDUCTIONS[kind](h, found[:, :, at], slopes[:, :, at])
                at += 1
            (number,) = ex.evaluate([measure.outer], values)
            told.append(np.broadcast_to(np.asarray(number, dtype=float), (cases,)).copy())
        return told
