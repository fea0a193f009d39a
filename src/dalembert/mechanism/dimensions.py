"""Dimensions of mechanical quantities: products of powers of mass, length and time."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from dalembert import expr as ex
from dalembert.expr import Expr


@dataclass(frozen=True, slots=True)
class Dimension:
    """Exponents of mass, length and time.

    >>> str(FORCE), str(MASS * LENGTH**2), str(LENGTH ** Fraction(1, 2))
    ('a force', 'a moment of inertia', 'm^1/2')
    """

    mass: Fraction = Fraction(0)
    length: Fraction = Fraction(0)
    time: Fraction = Fraction(0)

    def __mul__(self, other: Dimension) -> Dimension:
        return Dimension(self.mass + other.mass, self.length + other.length, self.time + other.time)

    def __truediv__(self, other: Dimension) -> Dimension:
        return self * other**-1

    def __pow__(self, power: int | Fraction) -> Dimension:
        return Dimension(self.mass * power, self.length * power, self.time * power)

    def __str__(self) -> str:
        return _WORDS.get(self) or self.unit

    @property
    def unit(self) -> str:
        """`kg*m/s^2`."""
        powers = [(name, p) for name, p in (("kg", self.mass), ("m", self.length), ("s", self.time)) if p]
        above = "*".join(name + (f"^{p}" if p != 1 else "") for name, p in powers if p > 0)
        below = "".join(f"/{name}" + (f"^{-p}" if p != -1 else "") for name, p in powers if p < 0)
        return (above or "1") + below


NONE = Dimension()
MASS = Dimension(mass=Fraction(1))
LENGTH = Dimension(length=Fraction(1))
TIME = Dimension(time=Fraction(1))
SPEED = LENGTH / TIME
ACCELERATION = SPEED / TIME
FORCE = MASS * ACCELERATION
TORQUE = FORCE * LENGTH
STIFFNESS = FORCE / LENGTH
DAMPING = FORCE / SPEED
INERTIA = MASS * LENGTH**2

#: What frames tell in formulas: `pos(a, b)`, `vel(a)`...
OF_QUANTITY = {"pos": LENGTH, "vel": SPEED, "omega": NONE / TIME, "axis": NONE, "dist": LENGTH}

_WORDS = {
    NONE: "a number or an angle",
    MASS: "a mass",
    LENGTH: "a length",
    TIME: "a time",
    SPEED: "a speed",
    ACCELERATION: "an acceleration",
    FORCE: "a force",
    TORQUE: "a torque",
    INERTIA: "a moment of inertia",
    NONE / TIME: "an angular speed",
    NONE / TIME**2: "an angular acceleration",
    STIFFNESS: "a stiffness",
    DAMPING: "a damping",
    TORQUE * TIME: "a damping of turning",
    TORQUE / TIME: "a power",
    FORCE / LENGTH**2: "a pressure",
}


def symbol_of(dimension: Dimension) -> Expr:
    """One unit of a dimension, as a factor that a formula carries while dimensions are compared."""
    powers = zip(UNITS[:3], (dimension.mass, dimension.length, dimension.time), strict=True)
    found = ex.ONE if dimension != NONE else UNITS[3]
    for unit, power in powers:
        if power:
            found = found * unit**power
    return found


#: Names that no program can write: one kilogram, one metre, one second; and one radian, which is a number.
UNITS = (ex.symbol("one kg"), ex.symbol("one m"), ex.symbol("one s"), ex.symbol("one rad"))
