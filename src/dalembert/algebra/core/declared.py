"""Operators that users declare by their properties: the simplifier is derived, nothing else needs to be written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from dalembert.algebra.core.apply import Elements, apply_declared
from dalembert.algebra.core.operator import EVERY, SYMBOL, Operator
from dalembert.algebra.core.sorts import QUATERNION, SCALAR, VECTOR, AlgebraError, Sort
from dalembert.algebra.core.term import Facts, Term, TermLike, builtin_operators, declared_operators, make
from dalembert.errors import ExpressionError


@dataclass(frozen=True, slots=True)
class DeclaredOperator:
    """A callable operator; call it on terms to build a simplified application."""

    operator: Operator

    def __call__(self, *args: TermLike) -> Term:
        return apply_declared(self.operator, *args)

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
        if field.name == "meaning":
            continue
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
