"""The common result of every formalism: M(q) u' = S(q, u) + F(q, u, t) + D^T Lambda, D u' = gamma, with q' = P(q) u."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from dalembert import expr as ex
from dalembert.constraints.factor import solve_symmetric
from dalembert.constraints.resolve import Resolved, resolve
from dalembert.constraints.rows import Rows
from dalembert.expr import Expr, Matrix
from dalembert.kinematics import Tree
from dalembert.mechanism import Layout

if TYPE_CHECKING:
    from dalembert.formalisms.choice import Choice
    from dalembert.formalisms.isolation import SubSystem
    from dalembert.formalisms.reactions import Reaction
    from dalembert.presentation.axes import Quantity
    from dalembert.presentation.lines import Statement
    from dalembert.presentation.notation import Notation


def closed_forces(forces: Sequence[Expr], rows: Rows) -> tuple[Expr, ...]:
    """Efforts on the speeds with those of the cut links, whose coordinates' rates are written in the state."""
    rates = {ex.prime(one.coordinate): one.rate for one in rows.own}
    return tuple(f + e for f, e in zip(ex.substitute(list(forces), rates), rows.efforts, strict=True))


@dataclass(frozen=True)
class Equations:
    """Equations of motion in the speeds u.

    `mass_matrix` M, `bias` S (inertia terms quadratic in the speeds), `forces` F (gravity and known efforts), and
    `rates`, the coordinates' derivatives q' = P(q) u. With closed loops M u' = S + F + W^T lambda and D u' = gamma:
    `rows` holds them, `constraint` is D and `reaction` is W (the same for perfect links).
    """

    formalism: str
    tree: Tree = field(repr=False)
    mass_matrix: Matrix = field(repr=False)
    bias: tuple[Expr, ...] = field(repr=False)
    forces: tuple[Expr, ...] = field(repr=False)
    rows: Rows | None = field(default=None, repr=False)  # what the cut links ask; None for a tree
    detail: Any = field(default=None, repr=False, compare=False)  # what only this formalism knows: L, H, reactions...
    level: str = field(default="vector", compare=False)  # how much detail `show` gives when it is not told

    @property
    def layout(self) -> Layout:
        return self.tree.layout

    @property
    def coordinates(self) -> tuple[str, ...]:
        return self.layout.coordinates

    @property
    def speeds(self) -> tuple[str, ...]:
        return self.layout.speeds

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """Names of every other symbol in the equations: constants that need a value."""
        known = {ex.symbol(x) for x in (*self.coordinates, *self.speeds, *self.cut_rates)} | {ex.TIME}
        used = ex.free_symbols([*self.mass_matrix.entries, *self.bias, *self.forces, *self.rates, *self._asked])
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

    # --- closed loops ----------------------------------------------------------------------------------------------

    @property
    def constraint(self) -> Matrix | None:
        """D: D u + drift = 0 and D u' = gamma; None for a tree."""
        return None if self.rows is None else self.rows.matrix

    @property
    def gamma(self) -> tuple[Expr, ...]:
        return () if self.rows is None else self.rows.gamma

    @property
    def reaction(self) -> Matrix | None:
        """W: the multipliers push the speeds by W^T lambda; None for a tree."""
        return None if self.rows is None else self.rows.reaction

    @property
    def multiplier_names(self) -> tuple[str, ...]:
        """`crank.Fx`: the component of the reaction of the cut link `crank` that a multiplier is."""
        return () if self.rows is None else self.rows.names

    @cached_property
    def cut_rates(self) -> dict[str, Expr]:
        """Own coordinates of the cut links, with their rates in the state."""
        return {} if self.rows is None else {one.coordinate.name: one.rate for one in self.rows.own}

    @property
    def _asked(self) -> list[Expr]:
        """Every expression of the rows: D, drift, gamma, gap, and the rates of their own coordinates."""
        if self.rows is None:
            return []
        gaps = [ex.ZERO if x is None else x for x in self.rows.gap]
        reaction = self.rows.reaction.entries if self.rows.pushed else ()
        asked = [*self.rows.drift, *self.rows.gamma, *gaps, *self.cut_rates.values()]
        drags = [x for one in self.rows.sliding.values() for x in one.drag]
        return [*self.rows.matrix.entries, *asked, *reaction, *drags]

    @cached_property
    def accelerations(self) -> tuple[Expr, ...]:
        """u' as expressions: by the symbolic LDL^T of the mass matrix, closed loops by `constraints.resolve`."""
        if self._resolved is None:
            return tuple(solve_symmetric(self.mass_matrix, self.right_side, self.speeds))
        return self._resolved.accelerations

    @cached_property
    def multipliers(self) -> tuple[Expr, ...]:
        """lambda of the closed loops, zero on rows that depend on others."""
        return () if self._resolved is None else self._resolved.multipliers

    @cached_property
    def _resolved(self) -> Resolved | None:
        return None if self.rows is None else resolve(self.mass_matrix, self.right_side, self.rows, self.speeds)

    def closed(self, rows: Rows) -> Equations:
        """The equations of a tree completed by rows in the same speeds, and by the known efforts in cut links."""
        return replace(self, rows=rows, forces=closed_forces(self.forces, rows))

    def reduced(self) -> Equations:
        """The same equations without what cancels in M, S, F, D and gamma: see `expr.reduce`."""
        rows, n = self.rows, len(self.speeds)
        told = [] if rows is None else [*rows.matrix.entries, *rows.gamma, *rows.drift]
        flat = iter(ex.reduce([*self.mass_matrix.entries, *self.bias, *self.forces, *told]))

        def take(count: int) -> tuple[Expr, ...]:
            return tuple(itertools.islice(flat, count))

        mass = Matrix([take(n) for _ in range(n)], (n, n))
        found = replace(self, mass_matrix=mass, bias=take(n), forces=take(n))
        if rows is None:
            return found
        matrix = Matrix([take(n) for _ in rows.names], rows.matrix.shape)
        return replace(found, rows=replace(rows, matrix=matrix, gamma=take(len(rows)), drift=take(len(rows))))

    # --- data ------------------------------------------------------------------------------------------------------

    def residual(self, accelerations: Sequence[Expr]) -> list[Expr]:
        """M u' - S - F."""
        product = self.mass_matrix @ Matrix.column(accelerations)
        return [left - right for left, right in zip(product.entries, self.right_side, strict=True)]

    @cached_property
    def operations(self) -> int:
        """Operations to evaluate M, S, F, D and gamma, shared subexpressions once."""
        asked = [] if self.rows is None else [*self.rows.matrix.entries, *self.rows.gamma]
        return ex.count_operations([*self.mass_matrix.entries, *self.bias, *self.forces, *asked])

    def to_sympy(self) -> dict[str, Any]:
        """SymPy matrices: mass_matrix, bias, forces, rates; with closed loops constraint, drift, gamma, reaction too.

        `multipliers` is the column of their symbols, and `cut_rates` the rates of the cut links' own coordinates.
        """
        columns = {"bias": self.bias, "forces": self.forces, "rates": self.rates}
        found = {"mass_matrix": self.mass_matrix.to_sympy()}
        if self.rows is not None:
            weights = tuple(ex.symbol(x) for x in self.rows.names)
            columns |= {"drift": self.rows.drift, "gamma": self.rows.gamma, "multipliers": weights}
            columns |= {"cut_rates": tuple(self.cut_rates.values())}
            found |= {"constraint": self.rows.matrix.to_sympy(), "reaction": self.rows.reaction.to_sympy()}
        return found | {name: Matrix.column(values).to_sympy() for name, values in columns.items()}

    def as_dict(self) -> dict[str, Any]:
        """Names, and M, S, F, q', rows as formulas with shared intermediates: the JSON form."""
        asked = self._asked
        entries = [*self.mass_matrix.entries, *self.bias, *self.forces, *self.rates, *asked]
        listing = ex.listing(entries)
        results = iter(listing.results)

        def take(count: int) -> list[str]:
            return [next(results) for _ in range(count)]

        n, motion = len(self.speeds), "M u' = S + F"
        data: dict[str, Any] = {
            "formalism": self.formalism,
            "motion": motion if self.rows is None else f"{motion} + W^T lambda, D u' = gamma",
            "coordinates": list(self.coordinates),
            "speeds": list(self.speeds),
            "parameters": list(self.parameters),
            "operations": self.operations,
            "intermediates": dict(listing.definitions),
            "mass_matrix": [take(n) for _ in range(n)],
            "bias": take(n),
            "forces": take(n),
            "rates": take(len(self.coordinates)),
        }
        if self.rows is not None:
            m = len(self.rows)
            matrix = [take(n) for _ in range(m)]
            drift, gamma, gap = take(m), take(m), take(m)
            data["constraints"] = {
                "multipliers": list(self.rows.names),
                "matrix": matrix,
                "reaction": matrix,
                "drift": drift,
                "gamma": gamma,
                "gap": [None if x is None else text for x, text in zip(self.rows.gap, gap, strict=True)],
                "cut_links": [one.link.name for one in self.layout.cuts],
                "coordinates": dict(zip(self.cut_rates, take(len(self.cut_rates)), strict=True)),
            }
            if self.rows.pushed:
                data["constraints"]["reaction"] = [take(n) for _ in range(m)]
            if self.rows.sliding:
                data["constraints"]["friction"] = {self.rows.names[k]: take(n) for k in self.rows.sliding}
        return data

    def export(self, to: str) -> str:
        """The same as a file of "maple", "mathematica", "maxima" or "sympy"."""
        from dalembert.formalisms.export import export

        return export(self, to)

    # --- for people ------------------------------------------------------------------------------------------------

    def show(self, level: str | None = None, notation: Notation | None = None) -> Statement:
        """The equations at a level: "vector" (theorems), "matrix" (rotations, tildes, blocks) or "scalar".

        The result prints as text and has `latex()`, `html()`, `mathml()` and `as_dict()`. A `Notation` chooses dots or
        primes, names or numbers of coordinates, definitions last or first.
        """
        from dalembert.formalisms.levels import show
        from dalembert.presentation.notation import PLAIN

        return show(self, level or self.level, notation or PLAIN)

    def open(self, *names: str, level: str | None = None) -> Statement:
        """The equations at a level with some names opened into the next: their definitions written out in place.

        A name that this level leaves to the next one (`M_0_4`, `rho4`) gets its line from the table of `formulas`.
        """
        from dalembert.formalisms.levels import formulas
        from dalembert.presentation.opening import opened

        return opened(self.show(level), names, lambda: formulas(self).lines)

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

    def partial_velocities(self) -> Statement:
        """Kane's table: the partial velocities of every body for every speed, in the axes of the body."""
        from dalembert.formalisms.kane import partial_velocity_table

        return partial_velocity_table(self.tree)

    def reactions(
        self,
        links: Collection[str] | None = None,
        *,
        base: str = "second",
        at: str = "second",
        solved: bool = True,
        side: str = "short",
    ) -> dict[str, Reaction]:
        """Actions of links on their second bodies: see `dalembert.formalisms.reactions.reactions`."""
        from dalembert.formalisms.reactions import reactions

        return reactions(self, links, base=base, at=at, solved=solved, side=side)

    def isolate(self, bodies: str | Sequence[str], *, at: str | None = None, base: str | None = None) -> SubSystem:
        """Some bodies alone, with the unknown reactions on their border: see `dalembert.formalisms.isolation`."""
        from dalembert.formalisms.isolation import isolated
        from dalembert.formalisms.reactions import isolated_bodies

        found = isolated(isolated_bodies(self), [bodies] if isinstance(bodies, str) else bodies, at, base)
        return replace(found, known=self._accelerated)

    def isolations(self) -> Choice:
        """Sub-systems and points chosen so that every equation is free of unknown reactions."""
        from dalembert.formalisms.choice import choose
        from dalembert.formalisms.reactions import isolated_bodies

        return replace(choose(isolated_bodies(self)), known=self._accelerated)

    def _accelerated(self) -> list[Quantity]:
        """Names for parts of balances that hold accelerations."""
        from dalembert.formalisms.levels import named_quantities
        from dalembert.presentation.quantities import accelerated

        return [*accelerated(self.tree), *named_quantities(self)]

    def __str__(self) -> str:
        """The equations, at the scalar level."""
        return str(self.show("scalar"))

    def __repr__(self) -> str:
        kind = "closed loops" if not self.layout.further else "constraints"
        rows = f", {len(self.rows.names)} rows of {kind}" if self.rows is not None else ""
        return f"<Equations of {self.layout.model.name!r} by {self.formalism}: speeds {', '.join(self.speeds)}{rows}>"

    def _repr_latex_(self) -> str:
        return self.show("scalar")._repr_latex_()

    def _repr_html_(self) -> str:
        return self.show("scalar")._repr_html_()
