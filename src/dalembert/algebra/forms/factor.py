"""`factor`: the way back from sums to products, kept when it is cheaper."""

from __future__ import annotations

from collections.abc import Callable

from dalembert.algebra.core import operator as op
from dalembert.algebra.core.engine import add, as_term, items, linear_combination, power_product, scale, times
from dalembert.algebra.core.term import ONE, Term, TermLike
from dalembert.algebra.forms.cost import cost
from dalembert.algebra.forms.expand import expand
from dalembert.algebra.forms.factor_scalar import factor_scalar
from dalembert.algebra.forms.simplify import simplify
from dalembert.algebra.operators.vectors import cross, dyad, tilde
from dalembert.algebra.operators.words import product
from dalembert.algebra.systems.patterns import spell


def factor(term: TermLike) -> Term:
    """Products instead of sums: polynomial factors of scalars, common left and right factors of words.

    >>> A, B, u = matrix("A"), matrix("B"), vector("u")
    >>> factor(B * A + B * B), factor(A * u + B * u)
    (B (A + B), (A + B) u)
    >>> a, b = scalar("a"), scalar("b")
    >>> factor(a**2 - b**2)
    (a - b) (a + b)
    """
    root = as_term(term)
    opened = expand(root)
    work = factor_scalar if root.sort.is_scalar else _factor_again
    candidates = [work(opened), root, opened]
    if not root.sort.is_quaternion:
        simple = simplify(root)
        candidates += [work(expand(simple)), simple]
    return min(candidates, key=cost)


def _factor_again(whole: Term) -> Term:
    """Groups made in one pass may share factors in the next: (A + B) A + (A + B) B -> (A + B)^2."""
    while True:
        found = _factor_tensor(whole)
        if found is whole or cost(found) >= cost(whole):
            return whole
        whole = found


def _factor_tensor(whole: Term) -> Term:
    if whole.op is not op.SUM or len(whole.args) < 2:
        if whole.op is op.SUM and len(whole.args) == 1:
            return scale(factor_scalar(as_term(whole.weights[0])), whole.args[0])
        return whole
    front, rest = _common_scalar(whole)
    if front is not ONE:
        return scale(front, _factor_tensor(rest))
    best = _largest_group(whole)
    if best is None:
        return linear_combination([(factor_scalar(as_term(w)), t) for t, w in items(whole)], whole.sort)
    indices, build, inner = best
    others = [(w, t) for i, (t, w) in enumerate(items(whole)) if i not in indices]
    grouped = build(_factor_tensor(inner))
    left = _factor_tensor(linear_combination(others, whole.sort)) if others else None
    return grouped if left is None else add(grouped, left)


def _common_scalar(whole: Term) -> tuple[Term, Term]:
    """The monomial that divides every weight."""
    shared: dict[Term, int] | None = None
    for weight in whole.weights:
        for monomial, _ in items(as_term(weight)):
            pairs = zip(monomial.args, monomial.weights) if monomial.op is op.TIMES else [(monomial, 1)]
            powers = {b: e for b, e in pairs if isinstance(e, int)}
            shared = powers if shared is None else {b: min(e, powers[b]) for b, e in shared.items() if b in powers}
    front = power_product((b, e) for b, e in (shared or {}).items() if e > 0 and b is not ONE)
    if front is ONE:
        return ONE, whole
    inverse = power_product([(front, -1)])
    return front, linear_combination([(expand(times(inverse, as_term(w))), t) for t, w in items(whole)], whole.sort)


Group = tuple[set[int], Callable[[Term], Term], Term]


def _largest_group(whole: Term) -> Group | None:
    """The largest set of summands that share a first or last factor, or an argument of cross, dyad or tilde."""
    groups: dict[tuple[str, Term | None], list[tuple[int, Term]]] = {}
    for i, (body, weight) in enumerate(items(whole)):
        w = as_term(weight)
        if body.op is op.CROSS:
            a, b = body.args
            groups.setdefault(("cross", a), []).append((i, scale(w, b)))
            groups.setdefault(("cross", b), []).append((i, scale(w, -a)))
        elif body.op is op.DYAD:
            groups.setdefault(("dyad left", body.args[0]), []).append((i, scale(w, body.args[1])))
            groups.setdefault(("dyad right", body.args[1]), []).append((i, scale(w, body.args[0])))
        elif body.op is op.TILDE:
            groups.setdefault(("tilde", None), []).append((i, scale(w, body.args[0])))
        else:
            units = spell(body)
            if len(units) > 1:
                groups.setdefault(("first", units[0]), []).append((i, scale(w, product(*units[1:]))))
                groups.setdefault(("last", units[-1]), []).append((i, scale(w, product(*units[:-1]))))
    fitting = {k: v for k, v in groups.items() if len({m[0] for m in v}) > 1 and len({m[1].sort for m in v}) == 1}
    if not fitting:
        return None
    (kind, shared), members = max(fitting.items(), key=lambda kv: (len(kv[1]), kv[0][0]))
    builders: dict[str, Callable[[Term], Term]] = {
        "cross": lambda x: cross(shared, x),  # type: ignore[arg-type]
        "dyad left": lambda x: dyad(shared, x),  # type: ignore[arg-type]
        "dyad right": lambda x: dyad(x, shared),  # type: ignore[arg-type]
        "tilde": tilde,
        "first": lambda x: product(shared, x),  # type: ignore[arg-type]
        "last": lambda x: product(x, shared),  # type: ignore[arg-type]
    }
    unique = dict(members)
    return set(unique), builders[kind], add(*unique.values())
