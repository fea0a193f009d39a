"""`is_zero`: a verdict with its reason and its error probability; never a guess from floating point."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from dalembert.algebra import _operator as op
from dalembert.algebra._canonical import canonical
from dalembert.algebra._declared import Elements
from dalembert.algebra._engine import as_term
from dalembert.algebra._evaluate import evaluate
from dalembert.algebra._fields import PRIMES, Balls, Residues
from dalembert.algebra._sample import BadPoint, Sampler
from dalembert.algebra._simplify import expansion_size
from dalembert.algebra._term import Term, TermLike, is_zero_term, postorder
from dalembert.errors import ExpressionError

LIMIT = 4000  # monomials that the canonical form may have
TRIES = 200  # random points that may be undefined before one is found
BITS = 300


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """Whether a term is 0, how that was decided, and a bound on the probability that the answer is wrong.

    The bound is 0 for a canonical form and for a point where the value is not 0. For points modulo a prime p it is
    (d/p)^points with d the degree of the term in its random parameters (Schwartz and Zippel).
    """

    zero: bool
    method: str
    error_probability: Fraction
    residue: Term | None = None

    def __bool__(self) -> bool:
        return self.zero

    def __eq__(self, other: object) -> bool:
        """A verdict equals the plain answer, so that `is_zero(term) == True` reads as expected."""
        if isinstance(other, Verdict):
            return self.zero == other.zero and self.method == other.method
        return self.zero is other

    def __hash__(self) -> int:
        return hash((self.zero, self.method))

    def __str__(self) -> str:
        chance = f", wrong with probability below {float(self.error_probability):.1e}" if self.error_probability else ""
        return f"{'zero' if self.zero else 'not zero'} by {self.method}{chance}"


def is_zero(term: TermLike, *, points: int = 3, limit: int = LIMIT) -> Verdict:
    """Decide whether a term is identically 0 for all values that its declared properties allow.

    >>> A, a = matrix("A"), vector("a")
    >>> verdict = is_zero(trace(A) * ~a - A.T * ~a - ~a * A - ~(A * a))
    >>> bool(verdict), verdict.method
    (True, 'random points modulo primes')
    """
    root = as_term(term)
    residue = root
    sizes: dict[Term, int] = {}
    for t in postorder([root]):
        sizes[t] = expansion_size(t, sizes, limit)
    if sizes[root] <= limit:
        residue = canonical(root)
        if is_zero_term(residue):
            return Verdict(True, "canonical form", Fraction(0))
    if any(isinstance(t.op.payload, Elements) for t in postorder([root])):
        return Verdict(False, "canonical form of declared operators (no values to compare)", Fraction(0), residue)
    for i in range(points):
        field, value = _at_a_point(root, partial(Residues, PRIMES[i % len(PRIMES)]), i)
        assert isinstance(field, Residues)
        if field.loose:
            return _by_balls(root, residue, points)
        if not _vanishes(value, field):
            return Verdict(False, f"a point modulo {field.prime}", Fraction(0), residue)
    chance = min(Fraction(degree(root), min(PRIMES)), Fraction(1)) ** points
    return Verdict(True, "random points modulo primes", chance)


def _by_balls(root: Term, residue: Term, points: int) -> Verdict:
    """Roots and transcendental functions: real points in ball arithmetic, where not 0 is a proof."""
    from flint import ctx

    # An absolute value has two pieces: with k of them, a piece may be met with probability 2^-k only.
    pieces = len({t for t in postorder([root]) if t.op is op.ABS})
    if pieces:
        points = max(points, 60 * 2 ** min(pieces, 4))
    before = ctx.prec
    ctx.prec = BITS + 200
    try:
        for i in range(points):
            field, value = _at_a_point(root, partial(Balls, BITS), i)
            if not _vanishes(value, field):
                return Verdict(False, "a real point in ball arithmetic", Fraction(0), residue)
    except ExpressionError:
        return Verdict(False, "canonical form (it holds functions without values)", Fraction(0), residue)
    finally:
        ctx.prec = before
    # Each draw is one of 2^60 dyadic numbers, and a value below 2^-BITS counts as 0.
    chance = min(Fraction(degree(root), 2**60), Fraction(1)) ** points
    if pieces:
        chance += (1 - Fraction(1, 2**pieces)) ** points
    return Verdict(True, f"{points} real points in ball arithmetic of {BITS} bits", chance)


def _at_a_point(root: Term, make: Callable[[int], Sampler], index: int) -> tuple[Sampler, Any]:
    base = int.from_bytes(hashlib.blake2b(root.key[1], digest_size=6).digest(), "big")
    for attempt in range(TRIES):
        field = make(base + index * TRIES + attempt)
        try:
            return field, evaluate(root, field)
        except (BadPoint, ZeroDivisionError):
            continue
    raise ExpressionError(
        f"'{root}' is defined at none of {TRIES} random points: does it divide by something that is 0?"
    )


def _vanishes(value: Any, field: Sampler) -> bool:
    if not isinstance(value, list):
        return field.is_zero(value)
    return all(_vanishes(x, field) for x in value)


def degree(root: Term) -> int:
    """A bound on the degree of numerators and denominators in the parameters of a random point."""
    found: dict[Term, int] = {}
    for t in postorder([root]):
        inner = sum(found[a] for a in t.args)
        if t.op is op.SYMBOL:
            found[t] = 6 if t.payload.properties - {"constant", "symmetric", "antisymmetric"} else 2
        elif t.op is op.EXPR:
            found[t] = 24 if t.payload.args else 1
        elif t.op is op.SUM:
            found[t] = inner + sum(found[w] for w in t.weights if isinstance(w, Term))
        elif t.weights:
            steps = [abs(e) if isinstance(e, int) else 1 for e in t.weights]
            found[t] = sum(found[a] * n * max(a.sort.rows, 1) for a, n in zip(t.args, steps))
        else:
            found[t] = max(inner, 1) * max([a.sort.rows for a in t.args], default=1) * (3 if t.op is op.ROTATION else 1)
    return max(found[root], 1)
