"""Units: what they are worth, and what may be added to, compared with and put in the place of what."""

import math
import random
from fractions import Fraction

import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.lsd.units import UNITS, unit
from dalembert.mechanism.dimensions import FORCE, LENGTH, MASS, NONE, TIME, TORQUE, symbol_of

SWING = """use "solids.lsd" ;
let rod = hanging_rod(m = m, l = l) ;
join earth and rod.frame with link(th) dof = th || [0, 1, 0], torque = [0, -k*th - c*th', 0] end as hinge ;
let tip = [0, 0, -l] @ rod ;
spring tip and [1 m, 0, 0] @ earth with stiffness = 12 N/m, length = 30 cm, damping = 0.1 N*s/m, force = a*l as s ;
apply force value = [F*sin(2 rad/s*t), 0, 0] end on tip as push ;
contact tip.Z + 2*l >= 0 friction mu slip tip.X' as floor ;
gravity [0, 0, -9.81 m/s^2] ;
given m = 500 g, l = 30 cm, k = 2 N*m, c = 0.01, F = 2 N, a = 3 N/m, mu = 0.3 ;
start hinge.th = 30 deg, hinge.th' = 10 rpm ;
output told = total.T + total.V + s.force*s.l + hinge.My + total.LX*rod.WY + 2*total.PX*tip.Z' + rod.R11*total.power*t ;
output more = told + 1 J ;
"""


def fault(text):
    with pytest.raises(da.LsdError) as caught:
        da.loads(text)
    return caught.value.diagnostics[0]


def test_numbers_are_in_metres_kilograms_seconds_and_radians():
    m = da.loads(SWING)
    assert m.given == {"m": 0.5, "l": 0.3, "k": 2, "c": 0.01, "F": 2, "a": 3, "mu": 0.3}
    assert m.start["hinge.th"] == pytest.approx(math.pi / 6, rel=1e-15)
    assert m.start["hinge.th'"] == pytest.approx(math.pi / 3, rel=1e-15)
    assert m.efforts[0].stiffness.value == 12
    assert da.loads(m.to_lsd()) == m


@pytest.mark.parametrize(
    ("right", "wrong", "line", "message"),
    [
        ("m = 500 g", "m = 500 cm", 9, "value of m: a mass (kg) is expected, this is a length (m)"),
        ("k = 2 N*m", "k = 2 N", 9, "value of k: a torque (kg*m^2/s^2) is expected, this is a force (kg*m/s^2)"),
        ("a = 3 N/m", "a = 3 N", 9, "value of a: a stiffness (kg/s^2) is expected"),
        ("12 N/m", "12 N", 5, "stiffness of spring 's': a stiffness (kg/s^2) is expected, this is a force"),
        ("length = 30 cm", "length = 30 deg", 5, "length of spring 's': a length (m) is expected"),
        ("2 rad/s*t", "2*t", 6, "force 'push': sin is taken of '2*t': this is a time (s)"),
        ("= 30 deg", "= 30 cm", 10, "start of hinge.th: a number or an angle is expected, this is a length (m)"),
        ("10 rpm", "10 deg", 10, "start of hinge.th': an angular speed (1/s) is expected"),
        ("[1 m, 0, 0]", "[1 s, 0, 0]", 5, "a frame of spring 's': a length (m) is expected, this is a time (s)"),
        ("- c*th'", "- k*th'", 3, "torque of link 'hinge': ' ... ' are unlike, by a factor of "),
        ("9.81 m/s^2", "9.81 m/s", 8, "gravity: an acceleration (m/s^2) is expected, this is a speed (m/s)"),
        (
            "tip.Z + 2*l",
            "tip.Z + 2*m",
            7,
            "contact 'floor': ' ... ' and 'tip.Z' are unlike: a mass (kg) and a length (m)",
        ),
        ("mu = 0.3", "mu = 3 mm", 9, "value of mu: a number or an angle is expected"),
        ("total.V", "total.PX", 11, "output 'told': ' ... ' are unlike: "),
        ("s.force*", "s.force'*", 11, "output 'told': ' ... ' are unlike: "),
        ("hinge.My", "hinge.Fy", 11, "output 'told': ' ... ' are unlike: "),
        ("rod.WY", "rod.WY'", 11, "output 'told': ' ... ' are unlike: "),
        ("1 J", "1 kg", 12, "output 'more': '1' and 'told' are unlike: a mass (kg) and a torque"),
        (
            "m = m, l = l",
            "m = m, l = m",
            2,
            "centre or iframe of body 'rod': a length (m) is expected, this is a mass (kg)",
        ),
    ],
)
def test_unlike_things_are_told_with_their_place(right, wrong, line, message):
    assert right in SWING
    found = fault(SWING.replace(right, wrong))
    assert all(part in found.message for part in message.split(" ... "))
    assert found.line == line


def test_a_program_without_units_is_not_asked_for_them():
    bare = """let b = body mass = m + l, iframe = [0, 0, l], inertia = 0 end ;
join earth and b.frame with link(th) dof = th || [0, 0, 1], torque = [0, 0, sin(t) + l] end ; given l = 2 ;"""
    da.loads(bare)
    assert (
        fault(bare.replace("l = 2", "l = 2 m")).message
        == "centre or iframe of body 'b': a length (m) is expected, this is a mass (kg)"
    )


def test_laws_functions_bushings_and_constraints_are_looked_at():
    text = """let b = body mass = 1 kg, iframe = 0, inertia = 0 end ;
join earth and b.frame with link(x, y) dof = [x, y, 0], force = [f(x, x'), 0, 0] end as slide ;
bushing earth and b.frame with stiffness = 3 N/m, turning = 2 N*m ;
constrain slide.x = 2*slide.y as tie ;
given f(x, v) = -k*x - c*v, k = 3 N/m, c = 2 N*s/m ;
"""
    da.loads(text)
    assert "value of c" in fault(text.replace("c = 2 N*s/m", "c = 2 N")).message
    assert "turning of bushing" in fault(text.replace("turning = 2 N*m", "turning = 2 N")).message
    assert "constraint 'tie': '" in fault(text.replace("2*slide.y", "2 s*slide.y")).message


def test_units_are_words_only_after_a_number():
    m = da.loads(
        """let b = body mass = m*2 / s, iframe = [0, 0, 3 m / kg], inertia = 0 end ;
join earth and b.frame with link end ;"""
    )
    assert m.parameters() == ("kg", "m", "s")


def test_units_of_random_products_multiply():
    rng = random.Random(5)
    for _ in range(100):
        words = [(rng.choice("*/"), rng.choice(sorted(UNITS)), rng.choice((1, 2, 3, -1))) for _ in range(3)]
        text = "".join(sign + word + (f"^{p}" if p != 1 else "") for sign, word, p in words)[1:]
        found = unit(text)
        words[0] = ("*", *words[0][1:])
        number = math.prod(float(ex.evaluate([UNITS[w].factor], {})[0]) ** (p if s == "*" else -p) for s, w, p in words)
        assert float(ex.evaluate([found.factor], {})[0]) == pytest.approx(number, rel=1e-12)
        powers = [
            sum((getattr(UNITS[w].dimension, one) * (p if s == "*" else -p) for s, w, p in words), Fraction(0))
            for one in ("mass", "length", "time")
        ]
        assert [found.dimension.mass, found.dimension.length, found.dimension.time] == powers


def test_random_formulas_have_the_dimension_of_numbers_that_scale():
    """A formula of dimension d is multiplied by 2^a 3^b 5^c when kilogram, metre and second are scaled so."""
    from dalembert.mechanism.homogeneity import Dimensions, Form

    rng = random.Random(3)
    scale = {MASS: 2.0, LENGTH: 3.0, TIME: 5.0}
    symbols = {ex.symbol(f"q{k}"): one for k, one in enumerate((MASS, LENGTH, TIME, FORCE, TORQUE, NONE))}

    def factor(one):
        return scale[MASS] ** float(one.mass) * scale[LENGTH] ** float(one.length) * scale[TIME] ** float(one.time)

    for _ in range(200):
        e, other = rng.choice(list(symbols)), rng.choice(list(symbols))
        for _ in range(rng.randint(1, 6)):
            e = rng.choice([e * other, e / other, ex.sqrt(e), e**2, 3 * e])
            e = rng.choice([e, e + 2 * e, ex.where(ex.less(e, 2 * e), e, 3 * e)])
            other = rng.choice(list(symbols))
        known = Dimensions(da.Mechanism("m").freeze())
        known.found |= {s: Form(one) for s, one in symbols.items()}
        found = known.reduced(known.of(e) or Form())
        values = {s: rng.uniform(1, 2) for s in symbols}
        before = float(ex.evaluate([e], values)[0])
        after = float(ex.evaluate([e], {s: v * factor(symbols[s]) for s, v in values.items()})[0])
        assert after / before == pytest.approx(factor(found.known), rel=1e-9)
        assert symbol_of(found.known) is not None


@pytest.mark.parametrize(("word", "unit"), [("metre", "m"), ("Kg", "kg"), ("seconds", "s"), ("CM", "cm")])
def test_a_unit_in_other_letters_is_recognised(word, unit):
    with pytest.raises(da.LsdError, match=f"did you mean the unit `2 {unit}`"):
        da.loads(f"let l = 2 {word} ;")


def test_quantities_are_told_as_numbers_and_only_factors_are_suspected():
    """Units stood in the sentence as empty names, '3*(1/*2)', and a length was called a factor."""
    text = """use "joints.lsd" ;
let a = body mass = 2 kg, centre = 0, inertia = 0 end ;
join earth and a.frame with revolute([0, 0, 1]) as j ;
drive j.th = 3 N ;
spring earth and a.frame with stiffness = 3 N, length = 2 ;
spring earth and a.frame with stiffness = 3*(2 N), length = 2 ;
"""
    with pytest.raises(da.LsdError) as caught:
        da.loads(text)
    drive, bare, factor = caught.value.diagnostics
    assert "'3' and 'j.th' are unlike" in drive.message
    assert "factor" not in bare.hint
    assert factor.hint == "a factor without a unit is a pure number: check `3`"
