"""Parameters from measurements: least squares of what can be told, and bodies that could exist."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import least_squares
from scipy.stats import f as fisher
from scipy.stats import t as student

from dalembert.dynamics import dynamics_of
from dalembert.errors import ArgumentError, ExpressionError
from dalembert.identify.doubts import doubts
from dalembert.identify.states import States, on_loops
from dalembert.presentation.told import Told

if TYPE_CHECKING:
    from dalembert.identify.base import BaseParameters

#: Ten parameters as the symmetric 4 x 4 matrix of second moments of a density, which is positive where a body can be.
_MOMENTS = np.zeros((10, 4, 4))
for _k, (_i, _j) in enumerate(((3, 3), (0, 3), (1, 3), (2, 3))):
    _MOMENTS[_k, _i, _j] = _MOMENTS[_k, _j, _i] = 1.0
for _k in range(3):  # Ixx is yy + zz of the density: its xx is (Iyy + Izz - Ixx)/2
    for _i in range(3):
        _MOMENTS[4 + _k, _i, _i] = -0.5 if _i == _k else 0.5
for _k, (_i, _j) in enumerate(((0, 1), (0, 2), (1, 2))):
    _MOMENTS[7 + _k, _i, _j] = _MOMENTS[7 + _k, _j, _i] = -1.0


#: Fits with the efforts of each joint weighed by the noise that the fit before left in them: it settles at once.
_ROUNDS = 3
#: No joint is taken for quieter than this share of the noisiest: weights beyond it hide other joints in rounding.
_QUIET = 1e-6
#: A direction whose columns are less than this share of the largest is not in the data: what products of doubles round.
_UNTOLD = 1e-9


@dataclass(frozen=True, eq=False)
class Identified(Told):
    """Values of the base parameters with their standard deviations, and inertias of real bodies that give them.

    `theta` is the set of positive densities nearest to the prior that fits; the data tell its base parameters only.
    `noise` is the deviation of the measured efforts of each speed, as the scatter tells it. Regions hold for
    noise in the efforts that is normal and independent from sample to sample.
    """

    base: BaseParameters
    values: Any
    deviations: Any
    covariance: Any  # of the values, where the data tell them
    noise: Any  # deviation of the efforts on each speed; one for all of a closed machine
    residual: float  # root mean square of the efforts that are left
    condition: float  # of the columns, each of length one
    theta: Any | None
    freedom: int  # measured efforts beyond those that the values took
    together: Together  # the law of all values at once
    doubts: tuple[str, ...] = ()  # why what is left may be no noise, and the deviations too small

    def intervals(self, level: float = 0.95) -> Any:
        """Low and high end of each value, which holds the true one in a share `level` of measurements (Student)."""
        half = student.ppf(0.5 + _level(level) / 2, self.freedom) * self.deviations
        return np.column_stack([self.values - half, self.values + half])

    def holds(self, values: Any, level: float = 0.95) -> bool:
        """Whether values lie in the ellipsoid that holds all true ones together in a share `level` (Fisher)."""
        told = np.isfinite(self.deviations)
        off = (np.asarray(values, dtype=float) - self.values)[told]
        size = np.sqrt(np.diag(self.covariance)[told])
        inside = self.covariance[np.ix_(told, told)] / np.outer(size, size)  # of one size, whatever the units
        distance = off / size @ np.linalg.solve(inside, off / size)
        most = fisher.ppf(_level(level), told.sum(), self.together.freedom)
        return bool(self.together.scale * distance <= told.sum() * most)

    @property
    def untold(self) -> tuple[str, ...]:
        """Combinations of which these data say nothing, or not more than that they are about nothing."""
        weak = self.deviations > np.abs(self.values)
        return tuple(text for text, hides in zip(self.base.combinations, weak, strict=True) if hides)

    def as_dict(self) -> dict[str, Any]:
        told = zip(self.base.combinations, self.values, self.deviations, strict=True)
        return {
            "base": [
                {"combination": c, "value": float(v), "deviation": float(d) if np.isfinite(d) else None}
                for c, v, d in told
            ],
            "untold": list(self.untold),
            "noise": [float(x) for x in self.noise],
            "residual": self.residual,
            "condition": self.condition,
            "doubts": list(self.doubts),
            "theta": None
            if self.theta is None
            else dict(zip(self.base.regressor.names, map(float, self.theta), strict=True)),
        }

    def __str__(self) -> str:
        lines = [f"{len(self.values)} base parameters, condition {self.condition:.3g}; value, standard deviation:"]
        for c, v, d in zip(self.base.combinations, self.values, self.deviations, strict=True):
            weak = (
                ""
                if d <= abs(v)
                else "   the data hardly tell it"
                if np.isfinite(d)
                else "   these data do not tell it"
            )
            lines.append(f"  {v:12.6g} +- {d:.2g}   {c}{weak}")
        speeds = self.base.regressor.speeds if len(self.noise) > 1 else ("all",)
        told = ", ".join(f"{name} {x:.2g}" for name, x in zip(speeds, self.noise, strict=True))
        lines.append(f"Noise of the efforts, as the scatter tells it: {told}.")
        unseen = len(self.base.unseen)
        if unseen:
            lines.append(f"No motion at all tells {unseen} of {len(self.base.regressor.names)} inertial parameters.")
        if not np.isfinite(self.deviations).all():
            lines.append("Move the joints that stood still, or moved together, and measure again (`base.excitation`).")
        lines += self.doubts
        return "\n".join(lines)


def identify(
    base: BaseParameters,
    q: Any,
    u: Any,
    udot: Any,
    efforts: Any,
    *,
    t: Any = 0.0,
    given: Mapping[str, Any] | None = None,
    prior: Any | None = None,
    physical: bool = True,
) -> Identified:
    """Base parameters from measured motions and the efforts on the speeds that the description does not know.

    `prior` are standard parameters to stay near to (those of the description when not said); with `physical` the
    inertias in `theta` are those of positive densities.
    """
    of = base.regressor
    q, u, udot, efforts = (np.atleast_2d(np.asarray(x, dtype=float)) for x in (q, u, udot, efforts))
    n, count = len(of.speeds), len(q)
    for name, x, width in (
        ("q", q, len(of.layout.state.coordinates)),
        ("u", u, n),
        ("udot", udot, n),
        ("efforts", efforts, n),
    ):
        if x.shape != (count, width) or not np.isfinite(x).all():
            raise ArgumentError(
                f"`{name}` has the shape {x.shape}: finite numbers, {count} rows of {width}, are expected."
            )
    states = States(q, u, udot)
    if dynamics_of(of.layout).closed:
        states = on_loops(of.layout, q, u, udot, given)
    Y = of(q, u, udot, t, given=given)
    tau = states.projected(efforts + of.known_efforts(q, u, t, given=given))
    W = states.stacked(Y)
    A = W[:, list(base.chosen)]
    if len(tau) < A.shape[1]:
        raise ArgumentError(f"{len(tau)} measured efforts cannot tell {A.shape[1]} base parameters: measure longer.")
    weights, groups = np.ones(len(tau)), n if states.allowed is None else 1
    for _ in range(_ROUNDS if states.allowed is None else 1):
        found = _least_squares(A * weights[:, None], tau * weights, groups)
        left = tau - A @ found.values
        noise = _noise(left, found.shares)
        least = max(_QUIET * float(noise.max()), _UNTOLD * float(np.sqrt(np.mean(tau * tau)))) or 1.0
        weights = np.tile(1 / np.maximum(noise, least), len(tau) // len(noise))
    theta = _physical(of, W * weights[:, None], tau * weights, prior, given) if physical else None
    residual = float(np.sqrt(left @ left / len(tau)))
    values, covariance, deviations = found.values, found.covariance, found.deviations
    freedom = max(len(tau) - found.told, 1)
    law = Together.of(found.shares, len(tau) // groups, found.told)
    told = tuple(doubts(left, tau, W @ _known(of, prior, given), count, of.speeds))
    return Identified(base, values, deviations, covariance, noise, residual, found.condition, theta, freedom, law, told)


def _known(of: Any, prior: Any | None, given: Mapping[str, Any] | None) -> Any:
    """Standard parameters of the description; nothing where they have no numbers."""
    try:
        return of.theta(given) if prior is None else np.asarray(prior, dtype=float)
    except ExpressionError:
        return np.zeros(len(of.names))


@dataclass(frozen=True, eq=False)
class _Fit:
    values: Any
    covariance: Any
    deviations: Any
    condition: float
    told: int  # directions that the data tell
    shares: Any  # of each group of rows in each direction: matrices that add up to one


@dataclass(frozen=True, slots=True)
class Together:
    """Fisher's law of all values at once: `scale` times the distance, with this freedom against that of the values.

    Where efforts of several joints are weighed by noises that the same data tell, it is that of Kenward and Roger
    (1997,
    Biometrics 53, 983); where all are of one noise, it is the usual one.
    """

    scale: float
    freedom: float

    @staticmethod
    def of(shares: Any, rows: int, told: int) -> Together:
        freedoms = np.array([max(rows - np.trace(C), 1.0) for C in shares])
        first = float(sum(2 / f * np.trace(C) ** 2 for C, f in zip(shares, freedoms, strict=True)))
        second = float(sum(2 / f * np.sum(C * C) for C, f in zip(shares, freedoms, strict=True)))
        plain = Together(1.0, float(max(rows * len(shares) - told, 1)))
        if len(shares) == 1 or second >= told:
            return plain
        size = (first + 6 * second) / (2 * told)
        g = ((told + 1) * first - (told + 4) * second) / ((told + 2) * second)
        c1, c2, c3 = (x / (3 * told + 2 * (1 - g)) for x in (g, told - g, told + 2 - g))
        if c2 * size >= 1 or c3 * size >= 1:
            return plain  # too few data for a law of two moments
        mean = 1 / (1 - second / told)
        variance = 2 / told * (1 + c1 * size) / ((1 - c2 * size) ** 2 * (1 - c3 * size))
        excess = told * variance / (2 * mean**2) - 1
        if excess <= 0:
            return plain
        freedom = 4 + (told + 2) / excess
        return Together(freedom / (mean * (freedom - 2)), freedom)


def _least_squares(A: Any, tau: Any, groups: int) -> _Fit:
    """Of columns of length one, in the directions that the data tell; the scatter of what is left is the variance.

    Weights that are told by the data themselves err, and widen the scatter of the values by 4 (C - C^2)/freedom of each
    group of rows, to second order (Kackar and Harville 1984): C is its share in each direction.
    """
    sizes = np.sqrt((A * A).sum(axis=0))
    sizes[sizes == 0] = 1.0
    left_axes, single, right_axes = np.linalg.svd(A / sizes, full_matrices=False)
    told = single > _UNTOLD * single[0]
    values = right_axes[told].T @ ((left_axes[:, told].T @ tau) / single[told])
    left = tau - A @ (values / sizes)
    variance = float(left @ left) / max(len(tau) - int(told.sum()), 1)
    spread = right_axes[told].T / single[told] / sizes[:, None]
    axes = left_axes[:, told].reshape(-1, groups, int(told.sum()))
    shares = [axes[:, k].T @ axes[:, k] for k in range(groups)]
    wider = np.eye(int(told.sum()))
    if groups > 1:
        wider = wider + sum(4 / max(len(axes) - float(np.trace(C)), 1.0) * (C - C @ C) for C in shares)
    covariance = variance * spread @ wider @ spread.T
    hidden = (right_axes[~told] ** 2).sum(axis=0) > _UNTOLD  # parameters with a part that no effort of these data shows
    deviations = np.where(hidden, np.inf, np.sqrt(np.diag(covariance)))
    condition = float(single[0] / single[-1]) if told.all() else float("inf")
    return _Fit(values / sizes, covariance, deviations, condition, int(told.sum()), shares)


def _noise(left: Any, shares: Any) -> Any:
    """The deviation of the efforts of each group of rows, less what the fit took from it: the trace of its share."""
    rows = left.reshape(-1, len(shares))
    count = np.array([max(rows.shape[0] - float(np.trace(C)), 1.0) for C in shares])
    return np.sqrt((rows * rows).sum(axis=0) / count)


def _level(level: float) -> float:
    if not 0 < level < 1:
        raise ArgumentError(f"`level` is {level}: the share of measurements, between 0 and 1.")
    return level


def _physical(of: Any, W: Any, tau: Any, prior: Any | None, given: Mapping[str, Any] | None) -> Any:
    """Least squares over positive second moments, written as L L^T so that nothing else can come out."""
    start = of.theta(given) if prior is None else np.asarray(prior, dtype=float)
    bodies = len(start) // 10
    mass = float(np.abs(start[::10]).max()) or 1.0
    length2 = float(np.abs(start.reshape(-1, 10)[:, 4:7]).max()) / mass or 1.0
    scale = np.tile(np.array([1.0, *[length2**0.5] * 3, *[length2] * 6]) * mass, bodies)
    lower = np.tril_indices(4)
    unit = np.array([length2**0.5] * 3 + [1.0])

    def factors(theta: Any) -> Any:
        found = []
        for k in range(bodies):
            J = np.tensordot(theta[10 * k : 10 * k + 10], _MOMENTS, 1) / mass / np.outer(unit, unit)
            values, axes = np.linalg.eigh(J)
            inside = np.maximum(
                values, max(1e-3 * values[-1], 1e-6)
            )  # off the edge of what can be, where slopes vanish
            J = axes @ np.diag(inside) @ axes.T
            found.append(np.linalg.cholesky(J)[lower])
        return np.concatenate(found)

    def of_moments(J: Any) -> Any:
        """Ten parameters of the second moments of one body, in its units."""
        J = mass * J * np.outer(unit, unit)
        second = J[0, 0] + J[1, 1] + J[2, 2]
        turning = [second - J[i, i] for i in range(3)]
        return np.array([J[3, 3], J[0, 3], J[1, 3], J[2, 3], *turning, -J[0, 1], -J[0, 2], -J[1, 2]])

    def lower_of(x: Any, k: int) -> Any:
        L = np.zeros((4, 4))
        L[lower] = x[10 * k : 10 * k + 10]
        return L

    def theta_of(x: Any) -> Any:
        return np.concatenate([of_moments(L @ L.T) for L in (lower_of(x, k) for k in range(bodies))])

    def slopes(x: Any) -> Any:
        found = np.zeros((len(start), len(start)))
        for k in range(bodies):
            L = lower_of(x, k)
            for c, (i, j) in enumerate(zip(*lower, strict=True)):
                E = np.zeros((4, 4))
                E[i] = L[:, j]
                found[10 * k : 10 * k + 10, 10 * k + c] = of_moments(E + E.T)
        return np.vstack([W @ found / size, near * found / scale[:, None]])

    near = 1e-3  # how weakly the prior holds what the data do not tell, in parts of the noise
    size = max(1.0, _UNTOLD * float(np.sqrt(np.mean(tau * tau))))  # of the noise, in which efforts are counted here

    def misfit(x: Any) -> Any:
        theta = theta_of(x)
        return np.concatenate([(W @ theta - tau) / size, near * (theta - start) / scale])

    return theta_of(least_squares(misfit, factors(start), slopes, method="lm", max_nfev=1000).x)
