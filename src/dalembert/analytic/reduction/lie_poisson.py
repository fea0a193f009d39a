"""Lie-Poisson systems: mechanics on the dual of a Lie algebra, its Casimirs, and rests judged by energy and Casimirs.

{f, g}(m) = sum c_ij^k m_k df/dm_i dg/dm_j. The rigid body lives on so(3)*, the heavy top on se(3)*; Euler-Poincare's
equations d/dt(dl/dw) = ad*_w dl/dw are the same motion before the Legendre transform.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._equality import Verdict, is_zero, weakest
from ..formulas._linear_search import identically_zero
from ..formulas._names import Formula, Names
from ..formulas._normal import tidy
from ..formulas._solving import solve_system


@dataclass(frozen=True)
class CasimirVerdict:
    """A rest of a Lie-Poisson system: stable when H + sum k C has a definite second variation (Arnold's method)."""

    kind: str
    reason: str
    multipliers: tuple[sp.Expr, ...]
    second: sp.Matrix
    exponents: tuple[sp.Expr, ...]

    def __str__(self) -> str:
        return f"{self.kind}: {self.reason}"


class LiePoisson:
    """Variables m with {m_i, m_j} = sum_k c_ij^k m_k given as formulas, and a Hamiltonian of them.

    >>> body = rigid_body("A B C")
    >>> body.rates
    {'mx': my*mz/C - my*mz/B, 'my': -mx*mz/C + mx*mz/A, 'mz': mx*my/B - mx*my/A}
    """

    def __init__(
        self,
        variables: str | Sequence[str],
        brackets: Mapping[tuple[str, str], Formula],
        H: Formula,
        *,
        positive: Sequence[str] = (),
    ) -> None:
        self.variables = tuple(variables.replace(",", " ").split() if isinstance(variables, str) else variables)
        self.names = n = Names(positive=positive)
        self.m = tuple(n.symbol(v) for v in self.variables)
        self.H = n.read(H)
        size = len(self.m)
        self.structure = sp.zeros(size, size)
        for (a, b), value in brackets.items():
            if a not in self.variables or b not in self.variables or a == b:
                raise ModelError(f"the bracket of {a!r} and {b!r}: there are {', '.join(self.variables)}")
            i, j, e = self.variables.index(a), self.variables.index(b), n.read(value)
            self.structure[i, j], self.structure[j, i] = e, -e
        broken = [t for t in self._jacobi() if not is_zero(t)]
        if broken:
            raise ModelError(f"these brackets break Jacobi's identity: {tidy(broken[0])} is not 0")

    @property
    def stated(self) -> dict[str, Any]:
        """The formulas that state it, for LaTeX and MathML."""
        return {"H": self.H, "brackets": self.structure}

    def __repr__(self) -> str:
        return f"LiePoisson({' '.join(self.variables)}; H = {self.H})"

    def _jacobi(self) -> list[sp.Expr]:
        m = self.m
        return [
            self.bracket(m[i], self.bracket(m[j], m[k]))
            + self.bracket(m[j], self.bracket(m[k], m[i]))
            + self.bracket(m[k], self.bracket(m[i], m[j]))
            for i in range(len(m))
            for j in range(i)
            for k in range(j)
        ]

    def bracket(self, f: Formula, g: Formula) -> sp.Expr:
        """{f, g}."""
        return self._of(self.names.read(f), self.names.read(g))

    def _of(self, f: sp.Expr, g: sp.Expr) -> sp.Expr:
        a, b = (sp.Matrix([sp.diff(e, x) for x in self.m]) for e in (f, g))
        return sp.expand((a.T * self.structure * b)[0])

    @cached_property
    def rates(self) -> dict[str, sp.Expr]:
        """m' = {m, H}."""
        return {v: self.bracket(x, self.H) for v, x in zip(self.variables, self.m)}

    def is_casimir(self, f: Formula) -> Verdict:
        """Whether a function commutes with everything, whatever H is."""
        return weakest([is_zero(self.bracket(f, x)) for x in self.m])

    def casimirs(self, degree: int = 2) -> list[sp.Expr]:
        """A basis of the polynomial Casimirs without constant term, up to a degree."""
        from ..symmetries.search import monomials

        terms = [t for t in monomials(self.m, degree) if t != 1]
        unknown = [sp.Dummy(f"c{k}") for k in range(len(terms))]
        ansatz = sum((c * t for c, t in zip(unknown, terms)), sp.Integer(0))
        conditions = [self._of(ansatz, x) for x in self.m]
        found = identically_zero(conditions, unknown, self.m)
        return [sp.Add(*(s[c] * t for c, t in zip(unknown, terms))) for s in found]

    def energy_casimir(
        self, at: Mapping[str, Formula], degree: int = 2, integrals: Sequence[Formula] = ()
    ) -> CasimirVerdict:
        """Judge a rest: multipliers of the Casimirs that make it critical for H + sum k C, then the second variation.

        The form is looked at on the level of the Casimirs, since deviations stay on a level near by. Where it is not
        definite the linear exponents decide instability; otherwise the verdict is open. `integrals` of this H beside
        the Casimirs may help; a multiplier that stays free is put where the last minor is largest.
        """
        n = self.names
        more = [n.read(f) for f in integrals]
        for f in more:
            if not is_zero(self._of(f, self.H)):
                raise ModelError(f"{f} is no first integral: {{f, H}} is not 0")
        point = {n.symbol(v): n.read(at.get(v, 0)) for v in self.variables}
        if any(not is_zero(e.subs(point, simultaneous=True)) for e in self.rates.values()):
            raise ModelError(f"not a rest: m' is not 0 at {dict(at)}")
        C = [*self.casimirs(degree), *more]
        k = [sp.Dummy(f"k{i}") for i in range(len(C))]
        total = self.H + sum((a * c for a, c in zip(k, C)), sp.Integer(0))
        gradient = [sp.diff(total, x).subs(point, simultaneous=True) for x in self.m]
        solved = solve_system([e for e in gradient if not is_zero(e)], k)
        if not solved:
            raise ModelError("no combination of the Casimirs makes this rest critical: raise `degree`")
        values = {a: solved[0].get(a, a) for a in k}
        free = [a for a in k if values[a] == a or any(e.has(a) for e in values.values())]
        hessian = sp.hessian(total, self.m).subs(point, simultaneous=True).subs(values).applyfunc(tidy)
        slopes = sp.Matrix([[sp.diff(c, x).subs(point, simultaneous=True) for x in self.m] for c in C])
        basis = (
            slopes.nullspace(iszerofunc=lambda e: bool(is_zero(e)))
            if C
            else [sp.eye(len(self.m))[:, i] for i in range(len(self.m))]
        )
        level = sp.Matrix.hstack(*basis) if basis else sp.zeros(len(self.m), 0)
        form = (level.T * hessian * level).applyfunc(tidy)
        best = _best(form, free)
        form = form.subs(best).applyfunc(tidy)
        values = {a: tidy(e.subs(best)) for a, e in values.items()}
        linear = sp.Matrix([[sp.diff(e, x) for x in self.m] for e in self.rates.values()])
        exponents = tuple(tidy(e) for e in linear.subs(point, simultaneous=True).applyfunc(tidy).eigenvals())
        return _judge(form, tuple(values.values()), exponents)


def _best(form: sp.Matrix, free: Sequence[sp.Symbol]) -> dict[sp.Symbol, sp.Expr]:
    """Values of free multipliers: the vertex of the first minor that is quadratic in one of them, 0 for the others."""
    chosen: dict[sp.Symbol, sp.Expr] = {}
    for a in free:
        chosen[a] = sp.Integer(0)
        for k in range(1, form.rows + 1):
            minor = sp.numer(sp.together(form[:k, :k].det()))
            if sp.degree(minor, a) == 2:
                chosen[a] = tidy(sp.solve(sp.diff(minor, a), a)[0])
                break
    return {a: e.subs(dict.fromkeys(free, sp.Integer(0))) for a, e in chosen.items()}


def _judge(form: sp.Matrix, multipliers: tuple[sp.Expr, ...], exponents: tuple[sp.Expr, ...]) -> CasimirVerdict:
    minors = [tidy(form[:k, :k].det()) for k in range(1, form.rows + 1)]
    positive = all(e.is_positive for e in minors)
    negative = all((e * (-1) ** k).is_positive for k, e in enumerate(minors, 1))
    if positive or negative:
        word = "positive" if positive else "negative"
        why = f"the second variation of H + sum k C is {word} definite on the level of the Casimirs"
        return CasimirVerdict("stable", why, multipliers, form, exponents)
    growing = [e for e in exponents if sp.re(e).is_positive]
    if growing:
        why = f"a small deviation grows as exp({growing[0]} t)"
        return CasimirVerdict("unstable", why, multipliers, form, exponents)
    shown = ", ".join(map(str, minors))
    why = f"the second variation on the level has the minors {shown}: stable where they are all positive"
    return CasimirVerdict("open", why, multipliers, form, exponents)


def rigid_body(moments: str | Sequence[Formula] = "A B C", *, positive: Sequence[str] | None = None) -> LiePoisson:
    """Euler's free body: {m_x, m_y} = -m_z and so on in body axes, H = sum m^2/(2 I)."""
    entries = moments.replace(",", " ").split() if isinstance(moments, str) else list(moments)
    if len(entries) != 3:
        raise ModelError(f"a body has three principal moments of inertia, not {entries}")
    n = Names()
    labels = ("mx", "my", "mz")
    H = sum((n.symbol(m) ** 2 / (2 * n.read(e)) for m, e in zip(labels, entries)), sp.Integer(0))
    named = [e for e in entries if isinstance(e, str) and e.isidentifier()] if positive is None else positive
    return LiePoisson(labels, {("mx", "my"): "-mz", ("my", "mz"): "-mx", ("mz", "mx"): "-my"}, H, positive=named)


def heavy_top(
    moments: str | Sequence[Formula] = "A A C", weight: Formula = "P", *, positive: Sequence[str] = ("A", "B", "C", "P")
) -> LiePoisson:
    """A body about a fixed point, its centre on the third axis: H = sum m^2/(2 I) + P n_z, n the vertical in the body.

    `weight` is m g l. The brackets are those of se(3)*: {m_i, n_j} = -e_ijk n_k, {n, n} = 0.
    """
    body = rigid_body(moments, positive=positive)
    cyclic = [("x", "y", "z"), ("y", "z", "x"), ("z", "x", "y")]
    brackets: dict[tuple[str, str], Formula] = {}
    for a, b, c in cyclic:
        brackets |= {(f"m{a}", f"m{b}"): f"-m{c}", (f"m{a}", f"n{b}"): f"-n{c}", (f"n{a}", f"m{b}"): f"-n{c}"}
    H = body.H + Names().read(weight) * sp.Symbol("nz", real=True)
    return LiePoisson("mx my mz nx ny nz", brackets, H, positive=positive)


def euler_poincare(
    lagrangian: Formula,
    velocities: str | Sequence[str],
    brackets: Mapping[tuple[str, str], Formula],
    *,
    positive: Sequence[str] = (),
) -> dict[str, sp.Expr]:
    """The equations d/dt(dl/dw_i) = sum c_ij^k w_j dl/dw_k of a reduced Lagrangian l(w), solved for the rates w'.

    `brackets` are those of the Lie algebra, {(a, b): combination of the velocity names} for [e_a, e_b].

    >>> so3 = {("wx", "wy"): "wz", ("wy", "wz"): "wx", ("wz", "wx"): "wy"}
    >>> euler_poincare("(A*wx**2 + B*wy**2 + C*wz**2)/2", "wx wy wz", so3, positive=["A", "B", "C"])["wx"]
    wy*wz*(B - C)/A
    """
    labels = tuple(velocities.replace(",", " ").split() if isinstance(velocities, str) else velocities)
    n = Names(labels, positive=positive)
    w = [n.symbol(v) for v in labels]
    reduced = n.read(lagrangian)
    momenta = [sp.diff(reduced, x) for x in w]
    pairs = {}
    for (a, b), value in brackets.items():
        e = n.read(value)
        pairs[labels.index(a), labels.index(b)], pairs[labels.index(b), labels.index(a)] = e, -e
    rates = [n.velocity(v) for v in labels]
    equations = []
    for i in range(len(labels)):
        push = sp.Integer(0)
        for j in range(len(labels)):
            e = pairs.get((i, j), sp.Integer(0))
            push += -w[j] * sum((sp.diff(e, x) * p for x, p in zip(w, momenta)), sp.Integer(0))
        equations.append(n.derivative(momenta[i]) - push)
    solved = solve_system(equations, rates)
    if not solved:
        raise ModelError("l is degenerate: its momenta do not determine the rates of the velocities")
    return {v: tidy(solved[0][r]) for v, r in zip(labels, rates)}
