"""Motion studied from another body: that body takes the place of earth and is treated as fixed.

Papegay 2.5 studies the arms of the satellite relative to its body, with efforts constant in that base. The reference
body counts as Galilean: its own motion, and whatever joined it to earth, are left out.
"""

from __future__ import annotations

from dataclasses import replace

from dalembert.errors import ModelError
from dalembert.expr.space import is_zero3
from dalembert.mechanism import EARTH, Force, Frame, Layout, Mechanism, Torque


def seen_from(mechanism: Mechanism, reference: str) -> Mechanism:
    """The same mechanism with `reference` as its fixed body.

    >>> from dalembert.mechanism import earth, free, revolute
    >>> m = Mechanism("crane")
    >>> ship, boom = m.body("ship", mass=100), m.body("boom", mass=1)
    >>> links = m.join(earth, ship, free(), name="sea"), m.join(ship, boom, revolute("y"), name="luff")
    >>> sorted(seen_from(m, "ship").links)
    ['luff']
    """
    if reference == EARTH:
        return mechanism
    if reference not in mechanism.bodies:
        raise ModelError(f"there is no body '{reference}' to take as reference in '{mechanism.name}'.")
    made = type(mechanism)(f"{mechanism.name} seen from {reference}")
    dropped = _toward_earth(mechanism, reference)

    def moved(frame: Frame) -> Frame:
        return replace(frame, body=EARTH) if frame.body == reference else frame

    for body in mechanism.bodies.values():
        if body.name not in (EARTH, reference, *dropped.bodies):
            made.add_body(body)
    for link in mechanism.links.values():
        if link.name not in dropped.links:
            made.join(moved(link.first), moved(link.second), link.joint, name=link.name)
    for effort in mechanism.efforts:
        base = EARTH if effort.base == reference else effort.base
        held = effort.at.body if isinstance(effort, Force) else effort.on
        if held in (reference, EARTH, *dropped.bodies):
            continue
        if base in dropped.bodies or effort.base == EARTH:
            raise ModelError(
                f"an effort on '{held}' is expressed in the base of '{effort.base}', which the study from "
                f"'{reference}' leaves out. Express it in the base of a body that stays."
            )
        if isinstance(effort, Force):
            made.apply(Force(moved(effort.at), effort.value, base, effort.name))
        else:
            made.apply(Torque(effort.on, effort.value, base, effort.name))
    if not is_zero3(mechanism.gravity):
        raise ModelError(
            f"gravity has a direction fixed in earth, and '{reference}' turns in it. Study this motion from earth."
        )
    for name, (arguments, formula) in mechanism.functions.items():
        made.define(name, arguments, formula)
    made.given.update(mechanism.given)
    made.start.update({x: v for x, v in mechanism.start.items() if x.split(".")[0] in made.links})
    return made


class _Dropped:
    def __init__(self, bodies: set[str], links: set[str]) -> None:
        self.bodies, self.links = bodies, links


def _toward_earth(mechanism: Mechanism, reference: str) -> _Dropped:
    """Bodies and links between earth and the reference body, which the study leaves out."""
    layout = Layout.of(mechanism)
    path = [layout.bodies[i].name for i in layout.path(layout.number(reference))]
    inner = set(path[:-1])
    links = {one.link.name for one in layout.tree if layout.bodies[one.child].name in path}
    beside = [
        link.name
        for link in mechanism.links.values()
        if link.name not in links and {link.first.body, link.second.body} & {*inner, EARTH}
    ]
    if beside:
        raise ModelError(
            f"link '{beside[0]}' hangs on what lies between earth and '{reference}', and would be lost in a study from "
            f"'{reference}'. Choose a reference body that carries the rest of the mechanism."
        )
    return _Dropped(inner, links)
