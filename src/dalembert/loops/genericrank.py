"""Rank at a generic point of the tree, off the closure: the four methods of the thesis, corrected.

classical                 Gauss over the field of rational functions
probabilistic             random whole numbers, exact rational rank
modular                   one integer point, ranks modulo primes whose product exceeds Hadamard's bound
probabilistic-modular     random residues, Gauss modulo a prime, several primes

A random point can only lower the rank: for a minor of degree d and values among s, the chance is at most d/s
(Schwartz-Zippel), not 1/s^2 as printed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import factorial, lcm
from typing import Any

from dalembert import expr as ex
from dalembert.errors import ExpressionError, ModelError
from dalembert.expr import Expr, Matrix
from dalembert.loops.arithmetic import NoRoot, Residues
from dalembert.loops.linkage import Linkage
from dalembert.loops.positions import Positions

METHODS = ("classical", "probabilistic", "modular", "probabilistic-modular")


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
            return _rank_off_floats(linkage, form)
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
        return _rank_off_floats(linkage, form)
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


def _rank_off_floats(linkage: Linkage, form: str) -> int:
    import numpy as np

    from dalembert.loops.assembly import Closing

    closing = Closing(linkage)
    rng = np.random.default_rng(3)
    best = 0
    for _ in range(3):
        x = rng.uniform(-1.3, 1.3, closing.size)
        rows = closing.jacobian(x)
        best = max(best, int(np.linalg.matrix_rank(rows, tol=1e-9 * max(1.0, float(np.abs(rows).max(initial=0.0))))))
    hidden = sum(1 for i in linkage.auxiliary if i < linkage.tree_variables)
    return best - (linkage.size - linkage.tree_variables) - hidden


def generic_rank(matrix: Matrix, method: str = "probabilistic-modular", size: int = 9999, seed: int = 0) -> int:
    """Rank of a matrix of expressions over the field of their rational functions (sines and cosines by half angles)."""
    entries = half_angles(matrix.entries)
    rows, columns = matrix.shape
    if method == "classical":
        return _classical(entries, rows, columns)
    symbols = sorted(ex.free_symbols(entries), key=lambda s: s.name)
    rng = random.Random(seed)
    if method == "probabilistic":
        return max(_retry(lambda: _rank_at(entries, symbols, rows, columns, rng, size)) for _ in range(2))
    if method == "modular":
        return _retry(lambda: _modular(entries, symbols, rows, columns, rng, min(size, 99)))
    if method == "probabilistic-modular":
        return max(_prob_modular(entries, symbols, rows, columns, rng, p) for p in (9973, 1073741789, 1073741783))
    raise ModelError(f"there is no rank method '{method}': choose {', '.join(METHODS)}.")


def half_angles(entries: Sequence[Expr]) -> list[Expr]:
    """Replace sin and cos of a symbol by rational functions of the tangent of its half angle."""
    replacement: dict[Expr, Expr] = {}
    for e in ex.topological(list(entries)):
        if e.op in ("sin", "cos") and e.args[0].op == "symbol":
            t = ex.symbol(f"tan({e.args[0].name}/2)")
            below = 1 + t * t
            replacement[e] = 2 * t / below if e.op == "sin" else (1 - t * t) / below
    return list(ex.substitute(list(entries), replacement)) if replacement else list(entries)


def _retry(attempt: Callable[[], int], times: int = 200) -> int:
    for _ in range(times):
        try:
            return attempt()
        except (ExpressionError, ZeroDivisionError):
            continue
    raise ExpressionError("no random point avoids the zeros of the denominators: take a larger range.")


def _rank_at(entries: list[Expr], symbols: list[Expr], rows: int, columns: int, rng: random.Random, size: int) -> int:
    values = ex.evaluate_exact(entries, {s: Fraction(rng.randint(1, size)) for s in symbols})
    from flint import fmpq, fmpq_mat

    return int(fmpq_mat(rows, columns, [fmpq(v.numerator, v.denominator) for v in values]).rank())


def integer_matrix(entries: Sequence[Expr], values: dict[Expr, Any]) -> tuple[list[int], int]:
    """Values at a point times the least common multiple of their denominators, and that multiple."""
    found = ex.evaluate_exact(list(entries), values)
    multiple = lcm(*(v.denominator for v in found))
    return [int(v * multiple) for v in found], multiple


def modular_bound(entries: Sequence[int], order: int) -> int:
    """A bound of every minor: n! max^n."""
    return factorial(order) * max(abs(v) for v in entries) ** order


def _modular(entries: list[Expr], symbols: list[Expr], rows: int, columns: int, rng: random.Random, size: int) -> int:
    whole, _ = integer_matrix(entries, {s: Fraction(rng.randint(1, size)) for s in symbols})
    if not any(whole):
        return 0
    bound, product, best = modular_bound(whole, min(rows, columns)), 1, 0
    for prime in primes_below(1 << 31):
        best = max(best, rank_modulo([whole[i * columns : (i + 1) * columns] for i in range(rows)], prime))
        product *= prime
        if product > bound or best == min(rows, columns):
            return best
    return best


def _prob_modular(
    entries: list[Expr], symbols: list[Expr], rows: int, columns: int, rng: random.Random, prime: int
) -> int:
    def attempt() -> int:
        values = ex.evaluate_mod(entries, {s: rng.randrange(prime) for s in symbols}, prime)
        return rank_modulo([values[i * columns : (i + 1) * columns] for i in range(rows)], prime)

    return _retry(attempt)


def _classical(entries: list[Expr], rows: int, columns: int) -> int:
    """Gauss over the rational functions, each zero test by normal form."""
    import sympy

    symbols = sorted(ex.free_symbols(entries), key=lambda s: s.name)
    names = [ex.to_sympy(ex.symbol(f"v{i}")) for i in range(len(symbols))]
    plain = ex.substitute(entries, {s: ex.symbol(f"v{i}") for i, s in enumerate(symbols)})
    field = sympy.QQ.frac_field(*names) if symbols else sympy.QQ
    values = [field.from_sympy(sympy.together(ex.to_sympy(e))) for e in plain]
    a = [values[i * columns : (i + 1) * columns] for i in range(rows)]
    rank = 0
    for column in range(columns):
        pivot = next((i for i in range(rank, rows) if a[i][column]), None)
        if pivot is None:
            continue
        a[rank], a[pivot] = a[pivot], a[rank]
        for i in range(rank + 1, rows):
            if a[i][column]:
                factor = a[i][column] / a[rank][column]
                a[i] = [x - factor * y for x, y in zip(a[i], a[rank], strict=True)]
        rank += 1
        if rank == rows:
            break
    return rank
