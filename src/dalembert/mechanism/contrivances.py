"""Contrivances as constraints: wheels, gears, racks, belts, differentials, ropes, cams, skates, steering.

Each is a few equations that anyone could write with `constrain`; they are perfect unless said otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dalembert import expr as ex
from dalembert.errors import ModelError
from dalembert.expr import ZERO, Expr, Scalar
from dalembert.mechanism.body import EARTH, Body, Frame
from dalembert.mechanism.constraint import Constraint, Holonomic, Kinematic, equation
from dalembert.mechanism.mechanism import Mechanism
from dalembert.mechanism.names import free_name
from dalembert.mechanism.quantities import called
from dalembert.mechanism.rolling import rolling
from dalembert.mechanism.shapes import Shape
from dalembert.mechanism.surfaces import touching

Place = Body | Frame | str


def place_name(m: Mechanism, place: Place) -> str:
    """The name of a body or frame; a frame without one is named after its body."""
    if isinstance(place, str):
        return place
    if isinstance(place, Body):
        return place.name
    if place.name is not None and m.frames.get(place.name) == place:
        return place.name
    if place.displacement.is_identity:
        return place.body
    for name, known in m.frames.items():
        if (known.body, known.displacement) == (place.body, place.displacement):
            return name
    return str(m.frame(free_name(f"{place.body}_at", {*m.frames, *m.bodies}), place).name)


def roll(
    m: Mechanism,
    body: Place | Shape,
    on: Place | Shape,
    radius: Scalar | None = None,
    radii: Sequence[Scalar] | None = None,
    *,
    name: str | None = None,
) -> Constraint:
    """A wheel (its axis is the y axis of its frame), or with three `radii` an ellipsoid or a ball, rolls on a plane.

    The plane is the x, y plane of `on`. Two constraints: NAME does not let it slip, NAME_contact keeps it on the plane.
    Or two shapes roll on each other: `m.roll(da.Sphere(ball, 0.1), da.Surface(da.earth, "9 - x^2 - y^2 - z^2"))` is a
    ball in a bowl. `NAME_contact.x`... is where they touch, in the axes of the first.
    """
    if isinstance(body, Shape) or isinstance(on, Shape):
        if not isinstance(body, Shape) or not isinstance(on, Shape) or radius is not None or radii is not None:
            raise ModelError(
                "shapes roll on shapes, which have their own sizes: m.roll(da.Sphere(ball, 0.1), da.Plane(da.earth))."
            )
        return _roll_shapes(m, body, on, name)
    sizes = [_size("radius", x) for x in (radii if radii is not None else [radius] if radius is not None else [])]
    own, plane = place_name(m, body), place_name(m, on)
    chosen = _named(m, "roll", name)
    fixed = (m.frames[plane].body if plane in m.frames else plane) == EARTH
    contact, slip = rolling(own, plane, sizes, not fixed)
    m.add_constraint(Constraint(f"{chosen}_contact", Holonomic((contact,))))
    return m.add_constraint(Constraint(chosen, Kinematic(slip)))


def _roll_shapes(m: Mechanism, first: Shape, second: Shape, name: str | None) -> Constraint:
    chosen = _named(m, "roll", name)
    if first.frame.body == second.frame.body:
        raise ModelError(f"'{chosen}': both shapes are on '{first.frame.body}', and a body does not roll on itself.")
    touch = touching(f"{chosen}_contact", first, second, (place_name(m, first.frame), place_name(m, second.frame)))
    m.add_constraint(Constraint(f"{chosen}_contact", Holonomic((touch.gap,)), followed=touch.followed))
    return m.add_constraint(Constraint(chosen, Kinematic(touch.slip)))


def skate(m: Mechanism, blade: Place, *, name: str | None = None) -> Constraint:
    """A blade or a wheel that runs along the x axis of its frame: no velocity along its y axis."""
    own = place_name(m, blade)
    return m.add_constraint(Constraint(_named(m, "skate", name), Kinematic((called("vel", own, "y", own),))))


def gear(
    m: Mechanism, first: Scalar | str, second: Scalar | str, ratio: Scalar, *, name: str | None = None
) -> Constraint:
    """Two wheels in mesh outside: first = -ratio second, ratio the teeth of the second over those of the first.

    A negative ratio is a mesh inside a ring, or a belt.
    """
    teeth = ex.as_expr(ratio)
    if teeth is ZERO:
        raise ModelError("a gear of ratio 0 lets its first wheel stand, and no wheel has no teeth: give their ratio.")
    return m.constrain(_told(first) + teeth * _told(second), name=_named(m, "gear", name))


def rack(
    m: Mechanism, slide: Scalar | str, wheel: Scalar | str, radius: Scalar, *, name: str | None = None
) -> Constraint:
    """A rack moves with the teeth of its pinion: slide = radius wheel."""
    return m.constrain(_told(slide) - _size("radius", radius) * _told(wheel), name=_named(m, "rack", name))


def belt(
    m: Mechanism, first: Scalar | str, second: Scalar | str, radii: Sequence[Scalar], *, name: str | None = None
) -> Constraint:
    """An open belt on two pulleys: r1 first = r2 second."""
    a, b = (_size("radius", x) for x in radii)
    return m.constrain(a * _told(first) - b * _told(second), name=_named(m, "belt", name))


def differential(
    m: Mechanism, carrier: Scalar | str, left: Scalar | str, right: Scalar | str, *, name: str | None = None
) -> Constraint:
    """The carrier turns by the mean of its two shafts."""
    return m.constrain(2 * _told(carrier) - _told(left) - _told(right), name=_named(m, "differential", name))


def planetary(
    m: Mechanism,
    sun: Scalar | str,
    carrier: Scalar | str,
    ring: Scalar | str,
    radii: Sequence[Scalar],
    planet: Scalar | str | None = None,
    *,
    name: str | None = None,
) -> Constraint:
    """Sun, planets on a carrier, ring, with the radii of sun and ring: rs sun + rr ring = (rs + rr) carrier.

    With the angle of a `planet` (absolute), its two meshes instead: the tooth forces are the two multipliers.
    """
    s, r = (_size("radius", x) for x in radii)
    p = (r - s) / 2
    if planet is None:
        return m.constrain(
            s * _told(sun) + r * _told(ring) - (s + r) * _told(carrier), name=_named(m, "planetary", name)
        )
    inner = s * _told(sun) + p * _told(planet) - (s + p) * _told(carrier)
    outer = r * _told(ring) - p * _told(planet) - (s + p) * _told(carrier)
    return m.constrain(inner, outer, name=_named(m, "planetary", name))


def rope(
    m: Mechanism,
    points: Sequence[Place],
    length: Scalar,
    *,
    falls: Sequence[int] | None = None,
    name: str | None = None,
) -> Constraint:
    """An inextensible rope over small sheaves: the distances from point to point add up to its length.

    `falls` says how many times each part is there, as in a block.
    """
    names = [place_name(m, one) for one in points]
    if len(names) < 2:
        raise ModelError("a rope needs two points at least, between which it is stretched.")
    counts = list(falls) if falls is not None else [1] * (len(names) - 1)
    if len(counts) != len(names) - 1:
        raise ModelError(f"a rope over {len(names)} points has {len(names) - 1} parts: falls are as many numbers.")
    total = ZERO
    for count, a, b in zip(counts, names, names[1:], strict=False):
        total = total + count * called("dist", a, b)
    return m.constrain(total - _size("length", length), name=_named(m, "rope", name))


def cam(m: Mechanism, follower: Scalar | str, profile: Scalar | str, *, name: str | None = None) -> Constraint:
    """A follower at the height that the profile, a formula of the cam's angle, gives it."""
    return m.constrain(_told(follower) - equation(profile), name=_named(m, "cam", name))


def constant_velocity(m: Mechanism, first: Place, second: Place, *, name: str | None = None) -> Constraint:
    """Two shafts along the z axes of two frames turn alike, however they are bent.

    The x axes stay mirror images in the plane that halves the angle of the shafts.
    """
    a, b = place_name(m, first), place_name(m, second)
    mirrored = called("axis", a, "x", "y", b) - called("axis", a, "y", "x", b)
    return m.constrain(mirrored, name=_named(m, "constant_velocity", name))


def ackermann(
    m: Mechanism, inner: Scalar | str, outer: Scalar | str, track: Scalar, wheelbase: Scalar, *, name: str | None = None
) -> Constraint:
    """Steering of two front wheels about one centre of turning: cot(outer) - cot(inner) = track / wheelbase.

    Left and right: `inner` is the wheel on the side of positive angles. Written without poles, for straight wheels too.
    """
    a, b, share = _told(inner), _told(outer), _size("track", track) / _size("wheelbase", wheelbase)
    return m.constrain(ex.sin(a - b) - share * ex.sin(a) * ex.sin(b), name=_named(m, "ackermann", name))


def _size(what: str, value: Scalar) -> Expr:
    """A size as an expression; a number that is not positive is none."""
    size = ex.as_expr(value)
    if size.is_number and not float(size) > 0:
        raise ModelError(f"the {what} {ex.text(size)} is no size: it is positive.")
    return size


def _told(value: Scalar | str) -> Expr:
    return equation(value)


def _named(m: Mechanism, stem: str, name: str | None) -> str:
    return free_name(stem, m.tied) if name is None else name


#: What the builder with its verbs calls them.
VERBS: dict[str, Any] = {
    one.__name__: one
    for one in (roll, skate, gear, rack, belt, differential, planetary, rope, cam, constant_velocity, ackermann)
}
