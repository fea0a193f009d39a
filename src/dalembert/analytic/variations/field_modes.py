"""Modes of a string, bar or beam from its own Lagrangian density, by Rayleigh and Ritz."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._exact import number_function
from .field_density import FieldDensity

if TYPE_CHECKING:
    import numpy as np

ENDS = {"held": 1, "clamped": 2, "free": 0}
"""The order to which a field vanishes at both ends."""


@dataclass(frozen=True)
class FieldModes:
    """Angular frequencies, lowest first, and the shapes at equally spaced places."""

    frequencies: np.ndarray
    x: np.ndarray
    shapes: np.ndarray


def field_modes(
    density: FieldDensity,
    length: float,
    values: Mapping[str, float] | None = None,
    *,
    ends: str = "held",
    count: int = 4,
    functions: int = 16,
) -> FieldModes:
    """Modes of a density a u_t^2/2 - b u_x^2/2 - c u^2/2 - d u_xx^2/2 on (0, length), coefficients of x allowed.

    Legendre polynomials times the factor that the ends ask for are the trial functions; the frequencies come from
    above and more `functions` sharpen them.

    >>> string = FieldDensity("mu*u_t**2/2 - S*u_x**2/2", "u", "t x")
    >>> [round(float(w), 6) for w in field_modes(string, 1.0, {"mu": 1, "S": 1}, count=2).frequencies]
    [3.141593, 6.283185]
    """
    import numpy as np
    from numpy.polynomial import Polynomial
    from scipy.linalg import eigh

    if ends not in ENDS:
        raise ModelError(f"the ends are one of {', '.join(ENDS)}, not {ends!r}")
    if len(density.fields) != 1 or len(density.independent) != 2:
        raise ModelError("modes are found here for one field of the time and one place")
    if not length > 0 or not 0 < count <= functions:
        raise ModelError("give a positive length, and at least as many trial functions as modes")
    n = density.names
    (u,), (t, x) = density.fields, density.independent
    slopes = {"": n.symbol(u), t: n.symbol(f"{u}_{t}"), x: n.symbol(f"{u}_{x}"), x + x: n.symbol(f"{u}_{x}{x}")}
    L = density.L.subs(n.numbers(values or {}))
    place = n.symbol(x)
    weights = {k: -sp.diff(L, s, 2) for k, s in slopes.items()}
    quadratic = sum((-weights[k] * s**2 / 2 for k, s in slopes.items()), sp.Integer(0))
    if sp.expand(L - quadratic) != 0 or any(w.free_symbols - {place} for w in weights.values()):
        raise ModelError(f"{L} is not a sum of squares of {', '.join(str(s) for s in slopes.values())} with numbers")
    points, gauss = np.polynomial.legendre.leggauss(4 * functions)
    at, gauss = (points + 1) * length / 2, gauss * length / 2
    factor = (Polynomial([0, 1]) * Polynomial([1, -1])) ** ENDS[ends]  # of x/length
    trial = [
        factor * np.polynomial.legendre.Legendre.basis(k, domain=[0, 1]).convert(kind=Polynomial)
        for k in range(functions)
    ]

    def rows(order: int, places: Any) -> Any:
        return np.array(
            [f.deriv(order)(places / length) / length**order if order else f(places / length) for f in trial]
        )

    def matrix(key: str, order: int) -> Any:
        values_at = np.broadcast_to(number_function([place], weights[key])(at), at.shape)
        made = rows(order, at)
        return (made * (values_at * gauss)) @ made.T

    mass = -matrix(t, 0)
    stiffness = matrix("", 0) + matrix(x, 1) + matrix(x + x, 2)
    squares, vectors = eigh(stiffness, mass)
    if squares[0] < -1e-9 * abs(squares[-1]):  # rounding of the largest square, not an instability
        raise ModelError(f"the field is unstable: the lowest square of a frequency is {squares[0]:.6g}")
    grid = np.linspace(0.0, length, 201)
    shapes = vectors[:, :count].T @ rows(0, grid)
    return FieldModes(np.sqrt(np.maximum(squares[:count], 0.0)), grid, shapes / np.abs(shapes).max(axis=1)[:, None])
