"""Staeckel's matrix of a separated system: row i depends on q_i alone, and its inverse gives H back.

p_i^2/2 + v_i(q_i) = sum_j Phi_ij(q_i) c_j with c_1 = E and one constant for each other coordinate (the square of a
cyclic momentum), so that H = sum_i (Phi^-1)_1i (p_i^2/2 + v_i).
"""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._equality import Verdict, is_zero
from ..formulas._normal import tidy
from .hamilton_jacobi import HamiltonJacobi


@dataclass(frozen=True)
class Staeckel:
    """Phi, the constants that it multiplies (the energy first), the potentials v_i, and the proof that H comes back."""

    matrix: sp.Matrix
    constants: tuple[sp.Expr, ...]
    potentials: dict[str, sp.Expr]
    gives_H: Verdict


def staeckel(view: HamiltonJacobi) -> Staeckel:
    """Staeckel's matrix of a Hamiltonian that its coordinates separate.

    >>> from dalembert.analytic import System
    >>> kepler = System("r ph", H="(pr**2 + pph**2/r**2)/(2*m) - k/r", momenta="pr pph", positive="m r")
    >>> made = staeckel(kepler.hamilton_jacobi())
    >>> made.matrix.tolist()
    [[m, -1/(2*r**2)], [0, 1/2]]
    >>> made.constants, bool(made.gives_H)
    ((E, alpha_ph**2), True)
    """
    if not view.slopes:
        raise ModelError(f"no Staeckel matrix without separation: {view.certificate}")
    if view.representation != "q" or view.H.has(view.names.time):
        raise ModelError("Staeckel's matrix belongs to H(q, p) free of time, in the q representation")
    signs = {view.names.symbol(s): sp.Integer(1) for s in view.signs}
    squares = [sp.expand(view.slopes[a.name].subs(signs) ** 2) / 2 for a in view.x]
    letters = list(dict.fromkeys([view.energy, *view.constants.values()]))
    constants = [c if all(sp.diff(s, c, 2) == 0 for s in squares) else c**2 for c in letters]
    stand = {c: sp.Dummy(str(c)) for c in constants}
    rows = [s.subs(stand, simultaneous=True) for s in squares]
    if any(sp.diff(r, a, b) != 0 for r in rows for a in stand.values() for b in stand.values()) or any(
        r.has(*letters) for r in rows
    ):
        raise ModelError(
            "the squares of the momenta are not linear in the constants of separation: H is no sum of squares of "
            "momenta over functions of the coordinates (Staeckel's form)"
        )
    matrix = sp.Matrix([[tidy(sp.diff(r, c)) for c in stand.values()] for r in rows])
    still = dict.fromkeys(stand.values(), sp.Integer(0))
    potentials = {a.name: tidy(-r.subs(still)) for a, r in zip(view.x, rows)}
    if matrix.rows != matrix.cols or is_zero(matrix.det()):
        raise ModelError("the constants of separation are not as many as the coordinates, and independent")
    first = matrix.inv().row(0)
    back = sum((f * (y**2 / 2 + v) for f, y, v in zip(first, view.y, potentials.values())), sp.Integer(0))
    return Staeckel(matrix, tuple(constants), potentials, is_zero(back - view.H))
