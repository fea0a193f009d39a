"""What contacts do to bodies and joints: their forces where shapes touch, or along the formulas of their gaps.

The power of a unit of force is the rate of the gap (of a slip, for friction): a shape is pushed along the normal at the
point that touches and the other one back, a formula pushes the frames and coordinates that it names.
"""

from __future__ import annotations

from collections.abc import Sequence

from dalembert.constraints.actions import Actions, formula_actions
from dalembert.contact.geometry import Places, Touch
from dalembert.contact.rows import DRILLING, SLIDING, ContactRow, contact_rows
from dalembert.dynamics import Dynamics
from dalembert.expr import ZERO, Expr
from dalembert.expr.space import Vector3
from dalembert.kinematics import Wrench
from dalembert.mechanism import Frame
from dalembert.mechanism.contact import Gap, Pressed, Touching
from dalembert.mechanism.shapes import ordered

_NONE = Vector3((ZERO, ZERO, ZERO))


def contact_actions(about: Dynamics, forces: Sequence[Sequence[Expr]], before: Actions) -> Actions:
    """Of all contacts, each with its normal force and then that of each of its slips, added to those `before`."""
    places, own = Places(about.tree), {one.coordinate: one.rate for one in about.rows.own} if about.closed else {}
    for row, (normal, *rubbing) in zip(contact_rows(about), forces, strict=True):
        place = row.contact.place
        if isinstance(place, Pressed):
            formula_actions(about.tree, own, zip(place.slip, rubbing, strict=True), before)
            continue
        if isinstance(place, Gap):
            slips = [(place.slip[slip.side], force) for slip, force in zip(row.slips, rubbing, strict=True)]
            formula_actions(about.tree, own, [(place.gap, normal), *slips], before)
            continue
        assert isinstance(place, Touching)
        force, torque = _pushing(row, places.touch(place), normal, rubbing)
        first, second = ordered(place.first, place.second)
        point = places.touch(place).point
        _push(about, places, before, first.frame, point, force, torque)
        _push(about, places, before, second.frame, point, -force, -torque)
    return before


def _pushing(row: ContactRow, touch: Touch, normal: Expr, rubbing: Sequence[Expr]) -> tuple[Vector3, Vector3]:
    """Force and torque on the first shape, in the base of earth."""
    force, torque = normal * touch.normal, _NONE
    for slip, size in zip(row.slips, rubbing, strict=True):
        if slip.kind == SLIDING:
            force = force + size * touch.tangents[slip.side]
        else:
            torque = torque + size * (touch.normal if slip.kind == DRILLING else touch.tangents[slip.side])
    return force, torque


def _push(
    about: Dynamics, places: Places, found: Actions, frame: Frame, point: Vector3, force: Vector3, torque: Vector3
) -> None:
    number = about.layout.number(frame.body)
    if number == 0:  # earth
        return
    body = places.pose(Frame(frame.body))
    local = body.vector_back(point - body.position)
    found.bodies.append((number, Wrench.at_point(local, body.vector_back(force), body.vector_back(torque))))
