"""Where a configuration space is singular, as an ideal: the minors of the Jacobian join the closure equations."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, product
from math import comb
from typing import Any

from dalembert.errors import ModelError
from dalembert.loops.elimination import determinant
from dalembert.loops.groebner import groebner_basis, ideal_dimension

_MOST_MINORS = 20_000


def singular_locus(generators: Sequence[Any], codimension: int | None = None) -> list[Any]:
    """A Groebner basis of the points where the rank of the Jacobian is below the codimension.

    Its `ideal_dimension` is -1 when the configuration space is smooth; `components` lists the pieces (the flat postures
    of a parallelogram, the nodes of the saliere).
    """
    given = [p for p in generators if p != 0]
    count, whole = len(given[0].context().names()), ideal_dimension(given)
    rank = count - whole if codimension is None else codimension
    found: list[Any] = []
    # Generators as they are come first: they are few. If they see every point as singular they were not reduced.
    for equations in sorted((given, groebner_basis(given)), key=len):
        if comb(len(equations), rank) * comb(count, rank) > _MOST_MINORS:
            break
        found = groebner_basis([*equations, *_minors(equations, count, rank)])
        if ideal_dimension(found) < whole:
            break
    if not found:
        raise ModelError(
            f"{len(given)} equations in {count} unknowns have too many minors of order {rank}. Split rotation from "
            "translation, or ask for the rank at a posture with `mobility(at=...)`."
        )
    return found


def _minors(equations: Sequence[Any], count: int, rank: int) -> list[Any]:
    jacobian = [[p.derivative(j) for j in range(count)] for p in equations]
    places = product(combinations(range(len(equations)), rank), combinations(range(count), rank))
    minors = [determinant(jacobian, rows, columns) for rows, columns in places]
    return [minor for minor in minors if minor != 0]
