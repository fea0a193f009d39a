"""The set of V*M where kept conditions hold, by parameters: momenta as formulas of as many values as are free.

Labels of leaves, whose rate is given, are no conditions. Those are C p + c = 0. With C_D a square part of C that is
regular, p_D = -adj(C_D) C_I v and p_I = det(C_D) v: no division, so that formulas on the set stay polynomials in what C
is made of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import ONE, ZERO, Expr
from dalembert.expr.elimination import sample
from dalembert.geometry.geometry import Geometry

#: Cosine under which a column adds nothing to those before it, at a random state of numbers about one.
_NOTHING = 1e-9


@dataclass(frozen=True, slots=True)
class Admissible:
    """`momenta` of the free coordinates in the coordinates and the `values` v."""

    values: tuple[Expr, ...]
    momenta: tuple[Expr, ...]
    basis: tuple[tuple[Expr, ...], ...]  # dp/dv, one vector for each value

    @staticmethod
    def of(geometry: Geometry) -> Admissible:
        setting = geometry.setting
        conditions = [x for x, rate in zip(setting.quantities, setting.wanted, strict=True) if rate is ZERO]
        momenta, asked = setting.momenta, geometry.on_phase_space(conditions)
        if not asked:
            return Admissible(momenta, momenta, _identity(len(momenta)))
        matrix = ex.jacobian(asked, momenta)
        if not ex.free_symbols([x for row in matrix for x in row]).isdisjoint(momenta):
            raise ModelError("conditions that are not affine in the momenta have no linear parameters.")
        rest = ex.substitute(asked, dict.fromkeys(momenta, 0))
        held = _columns(matrix)
        basis = null_basis(matrix, held)
        values = tuple(ex.symbol(f"v.{momenta[k].name}") for k in range(len(momenta)) if k not in held)
        found = [ex.dot_product(values, [vector[i] for vector in basis]) for i in range(len(momenta))]
        if any(x is not ZERO for x in rest):
            inner = [[row[k] for k in held] for row in matrix]
            whole, adjoint = determinant(inner), adjugate(inner)
            for k, row in zip(held, adjoint, strict=True):
                found[k] = found[k] - ex.dot_product(row, rest) / whole
        return Admissible(values, tuple(found), tuple(tuple(vector) for vector in basis))


def null_basis(matrix: Sequence[Sequence[Expr]], held: Sequence[int] | None = None) -> list[list[Expr]]:
    """Vectors v with C v = 0, without division: det(C_D) on one free place, -adj(C_D) C_k on the held ones."""
    held = _columns(matrix) if held is None else held
    inner = [[row[k] for k in held] for row in matrix]
    whole, adjoint, found = determinant(inner), adjugate(inner), []
    for k in range(len(matrix[0])):
        if k not in held:
            vector = [ZERO] * len(matrix[0])
            vector[k] = whole
            for place, row in zip(held, adjoint, strict=True):
                vector[place] = -ex.dot_product(row, [line[k] for line in matrix])
            found.append(vector)
    return found


def _identity(n: int) -> tuple[tuple[Expr, ...], ...]:
    return tuple(tuple(ONE if i == j else ZERO for j in range(n)) for i in range(n))


def _columns(matrix: Sequence[Sequence[Expr]]) -> list[int]:
    """As many columns as rows that are independent at a random state: the largest remainder first."""
    values = np.array(sample([x for row in matrix for x in row])).reshape(len(matrix), -1)
    held, left = list[int](), values.copy()
    for _ in range(len(matrix)):
        sizes = np.linalg.norm(left, axis=0)
        k = int(np.argmax(sizes))
        if sizes[k] <= _NOTHING * float(np.linalg.norm(values)):
            raise ModelError("kept conditions depend on each other at every state: leave out one of them.")
        held.append(k)
        direction = left[:, k] / sizes[k]
        left = left - np.outer(direction, direction @ left)
    return sorted(held)


def determinant(matrix: Sequence[Sequence[Expr]]) -> Expr:
    """By the first row: the matrices have as many rows as a machine has kept conditions, a few."""
    if not matrix:
        return ONE
    total = ZERO
    for k, entry in enumerate(matrix[0]):
        if entry is not ZERO:
            minor = determinant([[*row[:k], *row[k + 1 :]] for row in matrix[1:]])
            total = total + minor * entry if k % 2 == 0 else total - minor * entry
    return total


def adjugate(matrix: Sequence[Sequence[Expr]]) -> list[list[Expr]]:
    """adj(C) C = det(C)."""
    n = len(matrix)

    def cofactor(i: int, j: int) -> Expr:
        rest = [[x for k, x in enumerate(row) if k != j] for l, row in enumerate(matrix) if l != i]
        return determinant(rest) if (i + j) % 2 == 0 else -determinant(rest)

    return [[cofactor(i, j) for i in range(n)] for j in range(n)]
