"""Equations as a file of a computer algebra system: names, intermediates, M, S, F, q', rows."""

from __future__ import annotations

from collections.abc import Sequence

from dalembert import expr as ex
from dalembert.expr import Expr, Matrix
from dalembert.expr.systems import system, worksheet
from dalembert.formalisms.equations import Equations
from dalembert.formalisms.minimal import MinimalEquations
from dalembert.formalisms.projected import ProjectedEquations

Parts = dict[str, Matrix | Sequence[Expr]]


def export(eq: Equations | ProjectedEquations, to: str) -> str:
    """The text of a file for "maple", "mathematica", "maxima" or "sympy"."""
    parts, motion = _closed_parts(eq) if isinstance(eq, Equations) else _projected_parts(eq)
    names = {"coordinates": _symbols(eq.coordinates), "speeds": _symbols(eq.speeds)}
    notes = [motion, f"parameters: {', '.join(eq.parameters) or 'none'}"]
    return worksheet(system(to), f"{eq.layout.model.name}, equations by {eq.formalism}", names | parts, notes)


def _symbols(names: Sequence[str]) -> list[Expr]:
    return [ex.symbol(x) for x in names]


def _closed_parts(eq: Equations) -> tuple[Parts, str]:
    motion = "mass_matrix u' = bias + forces; the rates of the coordinates are rates(u)"
    parts: Parts = {"mass_matrix": eq.mass_matrix, "bias": eq.bias, "forces": eq.forces, "rates": eq.rates}
    rows = eq.rows
    if rows is None:
        return parts, motion
    closed: Parts = {"multipliers": _symbols(rows.names), "constraint": rows.matrix, "reaction": rows.reaction}
    own: Parts = {"drift": rows.drift, "gamma": rows.gamma, "cut_coordinates": _symbols(list(eq.cut_rates))}
    own["cut_rates"] = list(eq.cut_rates.values())
    told = "mass_matrix u' = bias + forces + reaction^T multipliers, constraint u' = gamma"
    return parts | closed | own, told


def _projected_parts(eq: ProjectedEquations) -> tuple[Parts, str]:
    """Names that follow from the independent ones stand beside their formulas, each in those before it."""
    defined = eq.definitions if isinstance(eq, MinimalEquations) else eq.dependent_speeds
    parts: Parts = {"mass_matrix": eq.mass_matrix, "bias": eq.bias, "forces": eq.forces}
    told = "mass_matrix v' = bias + forces in the independent speeds v; dependent = dependent_values"
    return parts | {"dependent": _symbols(list(defined)), "dependent_values": list(defined.values())}, told
