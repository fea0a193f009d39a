"""Small oscillations about a rest: the linear equations M q'' + G q' + K q = 0, their modes, and what they say.

G is the gyroscopic matrix (magnetic and Coriolis terms); it does no work, but it shifts every frequency and can hold a
system on a hill.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._equality import is_zero
from ..formulas._names import Formula
from ..formulas._normal import tidy
from ..formulas.steps import Notebook, Steps
from ..systems.lagrange import euler_lagrange

if TYPE_CHECKING:
    from ..systems.system import System

_AT_REST = 1e-6
"""Share of the largest force that may be left at a rest given by numbers: they are written with some seven digits."""

_REAL_PART = 1e-7
"""Share of the largest eigenvalue that a real part may have by rounding: a double one splits by the root of 2e-16."""
_STILL = 1e-13
"""Share of the largest w^2 below which another is zero, a motion without force: eigh leaves some 1e-15 of it."""


@dataclass(frozen=True)
class NormalModes:
    """M q'' + G q' + K q = 0 near an equilibrium: squares of the frequencies and the shapes of the modes.

    Shapes are complex where G is not zero: the motion is the real part of shape exp(i w t).
    """

    equilibrium: dict[str, sp.Expr]
    mass_matrix: sp.Matrix
    gyroscopic: sp.Matrix
    stiffness: sp.Matrix
    characteristic: sp.Expr
    squares: tuple[sp.Expr, ...]
    shapes: tuple[sp.Matrix, ...]
    assumption: str
    steps: Steps

    @property
    def frequencies(self) -> tuple[sp.Expr, ...]:
        return tuple(sp.sqrt(s) for s in self.squares)

    @property
    def complete(self) -> bool:
        """As many modes as coordinates; where one is missing, a motion grows as t exp(i w t)."""
        return len(self.squares) == self.mass_matrix.rows

    @property
    def stable(self) -> bool | None:
        """Whether the linear motion stays bounded: None when the parameters, or terms of higher order, decide."""
        if any(s.is_negative or s.is_real is False for s in self.squares):
            return False
        if not all(s.is_positive for s in self.squares):
            return None
        return self.complete

    @property
    def reason(self) -> str:
        """What the verdict rests on."""
        if self.stable is None:
            return "some w^2 is zero or has no sign of its own: the parameters or higher terms decide"
        if not self.stable:
            return "some w^2 is not positive, or a mode is missing: the linear motion grows"
        minors = (tidy(self.stiffness[:k, :k].det()) for k in range(1, self.stiffness.rows + 1))
        if all(m.is_positive for m in minors):
            return "the potential has a strict minimum (Lagrange-Dirichlet): stable beyond the linear terms too"
        return (
            "stabilised by gyroscopic terms: bounded in the linear equations; damping destroys it "
            "(Kelvin-Tait-Chetaev) and terms of higher order may"
        )


def linear_equations(
    system: System, point: Mapping[sp.Symbol, sp.Expr]
) -> tuple[list[sp.Expr], sp.Matrix, sp.Matrix, sp.Matrix]:
    """What is left of the equations of motion at rest at `point`, and their derivatives in q'', q' and q there."""
    n = system.names
    if system.multipliers:
        raise ModelError("normal modes need independent coordinates: eliminate the constraints first")
    labels = [n.coordinates.index(c) for c in system.coordinates]
    q, v, a = ([n.velocity(c, k) if k else n.symbol(c) for c in system.coordinates] for k in range(3))
    expressions = euler_lagrange(system.lagrangian, n)
    equations = [system.freeze(expressions[j] - system.generalised_forces[j]) for j in labels]
    rest = {**point, **dict.fromkeys((*v, *a), sp.Integer(0))}

    def at_rest(e: sp.Expr) -> sp.Expr:
        return tidy(e.subs(rest, simultaneous=True))

    matrices = [sp.Matrix([[at_rest(sp.diff(e, x)) for x in xs] for e in equations]) for xs in (a, v, q)]
    for matrix in matrices:
        moving = {s.name for s in matrix.free_symbols if s == n.time or s.name.rstrip("'") in n.given}
        if moving:
            raise ModelError(
                f"the linear equations depend on time ({', '.join(sorted(moving))}): there are no modes exp(i w t)"
            )
    return [at_rest(e) for e in equations], matrices[0], matrices[1], matrices[2]


def normal_modes(system: System, at: Mapping[str, Formula] | None = None) -> NormalModes:
    """Linearise about an equilibrium (the origin by default) and solve det(K + i w G - w^2 M) = 0.

    >>> from dalembert.analytic import System
    >>> chain = System("x y", L="m*(x_d**2+y_d**2)/2 - k*(x**2 + y**2 + (x-y)**2)/2")
    >>> normal_modes(chain).squares
    (k/m, 3*k/m)
    >>> hill = System("x y", L="(x_d**2+y_d**2)/2 + 3*(x*y_d - y*x_d)/2 + (x**2+y**2)/2")
    >>> normal_modes(hill).stable
    True
    """
    n, book = system.names, Notebook()
    _known(system, at or {})
    point = {n.symbol(c): n.read((at or {}).get(c, 0)) for c in system.coordinates}
    left, M, G, K = linear_equations(system, point)
    if not all(is_zero(e) for e in left):
        where = ", ".join(f"{x} = {e}" for x, e in point.items())
        raise ModelError(
            f"not an equilibrium: at {where} the forces {', '.join(map(str, left))} are left. "
            "Give at={coordinate: value}; equilibria(system) finds the rests"
        )
    if not (is_zero_matrix(G + G.T) and is_zero_matrix(K - K.T)):
        raise ModelError(
            "normal modes need forces with a potential: these linear equations hold damping or circulation"
        )
    book.note("Mass matrix at the equilibrium", "M", M)
    if not is_zero_matrix(G):
        book.note("Gyroscopic matrix", "G", G)
    book.note("Stiffness matrix", "K", K)
    square, rate = sp.Symbol("w2"), sp.Dummy("rate")
    # det(K + r G + r^2 M) is even in r, since G is antisymmetric: r^2 = -w2
    even = sp.Poly(sp.expand((K + rate * G + rate**2 * M).det(method="berkowitz")), rate)
    characteristic = sp.factor(sum((c * (-square) ** (k // 2) for (k,), c in even.terms()), sp.Integer(0)))
    if is_zero(characteristic):
        raise ModelError("the characteristic equation is 0 = 0: some coordinate has neither inertia nor stiffness")
    book.note("Characteristic equation", characteristic, sp.Integer(0))
    polynomial = sp.Poly(sp.expand(characteristic), square)
    roots = sp.roots(polynomial)
    squares = sorted((tidy(r) for r in roots), key=_magnitude)
    if sum(roots.values()) < polynomial.degree():
        raise ModelError("the characteristic equation has no solution by radicals; use numeric_modes")
    shapes, kept = [], []
    for s in squares:
        system_of_shape = (K + sp.I * sp.sqrt(s) * G - s * M).applyfunc(tidy)
        for shape in system_of_shape.nullspace(simplify=tidy):
            shapes.append(shape.applyfunc(tidy))
            kept.append(s)
            book.note(f"Mode with w^2 = {s}", "shape", tuple(shapes[-1]))
    assumption = "deviations from the equilibrium are so small that cubic terms of L are dropped"
    return NormalModes(
        {k.name: e for k, e in point.items()},
        M,
        G,
        K,
        characteristic,
        tuple(kept),
        tuple(shapes),
        assumption,
        book.close(),
    )


def is_zero_matrix(matrix: sp.Matrix) -> bool:
    """Whether every entry is shown to vanish."""
    return all(bool(is_zero(e)) for e in matrix)


def _known(system: System, at: Mapping[str, Formula]) -> None:
    strange = [c for c in at if c not in system.coordinates]
    if strange:
        raise ModelError(f"{', '.join(strange)}: no coordinate of this system. It has {', '.join(system.coordinates)}")


def _magnitude(e: sp.Expr) -> float:
    """Order by size at a generic point, all parameters near one."""
    values = {s: 1 + sp.Rational(k, 97) for k, s in enumerate(sorted(e.free_symbols, key=str))}
    number = complex(e.subs(values).evalf())
    return number.real


def numeric_modes(system: System, values: Mapping[str, float], at: Mapping[str, float] | None = None) -> list[float]:
    """Frequencies at numeric parameters, gyroscopic terms included; nan for motions that grow.

    >>> from dalembert.analytic import System
    >>> magnet = System("x y", L="(x_d**2+y_d**2)/2 + B*(x*y_d - y*x_d)/2 - (x**2+y**2)/2")
    >>> [round(w, 3) for w in numeric_modes(magnet, {"B": 3})]
    [0.303, 3.303]
    """
    import numpy as np

    n = system.names
    _known(system, at or {})
    numbers = n.numbers(values)
    point = {n.symbol(c): sp.Integer(0) for c in system.coordinates} | n.numbers(at or {})
    left, *matrices = linear_equations(system, point)
    for e in left:
        terms = [abs(float(_number(t.subs(numbers)))) for t in sp.Add.make_args(sp.expand(e))]
        if abs(float(_number(e.subs(numbers)))) > _AT_REST * sum(terms):
            raise ModelError(f"not an equilibrium: the force {e} is left at {dict(at or {})}; see numeric_equilibrium")
    M, G, K = (np.array([[float(_number(e.subs(numbers))) for e in m.row(i)] for i in range(m.rows)]) for m in matrices)
    if np.abs(G + G.T).max() > _AT_REST * np.abs(G).max() or np.abs(K - K.T).max() > _AT_REST * np.abs(K).max():
        raise ModelError(
            "normal modes need forces with a potential: these linear equations hold damping or circulation"
        )
    return _frequencies(M, G, K)


def _number(e: sp.Expr) -> sp.Expr:
    if e.free_symbols:
        raise ModelError(f"give numbers for {', '.join(sorted(s.name for s in e.free_symbols))}")
    return e.evalf()


def _frequencies(M, G, K):  # type: ignore[no-untyped-def]
    """Eigenvalues i w of the first-order system; Hermitian problems where M and K are definite, so w is surely real."""
    import numpy as np
    from scipy.linalg import cholesky, eig, eigh

    size = len(M)
    if np.linalg.eigvalsh(M).min() <= 0:
        raise ModelError("the mass matrix is not positive definite: some motion has no inertia")
    if not G.any():
        squares = eigh(K, M, eigvals_only=True)
        still = _STILL * np.abs(squares).max()
        return [0.0 if abs(x) <= still else float(np.sqrt(x)) if x > 0 else float("nan") for x in squares]
    if np.linalg.eigvalsh(K).min() > 0:  # with q = U^-1 x, K = U^T U, the first-order matrix is antisymmetric
        m, k = cholesky(M), cholesky(K)
        bridge = k @ np.linalg.inv(m)
        turn = np.linalg.inv(m).T @ G @ np.linalg.inv(m)
        first = np.block([[np.zeros((size, size)), bridge], [-bridge.T, -turn]])
        return [float(w) for w in np.linalg.eigvalsh(1j * first)[size:]]
    first = np.block([[np.zeros((size, size)), np.eye(size)], [-K, -G]])
    inertia = np.block([[np.eye(size), np.zeros((size, size))], [np.zeros((size, size)), M]])
    rates = sorted(eig(first, inertia)[0], key=lambda r: (abs(r.imag), abs(r.real)))[::2]
    allowed = _REAL_PART * max(abs(r) for r in rates)
    real = sorted(abs(float(r.imag)) for r in rates if abs(r.real) <= allowed)
    return real + [float("nan")] * (size - len(real))
