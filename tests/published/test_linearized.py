"""Linearised equations of published systems against their published matrices."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import expr as ex
from dalembert.analysis.linearize import linearize
from dalembert.formalisms import derive
from dalembert.mechanism import Displacement, Layout, Mechanism, composite, earth, prismatic, revolute, turn, universal

FORMALISMS = ["newton-euler", "dalembert", "lagrange", "hamilton", "kane", "gibbs-appell", "mixed", "recursive"]


def array(m, values):
    return np.array(ex.evaluate(m.entries, {ex.symbol(k): float(v) for k, v in values.items()})).reshape(m.shape)


def cart_pole():
    m = Mechanism("cart and inverted pendulum")
    cart, pole = m.body("cart", mass="M"), m.body("pole", mass="m", centre=[0, 0, "l"], inertia=["I", "I", 0])
    m.join(earth, cart, prismatic("x").with_efforts(x="F - b*x'"), name="rail")
    m.join(cart, pole, revolute("-y"), name="hinge")
    m.gravity = [0, 0, "-g"]
    return m


@pytest.mark.parametrize("formalism", FORMALISMS)
def test_inverted_pendulum_of_the_control_tutorials(formalism):
    """Messner and Tilbury, Control Tutorials for MATLAB and Simulink (Inverted Pendulum: System Modeling): A and B."""
    eq = derive(Layout.of(cart_pole()), formalism)
    found = linearize(eq, {"rail.x": 0, "hinge.th": 0}, inputs=["F"])
    a, b = found.numbers({"M": 0.5, "m": 0.2, "b": 0.1, "I": 0.006, "g": 9.8, "l": 0.3, "F": 0})
    # published order: x, x', phi, phi'
    order = [0, 2, 1, 3]
    published = [[0, 1, 0, 0], [0, -0.1818, 2.6727, 0], [0, 0, 0, 1], [0, -0.4545, 31.1818, 0]]
    assert np.abs(a[np.ix_(order, order)] - published).max() < 6e-5
    assert np.abs(b[order, 0] - [0, 1.8182, 0, 4.5455]).max() < 6e-5


def ziegler():
    m = Mechanism("column under a follower force")
    lower, upper = m.body("lower", mass="2*m", centre=[0, 0, "l"]), m.body("upper", mass="m", centre=[0, 0, "l"])
    m.join(earth, lower, revolute("x").with_efforts(th="-c*th"), name="a")
    m.join(lower.at([0, 0, "l"]), upper, revolute("x").with_efforts(th="-c*th"), name="b")
    m.force(upper.at([0, 0, "l"]), [0, 0, "-P"], base=upper)
    return m


@pytest.mark.parametrize("formalism", FORMALISMS)
def test_column_of_ziegler_under_a_follower_force(formalism):
    """Ziegler, Ing.-Arch. 20 (1952); Bolotin, Nonconservative problems of the theory of elastic stability (1963).

    In absolute angles M = m l^2 [[3, 1], [1, 1]], K = [[2c - P l, P l - c], [-c, c]]; flutter at (7/2 - sqrt 2) c/l.
    """
    eq = derive(Layout.of(ziegler()), formalism)
    found = linearize(eq, {"a.th": 0, "b.th": 0})
    values = {"m": 1.3, "l": 0.7, "c": 2.1, "P": 1.9}
    absolute = np.array([[1, 0], [-1, 1]])  # relative angles from absolute ones
    mass = absolute.T @ array(found.mass, values) @ absolute
    stiffness = absolute.T @ array(found.stiffness, values) @ absolute
    m, l, c, p = values.values()
    assert mass == pytest.approx(m * l**2 * np.array([[3, 1], [1, 1]]))
    assert stiffness == pytest.approx(np.array([[2 * c - p * l, p * l - c], [-c, c]]))
    critical = (3.5 - np.sqrt(2)) * c / l
    for load, growing in ((0.999 * critical, False), (1.001 * critical, True)):
        top = found.eigenvalues(values | {"P": load}).real.max()
        assert bool(top > 1e-4) is growing


@pytest.mark.parametrize("formalism", FORMALISMS)
def test_sleeping_top(formalism):
    """Routh, Advanced part (1905), art. 201; Goldstein, Classical mechanics: stable when C^2 n^2 > 4 A m g h.

    M = A 1, gyroscopic matrix C n [[0, 1], [-1, 0]], K = -m g h 1, about the steady motion with spin n.
    """
    m = Mechanism("top")
    top = m.body("top", mass="m", centre=[0, 0, "h"], inertia=["A - m*h**2", "A - m*h**2", "C"])
    joint = composite(
        ["al", "be", "ph"],
        Displacement.of([0, 0, 0], turn("al", "x")),
        Displacement.of([0, 0, 0], turn("be", "y")),
        Displacement.of([0, 0, 0], turn("ph", "z")),
    )
    m.join(earth, top, joint, name="tip")
    m.gravity = [0, 0, "-g"]
    eq = derive(Layout.of(m), formalism)
    found = linearize(eq, {"tip.al": 0, "tip.be": 0, "tip.ph": "n*t"})
    values = {"A": 2.0, "C": 0.9, "m": 1.5, "g": 9.8, "h": 0.4, "n": 11.0, "t": 0.3}
    push = values["m"] * values["g"] * values["h"]
    turn_rate = values["C"] * values["n"]
    assert array(found.mass, values) == pytest.approx(np.diag([2.0, 2.0, 0.9]))
    assert array(found.damping, values)[:2, :2] == pytest.approx(np.array([[0, turn_rate], [-turn_rate, 0]]))
    assert array(found.stiffness, values)[:2, :2] == pytest.approx(-push * np.eye(2))
    slowest = np.sqrt(4 * values["A"] * push) / values["C"]
    for n, growing in ((1.01 * slowest, False), (0.99 * slowest, True)):
        assert bool(found.eigenvalues(values | {"n": n}).real.max() > 1e-3) is growing


@pytest.mark.parametrize("formalism", FORMALISMS)
def test_pendulum_with_a_vibrating_pivot_is_the_equation_of_mathieu(formalism):
    """Landau and Lifshitz, Mechanics, 27 and 30: th'' + (g/l - (a w^2/l) cos w t) th = 0 for a pivot at a cos w t."""
    m = Mechanism()
    bob = m.body("bob", mass="m", centre=[0, 0, "-l"])
    shaken = composite(["th"], Displacement.of([0, 0, "a*cos(w*t)"]), Displacement.of([0, 0, 0], turn("th", "x")))
    m.join(earth, bob, shaken, name="p")
    m.gravity = [0, 0, "-g"]
    found = linearize(derive(Layout.of(m), formalism), {"p.th": 0})
    values = {"m": 0.7, "l": 1.4, "a": 0.2, "w": 9.0, "g": 9.8, "t": 0.37}
    expected = 9.8 / 1.4 - 0.2 * 81 / 1.4 * np.cos(9.0 * 0.37)
    assert found.numbers(values)[0] == pytest.approx(np.array([[0, 1], [-expected, 0]]))


def test_universal_joint_pendulum_has_two_equal_frequencies():
    m = Mechanism()
    m.join(earth, m.body("bob", mass=1, centre=[0, 0, -2]), universal(("x", "y")), name="u")
    m.gravity = [0, 0, -9]
    found = linearize(derive(Layout.of(m), "kane"), {"u.al": 0, "u.be": 0})
    assert sorted(found.eigenvalues({}).imag) == pytest.approx(np.sqrt(4.5) * np.array([-1, -1, 1, 1]))
