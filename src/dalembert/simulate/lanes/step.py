"""One attempt of an explicit method in all lanes at once, to the last digit what `loop.step` makes. Loads numba.

`v` is the block of `lanes.layout`, `m` that of any lane, which knows the sizes and the method. Sums are in the same
order with the same roundings as in `loop.step`, so that no digit depends on the neighbours of a trajectory.
"""

from __future__ import annotations

from functools import lru_cache
from types import SimpleNamespace
from typing import Any

from numba import types
from numba.extending import intrinsic

from dalembert.simulate.lanes import layout as lanes
from dalembert.simulate.lanes.vectors import vectors_of
from dalembert.simulate.loop.layout import (
    ATOL,
    COLUMN,
    DENSE,
    DENSE_ROWS,
    EARLY,
    ERROR,
    NODE,
    RTOL,
    SLOPES,
    STAGES,
    START,
    VALUE,
    N,
)
from dalembert.simulate.loop.step import _emit_call, compiled, doubles, integers

RATES, GUARD, CLOCK, PARAMETER, KEPT, SCRATCH = (
    lanes.RATES,
    lanes.GUARD,
    lanes.CLOCK,
    lanes.PARAMETER,
    lanes.KEPT,
    lanes.SCRATCH,
)
GUARD_SCRATCH, GUARD_VALUE = lanes.GUARD_SCRATCH, lanes.GUARD_VALUE
Y, Y_NEW, Y_TRY, SLOPE, COEFFICIENT = lanes.Y, lanes.Y_NEW, lanes.Y_TRY, lanes.SLOPE, lanes.COEFFICIENT
TIME, LENGTH, FIRST, SECOND = lanes.TIME, lanes.LENGTH, lanes.FIRST, lanes.SECOND
WAY, PART, TAKEN = lanes.WAY, lanes.PART, lanes.TAKEN


@intrinsic
def _call_lanes(typing_context: Any, address: Any, t: Any, y: Any, p: Any, kept: Any, scratch: Any, out: Any) -> Any:
    return types.void(address, t, y, p, kept, scratch, out), _emit_call


@lru_cache(maxsize=4)
def step_of(width: int) -> SimpleNamespace:
    """The parts of a step for so many lanes."""
    vector = vectors_of(width)
    load, store, spread, fused, larger = vector.load, vector.store, vector.spread, vector.fused, vector.larger
    plus, minus, times, over, size, keep = (
        vector.plus,
        vector.minus,
        vector.times,
        vector.over,
        vector.size,
        vector.keep,
    )

    @compiled
    def behind(base: int, vectors: int) -> Any:
        """The array that begins so many vectors after an address."""
        return doubles(base + 8 * width * vectors)

    @compiled
    def rates(v: Any, y: int, out: int) -> None:
        kept, p = doubles(v[KEPT]), doubles(v[PARAMETER])
        _call_lanes(v[RATES], doubles(v[CLOCK]), doubles(y), p, kept, doubles(v[SCRATCH]), doubles(out))

    @compiled
    def guards(v: Any) -> None:
        """Values of the guards at the end of the step, whose time is on the clock."""
        scratch, out, p = doubles(v[GUARD_SCRATCH]), doubles(v[GUARD_VALUE]), doubles(v[PARAMETER])
        _call_lanes(v[GUARD], doubles(v[CLOCK]), doubles(v[Y_NEW]), p, doubles(v[KEPT]), scratch, out)

    @compiled
    def combine(v: Any, m: Any, row: int, out: Any) -> None:
        """out = y + h * sum of value * slope over a row, four states at a time."""
        n, slope, y = m[N], doubles(v[SLOPE]), doubles(v[Y])
        value, column, start = doubles(m[VALUE]), integers(m[COLUMN]), integers(m[START])
        first, end, h = start[row], start[row + 1], load(doubles(v[LENGTH]), 0)
        i = 0
        while i + 4 <= n:
            a = b = c = d = spread(0.0)
            for j in range(first, end):
                k, weight = n * column[j] + i, spread(value[j])
                a = fused(weight, load(slope, k), a)
                b = fused(weight, load(slope, k + 1), b)
                c = fused(weight, load(slope, k + 2), c)
                d = fused(weight, load(slope, k + 3), d)
            store(fused(h, a, load(y, i)), out, i)
            store(fused(h, b, load(y, i + 1)), out, i + 1)
            store(fused(h, c, load(y, i + 2)), out, i + 2)
            store(fused(h, d, load(y, i + 3)), out, i + 3)
            i += 4
        while i < n:
            a = spread(0.0)
            for j in range(first, end):
                a = fused(spread(value[j]), load(slope, n * column[j] + i), a)
            store(fused(h, a, load(y, i)), out, i)
            i += 1

    @compiled
    def stage(v: Any, m: Any, j: int) -> None:
        """Slope j, inside the step."""
        t, h = load(doubles(v[TIME]), 0), load(doubles(v[LENGTH]), 0)
        combine(v, m, j, doubles(v[Y_TRY]))
        store(fused(spread(doubles(m[NODE])[j]), h, t), doubles(v[CLOCK]), 0)
        rates(v, v[Y_TRY], v[SLOPE] + 8 * width * m[N] * j)

    @compiled
    def slope_at_end(v: Any, m: Any) -> None:
        store(plus(load(doubles(v[TIME]), 0), load(doubles(v[LENGTH]), 0)), doubles(v[CLOCK]), 0)
        rates(v, v[Y_NEW], v[SLOPE] + 8 * width * m[N] * m[STAGES])

    @compiled
    def scaled(v: Any, m: Any, i: int, value: Any) -> Any:
        both = larger(size(load(doubles(v[Y]), i)), size(load(doubles(v[Y_NEW]), i)))
        return over(value, fused(both, spread(doubles(m[RTOL])[i]), spread(doubles(m[ATOL])[i])))

    @compiled
    def error(v: Any, m: Any) -> None:
        """Sums of squares of both estimates of the scaled local error."""
        n, count, weight, slope = m[N], m[STAGES] + 1, doubles(m[ERROR]), doubles(v[SLOPE])
        first = second = spread(0.0)
        for i in range(n):
            a = p = spread(0.0)
            for j in range(count):
                k = load(slope, n * j + i)
                a, p = fused(spread(weight[j]), k, a), fused(spread(weight[count + j]), k, p)
            a, p = scaled(v, m, i, a), scaled(v, m, i, p)
            first, second = fused(a, a, first), fused(p, p, second)
        store(first, doubles(v[FIRST]), 0)
        store(second, doubles(v[SECOND]), 0)

    @compiled
    def attempt(v: Any, m: Any) -> None:
        """The end of a step of each lane, and its error."""
        for j in range(1, m[STAGES]):
            stage(v, m, j)
        combine(v, m, m[STAGES], doubles(v[Y_NEW]))
        if m[EARLY]:
            slope_at_end(v, m)
        error(v, m)

    @compiled
    def pace(v: Any, m: Any) -> None:
        """How far the states went, in their tolerances."""
        n, y, y_new = m[N], doubles(v[Y]), doubles(v[Y_NEW])
        way = spread(0.0)
        for i in range(n):
            way = larger(way, size(scaled(v, m, i, minus(load(y_new, i), load(y, i)))))
        store(way, doubles(v[WAY]), 0)

    @compiled
    def dense(v: Any, m: Any) -> None:
        """Coefficients of the dense output: see `loop.step.dense`."""
        n, slopes, rows = m[N], m[SLOPES], m[DENSE_ROWS]
        c, slope, y, y_new, weight = (
            doubles(v[COEFFICIENT]),
            doubles(v[SLOPE]),
            doubles(v[Y]),
            doubles(v[Y_NEW]),
            doubles(m[DENSE]),
        )
        h = load(doubles(v[LENGTH]), 0)
        for j in range(m[STAGES] + 1, slopes):
            stage(v, m, j)
        for i in range(n):
            store(minus(load(y_new, i), load(y, i)), c, i)
        for row in range(rows):
            i = 0
            while i + 4 <= n:
                a = b = d = e = spread(0.0)
                for j in range(slopes):
                    k, one = n * j + i, spread(weight[slopes * row + j])
                    a = fused(one, load(slope, k), a)
                    b = fused(one, load(slope, k + 1), b)
                    d = fused(one, load(slope, k + 2), d)
                    e = fused(one, load(slope, k + 3), e)
                k = n * (row + 1) + i
                store(times(h, a), c, k)
                store(times(h, b), c, k + 1)
                store(times(h, d), c, k + 2)
                store(times(h, e), c, k + 3)
                i += 4
            while i < n:
                a = spread(0.0)
                for j in range(slopes):
                    a = fused(spread(weight[slopes * row + j]), load(slope, n * j + i), a)
                store(times(h, a), c, n * (row + 1) + i)
                i += 1

    @compiled
    def inside(v: Any, m: Any) -> None:
        """The state in each lane at its own part of its step, in Y_TRY."""
        n, rows, c, y, out = m[N], m[DENSE_ROWS], doubles(v[COEFFICIENT]), doubles(v[Y]), doubles(v[Y_TRY])
        x = load(doubles(v[PART]), 0)
        rest = minus(spread(1.0), x)
        for i in range(n):
            total = load(c, n * rows + i)
            for j in range(rows, 0, -1):
                total = fused(total, x if j % 2 == 0 else rest, load(c, n * (j - 1) + i))
            store(fused(total, x, load(y, i)), out, i)

    @compiled
    def move(v: Any, m: Any) -> None:
        """Lanes whose step was taken go on from its end."""
        n, y, slope, y_new, mask = m[N], doubles(v[Y]), doubles(v[SLOPE]), doubles(v[Y_NEW]), doubles(v[TAKEN])
        end = behind(v[SLOPE], n * m[STAGES])
        for i in range(n):
            store(keep(mask, load(y_new, i), load(y, i)), y, i)
            store(keep(mask, load(end, i), load(slope, i)), slope, i)

    return SimpleNamespace(
        attempt=attempt, slope_at_end=slope_at_end, guards=guards, pace=pace, dense=dense, inside=inside, move=move
    )
