"""The linearised closure in floats, and relations between angles on a branch where the closure is a multiple root."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dalembert.loops.assembly import REACHED, Closing, project
from dalembert.loops.balls import precision
from dalembert.loops.cone import common_radical, quadratic_forms, reduced_rows

Array = Any
#: Singular values beside the largest are rounding below this: lengths in parts of the machine, a posture that closes
#: to 1e-11, hundredfold.
RANK_TOLERANCE = 1e-9
#: The same at a posture that projection found, which closes to 1e-9.
RANK_NEARBY = 1e-7
#: The same at a multiple root, which floats know to half their digits; and of the forms of second order there.
RANK_AT_MULTIPLE, FORM_AT_MULTIPLE = 1e-5, 1e-4
#: Coefficients of relations are simple fractions: unit vectors within this are one. What moves leave of a relation.
_SIMPLE, _KEPT = 1e-3, 1e-5


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


def tangent_at(closing: Closing, x: Array, tolerance: float = RANK_TOLERANCE) -> Tangent:
    """Rank by singular values, with a tolerance relative to the largest."""
    jacobian = closing.jacobian(x)
    if not jacobian.size:
        n = closing.size
        return Tangent(0, np.eye(n), np.zeros((len(jacobian), 0)), np.zeros(0))
    u, s, vt = np.linalg.svd(jacobian)
    rank = int((s > tolerance * max(1.0, s[0])).sum())
    return Tangent(rank, vt[rank:].T, u[:, rank:], s)


def deflated_kernel(closing: Closing, x: Array, tangent: Tangent, tolerance: float = RANK_NEARBY) -> Array:
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
        start = x + (0.25 if i % 2 else 0.1) * move / max(np.linalg.norm(move), np.finfo(float).tiny)
        end = project(closing, start, iterations=60)
        if closing.gap(end) > REACHED / 10:
            continue
        moves.append(end - x)
        there = tangent_at(closing, end, RANK_AT_MULTIPLE)
        larger = _span(np.concatenate([span.T, deflated_kernel(closing, end, there, FORM_AT_MULTIPLE)], axis=1))
        still = still + 1 if len(larger) == len(span) else 0
        span = larger
    if directions.shape[1] and len(moves) < 2:
        return None
    rows = []
    for row in reduced_rows(np.linalg.svd(span)[2][len(span) :] if len(span) else np.eye(closing.size), _SIMPLE):
        fractions = [Fraction(float(v)).limit_denominator(12) for v in row]
        whole = np.array([float(f) for f in fractions])
        if np.abs(whole - row).max() > _SIMPLE or any(abs(move @ whole) > _KEPT for move in moves):
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
    return u[:, s > FORM_AT_MULTIPLE * max(1.0, s[0])].T


def _nice(value: float) -> Any:
    """The constant of a relation: a whole multiple of pi/12 when it is one to the precision of a multiple root."""
    from flint import arb

    twelfths = value / (np.pi / 12)
    if abs(twelfths - round(twelfths)) < _KEPT:
        with precision(200):
            return arb.pi() * round(twelfths) / 12
    return value
