"""Rank at a generic point of the tree, off the closure: the methods of the thesis, corrected.

minors                    increasing order, until none that is larger is left
classical                 Gauss over the field of functions
probabilistic             random whole numbers, exact rational rank
modular                   one integer point, ranks modulo primes whose product exceeds Hadamard's bound
probabilistic-modular     random residues, Gauss modulo a prime, several primes

Square roots, cosines of parts of a turn and roots of formulas are numbers with their equation (`ring`), not free
symbols: at a rational point a matrix over such a field of degree d is a rational one of d times its size and rank;
modulo a prime they are residues. A random point can only lower the rank: for a minor of degree d and values among s,
the chance is at most d/s (Schwartz-Zippel), not 1/s^2 as printed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from math import factorial, lcm
from typing import Any

from dalembert import expr as ex
from dalembert.errors import ExpressionError, ModelError
from dalembert.expr import Expr, Matrix
from dalembert.loops.arithmetic import NoRoot, Residues
from dalembert.loops.elimination import gauss, growing_minor
from dalembert.loops.linkage import Linkage
from dalembert.loops.polynomials import PolynomialClosure
from dalembert.loops.positions import Positions
from dalembert.loops.realrank import real_rank
from dalembert.loops.ring import Ring, common_denominator

METHODS = ("minors", "classical", "probabilistic", "modular", "probabilistic-modular")
#: The prime of the thesis (MAPLE's integer base) first, then large ones; at most so many are tried.
_PRIMES = 400
#: Random points that a method may take until it reaches the rank at a real one.
_AGAIN = 5


def primes_below(limit: int = 1 << 30) -> Any:
    """Primes downwards."""
    from flint import fmpz

    n = limit - 1
    while n > 2:
        if fmpz(n).is_prime():
            yield n
        n -= 1


def first_primes(count: int) -> list[int]:
    from flint import fmpz

    found: list[int] = []
    n = 2
    while len(found) < count:
        if fmpz(n).is_prime():
            found.append(n)
        n += 1
    return found


def rank_modulo(rows: Sequence[Sequence[int]], prime: int) -> int:
    """Rank over the field of a prime; a column without a pivot costs no row."""
    from flint import nmod_mat

    if not len(rows) or not len(rows[0]):
        return 0
    return int(nmod_mat(len(rows), len(rows[0]), [int(v) % prime for row in rows for v in row], prime).rank())


def rank_off(linkage: Linkage, form: str = "velocity", tries: int = 2) -> int:
    """Generic rank of the constraint matrix in the tree's speeds, exact modulo primes.

    `form` is "velocity" (velocities of the two ends of each cut link at their own points) or "closure" (the derivative
    of the relative displacement: then tree dof minus rank is a lower bound of the complex dimension).
    """
    if not linkage.cuts and not linkage.equations:
        return 0
    best, seen = 0, 0
    for prime in primes_below():
        try:
            positions = Positions(linkage, Residues(prime, seed=prime))
        except NoRoot:
            continue
        except (ExpressionError, OverflowError, ValueError):
            return _rank_off_in_balls(linkage, form)
        frames = positions.frames(positions.random_motion())
        if form == "velocity":
            found = rank_modulo(positions.velocity_rows(frames), prime)
        else:
            found = min(
                rank_modulo(positions.closure_rows(frames), prime), rank_modulo(positions.earth_rows(frames), prime)
            )
        best, seen = max(best, found), seen + 1
        if seen == tries:
            break
    if linkage.equations:
        return _rank_off_in_balls(linkage, form)
    return best - linkage.cut_dof


def exact_rank(
    linkage: Linkage, prime: int, angles: Mapping[str, tuple[int, int]], lengths: Mapping[str, int] | None = None
) -> int:
    """Rank in the tree's speeds at a configuration given exactly modulo a prime, which must close all loops exactly.

    `angles` holds (cosine, sine) by coordinate. Points of the closure over a prime field are easy to make where it has
    formulas; the thesis gave this up for lack of a probabilistic argument.
    """
    positions = Positions(linkage, Residues(prime))
    frames = positions.frames(positions.exact_motion(angles, lengths or {}))
    turn, gap = positions.gaps(frames)
    if gap.any() or any(r.tolist() != [[1, 0, 0], [0, 1, 0], [0, 0, 1]] for r in turn):
        raise ModelError(f"the configuration does not close the loops modulo {prime}.")
    return rank_modulo(positions.velocity_rows(frames), prime) - linkage.cut_dof


def _rank_off_in_balls(linkage: Linkage, form: str) -> int:
    """At random postures of the linkage in its own units: pivots that leave zero out."""
    import numpy as np

    from dalembert.loops.assembly import Closing
    from dalembert.loops.balls import BallClosing, ball, precision, working_digits
    from dalembert.loops.linearised import linearised
    from dalembert.loops.units import in_own_units

    linkage = in_own_units(linkage, {})
    digits = working_digits(linkage)
    rng = np.random.default_rng(3)
    best = 0
    with precision(digits):
        closing = BallClosing(Closing(linkage), digits)
        for _ in range(3):
            x = [ball(float(v)) for v in rng.uniform(-1.3, 1.3, linkage.size)]
            slopes = closing.jacobian(x)[6 * len(linkage.cuts) :]
            frames = closing.positions.frames(closing.positions.motion(x))
            if form == "velocity":
                forms = [closing.positions.velocity_rows(frames)]
            else:
                forms = [closing.positions.closure_rows(frames), closing.positions.earth_rows(frames)]
            best = max(best, min(linearised(closing, np.concatenate([rows, slopes])).rank for rows in forms))
    hidden = sum(1 for i in linkage.auxiliary if i < linkage.tree_variables)
    return best - (linkage.size - linkage.tree_variables) - hidden


def generic_rank(matrix: Matrix, method: str = "probabilistic-modular", size: int = 9999, seed: int = 0) -> int:
    """Rank of a matrix of expressions over the field of their functions.

    >>> from dalembert import expr as ex
    >>> root = ex.sqrt(3)
    >>> [generic_rank(Matrix([[root, 3], [1, root]]), method) for method in METHODS]
    [1, 1, 1, 1, 1]
    """
    ring = Ring(matrix.entries)
    values = ring.values(matrix.entries)
    rows, columns = matrix.shape
    cleared = [common_denominator(ring, values[i * columns : (i + 1) * columns]) for i in range(rows)]
    return _confirmed(cleared, tuple(ring.relations.items()), method, size, seed, ring.meaning)


def rank_by(closure: PolynomialClosure, method: str, form: str = "velocity", size: int = 9999, seed: int = 0) -> int:
    """Rank of a mechanism's constraint matrix in the tree's speeds, indeterminate lengths included, by a method.

    `form` is "velocity" or "closure", as in `rank_off`.
    """
    forms = [closure.velocity] if form == "velocity" else [closure.screws, closure.earth]
    meaning = closure.letters.__getitem__
    ranks = [_confirmed(rows, closure.tower, method, size, seed, meaning) for rows in forms]
    return min(ranks) - closure.cut_columns


def _confirmed(
    rows: Sequence[Sequence[Any]], tower: Tower, method: str, size: int, seed: int, meaning: Callable[[str], Expr]
) -> int:
    """A rank that a random real point has too: else its roots or functions depend on each other, and it is refused."""
    found = real_rank(rows, meaning) if rows and rows[0] else 0
    for again in range(_AGAIN):
        rank = polynomial_rank(rows, tower, method, size, seed + again)
        if found is None or rank >= found or method in ("minors", "classical"):
            break  # a random point can lower the rank: then another is taken
    if found is None or rank == found:
        return rank
    raise ExpressionError(
        f"roots or functions in this matrix depend on each other, and the method takes them for independent: it counts "
        f"{rank}, at a random point of positive lengths the rank is {found}. Write them with as few different roots as "
        "there are."
    )


def polynomial_rank(rows: Sequence[Sequence[Any]], tower: Tower, method: str, size: int = 9999, seed: int = 0) -> int:
    """Rank of a matrix of polynomials whose generators in the tower obey their equations."""
    if method not in METHODS:
        raise ModelError(f"there is no rank method '{method}': choose {', '.join(METHODS)}.")
    if not rows or not rows[0]:
        return 0
    if method in ("minors", "classical"):
        return (gauss if method == "classical" else growing_minor)(*over_domain(rows, tower)).rank
    rng = random.Random(seed)
    fixed = {name for name, _ in tower}
    times = 200 if set(rows[0][0].context().names()) - fixed else 1  # numbers alone are the same at every point
    if method == "probabilistic":
        return max(_retry(lambda: _rank_at(rows, tower, rng, size), times) for _ in range(2))
    if method == "modular":
        return _retry(lambda: _modular(rows, tower, rng, min(size, 99)), times)
    ranks: list[int] = []
    for prime in (9973, *islice(primes_below(), _PRIMES)):
        try:
            ranks.append(_retry(lambda p=prime: _rank_modulo(rows, tower, rng, p), times=20))  # type: ignore[misc]
        except ExpressionError:  # a number of the tower does not exist modulo this prime
            continue
        if len(ranks) == 3:
            break
    if not ranks:
        raise ExpressionError(f"{_PRIMES} primes have no room for the roots of this matrix: take another method.")
    return max(ranks)


Tower = Sequence[tuple[str, Any]]


def over_domain(rows: Sequence[Sequence[Any]], tower: Tower) -> tuple[list[list[Any]], Callable[[Any], Any]]:
    """The matrix in a context in which division by the tower is a normal form, and that normal form."""
    from flint import fmpq_mpoly_ctx

    old = rows[0][0].context()
    names = list(old.names())
    top = [name for name, _ in tower]
    order = [*top, *(n for n in names if n not in top)]
    ctx = fmpq_mpoly_ctx.get(tuple(order), "lex")
    places = [names.index(n) for n in order]

    def moved(p: Any) -> Any:
        return ctx.from_dict({tuple(e[k] for k in places): c for e, c in p.to_dict().items()})

    relations = [moved(r) for _, r in tower]

    def reduce(p: Any) -> Any:
        for r in relations:
            _, p = divmod(p, r)
        return p

    return [[moved(p) for p in row] for row in rows], reduce


def _retry(attempt: Callable[[], int], times: int = 200) -> int:
    for _ in range(times):
        try:
            return attempt()
        except (ExpressionError, ZeroDivisionError):
            continue
    raise ExpressionError("no random point avoids the zeros of the denominators: take a larger range.")


def _point(names: Sequence[str], tower: Tower, draw: Callable[[], Any]) -> dict[str, Any]:
    """Random values of the free generators; cosine and sine by the tangent of the half angle."""
    top = dict(tower)
    values: dict[str, Any] = {}
    for name in top:
        if name.startswith("s_") and f"c_{name[2:]}" in names:
            t = draw()
            values[f"c_{name[2:]}"], values[name] = (1 - t * t) / (1 + t * t), 2 * t / (1 + t * t)
    for name in names:
        if name not in values and name not in top:
            values[name] = draw()
    return values


def _specialised(
    rows: Sequence[Sequence[Any]], tower: Tower, rng: random.Random, size: int
) -> tuple[list[list[Any]], list[tuple[str, Any]]]:
    from flint import fmpq

    names = rows[0][0].context().names()
    values = _point(names, tower, lambda: fmpq(rng.randint(1, size)))
    numbers = [(name, r.subs(values)) for name, r in tower if name not in values]
    return [[p.subs(values) for p in row] for row in rows], numbers


def _regular(entries: list[list[Any]], numbers: list[tuple[str, Any]]) -> tuple[list[list[Any]], int]:
    """A rational matrix for one over a field of numbers: every entry becomes its multiplication table."""
    moved, reduce = over_domain(entries, numbers)
    ctx = moved[0][0].context()
    gens = dict(zip(ctx.names(), ctx.gens(), strict=True))
    basis = [ctx.constant(1)]
    for name, relation in numbers:
        degree = int(relation.degrees()[relation.context().names().index(name)])
        basis = [b * gens[name] ** k for b in basis for k in range(degree)]
    index = {b.monoms()[0]: i for i, b in enumerate(basis)}
    d = len(basis)
    found = [[0] * (d * len(moved[0])) for _ in range(d * len(moved))]
    for i, row in enumerate(moved):
        for j, p in enumerate(row):
            if p == 0:
                continue
            for k, b in enumerate(basis):
                for e, c in reduce(p * b).to_dict().items():
                    found[d * i + index[e]][d * j + k] = c
    return found, d


def _rank_at(rows: Sequence[Sequence[Any]], tower: Tower, rng: random.Random, size: int) -> int:
    from flint import fmpq_mat

    table, degree = _regular(*_specialised(rows, tower, rng, size))
    return _shared(int(fmpq_mat(len(table), len(table[0]), [c for row in table for c in row]).rank()), degree)


def _shared(rank: int, degree: int) -> int:
    if rank % degree:
        raise ExpressionError("the roots at this point are not independent: take another.")
    return rank // degree


def integer_matrix(entries: Sequence[Expr], values: dict[Expr, Any]) -> tuple[list[int], int]:
    """Values at a point times the least common multiple of their denominators, and that multiple."""
    found = ex.evaluate_exact(list(entries), values)
    multiple = lcm(*(v.denominator for v in found))
    return [int(v * multiple) for v in found], multiple


def modular_bound(entries: Sequence[int], order: int) -> int:
    """A bound of every minor: n! max^n."""
    return factorial(order) * max(abs(v) for v in entries) ** order


def _modular(rows: Sequence[Sequence[Any]], tower: Tower, rng: random.Random, size: int) -> int:
    table, degree = _regular(*_specialised(rows, tower, rng, size))
    multiple = lcm(*(int(getattr(c, "q", 1)) for row in table for c in row))
    whole = [[int(c * multiple) for c in row] for row in table]
    flat = [c for row in whole for c in row]
    if not any(flat):
        return 0
    most = min(len(whole), len(whole[0]))
    bound, product, best = modular_bound(flat, most), 1, 0
    for prime in primes_below(1 << 31):
        best = max(best, rank_modulo(whole, prime))
        product *= prime
        if product > bound or best == most:
            break
    return _shared(best, degree)


def _rank_modulo(rows: Sequence[Sequence[Any]], tower: Tower, rng: random.Random, prime: int) -> int:
    from flint import nmod, nmod_poly

    names = list(rows[0][0].context().names())
    values = _point(names, tower, lambda: nmod(rng.randrange(prime), prime))
    for name, relation in reversed(tower):  # from the bottom up
        if name in values:
            continue
        place = names.index(name)
        powers: dict[int, Any] = {}
        for e, c in relation.to_dict().items():
            rest = (*e[:place], 0, *e[place + 1 :])
            powers[int(e[place])] = powers.get(int(e[place]), nmod(0, prime)) + _term(rest, c, names, values, prime)
        poly = nmod_poly([int(powers.get(k, 0)) for k in range(max(powers) + 1)], prime)
        roots = [-f[0] / f[1] for f, _ in poly.factor()[1] if f.degree() == 1]
        if not roots:
            raise NoRoot(f"{name} does not exist modulo {prime}.")
        values[name] = roots[0]
    zero = nmod(0, prime)
    found = [
        [int(sum((_term(e, c, names, values, prime) for e, c in p.to_dict().items()), zero)) for p in row]
        for row in rows
    ]
    return rank_modulo(found, prime)


def _term(exponents: Sequence[int], c: Any, names: list[str], values: dict[str, Any], prime: int) -> Any:
    from flint import nmod

    total = nmod(int(c.p), prime) / nmod(int(c.q), prime)
    for k, e in enumerate(exponents):
        if e:
            total *= values[names[k]] ** int(e)
    return total
