"""Newton's mechanics: every particle by itself, with the reactions as unknowns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import sympy as sp

from dalembert.errors import ModelError, SingularError

from ..formulas._equality import is_zero
from ..formulas._names import Formula, Names
from ..formulas._normal import tidy
from ..formulas._solving import linear_parts, solve_linear
from ..formulas.claims import Judge
from ..formulas.steps import Notebook, Steps

if TYPE_CHECKING:
    from .system import System


@dataclass(frozen=True)
class Newton(Judge):
    """m a = F + R for each particle, (I omega)' = torque + C for each turning body, R and C ideal."""

    system: System
    inertial: sp.Matrix  # stacked m a and (I omega)'
    force: sp.Matrix  # stacked given forces
    directions: sp.Matrix  # columns: what each coordinate moves
    rows: tuple[tuple[str, int], ...]  # owner and component of each stacked row
    steps: Steps

    @property
    def names(self) -> Names:
        return self.system.names

    @cached_property
    def _solution(self) -> dict[sp.Symbol, sp.Expr]:
        """The reactions are R = m a - F; ideal constraints make them idle in every allowed displacement."""
        n, system = self.names, self.system
        reaction = self.inertial - self.force
        conditions = []
        for j, c in enumerate(n.coordinates):
            if c in system.released:
                continue
            work = (self.directions[:, j].T * reaction)[0]
            work -= sum((lam * row[j] for lam, row in zip(system.multipliers, system.constraint_rows)), sp.Integer(0))
            conditions.append(system.freeze(work))
        unknowns = [n.velocity(c, 2) for c in system.coordinates] + list(system.multipliers)
        parts = linear_parts(conditions + [system.freeze(c) for c in system.constraint_accelerations], unknowns)
        if parts is None or is_zero(parts[0].det(method="berkowitz")):
            raise SingularError("Newton's equations do not determine the accelerations: a coordinate carries no mass")
        return dict(zip(unknowns, solve_linear(*parts)))

    @cached_property
    def accelerations(self) -> dict[str, sp.Expr]:
        return {c: self._solution[self.names.velocity(c, 2)] for c in self.system.coordinates}

    @cached_property
    def reactions(self) -> dict[str, sp.Matrix]:
        """Constraint force on each particle (and couple on each turning body), in the axes of its position."""
        stacked = self.system.freeze_matrix(self.inertial - self.force).subs(self._solution).applyfunc(tidy)
        found: dict[str, list[sp.Expr]] = {}
        for (owner, _), value in zip(self.rows, stacked):
            found.setdefault(owner, []).append(value)
        return {owner: sp.Matrix(values) for owner, values in found.items()}

    def reaction(self, particle: int, direction: tuple[str, ...]) -> sp.Expr:
        """Component of the reaction on a particle (counted from 1) along a given direction (not normalised)."""
        name = self.system.points[particle - 1].name
        return tidy((self.reactions[name].T * sp.Matrix(self.names.read_all(direction)))[0])

    def known(self) -> dict[str, sp.Expr]:
        return {f"{c}''": e for c, e in self.accelerations.items()}


@dataclass(frozen=True)
class AngularMomentum:
    """The theorem dL/dt = torque about a fixed point, and which components stay constant.

    About a point that moves with velocity w, dL/dt = torque - w x p with p the momentum of the system.
    """

    value: sp.Matrix
    torque: sp.Matrix
    rate: sp.Matrix
    conserved: tuple[bool, bool, bool]


def newton(system: System) -> Newton:
    """State the law of motion of every particle and turning body."""
    if not (system.points or system.turning):
        raise ModelError("Newton's view needs particles, rotors or bodies; the system was given by T, L or H")
    n, book = system.names, Notebook()
    inertial, force, directions, rows = [], [], [], []
    for p in system.points:
        a = p.position.applyfunc(lambda e: n.derivative(e, 2))
        book.note(
            f"Law of motion of {p.name}, m a = F + R, with m a",
            f"m a ({p.name})",
            tuple(tidy(system.freeze(p.mass * e)) for e in a),
        )
        book.note(f"Given force on {p.name}", f"F ({p.name})", tuple(system.freeze(e) for e in p.force))
        inertial += list(p.mass * a)
        force += list(p.force)
        directions += [[sp.diff(x, q) for q in n.q] for x in p.position]
        rows += [(p.name, k) for k in range(p.position.rows)]
    for t in system.turning:
        momentum = t.inertia * t.omega
        rate = momentum.applyfunc(n.derivative) + (t.omega.cross(momentum) if momentum.rows == 3 else sp.zeros(1, 1))
        book.note(
            f"Rate of angular momentum of {t.name}",
            f"(I omega)' ({t.name})",
            tuple(tidy(system.freeze(e)) for e in rate),
        )
        inertial += list(rate)
        force += list(t.torque)
        directions += [[sp.diff(x, v) for v in n.v] for x in t.omega]
        rows += [(t.name, k) for k in range(momentum.rows)]
    matrix = sp.Matrix(directions)
    extra = [
        system.Q_given[j]
        - sp.diff(system.D, v)
        - sp.diff(system._V_given, q)
        - sp.diff(system.U, q)
        + n.derivative(sp.diff(system.U, v))
        for j, (q, v) in enumerate(zip(n.q, n.v))
    ]
    stacked = sp.Matrix(force)
    if any(e != 0 for e in extra):
        # a potential of the coordinates fixes only the working part of its force: take the one without idle part
        gram = (matrix.T * matrix).applyfunc(tidy)
        if is_zero(gram.det()):
            raise SingularError(
                "V or Q acts on a coordinate that moves no particle: state the force on a particle instead"
            )
        stacked += matrix * solve_linear(gram, sp.Matrix(extra))
        book.note("The force of V is taken along the allowed displacements; reactions refer to that choice")
    book.note("Reactions do no work in any allowed displacement; with R = m a - F this gives one equation a coordinate")
    return Newton(system, sp.Matrix(inertial), stacked, matrix, tuple(rows), book.close())


def angular_momentum(system: System, about: Sequence[Formula] = (0, 0, 0)) -> AngularMomentum:
    """L_A = sum (r - r_A) x m v + I omega about a point A that may move, the torque of the given forces, and its rate.

    A component is conserved only when its rate, accelerations put in, vanishes: the torque of reactions counts too.
    """
    n = system.names
    if len(about) > 3:
        raise ModelError(f"a point has three components at most, not {len(about)}")
    point = sp.Matrix([*n.read_all(about), *[0] * (3 - len(about))])
    if any(t.omega.rows == 3 for t in system.turning):
        raise ModelError("the spin of rigid bodies is in their own axes here: give particles, or rotors about one axis")
    total, torque = sp.zeros(3, 1), sp.zeros(3, 1)
    for p in system.points:
        if p.position.rows > 3:
            raise ModelError(f"{p.name} lives in {p.position.rows} dimensions")
        pad = [0] * (3 - p.position.rows)
        r, f = sp.Matrix([*p.position, *pad]), sp.Matrix([*p.force, *pad])
        total += (r - point).cross(p.mass * r.applyfunc(n.derivative))
        torque += (r - point).cross(f)
    for t in system.turning:
        total[2] += (t.inertia * t.omega)[0]
        torque[2] += t.torque[0]
    total = system.freeze_matrix(total).applyfunc(lambda e: tidy(sp.expand(e)))
    on_shell = {n.velocity(c, 2): a for c, a in system.lagrange().accelerations.items()}
    rate = total.applyfunc(lambda e: tidy(system.freeze(n.derivative(e)).subs(on_shell)))
    torque = system.freeze_matrix(torque).applyfunc(tidy)
    return AngularMomentum(total, torque, rate, tuple(bool(is_zero(r)) for r in rate))  # type: ignore[arg-type]
