"""Vectors without components: tilde, dot, cross, mixed product, dyad, norm, rotation about an axis.

Every bilinear scalar x^T M y has one spelling: scalars in front, crosses gathered into mixed products, the smaller
of the two orientations x^T M y = y^T M^T x. An antisymmetric M between equal vectors gives 0 by that comparison alone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dalembert.algebra.core.apply import apply, front_and_body, rank
from dalembert.algebra.core.engine import ZERO, as_term, identity, number, split_content, times, zero
from dalembert.algebra.core.facts import are_collinear, are_orthogonal, is_unit
from dalembert.algebra.core.operator import ARRAY, CROSS, DOT, DYAD, PRODUCT, ROTATION, SUM, SYMBOL, TILDE, TRIPLE
from dalembert.algebra.core.scalars import scalar_power
from dalembert.algebra.core.sorts import SCALAR, AlgebraError, Sort
from dalembert.algebra.core.term import ONE, Facts, Term, TermLike, is_zero_term, make
from dalembert.algebra.operators import words as _words
from dalembert.algebra.values.linear_algebra import cross_rows, dot_rows, multiply_rows, tilde_rows, transpose_rows

if TYPE_CHECKING:
    from dalembert.algebra.notation.writer import Piece, Writer


def _vector_argument(value: TermLike, what: str, size: int | None = None) -> Term:
    term = as_term(value)
    if not term.sort.is_vector:
        hint = " Transpose it first." if term.sort.is_row else ""
        raise AlgebraError(f"{what} needs vectors, but '{term}' is a {term.sort}.{hint}")
    if size is not None and term.sort.rows != size:
        raise AlgebraError(f"{what} exists in dimension {size} only, but '{term}' is a {term.sort}.")
    return term


def split_column(column: Term) -> tuple[Term | None, Term]:
    """A column as matrix * tail; the matrix is None when there is none."""
    if column.op is not PRODUCT:
        return None, column
    parts = tuple(zip(column.args, column.weights))
    tail = column.args[-1]
    return _words.word(parts[:-1], Sort(column.sort.rows, tail.sort.rows)), tail


def tilde(vector: TermLike) -> Term:
    """The matrix of the cross product: tilde(u) v = u x v. Written `~u` for short.

    >>> u, v = vector("u"), vector("v")
    >>> ~u * v, ~u * u, (~u).T
    (u x v, 0, -~u)
    """
    return apply(TILDE, [_vector_argument(vector, "the tilde operator", 3)], Sort(3, 3), _tilde)


def _tilde(v: Term) -> Term | None:
    if v.op is not ARRAY:
        return None
    from dalembert.algebra.operators.arrays import tilde_array

    return tilde_array(v)


def cross(x: TermLike, y: TermLike) -> Term:
    """The cross product: bilinear and anticommutative, so cross(u, u) = 0 and arguments are ordered.

    >>> u, v = vector("u"), vector("v")
    >>> cross(v, 2 * u) + cross(u, v)
    -u x v
    """
    columns = [_vector_argument(t, "the cross product", 3) for t in (x, y)]
    return apply(CROSS, columns, columns[0].sort, _cross)


def _cross(a: Term, b: Term) -> Term | None:
    if a is not b and are_collinear(a, b):
        return zero(a.sort)
    if a.op is ARRAY and b.op is ARRAY:
        from dalembert.algebra.operators.arrays import cross_arrays

        return cross_arrays(a, b)
    return _basis_cross(a, b)


def _basis_cross(a: Term, b: Term) -> Term | None:
    if a is b or a.op is not SYMBOL or b.op is not SYMBOL:
        return None
    if a.payload.basis is None or a.payload.basis != b.payload.basis:
        return None
    if a.payload.order or b.payload.order:
        return None
    names = a.payload.basis
    i, j = names.index(a.payload.name), names.index(b.payload.name)
    third = make(SYMBOL, (), (), replace(a.payload, name=names[3 - i - j]), a.sort)
    return third if (j - i) % 3 == 1 else -third


def dot(x: TermLike, y: TermLike) -> Term:
    """The dot product x^T y: bilinear, symmetric, 0 for perpendicular and 1 for equal unit vectors.

    >>> u, v, R = vector("u"), vector("v"), matrix("R", rotation=True)
    >>> dot(R * u, R * v), dot(cross(u, v), u)
    (u . v, 0)
    """
    a = _vector_argument(x, "the dot product")
    b = _vector_argument(y, "the dot product")
    if a.sort != b.sort:
        raise AlgebraError(
            f"the dot product of '{a}', a {a.sort}, and '{b}', a {b.sort}, is not defined: sizes differ."
        )
    return apply(DOT, [a, b], SCALAR, _form)


def _form(a: Term, b: Term) -> Term | None:
    (m, u), (n, w) = split_column(a), split_column(b)
    if m is None and n is None:
        return _plain_dot(u, w)
    middle = n if m is None else _words.transpose(m) if n is None else _words.multiply(_words.transpose(m), n)
    assert middle is not None
    front, middle = front_and_body(middle)
    if is_zero_term(middle):
        return ZERO
    if middle.op is PRODUCT and not middle.args:
        return times(front, dot(u, w))
    back_front, back = front_and_body(_words.transpose(middle))
    if w.op is CROSS and u.op is not CROSS:
        return times(front, back_front, triple(w.args[0], w.args[1], _words.multiply(back, u)))
    if u.op is CROSS and w.op is not CROSS:
        return times(front, triple(u.args[0], u.args[1], _words.multiply(middle, w)))
    if u is w and back is middle and back_front is not ONE:
        return ZERO
    forward = (u, _words.multiply(middle, w))
    backward = (w, _words.multiply(back, u))
    for tip, column in (forward, backward):
        if column.op is not PRODUCT:  # a rule shortened the column: start again from it
            return times(front, ONE if tip is u else back_front, dot(tip, column))
    if [rank(t) for t in backward] < [rank(t) for t in forward]:
        return times(front, back_front, make(DOT, backward, (), None, SCALAR))
    return times(front, make(DOT, forward, (), None, SCALAR))


def _plain_dot(u: Term, w: Term) -> Term | None:
    if u.op is ARRAY and w.op is ARRAY:
        from dalembert.algebra.operators.arrays import dot_arrays

        return dot_arrays(u, w)
    if w.op is CROSS and u.op is not CROSS:
        return triple(u, *w.args)
    if u.op is CROSS and w.op is not CROSS:
        return triple(w, *u.args)
    if u is w and is_unit(u):
        return ONE
    if u is w and u.op is SYMBOL and u.payload.norm is not None:
        return times(u.payload.norm, u.payload.norm)
    if are_orthogonal(u, w):
        return ZERO
    return None


def triple(x: TermLike, y: TermLike, z: TermLike) -> Term:
    """The mixed product x . (y x z): trilinear and alternating.

    >>> u, v, w = vector("u"), vector("v"), vector("w")
    >>> triple(v, u, w) + triple(u, v, w), triple(u, v, u)
    (0, 0)
    """
    return apply(TRIPLE, [_vector_argument(t, "the mixed product", 3) for t in (x, y, z)], SCALAR, _triple)


def _triple(*bodies: Term) -> Term | None:
    for i, body in enumerate(bodies):
        if split_column(body)[1].op is CROSS:
            return dot(cross(bodies[i - 2], bodies[i - 1]), body)
    if any(a is not b and are_collinear(a, b) for a, b in zip(bodies, (*bodies[1:], bodies[0]))):
        return ZERO
    if _basis_cross(bodies[0], bodies[1]) is not None or all(b.op is ARRAY for b in bodies):
        return dot(cross(bodies[0], bodies[1]), bodies[2])
    return None


def dyad(x: TermLike, y: TermLike) -> Term:
    """The dyad (outer product) x y^T, so that dyad(x, y) z = x (y . z).

    >>> u, v, w = vector("u"), vector("v"), vector("w")
    >>> dyad(u, v) * w
    (v . w) u
    """
    a = _vector_argument(x, "the dyad")
    b = _vector_argument(y, "the dyad")
    return apply(DYAD, [a, b], Sort(a.sort.rows, b.sort.rows), _dyad)


def _dyad(a: Term, b: Term) -> Term | None:
    if a.op is not ARRAY or b.op is not ARRAY:
        return None
    from dalembert.algebra.operators.arrays import multiply_arrays, transpose_array

    return multiply_arrays(a, transpose_array(b))


def norm(x: TermLike) -> Term:
    """The length of a vector, sqrt(x . x); of a scalar, its absolute value; of a quaternion, sqrt of its squared norm.

    >>> u, a = vector("u"), scalar("a")
    >>> norm(a * u), norm(u) ** 2
    (|a| |u|, u . u)
    """
    from fractions import Fraction

    term = as_term(x)
    if term.sort.is_quaternion:
        from dalembert.algebra.operators.quaternions import squared_norm

        return scalar_power(squared_norm(term), Fraction(1, 2))
    if term.sort.is_scalar:
        from dalembert.algebra.core.scalars import absolute

        return absolute(term)
    v = _vector_argument(term, "the norm")
    return scalar_power(dot(v, v), Fraction(1, 2))


def rotation(axis: TermLike, angle: TermLike) -> Term:
    """The matrix of the rotation about a unit vector by an angle: orthogonal, fixes its axis, angles add up.

    >>> u = vector("u", unit=True)
    >>> rotation(u, scalar("a")) * u
    u
    """
    a = _vector_argument(axis, "a rotation", 3)
    theta = as_term(angle)
    if not theta.sort.is_scalar:
        raise AlgebraError(f"the angle of a rotation is a scalar, but '{theta}' is a {theta.sort}.")
    front, a = front_and_body(a)
    if front == -1:
        front, theta = ONE, times(number(-1), theta)
    if front is not ONE or not is_unit(a):
        raise AlgebraError(f"the axis '{axis}' of a rotation must be a unit vector: vector(name, unit=True).")
    if is_zero_term(theta):
        return identity(3)
    if split_content(theta)[0] < 0:
        return _words.power(rotation(a, times(number(-1), theta)), -1)
    return make(ROTATION, (a, theta), (), None, Sort(3, 3))


def basis_facts(names: tuple[str, str, str], properties: frozenset[str], turning: Term | None) -> list[Facts]:
    """Facts of the three vectors of a right-handed orthonormal basis."""
    return [Facts(n, properties | {"unit"}, (), turning, names) for n in names]


# -- components and notation


def write_tilde(w: Writer, v: Term) -> Piece:
    short = w.done[v][1] == w.ATOM
    return w.d.tilde(w.text(v), short), w.ATOM if short else w.POWER


def write_cross(w: Writer, a: Term, b: Term) -> Piece:
    if w.matrix:
        return w.d.product([write_tilde(w, a)[0], w.at(b, w.PRODUCT)]), w.PRODUCT
    return w.d.infix("x", w.at(a, w.POWER), w.at(b, w.POWER)), w.INFIX


def write_dot(w: Writer, a: Term, b: Term) -> Piece:
    rows = [t.op is SYMBOL and "row" in t.payload.properties for t in (a, b)]
    if any(rows):
        a, b = (a, b) if rows[0] else (b, a)
    elif not (w.matrix or (a.op is not SUM and b.op is PRODUCT)):
        return w.d.infix(".", w.at(a, w.POWER), w.at(b, w.POWER)), w.INFIX
    return w.d.product([w.transposed(a)[0], w.at(b, w.PRODUCT)]), w.PRODUCT


def write_triple(w: Writer, a: Term, b: Term, c: Term) -> Piece:
    if w.matrix:
        return w.d.product([w.transposed(a)[0], w.hold(write_cross(w, b, c), w.PRODUCT)]), w.PRODUCT
    return w.d.bracket([w.text(t) for t in (a, b, c)]), w.ATOM


def write_dyad(w: Writer, a: Term, b: Term) -> Piece:
    if w.matrix:
        return w.d.product([w.at(a, w.PRODUCT), w.transposed(b)[0]]), w.PRODUCT
    return w.d.infix("(x)", w.at(a, w.POWER), w.at(b, w.POWER)), w.INFIX


TILDE.meaning.define(tilde, tilde_rows, write_tilde)
CROSS.meaning.define(cross, cross_rows, write_cross)
DOT.meaning.define(dot, dot_rows, write_dot)
TRIPLE.meaning.define(triple, lambda a, b, c: dot_rows(a, cross_rows(b, c)), write_triple)
DYAD.meaning.define(dyad, lambda a, b: multiply_rows(a, transpose_rows(b)), write_dyad)
ROTATION.meaning.define(rotation, notation="rot")
