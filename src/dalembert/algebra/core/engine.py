"""The engine: sums, multiples and scalar products built from the properties that their operators declare.

An operator that is associative, commutative and has symmetric elements is an abelian group: its operands are kept as
a map {operand: multiplicity}, where opposites cancel and neutral elements vanish. Sums (multiplicity = coefficient) and
products of scalars (multiplicity = exponent) are the two instances. Words, the non-commutative case, are in
`operators/words.py`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Final

from dalembert.algebra.core.operator import ABS, ARRAY, PAIR, PRODUCT, QPRODUCT, SUM, TIMES
from dalembert.algebra.core.sorts import SCALAR, AlgebraError, Sort
from dalembert.algebra.core.term import ONE, Term, TermLike, Weight, is_zero_term, make
from dalembert.errors import SingularError


def zero(sort: Sort) -> Term:
    """The zero of a sort: the empty sum."""
    return make(SUM, (), (), None, sort)


def identity(size: int = 3) -> Term:
    """The identity matrix: the empty product."""
    return ONE if size == 1 else make(PRODUCT, (), (), None, Sort(size, size))


def quaternion_one() -> Term:
    """The quaternion 1_Q: the empty product of quaternions."""
    return make(QPRODUCT, (), (), None, Sort(1, 1, True))


_UNIT: Final = Fraction(1)
_MINUS_ONE: Final = make(SUM, (ONE,), (Fraction(-1),), None, SCALAR)


def number(value: int | Fraction | float) -> Term:
    """A number as a scalar term; a float is read as the decimal fraction that it prints as."""
    if type(value) is int or type(value) is Fraction:
        if value == 1:
            return ONE
        if value == -1:
            return _MINUS_ONE
        exact = value if type(value) is Fraction else Fraction(value)
    else:
        exact = Fraction(str(value)) if isinstance(value, float) else Fraction(value)
    if exact == 1:
        return ONE
    return make(SUM, (ONE,), (exact,), None, SCALAR) if exact else zero(SCALAR)


MINUS_ONE: Final = _MINUS_ONE
ZERO: Final = zero(SCALAR)


def numeric_value(term: Term) -> Fraction | None:
    """The number that a scalar term is, or None if it holds symbols."""
    if term is ONE:
        return _UNIT
    if term.op is SUM and len(term.args) <= 1 and term.sort.is_scalar:
        if not term.args:
            return Fraction(0)
        if term.args[0] is ONE:
            return term.weights[0]  # type: ignore[return-value]
    return None


def as_term(value: Any) -> Term:
    """A term from a term, a scalar expression or a number."""
    if isinstance(value, Term):
        return value
    if isinstance(value, int | Fraction | float):
        return number(value)
    from dalembert.expr import Expr

    if isinstance(value, Expr):
        from dalembert.algebra.core.scalars import from_expr

        return from_expr(value)
    if hasattr(value, "__index__"):  # integers of other libraries
        return number(value.__index__())
    raise AlgebraError(f"{value!r} is not a term. Use vector(), matrix(), quaternion(), scalar(), an Expr or a number.")


def zero_or_term(value: TermLike, sort: Sort) -> Term:
    """Like `as_term`, but the number 0 stands for the zero of any sort."""
    if not isinstance(value, Term) and isinstance(value, int | Fraction | float) and value == 0:
        return zero(sort)
    return as_term(value)


# -- sums ------------------------------------------------------------------------------------------------------------


def items(term: Term) -> Iterable[tuple[Term, Weight]]:
    """The summands of a term with their weights; a term that is no sum is its own summand."""
    if term.op is SUM and (SUM.associative if term.args else SUM.neutral):
        return zip(term.args, term.weights)
    return ((term, _UNIT if term.sort.is_scalar else ONE),)


def add(*terms: Term) -> Term:
    """The sum, with equal terms merged: a A + b A -> (a + b) A, opposites cancelled, zeros dropped."""
    sort = terms[0].sort
    for term in terms:
        if term.sort != sort:
            raise AlgebraError(
                f"cannot add '{terms[0]}', a {sort}, and '{term}', a {term.sort}. "
                "Both sides of a sum need one sort and size."
            )
    live = [t for t in terms if not is_zero_term(t)] if SUM.neutral else list(terms)
    if len(live) == 1:
        return live[0]
    return linear_combination(((w, t) for term in live for t, w in items(term)), sort)


def linear_combination(pairs: Iterable[tuple[Weight, Term]], sort: Sort) -> Term:
    """Sum of weight * term; the heart of `+`: fractions weigh scalars, scalar terms weigh tensors."""
    if sort.is_scalar:
        merged: dict[Term, Any] = {}
        for weight, term in pairs:
            for inner, w in items(term):
                merged[inner] = merged.get(inner, 0) + weight * w
        cancels = SUM.symmetric
        exact = {t: w if type(w) is Fraction else Fraction(w) for t, w in merged.items() if w or not cancels}
        return _sum(exact, sort)
    tensors: dict[Term, list[Term]] = {}
    queue = list(pairs)
    if len(queue) == 1 and queue[0][1].op not in (SUM, ARRAY, PAIR) and isinstance(queue[0][0], Term):
        weight, term = queue[0]
        return zero(sort) if is_zero_term(weight) else _sum({term: weight}, sort)  # type: ignore[arg-type]
    while queue:
        for weight, term in queue:
            if SUM.neutral and is_zero_term(term):
                continue
            coefficient = weight if isinstance(weight, Term) else number(weight)
            splits = term.op is SUM and SUM.associative
            if splits and (numeric_value(coefficient) is not None or len(term.args) == 1):
                for inner, w in items(term):
                    if coefficient is not ONE:
                        w = times(coefficient, w)  # type: ignore[arg-type]
                    tensors.setdefault(inner, []).append(w)  # type: ignore[arg-type]
            else:
                tensors.setdefault(term, []).append(coefficient)
        # A group whose weights add up to a number is no longer a factored group: it joins the sum.
        queue = []
        for term in [t for t in tensors if t.op is SUM and t.args and SUM.associative]:
            total = add(*tensors[term]) if len(tensors[term]) > 1 else tensors[term][0]
            if numeric_value(total) is not None:
                del tensors[term]
                queue.append((total, term))
            else:
                tensors[term] = [total]
    sums = {t: (add(*ws) if len(ws) > 1 else ws[0]) for t, ws in tensors.items()}
    kept = {t: w for t, w in sums.items() if not is_zero_term(w)} if SUM.symmetric else sums
    if sort.is_quaternion:
        from dalembert.algebra.operators.quaternions import combine_explicit

        return _sum(combine_explicit(kept), sort)
    explicit = [(t, w) for t, w in kept.items() if t.op is ARRAY]
    if explicit and (len(explicit) > 1 or explicit[0][1] is not ONE):
        from dalembert.algebra.operators.arrays import combine_arrays

        whole = combine_arrays(explicit)
        if whole is not None:
            rest = {t: w for t, w in kept.items() if t.op is not ARRAY}
            if not is_zero_term(whole):
                rest[whole] = ONE
            return _sum(rest, sort)
    return _sum(kept, sort)


def _sum(weights: dict[Term, Any], sort: Sort) -> Term:
    if len(weights) == 1:
        ((only, weight),) = weights.items()
        if weight is ONE or weight == 1:
            return only
    ordered = sorted(weights, key=_by_key) if SUM.symmetry else list(weights)
    return make(SUM, tuple(ordered), tuple(weights[t] for t in ordered), None, sort)


def _by_key(term: Term) -> tuple[str, bytes]:
    return term.key


def scale(factor: Term, term: Term) -> Term:
    """A scalar times any term: numbers go through sums, other scalars keep the sum as one group."""
    if term.sort.is_scalar:
        return times(factor, term)
    if is_zero_term(factor) or is_zero_term(term):
        return zero(term.sort)
    if factor is ONE:
        return term
    if term.op is ARRAY or term.op is PAIR:
        return linear_combination([(factor, term)], term.sort)
    if term.op is not SUM:
        return make(SUM, (term,), (factor,), None, term.sort)
    if numeric_value(factor) is None and len(term.args) > 1:
        content, primitive = split_content(term)
        return make(SUM, (primitive,), (times(number(content), factor),), None, term.sort)
    return linear_combination(((times(factor, w), t) for t, w in zip(term.args, term.weights)), term.sort)  # type: ignore[arg-type]


def split_content(term: Term) -> tuple[Fraction, Term]:
    """A sum as number * primitive sum: coprime integer coefficients, the first one positive."""
    if term.op is not SUM or not term.args:
        return Fraction(1), term
    numbers = [leading_number(w) for w in term.weights]
    content = Fraction(math.gcd(*[n.numerator for n in numbers]), math.lcm(*[n.denominator for n in numbers]))
    if numbers[0] < 0:
        content = -content
    if content == 1:
        return content, term
    inverse = 1 / content
    if term.sort.is_scalar:
        if len(term.args) == 1:
            return content, term.args[0]
        return content, make(SUM, term.args, tuple(w * inverse for w in term.weights), None, term.sort)  # type: ignore[operator,misc]
    factor = number(inverse)
    return content, _sum({t: times(factor, w) for t, w in zip(term.args, term.weights)}, term.sort)  # type: ignore[arg-type]


def leading_number(weight: Weight) -> Fraction:
    """The number in front of a weight; for a weight that is a sum, the content of that sum."""
    if not isinstance(weight, Term):
        return Fraction(weight)
    value = numeric_value(weight)
    if value is not None:
        return value
    if weight.op is SUM:
        return Fraction(weight.weights[0]) if len(weight.args) == 1 else split_content(weight)[0]  # type: ignore[arg-type]
    return Fraction(1)


# -- products of scalars ---------------------------------------------------------------------------------------------


def times(*factors: Term) -> Term:
    """The product of scalars: numbers in front, equal factors as powers, sums kept as groups."""
    live = [f for f in factors if f is not ONE] if TIMES.neutral else list(factors)
    if len(live) < 2:
        return live[0] if live else ONE
    return power_product((f, 1) for f in live)


def power_product(pairs: Iterable[tuple[Term, int]]) -> Term:
    """Product of factor ** integer over the given pairs."""
    coefficient = Fraction(1)
    exponents: dict[Term, Any] = {}
    queue = list(pairs)
    while queue:
        factor, power = queue.pop()
        if factor.op is SUM:
            if not factor.args:
                if power < 0:
                    raise SingularError("division by zero: a scalar that is identically 0 has no inverse.")
                if TIMES.absorbing:
                    return ZERO
            elif len(factor.args) == 1:
                coefficient *= Fraction(factor.weights[0]) ** power  # type: ignore[arg-type]
                factor = factor.args[0]
            else:
                content, factor = split_content(factor)
                coefficient *= content**power
        opens = factor.op is TIMES and (TIMES.associative if factor.args else TIMES.neutral)
        grouped = zip(factor.args, factor.weights) if opens else ((factor, 1),)
        for base, exponent in grouped:
            raised = exponent if power == 1 else multiply_exponents(exponent, power)
            exponents[base] = add_exponents(exponents.get(base, 0), raised)
        if not queue:  # merged exponents may have made a base composite again, as sqrt(a b)^2 -> a b
            for base in [b for b, e in exponents.items() if isinstance(e, int) and _opens(b, e)]:
                exponent = exponents.pop(base)
                if base.op is ABS:  # |x|^3 = x^2 |x|
                    odd = (exponent % 2) * (1 if exponent > 0 else -1)
                    queue.append((base.args[0], exponent - odd))
                    if odd:
                        exponents[base] = odd
                else:
                    queue.append((base, exponent))
    for base in [b for b, e in exponents.items() if isinstance(e, Fraction) and numeric_value(b) is not None]:
        e = exponents[base]  # roots of numbers: exponent between 0 and 1, so 2^(-1/2) is 1/2 2^(1/2)
        coefficient *= Fraction(numeric_value(base) or 0) ** (e.numerator // e.denominator)
        exponents[base] = e - e.numerator // e.denominator
    return _monomial(coefficient, {b: e for b, e in exponents.items() if e != 0 or not TIMES.symmetric})


def _opens(base: Term, exponent: int) -> bool:
    """Whether a power of this base has a simpler form once its exponent is an integer."""
    if exponent == 0:
        return False
    if base.op is TIMES:
        return bool(TIMES.associative if base.args else TIMES.neutral)
    return (base.op is SUM and len(base.args) == 1) or (base.op is ABS and abs(exponent) > 1)


def _monomial(coefficient: Fraction, exponents: dict[Term, Any]) -> Term:
    if not coefficient:
        return ZERO
    ordered = sorted(exponents, key=_by_key) if TIMES.symmetry else list(reversed(exponents))
    if len(ordered) == 1 and exponents[ordered[0]] == 1:
        body = ordered[0]
    else:
        body = make(TIMES, tuple(ordered), tuple(exponents[b] for b in ordered), None, SCALAR)
    if coefficient == 1:
        return body
    if body.op is SUM:  # a number times a sum is a sum
        return make(SUM, body.args, tuple(w * coefficient for w in body.weights), None, SCALAR)  # type: ignore[operator,misc]
    return make(SUM, (body,), (coefficient,), None, SCALAR)


def add_exponents(a: Weight, b: Weight) -> Weight:
    if isinstance(a, Term) or isinstance(b, Term):
        return plain_exponent(add(as_term(a), as_term(b)))
    return plain_exponent(a + b)


def multiply_exponents(a: Weight, b: Weight) -> Weight:
    if isinstance(a, Term) or isinstance(b, Term):
        return plain_exponent(times(as_term(a), as_term(b)))
    return plain_exponent(a * b)


def plain_exponent(value: Weight) -> Weight:
    """An int when it is one, a fraction when it is a number, else a scalar term."""
    if isinstance(value, Term):
        numeric = numeric_value(value)
        if numeric is None:
            return value
        value = numeric
    return int(value) if value == int(value) else Fraction(value)
