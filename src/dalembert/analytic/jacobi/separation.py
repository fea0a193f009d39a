"""Separation of the Hamilton-Jacobi equation: Levi-Civita's verdict, and the separated equations when they exist."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import sympy as sp

from ..formulas._equality import Verdict, is_zero
from ..formulas._exact import refuse_text
from ..formulas._normal import tidy
from ..formulas.steps import Notebook, Steps


@dataclass(frozen=True)
class LeviCivita:
    """The verdict for given coordinates: separable exactly when every condition vanishes identically."""

    separable: bool
    conditions: dict[tuple[str, str], sp.Expr]
    failures: dict[tuple[str, str], Verdict]

    def __bool__(self) -> bool:
        return self.separable

    def __str__(self) -> str:
        if self.separable:
            return "separable: every Levi-Civita condition vanishes identically"
        (pair, verdict), *_ = self.failures.items()
        return f"not separable in these coordinates: the Levi-Civita condition of {pair} does not vanish ({verdict})"


def levi_civita(H: sp.Expr, q: Sequence[sp.Symbol], p: Sequence[sp.Symbol]) -> LeviCivita:
    """For i < j (no sum): H_pi H_pj H_qiqj - H_pi H_qj H_qipj - H_qi H_pj H_piqj + H_qi H_qj H_pipj = 0.

    These are the integrability conditions of dp_i/dq_i = -H_qi/H_pi, p_i being a function of q_i alone.

    >>> x, y, px, py = sp.symbols("x y px py", real=True)
    >>> bool(levi_civita((px**2 + py**2)/2 + x**2*y - y**3/3, [x, y], [px, py]))
    False
    """
    refuse_text(H, q, p)
    conditions, failures = {}, {}
    d = sp.diff
    for j in range(len(q)):
        for i in range(j):
            qi, qj, pi, pj = q[i], q[j], p[i], p[j]
            value = (
                d(H, pi) * d(H, pj) * d(H, qi, qj)
                - d(H, pi) * d(H, qj) * d(H, qi, pj)
                - d(H, qi) * d(H, pj) * d(H, pi, qj)
                + d(H, qi) * d(H, qj) * d(H, pi, pj)
            )
            verdict = is_zero(value)
            conditions[qi.name, qj.name] = sp.Integer(0) if verdict else tidy(value)
            if not verdict:
                failures[qi.name, qj.name] = verdict
    return LeviCivita(not failures, conditions, failures)


@dataclass(frozen=True)
class Separated:
    """One ordinary equation for each coordinate: G(q_i, p_i; constants) = 0."""

    equations: dict[str, sp.Expr]
    constants: dict[str, sp.Symbol]
    steps: Steps


def separate(
    H: sp.Expr, q: Sequence[sp.Symbol], p: Sequence[sp.Symbol], energy: sp.Symbol, labels: dict[str, sp.Symbol]
) -> Separated | None:
    """Peel off one coordinate after another: cyclic ones first, then blocks a(others)*G(q_i, p_i).

    `labels` names the constant of each coordinate; the last coordinate takes what is left of the energy.
    """
    book = Notebook()
    pairs = list(zip(q, p))
    equation, equations, constants = H - energy, {}, {}
    for x, y in list(pairs):
        if not equation.has(x) and len(pairs) > 1:
            equations[x.name] = y - labels[x.name]
            constants[x.name] = labels[x.name]
            equation = equation.subs(y, labels[x.name])
            pairs.remove((x, y))
            book.note(f"{x} is cyclic: its momentum is a constant", f"dS/d{x}", labels[x.name])
    while len(pairs) > 1:
        for clearing, (x, y) in ((c, pair) for c in (False, True) for pair in reversed(pairs)):
            block = _isolate(equation, x, y, [s for pair in pairs for s in pair if pair != (x, y)], clearing)
            if block is not None:
                factor, function, rest = block
                constant = labels[x.name]
                book.note(
                    f"The terms of {x} stand together and depend on ({x}, {y}) alone: they equal a constant",
                    tidy(function),
                    constant,
                )
                equations[x.name] = function - constant
                constants[x.name] = constant
                equation = rest + factor * constant
                pairs.remove((x, y))
                break
        else:
            return None
    ((x, y),) = pairs
    equations[x.name] = equation
    book.note(f"What remains is an equation for {x} alone", tidy(equation), sp.Integer(0))
    return Separated(equations, constants, book.close())


def _isolate(
    equation: sp.Expr, x: sp.Symbol, y: sp.Symbol, others: list[sp.Symbol], clearing: bool
) -> tuple[sp.Expr, sp.Expr, sp.Expr] | None:
    """Write equation = factor(others)*G(x, y) + rest(others); `clearing` tries to multiply denominators away first."""
    for scale in _scales(equation, [x, *others]) if clearing else [sp.Integer(1)]:
        expanded = sp.expand(equation)
        if scale != 1:
            expanded = sp.expand(sp.Add(*(sp.cancel(t * scale) for t in sp.Add.make_args(expanded))))
        own = [t for t in sp.Add.make_args(expanded) if t.has(x, y)]
        rest = sp.Add(*(t for t in sp.Add.make_args(expanded) if not t.has(x, y)))
        found = _common_factor(own, x, y, others)
        if found is not None:
            return found[0], found[1], rest
    return None


def _scales(equation: sp.Expr, moving: list[sp.Symbol]) -> list[sp.Expr]:
    """Products of some of the moving factors of the denominator, sums first: those are what couples coordinates."""
    denominator = sp.fraction(sp.together(equation))[1]
    kernels = {k: sp.Dummy() for k in sorted(denominator.atoms(sp.Function), key=str)}
    factors = sp.factor_list(denominator.xreplace(kernels))[1]
    back = {v: k for k, v in kernels.items()}
    bases = [f.xreplace(back) for f, _ in factors if f.xreplace(back).has(*moving)][:6]
    bases.sort(key=lambda f: not isinstance(f, sp.Add))
    return [sp.Mul(*c) for size in range(1, len(bases) + 1) for c in combinations(bases, size)]


def _common_factor(
    terms: list[sp.Expr], x: sp.Symbol, y: sp.Symbol, others: list[sp.Symbol]
) -> tuple[sp.Expr, sp.Expr] | None:
    factor: sp.Expr | None = None
    function = sp.Integer(0)
    for term in terms:
        outside, inside = term.as_independent(x, y, as_Add=False)
        if inside.has(*others):
            return None
        if factor is None:
            number, core = outside.as_independent(*others, as_Add=False)
            factor, function = core, number * inside
            continue
        ratio = tidy(outside / factor)
        if ratio.has(*others):
            return None
        function += ratio * inside
    return None if factor is None else _whole(factor, function, x, y)


def _whole(factor: sp.Expr, function: sp.Expr, x: sp.Symbol, y: sp.Symbol) -> tuple[sp.Expr, sp.Expr]:
    """Scale G so that the square of the momentum has coefficient one, as a person would choose the constant."""
    leading = sp.expand(function).coeff(y, 2)
    if leading == 0 or leading.has(x, y):
        return factor, function
    return factor * leading, sp.expand(function / leading)
