"""Taylor coefficients in machine code, by address."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.codegen import _target
from dalembert.codegen.native import load_text
from dalembert.codegen.series.code import series_text
from dalembert.expr import Expr, uncollected

_LINE = 8
"""Doubles of a line of cache, at which memory begins."""


@dataclass(frozen=True, slots=True, eq=False)
class NativeSeries:
    """`void series(const double *t, const double *y, const double *p, double *memory)` at `address`.

    `sum_address` is that of `void sum(const double *memory, const double *h, double *y)`. Numbers have `parts` doubles.
    `look_address` is that of `unrolled.look`, or 0.
    """

    order: int
    parts: int
    address: int
    sum_address: int
    room: int
    low: int
    owner: Any = field(repr=False)
    look_address: int = 0

    def memory(self) -> NDArray[np.float64]:
        """Zeros to work in, at the beginning of a line."""
        whole = np.zeros(self.room + _LINE)
        start = -(whole.ctypes.data // 8) % _LINE
        return whole[start : start + self.room]


@lru_cache(maxsize=16)
def compile_series(
    states: tuple[Expr, ...], parameters: tuple[Expr, ...], rates: tuple[Expr, ...], order: int, paired: bool = False
) -> NativeSeries:
    """The series of y' = rates up to an order; `paired` numbers are sums of two doubles.

    A function with a kink has none: ExpressionError.
    """
    with uncollected():
        made = series_text(states, parameters, rates, order, paired, _target.vector_width())
    loaded = load_text(made.text, ["series", "sum", "look"] if made.looks else ["series", "sum"])
    first, second, third = (loaded.addresses.get(name, 0) for name in ("series", "sum", "look"))
    return NativeSeries(order, 2 if paired else 1, first, second, made.room, made.low, loaded, third)


def coefficients(series: NativeSeries, t: float, y: Sequence[float], parameters: Sequence[float]) -> Any:
    """Coefficients 0 to `order`, a row each; of pairs first and second parts, stacked."""
    from ctypes import CFUNCTYPE, c_void_p

    n = len(y)
    time, state, values = np.array([t]), np.zeros(n * series.parts), np.array(parameters, dtype=float)
    state[:n] = y
    memory = series.memory()
    CFUNCTYPE(None, *[c_void_p] * 4)(series.address)(*(a.ctypes.data for a in (time, state, values, memory)))
    size = (series.order + 1) * n
    rows = [memory[k * series.low : k * series.low + size].reshape(-1, n) for k in range(series.parts)]
    return np.stack(rows) if series.parts > 1 else rows[0]
