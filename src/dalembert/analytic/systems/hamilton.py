"""Hamilton's mechanics: Legendre transform, canonical equations, energy verdicts, phase space."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import sympy as sp

from dalembert.errors import ModelError, SingularError

from ..canonical.brackets import poisson_bracket
from ..formulas._equality import Verdict, is_zero
from ..formulas._names import Formula, Names
from ..formulas._normal import tidy
from ..formulas._solving import linear_parts, solve_linear
from ..formulas.claims import Judge
from ..formulas.steps import Notebook, Steps
from .lagrange import euler_lagrange
from .velocities import curved_velocities, merge_roots

if TYPE_CHECKING:
    from .system import System


@dataclass(frozen=True)
class EnergyVerdict:
    """Two separate answers: is H the mechanical energy E = T + V, and is H conserved? None where it is not known."""

    H_is_energy: bool | None
    H_conserved: bool | None
    energy: sp.Expr | None
    energy_minus_H: sp.Expr | None
    rate: sp.Expr

    def __str__(self) -> str:
        first = {
            True: "H is the energy",
            False: f"H is not the energy: E - H = {self.energy_minus_H}",
            None: "H: no energy stated" if self.energy is None else "H: not decided whether it is the energy",
        }
        second = {
            True: "H is conserved",
            False: f"H is not conserved: dH/dt = {self.rate}",
            None: f"not decided whether H is conserved: dH/dt = {self.rate}",
        }
        return f"{first[self.H_is_energy]}; {second[self.H_conserved]}"


@dataclass(frozen=True)
class Hamilton(Judge):
    """H(q, p, t), the momenta as functions of velocities, velocities as functions of momenta, canonical equations."""

    system: System
    H: sp.Expr
    q: tuple[sp.Symbol, ...]
    p: tuple[sp.Symbol, ...]
    momenta: dict[str, sp.Expr]
    velocities: dict[str, sp.Expr]
    forces: tuple[sp.Expr, ...]
    steps: Steps

    @property
    def names(self) -> Names:
        return self.system.names

    @cached_property
    def qdot(self) -> dict[str, sp.Expr]:
        """q' = dH/dp."""
        return {q.name: tidy(sp.diff(self.H, p)) for q, p in zip(self.q, self.p)}

    @cached_property
    def pdot(self) -> dict[str, sp.Expr]:
        """p' = -dH/dq + Q."""
        return {p.name: tidy(-sp.diff(self.H, q) + f) for q, p, f in zip(self.q, self.p, self.forces)}

    @cached_property
    def accelerations(self) -> dict[str, sp.Expr]:
        """q'' by eliminating the momenta: d/dt(dH/dp) along the flow, p replaced by its value in q'."""
        back = dict(zip(self.p, self.momenta.values()))
        return {q.name: tidy(self.rate(self.qdot[q.name]).subs(back, simultaneous=True)) for q in self.q}

    def rate(self, quantity: Formula) -> sp.Expr:
        """dU/dt = [U, H] + dU/dt|partial (+ the work of forces that H does not hold)."""
        U = self._state(quantity)
        total = poisson_bracket(U, self.H, self.q, self.p) + sum(
            (sp.diff(U, p) * f for p, f in zip(self.p, self.forces)), sp.Integer(0)
        )
        return tidy(total + self._explicit(U))

    def _state(self, quantity: Formula) -> sp.Expr:
        """A function of q and p: velocities by momenta, what no state determines refused."""
        n = self.names
        U = n.read(quantity)
        high = [s.name for s in U.free_symbols if s.name.endswith("''") and s.name.rstrip("'") in n.coordinates]
        if high:
            raise ModelError(f"{', '.join(high)}: a function of the state holds coordinates, momenta or velocities")
        U = U.subs({n.velocity(c): e for c, e in self.velocities.items()}, simultaneous=True)
        if U.free_symbols - {*self.p}:
            self.refuse_unknown(U.subs(dict.fromkeys(self.p, sp.Integer(1))))
        return U

    def _explicit(self, U: sp.Expr) -> sp.Expr:
        """The partial time derivative, prescribed functions of time included."""
        n = self.names
        total = sp.diff(U, n.time)
        for s in U.free_symbols:
            if s.name.rstrip("'") in n.given:
                total += sp.diff(U, s) * n.symbol(s.name + "'")
        return total

    def is_first_integral(self, quantity: Formula) -> Verdict:
        """Whether dF/dt vanishes along every motion: `.equal` is True, False, or None where it is not decided."""
        return is_zero(self.rate(quantity))

    @cached_property
    def cyclic(self) -> tuple[str, ...]:
        """Coordinates absent from H: their momenta are constant."""
        return tuple(q.name for q, f in zip(self.q, self.forces) if not self.H.has(q) and f == 0)

    def reduce_cyclic(self, coordinate: str, constant: Formula = "alpha") -> tuple[sp.Expr, sp.Expr]:
        """H with the momentum of a cyclic coordinate replaced by a constant, and the velocity left to integrate."""
        if coordinate not in self.cyclic:
            raise ModelError(
                f"{coordinate} is not cyclic: it occurs in H. Cyclic here: {', '.join(self.cyclic) or 'none'}"
            )
        p = self.p[[q.name for q in self.q].index(coordinate)]
        value = self.names.read(constant)
        return self.H.subs(p, value), self.qdot[coordinate].subs(p, value)

    @cached_property
    def energy(self) -> EnergyVerdict:
        """Verdicts on "H = E?" and "H conserved?", which are independent."""
        n, system = self.names, self.system
        rate = self.rate(self.H)
        conserved = is_zero(rate).equal
        folded = system.freeze(system.force_potential or sp.Integer(0))
        if system.T_given is None and not (system.points or system.turning):
            E = self._energy_from_lagrangian()
        else:
            E = system.freeze(system.kinetic_energy + system.V) + folded
        if E is None:
            return EnergyVerdict(None, conserved, None, None, rate)
        h = sum((v * sp.diff(self._L, v) for v in n.v), sp.Integer(0)) - self._L + folded
        gap = tidy(sp.expand(E - h))
        return EnergyVerdict(is_zero(gap).equal, conserved, E, gap, rate)

    @property
    def _L(self) -> sp.Expr:
        return self.system.freeze(self.system.lagrangian)

    def _energy_from_lagrangian(self) -> sp.Expr | None:
        """With L alone: T is what holds velocities, own or prescribed; terms linear in own ones belong to U.

        None where L does not tell T: when it is no polynomial of degree two in the velocities, and when it has terms
        linear in them, which a rotating frame (part of T) and a magnetic field (part of U) write alike.
        """
        moving = [s for s in self._L.free_symbols if s.name.endswith("'")]
        terms = sp.Add.make_args(sp.expand(self._L))
        kinetic = [t for t in terms if moving and t.has(*moving)]
        own = self.names.v
        degrees = {_degree(t, moving) for t in kinetic if t.has(*own)}
        idle = [t for t in kinetic if t.has(*own) and _degree(t, moving) == 1]
        if not degrees <= {1, 2} or (not any(s not in own for s in moving) and not self._is_rate(sp.Add(*idle))):
            return None
        return tidy(sp.Add(*kinetic) * 2 - self._L - sp.Add(*idle))

    def _is_rate(self, e: sp.Expr) -> bool:
        """Whether e is a total time derivative, which no equation of motion sees."""
        return all(bool(is_zero(x)) for x in euler_lagrange(e, self.names))

    def split(self) -> tuple[sp.Expr, sp.Expr, sp.Expr]:
        """T = T0 + T1 + T2 by degree in the velocities; then H = T2 - T0 + V."""
        v = self.names.v
        if not (self.system.points or self.system.turning or self.system.T_given is not None):
            raise ModelError("T0 + T1 + T2 needs the kinetic energy; the system was given by L or H alone")
        T = sp.expand(self.system.freeze(self.system.kinetic_energy))
        scale = sp.Dummy("scale")
        graded = sp.expand(T.subs({x: scale * x for x in v}, simultaneous=True))
        return tuple(tidy(graded.coeff(scale, k)) for k in range(3))  # type: ignore[return-value]

    def phase_curves(self, E: Formula = "E") -> list[sp.Expr]:
        """One degree of freedom: the branches p(q; H = E)."""
        from ..formulas._solving import invert

        if len(self.p) != 1:
            raise ModelError(f"phase curves p(q; E) are of one degree of freedom, not of {len(self.p)}")
        (p,) = self.p
        return invert(self.H, p, self.names.read(E))

    def divergence(self) -> sp.Expr:
        """Divergence of the phase flow: zero for canonical equations (Liouville)."""
        total = sum((sp.diff(self.qdot[q.name], q) for q in self.q), sp.Integer(0))
        return tidy(total + sum((sp.diff(self.pdot[p.name], p) for p in self.p), sp.Integer(0)))

    def known(self) -> dict[str, sp.Expr]:
        """H, the momenta by velocities, q' and p' by name (`x'`, `px_dot`)."""
        table = {"H": self.H} | {p.name: e for p, e in zip(self.p, self.momenta.values())}
        table |= {f"{q}'": e for q, e in self.qdot.items()} | {f"{p}_dot": e for p, e in self.pdot.items()}
        return table


def hamilton(system: System) -> Hamilton:
    """Legendre transform of L (or take H as given), canonical equations, every step kept."""
    if system.multipliers:
        raise ModelError("Hamilton's view needs independent coordinates: eliminate the constraints first")
    n, book = system.names, Notebook()
    p = tuple(n.symbol(name) for name in system.momenta)
    q = tuple(n.symbol(c) for c in system.coordinates)
    forces_all = dict(zip(n.coordinates, system.generalised_forces))
    if system.H_given is not None:
        H, velocities = (
            system.freeze(system.H_given),
            {c: sp.diff(system.H_given, x) for c, x in zip(system.coordinates, p)},
        )
        book.note("Hamiltonian, as given", "H", H)
        momenta = dict(zip(system.coordinates, invert_velocities(system)[0]))
        forces = (sp.Integer(0),) * len(q)
    else:
        v = [n.velocity(c) for c in system.coordinates]
        L = system.freeze(system.lagrangian)
        if system.force_potential:
            book.note("The given forces have a potential, which joins V", "W", system.freeze(system.force_potential))
            L = L - system.freeze(system.force_potential)
            forces_all = dict.fromkeys(forces_all, sp.Integer(0))
        book.note("Lagrangian", "L", tidy(sp.expand(L)))
        momenta = {c: tidy(sp.diff(L, x)) for c, x in zip(system.coordinates, v)}
        for label, expression in zip(system.momenta, momenta.values()):
            book.note("Momentum", label, expression)
        velocities = legendre_velocities(list(momenta.values()), v, p, system.coordinates)
        for x, c in zip(v, system.coordinates):
            book.note("Inverted for the velocity", x, velocities[c])
        inverse = {x: velocities[c] for x, c in zip(v, system.coordinates)}
        H = _hamiltonian(L, v, p, inverse)
        book.note("H = sum p q' - L in q and p", "H", H)
        forces = tuple(tidy(system.freeze(forces_all[c]).subs(inverse, simultaneous=True)) for c in system.coordinates)
    result = Hamilton(system, H, q, p, momenta, velocities, forces, Steps())
    for label, e in result.qdot.items():
        book.note("Canonical equation", f"{label}'", e)
    for label, e in result.pdot.items():
        book.note("Canonical equation", f"{label}'", e)
    return Hamilton(system, H, q, p, momenta, velocities, forces, book.close())


def _degree(term: sp.Expr, variables: list[sp.Symbol]) -> int:
    return int(sp.Poly(term, *variables).total_degree()) if term.is_polynomial(*variables) else -1


def _hamiltonian(
    L: sp.Expr, v: list[sp.Symbol], p: tuple[sp.Symbol, ...], inverse: dict[sp.Symbol, sp.Expr]
) -> sp.Expr:
    """sum p q' - L; for L quadratic in q' written as (p - b).q'/2 - L0, which spares the expansion of squares."""
    rest = dict.fromkeys(v, sp.Integer(0))
    linear = [sp.diff(L, x).subs(rest) for x in v]
    constant = L.subs(rest)
    if all(sp.diff(L, a, b, c) == 0 for a in v for b in v for c in v):
        moving = sum(((x - b) * inverse[y] for x, b, y in zip(p, linear, v)), sp.Integer(0)) / 2
        return tidy(moving) - constant
    whole = (sum((a * x for a, x in zip(p, v)), sp.Integer(0)) - L).subs(inverse, simultaneous=True)
    merged = merge_roots(whole, p)
    return merged if merged != whole else tidy(whole)


def legendre_velocities(
    momenta: list[sp.Expr], v: list[sp.Symbol], p: tuple[sp.Symbol, ...], labels: tuple[str, ...]
) -> dict[str, sp.Expr]:
    """Invert p = dL/dq' for the velocities: linear (Cramer) when L is quadratic, by solving otherwise."""
    equations = [m - x for m, x in zip(momenta, p)]
    parts = linear_parts(equations, v)
    if parts is None:
        found = curved_velocities(momenta, v, p)
        return {c: found[x] for c, x in zip(labels, v)}
    matrix, right = parts
    if is_zero(matrix.det(method="berkowitz")):
        raise SingularError(
            f"the Legendre transform is singular: det d2L/dq'dq' = 0, so the velocities of {', '.join(labels)} are not "
            "functions of the momenta"
        )
    return dict(zip(labels, solve_linear(matrix, right)))


def invert_velocities(system: System) -> tuple[list[sp.Expr], list[sp.Expr]]:
    """p(q, q') from a given H by solving q' = dH/dp; returns also the velocities."""
    n = system.names
    p = [n.symbol(name) for name in system.momenta]
    v = [n.velocity(c) for c in system.coordinates]
    equations = [sp.diff(system.H_given, x) - y for x, y in zip(p, v)]
    parts = linear_parts(equations, p)
    if parts is not None:
        matrix, right = parts
        if is_zero(matrix.det(method="berkowitz")):
            raise SingularError("d2H/dp dp is singular: this Hamiltonian comes from no Lagrangian")
        return list(solve_linear(matrix, right)), v
    found = curved_velocities([sp.diff(system.H_given, x) for x in p], p, v)
    return [found[x] for x in p], v


def lagrangian_of(system: System) -> sp.Expr:
    """L = sum p q' - H with the momenta eliminated."""
    n = system.names
    momenta, v = invert_velocities(system)
    back = dict(zip((n.symbol(name) for name in system.momenta), momenta))
    H = system.H_given.subs(back, simultaneous=True) if system.H_given is not None else sp.Integer(0)
    return tidy(merge_roots(sp.expand(sum((a * b for a, b in zip(momenta, v)), sp.Integer(0)) - H), v))
