"""The inverse of a matrix of blocks, by the Schur complement."""

from __future__ import annotations

from dalembert.algebra.core.engine import as_term
from dalembert.algebra.core.operator import ARRAY
from dalembert.algebra.core.sorts import AlgebraError
from dalembert.algebra.core.term import Term, TermLike, is_zero_term
from dalembert.algebra.operators.arrays import array, cells
from dalembert.algebra.operators.words import inverse, product
from dalembert.errors import SingularError


def block_inverse(matrix: TermLike) -> Term:
    """The inverse of [[A, B], [C, D]] with S = D - C A^-1 B; if A is 0, with the complement of D instead.

    It holds where the pivot block and its complement S have inverses. More blocks are taken two by two.

    >>> M, G = matrix("M", 3, positive_definite=True), matrix("G", 2, 3)
    >>> block_inverse(array([[M, G.T], [G, 0]])).sort.rows
    5
    """
    whole = as_term(matrix)
    if whole.op is not ARRAY or not whole.sort.is_square or whole.payload[0] != whole.payload[1]:
        raise AlgebraError(f"'{whole}' is not a square matrix of blocks: build it with array([[A, B], [C, D]]).")
    rows = cells(whole)
    if any(not row[i].sort.is_square for i, row in enumerate(rows)):
        raise AlgebraError("the blocks on the diagonal must be square, for one of them is inverted first.")
    if len(rows) == 2:
        return _two(*rows[0], *rows[1])
    size = len(rows) - 1
    corner = array([row[:size] for row in rows[:size]])
    right, below = array([[row[size]] for row in rows[:size]]), array([rows[size][:size]])
    outer = _two(corner, right, below, rows[size][size])
    return outer


def _two(a: Term, b: Term, c: Term, d: Term) -> Term:
    if is_zero_term(a):
        if is_zero_term(d):
            return _crossed(b, c)
        (p, q), (r, s) = _corners(d, c, b, a)
        return array([[s, r], [q, p]])
    (p, q), (r, s) = _corners(a, b, c, d)
    return array([[p, q], [r, s]])


def _crossed(b: Term, c: Term) -> Term:
    """[[0, B], [C, 0]]^-1 = [[0, C^-1], [B^-1, 0]]."""
    if not b.sort.is_square:
        raise SingularError("both blocks on the diagonal are 0 and the others are not square: there is no inverse.")
    return array([[0, inverse(c)], [inverse(b), 0]])


def _corners(a: Term, b: Term, c: Term, d: Term) -> tuple[tuple[Term, Term], tuple[Term, Term]]:
    pivot = block_inverse(a) if a.op is ARRAY and not all(e.sort.is_scalar for e in a.args) else inverse(a)
    schur = d - product(c, pivot, b)
    if is_zero_term(schur):
        raise SingularError("the Schur complement D - C A^-1 B is 0: the matrix has no inverse.")
    s = inverse(schur)
    left, right = product(pivot, b), product(c, pivot)
    return (pivot + product(left, s, right), -product(left, s)), (-product(s, right), s)
