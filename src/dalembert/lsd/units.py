"""Units of measure: what `30 cm` and `12 N/m` are in metres, kilograms and seconds.

A unit is a product of powers of the words below, written tight after its number; with blanks around it `/` divides by a
name. A radian is the number one, as in every formula of mechanics.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from dalembert import expr as ex
from dalembert.expr import Expr
from dalembert.mechanism.dimensions import FORCE, LENGTH, MASS, NONE, TIME, Dimension

_TURN = 2 * ex.PI


@dataclass(frozen=True, slots=True)
class Unit:
    """How many metres, kilograms and seconds it is, and of which dimension."""

    factor: Expr
    dimension: Dimension


def _scaled(word: str, dimension: Dimension, factors: dict[str, Fraction | int]) -> dict[str, Unit]:
    return {prefix + word: Unit(ex.const(factor), dimension) for prefix, factor in factors.items()}


_MILLI, _MICRO = Fraction(1, 1000), Fraction(1, 10**6)
_ENERGY, _SPEED = FORCE * LENGTH, LENGTH / TIME
UNITS: dict[str, Unit] = {
    **_scaled("m", LENGTH, {"": 1, "k": 1000, "d": Fraction(1, 10), "c": Fraction(1, 100), "m": _MILLI, "u": _MICRO}),
    **_scaled("g", MASS, {"k": 1, "": _MILLI, "m": _MICRO}),
    **_scaled("s", TIME, {"": 1, "m": _MILLI, "u": _MICRO}),
    **_scaled("N", FORCE, {"": 1, "k": 1000, "M": 10**6, "m": _MILLI}),
    **_scaled("Nm", _ENERGY, {"": 1, "k": 1000, "m": _MILLI}),
    **_scaled("J", _ENERGY, {"": 1, "k": 1000, "m": _MILLI}),
    **_scaled("W", _ENERGY / TIME, {"": 1, "k": 1000, "m": _MILLI}),
    **_scaled("Pa", FORCE / LENGTH**2, {"": 1, "k": 1000, "M": 10**6, "G": 10**9}),
    **_scaled("Hz", NONE / TIME, {"": 1, "k": 1000}),
    "min": Unit(ex.const(60), TIME),
    "h": Unit(ex.const(3600), TIME),
    "rad": Unit(ex.ONE, NONE),
    "mrad": Unit(ex.const(_MILLI), NONE),
    "deg": Unit(_TURN / 360, NONE),
    "rev": Unit(_TURN, NONE),
    "rpm": Unit(_TURN / 60, NONE / TIME),
}
_WORD = f"(?:{'|'.join(sorted(UNITS, key=lambda name: (-len(name), name)))})(?:\\^-?[0-9])?(?![A-Za-z0-9_'])"
#: A number and its unit, as one lexeme.
QUANTITY = rf"[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?[ \t]*{_WORD}(?:[*/]{_WORD})*(?!\s*\()"


def unit(text: str) -> Unit:
    """What a unit is: `unit("N/m")`.

    >>> unit("cm").factor, str(unit("N*m").dimension)
    (1/100, 'a torque')
    """
    factor, dimension = ex.ONE, NONE
    for sign, word, power in re.findall(r"([*/]?)([A-Za-z]+)(?:\^(-?[0-9]))?", text):
        exponent = int(power or 1) * (-1 if sign == "/" else 1)
        factor = factor * UNITS[word].factor ** exponent
        dimension = dimension * UNITS[word].dimension ** exponent
    return Unit(factor, dimension)
