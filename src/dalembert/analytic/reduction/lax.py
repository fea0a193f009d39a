"""Lax pairs L' = [L, M]: judged for any matrices, and searched within classes of particles on a line.

The classes: Toda chains (neighbours repel as exp(x_i - x_j), Flaschka's matrices) and Calogero-Moser systems (all
pairs, g^2 f(x)^2 with f = 1/x, 1/sin or 1/sinh, Moser's matrices). The traces of L^k are first integrals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import sympy as sp

from dalembert.errors import ModelError

from ..canonical.brackets import poisson_bracket, rank_of
from ..formulas._equality import Verdict, is_zero, weakest
from ..formulas._names import Formula
from ..formulas._normal import tidy

if TYPE_CHECKING:
    from ..systems.system import System


@dataclass(frozen=True)
class LaxPair:
    """L and M with L' = [L, M] along the motion, so that the spectrum of L is constant."""

    system: System
    L: sp.Matrix
    M: sp.Matrix
    kind: str

    @cached_property
    def integrals(self) -> tuple[sp.Expr, ...]:
        """tr L^k/k for k = 1, ..., n."""
        power, found = self.L, []
        for k in range(1, self.L.rows + 1):
            trace = sp.expand(power.trace() / k)
            real, rest = trace.as_real_imag() if trace.has(sp.I) else (trace, sp.Integer(0))
            found.append(real if is_zero(rest) else trace)
            power = (power * self.L).applyfunc(sp.expand)
        return tuple(found)

    @cached_property
    def independent(self) -> int:
        """How many of the integrals are independent."""
        view = self.system.hamilton()
        return rank_of([sp.re(e) if e.has(sp.I) else e for e in self.integrals], [*view.q, *view.p])


def lax_pair(system: System, L: Sequence[Sequence[Formula]], M: Sequence[Sequence[Formula]]) -> tuple[Verdict, LaxPair]:
    """Judge whether L' = [L, M] holds along the motion of a system, entry by entry.

    >>> from dalembert.analytic import System
    >>> spring = System("q", H="p**2/2 + w**2*q**2/2")
    >>> verdict, pair = lax_pair(spring, [["p", "w*q"], ["w*q", "-p"]], [["0", "w/2"], ["-w/2", "0"]])
    >>> bool(verdict), pair.integrals[1]
    (True, p**2 + q**2*w**2)
    """
    n = system.names
    a, b = (sp.Matrix([n.read_all(row) for row in rows]) for rows in (L, M))
    if a.rows != a.cols or a.shape != b.shape:
        raise ModelError(f"L and M are square and of one size, not {a.shape} and {b.shape}")
    return _holds(system, a, b), LaxPair(system, a, b, "given")


def _holds(system: System, L: sp.Matrix, M: sp.Matrix) -> Verdict:
    view = system.hamilton()
    rate = L.applyfunc(lambda e: poisson_bracket(e, view.H, view.q, view.p))
    rest = rate - (L * M - M * L)
    parts = [part for e in rest for part in sp.expand(e).as_real_imag()]
    return weakest([is_zero(e) for e in parts])


def find_lax_pair(system: System) -> LaxPair:
    """A Lax pair of Toda's or Calogero and Moser's kind, for particles on a line with H = sum p^2/2 + V, each verified.

    >>> from dalembert.analytic import System
    >>> toda = System("x y z", H="(px**2 + py**2 + pz**2)/2 + exp(x - y) + exp(y - z)", momenta="px py pz")
    >>> find_lax_pair(toda).kind
    'Toda chain'
    """
    view = system.hamilton()
    kinetic = sum((p**2 / 2 for p in view.p), sp.Integer(0))
    V = sp.expand(view.H - kinetic)
    if V.has(*view.p) or len(view.q) < 2:
        raise ModelError("the classes searched have H = sum p^2/2 + V(x) with two particles or more")
    for kind, make in (("Toda chain", _toda), ("Calogero-Moser", _calogero)):
        for L, M in make(V, view.q, view.p):
            if _holds(system, L, M):
                return LaxPair(system, L, M, kind)
    raise ModelError(
        "no Lax pair of Toda's or Calogero and Moser's kind: this says nothing about others. Judge yours with lax_pair"
    )


def _toda(V: sp.Expr, x: Sequence[sp.Symbol], p: Sequence[sp.Symbol]) -> list[tuple[sp.Matrix, sp.Matrix]]:
    """Flaschka: sqrt(V_i) beside the diagonal, p_i on it; neighbours in the order of the coordinates."""
    size = len(x)
    bonds = []
    for i in range(size - 1):
        both = [t for t in sp.Add.make_args(V) if t.has(x[i]) and t.has(x[i + 1])]
        if len(both) != 1 or not both[0].has(sp.exp):
            return []
        bonds.append(both[0])
    if not is_zero(V - sum(bonds)):
        return []
    L, M = sp.diag(*p), sp.zeros(size, size)
    for i, bond in enumerate(bonds):
        a = sp.sqrt(tidy(bond)).replace(lambda e: isinstance(e, sp.Abs), lambda e: e.args[0])
        a = sp.powdenest(a, force=True)
        L[i, i + 1] = L[i + 1, i] = a
        M[i, i + 1], M[i + 1, i] = a / 2, -a / 2
    return [(L, M), (L, -M)]


def _calogero(V: sp.Expr, x: Sequence[sp.Symbol], p: Sequence[sp.Symbol]) -> list[tuple[sp.Matrix, sp.Matrix]]:
    """Moser: L_ij = i g f(x_i - x_j), M_ij = i g f'(x_i - x_j), M_ii = i g sum f^2, for f = 1/x, 1/sin, 1/sinh."""
    size, found = len(x), []
    s = sp.Dummy("s")
    for f in (1 / s, 1 / sp.sin(s), 1 / sp.sinh(s)):
        slope = sp.diff(f, s)
        pairs = sum((f.subs(s, x[i] - x[j]) ** 2 for i in range(size) for j in range(i)), sp.Integer(0))
        strength = tidy(V / pairs)
        if strength.has(*x):
            continue
        g = sp.sqrt(strength)
        L, M = sp.diag(*p).as_mutable(), sp.zeros(size, size)
        for i in range(size):
            for j in range(size):
                if i != j:
                    L[i, j] = sp.I * g * f.subs(s, x[i] - x[j])
                    M[i, j] = sp.I * g * slope.subs(s, x[i] - x[j])
                    M[i, i] += sp.I * g * f.subs(s, x[i] - x[j]) ** 2
        found += [(L, M), (L, -M)]
    return found
