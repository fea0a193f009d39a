"""What no machine can be: the faults of a frozen model, each with a sentence that names its owner."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import Expr
from dalembert.mechanism.constraint import Along, Constraint
from dalembert.mechanism.contact import Among, Gap, Pressed, Touching
from dalembert.mechanism.effort import (
    Bushing,
    Effort,
    Force,
    Spring,
    Torque,
    TorsionSpring,
    effort_kind,
    effort_symbols,
)
from dalembert.mechanism.link import Link
from dalembert.mechanism.model import Model
from dalembert.mechanism.names import FRAME_OUTPUTS, LINK_OUTPUTS, POSITION, TOTAL, did_you_mean, flaw_of
from dalembert.mechanism.quantities import NAMES, VIRTUAL, plain_symbols, quantities, virtual_parts
from dalembert.mechanism.told import told_of
from dalembert.mechanism.welded import rigid_groups


@dataclass(frozen=True, slots=True)
class Problem:
    """A fault of a model: the kind and name of what has it, and a sentence."""

    kind: str
    name: str
    message: str


def check_model(model: Model) -> None:
    """Refuse a model that has a fault."""
    for problem in problems(model):
        raise ModelError(problem.message)


def problems(model: Model) -> tuple[Problem, ...]:
    """Every fault of a model, of a kind that needs the whole of it to be seen."""
    found = (
        _written,
        _constants,
        _links,
        _efforts,
        _constraints,
        _unknown_quantities,
        _contacts,
        _of_numbers,
        _outputs,
    )
    return tuple(problem for look in found for problem in look(model))


def _written(model: Model) -> Iterator[Problem]:
    """Names of parameters and coordinates stand in code, tables and files of numbers."""
    moving = {x for link in model.links.values() for x in (*link.coordinates, *link.speeds)}
    for kind, names in (("coordinate", moving), ("parameter", {*model.symbols, *model.given} - moving)):
        for name in sorted(name for name in names if flaw_of(name)):
            yield Problem(kind, name, f"{name[:100]!r} cannot name a {kind}: {flaw_of(name)}.")


def _of_numbers(model: Model) -> Iterator[Problem]:
    """A number is given to a parameter, not to what moves."""
    for name in model.given:
        if name == ex.TIME.name:
            yield Problem(
                "given", name, "'t' is the time, so it cannot be given a value. Call the parameter otherwise."
            )
        elif name in model.moving:
            yield Problem("given", name, f"'{name}' moves, so it is no parameter to be given: put it in `start`.")


def _outputs(model: Model) -> Iterator[Problem]:
    """An output has a name of its own, and asks for what there is."""
    owners = {*model.bodies, *model.frames, *model.links, TOTAL}
    owners |= {one.name for one in (*model.efforts, *model.constraints, *model.contacts)}
    for name, formula in model.outputs.items():
        if flaw_of(name) or not all(name.split(".")) or any(c.isspace() or c == "'" for c in name):
            yield Problem("output", name, f"{name!r} cannot name an output: use letters, digits and '_'.")
        elif name in model.symbols or name in model.moving or name in model.functions:
            yield Problem("output", name, f"'{name}' is a parameter or moves: give the output another name.")
        for asked in sorted(x.name for x in plain_symbols([formula])):
            owner, dot, what = asked.rpartition(".")
            if asked == name:
                yield Problem("output", name, f"output '{name}' asks for itself.")
            elif dot and owner not in owners and asked not in model.outputs:
                hint = did_you_mean(owner, owners)
                yield Problem(
                    "output", name, f"output '{name}' asks for '{what}' of '{owner}', which is not there.{hint}"
                )
            elif dot and asked not in model.outputs:
                told = told_of(model, owner)
                if told and what.rstrip("'") not in told:
                    known = ", ".join(told)
                    yield Problem(
                        "output", name, f"output '{name}' asks for '{asked}'. Of '{owner}' a motion tells {known}."
                    )
        for one in quantities([formula]).values():
            for frame in one.frames:
                if frame not in model.bodies and frame not in model.frames:
                    hint = did_you_mean(frame, {*model.bodies, *model.frames})
                    yield Problem("output", name, f"output '{name}' names '{frame}', which is no body or frame.{hint}")


def _names(exprs: Collection[Expr], among: Collection[str]) -> list[str]:
    return sorted(x.name for x in ex.free_symbols(exprs) if x.name in among)


def _constants(model: Model) -> Iterator[Problem]:
    """Mass, centre and inertia of a rigid body, and the frames drawn on it, do not change while it moves."""
    held: list[tuple[str, str, str, tuple[Expr, ...]]] = []
    for b in model.bodies.values():
        held.append(("body", b.name, f"body '{b.name}'", (b.mass, *b.iframe.scalars, *b.inertia.entries)))
    for link in model.links.values():
        scalars = (*link.first.displacement.scalars, *link.second.displacement.scalars)
        held.append(("link", link.name, f"a frame of link '{link.name}'", scalars))
    for name, frame in model.frames.items():
        held.append(("frame", name, f"frame '{name}'", frame.displacement.scalars))
    for effort in model.efforts:
        if not isinstance(effort, Force | Torque):  # a force may act at a point that wanders through its body
            scalars = tuple(x for frame in effort.frames for x in frame.displacement.scalars)
            held.append(("effort", effort.name, f"a frame of {_called(effort)}", scalars))
    moving = model.moving
    if moving.isdisjoint(x.name for x in ex.free_symbols(x for one in held for x in one[3])):
        held = []
    for kind, name, owner, scalars in held:
        for wrong in _names(scalars, moving)[:1]:
            yield Problem(
                kind,
                name,
                f"{owner} depends on '{wrong}', which moves: masses, inertias and frames are constant. "
                "Put what moves in a joint or in an effort.",
            )


def _called(effort: Effort) -> str:
    return f"{effort_kind(effort)} '{effort.name}'"


def _links(model: Model) -> Iterator[Problem]:
    """Displacements depend on coordinates and time; no coordinate has the name of an output."""
    coordinates = {x for link in model.links.values() for x in link.coordinates} | {ex.TIME.name}
    other = (model.moving & model.symbols) - coordinates
    for link in model.links.values():
        scalars = [x for step in link.placed_steps() for x in step.displacement.scalars] if other else []
        for wrong in _names(scalars, other)[:1]:
            yield Problem(
                "link",
                link.name,
                f"link '{link.name}' is displaced by '{wrong}': a displacement depends on coordinates, time and "
                "parameters. What depends on speeds is an effort; a condition on speeds is a constraint.",
            )
        yield from _ambiguous(model, link)


def _ambiguous(model: Model, link: Link) -> Iterator[Problem]:
    shared = link.name in model.bodies or link.name in model.frames
    for x in link.joint.parameters:
        if x in LINK_OUTPUTS or (shared and x in FRAME_OUTPUTS):
            other = (
                f"a reaction of link '{link.name}'" if x in LINK_OUTPUTS else f"the {_MEANING[x[0]]} of '{link.name}'"
            )
            yield Problem(
                "link",
                link.name,
                f"the coordinate '{x}' of link '{link.name}' cannot be told from {other}: both are '{link.name}.{x}'. "
                "Rename the coordinate or the link.",
            )


_MEANING = {"X": "place", "Y": "place", "Z": "place", "R": "rotation", "W": "angular velocity"}


def _efforts(model: Model) -> Iterator[Problem]:
    """Efforts depend on positions, speeds and time; stiffnesses and rest lengths on nothing that moves but time."""
    accelerations = {x for link in model.links.values() for x in (f"{c}''" for c in link.coordinates)} & model.symbols
    loads: list[tuple[str, str, set[Expr]]] = [("effort", e.name, effort_symbols(e)) for e in model.efforts]
    for link in model.links.values():
        own = [*link.placed_efforts().values(), *(x for s in link.placed_steps() for x in (*s.force, *s.torque))]
        loads.append(("link", link.name, ex.free_symbols(own)))
    for kind, name, symbols in loads if accelerations else ():
        for wrong in _names(symbols, accelerations)[:1]:
            what = f"an effort of link '{name}'" if kind == "link" else f"the effort '{name}'"
            yield Problem(
                kind,
                name,
                f"{what} depends on the acceleration '{wrong}': an effort depends on positions, speeds and time. "
                "Give the body more inertia instead.",
            )
    positions = model.moving - {ex.TIME.name}
    for effort in model.efforts:
        held = _held(effort)
        for wrong in _names(held, positions)[:1]:
            law = "torque" if isinstance(effort, TorsionSpring) else "force"
            remedy = f"Write the whole law in `{law}`" if not isinstance(effort, Bushing) else "Write it as a force"
            yield Problem(
                "effort",
                effort.name,
                f"the stiffness or rest of {_called(effort)} depends on '{wrong}', which moves. {remedy}.",
            )


def _constraints(model: Model) -> Iterator[Problem]:
    """Conditions and reactions name frames that are there, and ask something of the motion."""
    for one in model.constraints:
        try:
            message = _wrong(model, one)
        except ModelError as error:
            message = f"constraint '{one.name}': {error}"
        if message:
            yield Problem("constraint", one.name, message)


def _wrong(model: Model, one: Constraint) -> str:
    owner = f"constraint '{one.name}'"
    places = [*model.bodies, *model.frames]
    for asked in quantities(one.formulas).values():
        for name in asked.frames:
            if name not in places:
                return f"{owner} names the frame '{name}', which is not in '{model.name}'.{did_you_mean(name, places)}"
    shadowed = NAMES & model.functions.keys() & ex.unknown_functions(one.formulas)
    if shadowed:
        return f"{owner} uses {min(shadowed)}(...), which is also a law of '{model.name}'. Give the law another name."
    if VIRTUAL in ex.unknown_functions(one.expressions):
        return f"{owner}: d(...) is a virtual change, which only reactions have. A condition asks for rate(...)."
    for form in one.reaction.forms if isinstance(one.reaction, Along) else ():
        list(virtual_parts(form))
    accelerations = {f"{x}''" for link in model.links.values() for x in link.coordinates}
    for wrong in _names(list(one.formulas), accelerations)[:1]:
        return (
            f"{owner} asks for the acceleration '{wrong}': a condition is on places or on speeds. Write its integral, "
            "a condition on speeds."
        )
    for condition in one.expressions:
        names = {x.name for x in plain_symbols([condition]) - {ex.TIME}}
        if quantities([condition]) or names & model.moving or any("." in x for x in names):  # unknown ones: see below
            continue
        if condition is ex.ZERO:
            return f"{owner} holds always: both sides are the same. Leave it out, or name the coordinate that is meant."
        for unknown in sorted({e.name for e in ex.topological([condition]) if e.op == "apply"} - NAMES):
            return (
                f"{owner} asks for '{unknown}', which is no quantity of frames: they are "
                f"{', '.join(sorted(NAMES))}.{did_you_mean(unknown, sorted(NAMES))}"
            )
        return (
            f"{owner} asks nothing of the motion: no coordinate, speed or frame is in '{ex.text(condition)} = 0'. "
            "Name what it is to hold."
        )
    return ""


def _held(effort: Effort) -> tuple[Expr, ...]:
    if isinstance(effort, Spring):
        return (effort.stiffness, effort.length)
    if isinstance(effort, TorsionSpring):
        return (*effort.axis, effort.stiffness, effort.angle)
    return (*effort.stiffness, *effort.turning) if isinstance(effort, Bushing) else ()


def _contacts(model: Model) -> Iterator[Problem]:
    """A gap depends on positions and time, on at least one that moves; its coefficients on nothing that moves."""
    places = {x for link in model.links.values() for x in link.coordinates}
    places |= {x for x in model.symbols if model.frame_quantity(x) and not x.endswith("'")}
    groups = rigid_groups(model) if model.contacts else {}
    for contact in model.contacts:
        place = contact.place
        if isinstance(place, Pressed):  # its bound may change with anything that moves
            continue
        laws = [contact.restitution, contact.friction, *(() if contact.static is None else (contact.static,))]
        wrong = _names(laws, model.moving)
        if wrong:
            message = f"contact '{contact.name}': its restitution or friction depends on '{wrong[0]}', which moves."
            yield Problem("contact", contact.name, f"{message} Coefficients are constants.")
        if not isinstance(place, Gap):
            yield from _welded(contact.name, place, groups)
            continue
        fast = _names([place.gap], model.moving - places - {ex.TIME.name})
        if fast:
            yield Problem(
                "contact",
                contact.name,
                f"the gap of contact '{contact.name}' depends on '{fast[0]}': a gap depends on positions and time. "
                "What depends on speeds is an effort or a constraint.",
            )
        elif not _names([place.gap], places) and not ex.unknown_functions([place.gap]):
            yield Problem(
                "contact",
                contact.name,
                f"the gap of contact '{contact.name}' is {ex.text(place.gap)}: no coordinate moves it. Write it in "
                "coordinates or places of frames, such as 'foot.Z - h'.",
            )


def _welded(name: str, place: Touching | Among, groups: Mapping[str, str]) -> Iterator[Problem]:
    """Shapes between which nothing moves."""
    shapes = place.shapes if isinstance(place, Among) else (place.first, place.second)
    bodies = list(dict.fromkeys(shape.frame.body for shape in shapes))
    if len({groups[body] for body in bodies}) < 2:
        pair = " and ".join(f"'{body}'" for body in bodies[:2])
        yield Problem(
            "contact",
            name,
            f"contact '{name}' is between {pair}, which are welded together: nothing moves its gap. Let it be between "
            "bodies that move against each other, or leave it out.",
        )


def _unknown_quantities(model: Model) -> Iterator[Problem]:
    """A name with a point is a coordinate, a speed or a quantity of a frame: nothing else has a point in its name."""
    for name in sorted(x for x in model.symbols if "." in x and x not in model.moving):
        known = [*model.moving, *(f"{place}.{axis}" for place in (*model.bodies, *model.frames) for axis in "XYZ")]
        place, _, axis = name.rstrip("'").rpartition(".")
        naming = f" A frame has the name that m.frame('{place}', body.at([...])) gives it." if axis in POSITION else ""
        moved = name[len(place) + 1 :]
        meant = [f"{link.name}.{moved}" for link in model.links.values() if link.second.body == place]
        own = [x for x in meant if x in model.moving]
        hint = f" Did you mean '{own[0]}', of the link that moves '{place}'?" if own else did_you_mean(name, known)
        yield Problem(
            "symbol",
            name,
            f"'{name}' is neither a coordinate nor a speed nor the place of a frame of '{model.name}'.{hint}{naming}",
        )
