"""Arithmetic of coefficients as LLVM instructions: doubles, or unevaluated sums of two of them.

Pairs (double-double) hold 106 bits: sums and products keep their rounding errors, which two_sum and a fused product
tell exactly (Dekker 1971; Joldes, Muller and Popescu, ACM TOMS 44, 2017). Every number is a tuple of its parts; memory
holds the second parts `low` doubles after the first ones.
"""

from __future__ import annotations

from fractions import Fraction

from dalembert.codegen._ir import Writer

Number = tuple[str, ...]


def parts_of(value: Fraction, count: int) -> list[float]:
    """The `count` doubles whose sum is nearest to a fraction."""
    parts = []
    for _ in range(count):
        parts.append(value.numerator / value.denominator)
        value -= Fraction(parts[-1])
    return parts


class Doubles:
    """One double a number."""

    parts = 1

    def __init__(self, w: Writer, low: int = 0) -> None:
        self.w, self.low = w, low

    def constant(self, value: Fraction) -> Number:
        return tuple(self.w.constant(x) for x in parts_of(value, self.parts))

    def load(self, base: str, offset: int) -> Number:
        w = self.w
        places = [w.emit(f"getelementptr double, ptr {base}, i64 {offset + k * self.low}") for k in range(self.parts)]
        return tuple(w.emit(f"load {w.real}, ptr {place}, align 8") for place in places)

    def store(self, value: Number, base: str, offset: int) -> None:
        w = self.w
        for k, x in enumerate(value):
            place = w.emit(f"getelementptr double, ptr {base}, i64 {offset + k * self.low}")
            w.line(f"  store {w.real} {x}, ptr {place}, align 8")

    def neg(self, a: Number) -> Number:
        return tuple(self.w.neg(x) for x in a)

    def add(self, a: Number, b: Number) -> Number:
        return (self.w.add(a[0], b[0]),)

    def sub(self, a: Number, b: Number) -> Number:
        return (self.w.sub(a[0], b[0]),)

    def mul(self, a: Number, b: Number) -> Number:
        return (self.w.mul(a[0], b[0]),)

    def fused(self, a: Number, b: Number, c: Number) -> Number:
        """a b + c"""
        return (self.w.fused(a[0], b[0], c[0]),)

    def div(self, a: Number, b: Number) -> Number:
        return (self.w.div(a[0], b[0]),)

    def root(self, a: Number) -> Number:
        return (self.w.intrinsic("sqrt", a[0]),)

    def accumulate(self, sums: Number, a: Number, b: Number, minus: bool) -> Number:
        """Sums plus or minus a product, lane by lane; they need not be in order of size until `total`."""
        return (self.w.fused(self.w.neg(a[0]) if minus else a[0], b[0], sums[0]),)

    def total(self, sums: Number, scalar: Writer) -> Number:
        """The sum of all lanes."""
        w = self.w
        if w.width == 1:
            return sums
        add = f"@llvm.vector.reduce.fadd.{w.suffix}"
        return (w.emit(f"call reassoc double {add}(double -0.0, {w.real} {sums[0]})"),)


class Pairs(Doubles):
    """Sums of two doubles, the second below half a unit of the first."""

    parts = 2

    def two_sum(self, a: str, b: str) -> tuple[str, str]:
        """a + b and its rounding error."""
        w = self.w
        s = w.add(a, b)
        v = w.sub(s, a)
        return s, w.add(w.sub(a, w.sub(s, v)), w.sub(b, v))

    def tidy(self, high: str, low: str) -> Number:
        """The same sum with |low| below half a unit of high; |high| >= |low| is known."""
        w = self.w
        s = w.add(high, low)
        return s, w.sub(low, w.sub(s, high))

    def exact_fma(self, a: str, b: str, c: str) -> str:
        return self.w.intrinsic("fma", a, b, c)

    def add(self, a: Number, b: Number) -> Number:
        w = self.w
        s, e = self.two_sum(a[0], b[0])
        t, f = self.two_sum(a[1], b[1])
        s, e = self.tidy(s, w.add(e, t))
        return self.tidy(s, w.add(e, f))

    def sub(self, a: Number, b: Number) -> Number:
        return self.add(a, self.neg(b))

    def mul(self, a: Number, b: Number) -> Number:
        w = self.w
        p = w.mul(a[0], b[0])
        e = self.exact_fma(a[0], b[0], w.neg(p))
        e = self.exact_fma(a[0], b[1], e)
        return self.tidy(p, self.exact_fma(a[1], b[0], e))

    def fused(self, a: Number, b: Number, c: Number) -> Number:
        return self.add(self.mul(a, b), c)

    def times(self, a: Number, b: str) -> Number:
        """A pair times a double."""
        w = self.w
        p = w.mul(a[0], b)
        e = self.exact_fma(a[0], b, w.neg(p))
        return self.tidy(p, self.exact_fma(a[1], b, e))

    def div(self, a: Number, b: Number) -> Number:
        w = self.w
        first = w.div(a[0], b[0])
        rest = self.sub(a, self.times(b, first))
        second = w.div(rest[0], b[0])
        rest = self.sub(rest, self.times(b, second))
        third = w.div(rest[0], b[0])
        high, low = self.tidy(first, second)
        return self.add((high, low), (third, w.constant(0.0)))

    def root(self, a: Number) -> Number:
        """Newton's step from the root of the first part; zero stays zero."""
        w = self.w
        x = w.intrinsic("sqrt", a[0])
        square = w.mul(x, x)
        rest = self.sub(a, (square, self.exact_fma(x, x, w.neg(square))))
        step = w.div(rest[0], w.add(x, x))
        empty = w.compare("oeq", a[0], w.constant(0.0))
        return self.tidy(x, w.select(empty, w.constant(0.0), step))

    def accumulate(self, sums: Number, a: Number, b: Number, minus: bool) -> Number:
        w = self.w
        if minus:
            a = self.neg(a)
        p = w.mul(a[0], b[0])
        e = self.exact_fma(a[0], b[0], w.neg(p))
        e = self.exact_fma(a[0], b[1], e)
        e = self.exact_fma(a[1], b[0], e)
        high, f = self.two_sum(sums[0], p)
        return high, w.add(sums[1], w.add(e, f))

    def total(self, sums: Number, scalar: Writer) -> Number:
        w, one = self.w, Pairs(scalar)
        found: Number = ()
        for k in range(w.width):
            lane = sums
            if w.width > 1:
                lane = tuple(w.emit(f"extractelement {w.real} {x}, i32 {k}") for x in sums)
            lane = one.two_sum(*lane)
            found = one.add(found, lane) if found else lane
        return found
