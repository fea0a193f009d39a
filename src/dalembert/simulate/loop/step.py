"""Compiled pieces of one step: calls by address, stages, error, dense output, projection.

Everything hangs on `m`, the block of integers of `layout`: sizes, counters and addresses of arrays. Plain pointers
compile in seconds where arrays would take a minute. The functions behind an address have the C signature
`void f(const double *t, const double *y, const double *p, double *out)`; a right-hand side whose parameters were
digested beforehand takes them after `p`; a projection is `void f(const double *t, double *y, const double *p)`.
Import this module only inside functions: it loads numba.
"""

from __future__ import annotations

import math
from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.core.cgutils import get_or_insert_function
from numba.extending import intrinsic

from dalembert.simulate.loop.layout import (
    ATOL,
    COEFFICIENT,
    COLUMN,
    DENSE,
    DENSE_ROWS,
    EARLY,
    ERROR,
    KEPT,
    NODE,
    PROJECT,
    QUATERNION,
    QUATERNIONS,
    RHS,
    RTOL,
    SLOPE,
    SLOPES,
    STAGES,
    START,
    TIME,
    VALUE,
    WEIGHT,
    WEIGHTS,
    Y_NEW,
    Y_TRY,
    N,
    P,
)

compiled = njit(nogil=True, error_model="numpy", fastmath={"contract"}, no_cpython_wrapper=True, no_cfunc_wrapper=True)
DOUBLES, INTEGERS = types.CPointer(types.float64), types.CPointer(types.int64)


def _cast(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    return builder.inttoptr(args[0], context.get_value_type(signature.return_type))


@intrinsic
def doubles(typing_context: Any, address: Any) -> Any:
    """The reals at an address."""
    return DOUBLES(address), _cast


@intrinsic
def integers(typing_context: Any, address: Any) -> Any:
    """The integers at an address."""
    return INTEGERS(address), _cast


@intrinsic
def past(typing_context: Any, pointer: Any, count: Any) -> Any:
    """The pointer `count` reals further."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.gep(args[0], [args[1]])

    return DOUBLES(pointer, count), build


def _emit_call(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    function = ir.FunctionType(ir.VoidType(), [value.type for value in args[1:]])
    builder.call(builder.inttoptr(args[0], function.as_pointer()), args[1:])
    return context.get_dummy_value()


@intrinsic
def _call(typing_context: Any, address: Any, t: Any, y: Any, p: Any, out: Any) -> Any:
    return types.void(address, t, y, p, out), _emit_call


@intrinsic
def _call_digested(typing_context: Any, address: Any, t: Any, y: Any, p: Any, kept: Any, out: Any) -> Any:
    return types.void(address, t, y, p, kept, out), _emit_call


@intrinsic
def _call_projection(typing_context: Any, address: Any, t: Any, y: Any, p: Any) -> Any:
    return types.void(address, t, y, p), _emit_call


@intrinsic
def fused(typing_context: Any, a: Any, b: Any, c: Any) -> Any:
    """a b + c, rounded once where the processor can: said wherever two roads must give the same digits."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        real = ir.DoubleType()
        name, kind = "llvm.fmuladd.f64", ir.FunctionType(real, [real] * 3)
        return builder.call(get_or_insert_function(builder.module, kind, name), args)

    real = types.float64
    return real(real, real, real), build


@intrinsic
def call_setup(typing_context: Any, address: Any, p: Any, kept: Any) -> Any:
    """Call `void setup(const double *p, double *kept)`."""
    return types.void(address, p, kept), _emit_call


@compiled
def evaluate(m: Any, address: int, t: float, y: Any, out: Any) -> None:
    """Call the events or the guards."""
    time = doubles(m[TIME])
    time[0] = t
    _call(address, time, y, doubles(m[P]), out)


@compiled
def rates(m: Any, t: float, y: Any, out: Any) -> None:
    """Call the right-hand side."""
    time = doubles(m[TIME])
    time[0] = t
    if m[KEPT] == 0:
        _call(m[RHS], time, y, doubles(m[P]), out)
    else:
        _call_digested(m[RHS], time, y, doubles(m[P]), doubles(m[KEPT]), out)


@compiled
def larger(a: float, b: float) -> float:
    return a if a > b else b


@compiled
def smaller(a: float, b: float) -> float:
    return a if a < b else b


@compiled
def same_sign(a: float, b: float) -> bool:
    """Of values that are not zero; their product would be nothing where both are tiny."""
    return a > 0.0 < b or a < 0.0 > b


@compiled
def copy(n: int, source: Any, target: Any) -> None:
    for i in range(n):
        target[i] = source[i]


@compiled
def project(m: Any, t: float, y: Any) -> None:
    """Bring a state back to its manifold: unit quaternions, then whatever the projection function keeps."""
    index = integers(m[QUATERNION])
    for row in range(m[QUATERNIONS]):
        square = 0.0
        for j in range(4):
            part = y[index[4 * row + j]]
            square = fused(part, part, square)
        scale = 1.0 / math.sqrt(square)
        for j in range(4):
            y[index[4 * row + j]] *= scale
    if m[PROJECT] != 0:
        time = doubles(m[TIME])
        time[0] = t
        _call_projection(m[PROJECT], time, y, doubles(m[P]))


@compiled
def combine(m: Any, row: int, y: Any, h: float, out: Any) -> None:
    """out = y + h * sum of value * slope over a row; four states at a time, so that sums stay in a vector register."""
    n, slope, value, column, start = m[N], doubles(m[SLOPE]), doubles(m[VALUE]), integers(m[COLUMN]), integers(m[START])
    first, end = start[row], start[row + 1]
    i = 0
    while i + 4 <= n:
        a = b = c = d = 0.0
        for j in range(first, end):
            k, weight = past(slope, n * column[j] + i), value[j]
            a = fused(weight, k[0], a)
            b = fused(weight, k[1], b)
            c = fused(weight, k[2], c)
            d = fused(weight, k[3], d)
        from_y, to = past(y, i), past(out, i)
        a, b, c, d = fused(h, a, from_y[0]), fused(h, b, from_y[1]), fused(h, c, from_y[2]), fused(h, d, from_y[3])
        to[0] = a
        to[1] = b
        to[2] = c
        to[3] = d
        i += 4
    while i < n:
        a = 0.0
        for j in range(first, end):
            a = fused(value[j], slope[n * column[j] + i], a)
        out[i] = fused(h, a, y[i])
        i += 1


@compiled
def explicit(m: Any, t: float, y: Any, h: float) -> int:
    """One explicit Runge-Kutta step from y, its first slope known: the end in Y_NEW; returns evaluations made."""
    n, stages, node, slope = m[N], m[STAGES], doubles(m[NODE]), doubles(m[SLOPE])
    y_try, y_new = doubles(m[Y_TRY]), doubles(m[Y_NEW])
    for i in range(1, stages):
        combine(m, i, y, h, y_try)
        rates(m, fused(node[i], h, t), y_try, past(slope, n * i))
    combine(m, stages, y, h, y_new)
    if m[EARLY]:
        rates(m, t + h, y_new, past(slope, n * stages))
    return stages - 1 + m[EARLY]


@compiled
def compose(m: Any, t: float, y: Any, h: float) -> int:
    """One symmetric composition of kick-drift-kick steps for q' = u, u' = a(q, t); slope 1 is the one at the end."""
    n, z, weight = m[N], doubles(m[Y_NEW]), doubles(m[WEIGHT])
    half, slope = n // 2, past(doubles(m[SLOPE]), n)
    copy(n, y, z)
    copy(n, doubles(m[SLOPE]), slope)
    for k in range(m[WEIGHTS]):
        g = weight[k] * h
        for i in range(half):
            z[half + i] += 0.5 * g * slope[half + i]
            z[i] += g * z[half + i]
        t += g
        rates(m, t, z, slope)
        for i in range(half):
            z[half + i] += 0.5 * g * slope[half + i]
    copy(half, past(z, half), slope)
    return m[WEIGHTS]


@compiled
def scaled(m: Any, y: Any, i: int, value: float) -> float:
    y_new, rtol, atol = doubles(m[Y_NEW]), doubles(m[RTOL]), doubles(m[ATOL])
    return value / fused(larger(abs(y[i]), abs(y_new[i])), rtol[i], atol[i])


@compiled
def error(m: Any, y: Any, h: float) -> float:
    """Root mean square of the scaled local error; two estimates are blended as Hairer does, one is used as it is."""
    n, width, weight, slope = m[N], m[STAGES] + 1, doubles(m[ERROR]), doubles(m[SLOPE])
    first = second = 0.0
    i = 0
    while i + 4 <= n:
        a = b = c = d = 0.0
        p = q = r = s = 0.0
        for j in range(width):
            k, e, f = past(slope, n * j + i), weight[j], weight[width + j]
            a = fused(e, k[0], a)
            b = fused(e, k[1], b)
            c = fused(e, k[2], c)
            d = fused(e, k[3], d)
            p = fused(f, k[0], p)
            q = fused(f, k[1], q)
            r = fused(f, k[2], r)
            s = fused(f, k[3], s)
        first = squared(scaled(m, y, i + 1, b), squared(scaled(m, y, i, a), first))
        first = squared(scaled(m, y, i + 3, d), squared(scaled(m, y, i + 2, c), first))
        second = squared(scaled(m, y, i + 1, q), squared(scaled(m, y, i, p), second))
        second = squared(scaled(m, y, i + 3, s), squared(scaled(m, y, i + 2, r), second))
        i += 4
    while i < n:
        a = p = 0.0
        for j in range(width):
            a = fused(weight[j], slope[n * j + i], a)
            p = fused(weight[width + j], slope[n * j + i], p)
        first, second = squared(scaled(m, y, i, a), first), squared(scaled(m, y, i, p), second)
        i += 1
    return blended(n, h, first, second)


@compiled
def squared(a: float, total: float) -> float:
    return fused(a, a, total)


@compiled
def blended(n: int, h: float, first: float, second: float) -> float:
    """The size of the error, from the sums of squares of both estimates."""
    if not math.isfinite(first + second):
        return math.inf
    if first == 0.0:
        return 0.0
    return abs(h) * first / math.sqrt(fused(0.01, second, first) * n)


@compiled
def hermite(m: Any, y: Any, h: float, end: Any) -> None:
    """The cubic through both ends with both slopes, in the nested form of `dense`."""
    n, c, y_new, first = m[N], doubles(m[COEFFICIENT]), doubles(m[Y_NEW]), doubles(m[SLOPE])
    for i in range(n):
        delta = y_new[i] - y[i]
        c[i] = delta
        c[n + i] = h * first[i] - delta
        c[2 * n + i] = 2.0 * delta - h * (first[i] + end[i])
    for i in range(3 * n, n * (m[DENSE_ROWS] + 1)):
        c[i] = 0.0


@compiled
def dense(m: Any, t: float, y: Any, h: float) -> int:
    """Coefficients of y + x(c0 + (1-x)(c1 + x(c2 + (1-x)(...)))), x in [0, 1]; the slopes of the step are known."""
    n, c, slope = m[N], doubles(m[COEFFICIENT]), doubles(m[SLOPE])
    if m[WEIGHTS] > 0:
        hermite(m, y, h, past(slope, n))
        half, g = n // 2, 0.5 * h * h
        for i in range(half):  # q: the quintic with both accelerations; u: the quartic whose integral is q's change
            k = half + i
            c[3 * n + i] = g * slope[k] + c[n + i] - c[2 * n + i]
            c[4 * n + i] = g * slope[n + k] + c[n + i] + 2.0 * c[2 * n + i] - c[3 * n + i]
            c[3 * n + k] = 30.0 * (c[i] / h - y[k] - c[k] / 2.0 - c[n + k] / 6.0 - c[2 * n + k] / 12.0)
            c[4 * n + k] = 0.0
        return 0
    slopes, y_new, y_try, node, weight = (
        m[SLOPES],
        doubles(m[Y_NEW]),
        doubles(m[Y_TRY]),
        doubles(m[NODE]),
        doubles(m[DENSE]),
    )
    for j in range(m[STAGES] + 1, slopes):
        combine(m, j, y, h, y_try)
        rates(m, fused(node[j], h, t), y_try, past(slope, n * j))
    for i in range(n):
        c[i] = y_new[i] - y[i]
        for row in range(m[DENSE_ROWS]):
            total = 0.0
            for j in range(slopes):
                total = fused(weight[slopes * row + j], slope[n * j + i], total)
            c[n * (row + 1) + i] = h * total
    return slopes - m[STAGES] - 1


@compiled
def polynomial(m: Any, y: Any, x: float, out: Any) -> None:
    """Evaluate the nested form, innermost bracket first."""
    n, c, rows = m[N], doubles(m[COEFFICIENT]), m[DENSE_ROWS]
    for i in range(n):
        total = c[n * rows + i]
        for j in range(rows, 0, -1):
            total = fused(total, x if j % 2 == 0 else 1.0 - x, c[n * (j - 1) + i])
        out[i] = fused(total, x, y[i])


@compiled
def state_at(m: Any, t: float, y: Any, h: float, x: float, out: Any) -> None:
    """The state inside a step, brought back to its manifold."""
    polynomial(m, y, x, out)
    project(m, fused(x, h, t), out)
