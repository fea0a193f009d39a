"""A model as plain data: names, numbers and formulas as text, ready for JSON."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from dalembert import expr as ex
from dalembert.expr import Expr
from dalembert.mechanism.body import EARTH, Frame
from dalembert.mechanism.bodyshape import SIZES, BodyShape
from dalembert.mechanism.constraint import Along, Constraint, Coulomb, Kinematic
from dalembert.mechanism.contact import Among, Contact, Gap, Pressed
from dalembert.mechanism.displacement import Displacement, Turn
from dalembert.mechanism.effort import Effort, effort_kind
from dalembert.mechanism.link import Link
from dalembert.mechanism.model import Model
from dalembert.mechanism.shapes import Shape


def model_data(model: Model) -> dict[str, Any]:
    """Everything that the description says.

    >>> from dalembert.mechanism import Mechanism, earth, prismatic
    >>> m = Mechanism("cart")
    >>> link = m.join(earth, m.body("cart", mass="m"), prismatic("x"), name="rail")
    >>> model_data(m.freeze())["links"][0]["coordinates"]
    ['rail.x']
    """
    bodies = [
        {
            "name": body.name,
            "mass": ex.text(body.mass),
            "iframe": _displacement(body.iframe),
            "inertia": [_texts(row) for row in body.inertia.matrix],
            "shapes": [_body_shape(shape) for shape in body.shapes],
        }
        for body in model.bodies.values()
        if body.name != EARTH
    ]
    laws = {name: {"arguments": list(a), "formula": ex.text(formula)} for name, (a, formula) in model.functions.items()}
    return {
        "name": model.name,
        "bodies": bodies,
        "links": [_link(link) for link in model.links.values()],
        "efforts": [_effort(effort) for effort in model.efforts],
        "constraints": [_constraint(one) for one in model.constraints],
        "frames": {name: _frame(frame) for name, frame in model.frames.items()},
        "laws": laws,
        "contacts": [_contact(contact) for contact in model.contacts],
        "outputs": {name: ex.text(formula) for name, formula in model.outputs.items()},
        "gravity": _texts(model.gravity),
        "parameters": list(model.parameters()),
        "given": {name: _number(value) for name, value in model.given.items()},
        "start": {name: _number(value) for name, value in model.start.items()},
    }


def _contact(contact: Contact) -> dict[str, Any]:
    place = contact.place
    where: dict[str, Any]
    if isinstance(place, Gap):
        where = {"gap": ex.text(place.gap), "slip": _texts(place.slip)}
    elif isinstance(place, Pressed):
        where = {"slip": _texts(place.slip)}
    elif isinstance(place, Among):
        where = {"among": [_shape(one) for one in place.shapes]}
    else:
        where = {"first": _shape(place.first), "second": _shape(place.second), "part": place.part}
    laws = {"restitution": ex.text(contact.restitution), "friction": ex.text(contact.friction)}
    static = {} if contact.static is None else {"static": ex.text(contact.static)}
    lengths = {"rolling": contact.rolling, "drilling": contact.drilling}
    turning = {kind: ex.text(value) for kind, value in lengths.items() if value is not ex.ZERO}
    return {"name": contact.name, **where, **laws, **static, **turning}


def _shape(shape: Shape) -> dict[str, Any]:
    sizes = {
        one.name: ex.text(value) if isinstance(value := getattr(shape, one.name), Expr) else _texts(value)
        for one in fields(shape)
        if one.name != "frame"
    }
    return {"kind": type(shape).__name__.lower(), **_frame(shape.frame), **sizes}


def _body_shape(shape: BodyShape) -> dict[str, Any]:
    if shape.mesh is not None:
        sizes: dict[str, Any] = {"file": shape.mesh.file, "scale": shape.mesh.scale, "digest": shape.mesh.digest}
    else:
        sizes = dict(zip(SIZES[shape.kind], _texts(shape.sizes), strict=True))
    return {"kind": shape.kind, **sizes, **_displacement(shape.place), "colour": shape.colour}


def _texts(values: Any) -> list[str]:
    return [ex.text(x) if isinstance(x, Expr) else _texts(x) for x in values]  # type: ignore[misc]


def _number(value: Any) -> float | str:
    if isinstance(value, Expr):
        return ex.text(value)
    return value if isinstance(value, str) else float(value)


def _displacement(value: Displacement) -> dict[str, Any]:
    turns = [
        {"angle": ex.text(one.angle), "axis": _texts(one.axis)}
        if isinstance(one, Turn)
        else {"quaternion": _texts(one.components)}
        for one in value.turns
    ]
    return {"translation": _texts(value.translation), "turns": turns}


def _frame(frame: Frame) -> dict[str, Any]:
    return {"body": frame.body, **_displacement(frame.displacement)}


def _link(link: Link) -> dict[str, Any]:
    steps = [
        {
            "displacement": _displacement(step.displacement),
            "force": _texts(step.force),
            "torque": _texts(step.torque),
            "speeds": step.speeds,
        }
        for step in link.placed_steps()
    ]
    return {
        "name": link.name,
        "kind": link.joint.kind,
        "first": _frame(link.first),
        "second": _frame(link.second),
        "coordinates": list(link.coordinates),
        "speeds": list(link.speeds),
        "steps": steps,
        "efforts": {x: ex.text(effort) for x, effort in link.placed_efforts().items()},
    }


def _constraint(one: Constraint) -> dict[str, Any]:
    kind = "kinematic" if isinstance(one.condition, Kinematic) else "holonomic"
    reaction: dict[str, Any] = {"kind": "perfect"}
    if isinstance(one.reaction, Along):
        reaction = {"kind": "along", "forms": _texts(one.reaction.forms)}
    elif isinstance(one.reaction, Coulomb):
        reaction = {
            "kind": "coulomb",
            "friction": ex.text(one.reaction.friction),
            "slip": _texts(one.reaction.slip),
        }
    return {"name": one.name, "kind": kind, "conditions": _texts(one.expressions), "reaction": reaction}


def _effort(effort: Effort) -> dict[str, Any]:
    """The fields of an effort under their own names."""
    found: dict[str, Any] = {"kind": effort_kind(effort)}
    for one in fields(effort):
        value = getattr(effort, one.name)
        if isinstance(value, Frame):
            value = _frame(value)
        elif isinstance(value, Expr):
            value = ex.text(value)
        elif isinstance(value, tuple):
            value = _texts(value)
        found[one.name] = value
    return found
