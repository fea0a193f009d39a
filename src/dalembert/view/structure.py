"""The structure of a machine as a graph: bodies are nodes, principal links lines, complementary links dashed; every
loop has a number and a colour, which its links bear. Springs, contacts and conditions between two bodies are dotted.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dalembert import expr as ex
from dalembert.mechanism import EARTH, Bushing, Layout, Link, Mechanism, Model, QuaternionTurn, Spring, TorsionSpring
from dalembert.mechanism.contact import Touching
from dalembert.view.theme import COLOURS, GREY, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_INK = "#1d2733"
_WIDE, _HIGH = 1.9, 0.95
"""Inches from one depth of the tree to the next, and from one leaf to the next."""


@dataclass(frozen=True, slots=True)
class Loop:
    """What a complementary link closes: its principal links, and the bodies in turn."""

    closed_by: str
    links: tuple[str, ...]
    bodies: tuple[str, ...]


def loops_of(layout: Layout) -> tuple[Loop, ...]:
    """One loop for each complementary link: the ways of its two bodies to where they part, joined.

    >>> from dalembert.mechanism import Mechanism, earth, revolute
    >>> m = Mechanism()
    >>> a, b = m.body("a", mass=1), m.body("b", mass=1)
    >>> ties = [m.join(earth, a, revolute("z"), name="A"), m.join(a.at([1, 0, 0]), b, revolute("z"), name="B")]
    >>> closing = m.join(b.at([1, 0, 0]), earth.at([1, 1, 0]), revolute("z"), name="C")
    >>> loops_of(Layout.of(m))
    (Loop(closed_by='B', links=('C', 'A'), bodies=('b', 'earth', 'a')),)
    """
    carrier = {one.child: one.link.name for one in layout.tree}
    names = [body.name for body in layout.bodies]
    found = []
    for cut in layout.cuts:
        first, second = ([0, *layout.path(k)] for k in (cut.first, cut.second))
        shared = sum(1 for a, b in zip(first, second, strict=False) if a == b)
        way = [*reversed(first[shared - 1 :]), *second[shared:]]
        links = [carrier[k] for k in (*reversed(first[shared:]), *second[shared:])]
        bodies = tuple(names[k] for k in way)
        if bodies[-1] == EARTH or (EARTH in bodies and bodies[0] != EARTH):
            links, bodies = links[::-1], bodies[::-1]
        found.append(Loop(cut.link.name, tuple(links), bodies))
    return tuple(found)


def joint_word(link: Link) -> str:
    """What kind of joint a link is: its own word, or one by what it lets turn and slide."""
    joint = link.joint
    if joint.kind:
        return joint.kind
    names = {ex.symbol(x) for x in joint.parameters}
    turns, slides = 0, 0
    for step in joint.steps:
        slides += len(ex.free_symbols(step.displacement.translation) & names)
        for one in step.displacement.turns:
            used = ex.free_symbols(one.scalars) & names
            turns += (3 if isinstance(one, QuaternionTurn) else 1) if used else 0
    words = {(0, 0): "weld" if not joint.dof else "driven", (1, 0): "revolute", (0, 1): "prismatic"}
    words |= {(2, 0): "universal", (3, 0): "spherical", (1, 2): "planar", (3, 3): "free"}
    return words.get((turns, slides), f"{joint.dof} freedoms")


def draw_structure(described: Mechanism | Model, cut: Collection[str] = ()) -> Figure:
    """The graph as a figure."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    layout = Layout.of(described, cut)
    loops = loops_of(layout)
    place = _places(layout)
    right, top = max(x for x, _ in place.values()), max(y for _, y in place.values())
    more = _further(layout)
    with mpl.rc_context({"font.family": "sans-serif"}):
        made = Figure(figsize=(max(right + 2.6, 5.0), top + 1.7))
        axes = made.add_axes((0, 0, 1, 1))
        axes.set_xlim(-1.1, max(right + 1.5, 3.9))
        axes.set_ylim(-0.65, top + 1.05)
        axes.set_axis_off()
        member: dict[str, list[int]] = {}
        for k, loop in enumerate(loops):
            for name in (*loop.links, loop.closed_by):
                member.setdefault(name, []).append(k)
        names = [body.name for body in layout.bodies]
        for one in layout.tree:
            ends = place[names[one.parent]], place[names[one.child]]
            _edge(axes, *ends, one.link.name, joint_word(one.link), member.get(one.link.name, []))
        for k, cut_link in enumerate(layout.cuts):
            ends = place[names[cut_link.first]], place[names[cut_link.second]]
            _edge(axes, *ends, cut_link.link.name, joint_word(cut_link.link), [k], closing=True)
        for name, kind, first, second in more:
            _dotted(axes, place[first], place[second], name, kind)
        for body in layout.bodies:
            _node(axes, body.name, place[body.name], body.name == EARTH)
        told = f"{len(names) - 1} bodies, {len(layout.tree)} principal links"
        many = "s" if len(loops) > 1 else ""
        told += f", {len(layout.cuts)} complementary (dashed): {len(loops)} loop{many}" if layout.cuts else ", no loop"
        axes.text(-1.0, top + 0.85, plain(layout.model.name), fontsize=11, weight="bold", color=_INK)
        axes.text(-1.0, top + 0.62, told, fontsize=8.5, color=GREY)
        shown = {name for name, *_ in more}
        rest = [x.name for x in layout.further] + [x.name for x in layout.model.contacts]
        rest = [name for name in rest if name not in shown]
        if rest:
            listed = ", ".join(rest[:12]) + (" ..." if len(rest) > 12 else "")
            axes.text(-1.0, -0.55, plain(f"conditions and contacts: {listed}"), fontsize=7.5, color="#8073ac")
    return made


def _places(layout: Layout) -> dict[str, tuple[float, float]]:
    """Depth to the right; leaves one below the other, a body in the middle of what it carries."""
    children: dict[int, list[int]] = {}
    for one in layout.tree:
        children.setdefault(one.parent, []).append(one.child)
    depth = {0: 0}
    for one in layout.tree:  # parents come before their children
        depth[one.child] = depth[one.parent] + 1
    rows: dict[int, float] = {}
    leaves = 0
    for body in _below_first(children):
        held = children.get(body, [])
        if held:
            rows[body] = (rows[held[0]] + rows[held[-1]]) / 2
        else:
            rows[body] = leaves
            leaves += 1
    high = max(rows.values())
    return {body.name: (depth[k] * _WIDE, (high - rows[k]) * _HIGH) for k, body in enumerate(layout.bodies)}


def _below_first(children: dict[int, list[int]]) -> list[int]:
    """Bodies in the order in which all that they carry comes before them."""
    found, waiting = [], [0]
    while waiting:
        found.append(waiting.pop())
        waiting += children.get(found[-1], [])
    # a stack visits the last child first: turned round, the first comes first and carriers last
    return found[::-1]


def _further(layout: Layout) -> list[tuple[str, str, str, str]]:
    """Springs, contacts and conditions between two bodies: name, kind, bodies."""
    model, found = layout.model, []
    for effort in model.efforts:
        if isinstance(effort, Spring | TorsionSpring | Bushing):
            first, second = (frame.body for frame in effort.frames)
            found.append((effort.name, "spring", first, second))
    for contact in model.contacts:
        if isinstance(contact.place, Touching):
            found.append((contact.name, "contact", contact.place.first.frame.body, contact.place.second.frame.body))
    owner = {x: link.second.body for link in model.links.values() for x in (*link.coordinates, *link.speeds)}
    for constraint in model.constraints:
        used = {x.name for x in ex.free_symbols(constraint.expressions)}
        bodies = list(dict.fromkeys(body for x, body in owner.items() if x in used))
        if len(bodies) == 2:
            found.append((constraint.name, "condition", bodies[0], bodies[1]))
    return [one for one in found if one[2] != one[3]]


def _node(axes: Any, name: str, at: tuple[float, float], fixed: bool) -> None:
    box = {
        "boxstyle": "square,pad=0.45" if fixed else "round,pad=0.45,rounding_size=0.5",
        "fc": "#dfe4ea" if fixed else "white",
        "ec": _INK,
        "lw": 1.2,
        "hatch": "////" if fixed else None,
    }
    if fixed:
        box["ec"] = GREY
    axes.text(*at, plain(name), ha="center", va="center", fontsize=9, color=_INK, bbox=box, zorder=5)


def _edge(
    axes: Any, a: tuple[float, float], b: tuple[float, float], name: str, kind: str, loops: list[int], *,
    closing: bool = False,
) -> None:  # fmt: skip
    from matplotlib.patches import FancyArrowPatch

    bend = 0.0
    if closing:
        outward = b[1] - a[1] if abs(b[1] - a[1]) > 0.3 * _HIGH else b[0] - a[0]  # to the right, or below
        bend = (0.55 if abs(a[1] - b[1]) < 0.3 * _HIGH else 0.38) * (1 if outward > 0 else -1)
    colour = COLOURS[loops[0] % len(COLOURS)] if loops else _INK
    style: dict[str, Any] = {"arrowstyle": "-", "connectionstyle": f"arc3,rad={bend}", "shrinkA": 0, "shrinkB": 0}
    axes.add_patch(FancyArrowPatch(a, b, color=colour, lw=1.8, ls=(0, (5, 3)) if closing else "-", zorder=2, **style))
    middle = ((a[0] + b[0]) / 2 + bend * (b[1] - a[1]) / 2, (a[1] + b[1]) / 2 - bend * (b[0] - a[0]) / 2)
    back = {"fc": "white", "ec": "none", "pad": 0.8, "alpha": 0.85}
    text = f"{plain(name)}\n{plain(kind)}" if kind != name else plain(name)
    axes.text(*middle, text, ha="center", va="center", fontsize=7.5, color=_INK, bbox=back, zorder=3, linespacing=1.1)
    for k, loop in enumerate(loops):
        at = (middle[0] - 0.09 * (len(loops) - 1) + 0.18 * k, middle[1] - 0.23)
        axes.text(
            *at, str(loop + 1), ha="center", va="center", fontsize=6.5, color="white", zorder=4,
            bbox={"boxstyle": "circle,pad=0.25", "fc": COLOURS[loop % len(COLOURS)], "ec": "none"},
        )  # fmt: skip


def _dotted(axes: Any, a: tuple[float, float], b: tuple[float, float], name: str, kind: str) -> None:
    from matplotlib.patches import FancyArrowPatch

    colour = {"spring": "#b8732a", "contact": "#d93636", "condition": "#8073ac"}[kind]
    bend = -0.4
    style: dict[str, Any] = {"arrowstyle": "-", "connectionstyle": f"arc3,rad={bend}"}
    axes.add_patch(FancyArrowPatch(a, b, color=colour, lw=1.2, ls=":", zorder=1, shrinkA=0, shrinkB=0, **style))
    middle = ((a[0] + b[0]) / 2 + bend * (b[1] - a[1]) / 2, (a[1] + b[1]) / 2 - bend * (b[0] - a[0]) / 2)
    back = {"fc": "white", "ec": "none", "pad": 0.6, "alpha": 0.85}
    axes.text(*middle, plain(name), ha="center", va="center", fontsize=7, color=colour, bbox=back, zorder=3)
