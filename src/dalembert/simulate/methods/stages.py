"""Radau's stages as polynomials: what a step that obeys the equations at them is anywhere, and the parts of its Newton.

    y(x) = y0 + sum of z_i L_i(x) through the start and all stages,    lambda(x) = sum of lambda_i l_i(x)

Of A^-1 = T diag(mu) T^-1 one eigenvalue is real and the others are pairs, so that Newton's large system falls apart
into one real and (s - 1)/2 complex ones of the size of the equations (Hairer and Wanner II, IV.8).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.polynomial import Polynomial
from numpy.polynomial.polynomial import polyder, polyvander
from numpy.typing import NDArray

from dalembert.simulate.methods.radau import radau_iia

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """An eigenvalue with its column of T and row of T^-1; `share` is two for one of a pair, which stands for both."""

    eigenvalue: Any
    column: Any
    row: Any
    share: float


@dataclass(frozen=True, slots=True, eq=False)
class Stages:
    """A method's nodes, inverse of A, parts of Newton (the real one first), and polynomials, a column a stage.

    `looks` are the start and two instants between nodes at which the equations are looked at, `rate` how fast the
    polynomial leaves a smooth motion after the last of them; `nested` are the coefficients of dense output.
    """

    nodes: Array
    inverse: Array
    parts: tuple[Part, ...]
    looks: Array
    rate: float
    nested: Array
    begun: Array
    inner: Array

    def values(self, x: Array) -> Array:
        """Weights of z in y - y0 at the parts x of the step, a row each."""
        found: Array = polyvander(x, len(self.begun) - 1) @ self.begun
        return found

    def slopes(self, x: Array) -> Array:
        """Weights of z in h y'."""
        found: Array = polyvander(x, len(self.begun) - 2) @ polyder(self.begun)
        return found

    def forces(self, x: Array) -> Array:
        """Weights of the multipliers of the stages, which have no start."""
        found: Array = polyvander(x, len(self.inner) - 1) @ self.inner
        return found


@cache
def stages(count: int) -> Stages:
    """Radau IIA with an odd number of stages, from the table of the compiled method.

    >>> bool(abs(stages(3).values(stages(3).nodes) - np.eye(3)).max() < 1e-13)
    True
    """
    table = radau_iia(count)
    assert table.implicit is not None
    numbers = np.array(table.implicit.collocation)
    nodes, inverse = numbers[:count], np.linalg.inv(numbers[3 * count : 3 * count + count**2].reshape(count, -1))
    values, vectors = np.linalg.eig(inverse)  # real eigenvalues of a real matrix have imaginary parts of zero
    back = np.linalg.inv(vectors)
    real = int(np.flatnonzero(values.imag == 0)[0])
    parts = [Part(float(values[real].real), vectors[:, real].real, back[real].real, 1.0)]
    parts += [Part(values[k], vectors[:, k], back[k], 2.0) for k in np.flatnonzero(values.imag > 0)]
    *looks, rate = table.implicit.between
    nested = np.zeros((count, count))
    nested[0, -1] = 1.0
    for row, entries in enumerate(table.dense, 1):
        for stage, value in entries.items():
            nested[row, stage - 1] = value
    return Stages(
        nodes=nodes,
        inverse=inverse,
        parts=tuple(parts),
        looks=np.array([0.0, *looks]),
        rate=rate,
        nested=nested,
        begun=_lagrange(np.array([0.0, *nodes]))[:, 1:],
        inner=_lagrange(nodes),
    )


def _lagrange(nodes: Array) -> Array:
    """Coefficients of Lagrange's polynomials, a column for each node."""
    others = [np.delete(nodes, k) for k in range(len(nodes))]
    return np.array([Polynomial.fromroots(o).coef / np.prod(x - o) for x, o in zip(nodes, others, strict=True)]).T
