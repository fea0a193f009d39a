"""Rows of contacts: gaps with their rates and second derivatives, sliding velocities, in the speeds of the machine.

f'  = G u + f_t,        f'' = G u' - s        (s: everything in f'' without u', with the sign of A1)
slip = T u + ...,       slip' = T u' - gamma_t
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from dalembert import expr as ex
from dalembert.contact.geometry import Places
from dalembert.dynamics import Dynamics
from dalembert.errors import ModelError
from dalembert.expr import ONE, ZERO, Expr
from dalembert.kinematics import in_speeds, in_state
from dalembert.mechanism.contact import Among, Contact, Gap, Pressed, Touching, pairs_among
from dalembert.mechanism.welded import rigid_groups

PAIRS = 300
"""Contacts of a crowd, at most, that become equations of their own; each has a row, and is watched in every step."""


SLIDING, ROLLING, DRILLING = "sliding", "rolling", "drilling"
"""What rubs at a contact: points slide, shapes roll about tangents, and turn about the normal."""

_LABELS = {SLIDING: ("slip", "friction"), ROLLING: ("roll", "rolling"), DRILLING: ("spin", "drilling")}


@dataclass(frozen=True, slots=True)
class Slip:
    """One component of a sliding (or angular) velocity: its value, its row T, and gamma of T u' = slip' + gamma.

    `side` is the number of the tangent, or of the formula, that it is along.
    """

    value: Expr
    row: tuple[Expr, ...]
    gamma: Expr
    kind: str = SLIDING
    side: int = 0


@dataclass(frozen=True, slots=True)
class Rub:
    """Slips that friction acts against together, |T| <= friction N, and what bounds it while they stand still."""

    kind: str
    slips: tuple[Slip, ...]
    friction: Expr
    static: Expr


@dataclass(frozen=True, slots=True)
class ContactRow:
    """A contact in the state: gap, rate, row G, drift f_t, and s, the least that G u' may be while it touches.

    They are those of `held`, the gap that is nothing while it is closed. It is the gap, but where a contact ends with
    the edge of a face: it is let go where `past` is positive. There the gap is how far it is past, and `falling` its
    rate. It is let go, too, where the number of its `feature` changes.
    """

    contact: Contact
    gap: Expr
    held: Expr
    past: Expr | None
    feature: Expr
    falling: Expr
    rate: Expr
    row: tuple[Expr, ...]
    drift: Expr
    least: Expr
    slips: tuple[Slip, ...]
    press: Expr | None = None  # the force that is given, of one that never opens

    @property
    def name(self) -> str:
        return self.contact.name

    @property
    def expressions(self) -> tuple[Expr, ...]:
        """What a motion needs of it."""
        return (self.gap, *(slip.value for slip in self.slips), *self.contact.laws)

    @property
    def edged(self) -> bool:
        """Does it end where a face does?"""
        return self.past is not None or self.feature is not ZERO

    @property
    def labels(self) -> tuple[tuple[str, str], ...]:
        """How each slip and its friction are called: `slip` and `friction`, `slip2`, `roll` and `rolling`, ..."""
        found, seen = list[tuple[str, str]](), Counter[str]()
        for one in self.slips:
            seen[one.kind] += 1
            number = "" if seen[one.kind] == 1 else str(seen[one.kind])
            speed, force = _LABELS[one.kind]
            found.append((speed + number, force + number))
        return tuple(found)

    @property
    def rubs(self) -> tuple[Rub, ...]:
        """Sliding, rolling, drilling: those with friction and something that moves them, in the order of the slips."""
        one = self.contact
        if self.press is not None:  # the bound at rest presses; what slips is rubbed by its share of it
            less = one.static is not None and one.static is not one.friction
            share = ex.where(ex.less(ZERO, self.press), one.friction / self.press, ZERO) if less else ONE
            return (Rub(SLIDING, self.slips, share, ONE),)
        laws = {
            SLIDING: (one.friction, one.friction if one.static is None else one.static),
            ROLLING: (one.rolling, one.rolling),
            DRILLING: (one.drilling, one.drilling),
        }
        found = [Rub(kind, tuple(s for s in self.slips if s.kind == kind), *law) for kind, law in laws.items()]
        return tuple(rub for rub in found if rub.slips)


def contact_rows(about: Dynamics) -> tuple[ContactRow, ...]:
    """The rows of all contacts of a machine, made once."""
    return about.kept("contact_rows", _rows) if about.model.contacts else ()


def _rows(about: Dynamics) -> tuple[ContactRow, ...]:
    tree, places = about.tree, Places(about.tree)
    own = {one.coordinate: one.rate for one in about.rows.own} if about.closed else {}
    moving = {ex.TIME: ONE, **tree.rates, **own}
    still = dict.fromkeys(tree.speeds, ZERO)
    found, unmoved = list[ContactRow](), list[tuple[Contact, Expr]]()
    for contact in _each(about.model.contacts, rigid_groups(about.model)):
        if isinstance(contact.place, Pressed):
            found.append(_pressed(about, contact, own, moving))
            continue
        if isinstance(contact.place, Gap):
            held, *sliding = in_state(tree, [contact.place.gap, *contact.place.slip], own)
            past, feature, rolling, drilling = None, ZERO, list[Expr](), list[Expr]()
        else:
            assert isinstance(contact.place, Touching)
            touch = places.touch(contact.place)
            (held,), sliding = in_speeds(tree, [touch.gap]), in_speeds(tree, list(touch.slip))
            past = None if touch.past is None else in_speeds(tree, [touch.past])[0]
            (feature,) = in_speeds(tree, [touch.feature])
            rolling = in_speeds(tree, list(touch.roll)) if contact.rolling is not ZERO else []
            drilling = in_speeds(tree, [touch.drill]) if contact.drilling is not ZERO else []
        gap = held if past is None else ex.maximum(held, past)
        falling, rate = ex.tangent([gap, held], moving)
        row = tuple(ex.gradient(rate, tree.speeds))
        if all(x is ZERO for x in row):
            unmoved.append((contact, gap))
            continue
        (drift,) = ex.substitute([rate], still)
        least = -ex.tangent([rate], moving)[0]
        rubs = contact.friction is not ZERO or contact.static is not None
        told = ((SLIDING, sliding if rubs else []), (ROLLING, rolling), (DRILLING, drilling))
        every = [slip_of(contact, x, tree.speeds, moving, kind, k) for kind, some in told for k, x in enumerate(some)]
        slips = tuple(one for one in every if any(x is not ZERO for x in one.row))
        found.append(ContactRow(contact, gap, held, past, feature, falling, rate, row, drift, least, slips))
    _refuse_unmoved(unmoved, found)
    return tuple(found)


def _pressed(about: Dynamics, contact: Contact, own: Mapping[Expr, Expr], moving: dict[Expr, Expr]) -> ContactRow:
    """What rubs under a given force: it has no gap that could open, and its bound is in the state."""
    assert isinstance(contact.place, Pressed)
    bounds = [contact.friction, contact.friction if contact.static is None else contact.static]
    friction, rest, *slips = in_state(about.tree, [*bounds, *contact.place.slip], own)
    friction, rest = (x if x.is_number else ex.maximum(x, ZERO) for x in (friction, rest))
    told = replace(contact, friction=friction, static=None if contact.static is None else rest)
    sliding = tuple(slip_of(contact, x, about.tree.speeds, moving) for x in slips)
    if all(x is ZERO for one in sliding for x in one.row):
        raise ModelError(
            f"'{contact.name}' rubs against {ex.text(contact.place.slip[0])[:60]}, which no speed moves: are its "
            "bodies welded together? Let it be between bodies that move."
        ).of([contact.name])
    still = (ZERO,) * len(about.tree.speeds)
    return ContactRow(told, ZERO, ZERO, None, ZERO, ZERO, ZERO, still, ZERO, ZERO, sliding, rest)


def _refuse_unmoved(unmoved: list[tuple[Contact, Expr]], found: list[ContactRow]) -> None:
    """Refuse gaps that no coordinate moves, but parts of a pair of shapes that touch elsewhere (rods in one plane)."""
    moved = {_pair(row.contact) for row in found}
    for contact, gap in unmoved:
        if isinstance(contact.place, Touching) and _pair(contact) in moved:
            continue
        raise ModelError(
            f"contact '{contact.name}': no coordinate moves its gap ({ex.text(gap)[:60]}): are its bodies welded "
            "together? Let it be between bodies that move."
        ).of([contact.name])


def _pair(contact: Contact) -> object:
    place = contact.place
    return (place.first, place.second) if isinstance(place, Touching) else contact.name


def _one_body(contact: Contact, groups: Mapping[str, str]) -> bool:
    """Is it between bodies that are welded together?"""
    place = contact.place
    return isinstance(place, Touching) and groups[place.first.frame.body] == groups[place.second.frame.body]


def _each(contacts: Sequence[Contact], groups: Mapping[str, str]) -> Iterator[Contact]:
    """Contacts with the pairs of small crowds in place of the crowd."""
    for contact in contacts:
        if not isinstance(contact.place, Among):
            yield contact
            continue
        pairs = list(islice((one for one in pairs_among(contact) if not _one_body(one, groups)), PAIRS + 1))
        if len(pairs) > PAIRS:
            raise ModelError(
                f"contact '{contact.name}' is among {len(contact.place.shapes)} shapes, with more than {PAIRS} pairs: "
                "so many are for method='moreau', on bodies that da.free('quaternion') joins to earth."
            )
        yield from pairs


def slip_of(
    contact: Contact,
    value: Expr,
    speeds: Sequence[Expr],
    moving: dict[Expr, Expr],
    kind: str = SLIDING,
    side: int = 0,
) -> Slip:
    """One component of the slip of a contact; refused if it is not linear in the speeds."""
    row = tuple(ex.gradient(value, speeds))
    if not ex.free_symbols(row).isdisjoint(speeds):
        raise ModelError(f"contact '{contact.name}': its slip is not linear in the speeds: give a velocity.").of(
            [contact.name]
        )
    return Slip(value, row, -ex.tangent([value], moving)[0], kind, side)
