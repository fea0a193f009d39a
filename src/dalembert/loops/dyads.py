"""Plane dyads by formulas: two hinges and a third, or a hinge and a slide, between two known places."""

from __future__ import annotations

from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.expr import Expr
from dalembert.loops.assembly import Closing
from dalembert.loops.cycles import Cycle
from dalembert.loops.linkage import Atom, Linkage

Array = Any


def solve_dyad(linkage: Linkage, closing: Closing, cycle: Cycle, atoms: list[Atom], x: Array) -> dict[str, Expr] | None:
    """All variables of a plane loop of four joints as formulas of the first one's variable.

    In the posture x every joint has a place and a direction in the plane. Turning or sliding the first joint by d moves
    the second joint's place; the third follows by a circle (or a line), and angles by their directions.
    """
    from dalembert.loops.cycles import cycle_screws

    positions = closing.positions
    raw = cycle_screws(positions, cycle, np.asarray(x, dtype=float))
    order = [a.variable for link, forward in cycle for a in linkage.chains[link].walk(forward) if isinstance(a, Atom)]
    begin = order.index(atoms[0].variable)
    screws = np.concatenate([raw[begin:], raw[:begin]])
    turning = [a.turn for a in atoms]
    normal = next((s[:3] for s, t in zip(screws, turning, strict=True) if t), None)
    if normal is None or sum(turning) < 2:
        return None
    e1 = np.linalg.svd(normal[None])[2][1]
    e2 = np.cross(normal, e1)
    signs = [
        float(a.factor) * (float(np.sign(s[:3] @ normal)) if a.turn else 1.0)
        for a, s in zip(atoms, screws, strict=True)
    ]
    places = [_place(s, e1, e2) if t else None for s, t in zip(screws, turning, strict=True)]
    lines = [None if t else np.array([s[3:] @ e1, s[3:] @ e2]) for s, t in zip(screws, turning, strict=True)]
    q = ex.symbol(linkage.variables[atoms[0].variable])
    change = (q - float(x[atoms[0].variable])) * signs[0]
    moved = _Carrier(change, places[0], lines[0])
    names = [linkage.variables[a.variable] for a in atoms]
    pattern = tuple(turning[1:])
    if pattern == (True, True, True):
        found = _three_hinges(moved, places[1], places[2], places[3])
    elif pattern == (True, True, False):
        found = _hinge_hinge_slide(moved, places[1], places[2], lines[3])
    else:
        return None
    if found is None:
        return None
    formulas = {names[0]: q}
    for k, extra in enumerate(found, 1):
        formulas[names[k]] = extra * signs[k] + float(x[atoms[k].variable])
    return formulas


def _place(screw: Array, e1: Array, e2: Array) -> Array:
    w, v = screw[:3], screw[3:]
    point = np.cross(w, v) / (w @ w)
    return np.array([point @ e1, point @ e2])


class _Carrier:
    """What the first joint does to points and angles of the body after it."""

    def __init__(self, change: Expr, centre: Array | None, line: Array | None) -> None:
        self.change, self.centre, self.line = change, centre, line
        self.turn: Expr = change if centre is not None else ex.ZERO

    def point(self, p: Array) -> tuple[Expr, Expr]:
        if self.centre is None:
            assert self.line is not None
            return self.change * float(self.line[0]) + float(p[0]), self.change * float(self.line[1]) + float(p[1])
        c, s = ex.cos(self.change), ex.sin(self.change)
        dx, dy = float(p[0] - self.centre[0]), float(p[1] - self.centre[1])
        return c * dx - s * dy + float(self.centre[0]), s * dx + c * dy + float(self.centre[1])


def _three_hinges(moved: _Carrier, p1: Any, p2: Any, p3: Any) -> list[Expr] | None:
    """Hinge 2 on two circles: about hinge 1, carried by the first joint, and about hinge 3, fixed."""
    a, b = float(np.hypot(*(p2 - p1))), float(np.hypot(*(p3 - p2)))
    if a == 0 or b == 0:
        return None
    x1, y1 = moved.point(p1)
    dx, dy = float(p3[0]) - x1, float(p3[1]) - y1
    distance = dx * dx + dy * dy
    along = (distance + (a * a - b * b)) / (2 * distance)
    height = ex.sqrt(a * a / distance - along * along)
    d0 = p3 - p1
    side = float(np.sign(d0[0] * (p2 - p1)[1] - d0[1] * (p2 - p1)[0])) or 1.0
    vx, vy = along * dx - side * height * dy, along * dy + side * height * dx
    return _angles(moved, p1, p2, p3, (vx, vy), (dx - vx, dy - vy))


def _angles(moved: _Carrier, p1: Any, p2: Any, p3: Any, v: tuple[Expr, Expr], w: tuple[Expr, Expr]) -> list[Expr]:
    """Turns of the joints 1, 2, 3 from the new directions of the bars 1-2 and 2-3 against the old ones."""
    first = _turn_between(p2 - p1, v)
    second = _turn_between(p3 - p2, w)
    return [_wrapped(first - moved.turn), _wrapped(second - first), _wrapped(-second)]


def _turn_between(old: Any, new: tuple[Expr, Expr]) -> Expr:
    x, y = float(old[0]), float(old[1])
    return ex.atan2(new[1] * x - new[0] * y, new[0] * x + new[1] * y)


def _wrapped(angle: Expr) -> Expr:
    """The same angle between -pi and pi, so that a difference of two arcs has no jump of a turn."""
    return ex.atan2(ex.sin(angle), ex.cos(angle))


def _hinge_hinge_slide(moved: _Carrier, p1: Any, p2: Any, line: Any) -> list[Expr] | None:
    """Hinge 2 on the circle about hinge 1 and on a line along the slide, fixed in direction."""
    a = float(np.hypot(*(p2 - p1)))
    size = float(np.hypot(*line))
    if a == 0 or size == 0:
        return None
    ux, uy = float(line[0]) / size, float(line[1]) / size
    x1, y1 = moved.point(p1)
    # p2 + s u, with |p2 + s u - p1'| = a
    dx, dy = float(p2[0]) - x1, float(p2[1]) - y1
    along = dx * ux + dy * uy
    rest = along * along - (dx * dx + dy * dy) + a * a
    d0 = p2 - p1
    side = float(np.sign(d0 @ np.array([ux, uy]))) or 1.0
    s = side * ex.sqrt(rest) - along
    v = (dx + s * ux, dy + s * uy)
    first = _turn_between(p2 - p1, v)
    # run through the loop the slide brings the frame back, so it moves against the hinge
    return [_wrapped(first - moved.turn), _wrapped(-first), -s / size]
