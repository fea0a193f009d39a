"""Contacts as LSD declarations that read back to equal contacts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields

from dalembert.expr import ZERO, Expr
from dalembert.expr.space import Vector3
from dalembert.lsd.check_contacts import VARIABLES
from dalembert.lsd.write_scalars import ScalarWriter, word
from dalembert.mechanism import Constraint, Contact, Frame
from dalembert.mechanism.contact import Among, Gap, Pressed
from dalembert.mechanism.shapes import Patch, Shape, Surface, parts_of


class ContactWriter:
    """Writes contacts; `write` knows formulas, `frame` the names of frames."""

    def __init__(self, write: ScalarWriter, frame: Callable[[Frame], str]) -> None:
        self.write, self.frame = write, frame

    def lines(self, contacts: Iterable[Contact]) -> Iterator[str]:
        """A declaration for each gap and each pair of shapes; corners and ends of a pair are one declaration."""
        for one in contacts:
            place = one.place
            if isinstance(place, Gap):
                slip = f" slip {', '.join(self.write.text(x) for x in place.slip)}" if place.slip else ""
                yield f"contact {self.write.text(place.gap)} >= 0{self._laws(one)}{slip} as {word(one.name)} ;"
            elif isinstance(place, Pressed):
                slip = ", ".join(self.write.text(x) for x in place.slip)
                bound = "" if one.friction is not ZERO else " friction 0"
                yield f"rub {slip}{bound}{self._laws(one)} as {word(one.name)} ;"
            elif isinstance(place, Among):
                shapes = " and ".join(map(self._shape, place.shapes))
                yield f"contact {shapes}{self._laws(one)} as {word(one.name)} ;"
            elif place.part == 0:
                name = one.name.removesuffix("_1") if parts_of(place.first, place.second) > 1 else one.name
                pair = f"{self._shape(place.first)} and {self._shape(place.second)}"
                yield f"contact {pair}{self._laws(one)} as {word(name)} ;"

    def _laws(self, one: Contact) -> str:
        told = [("restitution", one.restitution), ("friction", one.friction)]
        told += [] if one.static is None else [("static", one.static)]
        turning = [("rolling", one.rolling), ("drilling", one.drilling)]
        said = [(kind, x) for kind, x in (*told, *turning) if x is not ZERO or kind == "static"]
        return "".join(f" {kind} {self.write.text(value)}" for kind, value in said)

    def rolling(self, contact: Constraint) -> str:
        """`roll SHAPE on SHAPE as name`, of the contact of both."""
        assert contact.followed is not None
        first, second = map(self._shape, contact.followed.shapes)
        return f"roll {first} on {second} as {word(contact.name.removesuffix('_contact'))} ;"

    def _shape(self, shape: Shape) -> str:
        parts = [self.frame(shape.frame)]
        if isinstance(shape, Surface | Patch):
            write = ScalarWriter(VARIABLES[type(shape).__name__.lower()])
            told = write.text(shape.formula) if isinstance(shape, Surface) else write.vector(shape.point)
            return f"{type(shape).__name__.lower()}({parts[0]}, {told})"
        for one in fields(shape):
            value = getattr(shape, one.name)
            if isinstance(value, Expr):
                parts.append(self.write.text(value))
            elif isinstance(value, Vector3):
                parts.append(self.write.vector(value))
            elif isinstance(value, tuple):
                parts += [self.write.vector(point) for point in value]
        return f"{type(shape).__name__.lower()}({', '.join(parts)})"
