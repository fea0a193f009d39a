"""`simplify`: the cheapest of what is written, what expansion gives and what the identities of space give.

Expansion is tried everywhere and kept only where it pays (Papegay 3.5): (A + B)(A + B) - A B - A A becomes B A + B
B, yet (A + B)(A + B) alone stays. In a sum, each summand decides for itself whether to stay factored.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from dalembert.algebra.core import operator as op
from dalembert.algebra.core.engine import add, as_term, items, linear_combination, number, numeric_value, scale, zero
from dalembert.algebra.core.rebuild import rebuild
from dalembert.algebra.core.term import Term, TermLike, children, postorder
from dalembert.algebra.forms.canonical import canonical_node
from dalembert.algebra.forms.cost import local_cost
from dalembert.algebra.forms.expand import expand_node, expansion_size
from dalembert.algebra.forms.straighten import straighten
from dalembert.algebra.values.zero import by_points

if TYPE_CHECKING:
    from dalembert.algebra.systems.rules import Rule

LIMIT = 1500  # monomials; beyond that an expansion is not worth its price
ROUNDS = 6
STRAIGHT = 40  # summands; longer sums are not searched for dependent vectors


def simplify(term: TermLike, rules: Iterable[Rule] = (), *, limit: int = LIMIT) -> Term:
    """A cheaper equal term, or the term itself: never a dearer one. `rules` are applied first and everywhere.

    >>> A, B = matrix("A"), matrix("B")
    >>> simplify((A + B) * (A + B) - A * B - A * A)
    B A + B^2
    >>> simplify((A + B) * (A + B))
    (A + B)^2
    """
    return simplify_all([term], rules, limit=limit)[0]


def simplify_all(terms: Iterable[TermLike], rules: Iterable[Rule] = (), *, limit: int = LIMIT) -> list[Term]:
    """Simplify a system of equations together: what they share is worked out once."""
    from dalembert.algebra.systems.rules import rewrite

    listed = tuple(rules)
    worker = _Worker(limit)
    results: list[Term] = []
    for term in terms:
        current = rewrite(term, listed) if listed else as_term(term)
        for _ in range(ROUNDS):
            better = worker.run(current)
            normal = worker.canonical.get(current)
            if normal is not None and len(normal.args) <= STRAIGHT:
                better = min(better, straighten(normal), key=worker.cost)
            if listed:  # a rule may apply to the expanded form only
                forms = [better, worker.expanded.get(current), worker.canonical.get(current)]
                better = min((rewrite(f, listed) for f in forms if f is not None), key=worker.cost)
            if better is current or (not listed and worker.cost(better) > worker.cost(current)):
                break
            current = better
        results.append(zero(current.sort) if _proved_zero(current) else current)
    return results


def _proved_zero(term: Term) -> bool:
    """Whether points show a term to be 0 that no identity has found; most terms are refuted by the first point."""
    return bool(term.args) and numeric_value(term) is None and bool(by_points(term, term))


class _Worker:
    """Passes from the leaves up; expansions, canonical forms and costs of shared parts are computed once."""

    def __init__(self, limit: int) -> None:
        self.price: dict[Term, int] = {}
        self.limit = limit
        self.size: dict[Term, int] = {}
        self.expanded: dict[Term, Term | None] = {}
        self.canonical: dict[Term, Term | None] = {}
        self.best: dict[Term, Term] = {}

    def run(self, root: Term) -> Term:
        for t in postorder([root]):
            if t not in self.best:
                self._visit(t)
        return self.best[root]

    def cost(self, term: Term) -> int:
        price = self.price
        stack = [term]
        while stack:
            t = stack[-1]
            if t in price:
                stack.pop()
                continue
            unknown = [c for c in children(t) if c not in price]
            if unknown:
                stack.extend(unknown)
            else:
                price[t] = local_cost(t, price)
                stack.pop()
        return price[term]

    def _visit(self, t: Term) -> None:
        self.size[t] = expansion_size(t, self.size, self.limit)
        if not t.args:
            self.expanded[t] = t
            self.canonical[t] = canonical_node(t, (), t.weights)
            self.best[t] = t
            return
        small = self.size[t] <= self.limit
        self.expanded[t] = self._derived(t, self.expanded, expand_node) if small else None
        self.canonical[t] = self._derived(t, self.canonical, canonical_node) if small else None
        args = tuple(self.best[a] for a in t.args)
        weights = tuple(self.best[w] if isinstance(w, Term) else w for w in t.weights)
        candidates = [t]
        if args != t.args or weights != t.weights:
            candidates.append(rebuild(t, args, weights))
        for derived in (self.expanded[t], self.canonical[t]):
            if derived is not None and derived is not t and derived.sort == t.sort:
                candidates.append(derived)
                if t.op is op.SUM and len(t.args) > 1:
                    candidates.append(self._mixed(t, self.expanded if derived is self.expanded[t] else self.canonical))
        self.best[t] = min(candidates, key=lambda c: (self.cost(c), c.size))

    def _derived(self, t: Term, table: dict[Term, Term | None], node) -> Term | None:  # type: ignore[no-untyped-def]
        if any(table[c] is None for c in children(t)):
            return None
        args = tuple(table[a] for a in t.args)
        weights = tuple(table[w] if isinstance(w, Term) else w for w in t.weights)
        result: Term = node(t, args, weights)
        return result

    def _mixed(self, t: Term, table: dict[Term, Term | None]) -> Term:
        """A sum where each summand is expanded only if that pays, given what the others have become."""
        pieces: list[tuple[Term, Term]] = []  # (as written, expanded)
        for a, w in zip(t.args, t.weights):
            written = linear_combination([(self.best[w] if isinstance(w, Term) else w, self.best[a])], t.sort)
            single = linear_combination([(w, a)], t.sort)
            opened = table.get(single) or self._open(single, a, w, table)
            pieces.append((written, opened))
        owners: dict[Term, int] = {}
        for _, opened in pieces:
            for monomial, _w in items(opened):
                owners[monomial] = owners.get(monomial, 0) + 1
        chosen: list[Term] = []
        shared: list[tuple[Term, Term]] = []
        for written, opened in pieces:
            if written is opened:
                chosen.append(written)
            elif any(owners[m] > 1 for m, _ in items(opened)):
                shared.append((written, opened))
            else:
                chosen.append(min(written, opened, key=self.cost))
        total = add(*chosen, *[opened for _, opened in shared]) if pieces else t
        if len(shared) > 64:
            return total
        for written, opened in shared:
            other = add(total, scale(number(-1), opened), written)
            if self.cost(other) < self.cost(total):
                total = other
        return total

    def _open(self, single: Term, a: Term, w: object, table: dict[Term, Term | None]) -> Term:
        opened, weight = table[a], table[w] if isinstance(w, Term) else w
        if opened is None or weight is None:
            return single
        node = expand_node if table is self.expanded else canonical_node
        if single.op is not op.SUM:
            return opened
        if single.sort.is_scalar:
            return linear_combination([(weight, opened)], single.sort)  # type: ignore[list-item]
        return node(single, (opened,), (weight,)) if len(single.args) == 1 else single  # type: ignore[arg-type]
