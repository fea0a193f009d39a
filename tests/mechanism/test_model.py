"""The frozen model: unique names, laws whose constants are parameters, numbers that bodies can have, plain data."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import DalembertError, ModelError, SimulationError
from dalembert.mechanism import Displacement, Layout, Mechanism, composite, earth, prismatic, revolute


def cart(**joint) -> Mechanism:
    m = da.Mechanism("cart")
    m.join(earth, m.body("cart", mass="m", inertia=["J", "J", "J"]), prismatic("x").with_efforts(**joint), name="rail")
    return m


@pytest.mark.parametrize(
    ("add", "told"),
    [
        (lambda m: m.body("cart"), "the body name 'cart' is used twice"),
        (lambda m: m.frame("cart", earth), "'cart' is a body of 'cart' already"),
        (lambda m: (m.frame("tip", earth), m.body("tip")), "'tip' is a frame of 'cart' already"),
        (lambda m: m.join(earth, m.bodies["cart"], revolute(), name="rail"), "the link name 'rail' is used twice"),
        (lambda m: m.force(m.bodies["cart"], [1, 0, 0], name="rail"), "'rail' is a link of 'cart' already"),
        (lambda m: [m.torque("cart", [1, 0, 0], name="motor") for _ in "ab"], "the torque name 'motor' is used twice"),
        (lambda m: m.body("total"), "'total' cannot name a body"),
        (lambda m: m.force(m.bodies["cart"], [1, 0, 0], name="weight of a"), "cannot name a force"),
        (lambda m: m.spring(m.bodies["cart"], m.bodies["cart"].at([1, 0, 0]), stiffness=1), "'cart' and itself"),
    ],
)
def test_a_name_belongs_to_one_thing(add, told):
    with pytest.raises(ModelError, match=told):
        add(cart())


def test_efforts_without_a_name_get_one_that_is_free():
    m = cart()
    m.force(m.bodies["cart"], [1, 0, 0], name="force_1")
    assert m.force(m.bodies["cart"], [1, 0, 0]).name == "force_2"
    assert m.torque("cart", [1, 0, 0]).name == "torque_1"
    assert m.bushing(earth, m.bodies["cart"]).name == "bushing_1"


@pytest.mark.parametrize(("link", "coordinate", "told"), [("a", "X", "the place of 'a'"), ("j", "Fx", "a reaction")])
def test_a_coordinate_has_not_the_name_of_an_output(link, coordinate, told):
    m = Mechanism()
    m.join(earth, m.body("a", mass=1), prismatic("x", coordinate=coordinate), name=link)
    with pytest.raises(ModelError, match=told):
        Layout.of(m)


def test_constants_of_a_law_are_parameters():
    m = cart(x="f(x, x')")
    m.define("f", ["x", "v"], "-k*x - c*v")
    assert m.parameters() == ("J", "c", "k", "m")
    f = m.compile()
    assert f.acceleration([2.0], [1.0], m=1, J=1, k=3, c=0.5) == pytest.approx([-6.5])


def test_an_argument_of_a_law_hides_no_parameter_of_its_name():
    m = cart(x="f(x) + v")
    m.define("f", ["v"], "-k*v")
    assert m.parameters() == ("J", "k", "m", "v")


def test_parameters_may_have_the_names_of_arguments():
    m = cart(x="-q*x - u*x' + self*t + efforts")
    values = {"m": 2, "J": 1, "q": 3.0, "u": 0.5, "self": 1.0, "efforts": 7.0}
    f = m.compile()
    assert f.acceleration([2.0], [1.0], 0.5, given=values) == pytest.approx([(-6 - 0.5 + 0.5 + 7) / 2])
    assert m.simulate((0, 0.1), given=values).success


def test_the_time_is_no_parameter():
    m = cart()
    m.given |= {"t": 3}
    with pytest.raises(ModelError, match="'t' is the time"):
        Layout.of(m)


@pytest.mark.parametrize("mass", ["-1", Fraction(-1, 2), np.float64(-1), np.int64(-2), "1 - 3", -1])
def test_a_negative_mass_is_refused_in_any_writing(mass):
    with pytest.raises(ModelError, match="negative mass"):
        Mechanism().body("a", mass=mass)
    for run in (lambda m: m.simulate((0, 1), given={"m": mass, "J": 1}), lambda m: simulated(m, {"m": mass, "J": 1})):
        with pytest.raises(DalembertError, match="body 'cart' has the negative mass"):
            run(cart())
    f = cart().compile()
    with pytest.raises(DalembertError, match="body 'cart' has the negative mass"):
        f.acceleration([0.0], [0.0], m=mass, J=1)
    f.given |= {"m": mass, "J": 1}
    with pytest.raises(DalembertError, match="body 'cart' has the negative mass"):
        f.acceleration([0.0], [0.0])


def simulated(m, given):
    m.given |= given
    return m.simulate((0, 1))


def test_numbers_that_no_body_can_have_are_refused_at_run_time():
    for inertia in (-1, "-2", np.float32(-3)):
        with pytest.raises(DalembertError, match=r"negative principal inertia .* with the values given"):
            cart().simulate((0, 1), given={"m": 1, "J": inertia})
    flat = da.Mechanism()
    flat.join(earth, flat.body("rod", mass=1, inertia=["a", "a", "c"]), revolute("z"), name="r")
    with pytest.raises(DalembertError, match="exceeds the sum of the others"):
        flat.simulate((0, 1), given={"a": 1, "c": 3})
    f = flat.compile()
    with pytest.raises(DalembertError, match="exceeds the sum of the others"):
        f.acceleration([0.0], [0.0], a=np.ones(3), c=np.array([1, 2, 3]))
    assert f.acceleration([0.0], [0.0], a=1, c=2) == pytest.approx([0.0])


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda m: m.frame("late", m.bodies["cart"], Displacement.of(["t", 0, 0])), "frame 'late' depends on 't'"),
        (lambda m: m.spring(earth.at(["rail.x", 0, 0]), m.bodies["cart"], stiffness=1), "a frame of spring 'spring_1'"),
        (lambda m: m.spring(earth, m.bodies["cart"], stiffness="rail.x"), "stiffness or rest of spring 'spring_1'"),
        (lambda m: m.force(m.bodies["cart"], ["rail.x''", 0, 0]), "the effort 'force_1' depends on the acceleration"),
        (
            lambda m: m.join(m.bodies["cart"], m.body("b"), composite(["y"], Displacement.of(["y + rail.x'", 0, 0]))),
            "link 'b' is displaced by 'rail.x''",
        ),
    ],
)
def test_what_cannot_depend_on_the_motion_is_refused(change, told):
    m = cart()
    change(m)
    with pytest.raises(ModelError, match=told):
        m.equations("kane")


def test_changing_the_builder_changes_nothing_that_was_made_from_it():
    m = cart(x="-k*x")
    m.gravity = ["g", 0, 0]
    m.given |= {"m": 1, "J": 1, "k": 4, "g": 9.81}
    eq, f, layout = m.equations("kane"), m.compile(), m.layout()
    shown = eq.show(level="scalar")
    before = f.acceleration([1.0], [0.0])
    m.gravity = [0, 0, 0]
    m.given["k"] = 100
    m.force(m.bodies["cart"], [1000, 0, 0])
    m.join(m.bodies["cart"], m.body("late", mass=1), revolute("z"))
    assert str(eq.show(level="scalar")) == str(shown)
    assert f.acceleration([1.0], [0.0]) == before == f.forces([1.0], [0.0])
    assert layout.speeds == ("rail.x'",)
    assert m.equations("kane").speeds == ("rail.x'", "late.th'")


def test_a_field_that_a_body_left_open_is_named():
    m = da.loads(
        "let arm = body mass = 2 end ; join earth and arm.frame with link(th) dof = th || [0,0,1] end ;"
        "gravity [0, -9.81, 0] ;"
    )
    with pytest.raises(SimulationError, match="body 'arm' has no iframe and no inertia"):
        m.simulate((0, 1))


def test_a_number_for_a_name_that_nothing_uses_is_warned_about():
    m = cart(x="-stiff*x")
    m.given |= {"m": 1, "J": 1, "stiff": 4, "stif": 5}
    with pytest.warns(UserWarning, match=r"'stif', which nothing uses. Did you mean 'stiff'"):
        m.simulate((0, 0.1))


def test_a_mechanism_is_plain_data():
    m = cart(x="-k*x")
    m.frame("tip", m.bodies["cart"], Displacement.of([1, 0, 0], da.turn("al", "z")))
    m.spring(earth, m.frames["tip"], stiffness="k", force="-l'")
    m.torque("cart", [0, 0, "tau"], name="motor")
    m.define("f", ["x"], "2*x")
    m.given["k"] = Fraction(1, 2)
    found = json.loads(json.dumps(m.as_dict()))
    assert [one["name"] for one in found["bodies"]] == ["cart"]
    assert found["links"][0]["efforts"] == {"rail.x": "-k*rail.x"}
    spring, motor = found["efforts"]
    assert (spring["kind"], spring["force"], spring["second"]["body"]) == ("spring", "-l'", "cart")
    assert (motor["name"], motor["value"]) == ("motor", ["0", "0", "tau"])
    assert found["frames"]["tip"]["turns"] == [{"angle": "al", "axis": ["0", "0", "1"]}]
    assert found["given"] == {"k": 0.5}


def test_a_spring_whose_ends_meet_says_so():
    m = da.Mechanism("slide")
    m.join(earth, m.body("cart", mass=1), prismatic("x"), name="rail")
    m.spring(earth, m.bodies["cart"], stiffness=5, length=1, name="strut")
    with pytest.raises(SimulationError, match="the ends of spring 'strut' meet"):
        m.simulate((0, 1))


def test_a_door_on_a_bushing_swings_as_its_springs_say():
    """A hinge and a bushing to earth: one freedom, J th'' = -(kr sin th) - k r^2 sin th about the axis."""
    m = da.Mechanism("door")
    door = m.body("door", mass=2, inertia=[1, 1, 0.5])
    m.join(earth, door, revolute("z"), name="hinge")
    m.bushing(earth, door, stiffness=100, turning=7, name="mount")
    m.bushing(earth.at([1, 0, 0]), door.at([1, 0, 0]), stiffness=30, name="second")
    expected = -(7 * np.sin(0.3) + 30 * np.sin(0.3)) / 0.5
    assert m.compile().acceleration([0.3], [0.0]) == pytest.approx([expected])
    mo = m.simulate((0, 2), start={"hinge.th": 0.3})
    energy = mo.energy()
    assert energy.max() - energy.min() < 1e-7 * energy.max()


def test_two_bushings_in_parallel_are_one_of_twice_the_stiffness():
    m = da.Mechanism("mount")
    engine = m.body("engine", mass=1, inertia=[0.1, 0.2, 0.3])
    m.join(earth, engine, da.free("quaternion", speeds="body"), name="float")
    for name, x in (("left", -0.1), ("right", 0.1)):
        m.bushing(earth.at([x, 0, 0]), engine.at([x, 0, 0]), stiffness=1000, turning=10, name=name)
    m.gravity = [0, 0, -9.81]
    mo = m.simulate((0, 2), rtol=1e-10, atol=1e-12)
    assert mo["float.z"] == pytest.approx(-9.81 / 2000 * (1 - np.cos(np.sqrt(2000) * mo.t)), abs=1e-9)
    turned = m.simulate((0, 2), start={"float.wx": 2.0, "float.wy": -1.0, "float.x": 0.02})
    assert turned.quality.energy < 1e-7
    assert np.abs(turned["float.x"]).max() < 0.05


def test_a_platform_on_six_legs_stands_by_their_forces():
    """Leg forces that carry the weight in the symmetric posture hold it there; a bit more lifts it."""
    m = da.Mechanism("platform")
    plate = m.body("plate", mass=6, inertia=[1, 1, 2])
    m.join(earth, plate, da.free("quaternion", speeds="body"), name="float")
    m.gravity = [0, 0, -9.81]
    for k in range(6):
        a, b = np.pi / 3 * (k + (0.3 if k % 2 else -0.3)), np.pi / 3 * (k + (-0.2 if k % 2 else 0.2))
        foot = earth.at([2 * np.cos(a), 2 * np.sin(a), 0])
        m.spring(foot, plate.at([np.cos(b), np.sin(b), 0]), force="F", name=f"leg{k}")
    start = {"float.z": 1.5}
    leg = np.linalg.norm(
        [2 * np.cos(-np.pi / 10) - np.cos(np.pi / 15), 2 * np.sin(-np.pi / 10) - np.sin(np.pi / 15), 1.5]
    )
    balance = 6 * 9.81 / 6 * leg / 1.5
    q, u = [0, 0, 1.5, 1, 0, 0, 0], np.zeros(6)
    assert m.compile().acceleration(q, u, F=balance) == pytest.approx(np.zeros(6), abs=1e-12)
    assert m.compile().acceleration(q, u, F=1.1 * balance)[2] == pytest.approx(0.981)
    assert m.simulate((0, 0.3), start=start, given={"F": 1.1 * balance})["float.z"][-1] > 1.5


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("name", ["m", "J"])
def test_numbers_that_are_not_finite_are_refused(name, value):
    f = cart().compile()
    with pytest.raises(ModelError, match=r"body 'cart' has .* not finite"):
        f.acceleration([0.0], [0.0], **{"m": 1.0, "J": 1.0, name: value})


def test_a_displacement_takes_formulas_as_text():
    assert da.Displacement(["x", 0, 1]) == da.Displacement.of(["x", 0, 1])


def test_given_formulas_of_each_other_reach_compiled_functions():
    m = cart(x="-k*x")
    m.given |= {"k": "2*a", "a": Fraction(3, 2), "m": np.int64(2), "J": 1}
    assert m.compile().acceleration([1.0], [0.0]) == pytest.approx([-1.5])
