"""Steps that teach: every derivative expanded, why each term vanishes, the work of each force, the solving."""

from __future__ import annotations

import sympy as sp

from dalembert.errors import DalembertError, ModelError

from ..formulas._equality import is_zero
from ..formulas._normal import tidy
from ..formulas.steps import Notebook, Steps
from ..systems.system import System
from ._words import say

MECHANICS = ("lagrange", "hamilton", "hamilton-jacobi")


def teach(system: System, mechanics: str = "lagrange", *, language: str = "en") -> Steps:
    """A derivation as it is done on the blackboard; `.text`, `.latex` and `.mathml` of what comes back show it.

    `mechanics` is lagrange, hamilton or hamilton-jacobi, `language` en or fr.

    >>> from dalembert.analytic import System
    >>> print(teach(System("x", T="m*x_d**2/2", V="k*x**2/2")))
    1. Kinetic energy, as given: T = m*x'**2/2
    2. Potential energy of weights and springs: V = k*x**2/2
    3. Lagrangian L = T - V: L = -k*x**2/2 + m*x'**2/2
    4. Differentiate L by x', all else kept: the momentum of x: dL/dx' = m*x'
    5. These terms do not contain x', so they give 0: -k*x**2/2
    6. The momentum changes because x' does: (m)*x'' = m*x''
    7. Together, d/dt of the momentum of x: d/dt dL/dx' = m*x''
    8. Differentiate L by x, all else kept: dL/dx = -k*x
    9. These terms do not contain x, so they give 0: m*x'**2/2
    10. Lagrange's equation of x, d/dt(dL/dx') - dL/dx = Q + R: k*x + m*x'' = 0
    11. Divide by the factor of x'': m
    12. Acceleration of x: x'' = -k*x/m
    13. t does not occur in L, so h = sum q' dL/dq' - L is constant: h = (k*x**2 + m*x'**2)/2
    """
    if mechanics not in MECHANICS:
        raise ModelError(f"the mechanics of a lesson is one of {', '.join(MECHANICS)}, not {mechanics!r}")
    book = _Blackboard(system, language)
    book.energies()
    if mechanics == "lagrange":
        book.lagrange()
    elif mechanics == "hamilton":
        book.hamilton()
    else:
        book.hamilton()
        book.jacobi()
    return book.close()


class _Blackboard(Notebook):
    """Writes the lines of a lesson."""

    def __init__(self, system: System, language: str) -> None:
        super().__init__()
        self.system, self.names, self.language = system, system.names, language
        self.view = system.lagrange()

    def write(self, key: str, left: object = None, right: object = None, **places: object) -> None:
        self.note(say(key, self.language, **places), left, right)

    def energies(self) -> None:
        system, n = self.system, self.names
        for p in system.points:
            self.write("place", f"r ({p.name})", tuple(system.freeze(e) for e in p.position), name=p.name)
            velocity = tuple(system.freeze(n.derivative(e)) for e in p.position)
            self.write("velocity", f"v ({p.name})", velocity, name=p.name)
        if system.L_given is not None or system.H_given is not None:
            self.write("lagrangian given", "L", self.view.L)
            return
        key = "kinetic" if system.points or system.turning else "kinetic given"
        self.write(key, "T", system.freeze(system.kinetic_energy))
        V = system.freeze(system.V)
        self.write("potential" if V != 0 else "no potential", "V", V)
        self.write("lagrangian", "L", self.view.L)

    def _idle_terms(self, key: str, x: sp.Symbol, **places: object) -> None:
        """Which terms of L do not contain a name."""
        idle = [t for t in sp.Add.make_args(sp.expand(self.view.L)) if not t.has(x)]
        if idle and self.view.L != 0:
            self.write(key, sp.Add(*idle), **places)

    def forces(self, c: str) -> None:
        system, j = self.system, self.system.coordinates.index(c)
        if self.view.forces[j] == 0:
            return
        for p, force in zip(system.points, system.forces_on_points):
            work = tidy(system.freeze((force.T * sp.diff(p.position, self.names.symbol(c)))[0]))
            if not is_zero(work):
                self.write("work", f"F . dr/d{c}", work, name=p.name, c=c)
        self.write("force", f"Q_{c}", self.view.forces[j], c=c)

    def momentum(self, c: str) -> None:
        v = self.names.velocity(c)
        self.write("momentum", f"dL/d{v}", self.view.momenta[c], v=v, c=c)
        self._idle_terms("without velocity", v, v=v)

    def rate(self, c: str) -> None:
        """d/dt of the momentum, cause by cause."""
        n, v, total = self.names, self.names.velocity(c), sp.Integer(0)
        momentum = self.view.momenta[c]
        for s in sorted(momentum.free_symbols, key=lambda s: (-s.name.count("'"), s.name)):
            if s == n.time:
                step = sp.Integer(1)
            elif s.name.rstrip("'") in n.moving:
                step = n.symbol(s.name + "'")
            else:
                continue
            slope = sp.diff(momentum, s)
            self.write("rate by", f"({tidy(slope)})*{step}", tidy(self.system.freeze(slope * step)), x=s)
            total += slope * step
        self.write("rate", f"d/dt dL/d{v}", tidy(self.system.freeze(sp.expand(total))), c=c)

    def slope(self, c: str) -> None:
        q = self.names.symbol(c)
        value = tidy(sp.diff(self.view.L, q))
        self.write("slope", f"dL/d{c}", value, c=c)
        if c in self.view.cyclic:
            self.write("cyclic", f"p_{c}", self.view.momenta[c], c=c)
        else:
            self._idle_terms("without place", q, c=c)

    def lagrange(self) -> None:
        system, n = self.system, self.names
        for c in system.coordinates:
            self.momentum(c)
            self.rate(c)
            self.slope(c)
            self.forces(c)
            self.write(
                "equation", self.view.equations[system.coordinates.index(c)], sp.Integer(0), c=c, v=n.velocity(c)
            )
        for f in system.constraint_accelerations:
            self.write("constraint", tidy(system.freeze(f)), sp.Integer(0))
        self.solving()
        self.energy()

    def solving(self) -> None:
        system, n = self.system, self.names
        accelerations = [n.velocity(c, 2) for c in system.coordinates]
        unknowns = [*accelerations, *system.multipliers]
        equations = [*self.view.equations, *(system.freeze(f) for f in system.constraint_accelerations)]
        matrix = sp.Matrix([[sp.diff(e, u) for u in unknowns] for e in equations])
        if matrix.is_diagonal():
            for a, factor in zip(accelerations, matrix.diagonal()):
                if not is_zero(factor - 1):
                    self.write("solve", tidy(factor), a=a)
        else:
            self.write("coupled", "det", tidy(matrix.det(method="berkowitz")))
        for c, a in self.view.accelerations.items():
            self.write("acceleration", f"{c}''", a, c=c)
        for label, value in self.view.multipliers.items():
            self.write("multiplier", label, value)

    def energy(self) -> None:
        kept = "energy" in self.view.first_integrals()
        self.write("energy" if kept else "no energy", "h", self.view.energy)

    def hamilton(self) -> None:
        view, n = self.system.hamilton(), self.names
        for c in self.system.coordinates:
            self.momentum(c)
        for c in self.system.coordinates:
            self.write("invert", n.velocity(c), view.qdot[c], v=n.velocity(c), c=c)
        self.write("hamiltonian", "H", view.H)
        for c, p in zip(self.system.coordinates, self.system.momenta):
            self.forces(c)
            self.write("canonical q", n.velocity(c), view.qdot[c], v=n.velocity(c), p=p)
            self.write("canonical p", f"{p}'", view.pdot[p], p=p, c=c)

    def jacobi(self) -> None:
        view = self.system.hamilton_jacobi()
        self.write("jacobi equation", view.equation, sp.Integer(0))
        if not view.slopes:
            self.write("jacobi not")
            return
        self.write("jacobi energy")
        for c, slope in view.slopes.items():
            self.write("jacobi slope", f"dS0/d{c}", slope, c=c)
        try:
            relations = view.jacobi
        except DalembertError:
            return
        for a, relation in relations.items():
            self.write("jacobi step", f"dS/d{a}", relation, a=a)
        for c, motion in view.motion().items():
            self.note("", f"{c}(t)", motion)
