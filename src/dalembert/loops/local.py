"""The local dimension of the configuration space at a closed configuration: a ladder from cheap to dear.

1. subgroups    rank = sum of the dimensions of the loops' subgroups: the closure is transversal there
2. identity     redundant rows vanish identically on the manifold of the independent ones: permanent redundancy
3. deflation    the closure has a multiple root: add the relations that hold on it, then 2
4. second order the cone of the quadratic obstructions bounds the dimension from above
5. arcs         families of arcs that leave the very posture bound it from below
6. higher order Taylor series of what is left over, and Newton's polygon, where the kernel has one or two dimensions

Everything is judged in balls; floats only propose.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dalembert.loops.arcs import Arc, arc_by_change_of_sign, arcs_along_cone, arcs_of_higher_order
from dalembert.loops.assembly import Closing
from dalembert.loops.balls import BallClosing, ball, floats, precision, working_digits
from dalembert.loops.certify import Identity, ReducedSystem, check_identity
from dalembert.loops.cone import common_radical
from dalembert.loops.cycles import Loop
from dalembert.loops.linearised import Linearised, linearised
from dalembert.loops.obstructions import cone_dimension, definite, independent_forms, obstructions
from dalembert.loops.posture import Posture, find_posture, is_closed
from dalembert.loops.reduced import Multiple, Reduced, choose_reduced
from dalembert.loops.relations import (
    FORM_AT_MULTIPLE,
    RANK_AT_MULTIPLE,
    RANK_NEARBY,
    Tangent,
    deflated_kernel,
    linear_relations,
    tangent_at,
)

Array = Any

#: Rank of rounded data (singular values beside the largest): twelve digits are usual, decimals of nine are met.
_ROUNDED_RANK = 1e-8
#: Around a posture that no proof closes (radians, parts of the machine): the closed one, if any, is that near.
_REACH = 1e-7
_LARGE_KERNEL = ("signs", "relations", "cone", "multiple")
#: Instantaneous motions, at most, among which branches are sought only to show them.
_PICTURED = 6
#: Variables of a machine whose second derivatives are taken one by one.
_LARGEST_MULTIPLE = 40


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of the configuration space that leaves the posture: dimension, rank at a point of it, the point."""

    dimension: int
    rank: int
    x: Array
    by: str


@dataclass(frozen=True, slots=True)
class LocalDimension:
    """Bounds of the dimension of the configuration space at a point, with the methods that gave them."""

    x: Array
    tangent: Tangent
    lower: int
    upper: int
    lower_by: str
    upper_by: str
    reduced: Reduced
    radius: float
    posture: Posture
    singular: bool = False
    branches: tuple[Piece, ...] = ()
    notes: tuple[str, ...] = field(default=())
    rounding: bool = False

    @property
    def proved(self) -> bool:
        return self.lower == self.upper and not self.rounding and self.posture.closed


def local_dimension(
    closing: Closing,
    x: Array,
    loops: list[Loop],
    digits: int = 50,
    seed: int = 0,
    spelled: Mapping[str, Any] | None = None,
) -> LocalDimension:
    """Bounds of the dimension near x, by the ladder; `spelled` is the posture as it was written."""
    many = working_digits(closing.linkage, digits)
    with precision(many):
        judge = _Judge(closing, BallClosing(closing, many), loops, seed)
        return judge.decide(np.array(x, dtype=float), spelled or {})


class _Judge:
    """One question: the closure in floats and in balls, its loops, and how many equations they are."""

    def __init__(self, closing: Closing, balls: BallClosing, loops: list[Loop], seed: int) -> None:
        self.closing = closing
        self.balls = balls
        self.loops = loops
        self.seed = seed
        self.size = closing.size
        self.equations = sum(loop.dimension for loop in loops) + len(closing.linkage.equations)

    def decide(self, x: Array, spelled: Mapping[str, Any]) -> LocalDimension:
        missed = [loop for loop in self.loops if loop.miss]
        if missed:
            return replace(self._rounded(x), notes=tuple(_cannot_close(loop) for loop in missed))
        posture = find_posture(self.balls, x, spelled)
        if not posture.closed:
            posture = self._on_relations(x) or posture
        if not posture.closed:
            return self._rounded(x)
        return self._at(posture)

    def _at(self, posture: Posture) -> LocalDimension:
        """Rungs 1, 2 and what follows, at a posture that closes to all digits."""
        linear = linearised(self.balls, self.balls.jacobian(posture.x))
        x = floats(np.array(posture.x, dtype=object))
        k = self.size - linear.rank
        tangent = _as_tangent(self.closing, x, linear)
        reduced = _as_reduced(linear, self.size)
        radius = self._certified(posture, reduced)
        base = LocalDimension(
            x,
            tangent,
            0,
            k,
            "the posture itself is closed",
            f"rank {linear.rank} at the posture, in balls",
            reduced,
            np.inf if radius is None else radius,
            posture,
        )
        if linear.rank == self.equations and radius is not None:
            by = (
                f"implicit function theorem: {self.equations} independent closure equations in the subgroups of the "
                f"loops, at a point enclosed by interval Newton"
            )
            return replace(base, lower=k, lower_by=by, upper_by=by)
        if not k:
            return replace(base, upper_by="no instantaneous motion: full rank in balls")
        if not linear.sure:
            return replace(base, notes=("a pivot cannot be told from zero here: give more digits",))
        forms = independent_forms(self.balls, obstructions(self.balls, posture.x, linear), k)
        if not forms:
            identity = check_identity(self.closing, posture.x, reduced, self.balls.digits)
            if identity.holds:
                return replace(base, lower=k, lower_by=_identity_words(identity, k))
        return self._singular(base, linear, forms)

    def _certified(self, posture: Posture, reduced: Reduced) -> float | None:
        system = ReducedSystem(self.balls, reduced)
        for power in (10 - self.balls.digits, -self.balls.digits // 2):
            radius = system.encloses(posture.x, ball(10) ** power)
            if radius is not None:
                return max(float(radius), np.finfo(float).tiny)
        return None

    def _singular(self, base: LocalDimension, linear: Linearised, forms: list[Array]) -> LocalDimension:
        """Rungs 3 to 6."""
        k, x = base.tangent.mobility, base.posture.x
        found = base
        cone = cone_dimension(self.balls, forms, k)
        if cone < found.upper:
            found = replace(
                found, upper=cone, upper_by="second order: the cone of the quadratic obstructions has that dimension"
            )
        if found.upper > 0 and definite(self.balls, forms):
            found = replace(found, upper=0, upper_by="second order: a self-stress opposes every instantaneous motion")
        if found.upper == 0:
            return found
        arcs: list[Arc] = []
        for rung in self._rungs(k):
            if found.lower == found.upper:
                break
            if rung in ("relations", "multiple"):
                finder = self._with_relations if rung == "relations" else self._multiple_root
                found = finder(found, linear, forms)
                continue
            if rung == "cone":
                upper, by, more = None, "", arcs_along_cone(self.balls, x, linear, forms, self.equations, self.seed)
            else:
                upper, by, more = (
                    arc_by_change_of_sign(self.balls, x, linear, self.equations, forms)
                    if rung == "signs"
                    else arcs_of_higher_order(self.balls, x, linear, self.equations)
                )
            if upper is not None and upper < found.upper:
                found = replace(found, upper=upper, upper_by=by)
            arcs = [*arcs, *more]
            found = self._with_arcs(found, arcs)
        if arcs and k <= _PICTURED and all(a.point is None for a in arcs):  # proved by signs: show the branches too
            arcs = arcs_along_cone(self.balls, x, linear, forms, self.equations, self.seed)
        pieces = tuple(
            Piece(a.dimension, tangent_at(self.closing, a.point, RANK_NEARBY).rank, a.point, a.by)
            for a in _distinct(arcs)
            if a.point is not None
        )
        singular = any(p.rank > base.tangent.rank for p in pieces)
        return replace(found, branches=pieces, singular=singular)

    def _rungs(self, k: int) -> tuple[str, ...]:
        """The order in which bounds are sought: what is cheap for a small kernel is dear for a large one."""
        return ("cone", "series", "signs", "relations", "multiple") if k <= 2 else _LARGE_KERNEL

    def _with_arcs(self, found: LocalDimension, arcs: Sequence[Arc]) -> LocalDimension:
        best = max(arcs, key=lambda a: a.dimension, default=None)
        if best is None or best.dimension <= found.lower:
            return found
        return replace(found, lower=best.dimension, lower_by=best.by)

    def _with_relations(self, found: LocalDimension, linear: Linearised, forms: list[Array]) -> LocalDimension:
        """Rung 3: relations between angles that hold on the closure take out its multiplicity."""
        k = found.tangent.mobility
        plain = np.array([floats(f) for f in forms]).reshape(len(forms), k, k)
        directions = floats(linear.kernel) @ common_radical(plain)
        if directions.shape[1] == k:
            return found
        relations = linear_relations(self.closing, found.x, directions)
        if relations is None:
            return found
        reduced = choose_reduced(self.closing, found.x, RANK_NEARBY, *relations)
        dimension = self.size - reduced.rank
        if not found.lower < dimension <= found.upper:
            return found
        identity = check_identity(self.closing, found.posture.x, reduced, self.balls.digits)
        if not identity.holds:
            return found
        words = f"deflation: with {len(reduced.linear)} forced relations between angles, "
        return replace(found, lower=dimension, lower_by=words + _identity_words(identity, dimension), reduced=reduced)

    def _multiple_root(self, found: LocalDimension, linear: Linearised, forms: list[Array]) -> LocalDimension:
        """Rung 3 without straight relations: where J keeps its rank, what its block leaves of it vanishes.

        The derivatives of those entries on the kernel are the quadratic forms; as many as are independent define, with
        the regular rows, a manifold whose tangents no form sees. The closure must vanish on it.
        """
        k = found.tangent.mobility
        if not forms or self.size > _LARGEST_MULTIPLE:
            return found
        rows = [
            (int(linear.others[s]), int(linear.independent[j])) for s in range(len(linear.others)) for j in range(k)
        ]
        every = obstructions(self.balls, found.posture.x, linear)
        if len(every) < len(linear.others):  # a form that is not a number was left out
            return found
        slopes = np.array([f[j] for f in every for j in range(k)], dtype=object).reshape(len(rows), k)
        chosen = linearised(self.balls, slopes)
        dimension = k - chosen.rank
        if not chosen.sure or not found.lower < dimension <= found.upper:
            return found
        dependent = np.concatenate([linear.dependent, linear.independent[chosen.dependent]]).astype(int)
        entries = tuple(rows[i] for i in chosen.rows)
        independent = np.setdiff1d(np.arange(self.size), dependent)
        multiple = Multiple(linear.rows, linear.dependent, entries)
        reduced = Reduced(linear.rows, np.zeros((0, self.size)), (), dependent, independent, multiple)
        identity = check_identity(self.closing, found.posture.x, reduced, self.balls.digits)
        if not identity.holds:
            return found
        words = f"deflation: with {len(entries)} relations that keep the rank, "
        return replace(found, lower=dimension, lower_by=words + _identity_words(identity, dimension))

    def _on_relations(self, x: Array) -> Posture | None:
        """A multiple root is found to half the digits only: relations that hold on the closure give the others."""
        rough = tangent_at(self.closing, x, RANK_AT_MULTIPLE)
        if rough.rank == min(rough.stresses.shape[0], self.size):
            return None
        relations = linear_relations(self.closing, x, deflated_kernel(self.closing, x, rough, FORM_AT_MULTIPLE))
        if relations is None:
            return None
        reduced = choose_reduced(self.closing, x, RANK_AT_MULTIPLE, *relations)
        try:
            found, last = ReducedSystem(self.balls, reduced).refine(x)
        except ZeroDivisionError:
            return None
        if last > 10.0 ** (8 - self.balls.digits) or not is_closed(self.balls, found):
            return None
        return Posture(tuple(found), True, "Newton's method with relations between angles", self.balls.digits)

    def _rounded(self, x: Array) -> LocalDimension:
        """No exact closed posture is known: what the floats say, and a bound that holds wherever loops close."""
        tangent = tangent_at(self.closing, x, _ROUNDED_RANK)
        posture = Posture(tuple(ball(float(v)) for v in x), False, "the posture as assembled", self.balls.digits)
        reduced = choose_reduced(self.closing, x, _ROUNDED_RANK)
        upper = self.size - self._rank_nearby(x)
        by = f"rank {self.size - upper} all around the posture, in balls"
        base = LocalDimension(
            x, tangent, 0, upper, "no closed posture is certified", by, reduced, np.inf, posture, rounding=True
        )
        choices = [reduced]
        directions = deflated_kernel(self.closing, x, tangent, FORM_AT_MULTIPLE)
        if directions.shape[1] < tangent.mobility and (relations := linear_relations(self.closing, x, directions)):
            choices.append(choose_reduced(self.closing, x, RANK_NEARBY, *relations))
        for choice in choices:
            k = self.size - choice.rank
            if check_identity(self.closing, x, choice, 50).to_rounding and k <= upper:
                words = (
                    f"{k} as far as rounded data allow: rows vanish to rounding on the family of the independent ones"
                )
                return replace(base, lower=k, upper=k, lower_by=words, upper_by=by, reduced=choice)
        return base

    def _rank_nearby(self, x: Array, reach: float = _REACH) -> int:
        """The rank that the closure has at least, wherever within reach of x."""
        from flint import arb

        jacobian = self.balls.jacobian([arb(float(v), reach) for v in x])
        rank = tangent_at(self.closing, x, RANK_AT_MULTIPLE).rank
        while rank:
            linear = choose_reduced(self.closing, x, RANK_AT_MULTIPLE)
            rows, columns = linear.rows[:rank], linear.dependent[:rank]
            from dalembert.loops.balls import as_matrix

            try:
                as_matrix(jacobian[np.ix_(rows, columns)]).inv()
            except ZeroDivisionError:
                rank -= 1
                continue
            break
        return rank


def _cannot_close(loop: Loop) -> str:
    return (
        f"the loop {' '.join(loop.links)} cannot close exactly: its joints move in a {loop.name} subgroup, and its "
        f"frames miss that by {loop.miss:.1g} (lengths in parts of the mechanism's size)"
    )


def _identity_words(identity: Identity, k: int) -> str:
    return (
        f"permanent redundancy: the other closure equations vanish to {identity.digits} digits on the whole "
        f"{k}-parameter family of the independent ones ({identity.points} random points on enclosed paths)"
    )


def _as_tangent(closing: Closing, x: Array, linear: Linearised) -> Tangent:
    """In floats, with orthonormal bases, of the rank that balls gave."""
    jacobian = closing.jacobian(x)
    if not jacobian.size:
        return Tangent(0, np.eye(closing.size), np.zeros((len(jacobian), 0)), np.zeros(0))
    u, s, vt = np.linalg.svd(jacobian)
    return Tangent(linear.rank, vt[linear.rank :].T, u[:, linear.rank :], s)


def _as_reduced(linear: Linearised, size: int) -> Reduced:
    return Reduced(linear.rows, np.zeros((0, size)), (), linear.dependent, linear.independent)


def _distinct(arcs: Sequence[Arc]) -> list[Arc]:
    found: list[Arc] = []
    for arc in arcs:
        if not any(a.dimension == arc.dimension and np.abs(a.direction @ arc.direction) > 0.999 for a in found):
            found.append(arc)
    return found
