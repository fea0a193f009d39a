"""Canonical products of vectors and matrices: the identities of space on expanded operands."""

from __future__ import annotations

from collections.abc import Callable

from dalembert.algebra.core import operator as op
from dalembert.algebra.core.apply import rank
from dalembert.algebra.core.engine import add, as_term, identity, items, number, zero
from dalembert.algebra.core.facts import is_orthogonal, is_rotation
from dalembert.algebra.core.sorts import SCALAR, VECTOR, Sort
from dalembert.algebra.core.term import ONE, Term, Weight, is_zero_term
from dalembert.algebra.forms.expand import distribute_product, multiply_scalars, scale_expanded
from dalembert.algebra.operators.matrices import det
from dalembert.algebra.operators.vectors import cross, dot, dyad, split_column, tilde, triple
from dalembert.algebra.operators.words import letters, multiply, power, transpose, word

MINUS = number(-1)


def linear(build: Callable[..., Term], sort: Sort, *args: Term) -> Term:
    """Multilinear extension of a rule on monomials."""
    if any(is_zero_term(a) for a in args):
        return zero(sort)
    if all(a.op is not op.SUM for a in args):
        return build(*args)
    combos: list[tuple[Term, tuple[Term, ...]]] = [(ONE, ())]
    for a in args:
        combos = [(multiply_scalars(f, as_term(w)), (*done, t)) for f, done in combos for t, w in items(a)]
    parts = [scale_expanded(f, build(*monomials)) for f, monomials in combos]
    return add(*parts) if parts else zero(sort)


def canonical_dot(x: Term, y: Term) -> Term:
    return linear(_dot, SCALAR, x, y)


def _dot(x: Term, y: Term) -> Term:
    if x.op is op.CROSS and y.op is op.CROSS:  # Lagrange's identity
        (a, b), (c, d) = x.args, y.args
        return add(
            multiply_scalars(canonical_dot(a, c), canonical_dot(b, d)),
            -multiply_scalars(canonical_dot(a, d), canonical_dot(b, c)),
        )
    return _normal_triples(dot(x, y))


def canonical_triple(x: Term, y: Term, z: Term) -> Term:
    return linear(_triple, SCALAR, x, y, z)


def _triple(x: Term, y: Term, z: Term) -> Term:
    for a, b, c in ((x, y, z), (y, z, x), (z, x, y)):
        if a.op is op.CROSS:
            return canonical_dot(a, canonical_cross(b, c))
    return _normal_triples(triple(x, y, z))


def _normal_triples(t: Term) -> Term:
    """Remove a rotation common to the three vectors of a mixed product: [Ra, Rb, Rc] = [a, b, c]."""
    if t.op is op.SUM and len(t.args) == 1 and t.args[0].op is op.TRIPLE:
        return multiply_scalars(number(t.weights[0]), _normal_triples(t.args[0]))  # type: ignore[arg-type]
    if t.op is not op.TRIPLE:
        return t
    prefixes = [_rotation_prefix(a) for a in t.args]
    if not any(prefixes):
        return t
    shifts: list[Term] = [identity(3)]
    for prefix in prefixes:
        total = identity(3)
        for base, sign in prefix:
            total = multiply(total, power(base, sign))
            shifts.append(power(total, -1))
    best = min((_shifted(t, s) for s in shifts), key=lambda found: found[0])
    return triple(*best[1])


def _shifted(t: Term, shift: Term) -> tuple[tuple[int, list[tuple[int, tuple[str, bytes]]]], list[Term]]:
    columns = [multiply(shift, a) if shift.args else a for a in t.args]
    return (sum(len(_rotation_prefix(c)) for c in columns), sorted(rank(c) for c in columns)), columns


def _rotation_prefix(column: Term) -> list[tuple[Term, int]]:
    steps: list[tuple[Term, int]] = []
    matrix, _ = split_column(column)
    for base, e in letters(matrix) if matrix is not None else ():
        if not (is_rotation(base) and isinstance(e, int)):
            break
        steps.extend([(base, 1 if e > 0 else -1)] * abs(e))
    return steps


def canonical_cross(x: Term, y: Term) -> Term:
    return linear(_cross, VECTOR, x, y)


def _cross(x: Term, y: Term) -> Term:
    if y.op is op.CROSS:  # x x (a x b) = a (x . b) - b (x . a)
        a, b = y.args
        return add(scale_expanded(canonical_dot(x, b), a), -scale_expanded(canonical_dot(x, a), b))
    if x.op is op.CROSS:
        return -_cross(y, x)
    return cross(x, y)


def canonical_tilde(v: Term) -> Term:
    return linear(_tilde, Sort(3, 3), v)


def _tilde(v: Term) -> Term:
    if v.op is op.CROSS:
        a, b = v.args
        return add(canonical_dyad(b, a), -canonical_dyad(a, b))
    return tilde(v)


def canonical_dyad(x: Term, y: Term) -> Term:
    return linear(_dyad, Sort(x.sort.rows, y.sort.rows), x, y)


def _dyad(x: Term, y: Term) -> Term:
    if x.op is op.CROSS and y.op is op.CROSS:
        (a, b), (c, d) = x.args, y.args
        return add(
            scale_expanded(_dot(x, y), identity(3)),
            -scale_expanded(canonical_dot(b, d), canonical_dyad(c, a)),
            scale_expanded(canonical_dot(a, d), canonical_dyad(c, b)),
            scale_expanded(canonical_dot(b, c), canonical_dyad(d, a)),
            -scale_expanded(canonical_dot(a, c), canonical_dyad(d, b)),
        )
    return dyad(x, y)


# -- matrices acting -------------------------------------------------------------------------------------------------


def apply_to_column(matrix: Term, column: Term) -> Term:
    """The canonical product of an expanded matrix (or row) and an expanded column."""
    if matrix.sort.is_row:
        return canonical_dot(transpose(matrix), column)
    return linear(_apply, Sort(matrix.sort.rows, 1), matrix, column)


def _apply(matrix: Term, column: Term) -> Term:
    if matrix.sort.is_scalar or column.sort.is_scalar:
        return distribute_product(matrix, column)
    if matrix.op is op.DYAD:
        return scale_expanded(canonical_dot(matrix.args[1], column), matrix.args[0])
    result = column
    for base, e in reversed(letters(matrix)):
        if base.op is op.TILDE and isinstance(e, int):
            for _ in range(e):
                result = canonical_cross(base.args[0], result)
        else:
            result = linear(lambda c, b=base, n=e: _letter_on_column(b, n, c), Sort(base.sort.rows, 1), result)
    return result


def _letter_on_column(base: Term, e: Weight, column: Term) -> Term:
    factor = power(base, e)
    if column.op is op.CROSS and is_orthogonal(base) and isinstance(e, int):
        a, b = column.args
        turned = canonical_cross(apply_to_column(factor, a), apply_to_column(factor, b))
        return scale_expanded(_sign(base, e), turned)
    return multiply(factor, column)


def _sign(base: Term, e: int) -> Term:
    return det(base) if e % 2 else ONE


def multiply_matrices(a: Term, b: Term) -> Term:
    """The canonical product of two expanded matrices; rows and columns included."""
    if a.sort.is_scalar or b.sort.is_scalar:
        return distribute_product(a, b)
    if b.sort.is_vector:
        return apply_to_column(a, b)
    if a.sort.is_row:
        return transpose(apply_to_column(transpose(b), transpose(a)))
    if b.sort.is_row:
        return canonical_dyad(a, transpose(b))
    return linear(_multiply, Sort(a.sort.rows, b.sort.columns), a, b)


def _multiply(a: Term, b: Term) -> Term:
    if a.op is op.DYAD:
        return canonical_dyad(a.args[0], apply_to_column(transpose(b), a.args[1]))
    if b.op is op.DYAD:
        return canonical_dyad(apply_to_column(a, b.args[0]), b.args[1])
    result = a
    for base, e in letters(b):
        steps = [(base, 1)] * e if base.op is op.TILDE and isinstance(e, int) else [(base, e)]
        for step in steps:
            sort = Sort(a.sort.rows, base.sort.columns)
            result = linear(lambda m, s=step: _push(m, s), sort, result)
    return result


def _push(m: Term, letter: tuple[Term, Weight]) -> Term:
    """A canonical matrix monomial times one more letter."""
    base, e = letter
    if m.op is op.DYAD:
        return canonical_dyad(m.args[0], apply_to_column(transpose(power(base, e)), m.args[1]))
    parts = letters(m)
    if base.op is not op.TILDE or not parts:
        return multiply(m, power(base, e))
    last, n = parts[-1]
    front = word(parts[:-1], Sort(m.sort.rows, last.sort.rows)) if len(parts) > 1 else identity(last.sort.rows)
    v = base.args[0]
    if last.op is op.TILDE:
        u = last.args[0]
        pair_of = add(canonical_dyad(v, u), scale_expanded(multiply_scalars(MINUS, canonical_dot(u, v)), identity(3)))
        if n != 1:
            front = multiply(front, power(last, add_one(n, -1)))
        return multiply_matrices(front, pair_of)
    if is_orthogonal(last) and isinstance(n, int):  # R ~v = det(R) ~(R v) R
        factor = power(last, n)
        moved = canonical_tilde(apply_to_column(factor, v))
        return scale_expanded(_sign(last, n), multiply_matrices(multiply_matrices(front, moved), factor))
    return multiply(m, base)


def add_one(n: Weight, step: int) -> Term:
    return add(as_term(n), number(step))
