"""Which cases: axes of a grid and draws from distributions, the same for a seed however they are cut in chunks."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.errors import ArgumentError

Array = NDArray[np.float64]
DESIGNS = ("random", "sobol", "halton", "latin")
#: Cases of one sweep: their design is held in memory, 8 bytes for each number.
MOST = 100_000_000

_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"
_RANGE = re.compile(rf"\s*({_NUMBER})\s*:\s*({_NUMBER})\s*:\s*(\d+)\s*")
_DRAW = re.compile(rf"\s*(uniform|normal|loguniform)\(\s*({_NUMBER})\s*,\s*({_NUMBER})\s*\)\s*")


@dataclass(frozen=True)
class Axis:
    """A name with the values of a grid."""

    name: str
    values: tuple[float, ...]


@dataclass(frozen=True)
class Draw:
    """A name with a distribution: uniform (a, b), normal (mean, deviation), loguniform (a, b)."""

    name: str
    kind: str
    first: float
    second: float

    def at(self, u: Array) -> Array:
        """Its values at quantiles between 0 and 1."""
        if self.kind == "uniform":
            return self.first + (self.second - self.first) * u
        if self.kind == "loguniform":
            low, high = math.log(self.first), math.log(self.second)
            return np.exp(low + (high - low) * u)
        from scipy.special import ndtri

        inner = np.clip(u, np.finfo(float).tiny, 1 - np.finfo(float).eps / 2)  # the ends are infinitely far
        found: Array = self.first + self.second * ndtri(inner)
        return found


def read_variable(name: str, value: Any) -> Axis | Draw:
    """What a name runs through: '1:3:100', 'uniform(0, 1)', 'normal(0, 0.1)', 'loguniform(1, 100)', or numbers.

    >>> read_variable("m", "1:3:3")
    Axis(name='m', values=(1.0, 2.0, 3.0))
    """
    if not isinstance(value, str):
        try:
            numbers = np.atleast_1d(np.asarray(value, dtype=float))
        except (TypeError, ValueError):  # what is no real number
            numbers = np.full(1, np.nan)
        if numbers.ndim != 1 or not len(numbers) or not np.isfinite(numbers).all():
            raise ArgumentError(f"'{name}' varies through a list of finite numbers.")
        return Axis(name, tuple(numbers.tolist()))
    if found := _RANGE.fullmatch(value):
        low, high, count = float(found[1]), float(found[2]), int(found[3])
        if not 1 <= count <= MOST or (count == 1 and low != high):
            raise ArgumentError(f"'{name}' = {value}: from {low:g} to {high:g} in {count} values is no grid.")
        if not math.isfinite(high - low):
            raise ArgumentError(f"'{name}' = {value}: the ends of a grid, and their distance, are finite numbers.")
        return Axis(name, tuple(np.linspace(low, high, count).tolist()))
    if found := _DRAW.fullmatch(value):
        one = Draw(name, found[1], float(found[2]), float(found[3]))
        if not math.isfinite(one.second - one.first):
            raise ArgumentError(f"'{name}' = {value}: both numbers, and their distance, are finite.")
        if one.kind == "normal" and one.second < 0:
            raise ArgumentError(f"'{name}' = {value}: a deviation is not negative.")
        if one.kind == "loguniform" and min(one.first, one.second) <= 0:
            raise ArgumentError(f"'{name}' = {value}: both ends must be positive.")
        return one
    raise ArgumentError(
        f"'{name}' = {value} is not understood: write 1:3:100 (from, to, how many), uniform(0,1), normal(0,0.1) or "
        "loguniform(1,100)."
    )


@dataclass(frozen=True)
class Design:
    """Every combination of the axes, each with `samples` draws."""

    axes: tuple[Axis, ...]
    draws: tuple[Draw, ...]
    samples: int
    kind: str
    seed: int

    @staticmethod
    def of(vary: Mapping[str, Any], samples: int | None, kind: str, seed: int) -> Design:
        if not vary:
            raise ArgumentError("a sweep varies something: name parameters or starts, e.g. vary={'m': '1:3:100'}.")
        if kind not in DESIGNS:
            raise ArgumentError(f"design '{kind}' is unknown: choose {', '.join(DESIGNS)}.")
        variables = [read_variable(name, value) for name, value in vary.items()]
        axes = tuple(x for x in variables if isinstance(x, Axis))
        draws = tuple(x for x in variables if isinstance(x, Draw))
        if samples is not None and not draws:
            raise ArgumentError("`samples` counts draws, but every variable is a grid: leave it out.")
        if draws and samples is None:
            raise ArgumentError(f"'{draws[0].name}' is drawn at random: say how often, e.g. samples=1000.")
        if samples is not None and (not isinstance(samples, Integral) or samples < 1):
            raise ArgumentError("`samples` is a whole number, at least 1.")
        if not isinstance(seed, Integral) or seed < 0:
            raise ArgumentError(f"`seed` is a whole number, zero or more, not {seed}.")
        made = Design(axes, draws, samples or 1, kind, int(seed))
        if len(made) > MOST:
            raise ArgumentError(f"these are {len(made)} cases; one sweep holds {MOST} at most.")
        return made

    def __len__(self) -> int:
        return math.prod(len(x.values) for x in self.axes) * self.samples

    @property
    def names(self) -> tuple[str, ...]:
        return (*(x.name for x in self.axes), *(x.name for x in self.draws))

    def table(self) -> dict[str, Array]:
        """One column for each name, a row for each case."""
        sizes = [len(x.values) for x in self.axes]
        grid = np.indices([*sizes, self.samples]).reshape(len(sizes) + 1, -1)
        columns = {x.name: np.asarray(x.values)[grid[k]] for k, x in enumerate(self.axes)}
        if self.draws:
            u = self._quantiles(len(self), len(self.draws))
            columns |= {x.name: x.at(u[:, k]) for k, x in enumerate(self.draws)}
        return columns

    def _quantiles(self, count: int, width: int) -> Array:
        if self.kind == "random":
            return np.random.default_rng(self.seed).random((count, width))
        from scipy.stats import qmc

        if self.kind == "sobol":
            found: Array = qmc.Sobol(width, seed=self.seed).random_base2(max(0, (count - 1).bit_length()))[:count]
            return found
        kinds: dict[str, Any] = {"halton": qmc.Halton, "latin": qmc.LatinHypercube}
        sequence: Array = kinds[self.kind](width, seed=self.seed).random(count)
        return sequence

    def as_dict(self) -> dict[str, Any]:
        return {
            "axes": [[x.name, list(x.values)] for x in self.axes],
            "draws": [[x.name, x.kind, x.first, x.second] for x in self.draws],
            "samples": self.samples,
            "design": self.kind,
            "seed": self.seed,
        }


def column_names(names: Sequence[str], measures: Sequence[str]) -> tuple[str, ...]:
    """The columns of a result; two of one name would hide each other."""
    columns = ("case", *names, *measures, "status", "t_last")
    for name in columns:
        if columns.count(name) > 1:
            raise ArgumentError(f"two columns of the sweep would be called '{name}': name each variable once.")
    return columns
