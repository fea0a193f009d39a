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
    associative: bool = False,
    symmetry: int = 0,
    external: bool = False,
    homogeneous: Mapping[int, Any] | None = None,
    morphism: tuple[int, ...] = (),
    eager: bool = False,
    product: int = 0,
    projector: bool = False,
    involution: bool = False,
    nilpotent: int = 0,
    idempotent: bool = False,
) -> DeclaredOperator:
    """Declare an operator by its elementary properties (see `Operator`) and its distinguished elements.

    `symmetry` is +1 (commutative) or -1 (anticommutative), `nilpotent` the number of times, from 2 on, that give zero.

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
        associative=associative,
        symmetry=symmetry,
        external=external,
        homogeneous=dict(homogeneous or {}),
        morphism=morphism,
        eager=eager,
        product=product,
        projector=projector,
        involution=involution,
        nilpotent=nilpotent,
        idempotent=idempotent,
    )
    _check_values(made, side)
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


def _check_values(o: Operator, side: str) -> None:
    """Refuse values that no property has: taken as they are, some would be nothing and some another property."""
    for name in ("associative", "external", "eager", "projector", "involution", "idempotent"):
        if not isinstance(getattr(o, name), bool):
            raise AlgebraError(f"'{o.name}': {name} is True or False, not {getattr(o, name)!r}.")
    for name in ("symmetry", "product"):
        value = getattr(o, name)
        if isinstance(value, bool) or value not in (-1, 0, 1):
            raise AlgebraError(f"'{o.name}': {name} is +1, -1 or 0, not {value!r}.")
    power = o.nilpotent
    if isinstance(power, bool) or not isinstance(power, int) or power < 0 or power == 1:
        raise AlgebraError(f"'{o.name}': nilpotent is the number of times, from 2 on, that give zero, not {power!r}.")
    if side not in ("left", "right", "both"):
        raise AlgebraError(f"'{o.name}': side is 'left', 'right' or 'both', not {side!r}.")
    for what, element in (("neutral", o.payload.neutral), ("absorbing", o.payload.absorbing)):
        if element is not None and not isinstance(element, Term):
            raise AlgebraError(f"'{o.name}': its {what} element is a term of the algebra, not {element!r}.")
    slots = [*o.morphism, *o.homogeneous]
    bad = [i for i in slots if i != EVERY and not (isinstance(i, int) and 0 <= i < (o.arity or len(slots) + i + 1))]
    if bad:
        raise AlgebraError(f"'{o.name}' has no argument {bad[0]!r}: arguments are counted from 0.")


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
