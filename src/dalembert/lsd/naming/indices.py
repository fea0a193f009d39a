"""Where everything of a mechanism stands in the numbering: bodies, frames, links, efforts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import Expr
from dalembert.expr.space import Vector3
from dalembert.lsd.numbering import Numbering, number
from dalembert.mechanism import Body, Displacement, Force, Frame, Mechanism, Step, Torque

IFRAME = "iframe"


@dataclass(frozen=True, slots=True)
class FramePlace:
    body: int
    pair: str
    displacement: Displacement
    is_inertia: bool = False


@dataclass(frozen=True, slots=True)
class LinkPlace:
    """Steps and efforts are written in `xj[k](t)` and its derivative."""

    number: int
    name: str
    principal: bool
    bodies: tuple[int, int]
    first: str
    second: str
    flipped: bool
    steps: tuple[Step, ...]
    efforts: tuple[tuple[str, Expr], ...]
    coordinates: tuple[str, ...]
    dof: int


@dataclass(frozen=True, slots=True)
class EffortPlace:
    kind: str
    variable: str
    fixed: str
    base_number: int
    body: str
    base: str
    value: Vector3


@dataclass(frozen=True, slots=True)
class Indices:
    numbering: Numbering
    bodies: tuple[Body, ...]
    frames: tuple[FramePlace, ...]
    links: tuple[LinkPlace, ...]
    efforts: tuple[EffortPlace, ...]


def place(mechanism: Mechanism) -> Indices:
    """Number a mechanism and place its parts."""
    links = list(mechanism.links.values())
    joins = [(link.first.body, link.second.body) for link in links]
    joint_frames = {(f.body, f.displacement) for link in links for f in (link.first, link.second)}
    forces = [e for e in mechanism.efforts if isinstance(e, Force)]
    other = {(f.at.body, f.at.displacement) for f in forces if _role(mechanism, f.at, joint_frames) == "other"}
    others = Counter(body for body, _ in other)
    numbering = number(list(mechanism.bodies)[1:], joins, max(others.values(), default=0))
    if numbering.unreached:
        raise ModelError(
            f"body '{numbering.unreached[0]}' is not connected to earth, so it has no number. Join it to another body."
        )
    index = {name: i for i, name in enumerate(numbering.bodies)}
    bodies = tuple(mechanism.bodies[name] for name in numbering.bodies)
    frames = [FramePlace(i, numbering.inertia_frame(i), b.iframe, True) for i, b in enumerate(bodies) if i]
    placed: list[LinkPlace] = []
    pairs: dict[tuple[str, Displacement], str] = {}
    for k, link in enumerate(links):
        one = numbering.links[k]
        first, second = numbering.joint_frames(k)
        for frame, pair in ((link.first, first), (link.second, second)):
            frames.append(FramePlace(index[frame.body], pair, frame.displacement))
            pairs.setdefault((frame.body, frame.displacement), pair)
        shown: dict[Expr, Expr] = {}
        for rank, parameter in enumerate(link.joint.parameters, 1):
            x = f"x{one.number}[{rank}](t)"
            shown[ex.symbol(parameter)] = ex.symbol(x)
            shown[ex.symbol(parameter + "'")] = ex.symbol(f"diff({x},t)")
        steps = tuple(step.substitute(shown) for step in link.joint.steps)
        efforts = tuple((name, ex.substitute([e], shown)[0]) for name, e in link.joint.efforts)
        placed.append(
            LinkPlace(
                one.number,
                link.name,
                one.principal,
                (one.i, one.j),
                first,
                second,
                one.flipped,
                steps,
                efforts,
                link.coordinates,
                link.joint.dof,
            )
        )
    efforts_placed = _efforts(mechanism, numbering, index, pairs, joint_frames, frames)
    placed.sort(key=lambda link: link.number)
    return Indices(numbering, bodies, tuple(frames), tuple(placed), tuple(efforts_placed))


def _role(mechanism: Mechanism, frame: Frame, joint_frames: set[tuple[str, Displacement]]) -> str:
    if frame.name == IFRAME:
        return "iframe"
    if frame.displacement.is_identity:
        return "frame"
    if frame.displacement == mechanism.bodies[frame.body].iframe:
        return "iframe"
    return "joint" if (frame.body, frame.displacement) in joint_frames else "other"


def _efforts(
    mechanism: Mechanism,
    numbering: Numbering,
    index: dict[str, int],
    pairs: dict[tuple[str, Displacement], str],
    joint_frames: set[tuple[str, Displacement]],
    frames: list[FramePlace],
) -> list[EffortPlace]:
    placed: list[EffortPlace] = []
    seen: Counter[str] = Counter()
    other: dict[tuple[str, Displacement], str] = {}
    ranks: Counter[str] = Counter()
    for effort in mechanism.efforts:
        if not isinstance(effort, Force | Torque):
            continue  # the table of the thesis has no springs between bodies
        if isinstance(effort, Force):
            body, kind = effort.at.body, "FE"
            role = _role(mechanism, effort.at, joint_frames)
            same = effort.base == body and not effort.at.displacement.turns
            if role == "frame":
                at = str(index[body])
            elif role == "iframe":
                at = numbering.inertia_frame(index[body])
            elif role == "joint":
                at = pairs[(body, effort.at.displacement)]
            else:
                key = (body, effort.at.displacement)
                if key not in other:
                    rank = ranks[body]
                    ranks[body] += 1
                    other[key] = numbering.other_frame(index[body], rank)
                    frames.append(FramePlace(index[body], other[key], effort.at.displacement))
                at = other[key]
        else:
            body, kind, at, same = effort.on, "CE", str(index[effort.on]), effort.base == effort.on
        base = "" if same else str(index[effort.base])
        stem = f"V{base}{kind}_{at}"
        seen[stem] += 1
        mark = f"_{seen[stem]}" if seen[stem] > 1 else ""
        placed.append(
            EffortPlace(kind, stem + mark, f"V0{kind}_{at}{mark}", index[effort.base], body, effort.base, effort.value)
        )
    return placed
