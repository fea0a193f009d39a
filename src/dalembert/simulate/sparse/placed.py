"""Fronts as lists of integers: where the blocks of each node, its form and its matrix lie in memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from dalembert.dynamics.lifted import Carried
from dalembert.expr import Expr
from dalembert.simulate.sparse import layout as at
from dalembert.simulate.sparse.fronts import Front, Fronts

Integers = NDArray[np.int64]


def blocks_of(node: Carried) -> list[Expr]:
    """X, S and I of a node, row by row."""
    return [x for block in node.blocks for row in block for x in row]


@dataclass(frozen=True, slots=True)
class Placed:
    """Fields of all fronts, the lists that they point into, and sizes of the working memory."""

    fields: Integers
    columns: Integers
    opened: Integers
    runs: Integers
    blocks: int
    forms: int
    motions: int
    widest: int
    matrix: tuple[int, ...]  # where the matrix of each front begins among the forms

    @staticmethod
    def of(whole: Fronts, nodes: Sequence[Carried]) -> Placed:
        fronts = whole.fronts
        begins = list(accumulate((len(blocks_of(node)) for node in nodes), initial=0))
        fields = np.zeros((len(fronts), at.FIELDS), dtype=np.int64)
        columns, opened, runs, matrix = list[int](), list[int](), list[int](), list[int]()
        forms = motions = widest = 0
        for k, one in enumerate(fronts):
            fields[k, [at.F_SIZE, at.F_PARENT_SIZE, at.F_COUNT]] = one.size, one.parent_size, len(one.columns)
            fields[k, [at.F_OPENED, at.F_GONE]] = len(one.open_there), one.gone
            fields[k, [at.F_STILL, at.F_PARENT]] = one.still, one.parent
            some = _runs(one)
            fields[k, [at.F_COLUMNS, at.F_OPEN, at.F_RUNS]] = len(columns), len(opened), len(runs)
            fields[k, at.F_RUN_COUNT] = len(some)
            columns += one.columns
            opened += one.open_there
            runs += [x for run in some for x in run]
            if not one.still:
                by_speeds = begins[one.node] + one.size * one.parent_size
                inertia = by_speeds + one.size * len(one.columns)
                fields[k, [at.F_BY_PARENT, at.F_BY_SPEEDS, at.F_INERTIA]] = begins[one.node], by_speeds, inertia
            form = (one.size + len(one.open_there)) * one.size
            fields[k, [at.F_FORM, at.F_MATRIX, at.F_MOTION]] = forms, forms + form, motions
            matrix.append(forms + form)
            forms, motions = forms + form + one.width**2, motions + one.size
            widest = max(widest, one.width, one.parent_size)
        first, second, third = (np.array(some, dtype=np.int64) for some in (columns, opened, runs))
        return Placed(fields.reshape(-1), first, second, third, begins[-1], forms, motions, widest, tuple(matrix))

    def matrices(self, whole: Fronts, pairs: Sequence[tuple[int, int]]) -> Integers:
        """Where entries of G stand among the forms, pairs of a row as it goes and a speed; 0 for rows left out."""
        where = {place: k for k, one in enumerate(whole.fronts) for place in one.open_there[: one.gone]}
        inside = [{place: i for i, place in enumerate(one.open_there)} for one in whole.fronts]
        found = []
        for g, j in pairs:
            column, line = int(whole.speed_place[j]), int(whole.row_place[g])
            k = where[column]
            one = whole.fronts[k]
            here = inside[k].get(line)
            found.append(0 if here is None else self.matrix[k] + here * one.width + inside[k][column])
        return np.array(found, dtype=np.int64)


def _runs(front: Front) -> list[tuple[int, int, int]]:
    """What stays open, as far as it stands side by side in the parent's front: begin, end, and how far it moves."""
    found: list[tuple[int, int, int]] = []
    for i, place in enumerate(front.above, start=front.gone):
        if found and found[-1][2] == place - i:
            found[-1] = (found[-1][0], i + 1, place - i)
        else:
            found.append((i, i + 1, place - i))
    return found
