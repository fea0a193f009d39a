"""Lagrange's mechanics: one function L, one equation a coordinate, multipliers for the constraints."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import sympy as sp

from dalembert.errors import ExpressionError, ModelError, SingularError

from ..formulas._equality import Verdict, is_zero, proportional
from ..formulas._exact import as_sympy
from ..formulas._names import Formula, Names
from ..formulas._normal import as_sum, tidy
from ..formulas._solving import linear_parts, solve_linear
from ..formulas.claims import Judge, Report, check, report_of
from ..formulas.steps import Notebook, Steps
from ._constrained import vanishes_on_constraints

if TYPE_CHECKING:
    from .system import System


def euler_lagrange(L: sp.Expr, names: Names) -> tuple[sp.Expr, ...]:
    """The expressions d/dt(dL/dq') - dL/dq, one for each coordinate."""
    L = as_sympy(L)
    return tuple(names.derivative(sp.diff(L, v)) - sp.diff(L, q) for q, v in zip(names.q, names.v))


@dataclass(frozen=True)
class Lagrange(Judge):
    """L, the equations of motion (= 0), accelerations, multipliers, momenta and energy function of a system."""

    system: System
    L: sp.Expr
    expressions: tuple[sp.Expr, ...]
    forces: tuple[sp.Expr, ...]
    equations: tuple[sp.Expr, ...]
    momenta: dict[str, sp.Expr]
    steps: Steps

    @property
    def names(self) -> Names:
        return self.system.names

    @cached_property
    def mass_matrix(self) -> sp.Matrix:
        """Second derivatives of L in the velocities."""
        v = [self.names.velocity(c) for c in self.system.coordinates]
        return sp.hessian(self.L, v).applyfunc(tidy)

    @cached_property
    def singular(self) -> sp.Expr:
        """The determinant of the mass matrix: the motion is undetermined where it vanishes."""
        return tidy(self.mass_matrix.det(method="berkowitz"))

    @cached_property
    def _solution(self) -> dict[sp.Symbol, sp.Expr]:
        n, system = self.names, self.system
        unknowns = [n.velocity(c, 2) for c in system.coordinates] + list(system.multipliers)
        equations = list(self.equations) + [system.freeze(c) for c in system.constraint_accelerations]
        parts = linear_parts(equations, unknowns)
        if parts is None:
            raise SingularError("the equations of motion are not affine in the accelerations")
        matrix, right = parts
        determinant = matrix.det(method="berkowitz")
        if is_zero(determinant):
            raise SingularError(
                f"the accelerations of {', '.join(system.coordinates)} are not determined: the matrix of the equations "
                "has determinant 0 everywhere. A coordinate carries no inertia, or a constraint is repeated."
            )
        return dict(zip(unknowns, solve_linear(matrix, right)))

    @cached_property
    def accelerations(self) -> dict[str, sp.Expr]:
        """q'' of each coordinate, as a function of the state."""
        return {c: self._solution[self.names.velocity(c, 2)] for c in self.system.coordinates}

    @cached_property
    def multipliers(self) -> dict[str, sp.Expr]:
        """The multipliers lambda_i: EL_j = sum lambda_i df_i/dq_j."""
        return {s.name: self._solution[s] for s in self.system.multipliers}

    @cached_property
    def constraint_forces(self) -> dict[str, sp.Expr]:
        """Generalised constraint force of each coordinate, sum_i lambda_i a_ij."""
        rows, values = self.system.constraint_rows, list(self.multipliers.values())
        return {
            c: tidy(sum((values[i] * rows[i][j] for i in range(len(rows))), sp.Integer(0)))
            for j, c in enumerate(self.names.coordinates)
        }

    @cached_property
    def reactions(self) -> dict[str, sp.Expr]:
        """For each released coordinate the generalised reaction that keeps it frozen."""
        n, system, found = self.names, self.system, {}
        on_shell = {n.velocity(c, 2): a for c, a in self.accelerations.items()}
        el, q = euler_lagrange(system.lagrangian, n), system.generalised_forces
        for j, label in enumerate(n.coordinates):
            if label in system.released:
                found[label] = tidy(system.freeze(el[j] - q[j]).subs(on_shell))
        return found

    @cached_property
    def energy(self) -> sp.Expr:
        """The energy function h = sum q' dL/dq' - L (Jacobi's integral)."""
        v = [self.names.velocity(c) for c in self.system.coordinates]
        return tidy(sp.expand(sum(x * sp.diff(self.L, x) for x in v) - self.L))

    @cached_property
    def cyclic(self) -> tuple[str, ...]:
        """Coordinates absent from L, with no force on them, whose velocity is present."""
        n = self.names
        return tuple(
            c
            for c, f in zip(self.system.coordinates, self.forces)
            if not self.L.has(n.symbol(c)) and self.L.has(n.velocity(c)) and is_zero(f)
        )

    def rate(self, quantity: Formula) -> sp.Expr:
        """dF/dt along the motion, accelerations replaced by their values."""
        n = self.names
        total = n.derivative(self._state(quantity))
        on_shell = {n.velocity(c, 2): a for c, a in self.accelerations.items()}
        return tidy(self.system.freeze(total).subs(on_shell))

    def is_first_integral(self, quantity: Formula) -> Verdict:
        """Whether a function of the state keeps its value along every motion: yes, no, or not decided.

        `.equal` is True, False or None. In an `if` only a yes counts; `.undecided` tells a no from what is open. With
        constraints the rate is asked to vanish on the states that they allow.
        """
        rate = self.rate(quantity)
        verdict = is_zero(rate)
        return verdict if verdict or not self.system.multipliers else vanishes_on_constraints(self.system, rate)

    def _state(self, quantity: Formula) -> sp.Expr:
        """A function of the state: momenta by velocities, what no state determines refused."""
        n = self.names
        e = n.read(quantity)
        momenta = {n.symbol(p): self.momenta[c] for c, p in zip(self.system.coordinates, self.system.momenta)}
        e = e.subs({s: v for s, v in momenta.items() if s.name not in n.own}, simultaneous=True)
        self.refuse_unknown(e)
        return e

    def first_integrals(self) -> dict[str, sp.Expr]:
        """The integrals seen at once: momenta of cyclic coordinates, and the energy function when time is absent."""
        n, system = self.names, self.system
        found = {f"p_{c}": self.momenta[c] for c in self.cyclic} if not system.multipliers else {}
        still = dict.fromkeys(n.v, sp.Integer(0))
        # a constraint that moves, or a rolling on what moves, works on the system
        conditions = [*system.constraints, *(f.subs(still) for f in system.rolling)]
        explicit = any(
            s == n.time or s.name.rstrip("'") in n.given
            for e in (self.L, *map(system.freeze, system.constraints))
            for s in e.free_symbols
        )
        driven = any(not is_zero(system.freeze(f)) for f in conditions[len(system.constraints) :])
        potential = system.force_potential
        if not explicit and not driven and potential is not None and not potential.has(n.time):
            found["energy"] = tidy(self.energy + system.freeze(potential))
        return found

    def quadrature(self, E: Formula = "E") -> sp.Expr:
        """One degree of freedom: t as the integral of sqrt(a/(2(E - V))) over the coordinate."""
        if len(self.system.coordinates) != 1:
            raise ModelError(f"the quadrature is of one coordinate, not of {', '.join(self.system.coordinates)}")
        (c,) = self.system.coordinates
        q, v = self.names.symbol(c), self.names.velocity(c)
        inertia = sp.diff(self.L, v, 2)
        potential = tidy((inertia * v**2 / 2 - self.L).subs(v, 0))
        if not is_zero(self.L - inertia * v**2 / 2 + potential):
            raise SingularError("the quadrature needs L = a(q) q'^2/2 - V(q)")
        return sp.Integral(sp.sqrt(inertia / (2 * (self.names.read(E) - potential))), q)

    def known(self) -> dict[str, sp.Expr]:
        """L, T, V, h, momenta, accelerations and multipliers by name."""
        table = {"L": self.L, "h": self.energy}
        if self.system.points or self.system.turning:
            table |= {"T": self.system.freeze(self.system.kinetic_energy), "V": self.system.freeze(self.system.V)}
        table |= {f"p_{c}": p for c, p in self.momenta.items()} | {f"{c}''": a for c, a in self.accelerations.items()}
        table |= self.multipliers
        return {k: v for k, v in table.items() if k not in self.names.coordinates}

    def check_equation(self, claim: Formula, coordinate: str | None = None) -> Report:
        """Judge an equation of motion written as a left-hand side of `= 0`, up to a non-zero factor.

        Without `coordinate` it is enough that the motion satisfies it and that it is about accelerations.
        """
        n = self.names
        stated = n.read(claim)
        stated = stated.lhs - stated.rhs if isinstance(stated, sp.Eq) else stated
        self.refuse_unknown(stated)
        accelerations = [n.velocity(c, 2) for c in self.system.coordinates]
        if coordinate is not None:
            if coordinate not in self.system.coordinates:
                raise ModelError(f"{coordinate!r} is no coordinate: there are {', '.join(self.system.coordinates)}")
            truth = self.equations[self.system.coordinates.index(coordinate)]
            verdict = proportional(stated, truth, accelerations, signs=n.signs)
            return report_of(verdict, stated, tidy(truth))
        if stated == 0 or is_zero(stated, signs=n.signs):
            raise ExpressionError(f"the equation {claim} = 0 says nothing: its left-hand side is zero")
        if all(is_zero(sp.diff(stated, a), signs=n.signs) for a in accelerations):
            raise ExpressionError(f"{claim} = 0 is no equation of motion: no acceleration stands in it")
        on_shell = {n.velocity(c, 2): a for c, a in self.accelerations.items()} | {
            n.symbol(k): v for k, v in self.multipliers.items()
        }
        value = stated.subs(on_shell)
        return check(value, sp.Integer(0), names=n)


def lagrange(system: System) -> Lagrange:
    """Derive the Euler-Lagrange equations of a system, with every step kept."""
    n, book = system.names, Notebook()
    L = system.lagrangian
    if system.points or system.turning:
        book.note("Kinetic energy", "T", system.freeze(system.kinetic_energy))
        book.note("Potential energy", "V", system.freeze(system.V))
        if system.U != 0:
            book.note("Generalised potential", "U", system.U)
    expressions, rows = euler_lagrange(L, n), system.constraint_rows
    frozen = as_sum(tidy(system.freeze(L)) if system.L_given is None else system.freeze(L))
    book.note("Lagrangian", "L", frozen)
    equations, forces, own, momenta = [], [], [], {}
    for j, c in enumerate(n.coordinates):
        if c in system.released:
            continue
        v = n.velocity(c)
        momentum = system.freeze(sp.diff(L, v))
        force = tidy(system.freeze(system.generalised_forces[j]))
        reaction = sum((lam * row[j] for lam, row in zip(system.multipliers, rows)), sp.Integer(0))
        expression = system.freeze(expressions[j])
        equation = tidy(sp.expand(expression - force - system.freeze(reaction)))
        book.note(f"Momentum of {c}, dL/d{v}", f"p_{c}", momentum)
        book.note(f"Partial derivative dL/d{c}", f"dL/d{c}", tidy(system.freeze(sp.diff(L, n.symbol(c)))))
        if force != 0:
            book.note(f"Generalised force on {c}", f"Q_{c}", force)
        if reaction != 0:
            book.note(f"Constraint force on {c}", f"R_{c}", reaction)
        book.note(f"Equation of {c}, d/dt(dL/d{v}) - dL/d{c} - Q - R = 0", equation, sp.Integer(0))
        equations.append(equation)
        forces.append(force)
        own.append(expression)
        momenta[c] = momentum
    for f in (*system.constraints, *system.rolling):
        book.note("Constraint", f, sp.Integer(0))
    return Lagrange(system, frozen, tuple(own), tuple(forces), tuple(equations), momenta, book.close())
