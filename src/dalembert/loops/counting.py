"""How many branches of dimension one pass through a posture, proved.

By the degree of the tangent cone: directions of branches are common zeros of the quadratic forms of the self-stresses.
If forms of degree d leave h <= d independent monomials, there are at most h zeros, counted with multiplicity (any
scheme of more points, or of larger dimension, imposes more than h conditions on forms of degree d). When h directions
are found, they are all, each is simple, and a simple direction has one branch (implicit function theorem, blown up).

By Newton's polygon, for two instantaneous motions: all half-branches of one closure equation are known, and each lies
on the closure. Two half-branches make a branch: x = s t^q, y = c t^p for t > 0 and for t < 0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb
from typing import Any

import numpy as np

from dalembert.loops.arcs import Arc, half_arc
from dalembert.loops.assembly import Closing
from dalembert.loops.balls import BallClosing, ball, precision, working_digits
from dalembert.loops.cycles import independent_loops
from dalembert.loops.linearised import Linearised, linearised
from dalembert.loops.linkage import Linkage
from dalembert.loops.obstructions import echelon, independent_forms, obstructions
from dalembert.loops.polygon import HalfBranch, real_branches
from dalembert.loops.posture import find_posture
from dalembert.loops.series import in_two_variables

Array = Any

#: Degrees of forms that are tried, and monomials that a matrix in balls may have: seconds.
_DEGREES, _MONOMIALS = range(2, 9), 330


@dataclass(frozen=True, slots=True)
class Count:
    """Branches of dimension one at a posture: at most `most` (None: no bound), by what; half-branches where known."""

    most: int | None
    by: str
    halves: tuple[tuple[HalfBranch, Arc, Array], ...] = ()


def count_branches(linkage: Linkage, x: Array, spelled: Mapping[str, Any]) -> Count:
    """A bound of the number of branches at a posture, of a linkage in its own units."""
    closing = Closing(linkage)
    digits = working_digits(linkage)
    with precision(digits):
        balls = BallClosing(closing, digits)
        posture = find_posture(balls, np.array(x, dtype=float), spelled)
        if not posture.closed:
            return Count(None, "the posture closes to no more digits than it was given with")
        linear = linearised(balls, balls.jacobian(posture.x))
        if not linear.sure:
            return Count(None, "a pivot cannot be told from zero")
        k = linear.kernel.shape[1]
        if k == 2:
            found = _by_polygon(balls, posture.x, linear)
            if found is not None:
                return found
        forms = independent_forms(balls, obstructions(balls, posture.x, linear), k)
        most = most_directions(balls, forms, k)
        if most is None:
            return Count(None, "the cone of the quadratic forms has more than finitely many directions, or too many")
        return Count(most, f"the cone of the quadratic forms has degree {most}")


def _by_polygon(balls: BallClosing, x: Sequence[Any], linear: Linearised) -> Count | None:
    linkage = balls.linkage
    equations = sum(loop.dimension for loop in independent_loops(linkage)) + len(linkage.equations)
    for order in (4, 8, 12):
        try:
            functions = in_two_variables(balls, x, linear, order)
        except (TypeError, AttributeError, ValueError, ZeroDivisionError):  # a function without a power series here
            return None
        for terms in sorted(functions, key=lambda f: min(a + b for a, b in f))[:4]:
            # as they are, and turned: a branch along an axis is told from none only off the axes
            for turn in (_PLAIN, _TURNED):
                found = _halves(balls, x, linear, equations, _turned(terms, turn, balls), order, turn)
                if found is not None:
                    by = (
                        f"Newton's polygon of a closure equation, to order {order}, has {len(found)} real half-branches"
                    )
                    return Count(len(found) // 2, by, found)
    return None


#: x = u + a v, y = b u + v, for (a, b): plain, and at no special angle.
_PLAIN, _TURNED = (Fraction(0), Fraction(0)), (Fraction(2, 7), Fraction(-3, 5))


def _halves(
    balls: BallClosing,
    x: Sequence[Any],
    linear: Linearised,
    equations: int,
    terms: Mapping[tuple[int, int], Any],
    order: int,
    turn: tuple[Fraction, Fraction],
) -> tuple[tuple[HalfBranch, Arc, Array], ...] | None:
    """All half-branches, each on the closure; None when some are not known."""
    branches = real_branches(terms, order, balls.is_zero)
    if not branches.all_known or len(branches.found) % 2:
        return None
    a, b = (ball(v) for v in turn)
    first, second = linear.kernel[:, 0], linear.kernel[:, 1]
    turned = replace(linear, kernel=np.stack([first + b * second, a * first + second], axis=1))
    kernel = np.vectorize(float, otypes=[float])(turned.kernel)
    found = []
    for half in branches.found:
        arc = half_arc(balls, x, turned, half, equations)
        if arc is None:
            return None
        found.append((half, arc, kernel @ arc.direction))
    return tuple(found)


def _turned(terms: Mapping[tuple[int, int], Any], turn: tuple[Fraction, Fraction], balls: BallClosing) -> Any:
    """The polynomial in u and v; its parts of each degree stay apart."""
    if turn == _PLAIN:
        return terms
    a, b = turn
    found: dict[tuple[int, int], Any] = {}
    for (i, j), value in terms.items():
        for k in range(i + 1):
            for m in range(j + 1):
                key = (i - k + m, k + j - m)
                weight = comb(i, k) * comb(j, m) * a**k * b**m
                found[key] = found.get(key, ball(0)) + value * ball(weight)
    return {key: value for key, value in found.items() if not balls.is_zero(value)}


def most_directions(balls: BallClosing, forms: Sequence[Array], k: int) -> int | None:
    """A bound of the common zeros of quadratic forms, as lines through the origin, with multiplicity; None if none."""
    for degree in _DEGREES:
        monomials = list(combinations_with_replacement(range(k), degree))
        if len(monomials) > _MONOMIALS or not forms:
            return None
        place = {m: i for i, m in enumerate(monomials)}
        rows = []
        for form in forms:
            for shift in combinations_with_replacement(range(k), degree - 2):
                row = [ball(0)] * len(monomials)
                for i in range(k):
                    for j in range(k):
                        at = place[tuple(sorted((*shift, i, j)))]
                        row[at] = row[at] + form[i, j]
                rows.append(row)
        try:
            left = len(monomials) - len(echelon(balls, np.array(rows, dtype=object)))
        except ZeroDivisionError:  # floats chose pivots that balls do not confirm
            return None
        if left <= degree:
            return left
    return None


def pairs_of_halves(halves: Sequence[tuple[HalfBranch, Arc, Array]]) -> list[tuple[HalfBranch, Arc, Array]]:
    """One half of each branch: t > 0 and t < 0 on the same curve are one."""
    left = Counter(_key(half) for half, _, _ in halves)
    found = []
    for one in halves:
        key = _key(one[0])
        if not left[key]:
            continue
        left[key] -= 1
        half = one[0]
        sign, c = half.sign * (-1) ** half.q, half.c * (-1) ** half.p
        other = _key(HalfBranch(sign, half.q, half.p, c))
        if not left[other]:
            other = key  # a cusp that Puiseux' substitution opened: both halves leave on this side
        left[other] -= bool(left[other])
        found.append(one)
    return found


def _key(half: HalfBranch) -> tuple[int, int, int, float]:
    return half.sign, half.q, half.p, round(half.c, 9)
