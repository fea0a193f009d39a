"""All branches through a posture, with their directions and freedoms.

The quadratic obstructions leave a cone of directions. Closed configurations are sought along many of them, at two small
distances; each is judged by `mobility`, and its tangent space, which must tend to a limit at the posture, tells one
branch from another. Where Newton's polygon knows all half-branches (two instantaneous motions), branches are taken from
there: cusps and branches that touch too. Whether there are others is told (`complete`, `why`): see
`dalembert.loops.counting` for what proves that there are none. Surfaces that share a tangent space are told apart only
by the pieces of the closure ideal (`configuration_components`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dalembert.dynamics.numbers import resolve
from dalembert.errors import ModelError
from dalembert.loops.assembly import CLOSED, Closing, assemble, project
from dalembert.loops.charts import refuse_singular_charts
from dalembert.loops.cone import on_cone, quadratic_forms, reduced_rows
from dalembert.loops.counting import Count, count_branches, pairs_of_halves
from dalembert.loops.linkage import Linkage, build_linkage
from dalembert.loops.mobility import every_condition_of, followed_start, mobility
from dalembert.loops.relations import (
    RANK_AT_MULTIPLE,
    RANK_NEARBY,
    RANK_TOLERANCE,
    Tangent,
    deflated_kernel,
    tangent_at,
)
from dalembert.loops.units import in_own_units
from dalembert.loops.verdict import Mobility
from dalembert.mechanism import Layout, Mechanism

Array = Any

#: Distance (radians, lengths over the machine's size) at which a branch is met: tangent spaces turn by about as much.
_NEAR = 4e-3
#: Tangent spaces that differ by less than this angle are those of one branch: 25 times the distance.
_SAME = 0.1
#: Rates beside the largest that are told.
_SEEN = 1e-3


@dataclass(frozen=True, slots=True)
class BranchThrough:
    """A branch: its freedoms, rates of all coordinates along a basis of its tangent space, a posture on it."""

    dof: int | None
    proved: bool
    rank: int
    directions: tuple[dict[str, float], ...]
    at: dict[str, float] = field(repr=False)

    @property
    def words(self) -> str:
        """What moves along it."""
        return "; ".join(_direction_words(d) for d in self.directions)

    def __str__(self) -> str:
        many = "freedoms not decided" if self.dof is None else f"{self.dof} freedom{'s' if self.dof != 1 else ''}"
        return f"{many}{' (proved)' if self.proved else ''}, rank {self.rank}: {self.words}"


class BranchesThrough(tuple[BranchThrough, ...]):
    """Branches at a posture; `complete` when it is proved that there are no others, and `why`, or what lacks."""

    complete: bool
    why: str

    def __new__(cls, branches: Iterable[BranchThrough], complete: bool, why: str) -> BranchesThrough:
        made = super().__new__(cls, branches)
        made.complete, made.why = complete, why
        return made

    def __str__(self) -> str:
        told = "there are no others" if self.complete else "not proved that there are no others"
        return "\n".join([*map(str, self), f"{told}: {self.why}"])


def _direction_words(d: dict[str, float]) -> str:
    moving = {n: v for n, v in d.items() if abs(v) > _SEEN}
    return ", ".join(f"{n}' = {round(v, 3):.3g}" for n, v in moving.items()) or "nothing"


def branches_through(
    mechanism: Mechanism,
    at: Mapping[str, float] | None = None,
    *,
    given: Mapping[str, Any] | None = None,
    cut: Collection[str] = (),
    tries: int = 60,
    seed: int = 0,
) -> BranchesThrough:
    """Branches of the configuration space that meet at a closed configuration (one, at a regular posture).

    >>> from dalembert.mechanism import Mechanism, earth, revolute
    >>> m = Mechanism("rhombus")
    >>> a, b, c = m.body("a"), m.body("b"), m.body("c")
    >>> links = [m.join(earth, a, revolute("z"), name="A"), m.join(a.at([1, 0, 0]), b, revolute("z"), name="B"),
    ...          m.join(earth.at([1, 0, 0]), c, revolute("z"), name="D"),
    ...          m.join(b.at([1, 0, 0]), c.at([1, 0, 0]), revolute("z"), name="C")]
    >>> for branch in branches_through(m, {}):
    ...     print(branch.words)
    A.th' = 1, D.th' = 1, B.th' = -1, C.th' = 1
    D.th' = 1, B.th' = 1
    """
    layout = Layout.of(mechanism, cut)
    spelled = dict(layout.model.start if at is None else at)
    start = resolve(spelled, "at")
    linkage = in_own_units(build_linkage(layout, given, start, every_condition_of(layout)), start)
    start = dict(followed_start(linkage, start, given))
    closing = Closing(linkage)
    x = assemble(linkage, linkage.start(start))
    refuse_singular_charts(layout, linkage.coordinates(x), linkage.given)
    tangent = tangent_at(closing, x)
    here = mobility(mechanism, at, given=given, cut=cut)
    if here.proved and here.dof == 0:
        return BranchesThrough((), True, "the posture is isolated")
    counted = _counted(layout, given, start, spelled, here)
    if counted.halves:
        found = [(direction[:, None], arc.point) for _, arc, direction in pairs_of_halves(counted.halves)]
    else:
        found = _by_projection(closing, x, tangent, tries, seed)
    made = []
    for limit, y in found:
        if y is None:
            continue
        verdict = mobility(mechanism, linkage.coordinates(y), given=given, cut=cut)
        if verdict.singular:  # itself a crossing, of branches that are met elsewhere
            continue
        there = tangent_at(closing, y, RANK_NEARBY)
        dof = verdict.lower if verdict.dof is None else verdict.dof
        if verdict.proved and dof < limit.shape[1]:  # speeds that no motion continues
            limit = deflated_kernel(closing, y, there, RANK_AT_MULTIPLE)
        made.append(
            BranchThrough(
                dof=dof,
                proved=verdict.proved,
                rank=there.rank - (linkage.size - layout.dof),
                directions=tuple(_directions(linkage, limit)),
                at=verdict.at,
            )
        )
    if not made:
        _refuse_silence(here)
    complete, why = _completeness(here, made, counted)
    return BranchesThrough(sorted(made, key=lambda b: (-(b.dof or 0), b.words)), complete, why)


def _counted(
    layout: Layout, given: Mapping[str, Any] | None, start: dict[str, float], spelled: Mapping[str, Any], here: Mobility
) -> Count:
    if here.proved and here.dof == here.instantaneous:
        return Count(1, "the posture is regular (implicit function theorem)")
    own = in_own_units(build_linkage(layout, given, start, every_condition_of(layout), exactly=True), start)
    return count_branches(own, assemble(own, own.start(start)), spelled)


def _completeness(here: Mobility, made: Sequence[BranchThrough], counted: Count) -> tuple[bool, str]:
    if counted.most is None:
        return False, counted.by
    if any(b.dof != 1 for b in made) and not (here.proved and here.dof == here.instantaneous):
        return False, "some have more than one freedom: only curves are counted"
    return len(made) == counted.most, counted.by


def _by_projection(closing: Closing, x: Array, tangent: Tangent, tries: int, seed: int) -> list[tuple[Array, Array]]:
    """Limits of tangent spaces near the posture, and points there."""
    found: list[tuple[Array, Array]] = []
    for y, limit, _ in _met(closing, x, tangent, tries, seed):
        if all(_angle(limit, other) > _SAME for other, _ in found):
            found.append((limit, y))
    return found


def _refuse_silence(verdict: Mobility) -> None:
    """No branch is an answer where nothing moves; where something may, it is that none was met."""
    if verdict.dof == 0 and verdict.proved:
        return
    known = f"has {verdict.dof} degrees of freedom" if verdict.dof else "is not proved to be still"
    raise ModelError(
        f"'{verdict.name}' {known} at this posture, but no branch was met near it: its branches may end in a cusp or "
        "touch there. Ask `mobility` for their number of freedoms, or start beside the posture."
    )


def _met(closing: Closing, x: Array, tangent: Tangent, tries: int, seed: int) -> Any:
    """Postures near x with the limit of their tangent space at x."""
    kernel = tangent.kernel
    k = kernel.shape[1]
    if not k:
        return
    forms = quadratic_forms(closing, x, tangent.stresses, kernel)
    rng = np.random.default_rng(seed)
    for attempt in range(tries):
        weights = np.eye(k)[attempt] if attempt < k else rng.normal(size=k)
        direction = kernel @ on_cone(forms, weights)
        norm = np.linalg.norm(direction)
        if norm < RANK_TOLERANCE:
            continue
        direction = direction / norm
        spaces = []
        for distance in (_NEAR, _NEAR / 2):
            y = project(closing, x + distance * direction, iterations=40)
            move = y - x
            apart = float(np.linalg.norm(move))
            if closing.gap(y) > CLOSED or not 0.3 < apart / distance < 3 or move @ direction < 0.8 * apart:
                break
            # near a crossing other singular values are as small as the distance: rounding is far below
            there = tangent_at(closing, y, RANK_NEARBY)
            if there.rank < tangent.rank:
                break
            spaces.append((y, there))
        if len(spaces) == 2 and spaces[0][1].rank == spaces[1][1].rank:
            (_, far), (y, near) = spaces
            yield y, _limit(far.kernel, near.kernel), near


def _limit(far: Array, near: Array) -> Array:
    """The tangent space at the posture from those at a distance and at half of it: projectors are extrapolated."""
    projector = 2 * near @ near.T - far @ far.T
    values, vectors = np.linalg.eigh(projector)
    return vectors[:, np.argsort(-values)[: near.shape[1]]]


def _angle(a: Array, b: Array) -> float:
    """The largest angle between two spaces; a right angle when their dimensions differ."""
    if a.shape[1] != b.shape[1]:
        return np.pi / 2
    values = np.linalg.svd(a.T @ b, compute_uv=False)
    return float(np.arccos(np.clip(values.min(), -1.0, 1.0)))


def _directions(linkage: Linkage, space: Array) -> list[dict[str, float]]:
    hidden = {i for i, name in enumerate(linkage.variables) if "~" in name}
    rows = reduced_rows(space.T, _SEEN / 1000) * linkage.units
    found = []
    for row in rows:
        row = row / np.abs(row).max()
        found.append(
            {n: float(v) for i, (n, v) in enumerate(zip(linkage.variables, row, strict=True)) if i not in hidden}
        )
    return found
