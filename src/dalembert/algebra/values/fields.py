"""Two fields for random evaluation: residues modulo a prime, and real balls that never lie."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

from dalembert.algebra.core import operator as op
from dalembert.algebra.core.engine import as_term, items, split_content
from dalembert.algebra.core.term import ONE, Term
from dalembert.algebra.forms.canonical import canonical
from dalembert.algebra.forms.expand import expand
from dalembert.algebra.forms.factor_scalar import factor_scalar
from dalembert.algebra.values.evaluate import evaluate
from dalembert.algebra.values.sample import BadPoint, Sampler
from dalembert.expr import FUNCTIONS, Expr

PRIMES = (2305843009213693951, 2305843009213693921, 2305843009213693907)  # just below 2^61
TURN = 60  # angles are multiples of a sixtieth of their monomial, so x/2, x/3, .. x/6, x/10 stay consistent


class Residues(Sampler):
    """Modulo a prime: exact, so a value that is not 0 proves that the term is not 0.

    Sines, cosines and exponentials of different monomials are independent functions, so they get independent points of
    the circle and independent numbers. Unknown functions get a value for each value of their arguments. `loose` becomes
    true when a root, a sign or a function with more identities had to be invented; then a value that is not 0 proves
    nothing, while values that are 0 whatever was invented still do.
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
        root = int(x.sqrt())
        root = min(root, self.prime - root)  # of the two, always the same
        sign = self._memo(("root", value), lambda: self.choice(2))
        return self.element(root if sign else -root, self.prime)

    def same(self, a: list[Any], b: list[Any]) -> bool:
        return a == b

    def recall(self, name: Any, arguments: list[Any], make: Any) -> Any:
        return self._memo((name, tuple(int(x) for x in arguments)), make)

    def pick(self, alternatives: int) -> int:
        return self.random.randrange(alternatives)

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
        return value * self.sign(value)

    def sign(self, value: Any) -> Any:
        """1 or -1, the opposite for the opposite number."""
        self.loose = True
        least = min(int(value), int(-value))
        chosen = self._memo(("sign", least), lambda: self.choice(2))
        return self.number(Fraction(1 if (int(value) == least) == bool(chosen) else -1)) if least else value

    def angle(self, term: Term, value: Any) -> tuple[Any, Any]:
        one = self.number(Fraction(1))
        c, s = one, one - one
        for key, count in self._counts(term):
            x, y = self._memo(("angle", key), self._point_on_circle)
            steps = abs(count)
            y = y if count > 0 else -y
            while steps:
                if steps & 1:
                    c, s = c * x - s * y, c * y + s * x
                x, y = x * x - y * y, x * y + x * y
                steps >>= 1
        return c, s

    def _counts(self, argument: Term) -> list[tuple[Any, int]]:
        """An argument as a sum of counts times independent monomials / TURN."""
        found: list[tuple[Any, int]] = []
        for monomial, weight in items(canonical(argument)):
            count = Fraction(weight) * TURN  # type: ignore[arg-type]
            if not _is_independent(monomial):
                self.loose = True
            if count.denominator != 1:
                self.loose = True
                found.append(((monomial, count), 1))
            else:
                found.append((monomial, int(count)))
        return found

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
            c, s = self.angle(as_term(e.args[0]), None)
            if e.op == "tan":
                if self.is_zero(c):
                    raise BadPoint
                return s / c
            return c if e.op == "cos" else s
        if e.op == "exp":
            result = self.number(Fraction(1))
            for key, count in self._counts(as_term(e.args[0])):
                base = self._memo(("exp", key), self.draw)
                result = result * (base if count > 0 else 1 / base) ** abs(count)
            return result
        if e.op == "log":
            return self._logarithm(as_term(e.args[0]))
        args = [evaluate(as_term(a), self) for a in e.args]
        if e.op == "apply":
            return self.recall(("apply", e.data), args, self.draw)
        self.loose = True
        one = self.number(Fraction(1))
        if e.op in ("min", "max"):
            half = (args[0] - args[1]) * self.sign(args[0] - args[1])
            return (args[0] + args[1] + (half if e.op == "max" else -half)) / 2
        if e.op == "sign":
            return self.sign(args[0])
        if e.op in ("lt", "le"):
            return (one - self.sign(args[0] - args[1])) / 2
        if e.op == "eq":
            return one if args[0] == args[1] else one - one
        if e.op == "where":
            return args[2] if self.is_zero(args[0]) else args[1]
        return self.recall((e.op, str(e.data)), args, self.draw)

    def _logarithm(self, argument: Term) -> Any:
        """Where it is real, log(c x^n y^m) = log |c| + n log |x| + m log |y|."""
        from sympy import factorint

        self.loose = True
        content, body = split_content(factor_scalar(expand(argument)))
        total = self.number(Fraction(0))
        for part, sign in ((abs(content.numerator), 1), (content.denominator, -1)):
            for prime, times in factorint(part, limit=1000).items():
                total = total + self._memo(("log", prime), self.draw) * (sign * times)
        for base, n in zip(body.args, body.weights) if body.op is op.TIMES else ((body, 1),):
            value = evaluate(base, self)
            factor = self.number(Fraction(n)) if not isinstance(n, Term) else evaluate(n, self)
            total = total + factor * self._memo(("log", min(int(value), int(-value))), self.draw)
        return total


def _is_independent(monomial: Term) -> bool:
    """A product of powers of names, and one exponential of such a sum: different ones are independent functions."""
    if monomial is ONE:
        return True
    pairs = zip(monomial.args, monomial.weights) if monomial.op is op.TIMES else ((monomial, 1),)
    for base, exponent in pairs:
        if not isinstance(exponent, int) or base.op is not op.EXPR:
            return False
        e: Expr = base.payload
        if e.op == "exp":
            if not all(_is_independent(m) for m, _ in items(canonical(e.args[0]))):
                return False
        elif e.op != "symbol":
            return False
    return True


class Balls(Sampler):
    """Real numbers with rigorous error bounds (Arb): a ball that excludes 0 proves that the term is not 0."""

    def __init__(self, bits: int, seed: int) -> None:
        super().__init__()
        from flint import arb

        self.bits = bits
        self.element = arb
        self.random = random.Random(seed)
        self.wide = self.random.random() < 0.5

    def draw(self) -> Any:
        size = Fraction(self.random.randrange(2**59, 2**60), 2**60)
        if self.wide:  # other regions of functions that are made of pieces
            size *= Fraction(2) ** self.random.randrange(-6, 11)
        return self.number(size if self.random.random() < 0.5 else -size)

    def number(self, value: Fraction) -> Any:
        from flint import fmpq

        return self.element(fmpq(value.numerator, value.denominator))

    def is_zero(self, x: Any) -> bool:
        return bool(x.contains(0))

    def square_root(self, x: Any) -> Any:
        return self._checked(x.sqrt())

    def pick(self, alternatives: int) -> int:
        return self.random.randrange(alternatives)

    def same(self, a: list[Any], b: list[Any]) -> bool:
        return all(x.overlaps(y) for x, y in zip(a, b))

    def recall(self, name: Any, arguments: list[Any], make: Any) -> Any:
        """Arguments that may be equal get equal values, which any function may have; two different ones may not."""
        entries = self.values.setdefault(("function", name), [])
        values = [v for known, v in entries if self.same(known, arguments)]
        if any(v is not values[0] for v in values):
            raise BadPoint
        value = values[0] if values else make()
        entries.append((arguments, value))
        return value

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
        if e.op == "apply":
            return self.recall(("apply", e.data), args, self.draw)
        if e.op in ("sign", "lt", "le", "eq"):
            difference = args[0] if e.op == "sign" else args[0] - args[1]
            if difference.contains(0):  # on the border, or too near to tell
                raise BadPoint
            number = {"sign": 1 if difference > 0 else -1, "eq": 0}.get(e.op, int(difference < 0))
            return self.element(number)
        if e.op == "where":
            if args[0].contains(0) and args[0] != 0:
                raise BadPoint
            return args[2] if args[0] == 0 else args[1]
        return self._checked(FUNCTIONS[e.op].in_balls(*args))
