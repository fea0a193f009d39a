"""Classics that are not in the book, each solved end to end."""

import pytest
import sympy as sp

from dalembert import analytic as an

# ---- Kepler ------------------------------------------------------------------------------------------------------


def kepler_plane() -> an.System:
    return an.System("x y", L="m*(x_d**2+y_d**2)/2 + k/sqrt(x**2+y**2)", momenta="px py")


def test_kepler_integrals_are_found_with_the_runge_lenz_vector():
    found = an.search_first_integrals(kepler_plane(), 2, coordinate_degree=1)
    n = kepler_plane().names
    lenz = n.read("m*y_d*(x*y_d - y*x_d) - k*x/sqrt(x**2+y**2)")
    assert any(an.equal(f, lenz) for f in found)
    assert len(an.independent(found, kepler_plane())) == 3  # 2n - 1


def test_runge_lenz_vector_comes_from_a_velocity_dependent_symmetry():
    s = kepler_plane()
    symmetry = an.symmetry_of(s, "m*y_d*(x*y_d - y*x_d) - k*x/sqrt(x**2+y**2)")
    assert any(e.has(*s.names.v) for e in symmetry.shifts.values())  # no point symmetry


def test_runge_lenz_closes_with_the_angular_momentum():
    r = "sqrt(x**2+y**2)"
    closure = an.poisson_closure(
        {"Ax": f"py*(x*py - y*px)/m - k*x/{r}", "L": "x*py - y*px"}, f"(px**2+py**2)/(2*m) - k/{r}", "x y", "px py"
    )
    assert closure.independent == 3
    assert closure.closed
    n = an.Names()
    assert an.equal(closure.integrals["[Ax,L]"], -n.read(f"-px*(x*py - y*px)/m - k*y/{r}"))


@pytest.mark.slow
def test_kepler_by_hamilton_jacobi_has_one_frequency_and_bohr_energies():
    s = an.System(
        "r theta phi", H="(pr**2 + ptheta**2/r**2 + pphi**2/(r**2*sin(theta)**2))/(2*m) - k/r", momenta="pr ptheta pphi"
    )
    view = s.hamilton_jacobi()
    assert view.separable
    result = an.action_angle(view, angles="phi")
    J = sum(sp.Symbol(f"J_{c}", positive=True) for c in ("r", "theta", "phi"))
    m, k = s.names.symbol("m"), s.names.symbol("k")
    assert an.equal(result.energy, -m * k**2 / (2 * J**2))
    assert len({str(f) for f in result.frequencies.values()}) == 1


def test_kepler_orbit_by_jacobi_is_a_conic():
    s = an.System("r phi", H="(pr**2 + pphi**2/r**2)/(2*m) - k/r", momenta="pr pphi", positive="L")
    view = s.hamilton_jacobi(constants={"phi": "L"})
    n = s.names
    orbit = view.jacobi["L"]  # phi - arc(r) = beta
    arc = orbit - n.symbol("phi")
    r = sp.Symbol("r", positive=True)
    e = n.read("sqrt(1 + 2*E*L**2/(m*k**2))")
    conic = n.read("L**2/(m*k)") / r - 1
    slope = sp.diff(sp.asin(conic / e), r)
    ranges = {"E": (-0.3, -0.1), "k": (1, 1.2), "m": (1, 1.1), "L": (0.9, 1), "r": (0.8, 1.5)}
    assert an.equal(sp.diff(arc, n.symbol("r")) ** 2, slope.subs(r, n.symbol("r")) ** 2, ranges=ranges, signs=["s"])


# ---- Toda --------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_toda_lattice_of_three_has_a_cubic_integral_in_involution():
    s = an.System("q1 q2 q3", L="(q1_d**2+q2_d**2+q3_d**2)/2 - exp(q1-q2) - exp(q2-q3)", momenta="p1 p2 p3")
    found = an.search_first_integrals(s, 3, coordinate_degree=0)
    chosen = an.independent(found, s)
    assert len(chosen) == 3
    assert any(sp.Poly(f, *s.names.v).total_degree() == 3 for f in chosen)
    view = s.hamilton()
    to_momenta = {s.names.velocity(f"q{i}"): s.names.symbol(f"p{i}") for i in (1, 2, 3)}
    for i, f in enumerate(chosen):
        for g in chosen[:i]:
            assert an.is_zero(an.poisson_bracket(f.subs(to_momenta), g.subs(to_momenta), view.q, view.p))
    assert not s.hamilton_jacobi().separable  # not in these coordinates


# ---- Kovalevskaya ------------------------------------------------------------------------------------------------


def kovalevskaya(ratio: str) -> an.System:
    """A heavy top with A = B = ratio*C whose centre of mass lies in the equatorial plane of its inertia."""
    top = an.RigidBody(0, ["0", "0", "0"], an.euler_rotation("phi", "theta", "psi"), [f"{ratio}*C", f"{ratio}*C", "C"])
    return an.System("phi theta psi", bodies=[top], V="mu*sin(theta)*sin(psi)", positive="C mu")


W1, W2 = "(phi_d*sin(theta)*sin(psi) + theta_d*cos(psi))", "(phi_d*sin(theta)*cos(psi) - theta_d*sin(psi))"
KOVALEVSKAYA = f"({W1}**2 - {W2}**2 - mu/C*sin(theta)*sin(psi))**2 + (2*{W1}*{W2} - mu/C*sin(theta)*cos(psi))**2"


@pytest.mark.slow
def test_kovalevskaya_integral_holds_for_her_top_only():
    n = an.Names(["phi", "theta", "psi"], positive=["C", "mu"])
    top = kovalevskaya("2").lagrange()
    assert top.is_first_integral(top.momenta["phi"])
    assert top.is_first_integral(n.read(KOVALEVSKAYA))
    assert not kovalevskaya("3").lagrange().is_first_integral(n.read(KOVALEVSKAYA))


# ---- Hénon-Heiles ------------------------------------------------------------------------------------------------

HENON = "(px**2+py**2)/2 + (x**2+y**2)/2 + x**2*y {sign} y**3/3"


def test_henon_heiles_does_not_separate_and_has_no_second_quadratic_integral():
    s = an.System("x y", H=HENON.format(sign="-"), momenta="px py")
    view = s.hamilton_jacobi()
    assert not view.separable
    assert view.certificate.failures["x", "y"].values is not None
    found = an.search_first_integrals(s, 2, coordinate_degree=3)
    assert len(found) == 1  # the energy alone


def test_the_integrable_sister_of_henon_heiles_separates_after_a_rotation():
    s = an.System("x y", H=HENON.format(sign="+"), momenta="px py")
    assert not s.hamilton_jacobi().separable
    assert len(an.search_first_integrals(s, 2, coordinate_degree=3)) == 2
    turned = an.change_coordinates(s.lagrangian, {"x": "(u-v)/sqrt(2)", "y": "(u+v)/sqrt(2)"}, "u v")
    view = an.System("u v", L=turned.L, momenta="pu pv").hamilton_jacobi()
    assert view.separable
    assert not view.slopes["u"].has(view.names.symbol("v"))


# ---- Neumann -----------------------------------------------------------------------------------------------------

SPHERE = {"x": "sin(theta)*cos(phi)", "y": "sin(theta)*sin(phi)", "z": "cos(theta)"}


def neumann() -> an.System:
    point = an.Particle(1, list(SPHERE.values()))
    return an.System(
        "theta phi",
        particles=[point],
        V="(a*x2 + b*y2 + c*z2)/2".replace("x2", f"({SPHERE['x']})**2")
        .replace("y2", f"({SPHERE['y']})**2")
        .replace("z2", f"({SPHERE['z']})**2"),
    )


@pytest.mark.slow
def test_neumann_system_has_uhlenbecks_integrals():
    s = neumann()
    n, motion = s.names, s.lagrange()
    r = [n.read(e) for e in SPHERE.values()]
    v = [n.derivative(e) for e in r]
    a = [n.symbol(x) for x in "abc"]
    F = []
    for i in range(3):
        F.append(r[i] ** 2 + sum((r[i] * v[j] - r[j] * v[i]) ** 2 / (a[i] - a[j]) for j in range(3) if j != i))
        assert motion.is_first_integral(F[i])
    assert an.equal(sum(F), 1)
    assert an.equal(sum(x * f for x, f in zip(a, F)) / 2, motion.energy)


@pytest.mark.slow
def test_neumann_system_separates_in_sphero_conical_coordinates_only():
    assert not neumann().hamilton_jacobi().separable
    # x_i^2 = prod_k (u_k - a_i)/prod_j (a_j - a_i); T = sum (u_k - u_l) u_k'^2/(-8 A(u_k)), V = (a + b + c - u - v)/2
    A = "(({0}-a)*({0}-b)*({0}-c))"
    T = f"-(u-v)*u_d**2/(8*{A.format('u')}) - (v-u)*v_d**2/(8*{A.format('v')})"
    chart = an.Chart(
        "u v",
        [
            f"sqrt((u-{p})*(v-{p})/((({q})-({p}))*(({r})-({p}))))"
            for p, q, r in (("a", "b", "c"), ("b", "c", "a"), ("c", "a", "b"))
        ],
    )
    ranges = {"a": (1.0, 1.2), "b": (2.0, 2.2), "c": (3.0, 3.2), "u": (1.3, 1.9), "v": (2.3, 2.9)}
    n = chart.names
    assert an.equal(sp.diff(n.read(T), n.velocity("u"), 2), chart.metric[0, 0], ranges=ranges)
    assert an.equal(chart.metric[0, 1], 0, ranges=ranges)
    view = an.System("u v", T=T, V="(a+b+c-u-v)/2", momenta="pu pv", real="u v").hamilton_jacobi()
    assert view.separable
    assert set(view.slopes) == {"u", "v"}
    assert not view.slopes["v"].has(view.names.symbol("u"))
