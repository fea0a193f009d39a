"""Symbolic elimination with pivots that are tested, so that no division by zero hides in a result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import ONE, ZERO, Expr
from dalembert.expr.magnitude import magnitude

#: A share of what it is made of, far above rounding and far below what a formula of a machine is: zero.
TOLERANCE = 1e-9
Array: TypeAlias = NDArray[np.float64]
_NOTHING = 1e-8
_SWITCHES = frozenset(("min", "max", "abs", "sign", "where", "lt", "le", "eq"))


@dataclass(frozen=True, slots=True)
class Solved:
    """Solutions of A x = b for several right sides; they hold where `condition` (the determinant) does not vanish."""

    columns: list[list[Expr]]
    condition: Expr


def sample(exprs: Sequence[Expr], seed: int = 1) -> list[float]:
    """Values at a random generic point: what is not zero there is not zero identically."""
    import random

    rng = random.Random(seed)
    names = sorted(ex.free_symbols(exprs), key=lambda e: e.name)
    values: dict[Expr, float] = {x: rng.uniform(0.3, 1.3) for x in names}
    values |= {e: rng.uniform(0.3, 1.3) for e in ex.topological(exprs) if e.op == "apply"}
    return [float(x) for x in ex.evaluate(list(exprs), values)]


def samples(exprs: Sequence[Expr], seeds: Sequence[int]) -> Array:
    """The values of `sample` for several seeds, made in one walk: a row for each."""
    import random

    drawn = [random.Random(seed) for seed in seeds]
    names = sorted(ex.free_symbols(exprs), key=lambda e: e.name)
    open_functions = [e for e in ex.topological(exprs) if e.op == "apply"]
    values = {x: np.array([one.uniform(0.3, 1.3) for one in drawn]) for x in (*names, *open_functions)}
    found = ex.evaluate(list(exprs), values)
    return np.array([np.broadcast_to(x, len(seeds)) for x in found], dtype=float).reshape(-1, len(seeds)).T


def vanish(exprs: Sequence[Expr], beside: Sequence[Expr] = ()) -> bool:
    """Whether expressions are zero at three random points, in parts of the terms that each is made of.

    `beside` are sizes of the same unit, one for each: what is nothing next to its own is zero too. No unit has a say.
    What switches, min(x, 0), is nothing on one side and something on the other, where no point may fall: it counts as a
    symbol of its own, so that zero means zero on every side.

    >>> x, k = ex.symbols("x k")
    >>> vanish([k * ex.minimum(x + 2, 0)]), vanish([(x + k) ** 2 - x**2 - 2 * k * x - k**2])
    (False, True)
    """
    switches = [e for e in ex.topological(exprs) if e.op in _SWITCHES]
    exprs = ex.substitute(exprs, {e: ex.symbol(f"switch {k}") for k, e in enumerate(switches)})
    known = [*exprs, *magnitude(exprs), *(beside or [ZERO] * len(exprs))]
    for seed in (1, 2, 3):
        values = np.abs(sample(known, seed)).reshape(3, -1)
        if not (values[0] <= _NOTHING * np.maximum(values[1], values[2])).all():
            return False
    return True


def solve_linear(
    matrix: Sequence[Sequence[Expr]], right: Sequence[Sequence[Expr]], unknowns: Sequence[Expr], what: str
) -> Solved:
    """Gauss-Jordan elimination; pivots are numbers when they can be, and never identically zero."""
    n = len(matrix)
    rows = [[*row, *(column[i] for column in right)] for i, row in enumerate(matrix)]
    condition, order = ONE, list[int](range(n))
    sizes = np.abs(sample([x for row in matrix for x in row])).reshape(n, n)
    down = sizes.max(axis=1, initial=0.0)  # units of the rows, then of the unknowns
    across = (sizes / np.where(down > 0, down, 1.0)[:, None]).max(axis=0, initial=0.0)
    for k in range(n):
        values = sample([x for row in rows[k:] for x in row[k:n]])
        width = n - k
        best: tuple[float, int, int] | None = None
        for i in range(k, n):
            for j in range(k, n):
                size = abs(values[(i - k) * width + j - k])
                if size > TOLERANCE * down[i] * across[j]:
                    score = (0.0 if rows[i][j].is_number else 1.0 + ex.count_operations([rows[i][j]]), i, j)
                    best = score if best is None or score < best else best
        if best is None:
            missing = ", ".join(unknowns[j].name for j in order[k:])
            raise ModelError(f"{what} is singular in every configuration: it does not determine {missing}.")
        _, i, j = best
        if (i != k) != (j != k):
            condition = -condition
        rows[k], rows[i] = rows[i], rows[k]
        down[[k, i]], across[[k, j]] = down[[i, k]], across[[j, k]]
        for row in rows:
            row[k], row[j] = row[j], row[k]
        order[k], order[j] = order[j], order[k]
        pivot = rows[k][k]
        condition = condition * pivot
        rows[k] = [x if x is ZERO else x / pivot for x in rows[k]]
        for l in range(n):
            factor = rows[l][k]
            if l != k and factor is not ZERO:
                rows[l] = [a if b is ZERO else a - factor * b for a, b in zip(rows[l], rows[k], strict=True)]
    columns = []
    for c in range(len(right)):
        solution = [ZERO] * n
        for k in range(n):
            solution[order[k]] = rows[k][n + c]
        columns.append(solution)
    return Solved(columns, condition)
