"""Numbers of four kinds for one kinematics: floats, residues modulo a prime, balls of any precision, polynomials.

A mechanism's constants are formulas; here they take values in the chosen arithmetic. Square roots stay exact: modulo a
prime they are roots of their equation, one choice for each prime factor, so that sqrt(12) is 2 sqrt(3).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, Protocol

from dalembert import expr as ex
from dalembert import limits
from dalembert.errors import ExpressionError
from dalembert.expr import FUNCTIONS, Expr

#: Primes just below 2**30: three products of residues still fit in 64 bits.
PRIMES = (1073741789, 1073741783, 1073741741, 1073741723, 1073741719, 1073741717, 1073741689, 1073741671, 1073741663)
#: Bits of a whole number whose factors are found within tenths of a second, whatever they are.
_FACTORED_AT_ONCE = 128


@lru_cache(maxsize=1000)
def prime_factors(whole: int) -> tuple[tuple[int, int], ...]:
    """Primes of a positive whole number with their powers; of long numbers apart, so that the search can be stopped."""
    from flint import fmpz

    def search() -> tuple[tuple[int, int], ...]:
        return tuple((int(p), int(k)) for p, k in fmpz(whole).factor())

    return search() if whole.bit_length() <= _FACTORED_AT_ONCE else limits.apart(search, f"factoring {whole}")


class Arithmetic(Protocol):
    """What kinematics asks of its numbers: constants of the description, and a normal form after products."""

    dtype: Any

    def constants(self, exprs: Sequence[Expr], given: Mapping[str, Any]) -> list[Any]:
        """Values of formulas without coordinates."""
        ...

    def normal(self, array: Any) -> Any:
        """Residues are reduced here; other numbers stay."""
        ...


class Floats:
    """Ordinary double precision."""

    dtype: Any = float

    def constants(self, exprs: Sequence[Expr], given: Mapping[str, Any]) -> list[Any]:
        return [float(x) for x in ex.evaluate(list(exprs), {ex.symbol(k): float(v) for k, v in given.items()})]

    def normal(self, array: Any) -> Any:
        return array


class Balls:
    """Arb balls: every value with its error bound, at `digits` decimal digits."""

    dtype: Any = object

    def __init__(self, digits: int = 60) -> None:
        self.digits = digits

    def constants(self, exprs: Sequence[Expr], given: Mapping[str, Any]) -> list[Any]:
        from flint import arb

        return evaluate_in(exprs, given, lambda f: arb(f.numerator) / f.denominator, ball_functions())

    def normal(self, array: Any) -> Any:
        return array


def ball_functions() -> dict[str, Callable[..., Any]]:
    from flint import arb

    smooth = {name: f.in_balls for name, f in FUNCTIONS.items()}
    return {**smooth, "abs": lambda a: a * _side(a), "sign": _side, "pi": arb.pi}


def _side(value: Any) -> int:
    """The sign of a ball, or of a power series at its centre; at a kink nothing has a tangent, so it is refused."""
    from flint import arb

    first = value if isinstance(value, arb) else (value.coeffs() or [arb(0)])[0]
    if first.contains(0):
        raise ExpressionError(
            "a link has a kink at this posture (abs or sign of zero): its mobility is not judged there."
        )
    return 1 if bool(first > 0) else -1


class NoRoot(ExpressionError):
    """A square root of the description does not exist modulo this prime: take another prime."""


class Residues:
    """Integers modulo a prime; cosines and sines of constants without an algebraic value are points of the circle."""

    dtype: Any = "int64"

    def __init__(self, prime: int, seed: int = 1) -> None:
        self.prime = prime
        self._roots: dict[Any, int] = {}
        self._circle: dict[int, tuple[int, int]] = {}
        self._random = random.Random(seed)

    def constants(self, exprs: Sequence[Expr], given: Mapping[str, Any]) -> list[Any]:
        functions = {
            "sqrt": self.root,
            "cos": lambda a: self._angle(a)[0],
            "sin": lambda a: self._angle(a)[1],
            "pi": lambda: 314159265,
        }
        prime = self.prime

        class Residue(int):
            """An int that reduces its own arithmetic, for the walk over a formula."""

            def __add__(self, other: int) -> Residue:
                return Residue((int(self) + int(other)) % prime)

            def __sub__(self, other: int) -> Residue:
                return Residue((int(self) - int(other)) % prime)

            def __mul__(self, other: int) -> Residue:
                return Residue(int(self) * int(other) % prime)

            def __neg__(self) -> Residue:
                return Residue(-int(self) % prime)

            def __truediv__(self, other: int) -> Residue:  # type: ignore[override]
                if int(other) % prime == 0:
                    raise NoRoot(f"a denominator vanishes modulo {prime}.")
                return Residue(int(self) * pow(int(other), -1, prime) % prime)

            def __pow__(self, other: int) -> Residue:  # type: ignore[override]
                return Residue(pow(int(self), int(other), prime))

        def number(f: Fraction) -> Residue:
            return Residue(f.numerator * pow(f.denominator, -1, prime) % prime)

        wrapped = {name: (lambda *a, f=f: Residue(f(*a) % prime)) for name, f in functions.items()}
        return [int(x) % prime for x in evaluate_in(exprs, given, number, wrapped, root_of=self._rational_root)]

    def normal(self, array: Any) -> Any:
        return array % self.prime

    def point(self) -> tuple[int, int]:
        """A random point (cos, sin) of the circle, by the tangent of the half angle."""
        while True:
            t = self._random.randrange(2, self.prime)
            if (below := (1 + t * t) % self.prime) != 0:
                inverse = pow(below, -1, self.prime)
                return (1 - t * t) * inverse % self.prime, 2 * t * inverse % self.prime

    def residue(self) -> int:
        return self._random.randrange(1, self.prime)

    def root(self, a: int) -> int:
        """A square root, the same one each time."""
        a = int(a) % self.prime
        if a not in self._roots:
            self._roots[a] = square_root_mod(a, self.prime)
        return self._roots[a]

    def _rational_root(self, value: Fraction) -> int:
        """sqrt of a rational as a product over the prime factors, so that roots of multiples agree."""
        inside = value.numerator * value.denominator
        result = pow(value.denominator, -1, self.prime)
        if inside < 0:
            return self.root(inside) * result % self.prime
        if inside == 0:
            return 0
        for factor, power in prime_factors(inside):
            result = result * pow(factor, power // 2, self.prime) % self.prime
            if power % 2:
                result = result * self.root(factor) % self.prime
        return result

    def _angle(self, value: int) -> tuple[int, int]:
        if value not in self._circle:
            if (-value) % self.prime in self._circle:
                c, s = self._circle[-value % self.prime]
                self._circle[value] = (c, -s % self.prime)
            else:
                self._circle[value] = self.point()
        return self._circle[value]


def square_root_mod(a: int, p: int) -> int:
    """Tonelli and Shanks."""
    if a == 0:
        return 0
    if pow(a, (p - 1) // 2, p) != 1:
        raise NoRoot(f"{a} has no square root modulo {p}.")
    q, s = p - 1, 0
    while q % 2 == 0:
        q, s = q // 2, s + 1
    z = next(z for z in range(2, p) if pow(z, (p - 1) // 2, p) == p - 1)
    m, c, t, r = s, pow(z, q, p), pow(a, q, p), pow(a, (q + 1) // 2, p)
    while t != 1:
        i, u = 0, t
        while u != 1:
            u, i = u * u % p, i + 1
        b = pow(c, 1 << (m - i - 1), p)
        m, c, t, r = i, b * b % p, t * b * b % p, r * b % p
    return r


def exact(value: Any) -> Fraction:
    """The rational number that a description means: 0.1 is one tenth."""
    return Fraction(repr(value)) if isinstance(value, float) else Fraction(value)


def exact_form(exprs: Sequence[Expr], formulas: Mapping[Expr, Expr]) -> list[Expr]:
    """Formulas with every decimal as the rational that it spells, and given names as what they were given by."""
    found = spelled_out(exprs)  # first: a decimal beside a given number would be multiplied out
    return ex.substitute(found, formulas) if formulas else found


def spelled_out(exprs: Sequence[Expr]) -> list[Expr]:
    """Decimals as rationals, so that nothing is folded in floats."""
    decimals = {e: ex.const(exact(e.data)) for e in ex.topological(list(exprs)) if e.op == "const" and _is_decimal(e)}
    return ex.substitute(list(exprs), decimals) if decimals else list(exprs)


def _is_decimal(e: Expr) -> bool:
    return type(e.data) is float


def evaluate_in(
    exprs: Sequence[Expr],
    given: Mapping[str, Any],
    number: Callable[[Fraction], Any],
    functions: Mapping[str, Callable[..., Any]],
    root_of: Callable[[Fraction], Any] | None = None,
) -> list[Any]:
    """Values of formulas in any ring with the named functions; any symbol must be in `given`."""
    values: dict[Expr, Any] = {}
    rational: dict[Expr, Fraction] = {}
    turns: dict[Expr, Fraction] = {}  # whole expressions that are a rational multiple of pi
    for e in ex.topological(list(exprs)):
        op = e.op
        multiple = _multiple_of_pi(e, rational, turns)
        if multiple is not None:
            turns[e] = multiple
            values[e] = functions["pi"]() * number(multiple) if "pi" in functions else number(multiple)
            continue
        if op in ("sin", "cos") and e.args[0] in turns and (turns[e.args[0]] * 12).denominator == 1:
            twelfths = int(turns[e.args[0]] * 12) - (6 if op == "sin" else 0)
            values[e] = number(Fraction(0))
            for inside, weight in COSINES[abs(twelfths) % 24].items():
                if inside == 1:
                    values[e] = values[e] + number(weight)
                elif root_of is not None:
                    values[e] = values[e] + number(weight) * number(Fraction(root_of(Fraction(inside))))
                else:
                    values[e] = values[e] + number(weight) * functions["sqrt"](number(Fraction(inside)))
            continue
        if op == "const":
            rational[e] = exact(e.data)
            values[e] = number(rational[e])
        elif op == "symbol":
            if e.name not in given:
                raise ExpressionError(f"no value for the symbol '{e.name}': give one with `given {e.name} = ...`.")
            value = given[e.name]
            if isinstance(value, int | float | Fraction):
                rational[e] = exact(value)
                values[e] = number(rational[e])
            else:
                values[e] = value
        elif op == "sqrt" and root_of is not None and e.args[0] in rational:
            values[e] = number(Fraction(root_of(rational[e.args[0]])))
        else:
            values[e] = _apply(e, [values[a] for a in e.args], functions)
            if op in _RATIONAL and all(a in rational for a in e.args):
                found = _RATIONAL[op]([rational[a] for a in e.args])
                if found is not None:
                    rational[e] = found
    return [values[e] for e in exprs]


def _cosines() -> list[dict[int, Fraction]]:
    """cos(k pi / 12) for k = 0..23 as weights of sqrt(1), sqrt(2), sqrt(3), sqrt(6)."""
    half, quarter = Fraction(1, 2), Fraction(1, 4)
    first = [{1: Fraction(1)}, {2: quarter, 6: quarter}, {3: half}, {2: half}, {1: half}, {2: -quarter, 6: quarter}, {}]
    second = [{k: -v for k, v in one.items()} for one in reversed(first[:-1])]
    upper = first + second  # 0..12
    return upper + [upper[24 - k] for k in range(13, 24)]


COSINES = _cosines()


def _multiple_of_pi(e: Expr, rational: Mapping[Expr, Fraction], turns: Mapping[Expr, Fraction]) -> Fraction | None:
    """r when the expression is r pi by its form."""
    op, args = e.op, e.args
    if op == "pi":
        return Fraction(1)
    if not args or not any(a in turns for a in args):
        return None
    if op == "neg":
        return -turns[args[0]]
    if op in ("add", "sub") and all(a in turns for a in args):
        return turns[args[0]] + turns[args[1]] if op == "add" else turns[args[0]] - turns[args[1]]
    if op == "mul":
        for a, b in ((args[0], args[1]), (args[1], args[0])):
            if a in turns and b in rational:
                return turns[a] * rational[b]
    if op == "div" and args[0] in turns and rational.get(args[1]):
        return turns[args[0]] / rational[args[1]]
    return None


_RATIONAL: dict[str, Callable[[list[Fraction]], Fraction | None]] = {
    "add": lambda v: v[0] + v[1],
    "sub": lambda v: v[0] - v[1],
    "neg": lambda v: -v[0],
    "mul": lambda v: v[0] * v[1],
    "div": lambda v: v[0] / v[1] if v[1] else None,
    "pow": lambda v: v[0] ** int(v[1]) if v[1].denominator == 1 and (v[0] or v[1] > 0) and abs(v[1]) < 64 else None,
}


def _multiplied(value: Any, times: int) -> Any:
    """A whole power by products: Arb's own power of a ball around zero is not a number."""
    found, square = None, value
    while times:
        if times % 2:
            found = square if found is None else found * square
        times //= 2
        square = square * square if times else square
    return value / value if found is None else found


def _apply(e: Expr, values: list[Any], functions: Mapping[str, Callable[..., Any]]) -> Any:
    op = e.op
    if op == "add":
        return values[0] + values[1]
    if op == "sub":
        return values[0] - values[1]
    if op == "neg":
        return -values[0]
    if op == "mul":
        return values[0] * values[1]
    if op == "div":
        return values[0] / values[1]
    if op == "pow":
        power = exact(e.args[1].data) if e.args[1].op == "const" else None
        if (power is None or power.denominator != 1) and {"exp", "log"} <= functions.keys():
            return functions["exp"](values[1] * functions["log"](values[0]))
        if power is None or power.denominator != 1:
            raise ExpressionError(f"{e} has no exact value in this arithmetic.")
        base = _multiplied(values[0], abs(int(power)))
        return base if power >= 0 else values[0] / values[0] / base
    if op in functions:
        return functions[op](*values)
    raise ExpressionError(f"{e} has no value in this arithmetic.")
