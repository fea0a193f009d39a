"""Confluence: do the overlaps of two rules meet again? Each pair that does not is a hole in a rule set.

Two rules overlap when one left side matches inside an instance of the other. The overlapping terms are built with fresh
symbols for the variables, reduced both ways and compared; for words, the end of one left side may be the beginning of
the other, as in string rewriting.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from dalembert.algebra.core import operator as op
from dalembert.algebra.core.rebuild import rebuild, substitute
from dalembert.algebra.core.sorts import AlgebraError
from dalembert.algebra.core.term import Facts, Term, make, postorder
from dalembert.algebra.operators.words import product
from dalembert.algebra.systems.patterns import match, spell
from dalembert.algebra.systems.rules import Rule, results, rewrite, variables_of
from dalembert.algebra.values.zero import is_zero


@dataclass(frozen=True, slots=True)
class CriticalPair:
    """A term that two rules reduce to different results; `joins` tells whether these reduce to one term again."""

    term: Term
    first: Term
    second: Term
    joins: bool
    sound: bool  # whether the two results are at least equal as vectors, matrices or scalars

    def __repr__(self) -> str:
        state = "joins" if self.joins else ("equal but not joined" if self.sound else "CONTRADICTION")
        return f"{self.first} <- {self.term} -> {self.second}: {state}"


def critical_pairs(rules: Iterable[Rule]) -> list[CriticalPair]:
    """Every overlap of the rules, with the verdict whether both ways lead to the same normal form.

    >>> A, B = matrix("A"), matrix("B")
    >>> any(pair.joins for pair in critical_pairs([Rule(A * B * A, B), Rule(A * B, A)]))
    False
    """
    listed = tuple(rules)
    found: dict[tuple[Term, Term, Term], CriticalPair] = {}
    for outer in listed:
        for inner in listed:
            for term in _overlaps(outer, inner):
                ways = {w for rule in (outer, inner) for w in _one_step(rule, term)}
                for first in ways:
                    for second in ways:
                        if first.key < second.key and (term, first, second) not in found:
                            found[(term, first, second)] = _judge(term, first, second, listed)
    return sorted(found.values(), key=lambda pair: pair.term.key)


def is_confluent(rules: Iterable[Rule]) -> bool:
    """Whether every critical pair joins (for rules that terminate, this makes normal forms unique)."""
    return all(pair.joins for pair in critical_pairs(rules))


def _judge(term: Term, first: Term, second: Term, rules: tuple[Rule, ...]) -> CriticalPair:
    left, right = rewrite(first, rules), rewrite(second, rules)
    joins = left is right
    return CriticalPair(term, first, second, joins, joins or bool(is_zero(left - right)))


def _frozen(rule: Rule, mark: str) -> Term:
    """The left side with each variable replaced by a fresh symbol of the same sort and properties."""
    table = {}
    for v in variables_of(rule.left):
        facts: Facts = v.payload[0]
        table[v] = make(op.SYMBOL, (), (), Facts(f"{facts.name}{mark}", facts.properties), v.sort)
    return substitute(rule.left, table)


def _overlaps(outer: Rule, inner: Rule) -> Iterator[Term]:
    host, guest = _frozen(outer, "_1"), _frozen(inner, "_2")
    yield host
    if outer.left.op in (op.PRODUCT, op.QPRODUCT) and inner.left.op is outer.left.op:
        a, b = spell(host), spell(guest)
        for size in range(1, min(len(a), len(b))):
            if all(_unifies(x, y) for x, y in zip(a[-size:], spell(inner.left)[:size])):
                try:
                    yield product(*a, *b[size:])
                except AlgebraError:  # the sizes do not fit: no such word exists
                    continue
    # Put the left side of the inner rule where a variable of the outer rule stands.
    for v in variables_of(outer.left):
        if v.sort == guest.sort:
            others = {w: make(op.SYMBOL, (), (), Facts(f"{w.payload[0].name}_1", w.payload[0].properties), w.sort)
                      for w in variables_of(outer.left) if w is not v}  # fmt: skip
            yield substitute(outer.left, {v: guest, **others})


def _unifies(letter: Term, pattern: Term) -> bool:
    return letter.sort == pattern.sort and next(match(pattern, letter), None) is not None


def _one_step(rule: Rule, term: Term) -> Iterator[Term]:
    """Every result of one application of the rule anywhere in the term."""
    for t in postorder([term]):
        for new in results(rule, t):
            if new is not t:
                yield _replace(term, t, new)


def _replace(root: Term, old: Term, new: Term) -> Term:
    done: dict[Term, Term] = {}
    for t in postorder([root]):
        if t is old:
            done[t] = new
        elif t.args:
            args = tuple(done[a] for a in t.args)
            weights = tuple(done[w] if isinstance(w, Term) else w for w in t.weights)
            done[t] = t if args == t.args and weights == t.weights else rebuild(t, args, weights)
        else:
            done[t] = t
    return done[root]
