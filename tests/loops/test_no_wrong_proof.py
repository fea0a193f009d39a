"""Verdicts on inputs made to break them: what is called proved is true."""

import math
from fractions import Fraction

import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert import loops
from dalembert.dynamics.start import closed_start
from dalembert.mechanism import Displacement, Mechanism, composite, earth, prismatic, revolute, turn
from linkages import closed_by_a_ball, four_bar


def folded_slider_crank(length):
    """Crank and rod of equal length, the slider at the centre: two branches cross where the crank is square."""
    m = Mechanism("slider_crank")
    crank, rod, slider = m.body("crank"), m.body("rod"), m.body("slider")
    m.join(earth, crank, revolute("z"), name="a")
    m.join(crank.at([length, 0, 0]), rod, revolute("z"), name="b")
    m.join(earth, slider, prismatic("x"), name="s")
    m.join(rod.at([length, 0, 0]), slider, revolute("z"), name="c")
    return m


@pytest.mark.parametrize("length", [1, 0.0001, 1e-9, 3e5, 7e8])
@pytest.mark.parametrize("crank", [math.pi / 2, 1.0])
def test_units_do_not_change_a_proof(length, crank):
    at = {"a.th": crank, "b.th": math.pi, "s.x": 0.0, "c.th": -crank - math.pi}
    verdict = loops.mobility(folded_slider_crank(length), at)
    assert (verdict.dof, verdict.proved) == (1, True)
    assert verdict.instantaneous == (2 if crank != 1.0 else 1)


def plane_four_bar(axis=(0, 0, 1), offset=0):
    m = Mechanism("four_bar")
    points = [(0, 0, 0), (1, 2, 0), (4, 3, 0), (5, 0, 0)]
    bodies = [earth, m.body("a"), m.body("b"), m.body("c"), earth]
    for i, p in enumerate(points):
        other = (*p[:2], p[2] + (offset if i == 3 else 0))
        m.join(bodies[i].at(p), bodies[i + 1].at(other), revolute(axis if i == 2 else "z"), name=f"j{i}")
    return m


@pytest.mark.parametrize("tilt", [1e-3, 1e-6, 1e-9, 1e-12, 1e-15])
def test_an_axis_tilted_by_little_stops_a_plane_four_bar(tilt):
    verdict = loops.mobility(plane_four_bar(axis=[0, tilt, 1]))
    assert (verdict.dof, verdict.proved) == (0, True)
    assert (loops.mobility(plane_four_bar()).dof, loops.mobility(plane_four_bar()).proved) == (1, True)


@pytest.mark.parametrize("offset", [1e-10, 1e-13, 1e-15])
def test_a_loop_that_cannot_close_is_told_so(offset):
    verdict = loops.mobility(plane_four_bar(offset=offset))
    assert not verdict.proved
    assert "cannot close exactly" in str(verdict)


BENNETT = """
given al = {al}, be = {be}, a = {a} ;
let s1 = body mass = 1 end ; let s2 = body mass = 1 end ; let s3 = body mass = 1 end ;
join [a, 0, 0] ++ al || [1, 0, 0] @ earth and s1.frame with link(th) dof = th || [0, 0, 1] end as j1 ;
join [1, 0, 0] ++ be || [1, 0, 0] @ s1 and s2.frame with link(th) dof = th || [0, 0, 1] end as j2 ;
join [a, 0, 0] ++ al || [1, 0, 0] @ s2 and s3.frame with link(th) dof = th || [0, 0, 1] end as j3 ;
join [1, 0, 0] ++ be || [1, 0, 0] @ s3 and earth with link(th) dof = th || [0, 0, 1] end as j4 ;
start j1.th = 0.7, j2.th = 2.6, j3.th = 0.7, j4.th = 2.6 ;
"""


@pytest.mark.parametrize(
    ("a", "al", "be", "proved"),
    [
        ("sqrt(3)", "pi/3", "pi/6", True),
        ("4/3", "atan2(4, 3)", "atan2(3, 4)", True),  # sines 4/5 and 3/5
        ("sin(al)/sin(be)", "0.9", "0.41", True),  # decimals are the rationals that they spell
        ("1.7320508075688772", "pi/3", "pi/6", False),
        ("sqrt(3)", "1.0471975511965976", "pi/6", False),
    ],
)
def test_formulas_that_are_given_stay_exact(a, al, be, proved):
    verdict = da.loads(BENNETT.format(a=a, al=al, be=be), "bennett").mobility()
    assert (verdict.dof, verdict.proved) == (1, proved)


def test_a_formula_in_python_stays_exact_too():
    m = Mechanism("bennett")
    bodies = [earth, *(m.body(f"s{i}") for i in (1, 2, 3))]
    for i in range(4):
        at = bodies[i].at(["a" if i % 2 == 0 else 1, 0, 0], turn("pi/3" if i % 2 == 0 else "pi/6", "x"))
        m.join(at, bodies[(i + 1) % 4], revolute("z"), name=f"j{i}")
    m.given["a"] = "sqrt(3)"
    at = {"j0.th": 0.7, "j1.th": 2.6, "j2.th": 0.7, "j3.th": 2.6}
    assert loops.mobility(m, at).proved
    assert not loops.mobility(m, at, given={"a": 3**0.5}).proved


def toggle(height, length=2):
    """A pin in the slot y = height(x), held by two bars stretched straight to the origin; all coordinates zero."""
    x = ex.symbol("x")
    m = Mechanism("toggle")
    slide, low, high = m.body("slide"), m.body("low"), m.body("high")
    m.join(earth, slide, composite(["x"], Displacement.of([x, height(x), 0])), name="slot")
    half = Fraction(length) / 2
    m.join(earth, low, revolute("z"), name="foot")
    m.join(low.at([0, half, 0]), high.at([0, half, 0]), revolute("z"), name="knee")
    m.join(high.at([0, length, 0]), slide, revolute("z"), name="pin")
    return m


def test_a_point_beside_a_curve_is_isolated():
    """The slot bends away from the circle of the stretched bars, and comes back further out."""
    verdict = loops.mobility(toggle(lambda x: 2 + x**4 - 50 * x**6))
    assert (verdict.dof, verdict.proved) == (0, True)


@pytest.mark.parametrize(
    ("curve", "dof"),
    [
        ("Y^2 + X^4 - 10*X^5", 0),
        ("Y^2 - X^4 - 10*X^5", 1),
        ("Y^2 - X^3", 1),
        ("(Y - X^2)^2 + X^6", 0),
        ("(Y - X^2)^2 - X^7", 1),
        ("Y^4 + X^2 - 3*X*Y^2 + 4*Y^4", 0),
        ("Y*X", 1),
        ("X^2 + Y^2", 0),
        ("Y - X^2", 1),
        ("Y^3 + X^4", 1),
        ("(Y - X^2 + 3*X^3)^2", 1),  # a double curve, bent
        ("(Y - X/2 - X^2/4 + X^3/9)^2 + 6*X^4*(1 + 15/4*X)", 0),
    ],
)
def test_two_slides_on_an_algebraic_curve(curve, dof):
    m = Mechanism("slides")
    m.join(earth, m.body("a"), prismatic("x"), name="X")
    m.join(earth, m.body("b"), prismatic("x"), name="Y")
    equation = ex.substitute([ex.parse(curve)], {ex.symbol(n): ex.symbol(f"{n}.x") for n in "XY"})[0]
    verdict = loops.mobility(m, {}, equations=[equation])
    assert (verdict.dof, verdict.proved) == (dof, True)


@pytest.mark.parametrize("c", ["0.2", "0.24", "0.26", "0.3", "0.49", "0.51", "1"])
def test_the_curvature_of_a_slot_counts_in_full(c):
    """Stretched bars of length 2 in the slot y = 2 - c x^2: the circle has curvature 1/2, so mobile above c = 1/4."""
    verdict = loops.mobility(toggle(lambda x: 2 - ex.parse(c) * x**2))
    assert (verdict.dof, verdict.proved) == (1 if float(c) > 0.25 else 0, True)


@pytest.mark.parametrize("height", ["2 - abs(x)", "2 + x*abs(x)", "2 + abs(x)^3", "2 - sqrt(x^2)"])
def test_a_slot_with_a_kink_at_the_posture_is_not_judged(height):
    with pytest.raises(da.DalembertError, match=r"kink|slope"):
        loops.mobility(toggle(lambda x: ex.parse(height)))


@pytest.mark.parametrize(("height", "dof"), [("2 - tanh(x)^2", 1), ("1 + cosh(x)", 0), ("1 + abs(x^2 - 1)", 1)])
def test_slots_of_other_functions(height, dof):
    verdict = loops.mobility(toggle(lambda x: ex.parse(height)))
    assert (verdict.dof, verdict.proved) == (dof, True)


@pytest.mark.parametrize("power", [2, 3, 4, 7])
def test_the_power_of_a_ball_around_zero_is_a_number(power):
    from flint import arb

    from dalembert.loops.arithmetic import ball_functions, evaluate_in
    from dalembert.loops.balls import ball

    (found,) = evaluate_in([ex.symbol("x") ** power], {"x": arb(0, 1e-3)}, ball, ball_functions())
    assert found.is_finite()
    assert found.contains(0)


def test_osculating_slot_is_decided_by_fourth_order():
    """y = 2 - x^2/4 - d x^4 has second-order contact with the circle 2 - x^2/4 - x^4/64 - ..."""
    for d, dof in ((Fraction(1, 65), 0), (Fraction(1, 63), 1)):
        verdict = loops.mobility(toggle(lambda x, d=d: 2 - x**2 / 4 - ex.const(d) * x**4))
        assert (verdict.dof, verdict.proved) == (dof, True)


def wren_table(corners=((1, 1), (-1, 1), (-1, -1), (1, -1))):
    """A table on equal upright legs with a ball joint below and a universal joint above: it sways, or it turns."""
    from dalembert.mechanism import spherical, universal

    m = Mechanism("wren")
    plate = m.body("plate")
    for i, (x, y) in enumerate(corners):
        leg = m.body(f"leg{i}")
        m.join(earth.at([x, y, 0]), leg.at([x, y, 0]), spherical(), name=f"low{i}")
        m.join(leg.at([x, y, 2]), plate.at([x, y, 2]), universal(("x", "y")), name=f"high{i}")
    return m


@pytest.mark.parametrize(
    "corners",
    [((1, 1), (-1, 1), (-1, -1), (1, -1)), ((1, 0), (0, 2), (-1, 0), (0, -2)), ((2, 1), (0, 1), (-1, -1), (1, -1))],
)
def test_upright_table_sways_in_two_directions(corners):
    """Swaying has two dimensions, turning one; both leave the upright posture, with its three instantaneous motions."""
    verdict = loops.mobility(wren_table(corners))
    words = str(verdict)
    assert verdict.instantaneous == 3
    assert verdict.lower <= 2 <= verdict.upper
    assert verdict.dof in (None, 2)
    assert "0 degrees" not in words
    if verdict.dof is None:
        assert verdict.to_json()["dof"] is None
        assert "cannot be continued" not in words


SLOT = """
use "joints.lsd" ;
let a = body mass = 1 end ; let b = body mass = 1 end ; let p = body mass = 1 end ;
join earth and a.frame with revolute(axis = [0, 0, 1]) as A ;
join [0, 1, 0] @ a and b.frame with revolute(axis = [0, 0, 1]) as B ;
join earth and p.frame with link(x) dof = [x, {curve}, 0] end as S ;
join [0, 1, 0] @ b and p.frame with revolute(axis = [0, 0, 1]) as C ;
"""


@pytest.mark.parametrize(("curve", "dof"), [("2 - (1/4 + 1e-30)*x^2", 1), ("2 - (1/4 - 1e-30)*x^2", 0)])
def test_sums_of_decimals_are_not_rounded_before_they_are_judged(curve, dof):
    """A straight toggle reaches what is inside the circle of radius 2, whose curvature is 1/2."""
    verdict = da.loads(SLOT.format(curve=curve)).mobility({})
    assert (verdict.dof, verdict.proved) == (dof, True)


def stretched(*lengths):
    m = Mechanism("stretched")
    a, b, c = m.body("a"), m.body("b"), m.body("c")
    m.join(earth, a, revolute("z"), name="A")
    m.join(a.at([lengths[0], 0, 0]), b, revolute("z"), name="B")
    m.join(earth.at([lengths[3], 0, 0]), c, revolute("z"), name="D")
    m.join(b.at([lengths[1], 0, 0]), c.at([lengths[2], 0, 0]), revolute("z"), name="C")
    return m


@pytest.mark.parametrize(
    ("lengths", "rigid"),
    [
        (("0.1 + 0.2", "0.3", "0.4", "1"), True),
        (("sqrt(0.5)", "sqrt(0.5)", "1", "1 + sqrt(2)"), True),
        (("2.5^0.3", "3^(1/3)", "1", "1 + 2.5^0.3 + 3^(1/3)"), True),
        (("0.1", "0.2", "0.3", "0.5999999999999999999999"), False),  # more digits than a float has
        (("0.1", "0.2", "0.3", "0.6 - 1e-30"), False),  # a hair shorter: it moves
        (("0.7071067811865476", "1", "1", "2 + sqrt(0.5)"), False),
    ],
)
def test_formulas_with_decimals_are_what_they_spell(lengths, rigid):
    verdict = loops.mobility(stretched(*lengths), {})
    assert ((verdict.dof, verdict.proved) == (0, True)) == rigid


def test_a_cusp_is_one_branch_and_an_isolated_posture_lies_on_none():
    cusp = da.loads(SLOT.format(curve="2 - x^2/4 + x^3"))
    (branch,) = found = loops.branches_through(cusp, {})
    assert (branch.dof, branch.proved, found.complete) == (1, True, True)
    still = loops.branches_through(stretched(1, 2, 3, 6), {})
    assert still == ()
    assert still.complete


def test_the_checker_takes_quaternions_and_machines_without_loops():
    m = da.Mechanism("rod between two balls")
    rod = m.body("rod", mass=1, inertia=(1, 1, 1))
    m.join(da.earth, rod, da.spherical("quaternion"), name="A")
    m.join(rod.at([1, 0, 0]), da.earth.at([1, 0, 0]), da.spherical(), name="B")
    found = m.mobility().certificate.check()
    assert found.ok, str(found)
    open_arm = da.Mechanism("arm")
    open_arm.join(da.earth, open_arm.body("arm", mass=1, inertia=(1, 1, 1)), da.spherical("quaternion"), name="A")
    assert open_arm.mobility().certificate.check()


@pytest.mark.parametrize(
    "tiny", ["exp(-{0})", "1 - tanh({0})", "exp(X.x - {0})", "2^(X.x - {0})", "0.1^{0}", "1/cosh({0})"]
)
@pytest.mark.parametrize("size", [70, 150, 300])
def test_a_coefficient_that_short_formulas_make_tiny_is_not_zero(tiny, size):
    """Y = X^2 twice, once with a term that is linear in X: isolated, however small its coefficient."""
    m = Mechanism("table")
    x, y = m.body("x"), m.body("y")
    m.join(earth, x, prismatic("x"), name="X")
    m.join(x, y, prismatic("y"), name="Y")
    equations = ["Y.x - X.x^2", f"Y.x - X.x^2 - ({tiny.format(size)})*X.x"]
    verdict = loops.mobility(m, {}, equations=equations)
    assert verdict.dof == 0
    assert verdict.proved


def test_numbers_beyond_the_working_digits_are_refused():
    m = Mechanism("table")
    m.join(earth, m.body("x"), prismatic("x"), name="X")
    with pytest.raises(da.ModelError, match=r"what is zero is not told from what is not"):
        loops.mobility(m, {}, equations=["X.x*0.1^2000"])


@pytest.mark.parametrize("axis", ["x", "y", "z"])
@pytest.mark.parametrize("chart", ["euler", "bryant", "zyx", "yxy", "xyx", "quaternion"])
def test_angles_that_turn_nothing_are_no_freedom(chart, axis):
    """Where two axes of a chart agree, its angles move and no body does; a posture that is asked for is kept."""
    verdict = loops.mobility(closed_by_a_ball(chart, axis), {"A.th": 1})
    assert (verdict.dof, verdict.instantaneous, verdict.proved) == (1, 1, True)
    assert verdict.at["A.th"] == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize(
    "ask",
    [loops.branches_through, loops.releasable, loops.special_postures, loops.rank_growth, loops.components_at],
)
def test_what_is_told_in_coordinates_is_refused_where_they_are_singular(ask):
    with pytest.raises(da.ModelError, match=r"chart of C[.]ps, C[.]th, C[.]ph is singular at this"):
        ask(closed_by_a_ball("euler"), {"A.th": 1})


def test_branches_are_those_of_the_posture_that_is_asked_for():
    """What is not said follows, as in a motion: the rates of a crank at one radian, not beside it."""
    m = four_bar((0.2, 0.4, 0.35), 0.5)
    (branch,) = loops.branches_through(m, {"A.th": 1})
    found = branch.directions[0]
    wanted = closed_start(m.layout(), {"A.th": 1, "A.th'": found["A.th"]}).values
    assert [found["B.th"], found["D.th"]] == pytest.approx([wanted["B.th'"], wanted["D.th'"]], abs=2e-3)
