"""Walking over terms: rebuild with new operands, substitute, without recursion and with shared parts visited once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dalembert.algebra.core import operator as op
from dalembert.algebra.core.engine import as_term, identity, linear_combination, quaternion_one, times
from dalembert.algebra.core.operator import Operator
from dalembert.algebra.core.scalars import scalar_power
from dalembert.algebra.core.sorts import AlgebraError
from dalembert.algebra.core.term import Term, TermLike, Weight, postorder
from dalembert.algebra.operators.arrays import array
from dalembert.algebra.operators.words import power, product


def builder_of(operator: Operator) -> Callable[..., Term]:
    """The constructor that applies the automatic rules of an operator."""
    known = operator.meaning.build
    if known is not None:
        return known
    from dalembert.algebra.core.apply import apply_declared

    return lambda *args: apply_declared(operator, *args)


def rebuild(term: Term, args: tuple[Term, ...], weights: tuple[Weight, ...]) -> Term:
    """The same operation on other operands, with the automatic rules applied."""
    kind = term.op
    if kind is op.SUM:
        return linear_combination(zip(weights, args), term.sort)
    if kind is op.TIMES:
        return times(*[scalar_power(b, e) for b, e in zip(args, weights)])
    if kind is op.PRODUCT:
        return product(identity(term.sort.rows), *[power(b, e) if e != 1 else b for b, e in zip(args, weights)])
    if kind is op.QPRODUCT:
        return product(quaternion_one(), *[power(b, e) for b, e in zip(args, weights)])
    if kind is op.ARRAY:
        width = term.payload[1]
        return array([args[i : i + width] for i in range(0, len(args), width)])
    return builder_of(kind)(*args)


def transform(root: Term, change: Callable[[Term], Term | None]) -> Term:
    """Replace subterms from the leaves up: `change` sees each rebuilt subterm and may return another one."""
    done: dict[Term, Term] = {}
    for term in postorder([root]):
        new = term
        if term.args or term.weights:
            args = tuple(done[a] for a in term.args)
            weights = tuple(done[w] if isinstance(w, Term) else w for w in term.weights)
            if args != term.args or weights != term.weights:
                new = rebuild(term, args, weights)
        changed = change(new)
        done[term] = new if changed is None else changed
    return done[root]


def substitute(term: TermLike, values: Mapping[Any, TermLike]) -> Term:
    """Replace symbols or subterms by terms of the same sort; all at once, not one after the other.

    >>> u, v = vector("u"), vector("v")
    >>> substitute(cross(u, v), {v: 2 * u})
    0
    """
    table: dict[Term, Term] = {}
    for old, new in values.items():
        source = as_term(old)
        target = as_term(new) if not (isinstance(new, int) and new == 0) else source - source
        if source.sort != target.sort:
            raise AlgebraError(f"'{source}', a {source.sort}, cannot be replaced by '{target}', a {target.sort}.")
        table[source] = target
    root = as_term(term)
    done: dict[Term, Term] = {}
    for t in postorder([root]):
        if t in table:
            done[t] = table[t]
        elif t.args or t.weights:
            args = tuple(done[a] for a in t.args)
            weights = tuple(done[w] if isinstance(w, Term) else w for w in t.weights)
            done[t] = t if args == t.args and weights == t.weights else rebuild(t, args, weights)
        elif t.op is op.EXPR and t.payload.args:
            done[t] = _substitute_inside(t, table)
        else:
            done[t] = t
    return done[root]


def _substitute_inside(atom: Term, table: Mapping[Term, Term]) -> Term:
    """Scalar symbols may also hide inside functions: sin(th) with th replaced by another scalar expression."""
    from dalembert.algebra.values.components import to_expr
    from dalembert.expr import free_symbols
    from dalembert.expr import substitute as substitute_expr

    hidden = {s.payload: s for s in table if s.op is op.EXPR and s.payload in free_symbols([atom.payload])}
    if not hidden:
        return atom
    (new,) = substitute_expr([atom.payload], {e: to_expr(table[s]) for e, s in hidden.items()})
    return as_term(new)
