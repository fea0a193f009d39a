"""Internal efforts of a straight part: what one side of a cut does to the other, piece by piece between the loads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._equality import is_zero
from ..formulas._names import Formula
from ..formulas._normal import tidy
from ._holds import Acting, _across, _unit, _vector
from .balance import Rest, moment


@dataclass(frozen=True)
class Piece:
    """Efforts for cuts at a distance `s` between two places: what the far side does to the near side.

    `axial` > 0 pulls. In the plane `shear` is along the axis turned by a right angle and `bending` about the normal of
    the plane; in space both have two components, and `torsion` is about the axis.
    """

    start: sp.Expr
    end: sp.Expr
    axial: sp.Expr
    shear: tuple[sp.Expr, ...]
    bending: tuple[sp.Expr, ...]
    torsion: sp.Expr


@dataclass(frozen=True)
class Efforts:
    """The pieces of a part from its near end to its far end; `s` is the distance from the near end."""

    s: sp.Symbol
    pieces: tuple[Piece, ...]

    def at(self, distance: Formula, values: dict[str, float]) -> Piece:
        """The piece that a cut at a numeric distance lies in, its formulas at the given numbers."""
        numbers = {k: sp.Float(v) for k, v in values.items()}
        place = float(sp.Float(float(distance)))

        def number(e: sp.Expr) -> sp.Expr:
            return e.subs({x: numbers[x.name] for x in e.free_symbols if x.name in numbers}).subs(self.s, place)

        for piece in self.pieces:
            low, high = float(number(piece.start)), float(number(piece.end))
            if low <= place <= high:
                return Piece(
                    sp.Float(low),
                    sp.Float(high),
                    number(piece.axial),
                    tuple(number(e) for e in piece.shear),
                    tuple(number(e) for e in piece.bending),
                    number(piece.torsion),
                )
        raise ModelError(f"a cut at {distance} is outside the part")

    def __str__(self) -> str:
        lines = []
        for p in self.pieces:
            more = f", torsion {p.torsion}" if len(p.shear) > 1 else ""
            shown = lambda pair: ", ".join(map(str, pair))  # noqa: E731
            said = f"axial {p.axial}, shear {shown(p.shear)}, bending {shown(p.bending)}{more}"
            lines.append(f"{p.start} < {self.s} < {p.end}: {said}")
        return "\n".join(lines)


def internal_efforts(
    rest: Rest, part: str, start: Sequence[Formula], end: Sequence[Formula], *, s: str = "s"
) -> Efforts:
    """Axial force, shear, bending and torsion along a straight part from `start` to `end`.

    Everything that acts on the part is put in order along it; the places must be comparable, so declare lengths as
    positive. Efforts balance what acts on the near side of the cut.

    >>> from dalembert.analytic import Load, Structure, Weld
    >>> beam = Structure([Load("beam", ["l", 0], [0, "-F"])], [Weld("beam", [0, 0], name="A")], positive=["l"])
    >>> print(internal_efforts(beam.rest(), "beam", [0, 0], ["l", 0]))
    0 < s < l: axial 0, shear -F, bending F*(-l + s)
    """
    structure, n = rest.structure, rest.names
    if part not in structure.parts:
        raise ModelError(f"{part!r} is no part; there are {', '.join(structure.parts)}")
    size = structure.size
    near, far = (_vector(n, e, size, "an end of the part") for e in (start, end))
    axis = _unit(far - near, "the axis of the part")
    length = tidy(((far - near).T * axis)[0])
    cut = n.symbol(s)
    if any(cut in e.free_symbols for e in (*near, *far, *rest.forces.values())):
        raise ModelError(f"{s!r} is a name of the structure: call the distance otherwise, as s='xi'")
    acting = _all_on(rest, part)
    marks: list[sp.Expr] = [sp.Integer(0), length]
    for one in acting:
        for place in one.spread or (one.at,):
            marks.append(tidy(((place - near).T * axis)[0]))
    ordered = _ordered(marks)
    inside = [m for m in ordered if _before(sp.Integer(0), m) and _before(m, length)]
    pieces = []
    for low, high in pairwise(inside):
        force, couple = sp.zeros(size, 1), sp.zeros(structure.turns, 1)
        here = near + cut * axis
        for one in acting:
            f, c = _near_part(one, near, axis, low, high, cut)
            at, push = f
            force += push
            couple += moment(at - here, push) + c
        pieces.append(_piece(low, high, -force, -couple, axis, size))
    return Efforts(cut, tuple(pieces))


def _all_on(rest: Rest, part: str) -> list[Acting]:
    structure = rest.structure
    known = {structure.names.symbol(k): v for k, v in rest.forces.items()}
    found = [
        Acting(one.part, one.at, one.force.subs(known), one.couple.subs(known), one.name, one.spread)
        for one in structure.loads
        if one.part == part
    ]
    for pull in structure.pulls:
        size = rest.forces[pull.name]
        found += [Acting(a.part, a.at, a.force * size, a.couple * size) for a in pull.acting if a.part == part]
    return found


def _near_part(
    one: Acting, near: sp.Matrix, axis: sp.Matrix, low: sp.Expr, high: sp.Expr, cut: sp.Symbol
) -> tuple[tuple[sp.Matrix, sp.Matrix], sp.Matrix]:
    """What of an acting force lies on the near side of a cut between two marks: its place, the force, the couple."""
    nothing = (one.at, sp.zeros(one.force.rows, 1)), sp.zeros(one.couple.rows, 1)
    if one.spread is None:
        s = tidy(((one.at - near).T * axis)[0])
        return ((one.at, one.force), one.couple) if _before(s, low) else nothing
    first, last = one.spread
    s1, s2 = (tidy(((e - near).T * axis)[0]) for e in (first, last))
    if not _before(s1, s2):
        first, last, s1, s2 = last, first, s2, s1
    if _before(s2, low):
        return (one.at, one.force), one.couple
    if _before(high, s1):
        return nothing
    share = (cut - s1) / (s2 - s1)
    return (first + (last - first) * share / 2, one.force * share), sp.zeros(one.couple.rows, 1)


def _piece(low: sp.Expr, high: sp.Expr, force: sp.Matrix, couple: sp.Matrix, axis: sp.Matrix, size: int) -> Piece:
    def along(v: sp.Matrix, e: sp.Matrix) -> sp.Expr:
        return sp.factor_terms(tidy(sp.expand((v.T * e)[0])))

    if size == 2:
        side = sp.Matrix([-axis[1], axis[0]])
        bending = sp.factor_terms(tidy(sp.expand(couple[0])))
        return Piece(low, high, along(force, axis), (along(force, side),), (bending,), sp.Integer(0))
    across = _across(axis)
    shear, bending_ = (tuple(along(v, e) for e in across) for v in (force, couple))
    return Piece(low, high, along(force, axis), shear, bending_, along(couple, axis))


def _before(a: sp.Expr, b: sp.Expr) -> bool:
    """Whether a <= b for all values of the names."""
    gap = tidy(b - a)
    if is_zero(gap):
        return True
    if gap.is_nonnegative or gap.is_positive:
        return True
    if gap.is_nonpositive or gap.is_negative:
        return False
    raise ModelError(
        f"which comes first along the part, {a} or {b}? Declare lengths as positive (positive=[...]), or write the "
        "places as sums of lengths: a and a + b instead of a and L"
    )


def _ordered(marks: Sequence[sp.Expr]) -> list[sp.Expr]:
    found: list[sp.Expr] = []
    for mark in marks:
        if any(is_zero(mark - other) for other in found):
            continue
        place = next((i for i, other in enumerate(found) if _before(mark, other)), len(found))
        found.insert(place, mark)
    return found
