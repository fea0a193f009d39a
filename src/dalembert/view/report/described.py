"""What the description says: program, bodies, links, efforts, names, constraints."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Any

from dalembert import expr as ex
from dalembert.errors import DalembertError
from dalembert.mechanism import EARTH
from dalembert.mechanism.constraint import Along, Coulomb, Kinematic
from dalembert.mechanism.effort import effort_kind
from dalembert.view.flat import draw_flat
from dalembert.view.report.blocks import Block, Code, Note, Picture, Table, Text
from dalembert.view.report.figures import saver
from dalembert.view.structure import draw_structure

if TYPE_CHECKING:
    from dalembert.view.report.study import Answer, Study

_LONGEST = 400
"""Lines of a program that are shown: eight pages."""
_MOST_ROWS = 200
"""Rows of a table that are shown: four pages."""
_MOST_NODES = 40
"""Bodies of a graph that a page can show."""


def description(study: Study) -> Answer:
    """The words that the author wrote above the program, and the program."""
    from dalembert.lsd import to_lsd

    text = (study.source if study.source is not None else to_lsd(study.mechanism)).strip()
    blocks: list[Block] = []
    above = re.match(r"\(\*(.*?)\*\)", text, re.DOTALL)
    if above:
        blocks.append(Text(" ".join(above[1].split())))
    lines = text.splitlines()
    blocks.append(Code("\n".join(lines[:_LONGEST])))
    if len(lines) > _LONGEST:
        blocks.append(Note(f"The program goes on for {len(lines) - _LONGEST} more lines."))
    return blocks, ""


def structure(study: Study) -> Answer:
    """Bodies, links, efforts."""
    model, layout = study.model, study.layout
    said = study.mechanism.remarks
    bodies = [
        (str(i), b.name, _short(b.mass), _vector(b.centre), _inertia(b), said.get(("body", b.name), ""))
        for i, b in enumerate(layout.bodies)
        if i
    ]
    links = [
        (str(one.number), one.link.name, _joined(one), joint_words(one.link.joint), _names(one.link.coordinates))
        for one in layout.tree
    ]
    links += [
        (str(one.number), one.link.name, _joined(one), joint_words(one.link.joint) + ", closes a loop", "")
        for one in layout.cuts
    ]
    told = [(*row, said.get(("link", row[1]), "")) for row in links]
    blocks: list[Block] = [
        *_pictures(study),
        _remarked(
            ("no.", "body", "mass", "centre of mass", "inertia"), bodies, "Bodies, numbered from earth, number 0."
        ),
        _remarked(("no.", "link", "from, to", "joint", "coordinates"), told, "Links; each carries the next body."),
    ]
    efforts = [
        (e.name, effort_kind(e), _names(frame.body for frame in e.frames), said.get(("effort", e.name), ""))
        for e in model.efforts
    ]
    if efforts:
        blocks.append(_remarked(("effort", "kind", "acts on"), efforts, "Forces, torques and springs."))
    else:
        blocks.append(Note("No force, torque or spring is applied from outside the joints."))
    if all(g is ex.ZERO for g in model.gravity):
        blocks.append(Note("There is no gravity."))
    else:
        blocks.append(Text(f"Gravity is {_vector(model.gravity)} in the base of earth."))
    count = len(layout.bodies) - 1
    cuts = f", {_counted(len(layout.cuts), 'of them closes a loop', 'of them close loops')}" if layout.cuts else ""
    gist = f"{_counted(count, 'body', 'bodies')} and {_counted(len(model.links), 'link', 'links')}{cuts}."
    return blocks, gist


def _pictures(study: Study) -> list[Block]:
    """The graph of bodies and links, and plane machines flat; what cannot be drawn is left out."""
    found: list[Block] = []
    if len(study.layout.bodies) <= _MOST_NODES:
        graph = draw_structure(study.mechanism, study.cut)
        found.append(Picture(saver(graph), "Bodies and links; dashed ones close loops, which are numbered."))
    try:
        flat = draw_flat(study.mechanism, at=study.start or None, given=study.given)
        found.append(Picture(saver(flat), "In its plane, with the distances of its joints."))
    except DalembertError:
        pass
    return found


def names(study: Study) -> Answer:
    """Coordinates with their start, parameters with their numbers, laws."""
    model, layout = study.model, study.layout
    start, given = {**model.start, **study.start}, {**model.given, **study.given}
    told = [
        [(name, _value(start.get(name, 0.0))) for name in names]
        for names in (layout.state.coordinates, layout.state.speeds)
    ]
    state = [(*a, *b) for a, b in zip_longest(*told, fillvalue=("", ""))]
    blocks: list[Block] = [_table(("coordinate", "start", "speed", "start"), state, "The state.", {1, 3})]
    numbers = [(name, _value(given[name]) if name in given else "open") for name in model.parameters()]
    if numbers:
        third = -(-len(numbers) // 3)
        beside = [numbers[k * third : (k + 1) * third] for k in range(3)]
        rows = [tuple(chain(*row)) for row in zip_longest(*beside, fillvalue=("", ""))]
        blocks.append(_table(("parameter", "number") * 3, rows, "Parameters; what is open has no number.", {1, 3, 5}))
    else:
        blocks.append(Note("There are no parameters: every quantity is a number."))
    laws = [(f"{name}({', '.join(args)})", _short(formula)) for name, (args, formula) in model.functions.items()]
    if laws:
        blocks.append(_table(("law", "formula"), laws, "Laws of functions that the description leaves open."))
    return blocks, ""


def constraints(study: Study) -> Answer:
    """Cut links and what is asked further."""
    layout = study.layout
    if not layout.constraints:
        return [Note("There are no closed loops and no further constraints: the coordinates are independent.")], ""
    blocks: list[Block] = []
    if layout.cuts:
        rows = [(one.link.name, _joined(one), str(6 - one.link.joint.dof)) for one in layout.cuts]
        blocks.append(_table(("link", "between", "conditions"), rows, "Links that close loops.", {2}))
    else:
        blocks.append(Note("There are no closed loops."))
    if layout.further:
        told = [
            (c.name, _kind(c), "; ".join(f"{_short(e)} = 0" for e in c.expressions), _reaction(c))
            for c in layout.further
        ]
        blocks.append(_table(("constraint", "kind", "condition", "what keeps it"), told, "Further constraints."))
    else:
        blocks.append(Note("There are no constraints beside the loops."))
    count = len(layout.constraints)
    return blocks, f"{_counted(count, 'constraint holds', 'constraints hold')} during the motion."


def _kind(constraint: Any) -> str:
    return "on motions" if isinstance(constraint.condition, Kinematic) else "on places"


def _reaction(constraint: Any) -> str:
    found = constraint.reaction
    if isinstance(found, Along):
        return "pushes on " + ", ".join(_short(form) for form in found.forms)
    if isinstance(found, Coulomb):
        return f"dry friction, {_short(found.friction)}"
    return "perfect"


def joint_words(joint: Any) -> str:
    """Its kind, or how free it is."""
    return joint.kind or _counted(joint.dof, "freedom", "freedoms")


def _joined(one: Any) -> str:
    return f"{one.link.first.body} – {one.link.second.body}"


def _counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def _names(found: Any) -> str:
    listed = [name for name in found if name != EARTH]
    return ", ".join(listed[:8]) + (", ..." if len(listed) > 8 else "")


def _value(value: Any) -> str:
    return (
        f"{value:.6g}"
        if isinstance(value, int | float)
        else _short(value)
        if isinstance(value, ex.Expr)
        else str(value)
    )


def _short(value: Any, most: int = 160) -> str:
    text = ex.text(ex.as_expr(value))
    return text if len(text) <= most else text[:most] + " ..."


def _vector(values: Any) -> str:
    return "[" + ", ".join(_short(x, 40) for x in values) + "]"


def _inertia(body: Any) -> str:
    entries = body.inertia.entries
    if all(x is ex.ZERO for x in entries):
        return "0"
    return _vector(entries[:3]) if body.inertia.is_diagonal else _vector(entries) + " (xx yy zz xy xz yz)"


def _remarked(head: tuple[str, ...], rows: Sequence[tuple[str, ...]], caption: str) -> Table:
    """A table whose last column is what the program says of each, if it says anything."""
    if any(row[-1] for row in rows):
        return _table((*head, "what it is"), rows, caption)
    return _table(head, [row[:-1] for row in rows], caption)


def _table(head: tuple[str, ...], rows: Any, caption: str, numbers: Any = ()) -> Table:
    shown = tuple(rows[:_MOST_ROWS])
    if len(rows) > len(shown):
        caption += f" The first {len(shown)} of {len(rows)}."
    return Table(head, shown, caption, frozenset(numbers))
