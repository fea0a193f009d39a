"""Values of declared operators: for each list of properties, random functions that have them.

A value that is not 0 refutes an identity only if the function behind it really has the declared properties, and
vanishing values speak for an identity only if such functions are met in all their generality. So every model below
obeys the properties exactly, and one that is less general than they allow marks the point as `narrow`.

Arguments and results are flat lists of components, so one model serves scalars, vectors, matrices and quaternions.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import permutations, product
from typing import Any

from dalembert.algebra.core.operator import Operator
from dalembert.algebra.core.sorts import Sort
from dalembert.algebra.core.term import Facts, Term, is_zero_term, make
from dalembert.algebra.values.linear_algebra import identity_rows, multiply_rows, transpose_rows
from dalembert.algebra.values.sample import NoValue, Sampler

Flat = list[Any]


def components_of(sort: Sort) -> int:
    return 4 if sort.is_quaternion else sort.rows * sort.columns


def flatten(value: Any, sort: Sort) -> Flat:
    if sort.is_scalar:
        return [value]
    return list(value) if sort.is_quaternion else [x for row in value for x in row]


def shape(flat: Flat, sort: Sort) -> Any:
    if sort.is_scalar:
        return flat[0]
    if sort.is_quaternion:
        return flat
    return [flat[i * sort.columns : (i + 1) * sort.columns] for i in range(sort.rows)]


def operator_value(t: Term, values: list[Any], field: Sampler) -> Any:
    """The value of f(x, y, ..) for a random f that has the declared properties, the same f all over the point."""
    args = [flatten(v, a.sort) for v, a in zip(values, t.args)]
    return shape(_Model(t.op, t.sort, [a.sort for a in t.args], field).value(args), t.sort)


class _Model:
    def __init__(self, o: Operator, sort: Sort, sorts: list[Sort], field: Sampler) -> None:
        self.o, self.sort, self.sorts, self.field = o, sort, sorts, field
        self.size = components_of(sort)

    def value(self, args: list[Flat]) -> Flat:
        o, known = self.o, self.o.payload
        if o.product:
            return self._multiplicative(args)
        if known.symmetric is not None:
            return self._group(args)
        if o.associative:
            return self._associative(args)
        if o.external:
            return self._action(args)
        if o.projector or o.involution or o.nilpotent:
            return self._iterated(args[0])
        return self._free(args)

    # -- slots: linear, homogeneous of some degree, or anything

    def degree(self, slot: int) -> int | None:
        return self.o.degree(slot, self.sorts[slot])

    def is_linear(self, slot: int) -> bool:
        if not self.o.is_additive(slot):
            return False
        if self.degree(slot) is None:  # additive: linear maps are only some of the additive ones
            self.field.narrow = True
        elif self.degree(slot) != 1:
            raise NoValue(f"'{self.o.name}' is additive and of degree {self.degree(slot)}: only 0 is both.")
        return True

    def _free(self, args: list[Flat]) -> Flat:
        o, known, same = self.o, self.o.payload, self.field.same
        linear = [self.is_linear(i) for i in range(len(args))]
        structured = any(linear) or any(self.degree(i) is not None for i in range(len(args)))
        if o.symmetry and len({(self.degree(i), linear[i]) for i in range(len(args))}) > 1:
            raise NoValue(f"'{o.name}' is symmetric, but its arguments have different properties.")
        both = bool(o.symmetry)
        if known.absorbing is not None:
            element = self._element(known.absorbing)
            if structured and not (is_zero_term(known.absorbing) and all((self.degree(i) or 0) > 0 for i in (0, -1))):
                raise NoValue(f"'{o.name}' has an absorbing element besides linear arguments.")
            if not structured and self._at_side(o.absorbing, both, lambda i: same(args[i], element)):
                return element
        if known.neutral is not None or o.idempotent:
            if structured:
                raise NoValue(f"'{o.name}' has linear arguments besides a neutral element or idempotence.")
            if o.idempotent and all(same(args[0], a) for a in args[1:]):
                return args[0]
            unit = self._element(known.neutral) if known.neutral is not None else None
            if unit is not None and len(args) == 2:
                if (o.neutral != "right" or both) and same(args[0], unit):
                    return args[1]
                if (o.neutral != "left" or both) and same(args[1], unit):
                    return args[0]
        if not o.symmetry:
            return self._table(args, linear)
        total = [self.field.number(Fraction(0))] * self.size
        for order in permutations(range(len(args))):
            odd = sum(order[i] > order[j] for i in range(len(order)) for j in range(i + 1, len(order))) % 2
            part = self._table([args[i] for i in order], linear)
            total = [x - y if odd and o.symmetry == -1 else x + y for x, y in zip(total, part)]
        return total

    def _at_side(self, side: str, both: bool, holds: Callable[[int], bool]) -> bool:
        return ((side != "right" or both) and holds(0)) or ((side != "left" or both) and holds(-1))

    def _element(self, element: Term) -> Flat:
        from dalembert.algebra.values.evaluate import evaluate

        return flatten(evaluate(element, self.field), element.sort)

    def _table(self, args: list[Flat], linear: list[bool]) -> Flat:
        """Multilinear in the linear slots, with coefficients that depend on the other arguments in any way."""
        factor = self.field.number(Fraction(1))
        key: Flat = []
        for i, a in enumerate(args):
            if linear[i]:
                continue
            d = self.degree(i)
            if d is not None:
                lead, a = self._normalised(a, d)
                if lead is None:
                    return [self.field.number(Fraction(0))] * self.size
                factor = factor * _raise(lead, d, self.field)
            key += a
        moving = [a for i, a in enumerate(args) if linear[i]]
        name = (self.o.name, self.sort.token, tuple(s.token for s in self.sorts), "table")
        terms = list(product(*[range(len(a)) for a in moving]))
        coefficients = self.field.recall(name, key, lambda: self._draws(len(terms) * self.size))
        result = []
        for k in range(self.size):
            total = self.field.number(Fraction(0))
            for n, places in enumerate(terms):
                value = coefficients[n * self.size + k] * factor
                for a, place in zip(moving, places):
                    value = value * a[place]
                total = total + value
            result.append(total)
        return result

    def _draws(self, count: int) -> Flat:
        return [self.field.draw() for _ in range(count)]

    def _normalised(self, a: Flat, degree: int) -> tuple[Any, Flat]:
        lead = next((x for x in a if not self.field.is_zero(x)), None)
        if lead is None:
            if degree < 0:
                raise ZeroDivisionError
            return (None, a) if degree else (self.field.number(Fraction(1)), a)
        return lead, [x / lead for x in a]

    # -- one argument: projectors, involutions, nilpotent operators

    def _iterated(self, x: Flat) -> Flat:
        if self.sorts[0] != self.sort:
            raise NoValue(f"'{self.o.name}' maps a {self.sorts[0]} to a {self.sort}: its iterates have no model.")
        name = (self.o.name, self.sort.token, "iterated")
        d = self.degree(0)
        if self.is_linear(0) or (d == 1 and self.size == 1):
            rows = self.field.recall(name, [], self._similar)
            return [row[0] for row in multiply_rows(rows, [[c] for c in x])]
        if d is not None and (d not in (1, -1) or self.size == 1):
            raise NoValue(f"'{self.o.name}' is iterated and homogeneous of degree {d}.")
        zero = self.field.number(Fraction(0))
        if (self.o.nilpotent or d is not None) and all(self.field.is_zero(c) for c in x):
            if d == -1:
                raise ZeroDivisionError
            return [zero] * self.size
        lead, start = self._normalised(x, d) if d is not None else (None, x)
        found = self.field.recall(name, start, lambda: self._chain(name, start, d))
        return found if d is None else [_raise(lead, d, self.field) * c for c in found]

    def _chain(self, name: Any, start: Flat, d: int | None) -> Flat:
        """A fresh value of f at `start`, with the values of f further on that the property then fixes."""

        def fix(at: Flat, image: Flat) -> None:
            lead, key = self._normalised(at, d) if d is not None else (None, at)
            if d is not None:
                image = [c / _raise(lead, d, self.field) for c in image]
            if self.field.recall(name, key, lambda: image) is not image:
                raise ZeroDivisionError  # this value is taken already: not a point for this function

        first = self._draws(self.size)
        if self.o.projector:
            fix(first, first)
        elif self.o.involution:
            fix(first, start)
        else:
            zero = [self.field.number(Fraction(0))] * self.size
            links = [first, *[self._draws(self.size) for _ in range(self.o.nilpotent - 2)]]
            if self.o.nilpotent == 1:
                return zero
            for at, image in zip(links, [*links[1:], zero]):
                fix(at, image)
        return first

    def _similar(self) -> list[list[Any]]:
        """A random matrix with P^2 = P, P^2 = 1 or P^n = 0: a normal form in a random basis."""
        n, o = self.size, self.o
        zero, one = self.field.number(Fraction(0)), self.field.number(Fraction(1))
        if o.nilpotent:
            form = [[one if j == i + 1 and (i + 1) % o.nilpotent else zero for j in range(n)] for i in range(n)]
        else:
            rank = self.field.choice(n + 1)
            low = zero if o.projector else -one
            form = [[(one if i < rank else low) if i == j else zero for j in range(n)] for i in range(n)]
        basis = [self._draws(n) for _ in range(n)]
        return multiply_rows(multiply_rows(basis, form), self.field.inverse(basis))

    # -- structures of which only some instances are known: the point is narrow

    def _only(self, *allowed: str) -> None:
        extra = [p for p in self.o.properties if p not in allowed]
        if extra:
            raise NoValue(f"'{self.o.name}': no model is known with {' and '.join(extra)} besides the rest.")
        self.field.narrow = True

    def _multiplicative(self, args: list[Flat]) -> Flat:
        """X -> G X G^-1, or its reverse G X^T G^-1 with symmetric G: morphisms of products."""
        self._only("morphism", "homogeneous", "involution")
        o, sort, field = self.o, self.sort, self.field
        if self.sorts != [sort] or self.degree(0) not in (None, 1) or not (sort.is_scalar or sort.is_square):
            raise NoValue(f"'{o.name}' is a morphism of products for which no model is known.")
        if sort.is_scalar:
            return args[0]

        def basis() -> list[list[Any]]:
            free = [self._draws(sort.rows) for _ in range(sort.rows)]
            if o.product < 0:
                return multiply_rows(free, transpose_rows(free))
            if not o.involution:
                return free
            one = identity_rows(sort.rows, field.number(Fraction(0)), field.number(Fraction(1)))
            one[0][0] = -one[0][0]
            return multiply_rows(multiply_rows(free, one), field.inverse(free))

        g = field.recall((o.name, sort.token, "basis"), [], basis)
        x = shape(args[0], sort)
        inner = transpose_rows(x) if o.product < 0 else x
        return flatten(multiply_rows(multiply_rows(g, inner), field.inverse(g)), sort)

    def _group(self, args: list[Flat]) -> Flat:
        """Opposites: the sum, if the symmetric element of X is -X and the neutral element 0."""
        self._only("associative", "commutative", "neutral", "symmetric")
        known = self.o.payload
        probe = make_probe(self.sort)
        if known.symmetric(probe) is not -probe or not is_zero_term(known.neutral):
            raise NoValue(f"'{self.o.name}': no model is known for its symmetric elements.")
        return [sum(column[1:], column[0]) for column in zip(*args)]

    def _associative(self, args: list[Flat]) -> Flat:
        """Free words: a value of f is remembered with the word of arguments that it stands for."""
        o, field, known = self.o, self.field, self.o.payload
        if o.homogeneous or o.morphism:
            return self._algebra(args)
        if o.symmetry == -1:
            raise NoValue(f"'{o.name}': no model is known for an associative and anticommutative operator.")
        if {o.neutral, o.absorbing} - {"", "both"}:
            raise NoValue(f"'{o.name}': no model is known for an associative operator with one-sided elements.")
        if known.absorbing is not None and any(field.same(a, self._element(known.absorbing)) for a in args):
            return self._element(known.absorbing)
        name = (o.name, self.sort.token)
        neutral = self._element(known.neutral) if known.neutral is not None else None
        letters: list[int] = []
        for a in args:
            if neutral is None or not field.same(a, neutral):
                letters += field.recall((*name, "word"), a, partial(self._letter, name, a))
        if o.symmetry:
            letters.sort()
        if o.idempotent:  # keeping first occurrences makes any word idempotent
            letters = list(dict.fromkeys(letters))
            field.narrow = field.narrow or not o.symmetry
        if not letters:
            assert neutral is not None
            return neutral
        listed: list[Flat] = field.recall((*name, "letters"), [], list)
        if len(letters) == 1:
            return listed[letters[0]]
        value = field.recall((*name, "value", tuple(letters)), [], lambda: self._draws(self.size))
        field.recall((*name, "word"), value, lambda: letters)
        return value

    def _letter(self, name: tuple[str, str], value: Flat) -> list[int]:
        listed: list[Flat] = self.field.recall((*name, "letters"), [], list)
        listed.append(value)
        return [len(listed) - 1]

    def _algebra(self, args: list[Flat]) -> Flat:
        """f(x, y) = (c . x) y, or the product of components in a random basis if f commutes."""
        self._only("associative", "commutative", "homogeneous", "morphism")
        if not all(self.is_linear(i) for i in range(len(args))):
            raise NoValue(f"'{self.o.name}': no model is known for this associative operator.")
        name = (self.o.name, self.sort.token, "algebra")
        if not self.o.symmetry:
            weights = self.field.recall(name, [], lambda: self._draws(self.size))
            factor = self.field.number(Fraction(1))
            for a in args[:-1]:
                factor = factor * multiply_rows([weights], [[x] for x in a])[0][0]
            return [factor * x for x in args[-1]]
        basis = self.field.recall(name, [], lambda: [self._draws(self.size) for _ in range(self.size)])
        codes = [[row[0] for row in multiply_rows(basis, [[x] for x in a])] for a in args]
        total = codes[0]
        for code in codes[1:]:
            total = [x * y for x, y in zip(total, code)]
        return [row[0] for row in multiply_rows(self.field.inverse(basis), [[x] for x in total])]

    def _action(self, args: list[Flat]) -> Flat:
        """f(x, v) = x^k v."""
        self._only("external", "homogeneous", "morphism")
        if len(args) != 2 or not self.sorts[0].is_scalar or self.sorts[1] != self.sort:
            raise NoValue(f"'{self.o.name}': no model is known for this external operator.")
        if self.degree(1) not in (None, 1):
            raise NoValue(f"'{self.o.name}': no model is known for this degree.")
        power = 1 if 0 in self.o.morphism else self.degree(0)
        factor = _raise(args[0][0], 2 if power is None else power, self.field)
        return [factor * x for x in args[1]]


def _raise(x: Any, n: int, field: Sampler) -> Any:
    from dalembert.algebra.values.evaluate import integer_power

    return integer_power(x, n, field)


def make_probe(sort: Sort) -> Term:
    """A symbol of this sort that no user can name."""
    from dalembert.algebra.core.operator import SYMBOL

    return make(SYMBOL, (), (), Facts("~probe"), sort)
