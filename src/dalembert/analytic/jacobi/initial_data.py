"""Hamilton-Jacobi with initial data: the constants of the complete integral that a start asks for, and its motion.

alpha from p0 = dS/dq(q0, alpha); beta from dS/dalpha(q0, alpha) at t = 0. A momentum p0 = s P with P > 0 chooses the
branch s of its root; where s leaves the answer in the end, the answer holds for both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import sympy as sp

from dalembert.errors import ModelError
from dalembert.expr._grammar import is_name

from ..formulas._equality import is_zero
from ..formulas._exact import number_function
from ..formulas._names import Formula
from ..formulas._normal import tidy
from ..formulas._solving import solve_system

if TYPE_CHECKING:
    from .hamilton_jacobi import HamiltonJacobi

_ODD = (sp.sin, sp.tan, sp.sinh, sp.tanh, sp.asin, sp.atan, sp.asinh, sp.atanh)
_EVEN = (sp.cos, sp.cosh)


def constants_from(view: HamiltonJacobi, start: Mapping[str, Formula]) -> dict[str, sp.Expr]:
    """alpha and beta of the motion that has this start, by name; the branch signs are those of the momenta."""
    alphas, betas, back = _constants(view, start)
    return {name: _plain(e, back) for name, e in {**alphas, **betas}.items()}


def _constants(
    view: HamiltonJacobi, start: Mapping[str, Formula]
) -> tuple[dict[str, sp.Expr], dict[str, sp.Expr], dict[sp.Symbol, sp.Expr]]:
    n, p = view.names, view.system.hamilton().p
    if view.representation != "q":
        raise ModelError("a start is put into the q representation: ask hamilton_jacobi() without representation='p'")
    wanted = [*(x.name for x in view.x), *(y.name for y in p)]
    wrong = sorted({*start} ^ {*wanted})
    if wrong:
        raise ModelError(f"a start gives a value for each of {', '.join(wanted)} and for no others: see {wrong[0]}")
    for x in view.x:  # a coordinate that is positive starts from a positive value
        if x.is_positive and isinstance(value := start[x.name], str) and is_name(value) and value not in n.table:
            n.positive.add(value)
    given = {name: n.read(start[name]) for name in wanted}
    at = {x: given[x.name] for x in view.x}
    back: dict[sp.Symbol, sp.Expr] = {}
    branches: dict[sp.Symbol, sp.Expr] = {}
    momenta: dict[sp.Symbol, sp.Expr] = {}
    equations = []
    for x, y in zip(view.x, p):
        slope, momenta[y] = view.slopes[x.name].subs(at), given[y.name]
        branch = next((n.symbol(s) for s in view.signs if slope.has(n.symbol(s))), None)
        if branch is None:
            equations.append(slope - momenta[y])
            continue
        rest = slope.subs(branch, 0)  # dS/dx = rest + s root: the root is the size of p - rest
        size = sp.Dummy(f"size_{y}", positive=True)
        equations.append(sp.expand((slope - rest) / branch) ** 2 - size**2)
        back[size] = (given[y.name] - rest) * branch
        off = tidy(given[y.name] - rest)
        branches[branch] = sp.sign(off) if off != 0 else sp.Integer(1)  # from rest both branches are the same motion
        momenta[y] = rest + branch * size
    unknown = list(dict.fromkeys(view.constants.values()))
    if view.energy in unknown and not view.H.has(n.time):  # the energy is H itself at the start
        energy = view.H.subs(at, simultaneous=True).subs(momenta, simultaneous=True)
        energy = tidy(_squared(sp.expand(energy), list(branches)))
        equations = [e for e in (e.subs(view.energy, energy) for e in equations) if not is_zero(e)]
        equations.append(view.energy - energy)
    solutions = solve_system(equations, unknown)
    if len(solutions) != 1 or set(solutions[0]) != set(unknown):
        raise ModelError(
            f"the constants {', '.join(map(str, unknown))} do not follow from the start in closed form: "
            "integrate(system, ...) gives the motion by numbers"
        )
    alpha = solutions[0]
    beta = {
        name: tidy(relation.subs(n.time, 0).subs(at, simultaneous=True).subs(alpha, simultaneous=True))
        for name, relation in view.jacobi.items()
    }
    labels = {c.name: f"beta_{x}" for x, c in view.constants.items()} | {str(view.energy): "beta"}
    named = {labels.get(name, f"beta_{name}"): value for name, value in beta.items()}
    return {k.name: v for k, v in alpha.items()}, named, back | branches


def motion_from(view: HamiltonJacobi, start: Mapping[str, Formula]) -> dict[str, sp.Expr]:
    """q(t) and p(t) with the start put in, proved by Hamilton's equations and the start itself."""
    n, hamilton = view.names, view.system.hamilton()
    alphas, betas, back = _constants(view, start)
    general = view.motion()
    lost = [x.name for x in view.x if x.name not in general]
    if lost:
        raise ModelError(
            f"{', '.join(lost)}(t) has no closed form: dS/dalpha = beta cannot be inverted there. "
            "`jacobi` holds the relations, integrate(system, ...) the motion by numbers"
        )
    names = {n.symbol(n.fresh(k)): v for k, v in betas.items()} | {n.symbol(k): v for k, v in alphas.items()}
    motion = {c: _plain(e.subs(names, simultaneous=True), back) for c, e in general.items()}
    along = {n.symbol(c): e for c, e in motion.items()}
    rates = {n.velocity(c): sp.diff(e, n.time) for c, e in motion.items()}
    for y, momentum in zip(hamilton.p, hamilton.momenta.values()):
        motion[y.name] = tidy(momentum.subs(rates, simultaneous=True).subs(along, simultaneous=True))
    _prove(view, start, motion)
    _follow(view, start, motion)
    return motion


def _prove(view: HamiltonJacobi, start: Mapping[str, Formula], motion: Mapping[str, sp.Expr]) -> None:
    n, hamilton = view.names, view.system.hamilton()
    on = {n.symbol(c): e for c, e in motion.items()}
    for name, rate in {**hamilton.qdot, **hamilton.pdot}.items():
        if not is_zero(sp.diff(motion[name], n.time) - rate.subs(on, simultaneous=True)):
            raise ModelError(f"the motion found for {name} does not satisfy Hamilton's equations: {motion[name]}")
    for name, value in start.items():
        if not is_zero(motion[name].subs(n.time, 0) - n.read(value)):
            raise ModelError(f"the motion found for {name} does not start at {value}: {motion[name]}")


_DRAWS, _UNTIL, _NEAR = 3, 4.0, 1e-5
"""Motions that are followed by numbers of the size of one, until when, and how near the formula must stay: one turning
point at least lies within, where a formula that is right before it may take the wrong branch."""


def _follow(view: HamiltonJacobi, start: Mapping[str, Formula], motion: Mapping[str, sp.Expr]) -> None:
    """Integrate Hamilton's equations from the start and stay with the formulas, beyond their turning points."""
    from random import Random

    import numpy as np
    from scipy.integrate import solve_ivp

    n, hamilton = view.names, view.system.hamilton()
    labels = [*(q.name for q in hamilton.q), *(p.name for p in hamilton.p)]
    state = [n.symbol(x) for x in labels]
    rates = [{**hamilton.qdot, **hamilton.pdot}[x] for x in labels]
    begin = [n.read(start[x]) for x in labels]
    inside = (*rates, *begin, *motion.values())
    letters = sorted({s for e in inside for s in e.free_symbols} - {*state, n.time}, key=str)
    right = number_function([n.time, state, letters], rates)
    first, told = number_function([letters], begin), number_function([n.time, letters], [motion[x] for x in labels])
    pick = Random(0)
    for _ in range(_DRAWS):
        values = [pick.uniform(0.4, 1.6) * (1 if s.is_positive else pick.choice((1, -1))) for s in letters]
        with np.errstate(all="ignore"):
            run = solve_ivp(lambda t, y: right(t, y, values), (0, _UNTIL), first(values), rtol=1e-9, atol=1e-10)  # noqa: B023
            formula = np.array(told(_UNTIL, values), dtype=complex)
        size = 1 + np.abs(run.y).max(axis=1)
        if run.success and not (np.abs(formula - run.y[:, -1]) <= _NEAR * size).all():
            lost = labels[int(np.argmax(np.abs(formula - run.y[:, -1]) / size))]
            raise ModelError(
                f"{lost}(t) has no closed form that holds beyond a turning point: the inverse of dS/dalpha = beta goes "
                "over to another branch. integrate(system, ...) gives the motion by numbers"
            )


def _plain(e: sp.Expr, back: Mapping[sp.Symbol, sp.Expr]) -> sp.Expr:
    """Signs drawn out of odd functions and squared away; then the momenta come back for their sizes."""
    signs = [s for s in back if not isinstance(s, sp.Dummy)]
    sizes = {k: v for k, v in back.items() if isinstance(k, sp.Dummy)}
    e = sp.expand_trig(sp.expand(e)) if e.has(*_ODD, *_EVEN) else e
    e = _drawn(tidy(_drawn(e, signs)), signs)
    e = _drawn(_squared(sp.expand(e.subs(sizes, simultaneous=True)), signs), signs)
    left = {s: back[s] for s in signs if e.has(s)}
    return _short(e.subs(left) if left else e)


def _drawn(e: sp.Expr, signs: list[sp.Symbol]) -> sp.Expr:
    """sin(s u) = s sin u and cos(s u) = cos u for signs s; s^2 = 1."""

    def out_of(f: sp.Expr) -> sp.Expr:
        drawn = sp.Integer(1)
        for s in signs:
            if _odd_in(f.args[0], s):
                drawn, f = (drawn * s if isinstance(f, _ODD) else drawn), f.func(f.args[0].subs(s, 1))
        return drawn * f

    return _squared(sp.expand(e.replace(lambda f: isinstance(f, _ODD + _EVEN), out_of)), signs)


def _odd_in(u: sp.Expr, s: sp.Symbol) -> bool:
    return bool(u.has(s) and sp.expand(u.subs(s, -s) + u) == 0)


def _squared(e: sp.Expr, signs: list[sp.Symbol]) -> sp.Expr:
    return e.replace(
        lambda f: isinstance(f, sp.Pow) and f.base in signs and f.exp.is_Integer, lambda f: f.base ** (int(f.exp) % 2)
    )


def _short(e: sp.Expr) -> sp.Expr:
    """Roots of quotients as quotients of roots, signs squared away, and the shortest of a few ways to write it."""
    half = sp.Rational(1, 2)
    e = e.replace(lambda f: isinstance(f, sp.Pow) and f.exp == half and isinstance(f.base, sp.Pow), _root_of_quotient)
    e = e.replace(lambda f: isinstance(f, sp.Pow) and isinstance(f.base, sp.sign) and f.exp.is_Integer, _sign_power)
    return min((e, sp.expand(e), tidy(e)), key=lambda f: f.count_ops())


def _root_of_quotient(f: sp.Expr) -> sp.Expr:
    return sp.sqrt(1 / f.base) ** -1 if f.base.exp == -1 else f


def _sign_power(f: sp.Expr) -> sp.Expr:
    return f.base ** (int(f.exp) % 2)
