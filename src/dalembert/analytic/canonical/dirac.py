"""Degenerate Lagrangians by Dirac and Bergmann: primary and further constraints, first and second class, brackets.

Where p = dL/dq' cannot be solved for all velocities, relations phi(q, p) = 0 remain. They must stay true in time:
that yields further relations, or fixes multipliers, until nothing new comes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._equality import is_zero
from ..formulas._names import Formula, Names
from ..formulas._normal import tidy
from ..formulas._solving import linear_parts
from ..formulas.steps import Notebook, Steps
from .brackets import poisson_bracket

if TYPE_CHECKING:
    from ..systems.system import System

_ROUNDS = 12
"""Generations of constraints: each lowers the dimension of phase space, and hand-sized systems have a few."""


@dataclass(frozen=True)
class Dirac:
    """The constraints of a degenerate system and the motion that they leave.

    `total` is H_c + sum u_i phi_i with the multipliers u that consistency fixes put in; those in `free` are arbitrary
    functions of time, one for each gauge freedom.
    """

    system: System
    H: sp.Expr
    q: tuple[sp.Symbol, ...]
    p: tuple[sp.Symbol, ...]
    primary: tuple[sp.Expr, ...]
    further: tuple[sp.Expr, ...]
    multipliers: dict[str, sp.Expr]
    free: tuple[str, ...]
    steps: Steps

    @property
    def names(self) -> Names:
        return self.system.names

    @property
    def constraints(self) -> tuple[sp.Expr, ...]:
        return (*self.primary, *self.further)

    @cached_property
    def matrix(self) -> sp.Matrix:
        """The brackets of the constraints, on the constraints."""
        size = len(self.constraints)
        rows = [
            [self._weakly(self._bracket(self.constraints[i], self.constraints[j])) for j in range(size)]
            for i in range(size)
        ]
        return sp.Matrix(rows)

    @property
    def second_class(self) -> int:
        """Rank of the matrix of brackets: always even."""
        return int(self.matrix.rank(iszerofunc=lambda e: bool(is_zero(e)))) if self.constraints else 0

    @property
    def first_class(self) -> int:
        """Combinations of constraints whose brackets with all others vanish: generators of gauge changes."""
        return len(self.constraints) - self.second_class

    @property
    def degrees_of_freedom(self) -> sp.Rational:
        """(2n - 2 first class - second class)/2 physical ones."""
        return sp.Rational(2 * len(self.q) - 2 * self.first_class - self.second_class, 2)

    def _bracket(self, f: sp.Expr, g: sp.Expr) -> sp.Expr:
        return poisson_bracket(f, g, self.q, self.p)

    def _weakly(self, e: sp.Expr) -> sp.Expr:
        return _on(e, self.constraints, (*self.p, *self.q))

    def bracket(self, f: Formula, g: Formula) -> sp.Expr:
        """Dirac's bracket [f, g] - [f, phi_a] C^-1_ab [phi_b, g] over the second-class constraints."""
        if self.first_class:
            raise ModelError("Dirac's bracket needs second-class constraints only: fix the gauge by further conditions")
        a, b = self.names.read(f), self.names.read(g)
        plain = self._bracket(a, b)
        if not self.constraints:
            return tidy(plain)
        left = sp.Matrix([[self._bracket(a, c) for c in self.constraints]])
        right = sp.Matrix([self._bracket(c, b) for c in self.constraints])
        return tidy(self._weakly(sp.expand(plain - (left * self.matrix.inv() * right)[0])))

    def rate(self, quantity: Formula) -> sp.Expr:
        """dF/dt = [F, H_total] on the constraints; free multipliers stay in it where F is not determined."""
        e = self.names.read(quantity)
        total = self._bracket(e, self.H)
        for label, phi in zip(self.multipliers, self.primary):
            total += self.multipliers[label] * self._bracket(e, phi)
        return tidy(self._weakly(sp.expand(total)))

    def __str__(self) -> str:
        lines = [f"{phi} = 0 (primary)" for phi in self.primary] + [f"{phi} = 0" for phi in self.further]
        count = f"{self.first_class} first class, {self.second_class} second class"
        return "\n".join([*lines, f"{count}; {self.degrees_of_freedom} degrees of freedom"])


def dirac_bergmann(system: System) -> Dirac:
    """Momenta, primary constraints, canonical Hamiltonian, consistency to the end. L is at most quadratic in q'.

    >>> from dalembert.analytic import System
    >>> spiral = dirac_bergmann(System("x y", L="B*(x*y_d - y*x_d)/2 - k*(x**2 + y**2)/2"))
    >>> print(spiral)
    B*y/2 + px = 0 (primary)
    -B*x/2 + py = 0 (primary)
    0 first class, 2 second class; 1 degrees of freedom
    >>> spiral.bracket("x", "y"), spiral.rate("x")
    (-1/B, -k*y/B)
    """
    if system.multipliers:
        raise ModelError("Dirac's method finds the constraints of L itself: give the system without `constraints`")
    if any(f != 0 for f in system.generalised_forces):
        raise ModelError("Dirac's method needs a Lagrangian that holds all forces")
    n, book = system.names, Notebook()
    L = system.freeze(system.lagrangian)
    if L.has(n.time):
        raise ModelError("Dirac's method is written here for L free of time")
    q = tuple(n.symbol(c) for c in system.coordinates)
    v = [n.velocity(c) for c in system.coordinates]
    p = tuple(n.symbol(label) for label in system.momenta)
    parts = linear_parts([sp.diff(L, x) for x in v], v)
    if parts is None:
        raise ModelError(
            "L is not quadratic in the velocities: the primary constraints are not found by linear algebra"
        )
    W, minus = parts[0].applyfunc(tidy), -parts[1]
    simple = lambda e: bool(is_zero(e))  # noqa: E731
    null = [vector.applyfunc(tidy) for vector in W.nullspace(simplify=tidy, iszerofunc=simple)]
    gap = sp.Matrix([a - b for a, b in zip(p, minus)])
    primary = tuple(_whole((vector.T * gap)[0], (*p, *q)) for vector in null)
    for phi in primary:
        book.note("Primary constraint: momenta whose velocities do not enter", phi, sp.Integer(0))
    H = _canonical(L, W, gap, minus, v, p)
    book.note("Canonical Hamiltonian on the primary constraints", "H", H)
    labels = [n.fresh(f"u{i + 1}" if len(primary) > 1 else "u") for i in range(len(primary))]
    u = [n.symbol(label) for label in labels]
    total = H + sum((a * b for a, b in zip(u, primary)), sp.Integer(0))
    known, fixed = list(primary), dict[sp.Symbol, sp.Expr]()
    further: list[sp.Expr] = []
    for _ in range(_ROUNDS):
        fresh = None
        for phi in known:
            rate = _on(sp.expand(poisson_bracket(phi, total, q, p).subs(fixed)), known, (*p, *q))
            unknown = [x for x in u if x not in fixed and not is_zero(sp.diff(rate, x))]
            if unknown:
                value = tidy(-rate.subs(unknown[0], 0) / sp.diff(rate, unknown[0]))
                fixed = {k: tidy(e.subs(unknown[0], value)) for k, e in fixed.items()} | {unknown[0]: value}
                book.note(f"{phi} stays zero: that fixes a multiplier", unknown[0], value)
                fresh = unknown[0]
                break
            if not is_zero(rate):
                chi = _whole(rate, (*p, *q))
                if not chi.has(*q, *p):
                    raise ModelError(f"the equations contradict each other: {phi} = 0 cannot last, its rate is {rate}")
                known.append(chi)
                further.append(chi)
                book.note(f"{phi} stays zero only if", chi, sp.Integer(0))
                fresh = chi
                break
        if fresh is None:
            free = tuple(x.name for x in u if x not in fixed)
            values = {x.name: fixed.get(x, x) for x in u}
            return Dirac(system, H, q, p, primary, tuple(further), values, free, book.close())
    raise ModelError(f"new constraints still come after {_ROUNDS} rounds: {', '.join(map(str, further[:4]))}, ...")


def _canonical(
    L: sp.Expr, W: sp.Matrix, gap: sp.Matrix, linear: sp.Matrix, v: Sequence[sp.Symbol], p: Sequence[sp.Symbol]
) -> sp.Expr:
    """H = p q' - L, with the velocities that the momenta determine and any others: they drop out on the constraints."""
    rows = list(W.T.rref(iszerofunc=lambda e: bool(is_zero(e)), simplify=tidy)[1])
    if not rows:
        return tidy(-L.subs(dict.fromkeys(v, sp.Integer(0))))
    block = W.extract(rows, rows)
    velocities = dict(zip((v[i] for i in rows), block.LUsolve(gap.extract(rows, [0]))))
    rest = {x: sp.Integer(0) for x in v} | velocities
    value = sum((a * b for a, b in zip(p, v)), sp.Integer(0)) - L
    return tidy(sp.expand(value.subs(rest, simultaneous=True)))


def _whole(e: sp.Expr, variables: Sequence[sp.Symbol]) -> sp.Expr:
    """A constraint as its plain condition: no denominators, no repeated factors, whose gradients would vanish on it."""
    top = sp.expand(tidy(e))
    if not top.is_polynomial(*variables) or top.is_Symbol:
        return top
    factors = [f for f, _ in sp.factor_list(top, *variables)[1] if not (f.is_positive or f.is_negative)]
    if len(factors) > 1:
        raise ModelError(
            f"the constraint {top} = 0 splits into {', '.join(f'{f} = 0' for f in factors)}: its surface has branches, "
            "and each is another system. Put the branch that is meant into L."
        )
    repeated = any(k > 1 for _, k in sp.factor_list(top, *variables)[1])
    return sp.expand(factors[0]) if factors and repeated else top


def _on(e: sp.Expr, constraints: Sequence[sp.Expr], variables: Sequence[sp.Symbol]) -> sp.Expr:
    """e on the surface: variables in which a constraint is linear are solved for, the rest is reduced by its ideal."""
    table: dict[sp.Symbol, sp.Expr] = {}
    curved = []
    for phi in constraints:
        phi = sp.expand(phi.subs(table, simultaneous=True))
        for x in variables:
            slope = sp.diff(phi, x)
            if slope != 0 and not slope.has(*variables):
                value = sp.expand(-(phi.subs(x, 0)) / slope)
                table = {k: sp.expand(w.subs(x, value)) for k, w in table.items()} | {x: value}
                break
        else:
            curved.append(phi)
    rest = sp.expand(e.subs(table, simultaneous=True))
    ideal = [f for f in (sp.expand(c.subs(table, simultaneous=True)) for c in curved) if f != 0]
    top, bottom = sp.fraction(sp.together(rest))
    if not ideal or not all(f.is_polynomial(*variables) for f in (*ideal, top, bottom)):
        return tidy(rest)
    letters = set().union(*(f.free_symbols for f in (*ideal, top, bottom))) - set(variables)
    domain = sp.QQ.frac_field(*sorted(letters, key=str)) if letters else sp.QQ
    basis = sp.groebner(ideal, *variables, order="grevlex", domain=domain)
    return tidy(basis.reduce(sp.expand(top))[1] / basis.reduce(sp.expand(bottom))[1])
