"""Momentum maps: the phase space function of every symmetry, and the algebra that their brackets make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sympy as sp

from dalembert.errors import ModelError

from ..canonical.brackets import poisson_bracket
from ..formulas._equality import is_zero
from ..formulas._linear_search import identically_zero
from ..formulas._names import Formula
from ..formulas._normal import tidy

if TYPE_CHECKING:
    from ..systems.system import System


@dataclass(frozen=True)
class MomentumMap:
    """J_a = p.xi_a(q) of each symmetry field, whether it is conserved, and {J_a, J_b} = sum c_ab^k J_k."""

    components: dict[str, sp.Expr]
    conserved: dict[str, bool]
    structure: dict[tuple[str, str], dict[str, sp.Expr]]

    @property
    def commuting(self) -> bool:
        """Whether all components are in involution: the symmetry is that of a torus or of translations."""
        return all(not row for row in self.structure.values())


def momentum_map(system: System, fields: Mapping[str, Sequence[Formula]]) -> MomentumMap:
    """The momentum map of fields xi on the configurations, {name: [xi of each coordinate]}.

    >>> from dalembert.analytic import System
    >>> s = System("x y z", L="m*(x_d**2 + y_d**2 + z_d**2)/2 - V(x**2 + y**2 + z**2)", positive="m")
    >>> turns = {"Lx": ["0", "-z", "y"], "Ly": ["z", "0", "-x"], "Lz": ["-y", "x", "0"]}
    >>> made = momentum_map(s, turns)
    >>> made.components["Lz"], made.structure["Lx", "Ly"]
    (-px*y + py*x, {'Lz': 1})
    """
    if not fields:
        raise ModelError("name at least one field, as {'Lz': ['-y', 'x']}")
    view, n = system.hamilton(), system.names
    parts: dict[str, sp.Expr] = {}
    for label, xi in fields.items():
        if isinstance(xi, str) or len(xi) != len(view.q):
            raise ModelError(
                f"the field {label} is a list of {len(view.q)} components, one for each coordinate, not {xi!r}"
            )
        parts[label] = sp.expand(sum((p * n.read(e) for p, e in zip(view.p, xi)), sp.Integer(0)))
    z = [*view.q, *view.p]
    conserved = {k: bool(is_zero(poisson_bracket(J, view.H, view.q, view.p))) for k, J in parts.items()}
    labels, structure = list(parts), {}
    for i, a in enumerate(labels):
        for b in labels[i + 1 :]:
            made = poisson_bracket(parts[a], parts[b], view.q, view.p)
            structure[a, b] = _combination(made, parts, z, f"{{{a}, {b}}}")
    return MomentumMap({k: tidy(J) for k, J in parts.items()}, conserved, structure)


def _combination(made: sp.Expr, parts: Mapping[str, sp.Expr], z: Sequence[sp.Symbol], what: str) -> dict[str, sp.Expr]:
    if is_zero(made):
        return {}
    unknown = [sp.Dummy(f"c{k}") for k in range(len(parts))]
    last = sp.Dummy("one")
    total = sum((c * J for c, J in zip(unknown, parts.values())), sp.Integer(0)) - last * made
    for solution in identically_zero([total], [*unknown, last], z):
        if solution[last] != 0:
            return {k: e for k, c in zip(parts, unknown) if (e := tidy(solution[c] / solution[last])) != 0}
    raise ModelError(f"the fields do not close: {what} = {tidy(made)} is no combination of them. Add that symmetry")
