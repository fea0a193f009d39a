"""Connection, curvature and geometric phase: identities of Marle, the falling cat, the satellite with rotors."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from tests.geometry.test_parts import MASS_2, kinetic

import dalembert as da
from dalembert import expr as ex
from dalembert.errors import ModelError, SimulationError
from dalembert.geometry import Geometry, constrained, lift, phase

CAT = (
    "(13/12 + (cos(s1) + cos(s2))/2 + cos(s1-s2)/6)*th'^2/2"
    " + th'*(s1'*(1/4 + cos(s1)/4 + cos(s1-s2)/12) + s2'*(1/4 + cos(s2)/4 + cos(s1-s2)/12))"
    " + (2*s1'^2 + 2*s2'^2 + cos(s1-s2)*s1'*s2')/12"
)
LOOP = {"s1": "0.5 + 0.8*cos(pi*t)", "s2": "-0.3 + 0.8*sin(pi*t)"}


def bracket(a, b, variables):
    """[a, b] of vector fields."""
    forth = ex.tangent(list(b), dict(zip(variables, a, strict=True)))
    back = ex.tangent(list(a), dict(zip(variables, b, strict=True)))
    return [f - g for f, g in zip(forth, back, strict=True)]


def test_curvature_is_the_bracket_of_lifts_on_both_spaces():
    """[H_a, H_b] = -B^i d_i on M, -X_{p_i B^i} on V*M; lifts are Poisson automorphisms and tangent to p = 0."""
    g = Geometry(constrained("x1 x2 a b", kinetic(MASS_2, ["x1", "x2", "a", "b"]), driven={"a": 0, "b": 0}))
    setting, (first, second) = g.setting, g.kinetic_lifts
    everything = (*setting.coordinates, *setting.momenta)
    state = {"x1": 0.3, "x2": -0.4, "a": 0.5, "b": 0.2, "p_x1": 0.6, "p_x2": -0.7}
    curved = g.curvature[0, 1]
    found = bracket(first[:4], second[:4], setting.coordinates)
    assert g.at(state, found) == pytest.approx([*(-x for x in g.at(state, curved)), 0, 0], abs=1e-14)
    found = bracket(first, second, everything)
    expected = g.hamiltonian_field(ex.dot_product(setting.momenta, curved))
    assert g.at(state, found) == pytest.approx([-x for x in g.at(state, expected)], abs=1e-14)
    assert g.at(state | {"p_x1": 0, "p_x2": 0}, first[4:]) == [0, 0]
    # D{f, g} = {Df, g} + {f, Dg} on coordinate functions
    for field in (first, second):
        moved = dict(zip(everything, field, strict=True))
        for f in everything:
            for h in everything:
                rule = poisson(g, moved[f], h) + poisson(g, f, moved[h])
                assert g.at(state, [rule]) == pytest.approx([0], abs=1e-13)


def poisson(g, f, h):
    return ex.tangent(
        [f], dict(zip((*g.setting.coordinates, *g.setting.momenta), g.hamiltonian_field(h), strict=True))
    )[0]


def test_the_falling_cat_in_the_frame_of_its_mass_centre():
    g = Geometry(constrained("th s1 s2", CAT, driven={"s1": 0, "s2": 0}))
    state = {"th": 0, "s1": 0.5, "s2": -0.3, "p_th": 0}
    assert g.at(state, g.connection.entries) == pytest.approx([0.2492801548, 0.2584669709], rel=1e-9)
    assert g.at(state, g.curvature[0, 1]) == pytest.approx([0.01887511743], rel=1e-9)
    found = phase(g, LOOP, 2)
    assert found.geometric == pytest.approx([-0.04254006406], abs=1e-10)
    assert found.flux == pytest.approx([-0.04254006406], abs=1e-10)
    assert found.simulated == pytest.approx([-0.04254006406], abs=1e-8)
    quarter = lift(g, LOOP, 0.5)
    assert quarter["th"] == pytest.approx(-0.04200418123, abs=1e-10)


def test_momentum_adds_its_own_phase():
    """x' = p/M_thth - A s': the dynamic part is the integral of p/M_thth along the loop."""
    g = Geometry(constrained("th s1 s2", CAT, driven={"s1": 0, "s2": 0}))
    found = phase(g, LOOP, 2, start={"p_th": 0.05})
    t = np.linspace(0, 2, 2001)[:-1]
    a, b = 0.5 + 0.8 * np.cos(np.pi * t), -0.3 + 0.8 * np.sin(np.pi * t)
    inertia = 13 / 12 + (np.cos(a) + np.cos(b)) / 2 + np.cos(a - b) / 6
    assert found.geometric == pytest.approx([-0.04254006406], abs=1e-10)
    assert found.dynamic == pytest.approx([2 * np.mean(0.05 / inertia)], abs=1e-8)


def cat():
    m = da.Mechanism("cat")
    rods = [
        m.body(f"rod{k}", mass=1, centre=c, inertia=[0, 1 / 12, 1 / 12])
        for k, c in enumerate(([0] * 3, [-0.5, 0, 0], [0.5, 0, 0]))
    ]
    m.join(da.earth, rods[0], da.planar(), name="p")
    for k, side in ((1, -0.5), (2, 0.5)):
        m.join(rods[0].at([side, 0, 0]), rods[k], da.revolute("z"), name=f"s{k}")
        m.drive(f"s{k}.th", LOOP[f"s{k}"])
    return m


def test_the_falling_cat_as_a_mechanism():
    """The phase of the turn by the connection of all three rods, and by the simulated motion."""
    m = cat()
    g = m.geometry()
    assert [s.name for s in g.setting.driven] == ["s1.th", "s2.th"]
    found = phase(g, {"s1.th": LOOP["s1"], "s2.th": LOOP["s2"]}, 2)
    turned = dict(zip(found.names, found.geometric, strict=True))
    assert turned["p.th"] == pytest.approx(-0.04254006406, abs=1e-9)
    assert found.flux is None  # the place of the middle rod depends on its turn
    assert found.simulated == pytest.approx(found.geometric, abs=1e-8)


def satellite():
    m = da.Mechanism("satellite")
    body = m.body("body", mass=1, inertia=[9.5, 11.5, 14.5])
    m.join(da.earth, body, da.spherical("quaternion"), name="s")
    for axis in "xyz":
        m.join(
            body,
            m.body(f"rotor_{axis}", inertia=[0.5 if axis == x else 0.25 for x in "xyz"]),
            da.revolute(axis),
            name=axis,
        )
    return m


TURNED = np.array([-0.3815402825, 0.6055227036, 0.6984048025]) * 1.277870107
CORNERS = [{"x.th": a, "y.th": b, "z.th": 0} for a, b in [(0, 0), (30, 0), (30, 25), (0, 25), (0, 0)]]


def driven_satellite():
    m = satellite()
    for axis in "xyz":
        m.drive(f"{axis}.th", "0")
    return m.geometry(chart="bryant")


def test_rotors_that_come_back_leave_the_satellite_turned():
    """The lift of a rectangle of rotor angles is the product of four turns about body axes."""
    turns = [(0, 30), (1, 25), (0, -30), (1, -25)]
    moved = [Rotation.from_rotvec(np.eye(3)[k] * -0.5 * turn / (10.5, 12.5)[k]) for k, turn in turns]
    product = moved[0] * moved[1] * moved[2] * moved[3]
    assert product.as_rotvec() == pytest.approx(TURNED, abs=1e-9)
    angles = list(lift(driven_satellite(), CORNERS).values())
    assert Rotation.from_euler("XYZ", angles).as_rotvec() == pytest.approx(TURNED, abs=1e-8)


@pytest.mark.slow
def test_the_satellite_with_rotors_in_motion():
    """The same phase by the direct equations, and by the motion of a mechanism with a quaternion."""
    found = phase(driven_satellite(), CORNERS)
    for angles in (found.geometric, found.simulated):
        assert Rotation.from_euler("XYZ", angles).as_rotvec() == pytest.approx(TURNED, abs=1e-8)
    m = satellite()
    passed = [f"max(0, min(1, t-{k}))" for k in range(4)]
    gone = [f"({x})^3*(10 - 15*({x}) + 6*({x})^2)" for x in passed]
    m.drive("x.th", f"30*({gone[0]} - {gone[2]})")
    m.drive("y.th", f"25*({gone[1]} - {gone[3]})")
    m.drive("z.th", "0")
    motion = m.simulate((0, 4), t_eval=[0, 4], max_step=0.05, rtol=1e-10)
    w, x, y, z = (motion[name][-1] for name in m.layout().coordinates[:4])
    assert Rotation.from_quat([x, y, z, w]).as_rotvec() == pytest.approx(TURNED, abs=1e-6)


def test_a_lift_that_escapes_says_when():
    """Horizontal direction (y^2, 1): y = 2 at s = 0 is at infinity at s = 1/2."""
    g = Geometry(constrained("y s", "y'^2/2 - y^2*y'*s' + (1 + y^4/2)*s'^2", driven={"s": 0}))
    assert lift(g, {"s": "t"}, 0.25, start={"y": 2})["y"] == pytest.approx(4)
    with pytest.raises(SimulationError, match=r"escapes at t = 0\.5:"):
        lift(g, {"s": "t"}, 1, start={"y": 2})


def test_an_open_loop_has_no_phase():
    g = Geometry(constrained("th s1 s2", CAT, driven={"s1": 0, "s2": 0}))
    with pytest.raises(ModelError, match="open"):
        phase(g, {"s1": "t", "s2": "t^2"}, 2)
    with pytest.raises(ModelError, match="all driven coordinates"):
        phase(g, {"s1": "t"}, 2)
