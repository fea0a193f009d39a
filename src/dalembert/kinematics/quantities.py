"""Quantities of frames in the state: what formulas of constraints name (`mechanism.quantities`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import ONE, Expr
from dalembert.expr.space import Vector3, norm3
from dalembert.kinematics.frames import FrameMotions
from dalembert.kinematics.motion import poses
from dalembert.kinematics.spatial import Pose
from dalembert.kinematics.tree import Tree
from dalembert.kinematics.wrench import in_speeds
from dalembert.mechanism import Quantity, quantities, virtual_parts
from dalembert.mechanism.quantities import RATE


def in_state(
    tree: Tree, exprs: Sequence[Expr], own: Mapping[Expr, Expr] | None = None, like: FrameMotions | None = None
) -> list[Expr]:
    """Formulas with quantities of frames in coordinates, speeds and time; `own` are rates of cut links' coordinates.

    Many on one tree share the poses of its nodes, which are those of `like`.
    """
    return FramesInState(tree, own or {}, like).written(list(exprs))


def form_row(tree: Tree, form: Expr, own: Mapping[Expr, Expr] | None = None) -> list[Expr]:
    """The efforts on the speeds of a unit of a form c1 d(e1) + c2 d(e2) + ..."""
    state = FramesInState(tree, own or {})
    row = [ex.ZERO] * len(tree.speeds)
    for what, weight in virtual_parts(form):
        told, factor = state.written([what, weight])
        moves = not ex.free_symbols(told).isdisjoint(tree.speeds)
        (moved,) = [told] if moves else ex.tangent([told], state.moving)
        slopes = ex.gradient(moved, tree.speeds)
        row = [a + factor * b for a, b in zip(row, slopes, strict=True)]
    return row


class FramesInState(FrameMotions):
    """Quantities of frames, where coordinates of cut links have the rates `own`."""

    def __init__(self, tree: Tree, own: Mapping[Expr, Expr], like: FrameMotions | None = None) -> None:
        super().__init__(tree)
        self.own, self.like = own, like
        self.moving: dict[Expr, Expr] = {ex.TIME: ONE, **tree.rates, **own}

    @cached_property
    def nodes(self) -> list[Pose]:
        return poses(self.tree) if self.like is None else self.like.nodes

    def written(self, exprs: list[Expr]) -> list[Expr]:
        asked = quantities(exprs)
        derived = [e for e in ex.topological(exprs) if e.op == "apply" and e.name == RATE]
        if asked:
            values = {e: self.value(one) for e, one in asked.items()}
            exprs, derived = ex.substitute(exprs, values), ex.substitute(derived, values)
        if derived:
            exprs = self._derived(exprs)
        found = in_speeds(self.tree, exprs)
        primes = {ex.prime(x): rate for x, rate in self.own.items()}
        return ex.substitute(found, primes) if primes else found

    def _derived(self, exprs: list[Expr]) -> list[Expr]:
        """rate(e), the inner ones first."""
        replace: dict[Expr, Expr] = {}
        for e in ex.topological(exprs):
            if e.op == "apply" and e.name == RATE:
                if len(e.args) != 1:
                    raise ModelError(f"'{ex.text(e)}' is called with {len(e.args)} arguments: rate takes one.")
                (inside,) = in_speeds(self.tree, ex.substitute([e.args[0]], replace))
                replace[e] = ex.tangent([inside], self.moving)[0]
        return ex.substitute(exprs, replace)

    def value(self, one: Quantity) -> Expr:
        """A quantity in coordinates and speeds of the tree."""
        frames = [self.tree.layout.model.frame_called(name) for name in one.frames]
        if one.kind == "dist":
            return norm3(self.pose(frames[1]).position - self.pose(frames[0]).position)
        axis, base = one.axes[-1], self.pose(frames[1]) if len(frames) > 1 else Pose()
        if one.kind == "pos":
            return base.vector_back(self.pose(frames[0]).position - base.position)[axis]
        if one.kind == "axis":
            rotation = self.pose(frames[0]).rotation
            k = one.axes[0]
            return base.vector_back(Vector3((rotation[0][k], rotation[1][k], rotation[2][k])))[axis]
        twist = self.twist(frames[0])
        return base.vector_back(twist.linear if one.kind == "vel" else twist.angular)[axis]
