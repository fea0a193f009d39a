"""Walk the places of a program in the order of the compiled table, and name the unknowns that land there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from dalembert import expr as ex
from dalembert.expr import Expr
from dalembert.expr.space import Vector3
from dalembert.lsd.numbering import number
from dalembert.lsd.places import Unknowns, lowered
from dalembert.lsd.running import AppliedValue, Run
from dalembert.lsd.values import BodyValue, FrameValue, LinkValue
from dalembert.mechanism import Displacement


class PlaceNames:
    """Names of unknowns by place; those inside a link object are new at each join and kept apart in `own`."""

    def __init__(self, state: Run, bodies: list[BodyValue]) -> None:
        self.state = state
        self.unknowns = Unknowns(state.unknowns)
        self.own: dict[int, dict[Expr, str]] = {}
        self.generic: set[str] = set()
        self.frame_pairs: dict[tuple[int, Displacement], str] = {}
        self.ranks: Counter[int] = Counter()
        self.applied = [one for one in state.applied if isinstance(one, AppliedValue)]
        self.joint_sides = {_key(f) for j in state.joins for f in (j.first, j.second)}
        joins = [(str(j.first.body.name), str(j.second.body.name)) for j in state.joins]
        others = Counter(body for body, _ in {_key(a.target) for a in self.applied if self._is_other(a)})
        self.numbering = number([str(b.name) for b in bodies], joins, max(others.values(), default=0))
        self.numbers = {name: i for i, name in enumerate(self.numbering.bodies)}

    def own_of(self, join: int) -> dict[Expr, str]:
        """Names of the unknowns that the link object of a join makes there."""
        return self.own.get(join, {})

    def symbols(self, stem: str, suffixes: Iterable[str]) -> tuple[Expr, ...]:
        """Generic symbols of an absent property."""
        names = [f"{stem}_{s}" for s in suffixes] or [stem]
        self.generic.update(names)
        return tuple(ex.symbol(name) for name in names)

    def name_all(self, by_name: dict[str, BodyValue]) -> None:
        """Unknowns take the name of the first place where they are met."""
        look, numbering = self.unknowns, self.numbering
        if not look.serial:
            self._name_efforts()
            return
        for i, name in enumerate(numbering.bodies[1:], 1):
            body = by_name[name]
            inertia = numbering.inertia_frame(i)
            mass = body.generic.get("mass", (body.mass,))[0]
            if mass is not None:
                look.scalar(f"mu_{i}", mass)
            if body.iframe is not None:
                self._name_displacement(f"{i}", f"{i}_{inertia}", body.iframe)
            look.vector(f"V{i}T_{i}_{inertia}", body.generic.get("translation", ()))
            look.several(f"M{i}R_{i}_{inertia}", body.generic.get("rotation", ()))
            self._name_inertia(f"MIg_{i}", body)
        for k, join in enumerate(self.state.joins):
            a, b = numbering.joint_frames(k)
            for frame, pair in ((join.first, a), (join.second, b)):
                if frame.role == "other":
                    index = str(self.numbers[str(frame.body.name)])
                    self._name_displacement(index, f"{index}_{pair}", frame.displacement)
            self._name_link(k, join.link, a, b)
        self._name_efforts()
        look.vector("V0G", self.state.gravity or ())
        own = {unknown for names in self.own.values() for unknown in names}
        for unknown, serial in look.serial.items():
            if unknown not in look.names and unknown not in own:
                look.names[unknown] = f"unknown_{serial}"

    def _name_displacement(
        self, base: str, index: str, value: Displacement, names: dict[Expr, str] | None = None
    ) -> None:
        self.unknowns.vector(f"V{base}T_{index}", value.translation, names)
        self.unknowns.several(f"M{base}R_{index}", [x for turn in value.turns for x in turn.scalars], names)

    def _name_inertia(self, variable: str, body: BodyValue) -> None:
        value: Any = body.generic.get("inertia", body.inertia)
        if value is None:
            return
        if isinstance(value[0], tuple):
            for r, row in zip("xyz", value):
                for c, entry in zip("xyz", row):
                    if c >= r:
                        self.unknowns.scalar(f"{lowered(variable)}_{r}{c}", entry)
        else:
            self.unknowns.vector(variable, value)

    def _name_link(self, k: int, link: LinkValue, a: str, b: str) -> None:
        """Unknowns inside a link object are new at each join; those it received from outside are not."""
        own: dict[Expr, str] = {}
        mine = set(link.own_unknowns)
        for rank, step in enumerate(link.steps, 1):
            mark = f"_{rank}" if len(link.steps) > 1 else ""
            self._name_displacement(a, f"{a}_{b}{mark}", step.displacement, own)
            self.unknowns.vector(f"VFL_{b}{mark}", step.force or (), own)
            self.unknowns.vector(f"VCL_{b}{mark}", step.torque or (), own)
        for name, effort in link.efforts:
            self.unknowns.scalar(f"qL_{b}_{name}", effort, own)
        for unknown, name in own.items():
            if unknown not in mine:
                self.unknowns.names.setdefault(unknown, name)
        self.own[k] = {u: name for u, name in own.items() if u in mine}

    def _name_efforts(self) -> None:
        seen: Counter[str] = Counter()
        for applied in self.applied:
            base = applied.effort.base
            if applied.effort.kind == "torque":
                i = self.numbers[str(applied.target.name)]
                at, kind, same = str(i), "CE", base is applied.target or base is None
            else:
                name = str(applied.target.body.name)
                i = self.numbers[name]
                turned = bool(applied.target.displacement.turns)
                same = (base is applied.target.body or base is None) and not turned
                kind, at = "FE", self._frame_index(i, applied.target)
            b = "" if same else str(self.numbers[str(base.name)] if base is not None else i)
            stem = f"V{b}{kind}_{at}"
            seen[stem] += 1
            suffix = f"_{seen[stem]}" if seen[stem] > 1 else ""
            if applied.effort.value is not None:
                self.unknowns.vector(stem + suffix, applied.effort.value)
            else:
                # A generic value: the object keeps it, so that the same force elsewhere is the same vector.
                x, y, z = (ex.symbol(f"{lowered(stem + suffix)}_{c}") for c in "xyz")
                applied.effort.value = Vector3((x, y, z))
                self.generic.update(s.name for s in (x, y, z))

    def _frame_index(self, i: int, frame: FrameValue) -> str:
        numbering = self.numbering
        role = self._role(frame)
        if role == "frame":
            return str(i)
        if role == "iframe":
            return numbering.inertia_frame(i)
        if not self.frame_pairs:
            for k, join in enumerate(self.state.joins):
                for side, pair in zip((join.first, join.second), numbering.joint_frames(k)):
                    self.frame_pairs.setdefault(_key(side), pair)
        if _key(frame) not in self.frame_pairs:
            rank = self.ranks[id(frame.body)]
            self.ranks[id(frame.body)] += 1
            self.frame_pairs[_key(frame)] = numbering.other_frame(i, rank)
        return self.frame_pairs[_key(frame)]

    def _role(self, frame: FrameValue) -> str:
        """What a frame is in the numbering: reference, inertia, joint or other frame of its body."""
        if frame.role != "other":
            return frame.role
        if frame.displacement == frame.body.iframe:
            return "iframe"
        return "joint" if _key(frame) in self.joint_sides else "other"

    def _is_other(self, applied: AppliedValue) -> bool:
        return isinstance(applied.target, FrameValue) and self._role(applied.target) == "other"


def _key(frame: FrameValue) -> tuple[int, Displacement]:
    return id(frame.body), frame.displacement
