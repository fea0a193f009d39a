"""Words: products of matrices and vectors, where order matters; powers, inverses and transposes.

A word is a list of letters (base, exponent). Neighbours with the same base add their exponents, so inverses cancel
through exponent 0; the inverse of an orthogonal matrix is its transpose, so both are exponent -1. A tilde that meets a
vector becomes a cross product; a column that meets a row becomes a dyad; a row that meets a column becomes a scalar
and moves to the front.
"""

from __future__ import annotations

import itertools
from fractions import Fraction

from dalembert.algebra.core.apply import apply, front_and_body, ordered
from dalembert.algebra.core.engine import (
    add,
    add_exponents,
    as_term,
    identity,
    multiply_exponents,
    number,
    plain_exponent,
    scale,
    times,
    zero,
)
from dalembert.algebra.core.facts import commute, declared, is_antisymmetric, is_orthogonal
from dalembert.algebra.core.operator import (
    ARRAY,
    DYAD,
    MATRIX_OF,
    PRODUCT,
    ROTATION,
    SUM,
    SYMBOL,
    TILDE,
    TRANSPOSE,
    VARIABLE,
)
from dalembert.algebra.core.scalars import scalar_power
from dalembert.algebra.core.sorts import AlgebraError, Sort
from dalembert.algebra.core.term import ONE, Term, TermLike, Weight, is_zero_term, make
from dalembert.algebra.operators import vectors as _vectors
from dalembert.algebra.values.linear_algebra import transpose_rows
from dalembert.errors import SingularError

Letters = tuple[tuple[Term, Weight], ...]


def product(*factors: TermLike) -> Term:
    """The product of scalars, matrices and vectors (or of quaternions), left to right.

    >>> A, B = matrix("A"), matrix("B")
    >>> product(A, B, B**-1, A**-1)
    Id
    """
    terms = [as_term(f) for f in factors]
    if any(t.sort.is_quaternion for t in terms):
        from dalembert.algebra.operators.quaternions import quaternion_product

        return quaternion_product(*terms)
    scalars = [t for t in terms if t.sort.is_scalar]
    tensors = [t for t in terms if not t.sort.is_scalar]
    front = times(*scalars) if scalars else ONE
    if not tensors:
        return front
    _check_chain(tensors)
    if tensors[-1].sort.is_vector:  # from the right, so that each matrix meets a vector
        result = tensors[-1]
        for left in reversed(tensors[:-1]):
            result = multiply(left, result)
    else:
        result = tensors[0]
        for right in tensors[1:]:
            result = multiply(result, right)
    return scale(front, result) if front is not ONE else result


def _check_chain(tensors: list[Term]) -> None:
    for a, b in itertools.pairwise(tensors):
        if a.sort.columns != b.sort.rows:
            hint = "The columns of the left factor must equal the rows of the right one."
            if a.sort.is_vector and b.sort.is_vector:
                hint = "For two vectors use dot(u, v), cross(u, v) or dyad(u, v)."
            elif a.sort.transposed.columns == b.sort.rows:
                hint = f"Did you mean the transpose, {a}.T?"
            raise AlgebraError(f"cannot multiply '{a}', a {a.sort}, by '{b}', a {b.sort}. {hint}")


def letters(term: Term) -> Letters:
    """The letters of a word; a term that is no word is its own letter."""
    opens = term.op is PRODUCT and (PRODUCT.associative if term.args else PRODUCT.neutral)
    return tuple(zip(term.args, term.weights)) if opens else ((term, 1),)


def word(parts: Letters, sort: Sort) -> Term:
    """The term of these (already reduced) letters; a nilpotent matrix to its power makes it 0."""
    for base, e in parts:
        leaf = base.args[0] if base.op is TRANSPOSE else base
        if leaf.op is SYMBOL and leaf.payload.nilpotent and isinstance(e, int) and e >= leaf.payload.nilpotent:
            return zero(sort)
    if len(parts) == 1 and parts[0][1] == 1:
        return parts[0][0]
    return make(PRODUCT, tuple(b for b, _ in parts), tuple(e for _, e in parts), None, sort)


def multiply(a: Term, b: Term) -> Term:
    """The product of two terms whose sizes fit, neither of them a quaternion."""
    if a.sort.is_scalar or b.sort.is_scalar:
        return scale(a, b) if a.sort.is_scalar else scale(b, a)
    sort = Sort(a.sort.rows, b.sort.columns)
    if PRODUCT.absorbing and (is_zero_term(a) or is_zero_term(b)):
        return zero(sort)
    if PRODUCT.homogeneous and (a.op is SUM or b.op is SUM):
        left, a_body = front_and_body(a)
        right, b_body = front_and_body(b)
        if left is not ONE or right is not ONE:
            return scale(times(left, right), multiply(a_body, b_body))
    if a.sort.is_row:
        column = transpose(a)
        return _vectors.dot(column, b) if b.sort.is_vector else transpose(multiply(transpose(b), column))
    if b.sort.is_row:
        return _vectors.dyad(a, transpose(b))
    if a.op is ARRAY and b.op is ARRAY:
        from dalembert.algebra.operators.arrays import multiply_arrays

        found = multiply_arrays(a, b)
        if found is not None:
            return found
    if a.op is DYAD:
        x, y = a.args
        return scale(_vectors.dot(y, b), x) if b.sort.is_vector else _vectors.dyad(x, multiply(transpose(b), y))
    if b.op is DYAD:
        return _vectors.dyad(multiply(a, b.args[0]), b.args[1])
    return _apply_letters(a, b, sort) if b.sort.is_vector else word(_join(letters(a), letters(b)), sort)


def _join(left: Letters, right: Letters) -> Letters:
    """Concatenate two reduced words; cancellation at the joint goes as far as it can."""
    a, b = list(left), list(right)
    start = 0
    while a and start < len(b):
        base, exponent = a[-1]
        other, more = b[start]
        if base is other:
            total = _reduced_exponent(base, add_exponents(exponent, more))
            if total == 0 and not PRODUCT.symmetric:
                break
            start += 1
            if total == 0:
                a.pop()
                continue
            a[-1] = (base, total)
        elif base.op is ROTATION and other.op is ROTATION and base.args[0] is other.args[0]:
            if not (isinstance(exponent, int) and isinstance(more, int)):
                break
            angle = add(times(number(exponent), base.args[1]), times(number(more), other.args[1]))
            start += 1
            a.pop()
            if not is_zero_term(angle):
                merged = _vectors.rotation(base.args[0], angle)
                b = b[:start] + list(letters(merged)) + b[start:]
            continue
        break
    if a and start < len(b) and any(_is_partner(x) for x, _ in (*a, *b[start:])):
        return _commuted(a, b[start:])
    return tuple(a) + tuple(b[start:])


def _is_partner(base: Term) -> bool:
    leaf = base.args[0] if base.op is TRANSPOSE else base
    return leaf.op is SYMBOL and (bool(leaf.payload.commutes_with) or "diagonal" in leaf.payload.properties)


def _commuted(done: list[tuple[Term, Weight]], more: list[tuple[Term, Weight]]) -> Letters:
    """Let each further letter pass those that it commutes with: to its equal, or to its place in the order of names."""
    for base, exponent in more:
        place, target, i = len(done), None, len(done)
        while i and (done[i - 1][0] is base or commute(done[i - 1][0], base)):
            i -= 1
            if done[i][0] is base:
                target = i
                break
            if base.key < done[i][0].key:
                place = i
        if target is None:
            done.insert(place, (base, exponent))
            continue
        total = _reduced_exponent(base, add_exponents(done[target][1], exponent))
        left, right = done[:target], done[target + 1 :]
        done = list(_join(tuple(left), tuple(right))) if total == 0 else [*left, (base, total), *right]
    return tuple(done)


def _reduced_exponent(base: Term, exponent: Weight) -> Weight:
    """A symmetric orthogonal matrix is its own inverse, so only the parity counts; a projector is its own square."""
    base = base.args[0] if base.op is TRANSPOSE else base
    if isinstance(exponent, int) and base.op is SYMBOL:
        if {"symmetric", "orthogonal"} <= declared(base):
            return exponent % 2
        if "projector" in declared(base):
            return min(exponent, 1)
    return exponent


def _apply_letters(a: Term, column: Term, sort: Sort) -> Term:
    """Let the letters of `a` act on a column one after the other, from the right."""
    result = column
    for base, exponent in reversed(letters(a)):
        if base.op is TILDE and isinstance(exponent, int):
            for _ in range(exponent):
                result = _vectors.cross(base.args[0], result)
        elif base.op is ROTATION and base.args[0] is result:
            continue
        elif base.op is ARRAY and result.op is ARRAY and exponent == 1:
            result = multiply(base, result)
        elif result.op is SUM or result.op is DYAD or is_zero_term(result):
            front, body = front_and_body(result)
            size = Sort(base.sort.rows, 1)
            inner = zero(size) if is_zero_term(result) else word(_join(((base, exponent),), letters(body)), size)
            result = scale(front, inner)
        else:
            result = word(_join(((base, exponent),), letters(result)), Sort(base.sort.rows, 1))
    return result


# -- powers ----------------------------------------------------------------------------------------------------------


def power(base: TermLike, exponent: TermLike) -> Term:
    """base ** exponent for scalars, square matrices and quaternions; the exponent may be a symbol.

    >>> A = matrix("A")
    >>> power(2 * A, 3)
    8 A^3
    """
    term = as_term(base)
    n = plain_exponent(as_term(exponent))
    if term.sort.is_quaternion:
        from dalembert.algebra.operators.quaternions import quaternion_power

        return quaternion_power(term, n)
    if term.sort.is_scalar:
        return scalar_power(term, n)
    if n == 1:
        return term
    if not term.sort.is_square:
        raise AlgebraError(f"'{term}' is a {term.sort}; only square matrices have powers and inverses.")
    if isinstance(n, Fraction):
        raise AlgebraError(
            f"the power {n} of the matrix '{term}' is not defined here: exponents are integers or symbols."
        )
    if n == 0:
        return identity(term.sort.rows)
    if is_zero_term(term):
        if isinstance(n, int) and n < 0:
            raise SingularError("the zero matrix has no inverse.")
        return term
    front, body = front_and_body(term)
    if front is not ONE:
        return scale(scalar_power(front, n), power(body, n))
    if body.op is ARRAY and isinstance(n, int):
        from dalembert.algebra.operators.arrays import power_of_array

        found = power_of_array(body, n)
        if found is not None:
            return found
    return _word_power(body, n)


def _word_power(body: Term, n: Weight) -> Term:
    size = body.sort.rows
    if isinstance(n, int) and n < 0 and _is_singular(body):
        raise SingularError(f"'{body}' has no inverse: its determinant is 0. Solve in a subspace instead of inverting.")
    if body.op is DYAD and isinstance(n, int):
        return scale(scalar_power(_vectors.dot(*body.args), n - 1), body)
    parts = letters(body)
    if not parts:
        return body
    if len(parts) == 1:
        base, exponent = parts[0]
        total = _reduced_exponent(base, multiply_exponents(exponent, n))
        return identity(size) if total == 0 else word(((base, total),), body.sort)
    if isinstance(n, int) and n < 0 and all(b.sort.is_square for b, _ in parts):
        body = product(*[power(b, multiply_exponents(e, -1)) for b, e in reversed(parts)])
        n = -n
        if n == 1:
            return body
    return word(((body, n),), body.sort)


def _is_singular(body: Term) -> bool:
    if body.op is DYAD or any(
        b.op is SYMBOL and (b.payload.nilpotent or "projector" in b.payload.properties) for b, _ in letters(body)
    ):
        return True
    return body.sort.rows % 2 == 1 and not is_orthogonal(body) and is_antisymmetric(body)


def inverse(term: TermLike) -> Term:
    """A^-1; the transpose when A is orthogonal."""
    return power(term, -1)


# -- transpose -------------------------------------------------------------------------------------------------------


def transpose(term: TermLike) -> Term:
    """The transpose: an involution, a morphism of sums, and reverses products.

    >>> A, S = matrix("A"), matrix("S", symmetric=True)
    >>> transpose(A * S), transpose(~vector("v"))
    (S A^T, -~v)
    """
    t = as_term(term)
    if t.sort.is_quaternion:
        raise AlgebraError(f"'{t}' is a quaternion and has no transpose. Its counterpart is conjugate(q).")
    if t.sort.is_scalar:
        return t
    return apply(TRANSPOSE, [t], t.sort.transposed, _transpose)


def _transpose(t: Term) -> Term | None:
    op = t.op
    if op is ARRAY:
        from dalembert.algebra.operators.arrays import transpose_array

        return transpose_array(t)
    if op is SUM:
        return None
    if t.sort.is_vector:
        return ordered(TRANSPOSE, [t], t.sort.transposed)
    if op is PRODUCT:
        if not t.args:
            return t
        if all(b.sort.is_square for b in t.args):
            return None
        return product(*[power(transpose(b), e) for b, e in reversed(letters(t))]) if TRANSPOSE.product else None
    if op is TILDE:
        return -t
    if op is DYAD:
        return _vectors.dyad(t.args[1], t.args[0])
    names = declared(t)
    if "symmetric" in names:
        return t
    if "antisymmetric" in names:
        return -t
    if op in (SYMBOL, VARIABLE, ROTATION, MATRIX_OF) and is_orthogonal(t):
        return word(((t, -1),), t.sort)
    return None


TRANSPOSE.meaning.define(transpose, transpose_rows, lambda w, t: w.transposed(t))
