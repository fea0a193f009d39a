"""Surfaces that roll on each other, by formulas or by parameters: closed forms, other writings, a saddle point."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve
from scipy.spatial.transform import Rotation

import dalembert as da

G = 9.81
EXACT = {"rtol": 1e-10, "atol": 1e-12}
A = 0.1  # radius of the ball
BALL = ("A*cos(u)*cos(v)", "A*sin(u)*cos(v)", "A*sin(v)")


def free(name="ball", mass=0.5, inertia=(0.4 * 0.5 * A * A,) * 3, chart="quaternion"):
    m = da.Mechanism(name)
    body = m.body(name, mass=mass, inertia=list(inertia))
    m.join(da.earth, body, da.free(chart, "space"), name="f")
    m.gravity = [0, 0, -G]
    return m, body


def pendulum(length, end, angle=0.5):
    """Angle of a pendulum whose centre is on a circle, with 7/5 of its mass: a ball that rolls."""
    law = lambda t, y: [y[1], -G / (1.4 * length) * np.sin(y[0])]
    return solve_ivp(law, (0, end), [angle, 0], rtol=1e-11, atol=1e-13).y[0, -1]


def test_a_ball_in_a_bowl_is_a_pendulum():
    m, ball = free()
    m.roll(da.Sphere(ball, A), da.Surface(da.earth, "0.25 - x^2 - y^2 - z^2"), name="r")
    mo = m.simulate((0, 2), start={"f.x": 0.4 * np.sin(0.5), "f.z": -0.4 * np.cos(0.5)}, **EXACT)
    assert np.arctan2(mo["f.x"][-1], -mo["f.z"][-1]) == pytest.approx(pendulum(0.4, 2), abs=1e-8)
    assert mo["r_contact.lambda"][0] == pytest.approx(0.5 * G * np.cos(0.5), rel=1e-10)
    assert np.hypot(mo["r.lambda1"], mo["r.lambda2"])[0] == pytest.approx(2 / 7 * 0.5 * G * np.sin(0.5), rel=1e-9)
    turned = Rotation.from_quat(np.array([mo[f"f.e{i}"] for i in (1, 2, 3, 0)]).T)
    touch = turned.apply(np.array([mo[f"r_contact.{x}"] for x in "xyz"]).T)  # on the line from centre to centre
    assert touch == pytest.approx(A / 0.4 * np.array([mo[f"f.{x}"] for x in "xyz"]).T, abs=1e-9)
    assert np.ptp(mo.energy()) < 1e-9
    assert mo.quality.closure < 1e-10


def test_a_ball_leaves_the_top_of_a_ball():
    """(7/5) (R + A) th'' = g sin th, and the force is m g (17 cos th - 10 cos th0)/7."""
    m, ball = free()
    m.roll(da.Sphere(ball, A), da.Sphere(da.earth, 0.5), name="r")
    mo = m.simulate((0, 0.5), start={"f.x": 0.6 * np.sin(0.2), "f.z": 0.6 * np.cos(0.2)}, **EXACT)
    th = np.arctan2(mo["f.x"], mo["f.z"])
    law = lambda t, y: [y[1], G / (1.4 * 0.6) * np.sin(y[0])]
    assert th[-1] == pytest.approx(solve_ivp(law, (0, 0.5), [0.2, 0], rtol=1e-11, atol=1e-13).y[0, -1], abs=1e-8)
    assert np.abs(mo["r_contact.lambda"]) == pytest.approx(
        0.5 * G * np.abs(17 * np.cos(th) - 10 * np.cos(0.2)) / 7, rel=1e-8
    )


def test_a_ball_in_a_pipe_goes_down_and_comes_up_again():
    """Its height swings sqrt(2/7) times as it goes round: a golf ball in its hole."""
    m, ball = free()
    m.roll(da.Sphere(ball, A), da.Surface(da.earth, "0.25 - x^2 - y^2"), name="r")
    w = 7.0
    mo = m.simulate((0, 3), start={"f.x": 0.4, "f.y'": 0.4 * w, "f.wx": 0.0}, **EXACT)
    angle = np.sqrt(2 / 7) * w * mo.t
    assert np.hypot(mo["f.x"], mo["f.y"]) == pytest.approx(0.4, abs=1e-9)
    assert np.unwrap(np.arctan2(mo["f.y"], mo["f.x"])) == pytest.approx(w * mo.t, abs=1e-7)
    below = 5 * G / 7 / (2 / 7 * w * w)
    assert mo["f.z"] == pytest.approx(-below * (1 - np.cos(angle)), abs=1e-7)


def test_an_ellipsoid_on_a_plane_is_the_one_of_the_other_formulas():
    radii, moved = [0.2, 0.03, 0.02], {"f.x'": 0.1, "f.wx": 0.3, "f.wy": -0.2, "f.wz": 4.0}
    found = []
    for shapes in (True, False):
        m, body = free("stone", 1.0, (2e-4, 1.6e-3, 1.7e-3))
        if shapes:
            m.roll(da.Ellipsoid(body, radii), da.Plane(da.earth), name="r")
        else:
            m.roll(body, da.earth, radii=radii, name="r")
        m.start = {"f.z": 0.05}
        start = {"f.e1": 0.1, "f.e2": -0.2, "f.e3": 0.05, "f.wx": 0.3, "f.wy": -0.2, "f.wz": 4.0}
        mo = m.simulate((0, 0.3), start=start, **EXACT)
        found.append([mo[x][-1] for x in ("f.x", "f.y", "f.z", "f.e1", "f.e2", "f.e3", "f.wx", "f.wy", "f.wz")])
        assert moved.keys() <= set(mo.names)
    assert found[0] == pytest.approx(found[1], abs=1e-7)


@pytest.mark.slow
@pytest.mark.parametrize("pair", ["patch on formula", "formula on patch", "patch on patch"])
def test_parameters_and_formulas_tell_the_same_rolling(pair):
    """An egg on a barrel: both as formulas, and one or both by parameters."""

    names = ["f.x", "f.y", "f.z", "f.e0", "f.e1", "f.e2", "f.e3", "f.wx", "f.wy", "f.wz"]

    def egg(kinds, start):
        m, body = free("egg", 0.5, (2e-3, 3e-3, 3.5e-3))
        formulas = (da.Ellipsoid(body, [0.2, 0.15, 0.1]), da.Surface(da.earth, "x^2/4 + y^2 + z^2 - 1"))
        patches = (
            da.Patch(body, ["0.2*cos(u)*cos(v)", "0.15*sin(u)*cos(v)", "0.1*sin(v)"]),
            da.Patch(da.earth, ["2*cos(u)*cos(v)", "sin(u)*cos(v)", "sin(v)"]),
        )
        chosen = [patches[k] if kind == "patch" else formulas[k] for k, kind in enumerate(kinds)]
        m.roll(*chosen, name="r")
        m.start = {"f.z": 0.95}
        return m.simulate((0, 0.2), start=start, **EXACT)

    # touching beside the poles of both charts
    start = {"f.e1": 0.3, "f.e2": 0.1, "f.x": 0.5, "f.y": 0.5, "f.wx": 0.2, "f.wy": 0.7, "f.wz": 1.0}
    seen = [egg(("formula", "formula"), start)]
    seen.append(egg(pair.split(" on "), {name: seen[0][name][0] for name in names}))
    assert [seen[0][x][-1] for x in names] == pytest.approx([seen[1][x][-1] for x in names], abs=1e-7)
    assert abs(seen[0]["r_contact.lambda"][-1]) == pytest.approx(abs(seen[1]["r_contact.lambda"][-1]), rel=1e-6)


def contact_by_hand(place, turn, radii, bowl, guess):
    """From the centre of an ellipsoid to its point whose normal is opposite to that of a bowl; by SciPy."""

    def wrong(z):
        there = place + turn.apply(z[:3])
        n, other = turn.apply(z[:3] / np.square(radii)), there / np.square(bowl)
        return [np.sum(np.square(z[:3] / radii)) - 1, *(n / np.linalg.norm(n) - z[3] * other / np.linalg.norm(other))]

    found, _, good, said = fsolve(wrong, [*guess, 1.0], full_output=True, xtol=1e-13)
    assert good == 1, said
    assert found[3] == pytest.approx(1)
    return turn.apply(found[:3])


@pytest.mark.parametrize("seed", range(3))
def test_random_eggs_in_random_bowls_are_those_of_a_saddle_point(seed):
    """Rows by NumPy: v + w x c = 0 at the contact, c by SciPy, its rate by differences."""
    rng = np.random.default_rng(seed)
    radii, bowl = rng.uniform(0.1, 0.3, size=3), rng.uniform(0.8, 1.5, size=3)
    mass, inertia = rng.uniform(0.5, 2), rng.uniform(1e-3, 3e-3, size=3)
    m, body = free("egg", mass, inertia)
    a, b, c = bowl
    m.roll(da.Ellipsoid(body, radii), da.Surface(da.earth, f"1 - (x/{a})^2 - (y/{b})^2 - (z/{c})^2"), name="r")
    turn = Rotation.from_rotvec(rng.normal(scale=0.5, size=3))
    start = dict(zip(("f.e1", "f.e2", "f.e3", "f.e0"), turn.as_quat(), strict=True))
    start |= {"f.x": rng.normal(scale=0.1), "f.y": rng.normal(scale=0.1)}
    start |= {f"f.w{x}": rng.normal() for x in "xyz"}
    m.start = {"f.z": -0.8 * c}
    mo = m.simulate((0, 1e-4), start=start, **EXACT)

    def told(*names):
        return np.array([mo[name][0] for name in names])

    place, v, w = told("f.x", "f.y", "f.z"), told("egg.X'", "egg.Y'", "egg.Z'"), told("egg.WX", "egg.WY", "egg.WZ")
    touch = told("r_contact.x", "r_contact.y", "r_contact.z")
    arm = contact_by_hand(place, turn, radii, bowl, touch)
    assert np.sum(np.square((place + arm) / bowl)) == pytest.approx(1, abs=1e-9)
    assert v + np.cross(w, arm) == pytest.approx(0, abs=1e-9)

    def later(t):
        return contact_by_hand(place + v * t, Rotation.from_rotvec(w * t) * turn, radii, bowl, touch)

    h = 1e-5
    rate = (later(h) - later(-h)) / (2 * h)
    rows = np.hstack([np.eye(3), np.array([np.cross(e, arm) for e in np.eye(3)]).T])
    moment = turn.as_matrix() @ np.diag(inertia) @ turn.as_matrix().T
    M = np.block([[mass * np.eye(3), np.zeros((3, 3))], [np.zeros((3, 3)), moment]])
    right = [0, 0, -mass * G, *(-np.cross(w, moment @ w)), *(-np.cross(w, rate))]
    wanted = np.linalg.solve(np.block([[M, -rows.T], [rows, np.zeros((3, 3))]]), right)
    assert told("f.x''", "f.y''", "f.z''") == pytest.approx(wanted[:3], rel=1e-6, abs=1e-6)
    assert turn.apply(told("f.wx'", "f.wy'", "f.wz'")) == pytest.approx(wanted[3:6], rel=1e-6, abs=1e-6)
    force = np.linalg.norm(told("r_contact.lambda", "r.lambda1", "r.lambda2"))
    assert force == pytest.approx(np.linalg.norm(wanted[6:]), rel=1e-6)


def test_two_free_balls_roll_on_each_other():
    """Momentum and angular momentum are kept where nothing else acts, and the energy is."""
    m = da.Mechanism("balls")
    for name, radius, mass in (("a", 0.3, 1.0), ("b", 0.2, 0.7)):
        body = m.body(name, mass=mass, inertia=[0.4 * mass * radius**2] * 3)
        m.join(da.earth, body, da.free("quaternion", "space"), name=f"f{name}")
    m.roll(da.Sphere(m.bodies["a"], 0.3), da.Sphere(m.bodies["b"], 0.2), name="r")
    mo = m.simulate((0, 2), start={"fa.x": 0.0, "fb.z": 0.5, "fa.wx": 3.0, "fa.wz": 1.0, "fb.y'": 0.4}, **EXACT)
    for name in ("PX", "PY", "PZ", "LX", "LY", "LZ"):
        assert np.ptp(mo[f"total.{name}"]) < 1e-8
    assert np.ptp(mo.energy()) < 1e-9
    apart = sum((mo[f"fa.{x}"] - mo[f"fb.{x}"]) ** 2 for x in "xyz")
    assert apart == pytest.approx(0.25, abs=1e-9)


EGG = """
let egg = body mass = 0.5, iframe = 0, inertia = [0.002, 0.003, 0.0035] end ;
join earth and egg.frame with link(x, y, z, a, b, c)
  dof1 = [x, y, z], dof2 = a || [1, 0, 0], dof3 = b || [0, 1, 0], dof4 = c || [0, 0, 1] end as f ;
gravity [0, 0, -9.81] ;
roll ellipsoid(egg, [0.2, 0.15, 0.1]) on surface(earth, R^2 - x^2 - y^2/2 - z^2) as r ;
given R = 1 ;
start f.z = -0.9, f.a = 0.2 ;
"""


def test_surfaces_in_lsd_are_read_printed_and_moved():
    m = da.loads(EGG)
    again = da.loads(m.to_lsd())
    assert again.freeze() == m.freeze()
    assert again.to_lsd() == m.to_lsd()
    mo = again.simulate((0, 0.5))
    assert np.ptp(mo.energy()) < 1e-6
    patch = m.to_lsd().replace("ellipsoid(egg.frame, [0.2, 0.15, 0.1])", "patch(egg.frame, [0.1*cos(u)*cos(v), u, v])")
    assert da.loads(da.loads(patch).to_lsd()).freeze() == da.loads(patch).freeze()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("roll ellipsoid(egg, [1, 1, 1]) on earth as r ;", "expected a shape"),
        ("roll box(egg, [1, 1, 1]) on plane(earth) as r ;", "has edges or ends"),
        ("roll sphere(egg, 1) on sphere(egg, 2) as r ;", "does not roll on itself"),
        ("roll sphere(egg, 1) on surface(earth, 3) as r ;", "none of x, y and z"),
        ("roll sphere(egg, 1) on plane(earth) with radius = 2 as r ;", "their own sizes"),
    ],
)
def test_what_cannot_roll_is_told_with_its_place(words, said):
    line = "roll ellipsoid(egg, [0.2, 0.15, 0.1]) on surface(earth, R^2 - x^2 - y^2/2 - z^2) as r ;"
    with pytest.raises(da.DalembertError, match=said) as found:
        da.loads(EGG.replace(line, words))
    assert ":6:" in str(found.value)


@pytest.mark.parametrize("size", [1e-6, 1e6])
def test_no_unit_of_length_has_a_say(size):
    m, ball = free(inertia=(0.4 * 0.5 * (A * size) ** 2,) * 3)
    m.gravity = [0, 0, -G * size]
    m.roll(da.Sphere(ball, A * size), da.Surface(da.earth, f"{(0.5 * size) ** 2!r} - x^2 - y^2 - z^2"), name="r")
    mo = m.simulate((0, 0.5), start={"f.x": 0.4 * size * np.sin(0.5), "f.z": -0.4 * size * np.cos(0.5)}, rtol=1e-10)
    assert np.arctan2(mo["f.x"][-1], -mo["f.z"][-1]) == pytest.approx(pendulum(0.4, 0.5), abs=1e-7)


def test_an_egg_rests_on_its_flat_side_and_rocks_about_it():
    """With a radius of curvature R below and the centre at c: w^2 = m g (R - c) / (J + m c^2), about either axis."""
    unit = 1e-3  # a small one: no length has a say
    a, b, c, mass = 0.3 * unit, 0.2 * unit, 0.1 * unit, 0.7
    inertia = [mass * (y * y + z * z) / 5 for y, z in ((b, c), (a, c), (a, b))]
    m, egg = free("egg", mass, inertia, chart="bryant")
    m.roll(da.Ellipsoid(egg, [a, b, c]), da.Plane(da.earth), name="r")
    found = m.equilibria(starts=3, spread=0.3)
    assert found
    for one in found:
        assert one.coordinates["f.z"] == pytest.approx(c, rel=1e-9)
        assert one.coordinates["r_contact.z"] == pytest.approx(-c, rel=1e-9)
        rates = sorted({round(abs(z.imag) * unit**0.5, 7) for z in one.eigenvalues if abs(z.imag) * unit**0.5 > 1e-3})
        wanted = [
            np.sqrt(mass * G * (r * r / c - c) / (j + mass * c * c) * unit)
            for r, j in ((b, inertia[0]), (a, inertia[1]))
        ]
        assert rates == pytest.approx(sorted(wanted), rel=1e-6)


def test_a_ball_rests_at_the_bottom_of_its_bowl_and_not_in_the_wall():
    m, ball = free(chart="bryant")
    m.roll(da.Sphere(ball, A), da.Surface(da.earth, "0.25 - x^2 - y^2 - z^2"), name="r")
    found = m.equilibria(at={"f.x": 0.1, "f.z": -0.35}, starts=3, spread=0.5)
    assert {round(one.coordinates["f.z"], 9) for one in found} <= {-0.4, 0.4}
    low = next(one for one in found if one.coordinates["f.z"] < 0)
    assert max(z.imag for z in low.eigenvalues) == pytest.approx(np.sqrt(G / (1.4 * 0.4)), rel=1e-9)
    for start in ({}, {"f.x": 0.1}):  # nobody says on which side it touches
        mo = m.simulate((0, 0.01), start=start)
        assert np.linalg.norm([mo[f"f.{x}"][0] for x in "xyz"]) == pytest.approx(0.4, rel=1e-9)
    with pytest.raises(da.SimulationError):
        m.simulate((0, 0.01), start={"f.x": 0.6})
