"""What a body looks like when nobody says: something that a person recognises, from its inertia and its joints.

In this order: what touches (the shapes of contacts), what rolls (a wheel), gears that mesh, bars between joints,
wheels about a hinge, the ball, cylinder, plate or box that has these moments of inertia (a block, not a ball, upon a
slide; a cross where hinges meet in one point), a ball for a point mass. What is away from its joints is tied to them by
rods, and to its springs and rams by lugs.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.expr.space import is_zero3
from dalembert.mechanism import EARTH, Holonomic, Spring, Turn
from dalembert.mechanism.contact import Touching
from dalembert.mechanism.quantities import quantities
from dalembert.mechanism.shapes import Box, Capsule, Cylinder, Plane, Shape, Sphere
from dalembert.view.facts import BodyFacts, Hold, Machine
from dalembert.view.gears import gears_of
from dalembert.view.solids import Solid, rod, turned_to

Array = NDArray[np.float64]

_BAR = 0.02
"""Radius of a bar, in sizes of the machine: stout enough to be seen from where all of it is seen; half of it beside
shapes that are said, which are the picture."""
_ALIKE = 0.01
"""Moments that differ by less than this share are equal, to the eye."""
_SLIM = 0.25
"""A box whose two lesser edges are below this share of the largest is a bar."""


def looks_of(machine: Machine) -> dict[str, list[Solid]]:
    """Solids of every body, by name."""
    touching, rolling, meshing = _touching(machine), _rolling(machine), gears_of(machine)
    masses = [facts.mass for facts in machine.bodies if facts.mass > 0]
    heaviest = max(masses, default=1.0)
    found: dict[str, list[Solid]] = {}
    for facts in machine.bodies[1:]:
        if _unseen(facts):
            found[facts.name] = []
            continue
        solids = _declared(facts, machine) or touching.get(facts.name) or rolling.get(facts.name)
        solids = solids or meshing.get(facts.name)
        solids = solids or _from_inertia(facts, machine, heaviest)
        found[facts.name] = [*solids, *_ties(facts, solids, machine), *_lugs(facts, solids, machine)]
    return found


def _unseen(facts: BodyFacts) -> bool:
    """A rotor that only adds its inertia: no mass, no shape, turned on earth by the coordinate of another link."""
    if facts.mass > 0 or facts.body.shapes or len(facts.holds) != 1:
        return False
    link = facts.holds[0].link
    follows = ex.free_symbols(x for step in link.placed_steps() for x in step.displacement.scalars)
    return link.joint.dof == 0 and link.first.body == EARTH and bool(follows)


def bar_radius(machine: Machine) -> float:
    """How thick bars and pins are."""
    share = 0.5 * _BAR if machine.shaped else _BAR
    return min(share * machine.size, 0.12 * machine.reach)


def _declared(facts: BodyFacts, machine: Machine) -> list[Solid]:
    """The shapes that the model says; what has no thickness gets one that can be seen."""
    least = 0.5 * bar_radius(machine)
    found = []
    for shape in facts.body.shapes:
        solid = machine.solid(shape)
        size = np.array(solid.size)
        if shape.kind == "capsule" and size[0] <= 0:
            size[0] = 2 * least
        elif shape.kind in ("box", "cylinder"):
            size = np.maximum(size, 0.5 * least)
        found.append(replace(solid, size=tuple(float(x) for x in size)))
    return found


def _from_inertia(facts: BodyFacts, machine: Machine, heaviest: float) -> list[Solid]:
    thick, edges = bar_radius(machine), facts.edges
    points = facts.points
    large = float(edges.max())
    span = max((float(np.linalg.norm(p - points[0])) for p in points[1:]), default=0.0)
    told = [(hold.at, *motion) for hold in facts.holds if (motion := _motion(hold)) is not None]
    slides = [axis for _, kind, axis in told if kind == "slide"]
    hinges = [(at, axis) for at, kind, axis in told if kind == "hinge"]
    if large < 1e-6 * machine.size:  # a point mass, or nothing
        bars = [rod(points[0], p, thick) for p in points[1:]]
        if facts.mass <= 0:
            return bars or [Solid("sphere", (1.2 * thick,), points[0] if points else facts.centre)]
        radius = max(1.3 * thick, min(3.2 * thick * (facts.mass / heaviest) ** (1 / 3), 0.08 * machine.size))
        if slides:
            return [*bars, Solid("box", (2 * radius,) * 3, facts.centre, turned_to(slides[0]))]
        return [*bars, Solid("sphere", (radius,), facts.centre)]
    order = np.argsort(edges)
    slim = edges[order[1]] < _SLIM * large
    if np.ptp(facts.moments) <= _ALIKE * facts.moments.max():  # three equal moments beside joints: numbers, not a ball
        if span > 0:
            return [rod(points[0], p, thick) for p in points[1:]]
        if slides:
            return [Solid("box", tuple(edges), facts.centre, turned_to(slides[0]))]
        if any(np.linalg.norm(np.cross(axis, hinges[0][1])) > 0.1 for _, axis in hinges[1:]):  # they meet in one point
            return [rod(at, at + large / 2 * axis, thick) for at, axis in hinges]
    if slim and span > 0.3 * large:
        return [rod(points[0], p, thick) for p in points[1:]]
    if slim:
        line = facts.axes[:, order[2]] * large / 2
        return [rod(facts.centre - line, facts.centre + line, max(thick, float(edges[order[1]]) / 2))]
    return [_solid(facts, machine)]


def _solid(facts: BodyFacts, machine: Machine) -> Solid:
    """The ball, cylinder, wheel, plate or box that has these moments."""
    moments, mass, least = facts.moments, facts.mass, 0.25 * bar_radius(machine)
    alike = [abs(moments[(k + 1) % 3] - moments[(k + 2) % 3]) <= _ALIKE * moments.max() for k in range(3)]
    if all(alike):
        return Solid("sphere", (float(np.sqrt(2.5 * moments.max() / mass)),), facts.centre)
    if not any(alike):
        return Solid("box", tuple(np.maximum(facts.edges, 2 * least)), facts.centre, facts.axes)
    k = alike.index(True)
    radius = float(np.sqrt(2 * moments[k] / mass))
    square = 12 * (moments[(k + 1) % 3] / mass - radius**2 / 4)
    height = float(np.sqrt(max(square, 0.0)))
    axis = facts.axes[:, k]
    turn = turned_to(axis, facts.axes[:, (k + 1) % 3])
    if height < 0.8 * radius and any(_spins(hold, axis, hold.at - facts.centre, radius) for hold in facts.holds):
        return Solid("wheel", (radius, max(height, 0.16 * radius)), facts.centre, turn)
    return Solid("cylinder", (radius, max(height, 0.06 * radius, 2 * least)), facts.centre, turn)


def _spins(hold: Hold, axis: Array, arm: Array, radius: float) -> bool:
    """Does the hinge turn the body about its own axis?"""
    motion = _motion(hold)
    if motion is None or motion[0] != "hinge":
        return False
    off = np.linalg.norm(np.cross(arm, axis))
    return bool(abs(motion[1] @ axis) > 0.999 and off < 0.05 * max(radius, float(np.linalg.norm(arm))))


def _motion(hold: Hold) -> tuple[str, Array] | None:
    """`hinge` or `slide` with its axis in the base of the body, for joints that are one of them and nothing else."""
    joint = hold.link.joint
    if joint.dof != 1 or len(joint.steps) != 1:
        return None
    displacement = joint.steps[0].displacement
    turns, moves = displacement.turns, not is_zero3(displacement.translation)
    if len(turns) == 1 and isinstance(turns[0], Turn) and not moves:
        kind, axis = "hinge", list(turns[0].axis)
    elif not turns and moves:
        x = ex.symbol(joint.parameters[0])
        kind, axis = "slide", [ex.gradient(one, [x])[0] for one in displacement.translation]
    else:
        return None
    if ex.free_symbols(axis):
        return None
    found = hold.turn @ np.array(ex.evaluate(axis, {}), dtype=float)
    return kind, found / (np.linalg.norm(found) or 1.0)


def _ties(facts: BodyFacts, solids: list[Solid], machine: Machine) -> list[Solid]:
    """Rods from joints that no solid reaches to the middle of the nearest one; none where several shapes are said."""
    if len(facts.body.shapes) > 1:
        return []
    thin, slack = 0.5 * bar_radius(machine), bar_radius(machine)
    held = [hold.at for hold in facts.holds if 0 < hold.link.joint.dof <= 3 or hold.link.joint.kind == "weld"]
    held = [p for p in facts.points if any(np.array_equal(p, q) for q in held)]
    lost = [p for p in held if not any(one.holds(p, slack) for one in solids)]
    middles = [one.at for one in solids] or [facts.centre]
    nearest = [min(middles, key=lambda m: float(np.linalg.norm(m - p))) for p in lost]
    return [rod(m, p, thin) for m, p in zip(nearest, lost, strict=True) if np.linalg.norm(p - m) > thin]


def _lugs(facts: BodyFacts, solids: list[Solid], machine: Machine) -> list[Solid]:
    """Short rods from the nearest solid to ends of springs and rams that lie off it; none where several are said."""
    if len(facts.body.shapes) > 1 or not solids:
        return []
    thin, slack = 0.5 * bar_radius(machine), bar_radius(machine)
    frames = [one for effort in machine.model.efforts if isinstance(effort, Spring) for one in effort.frames]
    ends = [machine.place(one.displacement)[0] for one in frames if one.body == facts.name]
    lost = [p for p in ends if not any(one.holds(p, slack) for one in solids)]
    nearest = [min((one.nearest(p) for one in solids), key=lambda q: float(np.linalg.norm(q - p))) for p in lost]
    return [rod(q, p, thin) for q, p in zip(nearest, lost, strict=True)]


def _touching(machine: Machine) -> dict[str, list[Solid]]:
    """Shapes of contacts: what touches is what is seen."""
    found: dict[str, dict[Shape, Solid]] = {}
    for contact in machine.model.contacts:
        if not isinstance(contact.place, Touching):
            continue
        for shape in (contact.place.first, contact.place.second):
            body = shape.frame.body
            solid = solid_of_shape(machine, shape)
            if solid is not None and body != machine.bodies[0].name:
                found.setdefault(body, {})[shape] = solid
    return {body: list(shapes.values()) for body, shapes in found.items()}


def solid_of_shape(machine: Machine, shape: Shape) -> Solid | None:
    at, turn = machine.place(shape.frame.displacement)
    least = 0.3 * bar_radius(machine)
    if isinstance(shape, Sphere):
        (radius,) = machine.constants([shape.radius])
        return Solid("sphere", (float(radius),), at, turn) if radius > 0 else None
    if isinstance(shape, Box):
        return Solid("box", tuple(np.maximum(machine.constants(shape.sides), least)), at, turn)
    if isinstance(shape, Capsule):
        return Solid("capsule", tuple(machine.constants([shape.radius, shape.length])), at, turn)
    if isinstance(shape, Cylinder):
        radius, height = machine.constants([shape.radius, shape.height])
        return Solid("cylinder", (float(radius), float(max(height, 0.08 * radius))), at, turn)
    if isinstance(shape, Plane):
        wide, thick = 0.6 * machine.size, least
        return Solid("box", (wide, wide, thick), at - turn[:, 2] * thick / 2, turn)
    return None


def _rolling(machine: Machine) -> dict[str, list[Solid]]:
    """Wheels, balls and ellipsoids that roll: their sizes stand in the condition that they touch."""
    found: dict[str, list[Solid]] = {}
    for one in machine.model.constraints:
        if not isinstance(one.condition, Holonomic) or len(one.expressions) != 1:
            continue
        told = _rolls(machine, one.expressions[0])
        if told is None:
            continue
        name, sizes = told
        frame = machine.model.frame_called(name)
        at, turn = machine.place(frame.displacement)
        if len(sizes) == 1:
            axle = turned_to(turn[:, 1], turn[:, 0])
            solid = Solid("wheel", (sizes[0], 0.16 * sizes[0]), at, axle)
        elif max(sizes) - min(sizes) <= 1e-9 * max(sizes):
            solid = Solid("sphere", (sizes[0],), at, turn)
        else:
            solid = Solid("ellipsoid", tuple(sizes), at, turn)
        found.setdefault(frame.body, []).append(solid)
    return found


def _rolls(machine: Machine, expression: ex.Expr) -> tuple[str, list[float]] | None:
    """The body and the radius or semi-axes of pos(body, z, plane) = height, found by asking for the height."""
    asked = quantities([expression])
    places = [(e, q) for e, q in asked.items() if q.kind == "pos" and q.axes == (2,) and len(q.frames) == 2]
    sides = [(e, q) for e, q in asked.items() if q.kind == "axis"]
    if len(places) != 1 or len(places) + len(sides) != len(asked):
        return None
    place, told = places[0]
    own, plane = told.frames
    disc = [(e, q) for e, q in sides if q.frames == (own, plane) and q.axes[0] == 1]
    solid = [(e, q) for e, q in sides if q.frames == (plane, own) and q.axes[0] == 2]
    tries: list[dict[ex.Expr, ex.Expr]]
    if not sides:
        tries = [{}] * 3  # a ball: the same height, however it turns
    elif len(disc) == len(sides):
        tries = [{e: ex.ONE if q.axes[1] == 0 else ex.ZERO for e, q in disc}]
    elif len(solid) == len(sides):
        tries = [{e: ex.ONE if q.axes[1] == k else ex.ZERO for e, q in solid} for k in range(3)]
    else:
        return None
    heights = [-ex.substitute([expression], {place: ex.ZERO, **values})[0] for values in tries]
    if any(not x.is_number and {y.name for y in ex.free_symbols([x])} & machine.model.moving for x in heights):
        return None
    sizes = [float(x) for x in machine.constants(heights)]
    return (own, sizes) if min(sizes) > 0 else None
