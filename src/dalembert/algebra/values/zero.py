"""`is_zero`: a verdict with its reason and its error probability; never a guess from floating point."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from dalembert.algebra.core import operator as op
from dalembert.algebra.core.apply import Elements
from dalembert.algebra.core.engine import (
    as_term,
    items,
    multiply_exponents,
    number,
    numeric_value,
    split_content,
    times,
)
from dalembert.algebra.core.rebuild import transform
from dalembert.algebra.core.scalars import absolute, scalar_power
from dalembert.algebra.core.sorts import AlgebraError
from dalembert.algebra.core.term import Term, TermLike, is_zero_term, postorder
from dalembert.algebra.forms.canonical import canonical
from dalembert.algebra.forms.expand import expand, expansion_size
from dalembert.algebra.forms.factor_scalar import factor_scalar
from dalembert.algebra.values.evaluate import evaluate
from dalembert.algebra.values.fields import PRIMES, TURN, Balls, Residues
from dalembert.algebra.values.sample import BadPoint, Sampler
from dalembert.errors import ExpressionError
from dalembert.expr import topological

if TYPE_CHECKING:
    from dalembert.algebra.systems.rules import Rule

LIMIT = 4000  # monomials that the canonical form may have
TRIES = 200  # random points that may be undefined before one is found
BITS = 300
REAL_POINTS = 24
PATTERNS = 32  # discrete cases (signs, ranks) that points can be expected to meet one by one
RUNS = 40  # points for each such case: one is missed with probability e^-40


class Undefined(ExpressionError):
    """No random point was found where the term has a value."""


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """Whether a term is 0, how that was decided, and a bound on the probability that the answer is wrong.

    `zero` is True, False, or None when neither could be shown; as a truth value a verdict means "shown to be zero", so
    ask `answer` or `zero is False` before calling something not zero. The bound is 0 for a canonical form and for a
    point where the value is not 0. For points modulo a prime p it is (d/p)^points with d the degree of the term in its
    random parameters (Schwartz and Zippel), and it is 1 when nothing is decided.
    """

    zero: bool | None
    method: str
    error_probability: Fraction
    residue: Term | None = None

    @property
    def answer(self) -> str:
        """The verdict in words: "zero", "not zero" or "undecided"."""
        return "undecided" if self.zero is None else "zero" if self.zero else "not zero"

    def __bool__(self) -> bool:
        return self.zero is True

    def __eq__(self, other: object) -> bool:
        """A verdict equals the plain answer, so that `is_zero(term) == True` reads as expected."""
        if isinstance(other, Verdict):
            return self.zero == other.zero and self.method == other.method
        return self.zero is other

    def __hash__(self) -> int:
        return hash((self.zero, self.method))

    def __str__(self) -> str:
        if self.zero is None:
            return f"undecided: {self.method}"
        chance = f", wrong with probability below {float(self.error_probability):.1e}" if self.error_probability else ""
        return f"{self.answer} by {self.method}{chance}"


def is_zero(term: TermLike, rules: Iterable[Rule] = (), *, points: int = 3, limit: int = LIMIT) -> Verdict:
    """Decide whether a term is identically 0 for all values that its declared properties allow.

    With `rules`, "zero" means zero modulo the rules: their normal form is 0, or it is 0 without further assumptions.
    Points do not know the rules, so a term that is not reduced to 0 by them is undecided.

    >>> A, a = matrix("A"), vector("a")
    >>> verdict = is_zero(trace(A) * ~a - A.T * ~a - ~a * A - ~(A * a))
    >>> bool(verdict), verdict.method
    (True, 'random points modulo primes')
    """
    listed = tuple(rules)
    if listed:
        return _modulo(as_term(term), listed, points, limit)
    root = as_term(term)
    residue = root
    sizes: dict[Term, int] = {}
    for t in postorder([root]):
        sizes[t] = expansion_size(t, sizes, limit)
    if sizes[root] <= limit:
        residue = canonical(root)
        if is_zero_term(residue):
            return Verdict(True, "canonical form", Fraction(0))
    return by_points(root, residue, points)


def _modulo(root: Term, rules: tuple[Rule, ...], points: int, limit: int) -> Verdict:
    from dalembert.algebra.systems.rules import rewrite

    current = root
    for _ in range(ROUNDS):
        reduced = rewrite(current, rules)
        verdict = is_zero(reduced, points=points, limit=limit)
        if verdict:
            return replace(verdict, method=f"{verdict.method}, modulo the given rules")
        opened = verdict.residue if verdict.residue is not None else reduced
        if rewrite(opened, rules) is opened:
            break
        current = opened
    return Verdict(None, "the given rules do not reduce it to 0", Fraction(1), current)


ROUNDS = 6  # of rules and canonical forms in turn


def by_points(root: Term, residue: Term, points: int = 3) -> Verdict:
    """The verdict of random typed points alone."""
    try:
        return _by_residues(_split_roots(root), residue, points)
    except AlgebraError as reason:
        return Verdict(None, str(reason), Fraction(1), residue)


def _by_residues(root: Term, residue: Term, points: int) -> Verdict:
    done, wanted, patterns = 0, points, 1
    narrow = False
    while done < wanted:
        try:
            field, value = _at_a_point(root, partial(Residues, PRIMES[done % len(PRIMES)]), done)
        except Undefined:  # a root that does not exist modulo this prime may be a real number
            return _by_balls(root, residue)
        assert isinstance(field, Residues)
        narrow = narrow or field.narrow
        if not _vanishes(value, field):
            if field.loose:
                return _by_balls(root, residue)
            return Verdict(False, f"a point modulo {field.prime}", Fraction(0), residue)
        done += 1
        patterns = max(patterns, field.choices)
        if patterns > 1:
            wanted = max(points, RUNS * min(patterns, PATTERNS))
    if narrow:
        return Verdict(None, "it vanishes for the operators of a special kind that were tried", Fraction(1), residue)
    chance = min(Fraction(degree(root), min(PRIMES)), Fraction(1)) ** points
    if patterns > PATTERNS:
        return Verdict(None, f"it vanishes at {done} points, of {patterns} cases to meet", Fraction(1), residue)
    if patterns > 1:  # rounded up to a power of two, for a short fraction
        chance += Fraction(2) ** math.ceil(math.log2(patterns) + done * math.log2(1 - 1 / patterns))
    return Verdict(True, "random points modulo primes", chance)


def _by_balls(root: Term, residue: Term) -> Verdict:
    """Roots, signs and logarithms: real points in ball arithmetic, where not 0 is a proof."""
    from flint import ctx

    before = ctx.prec
    ctx.prec = BITS + 200
    try:
        for i in range(REAL_POINTS):
            field, value = _at_a_point(root, partial(Balls, BITS), i)
            if not _vanishes(value, field):
                return Verdict(False, "a real point in ball arithmetic", Fraction(0), residue)
            gap = separation(root)
            if gap is not None:
                if gap > BITS:
                    ctx.prec = gap + 200
                    value = _at_a_point(root, partial(Balls, gap), 0)[1]
                if not _vanishes(value, field):
                    return Verdict(False, "a real number in ball arithmetic", Fraction(0), residue)
                if _below(value, gap):
                    return Verdict(True, f"an algebraic number below its separation bound 2^-{gap}", Fraction(0))
    except AlgebraError as reason:
        return Verdict(None, str(reason), Fraction(1), residue)
    finally:
        ctx.prec = before
    return Verdict(None, f"it vanishes at {REAL_POINTS} real points, but no proof was found", Fraction(1), residue)


def _below(value: Any, bits: int) -> bool:
    if isinstance(value, list):
        return all(_below(x, bits) for x in value)
    return bool(abs(value) * 2**bits < 1)


def _split_roots(root: Term) -> Term:
    """Absolute values and even roots by the factors of what they hold: |k^2 - m^2| = |k - m| |k + m|.

    Where sqrt(x y) is real it is sqrt(|x|) sqrt(|y|), whatever the signs of x and y.
    """

    def factored(t: Term) -> Term:
        return factor_scalar(expand(t)) if t.op is op.SUM and len(t.args) <= SPLIT else t

    def change(t: Term) -> Term | None:
        if t.op is op.ABS:
            return absolute(factored(t.args[0]))
        if t.op is op.TIMES and any(isinstance(e, Fraction) for e in t.weights):
            parts = []
            for base, e in zip(t.args, t.weights):
                if isinstance(e, Fraction) and e.denominator % 2 == 0 and numeric_value(base) is None:
                    content, size = split_content(factored(base))
                    atoms = list(zip(size.args, size.weights)) if size.op is op.TIMES else [(size, 1)]
                    parts += [scalar_power(number(abs(content)), e)]
                    parts += [scalar_power(absolute(atom), multiply_exponents(n, e)) for atom, n in atoms]
                    continue
                parts.append(scalar_power(base, e))
            return times(*parts)
        return None

    if not any(t.op is op.ABS or any(isinstance(w, Fraction) for w in t.weights) for t in postorder([root])):
        return root
    return transform(root, change)


SPLIT = 60  # summands of a polynomial that is worth factoring


def _at_a_point(root: Term, make: Callable[[int], Sampler], index: int) -> tuple[Sampler, Any]:
    base = int.from_bytes(hashlib.blake2b(root.key[1], digest_size=6).digest(), "big")
    for attempt in range(TRIES):
        field = make(base + index * TRIES + attempt)
        try:
            return field, evaluate(root, field)
        except (BadPoint, ZeroDivisionError):
            continue
    raise Undefined(f"'{root}' is defined at none of {TRIES} random points: does it divide by something that is 0?")


def _vanishes(value: Any, field: Sampler) -> bool:
    if not isinstance(value, list):
        return field.is_zero(value)
    return all(_vanishes(x, field) for x in value)


def degree(root: Term) -> int:
    """A bound on the degree of numerators and denominators in the parameters of a random point.

    An operator or unknown function is a new parameter wherever its arguments are new; that two different arguments
    agree by chance is covered by the degrees of the arguments, once for each pair of applications.
    """
    found: dict[Term, int] = {}
    applied = [t for t in postorder([root]) if isinstance(t.op.payload, Elements) or _holds_unknown(t)]
    chance = 0
    for t in postorder([root]):
        inner = sum(found[a] for a in t.args)
        if t.op is op.SYMBOL:
            found[t] = 6 if t.payload.properties - {"constant", "symmetric", "antisymmetric"} else 2
        elif t.op is op.EXPR:
            found[t] = _expr_degree(t)
        elif t.op is op.SUM:
            found[t] = inner + sum(found[w] for w in t.weights if isinstance(w, Term))
        elif t.weights:
            steps = [abs(e) if isinstance(e, int) else 1 for e in t.weights]
            found[t] = sum(found[a] * n * max(a.sort.rows, 1) for a, n in zip(t.args, steps))
        elif isinstance(t.op.payload, Elements):
            found[t] = inner + 8 * max(t.sort.rows * t.sort.columns, 4)
        else:
            found[t] = max(inner, 1) * max([a.sort.rows for a in t.args], default=1) * (3 if t.op is op.ROTATION else 1)
        if t in applied:
            chance += len(applied) * (found[t] if t.op is op.EXPR else inner)
    return max(found[root], 1) + chance


def _holds_unknown(t: Term) -> bool:
    return t.op is op.EXPR and any(e.op == "apply" for e in topological([t.payload]))


def _expr_degree(t: Term) -> int:
    """Sines and exponentials of n/60 of a monomial have degree 2 n in what is drawn for it."""
    found: dict[Any, int] = {}
    for e in topological([t.payload]):
        inner = sum(found[a] for a in e.args)
        if e.op in ("sin", "cos", "tan", "exp"):
            sizes = [abs(Fraction(w)) for _, w in items(canonical(as_term(e.args[0])))]  # type: ignore[arg-type]
            found[e] = inner + 2 * TURN * math.ceil(sum(sizes))
        elif e.op == "pow":
            exponent = e.args[1]
            found[e] = found[e.args[0]] * (math.ceil(abs(exponent.data)) if exponent.op == "const" else 1)
        else:
            found[e] = max(inner, 1)
    return found[t.payload]


def separation(root: Term) -> int | None:
    """n such that the number `root` is 0 or above 2^-n, for roots, sines and cosines of multiples of pi; else None.

    Bound of Burnikel, Fleischer, Mehlhorn and Schirra: with upper bounds u and l of the conjugates of numerator and
    denominator, and D the degree, |E| >= 1 / (u^(D-1) l).
    """
    bounds: dict[Term, tuple[float, float]] = {}
    degree_ = 1
    for t in postorder([root]):
        if t.op is op.EXPR:
            turns = _turns(t.payload)
            if turns is None:
                return None
            degree_ *= 2 * turns.denominator
            bounds[t] = (1.0, 1.0)  # 2 cos is an algebraic integer, all conjugates within 2
        elif t.op is op.SUM and t.sort.is_scalar:
            u, low = 0.0, 0.0
            for i, (a, w) in enumerate(zip(t.args, t.weights)):
                n = math.log2(abs(Fraction(w).numerator)), math.log2(Fraction(w).denominator)  # type: ignore[arg-type]
                x, y = bounds[a][0] + n[0], bounds[a][1] + n[1]
                u, low = (x, y) if not i else (max(u + y, x + low) + 1, low + y)
            bounds[t] = u, low
        elif t.op is op.TIMES:
            u = low = 0.0
            for a, e in zip(t.args, t.weights):
                if isinstance(e, Term) or Fraction(e).denominator > 2:
                    return None
                x, y = bounds[a]
                if Fraction(e).denominator == 2:
                    degree_ *= 2
                    x, y = ((x + y) / 2, y) if x >= y else (x, (x + y) / 2)
                times_ = abs(Fraction(e).numerator)
                u, low = (u + x * times_, low + y * times_) if e > 0 else (u + y * times_, low + x * times_)
            bounds[t] = u, low
        else:
            return None
        if degree_ > 4096:
            return None
    u, low = bounds[root]
    return math.ceil((degree_ - 1) * max(u, 0) + max(low, 0)) + 1


def _turns(e: Any) -> Fraction | None:
    """r for sin(r pi) and cos(r pi)."""
    if e.op not in ("sin", "cos"):
        return None
    pairs = list(items(as_term(e.args[0])))
    if len(pairs) != 1 or pairs[0][0].op is not op.EXPR or pairs[0][0].payload.op != "pi":
        return None
    return Fraction(pairs[0][1])  # type: ignore[arg-type]
