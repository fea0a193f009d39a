"""Contacts as data: a gap that stays positive, what bounces, what rubs (Moreau 1966; sense: unilateral)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from numbers import Number
from typing import TypeAlias

from dalembert import expr as ex
from dalembert.errors import ModelError, warn
from dalembert.expr import ZERO, Expr, Scalar
from dalembert.mechanism.shapes import SHAPES, Patch, Shape, parts_of, sizes_of


@dataclass(frozen=True, slots=True)
class Gap:
    """A formula of coordinates, places of frames and time that stays positive; `slip`: its sliding velocities."""

    gap: Expr
    slip: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class Touching:
    """Two shapes, and which of their contacts: a corner of a box, an end of a capsule."""

    first: Shape
    second: Shape
    part: int = 0


@dataclass(frozen=True, slots=True)
class Among:
    """Many shapes, every two of them that are not of one body: which of them touch is found while they move."""

    shapes: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class Pressed:
    """What is pressed together by a force that is given and never opens, as the bearings of a joint: how it slips.

    The friction of such a contact is no coefficient but the bound of the effort itself. `slides`: it is among the
    efforts of the machine, as one against its slip.
    """

    slip: tuple[Expr, ...]
    slides: bool = False


Place: TypeAlias = Gap | Touching | Among | Pressed


@dataclass(frozen=True, slots=True)
class Contact:
    """A unilateral constraint: a gap with restitution (0 to 1), friction, and friction at rest if that differs.

    `rolling` and `drilling` are the lengths by which the normal force resists rolling and turning about the normal.
    """

    name: str
    place: Place
    restitution: Expr = ZERO
    friction: Expr = ZERO
    static: Expr | None = None
    rolling: Expr = ZERO
    drilling: Expr = ZERO

    @property
    def scalars(self) -> tuple[Expr, ...]:
        """Every expression of its description."""
        if isinstance(self.place, Gap):
            return (self.place.gap, *self.place.slip, *self.laws)
        if isinstance(self.place, Pressed):
            return (*self.place.slip, *self.laws)
        shapes = self.place.shapes if isinstance(self.place, Among) else (self.place.first, self.place.second)
        return (*(size for shape in shapes for size in sizes_of(shape)), *self.laws)

    @property
    def laws(self) -> tuple[Expr, ...]:
        """Its coefficients."""
        static = () if self.static is None else (self.static,)
        return (self.restitution, self.friction, *static, *(x for x in (self.rolling, self.drilling) if x is not ZERO))


def coefficient(value: Scalar, what: str, name: str) -> Expr:
    """A restitution or friction; a number that cannot be one is refused."""
    found = ex.as_expr(value)
    if found.is_number and (fault := coefficient_fault(float(found.value), what)):
        raise ModelError(f"contact '{name}': {what} {float(found.value):g} {fault}.")
    return found


COEFFICIENTS = ("restitution", "friction", "static", "rolling", "drilling")


def coefficient_fault(number: float, what: str) -> str:
    """Why a number cannot be this coefficient; nothing if it can."""
    if what == "restitution" and not 0 <= number <= 1:
        return f"{'would create energy' if number > 1 else 'is no coefficient'}; use 0..1"
    if what != "restitution" and not 0 <= number < float("inf"):
        return f"is no {'length' if what in ('rolling', 'drilling') else 'coefficient'}; use 0 or more"
    return ""


def gap_of(value: Scalar | str, name: str) -> Expr:
    """The gap that a formula means: `foot.Z`, or the inequality `foot.Z >= floor`."""
    if not isinstance(value, str):
        return ex.as_expr(value)
    sides, signs = sides_of(value)
    if len(signs) > 1:
        raise ModelError(f"contact '{name}': '{value}' has several signs of inequality; a gap has one.")
    if signs and signs[0][0] == "=":
        raise ModelError(f"contact '{name}': '{value}' is an equation, which a constraint keeps; a gap is >= 0.")
    first, *second = (ex.parse(side) for side in sides)
    return first if not second else first - second[0] if signs[0][0] == ">" else second[0] - first


def sides_of(text: str) -> tuple[list[str], list[str]]:
    """Sides of an equation or inequality and the signs between them; `if(t < 1, 0, 1)` is all of one side."""
    sides, signs, depth = [""], list[str](), 0
    for piece in _SIGNS.split(text):
        depth += (piece == "(") - (piece == ")")
        if depth == 0 and _SIGNS.fullmatch(piece) and piece != ")":
            signs.append(piece)
            sides.append("")
        else:
            sides[-1] += piece
    return sides, signs


_SIGNS = re.compile("([()]|[<>=]=?)")


def slips_of(slip: Scalar | str | Sequence[Scalar | str] | None) -> tuple[Expr, ...]:
    """One sliding velocity (planar) or two (spatial)."""
    if slip is None:
        return ()
    many = slip if isinstance(slip, Sequence) and not isinstance(slip, str) else [slip]
    return tuple(ex.parse(x) if isinstance(x, str) else ex.as_expr(x) for x in many)


def touching(first: Shape, second: Shape, name: str) -> Iterator[tuple[str, Touching]]:
    """The contacts of two shapes, each with its name: corners and ends are numbered."""
    count = parts_of(first, second)
    if not count:
        one, two = (type(shape).__name__.lower() for shape in (first, second))
        raise ModelError(
            f"contact '{name}': nothing is known about {one} against {two}. Known: all solid shapes against a plane "
            "and each other, but a cylinder of height 0 against boxes and polytopes (give it a height); a surface "
            "against spheres, ellipsoids, capsules, boxes and polytopes. Else write the gap as a formula."
        )
    if first.frame.body == second.frame.body:
        raise ModelError(
            f"contact '{name}' is between '{first.frame.body}' and itself: nothing moves it. It needs two bodies."
        )
    for part in range(count):
        yield (f"{name}_{part + 1}" if count > 1 else name), Touching(first, second, part)


def among(shapes: Sequence[Shape], name: str) -> Among:
    """A crowd of shapes, of at least two bodies."""
    wrong = [one for one in shapes if not isinstance(one, SHAPES)]
    if wrong:
        raise ModelError(f"contact '{name}' is among shapes, and {wrong[0]!r} is none: `da.Sphere(ball, 0.1)`.")
    if len({shape.frame.body for shape in shapes}) < 2:
        raise ModelError(f"contact '{name}' is among shapes of one body: nothing can touch. It needs two bodies.")
    return Among(tuple(shapes))


def pairs_among(contact: Contact) -> Iterator[Contact]:
    """The contacts of every two shapes of a crowd, each with its name: numbers of the shapes, corners, ends."""
    assert isinstance(contact.place, Among)
    shapes = contact.place.shapes
    for j in range(len(shapes)):
        for i in range(j):
            if shapes[i].frame.body != shapes[j].frame.body:
                for name, place in touching(shapes[i], shapes[j], f"{contact.name}_{i + 1}_{j + 1}"):
                    yield replace(contact, name=name, place=place)


def contacts_between(
    gap: Scalar | str | Shape | Sequence[Shape],
    against: Shape | None,
    restitution: Scalar,
    friction: Scalar,
    static: Scalar | None,
    slip: Scalar | str | Sequence[Scalar | str] | None,
    name: str,
    rolling: Scalar = 0,
    drilling: Scalar = 0,
) -> tuple[Contact, ...]:
    """The contacts that the builder's verb describes, checked."""
    if isinstance(gap, Patch) or isinstance(against, Patch):
        raise ModelError(
            f"contact '{name}': a patch rolls (m.roll) and does not strike. Give a Surface, or another shape."
        )
    if isinstance(gap, list | tuple):
        if against is not None or slip is not None:
            raise ModelError(f"contact '{name}' is among the shapes of a list: it has no other side and no slip.")
        places: list[tuple[str, Place]] = [(name, among(gap, name))]
    elif isinstance(gap, SHAPES):
        if not isinstance(against, SHAPES):
            raise ModelError(f"contact '{name}' has one shape: say what it touches, `da.Plane(da.earth)`.")
        if slip is not None:
            raise ModelError(f"contact '{name}': the slip of two shapes follows from them; leave it out.")
        places = list(touching(gap, against, name))
    else:
        if not isinstance(gap, str | Expr | Number):
            given = getattr(gap, "name", None) or repr(gap)
            raise ModelError(
                f"contact '{name}' is of two shapes, or the formula of a gap, and {given} is neither: write "
                'm.contact(da.Sphere(ball, 0.1), da.Plane(da.earth)), or m.contact("ball.Z - 0.1 >= 0").'
            )
        if against is not None:
            raise ModelError(f"contact '{name}': {gap!r} is a formula, and a formula is the whole gap.")
        places = [(name, Gap(gap_of(gap, name), slips_of(slip)))]  # type: ignore[arg-type]
    e, mu = coefficient(restitution, "restitution", name), coefficient(friction, "friction", name)
    rest = None if static is None else coefficient(static, "static", name)
    if rest is not None and rest.is_number and mu.is_number and float(rest.value) < float(mu.value):
        raise ModelError(
            f"contact '{name}': static {float(rest.value):g} is less than friction {float(mu.value):g}: what rests "
            "holds at least as well as what slides. Leave `static` out where they are equal."
        )
    place = places[0][1]
    if isinstance(place, Gap):
        if (mu is not ZERO or rest is not None) and not place.slip:
            raise ModelError(
                f"contact '{name}' rubs, but nothing says how it slides: say its velocity (slip=\"foot.X'\", in "
                "LSD `slip foot.X'`), or give two shapes."
            )
        if len(place.slip) > 2:
            raise ModelError(f"contact '{name}' slips in {len(place.slip)} directions: a contact has one or two.")
    roll, drill = coefficient(rolling, "rolling", name), coefficient(drilling, "drilling", name)
    if isinstance(place, Gap) and (roll is not ZERO or drill is not ZERO):
        raise ModelError(f"contact '{name}' is a formula: only shapes tell how it would roll or drill.")
    return tuple(Contact(one, place, e, mu, rest, roll, drill) for one, place in places)


Range: TypeAlias = Scalar | Sequence[Scalar] | None
"""The lower end of a range, or both of them."""


def stops(coordinate: str, low: Range, high: Scalar | None) -> Iterator[tuple[str, Expr]]:
    """The gaps of the two ends of a coordinate; both may come as a pair, as LSD writes them."""
    if isinstance(low, list | tuple):
        if high is not None or len(low) != 2:
            raise ModelError(f"the limit of '{coordinate}' is {low!r}: give low and high, or one pair of them.")
        low, high = low
    assert not isinstance(low, Sequence) or isinstance(low, str)
    x, ends = ex.symbol(coordinate), [ex.as_expr(v) for v in (low, high) if v is not None]
    if not ends:
        raise ModelError(f"the limit of '{coordinate}' has no end: give low, high or both.")
    if len(ends) == 2 and all(v.is_number for v in ends) and not float(ends[0].value) < float(ends[1].value):
        raise ModelError(f"the limits of '{coordinate}' leave no room: {ex.text(ends[0])} to {ex.text(ends[1])}.")
    if low is not None:
        yield "low", x - ends[0]
    if high is not None:
        yield "high", ends[-1] - x


class ContactWarning(UserWarning):
    """A verb has answered for the machine with its contacts open."""


def say_open(contacts: Sequence[Contact], what: str) -> None:
    """Warn that an answer holds while no contact touches, for verbs that have no other place to say it."""
    opening = [one for one in contacts if not isinstance(one.place, Pressed)]
    if opening:
        warn(
            f"contacts {_some(opening)} are open in {what}: that holds while none of them touches. `simulate` treats "
            "contacts.",
            ContactWarning,
        )
    rubbing = [one for one in contacts if isinstance(one.place, Pressed)]
    left = [one for one in rubbing if isinstance(one.place, Pressed) and not one.place.slides]
    if left:
        warn(
            f"dry friction {_some(left)} is left out of {what}: its slip is no formula of rates of coordinates, and "
            "efforts on these cannot tell it. `simulate` and `equilibria` treat it.",
            ContactWarning,
        )
    if len(rubbing) > len(left):
        sliding = [one for one in rubbing if one not in left]
        warn(
            f"dry friction {_some(sliding)} is against the slip in {what}: that holds while it slips, and is no "
            "friction at rest. `simulate` lets it stick.",
            ContactWarning,
        )


def _some(contacts: Sequence[Contact]) -> str:
    return ", ".join(f"'{one.name}'" for one in contacts[:6]) + (", ..." if len(contacts) > 6 else "")


def refuse_contacts(contacts: Sequence[Contact], what: str, remedy: str) -> None:
    """Refuse to answer for another machine."""
    if contacts and isinstance(contacts[0].place, Pressed):
        raise ModelError(
            f"{what} would not stick where dry friction '{contacts[0].name}' holds: it knows no contacts. {remedy}"
        )
    if contacts:
        raise ModelError(f"{what} would pass through contact '{contacts[0].name}': it knows no contacts. {remedy}")
