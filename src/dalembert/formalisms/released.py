"""Absolute coordinates: every body free, every link a condition with its multipliers (Papegay 1.3.3.iii-iv, 3.3)."""

from __future__ import annotations

from dataclasses import replace

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.kinematics import plane_of, resting_links, resting_poses
from dalembert.mechanism import EARTH, AnyTurn, Displacement, Frame, Joint, Layout, Link, Model, Step, Turn, free


def released(model: Model) -> Layout:
    """The layout of the same machine with its bodies released: six coordinates a body, all links cut.

    The free joint of a body is named after it, `rod_abs`; the joints' own coordinates follow the bodies.

    >>> from dalembert.mechanism import Mechanism, earth, revolute
    >>> m = Mechanism()
    >>> link = m.join(earth, m.body("rod", mass=1), revolute("x"), name="pivot")
    >>> released(m.freeze()).coordinates
    ('rod_abs.x', 'rod_abs.y', 'rod_abs.z', 'rod_abs.al', 'rod_abs.be', 'rod_abs.ga')
    """
    loose = {
        f"{name}_abs": Link(f"{name}_abs", Frame(EARTH), Frame(name), free("bryant", "rates"))
        for name in model.bodies
        if name != EARTH
    }
    freed = replace(model, name=f"{model.name}, bodies released", links={**loose, **model.links})
    return Layout.of(freed, cut=tuple(model.links))


def released_in_plane(layout: Layout) -> Layout:
    """The layout of a plane machine with its bodies released in the plane: three coordinates a body, all links cut.

    The joint of a body is named after it, `rod_abs.x`, `rod_abs.y`, `rod_abs.th`: the place of its frame along the two
    axes of the plane, and the angle by which it has turned.
    """
    model, plane = layout.model, plane_of(layout)
    if plane.normal is None or plane.axes is None:
        raise ModelError(f"{plane.why}: take parametrisation 'absolute', six coordinates a body.")
    rest, (x, y, th) = resting_poses(layout), ex.symbols("x y th")
    turns: list[tuple[AnyTurn, ...]] = [()] * len(layout.bodies)
    for one, own in zip(layout.tree, resting_links(layout), strict=True):
        turns[one.child] = turns[one.parent] + own.turns
    loose = {}
    for number, body in enumerate(layout.bodies):
        if body.name == EARTH:
            continue
        height = plane.normal * ex.tidy(rest[number].position.dot(plane.normal))
        way = plane.axes[0] * x + plane.axes[1] * y + height
        joint = Joint(("x", "y", "th"), (Step(Displacement(way)), Step(Displacement(turns=(Turn(th, plane.normal),)))))
        turned = Displacement(turns=turns[number]).inverse()
        name = f"{body.name}_abs"
        loose[name] = Link(name, Frame(EARTH), Frame(body.name, turned), joint)
    freed = replace(model, name=f"{model.name}, bodies released", links={**loose, **model.links})
    return Layout.of(freed, cut=tuple(model.links))
