"""A wrong description or question gets an answer that says what is wrong, never a bare traceback."""

import math
import pickle

import numpy as np
import pytest

import dalembert as da


def pendulum():
    m = da.Mechanism("pendulum")
    rod = m.body("rod", mass="m", centre=[0, 0, "-l"])
    m.join(da.earth, rod, da.revolute("x"), name="pivot")
    m.gravity = [0, 0, -9.81]
    m.given = {"m": 1, "l": 1}
    m.start = {"pivot.th": 0.5}
    return m


def lonely(m):
    m.body("lonely", mass=1)
    return m.equations()


def massless():
    m = da.Mechanism("massless")
    m.join(da.earth, m.body("ghost", mass=0), da.revolute("x"), name="hinge")
    return m.simulate((0, 1))


def started(**start):
    m = pendulum()
    m.start = {name.replace("_", "."): value for name, value in start.items()}
    return m.simulate((0, 1))


def gravity(value):
    m = pendulum()
    m.gravity = value


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (lonely, "body 'lonely' is not connected to earth"),
        (lambda m: m.body("rod", mass=1), "body name 'rod' is used twice"),
        (lambda m: m.body("earth", mass=1), "body name 'earth' is used twice"),
        (lambda m: m.body("my rod", mass=1), "'my rod' cannot name a body"),
        (lambda m: m.body("b", mass=-1), "negative mass"),
        (lambda m: m.body("b", mass="2x"), "write 2\\*x"),
        (lambda m: m.body("b", mass=math.nan), "nan is not finite"),
        (lambda m: m.body("b", mass=1, centre=[0, 1]), "three components"),
        (lambda m: m.body("b", mass=1, inertia=[1, 1, 5]), "no distribution of mass"),
        (lambda m: m.body("b", mass=1, inertia=[1, 2]), "inertia needs"),
        (lambda m: m.join(b := m.body("b", mass=1), b, da.revolute("x")), "joins 'b' to itself"),
        (lambda m: m.join(da.earth, m.body("b"), da.revolute("x"), name="pivot"), "link name 'pivot' is used twice"),
        (lambda m: da.revolute("w"), "axis 'w' is unknown"),
        (lambda m: da.revolute([0, 0, 0]), "zero vector"),
        (lambda m: da.universal("x", "y"), "universal joint takes a list of 2 coordinates, not 'y'"),
        (lambda m: da.universal("xy"), "takes a list of 2 axes"),
        (lambda m: da.planar("z", ["x", "y"]), "takes a list of 3 coordinates"),
        (lambda m: m.sweep((0, 1), {"pivot.th": [0.1]}, "final(t)", threads=0), "`threads` is a whole"),
        (lambda m: da.revolute("x").with_efforts(x="1"), "no coordinate 'x'"),
        (lambda m: gravity(9.81), "three components"),
        (lambda m: m.equations("newton"), "Did you mean 'newton-euler'"),
        (lambda m: massless(), "mass matrix"),
        (lambda m: started(pivot_x=1), "Did you mean 'pivot.th'"),
        (lambda m: started(pivot_th="abc"), "abc"),
        (lambda m: m.simulate((0, math.inf)), "finite"),
        (lambda m: m.simulate((0, 1), method="RK99"), "unknown method 'RK99'"),
        (lambda m: m.simulate((0, 1), t_eval=[0, 2]), "t_eval"),
        (lambda m: m.simulate((0, 1), rtol=-1), "rtol"),
        (lambda m: m.simulate((0, 1), events=["pivot.zz"]), "pivot.zz"),
        (lambda m: m.simulate((0, 1))["elbow"], "no 'elbow'"),
        (lambda m: m.simulate((0, 1)).at(5), "outside the motion"),
        (lambda m: m.compile().acceleration([0.1], [0], k=1), "no parameter 'k'"),
        (lambda m: m.compile().acceleration(np.zeros((4, 1)), np.zeros((3, 1))), "shape"),
        (lambda m: m.constrain("pivot.th >= 1"), r'contact: m.contact\("pivot.th - 1 >= 0"\)'),
        (lambda m: m.constrain("pivot.th < 1"), r'contact: m.contact\("1 - pivot.th >= 0"\)'),
        (lambda m: m.constrain("0 < pivot.th < 1"), "one equation"),
        (lambda m: m.contact("pivot.th = 1"), "is an equation"),
        (lambda m: m.contact(da.earth, da.earth), r"earth is neither: write m.contact\(da.Sphere"),
        (lambda m: m.contact(object()), "object object at .* is neither: write m.contact"),
        (lambda m: m.constrain("pivot.th = foo", name="c") and m.simulate((0, 1)), "'foo' of .*: constraint 'c' asks"),
        (lambda m: m.gear("pivot.th", "pivot.th", "n") and m.simulate((0, 1)), r"given=\{'n': 1.0\}"),
        (lambda m: da.load("nowhere.lsd"), "cannot read nowhere.lsd"),
        (lambda m: da.loads("let a = body mass = end ;"), "expected an expression"),
        (lambda m: da.loads("(* never closed"), "comment never closed"),
        (lambda m: da.loads("given a = " + "(" * 5000 + "1" + ")" * 5000 + " ;"), "nested too deeply"),
        (lambda m: da.loads('use "../../secret.txt" ;'), "not an .lsd file"),
    ],
)
def test_a_fault_is_told(fault, message):
    with pytest.raises(da.DalembertError, match=message):
        fault(pendulum())


def test_arrays_of_numpy_describe_as_lists_do():
    m = da.Mechanism("pendulum")
    rod = m.body("rod", mass=np.float64(2), centre=np.array([0, 0, -0.5]), inertia=np.diag([1.0, 1.0, 0.5]))
    m.join(da.earth, rod, da.revolute(np.array([1, 0, 0])), name="pivot")
    assert m.equations("recursive").mass_matrix[0, 0].value == 1.5


def test_descriptions_equations_and_motions_travel_between_processes():
    m = pendulum()
    again = pickle.loads(pickle.dumps(m))
    assert again.equations().mass_matrix == m.equations().mass_matrix
    eq = m.equations()
    assert pickle.loads(pickle.dumps(eq)).mass_matrix == eq.mass_matrix
    motion = m.simulate((0, 1))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(motion)).y, motion.y)


def test_verbs_of_the_description_tell_wrong_keywords():
    m = da.Mechanism()
    rod = m.body("rod", mass=1)
    with pytest.raises(TypeError, match=r"`body` takes no 'mas'. Did you mean 'mass'"):
        m.body("x", mas=1)
    with pytest.raises(da.ArgumentError, match=r"`join` takes no 'nam'. Did you mean 'name'"):
        m.join(da.earth, rod, da.revolute("x"), nam="pin")
    with pytest.raises(da.ArgumentError, match=r"`force` takes no 'vale'. Did you mean 'value'"):
        m.force(rod, vale=[1, 0, 0])


def test_equations_and_reactions_are_short_at_the_prompt():
    m = da.Mechanism("pendulum")
    m.join(da.earth, m.body("rod", mass=1, centre=[0, 0, -1]), da.revolute("x"), name="pivot")
    m.gravity = [0, 0, -9]
    assert repr(m.equations("kane")) == "<Equations of 'pendulum' by kane: speeds pivot.th'>"
    found = repr(m.reactions({"pivot.th": 0})["pivot"])
    assert found == "<Reaction of pivot: Mx = 0, My = 0, Mz = 0, Fx = 0, Fy = 0, Fz = 9>"


@pytest.mark.parametrize("verb", ["equations", "linearize", "equilibria", "compile", "simulate", "mobility"])
def test_every_verb_names_the_argument_that_it_does_not_take(verb):
    m = da.Mechanism("pendulum")
    m.join(da.earth, m.body("rod", mass=1, centre=[0, 0, -1]), da.revolute("x"), name="pivot")
    wanted = [(0, 1)] if verb == "simulate" else []
    with pytest.raises(da.ArgumentError, match=f"`{verb}` takes no 'cutt'. Did you mean 'cut'"):
        getattr(m, verb)(*wanted, cutt=["pivot"])


def test_comparisons_inside_a_formula_are_not_the_sign_of_a_condition():
    m = pendulum()
    step = m.constrain("pivot.th == if(t <= 1, 0, 2 - (t - 1 < 1))")
    assert [str(e) for e in step.expressions] == ["pivot.th - if(t <= 1, 0, 2 - (t - 1 < 1))"]
    (stop,) = m.contact("pivot.th >= if(t < 1, 0, 1)")
    assert str(stop.place.gap) == "pivot.th - if(t < 1, 0, 1)"


@pytest.mark.parametrize("spelled", ["da", "lsd"])
def test_a_speed_that_is_spelled_otherwise_is_hinted(spelled):
    if spelled == "lsd":
        program = """use "joints.lsd" ; use "solids.lsd" ;
        let b = sphere(m = 2, r = 1) ; join earth and b.frame with free_quaternion() as f ;"""
        m, asked, meant = da.loads(program), "f.x'", "f.vx"
        with pytest.raises(da.LsdError, match="did you mean `vx`"):
            da.loads(program + " start f.x' = 1 ;")
    else:
        m, asked, meant = da.Mechanism("body"), "f.vx", "f.x'"
        m.join(da.earth, m.body("b", mass=1, inertia=[1, 1, 1]), da.free("quaternion"), name="f")
    for question in (lambda: m.simulate((0, 1), start={asked: 1}), lambda: m.linearize({asked: 1})):
        with pytest.raises(da.DalembertError, match=f"Did you mean '{meant}'"):
            question()
    with pytest.raises(da.DalembertError, match=r"is not a state of .*\. (?!Did you mean 'f.e1')"):
        m.simulate((0, 1), start={"f.e1'": 1})
