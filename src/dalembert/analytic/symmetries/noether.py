"""Noether's theorem both ways: a symmetry gives an integral, an integral gives back its symmetry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._equality import is_zero
from ..formulas._names import Formula, Names
from ..formulas._normal import tidy
from ..formulas._solving import solve_linear
from ..formulas.steps import Notebook, Steps
from .gauge import gauge_function

if TYPE_CHECKING:
    from ..systems.system import System


@dataclass(frozen=True)
class Noether:
    """An infinitesimal symmetry (delta q, delta t) with its gauge function, and the quantity that it conserves."""

    shifts: dict[str, sp.Expr]
    time_shift: sp.Expr
    gauge: sp.Expr
    integral: sp.Expr
    steps: Steps


def noether(system: System, shifts: Mapping[str, Formula], time_shift: Formula = 0) -> Noether:
    """The integral of a symmetry: dL along (xi, tau) must be dPhi/dt; I = sum p (xi - q' tau) + L tau - Phi.

    The gauge function Phi is found, not asked for; when there is none the transformation is no symmetry.

    >>> from dalembert.analytic import System
    >>> boost = noether(System("x", L="m*x_d**2/2"), {"x": "t"})
    >>> boost.integral
    m*t*x' - m*x
    """
    n, book = system.names, Notebook()
    L = system.freeze(system.lagrangian)
    if any(not is_zero(f) for f in system.generalised_forces) or system.multipliers:
        raise ModelError("Noether's theorem needs all forces in L and independent coordinates")
    xi = {c: n.read(shifts.get(c, 0)) for c in system.coordinates}
    unknown = set(shifts) - set(system.coordinates)
    if unknown:
        raise ModelError(
            f"{', '.join(sorted(unknown))}: not coordinates of this system ({', '.join(system.coordinates)})"
        )
    tau = n.read(time_shift)
    change = tidy(sp.expand(first_order_change(L, xi, tau, n)))
    book.note("Infinitesimal change", "delta q", tuple(xi.values()))
    book.note("Change of L dt to first order", "delta L", change)
    try:
        phi = gauge_function(change, (), names=n)
    except ModelError as refusal:
        raise ModelError(f"not a symmetry: the change of L, {change}, is no total derivative") from refusal
    book.note("It is the time derivative of", "Phi", phi)
    momenta = {c: sp.diff(L, n.velocity(c)) for c in system.coordinates}
    integral = (
        sum((momenta[c] * (xi[c] - n.velocity(c) * tau) for c in system.coordinates), sp.Integer(0)) + L * tau - phi
    )
    integral = tidy(sp.expand(integral))
    book.note("Conserved: sum p (delta q - q' delta t) + L delta t - Phi", "I", integral)
    return Noether(xi, tau, phi, integral, book.close())


def first_order_change(L: sp.Expr, xi: Mapping[str, sp.Expr], tau: sp.Expr, n: Names) -> sp.Expr:
    """First-order change of L dt/dt: L_q xi + L_v (xi' - q' tau') + L_t tau + L tau'."""
    total = sp.diff(L, n.time) * tau + L * n.derivative(tau)
    for c, shift in xi.items():
        v = n.velocity(c)
        total += sp.diff(L, n.symbol(c)) * shift + sp.diff(L, v) * (n.derivative(shift) - v * n.derivative(tau))
    return total


def symmetry_of(system: System, integral: Formula) -> Noether:
    """The symmetry behind a first integral I: delta q = M^-1 dI/dq' (M the mass matrix), Phi = p delta q - I.

    >>> from dalembert.analytic import System
    >>> kepler = System("x y", L="m*(x_d**2+y_d**2)/2 + k/sqrt(x**2+y**2)")
    >>> symmetry_of(kepler, "m*(x*y_d - y*x_d)").shifts
    {'x': -y, 'y': x}
    """
    n = system.names
    motion = system.lagrange()
    quantity = n.read(integral)
    kept = motion.is_first_integral(quantity)
    if kept.undecided:
        raise ModelError(f"it is not decided whether {quantity} is a first integral: {kept.why}")
    if not kept:
        raise ModelError(f"{quantity} is not a first integral: its rate is {motion.rate(quantity)}")
    gradient = sp.Matrix([sp.diff(quantity, n.velocity(c)) for c in system.coordinates])
    shifts = dict(zip(system.coordinates, solve_linear(motion.mass_matrix, gradient)))
    phi = sum((motion.momenta[c] * s for c, s in shifts.items()), sp.Integer(0)) - quantity
    book = Notebook()
    book.note("delta q = M^-1 dI/dq'", "delta q", tuple(shifts.values()))
    return Noether(shifts, sp.Integer(0), tidy(sp.expand(phi)), quantity, book.close())


def _change_of_lagrangian(system: System, replaced: Mapping[str, Formula]) -> sp.Expr:
    """L(q_new, q_new') - L(q, q')."""
    n = system.names
    L = system.freeze(system.lagrangian)
    images = {n.symbol(c): n.read(replaced.get(c, c)) for c in system.coordinates}
    changes: dict[sp.Symbol, sp.Expr] = dict(images)
    for c in system.coordinates:
        changes[n.velocity(c)] = n.derivative(images[n.symbol(c)])
    return sp.expand(L.subs(changes, simultaneous=True) - L)


def finite_invariance(system: System, replaced: Mapping[str, Formula]) -> sp.Expr:
    """For q -> q_new(q, t): the function f with L(q_new) = L(q) + df/dt, or a refusal."""
    return gauge_function(_change_of_lagrangian(system, replaced), (), names=system.names)


def invariance_family(system: System, replaced: Mapping[str, Formula], unknown: str) -> tuple[list[sp.Expr], sp.Expr]:
    """Transformations with an unknown function of time: the equations it must satisfy, and its general form.

    >>> from dalembert.analytic import System
    >>> invariance_family(System("x", L="m*x_d**2/2"), {"x": "x + h(t)"}, "h")[1]
    C1 + C2*t
    """
    from ..systems.lagrange import euler_lagrange

    n = system.names
    difference = _change_of_lagrangian(system, replaced)
    function = sp.Function(unknown, real=True)(n.time)
    conditions: list[sp.Expr] = []
    moving = [*n.q, *n.v, *n.a]
    for e in euler_lagrange(difference, n):
        expanded = sp.expand(e)
        polynomial = sp.Poly(expanded, *moving) if expanded.is_polynomial(*moving) else None
        conditions += [tidy(c) for c in polynomial.coeffs()] if polynomial is not None else [tidy(expanded)]
    conditions = [c for c in dict.fromkeys(conditions) if c != 0]
    if not conditions:
        return [], function
    order = max(sp.ode_order(c, function) for c in conditions)
    solved = sp.dsolve(conditions[[sp.ode_order(c, function) for c in conditions].index(order)], function)
    return conditions, solved.rhs
