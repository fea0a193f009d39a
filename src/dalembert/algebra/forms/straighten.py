"""Straightening: the linear dependence of four vectors of space, oriented, so that normal forms become unique.

Antisymmetrising over four vectors gives 0 in dimension 3. For a mixed product [t1 t2 t3] times dot products whose rows
x1 < .. < xk and columns y1 < .. < yk rise (x <= y), with xk < tk, that identity replaces the mixed product by smaller
ones (k = 1, 2, 3); without mixed product, a rising chain of four dot products is the diagonal of a Gram determinant
that vanishes. Vectors and matrices are treated as the scalars X . v and X . M Y with formal vectors X and Y.
"""

from __future__ import annotations

from itertools import combinations, pairwise, permutations
from typing import Any

from dalembert.algebra.core import operator as op
from dalembert.algebra.core.engine import add, items, linear_combination, number
from dalembert.algebra.core.scalars import scalar_power
from dalembert.algebra.core.sorts import VECTOR, Sort
from dalembert.algebra.core.term import ONE, Facts, Term, is_zero_term, make, postorder
from dalembert.algebra.forms.canonical_scalars import reduce_scalar
from dalembert.algebra.forms.canonical_vectors import apply_to_column, canonical_dot, canonical_triple
from dalembert.algebra.forms.collect import linear_part
from dalembert.algebra.forms.expand import multiply_scalars
from dalembert.algebra.operators.words import transpose

STEPS = 5000
LARGEST = 800  # monomials
_X = make(op.SYMBOL, (), (), Facts("~row"), VECTOR)
_Y = make(op.SYMBOL, (), (), Facts("~column"), VECTOR)
Pair = tuple[Term, Term]


def straighten(term: Term) -> Term:
    """A canonical scalar, vector or matrix of space, with the dependences of four vectors resolved."""
    if term.op is not op.SUM or not _may_reduce(term):
        return term
    if term.sort.is_scalar:
        return _straighten_scalar(term)
    if term.sort == VECTOR:
        opened = canonical_dot(_X, term)
        found = _straighten_scalar(opened)
        if found is opened:
            return term
        row, rest = linear_part(found, _X)
        return transpose(row) if is_zero_term(rest) else term
    if term.sort == Sort(3, 3):
        opened = canonical_dot(_X, apply_to_column(term, _Y))
        found = _straighten_scalar(opened)
        if found is opened:
            return term
        row, rest = linear_part(found, _Y)
        matrix, more = linear_part(transpose(row), _X)
        return transpose(matrix) if is_zero_term(rest) and is_zero_term(more) else term
    return term


def _may_reduce(term: Term) -> bool:
    if len(term.args) > LARGEST:
        return False
    plain = [t for t in postorder([term]) if t.args and all(a.op is not op.PRODUCT for a in t.args)]
    return any(t.op in (op.TRIPLE, op.CROSS) for t in plain) or sum(t.op is op.DOT for t in plain) >= 4


def _straighten_scalar(poly: Term) -> Term:
    current = poly
    settled: set[Term] = set()
    for _ in range(STEPS):
        if current.op is op.SUM and len(current.args) > LARGEST:
            return poly
        step = _next_step(current, settled)
        if step is None:
            return current
        monomial, weight, replacement = step
        rest = [(w, t) for t, w in items(current) if t is not monomial]
        fresh = [(weight * w, t) for t, w in items(reduce_scalar(replacement))]
        current = linear_combination([*rest, *fresh], poly.sort)
    return poly


def _next_step(poly: Term, settled: set[Term]) -> tuple[Term, Any, Term] | None:
    for monomial, weight in items(poly):
        if monomial not in settled:
            found = _reduction(monomial)
            if found is not None:
                return monomial, weight, found
            settled.add(monomial)
    return None


def _rank(v: Term) -> tuple[bool, int, tuple[str, bytes]]:
    return v is _X or v is _Y, v.size, v.key


def _reduction(monomial: Term) -> Term | None:
    """What replaces a monomial that is not standard, or None."""
    powers = list(zip(monomial.args, monomial.weights)) if monomial.op is op.TIMES else [(monomial, 1)]
    triples = [b for b, e in powers if b.op is op.TRIPLE and e == 1 and all(a.op is not op.PRODUCT for a in b.args)]
    pairs: list[Pair] = []
    for b, e in powers:
        if b.op is op.DOT and isinstance(e, int) and e > 0 and all(a.op not in (op.PRODUCT, op.SUM) for a in b.args):
            x, y = sorted(b.args, key=_rank)
            pairs.extend([(x, y)] * min(e, 4))
    pairs.sort(key=lambda xy: (_rank(xy[0]), _rank(xy[1])))
    bracket = sorted(triples[0].args, key=_rank) if triples else None
    for size in (1, 2, 3, 4):
        if size < 4 and bracket is None:
            continue
        for chain in combinations(pairs, size):
            if not _rises(chain):
                continue
            if size == 4:
                return _apply(powers, chain, None, _off_diagonal(chain))
            assert bracket is not None
            if _rank(chain[-1][0]) < _rank(bracket[size - 1]):
                return _apply(powers, chain, triples[0], _exchange(bracket, chain))
    return None


def _rises(chain: tuple[Pair, ...]) -> bool:
    return all(_rank(a[0]) < _rank(b[0]) and _rank(a[1]) < _rank(b[1]) for a, b in pairwise(chain))


def _apply(powers: list[tuple[Term, Any]], chain: tuple[Pair, ...], triple: Term | None, replacement: Term) -> Term:
    """The monomial with the chain (and the mixed product) taken out and the replacement put in."""
    result = replacement
    for base, e in powers:
        used = sum(set(xy) == set(base.args) for xy in chain) if base.op is op.DOT else int(base is triple)
        if e != used:
            result = multiply_scalars(result, scalar_power(base, e - used if used else e))
    return result


def _sign(order: tuple[int, ...]) -> int:
    return -1 if sum(a > b for a, b in combinations(order, 2)) % 2 else 1


def _minor(rows: list[Term], columns: list[Term], skip_diagonal: bool = False) -> Term:
    parts = []
    for order in permutations(range(len(rows))):
        if skip_diagonal and order == tuple(range(len(rows))):
            continue
        part = number(_sign(order))
        for i, j in enumerate(order):
            part = multiply_scalars(part, canonical_dot(rows[i], columns[j]))
        parts.append(part)
    return add(*parts) if parts else number(0)


def _off_diagonal(chain: tuple[Pair, ...]) -> Term:
    """A Gram determinant of size 4 is 0: its diagonal is minus the rest."""
    return multiply_scalars(number(-1), _minor([x for x, _ in chain], [y for _, y in chain], skip_diagonal=True))


def _exchange(bracket: list[Term], chain: tuple[Pair, ...]) -> Term:
    """Sum over the ways to share x1..xk, tk..t3 between minor and bracket is 0: solve for the given one."""
    k = len(chain)
    rows, columns = [x for x, _ in chain], [y for _, y in chain]
    fixed, pool = bracket[: k - 1], rows + bracket[k - 1 :]
    parts = []
    if k > 1:  # diagonal = minor - off-diagonal
        parts.append(multiply_scalars(canonical_triple(*bracket), _minor(rows, columns, skip_diagonal=True)))
    for chosen in combinations(range(4), k):
        if chosen == tuple(range(k)):
            continue
        left = tuple(i for i in range(4) if i not in chosen)
        mixed = canonical_triple(*fixed, *[pool[i] for i in left])
        minor = _minor([pool[i] for i in chosen], columns)
        parts.append(multiply_scalars(number(_sign(chosen + left)), multiply_scalars(mixed, minor)))
    # canonical_triple orders its arguments; the bracket itself is written in this order.
    sign = canonical_triple(*bracket)
    front = number(-1) if sign.op is not op.SUM else ONE
    return multiply_scalars(front, add(*parts))
