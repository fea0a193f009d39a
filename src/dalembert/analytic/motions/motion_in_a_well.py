"""Motion with one degree of freedom by its energy: allowed regions, turning points, period, orbit and precession.

q'^2 = 2 (E - V(q))/a(q): the motion stays where E >= V; between two simple turning points it repeats.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._equality import is_zero
from ..formulas._exact import number_function
from ..formulas._normal import tidy
from ..statics.rest_nature import effective_potential
from ..symmetries.routh import routhian

if TYPE_CHECKING:
    from ..systems.system import System

_GRID = 4000
"""Intervals in which a change of sign of E - V is looked for; between two of them a region may be missed."""
_NEAR = 1e-5
"""Share of a region at which E - V is looked at beside its ends: it doubles with the distance at a simple turning
point, and grows fourfold at a rest, where the motion takes for ever."""
_TOUCH = 1e-10
"""Share of its largest value below which a least value of E - V inside a region counts as zero: a rest on the way."""


@dataclass(frozen=True)
class Region:
    """An interval that the energy allows; an end is a turning point, or the end of what was looked at."""

    low: float
    high: float
    bound: bool
    period: float | None

    def __str__(self) -> str:
        kind = f"bound, period {self.period:.6g}" if self.period is not None else "bound" if self.bound else "unbound"
        return f"[{self.low:.6g}, {self.high:.6g}] ({kind})"


@dataclass(frozen=True)
class Well:
    """Inertia a(q) and potential V(q) of one coordinate at numeric parameters."""

    coordinate: str
    inertia: sp.Expr
    potential: sp.Expr
    kinetic: Callable[[float], float]
    height: Callable[[float], float]
    box: tuple[float, float]

    def regions(self, energy: float) -> tuple[Region, ...]:
        """Where E >= V within the box, from left to right."""
        import numpy as np
        from scipy.optimize import brentq

        grid = np.linspace(*self.box, _GRID + 1)
        excess = np.array([_value(self.height, q, energy) for q in grid])
        found, start = [], None
        for i in range(len(grid)):
            inside = excess[i] > 0
            if inside and start is None:
                start = (
                    grid[0] if i == 0 else brentq(lambda q: energy - self.height(q), grid[i - 1], grid[i], xtol=1e-15)
                )
                open_left = i == 0
            if start is not None and (not inside or i == len(grid) - 1):
                open_right = inside
                end = grid[i] if inside else brentq(lambda q: energy - self.height(q), grid[i - 1], grid[i], xtol=1e-15)
                bound = not open_left and not open_right
                found.append(
                    Region(float(start), float(end), bound, self._period(energy, start, end) if bound else None)
                )
                start = None
        return tuple(found)

    def turning_points(self, energy: float) -> tuple[float, ...]:
        """Where the velocity changes its sign."""
        low, high = self.box
        return tuple(q for r in self.regions(energy) for q in (r.low, r.high) if low < q < high)

    def average(self, energy: float, low: float, high: float, f: Callable[[float], float]) -> float:
        """The integral of f(q) dt over one whole cycle between two turning points."""
        import numpy as np
        from scipy.integrate import quad

        middle, half = (low + high) / 2, (high - low) / 2

        def integrand(u: float) -> float:  # q = middle + half sin(u) takes away the roots at the ends
            q = middle + half * np.sin(u)
            fall = (energy - self.height(q)) / max((q - low) * (high - q), 1e-300)
            return float(f(q) * np.sqrt(self.kinetic(q) / (2 * fall)))

        # the ends themselves are 0/0: Gauss points never fall on them
        value, _ = quad(integrand, -np.pi / 2, np.pi / 2, limit=400, epsabs=0, epsrel=1e-10)
        return float(2 * value)

    def phase_volume(self, energy: float) -> float:
        """The area of the phase plane in which H <= energy: the loops int p dq of all bound regions."""
        found = self.regions(energy)
        if any(not r.bound for r in found):
            raise ModelError(f"at the energy {energy} the motion leaves the box {self.box}: the area is not bounded")

        def twice_kinetic(q: float) -> float:
            return 2 * max(energy - self.height(q), 0.0)

        return sum(self.average(energy, r.low, r.high, twice_kinetic) for r in found)

    def density_of_states(self, energy: float) -> float:
        """d(phase volume)/dE, which is the sum of the periods of the regions; in units of h it counts states."""
        periods = [r.period for r in self.regions(energy)]
        if not periods or any(p is None for p in periods):
            raise ModelError(f"at the energy {energy} a motion is not periodic: there is no density of states")
        return float(sum(p for p in periods if p is not None))

    def _period(self, energy: float, low: float, high: float) -> float | None:
        """None where a rest lies on the way or at an end: it is reached after an infinite time."""
        step = (high - low) * _NEAR
        for end, inwards in ((low, step), (high, -step)):
            once, twice = (energy - self.height(end + k * inwards) for k in (1, 2))
            if not once > 0 or twice > 3 * once:
                return None
        if self._touches(energy, low, high):
            return None
        return self.average(energy, low, high, lambda _: 1.0)

    def _touches(self, energy: float, low: float, high: float) -> bool:
        import numpy as np
        from scipy.optimize import minimize_scalar

        grid = np.linspace(low, high, 401)[1:-1]
        excess = np.array([_value(self.height, q, energy) for q in grid])
        for i in range(1, len(grid) - 1):
            if excess[i] <= excess[i - 1] and excess[i] <= excess[i + 1]:
                bounds = (grid[i - 1], grid[i + 1])
                least = minimize_scalar(lambda q: energy - self.height(q), bounds=bounds, method="bounded")
                if least.fun <= _TOUCH * excess.max():
                    return True
        return False


def _value(height: Callable[[float], float], q: float, energy: float) -> float:
    try:
        value = energy - float(height(q))
    except (ValueError, ZeroDivisionError, OverflowError, TypeError):
        return float("nan")
    return value


def well(
    system: System, values: Mapping[str, float], box: tuple[float, float], momenta: Mapping[str, str] | None = None
) -> Well:
    """The one-dimensional motion of a system: its only coordinate, or the one left when cyclic ones are reduced.

    >>> from dalembert.analytic import System
    >>> pendulum = System("th", L="m*l**2*th_d**2/2 + m*g*l*cos(th)")
    >>> swing = well(pendulum, {"m": 1, "l": 1, "g": 1}, (-3.2, 3.2))
    >>> print(*swing.regions(0.0))
    [-1.5708, 1.5708] (bound, period 7.4163)
    """
    if len(system.coordinates) > 1:
        system = routhian(system, momenta=momenta).reduced
    if len(system.coordinates) != 1:
        raise ModelError(
            f"more than one coordinate is left ({', '.join(system.coordinates)}): no one-dimensional motion"
        )
    if any(f != 0 for f in system.generalised_forces) and system.force_potential is None:
        raise ModelError("the energy is not conserved: forces without a potential act")
    (c,) = system.coordinates
    n = system.names
    q, v = n.symbol(c), n.velocity(c)
    V = effective_potential(system)
    L = system.freeze(system.lagrangian)
    inertia = tidy(sp.diff(L, v, 2))
    if V is None or inertia.has(v) or L.has(n.time):
        raise ModelError("the energy integral needs L = a(q) q'^2/2 + b(q) q' - V(q), free of time")
    if is_zero(inertia):
        raise ModelError(f"{c} has no inertia")
    numbers = n.numbers(values)
    a, height = inertia.subs(numbers), V.subs(numbers)
    low, high = float(box[0]), float(box[1])
    if not low < high:
        raise ModelError(f"the box {box} is empty: give (low, high) with low < high")
    return Well(c, inertia, V, number_function([q], a, "math"), number_function([q], height, "math"), (low, high))


@dataclass(frozen=True)
class Orbit:
    """A bound central motion: turning radii, radial period, and the angle swept in it."""

    inner: float
    outer: float
    period: float
    angle: float

    @property
    def precession(self) -> float:
        """The advance of the pericentre in one radial period, in (-pi, pi]: 0 for a closed ellipse about the focus."""
        import math

        turn = math.remainder(self.angle, 2 * math.pi)
        return turn if turn > -math.pi else math.pi


def central_orbit(
    system: System,
    values: Mapping[str, float],
    energy: float,
    momentum: float,
    box: tuple[float, float],
    *,
    angle: str | None = None,
) -> Orbit:
    """The first bound orbit in the box of a system with a distance and one cyclic angle.

    >>> from dalembert.analytic import System
    >>> kepler = System("r phi", L="m*(r_d**2 + r**2*phi_d**2)/2 + k/r", positive="m r")
    >>> orbit = central_orbit(kepler, {"m": 1, "k": 1}, -0.3, 1.0, (0.01, 20))
    >>> print(f"{orbit.inner:.6f} {orbit.outer:.6f} {abs(orbit.precession):.6f}")
    0.612574 2.720759 0.000000
    """
    made = routhian(system, angle)
    if len(made.constants) != 1:
        raise ModelError(f"one cyclic angle is wanted, there are {', '.join(made.constants)}: name it with `angle`")
    ((label, constant),) = made.constants.items()
    numbers: dict[str, Any] = {**values, constant.name: momentum}
    found = well(made.reduced, numbers, box)
    (c,) = made.rest
    speed = made.velocities[label].subs(system.names.numbers(numbers))
    if any(speed.has(system.names.velocity(x)) for x in made.rest):
        raise ModelError(f"the speed of {label} depends on that of {c}: no quadrature by {c} alone")
    turn = number_function([system.names.symbol(c)], speed, "math")
    for region in found.regions(energy):
        if region.bound and region.period is not None:
            swept = found.average(energy, region.low, region.high, lambda q: float(turn(q)))
            return Orbit(region.low, region.high, region.period, swept)
    raise ModelError(f"no bound motion at energy {energy} between {box[0]} and {box[1]}: see well(...).regions")
