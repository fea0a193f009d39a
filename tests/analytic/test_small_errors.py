"""Formulas of analytical mechanics that a small error would break unseen: gauge terms, modes elsewhere, periods."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import quad

from dalembert import analytic as an
from dalembert.analytic import System, numeric_modes
from dalembert.analytic.motions.period import period
from dalembert.analytic.symmetries.noether import noether
from dalembert.analytic.variations.brachistochrone import brachistochrone
from dalembert.errors import ModelError


@pytest.mark.parametrize(
    ("lagrangian", "shift"),
    [("m*x_d**2/2", "t"), ("m*x_d**2/2 - m*g*x", "1"), ("m*x_d**2/2 - m*g*x", "t"), ("m*x_d**2/2 - k*x*t", "1")],
)
def test_what_a_symmetry_conserves_is_constant_along_the_motion(lagrangian: str, shift: str) -> None:
    """With a gauge term or without: dI/dt vanishes where Lagrange's equation holds."""
    system = System("x", L=lagrangian)
    n = system.names
    found = noether(system, {"x": shift})
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
