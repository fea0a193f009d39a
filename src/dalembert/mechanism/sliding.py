"""Dry friction of a given bound: what rubs as data, and as an effort against its slip while it slips.

Who decides whether it sticks (`simulate`, `equilibria`) has the contact. Everything else has the machine that slides:
an effort -bound s/|s| on the virtual change of each slip s, which is no friction where nothing slips.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import Expr, Scalar
from dalembert.mechanism.constraint import in_calls, moves
from dalembert.mechanism.contact import Contact, Pressed, coefficient, slips_of
from dalembert.mechanism.effort import LENGTH, Effort, Spring
from dalembert.mechanism.link import Link
from dalembert.mechanism.mechanism import Mechanism
from dalembert.mechanism.model import Model
from dalembert.mechanism.names import free_name
from dalembert.mechanism.quantities import RATE, names_moving, quantity


def rub(
    m: Mechanism,
    slip: Scalar | str | Sequence[Scalar | str],
    friction: Scalar | str,
    *,
    static: Scalar | str | None = None,
    name: str = "",
) -> Contact:
    """Dry friction of a given bound against a slip: `m.rub("elbow.th", 0.5)`, of a joint that grips by 0.5 N m.

    `slip` is a coordinate, or formulas linear in speeds, one or two; `friction` the largest effort, `static` that at
    rest where it differs. At rest the effort is what holds, up to its bound; what slips is rubbed by all of it.

    >>> from dalembert.mechanism import Mechanism, earth, revolute
    >>> m = Mechanism("arm")
    >>> link = m.join(earth, m.body("arm", inertia=[1, 1, 1]), revolute("z"), name="elbow")
    >>> rub(m, "elbow.th", 0.5).place.slip
    (elbow.th',)
    """
    called = name or free_name("rub", m.tied)
    bound = _bound(friction, "friction", called)
    rest = None if static is None else _bound(static, "static", called)
    if rest is not None and rest.is_number and bound.is_number and float(rest) < float(bound):
        raise ModelError(
            f"'{called}': static {float(rest):g} is less than friction {float(bound):g}: what rests holds at least as "
            "well as what slides. Leave `static` out where they are equal."
        )
    speeds = {x for link in m.links.values() for x in link.speeds}
    coordinates = {x for link in m.links.values() for x in link.coordinates}
    slips = tuple(_slip(one, called, speeds, coordinates) for one in slips_of(slip))
    if not 1 <= len(slips) <= 2:
        raise ModelError(f"'{called}' slips in {len(slips)} directions: friction is along one or in a plane of two.")
    return m.add_contact(Contact(called, Pressed(slips), friction=bound, static=rest))


def _bound(value: Scalar | str, what: str, name: str) -> Expr:
    return coefficient(in_calls(ex.parse(value)) if isinstance(value, str) else value, what, name)


def _slip(given: Expr, name: str, speeds: set[str], coordinates: set[str]) -> Expr:
    """A velocity; a coordinate stands for its rate."""
    found = in_calls(given)
    if found.op == "symbol" and found.name in coordinates:
        return ex.prime(found)
    if not any(moves(x.name, speeds) for x in ex.free_symbols(found)) and not names_moving([found]):
        raise ModelError(
            f"the slip '{ex.text(found)}' of '{name}' names no speed: friction is against a velocity, such as "
            "elbow.th' or vel(foot, x)."
        )
    return found


def slid(model: Model) -> Model:
    """The machine whose dry friction slides: each an effort against its slip, where joints and springs can be told it.

    `loose` of it is the machine as it was described.
    """
    rubs = [one for one in model.contacts if isinstance(one.place, Pressed)]
    if not rubs or model.loose is not None:
        return model
    drags, springs, told = dict[str, Expr](), list[Effort](), dict[str, Contact]()
    rates = {x + "'": x for link in model.links.values() for x in link.coordinates}
    others = {x for link in model.links.values() for x in link.speeds} - rates.keys()
    for one in rubs:
        assert isinstance(one.place, Pressed)
        slip = one.place.slip
        if (spring := _along_line(model, one)) is not None:
            springs.append(spring)
        elif not all(in_rates(x, rates, others) for x in slip):
            continue
        told[one.name] = replace(one, place=replace(one.place, slides=True))
        if spring is not None:
            continue
        moving = sorted({x for s in slip for x in ex.free_symbols(s) if x.name in rates}, key=lambda x: x.name)
        ways = [ex.sign(slip[0])] if len(slip) == 1 else [x / ex.sqrt(ex.dot_product(slip, slip)) for x in slip]
        for s, way in zip(slip, ways, strict=True):
            for x, slope in zip(moving, ex.gradient(s, moving), strict=True):
                at = rates[x.name]
                drags[at] = drags.get(at, ex.ZERO) - one.friction * way * slope
    links = {name: _dragged(link, drags) for name, link in model.links.items()}
    contacts = tuple(told.get(one.name, one) for one in model.contacts)
    return replace(model, links=links, efforts=(*model.efforts, *springs), contacts=contacts, loose=model)


def in_rates(slip: Expr, rates: Collection[str], others: Collection[str]) -> bool:
    """Is it a sum of rates of coordinates and of nothing else that moves, so that efforts on these are what rubs?"""
    called = any(e.op == "apply" for e in ex.topological([slip]))
    named = {x.name for x in ex.free_symbols(slip)}
    return not called and not named & set(others) and all(x in rates or not x.endswith("'") for x in named)


def _along_line(model: Model, one: Contact) -> Spring | None:
    """What rubs as two points come nearer, as a sleeve does: a force between them."""
    assert isinstance(one.place, Pressed)
    (slip, *others) = one.place.slip
    if others or slip.op != "apply" or slip.name != RATE:
        return None
    length = quantity(slip.args[0]) if slip.args[0].op == "apply" else None
    if length is None or length.kind != "dist":
        return None
    first, second = (model.frame_called(name) for name in length.frames)
    if first.body == second.body:
        return None
    return Spring(first, second, force=-one.friction * ex.sign(ex.prime(LENGTH)), name=one.name)


def _dragged(link: Link, drags: dict[str, Expr]) -> Link:
    own = dict(link.joint.efforts)
    told = {x: drags[at] for x in link.joint.parameters if (at := link.coordinate_name(x)) in drags}
    if not told:
        return link
    return replace(link, joint=link.joint.with_efforts(**{x: own.get(x, ex.ZERO) + e for x, e in told.items()}))
