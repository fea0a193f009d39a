"""Planar linkages that several tests move."""

from __future__ import annotations

import math

import dalembert as da


def slider_crank() -> da.Mechanism:
    m = da.Mechanism("slider crank")
    crank = m.body("crank", mass=1, centre=[0.1, 0, 0], inertia=[0.005, 0.005, 0.01])
    rod = m.body("rod", mass=0.5, centre=[0.25, 0, 0], inertia=[0.01, 0.01, 0.02])
    slider = m.body("slider", mass=2)
    m.join(da.earth, crank, da.revolute("z"), name="main")
    m.join(crank.at([0.2, 0, 0]), rod, da.revolute("z"), name="pin")
    m.join(da.earth, slider, da.prismatic("x"), name="rail")
    m.join(rod.at([0.5, 0, 0]), slider, da.revolute("z"), name="wrist")
    m.gravity = [0, -9.81, 0]
    m.start = {"main.th": 0.4, "main.th'": 12.0}
    return m


def four_bar(lengths, ground, mass: float = 1.0) -> da.Mechanism:
    m = da.Mechanism("four-bar")
    a, b, c = (
        m.body(n, mass=mass, centre=[l / 2, 0, 0], inertia=[0, mass * l * l / 12, mass * l * l / 12])
        for n, l in zip("abc", lengths, strict=True)
    )
    m.join(da.earth, a, da.revolute("z"), name="A")
    m.join(a.at([lengths[0], 0, 0]), b, da.revolute("z"), name="B")
    m.join(da.earth.at([ground, 0, 0]), c, da.revolute("z"), name="D")
    m.join(b.at([lengths[1], 0, 0]), c.at([lengths[2], 0, 0]), da.revolute("z"), name="C")
    m.gravity = [0, -9.81, 0]
    return m


def rod(m: da.Mechanism, name: str, length: float, mass: float = 1.0) -> da.Body:
    turn = mass * length * length / 12
    return m.body(name, mass=mass, centre=[length / 2, 0, 0], inertia=[0, turn, turn])


def with_stretched_dyad(length: float | str = 0.1) -> da.Mechanism:
    """A four-bar that carries two rods stretched between two points of its coupler: shaky in every posture."""
    m = four_bar((0.2, 0.4, 0.35), 0.5)
    b, p, q = m.bodies["b"], rod(m, "p", 0.1, 0.1), rod(m, "q", 0.15, 0.1)
    m.join(b, p, da.revolute("z"), name="P")
    m.join(p.at([length, 0, 0]), q, da.revolute("z"), name="Q")
    m.join(q.at([0.15, 0, 0]), b.at([0.25 * math.cos(0.3), 0.25 * math.sin(0.3), 0]), da.revolute("z"), name="R")
    return m


def closed_by_a_ball(chart: str, axis: str = "z") -> da.Mechanism:
    """A four-bar about an axis whose last joint is a ball, described by some chart: one freedom in all of them."""
    m = da.Mechanism("four-bar with a ball")
    along = {"x": [0, 1, 0], "y": [1, 0, 0], "z": [1, 0, 0]}[axis]
    a, b, c = (m.body(n, mass=1, centre=[0.1, 0.1, 0], inertia=[0.01, 0.01, 0.01]) for n in "abc")
    ends = {n: [l * x for x in along] for n, l in (("a", 0.2), ("b", 0.4), ("c", 0.35), ("ground", 0.5))}
    m.join(da.earth, a, da.revolute(axis), name="A")
    m.join(a.at(ends["a"]), b, da.revolute(axis), name="B")
    m.join(da.earth.at(ends["ground"]), c, da.revolute(axis), name="D")
    m.join(b.at(ends["b"]), c.at(ends["c"]), da.spherical(chart), name="C")
    m.gravity = [0.3, -9.0, 1.0]
    return m


def pair_of_spheres() -> da.Mechanism:
    """Two bodies on one centre, turning by quaternions, held together by a hinge that closes the loop."""
    m = da.Mechanism("pair")
    a = m.body("a", mass=1, centre=[0.1, 0, 0.3], inertia=[1, 2, 3])
    b = m.body("b", mass=1, centre=[0, 0.2, 0], inertia=[1, 1, 2])
    m.join(da.earth, a, da.spherical("quaternion"), name="s")
    m.join(a, b, da.revolute("z"), name="r")
    m.join(da.earth.at([0, 0, 0]), b, da.spherical("quaternion"), name="c")
    m.gravity = [0, 0, -9.81]
    return m
