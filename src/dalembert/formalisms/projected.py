"""Equations projected on what the rows allow: u = Psi v + c with G Psi = 0, so that perfect reactions drop out.

M_v v' = S_v + F_v,    M_v = Psi^T M Psi,    S_v = Psi^T (S - M b),    F_v = Psi^T F        u' = Psi v' + b
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dalembert import expr as ex
from dalembert.constraints.eliminate import Elimination
from dalembert.constraints.factor import solve_symmetric
from dalembert.constraints.rows import Rows
from dalembert.expr import Expr, Matrix
from dalembert.formalisms.equations import Equations
from dalembert.mechanism import Layout

if TYPE_CHECKING:
    from dalembert.presentation.lines import Statement


@dataclass(frozen=True)
class ProjectedEquations:
    """M v' = S + F in independent speeds v, by one formalism; `closed` are its equations with multipliers."""

    closed: Equations = field(repr=False)
    elimination: Elimination = field(repr=False)

    @property
    def formalism(self) -> str:
        return self.closed.formalism

    @property
    def layout(self) -> Layout:
        return self.closed.layout

    @property
    def rows(self) -> Rows:
        assert self.closed.rows is not None
        return self.closed.rows

    @property
    def coordinates(self) -> tuple[str, ...]:
        """All of them: conditions on speeds take none away."""
        return self.closed.coordinates

    @property
    def speeds(self) -> tuple[str, ...]:
        return tuple(self.closed.speeds[k] for k in self.elimination.independent)

    @property
    def parameters(self) -> tuple[str, ...]:
        return self.closed.parameters

    @property
    def psi(self) -> Matrix:
        """Psi: u = Psi v + c, as many rows as the tree has speeds."""
        return self.elimination.psi

    @cached_property
    def dependent_speeds(self) -> dict[str, Expr]:
        """u = Psi v + c of the speeds that are not independent."""
        own = [ex.symbol(x) for x in self.speeds]
        found = {}
        for k, (name, row) in enumerate(zip(self.closed.speeds, self.psi.rows(), strict=True)):
            if k not in self.elimination.independent:
                found[name] = ex.dot_product(list(row), own) + self.elimination.rest[k]
        return found

    def _written(self, exprs: Sequence[Expr]) -> tuple[Expr, ...]:
        """In the variables of these equations: here in all coordinates and speeds."""
        return tuple(exprs)

    @cached_property
    def mass_matrix(self) -> Matrix:
        return (self.psi.T @ self.closed.mass_matrix).symmetric_product(self.psi)

    @cached_property
    def bias(self) -> tuple[Expr, ...]:
        """Psi^T (S - M b)."""
        bent = self.closed.mass_matrix @ Matrix.column(self.elimination.bend)
        return self._written((self.psi.T @ (Matrix.column(self.closed.bias) - bent)).entries)

    @cached_property
    def forces(self) -> tuple[Expr, ...]:
        """Psi^T F."""
        return self._written((self.psi.T @ Matrix.column(self.closed.forces)).entries)

    @cached_property
    def right_side(self) -> tuple[Expr, ...]:
        return tuple(s + f for s, f in zip(self.bias, self.forces, strict=True))

    @cached_property
    def accelerations(self) -> tuple[Expr, ...]:
        """v' as expressions of what the mass matrix is written in."""
        return tuple(solve_symmetric(self.mass_matrix, self.right_side, self.speeds))

    # --- for people and programs -----------------------------------------------------------------------------------

    def show(self, level: str | None = None) -> Statement:
        raise NotImplementedError

    @property
    def formulas(self) -> Statement:
        """The table of formulas of the equations with multipliers."""
        return self.closed.formulas

    def _table(self, motion: str, further: dict[str, Sequence[Expr]], defined: dict[str, Expr]) -> dict[str, Any]:
        """Names, M, S, F, `further` columns and the definitions as formulas with shared intermediates."""
        n = len(self.speeds)
        columns = {"bias": self.bias, "forces": self.forces, **further}
        entries = [*self.mass_matrix.entries, *(e for column in columns.values() for e in column), *defined.values()]
        listing = ex.listing(entries)
        results = iter(listing.results)

        def take(count: int) -> list[str]:
            return [next(results) for _ in range(count)]

        return {
            "formalism": self.formalism,
            "motion": motion,
            "coordinates": list(self.coordinates),
            "speeds": list(self.speeds),
            "parameters": list(self.parameters),
            "intermediates": dict(listing.definitions),
            "mass_matrix": [take(n) for _ in range(n)],
            **{name: take(len(column)) for name, column in columns.items()},
            "definitions": dict(zip(defined, take(len(defined)), strict=True)),
        }

    def export(self, to: str) -> str:
        """The same as a file of "maple", "mathematica", "maxima" or "sympy"."""
        from dalembert.formalisms.export import export

        return export(self, to)

    def __str__(self) -> str:
        """The equations, as `Equations` prints them: at the scalar level."""
        return str(self.show("scalar"))

    def _repr_latex_(self) -> str:
        return self.show()._repr_latex_()

    def _repr_html_(self) -> str:
        return self.show()._repr_html_()
