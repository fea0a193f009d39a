"""A mechanism and a hand-written system are one thing: the same verbs, and the same motion."""

import math

import numpy as np
import pytest

import dalembert as da
from dalembert import analytic as an
from dalembert import limits
from dalembert.errors import ModelError
from linkages import slider_crank


def both(m: da.Mechanism, s: an.System, start: dict) -> tuple[np.ndarray, np.ndarray]:
    """Accelerations by the compiled machine, and by the formulas of the analytical system."""
    f, n = m.compile(), s.names
    at = {n.symbol(c): start[c] for c in s.coordinates} | {n.velocity(c): start[c + "'"] for c in s.coordinates}
    ours = [float(s.lagrange().accelerations[u.rstrip("'")].subs(at)) for u in f.speeds]
    machine = f.acceleration([start[c] for c in f.coordinates], [start[u] for u in f.speeds])
    return np.asarray(machine, float), np.array(ours)


def test_a_chain_is_a_system_with_every_verb():
    m = da.Mechanism("arm")
    m.join(da.earth, m.body("rod", mass="m", centre=[0, 0, "-l"]), da.revolute("x"), name="pivot")
    m.gravity = [0, 0, "-g"]
    s = m.analytic()
    assert isinstance(s, an.System)
    assert s.compare().agree
    assert len(an.equilibria(s)) == 2
    assert s.lagrange().check_equation("l*pivot.th'' + g*sin(pivot.th)", "pivot.th")


def test_bound_rates_move_alike_in_both_descriptions():
    m = da.Mechanism("gears")
    for name, inertia in (("one", 2), ("two", 3)):
        body = m.body(name, mass=1, centre=[0.3, 0, 0], inertia=[2, 2, inertia])
        m.join(da.earth, body, da.revolute("z"), name=name)
    m.gravity = [0, -9.81, 0]
    m.constrain("two.th' = -3*one.th'", name="mesh")
    s = m.analytic()
    assert len(s.multipliers) == 1
    machine, ours = both(m, s, {"one.th": 0.1, "two.th": 0.2, "one.th'": 0.5, "two.th'": -1.5})
    assert ours == pytest.approx(machine)
    assert "energy" in s.lagrange().first_integrals()


def test_a_closed_loop_is_a_system_with_multipliers_and_moves_alike():
    m = slider_crank()
    s = m.analytic()
    th, rate = 0.4, 12.0
    lean = math.asin(-0.2 * math.sin(th) / 0.5)
    turn = -0.2 * math.cos(th) * rate / (0.5 * math.cos(lean))
    state = {"main.th": th, "main.th'": rate, "pin.th": lean - th, "pin.th'": turn - rate, "wrist.th": -lean}
    state |= {"rail.x": 0.2 * math.cos(th) + 0.5 * math.cos(lean)}
    state |= {"rail.x'": -0.2 * math.sin(th) * rate - 0.5 * math.sin(lean) * turn}
    assert s.multipliers
    machine, ours = both(m, s, state)
    assert ours == pytest.approx(machine, rel=1e-9)
    with pytest.raises(ModelError, match="independent coordinates"):
        s.hamilton()


def test_reactions_that_are_not_ideal_are_refused_with_a_sentence():
    m = da.Mechanism("rail")
    cart = m.body("cart", mass=1)
    m.join(da.earth, cart, da.prismatic("x"), name="x")
    m.join(cart, m.body("load", mass=1), da.prismatic("z"), name="z")
    m.gravity = [0, 0, -9.81]
    m.constrain("z.x = 0", by=da.coulomb(0.3, "x.x'"), name="rail")
    with pytest.raises(ModelError, match="no ideal constraints"):
        m.analytic()


@pytest.mark.slow
def test_a_machine_whose_hamiltonian_fills_pages_is_compared_by_every_mechanics():
    """Foucault's pendulum: H is not written out, its mass matrix is inverted at points."""
    from pathlib import Path

    s = da.load(Path(__file__).parents[2] / "examples" / "foucault.lsd").analytic()
    with limits.budget(seconds=900):  # some 15 s of an idle core; Hamilton gets a seventh of the budget, by the clock
        comparison = s.compare()
    assert comparison.agree
    assert {"Newton", "d'Alembert", "Lagrange", "Hamilton"} <= set(comparison.mechanics)


@pytest.mark.parametrize("name", ["double pendulum", "turning table", "bead on a wire", "drag"])
def test_hamilton_at_points_confirms_the_right_motion_and_refutes_one_that_is_slightly_wrong(name):
    from dalembert import analytic as an
    from dalembert.analytic.systems.large_hamilton import hamilton_at_points

    bobs = [
        an.Particle("m1", ["l1*sin(a)", "-l1*cos(a)"]),
        an.Particle("m2", ["l1*sin(a) + l2*sin(b)", "-l1*cos(a) - l2*cos(b)"]),
    ]
    system = {
        "double pendulum": an.System("a b", particles=bobs, gravity=["0", "-g"]),
        "turning table": an.System("x y", L="m*((x_d - W*y*t)**2 + (y_d + W*x*t)**2)/2 - k*x*y**2"),
        "bead on a wire": an.System("q", particles=[an.Particle("m", ["q*cos(w*t)", "q*sin(w*t)"])]),
        "drag": an.System("x y", L="m*(x_d**2 + y_d**2)/2 - V0*x*y", D="c*x_d**2/2"),
    }[name]
    right = system.lagrange().accelerations
    assert hamilton_at_points(system, right)
    c = system.coordinates[0]
    wrong = hamilton_at_points(system, right | {c: right[c] * (1 + 10**-12)})
    assert wrong.equal is False
    assert wrong.at
