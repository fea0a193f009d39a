"""The price of a term: how many operations a reader (or a machine) has to carry out."""

from __future__ import annotations

from fractions import Fraction

from dalembert.algebra.core import operator as op
from dalembert.algebra.core.engine import numeric_value
from dalembert.algebra.core.term import Term, TermLike, Weight, postorder


def cost(term: TermLike) -> int:
    """Operations in a term: additions, products, powers, and each operator once; names and signs are free.

    >>> A, B = matrix("A"), matrix("B")
    >>> cost((A + B) * (A + B)), cost(A * A + A * B + B * A + B * B)
    (2, 7)
    """
    from dalembert.algebra.core.engine import as_term

    root = as_term(term)
    found: dict[Term, int] = {}
    for t in postorder([root]):
        found[t] = local_cost(t, found)
    return found[root]


def local_cost(t: Term, known: dict[Term, int]) -> int:
    """The cost of a term from the costs of its operands."""
    if t.op is op.SUM:
        if not t.args or numeric_value(t) is not None:
            return 0
        return len(t.args) - 1 + sum(known[a] + _weight_cost(w, known) for a, w in zip(t.args, t.weights))
    if t.op in (op.TIMES, op.PRODUCT, op.QPRODUCT):
        return max(len(t.args) - 1, 0) + sum(known[a] + _exponent_cost(e, known) for a, e in zip(t.args, t.weights))
    if t.op is op.ARRAY or t.op is op.PAIR:
        return sum(known[a] for a in t.args)
    if t.op is op.TRIPLE:
        return 2 + sum(known[a] for a in t.args)
    if not t.args:
        return 0
    return 1 + sum(known[a] for a in t.args)


def _weight_cost(w: Weight, known: dict[Term, int]) -> int:
    value = numeric_value(w) if isinstance(w, Term) else Fraction(w)
    if value is not None:
        return 0 if abs(value) == 1 else 1
    assert isinstance(w, Term)
    return 1 + known[w]


def _exponent_cost(e: Weight, known: dict[Term, int]) -> int:
    if isinstance(e, Term):
        return 1 + known[e]
    return 0 if e == 1 else 1
