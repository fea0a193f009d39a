"""Operators that users declare by their properties: the simplifier is derived, nothing else needs to be written.

The order of the steps is fixed (arguments, flatten, absorbing, neutral, class 2, class 3, symmetric and idempotent,
canonical order), and the steps that produce unsimplified operands (class 2) start again on their results.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from dalembert.algebra._engine import MINUS_ONE, ONE, add, as_term, items, numeric_value, scale, times, zero
from dalembert.algebra._operator import EVERY, SUM, SYMBOL, Operator
from dalembert.algebra._scalars import scalar_power
from dalembert.algebra._sorts import QUATERNION, SCALAR, VECTOR, AlgebraError, Sort
from dalembert.algebra._term import Facts, Term, TermLike, builtin_operators, declared_operators, is_zero_term, make
from dalembert.errors import ExpressionError


@dataclass(frozen=True, slots=True)
class Elements:
    """The sorts and the distinguished elements of a declared operator."""

    sort: Sort | None  # None: the sort of the first argument
    neutral: Term | None
    absorbing: Term | None
    symmetric: Callable[[Term], Term] | None


@dataclass(frozen=True, slots=True)
class DeclaredOperator:
    """A callable operator; call it on terms to build a simplified application."""

    operator: Operator

    def __call__(self, *args: TermLike) -> Term:
        return apply_operator(self.operator, *args)

    @property
    def properties(self) -> tuple[str, ...]:
        return self.operator.properties


def operator(
    name: str,
    arity: int | None = None,
    *,
    sort: Sort | None = None,
    neutral: Term | None = None,
    absorbing: Term | None = None,
    symmetric: Callable[[Term], Term] | None = None,
    side: str = "both",
    **properties: Any,
) -> DeclaredOperator:
    """Declare an operator by its elementary properties (see `Operator`) and its distinguished elements.

    >>> P = operator("P", 1, projector=True, homogeneous={0: 1}, morphism=(0,))
    >>> u, v = vector("u"), vector("v")
    >>> P(2 * P(u)), expand(P(u + v))
    (2 P(u), P(u) + P(v))
    """
    made = Operator(
        name,
        arity,
        neutral=side if neutral is not None else "",
        absorbing=side if absorbing is not None else "",
        symmetric=side if symmetric is not None else "",
        payload=Elements(sort, neutral, absorbing, symmetric),
        **properties,
    )
    _check_compatible(made)
    return DeclaredOperator(_registered(made))


def _registered(made: Operator) -> Operator:
    """One operator for each name: a second equal declaration gives the first one, a different one is an error."""
    if made.name in builtin_operators():
        raise AlgebraError(f"'{made.name}' is an operator of the algebra itself. Choose another name.")
    known = declared_operators.setdefault(made.name, made)
    if known is made:
        return made
    for field in fields(Operator):
        old, new = getattr(known, field.name), getattr(made, field.name)
        if field.name == "payload":
            same = (old.sort, old.neutral, old.absorbing) == (new.sort, new.neutral, new.absorbing)
            same = same and _same_function(old.symmetric, new.symmetric)
        else:
            same = dict(old) == dict(new) if isinstance(old, Mapping) else old == new
        if not same:
            what = "elements" if field.name == "payload" else field.name
            raise AlgebraError(
                f"the operator '{made.name}' is already declared as {known!r}, with other {what}. "
                "Two operators need two names."
            )
    return known


def _same_function(f: Callable[[Term], Term] | None, g: Callable[[Term], Term] | None) -> bool:
    """Whether two functions of terms are one: a notebook cell that runs twice makes a lambda twice."""
    if f is g or f is None or g is None:
        return f is g
    for sort in (SCALAR, VECTOR, Sort(3, 3), QUATERNION):
        probe = make(SYMBOL, (), (), Facts("~probe"), sort)
        results = []
        for h in (f, g):
            try:
                results.append(h(probe))
            except ExpressionError:  # not defined for this sort
                results.append(probe)
        if results[0] is not results[1]:
            return False
    return True


def _check_compatible(o: Operator) -> None:
    """Properties that contradict each other are refused before they can give wrong results."""
    unary = o.projector or o.involution or o.nilpotent
    if unary and o.arity != 1:
        raise AlgebraError(f"'{o.name}': projector, involution and nilpotent belong to operators of one argument.")
    if sum(map(bool, (o.projector, o.involution, o.nilpotent))) > 1:
        raise AlgebraError(f"'{o.name}' cannot be two of projector, involution and nilpotent at once.")
    if (o.associative or o.symmetry or o.idempotent or o.neutral or o.symmetric or o.absorbing) and o.arity == 1:
        raise AlgebraError(f"'{o.name}' takes one argument: associative, commutative and the like need two.")
    if o.symmetric and not o.neutral:
        raise AlgebraError(f"'{o.name}' has symmetric elements, so it needs a neutral element.")
    for slot in o.morphism:
        degree = o.homogeneous.get(slot, o.homogeneous.get(EVERY, 1))
        if degree != 1:
            raise AlgebraError(f"'{o.name}' cannot be additive and homogeneous of degree {degree} in one argument.")
    if o.symmetry == -1 and (o.idempotent or o.neutral):
        raise AlgebraError(f"'{o.name}' is anticommutative: f(X, X) = 0 excludes idempotence and a neutral element.")


def apply_operator(o: Operator, *values: TermLike) -> Term:
    """Build an application and simplify it by the declared properties."""
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
    linear = _class_two(o, args, sort)
    if linear is not None:
        return linear
    nested = _class_three(o, args, sort)
    if nested is not None:
        return nested
    args = _class_four(o, args, known)
    if known.neutral is not None and len(args) <= 1:
        return args[0] if args else known.neutral
    if o.idempotent and len(args) == 1:
        return args[0]
    return _ordered(o, args, sort)


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


def _class_two(o: Operator, args: list[Term], sort: Sort) -> Term | None:
    """External operator, homogeneity, eager morphism: results start again."""
    if o.external and len(args) == 2 and args[1].op is o:
        return apply_operator(o, times(args[0], args[1].args[0]), args[1].args[1])
    for i, a in enumerate(args):
        if a.op is not SUM or a.sort.is_scalar:
            continue
        degree = o.homogeneous.get(i, o.homogeneous.get(EVERY, 0))
        if is_zero_term(a) and degree > 0:
            return zero(sort)
        if degree and len(a.args) == 1:
            inner = apply_operator(o, *args[:i], a.args[0], *args[i + 1 :])
            return scale(scalar_power(a.weights[0], degree), inner)  # type: ignore[arg-type]
        additive = i in o.morphism or EVERY in o.morphism
        if additive and len(a.args) == 1 and numeric_value(as_term(a.weights[0])) is not None:
            return scale(as_term(a.weights[0]), apply_operator(o, *args[:i], a.args[0], *args[i + 1 :]))
        if o.eager and additive:
            pieces = additive_pieces(a, degree)
            return add(*[scale(w, apply_operator(o, *args[:i], t, *args[i + 1 :])) for t, w in pieces])
    return None


def additive_pieces(total: Term, degree: int) -> list[tuple[Term, Term]]:
    """The summands of an argument with what goes outside: only numbers, unless the operator is homogeneous too."""
    pairs = [(t, as_term(w)) for t, w in items(total)]
    if degree == 1:
        return pairs
    return [(t, w) if numeric_value(w) is not None else (scale(w, t), ONE) for t, w in pairs]


def _class_three(o: Operator, args: list[Term], sort: Sort) -> Term | None:
    if len(args) != 1 or args[0].op is not o:
        return None
    if o.projector:
        return args[0]
    if o.involution:
        return args[0].args[0]
    depth, inner = 1, args[0]
    while inner.op is o:
        depth, inner = depth + 1, inner.args[0]
    return zero(sort) if o.nilpotent and depth >= o.nilpotent else None


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


def _ordered(o: Operator, args: list[Term], sort: Sort) -> Term:
    if not o.symmetry:
        return make(o, tuple(args), (), None, sort)
    order = sorted(range(len(args)), key=lambda i: args[i].key)
    front = ONE
    if o.symmetry == -1:
        if len(set(args)) < len(args) or (o.associative and len(args) > 2):  # x (y z) = -(y z) x = -x (y z)
            return zero(sort)
        swaps = sum(order[i] > order[j] for i in range(len(order)) for j in range(i + 1, len(order)))
        front = MINUS_ONE if swaps % 2 else ONE
    return scale(front, make(o, tuple(args[i] for i in order), (), None, sort))
