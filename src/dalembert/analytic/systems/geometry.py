"""Curvilinear coordinates: natural basis, metric, both kinds of components, moving frames, point transformations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import sympy as sp

from dalembert.errors import ModelError, SingularError

from ..formulas._equality import is_zero
from ..formulas._names import Formula, Names
from ..formulas._normal import tidy


class Chart:
    """Coordinates by their position formulas: natural basis e_i = dr/dq_i, metric g_ij = e_i.e_j.

    >>> polar = Chart("rho theta", ["rho*cos(theta)", "rho*sin(theta)"])
    >>> polar.metric
    Matrix([
    [1,      0],
    [0, rho**2]])
    """

    def __init__(
        self, coordinates: str | Sequence[str], position: Sequence[Formula], *, positive: Sequence[str] = ()
    ) -> None:
        labels = coordinates.replace(",", " ").split() if isinstance(coordinates, str) else list(coordinates)
        self.names = Names(labels, positive=positive)
        self.position = sp.Matrix(self.names.read_all(position))

    @property
    def stated(self) -> dict[str, Any]:
        """The formulas that state it, for LaTeX and MathML."""
        return {"r": self.position}

    def __repr__(self) -> str:
        return f"Chart({' '.join(self.names.coordinates)}; ({', '.join(map(str, self.position))}))"

    @cached_property
    def basis(self) -> sp.Matrix:
        """Natural basis vectors as columns."""
        return self.position.jacobian(sp.Matrix(self.names.q))

    @cached_property
    def metric(self) -> sp.Matrix:
        return (self.basis.T * self.basis).applyfunc(tidy)

    @cached_property
    def inverse_metric(self) -> sp.Matrix:
        if is_zero(self.metric.det()):
            raise SingularError("the coordinates do not form a chart: det g = 0")
        return self.metric.inv().applyfunc(tidy)

    @cached_property
    def lengths(self) -> tuple[sp.Expr, ...]:
        """Norms of the natural basis vectors."""
        return tuple(sp.sqrt(self.metric[i, i]) for i in range(self.metric.rows))

    @cached_property
    def unit_frame(self) -> sp.Matrix:
        """Unit vectors along the natural basis, as columns."""
        return sp.Matrix.hstack(*(self.basis[:, i] / self.lengths[i] for i in range(self.basis.cols))).applyfunc(tidy)

    @cached_property
    def orthogonal(self) -> bool:
        return all(is_zero(self.metric[i, j]) for i in range(self.metric.rows) for j in range(i))

    @cached_property
    def orientation(self) -> int:
        """+1 when the basis in the order of the coordinates is right-handed, -1 when left-handed, 0 when it changes."""
        value = tidy(self.unit_frame.det()) if self.basis.rows == self.basis.cols else sp.Integer(0)
        if is_zero(value - 1):
            return 1
        return -1 if is_zero(value + 1) else 1 if value.is_positive else -1 if value.is_negative else 0

    def covariant(self, vector: Sequence[Formula]) -> sp.Matrix:
        """u_i = u.e_i of a vector given by Cartesian components."""
        return (self.basis.T * self._components(vector, self.position.rows)).applyfunc(tidy)

    def contravariant(self, vector: Sequence[Formula]) -> sp.Matrix:
        """u^i with u = u^i e_i."""
        return (self.inverse_metric * self.covariant(vector)).applyfunc(tidy)

    def _components(self, values: Sequence[Formula], size: int) -> sp.Matrix:
        if len(values) != size:
            raise ModelError(f"a vector has {size} components here, not {len(values)}")
        return sp.Matrix(self.names.read_all(values))

    def lower(self, components: Sequence[Formula]) -> sp.Matrix:
        return (self.metric * self._components(components, len(self.names.q))).applyfunc(tidy)

    def raise_index(self, components: Sequence[Formula]) -> sp.Matrix:
        return (self.inverse_metric * self._components(components, len(self.names.q))).applyfunc(tidy)

    @cached_property
    def velocity(self) -> sp.Matrix:
        """Components of the velocity in the unit frame (the coordinates being orthogonal)."""
        return self.in_unit_frame(self.position.applyfunc(self.names.derivative))

    @cached_property
    def acceleration(self) -> sp.Matrix:
        """Components of the acceleration in the unit frame."""
        return self.in_unit_frame(self.position.applyfunc(lambda e: self.names.derivative(e, 2)))

    def in_unit_frame(self, vector: sp.Matrix) -> sp.Matrix:
        if not self.orthogonal:
            raise ModelError("components in a unit frame by projection need orthogonal coordinates")
        return (self.unit_frame.T * vector).applyfunc(lambda e: tidy(sp.expand(e)))

    def frame_rates(self) -> sp.Matrix:
        """d(e_i)/dt in the unit frame: column i is the rate of the i-th unit vector."""
        rates = self.unit_frame.applyfunc(self.names.derivative)
        return (self.unit_frame.T * rates).applyfunc(lambda e: tidy(sp.expand(e)))

    @cached_property
    def christoffel(self) -> tuple[sp.Matrix, ...]:
        """Gamma^k_ij for each coordinate k: the accelerations are q_k'' + Gamma^k_ij q_i' q_j'."""
        q, g, h = self.names.q, self.metric, self.inverse_metric
        size = range(len(q))

        def symbol(k: int, i: int, j: int) -> sp.Expr:
            slopes = (sp.diff(g[m, i], q[j]) + sp.diff(g[m, j], q[i]) - sp.diff(g[i, j], q[m]) for m in size)
            return tidy(sum((h[k, m] * e / 2 for m, e in zip(size, slopes)), sp.Integer(0)))

        return tuple(sp.Matrix(len(q), len(q), lambda i, j, k=k: symbol(k, i, j)) for k in size)

    def geodesics(self) -> tuple[sp.Expr, ...]:
        """The accelerations q_k'' of the straightest lines of the surface or space, run through at constant speed.

        >>> Chart("th ph", ["sin(th)*cos(ph)", "sin(th)*sin(ph)", "cos(th)"]).geodesics()
        (ph'**2*sin(th)*cos(th), -2*ph'*th'*cos(th)/sin(th))
        """
        v = sp.Matrix(self.names.v)
        return tuple(tidy(-sp.expand((v.T * gamma * v)[0])) for gamma in self.christoffel)

    def lemmas(self) -> dict[str, bool]:
        """The two lemmas behind Lagrange's equations, on this position: dv/dq' = dr/dq and d/dt(dr/dq) = dv/dq."""
        n = self.names
        v = self.position.applyfunc(n.derivative)
        first = [v.diff(u) - self.position.diff(q) for q, u in zip(n.q, n.v)]
        second = [self.position.diff(q).applyfunc(n.derivative) - v.diff(q) for q in n.q]
        said = {"dv/dq' = dr/dq": first, "d/dt(dr/dq) = dv/dq": second}
        return {label: all(is_zero(e) for m in rows for e in m) for label, rows in said.items()}

    def kinetic_energy(self, mass: Formula = "m") -> sp.Expr:
        """T = m/2 g_ij q'_i q'_j, all products included."""
        v = sp.Matrix(self.names.v)
        return tidy(self.names.read(mass) / 2 * sp.expand((v.T * self.metric * v)[0]))


@dataclass(frozen=True)
class PointChange:
    """A Lagrangian in new coordinates: L_new, cyclic coordinates before and after, and the covariance residual."""

    L: sp.Expr
    cyclic_before: tuple[str, ...]
    cyclic_after: tuple[str, ...]
    covariance: tuple[sp.Expr, ...]


def change_coordinates(
    L: Formula, change: Mapping[str, Formula], new: str | Sequence[str], *, positive: Sequence[str] = ()
) -> PointChange:
    """Rewrite L(q, q', t) by q = q(Q, t); the Euler-Lagrange expressions must obey EL_Q = J^T EL_q.

    >>> change_coordinates("m*(xd**2+yd**2)/2", {"x": "rho*cos(th)", "y": "rho*sin(th)"}, "rho th").L
    m*(rho**2*th'**2 + rho'**2)/2
    """
    from .lagrange import euler_lagrange

    fresh = new.replace(",", " ").split() if isinstance(new, str) else list(new)
    before, after = Names(list(change), positive=positive), Names(fresh, positive=positive)
    both = Names([*change, *fresh], positive=positive)
    old_L = both.read(before.read(L))
    images = {c: both.read(f) for c, f in change.items()}
    table: dict[sp.Symbol, sp.Expr] = {}
    for c, f in images.items():
        for order in range(3):
            table[both.velocity(c, order) if order else both.symbol(c)] = both.derivative(f, order)
    new_L = tidy(sp.expand(old_L.subs(table, simultaneous=True)))
    new_L = after.read(new_L)
    old_el = [both.read(e).subs(table, simultaneous=True) for e in euler_lagrange(before.read(L), before)]
    new_el = euler_lagrange(new_L, after)
    residual = []
    for j, label in enumerate(fresh):
        pulled = sum((sp.diff(images[c], both.symbol(label)) * e for c, e in zip(change, old_el)), sp.Integer(0))
        difference = after.read(pulled) - new_el[j]
        residual.append(sp.Integer(0) if is_zero(difference) else tidy(difference))
    old_names = before.read(L)
    return PointChange(
        new_L,
        tuple(c for c in change if not old_names.has(before.symbol(c))),
        tuple(c for c in fresh if not new_L.has(after.symbol(c))),
        tuple(residual),
    )
