"""Machines of many contacts as small builders: a chain of beads, a rimless wheel, dominoes, a stack of boxes."""

from __future__ import annotations

import math

import dalembert as da


def upright() -> da.Joint:
    """Plane motion in the xz plane: x, z and a turn about y."""
    return da.composite(["x", "z", "th"], ["x", 0, "z"], da.turn("th", "y"))


def chain(count: int = 10) -> da.Mechanism:
    """Beads that fall on a table one after the other."""
    m = da.Mechanism("chain on a table")
    m.gravity = [0, 0, -9.81]
    for i in range(count):
        bead = m.body(f"bead{i}", mass=1 / count)
        m.join(da.earth, bead, da.prismatic("z"), name=f"q{i}")
        m.shape(bead.at([0.02 * (-1) ** i, 0, 0.03]), "sphere", 0.03)
        m.contact(f"q{i}.x", name=f"table{i}")
        m.start[f"q{i}.x"] = (i + 0.5) / count
    return m


def rimless_wheel(legs: int = 8, slope: float = 0.08, inertia: float = 0.1) -> da.Mechanism:
    """A passive walker: it falls from leg to leg down a slope, and finds its own speed."""
    m = da.Mechanism("rimless wheel")
    wheel = m.body("wheel", mass=1, inertia=[inertia] * 3)
    m.join(da.earth, wheel, upright(), name="p")
    m.gravity = [9.81 * math.sin(slope), 0, -9.81 * math.cos(slope)]
    half, speed = math.pi / legs, 2.0
    for k in range(legs):
        foot = wheel.at([math.sin(2 * half * k), 0, -math.cos(2 * half * k)])
        turned = da.turn(-2 * half * k, "y")
        m.shape(wheel.at([0.5 * math.sin(2 * half * k), 0, -0.5 * math.cos(2 * half * k)], turned), "cylinder", 0.03, 1)
        m.contact(da.Sphere(foot), da.Plane(da.earth), friction=1, name=f"leg{k}")
    m.start = {"p.z": math.cos(half), "p.th": -half, "p.th'": speed}
    m.start |= {"p.x'": speed * math.cos(half), "p.z'": speed * math.sin(half)}
    return m


def dominoes(count: int = 4, height: float = 0.05, width: float = 0.008, apart: float = 0.02) -> da.Mechanism:
    """A row of dominoes, the first one pushed."""
    m = da.Mechanism("dominoes")
    m.gravity = [0, 0, -9.81]
    last = None
    for i in range(count):
        inertia = [0.01 / 12 * height**2, 0.01 / 12 * (height**2 + width**2), 0.01 / 12 * width**2]
        one = m.body(f"d{i}", mass=0.01, inertia=inertia)
        m.join(da.earth, one, upright(), name=f"p{i}")
        m.shape(one, "box", width, height / 2, height)
        m.start |= {f"p{i}.x": i * (width + apart), f"p{i}.z": height / 2}
        for side, x in (("l", -width / 2), ("r", width / 2)):
            m.contact(da.Sphere(one.at([x, 0, -height / 2])), da.Plane(da.earth), friction=0.6, name=f"foot{i}{side}")
        if last is not None:
            face = da.Plane(one.at([-width / 2, 0, 0], da.turn("-pi/2", "y")))
            m.contact(da.Sphere(last.at([width / 2, 0, height / 2])), face, friction=0.2, name=f"hit{i}")
        last = one
    m.start |= {"p0.th'": 4.0, "p0.x'": 2 * height, "p0.z'": -2 * width}
    return m


def stack(count: int = 10) -> da.Mechanism:
    """Boxes on boxes, and five newtons beside the middle of the top one: nothing moves."""
    m = da.Mechanism("stack")
    m.gravity = [0, 0, -9.81]
    below = None
    for i in range(count):
        box = m.body(f"box{i}", mass=1, inertia=[1 / 6] * 3)
        m.join(da.earth, box, upright(), name=f"p{i}")
        m.shape(box, "box", 1, 1, 1)
        m.start[f"p{i}.z"] = i + 0.5
        top = da.Plane(da.earth if below is None else below.at([0, 0, 0.5]))
        for side, x in (("l", -0.5), ("r", 0.5)):
            m.contact(da.Sphere(box.at([x, 0, -0.5])), top, friction=0.5, name=f"c{i}{side}")
        below = box
    m.force(below.at([0.2, 0, 0.5]), [0, 0, -5])
    return m


if __name__ == "__main__":
    for machine, end in ((chain(), 0.5), (rimless_wheel(), 4.0), (dominoes(), 0.4), (stack(), 10.0)):
        motion = machine.simulate((0, end))
        motion.animate(f"{machine.name.replace(' ', '_')}.html")
        struck = len(motion.contacts.strikes)
        print(f"{machine.name}: {len(motion.arcs)} arcs, {struck} impulses; {motion.message}")
