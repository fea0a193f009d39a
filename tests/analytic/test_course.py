"""Routh, wells and orbits, moving frames, conjugate points, principal functions; Dirac, fields, chaos."""

import math

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from scipy.special import ellipk

from dalembert import analytic as an
from dalembert.errors import ModelError


# -- Routh
def test_the_reduced_system_moves_as_the_whole_one():
    s = an.System("r phi z", L="m*(r_d**2 + r**2*phi_d**2 + z_d**2)/2 + b*r*phi_d - k*(r**2 + z**2)/2", positive="m r")
    made = an.routhian(s)
    assert set(made.constants) == {"phi"}
    full, n = s.lagrange(), s.names
    speed = {n.velocity("phi"): made.velocities["phi"]}
    for c, a in made.reduced.lagrange().accelerations.items():
        assert an.equal(n.read(a), full.accelerations[c].subs(speed))


def test_a_conical_pendulum_is_a_relative_rest():
    ball = an.System("th phi", L="m*l**2*(th_d**2 + sin(th)**2*phi_d**2)/2 + m*g*l*cos(th)", positive="m l g")
    made = an.routhian(ball, momenta={"phi": "J"})
    n = ball.names
    th, J = n.symbol("th"), n.symbol("J")
    slope = sp.diff(made.effective_potential, th)
    speed = made.velocities["phi"]
    values = n.numbers({"m": 1.2, "l": 0.7, "g": 9.8})
    angle = 0.6
    momentum = sp.nsolve(slope.subs(values).subs(th, angle), J, 0.5)
    rate = float(speed.subs(values).subs({th: angle, J: momentum}))
    assert rate**2 == pytest.approx(9.8 / (0.7 * math.cos(angle)))


def test_a_legendre_transform_in_all_coordinates_is_the_hamiltonian():
    s = an.System("x y", L="m*(x_d**2 + x_d*y_d + y_d**2)/2 + b*x*y_d - k*x*y")
    assert an.equal(an.partial_legendre(s, "x y")[0], s.hamilton().H)
    with pytest.raises(ModelError, match="not cyclic"):
        an.routhian(s, "x")


# -- wells and orbits
@pytest.mark.parametrize("height", [-0.9, 0.0, 0.8])
def test_a_pendulum_has_the_period_of_the_elliptic_integral(height):
    swing = an.well(an.System("th", L="l**2*th_d**2/2 + g*l*cos(th)"), {"l": 1, "g": 1}, (-3.3, 3.3))
    (region,) = [r for r in swing.regions(height) if r.bound]
    assert region.period == pytest.approx(4 * ellipk(math.sin(region.high / 2) ** 2), rel=1e-8)
    assert region.high == pytest.approx(math.acos(-height))


def test_a_double_well_has_two_regions_and_a_turning_point_at_rest_takes_for_ever():
    double = an.well(an.System("x", L="x_d**2/2 + x**2 - x**4"), {}, (-3, 3))
    low = double.regions(-0.1)
    assert len(low) == 2
    assert low[0].period == pytest.approx(low[1].period, rel=1e-8)
    assert len(double.regions(0.3)) == 1
    hill = an.well(an.System("x", L="x_d**2/2 - cos(x)"), {}, (-1, 7))
    assert [r.bound for r in hill.regions(2.0)] == [False]
    for box in ((-3, 3), (-3.001, 2.9)):  # the rest at 0 on a point of the grid, and between two
        separatrix = an.well(an.System("x", L="x_d**2/2 + x**2 - x**4"), {}, box)
        assert all(r.period is None for r in separatrix.regions(0.0))


@pytest.mark.parametrize("h", [0.0, 0.05, -0.1])
def test_an_orbit_with_an_inverse_cube_precesses_as_newton_says(h):
    """Newton's theorem of revolving orbits: phi = 2 pi/sqrt(1 + 2 m h/J^2) for V = -k/r + h/r^2."""
    s = an.System("r phi", L="m*(r_d**2 + r**2*phi_d**2)/2 + k/r - h/r**2", positive="m r")
    orbit = an.central_orbit(s, {"m": 1, "k": 1, "h": h}, -0.3, 1.0, (0.02, 20))
    assert orbit.angle == pytest.approx(2 * math.pi / math.sqrt(1 + 2 * h), rel=1e-8)


def test_an_oscillator_closes_after_two_radial_periods():
    s = an.System("r phi", L="(r_d**2 + r**2*phi_d**2)/2 - r**2/2", positive="r")
    orbit = an.central_orbit(s, {}, 2.0, 1.0, (0.02, 20))
    assert (orbit.angle, orbit.period) == pytest.approx((math.pi, math.pi))
    with pytest.raises(ModelError, match="no bound motion"):
        an.central_orbit(s, {}, 0.5, 1.0, (0.02, 20))


# -- frames
def test_the_forces_of_a_turning_frame_are_those_that_lagrange_finds():
    turned = ["x*cos(a) - y*sin(a) + X", "x*sin(a) + y*cos(a)", "z"]
    lab = an.System("x y z", given="a X", particles=[an.Particle("m", turned)]).lagrange()
    push = ["X''*cos(a)", "-X''*sin(a)", "0"]
    forces = an.fictitious_forces(["0", "0", "a'"], push, given="a X")
    n = lab.names
    for c, f in zip("xyz", forces.total):
        assert an.equal(n.symbol("m") * lab.accelerations[c], n.read(f))
    with pytest.raises(ModelError, match="not on the place"):
        an.fictitious_forces(["0", "0", "x"])


# -- conditions and conjugate points
def test_dido_encloses_the_most_with_a_circle():
    dido = an.isoperimetric("y", ["sqrt(1 + yp**2)"], "y", multipliers=["mu"])
    n = dido.names
    circle, x = sp.sqrt(4 - n.time**2), n.time
    at = {n.velocity("y", 2): sp.diff(circle, x, 2), n.velocity("y"): sp.diff(circle, x), n.symbol("y"): circle}
    assert an.is_zero(dido.euler[0].subs(at).subs(n.symbol("mu"), -2), ranges={"x": (-1.9, 1.9)})


def test_a_great_circle_is_shortest_until_the_antipode():
    sphere = an.Functional("sqrt(thp**2 + sin(th)**2)", "th", "ph")
    assert an.second_variation(sphere, "pi/2", (0, 3.1)).conjugate is None
    assert an.second_variation(sphere, "pi/2", (0, 3.3)).conjugate == pytest.approx(math.pi)
    with pytest.raises(ModelError, match="no extremal"):
        an.second_variation(sphere, "ph", (0, 1))
    hump = an.Functional("-yp**2", "y")
    assert "Legendre" in an.second_variation(hump, "x", (0, 1)).verdict


# -- principal function
@pytest.mark.parametrize("L", ["m*x_d**2/2 - m*w**2*x**2/2", "m*x_d**2/2 - m*g*x"])
def test_the_principal_function_solves_hamilton_and_jacobi(L):
    made = an.principal_function(an.System("x", L=L, positive="m w g"))
    assert made.solves
    if "w" in L:
        n = an.System("x", L=L, positive="m w g").names
        known = n.read("m*w*((x**2 + x0**2)*cos(w*t) - 2*x*x0)/(2*sin(w*t))")
        assert an.equal(n.read(made.S), known)


# -- Dirac
def test_a_charge_without_mass_moves_along_the_levels_of_the_potential():
    made = an.dirac_bergmann(an.System("x y", L="B*(x*y_d - y*x_d)/2 - k*x**2*y"))
    equations = an.System("x y", L="B*(x*y_d - y*x_d)/2 - k*x**2*y").lagrange().equations
    n = made.names
    put = {n.velocity(c): made.rate(c) for c in "xy"}
    assert all(an.is_zero(e.subs(put)) for e in equations)
    assert (made.second_class, made.degrees_of_freedom) == (2, 1)


def test_a_gauge_freedom_is_first_class_and_a_contradiction_is_told():
    gauge = an.dirac_bergmann(an.System("x y", L="(x_d - y)**2/2"))
    assert (gauge.first_class, gauge.second_class, gauge.degrees_of_freedom) == (2, 0, 0)
    assert gauge.free == ("u",)
    pendulum = an.dirac_bergmann(an.System("x y l", L="m*(x_d**2 + y_d**2)/2 - l*(y - c*x)", positive="m"))
    assert (pendulum.second_class, pendulum.degrees_of_freedom) == (4, 1)
    with pytest.raises(ModelError, match="contradict"):
        an.dirac_bergmann(an.System("x y", L="y_d**2/2 + x"))
    regular = an.dirac_bergmann(an.System("x", L="m*x_d**2/2 - k*x**2/2"))
    assert regular.constraints == ()
    assert str(regular.bracket("x", "p")) == "1"


# -- fields
def test_fields_have_their_wave_equations_and_conserve_energy():
    beam = an.FieldDensity("mu*u_t**2/2 - EI*u_xx**2/2")
    assert an.equal(beam.equations["u"], beam.names.read("-EI*u_xxxx - mu*u_tt"))
    membrane = an.FieldDensity("u_t**2/2 - c**2*(u_x**2 + u_y**2)/2 - u**4", "u", "t x y")
    assert an.equal(membrane.equations["u"], membrane.names.read("c**2*(u_xx + u_yy) - u_tt - 4*u**3"))
    for along in "txy":
        assert membrane.conserved(membrane.energy_current(along))
    assert not membrane.conserved({"t": membrane.names.read("u_t**2"), "x": sp.Integer(0), "y": sp.Integer(0)})


def test_two_fields_that_turn_into_each_other_conserve_a_charge():
    pair = an.FieldDensity("(a_t**2 + b_t**2 - a_x**2 - b_x**2)/2 - (a**2 + b**2)**2", "a b", "t x")
    current = pair.noether_current({"a": "b", "b": "-a"})
    assert current.conserved
    assert str(current.components["t"]) == "-a*b_t + a_t*b"
    with pytest.raises(ModelError, match="no symmetry"):
        pair.noether_current({"a": "1"})


# -- chaos
HENON = "(px**2 + py**2)/2 + (x**2 + y**2)/2 + x**2*y - y**3/3"


def test_sections_of_henon_and_heiles_keep_the_energy_and_the_plane():
    s = an.System("x y", H=HENON, momenta="px py")
    start = {"x": 0.0, "px": 0.35, "y": 0.1, "py": 0.05}
    points = an.poincare_section(s, {}, start, through="x", time=60)
    assert len(points) > 7
    assert max(abs(x) for x in points.states["x"]) < 1e-9
    assert points.energy_drift < 1e-8


@pytest.mark.slow
def test_exponents_come_in_pairs_and_tell_order_from_chaos():
    s = an.System("x y", H=HENON, momenta="px py")
    regular = an.lyapunov(s, {}, {"x": 0.0, "px": 0.25, "y": 0.05, "py": 0.0}, time=150, step=5)
    wild = an.lyapunov(s, {}, {"x": 0.0, "px": 0.5, "y": -0.15, "py": 0.24}, time=150, step=5)
    for found in (regular, wild):
        assert sum(found.exponents) == pytest.approx(0, abs=1e-7)  # Liouville
        assert found.exponents[0] == pytest.approx(-found.exponents[3], abs=2e-2)
    assert wild.largest > 2 * regular.largest


def test_a_saddle_has_its_rate_as_exponent_by_another_road():
    s = an.System("q", H="p**2/2 + q**4/4 - q**2/2")
    found = an.lyapunov(s, {}, {"q": 0.0, "p": 0.0}, time=100, step=5)
    run = solve_ivp(lambda _, y: [y[1], y[0] - y[0] ** 3], (0, 12), [1e-12, 1e-12], rtol=1e-12, atol=1e-30)
    growth = np.log(run.y[0, -1] / 1e-12) / 12
    assert found.largest == pytest.approx(growth, abs=5e-3)


def test_currents_of_coupled_fields_are_judged_on_the_motions_of_all_of_them():
    """A charged field (u and v are its parts) and Schroedinger's: the equation of one holds the slope of the other."""
    charged = an.FieldDensity("u_t*v_t - u_x*v_x - M**2*u*v", "u v", "t x").noether_current({"u": "u", "v": "-v"})
    assert charged.conserved
    wave = an.FieldDensity("(u*v_t - v*u_t)/2 - (u_x**2 + v_x**2)/2 - V*(u**2 + v**2)/2", "u v", "t x")
    assert wave.noether_current({"u": "v", "v": "-u"}).conserved
    assert wave.conserved(wave.energy_current())
    assert not wave.conserved({"t": wave.names.read("u"), "x": wave.names.read("v_x")})
    with pytest.raises(ModelError, match="do not determine"):
        an.FieldDensity("u_x**2/2", "u", "t x").conserved({"t": sp.Integer(0), "x": sp.Symbol("u_x", real=True)})


def test_a_place_where_the_coordinates_fail_is_not_called_a_saddle():
    """A spring pendulum in polar coordinates: r = 0 solves the conditions at an angle that means nothing there."""
    L = "m*(r_d**2 + r**2*th_d**2)/2 + m*g*r*cos(th) - k*(r - l)**2/2"
    found = an.equilibria(an.System("r th", L=L, positive="m g k l"))
    at_pivot = [e for e in found if e.at["r"] == 0]
    assert at_pivot
    assert all(e.nature.kind == "singular" and "in others" in str(e) for e in at_pivot)
    hanging = an.equilibria(an.System("th phi", L="th_d**2 + sin(th)**2*phi_d**2 + 2*cos(th)"))
    assert {str(e.at["th"]): e.nature.kind for e in hanging} == {"0": "neutral", "pi": "unstable"}


def test_several_results_are_told_one_to_a_line():
    found = an.search_symmetries(an.System("x", L="m*x_d**2/2 - a/x**2", positive="x"), time_degree=2)
    assert len(found) == 3
    assert "Steps(" not in str(found)
    assert str(an.works(an.System("q", particles=[an.Particle("m", ["q"], ["F"])]))).count("\n") == 1
