"""Action and angle variables of bound motions: actions by a loop integral, frequencies by differentiation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._exact import number_function
from ..formulas._normal import tidy
from ..formulas._solving import invert
from ..formulas.loop_integral import loop_integral
from ..formulas.steps import Notebook, Steps
from .hamilton_jacobi import HamiltonJacobi

#: Places of all sizes that are looked at, sixteen in a decade; the first step from a place, in parts of it; beyond this
#: many times the largest size a motion is not bounded.
_SIZES = tuple(10.0 ** (k / 16) for k in range(-16 * 12, 16 * 12 + 1))
_FIRST, _UNBOUNDED = 1e-6, 1e6


@dataclass(frozen=True)
class ActionAngle:
    """J = (1/2 pi) loop integral of p dq for each coordinate, the energy in terms of the actions, frequencies dE/dJ.

    The motion is bound, and the formulas hold, where every expression of `where` is positive.
    """

    actions: dict[str, sp.Expr]
    energy: sp.Expr | None
    frequencies: dict[str, sp.Expr]
    where: tuple[sp.Expr, ...]
    steps: Steps


def action_angle(view: HamiltonJacobi, angles: str | Sequence[str] = ()) -> ActionAngle:
    """Actions of a separated system, closed where the radicand is of a known kind.

    `angles` names the cyclic coordinates that close on themselves after a turn: their action is the momentum. A cyclic
    coordinate that is no angle runs away and has no action.

    >>> from dalembert.analytic import System
    >>> result = action_angle(System("q", H="p**2/(2*m) + m*w**2*q**2/2", positive="m w").hamilton_jacobi())
    >>> result.energy, result.frequencies["q"]
    (J_q*w, w)
    """
    n = view.names
    turning = angles.replace(",", " ").split() if isinstance(angles, str) else list(angles)
    strange = [a for a in turning if a not in {x.name for x in view.x}]
    if strange:
        raise ModelError(f"{', '.join(strange)}: no coordinate here; there are {', '.join(x.name for x in view.x)}")
    if not view.slopes:
        raise ModelError(f"no actions without a complete integral: {view.certificate}")
    if view.H.has(n.time):
        raise ModelError("actions are loop integrals of a motion that repeats: H must not depend on time")
    signs = {n.symbol(s): sp.Integer(1) for s in view.signs}
    actions, bound = {}, []
    for x in view.x:
        slope = view.slopes[x.name].subs(signs)
        if not slope.has(x):
            if x.name not in turning:
                raise ModelError(
                    f"{x} does not occur in H: a cyclic coordinate comes back only when it is an angle. If it is one, "
                    f'say action_angle(view, angles="{x}"); otherwise its motion has no action'
                )
            actions[x.name] = slope
            continue
        closed = loop_integral(sp.expand(slope**2), x)
        if closed is None:
            raise ModelError(_no_rule(slope**2, x))
        for condition in closed.where:
            if condition.is_nonpositive:
                raise ModelError(f"the motion of {x} is not bound: it would need {condition} > 0. It has no action")
        bound += [tidy(c) for c in closed.where if not c.is_positive]
        actions[x.name] = tidy(closed.value / (2 * sp.pi))
    signed = [a for a in actions.values() if any(b.has(sp.Abs(a)) for b in actions.values()) and not a.is_positive]
    return _energy(view, actions, tuple(dict.fromkeys((*bound, *signed))))


def _no_rule(radicand: sp.Expr, x: sp.Symbol) -> str:
    if not sp.diff(radicand, x, 2).has(x) and sp.expand(sp.diff(radicand, x, 2)) == 0:
        return (
            f"the motion of {x} has one turning point: the square of its momentum, {sp.expand(radicand)}, is linear. "
            "It runs away and has no action; a wall that throws it back belongs into H, as abs(...) for a mirror"
        )
    return (
        f"no rule here gives the loop integral of sqrt({sp.expand(radicand)}) in closed form; numeric_action gives the "
        f"action of {x} at numbers"
    )


def _energy(view: HamiltonJacobi, actions: dict[str, sp.Expr], where: tuple[sp.Expr, ...]) -> ActionAngle:
    """Solve J_i(constants) for the constants, the energy last."""
    n = view.names
    symbols = {x: sp.Symbol(f"J_{x}", positive=True) for x in actions}
    values: dict[sp.Symbol, sp.Expr] = {}
    book = Notebook()
    for x, action in actions.items():
        book.note(f"Action of {x}, (1/2 pi) times the loop integral of its momentum", f"J_{x}", action)
    pending = dict(actions)
    while pending:
        for x, action in list(pending.items()):
            e = action.subs(values)
            unknown = [c for c in (*view.constants.values(), view.energy) if e.has(c)]
            unknown = list(dict.fromkeys(unknown))
            if len(unknown) == 1:
                solutions = [s for s in invert(e, unknown[0], symbols[x]) if s.is_real is not False]
                chosen = _branch(solutions, e, unknown[0], symbols[x], where)
                if chosen is None:
                    return _without_energy(view, actions, where, book)
                values[unknown[0]] = tidy(chosen)
                del pending[x]
                break
        else:
            return _without_energy(view, actions, where, book)
    energy = values.get(n.symbol(str(view.energy)))
    if energy is None:
        return _without_energy(view, actions, where, book)
    energy = tidy(sp.simplify(energy) if energy.count_ops() < 60 else energy)
    frequencies = {x: tidy(sp.diff(energy, symbol)) for x, symbol in symbols.items()}
    book.note("Solved for the energy", "E", energy)
    for x, w in frequencies.items():
        book.note("Frequency dE/dJ", f"w_{x}", w)
    for condition in where:
        book.note("The motion is bound where this is positive", condition)
    return ActionAngle(actions, energy, frequencies, where, book.close())


def _branch(
    solutions: Sequence[sp.Expr], action: sp.Expr, constant: sp.Symbol, J: sp.Symbol, where: tuple[sp.Expr, ...]
) -> sp.Expr | None:
    """The solution that gives the constant back from its action, at numbers with which the motion is bound."""
    if len(solutions) < 2:
        return solutions[0] if solutions else None
    letters = sorted(set().union(action.free_symbols, *(c.free_symbols for c in where)), key=str)
    for sizes in _spread_numbers(letters):
        if not all(c.subs(sizes).evalf().is_positive for c in where):
            continue
        value = action.subs(sizes).evalf()
        if not value.is_positive:
            continue
        misses = [abs((s.subs(sizes).subs(J, value) - sizes.get(constant, constant)).evalf()) for s in solutions]
        near = [s for s, miss in zip(solutions, misses) if miss.is_number and miss < _SAME * (1 + abs(value))]
        if near:
            return near[0]
    return None


_SAME = 1e-9
"""Share of an action that rounding of fifteen digits may leave after a few roots and squares."""


def _spread_numbers(letters: Sequence[sp.Symbol]) -> Iterator[dict[sp.Symbol, sp.Expr]]:
    """Numbers of several sizes and both signs for the letters, a hundred choices that repeat themselves."""
    for k in range(100):
        sizes = {s: sp.Rational(2 + (7 * k + 5 * i) % 11, 3 + (5 * k + 3 * i) % 7) for i, s in enumerate(letters)}
        yield {s: v if s.is_positive or (k + i) % 2 else -v for i, (s, v) in enumerate(sizes.items())}


def _without_energy(
    view: HamiltonJacobi, actions: dict[str, sp.Expr], where: tuple[sp.Expr, ...], book: Notebook
) -> ActionAngle:
    """E(J) is not elementary; of one coordinate the frequency is still known, w = 1/(dJ/dE), as a function of E."""
    frequencies = {}
    if len(actions) == 1:
        ((x, action),) = actions.items()
        frequencies[x] = tidy(1 / sp.diff(action, view.names.symbol(str(view.energy))))
        book.note("E(J) is not elementary; frequency 1/(dJ/dE)", f"w_{x}", frequencies[x])
    return ActionAngle(actions, None, frequencies, where, book.close())


def numeric_action(view: HamiltonJacobi, coordinate: str, values: Mapping[str, float]) -> float:
    """The action of one coordinate at numeric constants: quadrature between the turning points around the well."""
    import mpmath  # type: ignore[import-untyped]
    import numpy as np
    from scipy.optimize import brentq

    n = view.names
    x = n.symbol(coordinate)
    signs = {n.symbol(s): sp.Integer(1) for s in view.signs}
    radicand = sp.expand(view.slopes[coordinate].subs(signs) ** 2).subs(n.numbers(values))
    f = number_function([x], radicand, "math")
    centre = _deepest(f)
    if _safe(f, centre) <= 0:
        raise ModelError(
            "no motion was found at these constants: the square of the momentum is negative at every place that was "
            "looked at. Give constants (energy, momenta) with which the well is entered."
        )

    def edge(direction: float) -> float:
        step = _FIRST * (abs(centre) or _SIZES[0])
        while _safe(f, centre + direction * step) > 0:
            step *= 1.3
            if step > _UNBOUNDED * _SIZES[-1]:
                raise ModelError("the motion is not bounded: no turning point was found")
        end = centre + direction * step
        return float(brentq(lambda u: _safe(f, u), centre, end, xtol=2 * np.finfo(float).eps * max(abs(end), step)))

    left, right = edge(-1.0), edge(1.0)
    middle, half = (left + right) / 2, (right - left) / 2
    # x = middle + half*sin(u) removes the square-root singularities at the turning points
    integral = mpmath.quad(
        lambda u: mpmath.sqrt(abs(_safe(f, float(middle + half * mpmath.sin(u))))) * half * mpmath.cos(u),
        [-mpmath.pi / 2, 0, mpmath.pi / 2],
    )
    return float(integral / mpmath.pi)


def _deepest(f: object) -> float:
    """The place with the largest momentum: on steps of angles, and of all sizes, then between the neighbours."""
    from scipy.optimize import minimize_scalar

    steps = [k / 500 for k in range(-5000, 5001)]
    places = sorted({*steps, *_SIZES, *(-u for u in _SIZES)})
    best = max(range(len(places)), key=lambda i: _safe(f, places[i]))
    near = places[max(best - 1, 0)], places[min(best + 1, len(places) - 1)]
    between = float(minimize_scalar(lambda u: -_safe(f, u), bounds=near, method="bounded").x)
    return max(places[best], between, key=lambda u: _safe(f, u))


def _safe(f: object, u: float) -> float:
    try:
        return float(f(u))  # type: ignore[operator]
    except (ValueError, ZeroDivisionError, OverflowError):
        return float("-inf")
