"""Which rows count: neither nothing, nor a combination of rows before them. A question of geometry: no mass has a say.

What is left of a row when others are taken away is compared with two things: with what rounding can have left of the
motions that it is made of, and with the motion that it looks at, of which it sees one component. Speeds are measured as
angles, so the verdict depends neither on units nor on the size of other rows.
"""

from __future__ import annotations

from dataclasses import dataclass

from dalembert import expr as ex
from dalembert.constraints.rows import ROUNDING, Rows
from dalembert.expr import ZERO, Expr

Vector = list[Expr]

#: The angle under which a row sees nothing new of its motion, the cube root of rounding. At an angle a from a singular
#: posture rounding moves the joints by eps / a, which turns the row and changes the speeds that it asks for by
#: eps / a^2; leaving the row out as long as the angle is below a changes them by a. The two are equal at this angle.
#: A machine that lingers there (slow, or at rest under load) is changed by more: `simulate.quality` says so. A smaller
#: angle mends that (a tenth: 9e-5 of the energy become 2e-7) and spoils fast passages (1e-9 become 1e-6).
TOLD_APART = ROUNDING ** (1 / 3)


@dataclass(frozen=True, slots=True)
class _Reduced:
    entries: Vector
    noise: Expr  # square of what cannot be told apart from nothing in it
    inverse: Expr  # 1 / size^2, zero for a row that does not count


def independent(rows: Rows) -> list[Expr]:
    """For each row 1 where it counts, 0 where it does not.

    What is unsure in a row that is taken away stays in what is left, as errors add up that know nothing of each other:
    where two rows are nearly lost together, the second is not held against a direction that nobody knows.
    """
    kept: Vector = []
    made: list[_Reduced] = []
    sizes = zip(rows.matrix.rows(), rows.made_of.rows(), rows.seen.rows(), rows.rounding, strict=True)
    for row, parts, motions, rounding in sizes:
        left, rounded, seen = list[Expr](), ZERO, ZERO
        for entry, part, motion, scale in zip(row, parts, motions, rows.scales, strict=True):
            left.append(entry / scale)
            rounded = rounded + rounding * part / scale
            seen = seen + motion / (scale * scale)
        noise = rounded * rounded + TOLD_APART**2 * seen
        for one in made:
            share = ex.dot_product(one.entries, left) * one.inverse
            if share is not ZERO:
                left = less(left, share, one.entries)
                noise = noise + share * share * one.noise
        square = ex.dot_product(left, left)
        keep = ex.less(noise, square)
        kept.append(keep)
        if keep is not ZERO:
            made.append(_Reduced(left, noise, keep / ex.where(keep, square, 1)))
    return kept


def less(a: Vector, share: Expr, b: Vector) -> Vector:
    """a - share b."""
    return [x - share * y if y is not ZERO else x for x, y in zip(a, b, strict=True)]
