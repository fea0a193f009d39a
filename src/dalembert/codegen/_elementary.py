"""Elementary functions as LLVM code for vectors of any width: no branch but one, for huge angles.

Argument reduction is by parts of pi/2 (Cody and Waite) kept to 119 bits; the polynomials and rational functions are
the minimax ones of fdlibm (Sun Microsystems, 1993). Errors stay below 1 to 2 ulp; the tests check it with mpmath.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from dalembert.codegen import _target
from dalembert.codegen._ir import Writer
from dalembert.expr import FUNCTIONS

#: Up to this angle the reduction is exact to working precision; beyond it each lane asks the C library.
LARGEST_ANGLE = 1.0e6

_ROUND = 1.5 * 2.0**52  # adding it leaves the nearest integer in the low bits
_ROUND_BITS = 0x4338000000000000
_SIGN = -(2**63)
#: pi/2 in parts: three doubles where a product and a sum are rounded once, else two short ones with exact products.
_HALF_PI_FUSED = tuple(map(float.fromhex, ("0x1.921fb54442d18p+0", "0x1.1a62633145c07p-54", "-0x1.f1976b7ed8fbcp-110")))
_HALF_PI = (float.fromhex("0x1.921fb544p+0"), float.fromhex("0x1.0b4611a6p-34"), float.fromhex("0x1.3198a2e037073p-69"))
_SIN = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
_COS = (
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)
_EXP = (
    1.66666666666666019037e-01,
    -2.77777777770155933842e-03,
    6.61375632143793436117e-05,
    -1.65339022054652515390e-06,
    4.13813679705723846039e-08,
)
_LOG = (
    6.666666666666735130e-01,
    3.999999999940941908e-01,
    2.857142874366239149e-01,
    2.222219843214978396e-01,
    1.818357216161805012e-01,
    1.531383769920937332e-01,
    1.479819860511658591e-01,
)
_ATAN = (
    3.33333333333329318027e-01,
    -1.99999999998764832476e-01,
    1.42857142725034663711e-01,
    -1.11111104054623557880e-01,
    9.09088713343650656196e-02,
    -7.69187620504482999495e-02,
    6.66107313738753120669e-02,
    -5.83357013379057348645e-02,
    4.97687799461593236017e-02,
    -3.65315727442169155270e-02,
    1.62858201153657823623e-02,
)
_ASIN_TOP = (
    1.66666666666666657415e-01,
    -3.25565818622400915405e-01,
    2.01212532134862925881e-01,
    -4.00555345006794114027e-02,
    7.91534994289814532176e-04,
    3.47933107596021167570e-05,
)
_ASIN_BOTTOM = (
    1.0,
    -2.40339491173441421878,
    2.02094576023350569471,
    -6.88283971605453293030e-01,
    7.70381505559019352791e-02,
)
_LN2 = (float.fromhex("0x1.62e42feep-1"), float.fromhex("0x1.a39ef35793c76p-33"))
_PI_LOW = 1.2246467991473531772e-16
_LOW_WORD = -(2**32)  # mask that keeps the upper half of a double


def sincos(w: Writer, x: str) -> None:
    """Both at once; returns through the pair (sin, cos). A huge angle changes no digit of those beside it."""
    pair = f"{{{w.real}, {w.real}}}"
    far = w.compare("ogt", w.intrinsic("fabs", x), w.constant(LARGEST_ANGLE))
    shifted = w.fused(x, w.constant(2 / math.pi), w.constant(_ROUND))
    count = w.sub(shifted, w.constant(_ROUND))
    quarter = w.bits(shifted)
    # x - count*pi/2: the first difference is exact, so that what cancels does so without a trace.
    r = x
    for part in _HALF_PI_FUSED if _target.fuses() else _HALF_PI:
        r = w.fused(count, w.constant(-part), r)
    z = w.mul(r, r)
    s = w.fused(w.mul(z, r), w.polynomial(z, _SIN), r)
    c = w.fused(w.mul(z, z), w.polynomial(z, _COS), w.fused(w.constant(-0.5), z, w.constant(1.0)))
    parity = w.integer_op("shl", quarter, 63)
    odd = w.emit(f"icmp slt {w.integer} {parity}, {w.whole(0) if w.width == 1 else 'zeroinitializer'}")
    sine = w.bits(w.select(odd, c, s))
    cosine = w.bits(w.select(odd, s, c))
    # Bit 1 of the quarter is the sign of the sine, bit 1 of the next quarter that of the cosine.
    half = w.integer_op("shl", quarter, 62)
    sine_sign = w.integer_op("and", half, _SIGN)
    cosine_sign = w.integer_op("and", w.integer_op("xor", half, parity), _SIGN)
    sine = w.from_bits(w.integer_op("xor", sine, sine_sign))
    cosine = w.from_bits(w.integer_op("xor", cosine, cosine_sign))
    any_far = far
    if w.width > 1:
        any_far = w.emit(f"icmp ne i{w.width} {w.emit(f'bitcast {w.truth} {far} to i{w.width}')}, 0")
    w.line(f"  br i1 {any_far}, label %far, label %near, !prof !0")
    for label in ("near", "far"):
        w.line(f"{label}:")
        if label == "far":
            sine = w.select(far, lanewise(w, "sin", x), sine)
            cosine = w.select(far, lanewise(w, "cos", x), cosine)
        one = w.emit(f"insertvalue {pair} poison, {w.real} {sine}, 0")
        two = w.emit(f"insertvalue {pair} {one}, {w.real} {cosine}, 1")
        w.line(f"  ret {pair} {two}")


def lanewise(w: Writer, name: str, *args: str) -> str:
    """The C library's function on each lane."""
    if w.width == 1:
        return w.emit(f"call double @{name}({', '.join(f'double {a}' for a in args)})")
    result = "poison"
    for lane in range(w.width):
        parts = [w.emit(f"extractelement {w.real} {a}, i32 {lane}") for a in args]
        value = w.emit(f"call double @{name}({', '.join(f'double {p}' for p in parts)})")
        result = w.emit(f"insertelement {w.real} {result}, double {value}, i32 {lane}")
    return result


def exp(w: Writer, x: str) -> str:
    x = w.select(w.compare("ogt", x, w.constant(710.0)), w.constant(710.0), x)
    x = w.select(w.compare("olt", x, w.constant(-746.0)), w.constant(-746.0), x)
    shifted = w.fused(x, w.constant(1 / math.log(2)), w.constant(_ROUND))
    k = w.sub(shifted, w.constant(_ROUND))
    high = w.sub(x, w.mul(k, w.constant(_LN2[0])))
    low = w.mul(k, w.constant(_LN2[1]))
    r = w.sub(high, low)
    t = w.mul(r, r)
    c = w.sub(r, w.mul(t, w.polynomial(t, _EXP)))
    quotient = w.div(w.mul(r, c), w.sub(w.constant(2.0), c))
    y = w.add(w.constant(1.0), w.add(w.sub(quotient, low), high))
    # 2**k in two factors, so that results near the ends of the range scale gradually.
    whole = w.integer_op("sub", w.bits(shifted), _ROUND_BITS)
    half = w.integer_op("sub", w.integer_op("lshr", w.integer_op("add", whole, 4096), 1), 2048)
    other = w.integer_op("sub", whole, half)
    for part in (half, other):
        y = w.mul(y, w.from_bits(w.integer_op("shl", w.integer_op("add", part, 1023), 52)))
    return y


def log(w: Writer, x: str) -> str:
    tiny = w.compare("olt", x, w.constant(2.0**-1022))
    scaled = w.select(tiny, w.mul(x, w.constant(2.0**54)), x)
    shift = 0x3FF0000000000000 - 0x3FE6A09E00000000
    moved = w.integer_op("add", w.bits(scaled), shift)
    exponent = w.integer_op("or", w.integer_op("lshr", moved, 52), 0x4330000000000000)
    k = w.sub(w.from_bits(exponent), w.constant(2.0**52 + 1023))
    k = w.sub(k, w.select(tiny, w.constant(54.0), w.constant(0.0)))
    mantissa = w.integer_op("add", w.integer_op("and", moved, 0x000FFFFFFFFFFFFF), 0x3FE6A09E00000000)
    f = w.sub(w.from_bits(mantissa), w.constant(1.0))
    s = w.div(f, w.add(w.constant(2.0), f))
    z = w.mul(s, s)
    q = w.mul(z, z)
    even = w.mul(q, w.polynomial(q, _LOG[1::2]))
    odd = w.mul(z, w.polynomial(q, _LOG[0::2]))
    square = w.mul(w.constant(0.5), w.mul(f, f))
    r = w.add(even, odd)
    inner = w.add(w.mul(s, w.add(square, r)), w.mul(k, w.constant(_LN2[1])))
    value = w.sub(w.mul(k, w.constant(_LN2[0])), w.sub(w.sub(square, inner), f))
    value = w.select(w.compare("oeq", x, w.constant(math.inf)), x, value)
    value = w.select(w.compare("oeq", x, w.constant(0.0)), w.constant(-math.inf), value)
    return w.select(w.compare("ult", x, w.constant(0.0)), w.constant(math.nan), value)


def atan(w: Writer, x: str) -> str:
    return _with_sign_of(w, x, _atan_of_positive(w, w.intrinsic("fabs", x)))


def _with_sign_of(w: Writer, sign: str, size: str) -> str:
    return w.intrinsic("copysign", size, sign)


def _atan_of_positive(w: Writer, a: str) -> str:
    """Five intervals: a, or the angle between a and 1/2, 1, 3/2, infinity."""
    one = w.constant(1.0)
    top, bottom, high, low = a, one, w.constant(0.0), w.constant(0.0)
    cases = [
        (
            0.4375,
            w.fused(w.constant(2.0), a, w.constant(-1.0)),
            w.add(w.constant(2.0), a),
            0.5,
            2.26987774529616870924e-17,
        ),
        (0.6875, w.sub(a, one), w.add(a, one), 1.0, 3.06161699786838301793e-17),
        (1.1875, w.sub(a, w.constant(1.5)), w.fused(w.constant(1.5), a, one), 1.5, 1.39033110312309984516e-17),
        (2.4375, w.constant(-1.0), a, math.inf, 6.12323399573676603587e-17),
    ]
    for start, case_top, case_bottom, pivot, pivot_low in cases:
        beyond = w.compare("oge", a, w.constant(start))
        top, bottom = w.select(beyond, case_top, top), w.select(beyond, case_bottom, bottom)
        high = w.select(beyond, w.constant(math.atan(pivot)), high)
        low = w.select(beyond, w.constant(pivot_low), low)
    t = w.div(top, bottom)
    z = w.mul(t, t)
    q = w.mul(z, z)
    bent = w.add(w.mul(z, w.polynomial(q, _ATAN[0::2])), w.mul(q, w.polynomial(q, _ATAN[1::2])))
    return w.sub(high, w.sub(w.sub(w.mul(t, bent), low), t))


def atan2(w: Writer, y: str, x: str) -> str:
    tall, wide = w.intrinsic("fabs", y), w.intrinsic("fabs", x)
    ratio = w.div(tall, wide)
    ratio = w.select(w.compare("oeq", tall, w.constant(0.0)), tall, ratio)
    endless = w.compare("oeq", w.intrinsic("minimum", tall, wide), w.constant(math.inf))
    ratio = w.select(endless, w.constant(1.0), ratio)
    ratio = w.select(w.compare("uno", x, y), w.add(x, y), ratio)
    angle = _atan_of_positive(w, w.intrinsic("fabs", ratio))
    back = w.sub(w.constant(math.pi), w.sub(angle, w.constant(_PI_LOW)))
    sign_bit = w.integer_op("and", w.bits(x), _SIGN)
    behind = w.emit(f"icmp ne {w.integer} {sign_bit}, {w.whole(0) if w.width == 1 else 'zeroinitializer'}")
    return _with_sign_of(w, y, w.select(behind, back, angle))


def _asin_ratio(w: Writer, z: str) -> str:
    return w.mul(z, w.div(w.polynomial(z, _ASIN_TOP), w.polynomial(z, _ASIN_BOTTOM)))


def _split_root(w: Writer, z: str, s: str) -> tuple[str, str]:
    """sqrt(z) = high + low, from its rounded value s; high has half the digits so that its square is exact."""
    high = w.from_bits(w.integer_op("and", w.bits(s), _LOW_WORD))
    total = w.add(s, high)
    total = w.select(w.compare("oeq", s, w.constant(0.0)), w.constant(1.0), total)
    return high, w.div(w.sub(z, w.mul(high, high)), total)


def asin(w: Writer, x: str) -> str:
    a = w.intrinsic("fabs", x)
    small = w.compare("olt", a, w.constant(0.5))
    far = w.mul(w.constant(0.5), w.sub(w.constant(1.0), a))
    z = w.select(small, w.mul(a, a), far)
    r = _asin_ratio(w, z)
    near = w.fused(a, r, a)
    s = w.intrinsic("sqrt", far)
    high, low = _split_root(w, far, s)
    twice = w.mul(w.constant(2.0), s)
    p = w.sub(w.mul(twice, r), w.sub(w.constant(_PI_LOW / 2), w.mul(w.constant(2.0), low)))
    q = w.sub(w.constant(math.pi / 4), w.mul(w.constant(2.0), high))
    steep = w.sub(w.constant(math.pi / 4), w.sub(p, q))
    return _with_sign_of(w, x, w.select(small, near, steep))


def acos(w: Writer, x: str) -> str:
    a = w.intrinsic("fabs", x)
    small = w.compare("olt", a, w.constant(0.5))
    far = w.mul(w.constant(0.5), w.sub(w.constant(1.0), a))
    z = w.select(small, w.mul(a, a), far)
    r = _asin_ratio(w, z)
    middle = w.sub(w.constant(math.pi / 2), w.sub(x, w.sub(w.constant(_PI_LOW / 2), w.mul(x, r))))
    s = w.intrinsic("sqrt", far)
    high, low = _split_root(w, far, s)
    front = w.mul(w.constant(2.0), w.add(high, w.add(w.mul(r, s), low)))
    rest = w.sub(w.mul(r, s), w.constant(_PI_LOW / 2))
    back = w.mul(w.constant(2.0), w.sub(w.constant(math.pi / 2), w.add(s, rest)))
    outer = w.select(w.compare("olt", x, w.constant(0.0)), back, front)
    return w.select(small, middle, outer)


_BODIES: dict[str, tuple[int, Callable[..., str]]] = {
    "exp": (1, exp),
    "log": (1, log),
    "atan": (1, atan),
    "asin": (1, asin),
    "acos": (1, acos),
    "atan2": (2, atan2),
    "pow": (2, lambda w, a, b: lanewise(w, "pow", a, b)),
}


def _body(name: str) -> tuple[int, Callable[..., str]]:
    """The code of a function: ours, or the C library's on each lane."""
    known = _BODIES.get(name)
    if known is not None:
        return known
    function = FUNCTIONS[name]
    return function.arity, lambda w, *args: lanewise(w, function.library or name, *args)


def arity(name: str) -> int:
    return _body(name)[0]


def symbol(name: str, width: int) -> str:
    return f"dalembert.{name}.{width}"


def definition(name: str, width: int) -> str:
    """The text of one function for one width."""
    w = Writer(width)
    if name == "sincos":
        sincos(w, "%x")
        head = f"define internal fastcc {{{w.real}, {w.real}}} @{symbol(name, width)}({w.real} %x)"
    else:
        count, body = _body(name)
        names = ["%x", "%y", "%z"][:count]
        result = body(w, *names)
        w.line(f"  ret {w.real} {result}")
        head = f"define internal fastcc {w.real} @{symbol(name, width)}({', '.join(f'{w.real} {n}' for n in names)})"
    body_text = "\n".join(w.lines)
    return f"{head} noinline nounwind {{\nentry:\n{body_text}\n}}\n"


def declarations() -> str:
    """The C library's functions: for huge angles, general powers, and what has no code of its own here."""
    arities = {"sin": 1, "cos": 1, "pow": 2}
    arities |= {f.library or name: f.arity for name, f in FUNCTIONS.items() if name not in _BODIES and f.partials}
    return "".join(f"declare double @{n}({', '.join(['double'] * k)}) nounwind\n" for n, k in arities.items())
