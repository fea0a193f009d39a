"""Which rows count: neither nothing, nor a combination of rows before them. A question of geometry: no mass has a say.

What is left of a row when others are taken away is compared with two things: with what rounding can have left of the
motions that it is made of, and with the motion that it looks at, of which it sees one component. Speeds are measured as
angles, so the verdict depends neither on units nor on the size of other rows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dalembert import expr as ex
from dalembert.constraints.metric import less
from dalembert.constraints.rows import ROUNDING, Rows
from dalembert.expr import ONE, ZERO, Expr, Matrix

Vector = list[Expr]

#: The angle under which a row sees nothing new of its motion, the cube root of rounding. At an angle a from a singular
#: posture rounding moves the joints by eps / a, which turns the row and changes the speeds that it asks for by
#: eps / a^2; leaving the row out as long as the angle is below a changes them by a. The two are equal at this angle.
#: A machine that lingers there (slow, or at rest under load) is changed by more: `simulate.runs.passage` makes such
#: passages again without the steps near by. Written programs have no such thing.
TOLD_APART = ROUNDING ** (1 / 3)
#: No size: in no unit is a row that small, and its inverse is finite.
_NOTHING = 1e-100


@dataclass(frozen=True, slots=True)
class _Reduced:
    entries: Vector
    combined: Mapping[int, Expr]  # the rows that it is made of, as they were given, and how much of each
    inverse: Expr  # 1 / size^2, zero for a row that does not count


def diagonal(mass: Matrix) -> list[Expr]:
    """What each speed moves when all others rest."""
    return [mass[k, k] for k in range(mass.shape[0])]


def speed_scales(rows: Rows, moved: Sequence[Expr]) -> tuple[Expr, ...]:
    """Units of the speeds: angles in their loops; outside of loops, what makes rows of formulas about one.

    Such a row is measured by the loops that it touches, or by the kinetic energy of what it moves: no unit has a say,
    and masses only through the size of whole rows. `moved` is the diagonal of M.
    """
    if ZERO not in rows.scales:
        return rows.scales
    sizes = [ZERO] * len(rows.scales)
    weights = [ONE if x is ZERO else x for x in moved]
    for row, parts, wrench in zip(rows.matrix.rows(), rows.made_of.rows(), rows.wrenches, strict=True):
        if wrench is not None:
            continue
        pairs = [(x, scale) for x, scale in zip(row, rows.scales, strict=True) if x is not ZERO and scale is not ZERO]
        whole = ZERO
        for x, scale in pairs:
            whole = whole + ex.absolute(x) / scale
        if not pairs:
            whole = ex.sqrt(sum((x * x / w for x, w in zip(row, weights, strict=True)), ZERO))
        for k, (x, part) in enumerate(zip(row, parts, strict=True)):  # of an entry that has cancelled its parts tell
            if x is not ZERO and rows.scales[k] is ZERO:
                sizes[k] = sizes[k] + part / _something(whole)
    both = zip(rows.scales, sizes, strict=True)
    return tuple(ONE if scale is size is ZERO else _something(size) if scale is ZERO else scale for scale, size in both)


def _something(size: Expr) -> Expr:
    """A size, or one where there is nothing to measure."""
    return ex.where(ex.less(_NOTHING, size), size, 1)


def independent(rows: Rows, mass: Matrix, order: Sequence[int] | None = None) -> list[Expr]:
    """For each row 1 where it counts, 0 where it does not; `order` is that in which they are taken.

    What is left of row k is a combination of rows as they were given, a_k - sum_j c_j a_j: what is unsure in it is
    what is unsure in each of them, n_k + sum_j c_j^2 n_j, as errors add up that know nothing of each other. Where two
    rows are nearly lost together c is large: the second is not held against a direction that nobody knows. What was
    left of a row is no such source of its own: its errors are those of the rows below, and taken anew from row to row
    they would grow without bound along a tower of loops.
    """
    kept: Vector = [ZERO] * len(rows)
    unsure: Vector = [ZERO] * len(rows)
    made: list[_Reduced] = []
    scales = speed_scales(rows, diagonal(mass))
    sizes = list(zip(rows.matrix.rows(), rows.made_of.rows(), rows.seen.rows(), rows.rounding, strict=True))
    for number in range(len(rows)) if order is None else order:
        row, parts, motions, rounding = sizes[number]
        left, rounded, seen = list[Expr](), ZERO, ZERO
        for entry, part, motion, scale in zip(row, parts, motions, scales, strict=True):
            left.append(entry / scale)
            rounded = rounded + rounding * part / scale
            seen = seen + motion / (scale * scale)
        unsure[number] = rounded * rounded + TOLD_APART**2 * seen
        combined: dict[int, Expr] = {number: ONE}
        for one in made:
            share = ex.dot_product(one.entries, left) * one.inverse
            if share is not ZERO:
                left = less(left, share, one.entries)
                for j, part in one.combined.items():
                    combined[j] = combined.get(j, ZERO) - share * part
        noise = sum((part * part * unsure[j] for j, part in combined.items()), ZERO)
        square = ex.dot_product(left, left)
        keep = ex.less(noise, square)
        kept[number] = keep
        if keep is not ZERO:
            made.append(_Reduced(left, combined, keep / ex.where(keep, square, 1)))
    return kept
