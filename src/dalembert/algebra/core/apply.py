"""One engine for every operator with arguments: it simplifies an application by the declared properties alone.

The order of the steps is fixed: flatten, absorbing and neutral elements, homogeneity and eager morphism (whose results
start again), projector, involution and nilpotence, what is peculiar to the operator, morphism of products, symmetric
and idempotent elements, canonical order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dalembert.algebra.core.engine import (
    MINUS_ONE,
    add,
    as_term,
    items,
    linear_combination,
    number,
    numeric_value,
    scale,
    split_content,
    times,
    zero,
)
from dalembert.algebra.core.operator import PRODUCT, QPRODUCT, SUM, TIMES, Operator
from dalembert.algebra.core.scalars import scalar_power
from dalembert.algebra.core.sorts import AlgebraError, Sort
from dalembert.algebra.core.term import ONE, Term, TermLike, make

Peculiar = Callable[..., Term | None]


@dataclass(frozen=True, slots=True)
class Elements:
    """The sorts and the distinguished elements of a declared operator."""

    sort: Sort | None  # None: the sort of the first argument
    neutral: Term | None
    absorbing: Term | None
    symmetric: Callable[[Term], Term] | None


NOTHING = Elements(None, None, None, None)


def rank(term: Term) -> tuple[int, tuple[str, bytes]]:
    """The order of arguments that may be exchanged: plain things first, w x (I w) and not -(I w) x w."""
    return term.size, term.key


def front_and_body(term: Term) -> tuple[Term, Term]:
    """A term as scalar * body: the weight of a single summand, or the numeric content of a sum."""
    if term.op is not SUM or not term.args:
        return ONE, term
    if len(term.args) == 1:
        return term.weights[0], term.args[0]  # type: ignore[return-value]
    content, body = split_content(term)
    return (ONE if content == 1 else number(content)), body


def apply(o: Operator, args: Sequence[Term], sort: Sort, peculiar: Peculiar | None = None) -> Term:
    """f(args) of a given sort, simplified; `peculiar` sees the arguments without their scalar fronts."""
    front: Term = ONE
    if o.homogeneous:
        fronts, args = _fronts(o, args)
        if fronts is None:
            return zero(sort)
        front = fronts
    for i, a in enumerate(args) if o.eager else ():
        if a.op is SUM and o.is_additive(i) and (len(a.args) > 1 or not a.args):
            degree = o.degree(i, a.sort) or 0
            pieces = additive_pieces(a, degree)
            parts = [(w, apply(o, (*args[:i], t, *args[i + 1 :]), sort, peculiar)) for t, w in pieces]
            total = add(*[times(w, t) for w, t in parts]) if sort.is_scalar else linear_combination(parts, sort)
            return scale(front, total)
    found = _nested(o, args, sort) if len(args) == 1 and args[0].op is o else None
    if found is None and peculiar is not None:
        found = peculiar(*args)
    if found is None and o.product and args[0].op in (PRODUCT, QPRODUCT, TIMES):
        found = _over_product(o, args[0], sort, peculiar)
    if found is None:
        found = ordered(o, args, sort)
    return found if front is ONE else scale(front, found)


def _fronts(o: Operator, args: Sequence[Term]) -> tuple[Term | None, list[Term]]:
    """The scalars that homogeneity takes out of the arguments (None if one makes everything 0), and what is left."""
    fronts: list[Term] = []
    bodies: list[Term] = []
    for i, a in enumerate(args):
        degree = o.degree(i, a.sort) if a.op is SUM and not a.sort.is_scalar else None
        if degree is None:
            bodies.append(a)
            continue
        if not a.args and degree > 0:
            return None, bodies
        front, body = front_and_body(a)
        if front is not ONE and degree:
            fronts.append(front if degree == 1 else scalar_power(front, degree))
        bodies.append(body)
    return times(*fronts) if fronts else ONE, bodies


def additive_pieces(total: Term, degree: int) -> list[tuple[Term, Term]]:
    """The summands of an argument with what goes outside: only numbers, unless the operator is homogeneous too."""
    pairs = [(t, as_term(w)) for t, w in items(total)]
    if degree == 1:
        return pairs
    return [(t, w) if numeric_value(w) is not None else (scale(w, t), ONE) for t, w in pairs]


def _over_product(o: Operator, word: Term, sort: Sort, peculiar: Peculiar | None) -> Term | None:
    """f(X Y) = f(X) f(Y), or f(Y) f(X); only of square factors, and of more than one or of a power."""
    from dalembert.algebra.core.engine import identity, quaternion_one
    from dalembert.algebra.operators.words import power, product

    if any(a.sort.rows != a.sort.columns for a in word.args) or (len(word.args) == 1 and word.weights[0] == 1):
        return None
    start = ONE if sort.is_scalar else quaternion_one() if sort.is_quaternion else identity(sort.rows)
    factors = [power(apply(o, (b,), sort, peculiar), as_term(e)) for b, e in zip(word.args, word.weights)]
    return product(start, *(factors if o.product > 0 else reversed(factors)))


def _nested(o: Operator, args: Sequence[Term], sort: Sort) -> Term | None:
    (inner,) = args
    if o.projector:
        return inner
    if o.involution:
        return inner.args[0]
    depth = 1
    while inner.op is o:
        depth, inner = depth + 1, inner.args[0]
    return zero(sort) if o.nilpotent and depth >= o.nilpotent else None


def apply_declared(o: Operator, *values: TermLike) -> Term:
    """Build an application of a declared operator: arities, sorts and distinguished elements, then the engine."""
    args = [as_term(v) for v in values]
    known: Elements = o.payload
    if o.associative:
        args = [inner for a in args for inner in (a.args if a.op is o else (a,))]
    if o.arity is not None and len(args) != o.arity and not (o.associative and len(args) >= o.arity):
        raise AlgebraError(f"'{o.name}' takes {o.arity} arguments, not {len(args)}.")
    sort = known.sort or (args[0].sort if args else (known.neutral.sort if known.neutral is not None else None))
    if sort is None:
        raise AlgebraError(f"'{o.name}' without arguments has no value: it declares no neutral element.")
    if known.absorbing is not None and _occurs(known.absorbing, args, o.absorbing):
        return known.absorbing
    if known.neutral is not None:
        args = _drop_neutral(known.neutral, args, o.neutral)
    if o.external and len(args) == 2 and args[1].op is o:
        return apply_declared(o, times(args[0], args[1].args[0]), args[1].args[1])
    for i, a in enumerate(args):  # an additive operator lets numbers out, homogeneous or not
        if a.op is SUM and o.is_additive(i) and o.degree(i, a.sort) is None and not a.sort.is_scalar:
            value = numeric_value(as_term(a.weights[0])) if len(a.args) == 1 else None
            if value is not None:
                return scale(number(value), apply_declared(o, *args[:i], a.args[0], *args[i + 1 :]))
    return apply(o, args, sort)


def ordered(o: Operator, args: Sequence[Term], sort: Sort) -> Term:
    """The application itself: opposites cancelled, repetitions merged, arguments in their canonical order."""
    known: Elements = o.payload or NOTHING
    if known is not NOTHING:
        args = _class_four(o, list(args), known)
        if known.neutral is not None and len(args) <= 1:
            return args[0] if args else known.neutral
        if o.idempotent and len(args) == 1:
            return args[0]
    if not o.symmetry:
        return make(o, tuple(args), (), None, sort)
    order = sorted(range(len(args)), key=lambda i: rank(args[i]))
    found = tuple(args[i] for i in order)
    if o.symmetry == 1:
        return make(o, found, (), None, sort)
    if len(set(args)) < len(args) or (o.associative and len(args) > 2):  # x (y z) = -(y z) x = -x (y z)
        return zero(sort)
    swaps = sum(order[i] > order[j] for i in range(len(order)) for j in range(i + 1, len(order)))
    term = make(o, found, (), None, sort)
    return scale(MINUS_ONE, term) if swaps % 2 else term


def _occurs(element: Term, args: list[Term], side: str) -> bool:
    if side == "both":
        return element in args
    return bool(args) and (args[0] if side == "left" else args[-1]) is element


def _drop_neutral(element: Term, args: list[Term], side: str) -> list[Term]:
    if side == "both":
        return [a for a in args if a is not element]
    while len(args) > 1 and (args[0] if side == "left" else args[-1]) is element:
        args = args[1:] if side == "left" else args[:-1]
    return args


def _class_four(o: Operator, args: list[Term], known: Elements) -> list[Term]:
    """Opposites cancel and repetitions merge: anywhere if the operator commutes, between neighbours if not."""
    if len(args) > 2 and not o.associative:
        return args[:1] if o.idempotent and len(set(args)) == 1 else args
    kept: list[Term] = []
    for a in args:
        places = range(len(kept)) if o.symmetry == 1 else range(max(len(kept) - 1, 0), len(kept))
        hit = next((i for i in places if _cancels(kept[i], a, known, o.symmetric)), None)
        if hit is not None:
            kept.pop(hit)
        elif not (o.idempotent and any(kept[i] is a for i in places)):
            kept.append(a)
    return kept


def _cancels(a: Term, b: Term, known: Elements, side: str) -> bool:
    if known.symmetric is None:
        return False
    left = known.symmetric(b) is a and side in ("left", "both")
    return left or (known.symmetric(a) is b and side in ("right", "both"))
