"""The branch on which a machine moves, where its closure is singular all along: relations that the loops force.

A stretched dyad, the cell of a deployable antenna: the closure has a multiple root, its rows leave more speeds than
motions, and numbers drift into the difference. Second order tells the speeds of motions from the others; relations
between angles (bodies that stay parallel) hold there, are confirmed to many digits, and become constraints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.dynamics.dynamics import dynamics_of
from dalembert.dynamics.numbers import resolve
from dalembert.dynamics.start import Start, closed_start, closed_starts
from dalembert.errors import ModelError, SimulationError
from dalembert.expr import Expr
from dalembert.loops.assembly import CLOSED, Closing
from dalembert.loops.certify import check_identity
from dalembert.loops.cone import common_radical, cone_dimension, is_definite, quadratic_forms
from dalembert.loops.linkage import Linkage, build_linkage
from dalembert.loops.reduced import Reduced, choose_reduced
from dalembert.loops.relations import RANK_NEARBY, deflated_kernel, linear_relations, tangent_at
from dalembert.loops.units import in_own_units
from dalembert.mechanism import Constraint, Holonomic, Layout, Link

Array = Any

#: Singular values below this are none: a multiple root is known to the square root of rounding, tenfold for safety.
_NONE = 1e-6
#: Coefficients of relations are whole or simple fractions: a product with a unit direction below this is zero.
_ACROSS = 1e-4
#: The constraint that holds them.
_NAME = "branch"


def branch_relations(linkage: Linkage, x: Array, digits: int = 40) -> Reduced | None:
    """Relations between angles that hold on the whole branch through x, confirmed to all digits; None without any.

    A parallelogram keeps its coupler parallel: with that relation the motion runs smoothly through the flat posture,
    where the closure alone does not tell the branches apart.
    """
    closing = Closing(linkage)
    tangent = tangent_at(closing, x)
    relations = linear_relations(closing, x, deflated_kernel(closing, x, tangent))
    if relations is None:
        return None
    reduced = choose_reduced(closing, x, RANK_NEARBY, *relations)
    return reduced if check_identity(closing, x, reduced, digits).holds else None


def on_branch(
    layout: Layout,
    start: Mapping[str, Any] | None = None,
    given: Mapping[str, Any] | None = None,
    t: float = 0.0,
    *,
    many: bool = False,
) -> tuple[Layout, str]:
    """The layout with the relations of the branch on which a motion starts as constraints, and a word about them.

    The same layout, and no word, where the closure is regular, where branches only cross, or where no relation is
    found that leaves exactly the motions. Of `many` trajectories (arrays in `start` and `given`) all must be on it.
    """
    if not layout.cuts or has_branch(layout):
        return layout, ""
    first = (closed_starts if many else closed_start)(layout, start, given, t)
    if not first.singular:
        return layout, ""
    numbers = resolve({**layout.model.given, **(given or {})}, "given")
    k = first.singular[0]
    one, its = (
        {name: float(value[k] if np.ndim(value) else value) for name, value in values.items()}
        for values in (first.values, numbers)
    )
    expressions = forced_relations(layout, one, its)
    if not expressions:
        return layout, ""
    said = ", ".join(f"{ex.text(e)} = 0" for e in expressions)
    if many:
        _check_together(layout, expressions, first, numbers, said)
    word = f"the closure is singular along the whole motion: relations that its loops force are kept ({said})"
    return _with_relations(layout, tuple(expressions)), word


def _with_relations(layout: Layout, relations: tuple[Expr, ...]) -> Layout:
    """The layout of a branch, kept with that of the machine: all that is made of it serves the next motion too."""
    known, found = layout.made.get("branch", (None, None))
    if known != relations or found is None:
        branch = Constraint(_NAME, Holonomic(relations))
        found = replace(layout, further=(*layout.further, branch))
        layout.made["branch"] = relations, found
    return found


def has_branch(layout: Layout) -> bool:
    """Whether relations of a branch are among the constraints."""
    return any(one.name == _NAME for one in layout.further)


def _check_together(
    layout: Layout, relations: list[Expr], starts: Start, numbers: Mapping[str, Any], said: str
) -> None:
    """Refuse trajectories that are not all on one branch: one set of equations serves them all."""
    known = {ex.symbol(name): value for name, value in starts.values.items()}
    count = len(next(iter(starts.values.values())))
    off = np.array([np.broadcast_to(x, count) for x in ex.evaluate(relations, known)])
    other = np.flatnonzero(np.abs(off).max(axis=0) > _ACROSS).tolist()
    several = [x for x in dynamics_of(layout).closure.parameters if np.size(numbers.get(x, 0.0)) > 1]
    if other or several:
        what = f"trajectory {other[0]} is on another branch" if other else f"'{several[0]}' has several values"
        raise SimulationError(
            f"the closure of '{layout.model.name}' is singular in the posture where trajectory {starts.singular[0]} "
            f"starts, along its whole motion: relations that its loops force must be kept ({said}), and {what}. "
            "Compute these motions one at a time."
        )


def forced_relations(layout: Layout, values: Mapping[str, float], given: Mapping[str, float]) -> list[Expr]:
    """Expressions of the coordinates that vanish on all motions through a singular posture; none where branches cross.

    Those that follow from the rows of the closure are left out. Asked again, they are not looked for again.
    """
    return list(_relations(layout, tuple(values.items()), tuple(given.items())))


@lru_cache(maxsize=32)
def _relations(
    layout: Layout, at: tuple[tuple[str, float], ...], numbers: tuple[tuple[str, float], ...]
) -> Sequence[Expr]:
    values, given = dict(at), dict(numbers)
    if any(_driven(link) for link in layout.model.links.values()):  # the linkage would stand still
        return []
    try:
        linkage = in_own_units(build_linkage(layout, given, dict(values)), values)
    except ModelError:  # not made of turns and slides
        return []
    closing, x = Closing(linkage), np.array(linkage.start(values))
    if not closing.gap(x) < CLOSED:
        return []
    tangent = tangent_at(closing, x, _NONE)
    forms = quadratic_forms(closing, x, tangent.stresses, tangent.kernel)
    moving = tangent.kernel @ common_radical(forms, _NONE)
    if not _only(forms, moving.shape[1]):
        return []
    relations = linear_relations(closing, x, moving)
    if relations is None:
        return []
    reduced = choose_reduced(closing, x, _NONE, *relations)
    if closing.size - reduced.rank != moving.shape[1]:
        return []
    identity = check_identity(closing, x, reduced, digits=40)
    if not (identity.holds or identity.to_rounding):
        return []
    across = np.abs(reduced.linear @ tangent.kernel).max(axis=1, initial=0.0) > _ACROSS
    names = [ex.symbol(name) for name in linkage.variables]
    if any("~" in names[j].name for row in reduced.linear[across] for j in np.flatnonzero(row)):
        return []  # angles of a quaternion, which are no coordinates
    found = []
    for row, constant in zip(reduced.linear[across], np.array(reduced.constant)[across], strict=True):
        row = row / linkage.units
        terms = [ex.const(int(c) if c == int(c) else float(c)) * name for c, name in zip(row, names, strict=True) if c]
        found.append(sum(terms, ex.ZERO) - float(constant))
    return found


def _driven(link: Link) -> bool:
    frames = (link.first.displacement, link.second.displacement)
    moved = [x for one in (*frames, *(step.displacement for step in link.placed_steps())) for x in one.scalars]
    return ex.TIME in ex.free_symbols(moved)


def _only(forms: Array, radical: int) -> bool:
    """Whether the directions that no form sees are all on which the forms vanish: then no branches cross."""
    if cone_dimension(forms) == radical:
        return True
    k = forms.shape[1]
    _, _, vt = np.linalg.svd(forms.reshape(-1, k), full_matrices=False)
    seen = vt[: k - radical].T
    return is_definite(np.einsum("ia,sij,jb->sab", seen, forms, seen))
