"""Statics by virtual work: balances, unknown forces, hyperstatic diagnosis, potentials, nature of equilibrium."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._equality import Verdict, is_zero, weakest
from ..formulas._exact import refuse_text
from ..formulas._names import Formula, Names
from ..formulas._normal import tidy
from ..formulas._solving import solve_system
from ..formulas.claims import Judge, Report, report_of
from ..formulas.quadrature import antiderivative
from ..formulas.steps import Notebook, Steps

if TYPE_CHECKING:
    from ..systems.system import System


@dataclass(frozen=True)
class Diagnosis:
    """Which unknown forces the balances determine. `degree` > 0: hyperstatic, the `undetermined` ones stay free."""

    rank: int
    degree: int
    determined: dict[str, sp.Expr]
    undetermined: tuple[str, ...]
    relations: dict[str, sp.Expr]

    @property
    def kind(self) -> str:
        return "isostatic" if self.degree == 0 else f"hyperstatic of degree {self.degree}"

    def __str__(self) -> str:
        text = [self.kind] + [f"{k} = {v}" for k, v in self.determined.items()]
        if self.undetermined:
            text.append(f"undetermined: {', '.join(self.undetermined)}")
            text += [f"{k} = {v}" for k, v in self.relations.items()]
        return "; ".join(text)


@dataclass(frozen=True)
class VirtualWork(Judge):
    """The work of the given forces in each virtual displacement; equilibrium means that every balance vanishes."""

    system: System
    balances: dict[str, sp.Expr]
    steps: Steps

    @property
    def names(self) -> Names:
        return self.system.names

    def solutions(self, *unknowns: str) -> list[dict[str, sp.Expr]]:
        """Every solution found for the unknown forces, masses or coordinates."""
        if not unknowns:
            raise ModelError(f"name what is unknown, as solve('f'): the balances are {self.balances}")
        symbols = [self.names.symbol(u) for u in unknowns]
        return [{s.name: e for s, e in found.items()} for found in solve_system(list(self.balances.values()), symbols)]

    def solve(self, *unknowns: str) -> dict[str, sp.Expr]:
        """The solution, or an error that says why there is none."""
        found = self.solutions(*unknowns)
        if not found:
            raise ModelError(
                f"no equilibrium: {list(self.balances.values())} = 0 has no solution for {', '.join(unknowns)}"
            )
        return found[0]

    def diagnose(self, *unknowns: str) -> Diagnosis:
        """Rank of the balance matrix: isostatic, or hyperstatic with what stays undetermined."""
        if not unknowns:
            raise ModelError(f"name the unknown forces, as diagnose('R1', 'R2'): the balances are {self.balances}")
        symbols = [self.names.symbol(u) for u in unknowns]
        rows = sp.Matrix([[sp.diff(b, s) for s in symbols] for b in self.balances.values()]).applyfunc(tidy)
        rank = rows.rank()
        null = rows.nullspace()
        free = tuple(u for k, u in enumerate(unknowns) if any(not is_zero(v[k]) for v in null))
        solution = solve_system(list(self.balances.values()), symbols)
        if not solution:
            raise ModelError(
                f"no equilibrium is possible whatever {', '.join(unknowns)}: the given forces do not balance"
            )
        values = {s.name: e for s, e in solution[0].items()}
        return Diagnosis(
            rank,
            len(unknowns) - rank,
            {k: v for k, v in values.items() if k not in free},
            free,
            {k: v for k, v in values.items() if k in free},
        )

    def check_solution(self, claim: Mapping[str, Formula]) -> Report:
        """Judge claimed values: every balance must vanish when they are put in."""
        n = self.names
        if not claim:
            raise ModelError("claim a value for something, as check_solution({'f': 'm*g'})")
        values = n.read_map(claim)
        stated = {k.name: v for k, v in values.items()}
        verdicts = [Verdict(True, "symbolic")]
        for balance in self.balances.values():
            verdict = is_zero(balance.subs(values, simultaneous=True), signs=n.signs)
            if not verdict:
                right = next(iter(self.solutions(*claim)), {})
                return report_of(verdict, stated, right, f"the balance {balance} does not vanish")
            verdicts.append(verdict)
        return report_of(weakest(verdicts), stated, stated)

    def known(self) -> dict[str, sp.Expr]:
        return {f"Q_{c}": b for c, b in self.balances.items()}

    def potential(self) -> sp.Expr:
        """V with Q = -dV/dq, or a refusal when the forces derive from none."""
        q = self.names.q
        return potential_of(list(self.balances.values()), list(q))


def virtual_work(system: System) -> VirtualWork:
    """Q_j = sum F.dr/dq_j - dV/dq_j (+ multipliers), at rest, for every virtual displacement."""
    n, book, balances = system.names, Notebook(), {}
    at_rest = {s: sp.Integer(0) for label in n.moving for s in (n.velocity(label), n.velocity(label, 2))}
    for j, (c, q) in enumerate(zip(n.coordinates, n.q)):
        for p in system.points:
            step = sp.diff(p.position, q)
            if not step.is_zero_matrix:
                book.note(
                    f"Displacement of {p.name} for delta {c} = 1", f"dr/d{c}", tuple(system.freeze(e) for e in step)
                )
        total = system.generalised_forces[j] - sp.diff(system.V, q)
        if system.L_given is not None:
            total += sp.diff(system.L_given, q)
        total += sum((lam * row[j] for lam, row in zip(system.multipliers, system.constraint_rows)), sp.Integer(0))
        balances[c] = tidy(sp.expand(system.freeze(total).subs(at_rest)))
        book.note(f"Virtual work for delta {c}", f"Q_{c}", balances[c])
    return VirtualWork(system, balances, book.close())


def potential_of(forces: Sequence[sp.Expr], variables: Sequence[sp.Symbol]) -> sp.Expr:
    """V(q) with F = -grad V, by integrating along the axes; refused when the curl does not vanish.

    >>> x, y = sp.symbols("x y")
    >>> potential_of([-y, -x], [x, y])
    x*y
    """
    refuse_text(forces, variables)
    for i, a in enumerate(variables):
        for j, b in enumerate(variables[:i]):
            curl = sp.diff(forces[i], b) - sp.diff(forces[j], a)
            if not is_zero(curl):
                raise ModelError(
                    f"these forces have no potential: dF_{a}/d{b} - dF_{b}/d{a} = {tidy(curl)} is not zero"
                )
    V = sp.Integer(0)
    for force, x in zip(forces, variables):
        rest = sp.expand(-force - sp.diff(V, x))
        V += antiderivative(tidy(rest), x)
    if V.has(sp.Integral):
        raise ModelError(f"the potential of {list(forces)} has no elementary closed form")
    return tidy(V)


@dataclass(frozen=True)
class Nature:
    """The nature of an equilibrium: stable, unstable, saddle, inflexion, neutral or degenerate, and why."""

    kind: str
    reason: str
    hessian: sp.Matrix
    directions: tuple[sp.Expr, ...] = ()

    def __str__(self) -> str:
        return f"{self.kind}: {self.reason}"


def nature_of_equilibrium(
    V: Formula, at: Mapping[str, Formula], *, names: Names | None = None, max_order: int = 12
) -> Nature:
    """Judge an equilibrium of V at a point by its first non-vanishing derivatives.

    >>> nature_of_equilibrium("q**4", {"q": 0}).kind
    'stable'
    >>> nature_of_equilibrium("x**2 - y**4", {"x": 0, "y": 0}).kind
    'unstable'
    """
    n = names or Names(list(at))
    potential = n.read(V)
    point = n.read_map(at)
    variables = list(point)
    if not variables:
        raise ModelError("an equilibrium is at some values of the coordinates: give at={'x': 0}")
    gradient = [sp.diff(potential, x).subs(point, simultaneous=True) for x in variables]
    if not all(is_zero(g) for g in gradient):
        raise ModelError(f"not an equilibrium: dV/dq = {[tidy(g) for g in gradient]} at {dict(at)}")
    hessian = sp.hessian(potential, variables).subs(point, simultaneous=True).applyfunc(tidy)
    if len(variables) == 1:
        return _one_dimension(potential, variables[0], point, hessian, max_order)
    return _several(potential, variables, point, hessian, max_order)


def _one_dimension(
    V: sp.Expr, q: sp.Symbol, point: Mapping[sp.Symbol, sp.Expr], hessian: sp.Matrix, max_order: int
) -> Nature:
    if not V.has(q) or is_zero(sp.diff(V, q)) or is_zero(sp.diff(V, q, 2)):
        return Nature(
            "neutral", "V is constant near the equilibrium: every derivative of order 2 and more vanishes", hessian
        )
    for order in range(2, max_order + 1):
        value = tidy(sp.diff(V, q, order).subs(point))
        if is_zero(value):
            continue
        return judge_order(value, order, hessian)
    return Nature("degenerate", f"all derivatives up to order {max_order} vanish", hessian)


def judge_order(value: sp.Expr, order: int, hessian: sp.Matrix | None = None) -> Nature:
    """The nature by the first non-zero derivative of V of one variable, of this order and value."""
    curvature = sp.Matrix([[value]]) if hessian is None else hessian
    if order % 2:
        return Nature("unstable", f"the first non-zero derivative has odd order {order} (inflexion)", curvature)
    kind = {1: "stable", -1: "unstable"}.get(_sign(value), f"stable if {value} > 0, unstable if < 0")
    return Nature(kind, f"the first non-zero derivative has even order {order}, value {value}", curvature)


def _sign(value: sp.Expr) -> int:
    """The sign that a formula has wherever it is real, finite and not zero; 0 when the parameters decide."""
    if value.is_positive or value.is_negative:
        return 1 if value.is_positive else -1
    if value.is_number:
        return 0 if is_zero(value) else int(sp.sign(sp.re(value.evalf(30))))
    if isinstance(value, sp.Mul):
        return int(sp.prod([_sign(f) for f in value.args]))
    if isinstance(value, sp.Add):
        signs = {_sign(term) for term in value.args}
        return signs.pop() if len(signs) == 1 else 0
    if isinstance(value, sp.Abs):
        return 1
    real = not value.has(sp.I) and all(s.is_real for s in value.free_symbols)
    if isinstance(value, sp.Pow) and real and value.exp.is_Rational:
        return _sign(value.base) if value.exp.is_odd else 1  # a root is real where its base is not negative
    return 0


def _several(
    V: sp.Expr, q: Sequence[sp.Symbol], point: Mapping[sp.Symbol, sp.Expr], hessian: sp.Matrix, max_order: int
) -> Nature:
    if all(is_zero(sp.diff(V, x)) for x in q):
        return Nature("neutral", "V is constant near the equilibrium", hessian)
    minors = [tidy(hessian[:k, :k].det()) for k in range(1, len(q) + 1)]
    if all(_sign(m) > 0 for m in minors):
        return Nature("stable", "the quadratic form is positive definite: all leading minors are positive", hessian)
    if all(_sign(m) == (-1) ** k for k, m in enumerate(minors, 1)):
        return Nature("unstable", "the quadratic form is negative definite: V is a maximum", hessian)
    if _indefinite(hessian):
        return Nature("saddle", "the quadratic form takes both signs", hessian, _separating(hessian, q))
    if any(_sign(m) == 0 and not is_zero(m) for m in minors):
        return Nature("undecided", f"the signs of the minors {minors} depend on the parameters", hessian)
    return _degenerate(V, q, point, hessian, max_order)


def _indefinite(hessian: sp.Matrix) -> bool:
    """Both signs occur: on the diagonal, or a two by two principal minor is negative."""
    size = hessian.rows
    diagonal = {_sign(hessian[i, i]) for i in range(size)}
    if {1, -1} <= diagonal:
        return True
    return any(
        _sign(tidy(hessian[i, i] * hessian[j, j] - hessian[i, j] ** 2)) < 0 for i in range(size) for j in range(i)
    )


def _separating(hessian: sp.Matrix, q: Sequence[sp.Symbol]) -> tuple[sp.Expr, ...]:
    """For two coordinates, the two lines on which the quadratic form vanishes, as left-hand sides of = 0."""
    if len(q) != 2:
        return ()
    A, B, C = hessian[0, 0], hessian[0, 1], hessian[1, 1]
    x, y = q
    root = sp.sqrt(tidy(B**2 - A * C))
    if A == 0:
        return (y, 2 * B * x + C * y)
    return (tidy(A * x + (B + root) * y), tidy(A * x + (B - root) * y))


def _degenerate(
    V: sp.Expr, q: Sequence[sp.Symbol], point: Mapping[sp.Symbol, sp.Expr], hessian: sp.Matrix, max_order: int
) -> Nature:
    """Look along straight lines through the equilibrium: any descent proves instability, ascent proves nothing."""
    step = sp.Dummy("step", real=True)
    for direction in _directions(len(q)):
        line = V.subs({x: point[x] + step * d for x, d in zip(q, direction)}, simultaneous=True)
        for order in range(2, max_order + 1):
            value = tidy(sp.diff(line, step, order).subs(step, 0))
            if is_zero(value):
                continue
            if order % 2 or _sign(value) < 0:
                where = ", ".join(f"{x}: {d}" for x, d in zip(q, direction))
                return Nature("unstable", f"V decreases along ({where}), at order {order}", hessian)
            break
    return Nature(
        "degenerate",
        "the quadratic form is not definite and no straight descent was found: higher order needed",
        hessian,
    )


def _directions(size: int) -> list[tuple[int, ...]]:
    from itertools import product

    return [d for d in product((0, 1, -1), repeat=size) if any(d) and next(x for x in d if x) > 0]
