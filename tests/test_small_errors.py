"""Small errors that nobody had seen: a statement for each place where one was seeded and survived."""

from __future__ import annotations

import math
import warnings
import xml.etree.ElementTree as element
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert import expr as ex
from dalembert.analytic.formulas._normal import _quotient
from dalembert.analytic.symmetries.galilei import galilei_algebra
from dalembert.analytic.variations.brachistochrone import descent_time
from dalembert.analytic.variations.envelope import envelope
from dalembert.arms.closed import _clean
from dalembert.errors import ModelError, warn
from dalembert.expr.space import vector3
from dalembert.mechanism import Box, Capsule, Cylinder, Ellipsoid, Plane, Sphere
from dalembert.mechanism.collada import _transform
from dalembert.mechanism.dimensions import Dimension
from dalembert.mechanism.shapes import parts_of
from dalembert.presentation.formula import Writer, text_of
from dalembert.presentation.mathml import _bold_letter
from dalembert.sweep.about import About, check_cases
from dalembert.sweep.corners import Pieces
from dalembert.sweep.measures import _extreme, _mean
from dalembert.view.linear import plot_locus


def test_a_slide_down_an_incline_takes_the_time_of_galilei():
    slope, distance, g = 0.75, 2.0, 9.81
    length = distance * math.hypot(1, slope)
    expected = math.sqrt(2 * length / (g * slope / math.hypot(1, slope)))
    assert descent_time(lambda x: slope * x, lambda x: slope, distance, g) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_every_particle_has_a_part_in_galileis_generators(count):
    algebra = galilei_algebra(count)
    assert len(algebra.total_mass.free_symbols) == count
    assert sp.simplify(algebra.brackets["Kx", "Px"] - algebra.total_mass) == 0
    assert len(algebra.generators["H"].free_symbols) == 4 * count


def test_curves_that_meet_in_a_point_have_no_envelope_and_tangents_have_theirs():
    with pytest.raises(ModelError, match="no envelope"):
        envelope("p*x", "p")
    assert (
        envelope("p*x - p**2/4", "p") == [sp.Symbol("x", real=True) ** 2]
        or str(envelope("p*x - p**2/4", "p")) == "[x**2]"
    )


@pytest.mark.parametrize("function", [sp.tan, sp.cot, sp.sec, sp.csc])
def test_quotients_of_sines_are_their_functions(function):
    x = sp.Symbol("x")
    assert float(_quotient(function(x)).subs(x, 0.7)) == pytest.approx(float(function(0.7)), rel=1e-14)


@pytest.mark.parametrize("size", [1.0, 2.0, 1e-3, 1e3])
def test_dust_of_any_machine_is_cleaned_and_lengths_are_kept(size):
    dust, kept = _clean(vector3([1e-17 * size, 0.3 * size, 0]), size)[:2]
    assert dust is ex.ZERO
    assert float(kept.value) == 0.3 * size


def test_a_warning_points_at_the_line_that_asked():
    """Through any depth of the package; here nothing of the package is between."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        warn("straight")
        da.loads("given m = 1 ;")
        m = da.Mechanism("m")
        m.join(da.earth, m.body("b", mass=1), da.prismatic("x"), name="rail")
        m.contact("rail.x >= 0", name="wall")
        m.equations()
    places = {(Path(one.filename).name, one.lineno) for one in seen if "straight" in str(one.message)}
    assert {name for name, _ in places} == {Path(__file__).name}
    assert all(Path(one.filename).name == Path(__file__).name for one in seen), [str(one) for one in seen]


def test_contacts_of_two_shapes_are_counted():
    box, other = Box(da.earth, [1, 1, 1]), Box(da.earth, [1, 2, 1])
    ball, floor = Sphere(da.earth, 1), Plane(da.earth)
    rod, egg = Capsule(da.earth, 1, 2), Ellipsoid(da.earth, [1, 2, 3])
    counts = {
        (box, floor): 8,
        (ball, floor): 1,
        (rod, floor): 2,
        (egg, floor): 1,
        (Cylinder(da.earth, 1, 2), floor): 10,
        (Cylinder(da.earth, 1, 0), floor): 5,
        (ball, box): 1,
        (rod, rod): 5,
        (rod, egg): 3,
        (rod, box): 2 + 12,
        (egg, egg): 1,
        (box, other): 8 + 8 + 1 + 2 * 4,
    }
    for (one, two), count in counts.items():
        assert parts_of(one, two) == parts_of(two, one) == count, (one, two)


def test_negative_bases_stand_in_brackets():
    x, write = ex.symbol("x"), Writer(moving=())
    assert text_of(write.formula(ex.const(-2) ** x)).replace(" ", "") == "(-2)^x"
    assert text_of(write.formula(ex.const(2) ** x)).replace(" ", "") == "2^x"


def test_red_begins_where_growth_does():
    """The half plane of unstable eigenvalues, and the ends of each path."""
    roots = np.array([[-1 + 2j, -1 - 2j], [-0.5 + 1j, -0.5 - 1j], [0.2, 0.1]])
    axis = plot_locus([0.0, 1.0, 2.0], roots, "c", "m").axes[0]
    assert axis.patches[0].get_x() == 0
    assert list(axis.lines[0].get_xdata()) == [0, 0]
    ends = {line.get_label(): line for line in axis.lines}
    np.testing.assert_array_equal(ends["first"].get_xdata(), roots[0].real)
    np.testing.assert_array_equal(ends["last"].get_ydata(), roots[-1].imag)
    low, high = axis.get_xlim()
    assert low < -1
    assert high > 0.2
    stable = plot_locus([0.0, 1.0], roots[:2] - 5, "c", "m").axes[0]
    assert stable.get_xlim()[1] == pytest.approx(0.1 * 0.5)  # the axis is in the picture, and no more


def test_few_cases_of_one_variable_are_a_curve_and_others_points():
    m = da.Mechanism("mass")
    m.join(da.earth, m.body("b", mass="m"), da.prismatic("x").with_efforts(x="f"), name="rail")
    m.given = {"m": 1.0, "f": 1.0}
    line = m.sweep((0, 1), {"f": "1:2:5"}, "final(rail.x)").plot().axes[0].lines[0]
    assert line.get_linestyle() == "-"
    np.testing.assert_allclose(line.get_ydata(), np.linspace(0.5, 1, 5))
    points = m.sweep((0, 1), {"f": "1:2:3", "m": "1:2:3"}, "final(rail.x)").plot().axes[0].lines[0]
    assert (points.get_linestyle(), points.get_marker()) == ("None", ".")


FLOOR = """use "joints.lsd" ;
let ball = body mass = 1, iframe = [0, 0, 0], inertia = [1, 1, 1] end ;
join earth and ball.frame with prismatic([0, 0, 1]) as drop ;

contact drop.x >= 0 restitution e as floor ;
gravity [0, 0, -9.81] ;
start drop.x = {height} ;
given e = {e} ;
"""


def test_check_tells_a_start_inside_of_a_contact_and_a_law_that_no_contact_has(tmp_path):
    from typer.testing import CliRunner

    from dalembert.cli import app

    path = tmp_path / "ball.lsd"
    answers = {}
    for name, (height, e) in {"good": (1, 0.5), "inside": (-1, 0.5), "law": (1, 2)}.items():
        path.write_text(FLOOR.format(height=height, e=e))
        answers[name] = CliRunner().invoke(app, ["check", str(path)])
    assert answers["good"].exit_code == 0, answers["good"].output
    assert answers["inside"].exit_code == 1
    assert answers["law"].exit_code == 1
    assert "ball.lsd:5:" in answers["law"].output + answers["law"].stderr


@pytest.mark.parametrize(
    ("power", "unit"), [((1, 1, -2), "kg*m/s^2"), ((0, 1, -1), "m/s"), ((0, 0, -1), "1/s"), ((1, -2, 0), "kg/m^2")]
)
def test_units_are_written_with_the_powers_that_are_not_one(power, unit):
    assert Dimension(*map(Fraction, power)).unit == unit


def test_an_extreme_between_two_instants_is_that_of_the_curve():
    """Parabolas and cubics through their values and slopes, and the mean of a cubic."""
    h = np.array([[0.5]])
    for rule, coefficients in (("max", [0.0, 1.0, -1.5]), ("min", [0.0, -1.0, 1.7]), ("max", [0.1, 2.0, -3.0, -0.8])):
        curve = np.polynomial.Polynomial(coefficients)
        f, slope = (np.array([[one(0.0), one(0.5)]]) for one in (curve, curve.deriv()))
        seen = getattr(curve(np.linspace(0, 0.5, 20001)), rule)()
        pieces = Pieces.between(h, f, slope)
        assert _extreme(1.0 if rule == "max" else -1.0)(pieces)[0] == pytest.approx(seen, abs=1e-8)
        assert _mean(pieces)[0] == pytest.approx(curve.integ()(0.5) / 0.5)


def test_letters_of_every_alphabet_have_a_bold_one():
    import unicodedata

    for c in "AZaz09ΑΩαω":
        name = unicodedata.name(_bold_letter(c))
        assert name.startswith("MATHEMATICAL BOLD")
        assert unicodedata.normalize("NFKC", _bold_letter(c)) == c
    assert _bold_letter("+") == "+"


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0), (0, 0, 2), (1, -2, 3)])
def test_a_node_of_a_scene_turns_as_rodrigues_says(axis):
    from scipy.spatial.transform import Rotation

    node = element.fromstring(f"<rotate>{axis[0]} {axis[1]} {axis[2]} 40</rotate>")
    unit = np.array(axis) / np.linalg.norm(axis)
    expected = Rotation.from_rotvec(np.radians(40) * unit).as_matrix()
    np.testing.assert_allclose(_transform(node)[:3, :3], expected, atol=1e-12)


@pytest.mark.parametrize(
    ("cases", "good"),
    [([], 1), ([0], 1), ([2], 1), ([0, 1, 2], 1), ([0, 2], 1), ([0, 0], 0), ([1, 0], 0), ([-1, 0], 0), ([2, 3], 0)],
)
def test_a_folder_of_a_sweep_holds_each_case_once_and_no_other(cases, good):
    about = About("m", "", 3, (), {}, (0, 1, 2), ())
    if good:
        check_cases(Path("runs"), about, np.array(cases, dtype=int))
    else:
        with pytest.raises(ModelError, match="a case twice, or one that the sweep does not have"):
            check_cases(Path("runs"), about, np.array(cases, dtype=int))
