"""Control about a rest, trajectories through points and the efforts of a motion, each against another road."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from linkages import four_bar


def cart_pole():
    m = da.Mechanism("cart-pole")
    cart = m.body("cart", mass=1)
    pole = m.body("pole", mass=0.2, centre=[0, 0, 0.5], inertia=[0.02, 0.02, 0])
    m.join(da.earth, cart, da.prismatic("x").with_efforts(x="push"), name="rail")
    m.join(cart, pole, da.revolute("y"), name="pin")
    m.frame("tip", pole.at([0, 0, 1]))
    m.gravity = [0, 0, -9.81]
    m.given = {"push": 0.0}
    return m


def test_matrices_are_those_of_linearize_and_outputs_those_of_the_geometry():
    m = cart_pole()
    space = m.state_space(["push"], ["tip.X", "tip.X''"], at={"rail.x": 0, "pin.th": 0})
    A, B = m.linearize({"rail.x": 0, "pin.th": 0}, inputs=["push"]).numbers()
    np.testing.assert_allclose(space.A, A, atol=1e-12)
    np.testing.assert_allclose(space.B, B, atol=1e-12)
    np.testing.assert_allclose(space.C[0], [1, 1, 0, 0], atol=1e-12)
    np.testing.assert_allclose(space.C[1], A[2] + A[3], atol=1e-12)
    np.testing.assert_allclose(space.D[1], B[2] + B[3], atol=1e-12)
    by_effort = m.state_space(["rail.x"], at={"pin.th": 0})
    np.testing.assert_allclose(by_effort.B, B, atol=1e-12)


@pytest.mark.parametrize("metre", [1e-3, 1.0, 1e3])
def test_an_upright_pole_rests_where_it_is_written_so_in_seven_digits(metre):
    m = da.Mechanism("pole")
    cart, pole = m.body("cart", mass=10), m.body("pole", mass=1)
    m.join(da.earth, cart, da.prismatic("x"), name="rail")
    m.join(cart, pole.at([0, 0, metre / 2]), da.revolute("y"), name="pin")  # upright at pi: all forces are rounding
    m.gravity = [0, 0, -9.81 * metre]
    for angle in (np.pi, 3.1415927, 0.0):
        space = m.state_space(["rail.x"], at={"pin.th": angle})
        assert space.rest["rail.x"] == pytest.approx(0, abs=1e-6 * metre)
    with pytest.raises(da.ModelError, match="seven digits"):
        m.state_space(["rail.x"], at={"pin.th": 3.14159})


def test_optimal_feedback_holds_the_pole_up():
    m = cart_pole()
    space = m.state_space(["push"], at={"pin.th": 0})
    held = space.lqr({"rail.x": 1, "pin.th": 10}, 0.1)
    assert held.closed.real.max() < 0
    gain = held.gain[0]
    law = " - ".join(f"{k}*({x})" for k, x in zip(gain.tolist(), space.states, strict=True))
    driven = _driven(law)
    mo = driven.simulate((0, 6), start={"pin.th": 0.2})
    assert abs(mo["pin.th"][-1]) < 1e-3
    # the cost of the motion is what the Riccati matrix says, for small deviations
    small = driven.simulate((0, 40), start={"pin.th": 1e-4}, rtol=1e-10, t_eval=np.linspace(0, 40, 20001))
    x = np.array([small[name] for name in space.states])
    w = gain @ x
    cost = np.trapezoid(x[0] ** 2 + 10 * x[1] ** 2 + 0.1 * w**2, small.t)
    begun = np.array([0, 1e-4, 0, 0])
    assert cost == pytest.approx(begun @ held.cost @ begun, rel=1e-3)
    discrete = space.lqr({"rail.x": 1, "pin.th": 10}, 0.1, step=0.01)
    assert np.abs(discrete.closed).max() < 1


def _driven(law):
    m = da.Mechanism("driven")
    cart = m.body("cart", mass=1)
    pole = m.body("pole", mass=0.2, centre=[0, 0, 0.5], inertia=[0.02, 0.02, 0])
    m.join(da.earth, cart, da.prismatic("x"), name="rail")
    m.join(cart, pole, da.revolute("y"), name="pin")
    m.force(cart, [f"-({law.replace(' - ', ' + ')})", 0, 0], name="push")
    m.gravity = [0, 0, -9.81]
    return m


def test_an_arm_is_held_by_the_inputs_that_are_told():
    m = da.Mechanism("arm")
    rod = m.body("rod", mass=2, centre=[0.5, 0, 0], inertia=[0, 0.1, 0.1])
    m.join(da.earth, rod, da.revolute("y"), name="p")
    m.gravity = [0, 0, -9.81]
    space = m.state_space(["p.th"], at={"p.th": 0.3})
    assert space.rest["p.th"] == pytest.approx(float(m.compile().gravity_compensation([0.3])[0]))
    with pytest.raises(da.DalembertError, match="does not rest"):
        m.state_space([], at={"p.th": 0.3})
    with pytest.raises(da.DalembertError, match="not 'P'"):
        m.state_space(["P"])


def test_a_closed_machine_and_a_quaternion_have_as_many_states_as_freedoms():
    m = four_bar([1.0, 3.0, 2.0], 3.0)
    space = m.state_space(["A.th"], ["A.th", "b.X"], at={"A.th": 0.9})
    assert len(space.states) == 2
    f = m.compile()
    start = f.start({"A.th": 0.9})
    hold = np.zeros(len(f.speeds))
    hold[f.speeds.index("A.th'")] = space.rest["A.th"]
    n = len(f.coordinates)
    assert np.abs(f.acceleration(start.y[:n], 0 * start.y[n:], 0.0, hold)).max() < 1e-6
    # the crank pushed: its slope is that of closed postures beside this one
    h = 1e-4

    def pull(angle):
        y = f.start({"A.th": angle}).y
        free = space.states[0]
        return np.asarray(f.acceleration(y[:n], 0 * y[n:], 0.0, hold))[f.speeds.index(f"{free}'")], y[
            f.coordinates.index(free)
        ]

    (a, x), (b, z) = pull(0.9 + h), pull(0.9 - h)
    assert space.A[1, 0] == pytest.approx((a - b) / (x - z), rel=1e-4)
    ball = da.Mechanism("ball")
    ball.join(
        da.earth, ball.body("rod", mass=1, centre=[0, 0, -1], inertia=[1, 1, 1]), da.spherical("quaternion"), name="s"
    )
    ball.gravity = [0, 0, -9.81]
    space = ball.state_space([], at={"s.e0": 1})
    assert len(space.states) == 6
    rate = np.sqrt(9.81 / 2)
    np.testing.assert_allclose(sorted(np.abs(space.eigenvalues())), [0, 0, rate, rate, rate, rate], atol=1e-7)


# --- trajectories --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["cubic", "quintic"])
def test_a_trajectory_passes_its_points_at_rest_at_the_ends_within_its_limits(kind):
    points = {"a.th": [0.0, 1.0, -0.5, 0.2], "b.x": [0.3, 0.0, 0.1, 0.1]}
    way = da.trajectory(points, kind=kind, speed={"a.th": 2.0, "b.x": 0.4}, acceleration=5.0)
    np.testing.assert_allclose(way.q(way.t).T, list(points.values()), atol=1e-12)
    np.testing.assert_allclose(way.u([way.t[0], way.t[-1]]), 0, atol=1e-9)
    t = np.linspace(0, way.duration, 4001)
    assert (np.abs(way.u(t)).max(axis=0) <= [2.0, 0.4]).all()
    assert np.abs(way.udot(t)).max() <= 5.0
    fast = max((np.abs(way.u(t)) / [2.0, 0.4]).max(), np.sqrt(np.abs(way.udot(t)).max() / 5.0))
    assert fast > 0.99  # no slower than it must be
    from dalembert import expr as ex

    for k, law in enumerate(way.laws().values()):
        moved = ex.evaluate([law, ex.tangent([law], {ex.TIME: ex.ONE})[0]], {ex.TIME: t})
        np.testing.assert_allclose(moved[0], way.q(t)[:, k], atol=1e-10)
        np.testing.assert_allclose(moved[1][:-1], way.u(t)[:-1, k], atol=1e-9)


def test_a_machine_follows_a_trajectory():
    m = cart_pole()
    way = da.trajectory({"rail.x": [0, 0.5, 0.2], "pin.th": [0, 0.3, 0]}, times=[0, 1, 2])
    needed = m.inverse_dynamics(way.laws(), (0, 2), t_eval=np.linspace(0, 2, 21))
    f = m.compile()
    t = np.linspace(0, 2, 21)
    expected = f.inverse_dynamics(way.q(t), way.u(t), way.udot(t))
    found = np.array(list(needed.efforts.values())).T
    np.testing.assert_allclose(found[1:-1], expected[1:-1], atol=1e-6)


def test_wrong_trajectories_are_refused():
    for bad in ({"points": {"a": [1.0]}}, {"points": {"a": [1, 2]}}, {"points": {"a": [1, 1]}, "speed": 1}):
        with pytest.raises(da.DalembertError):
            da.trajectory(**bad)


# --- efforts -------------------------------------------------------------------------------------------------------


def test_efforts_on_a_four_bar_are_those_that_move_it():
    m = four_bar([1.0, 3.0, 2.0], 3.0)
    f = m.compile()
    y = f.start({"A.th": 0.9, "A.th'": 1.3}).y
    n = len(f.coordinates)
    push = np.zeros(len(f.speeds))
    push[f.speeds.index("A.th'")] = 4.2
    a = f.acceleration(y[:n], y[n:], 0.0, push)
    needed = m.needed_efforts(y[:n], y[n:], a, by=["A.th"])
    assert needed.efforts["A.th"] == pytest.approx(4.2)
    with pytest.raises(da.DalembertError, match="breaks constraint"):
        m.needed_efforts(y[:n], y[n:], np.asarray(a) + 1, by=["A.th"])
    with pytest.raises(da.ModelError, match="needed_efforts"):  # the remedy that this test has shown to work
        m.compile().inverse_dynamics(y[:n], y[n:], a)


def test_a_hand_presses_a_block_on_a_wall_as_little_as_its_friction_needs():
    m = da.Mechanism("block")
    m.join(da.earth, m.body("block", mass=2), da.composite(["x", "z"], ["x", 0, "z"]), name="p")
    m.gravity = [0, 0, -9.81]
    m.contact("p.x >= 0", friction=0.5, slip="p.z'", name="wall")
    rest = [0.0, 0.0]
    needed = m.needed_efforts(rest, rest, rest, contacts=["wall"])
    # x carries N, z what friction of half of it leaves of the weight W: N^2 + (W - N/2)^2 is least at N = 2 W/5
    assert needed.contacts["wall"][0] == pytest.approx(2 * 19.62 / 5, rel=1e-5)
    assert needed.efforts == pytest.approx({"p.x": -2 * 19.62 / 5, "p.z": 4 * 19.62 / 5}, rel=1e-5)
    with pytest.raises(da.DalembertError, match="beyond its friction"):
        m.needed_efforts(rest, rest, rest, by=[], contacts=["wall"])
    with pytest.raises(da.DalembertError, match="'wall' opens"):
        m.needed_efforts(rest, rest, [1.0, 0.0], contacts=["wall"])


def test_constraints_and_contacts_carry_a_motion_together():
    """A ladder (a rod whose top slides in a guide along the wall) stands on a rough floor and is pulled at its top.

    By hand: moments about the foot give the guide's force, the floor pushes with the weight, friction is what is left.
    """
    m = da.Mechanism("ladder")
    rod = m.body("rod", mass=3, centre=[0, 0, 1], inertia=[1, 1, 0.01])
    m.join(da.earth, rod, da.composite(["x", "z", "th"], ["x", 0, "z"], da.turn("th", "y")), name="p")
    m.frame("top", rod.at([0, 0, 2]))
    m.frame("foot", rod.at([0, 0, 0]))
    m.gravity = [0, 0, -9.81]
    m.constrain("top.X", name="guide")
    m.contact("foot.Z >= 0", friction=0.5, slip="foot.X'", name="floor")
    th = 0.4
    q, rest = [-2 * np.sin(th), 0.0, th], np.zeros(3)
    needed = m.needed_efforts(q, rest, rest, by=[], contacts=["floor"])
    weight = 3 * 9.81
    assert needed.contacts["floor"][0] == pytest.approx(weight)
    assert abs(needed.contacts["floor"][1]) == pytest.approx(weight * np.tan(th) / 2)
    (guide,) = needed.multipliers.values()
    assert abs(guide) == pytest.approx(weight * np.tan(th) / 2)
    with pytest.raises(da.DalembertError, match="beyond its friction"):  # tan th > 2 mu: it would slide
        m.needed_efforts([-2 * np.sin(1.2), 0.0, 1.2], rest, rest, by=[], contacts=["floor"])
    with pytest.raises(da.DalembertError, match="not closed"):
        m.needed_efforts([q[0], 0.1, th], rest, rest, by=[], contacts=["floor"])


def test_what_slides_is_rubbed_against_its_sliding():
    m = da.Mechanism("block")
    m.join(da.earth, m.body("block", mass=2), da.composite(["x", "z"], ["x", 0, "z"]), name="p")
    m.gravity = [0, 0, -9.81]
    m.contact("p.z >= 0", friction=0.5, slip="p.x'", name="floor")
    rest = np.zeros((4, 2))
    u, udot = np.array([[1.0, 0], [-1.0, 0], [0, 0], [0, 0]]), np.array([[0.0, 0], [0, 0], [2.0, 0], [0, 0]])
    needed = m.needed_efforts(rest, u, udot, by=["p.x"], contacts=["floor"])
    half = 0.5 * 2 * 9.81
    np.testing.assert_allclose(needed.efforts["p.x"], [half, -half, 2 * 2.0 + half, 0.0], atol=1e-9)
    np.testing.assert_allclose(needed.contacts["floor"][1], [-half, half, -half, 0.0], atol=1e-9)
    assert "over 4 states" in str(needed)
