"""Formulas of analytical mechanics that a small error would break unseen: gauge terms, modes elsewhere, periods."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import quad

from dalembert import analytic as an
from dalembert.analytic import System, numeric_modes
from dalembert.analytic.formulas.quadrature import _exponential
from dalembert.analytic.formulas.steps import Step
from dalembert.analytic.jacobi.action_angle import _deepest
from dalembert.analytic.motions.period import period
from dalembert.analytic.symmetries.noether import noether
from dalembert.analytic.teaching.mistakes import _of_an_equation
from dalembert.analytic.teaching.quantities import Quantities
from dalembert.analytic.variations.brachistochrone import brachistochrone
from dalembert.errors import ModelError


@pytest.mark.parametrize(
    ("lagrangian", "shift", "later"),
    [
        ("m*x_d**2/2", "t", "0"),
        ("m*x_d**2/2 - m*g*x", "1", "0"),
        ("m*x_d**2/2 - m*g*x", "t", "0"),
        ("m*x_d**2/2 - k*x*t", "1", "0"),
        ("m*x_d**2/2 - k*x**2/2", "0", "1"),
        ("m*x_d**2/2 - k/x**2", "x/2", "t"),
        ("m*x_d**2/2 - k/x**2", "x*t", "t**2"),
    ],
)
def test_what_a_symmetry_conserves_is_constant_along_the_motion(lagrangian: str, shift: str, later: str) -> None:
    """With a gauge term or without: dI/dt vanishes where Lagrange's equation holds."""
    system = System("x", L=lagrangian)
    n = system.names
    found = noether(system, {"x": shift}, later)
    t, q, v = n.time, n.symbol("x"), n.velocity("x")
    L = system.freeze(system.lagrangian)
    p = sp.diff(L, v)
    a = (sp.diff(L, q) - sp.diff(p, q) * v - sp.diff(p, t)) / sp.diff(p, v)
    integral = system.freeze(found.integral)
    rate = sp.diff(integral, t) + sp.diff(integral, q) * v + sp.diff(integral, v) * a
    assert sp.simplify(rate) == 0
    assert integral.has(v)


def test_modes_are_those_of_the_place_that_is_asked() -> None:
    """V = x^4/4 - x^2/2 has its wells at 1 and -1, where V'' = 2, and a top at 0."""
    well = System("x", L="x_d**2/2 + x**2/2 - x**4/4")
    assert numeric_modes(well, {}, at={"x": 1.0}) == pytest.approx([np.sqrt(2)])
    assert numeric_modes(well, {}, at={"x": -1.0}) == pytest.approx([np.sqrt(2)])
    assert np.isnan(numeric_modes(well, {}, at={"x": 0.0})).all()


@pytest.mark.parametrize("potential", ["k*q**2/2 + b*q**4/4", "k*q**2/2 - b*q**4/4 + c*q**6/6", "-k*cos(q)"])
def test_the_series_of_a_period_is_that_of_the_integral(potential: str) -> None:
    """The error of an expansion to order 4 falls as the sixth power of the amplitude."""
    found = period(potential, "q", "A", inertia="m", order=4)
    numbers = {"k": 2.0, "b": 0.7, "c": 0.9, "m": 1.3}
    series = sp.lambdify(sp.Symbol("A"), _by_name(found.series, numbers))
    q = sp.Symbol("q")
    V = sp.lambdify(q, _by_name(_plain(potential), numbers))

    def exact(A: float) -> float:
        def slope(u: float) -> float:  # q = A sin u takes the pole out
            here = A * np.sin(u)
            return float(A * np.cos(u) / np.sqrt(2 / 1.3 * (V(A) - V(here))))

        return 4 * quad(slope, 0, np.pi / 2 * (1 - 1e-9), limit=200)[0]

    (whole,) = found.integral.atoms(sp.Integral)
    slowness = _by_name(whole.function, numbers | {"A": 0.6, "q": 0.2})
    assert float(slowness) == pytest.approx(np.sqrt(1.3 / 2 / (V(0.6) - V(0.2))))
    wide, narrow = (abs(series(A) - exact(A)) for A in (0.6, 0.3))
    assert narrow < 2e-4
    assert wide / narrow > 30  # 64 and higher orders


def _plain(text: str) -> sp.Expr:
    q, k, b, c = sp.symbols("q k b c")
    return {
        "k*q**2/2 + b*q**4/4": k * q**2 / 2 + b * q**4 / 4,
        "k*q**2/2 - b*q**4/4 + c*q**6/6": k * q**2 / 2 - b * q**4 / 4 + c * q**6 / 6,
        "-k*cos(q)": -k * sp.cos(q),
    }[text]


def _by_name(e: sp.Expr, numbers: dict[str, float]) -> sp.Expr:
    known = {s: sp.Float(numbers[s.name]) if s.name in numbers else sp.Symbol(s.name) for s in e.free_symbols}
    return e.subs(known)


@pytest.mark.parametrize(("distance", "drop"), [(1.0, 2.0), (3.0, 0.5)])
def test_the_quickest_descent_takes_the_time_of_its_path(distance: float, drop: float) -> None:
    """t is the integral of ds/sqrt(2 g y) along the curve, and shorter than on the chord."""
    found = brachistochrone(distance, drop, g=3.7)
    th = np.linspace(0, found.theta, 20001)
    x, y = np.array([found.point(a) for a in th]).T
    middle = (y[1:] + y[:-1]) / 2
    taken = float(np.sum(np.hypot(np.diff(x), np.diff(y)) / np.sqrt(2 * 3.7 * middle)))
    assert (x[-1], y[-1]) == pytest.approx((distance, drop))
    assert found.time == pytest.approx(taken, rel=1e-3)
    assert found.time < found.straight_time()
    assert found.straight_time() == pytest.approx(2 * np.hypot(distance, drop) / np.sqrt(2 * 3.7 * drop))  # mean speed


def test_a_field_is_taken_at_the_place_of_the_charge():
    """x, y, z in phi and A are the particle's place, in whatever coordinates that is written."""
    place = [an.Particle("m", ["r*cos(phi)", "r*sin(phi)"])]
    magnet = an.ElectromagneticField("e", "k*x", ["-B*y/2", "B*x/2"])
    view = an.System("r phi", particles=place, field=magnet).lagrange()
    assert view.check("L == m*(r_d**2 + r**2*phi_d**2)/2 + e*B*r**2*phi_d/2 - e*k*r*cos(phi)")


def test_brackets_and_reductions_refuse_names_that_do_not_fit():
    with pytest.raises(ModelError, match="as many momenta as coordinates"):
        an.poisson_bracket("q", "p", "q", "p q")
    with pytest.raises(ModelError, match="as many of both"):
        an.lagrange_bracket("Q", "P", ["Q"], ["P", "Q"])
    with pytest.raises(ModelError, match="names a constant of z"):
        an.routhian(an.System("x y", L="x_d**2/2 + y_d**2"), momenta={"z": "J"})
    with pytest.raises(ModelError, match="no hold prevents a motion of b"):
        an.Structure([an.Load("b", [0, 0], [0, "-P"])], []).rest()


def test_what_is_public_prints_what_it_is():
    records = [kind for name in an.__all__ if isinstance(kind := getattr(an, name), type)]
    silent = [k.__name__ for k in records if k.__str__ is object.__str__ and k.__repr__ is object.__repr__]
    assert not silent


def test_a_series_of_no_order_is_the_function_itself_and_polynomials_are_sorted_by_their_variables() -> None:
    assert an.lie_series("q**2", "p**2/2", "q", "p", order=0) == sp.Symbol("q", real=True) ** 2
    assert str(an.lie_series("q", "(q**2 + p**2)/2", "q", "p", order=3)) == "p*(-s**3/6 + s) + q*(1 - s**2/2)"
    for order in (-1, 31):
        with pytest.raises(ModelError, match="from 0 to 30"):
            an.lie_series("q", "p", "q", "p", order=order)


@pytest.mark.parametrize("place", [0.3, 7.0, 40.0, 300.0])
def test_the_deepest_place_of_a_mirrored_well_is_mirrored(place: float) -> None:
    found = [_deepest(lambda u, s=s: 1 - (u / place - s) ** 2) for s in (1, -1)]
    assert found == pytest.approx([place, -place], rel=1e-4)


@pytest.mark.parametrize(("near", "far"), [(0, 3), (1, 3), ("l/4", "3*l")])
def test_the_shear_of_a_part_under_a_spread_load_falls_by_its_share(near: object, far: object) -> None:
    """From nothing where the load ends to all of it where it begins, and its bending has the shear for its slope."""
    load = an.Load("beam", [], [0, "-q"], spread=([near, 0], [far, 0]))
    beam = an.Structure([load], [an.Weld("beam", [0, 0], name="A")], positive=["l", "q"])
    found = an.internal_efforts(beam.rest(), "beam", [0, 0], [far, 0]).pieces[-1]
    (shear,), (bending,), s = found.shear, found.bending, next(iter(found.end.free_symbols), None)
    cut = next(x for x in shear.free_symbols if x.name == "s")
    ends = [sp.simplify(shear.subs(cut, x)) for x in (found.start, found.end)]
    q = next(x for x in shear.free_symbols if x.name == "q")
    assert s is None or s.name == "l"
    assert ends[1] == 0
    assert sp.simplify(abs(ends[0]) - abs(q * (found.end - found.start))) == 0 or sp.simplify(abs(ends[0]) - q) == 0
    assert sp.simplify(sp.diff(bending, cut) ** 2 - shear**2) == 0


def test_a_line_of_words_has_no_formula() -> None:
    line, formula = Step("so it is"), Step("momentum", "p", sp.Symbol("m"))
    assert line.latex == r"\text{so it is}"
    assert formula.latex.endswith("p = m")


@pytest.mark.parametrize("text", ["1/(1 + exp(2*q))", "exp(q)/(1 + exp(2*q))", "exp(-q)/(3 + exp(-q))**2"])
def test_what_is_of_exponentials_alone_has_a_primitive(text):
    q = sp.Symbol("q", real=True)
    f = sp.sympify(text, {"q": q})
    found = _exponential(f, q)
    assert float(sp.diff(found, q).subs(q, 0.3)) == pytest.approx(float(f.subs(q, 0.3)))


def test_a_forgotten_force_is_told_where_the_force_is_what_lacks():
    """And not of any other slip."""
    quantities = Quantities(System("x", T="m*x'**2/2", V="k*x**2/2", Q=["F - c*x'"]))
    m, k, x = (next(s for s in quantities.right["L"].free_symbols if s.name == n) for n in ("m", "k", "x"))
    a = quantities.names.velocity("x", 2)
    assert _of_an_equation(quantities, "x", m * a + k * x, "en") != ""
    assert _of_an_equation(quantities, "x", m * a + 3 * k * x, "en") == ""
