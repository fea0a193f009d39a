"""The canonical form: everything expanded, then the identities of space, so that equal vector expressions become one
term.

Orientation of the identities (each one terminates, and the tests check that their overlaps meet again):

* a x (b x c) -> b (a . c) - c (a . b), hence (a x b) . (c x d) -> (a . c)(b . d) - (a . d)(b . c), and Jacobi;
* [a b c] [d e f] -> the Gram determinant of dot products; [c d e] (a x b) -> Cramer's combination of c, d, e:
  a monomial holds at most one mixed product or cross product;
* ~a ~b -> b (x) a - (a . b) 1;  ~(a x b) -> b (x) a - a (x) b;  (a x b) (x) (c x d) -> dots and dyads;
* a rotation goes inwards: R (a x b) -> (R a) x (R b), R ~a -> ~(R a) R; a common rotation of a mixed product is
  removed;
* rotation(u, th) -> cos th 1 + sin th ~u + (1 - cos th) u (x) u;  sin^2 -> 1 - cos^2;
* a quaternion -> (scalar part, vector part);  for a unit quaternion v . v -> 1 - s^2.

* at the end, the linear dependence of four vectors (see `straighten.py`).

Not oriented: dependences between vectors behind matrices, as A u and B v. `is_zero` decides those by evaluation.
"""

from __future__ import annotations

from dalembert.algebra.core import operator as op
from dalembert.algebra.core.engine import (
    add,
    as_term,
    identity,
    items,
    linear_combination,
    number,
    numeric_value,
    scale,
    zero,
)
from dalembert.algebra.core.facts import is_unit
from dalembert.algebra.core.rebuild import rebuild
from dalembert.algebra.core.scalars import scalar_power
from dalembert.algebra.core.sorts import VECTOR, Sort
from dalembert.algebra.core.term import ONE, Term, TermLike, Weight, make, postorder
from dalembert.algebra.forms.canonical_scalars import reduce_scalar, reduce_tensor
from dalembert.algebra.forms.canonical_vectors import (
    apply_to_column,
    canonical_cross,
    canonical_dot,
    canonical_dyad,
    canonical_tilde,
    canonical_triple,
    multiply_matrices,
)
from dalembert.algebra.forms.expand import expand_node, expanded_sum, multiply_scalars, scale_expanded
from dalembert.algebra.forms.straighten import straighten
from dalembert.algebra.operators.matrices import trace
from dalembert.algebra.operators.quaternions import pair, scalar_part, vector_part
from dalembert.algebra.operators.words import power, transpose
from dalembert.expr import cos, sin
from dalembert.expr import rebuild as rebuild_expr


def canonical(term: TermLike) -> Term:
    """The canonical form of a term; two terms that are equal by the identities above have the same one.

    >>> a, b, c, d = vectors("a b c d")
    >>> canonical(dot(cross(a, b), cross(c, d)) - dot(a, c) * dot(b, d) + dot(a, d) * dot(b, c))
    0
    """
    root = as_term(term)
    done: dict[Term, Term] = {}
    for t in postorder([root]):
        args = tuple(done[a] for a in t.args)
        weights = tuple(done[w] if isinstance(w, Term) else w for w in t.weights)
        done[t] = canonical_node(t, args, weights)
    return straighten(done[root])


def canonical_node(t: Term, args: tuple[Term, ...], weights: tuple[Weight, ...]) -> Term:
    """The canonical form of one operation whose operands are canonical already."""
    return _tidy(_node(t, args, weights))


def _tidy(t: Term) -> Term:
    if t.sort.is_scalar:
        return reduce_scalar(t)
    if t.sort.is_quaternion:
        return t
    if t.op is not op.SUM or all(numeric_value(w) is not None for w in t.weights):  # type: ignore[arg-type]
        return t
    reduced = [(w, reduce_scalar(as_term(w)), a) for a, w in items(t)]
    if any(new is not old for old, new, _ in reduced):
        t = linear_combination([(new, a) for _, new, a in reduced], t.sort)
    return reduce_tensor(t)


def _node(t: Term, args: tuple[Term, ...], weights: tuple[Weight, ...]) -> Term:
    kind = t.op
    if t.sort.is_quaternion:
        return _quaternion(t, args, weights)
    if kind is op.EXPR:
        return _open_function(t)
    if kind is op.SUM:
        return expanded_sum(args, weights, t.sort)
    if kind is op.PRODUCT:
        return _word(t, args, weights)
    if kind is op.DOT:
        return canonical_dot(*args)
    if kind is op.TRIPLE:
        return canonical_triple(*args)
    if kind is op.CROSS:
        return canonical_cross(*args)
    if kind is op.DYAD:
        return canonical_dyad(*args)
    if kind is op.TILDE:
        return canonical_tilde(args[0])
    if kind is op.ROTATION:
        return _rodrigues(*args)
    if kind is op.MATRIX_OF:
        return _matrix_of(args[0])
    if kind is op.SCALAR_PART:
        return scalar_part(args[0])
    if kind is op.VECTOR_PART:
        return vector_part(args[0])
    if kind is op.SQUARED_NORM:
        return _squared_norm(args[0])
    if kind is op.TRACE:
        return add(number(0), *[multiply_scalars(as_term(w), trace(a)) for a, w in items(args[0])])
    if not args:
        return t
    return expand_node(t, args, weights) if kind is op.TIMES or kind.morphism else rebuild(t, args, weights)


def _open_function(t: Term) -> Term:
    """A function of a canonical argument, and tan = sin/cos."""
    from dalembert.algebra.values.components import to_expr

    e = t.payload
    if e.op == "tan":
        return as_term(sin(e.args[0]) / cos(e.args[0]))
    if all(a.op in ("symbol", "const") for a in e.args):
        return t
    args = tuple(to_expr(canonical(as_term(a))) for a in e.args)
    return t if args == e.args else as_term(rebuild_expr(e, args))


def _word(t: Term, args: tuple[Term, ...], weights: tuple[Weight, ...]) -> Term:
    pieces: list[Term] = []
    for base, e in zip(args, weights):
        if isinstance(e, int) and e > 0:
            pieces.extend([base] * e)
        elif isinstance(e, int) and base.op is op.SUM and _is_inverse_by_transpose(t, base, e):
            pieces.extend([transpose(base)] * -e)
        else:
            pieces.append(power(base, e))
    if pieces and pieces[-1].sort.is_vector:
        result = pieces.pop()
        for piece in reversed(pieces):
            result = reduce_tensor(apply_to_column(piece, result))
        return result
    result = identity(t.sort.rows)
    for piece in pieces:
        result = reduce_tensor(multiply_matrices(result, piece))
    return result


def _is_inverse_by_transpose(t: Term, base: Term, e: int) -> bool:
    """A rotation that the canonical form has opened into a sum is inverted by its transpose."""
    original = {a: b for a, b in zip(t.args, t.weights) if a.op in (op.ROTATION, op.MATRIX_OF)}
    return bool(original) and e < 0 and any(canonical(a) is base for a in original)


def _rodrigues(axis: Term, angle: Term) -> Term:
    """rotation(u, th) = cos th 1 + sin th ~u + (1 - cos th) u u^T."""
    from dalembert.algebra.values.components import to_expr

    try:
        theta = to_expr(angle)
    except Exception:  # an angle made of dot products stays opaque
        return make(op.ROTATION, (axis, angle), (), None, Sort(3, 3))
    c, s = as_term(cos(theta)), as_term(sin(theta))
    spread = add(number(1), -c)
    return add(
        scale(c, identity(3)),
        scale_expanded(s, canonical_tilde(axis)),
        scale_expanded(spread, canonical_dyad(axis, axis)),
    )


def _matrix_of(q: Term) -> Term:
    """((s^2 - v . v) 1 + 2 v v^T + 2 s ~v) / (s^2 + v . v)."""
    s, v = scalar_part(q), vector_part(q)
    square, length = multiply_scalars(s, s), canonical_dot(v, v)
    inverse_norm = scalar_power(reduce_scalar(add(square, length)), -1)
    parts = add(
        scale_expanded(reduce_scalar(add(square, -length)), identity(3)),
        scale_expanded(number(2), canonical_dyad(v, v)),
        scale_expanded(multiply_scalars(number(2), s), canonical_tilde(v)),
    )
    return scale_expanded(inverse_norm, parts)


# -- quaternions: always as (scalar, vector) -------------------------------------------------------------------------


def _quaternion(t: Term, args: tuple[Term, ...], weights: tuple[Weight, ...]) -> Term:
    if t.op is op.SUM:
        scalars = [multiply_scalars(as_term(w), scalar_part(a)) for a, w in zip(args, weights)]
        vectors = [scale_expanded(as_term(w), vector_part(a)) for a, w in zip(args, weights)]
        if not args:
            return t
        return pair(
            reduce_scalar(add(*scalars)), reduce_tensor(linear_combination([(ONE, v) for v in vectors], VECTOR))
        )
    if t.op is op.QPRODUCT:
        result = t if not t.args else pair(1, zero(VECTOR))
        for base, e in zip(args, weights):
            if isinstance(e, int):
                factor = base if e > 0 else _inverse(base)
                for _ in range(abs(e)):
                    result = _product(result, factor)
            else:
                whole = make(op.QPRODUCT, (base,), (e,), None, t.sort)
                result = _product(result, pair(scalar_part(whole), vector_part(whole)))
        return result
    if t.op is op.PAIR:
        return pair(*args)
    if t.op is op.CONJUGATE:
        return pair(scalar_part(args[0]), -vector_part(args[0]))
    return pair(scalar_part(t), vector_part(t))


def _product(p: Term, q: Term) -> Term:
    s1, v1, s2, v2 = scalar_part(p), vector_part(p), scalar_part(q), vector_part(q)
    s = add(multiply_scalars(s1, s2), -canonical_dot(v1, v2))
    v = add(scale_expanded(s1, v2), scale_expanded(s2, v1), canonical_cross(v1, v2))
    return pair(reduce_scalar(s), reduce_tensor(v))


def _squared_norm(q: Term) -> Term:
    if is_unit(q):
        return ONE
    s, v = scalar_part(q), vector_part(q)
    return reduce_scalar(add(multiply_scalars(s, s), canonical_dot(v, v)))


def _inverse(q: Term) -> Term:
    front = scalar_power(_squared_norm(q), -1)
    return pair(multiply_scalars(front, scalar_part(q)), scale_expanded(front, -vector_part(q)))
