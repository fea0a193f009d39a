"""Small errors that nobody had seen, answered by statements of mechanics: units, drives, estimates, stops."""

from __future__ import annotations

import random

import matplotlib as mpl
import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert import analytic as an
from dalembert import expr as ex
from dalembert.analytic.formulas.claims import _descend
from dalembert.analytic.formulas.quadrature import _exponential
from dalembert.dynamics import dynamics_of
from dalembert.geometry import Geometry, constrained, integrals
from dalembert.identify.fit import Together
from dalembert.kinematics.plane import plane_of
from dalembert.mechanism import Displacement, Joint, Layout, Plane, Sphere, Step, turn
from dalembert.mechanism.welded import rigid_groups
from dalembert.view import locus_of
from dalembert.view.paint import _grid
from dalembert.view.scene import scene_of
from linkages import four_bar

mpl.use("Agg")


# --- constraints ----------------------------------------------------------------------------------------------------


def held_by(joint: Joint) -> da.Mechanism:
    """A body that slides and turns in a plane, and a joint that closes a loop with it."""
    m = da.Mechanism("held")
    body = m.body("b", mass=1, inertia=[1, 1, 1])
    m.join(da.earth, body, da.planar("z"), name="tree")
    m.join(da.earth.at([0.1, 0.2, 0]), body.at([0.3, -0.1, 0]), joint, name="cut")
    return m


X = ex.symbol("x")
DRIVEN = {
    "a slide that time shifts": [Displacement.of([X + ex.sin(2 * ex.TIME), 0, 0])],
    "a slide, then a turn by time": [Displacement.of([X, 0, 0]), Displacement.of([0, 0, 0], turn(ex.TIME**2 / 3, "z"))],
    "a slide that a turn follows": [Displacement.of([X, 0, 0]), Displacement.of([0, 0, 0], turn(ex.sin(X), "z"))],
    "a shifted hinge that time turns": [Displacement.of([ex.cos(ex.TIME), 0, 0], turn(X + ex.TIME, "z"))],
}


@pytest.mark.parametrize("kind", DRIVEN)
def test_a_cut_link_follows_its_body_and_what_it_asks_is_the_rate_of_its_condition(kind):
    """Posture and speeds of the body follow from those of the joint by hand, in complex numbers of the plane."""
    m = held_by(Joint(("x",), tuple(Step(one) for one in DRIVEN[kind])))
    about = dynamics_of(Layout.of(m, ["cut"]))
    rows, rng = about.rows, np.random.default_rng(3)
    x, rate, t, h = *rng.uniform(0.3, 1, 3), 1e-5

    def body(dt: float) -> np.ndarray:
        """x, y and angle of the body's frame at t + dt."""
        values = {X: x + rate * dt, ex.TIME: t + dt}
        place, angle = 0.1 + 0.2j, 0.0
        for one in DRIVEN[kind]:
            told = ex.evaluate([*one.translation, *(a.angle for a in one.turns)], values)
            place, angle = place + np.exp(1j * angle) * complex(*map(float, told[:2])), angle + float(sum(told[3:]))
        place -= np.exp(1j * angle) * (0.3 - 0.1j)
        return np.array([place.real, place.imag, angle])

    q, u = body(0), (8 * (body(h) - body(-h)) - (body(2 * h) - body(-2 * h))) / (12 * h)
    values = {ex.symbol("cut.x"): x, ex.TIME: t}
    values |= dict(zip(about.tree.coordinates, q, strict=True))
    values |= dict(zip(about.speeds, u, strict=True))
    np.testing.assert_allclose(np.array(ex.evaluate([*rows.gap, *rows.conditions], values), float), 0, atol=1e-9)
    (own,) = rows.own
    assert float(ex.evaluate([own.rate], values)[0]) == pytest.approx(rate, abs=1e-9)
    moving = {ex.TIME: ex.ONE, **about.tree.rates, own.coordinate: own.rate}
    gamma, asked = (
        np.array(ex.evaluate(list(e), values), float) for e in (rows.gamma, ex.tangent(list(rows.conditions), moving))
    )
    np.testing.assert_allclose(gamma, -asked, atol=1e-10)


@pytest.mark.parametrize("seed", range(6))
def test_bodies_that_links_without_motion_join_are_one_group(seed):
    rng, m = random.Random(seed), da.Mechanism("welds")
    bodies = [da.earth, *(m.body(f"b{k}", mass=1) for k in range(7))]
    sets = [{k} for k in range(8)]
    for k in range(1, 8):
        other, welded = rng.randrange(k), rng.random() < 0.6
        ends = (bodies[other], bodies[k]) if rng.random() < 0.5 else (bodies[k], bodies[other])
        m.join(*ends, da.weld() if welded else da.revolute("z"), name=f"j{k}")
        if welded:
            one, two = (next(s for s in sets if i in s) for i in (other, k))
            sets = [s for s in sets if s is not one and s is not two] + [one | two]
    found = rigid_groups(m.freeze())
    together = [{k for k, b in enumerate(bodies) if found[b.name] == name} for name in set(found.values())]
    assert sorted(map(sorted, together)) == sorted(map(sorted, sets))
    assert found["earth"] == "earth"


@pytest.mark.parametrize("axis", ["x", "y", "z", [1, 2, 0], [0, -3, 1]])
def test_the_normal_of_a_plane_points_to_growing_coordinates_whichever_way_its_hinge_turns(axis):
    def normal(way):
        m = da.Mechanism("m")
        m.join(da.earth, m.body("b", mass=1), da.revolute(way), name="j")
        return [float(x) for x in ex.evaluate(list(plane_of(m.layout()).normal), {})]

    other = f"-{axis}" if isinstance(axis, str) else [-x for x in axis]
    assert normal(axis) == normal(other)
    assert next(x for x in normal(axis) if x) > 0


# --- estimates ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("share", "rows"), [(0.5, 20), (0.2, 12), (0.9, 200)])
def test_of_one_value_the_law_of_all_is_that_of_satterthwaite(share, rows):
    """Two noises: 1/freedom = sum of share^2/freedom of each, and no scale."""
    shares = [np.array([[share]]), np.array([[1 - share]])]
    found = Together.of(shares, rows, 1)
    assert found.scale == pytest.approx(1)
    assert 1 / found.freedom == pytest.approx(sum(c**2 / (rows - c) for c in (share, 1 - share)))
    assert Together.of([np.eye(3)], rows, 3) == Together(1.0, rows - 3)


# --- analytic -------------------------------------------------------------------------------------------------------


def test_only_who_forgot_the_force_is_told_so():
    free = an.System("x", T="m*x_d**2/2", V="k*x**2/2", Q={"x": "F - c*x_d"}, positive="m k c")
    said = {
        line: an.mark(free, [line]).first_wrong.reason
        for line in ("m*x_dd + k*x = 0", "m*x_dd + 2*k*x = F - c*x_d", "m*x_dd - k*x = F - c*x_d")
    }
    forgot = [line for line, reason in said.items() if "force" in reason]
    assert forgot == ["m*x_dd + k*x = 0"], said


@pytest.mark.parametrize("wrap", [sp.sin, sp.exp, lambda e: sp.sqrt(1 + sp.cos(e)), lambda e: sp.atan(sp.log(e))])
def test_the_smallest_part_that_is_wrong_is_named(wrap):
    a, b = sp.symbols("a b")
    assert _descend(wrap(sp.sin(a)), wrap(sp.sin(b))) == "a should be b"
    assert _descend(wrap(a + b), wrap(a * b)) == "a + b should be a*b"


@pytest.mark.parametrize("f", ["exp(2*q)/(1 + exp(2*q))", "exp(q)*(1 + exp(q))**2", "1/(exp(q) + exp(-q))"])
def test_integrals_of_exponentials_have_their_slope(f):
    q = sp.Symbol("q", real=True)
    f = sp.sympify(f, {"q": q})
    found = _exponential(f, q)
    for value in (-0.7, 0.4, 1.1):
        assert complex(sp.diff(found, q).subs(q, value)) == pytest.approx(complex(f.subs(q, value)))


def test_the_energy_is_among_the_integrals_where_it_is_asked_for():
    g = Geometry(constrained("x", "x'^2/2 - k*x^2/2"))
    (energy,) = integrals(g, 1)
    ratio = energy.value / g.energy
    assert ex.free_symbols(ex.tidy(ratio)) == set()
    assert integrals(g, 1, energy=False) == []


# --- verbs ----------------------------------------------------------------------------------------------------------


def pendulum() -> da.Mechanism:
    m = da.Mechanism("pendulum")
    m.join(da.earth, m.body("rod", mass="m", centre=[0, 0, "-l"]), da.revolute("x"), name="pivot")
    m.gravity = [0, 0, "-g"]
    m.given = {"m": 1.0, "l": 0.5, "g": 9.81}
    m.start = {"pivot.th": 0.1}
    return m


@pytest.mark.parametrize(
    "words", [{"at": {"pivot.th": 0.1}}, {"given": {"m": 1}}, {"at": {"pivot.th": 0}, "given": {"m": 1}}]
)
def test_compile_takes_a_branch_only_with_independent_coordinates(words):
    with pytest.raises(da.ArgumentError, match="independent"):
        pendulum().compile(**words)


def test_an_unknown_word_is_refused_with_those_that_are_taken():
    with pytest.raises(da.ArgumentError, match=r"`simulate` takes no 'strat'.*start"):
        pendulum().simulate((0, 1), strat={})
    with pytest.raises(da.ArgumentError, match=r"takes no 'zzzzzz'. It takes .*given"):
        pendulum().linearize(zzzzzz=1)


@pytest.mark.parametrize("bounds", [(None, None), (0.2, None), (None, 2.0), (0.2, 2.0), (None, 0.3), (0.8, None)])
def test_bounds_of_an_optimum_may_have_one_end(bounds):
    """The angle from which a pendulum comes to -0.4 in half a second, or the bound that is nearest to it."""
    found = pendulum().optimize((0, 0.5), "(final(pivot.th) + 0.4)^2", {"pivot.th": bounds})
    low, high = (float("-inf" if k == 0 else "inf") if x is None else x for k, x in enumerate(bounds))
    assert low <= found.values["pivot.th"] <= high
    assert (found.value < 1e-9) == (low < 0.6 and high > 0.6)


# --- pictures -------------------------------------------------------------------------------------------------------


def test_a_root_locus_of_a_loop_is_that_of_its_linearization():
    m = four_bar((1, 3, 2.5), 3)
    m.given = {"k": 1.0}
    m.torque(m.bodies["a"], [0, 0, "-k*A.th"])
    at = {"A.th": 0.8}
    found = locus_of(m, "k", [1.0, 2.0], at=at)
    assert found.shape == (2, 2)
    expected = m.linearize(at, given={"k": 2.0}).eigenvalues()
    np.testing.assert_allclose(
        sorted(found[1], key=lambda z: (z.real, z.imag)), sorted(expected, key=lambda z: (z.real, z.imag)), atol=1e-9
    )


def test_the_grid_of_a_floor_has_as_many_lines_each_way_and_they_lie_in_it():
    m = da.Mechanism("ball")
    ball = m.body("ball", mass=1)
    m.join(da.earth, ball, da.free(), name="j")
    m.contact(Sphere(ball, 0.2), Plane(da.earth), name="floor")
    m.gravity = [0, 0, -9.81]
    m.start = {"j.z": 1.0}
    lines = _grid(scene_of(m), np.zeros(3))
    ways = [np.abs(b - a) / np.linalg.norm(b - a) for a, b in lines]
    counts = [sum(np.allclose(w, e) for w in ways) for e in np.eye(3)]
    assert counts[0] == counts[1] > 2
    assert counts[2] == 0
