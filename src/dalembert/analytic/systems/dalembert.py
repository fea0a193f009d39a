"""D'Alembert's mechanics: given and inertial forces do no work in virtual displacements."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import sympy as sp

from dalembert.errors import ModelError, SingularError

from ..formulas._equality import is_zero, proportional
from ..formulas._names import Formula, Names
from ..formulas._normal import tidy
from ..formulas._solving import linear_parts, solve_linear, solve_system
from ..formulas.claims import Judge, Report, report_of
from ..formulas.steps import Notebook, Steps

if TYPE_CHECKING:
    from .system import System


@dataclass(frozen=True)
class DAlembert(Judge):
    """The balance of each virtual displacement: sum (F - m a).dr/dq_j - sum (I omega)'.domega/dq'_j + Q_j = 0."""

    system: System
    balances: dict[str, sp.Expr]
    steps: Steps

    @property
    def names(self) -> Names:
        return self.system.names

    def solve(self, *unknowns: str) -> dict[str, sp.Expr]:
        """Solve the balances for accelerations and unknown forces, as in solve("q''", "R")."""
        symbols = [self.names.symbol(u) for u in unknowns] or [
            self.names.velocity(c, 2) for c in self.system.coordinates
        ]
        solutions = solve_system(list(self.balances.values()), symbols)
        if not solutions:
            raise SingularError(f"the balances have no solution for {', '.join(unknowns)}")
        return {s.name: e for s, e in solutions[0].items()}

    @cached_property
    def accelerations(self) -> dict[str, sp.Expr]:
        """Accelerations of the coordinates (multipliers eliminated with the constraints)."""
        n, system = self.names, self.system
        unknowns = [n.velocity(c, 2) for c in system.coordinates] + list(system.multipliers)
        equations = [self.balances[c] for c in system.coordinates]
        parts = linear_parts(equations + [system.freeze(c) for c in system.constraint_accelerations], unknowns)
        if parts is None or is_zero(parts[0].det(method="berkowitz")):
            raise SingularError("the balances do not determine the accelerations")
        return dict(zip(system.coordinates, solve_linear(*parts)))

    @cached_property
    def reactions(self) -> dict[str, sp.Expr]:
        """For each released coordinate, the force that the balance asks of its constraint."""
        on_shell = {self.names.velocity(c, 2): e for c, e in self.accelerations.items()}
        return {label: tidy(-self.balances[label].subs(on_shell)) for label in self.system.released}

    def known(self) -> dict[str, sp.Expr]:
        return {f"{c}''": e for c, e in self.accelerations.items()}

    def check_equation(self, claim: Formula, coordinate: str) -> Report:
        """Judge an equation of motion (= 0) up to a non-zero factor."""
        n = self.names
        stated, truth = n.read(claim), self.balances[coordinate]
        self.refuse_unknown(stated)
        verdict = proportional(stated, truth, [n.velocity(c, 2) for c in n.coordinates], signs=n.signs)
        return report_of(verdict, stated, truth)


def dalembert(system: System) -> DAlembert:
    """Write the virtual work of given and inertial forces for every virtual displacement."""
    if not (system.points or system.turning):
        raise ModelError("d'Alembert's view needs particles, rotors or bodies; the system was given by T, L or H")
    n, book, balances = system.names, Notebook(), {}
    accelerations = [p.position.applyfunc(lambda e: n.derivative(e, 2)) for p in system.points]
    momenta = [t.inertia * t.omega for t in system.turning]
    rates = [
        m.applyfunc(n.derivative) + (t.omega.cross(m) if m.rows == 3 else sp.zeros(1, 1))
        for t, m in zip(system.turning, momenta)
    ]
    for p, a in zip(system.points, accelerations):
        book.note(f"Acceleration of {p.name}", f"a_{p.name}", tuple(tidy(system.freeze(e)) for e in a))
    for j, (c, q, v) in enumerate(zip(n.coordinates, n.q, n.v)):
        total = (
            system.Q_given[j]
            - sp.diff(system.D, v)
            - sp.diff(system._V_given, q)
            - sp.diff(system.U, q)
            + n.derivative(sp.diff(system.U, v))
        )
        for p, a in zip(system.points, accelerations):
            displacement = sp.diff(p.position, q)
            total += ((p.force - p.mass * a).T * displacement)[0]
        for t, rate in zip(system.turning, rates):
            total += ((t.torque - rate).T * sp.diff(t.omega, v))[0]
        total += sum((lam * row[j] for lam, row in zip(system.multipliers, system.constraint_rows)), sp.Integer(0))
        balances[c] = tidy(sp.expand(system.freeze(total)))
        book.note(f"Virtual displacement of {c} alone, work divided by delta {c}", balances[c], sp.Integer(0))
    return DAlembert(system, balances, book.close())
