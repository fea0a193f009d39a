"""The order in which the joints of an arm are found: one unknown at a time from equations that hold no other.

Where no equation has one unknown, two equations in the same two are eliminated (Pieper: a polynomial of degree four, or
eight). Every posture that reaches the target obeys every equation, so no posture is lost on the way; what obeys the
equations of the plan and does not reach is found out at its end.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.arms.features import KINDS, Features, Scalar, features_of
from dalembert.arms.screws import Screws, inverse

Array = NDArray[Any]

#: Equations kept for an unknown: the best of them is used where others say nothing.
_KEPT = 8
#: Two equations of an angle tell its cosine and sine apart: the sine between their coefficients.
_APART = 1e-3
#: Coefficients, in parts of the arm, at random postures: below, an equation says nothing of an unknown.
_SAYS = 1e-6


@dataclass(frozen=True, slots=True)
class Stage:
    """An unknown with its equations; `beside`: a second unknown that is eliminated from them."""

    unknown: int
    equations: tuple[Scalar, ...]
    values: int  # how many a posture may have: 1, 2, or the degree of a polynomial
    beside: int | None = None


@dataclass(frozen=True, eq=False)
class Plan:
    """Stages in order, and the features that their equations speak of."""

    stages: tuple[Stage, ...]
    features: Features

    @property
    def most(self) -> int:
        """How many postures the stages could give."""
        return int(np.prod([one.values for one in self.stages]))


def plan_for(screws: Screws, asked: str, seed: int = 0) -> Plan | None:
    """The plan of an arm, good for almost every target; None where the equations hold too many unknowns each."""
    rng = np.random.default_rng(seed)
    n = len(screws)
    x = rng.uniform(-2.5, 2.5, n)
    features = features_of(screws, screws.pose(x) @ inverse(screws.tip), asked)
    equations, seen = features.dependence(rng)
    # what is short to write first: directions before places, few joints before many
    order = np.lexsort(
        ([one.l - one.k for one in equations], seen.sum(1), [KINDS.index(one.kind) for one in equations])
    )
    solved, stages = np.zeros(n, dtype=bool), list[Stage]()
    while not solved.all():
        open_ = seen & ~solved
        alone = [i for i in order if open_[i].sum() == 1]
        by = {int(j): [equations[i] for i in alone if open_[i, j]] for j in np.flatnonzero(~solved)}
        stage = _best(features, x, by) or _pair(
            features, x, equations, [i for i in order if open_[i].sum() == 2], open_
        )
        if stage is None:
            return None
        stages.append(stage)
        solved[stage.unknown] = True
    return Plan(tuple(stages), features)


def coefficients(features: Features, equations: tuple[Scalar, ...], unknown: int, x: Array) -> Array:
    """Rows (a, b, c): a cos + b sin + c of an angle, a x^2 + b x + c of a slide, at the other amounts x."""
    turns = features.screws.turns[unknown]
    probe = np.repeat(np.asarray(x, dtype=float)[..., None, :], 3, axis=-2)
    probe[..., unknown] = (0.0, np.pi / 2, np.pi) if turns else (0.0, 1.0, -1.0)
    zero, one, other = np.moveaxis(features.values(list(equations), probe), -2, 0)
    if turns:
        c = (zero + other) / 2
        return np.stack([(zero - other) / 2, one - c, c], axis=-1)
    a = (one + other) / 2 - zero
    return np.stack([a, (one - other) / 2, zero], axis=-1)


def _best(features: Features, x: Array, by: dict[int, list[Scalar]]) -> Stage | None:
    """The unknown that is told by fewest values, with its equations."""
    found = list[Stage]()
    for unknown, listed in by.items():
        rows = coefficients(features, tuple(listed), unknown, x) if listed else np.zeros((0, 3))
        loud = np.abs(rows[:, :2]).max(axis=1, initial=0.0) > _SAYS
        kept, table = [one for one, here in zip(listed, loud, strict=True) if here], rows[loud]
        if not kept:
            continue
        if not features.screws.turns[unknown]:
            straight = [i for i in range(len(kept)) if abs(table[i, 0]) < _SAYS * abs(table[i, 1])]
            if straight:
                found.append(Stage(unknown, tuple(kept[i] for i in straight[:_KEPT]), 1))
            else:
                found.append(Stage(unknown, tuple(kept[:_KEPT]), 2))
            continue
        units = table[:, :2] / np.linalg.norm(table[:, :2], axis=1)[:, None]
        apart = [i for i in range(len(kept)) if abs(units[0, 0] * units[i, 1] - units[0, 1] * units[i, 0]) > _APART]
        if apart:
            found.append(Stage(unknown, tuple(dict.fromkeys([kept[0], kept[apart[0]], *kept[:_KEPT]])), 1))
        else:
            found.append(Stage(unknown, tuple(kept[:_KEPT]), 2))
    return min(found, key=lambda one: one.values, default=None)


def _pair(features: Features, x: Array, equations: list[Scalar], some: list[int], open_: Array) -> Stage | None:
    """Two unknowns with two equations that hold no other."""
    groups = dict[tuple[int, int], list[Scalar]]()
    for i in some:
        first, second = (int(j) for j in np.flatnonzero(open_[i]))
        groups.setdefault((first, second), []).append(equations[i])
    for (first, second), listed in groups.items():
        for unknown, beside in ((second, first), (first, second)):
            for two in list(combinations(listed[:_KEPT], 2)):
                polynomial = eliminated(features, two, unknown, beside, x)
                if polynomial is not None:
                    return Stage(unknown, two, len(polynomial) - 1, beside)
    return None


def eliminated(features: Features, two: tuple[Scalar, ...], unknown: int, beside: int, x: Array) -> Array | None:
    """The resultant of two equations, free of `beside`: coefficients, highest first, of exp(i angle), or of the slide.

    None where it vanishes. The two are quadratic in the tangent of half the other angle (or in a slide).
    """
    degree = 4 if features.screws.turns[unknown] else 8
    count = 2 * degree + 1 if features.screws.turns[unknown] else degree + 1
    steps = np.arange(count) / count
    probes = 2 * np.pi * steps if features.screws.turns[unknown] else 2 * np.cos(np.pi * (steps + 0.5 / count))
    every = np.repeat(np.asarray(x, dtype=float)[None], count, axis=0)
    every[:, unknown] = probes
    first, second = np.moveaxis(_quadratics(features, two, beside, every), -2, 0)
    (a, b, c), (d, e, f) = first.T, second.T
    values = (a * f - c * d) ** 2 - (a * e - b * d) * (b * f - c * e)
    size = float((np.abs(first).max(axis=1) * np.abs(second).max(axis=1)).max()) ** 2
    if np.abs(values).max() < 1e-11 * size:  # rounding of a product of four coefficients
        return None
    if features.screws.turns[unknown]:
        found = np.fft.fftshift(np.fft.fft(values))[::-1] / count  # exp(i 4 angle) first
    else:
        found = np.polyfit(probes, values, degree).astype(complex)
    small = 1e-11 * np.abs(found).max()
    while len(found) > 1 and abs(found[0]) < small:
        found = found[1:]
    if features.screws.turns[unknown]:
        while len(found) > 1 and abs(found[-1]) < small:
            found = found[:-1]
    return found if len(found) > 1 else None


def _quadratics(features: Features, two: tuple[Scalar, ...], beside: int, x: Array) -> Array:
    rows = coefficients(features, two, beside, x)
    if not features.screws.turns[beside]:
        return rows
    a, b, c = np.moveaxis(rows, -1, 0)
    return np.stack([c - a, 2 * b, c + a], axis=-1)


def aimed(plan: Plan, target: Array) -> Features:
    """The features of a plan with another displacement to be made."""
    return replace(plan.features, target=target)
