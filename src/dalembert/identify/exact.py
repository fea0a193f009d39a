"""The rank of a regressor in exact arithmetic: at random points modulo a large prime, where no rounding decides."""

from __future__ import annotations

import random
from collections.abc import Mapping

from dalembert import expr as ex
from dalembert.errors import ExpressionError
from dalembert.expr import Expr, topological
from dalembert.identify.regressor import Regressor

#: A prime near 2^61: a rank is missed by chance with a probability of the degree of the entries over it.
_PRIME = 2305843009213693951


def exact_rank(of: Regressor, seed: int = 0) -> int | None:
    """Of all columns; None where constants are known to some digits only, so that exact dependences do not hold.

    Every angle is a random point of the circle, every length and speed a random residue.
    """
    import flint

    entries = [x for row in of.matrix.rows() for x in row]
    if any(isinstance(e.data, float) for e in topological(entries) if e.op == "const"):
        return None
    rng = random.Random(seed)
    state = of.layout.state
    lengths = {ex.symbol(x): rng.randrange(_PRIME) for x in of.parameters}  # the same at all points
    columns, rank, rows = len(of.names), -1, list[list[int]]()
    while True:
        try:
            for _ in range(2 + 2 * columns // max(len(of.speeds), 1)):
                values = lengths | _point(entries, state.quaternions, lengths, rng)
                flat = ex.evaluate_mod(entries, values, _PRIME)
                rows += [flat[k : k + columns] for k in range(0, len(flat), columns)]
        except ExpressionError:
            return None
        found = flint.nmod_mat(len(rows), columns, [x for row in rows for x in row], _PRIME).rank()
        if found == rank:
            return int(found)
        rank = found


def _point(
    entries: list[Expr], quaternions: tuple[tuple[str, ...], ...], lengths: Mapping[Expr, int], rng: random.Random
) -> dict[Expr, int]:
    """Residues for all symbols, on the circle for sines and cosines, on the sphere for quaternions."""
    values: dict[Expr, int] = {}
    for group in quaternions:
        # twice the product with a fixed unit point: e = p (1, 0, 0, 0) p / |p|^2 has length one
        p = [rng.randrange(_PRIME) for _ in range(4)]
        size = pow(sum(x * x for x in p) % _PRIME, -1, _PRIME)
        square = [p[0] * p[0] - p[1] * p[1] - p[2] * p[2] - p[3] * p[3], *(2 * p[0] * x for x in p[1:])]
        values |= {ex.symbol(name): x * size % _PRIME for name, x in zip(group, square, strict=True)}
    angles: dict[Expr, tuple[int, int]] = {}
    for e in topological(entries):
        if e.op in ("sin", "cos"):
            if e.args[0] not in angles:
                t = rng.randrange(_PRIME)
                over = pow((1 + t * t) % _PRIME, -1, _PRIME)
                angles[e.args[0]] = (2 * t * over % _PRIME, (1 - t * t) * over % _PRIME)
            values[e] = angles[e.args[0]][e.op == "cos"]
        elif e.op == "symbol" and e not in values and e not in lengths:
            values[e] = rng.randrange(_PRIME)
    return values
