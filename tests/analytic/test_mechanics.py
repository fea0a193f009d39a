"""Independent mechanics agree on random systems; constraints, canonical maps, inverse problem, symmetries, pictures."""

import math
import random

import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from dalembert import analytic as an
from dalembert.errors import ModelError


def random_system(seed: int) -> an.System:
    """Two particles on random smooth curves and surfaces of two coordinates, with weight, springs and drag."""
    draw = random.Random(seed)
    shapes = ["{0}", "l*sin({0})", "l*cos({0})", "{0}**2/l", "l*{0}*{1}", "{0} + {1}"]

    def place() -> list[str]:
        return [draw.choice(shapes).format(*draw.sample(["u", "v"], 2)) for _ in range(2)]

    return an.System(
        "u v",
        particles=[an.Particle("m1", ["u", place()[1]]), an.Particle("m2", [place()[0], "v"])],
        gravity=["0", "-g"],
        V=draw.choice(["0", "k*u**2/2", "k*(u-v)**2/2"]),
        D=draw.choice(["0", "c*u_d**2/2"]),
    )


@pytest.mark.slow
@given(st.integers(0, 300))
@settings(max_examples=4, deadline=None)
def test_newton_dalembert_lagrange_and_hamilton_agree_on_random_systems(seed):
    s = random_system(seed)
    reference = s.lagrange().accelerations
    for view in (s.newton(), s.dalembert(), s.hamilton()):
        for c, a in view.accelerations.items():
            assert an.equal(a, reference[c]), (type(view).__name__, c)


def test_multipliers_and_elimination_give_the_same_motion():
    bound = an.System(
        "x y", particles=[an.Particle("m", ["x", "y"])], gravity=["0", "-g"], constraints=["y - x**2/(2*l)"]
    ).lagrange()
    free = an.System("x", particles=[an.Particle("m", ["x", "x**2/(2*l)"])], gravity=["0", "-g"]).lagrange()
    n = bound.names
    on = {n.symbol("y"): n.read("x**2/(2*l)"), n.velocity("y"): n.read("x*x_d/l")}
    assert an.equal(bound.accelerations["x"].subs(on), free.accelerations["x"])


def test_a_rolling_disc_keeps_its_spins_and_is_not_holonomic():
    rows = [["1", "0", "-r*sin(phi)", "0"], ["0", "1", "r*cos(phi)", "0"]]
    disc = an.System("x y theta phi", L="m*(x_d**2+y_d**2)/2 + I*theta_d**2/2 + J*phi_d**2/2", rolling=rows).lagrange()
    assert disc.accelerations["theta"] == disc.accelerations["phi"] == 0
    assert an.check("m*r*theta_d*phi_d*cos(phi)", disc.multipliers["lam1"], names=disc.names)


def test_a_released_coordinate_yields_the_reaction_of_newton():
    ring = an.System(
        "r a", released={"r": "R"}, particles=[an.Particle("m", ["r*cos(a)", "r*sin(a)"])], gravity=["0", "-g"]
    )
    fixed = an.System("a", particles=[an.Particle("m", ["R*cos(a)", "R*sin(a)"])], gravity=["0", "-g"])
    assert an.equal(ring.lagrange().reactions["r"], fixed.newton().reaction(1, ("cos(a)", "sin(a)")))
    assert an.equal(ring.dalembert().reactions["r"], ring.lagrange().reactions["r"])


@given(st.integers(0, 200))
@settings(max_examples=10, deadline=None)
def test_the_four_tests_of_canonicity_agree(seed):
    draw = random.Random(seed)
    entries = [draw.randint(-2, 2) for _ in range(4)]
    curve = draw.choice(["0", "p**2", "sin(p)"])
    new = {"Q": f"{entries[0]}*q + {entries[1]}*p + {curve}", "P": f"{entries[2]}*q + {entries[3]}*p"}
    verdict = an.CanonicalMap("q", "p", "Q", "P", new=new).canonicity()
    assert verdict.agree
    if curve == "0":
        determinant = entries[0] * entries[3] - entries[1] * entries[2]
        assert bool(verdict) == (determinant == 1)
        if determinant not in (0, 1):
            assert verdict.valence == determinant


@pytest.mark.parametrize("kind", [1, 2, 3, 4])
def test_a_generator_of_any_type_gives_back_itself(kind):
    old, new = ("q", "p")[kind > 2], ("Q", "P")[kind % 2 == 0]
    F = f"{old}*{new} + a*{old}**2/2 + b*{new}**3/3"
    made = an.generate(F, kind, "q").map
    assert made.canonicity()
    found = an.generator_of(made, kind)
    n = made.names
    for v in (old, new):
        assert an.is_zero(sp.diff(n.read(F) - found, n.symbol(v)))


def test_generators_that_cannot_exist_are_refused():
    identity = an.standard_map("identity")
    for kind, word in ((1, "not independent"), (4, "not independent")):
        with pytest.raises(ModelError, match=word):
            an.generator_of(identity, kind)
    with pytest.raises(ModelError, match="may not contain P"):
        an.generate("q*P", 1, "q")
    with pytest.raises(ModelError, match="not exact"):
        an.generator_of(an.CanonicalMap("q", "p", "Q", "P", new={"Q": "2*q", "P": "p"}), 2)


@pytest.mark.parametrize(
    "name", ["identity", "exchange", "translation", "phase rotation", "Galilei boost", "scaling", "oscillator"]
)
def test_standard_maps_are_canonical(name):
    assert an.standard_map(name).canonicity()


@pytest.mark.parametrize(
    "L",
    [
        "m*x_d**2/2 - V(x)",
        "m*x_d**2/2 + x*y_d*B + m*y_d**2/2 - k*x*y",
        "exp(2*c*t)*(x_d**2 + y_d**2)/2",
        "x**2*x_d**2/2 + y_d**2*x/2",
    ],
)
def test_the_inverse_problem_gives_back_an_equivalent_lagrangian(L):
    s = an.System("x y" if "y" in L else "x", L=L)
    equations = an.euler_lagrange(s.lagrangian, s.names)
    assert an.helmholtz(equations, s.coordinates)
    if "V(" in L:
        return
    found = an.lagrangian_for(equations, s.coordinates)
    assert all(an.is_zero(a - b) for a, b in zip(an.euler_lagrange(found.L, s.names), equations))


@pytest.mark.slow
def test_polar_newton_equations_need_a_matrix_multiplier():
    found = an.lagrangian_for(["rho_dd - rho*th_d**2 + k/rho**2", "rho*th_dd + 2*rho_d*th_d"], "rho th")
    n = an.Names(["rho", "th"])
    motion = an.System("rho th", L=found.L).lagrange().accelerations
    assert an.check("rho*th_d**2 - k/rho**2", motion["rho"], names=n)
    assert an.check("-2*rho_d*th_d/rho", motion["th"], names=n)


def test_equations_without_a_lagrangian_are_refused():
    with pytest.raises(ModelError, match="no Lagrangian was found"):
        an.lagrangian_for(["x_dd + y", "y_dd + x_d"], "x y")


def test_prescribed_functions_are_not_constants_in_a_gauge_term():
    n = an.Names(["q"], given=["X"])
    left, gauge = an.strip_gauge("m*q_d**2/2 + m*X_d**2/2 + X*q_d + X_d*q", (), names=n)
    assert an.equal(left, n.read("m*q_d**2/2"))
    X = sp.Function("X", real=True)(n.time)
    assert gauge.has(sp.Integral)
    assert an.equal(gauge - n.read("X*q"), sp.Integral(n.symbol("m") * sp.diff(X, n.time) ** 2 / 2, n.time))


def test_noether_refuses_what_is_no_symmetry():
    s = an.System("x", L="m*x_d**2/2 - k*x**2/2")
    with pytest.raises(ModelError, match="not a symmetry"):
        an.noether(s, {"x": 1})
    with pytest.raises(ModelError, match="not coordinates"):
        an.noether(s, {"y": 1})
    assert an.equal(an.noether(s, {}, 1).integral, -s.lagrange().energy)


def test_time_dependent_symmetries_of_the_oscillator_are_found_with_kernels():
    s = an.System("x", L="x_d**2/2 - x**2/2")
    found = an.search_symmetries(s, 0, time_degree=0, kernels=["sin(t)", "cos(t)"])
    assert {str(f.shifts["x"]) for f in found} >= {"sin(t)", "cos(t)"}
    for f in found:
        assert s.lagrange().is_first_integral(f.integral)


def test_equilibria_and_their_nature():
    found = an.equilibria(an.System("x", V="a*(x**2-b**2)**2", positive="a b"))
    assert sorted(e.nature.kind for e in found) == ["stable", "stable", "unstable"]
    hung = an.System(
        "theta",
        particles=[an.Particle("m", ["l*sin(theta)", "-l*cos(theta)"])],
        gravity=["0", "-g"],
        V="-f*l*sin(theta)",
    )
    at = an.numeric_equilibrium(hung, {"m": 1.0, "g": 9.81, "l": 1.0, "f": 3.0}, {"theta": 0.1})
    assert at["theta"] == pytest.approx(math.atan(3 / 9.81))


def test_closed_motions_start_where_they_should():
    for L, Q in (("m*x_d**2/2 - m*g*x", None), ("m*x_d**2/2 - k*x**2/2", None), ("m*x_d**2/2 - m*g*x", ["-c*x_d"])):
        s = an.System("x", L=L, Q=Q)
        x = an.closed_motion(s.lagrange())["x"]
        n = s.names
        assert an.equal(x.subs(n.time, 0), n.symbol("x0"))
        assert an.equal(sp.diff(x, n.time).subs(n.time, 0), n.symbol("xd0"))
    with pytest.raises(ModelError, match="not linear"):
        an.closed_motion(an.System("x", L="x_d**2/2 + cos(x)").lagrange())


def test_the_action_grows_at_the_rate_of_the_lagrangian():
    """dS/dt = L along a motion, for the complete integral of the projectile."""
    s = an.System("x y", H="(px**2+py**2)/(2*m) + m*g*y", momenta="px py")
    view = s.hamilton_jacobi()
    n = s.names
    field = view.velocity_field()
    rate = sp.diff(view.S, n.time) + sum(sp.diff(view.S, n.symbol(c)) * v for c, v in field.items())
    L = s.lagrangian.subs({n.velocity(c): v for c, v in field.items()}, simultaneous=True)
    assert an.equal(rate, L, signs=["s"])


def test_actions_by_quadrature_match_the_closed_form():
    s = an.System("q", H="p**2/(2*m) + m*w**2*q**2/2")
    view = s.hamilton_jacobi()
    value = an.numeric_action(view, "q", {"m": 1.3, "w": 0.7, "E": 2.0})
    assert value == pytest.approx(2.0 / 0.7, rel=1e-9)


@pytest.mark.parametrize(
    ("H", "momenta"),
    [
        ("2/(m*(xi+eta))*(xi*pxi**2+eta*peta**2)+pphi**2/(2*m*xi*eta)-2*k/(xi+eta)+F*(xi-eta)/2", "pxi peta pphi"),
        ("(pr**2 + pphi**2/r**2)/(2*m) + a(r) + b(phi)/r**2", "pr pphi"),
    ],
    ids=["Stark effect in parabolic coordinates", "dipole-like potential in polar coordinates"],
)
def test_separable_systems_are_separated(H, momenta):
    coordinates = [p[1:] for p in momenta.split()]
    view = an.System(coordinates, H=H, momenta=momenta).hamilton_jacobi()
    assert view.separable
    slopes = {b: view.slopes[a.name] for a, b in zip(view.x, view.y)}
    assert an.equal(view.H.subs(slopes, simultaneous=True), view.energy, signs=view.signs)
    for c in coordinates:
        assert not any(view.slopes[c].has(view.names.symbol(d)) for d in coordinates if d != c)


def test_flows_keep_volume_and_portraits_are_drawn(tmp_path):
    s = an.System("q", H="p**2/2 - cos(q)")
    assert an.flow_determinant(s, {"q": 0.3, "p": 0.9}, 2.0, {}) == pytest.approx(1, abs=1e-6)
    motion = an.integrate(s, {"q": 0.3, "p": 0.9}, (0, 10), {})
    assert motion.energy_drift < 1e-7
    axes = an.phase_portrait(s, {}, (-4, 4), (-3, 3))
    axes.figure.savefig(tmp_path / "portrait.png")
    assert (tmp_path / "portrait.png").stat().st_size > 5000
    with pytest.raises(ModelError, match="give numbers for k"):
        an.integrate(an.System("q", H="p**2/2 + k*q**2/2"), {"q": 1, "p": 0}, (0, 1), {})


@pytest.mark.parametrize("size", ["1e-9", "1", "1e8"])
def test_numbers_of_phase_space_do_not_depend_on_the_unit_of_length(size):
    """Pendulum, shifted well and gradients with lengths in other units: the answers scale, or stay."""
    s = float(size)
    pendulum = an.System("q", H=f"p**2/2 - ({size})**2*cos(q/({size}))")
    assert an.flow_determinant(pendulum, {"q": 0.3 * s, "p": 0.9 * s}, 2.0, {}) == pytest.approx(1, abs=1e-6)
    motion = an.integrate(pendulum, {"q": 0.3 * s, "p": 0.9 * s}, (0, 5), {})
    assert motion.energy_drift < 1e-8 * s**2
    well = an.System("q", H=f"p**2/2 + (q - 30*({size}))**2/2").hamilton_jacobi()
    assert an.numeric_action(well, "q", {"E": 2.0 * s**2}) == pytest.approx(2.0 * s**2, rel=1e-9)
    x, y = sp.symbols("x y")
    functions = [s * sp.sin(x / s) + y, s * sp.cos(y / s), s * sp.sin(x / s) + y + 2 * s * sp.cos(y / s)]
    assert an.rank_of([sp.nsimplify(f, rational=True) for f in functions], [x, y]) == 2
    assert an.rank_of([sp.Rational(size) ** 2 * sp.sin(x), sp.exp(y)], [x, y]) == 2
    assert an.rank_of([sp.sin(x + y), sp.exp(x + y) / sp.Rational(size)], [x, y]) == 1
