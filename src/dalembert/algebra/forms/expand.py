"""`expand`: distribution read from the morphism properties of each operator, and the powers of products.

What expands: products over sums on both sides, every operator over sums in the slots where it is a morphism, powers
of products and of sums with positive integer exponent, tilde(u x v) = ~u ~v - ~v ~u. What does not: the double cross
product and the other identities of vectors, which belong to `canonical`.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product as cartesian

from dalembert.algebra.core import operator as op
from dalembert.algebra.core.apply import additive_pieces
from dalembert.algebra.core.engine import (
    ZERO,
    add,
    as_term,
    identity,
    items,
    linear_combination,
    number,
    quaternion_one,
    scale,
    times,
)
from dalembert.algebra.core.rebuild import builder_of, rebuild
from dalembert.algebra.core.scalars import scalar_power
from dalembert.algebra.core.sorts import Sort
from dalembert.algebra.core.term import ONE, Term, TermLike, Weight, postorder
from dalembert.algebra.operators.vectors import tilde
from dalembert.algebra.operators.words import multiply, power, product

Pairs = list[tuple[Weight, Term]]
Product = Callable[[Term, Term], Term]


def expand(term: TermLike) -> Term:
    """Distribute everything that distributes.

    >>> A, B = matrix("A"), matrix("B")
    >>> expand((A + B) * (A + B) - A * B - A * A)
    B A + B^2
    >>> u, v = vector("u"), vector("v")
    >>> expand(~(~u * v))
    ~u ~v - ~v ~u
    """
    root = as_term(term)
    done: dict[Term, Term] = {}
    for t in postorder([root]):
        if not t.args:
            done[t] = t
            continue
        args = tuple(done[a] for a in t.args)
        weights = tuple(done[w] if isinstance(w, Term) else w for w in t.weights)
        done[t] = expand_node(t, args, weights)
    return done[root]


def expand_node(t: Term, args: tuple[Term, ...], weights: tuple[Weight, ...]) -> Term:
    """Expand one operation whose operands are expanded already."""
    if t.op is op.SUM:
        return expanded_sum(args, weights, t.sort)
    if t.op in (op.TIMES, op.PRODUCT, op.QPRODUCT) and not t.op.morphism:
        return rebuild(t, args, weights)
    if t.op is op.TIMES:
        result: Term = ONE
        for base, e in zip(args, weights):
            result = multiply_scalars(result, _scalar_power(base, e))
        return result
    if t.op is op.PRODUCT:
        return _expand_word(args, weights, identity(t.sort.rows), distribute_product)
    if t.op is op.QPRODUCT:
        return _expand_word(args, weights, quaternion_one(), distribute_product)
    if t.op is op.TILDE:
        return distribute(t, args, _tilde_of_cross)
    if t.op.morphism:
        return distribute(t, args, builder_of(t.op))
    return rebuild(t, args, weights)


def expanded_sum(args: tuple[Term, ...], weights: tuple[Weight, ...], sort: Sort) -> Term:
    """A sum whose summands and weights are expanded: scalar weights go through groups."""
    if sort.is_scalar:
        return linear_combination(zip(weights, args), sort)
    flat: Pairs = []
    for a, w in zip(args, weights):
        for inner, v in items(a):
            flat.append((multiply_scalars(as_term(w), as_term(v)), inner))
    return linear_combination(flat, sort)


def multiply_scalars(a: Term, b: Term) -> Term:
    """The expanded product of two expanded scalars."""
    if a is ONE:
        return b
    if b is ONE:
        return a
    if (a.op is not op.SUM or len(a.args) == 1) and (b.op is not op.SUM or len(b.args) == 1):
        return times(a, b)
    pairs: Pairs = []
    for x, v in items(a):
        for y, w in items(b):
            monomial = times(x, y)
            pairs.extend((v * w * c, m) for m, c in items(monomial))  # type: ignore[operator]
    return linear_combination(pairs, a.sort)


def _scalar_power(base: Term, e: Weight) -> Term:
    if isinstance(e, int) and e > 1 and base.op is op.SUM and len(base.args) > 1:
        result: Term = ONE
        for _ in range(e):
            result = multiply_scalars(result, base)
        return result
    if isinstance(e, Fraction) and e > 1:  # x^(5/2) = x^2 x^(1/2)
        whole = e.numerator // e.denominator
        return multiply_scalars(_scalar_power(base, whole), scalar_power(base, e - whole))
    return scalar_power(base, e)


def distribute(t: Term, args: tuple[Term, ...], build: Callable[..., Term]) -> Term:
    """Multilinearity: sums in the slots where the operator is a morphism go outside."""
    choices: list[list[tuple[Term, Term]]] = []
    for i, a in enumerate(args):
        opens = t.op.is_additive(i) and a.op is op.SUM
        choices.append(additive_pieces(a, t.op.degree(i, a.sort) or 0) if opens else [(a, ONE)])
    if all(len(c) == 1 for c in choices):
        return build(*args)
    parts: list[Term] = []
    for combination in cartesian(*choices):
        front: Term = ONE
        for _, w in combination:
            front = multiply_scalars(front, w)
        parts.append(scale_expanded(front, build(*[a for a, _ in combination])))
    return add(*parts) if parts else rebuild(t, args, t.weights)


def scale_expanded(front: Term, term: Term) -> Term:
    """front * term, both expanded, with the result expanded."""
    if front is ONE:
        return term
    if term.sort.is_scalar:
        return multiply_scalars(front, term)
    return linear_combination([(multiply_scalars(front, as_term(w)), t) for t, w in items(term)], term.sort)


def _expand_word(args: tuple[Term, ...], weights: tuple[Weight, ...], start: Term, times_: Product) -> Term:
    result = start
    pieces: list[Term] = []
    for base, e in zip(args, weights):
        opens = isinstance(e, int) and e > 1 and (base.op in (op.SUM, op.PRODUCT, op.QPRODUCT))
        pieces.extend([base] * e if opens and isinstance(e, int) else [power(base, e) if e != 1 else base])
    if pieces and pieces[-1].sort.is_vector:
        result = pieces.pop()
        for piece in reversed(pieces):
            result = times_(piece, result)
        return result
    for piece in pieces:
        result = times_(result, piece)
    return result


def distribute_product(a: Term, b: Term) -> Term:
    """The product of two expanded tensors, expanded."""
    join = multiply if not a.sort.is_quaternion else product
    left, right = list(items(a)), list(items(b))
    if len(left) == 1 and len(right) == 1 and a.op is not op.SUM and b.op is not op.SUM:
        return join(a, b)
    if not left or not right:
        return product(a, b)
    pairs: Pairs = []
    for x, v in left:
        for y, w in right:
            front = multiply_scalars(as_term(v), as_term(w))
            inner = join(x, y)
            pairs.extend((multiply_scalars(front, as_term(c)), t) for t, c in items(inner))
    sort = a.sort if a.sort.is_quaternion else Sort(a.sort.rows, b.sort.columns)
    if sort.is_scalar:
        return add(ZERO, *[multiply_scalars(as_term(c), t) for c, t in pairs])
    return linear_combination(pairs, sort)


def _tilde_of_cross(v: Term) -> Term:
    """~(u x w) = ~u ~w - ~w ~u."""
    if v.op is op.CROSS:
        u, w = v.args
        first = distribute_product(_tilde_of_cross(u), _tilde_of_cross(w))
        second = distribute_product(_tilde_of_cross(w), _tilde_of_cross(u))
        return add(first, scale(number(-1), second))
    return tilde(v)


def expansion_size(t: Term, known: dict[Term, int], limit: int) -> int:
    """An upper estimate of the number of monomials after expansion; it saturates just above `limit`."""
    if not t.args:
        return 1
    if t.op is op.SUM:
        total = sum(known[a] * (known[w] if isinstance(w, Term) else 1) for a, w in zip(t.args, t.weights))
    elif t.weights:
        total = 1
        tildes = 0
        for a, e in zip(t.args, t.weights):
            times = e if isinstance(e, int) and e > 0 else 1
            tildes += times if a.op is op.TILDE else 0
            total = min(total * min(known[a], limit + 1) ** min(times, 20), limit + 1)
        total *= 2 ** max(min(tildes - 1, 12), 0)
    else:
        total = 1
        for a in t.args:
            total = min(total * known[a], limit + 1)
        if t.op in (op.CROSS, op.DOT, op.TRIPLE) and any(a.op is op.CROSS for a in t.args):
            total *= 2
    return min(total, limit + 1)
