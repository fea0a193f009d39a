"""Beyond the course: each verb against numbers, published series, or a derivation that shares no code with it."""

import math

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

from dalembert import analytic as an
from dalembert.errors import ModelError

HENON = an.System("x y", H="(px**2+py**2)/2 + (x**2+y**2)/2 + x**2*y - y**3/3", momenta="px py")


# -- averaging
def test_kapitza_holds_a_pendulum_upright_above_his_frequency():
    """A^2 w^2 > 2 g l (Kapitza 1951), and the full motion does what the average says."""
    place = ["l*sin(th)", "A*cos(w*t) - l*cos(th)"]
    shaken = an.System("th", particles=[an.Particle("m", place)], gravity=["0", "-g"], positive="l A w g")
    made = an.average_fast(shaken, "w")
    n = made.slow.names
    stiffness = sp.diff(n.read(made.potential), n.symbol("th"), 2).subs(n.symbol("th"), sp.pi)
    assert an.check("m*(A**2*w**2/2 - g*l)", stiffness, names=n)
    values = {"l": 1.0, "g": 9.81, "A": 0.1, "m": 1.0}
    a = shaken.lagrange().accelerations["th"]
    k = shaken.names
    for w, falls in ((60.0, False), (35.0, True)):
        rate = an.tidy(a).subs(k.numbers(values | {"w": w}))
        f = sp.lambdify([k.time, k.symbol("th")], rate)
        run = solve_ivp(lambda t, y, f=f: [y[1], f(t, y[0])], (0, 8), [math.pi - 0.1, 0.0], rtol=1e-8, atol=1e-10)
        assert (abs(run.y[0] - math.pi).max() > 1) == falls
    with pytest.raises(ModelError, match="no force depends on t"):
        an.average_fast(an.System("x", L="x_d**2/2"), "w")


# -- normal forms
def test_a_quartic_spring_has_the_series_of_its_action():
    """E = J + 3/2 e J^2 - 17/4 e^2 J^3 + 375/16 e^3 J^4 (Bender and Wu's classical limit)."""
    made = an.birkhoff(an.System("q", H="p**2/2 + q**2/2 + e*q**4"), 8)
    J, e = sp.Symbol("J_q", real=True), sp.Symbol("e", real=True)
    series = J + sp.Rational(3, 2) * e * J**2 - sp.Rational(17, 4) * e**2 * J**3 + sp.Rational(375, 16) * e**3 * J**4
    assert an.equal(made.energy, series)
    swing = an.birkhoff(an.System("q", H="p**2/2 - cos(q)"), 8)
    amplitude_action = 0.05
    energy = float((-1 + J - J**2 / 16 - J**3 / 256 - 5 * J**4 / 8192).subs(J, amplitude_action))
    assert float(swing.energy.subs(J, amplitude_action)) == pytest.approx(energy)
    well = an.well(an.System("q", L="q_d**2/2 + cos(q)"), {}, (-3, 3))
    (region,) = well.regions(energy)
    assert well.phase_volume(energy) == pytest.approx(2 * math.pi * amplitude_action, rel=1e-8)
    assert float(swing.frequency("q").subs(J, amplitude_action)) == pytest.approx(2 * math.pi / region.period, rel=1e-8)


def test_gustavson_finds_the_third_integral_of_henon_and_heiles():
    made = an.birkhoff(HENON, 6)
    n = HENON.names
    left = sp.Poly(
        an.poisson_bracket(made.integral, HENON.hamilton().H, "x y", "px py", n), *n.read_all("x y px py".split())
    )
    assert min(sum(m) for m, _ in left.terms()) == 7  # conserved up to the degree asked for
    assert made.resonant != 0
    with pytest.raises(ModelError, match="no stable oscillator"):
        an.birkhoff(an.System("q", H="p**2/2 + cos(q)"))


def test_a_lie_series_is_the_flow():
    cubic = an.lie_series("q", "p**2/2 + q**3", "q", "p", order=9)
    n = an.Names()
    value = cubic.subs({n.symbol("q"): 0.3, n.symbol("p"): 0.2, n.symbol("s"): 0.2})
    run = solve_ivp(lambda t, y: [y[1], -3 * y[0] ** 2], (0, 0.2), [0.3, 0.2], rtol=1e-12, atol=1e-14)
    assert float(value) == pytest.approx(run.y[0, -1], abs=1e-9)


def test_the_action_of_a_slowly_shortened_pendulum_is_kept():
    pendulum = an.System("th", H="p**2/(2*m*l**2) - m*g*l*(cos(th) - 1)", positive="m l g")
    drifts = []
    for speed, time in ((0.02, 25.0), (0.005, 100.0)):
        run = an.adiabatic(pendulum, {"l": f"1 - {speed}*t"}, {"m": 1, "g": 9.81}, {"th": 0.3, "p": 0.0}, time, (-3, 3))
        drifts.append(run.drift)
        assert run.energy_change == pytest.approx(math.sqrt(2) - 1, rel=0.03)  # E ~ sqrt(g/l) for small swings
    assert drifts[1] < drifts[0] / 2


def test_frequencies_follow_the_normal_form_and_wander_in_chaos():
    pair = an.System("x y", H="(px**2+py**2)/2 + x**2/2 + 3*y**2/2 + x**4/10", momenta="px py")
    found = an.frequencies(pair, {}, {"x": 0.6, "y": 0.3, "px": 0.0, "py": 0.0})
    well = an.well(an.System("x", L="x_d**2/2 - x**2/2 - x**4/10"), {}, (-2, 2))
    (region,) = well.regions(0.18 + 0.6**4 / 10)
    assert found.values["x"] == pytest.approx(2 * math.pi / region.period, rel=1e-6)
    assert found.regular
    assert not an.frequencies(HENON, {}, {"x": 0, "y": -0.1, "px": 0.49, "py": 0.1}).regular


# -- variational integrators
def test_a_variational_integrator_keeps_momenta_and_the_energy_bounded():
    kepler = an.System("x y", L="(x_d**2 + y_d**2)/2 + 1/sqrt(x**2 + y**2)", momenta="px py")
    start = {"x": 1.0, "y": 0.0, "px": 0.0, "py": 1.2}
    errors = []
    for step, steps in ((0.05, 400), (0.025, 800)):
        run = an.variational_integrator(kepler, {}, step, rule="trapezoid").run(start, steps)
        L = run.q["x"] * run.p["py"] - run.q["y"] * run.p["px"]
        assert np.ptp(L) < 1e-11
        errors.append(run.energy_error)
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.3)  # second order
    with pytest.raises(ModelError, match="independent coordinates"):
        an.variational_integrator(an.System("x", L="x_d**2/2", Q=["-x_d"]), {}, 0.1)


# -- groups
def test_euler_poincare_and_lie_poisson_are_one_motion():
    """w' = (B - C)/A wy wz both ways, and Lagrange's body by Euler angles obeys it."""
    body = an.rigid_body("A B C")
    so3 = {("wx", "wy"): "wz", ("wy", "wz"): "wx", ("wz", "wx"): "wy"}
    rates = an.euler_poincare("(A*wx**2 + B*wy**2 + C*wz**2)/2", "wx wy wz", so3, positive=["A", "B", "C"])
    n = body.names
    for axis, moment in zip("xyz", "ABC"):
        momentum = {n.symbol(f"m{a}"): n.symbol(i) * n.symbol(f"w{a}") for a, i in zip("xyz", "ABC")}
        assert an.equal(body.rates[f"m{axis}"].subs(momentum), n.symbol(moment) * n.read(rates[f"w{axis}"]))
    assert body.is_casimir("mx**2 + my**2 + mz**2")
    assert len(body.casimirs()) == 1
    with pytest.raises(ModelError, match="Jacobi"):
        an.LiePoisson("a b c", {("a", "b"): "a*c", ("b", "c"): "b**2"}, "a**2")


def test_the_middle_axis_tumbles_and_a_fast_top_sleeps():
    body = an.rigid_body([1, 2, 3], positive=["L"])
    assert [body.energy_casimir({m: "L"}).kind for m in ("mx", "my", "mz")] == ["stable", "unstable", "stable"]
    top = an.heavy_top(positive=["A", "C", "P"])
    verdict = top.energy_casimir({"mz": "L", "nz": 1}, integrals=["mz"])
    n = top.names
    condition = n.read("L**2 - 4*A*P")  # (C w)^2 > 4 A m g l
    assert an.equal(sp.numer(sp.together(verdict.second.det())), condition**2)
    numbers = an.heavy_top([1, 1, "1/2"], 1, positive=[])
    assert numbers.energy_casimir({"mz": 1, "nz": 1}, integrals=["mz"]).kind == "unstable"


def test_momentum_maps_close_or_say_what_is_missing():
    s = an.System("x y z", L="m*(x_d**2 + y_d**2 + z_d**2)/2 - m*g*z", positive="m")
    turns = {"Lx": ["0", "-z", "y"], "Ly": ["z", "0", "-x"], "Lz": ["-y", "x", "0"]}
    made = an.momentum_map(s, turns)
    assert made.conserved == {"Lx": False, "Ly": False, "Lz": True}
    assert made.structure["Lx", "Ly"] == {"Lz": 1}
    assert an.momentum_map(s, {"px": ["1", "0", "0"], "py": ["0", "1", "0"]}).commuting
    with pytest.raises(ModelError, match="do not close"):
        an.momentum_map(s, {"Lx": turns["Lx"], "Ly": turns["Ly"]})


# -- contact, vakonomic, Lax
def test_contact_mechanics_damps_as_rayleigh_does():
    damped = an.ContactSystem("x", "p**2/(2*m) + k*x**2/2 + c*S", momenta="p", positive=["m"])
    twin = an.System("x", L="m*x_d**2/2 - k*x**2/2", D="m*c*x_d**2/2", positive="m").lagrange()
    assert an.equal(twin.names.read(damped.accelerations["x"]), twin.accelerations["x"])
    assert an.equal(damped.rate(damped.H), -damped.names.symbol("c") * damped.H)
    assert damped.divergence == -2 * damped.names.symbol("c")


def test_a_skate_goes_two_ways_and_an_integrable_constraint_one():
    skate = an.System("x y th", L="(x_d**2 + y_d**2 + th_d**2)/2 + g*x", rolling=["x_d*sin(th) - y_d*cos(th)"])
    start = {"x": 0, "y": 0, "th": 0, "x_d": 0, "y_d": 0, "th_d": 1}
    t, newton, free = an.vakonomic(skate).motions({"g": 1.0}, start, 12.0)
    # d'Alembert: a cycloid that never falls, x = sin(t)^2/2; the vakonomic skate does (Arnold, Kozlov, Neishtadt 1.4)
    assert newton["x"] == pytest.approx(np.sin(t) ** 2 / 2, abs=1e-8)
    assert free["x"][-1] > 3
    rolling = an.System("x th", L="x_d**2/2 + th_d**2/2 + g*x", rolling=["x_d - th_d"])
    _, one, two = an.vakonomic(rolling).motions({"g": 1.0}, {"x": 0, "th": 0, "x_d": 1, "th_d": 1}, 2.0)
    assert one["x"] == pytest.approx(two["x"], abs=1e-8)
    with pytest.raises(ModelError, match=r"breaks .* = 0 by 1:"):
        an.vakonomic(rolling).motions({"g": 1.0}, {"x": 0, "th": 0, "x_d": 1, "th_d": 0}, 2.0)


@pytest.mark.parametrize("unit", [1e-12, 1.0, 1e12])
def test_a_skate_that_slips_is_told_in_any_unit_and_whichever_way_it_heads(unit):
    skate = an.vakonomic(an.System("x y th", L="(x_d**2 + y_d**2 + th_d**2)/2", rolling=["x_d*sin(th) - y_d*cos(th)"]))
    start = {"x": 3, "y": 2, "th": float(np.pi), "x_d": unit, "y_d": 0, "th_d": 0}  # sin(pi) is 1e-16 in numbers
    assert skate.motions({}, start, 1.0, points=3)[1]["x"][-1] == pytest.approx(3 + unit)
    with pytest.raises(ModelError, match="breaks"):
        skate.motions({}, start | {"y_d": 1e-6 * unit}, 1.0)


@pytest.mark.parametrize(
    ("H", "kind"),
    [
        ("exp(x - y) + exp(y - z)", "Toda chain"),
        pytest.param("g**2/(x - y)**2 + g**2/(y - z)**2 + g**2/(x - z)**2", "Calogero-Moser", marks=pytest.mark.slow),
    ],
)
def test_lax_pairs_give_three_integrals_in_involution(H, kind):
    s = an.System("x y z", H=f"(px**2 + py**2 + pz**2)/2 + {H}", momenta="px py pz", positive="g")
    pair = an.find_lax_pair(s)
    assert pair.kind == kind
    assert pair.independent == 3
    view = s.hamilton()
    for k in range(3):
        for other in (*pair.integrals[:k], view.H):
            assert an.is_zero(an.poisson_bracket(pair.integrals[k], other, view.q, view.p))


def test_no_lax_pair_is_invented():
    with pytest.raises(ModelError, match="says nothing about others"):
        an.find_lax_pair(HENON)
    verdict, _ = an.lax_pair(an.System("q", H="p**2/2 + q**4"), [["p", "q"], ["q", "-p"]], [["0", "1"], ["-1", "0"]])
    assert not verdict


# -- fields
def test_bars_and_beams_have_the_frequencies_of_the_tables():
    """Clamped beam 4.7300, 7.8532 (Euler); a string on an elastic bed has w^2 = (n pi)^2 + k; free ends have a zero."""
    beam = an.FieldDensity("mu*u_t**2/2 - EI*u_xx**2/2", "u", "t x")
    roots = np.sqrt(an.field_modes(beam, 2.0, {"mu": 1, "EI": 1}, ends="clamped", count=2).frequencies) * 2
    assert roots == pytest.approx([4.730041, 7.853205], abs=1e-5)
    bed = an.FieldDensity("u_t**2/2 - u_x**2/2 - k*u**2/2", "u", "t x")
    assert an.field_modes(bed, 1.0, {"k": 3.0}, count=1).frequencies[0] ** 2 == pytest.approx(math.pi**2 + 3)
    free = an.FieldDensity("u_t**2/2 - u_x**2/2", "u", "t x")
    assert an.field_modes(free, 1.0, ends="free", count=2).frequencies == pytest.approx([0, math.pi], abs=1e-5)
    with pytest.raises(ModelError, match="not a sum of squares"):
        an.field_modes(an.FieldDensity("u_t**2/2 - u_x**2/2 - u**4", "u", "t x"), 1.0)


@pytest.mark.parametrize(
    ("H", "degree"),
    [
        ("(px**2 + py**2)/2 + x**2/2 + y**2 + x**2*y", 6),  # incommensurate: 1 and sqrt(2)
        ("(px**2 + py**2)/2 + x**2/2 + 3*y**2/2 + a*x**2*y - y**3/3", 5),
        ("px**2 + py**2/4 + x**2/3 + y**2 + x*y**2 + px*x*y", 4),
    ],
)
def test_the_integral_of_a_normal_form_commutes_with_h_up_to_its_degree(H, degree):
    """{H, I} has no term up to the degree, by SymPy's own polynomials, which the algebra of waves does not use."""
    form = an.birkhoff(an.System("x y", H=H, momenta="px py"), degree)
    names = an.Names()
    bracket = an.poisson_bracket(H, form.integral, "x y", "px py", names)
    letters = [names.symbol(s) for s in ("x", "y", "px", "py")]
    low = [c for m, c in sp.Poly(sp.expand(bracket), *letters).terms() if sum(m) <= degree]
    assert all(sp.simplify(c) == 0 for c in low)
    assert not form.integral.has(sp.I)
