"""The common result of every formalism: M(q) u' = S(q, u) + F(q, u, t), with q' = P(q) u."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dalembert import expr as ex
from dalembert.constraints.factor import KineticBasis, OrthogonalRows, solve_symmetric
from dalembert.errors import ModelError
from dalembert.expr import Expr, Matrix
from dalembert.kinematics import Tree

if TYPE_CHECKING:
    from dalembert.formalisms.reactions import Reaction
    from dalembert.presentation.lines import Statement


@dataclass(frozen=True)
class Equations:
    """Equations of motion in the speeds u.

    `mass_matrix` M, `bias` S (inertia terms quadratic in the speeds), `forces` F (gravity and known efforts), and
    `rates`, the coordinates' derivatives q' = P(q) u. With closed loops M u' = S + F + G^T lambda, where `constraint`
    is G and G u' = `constraint_right`.
    """

    formalism: str
    tree: Tree = field(repr=False)
    mass_matrix: Matrix = field(repr=False)
    bias: tuple[Expr, ...] = field(repr=False)
    forces: tuple[Expr, ...] = field(repr=False)
    constraint: Matrix | None = field(default=None, repr=False)  # G of the closed loops: G u' = constraint_right
    constraint_right: tuple[Expr, ...] = field(default=(), repr=False)
    detail: Any = field(default=None, repr=False, compare=False)  # what only this formalism knows: L, H, reactions...
    level: str = field(default="vector", compare=False)  # how much detail `show` gives when it is not told

    @property
    def coordinates(self) -> tuple[str, ...]:
        return self.tree.layout.coordinates

    @property
    def speeds(self) -> tuple[str, ...]:
        return self.tree.layout.speeds

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """Names of every other symbol in the equations: constants that need a value."""
        known = {ex.symbol(x) for x in (*self.coordinates, *self.speeds)} | {ex.TIME}
        used = ex.free_symbols([*self.mass_matrix.entries, *self.bias, *self.forces, *self.rates])
        return tuple(sorted(x.name for x in used - known))

    @cached_property
    def rates(self) -> tuple[Expr, ...]:
        return tuple(self.tree.rates[x] for x in self.tree.coordinates)

    @cached_property
    def right_side(self) -> tuple[Expr, ...]:
        """S + F."""
        return tuple(s + f for s, f in zip(self.bias, self.forces, strict=True))

    @property
    def conditions(self) -> tuple[tuple[str, Expr], ...]:
        """What must not vanish for the equations to hold: the charts of rotations, by name."""
        return self.tree.conditions

    @cached_property
    def accelerations(self) -> tuple[Expr, ...]:
        """u' as expressions, by the symbolic LDL^T of the mass matrix (and the multipliers of closed loops)."""
        if self.constraint is None:
            return tuple(solve_symmetric(self.mass_matrix, self.right_side, self.speeds))
        return self._constrained[0]

    @cached_property
    def multipliers(self) -> tuple[Expr, ...]:
        """lambda of the closed loops, zero on rows that depend on others."""
        return () if self.constraint is None else self._constrained[1]

    @cached_property
    def _constrained(self) -> tuple[tuple[Expr, ...], tuple[Expr, ...]]:
        assert self.constraint is not None
        basis = KineticBasis.of(self.mass_matrix, self.speeds)
        rows = [basis.covector(row) for row in self.constraint.rows()]
        normal, free = OrthogonalRows.of(rows), basis.covector(self.right_side)
        pairs = zip(self.constraint_right, rows, strict=True)
        weights = normal.weights([right - ex.dot_product(row, free) for right, row in pairs])
        moved = [a + b for a, b in zip(free, normal.combination(weights), strict=True)]
        return tuple(basis.speeds(moved)), tuple(normal.multipliers(weights))

    def residual(self, accelerations: Sequence[Expr]) -> list[Expr]:
        """M u' - S - F."""
        product = self.mass_matrix @ Matrix.column(accelerations)
        return [left - right for left, right in zip(product.entries, self.right_side, strict=True)]

    @cached_property
    def operations(self) -> int:
        """Operations to evaluate M, S and F, shared subexpressions once."""
        return ex.count_operations([*self.mass_matrix.entries, *self.bias, *self.forces])

    def to_sympy(self) -> dict[str, Any]:
        """SymPy matrices: mass_matrix, bias, forces, rates."""
        columns = {"bias": self.bias, "forces": self.forces, "rates": self.rates}
        found = {name: Matrix.column(values).to_sympy() for name, values in columns.items()}
        return {"mass_matrix": self.mass_matrix.to_sympy(), **found}

    def require_tree(self, what: str) -> None:
        """Refuse what would be wrong for closed loops, whose cut links these equations leave out."""
        cuts = [one.link.name for one in self.tree.layout.cuts]
        if cuts:
            raise ModelError(
                f"{what} of '{self.tree.layout.model.name}' need its closed loops, and these are the equations of "
                f"its tree: they leave out {', '.join(cuts)}. Solve the closed system instead."
            )

    # --- for people ------------------------------------------------------------------------------------------------

    def show(self, level: str | None = None) -> Statement:
        """The equations at a level: "vector" (theorems), "matrix" (rotations, tildes, blocks) or "scalar".

        The result prints as text and has `latex()`, `html()`, `mathml()` and `as_dict()`.
        """
        from dalembert.formalisms.levels import show

        return show(self, level or self.level)

    def expand(self) -> Equations:
        """The same equations, shown one level further: vector, then matrix, then scalar."""
        from dalembert.presentation.lines import LEVELS

        place = LEVELS.index(self.level)  # type: ignore[arg-type]
        return replace(self, level=LEVELS[min(place + 1, len(LEVELS) - 1)])

    @property
    def formulas(self) -> Statement:
        """The table of specific formulas used: kinematic and kinetic definitions, down to coordinates."""
        from dalembert.formalisms.levels import formulas

        return formulas(self)

    def reactions(self, links: Collection[str] | None = None, **choices: Any) -> dict[str, Reaction]:
        """Actions of links on their second bodies: see `dalembert.formalisms.reactions.reactions`."""
        from dalembert.formalisms.reactions import reactions

        return reactions(self, links, **choices)

    def as_dict(self) -> dict[str, Any]:
        """Names, and M, S, F, q' as formulas with shared intermediates: the JSON form."""
        n = len(self.speeds)
        listing = ex.listing([*self.mass_matrix.entries, *self.bias, *self.forces, *self.rates])
        results = listing.results
        return {
            "formalism": self.formalism,
            "coordinates": list(self.coordinates),
            "speeds": list(self.speeds),
            "parameters": list(self.parameters),
            "operations": self.operations,
            "intermediates": dict(listing.definitions),
            "mass_matrix": [list(results[i * n : (i + 1) * n]) for i in range(n)],
            "bias": list(results[n * n : n * n + n]),
            "forces": list(results[n * n + n : n * n + 2 * n]),
            "rates": list(results[n * n + 2 * n :]),
        }

    def _repr_latex_(self) -> str:
        return self.show()._repr_latex_()

    def _repr_html_(self) -> str:
        return self.show()._repr_html_()
