"""Efforts in links while contacts push: what they and the contacts give in a while is the change of the momenta."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da


def arm(by: str, scale: float, extra: str = "") -> da.Mechanism:
    """A spatial arm of two bodies whose tip slides on a floor, a plane or a formula, or on none."""
    m = da.Mechanism("arm")
    one = m.body("one", mass=1.3, inertia=[0.02 * scale**2, 0.11 * scale**2, 0.1 * scale**2])
    two = m.body("two", mass=0.7, inertia=[0.01 * scale**2, 0.06 * scale**2, 0.05 * scale**2])
    turret = m.body("turret", mass=0.5, inertia=[0.01 * scale**2] * 3)
    m.join(da.earth, turret, da.revolute("z"), name="base")
    m.join(turret.at([0.1 * scale, 0, 0]), one.at([-0.5 * scale, 0, 0]), da.revolute("y"), name="hip")
    m.join(one.at([0.5 * scale, 0, 0]), two.at([-0.3 * scale, 0.02 * scale, 0]), da.revolute("y"), name="knee")
    m.gravity = [0, 0, -9.81 * scale]
    depth = 0.9 * scale
    tip = m.frame("tip", two.at([0.3 * scale, 0, 0]))
    if by == "shape":
        m.contact(da.Sphere(tip), da.Plane(da.earth.at([0, 0, -depth])), friction=0.2, name="floor")
    elif by == "formula":
        slip = ("tip.X'", "tip.Y'")
        m.contact(f"tip.Z + {depth} >= 0", friction=0.2, slip=slip, name="floor")
    if extra == "belt":
        m.join(da.earth, m.body("slide", mass=0.4), da.prismatic("x"), name="rail")
        m.constrain(f"rail.x = {0.3 * scale}*knee.th", name="belt")
    m.start = {"base.th'": 1.0, "hip.th": 0.5, "knee.th": 0.1}
    return m


def given(mo, begin: float, end: float, links: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """What forces, and moments about the origin, of links to earth, floor and weight give (Gauss-Legendre)."""
    nodes, weights = np.polynomial.legendre.leggauss(8)
    some = mo.at((begin + end) / 2 + (end - begin) / 2 * nodes)
    force = np.array([some["floor.friction"], some["floor.friction2"], some["floor.force"]])
    moment = np.cross(np.array([some[f"tip.{x}"] for x in "XYZ"]), force, axis=0)
    for link in links:
        body = {"base": "turret", "rail": "slide"}[link]  # its second frame is that of the body
        turn = np.array([[some[f"{body}.R{i}{j}"] for j in (1, 2, 3)] for i in (1, 2, 3)])
        push, twist = (np.array([some[f"{link}.{kind}{x}"] for x in "xyz"]) for kind in "FM")
        push, twist = (np.einsum("ijk,jk->ik", turn, v) for v in (push, twist))
        place = np.array([some[f"{body}.{x}"] for x in "XYZ"])
        force, moment = force + push, moment + twist + np.cross(place, push, axis=0)
    return force @ weights * (end - begin) / 2, moment @ weights * (end - begin) / 2


@pytest.mark.parametrize(
    ("by", "extra", "scale"),
    [
        ("shape", "", 1.0),
        ("formula", "", 1e-3),
        ("shape", "belt", 1e3),
    ],
)
def test_links_and_contacts_give_the_momenta(by: str, extra: str, scale: float):
    mo = arm(by, scale, extra).simulate((0, 0.24))
    arc = next(arc for arc in mo.arcs if arc.contacts is not None and arc.span[1] - arc.span[0] > 0.02)
    begin, end = np.array(arc.span) @ [[0.9, 0.3], [0.1, 0.7]]
    links = ("base", "rail") if extra else ("base",)
    force, moment = given(mo, begin, end, links)
    ends = mo.at([begin, end])
    mass = 2.5 + (0.4 if extra else 0.0)
    weight = np.array([0, 0, -9.81 * scale * mass])
    nodes, weights = np.polynomial.legendre.leggauss(8)
    some = mo.at((begin + end) / 2 + (end - begin) / 2 * nodes)
    centre = np.array([some[f"total.{x}"] for x in "XYZ"])
    turned = np.cross(centre, weight[:, None], axis=0) @ weights * (end - begin) / 2
    change = [np.diff([ends[f"total.{kind}{x}"] for x in "XYZ"])[:, 0] for kind in "PL"]
    assert np.abs(change[0] - force - weight * (end - begin)).max() < 1e-6 * np.abs(force).max()
    assert np.abs(change[1] - moment - turned).max() < 1e-6 * np.abs(moment).max()


def pressed(method: str = "DOP853") -> da.Motion:
    """Two points, one held above the other, which lies on a floor: all efforts are weights."""
    m = da.loads("""
use "joints.lsd" ; use "solids.lsd" ;
let low = point(m = 1) ; let high = point(m = 2) ;
join earth and low.frame with prismatic(axis = [0, 0, 1]) as down ;
join low.frame and high.frame with prismatic(axis = [0, 0, 1]) as up ;
constrain up.x = 1 as stick ;
contact down.x >= 0 as floor ;
gravity [0, 0, -10] ;
start down.x = 0, up.x = 1 ;
output held = stick.lambda ;
output twice = 2*held + norm(vel(high)) + floor.force ;
output column = up.Fz + floor.power + total.power ;
""")
    return m.simulate((0, 0.5), method=method, max_step=0.01 if method == "moreau" else np.inf)


def test_formulas_and_declared_outputs_have_contact_forces_in_them():
    mo = pressed()
    weights = {"held": 20, "twice": 70, "column": 20, "floor.force": 30, "2*floor.force - stick.lambda": 40}
    for name, weight in weights.items():
        assert mo[name] == pytest.approx(np.full(len(mo.t), weight), abs=1e-9), name
    both = mo.evaluate([da.expr.symbol("floor.force") * da.expr.symbol("t"), da.expr.symbol("held")])
    assert both[0] == pytest.approx(30 * mo.t)
    assert both[1] == pytest.approx(np.full(len(mo.t), 20.0))


def test_formulas_keep_their_arc_where_contacts_open_and_close():
    mo = arm("formula", 1.0).simulate((0, 1.5))
    assert len(mo.arcs) > 1
    assert mo["floor.force"].max() > 0
    told = mo["floor.force"] * np.sin(mo["hip.th"]) + mo["floor.friction"] ** 2
    assert mo["floor.force*sin(hip.th) + floor.friction^2"] == pytest.approx(told, rel=1e-12)


def test_time_stepping_tells_formulas_of_forces_and_refuses_declared_multipliers():
    mo = pressed("moreau")
    assert mo["floor.force/3"][1:] == pytest.approx(mo["floor.force"][1:] / 3)
    with pytest.raises(da.SimulationError, match=r"'stick.lambda' is not known while contacts push"):
        mo["held"]


def test_what_a_contact_does_not_tell_is_answered_with_what_it_does():
    with pytest.raises(da.SimulationError, match=r"it tells floor.gap, floor.rate, .*floor.force"):
        pressed()["floor.push"]
