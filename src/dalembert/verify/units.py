"""The same machine told in other units: every number of its description as somebody would write it there.

A formula f(q, u, t) that stands for a quantity of unit s becomes s f(q/a, u/b, t/c), where a, b, c are the units of
what it names; so its parameters keep their numbers, and no dimension of them has to be known. Units are powers of two,
which round nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import Expr, Scalar
from dalembert.expr.space import Vector3
from dalembert.mechanism import Displacement, Model
from dalembert.mechanism.body import Body, Frame, Inertia
from dalembert.mechanism.constraint import Along, Constraint, Coulomb, Holonomic, Kinematic
from dalembert.mechanism.contact import Among, Contact, Gap, Pressed, Touching
from dalembert.mechanism.dimensions import (
    ACCELERATION,
    DAMPING,
    FORCE,
    INERTIA,
    LENGTH,
    MASS,
    NONE,
    OF_QUANTITY,
    SPEED,
    STIFFNESS,
    TIME,
    TORQUE,
    Dimension,
)
from dalembert.mechanism.displacement import QuaternionTurn, Turn
from dalembert.mechanism.effort import Bushing, Effort, Force, Spring, Torque
from dalembert.mechanism.homogeneity import dimensions_of
from dalembert.mechanism.joint import Joint
from dalembert.mechanism.link import Link
from dalembert.mechanism.quantities import RATE, VIRTUAL, names_moving, quantity

Units = Mapping[Expr, Expr]
_POWER = FORCE * SPEED
_FIELDS: dict[bool, dict[str, Dimension]] = {
    True: {"stiffness": STIFFNESS, "damping": DAMPING, "length": LENGTH, "force": FORCE, "turning": TORQUE,
           "turning_damping": TORQUE * TIME},
    False: {"stiffness": TORQUE, "damping": TORQUE * TIME, "torque": TORQUE},
}  # fmt: skip


@dataclass(frozen=True)
class OtherUnits:
    """A model, and how many of the new units are in one of the old."""

    model: Model
    length: Fraction = Fraction(2**10)
    mass: Fraction = Fraction(1, 2**13)
    time: Fraction = Fraction(2**4)

    def factor(self, dimension: Dimension) -> Fraction:
        """What the numbers of a dimension are multiplied by; of one with broken powers, by one."""
        powers = (dimension.mass, dimension.length, dimension.time)
        if any(p.denominator != 1 for p in powers):
            return Fraction(1)
        m, l, t = (int(p) for p in powers)
        return self.mass**m * self.length**l * self.time**t

    @cached_property
    def states(self) -> Mapping[str, Fraction]:
        """The factor of each coordinate and speed."""
        known, found = dimensions_of(self.model), dict[str, Fraction]()
        for link in self.model.links.values():
            for name in link.coordinates:
                for order in range(3):
                    found[name + "'" * order] = self.factor(known.get(name, NONE)) / self.time**order
            for name in link.speeds:
                if not name.endswith("'"):
                    local = name.rpartition(".")[2]
                    found[name] = self.factor(SPEED if local.startswith("v") else NONE / TIME)
        return found

    @cached_property
    def _seen(self) -> dict[Expr, Expr]:
        found: dict[Expr, Expr] = {ex.symbol(x): ex.symbol(x) / ex.const(s) for x, s in self.states.items()}
        for name in self.model.symbols:
            place = self.model.frame_quantity(name)
            if place is not None:
                found[ex.symbol(name)] = ex.symbol(name) / ex.const(self.factor(LENGTH / TIME ** place[2]))
        return {**found, ex.TIME: ex.TIME / ex.const(self.time)}

    def seen(self, formulas: Iterable[Expr], own: Units | None = None) -> list[Expr]:
        """Formulas with what they name in the old units; `own` are names of their own (of a joint, of a law)."""
        told = list(formulas)
        names: dict[Expr, Expr] = {**self._seen, **(own or {})}
        for e in ex.topological(told):
            if e.op == "apply" and e.name == RATE:
                (inner,) = ex.substitute(list(e.args), names)
                names[e] = ex.apply(RATE, (inner,)) * ex.const(self.time)
            elif e.op == "apply" and e.name == VIRTUAL:
                (inner,) = ex.substitute(list(e.args), names)
                moves = names_moving(e.args) or any(self._is_speed(x.name) for x in ex.free_symbols(e.args))
                names[e] = ex.apply(VIRTUAL, (inner,)) / ex.const(
                    self.time if moves else Fraction(1)
                )  # no seconds in it
            elif e.op == "apply" and quantity(e) is not None:
                names[e] = e / ex.const(self.factor(OF_QUANTITY[e.name]))
        return ex.substitute(told, names)

    def _is_speed(self, name: str) -> bool:
        return name.endswith("'") or any(name in link.speeds for link in self.model.links.values())

    def told(self, formula: Expr, dimension: Dimension, own: Units | None = None) -> Expr:
        return ex.const(self.factor(dimension)) * self.seen([formula], own)[0]

    def vector(self, value: Sequence[Expr], dimension: Dimension, own: Units | None = None) -> Vector3:
        return Vector3([self.told(x, dimension, own) for x in value])

    def displacement(self, value: Displacement, own: Units | None = None) -> Displacement:
        turns: list[Turn | QuaternionTurn] = [one.with_scalars(self.seen(one.scalars, own)) for one in value.turns]
        return Displacement(self.vector(value.translation, LENGTH, own), tuple(turns))

    def frame(self, frame: Frame) -> Frame:
        return replace(frame, displacement=self.displacement(frame.displacement))

    def start(self, values: Mapping[str, Any]) -> dict[str, Scalar]:
        """Values of coordinates and speeds, numbers or formulas of parameters."""
        return {x: ex.const(self.states.get(x, Fraction(1))) * ex.as_expr(v) for x, v in values.items()}

    def scaled(self) -> Model:
        """The model in the new units; outputs and what bodies look like are left out."""
        model = self.model
        return Model(
            model.name,
            {name: self._body(body) for name, body in model.bodies.items()},
            {name: self._link(link) for name, link in model.links.items()},
            tuple(self._effort(one) for one in model.efforts),
            {name: self.frame(frame) for name, frame in model.frames.items()},
            {name: (arguments, self._law(arguments, e)) for name, (arguments, e) in model.functions.items()},
            self.vector(model.gravity, ACCELERATION),
            model.given,
            self.start(model.start),
            tuple(self._contact(one) for one in model.contacts),
            tuple(self._constraint(one) for one in model.constraints),
        )

    def _body(self, body: Body) -> Body:
        inertia = Inertia(*(self.told(x, INERTIA) for x in body.inertia.entries))
        iframe = self.displacement(body.iframe)
        return replace(body, mass=self.told(body.mass, MASS), iframe=iframe, inertia=inertia, shapes=())

    def _law(self, arguments: Sequence[str], formula: Expr) -> Expr:
        own = {ex.symbol(x): ex.symbol(x) for x in arguments}
        return self.seen([formula], {**own, **{ex.prime(x): ex.prime(x) * ex.const(self.time) for x in own}})[0]

    def _link(self, link: Link) -> Link:
        joint, own = link.joint, dict[Expr, Expr]()
        for x in joint.parameters:
            for prime in ("", "'", "''"):
                own[ex.symbol(x + prime)] = ex.symbol(x + prime) / ex.const(
                    self.states[link.coordinate_name(x) + prime]
                )
        steps = tuple(
            replace(
                step,
                displacement=self.displacement(step.displacement, own),
                force=self.vector(step.force, FORCE, own),
                torque=self.vector(step.torque, TORQUE, own),
            )
            for step in joint.steps
        )
        energy = ex.const(self.factor(TORQUE))
        efforts = tuple(
            (x, energy / ex.const(self.states[link.coordinate_name(x)]) * self.seen([e], own)[0])
            for x, e in joint.efforts
        )
        return Link(
            link.name,
            self.frame(link.first),
            self.frame(link.second),
            Joint(joint.parameters, steps, efforts, joint.kind),
        )

    def _effort(self, effort: Effort) -> Effort:
        if isinstance(effort, Force):
            return replace(effort, at=self.frame(effort.at), value=self.vector(effort.value, FORCE))
        if isinstance(effort, Torque):
            return replace(effort, value=self.vector(effort.value, TORQUE))
        straight = isinstance(effort, Spring | Bushing)
        own = dict[Expr, Expr]()
        if not isinstance(effort, Bushing):
            size = self.factor(LENGTH if straight else NONE)
            variable = effort.VARIABLE
            own = {
                variable: variable / ex.const(size),
                ex.prime(variable): ex.prime(variable) / ex.const(size / self.time),
            }
        changed: dict[str, Any] = {"first": self.frame(effort.first), "second": self.frame(effort.second)}
        for name, dimension in _FIELDS[straight].items():
            value = getattr(effort, name, None)
            if isinstance(value, tuple):
                changed[name] = self.vector(value, dimension)
            elif value is not None:
                changed[name] = self.told(value, dimension, own if name in ("force", "torque") else None)
        return replace(effort, **changed)

    def _constraint(self, one: Constraint) -> Constraint:
        if one.followed is not None:
            raise ModelError(f"'{one.name}' follows the point where two surfaces touch.")
        condition, reaction = one.condition, one.reaction
        rubs = isinstance(reaction, Coulomb)  # then normal and tangent are forces both
        if isinstance(condition, Holonomic | Kinematic):
            size = ex.const(self.length if rubs else Fraction(1))
            condition = type(condition)(tuple(size * e for e in self.seen(condition.expressions)))
        if isinstance(reaction, Along):
            reaction = Along(tuple(self.seen(reaction.forms)))
        elif isinstance(reaction, Coulomb):
            slip = tuple(self.told(e, SPEED) for e in reaction.slip)
            reaction = replace(reaction, friction=self.told(reaction.friction, NONE), slip=slip)
        return replace(one, condition=condition, reaction=reaction)

    def _contact(self, contact: Contact) -> Contact:
        place = contact.place
        if isinstance(place, Pressed):  # its slips keep their numbers, as lengths or angles: then bounds are powers
            rest = None if contact.static is None else self.told(contact.static, _POWER)
            slip, bound = Pressed(tuple(self.seen(place.slip))), self.told(contact.friction, _POWER)
            return replace(contact, place=slip, friction=bound, static=rest)
        if isinstance(place, Gap):
            told: Any = Gap(self.told(place.gap, LENGTH), tuple(self.told(e, SPEED) for e in place.slip))
        elif isinstance(place, Touching):
            told = replace(place, first=self._shape(place.first), second=self._shape(place.second))
        else:
            assert isinstance(place, Among)
            told = Among(tuple(self._shape(shape) for shape in place.shapes))
        rolling, drilling = self.told(contact.rolling, LENGTH), self.told(contact.drilling, LENGTH)
        return replace(contact, place=told, rolling=rolling, drilling=drilling)

    def _shape(self, shape: Any) -> Any:
        """Its lengths; of a surface by a formula, its own axes in the old units."""
        found = copy(shape)
        axes = {ex.symbol(x): ex.symbol(x) / ex.const(self.length) for x in "xyz"}
        for one in fields(shape):
            value = getattr(shape, one.name)
            if one.name == "formula":
                value = ex.substitute([value], axes)[0]
            elif isinstance(value, Frame):
                value = self.frame(value)
            elif isinstance(value, Expr):
                value = self.told(value, LENGTH)
            elif isinstance(value, Vector3):
                value = self.vector(value, LENGTH)
            elif isinstance(value, tuple):
                value = tuple(self.vector(point, LENGTH) for point in value)
            object.__setattr__(found, one.name, value)
        return found
