"""Motion studied from another body: that body takes the place of earth and is treated as fixed.

Papegay 2.5 studies the arms of the satellite relative to its body, with efforts constant in that base. The reference
body counts as Galilean: its own motion, and whatever joined it to earth, are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from dalembert.errors import ModelError
from dalembert.expr.space import is_zero3
from dalembert.mechanism import EARTH, Effort, Force, Frame, Layout, Mechanism, Model, Torque, effort_kind


def seen_from(mechanism: Mechanism | Model, reference: str) -> Model:
    """The same mechanism with `reference` as its fixed body.

    >>> from dalembert.mechanism import earth, free, revolute
    >>> m = Mechanism("crane")
    >>> ship, boom = m.body("ship", mass=100), m.body("boom", mass=1)
    >>> links = m.join(earth, ship, free(), name="sea"), m.join(ship, boom, revolute("y"), name="luff")
    >>> sorted(seen_from(m, "ship").links)
    ['luff']
    """
    model = mechanism.freeze()
    if reference == EARTH:
        return model
    if reference not in model.bodies:
        raise ModelError(f"there is no body '{reference}' to take as reference in '{model.name}'.")
    if model.constraints:
        raise ModelError(
            f"constraint '{model.constraints[0].name}' is written for a machine on earth, and the study from "
            f"'{reference}' leaves a part of it out. Study this motion from earth."
        )
    dropped = _toward_earth(model, reference)

    def moved(frame: Frame) -> Frame:
        return replace(frame, body=EARTH) if frame.body == reference else frame

    bodies = {
        name: body for name, body in model.bodies.items() if name == EARTH or name not in (reference, *dropped.bodies)
    }
    links = {
        name: replace(link, first=moved(link.first), second=moved(link.second))
        for name, link in model.links.items()
        if name not in dropped.links
    }
    efforts = [kept for effort in model.efforts if (kept := _kept(effort, reference, dropped, moved)) is not None]
    if not is_zero3(model.gravity):
        raise ModelError(
            f"gravity has a direction fixed in earth, and '{reference}' turns in it. Study this motion from earth."
        )
    return replace(
        model,
        name=f"{model.name} seen from {reference}",
        bodies=bodies,
        links=links,
        efforts=tuple(efforts),
        frames={name: moved(frame) for name, frame in model.frames.items() if frame.body not in dropped.bodies},
        start={x: v for x, v in model.start.items() if x.rpartition(".")[0] in links},
    )


def _kept(effort: Effort, reference: str, dropped: _Dropped, moved: Callable[[Frame], Frame]) -> Effort | None:
    """The effort as the study from another body has it; None when it acts on nothing that moves there."""
    acted = [frame.body for frame in effort.frames]
    if all(body in (reference, EARTH, *dropped.bodies) for body in acted):
        return None
    bases = acted if not isinstance(effort, Force | Torque) else [effort.base]
    for base in bases:
        if base in dropped.bodies or base == EARTH:
            raise ModelError(
                f"{effort_kind(effort)} '{effort.name}' on '{acted[-1]}' goes with '{base}', which the study from "
                f"'{reference}' leaves out. Write it with bodies that stay."
            )
    if isinstance(effort, Force | Torque):
        base = EARTH if effort.base == reference else effort.base
        return (
            replace(effort, at=moved(effort.at), base=base) if isinstance(effort, Force) else replace(effort, base=base)
        )
    return replace(effort, first=moved(effort.first), second=moved(effort.second))


class _Dropped:
    def __init__(self, bodies: set[str], links: set[str]) -> None:
        self.bodies, self.links = bodies, links


def _toward_earth(mechanism: Model, reference: str) -> _Dropped:
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
