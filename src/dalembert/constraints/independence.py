"""Which rows count: neither nothing, nor a combination of rows before them. A question of geometry: no mass has a say.

Each row is reduced by those that are kept, in speeds measured as angles, and with it goes the noise that it can carry:
rounding of what it is made of, and what an open loop leaves unsaid. A row counts if it stands out of its own noise.
The verdict depends neither on units nor on the size of other rows.
"""

from __future__ import annotations

from dataclasses import dataclass

from dalembert import expr as ex
from dalembert.constraints.rows import Rows
from dalembert.expr import ZERO, Expr

Vector = list[Expr]


@dataclass(frozen=True, slots=True)
class _Reduced:
    entries: Vector
    noise: Expr
    inverse: Expr  # 1 / size^2, zero for a row that does not count


def independent(rows: Rows) -> list[Expr]:
    """For each row 1 where it counts, 0 where it does not."""
    kept: Vector = []
    made: list[_Reduced] = []
    for row, size, blur in zip(rows.matrix.rows(), rows.made_of.rows(), rows.blur, strict=True):
        left = [a / scale for a, scale in zip(row, rows.scales, strict=True)]
        noise = ZERO
        for part, scale in zip(size, rows.scales, strict=True):
            noise = noise + part / scale
        noise = noise * blur
        for one in made:
            share = ex.dot_product(one.entries, left) * one.inverse
            if share is not ZERO:  # the part along a row that is known is taken away: noise grows by that row's alone
                left = less(left, share, one.entries)
                noise = noise + ex.absolute(share) * one.noise
        square = ex.dot_product(left, left)
        keep = ex.less(noise * noise, square)
        kept.append(keep)
        if keep is not ZERO:
            made.append(_Reduced(left, noise, keep / ex.where(keep, square, 1)))
    return kept


def less(a: Vector, share: Expr, b: Vector) -> Vector:
    """a - share b."""
    return [x - share * y if y is not ZERO else x for x, y in zip(a, b, strict=True)]
