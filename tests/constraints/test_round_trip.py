"""Every quantity, kind of condition, reaction and contrivance, written as LSD and read again: the same machine."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.dynamics import dynamics_of

PLACES = {
    "pos": "pos(hand, x)",
    "pos as seen": "pos(hand, y, upper)",
    "pos by name": "hand.Y",
    "dist": "dist(hand, post)",
    "angle": "angle(lower, z)",
    "angle as seen": "angle(lower, z, upper)",
    "axis": "axis(lower, x, y)",
    "coordinate": "sh.th",
}
MOTIONS = {
    "vel": "vel(hand, x)",
    "vel as seen": "vel(hand, y, lower)",
    "vel by name": "hand.X'",
    "omega": "omega(lower, z)",
    "omega as seen": "omega(lower, z, slider)",
    "omega by name": "lower.WZ",
    "rate": "rate(dist(hand, post))",
    "speed": "el.th'",
}
PUSHES = {
    "perfect": None,
    "coordinate": "el.th",
    "force": da.force_on("hand", "y"),
    "torque": da.torque_on("lower", "z", against="upper"),
    "form": "2*d(pos(hand, x)) + sin(sh.th)*d(el.th)",
}


def machine() -> da.Mechanism:
    m = da.Mechanism("mechanism")
    upper = m.body("upper", mass=1.1, centre=[0.3, 0, 0], inertia=[0.1] * 3)
    lower = m.body("lower", mass=0.8, centre=[0.2, 0.1, 0], inertia=[0.07] * 3)
    slider = m.body("slider", mass=0.5, inertia=[0.1] * 3)
    m.join(da.earth, upper, da.revolute("z").with_efforts(th="1.5 - 0.2*th"), name="sh")
    m.join(upper.at([0.7, 0, 0]), lower, da.revolute("z"), name="el")
    m.join(da.earth.at([0, -1, 0]), slider, da.cylindrical("x").with_efforts(x="-3*x"), name="sl")
    m.frame("hand", lower.at([0.6, 0, 0]))
    m.frame("post", da.earth.at([1.3, 0.9, 0]))
    m.gravity = [0, -9.81, 0]
    return m


def accelerations(m: da.Mechanism) -> np.ndarray:
    """At a state that need not be on the conditions: rows and reactions are all that is compared."""
    about = dynamics_of(m.layout())
    rng = np.random.default_rng(4)
    state = {ex.symbol(x): float(rng.uniform(0.2, 0.9)) for x in about.state.names}
    here = {**state, ex.TIME: 0.3, **{ex.symbol(k): v for k, v in m.given.items()}}
    asked = about.solved([*about.accelerations(), *about.multipliers])
    return np.array([float(x) for x in ex.evaluate(asked, here)])


def same_after_writing(m: da.Mechanism) -> np.ndarray:
    text = m.to_lsd()
    again = da.loads(text)
    assert again.freeze() == m.freeze()
    assert again.to_lsd() == text
    found = accelerations(m)
    assert np.isfinite(found).all()
    np.testing.assert_array_equal(accelerations(again), found)
    return found


@pytest.mark.parametrize("what", [*PLACES, *MOTIONS])
def test_every_quantity_in_every_form_is_written_and_read(what):
    quantity = PLACES.get(what) or MOTIONS[what]
    forms = {"scleronomic": "0.4", "rheonomic": "0.4 + 0.1*sin(2*t)", "with letters": "0.4*k"}
    if what in MOTIONS:
        forms |= {"affine": "0.3*sl.x' + 0.1*t", "bent": "sl.x'^2"}
    else:
        forms |= {"coupled": "0.3*sl.x + 0.2*sl.x^2"}
    for law in forms.values():
        m = machine()
        m.given = {"k": 1.3}
        m.constrain(f"{quantity} = {law}", name="law")
        same_after_writing(m)


@pytest.mark.parametrize(("push", "asked"), product(PUSHES, ("hand.X = 0.9", "vel(hand, x) = 0.2*t")))
def test_every_reaction_is_written_and_read(push, asked):
    m = machine()
    m.constrain(asked, by=PUSHES[push], name="law")
    found = same_after_writing(m)
    if PUSHES[push] is not None:  # another motion than the perfect one
        plain = machine()
        plain.constrain(asked, name="law")
        assert np.abs(found - accelerations(plain)).max() > 1e-3


def test_an_lsd_program_says_all_of_it_by_itself():
    """The same conditions written by hand in both languages."""
    head = machine().to_lsd()
    for python, lsd in (
        (("dist(hand, post) = 0.4 + 0.1*t",), "constrain dist(hand, post) = 0.4 + 0.1*t as law ;"),
        (("omega(lower, z) = 2*omega(slider, x)",), "constrain omega(lower, z) = 2*omega(slider, x) as law ;"),
        (("angle(lower, z) = 0.3",), "constrain angle(lower, z) = 0.3 as law ;"),
        (("vel(hand, x)^2 + vel(hand, y)^2 = 1",), "constrain vel(hand, x)^2 + vel(hand, y)^2 = 1 as law ;"),
        (("pos(hand, x) = 0.9", "pos(hand, y) = 0.5"), "constrain pos(hand, x) = 0.9, pos(hand, y) = 0.5 as law ;"),
    ):
        m = machine()
        m.constrain(*python, name="law")
        np.testing.assert_allclose(accelerations(da.loads(f"{head}\n{lsd}")), accelerations(m), rtol=1e-12)
    m = machine()
    m.constrain("hand.X = 0.9", by=da.torque_on("lower", "z"), name="law")
    told = da.loads(f"{head}\nconstrain hand.X = 0.9 by torque on lower about [0, 0, 1] as law ;")
    np.testing.assert_allclose(accelerations(told), accelerations(m), rtol=1e-12)


CONTRIVANCES = {
    "gear": lambda m: m.gear("sh.th", "sl.th", 2, name="it"),
    "rack": lambda m: m.rack("sl.x", "el.th", 0.2, name="it"),
    "belt": lambda m: m.belt("sh.th", "sl.th", [0.1, 0.3], name="it"),
    "differential": lambda m: m.differential("sh.th", "el.th", "sl.th", name="it"),
    "planetary": lambda m: m.planetary("sh.th", "el.th", "sl.th", [0.1, 0.3], name="it"),
    "rope": lambda m: m.rope(["hand", "post", m.bodies["slider"]], 3, name="it"),
    "rope in falls": lambda m: m.rope(["hand", "post", m.bodies["slider"]], 4, falls=[2, 1], name="it"),
    "cam": lambda m: m.cam("sl.x", "0.1*(1 - cos(sh.th))", name="it"),
    "constant velocity": lambda m: m.constant_velocity(m.bodies["lower"], m.bodies["slider"], name="it"),
    "skate": lambda m: m.skate(m.bodies["lower"], name="it"),
    "ackermann": lambda m: m.ackermann("sh.th", "el.th", 1.5, 2.6, name="it"),
    "friction": lambda m: m.constrain("hand.X = 0.9", by=da.coulomb("mu", "vel(hand, y)"), name="it"),
    "drive": lambda m: m.drive("el.th", "0.3*t", name="it"),
    "drive from elsewhere": lambda m: m.drive("el.th'", "0.3*t", by="sh.th", name="it"),
}


@pytest.mark.parametrize("name", CONTRIVANCES)
def test_every_contrivance_is_written_and_read(name):
    m = machine()
    m.given = {"mu": 0.2}
    CONTRIVANCES[name](m)
    same_after_writing(m)


def test_wheels_that_roll_are_written_and_read():
    m = da.Mechanism("mechanism")
    body = m.body("wheel", mass=1, inertia=[0.1, 0.2, 0.1])
    m.join(da.earth, body, da.free("bryant", "space"), name="f")
    m.gravity = [0, 0, -9.81]
    m.roll(body, da.earth, radius=0.5, name="it")
    same_after_writing(m)
