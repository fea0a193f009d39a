"""Sizes of states, so that tolerances mean the same for a watch and for a crane.

An absolute tolerance has the unit of its state. In parts of the machine's own length it has none: the same machine in
millimetres or kilometres is integrated by the same steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.expr import ZERO, Expr
from dalembert.expr.space import Vector3, dot3
from dalembert.kinematics import link_motions
from dalembert.mechanism import EARTH, Layout, Link

Array = NDArray[np.float64]

RTOL, ATOL = 1e-8, 1e-10
"""Default tolerances: relative, and absolute in parts of the scale of a state (a radian, the size of the machine)."""


@dataclass(frozen=True, slots=True)
class Scales:
    """`lengths` that occur in a machine; for each state the turn (radians) and the shift (length) that a unit gives.

    The scale of a state is what turns by one radian or shifts by the largest of the lengths, whichever is less;
    `fall` is the length that serves where no other is known: how far things fall in a unit of time.
    """

    lengths: tuple[Expr, ...]
    turns: tuple[Expr, ...]
    shifts: tuple[Expr, ...]
    fall: Expr = ZERO

    @property
    def symbols(self) -> set[Expr]:
        """What the sizes depend on."""
        return ex.free_symbols((*self.lengths, self.fall, *self.turns, *self.shifts))

    def length(self, values: Mapping[Expr, float]) -> float:
        """The largest of the lengths, or how far things fall in a unit of time, or 1."""
        *own, fall = _numbers((*self.lengths, self.fall), values)
        return float(max(own, default=0.0) or fall or 1.0)

    def at(self, values: Mapping[Expr, float]) -> Array:
        """The scales with these numbers; a formula that has no value there is left out."""
        count, states = len(self.lengths), len(self.turns)
        sizes = _numbers((*self.lengths, self.fall, *self.turns, *self.shifts), values)
        length = float(sizes[:count].max(initial=0.0) or sizes[count] or 1.0)
        turn, shift = sizes[count + 1 : count + 1 + states], sizes[count + 1 + states :]
        rate = np.maximum(turn, shift / length)
        return np.where(rate > 0, 1.0 / np.where(rate > 0, rate, 1.0), 1.0)


@lru_cache(maxsize=64)
def scales_of(layout: Layout) -> Scales:
    """Lengths: offsets of frames and centres, radii of inertia, displacements; turns and shifts of each joint."""
    model, state = layout.model, layout.state
    links = {name: link for link in model.links.values() for name in (*link.coordinates, *link.speeds)}
    frames = [frame for link in model.links.values() for frame in (link.first, link.second)]
    lengths = [_norm(frame.displacement.translation) for frame in frames]
    for name, body in model.bodies.items():
        if name != EARTH:
            lengths.append(_norm(body.centre))
            inertia = body.inertia
            lengths += [ex.sqrt(j / body.mass) for j in (inertia.xx, inertia.yy, inertia.zz) if body.mass is not ZERO]
    lengths += [_norm(motion.translation) for link in model.links.values() for motion in link_motions(link)]
    own = {x: one.followed.lengths for one in layout.further if one.followed for x in one.followed.coordinates}
    told = {name: (ZERO, ex.ONE) if lengths else (ex.ONE, ZERO) for name, lengths in own.items()}
    sizes = [told[name] if name in told else _coordinate(links[name], name) for name in state.coordinates]
    sizes += [_speed(links[name], name) for name in state.speeds]
    turns, shifts = zip(*sizes, strict=True) if sizes else ((), ())
    return Scales(tuple(dict.fromkeys(lengths)), turns, shifts, _norm(model.gravity))


def _coordinate(link: Link, name: str) -> tuple[Expr, Expr]:
    """A coordinate turns by as many radians as it counts if the rotation contains it, and shifts by the slope."""
    x = ex.symbol(name)
    turn, shift = ZERO, ZERO
    for motion in link_motions(link):
        if x in ex.free_symbols([e for row in motion.rotation for e in row]):
            turn = ex.ONE
        a, b, c = (ex.derivative(e, x) for e in motion.translation)
        shift = shift + _norm(Vector3((a, b, c)))
    return turn, shift


def _speed(link: Link, name: str) -> tuple[Expr, Expr]:
    turn, shift = ZERO, ZERO
    for motion in link_motions(link):
        for speed, twist in motion.columns:
            if speed == name:
                turn, shift = turn + _norm(twist.angular), shift + _norm(twist.linear)
    return turn, shift


def _norm(v: Vector3) -> Expr:
    return ex.sqrt(dot3(v, v))


def _numbers(exprs: tuple[Expr, ...], values: Mapping[Expr, float]) -> Array:
    """Sizes of expressions; zero for one whose names have no value, or that is infinite there."""
    numbers, formulas = _split(exprs)
    sizes = numbers.copy()
    told = [(i, e) for i, e, used in formulas if used <= values.keys()]
    if told:
        with np.errstate(all="ignore"):
            sizes[[i for i, _ in told]] = np.abs(ex.evaluate([e for _, e in told], values))
        sizes[~np.isfinite(sizes)] = 0.0
    return sizes


@lru_cache(maxsize=64)
def _split(exprs: tuple[Expr, ...]) -> tuple[Array, list[tuple[int, Expr, set[Expr]]]]:
    """Numbers in their places, zeros in others; and the formulas, each with its place and its symbols."""
    numbers = np.abs([float(e.value) if e.is_number else 0.0 for e in exprs])
    formulas = [(i, e, ex.free_symbols([e])) for i, e in enumerate(exprs) if not e.is_number]
    return np.where(np.isfinite(numbers), numbers, 0.0), formulas
