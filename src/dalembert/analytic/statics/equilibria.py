"""Rests of a system: where the equations of motion hold with q' = q'' = 0, all of them, each with its nature.

Terms of a prescribed rotation (centrifugal forces), fields and given forces take part: a rest is one of the motion,
relative to the coordinates that were chosen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sympy as sp

from dalembert.errors import DalembertError, ModelError

from ..formulas._equality import is_zero
from ..formulas._exact import number_function
from ..motions.modes import numeric_modes
from ._rests import Rests, solve_rests_in_time
from .rest_nature import effective_potential, moves_with_time, nature_of_rest, rest_conditions
from .virtual_work import Nature

if TYPE_CHECKING:
    from ..systems.system import System


@dataclass(frozen=True)
class Equilibrium:
    """A position of rest, its nature (None when it is not judged), and what must not be negative for it to exist."""

    at: dict[str, sp.Expr]
    nature: Nature | None
    where: tuple[sp.Expr, ...] = ()
    multipliers: dict[str, sp.Expr] | None = None

    def __str__(self) -> str:
        place = ", ".join(
            f"any {k}" if str(v) == k else f"{k} = {v.evalf(12) if _is_nested(v) else v}" for k, v in self.at.items()
        )
        exists = f" (where {', '.join(f'{e} >= 0' for e in self.where)})" if self.where else ""
        return f"{place}{exists}: {self.nature if self.nature is not None else 'nature not judged'}"


_NESTED = 12
"""Operations above which a number made of roots is judged by its digits: nested roots have no quick normal form."""


def _is_nested(e: sp.Expr) -> bool:
    return bool(e.is_number and e.count_ops() > _NESTED)


class Equilibria(tuple[Equilibrium, ...]):
    """The rests that were found; `complete` says that there are no others, `remark` in which sense."""

    complete: bool
    remark: str

    def __new__(cls, found: Sequence[Equilibrium], complete: bool, remark: str) -> Equilibria:
        self = super().__new__(cls, found)
        self.complete, self.remark = complete, remark
        return self

    def __str__(self) -> str:
        return "\n".join([*map(str, self), self.remark])


def equilibria(system: System) -> Equilibria:
    """Every rest of the system, in closed form; the result says whether these are all (angles: within one turn).

    Where the formulas have no closed solution and hold numbers only, they are searched for by numbers (|q| < 10).

    >>> from dalembert.analytic import System
    >>> [e.nature.kind for e in equilibria(System("x", V="a*x**3/3 - a*x", positive="a"))]
    ['stable', 'unstable']
    >>> print(equilibria(System("th", V="-m*g*l*cos(th)", positive="m g l")))
    th = 0: stable: the first non-zero derivative has even order 2, value g*l*m
    th = pi: unstable: the first non-zero derivative has even order 2, value -g*l*m
    these are all, up to whole turns, unless the parameters have special values
    """
    n = system.names
    symbols = [n.symbol(c) for c in system.coordinates]
    conditions = list(rest_conditions(system).values())
    holonomic = [system.freeze(f) for f in system.constraints]
    unknowns = [*symbols, *system.multipliers]
    equations = [*conditions, *holonomic]
    _refuse_unspecified(equations)
    rests = solve_rests_in_time(equations, unknowns)
    plain = not any(e.free_symbols - set(unknowns) for e in equations) and not system.multipliers
    found = []
    for rest in rests.solutions:
        if any(moves_with_time(system, e) for e in rest.at.values()):
            continue  # a place that moves with time is no rest
        point = {s.name: rest.at.get(s, s) for s in symbols}
        values = {s.name: rest.at[s] for s in system.multipliers if s in rest.at}
        if plain and any(_is_nested(e) for e in point.values()):
            found.append(_judge_by_numbers(system, Equilibrium(point, None, rest.where), {}))
            continue
        found.append(Equilibrium(point, nature_of_rest(system, point, rest), rest.where, values or None))
    if rests.complete:
        return Equilibria(found, complete=True, remark=_all(rests, len(found), equations, unknowns))
    if plain:
        return search_equilibria(system, {}, known=found)
    if found:
        return Equilibria(
            found, complete=False, remark="there may be others: the equations have no complete closed form"
        )
    raise ModelError(
        f"the conditions of rest {conditions} = 0 have no solution in closed form that was found; give numbers for the "
        "parameters and ask search_equilibria, or numeric_equilibrium from a start"
    )


def _all(rests: Rests, count: int, equations: Sequence[sp.Expr], unknowns: Sequence[sp.Symbol]) -> str:
    text = "these are all" if count else "there is none"
    text += ", up to whole turns" if rests.turns and count else ""
    if any(e.free_symbols - set(unknowns) for e in equations):
        text += ", unless the parameters have special values"
    if rests.dropped:
        text += f"; {rests.dropped} more solutions are real at none of the sizes of parameters that were tried"
    return text


def _refuse_unspecified(equations: Sequence[sp.Expr]) -> None:
    from sympy.core.function import AppliedUndef

    functions = {str(f) for e in equations for f in e.atoms(AppliedUndef)}
    if functions:
        raise ModelError(f"the rests depend on what {', '.join(sorted(functions))} is: give a formula")


def numeric_equilibrium(system: System, values: Mapping[str, float], start: Mapping[str, float]) -> dict[str, float]:
    """The rest near `start` at numeric parameters, by Newton's method on the conditions of rest."""
    missing = [c for c in system.coordinates if c not in start]
    if missing:
        raise ModelError(f"the start needs a number for {', '.join(missing)}")
    f, df = _functions(system, values)
    from scipy.optimize import root

    solution = root(f, [float(start[c]) for c in system.coordinates], jac=df, tol=1e-13)
    if not solution.success:
        raise ModelError(f"no equilibrium was found near {dict(start)}: {solution.message}")
    return {c: float(x) for c, x in zip(system.coordinates, solution.x)}


def search_equilibria(
    system: System,
    values: Mapping[str, float],
    box: Mapping[str, tuple[float, float]] | None = None,
    *,
    known: Sequence[Equilibrium] = (),
) -> Equilibria:
    """The rests at numeric parameters that Newton's method finds from many starts in a box (angles: one turn).

    Coordinates that occur in sines and cosines only are angles; the box of the others is (-10, 10) unless it is given.

    >>> from dalembert.analytic import System
    >>> found = search_equilibria(System("x", V="exp(x) + k*x**2"), {"k": 1})
    >>> print(round(float(found[0].at["x"]), 6), found[0].nature.kind)
    -0.351734 stable
    """
    import numpy as np
    from scipy.optimize import root
    from scipy.stats import qmc

    n, size = system.names, len(system.coordinates)
    f, df = _functions(system, values)
    angles = _angles(system)
    sides = [(box or {}).get(c, (-np.pi, np.pi) if c in angles else _BOX) for c in system.coordinates]
    low, high = (np.array([float(side[k]) for side in sides]) for k in (0, 1))
    starts = low + (high - low) * qmc.Halton(size, seed=0).random(_STARTS * size)
    found = [np.array([float(e.at[c]) for c in system.coordinates]) for e in known]
    results = list(known)
    numbers = n.numbers(values)
    for start in [*found, (low + high) / 2, *starts]:
        with np.errstate(all="ignore"):
            solution = root(f, start, jac=df, tol=1e-13)
        x = solution.x
        if not (solution.success and np.all(np.isfinite(x)) and np.all(x >= low) and np.all(x <= high)):
            continue
        slack = _SAME * (high - low)
        if any(np.all(np.abs(_gap(x - other, angles, system.coordinates)) < slack) for other in found):
            continue
        if np.linalg.norm(f(x)) > _SAME * np.linalg.norm(np.abs(df(x)) @ (high - low)):
            continue
        found.append(x)
        results.append(Equilibrium({c: sp.Float(v) for c, v in zip(system.coordinates, x)}, None))
    judged = [e if e.nature is not None else _judge_by_numbers(system, e, numbers) for e in results]
    where = ", ".join(f"{a:g} < {c} < {b:g}" for c, (a, b) in zip(system.coordinates, sides))
    return Equilibria(judged, complete=False, remark=f"found by numbers, within {where}: there may be others")


_BOX = (-10.0, 10.0)
_STARTS = 60
"""Starts for each coordinate: rests of hand-sized systems are some ten in the box, each with a basin of its own."""
_SAME = 1e-7
"""Share of the box within which two numbers are one rest: Newton's last step leaves some 1e-10 of it."""


def _functions(system: System, values: Mapping[str, float]):  # type: ignore[no-untyped-def]
    """The conditions of rest and their slopes as functions of an array."""
    import numpy as np

    if system.multipliers:
        raise ModelError("rests by numbers need independent coordinates: eliminate the constraints first")
    n = system.names
    symbols = [n.symbol(c) for c in system.coordinates]
    numbers = n.numbers(values)
    conditions = [e.subs(numbers) for e in rest_conditions(system).values()]
    slopes = sp.Matrix(conditions).jacobian(symbols)
    f, df = number_function([symbols], conditions), number_function([symbols], slopes)
    return lambda x: np.array(f(x), dtype=float), lambda x: np.array(df(x), dtype=float)


def _angles(system: System) -> set[str]:
    """Coordinates that the conditions of rest hold with period 2 pi."""
    found = set()
    for c in system.coordinates:
        q = system.names.symbol(c)
        if all(is_zero(e - e.subs(q, q + 2 * sp.pi)) for e in rest_conditions(system).values()):
            found.add(c)
    return found


def _gap(difference, angles: set[str], labels: Sequence[str]):  # type: ignore[no-untyped-def]
    import numpy as np

    turned = difference - 2 * np.pi * np.round(difference / (2 * np.pi))
    return np.where([c in angles for c in labels], turned, difference)


def _judge_by_numbers(system: System, rest: Equilibrium, numbers: Mapping[sp.Symbol, sp.Expr]) -> Equilibrium:
    """The nature by the Hessian's eigenvalues; frequencies where the potential has no minimum and G acts."""
    import numpy as np

    V = effective_potential(system)
    if V is None:
        return rest
    symbols = [system.names.symbol(c) for c in system.coordinates]
    point = {x: rest.at[x.name].evalf(30) for x in symbols}
    hessian = sp.hessian(V.subs(numbers), symbols).subs(point).evalf()
    matrix = np.array(hessian.tolist(), dtype=float)
    eigenvalues = np.linalg.eigvalsh(matrix)
    doubt = _SAME * np.abs(eigenvalues).max()
    text = f"eigenvalues of the Hessian {', '.join(f'{x:.6g}' for x in eigenvalues)}"
    if eigenvalues.min() > doubt:
        return Equilibrium(rest.at, Nature("stable", text, hessian), rest.where)
    if eigenvalues.min() >= -doubt:
        return Equilibrium(rest.at, Nature("degenerate", text, hessian), rest.where)
    kind = "unstable" if eigenvalues.max() < 0 else "saddle"
    try:
        modes = numeric_modes(system, {s.name: float(v) for s, v in numbers.items()}, _floats(rest.at))
        if not any(w != w for w in modes):  # noqa: PLR0124
            kind, text = "gyroscopic", f"{text}; frequencies {', '.join(f'{w:.6g}' for w in modes)}"
    except DalembertError:
        pass
    return Equilibrium(rest.at, Nature(kind, text, hessian), rest.where)


def _floats(at: Mapping[str, sp.Expr]) -> dict[str, float]:
    return {k: float(v) for k, v in at.items()}
