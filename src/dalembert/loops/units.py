"""Lengths without units: a linkage measured by its own size, so that a watch and a crane get the same proof."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from math import frexp

import numpy as np

from dalembert import expr as ex
from dalembert.expr import Expr
from dalembert.expr.space import Vector3
from dalembert.kinematics import Pose
from dalembert.loops.linkage import Atom, Chain, Fixed, Linkage, Piece


def in_own_units(linkage: Linkage, start: Mapping[str, float]) -> Linkage:
    """The same linkage with its lengths divided by their mean size, a power of two (so that no digit changes).

    A variable is a length when it only slides. Further equations are divided by the size of their gradient at the
    start, or beside it where it is zero there, again a power of two. A linkage in its own units stays as it is.
    """
    if linkage.unit != 1 or linkage.lengths:
        return linkage
    turning = {p.variable for c in linkage.chains.values() for p in c.pieces if isinstance(p, Atom) and p.turn}
    sliding = {p.variable for c in linkage.chains.values() for p in c.pieces if isinstance(p, Atom) and not p.turn}
    lengths = frozenset(sliding - turning)
    unit = _size(linkage, start, lengths)
    shrink = ex.const(1 / unit)
    poses: dict[int, Pose] = {}

    def piece(one: Piece) -> Piece:
        if isinstance(one, Fixed):
            pose = poses.setdefault(id(one.pose), Pose(one.pose.rotation, _scaled(one.pose.position, shrink)))
            return Fixed(pose, one.inverse)
        if one.turn or one.variable in lengths:
            return one
        return replace(one, axis=_scaled(one.axis, shrink))  # a thread: its lead is a length

    def chain(one: Chain) -> Chain:
        return replace(one, body=tuple(map(piece, one.body)), tail=tuple(map(piece, one.tail)))

    names = {ex.symbol(linkage.variables[i]): ex.const(unit) * ex.symbol(linkage.variables[i]) for i in lengths}
    equations = list(ex.substitute(list(linkage.equations), names)) if unit != 1 else list(linkage.equations)
    for place, i in enumerate(linkage.auxiliary):
        if i in lengths:
            equations[place] = shrink * equations[place]
    made = replace(
        linkage,
        chains={name: chain(c) for name, c in linkage.chains.items()},
        equations=tuple(equations),
        unit=unit,
        lengths=lengths,
    )
    return replace(made, equations=tuple(_balanced(made, start)))


def _scaled(vector: Vector3, factor: Expr) -> Vector3:
    return Vector3(tuple(factor * x for x in vector))


def _size(linkage: Linkage, start: Mapping[str, float], lengths: frozenset[int]) -> Fraction:
    """The mean of the lengths of the description, else of the slides at the start, rounded to a power of two."""
    known = {ex.symbol(k): float(v) for k, v in linkage.given.items()}
    poses = {id(p.pose): p.pose for c in linkage.chains.values() for p in c.pieces if isinstance(p, Fixed)}
    entries = [x for pose in poses.values() for x in pose.position]
    values = np.abs(np.array(ex.evaluate(entries, known), dtype=float)) if entries else np.zeros(0)
    values = values[values > 0]
    if not len(values):
        values = np.abs([float(start.get(linkage.variables[i], 0.0)) for i in lengths])
        values = values[values > 0]
    if not len(values):
        return Fraction(1)
    return Fraction(2) ** (frexp(float(values.mean()))[1] - 1)


def _balanced(linkage: Linkage, start: Mapping[str, float]) -> list[Expr]:
    equations = list(linkage.equations)
    symbols = [ex.symbol(n) for n in linkage.variables]
    known = dict(zip(symbols, linkage.start(start), strict=True))
    known |= {ex.symbol(k): float(v) for k, v in linkage.given.items()}
    for i in range(len(linkage.auxiliary), len(equations)):
        gradient = ex.gradient(equations[i], symbols)
        size = float(np.abs(np.array(ex.evaluate(gradient, known), dtype=float)).max(initial=0.0))
        if not size > 0:  # stationary at the start: beside it then, a part of the machine's size away
            beside = {x: known.get(x, 0.0) + 0.1 * (1 + j % 3) for j, x in enumerate(symbols)}
            size = float(np.abs(np.array(ex.evaluate(gradient, {**known, **beside}), dtype=float)).max(initial=0.0))
        if size > 0 and np.isfinite(size):
            equations[i] = ex.const(Fraction(2) ** (1 - frexp(size)[1])) * equations[i]
    return equations
