"""What writers of robot files share: numbers that read back to the same double, shapes, the text with its warning."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from dalembert.errors import LimitError
from dalembert.io.chain import Numbers
from dalembert.io.poses import Pose, at
from dalembert.io.read import UnmappedWarning
from dalembert.mechanism import Body, BodyShape

SOLIDS = ("box", "sphere", "ellipsoid", "cylinder", "capsule", "mesh")


def words(values: Iterable[float]) -> str:
    """Numbers between spaces, each the shortest that reads back to the same."""
    return " ".join(repr(float(x) + 0.0) for x in values)


def add(where: Element, tag: str, **attributes: str) -> Element:
    return SubElement(where, tag, attributes)


def solids_of(
    numbers: Numbers, body: Body, place: Pose, kinds: Sequence[str] = SOLIDS
) -> Iterator[tuple[str, Pose, Sequence[float], BodyShape]]:
    """The shapes of a body that stands at `place` in its link; those that no robot file has are noted."""
    for shape in body.shapes:
        what = f"a shape of '{body.name}'"
        if shape.kind not in SOLIDS:
            numbers.left.append(f"the {shape.kind} of '{body.name}' is left out.")
            continue
        sizes = [numbers.value(x, what) for x in shape.sizes]
        pose = place @ numbers.pose(shape.place, what)
        if shape.kind in kinds:
            yield shape.kind, pose, sizes, shape
        elif shape.kind == "capsule":  # a cylinder with two balls
            yield "cylinder", pose, sizes, shape
            for way in (0.5, -0.5):
                yield "sphere", pose @ at([0, 0, way * sizes[1]]), sizes[:1], shape
        else:
            numbers.left.append(f"the {shape.kind} of '{body.name}' is left out.")


def finished(root: Element, left: Sequence[str], what: str) -> str:
    """The text; a warning tells what it does not hold."""
    if left:
        more = f" And {len(left) - 1} more, in comments at its head." if len(left) > 1 else ""
        warnings.warn(f"{what}: {left[0]}{more}", UnmappedWarning, stacklevel=4)
    notes = "".join(f"<!-- {note.replace('--', '- -')} -->\n" for note in dict.fromkeys(left))
    try:
        indent(root)
        return f'<?xml version="1.0"?>\n{notes}{tostring(root, encoding="unicode")}\n'
    except RecursionError:
        raise LimitError(
            f"{what} nests each body in the one that carries it, here deeper than Python's stack bears. "
            "URDF lists them side by side: `to_urdf`, or write shorter branches."
        ) from None
