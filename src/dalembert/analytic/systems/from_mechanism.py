"""The analytical system of a mechanism: its coordinates with the energies and efforts that the formalisms compute."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._equality import is_zero
from ..formulas._names import Names
from ..formulas._normal import tidy
from ..statics.virtual_work import potential_of
from .bodies import Particle, RigidBody
from .system import System


def system_of(mechanism: Any) -> System:
    """Bodies, weight and efforts of a `Mechanism` as a `System`, so that every mechanics applies to it.

    The coordinates keep their names (`elbow.th`). Conditions of closed loops and further constraints become constraints
    of the system, with the multipliers of the machine; imperfect reactions, and speeds that are not rates of
    coordinates (quaternions), are refused.

    >>> import dalembert as da
    >>> m = da.Mechanism("pendulum")
    >>> pivot = m.join(da.earth, m.body("rod", mass="m", centre=[0, 0, "-l"]), da.revolute("x"), name="pivot")
    >>> m.gravity = [0, 0, "-g"]
    >>> system_of(m).lagrange().accelerations
    {'pivot.th': -g*sin(pivot.th)/l}
    """
    from dalembert.expr.space import add3, apply3
    from dalembert.formalisms import derive
    from dalembert.kinematics.bodies import body_motions, body_poses
    from dalembert.mechanism import Layout

    layout = Layout.of(mechanism)
    if len(layout.coordinates) != len(layout.speeds):
        raise ModelError(
            f"the mechanism '{mechanism.name}' has {len(layout.coordinates)} coordinates for {len(layout.speeds)} "
            "speeds (a quaternion?): choose joints whose coordinates are independent, such as Euler angles"
        )
    equations = derive(layout, "lagrange", potential="gravity")
    tree = equations.tree
    particles, bodies = [], []
    for one, pose in zip(body_motions(tree), body_poses(tree)):
        if not one.has_mass:
            continue
        centre = [_read(e) for e in add3(pose.position, apply3(pose.rotation, one.body.centre))]
        inertia = [[_read(e) for e in row] for row in one.inertia]
        if all(e == 0 for row in inertia for e in row):
            particles.append(Particle(_read(one.body.mass), centre, name=one.body.name))
        else:
            rotation = [[_read(e) for e in row] for row in pose.rotation]
            bodies.append(RigidBody(_read(one.body.mass), centre, rotation, inertia, name=one.body.name))
    efforts = [_read(e) for e in equations.detail.efforts]
    potential, efforts = _split(efforts, [sp.Symbol(c, real=True) for c in layout.coordinates])
    constraints, rolling, multipliers = _conditions(mechanism.name, equations.detail, list(layout.coordinates))
    return System(
        list(layout.coordinates),
        constraints=constraints,
        rolling=rolling,
        multipliers=multipliers or None,
        particles=particles,
        bodies=bodies,
        gravity=[_read(e) for e in mechanism.gravity],
        V=potential,
        Q=efforts,
        name=mechanism.name,
    )


def _conditions(name: str, detail: Any, coordinates: list[str]) -> tuple[list[sp.Expr], list[sp.Expr], list[str]]:
    """The conditions of loops and constraints: holonomic ones by their gap where its rate is the condition itself."""
    if not detail.conditions:
        return [], [], []
    if detail.pushed is not None or [q.name for q in detail.coordinates] != coordinates:
        raise ModelError(
            f"the mechanism '{name}' has constraints with reactions of their own (friction, a servo) or own "
            "coordinates: these are no ideal constraints of analytical mechanics. Ask `m.equations` or `m.simulate`."
        )
    names = Names(coordinates)
    holonomic: list[tuple[sp.Expr, str]] = []
    kinematic: list[tuple[sp.Expr, str]] = []
    for condition, gap, label in zip(detail.conditions, detail.gap, detail.multipliers):
        rate = names.read(_read(condition))
        if is_zero(rate):
            continue  # a condition that the plane of the motion fulfils already
        place = None if gap is None else names.read(_read(gap))
        if place is not None and is_zero(names.derivative(place) - rate):
            holonomic.append((place, label))
        else:
            kinematic.append((rate, label))
    found = [*holonomic, *kinematic]
    return [e for e, _ in holonomic], [e for e, _ in kinematic], [label for _, label in found]


def _split(efforts: list[sp.Expr], coordinates: list[sp.Symbol]) -> tuple[sp.Expr, list[sp.Expr]]:
    """The part of the efforts that derives from a potential (springs), and the rest (dampers, motors)."""
    zero = sp.Integer(0)
    kept, resting = [], []
    for effort in efforts:
        terms = sp.Add.make_args(sp.expand(effort))
        static = [
            t for t in terms if t.free_symbols & set(coordinates) and not any("'" in s.name for s in t.free_symbols)
        ]
        resting.append(sp.Add(*static))
        kept.append(sp.Add(*(t for t in terms if t not in static)))
    if all(e == zero for e in resting):
        return zero, efforts
    try:
        return potential_of(resting, coordinates), kept
    except ModelError:
        return zero, efforts


def _read(e: Any) -> sp.Expr:
    """An entry of the description as SymPy, decimals as the fractions that they stand for."""
    from dalembert.expr import to_sympy

    return tidy(to_sympy(e).replace(lambda x: x.is_Float, _fraction))


def _fraction(x: sp.Float) -> sp.Rational:
    value = float(x)
    near = Fraction(value).limit_denominator(1_000_000)
    exact = near if abs(float(near) - value) <= 4e-16 * abs(value) else Fraction(str(value))
    return sp.Rational(exact.numerator, exact.denominator)
