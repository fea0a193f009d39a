"""Quaternions at three levels: symbols, (scalar, vector) pairs, four components (Papegay 3.4.2, QUATERMAN).

Level 1 knows only the algebra: words with exponents, conjugates, norms. A pair of a scalar and a vector stays a pair
until `parts` (or `expand`) multiplies it out; a pair whose vector has explicit components is computed at once.
"""

from __future__ import annotations

from dalembert.algebra.core.apply import apply, front_and_body
from dalembert.algebra.core.engine import (
    ZERO,
    add,
    add_exponents,
    as_term,
    identity,
    linear_combination,
    multiply_exponents,
    number,
    quaternion_one,
    scale,
    split_content,
    times,
    zero,
)
from dalembert.algebra.core.facts import is_unit
from dalembert.algebra.core.operator import (
    CONJUGATE,
    MATRIX_OF,
    PAIR,
    QPRODUCT,
    SCALAR_PART,
    SQUARED_NORM,
    SUM,
    VECTOR_PART,
)
from dalembert.algebra.core.scalars import scalar_power
from dalembert.algebra.core.sorts import QUATERNION, SCALAR, VECTOR, AlgebraError, Sort
from dalembert.algebra.core.term import ONE, Term, TermLike, Weight, is_zero_term, make
from dalembert.algebra.operators.arrays import column, is_explicit
from dalembert.algebra.operators.vectors import cross, dot
from dalembert.algebra.values.linear_algebra import quaternion_matrix
from dalembert.errors import SingularError

Letters = tuple[tuple[Term, Weight], ...]


def _quaternion_argument(value: TermLike, what: str) -> Term:
    term = as_term(value)
    if not term.sort.is_quaternion:
        hint = " Make it one with pair(0, v)." if term.sort.is_vector else ""
        raise AlgebraError(f"{what} needs a quaternion, but '{term}' is a {term.sort}.{hint}")
    return term


def pair(s: TermLike, v: TermLike) -> Term:
    """The quaternion of scalar part s and vector part v; with v = 0 it is s times 1_Q.

    >>> pair(1, 0), pair(0, column(1, 0, 0)) * pair(0, column(0, 1, 0))
    (1, (0, [0; 0; 1]))
    """
    part = as_term(s)
    if not part.sort.is_scalar:
        raise AlgebraError(f"the scalar part '{part}' of a quaternion is a {part.sort}.")
    vector = zero(VECTOR) if not isinstance(v, Term) and v == 0 else as_term(v)
    if vector.sort != VECTOR:
        raise AlgebraError(f"the vector part '{vector}' of a quaternion is a {vector.sort}, not a vector of 3.")
    if is_zero_term(vector):
        return scale(part, quaternion_one())
    return make(PAIR, (part, vector), (), None, QUATERNION)


def components_quaternion(s: TermLike, x: TermLike, y: TermLike, z: TermLike) -> Term:
    """The quaternion s + x i + y j + z k: level 3, always computed fully."""
    return pair(s, column(x, y, z))


def is_level_three(term: Term) -> bool:
    """Whether all four components are known."""
    if is_zero_term(term):
        return True
    if term.op is SUM:
        return all(is_level_three(a) for a in term.args)
    return (term.op is PAIR and is_explicit(term.args[1])) or (term.op is QPRODUCT and not term.args)


def combine_explicit(weighted: dict[Term, Term]) -> dict[Term, Term]:
    """In a sum, quaternions given by components are added up at once."""
    known = {t: w for t, w in weighted.items() if t.op is PAIR and is_explicit(t.args[1])}
    if not known or (list(known.values()) == [ONE] and quaternion_one() not in weighted):
        return weighted
    rest = {t: w for t, w in weighted.items() if t not in known}
    real = add(rest.pop(quaternion_one(), ZERO), *[times(w, t.args[0]) for t, w in known.items()])
    vector = linear_combination([(w, t.args[1]) for t, w in known.items()], VECTOR)
    if not is_zero_term(vector):
        rest[make(PAIR, (real, vector), (), None, QUATERNION)] = ONE
    elif not is_zero_term(real):
        rest[quaternion_one()] = real
    return rest


def quaternion_product(*factors: Term) -> Term:
    """The product of quaternions and scalars, left to right."""
    for f in factors:
        if not (f.sort.is_quaternion or f.sort.is_scalar):
            raise AlgebraError(f"cannot multiply a quaternion by '{f}', a {f.sort}. Turn a vector into pair(0, v).")
    front = times(*[f for f in factors if f.sort.is_scalar])
    result = quaternion_one()
    for f in factors:
        if f.sort.is_quaternion:
            result = _multiply(result, f)
    return scale(front, result)


def _multiply(a: Term, b: Term) -> Term:
    if QPRODUCT.absorbing and (is_zero_term(a) or is_zero_term(b)):
        return zero(QUATERNION)
    front: Term = ONE
    if QPRODUCT.homogeneous:
        left, a = front_and_body(a)
        right, b = front_and_body(b)
        front = times(left, right)
    x, y = list(qletters(a)), list(qletters(b))
    while x and y:
        (base, e), (other, f) = x[-1], y[0]
        if base is other and base.op is not PAIR:
            total = add_exponents(e, f)
            if total == 0 and not QPRODUCT.symmetric:
                break
            x.pop()
            y.pop(0)
            if total != 0:
                x.append((base, total))
                break
        elif e == f and isinstance(e, int) and conjugate(base) is other:
            front = times(front, scalar_power(squared_norm(base), e))
            x.pop()
            y.pop(0)
        elif _computes(base, e) and _computes(other, f):
            joined = multiply_parts(base, other)
            x.pop()
            y.pop(0)
            extra, body = front_and_body(joined)
            if is_zero_term(joined):
                return zero(QUATERNION)
            front = times(front, extra)
            y = [*qletters(body), *y]
        else:
            break
    return scale(front, qword(tuple(x + y)))


def _computes(base: Term, exponent: Weight) -> bool:
    return exponent == 1 and base.op is PAIR and is_explicit(base.args[1])


def qletters(term: Term) -> Letters:
    opens = term.op is QPRODUCT and (QPRODUCT.associative if term.args else QPRODUCT.neutral)
    return tuple(zip(term.args, term.weights)) if opens else ((term, 1),)


def qword(parts: Letters) -> Term:
    if len(parts) == 1 and parts[0][1] == 1:
        return parts[0][0]
    return make(QPRODUCT, tuple(b for b, _ in parts), tuple(e for _, e in parts), None, QUATERNION)


def multiply_parts(p: Term, q: Term) -> Term:
    """(s1, v1)(s2, v2) = (s1 s2 - v1 . v2, s1 v2 + s2 v1 + v1 x v2)."""
    (s1, v1), (s2, v2) = (scalar_part(p), vector_part(p)), (scalar_part(q), vector_part(q))
    return pair(add(times(s1, s2), times(number(-1), dot(v1, v2))), add(scale(s1, v2), scale(s2, v1), cross(v1, v2)))


def quaternion_power(q: Term, n: Weight) -> Term:
    """q ** n; the inverse of a unit quaternion is its conjugate, and both are exponent -1."""
    if n == 1:
        return q
    if n == 0:
        return quaternion_one()
    if is_zero_term(q):
        if isinstance(n, int) and n < 0:
            raise SingularError("the quaternion 0 has no inverse.")
        return q
    front, body = front_and_body(q)
    if front is not ONE:
        return scale(scalar_power(front, n), quaternion_power(body, n))
    if isinstance(n, int) and body.op is PAIR and is_explicit(body.args[1]):
        if n < 0:
            inverse = scale(scalar_power(squared_norm(body), -1), conjugate(body))
            return quaternion_power(inverse, -n)
        return quaternion_product(*([body] * n))
    parts = qletters(body)
    if not parts:
        return body
    if len(parts) == 1:
        base, e = parts[0]
        return qword(((base, multiply_exponents(e, n)),))
    if isinstance(n, int) and n < 0:
        body = quaternion_product(*[quaternion_power(b, multiply_exponents(e, -1)) for b, e in reversed(parts)])
        return quaternion_power(body, -n)
    return qword(((body, n),))


def conjugate(value: TermLike) -> Term:
    """The conjugate (s, -v): an involution that reverses products; q^-1 for a unit quaternion.

    >>> p, q = quaternion("p"), quaternion("q", unit=True)
    >>> conjugate(p * q), conjugate(conjugate(p))
    (q^-1 conj(p), p)
    """
    q = _quaternion_argument(value, "the conjugate")
    return apply(CONJUGATE, [q], QUATERNION, _conjugate)


def _conjugate(q: Term) -> Term | None:
    if q.op is PAIR:
        return pair(q.args[0], -q.args[1])
    if q.op is QPRODUCT:
        return None if q.args else q
    return qword(((q, -1),)) if is_unit(q) else None


def squared_norm(value: TermLike) -> Term:
    """N(q) = q conj(q), the square of the norm: multiplicative, 1 for unit quaternions (N(q^-1) = 1/N(q)).

    >>> q = quaternion("q")
    >>> squared_norm(scalar("a") * q), squared_norm(q**-1)
    (a^2 N(q), 1/N(q))
    """
    q = _quaternion_argument(value, "the squared norm")
    return apply(SQUARED_NORM, [q], SCALAR, _squared_norm)


def _squared_norm(body: Term) -> Term | None:
    if is_unit(body):
        return ONE
    if body.op is CONJUGATE:
        return squared_norm(body.args[0])
    if body.op is PAIR:
        s, v = body.args
        return add(times(s, s), dot(v, v))
    flipped = conjugate(body)
    if flipped.op is SUM and flipped.key < body.key and split_content(flipped)[0] == 1:
        return squared_norm(flipped)
    return None


def scalar_part(value: TermLike) -> Term:
    """The scalar part s of q = (s, v)."""
    q = _quaternion_argument(value, "the scalar part")
    return apply(SCALAR_PART, [q], SCALAR, _scalar_part)


def _scalar_part(q: Term) -> Term | None:
    if q.op is PAIR:
        return q.args[0]
    if q.op is QPRODUCT and not q.args:
        return ONE
    if q.op is CONJUGATE or _is_inverse_of_unit(q):
        return scalar_part(q.args[0])
    return None


def _is_inverse_of_unit(q: Term) -> bool:
    return q.op is QPRODUCT and q.weights == (-1,) and is_unit(q.args[0])


def vector_part(value: TermLike) -> Term:
    """The vector part v of q = (s, v)."""
    q = _quaternion_argument(value, "the vector part")
    return apply(VECTOR_PART, [q], VECTOR, _vector_part)


def _vector_part(q: Term) -> Term | None:
    if q.op is PAIR:
        return q.args[1]
    if q.op is QPRODUCT and not q.args:
        return zero(VECTOR)
    if q.op is CONJUGATE or _is_inverse_of_unit(q):
        return -vector_part(q.args[0])
    return None


def matrix_of(value: TermLike) -> Term:
    """The matrix of the rotation v -> q (0, v) q^-1, q not 0; products of quaternions give products of matrices.

    >>> p, q = quaternion("p", unit=True), quaternion("q", unit=True)
    >>> matrix_of(p * q), matrix_of(-p), matrix_of(q * q**-1)
    (R(p) R(q), R(p), Id)
    """
    q = _quaternion_argument(value, "the rotation matrix")
    if is_zero_term(q):
        raise SingularError("the quaternion 0 stands for no rotation.")
    return apply(MATRIX_OF, [q], Sort(3, 3), _matrix_of)


def _matrix_of(q: Term) -> Term | None:
    from dalembert.algebra.operators.words import power

    if q.op is QPRODUCT and not q.args:
        return identity(3)
    return power(matrix_of(q.args[0]), -1) if q.op is CONJUGATE else None


PAIR.meaning.define(
    pair, lambda s, v: [s, *[row[0] for row in v]], lambda w, s, v: (w.d.couple(w.text(s), w.text(v)), w.ATOM)
)
CONJUGATE.meaning.define(
    conjugate, lambda q: [q[0], -q[1], -q[2], -q[3]], lambda w, q: (w.d.overline(w.text(q)), w.ATOM)
)
SCALAR_PART.meaning.define(scalar_part, lambda q: q[0], "Sc")
VECTOR_PART.meaning.define(vector_part, lambda q: [[x] for x in q[1:]], "Ve")
SQUARED_NORM.meaning.define(squared_norm, lambda q: q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3], "N")
MATRIX_OF.meaning.define(matrix_of, quaternion_matrix, "R")
