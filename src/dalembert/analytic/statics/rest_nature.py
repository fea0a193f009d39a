"""What a rest asks of the equations of motion, and its nature: by the effective potential, then by gyroscopes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import sympy as sp

from dalembert.errors import DalembertError, ModelError

from ..formulas._equality import is_zero
from ..formulas._normal import tidy
from ..motions.modes import is_zero_matrix, linear_equations
from ..systems.lagrange import euler_lagrange
from ._rests import Rest
from .virtual_work import Nature, judge_order, nature_of_equilibrium, potential_of

if TYPE_CHECKING:
    from ..systems.system import System


def rest_conditions(system: System) -> dict[str, sp.Expr]:
    """What the equations of motion ask of a rest, one for each coordinate; multipliers stay in them.

    >>> from dalembert.analytic import System
    >>> rest_conditions(System("th", L="m*R**2*(th_d**2 + W**2*sin(th)**2)/2 + m*g*R*cos(th)"))
    {'th': R*m*(-R*W**2*cos(th) + g)*sin(th)}
    """
    n = system.names
    still = {n.velocity(c, k): sp.Integer(0) for c in system.coordinates for k in (1, 2)}
    expressions, rows = euler_lagrange(system.lagrangian, n), system.constraint_rows
    found = {}
    for j, c in enumerate(n.coordinates):
        if c in system.released:
            continue
        reaction = sum((lam * row[j] for lam, row in zip(system.multipliers, rows)), sp.Integer(0))
        whole = system.freeze(expressions[j] - system.generalised_forces[j] - reaction)
        found[c] = tidy(whole.subs(still, simultaneous=True))
    return found


def moves_with_time(system: System, e: sp.Expr) -> bool:
    """Whether a formula holds the time or a prescribed function of it."""
    n = system.names
    return any(s == n.time or s.name.rstrip("'") in n.given for s in e.free_symbols)


def effective_potential(system: System) -> sp.Expr | None:
    """V(q) whose slopes are the conditions of rest: -L at q' = 0, and the potential of what else acts; None if none.

    With L free of time it is what the energy function h = T2 + V keeps of a rotating frame too.
    """
    n = system.names
    still = {n.velocity(c): sp.Integer(0) for c in system.coordinates}
    conditions = rest_conditions(system) if not system.multipliers else {}
    resting = tidy(system.freeze(system.lagrangian).subs(still))
    if moves_with_time(system, resting) or any(moves_with_time(system, e) for e in conditions.values()):
        return None
    symbols = [n.symbol(c) for c in system.coordinates]
    forces = dict(zip(n.coordinates, system.generalised_forces))
    left = [tidy(system.freeze(forces[c]).subs(still)) for c in system.coordinates]
    if all(f == 0 for f in left):
        return -resting
    try:
        return -resting + potential_of(left, symbols)
    except ModelError:
        return None


def nature_of_rest(system: System, point: Mapping[str, sp.Expr], rest: Rest) -> Nature | None:
    """A minimum of the effective potential is stable; on a hill, gyroscopic terms are asked first."""
    V = effective_potential(system)
    if V is None or system.rolling:
        return None
    if system.multipliers:
        return _bound_nature(system, V, rest.at)
    try:
        nature = _potential_nature(system, V, point, rest.where)
    except ModelError:
        return None  # the slopes vanish on a part of the parameters only, and the formulas do not show it
    if nature.kind in ("stable", "neutral"):
        return nature
    if (family := _along_a_family(system, point, nature)) is not None:
        return family
    if _singular_chart(system, point):
        reason = "det M vanishes there: the coordinates do not tell the places nearby apart. Judge it in others"
        return Nature("singular", reason, nature.hessian)
    try:
        _, M, G, _ = linear_equations(system, {system.names.symbol(k): v for k, v in point.items()})
    except DalembertError:
        return nature
    if is_zero_matrix(M) or is_zero_matrix(G + G.T) is False or is_zero_matrix(G):
        return nature
    return _with_gyroscopes(system, point, nature)


def _singular_chart(system: System, point: Mapping[str, sp.Expr]) -> bool:
    """Whether the mass matrix, regular elsewhere, is singular at a place, as in polar coordinates at r = 0."""
    n = system.names
    v = [n.velocity(c) for c in system.coordinates]
    matrix = sp.hessian(system.freeze(system.lagrangian), v)
    determinant = matrix.det(method="berkowitz") if not matrix.has(*v) else sp.Integer(1)
    at = {n.symbol(c): e for c, e in point.items()}
    return not is_zero(determinant) and bool(is_zero(determinant.subs(at, simultaneous=True)))


def _along_a_family(system: System, point: Mapping[str, sp.Expr], nature: Nature) -> Nature | None:
    """Rests that fill a line or surface are neutral along it; what is left of the Hessian tells the nature across."""
    free = [k for k, v in enumerate(point.values()) if v == system.names.symbol(system.coordinates[k])]
    bound = [k for k in range(len(point)) if k not in free]
    if not free or not bound:
        return None
    n = system.names.apart()
    u = sp.Matrix([n.symbol(n.fresh(f"u{i}")) for i in range(len(bound))])
    across = nature.hessian.extract(bound, bound)
    form = nature_of_equilibrium((u.T * across * u)[0] / 2, {x.name: 0 for x in u}, names=n)
    labels = ", ".join(list(point)[k] for k in free)
    kind = "neutral" if form.kind == "stable" else form.kind
    return Nature(kind, f"neutral along the rests of any {labels}; across them {form.kind}", nature.hessian)


def _potential_nature(system: System, V: sp.Expr, point: Mapping[str, sp.Expr], where: Sequence[sp.Expr]) -> Nature:
    """The nature by V where the condition of the rest holds: its excess is made a positive parameter of its own."""
    n = system.names
    if len(where) != 1:
        return nature_of_equilibrium(V, point, names=n)
    (excess,) = where
    label = n.fresh("excess")
    inner = n.apart(positive=[label])
    own = inner.symbol(label)
    by = {
        x: (own - excess.subs(x, 0)) / sp.diff(excess, x)
        for x in sorted(excess.free_symbols, key=str)
        if x.name not in system.coordinates and not sp.diff(excess, x).has(x)
    }
    if not by:
        return nature_of_equilibrium(V, point, names=n)
    parameter = next((x for x, e in by.items() if e.is_positive), next(iter(by)))  # one that stays positive, if any
    inside = {k: tidy(v.subs(parameter, by[parameter])) for k, v in point.items()}
    nature = nature_of_equilibrium(V.subs(parameter, by[parameter]), inside, names=inner)
    hessian = nature.hessian.subs(own, excess).applyfunc(tidy)
    kind, reason = nature.kind, nature.reason
    if reason.endswith(f"value {nature.hessian[0]}"):
        reason = reason.removesuffix(str(nature.hessian[0])) + str(hessian[0])
    if kind.startswith("stable if") and hessian.rows == 1:  # the excess may stand as a factor of what decides
        factors = sp.Mul.make_args(sp.factor(hessian[0]))
        decided = judge_order(sp.Mul(*(own if is_zero(f - excess) else f for f in factors)), 2).kind
        kind = decided if decided in ("stable", "unstable") else kind
    kind, reason = (text.replace(label, f"({excess})") for text in (kind, reason))
    return Nature(kind, reason, hessian)


def _with_gyroscopes(system: System, point: Mapping[str, sp.Expr], nature: Nature) -> Nature:
    from ..motions.modes import normal_modes

    try:
        modes = normal_modes(system, point)
    except DalembertError:
        return Nature("undecided", f"{nature}; but gyroscopic terms act, and the modes were not found", nature.hessian)
    if modes.stable is False:
        return Nature("unstable", f"w^2 = {', '.join(map(str, modes.squares))}: {modes.reason}", nature.hessian)
    if modes.stable:
        return Nature("gyroscopic", f"V alone: {nature.kind}; {modes.reason}", nature.hessian)
    return Nature("undecided", f"V alone: {nature}; with gyroscopic terms {modes.reason}", nature.hessian)


def _bound_nature(system: System, V: sp.Expr, at: Mapping[sp.Symbol, sp.Expr]) -> Nature | None:
    """The Hessian of V - sum lambda f on the displacements that the constraints allow."""
    symbols = [system.names.symbol(c) for c in system.coordinates]
    holonomic = [system.freeze(f) for f in system.constraints]
    total = V - sum((lam * f for lam, f in zip(system.multipliers, holonomic)), sp.Integer(0))
    rows = sp.Matrix([[sp.diff(f, x) for x in symbols] for f in holonomic]).subs(at).applyfunc(tidy)
    allowed = rows.nullspace()
    if len(allowed) != len(symbols) - len(holonomic):
        return None  # the constraints are not independent there
    if not allowed:
        return Nature("stable", "the constraints leave no freedom", sp.zeros(0, 0))
    T = sp.Matrix.hstack(*allowed)
    hessian = (T.T * sp.hessian(total, symbols).subs(at, simultaneous=True) * T).applyfunc(tidy)
    n = system.names.apart()
    u = sp.Matrix([n.symbol(n.fresh(f"u{i}")) for i in range(hessian.rows)])
    form = nature_of_equilibrium((u.T * hessian * u)[0] / 2, {x.name: 0 for x in u}, names=n)
    if form.kind in ("neutral", "degenerate"):
        return Nature("degenerate", "the quadratic form on the allowed displacements is not definite", hessian)
    return Nature(form.kind, f"on the displacements that the constraints allow, {form.reason}", hessian)
