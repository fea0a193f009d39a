"""Matching modulo associativity and commutativity, with typed variables.

A variable matches one term of its sort that has its properties; inside a product of matrices it may match several
neighbouring factors, inside a sum the pattern may match some of the summands up to a common scalar factor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import permutations
from typing import Any

from dalembert.algebra.core import operator as op
from dalembert.algebra.core.engine import as_term, times
from dalembert.algebra.core.facts import closure, property_names
from dalembert.algebra.core.scalars import scalar_power
from dalembert.algebra.core.sorts import QUATERNION, SCALAR, Sort
from dalembert.algebra.core.term import Facts, Term, Weight, make
from dalembert.algebra.operators.vectors import split_column
from dalembert.algebra.operators.words import multiply, transpose

Binding = dict[Term, Term]
Units = list[Term]  # letters of a word with every exponent spelled out


def _variable(name: str, sort: Sort, properties: str, condition: Callable[[Term], bool] | None) -> Term:
    names = closure(frozenset(p.strip() for p in properties.split(",") if p.strip()))
    return make(op.VARIABLE, (), (), (Facts(name, names), condition), sort)


def any_vector(name: str, size: int = 3, properties: str = "", where: Callable[[Term], bool] | None = None) -> Term:
    """A pattern variable for vectors; `properties` is a comma-separated list such as "unit, constant"."""
    return _variable(name, Sort(size, 1), properties, where)


def any_matrix(
    name: str,
    rows: int = 3,
    columns: int | None = None,
    properties: str = "",
    where: Callable[[Term], bool] | None = None,
) -> Term:
    """A pattern variable for matrices: `any_matrix("S", properties="symmetric")`."""
    return _variable(name, Sort(rows, rows if columns is None else columns), properties, where)


def any_scalar(name: str, where: Callable[[Term], bool] | None = None) -> Term:
    """A pattern variable for scalars."""
    return _variable(name, SCALAR, "", where)


def any_quaternion(name: str, properties: str = "", where: Callable[[Term], bool] | None = None) -> Term:
    """A pattern variable for quaternions."""
    return _variable(name, QUATERNION, properties, where)


def match(pattern: Term, term: Term, binding: Binding | None = None) -> Iterator[Binding]:
    """Every way to make the pattern equal to the whole term."""
    known = binding or {}
    if pattern.sort != term.sort:
        return
    kind = pattern.op
    if kind is op.VARIABLE:
        yield from _bind(pattern, term, known)
    elif not pattern.args:
        if pattern is term:
            yield known
    elif kind is op.SUM:
        for found, factor, rest in match_in_sum(pattern, term, known):
            if not rest and (factor == 1):
                yield found
    elif kind is op.TIMES:
        for found, left in match_in_times(pattern, term, known):
            if left == 1:
                yield found
    elif kind in (op.PRODUCT, op.QPRODUCT):
        units = spell(term)
        for found, start, stop in match_in_word(pattern, units, known):
            if start == 0 and stop == len(units):
                yield found
    elif term.op is kind and len(term.args) == len(pattern.args):
        yield from _match_arguments(pattern, term, known)


def _bind(variable: Term, term: Term, known: Binding) -> Iterator[Binding]:
    if variable in known:
        if known[variable] is term:
            yield known
        return
    facts, condition = variable.payload
    if facts.properties and not facts.properties <= property_names(term):
        return
    if condition is None or condition(term):
        yield {**known, variable: term}


def _match_arguments(pattern: Term, term: Term, known: Binding) -> Iterator[Binding]:
    orders: list[tuple[Term, ...]] = [term.args]
    if term.op.symmetry == 1 and term.op is not op.DOT:
        orders = list(permutations(term.args))
    elif term.op is op.DOT:
        orders = [term.args, term.args[::-1], *_other_orientation(term)]
    elif term.op is op.CROSS or term.op is op.TRIPLE:  # signs: only even permutations keep the value
        a = term.args
        orders = [a] if len(a) == 2 else [a, (a[1], a[2], a[0]), (a[2], a[0], a[1])]
    for order in orders:
        yield from _match_sequence(pattern.args, order, known)


def _other_orientation(term: Term) -> list[tuple[Term, ...]]:
    """x^T M y read as y^T M^T x, when no sign comes with it."""
    matrix, tail = split_column(term.args[1])
    if matrix is None:
        return []
    turned = multiply(transpose(matrix), term.args[0])
    return [(tail, turned), (turned, tail)] if turned.op is not op.SUM else []


def _match_sequence(patterns: tuple[Term, ...], terms: tuple[Term, ...], known: Binding) -> Iterator[Binding]:
    if not patterns:
        yield known
        return
    for found in match(patterns[0], terms[0], known):
        yield from _match_sequence(patterns[1:], terms[1:], found)


# -- sums ------------------------------------------------------------------------------------------------------------


def match_in_sum(pattern: Term, term: Term, known: Binding) -> Iterator[tuple[Binding, Term, list[int]]]:
    """Some summands of `term` equal factor * pattern: (binding, factor, indices of the other summands)."""
    if pattern.op is not op.SUM:
        pieces: list[tuple[Term, Weight]] = [(pattern, Fraction(1) if pattern.sort.is_scalar else as_term(1))]
    else:
        pieces = list(zip(pattern.args, pattern.weights))
    summands = list(zip(term.args, term.weights)) if term.op is op.SUM else [(term, as_term(1))]

    def go(i: int, used: tuple[int, ...], factor: Term | None, b: Binding) -> Iterator[tuple[Binding, Term, list[int]]]:
        if i == len(pieces):
            rest = [j for j in range(len(summands)) if j not in used]
            yield b, factor if factor is not None else as_term(1), rest
            return
        p, w = pieces[i]
        for j, (t, v) in enumerate(summands):
            if j in used:
                continue
            for found in match(p, t, b):
                for ratio, bound in _ratio(as_term(w), as_term(v), factor, found):
                    yield from go(i + 1, (*used, j), ratio, bound)

    yield from go(0, (), None, known)


def _ratio(w: Term, v: Term, factor: Term | None, known: Binding) -> Iterator[tuple[Term, Binding]]:
    """Solve v = factor * w for the common factor, binding a scalar variable in w if there is one."""
    if not _has_variables(w):
        ratio = times(v, scalar_power(w, -1))
        if factor is None or factor is ratio:
            yield ratio, known
        return
    target = v if factor is None else times(v, scalar_power(factor, -1))
    for found in match(w, target, known):
        yield (as_term(1) if factor is None else factor), found


def _has_variables(term: Term) -> bool:
    from dalembert.algebra.core.term import postorder

    return any(t.op is op.VARIABLE for t in postorder([term]))


# -- scalar products -------------------------------------------------------------------------------------------------


def match_in_times(pattern: Term, term: Term, known: Binding) -> Iterator[tuple[Binding, Term]]:
    """A scalar monomial that holds the pattern: (binding, what is left as a factor)."""
    pieces = list(zip(pattern.args, pattern.weights)) if pattern.op is op.TIMES else [(pattern, 1)]
    powers: list[tuple[Term, Any]] = list(zip(term.args, term.weights)) if term.op is op.TIMES else [(term, 1)]

    def go(i: int, left: list[tuple[Term, Any]], b: Binding) -> Iterator[tuple[Binding, Term]]:
        if i == len(pieces):
            yield b, times(*[scalar_power(t, e) for t, e in left])
            return
        p, e = pieces[i]
        for j, (t, f) in enumerate(left):
            if p.op is op.VARIABLE and e == 1 and f != 1:
                for found in match(p, scalar_power(t, f), b):
                    yield from go(i + 1, left[:j] + left[j + 1 :], found)
            if isinstance(e, Term) or isinstance(f, Term):
                remaining: Any = 0 if e is f else None
            else:
                remaining = f - e if (f > 0) == (e > 0) and abs(f) >= abs(e) else None
            if remaining is None:
                continue
            for found in match(p, t, b):
                rest = [(t, remaining)] if remaining != 0 else []
                yield from go(i + 1, left[:j] + rest + left[j + 1 :], found)

    yield from go(0, powers, known)


# -- words -----------------------------------------------------------------------------------------------------------


def spell(term: Term) -> Units:
    """The factors of a word one by one: A^2 B spells A, A, B; an inverse is one factor."""
    from dalembert.algebra.operators.words import power

    if term.op not in (op.PRODUCT, op.QPRODUCT):
        return [term]
    units: Units = []
    for base, e in zip(term.args, term.weights):
        if isinstance(e, int):
            units.extend([base if e > 0 else power(base, -1)] * abs(e))
        else:
            units.append(power(base, e))
    return units


def match_in_word(pattern: Term, units: Units, known: Binding) -> Iterator[tuple[Binding, int, int]]:
    """A run of neighbouring factors that the pattern matches: (binding, start, stop)."""
    pieces = spell(pattern)
    for start in range(len(units)):
        for found, stop in _match_run(pieces, units, start, known):
            yield found, start, stop


def _match_run(pieces: Units, units: Units, start: int, known: Binding) -> Iterator[tuple[Binding, int]]:
    if not pieces:
        yield known, start
        return
    if start >= len(units):
        return
    first = pieces[0]
    longest = len(units) - (len(pieces) - 1) if first.op is op.VARIABLE else start + 1
    for stop in range(start + 1, longest + 1):
        run = units[start:stop]
        candidate = run[0] if len(run) == 1 else join_units(run)
        if candidate.sort == first.sort:
            for found in match(first, candidate, known):
                yield from _match_run(pieces[1:], units, stop, found)


def join_units(units: Units) -> Term:
    from dalembert.algebra.operators.words import product

    return product(*units)
