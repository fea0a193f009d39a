"""Motions from given starts: Jacobi's constants, new canonical variables, and claims along a motion."""

from __future__ import annotations

import math
import random

import pytest
import sympy as sp
from scipy.integrate import solve_ivp

from dalembert import analytic as an
from dalembert.errors import ExpressionError, ModelError


def numbers(motion, values):
    """q(t), p(t) as functions of time at numeric values of all names."""
    return {
        name: sp.lambdify(
            sp.Symbol("t", real=True), e.subs({s: values[s.name] for s in e.free_symbols if s.name != "t"})
        )
        for name, e in motion.items()
    }


def by_integration(H, q, p, values, start, t):
    """The same motion by SciPy from text differentiated here: no formula of the package takes part."""
    own = {name: sp.Symbol(name) for name in (*q, *p, *values)}
    h = sp.sympify(H, locals=own).subs({own[k]: v for k, v in values.items()})
    state = [own[x] for x in (*q, *p)]
    rates = sp.lambdify([state], [*(sp.diff(h, own[x]) for x in p), *(-sp.diff(h, own[x]) for x in q)])
    return solve_ivp(lambda _, y: rates(y), (0, t), start, rtol=1e-11, atol=1e-12).y[:, -1]


CASES = {
    "oscillator": ("p**2/(2*m) + m*w**2*q**2/2", "q", "p", {"m": 1.3, "w": 0.7}),
    "hill": ("p**2/(2*m) - k*q**2/2", "q", "p", {"m": 1.1, "k": 0.4}),
    "fall": ("p**2/(2*m) - m*g*q", "q", "p", {"m": 1.1, "g": 0.6}),
    "thrown": ("(px**2 + py**2)/(2*m) + m*g*y", "x y", "px py", {"m": 1.1, "g": 0.6}),
    "two springs": ("(px**2 + py**2)/2 + x**2/2 + 2*y**2", "x y", "px py", {}),
    "magnet": ("(px**2 + (py - e*B*x)**2)/(2*m)", "x y", "px py", {"m": 0.8, "e": 1.2, "B": 0.9}),
    "relativity": ("c*sqrt(m**2*c**2 + p**2) - F*q", "q", "p", {"m": 0.8, "c": 1.7, "F": 0.9}),
}


@pytest.mark.parametrize("name", CASES)
def test_jacobis_constants_from_a_start_give_its_motion(name):
    """In every quadrant: the momenta take both signs, and the time goes beyond the first turning point."""
    H, q, p, values = CASES[name]
    system = an.System(q, H=H, momenta=p, positive=[*values])
    labels = [*q.split(), *p.split()]
    motion = system.hamilton_jacobi().motion(start={x: f"{x}0" for x in labels})
    pick = random.Random(name)
    for _ in range(3):
        start = [pick.uniform(0.2, 1.5) * pick.choice((1, -1)) for _ in labels]
        at = numbers(motion, values | {f"{x}0": v for x, v in zip(labels, start)})
        end = by_integration(H, q.split(), p.split(), values, start, 5.0)
        for x, wanted in zip(labels, end):
            assert at[x](5.0) == pytest.approx(wanted, rel=1e-7, abs=1e-7), (name, x, start)


def test_a_magnetic_orbit_is_a_circle_beyond_its_turning_points():
    view = an.System("x y", H="(px**2 + (py - e*B*x)**2)/(2*m)", momenta="px py", positive="m e B").hamilton_jacobi()
    motion = view.motion()
    assert not any(e.has(sp.Abs) for e in motion.values())
    radius = (
        motion["x"] - sp.Symbol("alpha_y", real=True) / sp.Symbol("B", positive=True) / sp.Symbol("e", positive=True)
    ) ** 2
    radius += (motion["y"] - sp.Symbol("beta_y", real=True)) ** 2
    s = next(x for x in radius.free_symbols if x.name == "s")
    assert not sp.simplify(radius.subs(s, 1)).has(sp.Symbol("t", real=True))


def test_a_start_that_is_not_whole_or_has_no_closed_form_is_refused():
    view = an.System("q", H="p**2/2").hamilton_jacobi()
    with pytest.raises(ModelError, match="a value for each of q, p"):
        view.motion(start={"q": 1})
    kepler = an.System("r phi", H="(pr**2 + pphi**2/r**2)/2 - 1/r", momenta="pr pphi").hamilton_jacobi()
    with pytest.raises(ModelError, match="no closed form"):
        kepler.motion(start={"r": 1, "phi": 0, "pr": 0, "pphi": 1})


def test_a_formula_that_leaves_the_motion_at_its_turning_point_is_not_given():
    """A straight line in polar coordinates: phi by an arc sine is right until r is least, and not after it."""
    line = an.System("r phi", H="(pr**2 + pphi**2/r**2)/2", momenta="pr pphi", positive="r").hamilton_jacobi()
    with pytest.raises(ModelError, match="beyond a turning point"):
        line.motion(start={"r": "r0", "phi": 0, "pr": "a", "pphi": "J"})


def test_a_motion_is_solved_in_new_variables_and_carried_back():
    names = an.Names(positive=["P", "m", "w"])
    polar = {"q": "sqrt(2*P/(m*w))*sin(Q)", "p": "sqrt(2*m*w*P)*cos(Q)"}
    wave = an.CanonicalMap("q", "p", "Q", "P", old=polar, names=names)
    made = an.canonical_motion(wave, "p**2/(2*m) + m*w**2*q**2/2", start={"q": "q0", "p": "p0"})
    assert str(made.K) == "P*w"
    for q0, p0 in ((1, 2), (-1, 2), (1, -2), (-1, -2)):  # the angle in each quadrant
        at = numbers(made.old, {"m": 1.3, "w": 0.7, "q0": q0, "p0": p0})
        end = by_integration("p**2/(2*m) + m*w**2*q**2/2", ["q"], ["p"], {"m": 1.3, "w": 0.7}, [q0, p0], 4.0)
        assert [at["q"](4.0), at["p"](4.0)] == pytest.approx(end, rel=1e-8)


def test_new_variables_that_do_not_simplify_are_refused_with_the_reason():
    exchange = an.standard_map("exchange")
    with pytest.raises(ModelError, match="not linear"):
        an.canonical_motion(exchange, "p**2/2 + q**4")
    with pytest.raises(ModelError, match="value for each of q, p"):
        an.canonical_motion(exchange, "p**2/2 + q**2/2", start={"q": 1})


def test_a_claim_may_define_names_take_values_and_follow_a_motion():
    S = "m*(x - x0)**2/(2*t) + m*a*t*(x + x0)/2 - m*a**2*t**3/24"
    H = "p**2/(2*m) - m*a*x"
    assert an.check("Derivative(S, x) == p", where={"S": S, "p": "m*((x - x0)/t + a*t/2)"})
    assert an.check("Derivative(S, t) == -H", where={"S": S, "p": "m*((x - x0)/t + a*t/2)", "H": H})
    assert not an.check("Derivative(S, t) == H", where={"S": S, "p": "m*((x - x0)/t + a*t/2)", "H": H})
    pendulum = an.System("th", L="m*l**2*th_d**2/2 + m*g*l*cos(th)").lagrange()
    assert pendulum.check("th_dd == 0", at={"th": "pi"})
    assert not pendulum.check("th_dd == 0", at={"th": 1})
    assert pendulum.check("Derivative(L, th_d) == J*th_d", where={"J": "m*l**2"})
    fall = an.System("z", L="m*z_d**2/2 - m*g*z").lagrange()
    assert fall.check("h == m*g*h0", along={"z": "h0 - g*t**2/2"})
    with pytest.raises(ExpressionError, match="no value at x = 0"):
        an.check("1/x == 1/x", at={"x": 0})
    with pytest.raises(ExpressionError, match="holds S itself"):
        an.check("S == 1", where={"S": "S + 1"})
    with pytest.raises(ExpressionError, match="does not move"):
        an.check("x == 1", along={"x": "t"})
    assert str(an.formula("Derivative(f, x)", where={"f": "sin(k*x)"}, at={"x": 0})) == "k"


def test_a_motion_is_judged_by_its_equation_and_its_start():
    spring = an.System("q", L="m*q_d**2/2 - k*q**2/2", positive="m k").lagrange()
    good = {"q": "A*cos(sqrt(k/m)*t)"}
    assert an.check_motion(spring, good, {"q": "A", "q_d": 0})
    assert not an.check_motion(spring, good, {"q": "A", "q_d": 1})
    assert not an.check_motion(spring, {"q": "A*cos(2*sqrt(k/m)*t)"})
    with pytest.raises(ModelError, match="formula of t for each of q"):
        an.check_motion(spring, {"x": "t"})


def test_the_period_in_a_power_is_eulers_integral():
    """Landau and Lifshitz, Mechanics, paragraph 11, problem 2a, by quadrature."""
    from scipy.integrate import quad

    for n in (1, 3, 4, 6):
        exact = an.period(f"abs(x)**{n}" if n % 2 else f"x**{n}", "x", "b", inertia=1)
        value = float(exact.closed.subs(sp.Symbol("b", positive=True), 0.7))
        # 1 - v = u^2 takes the root off the end of int_0^1 dv/sqrt(2 (1 - v^n))
        inside = lambda u, n=n: math.sqrt(2) * u / math.sqrt(1 - (1 - u * u) ** n) if u else math.sqrt(2 / n)
        bulk = quad(inside, 1e-7, 1)[0]
        assert value == pytest.approx(4 * 0.7 ** (1 - n / 2) * bulk, rel=1e-6)
