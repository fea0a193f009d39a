"""The local dimension of the configuration space at a closed configuration: a ladder from cheap to dear.

1. subgroups    rank = sum of the dimensions of the loops' subgroups: the closure is transversal there
2. identity     redundant rows vanish identically on the manifold of the independent ones: permanent redundancy
3. deflation    the closure has a multiple root: add the relations that hold on it, then 2
4. second order the cone of the quadratic obstructions bounds the dimension from above
5. neighbours   a singular posture: closed configurations near it, each decided by 1, 2 or 3, bound it from below
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from dalembert.loops.assembly import Closing, project
from dalembert.loops.certify import Identity, Point, Reduced, certify_point, check_identity, choose_reduced, precision
from dalembert.loops.cone import common_radical, cone_dimension, is_definite, on_cone, quadratic_forms, reduced_rows
from dalembert.loops.cycles import Loop

Array = Any
RANK_TOLERANCE = 1e-9


@dataclass(frozen=True, slots=True)
class Tangent:
    """The linearised closure at a configuration: rank, kernel (columns), self-stresses (columns), singular values."""

    rank: int
    kernel: Array
    stresses: Array
    values: Array

    @property
    def mobility(self) -> int:
        return self.kernel.shape[1]


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
    point: Point
    singular: bool = False
    branches: tuple[LocalDimension, ...] = ()
    notes: tuple[str, ...] = field(default=())
    rounding: bool = False

    @property
    def proved(self) -> bool:
        return self.lower == self.upper and not self.rounding


def tangent_at(closing: Closing, x: Array, tolerance: float = RANK_TOLERANCE) -> Tangent:
    """Rank by singular values, with a tolerance relative to the largest."""
    jacobian = closing.jacobian(x)
    if not jacobian.size:
        n = closing.size
        return Tangent(0, np.eye(n), np.zeros((len(jacobian), 0)), np.zeros(0))
    u, s, vt = np.linalg.svd(jacobian)
    rank = int((s > tolerance * max(1.0, s[0])).sum())
    return Tangent(rank, vt[rank:].T, u[:, rank:], s)


def local_dimension(
    closing: Closing, x: Array, loops: list[Loop], digits: int = 50, neighbours: int = 12, seed: int = 0
) -> LocalDimension:
    """Bounds of the dimension near x, by the ladder."""
    x = np.array(x, dtype=float)
    tangent = tangent_at(closing, x)
    suspicious = _nearly_singular(tangent)
    if suspicious is not None:
        cleaned = _clean(closing, x, suspicious)
        if cleaned is not None:
            x, tangent = cleaned
    found = _regular(closing, x, tangent, loops, digits)
    if found is not None:
        return found
    return _singular(closing, x, tangent, loops, digits, neighbours, seed)


def _regular(closing: Closing, x: Array, tangent: Tangent, loops: list[Loop], digits: int) -> LocalDimension | None:
    """Rungs 1 and 2: a point where the closure has constant rank."""
    n = closing.size
    equations = sum(loop.dimension for loop in loops) + len(closing.linkage.equations)
    reduced = choose_reduced(closing, x)
    if tangent.rank == equations and reduced.rank == equations:
        point = certify_point(closing, x, reduced, digits)
        by = f"implicit function theorem: {equations} independent closure equations in the subgroups of the loops"
        dof = n - equations
        return LocalDimension(x, tangent, dof if point.certified else 0, dof, by, by, reduced, point)
    if tangent.rank != reduced.rank:
        return None
    identity = check_identity(closing, x, reduced, digits)
    if not identity.holds and not identity.to_rounding:
        return None
    point = certify_point(closing, x, reduced, digits)
    k = tangent.mobility
    by = _identity_words(identity, k, digits)
    upper_by = f"rank {tangent.rank} at a certified point" if k else "no instantaneous motion"
    return LocalDimension(x, tangent, k, k, by, upper_by, reduced, point, rounding=not identity.holds and k > 0)


def _identity_words(identity: Identity, k: int, digits: int) -> str:
    far = f"to {digits - 12} digits" if identity.holds else f"to {identity.worst:.0e}, as far as rounded data allow,"
    return (
        f"permanent redundancy: the other closure equations vanish {far} on the whole {k}-parameter family of the "
        f"independent ones ({identity.points} random points)"
    )


def _nearly_singular(tangent: Tangent) -> float | None:
    """A threshold when singular values lie where rounding and a multiple root look alike."""
    s = tangent.values
    if not len(s):
        return None
    doubtful = s[(s > 1e-14 * s[0]) & (s < 1e-5 * s[0])]
    return float(doubtful.max() * 1.5 / max(1.0, s[0])) if len(doubtful) else None


def _clean(closing: Closing, x: Array, tolerance: float) -> tuple[Array, Tangent] | None:
    """A multiple root is found to half the digits only: relations that hold on the closure give the others."""
    rough = tangent_at(closing, x, tolerance)
    relations = linear_relations(closing, x, deflated_kernel(closing, x, rough, 1e-4))
    if relations is None:
        return None
    linear, constant = relations
    reduced = choose_reduced(closing, x, max(tolerance, 1e-6), linear, constant)
    better = _newton(closing, x, reduced)
    if better is None or closing.gap(better) > 1e-12:
        return None
    tangent = tangent_at(closing, better)
    return (better, tangent) if tangent.rank == rough.rank else None


def _newton(closing: Closing, x: Array, reduced: Reduced) -> Array | None:
    found = np.array(x, dtype=float)
    constant = np.array([float(c) for c in reduced.constant])
    for _ in range(20):
        system = np.concatenate([closing.jacobian(found)[reduced.rows], reduced.linear])
        value = np.concatenate([closing.residual(found)[reduced.rows], reduced.linear @ found - constant])
        step = np.linalg.lstsq(system, value, rcond=None)[0]
        found -= step
        if np.abs(step).max() < 1e-15:
            break
        if np.abs(step).max() > 1.0:
            return None
    return found


def deflated_kernel(closing: Closing, x: Array, tangent: Tangent, tolerance: float = 1e-7) -> Array:
    """Kernel directions that no quadratic obstruction sees."""
    forms = quadratic_forms(closing, x, tangent.stresses, tangent.kernel)
    return tangent.kernel @ common_radical(forms, tolerance)


def linear_relations(closing: Closing, x: Array, directions: Array) -> tuple[Array, tuple[Any, ...]] | None:
    """Relations sum c_i x_i = constant with small whole coefficients that hold on the closure near x.

    Angles about parallel axes add up; where a loop forces bodies to stay parallel, such a sum is constant. A relation
    is orthogonal to the motions that second order leaves at every closed configuration: a few of them show all. The
    relations are confirmed later, to all digits, by the identity test.
    """
    rng = np.random.default_rng(11)
    moves, tangents, still = [], directions, 0
    span = _span(tangents)
    for i in range(24):
        if not directions.shape[1] or still == 2 or len(span) == closing.size:
            break
        move = directions @ rng.normal(size=directions.shape[1])
        start = x + (0.25 if i % 2 else 0.1) * move / max(np.linalg.norm(move), 1e-12)
        end = project(closing, start, iterations=60)
        if closing.gap(end) > 1e-10:
            continue
        moves.append(end - x)
        there = tangent_at(closing, end, 1e-5)
        larger = _span(np.concatenate([span.T, deflated_kernel(closing, end, there, 1e-4)], axis=1))
        still = still + 1 if len(larger) == len(span) else 0
        span = larger
    if directions.shape[1] and len(moves) < 2:
        return None
    rows = []
    for row in reduced_rows(np.linalg.svd(span)[2][len(span) :] if len(span) else np.eye(closing.size), 1e-3):
        fractions = [Fraction(float(v)).limit_denominator(12) for v in row]
        whole = np.array([float(f) for f in fractions])
        if np.abs(whole - row).max() > 1e-3 or any(abs(move @ whole) > 1e-5 for move in moves):
            continue
        rows.append(whole)
    if not rows:
        return None
    linear = np.array(rows)
    return linear, tuple(_nice(float(v)) for v in linear @ x)


def _span(columns: Array) -> Array:
    """An orthonormal basis (rows) of the span of columns, to half the digits."""
    if not columns.shape[1]:
        return np.zeros((0, columns.shape[0]))
    u, s, _ = np.linalg.svd(columns, full_matrices=False)
    return u[:, s > 1e-4 * max(1.0, s[0])].T


def _nice(value: float) -> Any:
    """The constant of a relation: a whole multiple of pi/12 when it is one to the precision of a multiple root."""
    from flint import arb

    twelfths = value / (np.pi / 12)
    if abs(twelfths - round(twelfths)) < 1e-5:
        with precision(200):
            return arb.pi() * round(twelfths) / 12
    return value


def _singular(
    closing: Closing, x: Array, tangent: Tangent, loops: list[Loop], digits: int, neighbours: int, seed: int
) -> LocalDimension:
    """Rungs 3 to 5."""
    k = tangent.mobility
    sparse_kernel = reduced_rows(tangent.kernel.T).T if k else tangent.kernel
    sparse_stresses = reduced_rows(tangent.stresses.T).T if tangent.stresses.size else tangent.stresses
    forms = quadratic_forms(closing, x, sparse_stresses, sparse_kernel)
    forms[np.abs(forms) < 1e-9] = 0.0
    upper, upper_by = k, f"rank {tangent.rank} at the configuration"
    cone = cone_dimension(forms) if k else 0
    if cone < upper:
        upper, upper_by = cone, "second order: the cone of the quadratic obstructions has that dimension"
    if upper > 0 and is_definite(forms):
        upper, upper_by = 0, "second order: a self-stress opposes every instantaneous motion"
    reduced = choose_reduced(closing, x)
    point = certify_point(closing, x, reduced, digits)
    deflated = sparse_kernel @ common_radical(forms)
    lower, lower_by, best = 0, "an assembled configuration", reduced
    rounding = False
    if deflated.shape[1] < k:
        relations = linear_relations(closing, x, deflated)
        if relations is not None:
            with_relations = choose_reduced(closing, x, 1e-7, *relations)
            dimension = closing.size - with_relations.rank
            if dimension <= upper:
                identity = check_identity(closing, x, with_relations, digits)
                if identity.holds or identity.to_rounding:
                    point = certify_point(closing, x, with_relations, digits)
                    lower, best, rounding = dimension, with_relations, not identity.holds
                    lower_by = (
                        f"deflation: with {len(with_relations.linear)} forced relations between angles, "
                        + _identity_words(identity, dimension, digits)
                    )
    branches: tuple[LocalDimension, ...] = ()
    if lower < upper or (lower == 0 and k > 0):
        branches = _neighbours(closing, x, tangent, forms, sparse_kernel, upper, loops, digits, neighbours, seed)
        for branch in branches:
            if branch.lower > lower or (branch.lower == lower and rounding and not branch.rounding):
                lower, best, rounding = branch.lower, branch.reduced, branch.rounding
                lower_by = f"a neighbouring closed configuration of rank {branch.tangent.rank}: {branch.lower_by}"
    singular = any(b.tangent.rank > tangent.rank for b in branches)
    if upper == 0:
        lower_by = "the configuration itself"
    return LocalDimension(
        x,
        tangent,
        lower,
        upper,
        lower_by,
        upper_by,
        best,
        point,
        singular=singular,
        branches=branches,
        rounding=rounding,
    )


def _neighbours(
    closing: Closing,
    x: Array,
    tangent: Tangent,
    forms: Array,
    kernel: Array,
    upper: int,
    loops: list[Loop],
    digits: int,
    count: int,
    seed: int,
) -> tuple[LocalDimension, ...]:
    """Closed configurations near x that are simpler than x: for each rank met, the first that can be decided."""
    met: dict[int, list[tuple[Array, Tangent]]] = {}
    for end in _near(closing, x, forms, kernel, count, seed):
        there = tangent_at(closing, end)
        if there.rank >= tangent.rank:
            met.setdefault(there.rank, []).append((end, there))
    found: list[LocalDimension] = []
    for rank in sorted(met, reverse=True):
        for end, there in met[rank][:2]:
            enough = any(f.proved and f.lower == upper for f in found)
            decided = (
                _regular(closing, end, there, loops, digits) if enough else _decide(closing, end, there, loops, digits)
            )
            if decided is not None:
                found.append(decided)
                if decided.proved:
                    break
    return tuple(sorted(found, key=lambda f: (-f.lower, f.tangent.rank)))


def _near(closing: Closing, x: Array, forms: Array, kernel: Array, count: int, seed: int) -> Iterator[Array]:
    """Closed configurations around x: along directions that second order allows, then along any."""
    rng = np.random.default_rng(seed)
    k = kernel.shape[1]
    # several sizes: near ones stay on the branches through x, far ones leave a slow tangency
    for size, second_order in ((0.08, True), (0.25, True), (0.15, False), (0.02, False)):
        for i in range(count if second_order else count // 3):
            weights = rng.normal(size=k)
            if i % 3 == 1:
                weights *= rng.random(k) < 0.4
            elif i % 3 == 2:
                weights = np.ones(k) * rng.choice([-1.0, 1.0]) + rng.normal(0, 0.2, k)
            if not weights.any():
                continue
            if second_order:
                weights = on_cone(forms, weights)
            move = kernel @ weights
            norm = np.linalg.norm(move)
            if norm < 1e-9:
                continue
            end = project(closing, x + size * move / norm, iterations=30)
            apart = np.linalg.norm(end - x)
            if closing.gap(end) < 1e-10 and 0.1 * size < apart < 4 * size:
                yield end


def _decide(closing: Closing, x: Array, tangent: Tangent, loops: list[Loop], digits: int) -> LocalDimension | None:
    doubtful = _nearly_singular(tangent)
    if doubtful is not None:
        cleaned = _clean(closing, x, doubtful)
        if cleaned is None:
            return None
        x, tangent = cleaned
    found = _regular(closing, x, tangent, loops, digits)
    if found is not None:
        return found
    return _singular(closing, x, tangent, loops, digits, 0, 0)
