"""Names of numbers in mechanics, and the axes in which the components of a body's vectors may be taken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dalembert.expr import Expr
from dalembert.expr.space import IDENTITY3, ZERO3, Matrix3, Vector3, product3, transpose3
from dalembert.kinematics import Tree
from dalembert.kinematics.tree import EARTH_NODE

AXES = "xyz"
#: Axes beyond a body's own in which its vectors are looked for, beside earth's; less for machines of so many speeds
#: that the table of all names would grow with their cube.
FURTHEST, FEWER = 6, 120


@dataclass(frozen=True, slots=True)
class Quantity:
    """One number with its name; those of one `family`, the components of a vector, stand together.

    A component in other axes is told by the axis and the vector whose product it is: only its value in the field of
    fingerprints is asked for, so that no formula is made of it.
    """

    name: str
    value: Expr | tuple[Vector3, Vector3]
    family: str
    meaning: str

    @property
    def formula(self) -> Expr:
        return self.value if isinstance(self.value, Expr) else self.value[0].dot(self.value[1])


@dataclass(frozen=True, slots=True)
class Base:
    """Axes on the way from a body to earth, and the turn from the body's own axes to them."""

    tag: str
    told: str
    turn: Matrix3


def bases_of(tree: Tree, number: int) -> list[Base]:
    """The body's own axes, those of bodies below it, earth's, and those between the displacements of links."""
    found = list(_way_to_earth(tree, number))
    return sorted(found, key=lambda base: base.tag[-1:].isalpha())


def _way_to_earth(tree: Tree, number: int) -> Iterator[Base]:
    """One base after each turn on the way: of the link's own frames, and of the bodies that they stand on."""
    standing = {n: k for k, (n, _) in reversed(list(enumerate(tree.place)))}
    node, place = tree.place[number]
    turn, body, inside, count = IDENTITY3, number, 0, 0
    yield Base("", "its own axes", turn)
    steps: list[tuple[Matrix3, int | None]] = [(place.rotation, None)]
    while node != EARTH_NODE:
        here = tree.nodes[node]
        node = here.parent
        rotations = [pose.rotation for pose in reversed(here.chain)]
        steps += [*((rotation, None) for rotation in rotations[:-1]), (rotations[-1], node)]
    furthest = min(FURTHEST, FEWER // len(tree.speeds))
    for rotation, node_below in steps:
        turn = product3(rotation, turn)
        if node_below is not None and node_below in standing and node_below != EARTH_NODE:
            body, inside, count = standing[node_below], 0, count + 1
            if count <= furthest:
                own = product3(transpose3(tree.place[body][1].rotation), turn)
                yield Base(f"_{body}", f"the axes of {tree.layout.bodies[body].name}", own)
        elif rotation is not IDENTITY3 and count < furthest:
            inside += 1
            told = f"the axes {inside} below {tree.layout.bodies[body].name}"
            yield Base(f"_{body}{chr(96 + inside)}", told, turn)
    yield Base("_0", "the axes of earth", turn)


def components(name: str, vector: Vector3, meaning: str, tail: str = "") -> Iterator[Quantity]:
    for axis, x in zip(AXES, vector, strict=True):
        if x.args:
            yield Quantity(f"{name}_{axis}{tail}", x, name + tail, meaning)


def seen(name: str, vector: Vector3, meaning: str, bases: Sequence[Base], tail: str = "") -> Iterator[Quantity]:
    """A vector given in a body's own axes, in each of the bases."""
    if vector == ZERO3:
        return
    for base in bases:
        told = f"{meaning}, in {base.told}"
        if base.turn is IDENTITY3:
            yield from components(f"{name}{base.tag}", vector, told, tail)
            continue
        stem = f"{name}{base.tag}"
        for axis, row in zip(AXES, base.turn, strict=True):
            yield Quantity(f"{stem}_{axis}{tail}", (row, vector), stem + tail, told)
