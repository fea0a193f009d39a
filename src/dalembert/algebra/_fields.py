"""Two fields for random evaluation: residues modulo a prime, and real balls that never lie."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

from dalembert.algebra import _operator as op
from dalembert.algebra._engine import as_term, items
from dalembert.algebra._evaluate import evaluate
from dalembert.algebra._sample import BadPoint, Sampler
from dalembert.algebra._term import Term
from dalembert.errors import ExpressionError
from dalembert.expr import Expr

PRIMES = (2305843009213693951, 2305843009213693921, 2305843009213693907)  # just below 2^61
_TURN = 12  # angles are multiples of a twelfth of their symbol, so x/2, x/3 and x/4 stay consistent


class Residues(Sampler):
    """Modulo a prime: exact, so a value that is not 0 proves that the term is not 0.

    `loose` becomes true when a root, an absolute value or a function with hidden identities had to be invented; then a
    value that is not 0 proves nothing.
    """

    def __init__(self, prime: int, seed: int) -> None:
        super().__init__()
        from flint import nmod

        self.prime = prime
        self.element = nmod
        self.random = random.Random(seed)
        self.loose = False

    def draw(self) -> Any:
        return self.element(self.random.randrange(1, self.prime), self.prime)

    def number(self, value: Fraction) -> Any:
        if value.denominator % self.prime == 0:
            raise BadPoint
        return self.element(value.numerator, self.prime) / value.denominator

    def is_zero(self, x: Any) -> bool:
        return bool(x == 0)

    def square_root(self, x: Any) -> Any:
        value = int(x)
        if value == 0:
            return x
        if pow(value, (self.prime - 1) // 2, self.prime) != 1:
            raise BadPoint
        from sympy.ntheory import sqrt_mod

        root = sqrt_mod(value, self.prime)
        sign = self._memo(("sign", value), lambda: self.random.choice((1, -1)))
        return self.element(root * sign, self.prime)

    def _memo(self, key: Any, make: Any) -> Any:
        if key not in self.values:
            self.values[key] = make()
        return self.values[key]

    def power(self, base: Any, exponent: Any) -> Any:
        self.loose = True
        if isinstance(exponent, Fraction) and exponent.denominator == 2:
            root = self.square_root(base)
            return root**exponent.numerator if exponent > 0 else (1 / root) ** (-exponent.numerator)
        return self._memo(("power", int(base), str(exponent)), self.draw)

    def absolute(self, value: Any) -> Any:
        self.loose = True
        key = min(int(value), int(-value))
        sign = self._memo(("abs", key), lambda: self.random.choice((1, -1)))
        return self.element(key * sign, self.prime)

    def angle(self, term: Term, value: Any) -> tuple[Any, Any]:
        one = self.number(Fraction(1))
        c, s = one, one - one
        for monomial, weight in items(term):
            count = Fraction(weight) * _TURN  # type: ignore[arg-type]
            if count.denominator != 1 or (monomial.op is op.EXPR and monomial.payload.op == "pi"):
                self.loose = True
                key: Any = ("angle", monomial, count)
                count = Fraction(1)
            else:
                key = ("angle", monomial)
            x, y = self._memo(key, self._point_on_circle)
            steps = abs(int(count))
            y = y if count > 0 else -y
            while steps:
                if steps & 1:
                    c, s = c * x - s * y, c * y + s * x
                x, y = x * x - y * y, x * y + x * y
                steps >>= 1
        return c, s

    def _point_on_circle(self) -> tuple[Any, Any]:
        t = self.draw()
        square = t * t
        if self.is_zero(square + 1):
            raise BadPoint
        return (1 - square) / (1 + square), (t + t) / (1 + square)

    def expr(self, term: Term) -> Any:
        e: Expr = term.payload
        if e.op == "symbol":
            return self._memo(e, self.draw)
        if e.op in ("sin", "cos", "tan"):
            argument = as_term(e.args[0])
            c, s = self.angle(argument, None)
            if e.op == "tan":
                if self.is_zero(c):
                    raise BadPoint
                return s / c
            return c if e.op == "cos" else s
        arguments = tuple(int(evaluate(as_term(a), self)) for a in e.args)
        self.loose = self.loose or e.op != "apply"
        return self._memo((e.op, str(e.data), arguments), self.draw)


class Balls(Sampler):
    """Real numbers with rigorous error bounds (Arb): a ball that excludes 0 proves that the term is not 0."""

    def __init__(self, bits: int, seed: int) -> None:
        super().__init__()
        from flint import arb

        self.bits = bits
        self.element = arb
        self.random = random.Random(seed)

    def draw(self) -> Any:
        size = Fraction(self.random.randrange(2**56, 2**61), 2**60)
        return self.number(size if self.random.random() < 0.5 else -size)

    def number(self, value: Fraction) -> Any:
        from flint import fmpq

        return self.element(fmpq(value.numerator, value.denominator))

    def is_zero(self, x: Any) -> bool:
        return bool(x.contains(0))

    def square_root(self, x: Any) -> Any:
        return self._checked(x.sqrt())

    def _checked(self, x: Any) -> Any:
        if not x.is_finite():
            raise BadPoint
        return x

    def power(self, base: Any, exponent: Any) -> Any:
        raised = exponent if not isinstance(exponent, Fraction) else self.number(exponent)
        if isinstance(exponent, Fraction) and exponent.denominator % 2 and base < 0:
            flipped = (-base) ** raised
            return flipped if exponent.numerator % 2 == 0 else -flipped
        return self._checked(base**raised)

    def absolute(self, value: Any) -> Any:
        return abs(value)

    def angle(self, term: Term, value: Any) -> tuple[Any, Any]:
        s, c = value.sin_cos()
        return c, s

    def expr(self, term: Term) -> Any:
        e: Expr = term.payload
        if e.op == "symbol":
            if e not in self.values:
                self.values[e] = self.draw()
            return self.values[e]
        if e.op == "pi":
            return self.element.pi()
        args = [evaluate(as_term(a), self) for a in e.args]
        if e.op == "atan2":
            return self._checked(self.element.atan2(*args))
        simple = {"sin", "cos", "tan", "asin", "acos", "atan", "exp", "log"}
        if e.op in simple:
            return self._checked(getattr(args[0], e.op)())
        raise ExpressionError(f"{e} cannot be evaluated in balls.")
