"""Stability of an equilibrium, with the theorem that gives it.

1. Lyapunov by the linear part: an eigenvalue to the right makes it unstable, all to the left asymptotically stable.
2. Energy, at rest, where eigenvalues lie on the axis: T + V is a Lyapunov function at a strict minimum of V on the
   constraints, d(T + V)/dt = P. No power, or a loss: stable (Lagrange-Dirichlet). A loss at every speed: asymptotically
   stable; a gain at every speed: unstable (LaSalle, Krasovskii). The minimum may be of higher order (`flat`).
   Of a machine that is driven along (a hoop that turns), V - T0 and Jacobi's integral T2 - T0 + V take their places.
3. One pair of eigenvalues on the axis, the others to the left, smooth equations: the sign of the first Lyapunov
   coefficient on the centre manifold (Kuznetsov, Elements of Applied Bifurcation Theory, 5.4).

Whatever these do not give is "undecided", with the reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.analysis.flat import strict_minimum
from dalembert.analysis.kinks import Kink, at_corner, kinks
from dalembert.analysis.reduced import Reduction, Small
from dalembert.expr import ZERO, Expr

Array = Any

#: Eigenvalues and stiffnesses below this share of the largest say nothing: a double zero is found as its square root.
SMALL = 1e-6
#: An eigenvalue farther from the axis than this share of its (balanced) matrix, times its condition, is off it.
_OFF_AXIS = 1e-10
#: One that is nearer than this may lie on it, as far as rounding tells; what is in between is left open.
_ON_AXIS = 1e-13
#: A stiffness below this share of what the machine has elsewhere is not told from zero: where p equilibria meet,
#: Newton's method finds them by halves and the stiffness there as the power p - 1 of the distance that is left.
_SLACK = 1e-12
#: Step of the differences for third derivatives: h^4 of truncation, 1e-16/h^3 of rounding.
_STEP = 0.02
#: Coefficients from two steps must agree by this share; what truncation alone makes up differs by a factor of sixteen.
_AGREE = 0.05
#: A Lyapunov coefficient below this share of the terms that make it up is not told from zero.
_WEAK = 1e-4
#: Operations of the power above which its sign is not looked for term by term.
_LARGE = 2000


@dataclass(frozen=True, slots=True)
class Stability:
    """ "unstable", "asymptotically stable", "stable" or "undecided", and why."""

    verdict: str
    reason: str


class Judgement:
    """Stability of the equilibria of one machine, whose parameters have numbers."""

    def __init__(self, reduction: Reduction, numbers: Mapping[Expr, float]) -> None:
        self.reduction, self.numbers = reduction, dict(numbers)
        self.usual = 0.0
        """The stiffness that the machine has elsewhere, over its mass; 0 where it is not known."""
        self.units: Array | None = None
        """What a coordinate is measured by: a radian, the length of the machine; None where it is not known."""

    def slack(self, small: Small) -> bool:
        """Whether the stiffness there is lost in what is not known of the place."""
        return bool(len(small.mass)) and in_units_of_mass(small) <= _SLACK * self.usual

    def of(self, q: Array, small: Small, values: Array) -> Stability:
        """The verdict at the configuration q with small motions `small` and their eigenvalues."""
        if not len(values):
            return Stability("stable", "nothing can move")
        point = {**self.numbers, **dict(zip(self.reduction.coordinates, map(float, q), strict=True))}
        point |= dict(zip(self.reduction.speeds, map(float, small.speeds), strict=True))
        corners = self._kinks(point)
        if corners:
            return self._at_kink(corners, point, small)
        real, off, on = _off_axis(small.state_matrix)
        slack = self.slack(small)
        if slack:  # what is left of the stiffness makes frequencies of its own
            off = np.maximum(off, SMALL * np.sqrt(self.usual))
        if (real > off).any():
            return Stability("unstable", "an eigenvalue of the linear part lies to the right (Lyapunov)")
        if (real < -off).all():
            return Stability("asymptotically stable", "all eigenvalues of the linear part lie to the left (Lyapunov)")
        if slack:
            told = "the stiffness vanishes there, as far as the place is known: no minimum of second order is seen"
            return self._by_flat(point, small) or Stability("undecided", f"not decided by the linear part: {told}")
        by_energy = self._by_energy(point, small)
        if by_energy.verdict in ("asymptotically stable", "unstable") or not self._power_terms:
            return by_energy
        if ((np.abs(real) <= off) & (np.abs(real) > on)).any():
            if by_energy.verdict == "stable":
                return by_energy
            return Stability("undecided", "an eigenvalue is too near the axis for the side to be told")
        return self._by_coefficient(point, small, values) or by_energy

    def _kinks(self, point: Mapping[Expr, float]) -> list[Kink]:
        reduction = self.reduction
        exprs = [*reduction.right, *reduction.dynamics.mass_matrix.entries, *reduction.rows.conditions]
        return kinks(exprs, [*reduction.coordinates, *reduction.speeds], point)

    def _at_kink(self, corners: list[Kink], point: Mapping[Expr, float], small: Small) -> Stability:
        speeds = {x.name for x in self.reduction.speeds}
        told = f"{corners[0]} has a jump or a corner there, so that there is no linear part"
        if any(not corner.variables <= speeds for corner in corners):
            return Stability("undecided", told)
        found = self._by_energy(point, small)
        if found.verdict == "undecided":
            return Stability("undecided", told)
        # a force that jumps at rest can hold the machine beside the equilibrium: nothing is drawn to it
        return (
            found if found.verdict == "unstable" else Stability("stable", found.reason.replace("(LaSalle)", "(energy)"))
        )

    # -- energy ------------------------------------------------------------------------------------------------------
    def _by_energy(self, point: Mapping[Expr, float], small: Small) -> Stability:
        def no(why: str) -> Stability:
            return Stability("undecided", f"not decided by the linear part: {why}")

        if np.abs(small.speeds).max(initial=0.0) > 0:
            return no("eigenvalues lie on the axis, and the energy argument is for rest")
        if small.leading != small.independent or any(gap is None for gap in self.reduction.rows.gap):
            return no("eigenvalues lie on the axis, and rows on speeds alone leave a family of equilibria")
        root = np.linalg.inv(np.linalg.cholesky(small.mass))
        stiffness = root @ small.stiffness @ root.T
        if np.abs(stiffness - stiffness.T).max() > SMALL * np.abs(stiffness).max():
            return no("eigenvalues lie on the axis, and the forces at rest have no potential")
        squares = np.linalg.eigvalsh((stiffness + stiffness.T) / 2)
        if not squares.min() > SMALL * np.abs(squares).max():
            told = "eigenvalues lie on the axis, and the potential has no minimum of second order"
            return self._by_flat(point, small) or no(told)
        return self._with_power(point, "the potential has a strict minimum")

    def _by_flat(self, point: Mapping[Expr, float], small: Small) -> Stability | None:
        """A minimum of higher order, at rest, without constraints; None where it is not shown."""
        reduction = self.reduction
        names = list(reduction.coordinates)
        if len(reduction.rows) or len(names) != len(reduction.speeds) or np.abs(small.speeds).max(initial=0.0) > 0:
            return None
        fixed = {x: ex.const(v) for x, v in self.numbers.items()}
        potential = ex.substitute(ex.reduce([reduction.dynamics.energies.amended]), fixed)[0]
        units = [1.0] * len(names) if self.units is None else [float(u) for u in self.units]
        found = strict_minimum(potential, names, [point[x] for x in names], units)
        if found:
            return self._with_power(point, "the potential has a strict minimum of higher order")
        if found is False and len(names) == 1 and self._power(point) == "none":
            told = "the potential has no minimum there and energy is kept: in one freedom a motion leaves along it"
            return Stability("unstable", told)
        return None

    def _with_power(self, point: Mapping[Expr, float], minimum: str) -> Stability:
        side = self._power(point)
        if self.reduction.dynamics.energies.driven:
            minimum = minimum.replace("the potential", "V - T0, the potential for who is driven along,")
        if side is None:
            told = "eigenvalues lie on the axis, and the power of the forces beside the potential has no sign"
            return Stability("undecided", f"not decided by the linear part: {told}")
        if side == "none":
            kept = "T2 - T0 + V" if self.reduction.dynamics.energies.driven else "energy"
            return Stability("stable", f"{minimum} and {kept} is kept (Lagrange-Dirichlet)")
        if side == "loss":
            return Stability("stable", f"{minimum} and energy is never gained (Lagrange-Dirichlet)")
        if side == "loss at every speed":
            return Stability("asymptotically stable", f"{minimum} and energy is lost at every speed (LaSalle)")
        return Stability("unstable", f"{minimum} and energy is gained at every speed (LaSalle, Krasovskii)")

    @cached_property
    def _power_terms(self) -> list[Any] | None:
        """The power of what is not in the potential, as terms in coordinates and speeds; None where it is not that."""
        import sympy as sp

        power = self.reduction.dynamics.energies.amended_power
        if power is None:
            return None
        fixed = {x: ex.const(v) for x, v in self.numbers.items()}
        power = ex.substitute(ex.reduce([power]), fixed)[0]
        if power is ZERO:
            return []
        moving = {*self.reduction.coordinates, *self.reduction.speeds}
        if ex.free_symbols([power]) - moving or ex.count_operations([power]) > _LARGE:
            return None
        whole = sp.nsimplify(ex.to_sympy(power), rational=True)
        terms = [_without_signs(t) for t in sp.Add.make_args(whole)]
        if len(terms) == 1 and isinstance(whole, sp.Mul):
            terms = [_without_signs(t) for t in sp.Add.make_args(sp.expand(whole))]
        return [t for t in terms if t != 0]

    def _power(self, point: Mapping[Expr, float]) -> str | None:
        """ "none", "loss", "loss at every speed" or "gain at every speed" near the point; None where it has no sign."""
        terms = self._power_terms
        if terms is None:
            return None
        if not terms:
            return "none"
        here = {x.name: point[x] for x in (*self.reduction.coordinates, *self.reduction.speeds)}
        names = {x.name for x in self.reduction.speeds}
        signs, strict = set[int](), set[str]()
        for term in terms:
            sign, alone = _sign_near(term, here, names)
            if sign is None:
                return None
            signs.add(sign)
            strict |= {alone} if alone else set()
        if len(signs) > 1:
            return None
        everywhere = strict == names
        if signs == {-1}:
            return "loss at every speed" if everywhere else "loss"
        return "gain at every speed" if everywhere else None

    # -- the centre manifold -------------------------------------------------------------------------------------------
    def _by_coefficient(self, point: Mapping[Expr, float], small: Small, values: Array) -> Stability | None:
        reduction = self.reduction
        n, k = len(reduction.coordinates), len(reduction.speeds)
        scale = np.abs(values).max()
        on_axis = np.abs(values.real) <= SMALL * scale
        plain = len(reduction.rows) == 0 and n == k == len(small.independent)
        if not plain or on_axis.sum() != 2 or np.abs(values[on_axis].imag).min() <= SMALL * scale:
            return None
        if self._corners_near(point):
            return None
        state = np.array([point[x] for x in (*reduction.coordinates, *reduction.speeds)])
        coarse, fine = (_lyapunov_coefficient(lambda x: self._rates(point, x), state, h) for h in (_STEP, _STEP / 2))
        if coarse is None or fine is None:
            return None
        coefficient, size = coarse
        if abs(coefficient) <= _WEAK * size or size == 0 or abs(coefficient - fine[0]) > _AGREE * abs(coefficient):
            return None
        told = f"the first Lyapunov coefficient is {coefficient:.4g}"
        if coefficient < 0:
            return Stability("asymptotically stable", told)
        return Stability("unstable", told)

    def _corners_near(self, point: Mapping[Expr, float]) -> bool:
        reduction = self.reduction
        exprs = [*reduction.right, *reduction.dynamics.mass_matrix.entries]
        return bool(at_corner(exprs, [*reduction.coordinates, *reduction.speeds], point))

    def _rates(self, point: Mapping[Expr, float], states: Array) -> Array:
        """x' of states in columns."""
        reduction, count = self.reduction, states.shape[1]
        names = [*reduction.coordinates, *reduction.speeds]
        here = {**point, **dict(zip(names, states, strict=True))}
        column = ex.Matrix.column
        mass, right, rates = reduction.arrays(
            [reduction.dynamics.mass_matrix, column(reduction.right), column(list(reduction.dynamics.rates))],
            here,
            count,
        )
        return np.hstack([rates[..., 0], np.linalg.solve(mass, right)[..., 0]]).T


def _without_signs(term: Any) -> Any:
    """x sign(x) as |x|."""
    import sympy as sp

    factors = list(sp.Mul.make_args(term))
    for s in [f for f in factors if isinstance(f, sp.sign)]:
        inside = s.args[0]
        if inside in factors:
            factors.remove(s)
            factors[factors.index(inside)] = sp.Abs(inside)
    return sp.Mul(*factors)


def _sign_near(term: Any, here: Mapping[str, float], speeds: set[str]) -> tuple[int | None, str]:
    """The sign of a term near a point (None: it has none), and the speed that alone makes it other than zero."""
    import sympy as sp

    sign, alone = 1, set[str]()
    definite = True
    for factor in sp.Mul.make_args(term):
        value = complex(factor.subs({s: here[s.name] for s in factor.free_symbols}).evalf())
        size = max(1.0, *(abs(here[s.name]) for s in factor.free_symbols)) if factor.free_symbols else abs(value)
        if abs(value) > SMALL * size and abs(value.imag) == 0:
            sign *= 1 if value.real > 0 else -1
            continue
        if factor.is_nonpositive:
            sign = -sign
        elif not factor.is_nonnegative:
            return None, ""
        names = {s.name for s in factor.free_symbols}
        nonzero = {s: sp.Symbol(s.name, real=True, nonzero=True) for s in factor.free_symbols}
        definite = definite and len(names) == 1 and bool(factor.subs(nonzero).is_nonzero)
        alone |= names
    (one,) = alone if len(alone) == 1 and definite else ("",)
    return sign, one if one in speeds else ""


def in_units_of_mass(small: Small) -> float:
    """The size of the stiffness over the mass: the square of a frequency."""
    return float(np.abs(small.metric).max(initial=0.0))


def _off_axis(matrix: Array) -> tuple[Array, Array, Array]:
    """Real parts of eigenvalues; from which distance on each is off the axis, and within which it may be on it.

    An eigenvalue moves with the rounding of its matrix by its condition, 1/cos of left and right vector.
    """
    from scipy.linalg import eig, matrix_balance

    balanced = matrix_balance(matrix, permute=False)[0]
    values, left, right = eig(balanced, left=True, right=True)
    cosine = np.abs((left.conj() * right).sum(axis=0))
    unit = np.abs(balanced).max() / np.maximum(cosine, np.finfo(float).tiny)
    # a double zero is found as its square root: its condition is beyond all bounds
    return values.real, np.minimum(_OFF_AXIS * unit, SMALL * np.abs(values).max()), _ON_AXIS * unit


def _lyapunov_coefficient(rates: Any, x0: Array, h: float) -> tuple[float, float] | None:
    """The first Lyapunov coefficient of x' = f(x) at x0 with one pair of eigenvalues +- i w, and the size of its terms.

    l = Re( <p, C(q, q, q*)> - 2 <p, B(q, A^-1 B(q, q*))> + <p, B(q*, (2 i w - A)^-1 B(q, q))> ) / (2 w)
    """
    n = len(x0)
    offsets = np.arange(-3, 4)
    second = np.array([2, -27, 270, -490, 270, -27, 2]) / 180.0
    third = np.array([1, -8, 13, 0, -13, 8, -1]) / 8.0
    first = np.array([-1, 9, -45, 0, 45, -9, 1]) / 60.0

    def along(v: Array) -> Array:
        return rates(x0[:, None] + h * np.outer(v, offsets))

    def d2(v: Array) -> Array:
        return along(v) @ second / h**2

    def d3(v: Array) -> Array:
        return along(v) @ third / h**3

    a = np.column_stack([along(e) @ first / h for e in np.eye(n)])
    values, vectors = np.linalg.eig(a)
    k = int(np.argmin(np.abs(values.real) + (values.imag <= 0) * 1e300))
    w, q = float(values[k].imag), vectors[:, k]
    left, adjoint = np.linalg.eig(a.T)
    p = adjoint[:, int(np.argmin(np.abs(left + 1j * w)))]
    weight = np.vdot(p, q)
    if abs(weight) < SMALL or w <= 0:
        return None
    p = p / np.conj(weight)

    def b(x: Array, y: Array) -> Array:
        """B of complex vectors from second derivatives along real ones."""

        def real(u: Array, v: Array) -> Array:
            return (d2(u + v) - d2(u - v)) / 4

        parts = [(x.real, y.real, 1), (x.real, y.imag, 1j), (x.imag, y.real, 1j), (x.imag, y.imag, -1)]
        return sum(c * real(u, v) for u, v, c in parts)

    def c(u: Array, v: Array) -> Array:
        """C(u, u, v) of real vectors."""
        return (d3(u + v) - d3(u - v) - 2 * d3(v)) / 6

    r, i = q.real, q.imag
    cubic = d3(r) + c(i, r) + 1j * (c(r, i) + d3(i))
    bar = np.conj(q)
    terms = [
        np.vdot(p, cubic),
        -2 * np.vdot(p, b(q, np.linalg.solve(a, b(q, bar)))),
        np.vdot(p, b(bar, np.linalg.solve(2j * w * np.eye(n) - a, b(q, q)))),
    ]
    size = sum(abs(t) for t in terms) / (2 * w)
    # rounding of third differences makes terms of its own out of nothing
    floor = 1e-13 / h**3 * (1 + np.abs(a).max())
    found = float(sum(terms).real / (2 * w))
    return (found, float(size)) if size > floor else None
