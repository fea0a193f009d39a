"""The curve of quickest descent: a cycloid through the two ends, its time, and the comparison with other curves."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import sympy as sp

from dalembert.errors import ModelError

from .variational import Functional


@dataclass(frozen=True)
class Brachistochrone:
    """x = k^2 (th - sin th)/(4 g), drop = k^2 (1 - cos th)/(4 g), from rest at (0, 0) to (distance, drop)."""

    distance: float
    drop: float
    g: float
    k: float
    theta: float

    @property
    def regime(self) -> str:
        return "monotone descent" if self.distance <= math.pi * self.drop / 2 else "dips below the end, then rises"

    @property
    def time(self) -> float:
        """theta_B k/(2 g), since d theta/dt = 2 g/k."""
        return self.theta * self.k / (2 * self.g)

    def point(self, theta: float) -> tuple[float, float]:
        """Abscissa and drop at a value of the parameter."""
        scale = self.k**2 / (4 * self.g)
        return scale * (theta - math.sin(theta)), scale * (1 - math.cos(theta))

    def straight_time(self) -> float:
        """Descent on the straight chord, sqrt(2 (D^2 + H^2)/(g H))."""
        return math.sqrt(2 * (self.distance**2 + self.drop**2) / (self.g * self.drop))


def brachistochrone(distance: float, drop: float, g: float = 9.81) -> Brachistochrone:
    """Solve (th - sin th)/(1 - cos th) = D/H for th in (0, 2 pi), then k^2 = 4 g H/(1 - cos th).

    >>> round(brachistochrone(math.pi/2, 1.0).theta, 6)
    3.141593
    """
    from scipy.optimize import brentq

    if distance <= 0 or drop <= 0 or g <= 0:
        raise ModelError("the end must lie lower and aside: distance, drop and g are positive")
    ratio = distance / drop

    def excess(theta: float) -> float:
        return (theta - math.sin(theta)) - ratio * (1 - math.cos(theta))

    theta = float(brentq(excess, 1e-6, 2 * math.pi - 1e-9, xtol=1e-14))
    return Brachistochrone(distance, drop, g, math.sqrt(4 * g * drop / (1 - math.cos(theta))), theta)


def descent_time(
    drop_of: Callable[[float], float], slope_of: Callable[[float], float], distance: float, g: float = 9.81
) -> float:
    """Time from rest along any curve drop = Y(x): the integral of sqrt((1 + Y'^2)/(2 g Y)) dx."""
    from scipy.integrate import quad

    # x = distance*u^2 softens the integrable singularity at the start
    def integrand(u: float) -> float:
        x = distance * u * u
        return math.sqrt((1 + slope_of(x) ** 2) / (2 * g * drop_of(x))) * 2 * distance * u

    return float(quad(integrand, 0, 1, limit=200)[0])


def cycloid_check() -> dict[str, sp.Expr]:
    """The derivation: Euler's equation of sqrt((1+Y'^2)/(2 g Y)), its integral, and the cycloid put into it."""
    g, k, theta = sp.symbols("g k theta", positive=True)
    time = Functional("sqrt((1+Yp**2)/(2*g*Y))", "Y", "x", positive=["Y"])
    n = time.names
    Y = k**2 * (1 - sp.cos(theta)) / (4 * g)
    x = k**2 * (theta - sp.sin(theta)) / (4 * g)
    slope = sp.diff(Y, theta) / sp.diff(x, theta)
    put_in = {n.symbol("Y"): Y, n.velocity("Y"): slope}
    return {
        "first_integral": time.beltrami,
        "ode": n.symbol("Y") * (1 + n.velocity("Y") ** 2) - k**2 / (2 * g),
        "ode_on_cycloid": sp.simplify((n.symbol("Y") * (1 + n.velocity("Y") ** 2) - k**2 / (2 * g)).subs(put_in)),
        "speed": sp.sqrt(2 * g * Y),
        "rate_of_theta": sp.simplify(sp.sqrt(2 * g * Y) / sp.sqrt(sp.diff(x, theta) ** 2 + sp.diff(Y, theta) ** 2)),
    }
