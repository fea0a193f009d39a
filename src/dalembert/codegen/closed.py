"""The quantities of a mechanism with closed loops: the cut links' coordinates are further coordinates."""

from __future__ import annotations

from functools import cached_property

from dalembert import expr as ex
from dalembert.constraints.factor import KineticBasis, OrthogonalRows
from dalembert.dynamics.quantities import Quantities
from dalembert.errors import ModelError
from dalembert.expr import Expr
from dalembert.loops.dynamics import LoopEquations, derive_loops
from dalembert.mechanism import Layout, Mechanism, Model


class ClosedQuantities(Quantities):
    """As for a tree, in coordinates (tree, then cut links) that close the loops and speeds that they allow."""

    @cached_property
    def loops(self) -> LoopEquations:
        return derive_loops(self.layout)

    @property
    def coordinates(self) -> list[Expr]:
        cut = [ex.symbol(x) for one in self.layout.cuts for x in one.link.coordinates]
        return [*super().coordinates, *cut]

    @cached_property
    def rates(self) -> list[Expr]:
        return [*(self.tree.rates[x] for x in self.tree.coordinates), *self.loops.cut_rates]

    def accelerations(self, efforts: list[Expr] | None = None) -> list[Expr]:
        """u' with the closing reactions; of further efforts, what the loops let through."""
        found = list(self.loops.accelerations)
        if efforts:
            basis, normal = self._metric
            left = basis.covector(efforts)
            for row in normal.rows:
                weight = ex.dot_product(row, left)
                left = [a - weight * b for a, b in zip(left, row, strict=True)]
            found = [a + b for a, b in zip(found, basis.speeds(left), strict=True)]
        return found

    @cached_property
    def _metric(self) -> tuple[KineticBasis, OrthogonalRows]:
        """The kinetic metric, and the constraints as orthonormal rows in it."""
        basis = KineticBasis.of(self.loops.mass)
        return basis, OrthogonalRows.of([basis.covector(row) for row in self.loops.constraint.rows()])

    def acceleration_slopes(self, variables: list[Expr], efforts: list[Expr]) -> list[Expr]:
        return [x for row in ex.jacobian(self.accelerations(efforts), variables) for x in row]

    @cached_property
    def inverse_mass(self) -> list[Expr]:
        """Derivative of u' with respect to efforts: the inverse of M on what the loops allow, zero across."""
        return [x for row in ex.jacobian(self.accelerations(self.efforts), self.efforts) for x in row]

    @cached_property
    def inverse_dynamics(self) -> list[Expr]:
        names = ", ".join(repr(one.link.name) for one in self.layout.cuts)
        raise ModelError(
            f"'{self.mechanism.name}' has closed loops (links {names}): many efforts give it the same motion, so that "
            "its inverse dynamics has no one answer. Ask for the efforts of a tree, or say which joints are driven."
        )

    @cached_property
    def corrected(self) -> list[Expr]:
        """The state (q, u) one Newton step nearer to closed loops and to speeds that keep them closed."""
        return list(self.loops.corrected)


def quantities_of(mechanism: Mechanism | Model, layout: Layout | None = None) -> Quantities:
    """The quantities of a tree, or of a mechanism with closed loops."""
    about = Quantities(mechanism, layout)
    return ClosedQuantities(mechanism, about.layout) if about.layout.cuts else about
