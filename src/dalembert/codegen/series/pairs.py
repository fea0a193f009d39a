"""Elementary functions of pairs of doubles, as LLVM functions `{double, double} @pair.name(double high, double low)`.

Sines and exponentials are reduced exactly enough and summed as Taylor series; logarithms and arcs are one Newton step
from the double, which squares its error: 1e-32.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from math import factorial

from dalembert.codegen._ir import Writer
from dalembert.codegen.series.arithmetic import Number, Pairs, parts_of

_HALF_PI = Fraction("1.57079632679489661923132169163975144209858469968755291048747229615390820314310449931401741267")
_LOG_2 = Fraction("0.69314718055994530941723212145817656807550013436025525412068000949339362196969471560586332699")
_HALVINGS = 6
_EXP_TERMS, _SIN_TERMS = 15, 15
"""Terms beyond which series on |r| < 0.0055 and |r| < pi/4 add less than 1e-33."""
_FARTHEST = 2000.0
"""Powers of two beyond which all doubles are zero or infinite, and half of which a double has."""
_SATURATED = 40.0
"""Where 1 - tanh is below 1e-34."""


def _series(n: Pairs, z: Number, coefficients: list[Fraction]) -> Number:
    """Horner's rule, lowest coefficient first."""
    *rest, total = [n.constant(c) for c in coefficients]
    for c in reversed(rest):
        total = n.fused(total, z, c)
    return total


def _reduced(n: Pairs, a: Number, step: Fraction) -> tuple[Number, str]:
    """a - count step, |.| <= step/2, and the whole number count."""
    w = n.w
    count = w.intrinsic("rint", w.mul(a[0], w.constant(float(1 / step))))
    for part in parts_of(step, 4):
        high = w.mul(count, w.constant(-part))
        a = n.add(a, (high, n.exact_fma(count, w.constant(-part), w.neg(high))))
    return a, count


def _sine_and_cosine(n: Pairs, a: Number) -> tuple[Number, Number]:
    w = n.w
    r, count = _reduced(n, a, _HALF_PI)
    z = n.mul(r, r)
    signs = [(-1) ** k for k in range(_SIN_TERMS)]
    sine = n.mul(r, _series(n, z, [Fraction(s, factorial(2 * k + 1)) for k, s in enumerate(signs)]))
    cosine = _series(n, z, [Fraction(s, factorial(2 * k)) for k, s in enumerate(signs)])
    quarter = w.emit(f"fptosi double {count} to i64")
    odd = w.emit(f"trunc i64 {quarter} to i1")
    half = w.emit(f"trunc i64 {w.integer_op('lshr', quarter, 1)} to i1")
    other = w.emit(f"xor i1 {half}, {odd}")
    swapped = _choose(n, odd, cosine, sine), _choose(n, odd, sine, cosine)
    return (
        _choose(n, half, n.neg(swapped[0]), swapped[0]),
        _choose(n, other, n.neg(swapped[1]), swapped[1]),
    )


def _choose(n: Pairs, condition: str, a: Number, b: Number) -> Number:
    return tuple(n.w.select(condition, x, y) for x, y in zip(a, b, strict=True))


def _exp(n: Pairs, a: Number) -> Number:
    w = n.w
    r, count = _reduced(n, a, _LOG_2)
    small = w.constant(2.0**-_HALVINGS)
    r = (w.mul(r[0], small), w.mul(r[1], small))
    less = n.mul(r, _series(n, r, [Fraction(1, factorial(k + 1)) for k in range(_EXP_TERMS)]))
    for _ in range(_HALVINGS):  # e^2r - 1 = 2 (e^r - 1) + (e^r - 1)^2
        less = n.add(n.add(less, less), n.mul(less, less))
    whole = n.add(less, n.constant(Fraction(1)))
    count = w.intrinsic("minnum", w.intrinsic("maxnum", count, w.constant(-_FARTHEST)), w.constant(_FARTHEST))
    half = w.intrinsic("rint", w.mul(count, w.constant(0.5)))  # a double has no such power, but its root
    for part in (half, w.sub(count, half)):
        bits = w.integer_op("shl", w.integer_op("add", w.emit(f"fptosi double {part} to i64"), 1023), 52)
        power = w.from_bits(bits)
        whole = w.mul(whole[0], power), w.mul(whole[1], power)
    return whole


def _log(n: Pairs, a: Number) -> Number:
    w = n.w
    near = w.emit(f"call double @log(double {a[0]})")
    rest = n.sub(n.mul(a, _exp(n, (w.neg(near), w.constant(0.0)))), n.constant(Fraction(1)))
    return n.add((near, w.constant(0.0)), rest)


def _atan2(n: Pairs, y: Number, x: Number) -> Number:
    w = n.w
    near = w.emit(f"call double @atan2(double {y[0]}, double {x[0]})")
    sine, cosine = _sine_and_cosine(n, (near, w.constant(0.0)))
    size = n.root(n.add(n.mul(x, x), n.mul(y, y)))
    rest = n.div(n.sub(n.mul(y, cosine), n.mul(x, sine)), size)
    empty = w.compare("oeq", size[0], w.constant(0.0))
    start = (near, w.constant(0.0))
    return _choose(n, empty, start, n.add(start, rest))


def _side(n: Pairs, a: Number) -> Number:
    """The root of 1 - a^2."""
    one = n.constant(Fraction(1))
    return n.root(n.mul(n.sub(one, a), n.add(one, a)))


def _half_of(n: Pairs, a: Number) -> Number:
    half = n.w.constant(0.5)
    return n.w.mul(a[0], half), n.w.mul(a[1], half)


def _hyperbolic(n: Pairs, a: Number) -> tuple[Number, Number]:
    grown = _exp(n, a)
    shrunk = n.div(n.constant(Fraction(1)), grown)
    return _half_of(n, n.sub(grown, shrunk)), _half_of(n, n.add(grown, shrunk))


def _tanh(n: Pairs, a: Number) -> Number:
    w = n.w
    size = w.intrinsic("fabs", a[0])
    far = w.compare("ogt", size, w.constant(_SATURATED))
    sine, cosine = _hyperbolic(n, _choose(n, far, n.constant(Fraction(1)), a))
    end = (w.intrinsic("copysign", w.constant(1.0), a[0]), w.constant(0.0))
    return _choose(n, far, end, n.div(sine, cosine))


_BODIES: dict[str, tuple[int, Callable[..., Number]]] = {
    "sin": (1, lambda n, a: _sine_and_cosine(n, a)[0]),
    "cos": (1, lambda n, a: _sine_and_cosine(n, a)[1]),
    "exp": (1, _exp),
    "log": (1, _log),
    "atan2": (2, _atan2),
    "atan": (1, lambda n, a: _atan2(n, a, n.constant(Fraction(1)))),
    "asin": (1, lambda n, a: _atan2(n, a, _side(n, a))),
    "acos": (1, lambda n, a: _atan2(n, _side(n, a), a)),
    "sinh": (1, lambda n, a: _hyperbolic(n, a)[0]),
    "cosh": (1, lambda n, a: _hyperbolic(n, a)[1]),
    "tanh": (1, _tanh),
    "pow": (2, lambda n, a, b: _exp(n, n.mul(b, _log(n, a)))),
}


def pair_functions(names: Iterable[str]) -> list[str]:
    """The text of some functions."""
    texts = ["declare double @log(double)", "declare double @atan2(double, double)"]
    for name in sorted(names):
        arity, body = _BODIES[name]
        n = Pairs(Writer(1))
        args = [(f"%a{k}", f"%b{k}") for k in range(arity)]
        high, low = body(n, *args)
        one = n.w.emit(f"insertvalue {{double, double}} poison, double {high}, 0")
        two = n.w.emit(f"insertvalue {{double, double}} {one}, double {low}, 1")
        n.w.line(f"  ret {{double, double}} {two}")
        listed = ", ".join(f"double {x}" for pair in args for x in pair)
        lines = "\n".join(n.w.lines)
        head = f"define internal fastcc {{double, double}} @pair.{name}({listed}) noinline"
        texts.append(f"{head} {{\nentry:\n{lines}\n}}")
    return texts
