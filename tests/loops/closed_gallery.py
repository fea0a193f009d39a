"""Closed machines with lengths as symbols, and random machines of dyads, for minimal equations."""

from __future__ import annotations

import numpy as np

import dalembert as da


def four_bar() -> da.Mechanism:
    m = da.Mechanism("four-bar")
    a, b, c = (m.body(n, mass=f"m{n}", centre=[f"l{n}/2", f"h{n}", 0], inertia=["J", "J", f"J{n}"]) for n in "abc")
    m.join(da.earth, a, da.revolute("z"), name="A")
    m.join(a.at(["la", 0, 0]), b, da.revolute("z"), name="B")
    m.join(da.earth.at(["d", 0, 0]), c, da.revolute("z"), name="D")
    m.join(b.at(["lb", 0, 0]), c.at(["lc", 0, 0]), da.revolute("z"), name="C")
    m.gravity = [0, "-g", 0]
    m.given = {
        "la": 1.1,
        "lb": 3,
        "lc": 2.5,
        "d": 3.2,
        "g": 9.81,
        "ma": 1,
        "mb": 2,
        "mc": 3,
        "J": 1,
        "Ja": 0.1,
        "Jb": 0.2,
        "Jc": 0.3,
    }
    m.given |= {"ha": 0.1, "hb": -0.2, "hc": 0.3}
    m.start = {"A.th": 1.0}
    return m


def slider_crank() -> da.Mechanism:
    m = da.Mechanism("slider-crank")
    crank = m.body("crank", mass="m1", centre=["r/2", 0, 0], inertia=["J1", "J1", "J1"])
    rod = m.body("rod", mass="m2", centre=["l/3", 0, 0], inertia=["J2", "J2", "J2"])
    piston = m.body("piston", mass="m3")
    m.join(da.earth, crank, da.revolute("z"), name="shaft")
    m.join(crank.at(["r", 0, 0]), rod, da.revolute("z"), name="pin")
    m.join(da.earth.at([0, "e", 0]), piston, da.prismatic("x").with_efforts(x="-k*x - c*x'"), name="wall")
    m.join(rod.at(["l", 0, 0]), piston, da.revolute("z"), name="gudgeon")
    m.given = {"r": 0.05, "l": 0.15, "e": 0.01, "m1": 1, "m2": 0.5, "m3": 0.3, "J1": 0.01, "J2": 0.002, "k": 80, "c": 0}
    m.start = {"shaft.th": 0.7}
    return m


def quick_return() -> da.Mechanism:
    """A slide on a rocker: its hinge runs on the crank."""
    m = da.Mechanism("quick return")
    crank = m.body("crank", mass="m1", centre=["r/2", 0, 0], inertia=["J1", "J1", "J1"])
    block = m.body("block", mass="m2", inertia=["J2", "J2", "J2"])
    rocker = m.body("rocker", mass="m3", centre=["h", 0, 0], inertia=["J3", "J3", "J3"])
    m.join(da.earth, crank, da.revolute("z"), name="shaft")
    m.join(crank.at(["r", 0, 0]), block, da.revolute("z"), name="pin")
    m.join(da.earth.at([0, "-d", 0]), rocker, da.revolute("z"), name="pivot")
    m.join(rocker, block, da.prismatic("x"), name="slot")
    m.gravity = [0, -9.81, 0]
    m.given = {"r": 0.2, "d": 0.5, "h": 0.4, "m1": 1, "m2": 0.4, "m3": 2, "J1": 0.02, "J2": 0.003, "J3": 0.1}
    m.start = {"shaft.th": 0.5, "pivot.th": 1.284, "slot.x": 0.621}
    return m


def scotch_yoke() -> da.Mechanism:
    m = da.Mechanism("Scotch yoke")
    crank = m.body("crank", mass="m1", centre=["r/2", 0, 0], inertia=["J1", "J1", "J1"])
    block = m.body("block", mass="m2", inertia=["J2", "J2", "J2"])
    yoke = m.body("yoke", mass="m3")
    m.join(da.earth, crank, da.revolute("z"), name="shaft")
    m.join(crank.at(["r", 0, 0]), block, da.revolute("z"), name="pin")
    m.join(da.earth, yoke, da.prismatic("x").with_efforts(x="-k*x"), name="guide")
    m.join(yoke, block, da.prismatic("y"), name="slot")
    m.gravity = [0, -9.81, 0]
    m.given = {"r": 0.2, "m1": 1, "m2": 0.4, "m3": 2, "J1": 0.02, "J2": 0.003, "k": 30}
    m.start = {"shaft.th": 0.5, "pin.th": -0.5}
    return m


def governor() -> da.Mechanism:
    """Two arms, two links and a sleeve on a turning shaft: two loops, two freedoms."""
    m = da.Mechanism("governor")
    shaft = m.body("shaft", mass=1, inertia=["Js", "Js", "Js"])
    sleeve = m.body("sleeve", mass="ms", inertia=[0.01, 0.01, 0.02])
    m.join(da.earth, shaft, da.revolute("z"), name="drive")
    m.join(shaft, sleeve, da.prismatic("z").with_efforts(x="-k*(x + h)"), name="slide")
    for name, sense in (("left", 1), ("right", -1)):
        arm = m.body(f"arm_{name}", mass="mb", centre=[0, 0, "-l"], inertia=[0.002, 0.002, 0.001])
        across = da.revolute([0, sense, 0])
        bar = m.body(f"bar_{name}", mass=0.2, centre=[0, 0, "-a/2"], inertia=[0.001, 0.001, 0.0005])
        m.join(shaft.at([-0.03 * sense, 0, 0]), arm, across, name=f"arm_{name}_hinge")
        m.join(arm.at([0, 0, "-a"]), bar, across, name=f"elbow_{name}")
        m.join(bar.at([0, 0, "-a"]), sleeve.at([-0.05 * sense, 0, 0]), across, name=f"foot_{name}")
    m.gravity = [0, 0, -9.81]
    m.given = {"Js": 0.05, "ms": 1.5, "mb": 0.8, "l": 0.25, "a": 0.2, "k": 40, "h": 0.3}
    m.start = {"arm_left_hinge.th": 0.6, "elbow_left.th": -1.083, "arm_right_hinge.th": 0.6, "elbow_right.th": -1.083}
    m.start |= {"slide.x": -0.342}
    return m


def spherical_four_bar() -> da.Mechanism:
    """Hinges whose axes meet: two shafts, a coupler and a rocker."""
    axes = [[0, 0, 1], [0.3, 0, 1], [0.2, 0.5, 1], [0, 0.4, 1]]
    m = da.Mechanism("spherical four-bar")
    bodies = [m.body(n, mass=1, centre=[0.1, 0.2, 0.3], inertia=[f"I{n}", 0.2, 0.3]) for n in "abc"]
    chain = [da.earth, *bodies, da.earth]
    for k, axis in enumerate(axes):
        m.join(chain[k], chain[k + 1], da.revolute(axis), name=f"j{k}")
    m.gravity = [0, -9.81, 0]
    m.given = {"Ia": 0.2, "Ib": 0.25, "Ic": 0.3}
    m.start = {f"j{k}.th": 0.0 for k in range(4)}
    return m


def spatial_four_bar() -> da.Mechanism:
    """Crank and rocker on skew axes, the coupler between two balls (one of them a universal joint)."""
    m = da.Mechanism("spatial four-bar")
    crank = m.body("crank", mass=1, centre=["r/2", 0, 0], inertia=[0.01, 0.02, 0.02])
    coupler = m.body("coupler", mass=0.7, centre=["l/2", 0, 0], inertia=[0.01, 0.05, 0.05])
    rocker = m.body("rocker", mass=1.2, centre=["s/2", 0, 0], inertia=[0.01, 0.04, 0.04])
    m.join(da.earth, crank, da.revolute("z"), name="A")
    m.join(crank.at(["r", 0, 0]), coupler, da.universal(("y", "z")), name="B")
    m.join(da.earth.at(["d", 0, 0.3]), rocker, da.revolute("y"), name="D")
    m.join(coupler.at(["l", 0, 0]), rocker.at(["s", 0, 0]), da.spherical(), name="C")
    m.gravity = [0, -9.81, 0]
    m.given = {"r": 0.4, "l": 1.4, "s": 0.9, "d": 1.1}
    m.start = {"A.th": 0.9}
    return m


GALLERY = {
    "four-bar": (four_bar, ["A.th"]),
    "slider-crank": (slider_crank, ["shaft.th"]),
    "quick return": (quick_return, ["shaft.th"]),
    "Scotch yoke": (scotch_yoke, ["shaft.th"]),
    "governor": (governor, ["drive.th", "arm_left_hinge.th"]),
    "spherical": (spherical_four_bar, ["j0.th"]),
    "spatial": (spatial_four_bar, ["A.th"]),
}


def dyad_machine(rng: np.random.Generator, dyads: int) -> tuple[da.Mechanism, list[str]]:
    """A crank and dyads of hinges and slides between points of bodies that are there, in a drawn posture."""
    m = da.Mechanism("dyads")
    made = [(da.earth, np.zeros(2), 0.0)]  # body, its origin and angle when all coordinates are as drawn
    start: dict[str, float] = {}

    def local(k: int, point) -> list[float]:
        _, origin, angle = made[k]
        c, s = np.cos(angle), np.sin(angle)
        x, y = point - origin
        return [float(c * x + s * y), float(-s * x + c * y), 0.0]

    def body(name: str, origin, angle) -> int:
        one = m.body(
            name,
            mass=float(rng.uniform(0.5, 2)),
            centre=[*map(float, rng.uniform(-0.5, 0.5, 2)), 0],
            inertia=[0.3, 0.3, float(rng.uniform(0.1, 0.4))],
        )
        made.append((one, np.asarray(origin, float), float(angle)))
        return len(made) - 1

    def hinge(a: int, b: int, point, name: str) -> None:
        m.join(made[a][0].at(local(a, point)), made[b][0].at(local(b, point)), da.revolute("z"), name=name)
        start[f"{name}.th"] = made[b][2] - made[a][2]

    def slide(a: int, b: int, name: str) -> None:
        """Along the x axis of the first body: both have one angle."""
        gap = made[b][1] - made[a][1]
        c, s = np.cos(made[a][2]), np.sin(made[a][2])
        across = float(-s * gap[0] + c * gap[1])
        m.join(made[a][0].at([0, across, 0]), made[b][0], da.prismatic("x"), name=name)
        start[f"{name}.x"] = float(c * gap[0] + s * gap[1])

    crank = body("crank", rng.uniform(-1, 1, 2), rng.uniform(-3, 3))
    hinge(0, crank, made[crank][1], "drive")
    for k in range(dyads):
        near, far = (int(x) for x in rng.choice(len(made), 2, replace=False))
        if k == 0:
            near, far = crank, 0
        p, q = made[near][1] + rng.uniform(0.4, 1, 2), made[far][1] + rng.uniform(-1, -0.4, 2)
        middle = (p + q) / 2 + rng.uniform(0.4, 0.9) * np.array([q[1] - p[1], p[0] - q[0]])
        kind = rng.choice(["RRR", "RRP", "RPR"])
        if kind == "RRR":
            a, b = body(f"a{k}", p, rng.uniform(-3, 3)), body(f"b{k}", q, rng.uniform(-3, 3))
            hinge(near, a, p, f"p{k}")
            hinge(far, b, q, f"q{k}")
            hinge(a, b, middle, f"m{k}")
        elif kind == "RRP":
            a, b = body(f"a{k}", p, rng.uniform(-3, 3)), body(f"b{k}", q, made[far][2])
            hinge(near, a, p, f"p{k}")
            slide(far, b, f"s{k}")
            hinge(a, b, middle, f"m{k}")
        else:
            angle = rng.uniform(-3, 3)
            a, b = body(f"a{k}", p, angle), body(f"b{k}", middle, angle)
            hinge(near, a, p, f"p{k}")
            slide(a, b, f"s{k}")
            hinge(b, far, q, f"q{k}")
    m.gravity = [0, -9.81, 0]
    m.start = start
    return m, ["drive.th"]
