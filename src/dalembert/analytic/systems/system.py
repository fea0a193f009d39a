"""A mechanical system stated once, from which every mechanics is a view."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import sympy as sp
from sympy.core.function import AppliedUndef

from dalembert.errors import ModelError
from dalembert.expr._grammar import is_name

from ..formulas._names import Formula, Names
from ..formulas._normal import as_sum, tidy
from .bodies import ElectromagneticField, Particle, RigidBody, Rotor, read_bodies, read_points, read_rotors
from .electromagnetic import electromagnetic_potential

if TYPE_CHECKING:
    from ..jacobi.hamilton_jacobi import HamiltonJacobi
    from ..statics.virtual_work import VirtualWork
    from .compare import Comparison
    from .dalembert import DAlembert
    from .hamilton import Hamilton
    from .lagrange import Lagrange
    from .newton import Newton


def words(names: str | Iterable[str]) -> tuple[str, ...]:
    """Names given as one text ("x y", "x, y") or as a sequence."""
    return tuple(re.split(r"[\s,]+", names.strip())) if isinstance(names, str) else tuple(names)


class System:
    """Particles, rotors and rigid bodies, or a Lagrangian, or a Hamiltonian, with forces and constraints.

    coordinates   names of the generalised coordinates q
    given         prescribed functions of time: names, or {name: formula of t}
    released      extra coordinates {name: value} frozen in the motion but free in virtual displacements: they break one
                  constraint and so yield its reaction
    V, U          potential V(q, t); generalised potential U(q, q', t) with Q = d/dt(dU/dq') - dU/dq
    D             Rayleigh dissipation function, Q = -dD/dq'
    Q             further generalised forces, one for each coordinate in order, or {coordinate: force}
    constraints   holonomic f(q, t) = 0;  rolling: kinematic, affine in the velocities, a(q, t).q' + b(q, t) = 0,
                  as a formula or as the row of coefficients [a_1, ..., a_n] or [a_1, ..., a_n, b]
    positive      names of positive quantities; masses and inertias of bodies are, all other names are real. `infer`
                  takes the names that usually are (g, k, l, w, ...) as positive too

    >>> pendulum = System("theta", particles=[Particle("m", ["l*sin(theta)", "-l*cos(theta)"])], gravity=["0", "-g"])
    >>> pendulum.lagrange().accelerations["theta"]
    -g*sin(theta)/l
    """

    def __init__(
        self,
        coordinates: str | Sequence[str],
        *,
        particles: Sequence[Particle] = (),
        rotors: Sequence[Rotor] = (),
        bodies: Sequence[RigidBody] = (),
        gravity: Sequence[Formula] | None = None,
        L: Formula | None = None,
        H: Formula | None = None,
        T: Formula | None = None,
        momenta: str | Sequence[str] | None = None,
        V: Formula = 0,
        U: Formula = 0,
        D: Formula = 0,
        Q: Sequence[Formula] | Mapping[str, Formula] | None = None,
        field: ElectromagneticField | None = None,
        constraints: Sequence[Formula] = (),
        rolling: Sequence[Formula | Sequence[Formula]] = (),
        multipliers: Sequence[str] | None = None,
        given: str | Sequence[str] | Mapping[str, Formula] = (),
        released: Mapping[str, Formula] | None = None,
        positive: str | Iterable[str] = (),
        real: str | Iterable[str] = (),
        signs: Iterable[str] = (),
        infer: bool = False,
        name: str = "",
    ) -> None:
        self.name = name
        self.released = dict(released or {})
        own = words(coordinates)
        if not own or own == ("",):
            raise ModelError("a system needs at least one coordinate, as in System('theta', ...)")
        self.coordinates = tuple(c for c in own if c not in self.released)
        prescribed = words(given) if not isinstance(given, Mapping) else tuple(given)
        wanted = words(momenta) if momenta is not None else _momenta(self.coordinates)
        if len(wanted) != len(self.coordinates):
            raise ModelError(f"{len(self.coordinates)} coordinates need as many momenta, not {wanted}")
        self.names = Names(
            (*self.coordinates, *self.released),
            given=prescribed,
            positive=(*(words(positive) if positive else ()), *_masses(particles, rotors, bodies)),
            real=words(real) if real else (),
            signs=signs,
            infer=infer,
        )
        self._given = {k: self.names.read(v) for k, v in given.items()} if isinstance(given, Mapping) else {}
        n = self.names
        center_particles, self.turning = read_bodies(n, bodies)
        downward = sp.Matrix(n.read_all(gravity)) if gravity is not None else None
        self.points = read_points(n, [*particles, *center_particles], downward)
        self.turning = [*read_rotors(n, rotors), *self.turning]
        self.weight_potential = (
            sum((-p.mass * (downward.T * p.position)[0] for p in self.points), sp.Integer(0))
            if downward is not None
            else sp.Integer(0)
        )
        self.forces_on_points = [
            sp.zeros(p.position.rows, 1) if downward is None else p.force - p.mass * downward for p in self.points
        ]
        if downward is None:
            self.forces_on_points = [p.force for p in self.points]
        self.V, self.U, self.D = n.read(V) + self.weight_potential, n.read(U), n.read(D)
        self._V_given = n.read(V)
        self.T_given = None if T is None else n.read(T)
        if field is not None:
            self.U = self.U + electromagnetic_potential(n, field, self.points, self.T_given)
        self.L_given = None if L is None else n.read(L)
        self.H_given = None if H is None else n.read(H)
        self.Q_given = tuple(n.read_all(_in_order(Q, n.coordinates)))
        if len(self.Q_given) != len(n.coordinates):
            raise ModelError(f"Q needs one generalised force for each of {n.coordinates}, not {len(self.Q_given)}")
        self.constraints = tuple(left_side(n.read(f)) for f in constraints)
        self.rolling = tuple(_rolling(n, row) for row in rolling)
        n.claim(but=wanted if H is not None else (), functions=self._functions())
        self.momenta = wanted if momenta is not None or H is not None else tuple(n.fresh(p) for p in wanted)
        count = len(self.constraints) + len(self.rolling)
        usual = ("lam",) if count == 1 else tuple(f"lam{i}" for i in range(1, count + 1))
        labels = words(multipliers) if multipliers is not None else tuple(n.fresh(label) for label in usual)
        for label in (*self.momenta, *labels[:count]):
            if label in n.own:
                raise ModelError(
                    f"'{label}' is a name of the system already: call the momentum or multiplier otherwise"
                )
        self.multipliers = tuple(n.symbol(label) for label in labels[:count])
        self._validate()

    # -- pieces shared by the views -------------------------------------------------------------------------------
    def _validate(self) -> None:
        made = bool(self.points or self.turning or self.T_given is not None or self._V_given != 0)
        if not made and self.L_given is None and self.H_given is None:
            raise ModelError(
                "a system is given by particles, rotors or bodies, or by T and V, or by L, or by H; none was given"
            )
        if self.L_given is not None and self.H_given is not None:
            raise ModelError("give L or H, not both: the other one follows")
        if self.U != 0 and (self.L_given is not None or self.H_given is not None):
            raise ModelError("U and `field` belong to T and V, or to particles: a given L or H holds them already")
        self._refuse_accelerations()
        for row in self.rolling:
            if any(sp.diff(row, a, b) != 0 for a in self.names.v for b in self.names.v):
                raise ModelError(f"the kinematic constraint {row} = 0 is not affine in the velocities")
        for f in self.constraints:
            if set(f.free_symbols) & set(self.names.v):
                raise ModelError(f"the constraint {f} = 0 contains velocities: pass it in `rolling`")

    def _refuse_accelerations(self) -> None:
        """Energies hold coordinates and velocities, and a given L or H each coordinate somewhere."""
        n = self.names
        energies = {"L": self.L_given, "H": self.H_given, "T": self.T_given, "V": self.V, "U": self.U, "D": self.D}
        for label, e in energies.items():
            high = sorted(s.name for s in (e.free_symbols if e is not None else ()) if s.name.endswith("''"))
            if any(name.rstrip("'") in n.coordinates for name in high):
                raise ModelError(
                    f"{label} contains the acceleration {high[0]}: a system has L(q, q', t). Strip a total derivative, "
                    "or ask Functional(...).euler, which takes derivatives of any order"
                )
        held = {s.name.rstrip("'") for e in (self.L_given, self.T_given) if e is not None for s in e.free_symbols}
        if self.L_given is not None and not held & {*self.coordinates}:
            raise ModelError(
                f"L = {self.L_given} holds neither {', '.join(self.coordinates)} nor their velocities, written "
                f"{self.coordinates[0]}_d. The field u(t, x) of a string is a FieldDensity."
            )

    def _functions(self) -> set[str]:
        """Names of the unspecified functions in what was given."""
        given = [self.V, self.U, self.D, *self.Q_given, *self.constraints, *self.rolling, *self._given.values()]
        given += [e for e in (self.T_given, self.L_given, self.H_given) if e is not None]
        given += [e for p in self.points for e in (p.mass, *p.position, *p.force)]
        given += [e for t in self.turning for e in (*t.inertia, *t.omega, *t.torque)]
        return {f.func.__name__ for e in given for f in e.atoms(AppliedUndef)}

    @cached_property
    def frozen(self) -> dict[sp.Symbol, sp.Expr]:
        """Released coordinates and their derivatives at the values that they keep in the motion."""
        n, values = self.names, {}
        for label, value in self.released.items():
            at = n.read(value)
            for order in range(4):
                values[n.velocity(label, order) if order else n.symbol(label)] = n.derivative(at, order)
        return values

    def freeze(self, expression: sp.Expr) -> sp.Expr:
        """Put the released coordinates and the prescribed functions of time at their values."""
        if self.frozen:
            expression = expression.subs(self.frozen, simultaneous=True)
        return self.names.at_functions(expression, self._given) if self._given else expression

    def freeze_matrix(self, matrix: sp.Matrix) -> sp.Matrix:
        return matrix.applyfunc(self.freeze)

    def d_dt(self, expression: sp.Expr) -> sp.Expr:
        return self.names.derivative(expression)

    @cached_property
    def kinetic_energy(self) -> sp.Expr:
        """T = sum m v^2/2 + sum omega.I omega/2, before anything is frozen."""
        if self.T_given is not None:
            return self.T_given
        total = sp.Integer(0)
        for p in self.points:
            if p.mass != 0:
                velocity = p.position.applyfunc(self.d_dt)
                total += p.mass / 2 * sp.expand((velocity.T * velocity)[0])
        for t in self.turning:
            total += sp.expand((t.omega.T * t.inertia * t.omega)[0]) / 2
        return as_sum(tidy(sp.expand(total)))

    @cached_property
    def lagrangian(self) -> sp.Expr:
        """L = T - V - U, or as given, or by the Legendre transform of H."""
        if self.L_given is not None:
            return self.L_given
        if self.H_given is not None:
            from .hamilton import lagrangian_of

            return lagrangian_of(self)
        return self.kinetic_energy - self.V - self.U

    @cached_property
    def generalised_forces(self) -> tuple[sp.Expr, ...]:
        """What L does not hold: Q_j + sum F.dr/dq_j + sum torque.domega/dq'_j - dD/dq'_j."""
        n, forces = self.names, []
        for j, (q, v) in enumerate(zip(n.q, n.v)):
            total = self.Q_given[j] - sp.diff(self.D, v)
            for p, force in zip(self.points, self.forces_on_points):
                total += (force.T * sp.diff(p.position, q))[0]
            for t in self.turning:
                total += (t.torque.T * sp.diff(t.omega, v))[0]
            forces.append(total)
        return tuple(forces)

    @cached_property
    def force_potential(self) -> sp.Expr | None:
        """W(q, t) with Q = -dW/dq for the forces that L does not hold; None when they have none."""
        forces, q = self.generalised_forces, self.names.q
        if all(f == 0 for f in forces):
            return sp.Integer(0)
        moving = {s for f in forces for s in f.free_symbols if s.name.endswith("'")}
        if moving & {*self.names.v, *self.names.a} or self.released:
            return None
        from ..statics.virtual_work import potential_of

        try:
            return potential_of([tidy(f) for f in forces], list(q))
        except ModelError:
            return None

    @cached_property
    def constraint_rows(self) -> tuple[tuple[sp.Expr, ...], ...]:
        """Coefficients a_ij of the virtual displacements: df_i/dq_j, or dphi_i/dq'_j for kinematic constraints."""
        n = self.names
        holonomic = tuple(tuple(sp.diff(f, q) for q in n.q) for f in self.constraints)
        return holonomic + tuple(tuple(sp.diff(f, v) for v in n.v) for f in self.rolling)

    @cached_property
    def constraint_accelerations(self) -> tuple[sp.Expr, ...]:
        """The constraints differentiated to the level of accelerations (= 0)."""
        return tuple(self.d_dt(self.d_dt(f)) for f in self.constraints) + tuple(self.d_dt(f) for f in self.rolling)

    @property
    def assumptions(self) -> dict[str, str]:
        """What is assumed of every name, declared or inferred."""
        return self.names.assumptions()

    @property
    def degrees_of_freedom(self) -> int:
        """n = m - k independent coordinates (kinematic constraints reduce velocities only, but are counted too)."""
        rows = self.constraint_rows
        return len(self.coordinates) - (sp.Matrix(rows).rank() if rows else 0)

    @property
    def stated(self) -> dict[str, Any]:
        """The formulas that state it, for LaTeX and MathML."""
        return {"H": self.H_given} if self.H_given is not None else {"L": self.lagrangian}

    def __repr__(self) -> str:
        return (
            f"System({' '.join(self.coordinates)}; L = {self.lagrangian})"
            if self.H_given is None
            else f"System({' '.join(self.coordinates)}; H = {self.H_given})"
        )

    # -- views ----------------------------------------------------------------------------------------------------
    def newton(self) -> Newton:
        """Each particle by itself, reactions unknown."""
        from .newton import newton

        return newton(self)

    def virtual_work(self) -> VirtualWork:
        """Statics: the work of the given forces in virtual displacements."""
        from ..statics.virtual_work import virtual_work

        return virtual_work(self)

    def dalembert(self) -> DAlembert:
        """Virtual work of given and inertial forces."""
        from .dalembert import dalembert

        return dalembert(self)

    def lagrange(self) -> Lagrange:
        """Euler-Lagrange equations, with multipliers where there are constraints."""
        from .lagrange import lagrange

        return lagrange(self)

    def hamilton(self) -> Hamilton:
        """Momenta, Hamiltonian and canonical equations."""
        from .hamilton import hamilton

        return hamilton(self)

    def hamilton_jacobi(
        self, *, representation: str = "q", energy: str = "E", constants: Mapping[str, str] | None = None
    ) -> HamiltonJacobi:
        """The Hamilton-Jacobi equation, separated when that is possible."""
        from ..jacobi.hamilton_jacobi import hamilton_jacobi

        return hamilton_jacobi(self, representation=representation, energy=energy, constants=constants)

    def compare(self) -> Comparison:
        """The accelerations by every mechanics, and a proof that they agree."""
        from .compare import compare

        return compare(self)

    @classmethod
    def from_mechanism(cls, mechanism: Any) -> System:
        """The system of a `Mechanism`, with its coordinates, energies and forces."""
        from .from_mechanism import system_of

        return system_of(mechanism)


def _momenta(coordinates: Sequence[str]) -> tuple[str, ...]:
    """Names of the momenta by the habits of the field: q -> p, q1 -> p1, x -> p_x when several."""
    if len(coordinates) == 1 and not re.match(r"^q\d+$", coordinates[0]):
        return ("p",)
    return tuple(
        f"p{c[1:]}" if re.match(r"^q\d*$", c) else f"p{c}" if len(c) == 1 or c.isalpha() else f"p_{c}"
        for c in coordinates
    )


def _masses(particles: Sequence[Particle], rotors: Sequence[Rotor], bodies: Sequence[RigidBody]) -> list[str]:
    """Names that stand for a mass or a moment of inertia: positive by what they are, not by how they are spelled."""
    given = [*(p.mass for p in particles), *(b.mass for b in bodies), *(r.inertia for r in rotors)]
    return [str(m) for m in given if isinstance(m, sp.Symbol) or is_name(m)]


def _in_order(Q: Sequence[Formula] | Mapping[str, Formula] | None, coordinates: Sequence[str]) -> list[Formula]:
    """Generalised forces in the order of the coordinates; nothing where none is given."""
    if Q is None or isinstance(Q, Mapping):
        table = dict(Q or {})
        strange = [c for c in table if c not in coordinates]
        if strange:
            raise ModelError(f"Q: {', '.join(strange)} is no coordinate; there are {', '.join(coordinates)}")
        return [table.get(c, 0) for c in coordinates]
    return list(Q)


def _rolling(names: Names, row: Any) -> sp.Expr:
    """A kinematic constraint as an expression in the velocities."""
    if isinstance(row, (str, sp.Basic)):
        return left_side(names.read(row))
    entries = names.read_all(row)
    if len(entries) not in (len(names.coordinates), len(names.coordinates) + 1):
        raise ModelError(f"a Pfaffian row has one coefficient for each of {names.coordinates}, and one for dt if any")
    return sp.Add(*(a * v for a, v in zip(entries, (*names.v, sp.Integer(1)))))


def left_side(relation: Any) -> sp.Expr:
    """f of a condition written f = 0 or as an equation `left == right`."""
    if isinstance(relation, sp.Eq):
        return relation.lhs - relation.rhs
    if isinstance(relation, sp.Rel) or relation in (sp.true, sp.false):
        raise ModelError(f"{relation} is no equation: a constraint is f = 0, written 'f' or 'left == right'")
    return relation
