"""Radau's collocation methods (Radau IIA) of any odd number of stages, from their nodes.

    order 2 s - 1, stage order s, L-stable, stiffly accurate:   A_ij = integral of the j-th Lagrange polynomial to c_i

(Hairer and Wanner II, IV.5 and IV.8; J. Comput. Appl. Math. 111 (1999) 93.) Everything is computed in Legendre's
polynomials, which lose no digits.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.polynomial import Polynomial, legendre
from numpy.typing import NDArray

from dalembert.simulate.methods.tableaux import Implicit, Tableau

Array = NDArray[np.float64]


def nodes(stages: int) -> Array:
    """Zeros of P_s - P_(s-1), Legendre's polynomials on [0, 1]; the last is 1.

    >>> nodes(3).round(6).tolist()
    [0.155051, 0.644949, 1.0]
    """
    series = np.zeros(stages + 1)
    series[-2:] = -1.0, 1.0
    slope, x = legendre.legder(series), np.sort(legendre.legroots(series).real)
    for _ in range(2):
        x = x - legendre.legval(x, series) / legendre.legval(x, slope)
    x[-1] = 1.0
    return np.asarray((x + 1.0) / 2.0, dtype=np.float64)


def _matrix(c: Array) -> Array:
    """A of z = h A f."""
    s = len(c)
    integrals = np.array([legendre.legval(2 * c - 1, legendre.legint(one, lbnd=-1) / 2) for one in np.eye(s)]).T
    found: Array = integrals @ np.linalg.inv(legendre.legvander(2 * c - 1, s - 1))
    return found


def _embedded(c: Array, gamma: float) -> Array:
    """Weights of h f_i beside gamma h f(t, y) that give the step with order s: what they lack is the error."""
    s = len(c)
    whole = np.zeros(s)
    whole[0] = 1.0
    start = np.array([(-1.0) ** k for k in range(s)])  # Legendre's polynomials at the beginning
    found = np.linalg.solve(legendre.legvander(2 * c - 1, s - 1).T, whole - gamma * start)
    return np.asarray(found, dtype=np.float64)


#: Imaginary parts of eigenvalues of order one below this are rounding: of five stages the least true one is above one.
_REAL = 1e-8


@cache
def radau_iia(stages: int) -> Tableau:
    """The method as the compiled loop wants it; its dense output passes through the start and all stages."""
    c = nodes(stages)
    matrix = _matrix(c)
    inverse = np.linalg.inv(matrix)
    values, vectors = np.linalg.eig(inverse)
    order = sorted(range(stages), key=lambda k: (abs(values[k].imag) > _REAL, values[k].imag))
    real, upper = order[0], [k for k in order if values[k].imag > _REAL]
    mu, columns, eigenvalues = float(values[real].real), [vectors[:, real].real], [float(values[real].real)]
    for k in upper:  # T^-1 A^-1 T has blocks (alpha, beta; -beta, alpha)
        columns += [vectors[:, k].real, vectors[:, k].imag]
        eigenvalues += [float(values[k].real), float(values[k].imag)]
    columns = [column / column[-1] if k == 0 else column for k, column in enumerate(columns)]
    transformation = np.array(columns).T
    back = np.linalg.inv(transformation)
    lacking = _embedded(c, 1.0 / mu) - _embedded(c, 0.0)
    numbers = [*c, *eigenvalues, *(mu * lacking @ inverse), *matrix.flat, *transformation.flat, *back.flat]
    return Tableau(
        stages=({},) * (stages + 2),
        step={stages: 1.0},
        error={stages + 1: 1.0},
        dense=_dense(c),
        implicit=Implicit(
            nodes=(0.0, *c.tolist(), 0.0, 1.0),
            collocation=tuple(float(x) for x in numbers),
            between=_farthest(c),
        ),
    )


def _farthest(c: Array) -> tuple[float, float, float]:
    """Where a polynomial through the start and all nodes is farthest from a smooth motion, and next to that; its rate.

    The distance goes as x (x - c_1) ... (x - c_s). Its rate is largest at the end; it is told in parts of the largest
    distance.
    """
    through = Polynomial.fromroots([0.0, *c])
    tops = np.sort(through.deriv().roots().real)
    most = max(range(1, len(tops)), key=lambda k: abs(through(tops[k])))
    return float(tops[most - 1]), float(tops[most]), float(abs(through.deriv()(1.0) / through(tops[most])))


def _dense(c: Array) -> tuple[dict[int, float], ...]:
    """Rows of the nested form after the first, whose polynomials vanish at both ends of the step."""
    s, x, rest = len(c), Polynomial([0.0, 1.0]), Polynomial([1.0, -1.0])
    terms, factor = [], Polynomial([1.0])
    for k in range(s):
        factor = factor * (x if k % 2 == 0 else rest)
        terms.append(factor)
    found = np.linalg.inv(np.array([[term(node) for term in terms] for node in c]))
    return tuple({k + 1: float(row[k]) for k in range(s)} for row in found[1:])
