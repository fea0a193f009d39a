"""Quantities that a condition or a reaction may name beside coordinates and rates: places and motions of frames.

    pos(f, x)    coordinate of the origin of f along an axis of earth; pos(f, x, g): seen from g, along its axis
    vel(f, x)    velocity of that origin, along an axis of earth; vel(f, x, g): the same velocity, along an axis of g
    omega(b, x)  angular velocity of b, along an axis of earth; omega(b, x, g): the same, along an axis of g
    axis(f, x, y)    y component, in earth, of the x axis of f; axis(f, x, y, g): in the base of g
    dist(f, g)   distance of two origins
    angle(f, z)  by how much f is turned about the z axis of earth; angle(f, z, g): about that of g; see `angle`
    rate(e)      time derivative of an expression of coordinates and such quantities
    d(e)         only in reactions: how e changes in a virtual motion; of a velocity, the virtual velocity itself

A frame is called by its name, a body stands for its reference frame. Of f also `f.X` (place), `f.X'` (velocity).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import Expr

AXES = ("x", "y", "z")
#: How each is called: which of its arguments are frames, which are axes (the base that may follow is a frame).
SHAPES: dict[str, tuple[str, ...]] = {
    "pos": ("frame", "axis"),
    "vel": ("frame", "axis"),
    "omega": ("frame", "axis"),
    "axis": ("frame", "axis", "axis"),
    "dist": ("frame", "frame"),
}
#: Functions of expressions: the time derivative and, in reactions, the virtual change.
RATE, VIRTUAL = "rate", "d"
#: Short for a formula of the others.
ANGLE = "angle"
NAMES = frozenset((*SHAPES, RATE, VIRTUAL, ANGLE))
#: Those that are velocities.
MOVING = ("vel", "omega", RATE)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity of frames, as called: kind, names of frames (the base last, if there is one), numbers of axes."""

    kind: str
    frames: tuple[str, ...]
    axes: tuple[int, ...]


def quantity(e: Expr) -> Quantity | None:
    """What a call asks of frames; None for anything else."""
    if e.op != "apply" or e.name not in SHAPES:
        return None
    shape = SHAPES[e.name]
    if len(e.args) == len(shape) + 1 and e.name != "dist":
        shape = (*shape, "frame")
    if len(e.args) != len(shape):
        usual = ", ".join("f" if part == "frame" else "x" for part in SHAPES[e.name])
        raise ModelError(f"'{ex.text(e)}' is called with {len(e.args)} arguments: write {e.name}({usual}).")
    frames, axes = list[str](), list[int]()
    for part, value in zip(shape, e.args, strict=True):
        if value.op != "symbol":
            raise ModelError(
                f"'{ex.text(e)}': {ex.text(value)} is no name of {'a frame' if part == 'frame' else 'axis'}."
            )
        if part == "frame":
            frames.append(value.name)
        elif value.name in AXES:
            axes.append(AXES.index(value.name))
        else:
            raise ModelError(f"'{ex.text(e)}': '{value.name}' is no axis. Write x, y or z.")
    return Quantity(e.name, tuple(frames), tuple(axes))


def quantities(exprs: Iterable[Expr]) -> dict[Expr, Quantity]:
    """Every quantity of frames that expressions name."""
    return {e: found for e in ex.topological(exprs) if (found := quantity(e)) is not None}


def names_moving(exprs: Iterable[Expr]) -> bool:
    """Whether a velocity is called for: then the expression is a condition on speeds."""
    return any(e.op == "apply" and e.name in MOVING for e in ex.topological(exprs))


def plain_symbols(exprs: Sequence[Expr]) -> set[Expr]:
    """Symbols that stand for numbers: names of frames and axes in quantities left out."""
    called = quantities(exprs)
    return ex.free_symbols(ex.substitute(list(exprs), {e: ex.symbol(f" {i}") for i, e in enumerate(called)})) - {
        ex.symbol(f" {i}") for i in range(len(called))
    }


def virtual(e: Expr | str) -> Expr:
    """d(e)."""
    return ex.apply(VIRTUAL, (ex.symbol(e) if isinstance(e, str) else e,))


def called(kind: str, *names: str) -> Expr:
    """A quantity by the names of its frames and axes: `called("vel", "wheel", "x")`."""
    return ex.apply(kind, tuple(ex.symbol(x) for x in names))


def angle(frame: str, axis: str, *base: str) -> Expr:
    """By how much a frame is turned about an axis of earth or of `base`, between -pi and pi.

    About z: the direction of its x axis, seen along z; of an x axis that is along z it is not defined. Conditions hold
    it up to whole turns. About x it is the y axis, about y the z axis that is looked at.
    """
    k = AXES.index(axis)
    along, across = AXES[(k + 1) % 3], AXES[(k + 2) % 3]
    return ex.atan2(called("axis", frame, along, across, *base), called("axis", frame, along, along, *base))


def with_angles(e: Expr) -> Expr:
    """A formula in which `angle` is written out."""
    found = dict[Expr, Expr]()
    for one in ex.topological([e]):
        if one.op == "apply" and one.name == ANGLE:
            names = [x.name if x.op == "symbol" else "" for x in one.args]
            if len(names) not in (2, 3) or names[1] not in AXES:
                raise ModelError(
                    f"'{ex.text(one)}' is no angle: write angle(f, z), how far a frame is turned about an axis of "
                    "earth, or angle(f, z, g), about one of another frame."
                )
            found[one] = angle(*names)
    return ex.substitute([e], found)[0] if found else e


def virtual_parts(form: Expr) -> Iterator[tuple[Expr, Expr]]:
    """A form c1 d(e1) + c2 d(e2) + ... as pairs (e, c); what is not linear in its d is refused."""
    parts = [e for e in ex.topological([form]) if e.op == "apply" and e.name == VIRTUAL]
    held = [ex.symbol(f"d {i}") for i in range(len(parts))]
    (written,) = ex.substitute([form], dict(zip(parts, held, strict=True)))
    rest = ex.substitute([written], dict.fromkeys(held, 0))[0]
    slopes = ex.gradient(written, held)
    if not parts or rest is not ex.ZERO or not ex.free_symbols(slopes).isdisjoint(held):
        raise ModelError(
            f"the reaction '{ex.text(form)}' is no sum of virtual changes: write the name of a coordinate, or "
            "d(elbow.th), cos(a)*d(cart.x) + d(pos(tip, y))."
        )
    for one, slope in zip(parts, slopes, strict=True):
        if len(one.args) != 1:
            raise ModelError(f"'{ex.text(one)}' is called with {len(one.args)} arguments: d takes one expression.")
        yield one.args[0], slope
