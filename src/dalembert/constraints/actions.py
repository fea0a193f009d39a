"""What constraints do to bodies and joints: forces where their formulas name frames, efforts on coordinates.

A unit of a multiplier has the power of the virtual change that its form names. A place pushes the frame that it is of,
and the opposite way the frame from which it is seen; a coordinate is pushed by an effort in its joint.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from dalembert import expr as ex
from dalembert.constraints.friction import drag_along
from dalembert.constraints.rows import Rows
from dalembert.expr import ONE, ZERO, Expr
from dalembert.expr.space import Vector3
from dalembert.kinematics import Pose, Tree, Wrench
from dalembert.kinematics.quantities import FramesInState
from dalembert.mechanism import Along, Constraint, Coulomb, Frame, Quantity, quantities, virtual_parts
from dalembert.mechanism.quantities import MOVING, RATE, names_moving

_AXES = (Vector3((ONE, ZERO, ZERO)), Vector3((ZERO, ONE, ZERO)), Vector3((ZERO, ZERO, ONE)))


@dataclass(frozen=True, slots=True)
class Actions:
    """Wrenches on bodies, each at the origin and in the base of its body; efforts on coordinates and speeds."""

    bodies: list[tuple[int, Wrench]] = field(default_factory=list)
    joints: dict[Expr, Expr] = field(default_factory=dict)


def constraint_actions(tree: Tree, rows: Rows, multipliers: Sequence[Expr]) -> Actions:
    """Of all constraints that are formulas, with these multipliers."""
    own = {one.coordinate: one.rate for one in rows.own}
    made = _Made(tree, FramesInState(tree, own), Actions())
    places = {one.name: iter(rows.of(one.name)) for one in tree.layout.further}  # parts of one constraint share a name
    for one in tree.layout.further:
        weights = [multipliers[k] for k in islice(places[one.name], len(one.expressions))]
        for what, weight in _forms(made, one, weights):
            made.push(what, weight)
    return made.found


def formula_actions(
    tree: Tree, own: Mapping[Expr, Expr], forms: Iterable[tuple[Expr, Expr]], before: Actions | None = None
) -> Actions:
    """Of efforts of a given size on the virtual changes of formulas, added to those `before`."""
    made = _Made(tree, FramesInState(tree, dict(own)), before or Actions())
    for what, weight in forms:
        made.push(what, weight)
    return made.found


def _forms(made: _Made, one: Constraint, weights: Sequence[Expr]) -> Iterator[tuple[Expr, Expr]]:
    """Virtual changes, each with its effort."""
    if isinstance(one.reaction, Along):
        for form, weight in zip(one.reaction.forms, weights, strict=True):
            for what, factor in virtual_parts(form):
                yield what, weight * made.state.written([factor])[0]
        return
    yield from zip(one.expressions, weights, strict=True)
    if isinstance(one.reaction, Coulomb):
        friction, *slip = made.state.written([one.reaction.friction, *one.reaction.slip])
        along = drag_along(one.reaction, friction, slip)
        push = ex.absolute(weights[0])
        yield from ((what, -push * share) for what, share in zip(one.reaction.slip, along, strict=True))


@dataclass(frozen=True, slots=True)
class _Made:
    tree: Tree
    state: FramesInState
    found: Actions

    def push(self, what: Expr, weight: Expr) -> None:
        """Efforts of a given size on the virtual change of an expression."""
        model = self.tree.layout.model
        derived = [e for e in ex.topological([what]) if e.op == "apply" and e.name == RATE]
        asked = quantities([what])
        idle = {x.reaction.sticks for x in self.tree.layout.further if isinstance(x.reaction, Coulomb)}
        idle |= {ex.symbol(x) for one in self.tree.layout.further if one.followed for x in one.followed.coordinates}
        symbols = [x for x in ex.free_symbols(what) if "." in x.name and x not in idle]
        moving = names_moving([what]) or any(x.name.endswith("'") or x in self.tree.speeds for x in symbols)
        chosen = [e for e, one in asked.items() if (one.kind in MOVING) == moving]
        chosen += [x for x in symbols if (x.name.endswith("'") or x in self.tree.speeds) == moving]
        chosen += derived if moving else []
        held = [ex.symbol(f"moved {i}") for i in range(len(chosen))]
        (told,) = ex.substitute([what], dict(zip(chosen, held, strict=True)))
        slopes = ex.substitute(ex.gradient(told, held), dict(zip(held, chosen, strict=True)))
        for one, slope in zip(chosen, self.state.written(slopes), strict=True):
            effort = slope * weight
            if effort is ZERO:
                continue
            place = model.frame_quantity(one.name) if one.op == "symbol" else None
            if one in asked:
                self._on_frames(asked[one], effort)
            elif place is not None:
                self._wrench(place[0], effort * _AXES[place[1]])
            elif one.op == "apply":
                self.push(one.args[0], effort)
            else:
                coordinate = ex.symbol(one.name.removesuffix("'"))
                self.found.joints[coordinate] = self.found.joints.get(coordinate, ZERO) + effort

    def _on_frames(self, one: Quantity, effort: Expr) -> None:
        frames = [self.tree.layout.model.frame_called(name) for name in one.frames]
        poses = [self.state.pose(frame) for frame in frames]
        if one.kind == "dist":
            between = poses[1].position - poses[0].position
            pull = effort / self.state.value(one) * between
            self._wrench(frames[1], pull)
            self._wrench(frames[0], -pull)
            return
        base = poses[1] if len(poses) > 1 else Pose()
        way = effort * base.vector(_AXES[one.axes[-1]])
        if one.kind == "omega":
            self._wrench(frames[0], torque=way)
        elif one.kind == "axis":
            turned = poses[0].vector(_AXES[one.axes[0]]).cross(way)
            self._wrench(frames[0], torque=turned)
            if len(frames) > 1:
                self._wrench(frames[1], torque=-turned)
        else:
            self._wrench(frames[0], way)
            if one.kind == "pos" and len(frames) > 1:
                self._wrench(frames[1], -way, (poses[0].position - base.position).cross(-way))

    def _wrench(self, frame: Frame, force: Vector3 | None = None, torque: Vector3 | None = None) -> None:
        """A force at the origin of a frame and a torque, both in the base of earth."""
        number = self.tree.layout.number(frame.body)
        if number == 0:
            return
        none = Vector3((ZERO, ZERO, ZERO))
        pose = self.state.pose(Frame(frame.body))
        own, turn = pose.vector_back(force or none), pose.vector_back(torque or none)
        self.found.bodies.append((number, Wrench.at_point(frame.displacement.translation, own, turn)))
