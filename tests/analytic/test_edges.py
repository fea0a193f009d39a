"""At their edges the functions answer rightly or refuse with a sentence: each fault that was met, then its class."""

import random

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import quad, solve_ivp
from scipy.optimize import minimize_scalar

from dalembert import analytic as an
from dalembert.errors import DalembertError, ExpressionError, ModelError, SingularError

t = sp.Symbol("t")


# -- Legendre
@pytest.mark.parametrize(
    "f", ["sqrt(1 + x**2)", "x**2/2 + x**4/4", "x**4/4", "cosh(x)", "exp(x) + x**2", "-sqrt(1 - x**2)"]
)
def test_legendre_is_the_largest_height_of_the_line_over_the_graph(f):
    try:
        made = an.legendre(f, convention="mechanics")
    except SingularError:
        assert f == "exp(x) + x**2"  # no elementary inverse of the slope: it says so
        return
    n = an.Names()
    graph = sp.lambdify(n.symbol("x"), n.read(f), "numpy")
    slope = sp.lambdify(n.symbol("x"), sp.diff(n.read(f), n.symbol("x")), "numpy")
    for x in (-0.9, -0.3, 0.2, 0.7):
        a = float(slope(x))
        bound = (-0.999999, 0.999999) if "1 - x" in f else (-9, 9)
        sup = -minimize_scalar(
            lambda u, a=a: graph(u) - a * u, bounds=bound, method="bounded", options={"xatol": 1e-12}
        ).fun
        value = complex(made.transform.subs(n.symbol("a"), a).evalf())
        assert value == pytest.approx(sup, rel=1e-9)


def test_legendre_refuses_corners_and_what_has_two_contacts():
    with pytest.raises(SingularError, match="corners"):
        an.legendre("abs(x)")
    with pytest.raises(SingularError, match="not one function"):
        an.legendre("x**3/3")
    with pytest.raises(ModelError, match="convention"):
        an.legendre("x**2", convention="other")


# -- actions
def test_only_bound_motions_have_actions():
    coulomb = an.System("r phi", H="(pr**2+pphi**2/r**2)/(2*m)+k/r", momenta="pr pphi", positive="m k r")
    with pytest.raises(ModelError, match="not bound"):
        an.action_angle(coulomb.hamilton_jacobi(), angles="phi")
    with pytest.raises(ModelError, match="not bound"):
        an.action_angle(an.System("q", H="p**2/(2*m) - m*w**2*q**2/2", positive="m w").hamilton_jacobi())
    free = an.System("q", H="p**2/(2*m)", positive="m").hamilton_jacobi()
    with pytest.raises(ModelError, match="angle"):
        an.action_angle(free)
    assert str(an.action_angle(free, angles="q").energy) == "J_q**2/(2*m)"  # a free rotor


def test_kepler_says_where_its_motion_is_bound():
    view = an.System("r phi", H="(pr**2+pphi**2/r**2)/2-k/r", momenta="pr pphi", positive="r").hamilton_jacobi()
    assert {str(e) for e in an.action_angle(view, angles="phi").where} == {
        "-2*E",
        "k",
        "2*E*alpha_phi**2 + k**2",
        "alpha_phi",
    }


@pytest.mark.parametrize("seed", range(3))
def test_random_oscillators_have_the_action_of_their_phase_curve(seed):
    draw = random.Random(seed)
    a, b, m = (draw.randint(1, 5) for _ in range(3))
    view = an.System("q", H=f"p**2/(2*{m}) + {a}*q**2/2 + {b}*q").hamilton_jacobi()
    action = float(an.action_angle(view).actions["q"].subs(view.energy, 7))
    edge = [float(r) for r in np.roots([a / 2, b, -7])]
    area, _ = quad(lambda q: np.sqrt(max(0.0, 2 * m * (7 - a * q * q / 2 - b * q))), min(edge), max(edge), limit=200)
    assert action == pytest.approx(area / np.pi, rel=1e-6)


# -- Hamilton-Jacobi with time -----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "H", ["p**2/2 + q**2/2 + t**2", "(1 + t**2)*(p**2/2 + q**2/2)", "exp(t)*p**2/2 + exp(t)*q + cos(t)"]
)
def test_time_in_a_factor_or_a_term_of_its_own_separates(H):
    view = an.System("q", H=H).hamilton_jacobi()
    assert view.separable
    S = view.S
    residual = sp.diff(S, view.names.time) + view.H.subs(view.y[0], sp.diff(S, view.x[0]))
    assert an.is_zero(residual, signs=view.signs)
    assert view.equation.has(sp.Derivative)


def test_time_that_does_not_separate_is_certified_by_the_equation_itself():
    view = an.System("q", H="p**2/2 + t*q**2/2").hamilton_jacobi()
    assert not view.separable
    assert "Levi-Civita" in str(view.certificate)


# -- canonical maps with time
def test_a_galilei_boost_brings_the_time_part_of_its_generator():
    K = an.standard_map("Galilei boost").transform("p**2/(2*m)")
    assert str(sp.expand(K)) == "P**2/(2*m) + m*v**2/2"


@pytest.mark.parametrize("seed", range(4))
def test_random_canonical_maps_with_time_carry_motions_into_motions(seed):
    draw = random.Random(seed)
    c, w = draw.randint(1, 3), draw.randint(1, 3)
    shift = draw.choice(["t**2", "sin(t)", f"{c}*t"])
    Q = f"q*cos({w}*t) + (p + {shift})*sin({w}*t)"
    P = f"-q*sin({w}*t) + (p + {shift})*cos({w}*t)"
    made = an.CanonicalMap("q", "p", "Q", "P", new={"Q": Q, "P": P})
    assert made.canonicity()
    H = f"p**2/2 + {c}*q**4/4"
    K = made.transform(H)
    n = made.names
    x, y, X, Y = (n.symbol(s) for s in "qpQP")
    rates = [sp.diff(K, Y), -sp.diff(K, X)]
    back = {n.symbol(k): v for k, v in made.new.items()}
    h = n.read(H)
    for image, rate in zip((made.new["Q"], made.new["P"]), rates):
        along = sp.diff(image, n.time) + sp.diff(image, x) * sp.diff(h, y) - sp.diff(image, y) * sp.diff(h, x)
        assert an.is_zero(along - rate.subs(back, simultaneous=True))


def test_a_map_with_time_that_is_not_canonical_has_no_new_hamiltonian():
    with pytest.raises(ModelError, match="not canonical"):
        an.CanonicalMap("q", "p", "Q", "P", new={"Q": "q*exp(t)", "P": "p"}).transform("p**2/2")


# -- fields, energies, frames
def test_a_charge_in_polar_coordinates_moves_as_in_cartesian_ones():
    A = ["-B*y/2", "B*x/2"]
    plane = an.System("x y", particles=[an.Particle("m", ["x", "y"])], field=an.ElectromagneticField("q", "0", A))
    turned = [a.replace("x", "(r*cos(th))").replace("y", "(r*sin(th))") for a in A]
    polar = an.System(
        "r th",
        particles=[an.Particle("m", ["r*cos(th)", "r*sin(th)"])],
        field=an.ElectromagneticField("q", "0", turned),
    )
    values = {"B": 1.3, "m": 0.7, "q": 0.9}
    r, th, dr, dth = 1.2, 0.4, 0.3, -0.8
    x, y = r * np.cos(th), r * np.sin(th)
    vx, vy = dr * np.cos(th) - y * dth, dr * np.sin(th) + x * dth
    number = lambda e, at: float(e.subs({s: (values | at)[s.name] for s in e.free_symbols}))
    ax, ay = (number(plane.lagrange().accelerations[c], {"x": x, "y": y, "x'": vx, "y'": vy}) for c in "xy")
    at = {"r": r, "th": th, "r'": dr, "th'": dth}
    ar, ath = (number(polar.lagrange().accelerations[c], at) for c in ("r", "th"))
    assert ar == pytest.approx(ax * np.cos(th) + ay * np.sin(th) + r * dth**2)
    assert r * ath + 2 * dr * dth == pytest.approx(-ax * np.sin(th) + ay * np.cos(th))
    with pytest.raises(ModelError, match="not Cartesian"):
        an.System("r th", T="m*(r_d**2+r**2*th_d**2)/2", field=an.ElectromagneticField("q", "0", ["0", "B"]))
    with pytest.raises(ModelError, match="components"):
        an.System("x y", T="m*(x_d**2+y_d**2)/2", field=an.ElectromagneticField("q", "0", ["0", "B*x", "0"]))


def test_the_force_of_potentials_is_lorentz_force():
    A, phi = ["y*z*t", "x**2", "sin(x)*y"], "x*y + z**2*t"
    s = an.System(
        "x y z", particles=[an.Particle("m", ["x", "y", "z"])], field=an.ElectromagneticField("q", phi, A)
    ).lagrange()
    force = an.fields_of(phi, A).force("q")
    for c, f in zip("xyz", force):
        assert an.equal(s.names.symbol("m") * s.accelerations[c], s.names.read(f))


def test_what_l_does_not_tell_is_not_called_energy():
    relativistic = an.System("x", L="-m*c**2*sqrt(1-x_d**2/c**2) - k*x**2/2", positive="m c").hamilton().energy
    assert relativistic.H_is_energy is None
    assert relativistic.H_conserved
    turned = an.System("x y", L="m*((x_d-W*y)**2+(y_d+W*x)**2)/2").hamilton().energy
    assert turned.H_is_energy is None
    by_points = ["x*cos(W*t)-y*sin(W*t)", "x*sin(W*t)+y*cos(W*t)"]
    assert an.System("x y", particles=[an.Particle("m", by_points)]).hamilton().energy.H_is_energy is False


def test_weight_as_a_force_is_a_potential_force():
    s = an.System("x y", particles=[an.Particle("m", ["x", "y"], ["0", "-m*g"])])
    assert an.equal(s.hamilton().H, an.System("x y", H="(px**2+py**2)/(2*m)+m*g*y", momenta="px py").H_given)
    assert s.hamilton().energy.H_is_energy
    assert s.hamilton_jacobi().separable
    assert "energy" in s.lagrange().first_integrals()
    drag = an.System("x", particles=[an.Particle("m", ["x"], ["-c*x_d"])])
    assert "energy" not in drag.lagrange().first_integrals()
    with pytest.raises(ModelError, match="dissipative"):
        drag.hamilton_jacobi()


# -- first integrals
def test_energy_is_conserved_under_constraints_that_rest_and_not_under_moving_ones():
    ring = an.System(
        "x y", particles=[an.Particle("m", ["x", "y"])], gravity=["0", "-g"], constraints=["x**2+y**2-l**2"]
    )
    view = ring.lagrange()
    assert view.is_first_integral(view.first_integrals()["energy"])
    assert view.is_first_integral("x").equal is False
    lifted = an.System(
        "x y", particles=[an.Particle("m", ["x", "y"])], gravity=["0", "-g"], constraints=["y - x**2 - t"]
    )
    assert "energy" not in lifted.lagrange().first_integrals()
    belt = an.System("x th", L="m*x_d**2/2 + I*th_d**2/2", rolling=["x_d == r*th_d + u"])
    assert "energy" not in belt.lagrange().first_integrals()
    assert (
        "energy"
        in an.System("x th", L="m*x_d**2/2 + I*th_d**2/2", rolling=["x_d == r*th_d"]).lagrange().first_integrals()
    )


def test_velocities_and_momenta_mean_the_same_in_both_views():
    s = an.System("x", L="m*x_d**2/2 - k*x**2/2")
    assert s.hamilton().is_first_integral("x_d").equal is False
    assert s.hamilton().is_first_integral("m*x_d**2/2 + k*x**2/2")
    assert s.lagrange().is_first_integral("p").equal is False
    assert s.lagrange().is_first_integral("p**2/(2*m) + k*x**2/2")
    for view in (s.lagrange(), s.hamilton()):
        with pytest.raises(ExpressionError, match="unknown_thing"):
            view.is_first_integral("unknown_thing*x")


# -- what is written
def test_functions_of_time_are_coordinates():
    th = sp.Function("th")(t)
    written = an.System("th", L="Derivative(th(t), t)**2/2 - cos(th(t))").lagrange().equations
    given = an.System("th", L=sp.diff(th, t) ** 2 / 2 - sp.cos(th)).lagrange().equations
    assert written == given == an.System("th", L="th_d**2/2 - cos(th)").lagrange().equations
    with pytest.raises(ExpressionError, match="th is a function of t alone"):
        an.System("th", L="th(s)**2")


def test_equations_may_be_written_as_equations():
    bound = an.System("x y", L="m*(x_d**2+y_d**2)/2 - m*g*y", constraints=["x == y"]).lagrange().accelerations
    assert [str(a) for a in bound.values()] == ["-g/2", "-g/2"]
    rolled = an.System("x th", L="m*x_d**2/2 + I*th_d**2/2", rolling=["x_d == r*th_d"]).lagrange()
    assert an.check("m*x_dd*r + I*th_dd", 0, names=rolled.names).verdict == "wrong"
    with pytest.raises(ModelError, match="no equation"):
        an.System("x y", L="x_d**2+y_d**2", constraints=["x >= y"])


@pytest.mark.parametrize("f", ["ypp**2", "y*ypp + yp**2", "yp**2/2 + ypp**2/2 - y**4 + x*ypp*y"])
def test_higher_slopes_enter_eulers_equation(f):
    made = an.Functional(f, "y")
    x, eps = sp.Symbol("x", real=True), sp.Symbol("eps")
    curve, bump = sp.sin(2 * x) + x**3, x**4 * (1 - x) ** 4
    n = made.names

    def put(e, y):
        return e.subs({n.velocity("y", k): sp.diff(y, x, k) for k in range(4, 0, -1)} | {n.symbol("y"): y, n.time: x})

    varied = sp.diff(put(made.f, curve + eps * bump), eps).subs(eps, 0)
    difference = sp.lambdify(x, varied + put(made.euler[0], curve) * bump)
    assert quad(difference, 0, 1)[0] == pytest.approx(0, abs=1e-9)


def test_nothing_is_zero_because_it_was_not_understood():
    for make in (lambda: an.System("u", L="ut**2/2 - ux**2/2"), lambda: an.Functional("ut**2 - ux**2", "u")):
        with pytest.raises(ModelError, match="FieldDensity"):
            make()
    with pytest.raises(ModelError, match="acceleration"):
        an.System("x", L="x*x_dd")
    with pytest.raises(ModelError, match="holds them already"):
        an.System("x", L="x_d**2", U="x*x_d")


def test_an_elliptic_chart_is_written_with_real_functions():
    chart = an.Chart("xi eta", ["a*cosh(xi)*cos(eta)", "a*sinh(xi)*sin(eta)"])
    for e in (chart.kinetic_energy(), *chart.velocity, *chart.acceleration):
        assert not e.has(sp.I)
    n = chart.names
    assert an.equal(chart.kinetic_energy(), n.read("m*a**2*(sinh(xi)**2 + sin(eta)**2)*(xi_d**2 + eta_d**2)/2"))


@pytest.mark.parametrize(
    "f", ["1/cos(x)**2", "1/sin(2*x)**2", "1/cosh(x)**2", "1/sinh(3*x)**2", "1/cos(x)", "tan(x)**2"]
)
def test_secants_have_primitives(f):
    n = an.Names()
    found = an.antiderivative(n.read(f), n.symbol("x"))
    assert not found.has(sp.Integral)
    value = sp.lambdify(n.symbol("x"), found)
    assert quad(sp.lambdify(n.symbol("x"), n.read(f)), 0.2, 0.7)[0] == pytest.approx(value(0.7) - value(0.2))


def test_a_lagrangian_with_a_fast_motion_still_conserves_what_it_says():
    """The first integrals of a random system are those of its motion, by numbers."""
    s = an.System("r th", L="m*(r_d**2 + r**2*th_d**2)/2 - k*r**2/2 + B*r**2*th_d/2", positive="m k")
    view = s.lagrange()
    names = [n.name for n in (*s.names.q, *s.names.v)]
    numbers = {"m": 1.3, "k": 0.8, "B": 0.5}
    a = [
        sp.lambdify([s.names.symbol(c) for c in names], view.accelerations[c].subs(s.names.numbers(numbers)))
        for c in ("r", "th")
    ]
    run = solve_ivp(lambda _, y: [y[2], y[3], a[0](*y), a[1](*y)], (0, 5), [1, 0.2, 0.1, 0.9], rtol=1e-11, atol=1e-12)
    for e in view.first_integrals().values():
        f = sp.lambdify([s.names.symbol(c) for c in names], e.subs(s.names.numbers(numbers)))
        assert np.ptp([f(*y) for y in run.y.T]) < 1e-8


@pytest.mark.parametrize(
    "call",
    [
        lambda: an.normal_modes(an.System("x", L="x_d**2"), {"z": 1}),
        lambda: an.numeric_equilibrium(an.System("x", V="x**2"), {}, {}),
        lambda: an.Chart("x y", ["x"]).inverse_metric,
        lambda: an.generate("q*P", 7, "q"),
        lambda: an.CanonicalMap("q", "p", "Q", "P", new={"Q": "q"}).canonicity(),
        lambda: an.equilibria("x**2"),
        lambda: an.nature_of_equilibrium("x**2", ["x"]),
        lambda: an.brachistochrone(-1, 0),
        lambda: an.System("x", L="x_d**2").hamilton().phase_curves("y y"),
        lambda: an.System("x y", L="x_d**2+y_d**2").lagrange().quadrature(),
        lambda: an.similarity("x + x**2", "x"),
        lambda: an.helmholtz(["x_dd"], "x y"),
        lambda: an.frobenius(["1", "2"], "x y z"),
        lambda: an.standard_map("none"),
        lambda: an.System("", L="x"),
    ],
    ids=range(15),
)
def test_bad_input_gets_a_sentence(call):
    with pytest.raises(DalembertError, match=r"\w+ \w+ \w+"):
        call()


@pytest.mark.parametrize("V", ["-x**2/2", "-3*x**4", "cos(x)", "-x**2/2 + x**4/4", "-abs(x)**3"])
def test_nothing_swings_about_the_top_of_a_hill(V):
    """The period was 2 pi sqrt(-m)."""
    with pytest.raises(ModelError, match="top of a hill"):
        an.period(V, "x", "A")


def test_a_counter_example_that_six_digits_do_not_show_tells_the_distance():
    """Both sides were printed as 1.37755e+12; they are 1/(2 x) apart."""
    report = an.check("sqrt(1 + x**2) == x", positive=["x"], ranges={"x": (1e8, 1e9)})
    apart = float(str(report).split("apart by ")[1])
    assert abs(abs(apart) * 2 * report.at["x"] - 1) < 1e-5
    near = an.check("sin(x) == x - x**3/6 + x**5/120", ranges={"x": (0, "1e-6")})
    assert not near
    assert str(near).endswith("apart beyond their thirtieth digit")
