"""Constraints in the builder: conditions of every kind, reactions of every kind, and what is refused in words.

Numbers are those of Dazord (1994) and Marle, worked out again by hand.
"""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.dynamics import dynamics_of
from dalembert.mechanism import Layout


def slides(*masses: float, axes: str = "xyz") -> da.Mechanism:
    """Masses on three slides, one after the other: coordinates x.x, y.x, z.x."""
    m = da.Mechanism("slides")
    before = da.earth
    for axis, mass in zip(axes, masses, strict=False):
        body = m.body(f"b{axis}", mass=mass)
        m.join(before, body, da.prismatic(axis), name=axis)
        before = body
    return m


def discs(by: str | None) -> da.Mechanism:
    """Two discs, the first on a torsion spring; the second has the motor."""
    m = da.Mechanism("discs")
    m.join(da.earth, m.body("a", inertia=[1, 1, 2]), da.revolute("z").with_efforts(th="-5*th"), name="d1")
    m.join(da.earth, m.body("b", inertia=[2, 2, 3]), da.revolute("z"), name="d2")
    m.constrain("d1.th = d2.th", by=by, name="servo")
    return m


def told(m: da.Mechanism, state: dict[str, float], *outputs: str) -> list[float]:
    """Accelerations in the order of the speeds, then outputs, at a state."""
    about = dynamics_of(m.layout())
    values = {ex.symbol(x): v for x, v in {"t": 0.0, **m.given, **state}.items()}
    asked = [*about.accelerations(), *about.solved([about.outputs[name] for name in outputs])]
    return [float(x) for x in ex.evaluate(asked, values)]


def test_an_imperfect_servo_disc_ignores_the_second_inertia():
    state = {"d1.th": 0.3, "d2.th": 0.3, "d1.th'": 0.4, "d2.th'": 0.4}
    found = told(discs("d2.th"), state, "servo.lambda", "servo.power")
    assert found == pytest.approx([-0.75, -0.75, -2.25, -0.9], rel=1e-12)
    (coupling,) = dynamics_of(discs("d2.th").layout()).resolved.oblique.couplings()
    assert abs(float(ex.evaluate([coupling], {})[0])) == pytest.approx(0.632455532, rel=1e-9)
    found = told(discs(None), state, "servo.lambda", "servo.power")
    assert found == pytest.approx([-0.3, -0.3, 0.9, 0.0], abs=1e-12)


def test_the_servo_discs_move_as_if_the_motor_were_not_there():
    mo = discs("d2.th").simulate((0, 5), start={"d1.th": 0.3, "d1.th'": 0.4}, t_eval=[0, 1, 5], rtol=1e-11, atol=1e-13)
    assert mo["d1.th"][1:] == pytest.approx([0.2498659868, 0.2371371862], rel=1e-7)
    assert mo["d2.th'"][1:] == pytest.approx([-0.4784532073, -0.4943833404], rel=1e-7)
    assert np.abs(mo.energy() - mo.energy()[0] - mo.work()).max() < 1e-10


@pytest.mark.parametrize(
    ("push", "wanted", "weight"),
    [("x.x", [0.5, 0.5], -2.5), (None, [4 / 3, -1 / 3], -5 / 3)],
)
def test_two_masses_with_one_condition(push, wanted, weight):
    """M = diag(1, 2), f = (3, 1), G = (1, 1), gamma = 1: the vectors of the linear algebra."""
    m = da.Mechanism("masses")
    m.join(da.earth, m.body("a", mass=1), da.prismatic("x").with_efforts(x=3), name="x")
    m.join(da.earth, m.body("b", mass=2), da.prismatic("x").with_efforts(x=1), name="y")
    m.constrain("x.x + y.x = t**2/2", by=push, name="law")
    assert told(m, {}, "law.lambda") == pytest.approx([*wanted, weight], rel=1e-12)


def test_a_push_without_hold_on_its_condition_is_a_coupling_error():
    m = da.Mechanism("masses")
    m.join(da.earth, m.body("a", mass=1), da.prismatic("x"), name="x")
    m.join(da.earth, m.body("b", mass=2), da.prismatic("x"), name="y")
    m.constrain("x.x + y.x = t**2/2", by="d(x.x) - 2*d(y.x)", name="law")
    with pytest.raises(da.CouplingError, match=r"'law'.*kappa"):
        m.simulate((0, 1))


def test_appell_and_hamel():
    """A condition that is not linear in the speeds, kept by Chetaev's rule: z'' is constant for ever."""
    m = slides(0.0, 0.0, 1.5)
    m.gravity = [0, 0, -9.81]
    m.constrain("(x.x'**2 + y.x'**2 - 0.49*z.x'**2)/2 = 0", name="hamel")
    speeds = {"x.x'": 0.3, "y.x'": 0.4, "z.x'": -0.5 / 0.7}
    found = told(m, {"x.x": 0, "y.x": 0, "z.x": 0, **speeds}, "hamel.lambda")
    assert found == pytest.approx([2.765234899, 3.686979866, -6.583892617, 13.8261745], rel=1e-8)
    mo = m.simulate((0, 1), start=speeds, rtol=1e-11, atol=1e-13)
    assert mo.y[:3, -1] == pytest.approx([1.68261745, 2.243489933, -4.006232023], rel=1e-7)
    assert m.simulate((0, 0.1), start={"x.x'": 0.3, "y.x'": -0.4}).y[5, 0] == pytest.approx(0.5 / 0.7)
    with pytest.raises(da.SingularError, match="'hamel' has no rank at rest"):
        m.simulate((0, 1))


def test_a_point_slides_with_friction():
    """Dazord's point on a plane: decelerated by friction times gravity, whatever its mass."""
    m = slides(0.0, 0.0, 1.3)
    m.gravity = [0, 0, -9.81]
    m.constrain("z.x = 0", by=da.coulomb(0.3, "x.x'", "y.x'"), name="floor")
    found = told(m, {"x.x": 0, "y.x": 0, "z.x": 0, "x.x'": 3, "y.x'": 4, "z.x'": 0}, "floor.lambda", "floor.power")
    assert found == pytest.approx([-1.7658, -2.3544, 0, 12.753, -19.1295], abs=1e-10)
    m.gravity = [0, 0, 9.81]
    found = told(m, {"x.x": 0, "y.x": 0, "z.x": 0, "x.x'": 3, "y.x'": 4, "z.x'": 0}, "floor.lambda", "floor.power")
    assert found == pytest.approx([-1.7658, -2.3544, 0, -12.753, -19.1295], abs=1e-10)


def test_a_blade_in_the_words_of_frames_is_the_blade_in_coordinates():
    found = []
    for blade in (
        "vel(sled, y, sled) = 0",
        "-sin(p.th)*p.x' + cos(p.th)*p.y' = 0",
        "sled.Y'*cos(p.th) = sled.X'*sin(p.th)",
    ):
        m = da.Mechanism("sled")
        m.join(da.earth, m.body("sled", mass=2, centre=[0.25, 0, 0], inertia=[0.3] * 3), da.planar(), name="p")
        m.constrain(blade, name="blade")
        v = {"p.x": 0, "p.y": 0, "p.th": 0.4, "p.x'": -np.cos(0.4), "p.y'": -np.sin(0.4), "p.th'": 1.5}
        found.append(told(m, v, "blade.lambda"))
    for one in found:
        assert one == pytest.approx([1.102224323, -1.162543673, 1.764705882, -2.117647059], rel=1e-8)


REFUSED = [
    ("ja.th = ja.th", None, "holds always"),
    ("2*k = 3", None, "asks nothing of the motion"),
    ("ja.ph = 0", None, "'ja.ph' is neither a coordinate"),
    ("vel(b, x) = 0", None, "names the frame 'b'"),
    ("vel(a, w) = 0", None, "'w' is no axis"),
    ("vel(a) = 0", None, "called with 1 arguments"),
    ("ja.th'' = 0", None, "asks for the acceleration 'ja.th''"),
    ("d(ja.th) = 0", None, "d\\(...\\) is a virtual change"),
    ("ja.th = t", "d(omega(c, z))", "names the frame 'c'"),
    ("ja.th = t", "ja.th**2", "is no sum of virtual changes"),
    ("ja.th = t", ["ja.th", "ja.th"], "1 condition and 2 reactions"),
    ("ja.th = t = 2", None, "2 signs of equality"),
]


@pytest.mark.parametrize(("equation", "by", "message"), REFUSED)
def test_what_no_constraint_can_be_is_refused_in_a_sentence(equation, by, message):
    m = da.Mechanism("one")
    m.join(da.earth, m.body("a", inertia=[1, 1, 1]), da.revolute("z"), name="ja")
    with pytest.raises(da.ModelError, match=message):
        Layout.of(with_constraint(m, equation, by))


def with_constraint(m, equation, by):
    m.constrain(equation, by=by, name="c")
    return m


def test_conditions_that_contradict_each_other_are_named():
    m = da.Mechanism("one")
    m.join(da.earth, m.body("a", inertia=[1, 1, 1]), da.revolute("z"), name="ja")
    m.drive("ja.th", "t", name="slow")
    m.drive("ja.th", "2*t", name="fast")
    with pytest.raises(da.ModelError, match="'slow' and 'fast' contradict each other"):
        m.simulate((0, 1))


def test_a_wheel_at_a_height_that_nothing_changes_is_told_so():
    m = da.Mechanism("cart")
    cart, wheel = m.body("cart", mass=3), m.body("wheel", mass=1, inertia=[0.01, 0.02, 0.01])
    m.join(da.earth.at([0, 0, 0.25]), cart, da.prismatic("x"), name="c")
    m.join(cart, wheel, da.revolute("y"), name="axle")
    m.roll(wheel, da.earth, radius=0.2, name="road")
    with pytest.raises(da.SimulationError, match=r"'road_contact' cannot hold there.* No coordinate changes it"):
        m.simulate((0, 1))


def test_places_that_cannot_be_together_are_named_together():
    m = slides(1, 1)
    m.constrain("x.x^2 + y.x^2 = 1", name="circle")
    m.constrain("x.x + y.x = 2", name="line")
    with pytest.raises(da.SimulationError, match=r"'circle', 'line' cannot hold together there.* Check its lengths"):
        m.simulate((0, 1))


def test_names_of_constraints_are_unique_among_links_and_efforts():
    m = da.Mechanism("one")
    m.join(da.earth, m.body("a", inertia=[1, 1, 1]), da.revolute("z"), name="ja")
    with pytest.raises(da.ModelError, match="'ja' is a link"):
        m.constrain("ja.th = t", name="ja")
    m.drive("ja.th", "t")
    m.drive("ja.th", "t")
    assert [one.name for one in m.constraints] == ["drive_1", "drive_2"]
    frozen = m.freeze()
    m.constrain("ja.th' = 1")
    assert len(frozen.constraints) == 2


def test_a_wheel_that_rolls_is_held_by_the_road_and_carried_by_its_axle():
    """A wheel on an axle that a cart pushes: the road gives the friction, the axle what is left of the mass times a."""
    m = da.Mechanism("barrow")
    cart = m.body("cart", mass=3)
    wheel = m.body("wheel", mass=2, inertia=[0.3, 0.5, 0.3])
    m.join(da.earth, cart, da.prismatic("x"), name="rail")
    m.join(cart, wheel, da.revolute("y"), name="axle")
    m.force(cart, [10, 0, 0])
    m.gravity = [0, 0, -9.81]
    m.constrain("vel(wheel, x) - 0.4*omega(wheel, y) = 0", name="road")
    a = 10 / (3 + 2 + 0.5 / 0.4**2)
    state = {"rail.x": 0, "axle.th": 0, "rail.x'": 1, "axle.th'": 2.5}
    found = told(m, state, "road.lambda", "axle.Fx", "axle.Fz", "axle.My", "rail.Fz")
    assert found == pytest.approx([a, a / 0.4, -0.5 * a / 0.16, 2 * a + 0.5 * a / 0.16, 19.62, 0, 5 * 9.81], abs=1e-12)
    balance = m.reactions(at=state)
    assert balance["axle"].wrench == pytest.approx([0, 0, 0, 2 * a + 0.5 * a / 0.16, 0, 19.62], abs=1e-9)


def test_a_gear_is_an_effort_in_each_of_its_joints():
    m = da.Mechanism("gears")
    for name, size in (("a", 1.0), ("b", 2.0)):
        m.join(da.earth, m.body(name, inertia=[size] * 3), da.revolute("z"), name=name)
    m.torque("a", [0, 0, 3])
    m.constrain("a.th = -2*b.th", name="teeth")
    found = m.reactions(at={"a.th'": 1.0})
    acceleration = 3 / (1 + 2 / 4)
    assert found["a"].wrench[2] == pytest.approx(acceleration - 3, abs=1e-12)
    assert found["b"].wrench[2] == pytest.approx(-acceleration / 2 * 2, abs=1e-12)


def test_coupling_that_is_lost_on_the_way_ends_the_motion_in_words():
    """The angle of an arm, kept by a push on its cart: none turns it where it points along the rail."""
    m = da.Mechanism("arm")
    cart, arm = m.body("cart", mass=1), m.body("arm", mass=1, centre=[1, 0, 0], inertia=[0.1] * 3)
    m.join(da.earth, cart, da.prismatic("x"), name="s")
    m.join(cart, arm, da.revolute("z"), name="j")
    m.constrain("j.th = 1 + t", by="s.x", name="law")
    with pytest.raises(da.CouplingError, match="'law' lose their hold") as caught:
        m.simulate((0, 3), start={"s.x": 0, "s.x'": 0})
    assert np.pi - 1.2 > caught.value.partial.t[-1] > 0.3  # the coupling is a sine of the angle, zero at pi


@pytest.mark.parametrize(("length", "mass"), [(1e-6, 1e6), (1e6, 1e-6), (1e6, 1e6)])
def test_no_unit_changes_a_constrained_motion(length, mass):
    """A disc that rolls, in other units: the same motion, times the unit."""
    found = []
    for unit, heavy in ((1.0, 1.0), (length, mass)):
        m = da.Mechanism("disc")
        fork, arm = m.body("fork"), m.body("arm")
        r2 = heavy * unit**2
        wheel = m.body("wheel", mass=heavy, inertia=[0.0625 * r2, 0.125 * r2, 0.0625 * r2])
        place = da.Displacement.of(["x", "y", "z"]), da.Displacement.of([0, 0, 0], da.turn("ps", "z"))
        m.join(da.earth, fork, da.composite(["x", "y", "z", "ps"], *place), name="c")
        m.join(fork, arm, da.revolute("x"), name="lean")
        m.join(arm, wheel, da.revolute("y"), name="spin")
        m.gravity = [0, 0, -9.81 * unit]
        m.roll(wheel, da.earth, radius=0.5 * unit, name="road")
        mo = m.simulate((0, 0.5), start={"c.ps": 0.3, "lean.th": 0.2, "c.ps'": 0.7, "lean.th'": 0.1, "spin.th'": 4})
        lengths = ("c.x", "c.y", "c.z")
        found.append([mo[x][-1] / (unit if x.rstrip("'") in lengths else 1) for x in mo.names])
    assert found[1] == pytest.approx(found[0], rel=1e-9, abs=1e-9)


def test_the_coupling_number_of_a_state():
    assert discs("d2.th").coupling().kappa == pytest.approx(np.sqrt(0.4), rel=1e-12)
    assert discs(None).coupling().kappa == pytest.approx(1.0, rel=1e-12)
    m = da.Mechanism("masses")
    m.join(da.earth, m.body("a", mass=1), da.prismatic("x"), name="x")
    m.join(da.earth, m.body("b", mass=2), da.prismatic("x"), name="y")
    m.constrain("x.x + y.x = t**2/2", by="x.x", name="law")
    found = m.coupling()
    assert (found.kappa, found.law, found.actuator, found.weak) == (pytest.approx(np.sqrt(2 / 3)), "law", "law", False)


@pytest.mark.parametrize("seed", range(4))
def test_a_perfect_reaction_in_any_basis_is_the_same_motion_and_another_push_is_not(seed):
    """W = C G with C invertible moves as W = G, with C^T mu = lambda; W elsewhere does not (spec 3.25 f)."""
    rng = np.random.default_rng(seed)
    first, second = ("pos(tip, x)", "pos(tip, y)") if seed % 2 else ("vel(tip, x)", "omega(b, z) + vel(tip, y)")
    mix = rng.integers(1, 4, size=(2, 2)) + np.diag([3, 3])

    def arm(by):
        m = da.Mechanism("arm")
        before = da.earth
        for name, mass in zip("abc", (1.0, 1.4, 0.6), strict=True):
            body = m.body(name, mass=mass, centre=[0.2, 0.1, 0], inertia=[0.1] * 3)
            m.join(before.at([0.5, 0, 0]) if name != "a" else before, body, da.revolute("z"), name=f"j{name}")
            before = body
        m.frame("tip", before.at([0.4, 0, 0]))
        m.gravity = [0, -9.81, 0]
        m.constrain(f"{first} = 0.1*t", f"{second} = 0.2", by=by, name="law")
        return m

    forms = [f"{a}*d({first}) + {b}*d({second})" for a, b in mix.tolist()]
    about = [dynamics_of(arm(by).layout()) for by in (None, forms, ["ja.th", "jb.th"])]
    state = {x: float(rng.uniform(-1, 1)) for x in (*about[0].coordinates, *about[0].speeds)} | {ex.TIME: 0.3}
    solved = [
        [float(x) for x in ex.evaluate(one.solved([*one.accelerations(), *one.multipliers]), state)] for one in about
    ]
    scale = np.abs(solved[0]).max()
    assert solved[1][:3] == pytest.approx(solved[0][:3], abs=1e-11 * scale)
    assert mix.T @ solved[1][3:] == pytest.approx(solved[0][3:], abs=1e-10 * scale)
    assert np.abs(np.array(solved[2][:3]) - solved[0][:3]).max() > 1e-3 * scale
