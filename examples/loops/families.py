"""Linkages as small builders. `python families.py NAME [N]` prints one as an LSD program.

Bodies are drawn where they stand in a closed posture, all in the frame of earth: then every joint coordinate is zero
there. Linkages given by lengths and twists (Denavit and Hartenberg) are closed by `start` values instead.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence

from dalembert.mechanism import (
    Body,
    Mechanism,
    earth,
    planar,
    prismatic,
    revolute,
    spherical,
    turn,
    universal,
)

Vector = Sequence[float | str]


def rods(m: Mechanism, *names: str, mass: float = 1.0) -> dict[str, Body]:
    """Bodies with a plain inertia, and earth under its own name."""
    made = {name: m.body(name, mass=mass, inertia=[0.1, 0.1, 0.1]) for name in names}
    return {"earth": earth, **made}


def pin(m: Mechanism, bodies: dict[str, Body], name: str, first: str, second: str, point: Vector, axis="z") -> None:
    """A hinge at a point of earth's frame, in the posture in which all frames coincide."""
    m.join(bodies[first].at(point), bodies[second].at(point), revolute(axis), name=name)


def planar_linkage(name: str, pins: Sequence[tuple[str, str, tuple[float, float]]]) -> Mechanism:
    """A plane linkage from its pins: (body, body, (x, y))."""
    m = Mechanism(name)
    names = dict.fromkeys(b for first, second, _ in pins for b in (first, second) if b != "earth")
    points = {b: [p for first, second, p in pins if b in (first, second)] for b in names}
    bodies: dict[str, Body] = {"earth": earth}
    for b in names:
        x, y = (sum(c) / len(points[b]) for c in zip(*points[b], strict=True))
        bodies[b] = m.body(b, mass=1, centre=[x, y, 0], inertia=[0.1, 0.1, 0.1])
    for first, second, (x, y) in pins:
        pin(m, bodies, f"{first}_{second}", first, second, [x, y, 0])
    return m


# --- the six examples of the thesis, and its half-salières --------------------------------------------------------


def triangle(l1: float = 3, l2: float = 4, l3: float = 5) -> Mechanism:
    """Three rods hinged in a triangle that slides on a plane (thesis, example 1)."""
    m = Mechanism("triangle")
    b = rods(m, "s1", "s2", "s3")
    m.join(earth, b["s1"], planar(), name="plane")
    m.join(b["s1"].at([l1, 0, 0]), b["s2"], revolute("z"), name="j12")
    m.join(b["s1"], b["s3"].at([l3, 0, 0]), revolute("z"), name="j13")
    m.join(b["s2"].at([l2, 0, 0]), b["s3"], revolute("z"), name="j23")
    # angles of the sides: rod 1 along x, rod 2 and rod 3 close the triangle
    turn2 = math.pi - math.acos((l1 * l1 + l2 * l2 - l3 * l3) / (2 * l1 * l2))
    turn3 = math.pi + math.acos((l1 * l1 + l3 * l3 - l2 * l2) / (2 * l1 * l3))
    m.start.update({"j12.th": turn2, "j13.th": -turn3, "j23.th": turn3 - turn2})
    m.start["j13.th"] = turn3
    return m


def slider_crank(crank: float = 1, rod: float = 3) -> Mechanism:
    """Crank, rod and slider (thesis, example 2)."""
    m = Mechanism("slider_crank")
    b = rods(m, "s1", "s2", "s3")
    m.join(earth, b["s1"], revolute("z"), name="j01")
    m.join(b["s1"].at([crank, 0, 0]), b["s2"], revolute("z"), name="j12")
    m.join(earth, b["s3"], prismatic("x"), name="j03")
    m.join(b["s2"].at([rod, 0, 0]), b["s3"], revolute("z"), name="j23")
    a = 0.7
    c = -math.asin(crank * math.sin(a) / rod)
    m.start.update({"j01.th": a, "j12.th": c - a, "j03.x": crank * math.cos(a) + rod * math.cos(c), "j23.th": -c})
    return m


def saliere() -> Mechanism:
    """Four rods in a square whose hinge axes meet in its centre (thesis, example 3): a spherical four-bar."""
    m = Mechanism("saliere")
    b = rods(m, "s1", "s2", "s3")
    m.join(earth, b["s1"], revolute([0, 1, 0]), name="j01")
    m.join(b["s1"], b["s2"], revolute([-1, 0, 0]), name="j12")
    m.join(earth, b["s3"], revolute([1, 0, 0]), name="j03")
    m.join(b["s2"].at([0, -1, 0]), b["s3"].at([0, -1, 0]), revolute([0, -1, 0]), name="j23")
    m.start.update({"j12.th": 0.6, "j03.th": -0.6})
    return m


def homokinetic(length: float = 2, x: float = 0.5, y: float = 0.3) -> Mechanism:
    """Two shafts, two universal joints and a rod between them (thesis, example 4)."""
    m = Mechanism("homokinetic")
    b = rods(m, "s1", "s2", "s3", "s4")
    m.join(earth, b["s1"], revolute("z"), name="j01")
    m.join(b["s1"], b["s2"], universal(("y", "-x")), name="j12")
    m.join(earth.at([x, y, 0]), b["s4"], prismatic("z", "z"), name="j04")
    m.join(b["s4"], b["s3"], revolute("z"), name="j34")
    m.join(b["s2"].at([0, 0, length]), b["s3"], universal(("-x", "y")), name="j23")
    gamma = math.asin(y / length)
    beta = math.asin(x / (length * math.cos(gamma)))
    m.start.update({"j12.al": beta, "j12.be": gamma, "j04.z": length * math.cos(beta) * math.cos(gamma)})
    m.start.update({"j23.al": -gamma, "j23.be": -beta})
    return m


def homokinetic_planar(length: float = 2, x: float = 0.5, y: float = 0.3) -> Mechanism:
    """The joint as it is used: a planar pair instead of the slide, so that the second shaft can also move aside."""
    m = homokinetic(length, x, y)
    made = Mechanism("homokinetic_planar")
    for body in m.bodies.values():
        if body.name != "earth":
            made.add_body(body)
    height = math.sqrt(length * length - x * x - y * y)
    for link in m.links.values():
        if link.name == "j04":
            made.join(earth.at([0, 0, height]), link.second, planar("z"), name="j04")
        else:
            made.join(link.first, link.second, link.joint, name=link.name)
    made.start.update({k: v for k, v in m.start.items() if k != "j04.z"} | {"j04.x": x, "j04.y": y})
    return made


def antenna(levels: int = 1, length: str = "L", height: str = "R") -> Mechanism:
    """The deployable cell of the thesis (examples 5 and 6): three vertical rods, two-rod arms between them."""
    m = Mechanism(f"antenna_{levels}")
    count = 8 if levels == 1 else 14
    b = {0: earth, **{i: m.body(f"s{i}", mass=1, inertia=[0.1, 0.1, 0.1]) for i in range(1, count + 1)}}
    down, up = turn("-2*pi/3", "x"), turn("2*pi/3", "x")
    o, r, h = [0, 0, 0], [0, length, 0], [f"-{height}", 0, 0]
    joints = [
        ("j10", b[0].at(o), b[1].at(o)),
        ("j21", b[1].at(r), b[2].at(o)),
        ("j32", b[2].at(r), b[3].at(o)),
        ("j43", b[3].at(o, down), b[4].at(o)),
        ("j65", b[6].at(o), b[5].at(r)),
        ("j76", b[7].at(o), b[6].at(o, down)),
        ("j87", b[8].at(o), b[7].at(r)),
        ("j80", b[0].at(o, up), b[8].at(r)),
        ("j54", b[4].at(r), b[5].at(o)),
    ]
    if levels == 2:
        joints += [
            ("j90", b[0].at(h), b[9].at(o)),
            ("j109", b[9].at(r), b[10].at(o)),
            ("j113", b[3].at(h, down), b[11].at(o)),
            ("j126", b[6].at(h), b[12].at(r)),
            ("j1413", b[14].at(o), b[13].at(r)),
            ("j140", b[0].at(h, up), b[14].at(r)),
            ("j103", b[3].at(h), b[10].at(r)),
            ("j1211", b[11].at(r), b[12].at(o)),
            ("j136", b[13].at(o), b[6].at(h, down)),
        ]
    for name, first, second in joints:
        m.join(first, second, revolute("z"), name=name)
    m.given.update({"L": 1.0, "R": 2.0} if levels == 2 else {"L": 1.0})
    m.start.update(antenna_posture(levels))
    return m


def antenna_posture(levels: int = 1, span: float = 1.2, rise: tuple[float, float] = (0.1, -0.15)) -> dict[str, float]:
    """A closed posture with bent arms: every arm spans the same width; the rods stand at different heights."""

    def arm(width: float, height: float) -> tuple[float, float, float]:
        """Angles of a two-rod arm of unit rods from (0, 0) to (height along x, width along y)."""
        reach = math.hypot(width, height)
        direction = math.atan2(-height, width)
        half = math.acos(reach / 2)
        return direction + half, -2 * half, -(direction - half)

    h3, h6 = rise
    a, c, d = arm(span, h3), arm(span, h6 - h3), arm(span, -h6)
    posture = dict(zip(("j10.th", "j21.th", "j32.th"), a, strict=True))
    posture |= {"j43.th": c[0], "j54.th": c[1], "j65.th": -c[2]}
    posture |= {"j76.th": -d[0], "j87.th": -d[1], "j80.th": -d[2]}
    if levels == 2:
        posture |= dict(zip(("j90.th", "j109.th", "j103.th"), (a[0], a[1], -a[2]), strict=True))
        posture |= {"j113.th": c[0], "j1211.th": c[1], "j126.th": -c[2]}
        posture |= {"j136.th": -d[0], "j1413.th": -d[1], "j140.th": -d[2]}
    return posture


def half_salieres(count: int = 3) -> Mechanism:
    """Half-salières in parallel between two hinge axes: dimension 1 when folded, count - 1 when straight."""
    m = Mechanism("half_salieres")
    c1 = m.body("c1", mass=1, inertia=[0.1, 0.1, 0.1])
    m.join(earth, c1, revolute("y"), name="psi1")
    for i in range(2, count + 1):
        b = rods(m, f"a{i}", f"c{i}")
        m.join(earth, b[f"a{i}"], revolute("x"), name=f"phi{i}")
        m.join(b[f"a{i}"], b[f"c{i}"], revolute("y"), name=f"psi{i}")
        m.join(b[f"c{i}"].at([-1, 0, 0]), c1.at([-1, 0, 0]), revolute([-1, 0, 0]), name=f"end{i}")
    m.start.update({f"psi{i}.th": 0.5 for i in range(1, count + 1)})
    return m


# --- plane linkages -----------------------------------------------------------------------------------------------


def four_bar(ground: float, crank: float, coupler: float, rocker: float, angle: float = 1.0) -> Mechanism:
    """A plane four-bar drawn at a crank angle."""
    x, y = crank * math.cos(angle), crank * math.sin(angle)
    d = math.hypot(ground - x, y)
    bend = math.acos((d * d + coupler * coupler - rocker * rocker) / (2 * d * coupler))
    up = math.atan2(-y, ground - x) + bend
    c = (x + coupler * math.cos(up), y + coupler * math.sin(up))
    pins = [("earth", "crank", (0, 0)), ("crank", "coupler", (x, y)), ("earth", "rocker", (ground, 0))]
    return planar_linkage("four_bar", [*pins, ("coupler", "rocker", c)])


def parallelogram() -> Mechanism:
    """Opposite bars equal: two branches that cross where it lies flat."""
    return planar_linkage(
        "parallelogram",
        [("earth", "a", (0, 0)), ("a", "b", (0.6, 0.8)), ("earth", "c", (2, 0)), ("b", "c", (2.6, 0.8))],
    )


def kite() -> Mechanism:
    """Two pairs of equal neighbours; it can fold."""
    return planar_linkage(
        "kite", [("earth", "a", (0, 0)), ("a", "b", (0, 1)), ("earth", "c", (1, 0)), ("b", "c", (2, 2))]
    )


def watt() -> Mechanism:
    """Watt's six-bar: the two ternary bars are neighbours."""
    return planar_linkage(
        "watt",
        [
            ("earth", "a", (0, 0)),
            ("a", "b", (0.5, 2)),
            ("earth", "c", (3, 0)),
            ("b", "c", (3.5, 2.5)),
            ("c", "d", (5, 1.5)),
            ("d", "e", (6, 2.5)),
            ("earth", "e", (6.5, 0)),
        ],
    )


def stephenson() -> Mechanism:
    """Stephenson's six-bar: the two ternary bars are not neighbours."""
    return planar_linkage(
        "stephenson",
        [
            ("earth", "a", (0, 0)),
            ("a", "b", (0.5, 2)),
            ("earth", "c", (3, 0)),
            ("b", "c", (3.5, 2.5)),
            ("b", "d", (2, 4)),
            ("d", "e", (5, 4.5)),
            ("earth", "e", (6, 0.5)),
        ],
    )


def n_four_bar(count: int = 4, crank: float = 1.0, coupler: float = 1.0, upright: bool = False) -> Mechanism:
    """A row of parallelograms; lying flat (all joints on one line) unless upright."""
    pins = []
    dx, dy = (0.0, crank) if upright else (crank, 0.0)
    for i in range(count + 1):
        pins.append(("earth", f"c{i}", (i * coupler, 0.0)))
    for i in range(count):
        pins.append((f"c{i}", f"k{i + 1}", (i * coupler + dx, dy)))
        pins.append((f"k{i + 1}", f"c{i + 1}", ((i + 1) * coupler + dx, dy)))
    return planar_linkage(f"n_four_bar_{count}", pins)


def scissor_lift(stages: int = 3, angle: float = 0.6, bar: float = 2.0) -> Mechanism:
    """Crossed bars on a hinge and a roller."""
    w, h = bar * math.cos(angle), bar * math.sin(angle)
    m = Mechanism(f"scissor_lift_{stages}")
    b: dict[str, Body] = {"earth": earth}
    for i in range(1, stages + 1):
        for side in "ab":
            centre = [w / 2, (i - 0.5) * h, 0]
            b[f"{side}{i}"] = m.body(f"{side}{i}", mass=1, centre=centre, inertia=[0.1, 0.1, 0.1])
    b["roller"] = m.body("roller", mass=0.5, centre=[w, 0, 0], inertia=[0.1, 0.1, 0.1])
    m.join(earth, b["roller"], prismatic("x"), name="rail")
    pin(m, b, "foot", "earth", "a1", [0, 0, 0])
    pin(m, b, "wheel", "roller", "b1", [w, 0, 0])
    for i in range(1, stages + 1):
        pin(m, b, f"cross{i}", f"a{i}", f"b{i}", [w / 2, (i - 0.5) * h, 0])
        if i < stages:
            pin(m, b, f"left{i}", f"b{i}", f"a{i + 1}", [0, i * h, 0])
            pin(m, b, f"right{i}", f"a{i}", f"b{i + 1}", [w, i * h, 0])
    m.gravity = [0, -9.81, 0]
    return m


# --- overconstrained spatial linkages -----------------------------------------------------------------------------


def denavit_hartenberg(name: str, bars: Sequence[tuple[str, str]], start: Sequence[float] = ()) -> Mechanism:
    """A single loop of hinges: bar i has length a_i and twist alpha_i, no offsets; earth is the last bar."""
    m = Mechanism(name)
    n = len(bars)
    bodies = [earth, *(m.body(f"s{i}", mass=1, inertia=[0.1, 0.1, 0.1]) for i in range(1, n))]
    for i, (length, twist) in enumerate(bars):
        turned = turn(twist, "x")
        m.join(bodies[i].at([length, 0, 0], turned), bodies[(i + 1) % n], revolute("z"), name=f"j{i + 1}")
    m.start.update({f"j{i + 1}.th": value for i, value in enumerate(start)})
    return m


def bennett() -> Mechanism:
    """Bennett's 4R: opposite bars equal, lengths as the sines of the twists."""
    return denavit_hartenberg(
        "bennett",
        [("sqrt(3)", "pi/3"), ("1", "pi/6"), ("sqrt(3)", "pi/3"), ("1", "pi/6")],
        [0.7, 2.6, 0.7, 2.6],
    )


def goldberg() -> Mechanism:
    """Goldberg's 5R: two Bennett linkages that share a bar, the shared bar taken out."""
    return denavit_hartenberg(
        "goldberg",
        [("sqrt(3)", "pi/3"), ("1", "pi/6"), ("2 + sqrt(3)", "pi/3 + pi/2"), ("1", "pi/6"), ("2", "pi/2")],
        [1.0, 2.5, 1.0, 2.5, 1.0],
    )


def bricard() -> Mechanism:
    """Bricard's 6R with threefold symmetry: equal bars, right-angle twists in turn left and right."""
    return denavit_hartenberg("bricard", [("1", "pi/2"), ("1", "-pi/2")] * 3, [1.8, -1.8, 1.8, -1.8, 1.8, -1.8])


def sarrus() -> Mechanism:
    """Two folding arms in perpendicular planes lift a plate straight up."""
    m = Mechanism("sarrus")
    b = rods(m, "l1", "u1", "l2", "u2", "plate")
    for i, axis, points in (
        ("1", "y", [(2, 0, 0), (3, 0, 1), (2, 0, 2)]),
        ("2", "x", [(0, 2, 0), (0, 3, 1), (0, 2, 2)]),
    ):
        pin(m, b, f"low{i}", "earth", f"l{i}", points[0], axis)
        pin(m, b, f"knee{i}", f"l{i}", f"u{i}", points[1], axis)
        pin(m, b, f"top{i}", f"u{i}", "plate", points[2], axis)
    return m


# --- parallel robots ----------------------------------------------------------------------------------------------


def stewart(radius: float = 2.0, top: float = 1.2, height: float = 2.0) -> Mechanism:
    """Six legs (universal, prismatic, spherical) under a platform."""
    m = Mechanism("stewart")
    platform = m.body("platform", mass=5, centre=[0, 0, height], inertia=[1, 1, 2])
    for i in range(6):
        a = math.pi / 3 * (i // 2 * 2) + (0.25 if i % 2 else -0.25)
        c = math.pi / 3 * (i // 2 * 2) + (math.pi / 3 - 0.25) * (1 if i % 2 else -1)
        foot = [round(radius * math.cos(a), 6), round(radius * math.sin(a), 6), 0.0]
        head = [round(top * math.cos(c), 6), round(top * math.sin(c), 6), height]
        x, y, z = (h - f for h, f in zip(head, foot, strict=True))
        tilt, spin = math.atan2(math.hypot(x, y), z), math.atan2(y, x)
        turned = (turn(spin, "z"), turn(tilt, "y"))  # z along the leg
        low, high = (m.body(f"{n}{i + 1}", mass=0.5, inertia=[0.1, 0.1, 0.1]) for n in ("cylinder", "piston"))
        m.join(earth.at(foot, *turned), low.at(foot, *turned), universal(("x", "y")), name=f"foot{i + 1}")
        m.join(low.at(foot, *turned), high.at(foot, *turned), prismatic("z", "x"), name=f"leg{i + 1}")
        m.join(high.at(head, *turned), platform.at(head, *turned), spherical(), name=f"head{i + 1}")
    return m


def delta(base: float = 2.0, top: float = 1.0, arm: float = 1.0, width: float = 0.6, rod: float = 3.0) -> Mechanism:
    """Clavel's Delta: three motors, three parallelograms of rods with universal joints; the plate only translates."""
    m = Mechanism("delta")
    plate = m.body("plate", mass=1, inertia=[0.1, 0.1, 0.1])
    for i, third in enumerate(("0", "2*pi/3", "-2*pi/3"), 1):
        turned = turn(third, "z")

        def placed(x: float, y: float, angle: str = third) -> list[str]:
            return [f"{x}*cos({angle}) - ({y})*sin({angle})", f"{x}*sin({angle}) + ({y})*cos({angle})", "0"]

        upper = m.body(f"arm{i}", mass=1, centre=[arm / 2, 0, 0], inertia=[0.1, 0.1, 0.1])
        m.join(earth.at(placed(base, 0), turned), upper, revolute("y"), name=f"motor{i}")
        for side, y in (("l", width / 2), ("r", -width / 2)):
            low = m.body(f"rod{side}{i}", mass=0.3, centre=[0, 0, -rod / 2], inertia=[0.1, 0.1, 0.1])
            m.join(upper.at([arm, y, 0]), low, universal(("y", "x")), name=f"elbow{side}{i}")
            m.join(
                low.at([0, 0, -rod]), plate.at(placed(top, y), turned), universal(("x", "y")), name=f"wrist{side}{i}"
            )
    lean = math.asin((base + arm - top) / rod)
    for i in (1, 2, 3):
        for side in "lr":
            m.start.update({f"elbow{side}{i}.al": lean, f"wrist{side}{i}.be": -lean})
    return m


def antenna_grid(size: int = 2, fold: float = 0.9, effort: str = "0") -> Mechanism:
    """size x size triangular cells: upright rods at the corners, two-rod arms of unit rods along the edges.

    It deploys when the elbows open (`fold` is the angle of the rods to the horizontal), by an `effort` in each of them,
    a formula of its angle th; the upright rods may slide against each other, so there is one freedom for each of them
    but the first, and one for the deployment.
    """
    elbow = revolute("z") if effort == "0" else revolute("z").with_efforts(th=effort)
    m = Mechanism(f"antenna_grid_{size}")
    edges: dict[tuple[tuple[int, int], tuple[int, int]], None] = {}
    for row in range(size):
        for k in range(size):
            i = k // 2
            cell = (
                [(i, row), (i + 1, row), (i, row + 1)] if k % 2 == 0 else [(i + 1, row), (i + 1, row + 1), (i, row + 1)]
            )
            for a, b in ((0, 1), (1, 2), (0, 2)):
                edges.setdefault(tuple(sorted((cell[a], cell[b]))))  # type: ignore[arg-type]
    corners = sorted({v for edge in edges for v in edge})
    upright = {corners[0]: earth}
    for i, j in corners[1:]:
        upright[i, j] = m.body(f"v{i}_{j}", mass=1, inertia=[0.1, 0.1, 0.1])
    azimuth = {(1, 0): "0", (0, 1): "pi/3", (1, -1): "-pi/3"}
    for (i, j), (k, l) in edges:
        turned = turn(azimuth[k - i, l - j], "x")
        name = f"{i}_{j}_{k}_{l}"
        near = m.body(f"p{name}", mass=0.2, centre=[0, 0.5, 0], inertia=[0.02, 0.001, 0.02])
        far = m.body(f"q{name}", mass=0.2, centre=[0, 0.5, 0], inertia=[0.02, 0.001, 0.02])
        m.join(upright[i, j].at([0, 0, 0], turned), near, revolute("z"), name=f"a{name}")
        m.join(near.at([0, 1, 0]), far, elbow, name=f"b{name}")
        m.join(far.at([0, 1, 0]), upright[k, l].at([0, 0, 0], turned), revolute("z"), name=f"c{name}")
        m.start.update({f"a{name}.th": fold, f"b{name}.th": -2 * fold, f"c{name}.th": fold})
    return m


FAMILIES = {
    f.__name__: f
    for f in (
        triangle, slider_crank, saliere, homokinetic, homokinetic_planar, antenna, half_salieres, parallelogram,
        kite, watt, stephenson, n_four_bar, scissor_lift, bennett, goldberg, bricard, sarrus, stewart, delta,
        antenna_grid,
    )
}  # fmt: skip


def program(name: str, *numbers: int) -> str:
    """An LSD program with a closed start."""
    from dalembert import loops
    from dalembert.lsd import to_lsd
    from dalembert.mechanism import Layout

    made = FAMILIES[name](*numbers)
    linkage = loops.build_linkage(Layout.of(made))
    closed = linkage.coordinates(loops.assemble(linkage))
    made.start.clear()
    made.start.update({name: value for name, value in closed.items() if value})
    story = " ".join((FAMILIES[name].__doc__ or name).split())
    return f"(* {story} *)\n" + to_lsd(made)


def main() -> None:
    name, *numbers = sys.argv[1:] or ["parallelogram"]
    print(program(name, *(int(n) for n in numbers)))


if __name__ == "__main__":
    main()
