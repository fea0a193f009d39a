"""Random typed values: a rotation is a rotation, a unit vector has length 1, a derivative obeys what its origin obeys.

The draws are rational in free parameters wherever possible: rotations by Cayley's formula (1 - K)(1 + K)^-1, unit
vectors and quaternions by stereographic projection, positive definite matrices as L L^T.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from fractions import Fraction
from math import comb
from typing import Any

from dalembert.algebra.core.facts import commute
from dalembert.algebra.core.sorts import AlgebraError
from dalembert.algebra.core.term import Facts, Term
from dalembert.algebra.forms.derivative import dt
from dalembert.algebra.values.evaluate import Field, evaluate
from dalembert.algebra.values.linear_algebra import (
    Rows,
    dot_rows,
    identity_rows,
    inverse_rows,
    multiply_rows,
    solve_any,
    transpose_rows,
)


class BadPoint(Exception):
    """This random point lies where something is not defined (a zero denominator, a missing root): draw again."""


class NoValue(AlgebraError):
    """A function or operator of which no random values are known: points can say nothing."""


class Sampler(Field):
    """A field that invents typed values for symbols and remembers them."""

    def __init__(self) -> None:
        self.values: dict[Any, Any] = {}
        self.narrow = False  # some operator got values that are less general than its properties allow
        self.choices = 1  # how many patterns the discrete choices of this point were one of

    @abstractmethod
    def draw(self) -> Any:
        """A random element."""

    @abstractmethod
    def is_zero(self, x: Any) -> bool: ...

    @abstractmethod
    def square_root(self, x: Any) -> Any: ...

    @abstractmethod
    def same(self, a: list[Any], b: list[Any]) -> bool:
        """Whether two lists of elements count as equal arguments of a function."""

    @abstractmethod
    def recall(self, name: Any, arguments: list[Any], make: Callable[[], Any]) -> Any:
        """The value of a function at these arguments: keyed by what they are worth, not by how they are written."""

    @abstractmethod
    def pick(self, alternatives: int) -> int: ...

    def choice(self, alternatives: int) -> int:
        """One of several cases, none of which is a limit of another: enough points must meet them all."""
        self.choices *= alternatives
        return self.pick(alternatives)

    def operator(self, term: Term, values: list[Any]) -> Any:
        from dalembert.algebra.values.models import operator_value

        return operator_value(term, values, self)

    def inverse(self, rows: Rows) -> Rows:
        found = inverse_rows(rows, self.is_zero, self.number(Fraction(1)))
        if found is None:
            raise BadPoint
        return found

    def symbol(self, term: Term) -> Any:
        if term not in self.values:
            self.values[term] = self._typed(term)
        return self.values[term]

    def _typed(self, term: Term) -> Any:
        sort, facts = term.sort, term.payload
        if sort.is_scalar:
            return self.draw()
        if sort.is_quaternion:
            return self._sphere(4) if "unit" in facts.properties else [self.draw() for _ in range(4)]
        if sort.is_vector:
            return [[x] for x in self._vector(term, facts)]
        source = facts.origin.payload if facts.origin is not None else facts
        if facts.order and (source.nilpotent or source.commutes_with or "projector" in source.properties):
            raise NoValue(f"no random values are known for '{term}', the rate of a matrix with such properties.")
        if facts.commutes_with:
            return self._commuting(term, facts)
        if facts.nilpotent or "projector" in facts.properties:
            return self._degenerate(sort.rows, facts)
        return self._matrix(sort.rows, sort.columns, facts.properties)

    def _commuting(self, term: Term, facts: Facts) -> Rows:
        """A polynomial in the partner: what commutes with a matrix without multiple eigenvalues."""
        first, *others = facts.commutes_with
        kept = {"constant"} | ({"symmetric", "diagonal"} & first.payload.properties)
        plain = not (first.payload.nilpotent or facts.nilpotent or "projector" in first.payload.properties)
        if not plain or not facts.properties <= kept or any(not commute(first, o) for o in others):
            raise NoValue(f"no random values are known for '{term}': what commutes and has its other properties?")
        base = self.symbol(first)
        total = [[self.number(Fraction(0))] * len(base) for _ in base]
        power = identity_rows(len(base), self.number(Fraction(0)), self.number(Fraction(1)))
        for _ in base:
            weight = self.draw()
            total = [[x + weight * y for x, y in zip(r, s)] for r, s in zip(total, power)]
            power = multiply_rows(power, base)
        return total

    def _degenerate(self, size: int, facts: Facts) -> Rows:
        """A projector of any rank or a nilpotent matrix, in a random basis (an orthonormal one if symmetric)."""
        zero, one = self.number(Fraction(0)), self.number(Fraction(1))
        if facts.nilpotent:
            n = facts.nilpotent
            form = [[one if j == i + 1 and (i + 1) % n else zero for j in range(size)] for i in range(size)]
        elif "diagonal" in facts.properties:
            return [[one if i == j and self.choice(2) else zero for j in range(size)] for i in range(size)]
        else:
            rank = self.choice(size + 1)
            form = [[one if i == j < rank else zero for j in range(size)] for i in range(size)]
        if "symmetric" in facts.properties:
            turn = self.rotation(size)
            return multiply_rows(multiply_rows(turn, form), transpose_rows(turn))
        basis = [[self.draw() for _ in range(size)] for _ in range(size)]
        return multiply_rows(multiply_rows(basis, form), self.inverse(basis))

    # -- vectors
    def _vector(self, term: Term, facts: Facts) -> list[Any]:
        if facts.basis is not None and not facts.order:
            key = ("basis", facts.basis)
            if key not in self.values:
                self.values[key] = transpose_rows(self.rotation(3))
            return list(self.values[key][facts.basis.index(facts.name)])
        size = term.sort.rows
        if facts.collinear_to is not None:
            along = [x[0] for x in self.symbol(facts.collinear_to)]
            factor = self.draw()
            if facts.norm is not None or "unit" in facts.properties:
                length = evaluate(facts.norm, self) if facts.norm is not None else self.number(Fraction(1))
                square = self.square_root(dot_rows([[x] for x in along], [[x] for x in along]))
                factor = (length if self.choice(2) else -length) / square
            return [factor * x for x in along]
        if facts.norm is not None:
            length = evaluate(facts.norm, self)
            if facts.orthogonal_to:
                raise NoValue(f"no random values are known for '{term}', orthogonal to others and of given norm.")
            return [length * x for x in self._sphere(size)]
        origin = facts.origin if facts.order else term
        assert origin is not None
        if facts.order and (origin.payload.norm is not None or origin.payload.collinear_to is not None):
            raise NoValue(f"no random values are known for '{term}': its origin has a given norm or direction.")
        rows, right = self._conditions(origin, facts.order)
        unit = "unit" in origin.payload.properties
        if not facts.order and unit:
            if not rows:
                return self._sphere(size)
            free = self._solve(rows, right)
            length = self.square_root(dot_rows([[x] for x in free], [[x] for x in free]))
            return [x / length for x in free]
        return self._solve(rows, right) if rows else [self.draw() for _ in range(size)]

    def _solve(self, rows: Rows, right: list[Any]) -> list[Any]:
        found = solve_any(rows, right, self.draw, self.is_zero)
        if found is None:
            raise BadPoint
        return found

    def _conditions(self, origin: Term, order: int) -> tuple[Rows, list[Any]]:
        """Linear conditions on the derivative of this order: d^n/dt^n of v . v = 1 and of u . v = 0 (Leibniz)."""
        rows: Rows = []
        right: list[Any] = []
        zero = self.number(Fraction(0))
        if order and "unit" in origin.payload.properties:
            total = zero
            for k in range(1, order):
                total = total + self._count(order, k) * dot_rows(self._rate(origin, k), self._rate(origin, order - k))
            rows.append([x[0] for x in self._rate(origin, 0)])
            right.append(-total * self.number(Fraction(1, 2)))
        for other in origin.payload.orthogonal_to:
            total = zero
            for k in range(order):
                total = total + self._count(order, k) * dot_rows(self._rate(origin, k), self._rate(other, order - k))
            rows.append([x[0] for x in self._rate(other, 0)])
            right.append(-total)
        return rows, right

    def _count(self, n: int, k: int) -> Any:
        return self.number(Fraction(comb(n, k)))

    def _rate(self, symbol: Term, order: int) -> Rows:
        rate = symbol
        for _ in range(order):
            rate = dt(rate)
        return evaluate(rate, self)  # type: ignore[no-any-return]

    def _sphere(self, size: int) -> list[Any]:
        one = self.number(Fraction(1))
        free = [self.draw() for _ in range(size - 1)]
        square = dot_rows([[x] for x in free], [[x] for x in free])
        if self.is_zero(one + square):
            raise BadPoint
        return [(one - square) / (one + square), *[(x + x) / (one + square) for x in free]]

    # -- matrices
    def _matrix(self, rows: int, columns: int, properties: frozenset[str]) -> Rows:
        zero, one = self.number(Fraction(0)), self.number(Fraction(1))
        free = [[self.draw() for _ in range(columns)] for _ in range(rows)]
        if "diagonal" in properties:
            values = [self.draw() for _ in range(rows)]
            if "positive definite" in properties:
                values = [v * v for v in values]
            if "orthogonal" in properties:
                values = [one if self.choice(2) else -one for _ in range(rows)]
            return [[values[i] if i == j else zero for j in range(columns)] for i in range(rows)]
        if "orthogonal" in properties:
            return self._orthogonal(rows, properties)
        if "positive definite" in properties:
            return multiply_rows(free, transpose_rows(free))
        if "symmetric" in properties:
            return [[free[min(i, j)][max(i, j)] for j in range(rows)] for i in range(rows)]
        if "antisymmetric" in properties:
            return self.antisymmetric(rows)
        return free

    def antisymmetric(self, size: int) -> Rows:
        zero = self.number(Fraction(0))
        a = [[zero] * size for _ in range(size)]
        for i in range(size):
            for j in range(i):
                a[i][j] = self.draw()
                a[j][i] = -a[i][j]
        return a

    def rotation(self, size: int) -> Rows:
        """Cayley: (1 - K)(1 + K)^-1 for a random antisymmetric K."""
        k = self.antisymmetric(size)
        one = identity_rows(size, self.number(Fraction(0)), self.number(Fraction(1)))
        plus = [[x + y for x, y in zip(r, s)] for r, s in zip(one, k)]
        minus = [[x - y for x, y in zip(r, s)] for r, s in zip(one, k)]
        return multiply_rows(minus, self.inverse(plus))

    def _orthogonal(self, size: int, properties: frozenset[str]) -> Rows:
        zero, one = self.number(Fraction(0)), self.number(Fraction(1))
        turn = self.rotation(size)
        if "symmetric" in properties:  # a half-turn in some directions: Q D Q^T, D of signs
            flips = 2 * self.choice(size // 2 + 1) if "rotation" in properties else self.choice(size + 1)
            signs = [[(-one if i < flips else one) if i == j else zero for j in range(size)] for i in range(size)]
            return multiply_rows(multiply_rows(turn, signs), transpose_rows(turn))
        if "antisymmetric" in properties:
            blocks = [[zero] * size for _ in range(size)]
            for i in range(0, size, 2):
                blocks[i][i + 1], blocks[i + 1][i] = -one, one
            if "rotation" not in properties and self.choice(2):
                blocks[0][1], blocks[1][0] = blocks[1][0], blocks[0][1]
            return multiply_rows(multiply_rows(turn, blocks), transpose_rows(turn))
        if "rotation" not in properties and self.choice(2):
            turn = [[-x for x in turn[0]], *turn[1:]]
        return turn
