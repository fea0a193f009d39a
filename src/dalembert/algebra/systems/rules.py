"""User rules: oriented equations with typed variables and conditions, applied until a normal form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from dalembert.algebra.core import operator as op
from dalembert.algebra.core.engine import as_term, linear_combination, scale, times, zero_or_term
from dalembert.algebra.core.rebuild import rebuild, substitute
from dalembert.algebra.core.sorts import AlgebraError
from dalembert.algebra.core.term import Term, TermLike, Weight, postorder
from dalembert.algebra.operators.words import product
from dalembert.algebra.systems.patterns import (
    Binding,
    match,
    match_in_sum,
    match_in_times,
    match_in_word,
    spell,
)

STEPS = 5_000


@dataclass(frozen=True, slots=True, init=False)
class Rule:
    """left -> right, where `when` (if given) must accept the values of the variables, by name.

    >>> a, b, c = any_vector("a"), any_vector("b"), any_vector("c")
    >>> u, v, w = vectors("u v w")
    >>> double = Rule(cross(a, cross(b, c)), dot(a, c) * b - dot(a, b) * c)
    >>> rewrite(cross(u, cross(v, w)), [double])
    (u . w) v - (u . v) w
    """

    left: Term
    right: Term
    when: Callable[..., bool] | None

    def __init__(self, left: TermLike, right: TermLike, when: Callable[..., bool] | None = None) -> None:
        lhs = as_term(left)
        rhs = zero_or_term(right, lhs.sort)
        if lhs.sort != rhs.sort:
            raise AlgebraError(f"the rule '{lhs} -> {rhs}' turns a {lhs.sort} into a {rhs.sort}.")
        if lhs.op is op.VARIABLE or not lhs:
            raise AlgebraError(f"the left side '{lhs}' of a rule must be more than a variable or 0.")
        unbound = variables_of(rhs) - variables_of(lhs)
        if unbound:
            raise AlgebraError(
                f"the right side of '{lhs} -> {rhs}' uses {sorted(map(str, unbound))}, unknown on the left."
            )
        object.__setattr__(self, "left", lhs)
        object.__setattr__(self, "right", rhs)
        object.__setattr__(self, "when", when)

    def accepts(self, binding: Binding) -> bool:
        if self.when is None:
            return True
        return bool(self.when(**{v.payload[0].name: t for v, t in binding.items()}))

    def instance(self, binding: Binding) -> Term:
        return substitute(self.right, binding)

    def __repr__(self) -> str:
        return f"{self.left} -> {self.right}" + (" when ..." if self.when else "")


def variables_of(term: Term) -> set[Term]:
    """The pattern variables of a term."""
    return {t for t in postorder([term]) if t.op is op.VARIABLE}


def rewrite(term: TermLike, rules: Iterable[Rule], *, steps: int = STEPS) -> Term:
    """Apply rules, innermost first, until none applies; an error tells which rule did not stop."""
    listed = tuple(rules)
    current = as_term(term)
    budget = [steps]
    while True:
        new = _pass(current, listed, budget)
        if new is current:
            return current
        current = new


def rewrite_once(term: TermLike, rules: Iterable[Rule]) -> Term:
    """Apply the first rule that matches, at the first place from the leaves up; the term itself if none does."""
    root = as_term(term)
    for t in postorder([root]):
        for rule in rules:
            for new in results(rule, t):
                return substitute(root, {t: new})
    return root


def _pass(root: Term, rules: tuple[Rule, ...], budget: list[int]) -> Term:
    """From the leaves up, reduce each subterm at its root as long as some rule applies there."""
    done: dict[Term, Term] = {}
    bound = 200 + 4 * max(_extent(t) for t in postorder([root]))
    for t in postorder([root]):
        current = t
        if t.args:
            args = tuple(done[a] for a in t.args)
            weights = tuple(done[w] if isinstance(w, Term) else w for w in t.weights)
            if args != t.args or weights != t.weights:
                current = rebuild(t, args, weights)
        while True:
            step = next(((r, new) for r in rules for new in results(r, current) if new is not current), None)
            if step is None:
                break
            rule, current = step
            budget[0] -= 1
            if budget[0] < 0 or _extent(current) > bound:
                raise AlgebraError(
                    f"rewriting does not stop; the last rule was '{rule}'. Orient it towards simpler terms."
                )
        done[t] = current
    return done[root]


def _extent(t: Term) -> int:
    """The size of a term with integer exponents spelled out: what a runaway rule makes grow."""
    return t.size + sum(abs(e) for e in t.weights if isinstance(e, int))


def results(rule: Rule, t: Term) -> Iterator[Term]:
    """What one application of a rule at the root of `t` gives, for every match modulo A and AC."""
    left = rule.left
    if left.sort == t.sort and (left.op is op.SUM or (t.op is op.SUM and len(t.args) == 1 and left.op is not op.SUM)):
        for binding, factor, rest in match_in_sum(left, t, {}):
            if rule.accepts(binding):
                others = [(t.weights[j], t.args[j]) for j in rest] if t.op is op.SUM else []
                replaced = scale(factor, rule.instance(binding))
                yield linear_combination([*others, *_pairs(replaced)], t.sort)
    if left.sort == t.sort and left.op is not op.SUM:
        for binding in match(left, t, {}):
            if rule.accepts(binding):
                yield rule.instance(binding)
    if t.op is op.TIMES and left.sort.is_scalar and left.op is not op.SUM:
        for binding, rest_factor in match_in_times(left, t, {}):
            if rule.accepts(binding):
                yield times(rule.instance(binding), rest_factor)
    if t.op in (op.PRODUCT, op.QPRODUCT) and left.sort.is_quaternion == t.sort.is_quaternion:
        units = spell(t)
        for binding, start, stop in match_in_word(left, units, {}):
            if (start or stop < len(units)) and rule.accepts(binding):
                yield product(*units[:start], rule.instance(binding), *units[stop:])


def _pairs(t: Term) -> list[tuple[Weight, Term]]:
    from dalembert.algebra.core.engine import items

    return [(w, a) for a, w in items(t)]
