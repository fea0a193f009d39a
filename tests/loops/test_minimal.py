"""Minimal equations of closed machines: independent coordinates, formulas q = q(P), agreement with multipliers."""

import json
from dataclasses import replace

import numpy as np
import pytest
from closed_gallery import GALLERY, dyad_machine, four_bar, slider_crank
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert import expr as ex
from dalembert.errors import ModelError, SimulationError, SingularError
from dalembert.formalisms import formalism_names


def by_multipliers(eq, state, t=0.0):
    """Accelerations of the independent speeds by the equations with multipliers."""
    values = {**{k: float(v) for k, v in eq.given.items()}, **state}
    numbers = {ex.symbol(k): v for k, v in values.items()} | {ex.TIME: t}
    found = np.array(ex.evaluate(list(eq.closed.accelerations), numbers), dtype=float)
    return found[list(eq.elimination.independent)]


def drawn(eq, rng, width=0.25):
    at = {x: eq.chart.posture[x] + rng.uniform(-width, width) * 0.5 for x in eq.coordinates}
    return at | {u: rng.uniform(-2, 2) for u in eq.speeds}


def agree(eq, rng, count=4, width=0.25):
    tested = 0
    for _ in range(count):
        at = drawn(eq, rng, width)
        try:
            state = eq.state(at)
        except SingularError:  # drawn beyond the end of the branch
            continue
        expected, found = by_multipliers(eq, state), eq.acceleration(at)
        assert np.abs(found - expected).max() < 1e-9 * (1 + np.abs(expected).max())
        tested += 1
    assert tested


@pytest.mark.parametrize("name", GALLERY)
def test_minimal_equations_agree_with_multipliers(name):
    make, independent = GALLERY[name]
    eq = make().equations("kane", independent=independent)
    assert eq.positions is not None, "this machine has closed forms"
    assert list(eq.coordinates) == independent
    agree(eq, np.random.default_rng(7))


@pytest.mark.parametrize("formalism", formalism_names())
def test_every_formalism_is_projected(formalism):
    eq = four_bar().equations(formalism, independent="A.th")
    at = {"A.th": 1.2, "A.th'": 1.7}
    reference = four_bar().equations("recursive", independent="A.th").acceleration(at)
    assert eq.acceleration(at) == pytest.approx(reference, rel=1e-10)
    for level in ("vector", "matrix", "scalar"):
        shown = str(eq.show(level))
        assert "C.th := " in shown
        assert "valid: " in shown
        assert "in A.th alone" in shown
        assert eq.show(level).latex()
        assert "<math" in eq.show(level).html()
    assert json.loads(json.dumps(eq.as_dict()))["positions"] == "formulas"


@pytest.mark.parametrize("seed", range(8))
def test_random_machines_of_dyads_have_formulas(seed):
    rng = np.random.default_rng(seed)
    m, independent = dyad_machine(rng, 1 + seed % 3)
    eq = m.equations("recursive", independent=independent)
    assert eq.positions is not None
    agree(eq, rng, width=0.1)


def test_lengths_stay_symbols():
    eq = four_bar().equations("lagrange", independent="A.th")
    used = {x.name for x in ex.free_symbols(list(eq.positions.values()))}
    assert {"la", "lb", "lc", "d"} <= used
    nested = eq.nested(list(eq.mass_matrix.entries))
    assert {x.name for x in ex.free_symbols(nested)} >= {"la", "lb", "lc", "d", "ma", "A.th"}
    assert "B.th" not in {x.name for x in ex.free_symbols(nested)}


def test_other_lengths_on_the_same_branch():
    eq = four_bar().equations("kane", independent="A.th")
    other = {"la": 0.9, "lb": 2.6, "lc": 2.7, "d": 3.0}
    m = four_bar()
    m.given |= other
    again = m.equations("kane", independent="A.th")
    at = {"A.th": 1.1, "A.th'": 0.4}
    assert eq.acceleration(at, given=other) == pytest.approx(again.acceleration(at), rel=1e-12)


@pytest.mark.parametrize("name", ["four-bar", "slider-crank", "quick return", "Scotch yoke", "governor"])
def test_energy_is_conserved_by_integrating_them(name):
    make, independent = GALLERY[name]
    m = make()
    eq = m.equations("recursive", independent=independent)
    d = len(independent)
    energy = m.compile().energy
    coordinates, speeds = eq.layout.state.coordinates, eq.closed.speeds

    def rate(_, y):
        at = dict(zip((*eq.coordinates, *eq.speeds), y, strict=True))
        return [*y[d:], *eq.acceleration(at)]

    def total(y):
        state = eq.state(dict(zip((*eq.coordinates, *eq.speeds), y, strict=True)))
        return sum(energy([state.get(x, 0.0) for x in coordinates], [state[u] for u in speeds], **eq.given))

    begin = [*(eq.chart.posture[x] for x in eq.coordinates), *([0.4] * d)]
    if name == "governor":
        begin[d] = 16.0  # its arms stay out, away from where both sides are stretched
    found = solve_ivp(rate, (0, 0.2), begin, method="DOP853", rtol=1e-9, atol=1e-11)
    assert found.success
    assert total(found.y[:, -1]) == pytest.approx(total(found.y[:, 0]), abs=1e-7 * (1 + abs(total(found.y[:, 0]))))


def test_formulas_and_newton_are_one_motion():
    for make, independent in GALLERY.values():
        eq = make().equations("recursive", independent=independent)
        followed = replace(eq, chart=replace(eq.chart, definitions=None))
        at = drawn(eq, np.random.default_rng(2))
        one, other = eq.state(at), followed.state(at)
        assert all(one[x] == pytest.approx(other[x], abs=1e-9) for x in one)
        assert "Newton" in str(followed.show())
        assert "Newton" not in str(eq.show())


def test_a_machine_without_formulas_is_followed(families):
    m = da.load("examples/loops/delta.lsd")
    eq = m.equations("recursive", independent="automatic")
    assert eq.positions is None
    assert "Newton" in " ".join(eq.domain)
    agree(eq, np.random.default_rng(1), count=2)
    with pytest.raises(ModelError, match="no formulas"):
        eq.nested(list(eq.forces))


def test_driven_loop_follows_time():
    driven = da.Mechanism("driven")
    crank = driven.body("crank", mass=1, inertia=[0.1, 0.1, 0.1])
    rod = driven.body("rod", mass=0.5, centre=[0.5, 0, 0], inertia=[0.05, 0.05, 0.05])
    piston = driven.body("piston", mass=0.3)
    base = driven.body("base", mass=4)
    driven.join(da.earth, base, da.prismatic("y").with_efforts(x="-100*x"), name="foot")
    driven.join(base, crank, da.revolute("z"), name="shaft")
    driven.join(crank.at([0.3, 0, 0]), rod, da.revolute("z"), name="pin")
    shaken = da.composite(["x"], da.Displacement.of(["x + sin(3*t)/50", 0, 0]))
    driven.join(base, piston, shaken, name="wall")
    driven.join(rod.at([1, 0, 0]), piston, da.revolute("z"), name="gudgeon")
    driven.start = {"shaft.th": 0.6}
    eq = driven.equations("kane", independent=["foot.x", "shaft.th"])
    at = {"foot.x": 0.1, "shaft.th": 0.9, "shaft.th'": 1.0, "foot.x'": -0.5}
    state = eq.state(at, t=0.7)
    assert eq.acceleration(at, t=0.7) == pytest.approx(by_multipliers(eq, state, 0.7), rel=1e-9)


def test_leaving_the_branch_is_an_error():
    m = da.loads(
        """use "joints.lsd" ; use "solids.lsd" ;
        let crank = reaching_rod(m = 1, l = 2) ; let rod = reaching_rod(m = 1, l = 1.5) ; let piston = point(m = 1) ;
        join earth and crank.frame with revolute(axis = [0, 0, 1]) as shaft ;
        join [2, 0, 0] @ crank and rod.frame with revolute(axis = [0, 0, 1]) as pin ;
        join earth and piston.frame with prismatic(axis = [1, 0, 0]) as wall ;
        join [1.5, 0, 0] @ rod and piston.frame with revolute(axis = [0, 0, 1]) as gudgeon ;
        start shaft.th = 0.3 ;"""
    )
    eq = m.equations("kane", independent="shaft.th")
    assert any(">= 0" in x for x in eq.domain)
    with pytest.raises(SingularError, match="ends, or meets"):
        eq.state({"shaft.th": 1.2})
    followed = replace(eq, chart=replace(eq.chart, definitions=None))
    with pytest.raises(SingularError, match="turns back"):
        followed.state({"shaft.th": 1.2})
    other = m.equations("kane", independent="pin.th").state({"pin.th": -1.5})
    assert other["wall.x"] == pytest.approx(np.sqrt(2**2 + 1.5**2 + 2 * 2 * 1.5 * np.cos(1.5)))


def test_touching_another_branch_is_an_error():
    """Both sides of a governor are stretched at once: the formula of one would turn back there without a sign."""
    make, independent = GALLERY["governor"]
    eq = make().equations("recursive", independent=independent)
    assert eq.state({"drive.th": 0, "arm_left_hinge.th": 0.12})
    with pytest.raises(SingularError, match="ends, or meets"):
        eq.state({"drive.th": 0, "arm_left_hinge.th": 0.02})
    followed = replace(eq, chart=replace(eq.chart, definitions=None))
    with pytest.raises(SingularError):
        followed.state({"drive.th": 0, "arm_left_hinge.th": 0.02})


def test_springs_that_count_turns_bound_the_domain():
    spring = da.Mechanism("sprung")
    bodies = [spring.body(n, mass=1, centre=[0.5, 0, 0], inertia=[0.1, 0.1, 0.1]) for n in "abc"]
    spring.join(da.earth, bodies[0], da.revolute("z"), name="A")
    spring.join(bodies[0].at([2, 0, 0]), bodies[1], da.revolute("z"), name="B")
    spring.join(da.earth.at([1, 0, 0]), bodies[2], da.revolute("z").with_efforts(th="-5*th"), name="D")
    spring.join(bodies[1].at([2.2, 0, 0]), bodies[2].at([1.9, 0, 0]), da.revolute("z"), name="C")
    spring.start = {"A.th": 0.5}
    eq = spring.equations("kane", independent="A.th")
    assert any(x.startswith("D.th: between") for x in eq.domain)
    agree(eq, np.random.default_rng(0), width=0.2)
    with pytest.raises(SingularError, match="half a turn"):  # a drag link: the rocker turns with the crank
        turned(eq)


def turned(eq):
    for angle in np.linspace(0.5, 7, 400):
        eq.state({"A.th": float(angle)})


def test_wrong_choices_are_sentences():
    m = four_bar()
    with pytest.raises(ModelError, match="is cut"):
        m.equations(independent="C.th")
    with pytest.raises(SingularError, match="follows from the others"):
        m.equations(independent=["A.th", "B.th"])
    with pytest.raises((ModelError, SimulationError), match="th"):
        m.equations(independent="A.ph")
    m.given.pop("la")
    with pytest.raises(SimulationError, match="la"):
        m.equations(independent="A.th")
    assert m.equations(independent="A.th", given={"la": 1.1}).positions is not None


def test_a_tree_is_in_independent_coordinates_already():
    m = da.load("examples/cart_pole.lsd")
    assert m.equations("kane", independent="automatic").coordinates == m.equations("kane").coordinates


def test_sympy_has_the_definitions():
    eq = slider_crank().equations("kane", independent="shaft.th")
    found = eq.to_sympy()
    assert found["mass_matrix"].shape == (1, 1)
    assert found["psi"].shape == (3, 1)
    assert {str(x) for x in found["definitions"]} >= {"pin.th", "wall.x"}


@pytest.mark.parametrize("name", ["four-bar", "slider-crank", "Scotch yoke", "governor"])
def test_linear_equations_in_symbols_are_those_in_numbers(name):
    make, independent = GALLERY[name]
    m = make()
    rest = m.equations("kane", independent=independent)
    at = {x: rest.chart.posture[x] for x in independent}
    small = m.linearize(at, independent=independent, symbols=True)
    known = m.linearize(
        {k: v for k, v in rest.chart.posture.items() if k in m.start or k in at}, independent=independent
    )
    assert small.coordinates == known.coordinates == tuple(independent)
    one, other = small.in_numbers(), known.in_numbers()
    for key in ("mass", "damping", "stiffness", "residual"):
        assert np.allclose(one[key], other[key], rtol=1e-7, atol=1e-7 * (1 + np.abs(other["stiffness"]).max()))
    lengths = {"four-bar": "la", "slider-crank": "r", "Scotch yoke": "r", "governor": "a"}
    assert lengths[name] in small.parameters


def test_linear_equations_in_symbols_need_formulas():
    with pytest.raises(ModelError, match="no formulas"):
        da.load("examples/loops/delta.lsd").linearize({}, symbols=True)


def test_linear_equations_in_symbols_refuse_conditions_on_speeds():
    m = da.Mechanism("sled")
    m.join(da.earth, m.body("sled", mass=1, inertia=[1, 1, 1]), da.planar(), name="ice")
    m.constrain("-sin(ice.th)*ice.x' + cos(ice.th)*ice.y' = 0", name="blade")
    with pytest.raises(ModelError, match="conditions on its speeds"):
        m.linearize({}, symbols=True)


def compiled_agree(m, independent, rng, count=6, width=0.1):
    """Compiled minimal equations against those with multipliers, in a batch."""
    f = m.compile(independent=independent)
    eq, states = f.equations, []
    for _ in range(count):
        at = drawn(eq, rng, width)
        try:
            states.append((at, eq.state(at)))
        except SingularError:  # drawn beyond the end of the branch
            continue
    assert states
    p = np.array([[at[x] for x in eq.coordinates] for at, _ in states])
    v = np.array([[at[u] for u in eq.speeds] for at, _ in states])
    told = f.state(p, v)
    for k, (_, state) in enumerate(states):
        assert told[k] == pytest.approx([state[x] for x in f.states], rel=1e-9, abs=1e-9)
        expected, found = by_multipliers(eq, state), f.acceleration(p[k], v[k])
        assert np.abs(found - expected).max() < 1e-9 * (1 + np.abs(expected).max())
        assert f.mass_matrix(p[k]) @ found == pytest.approx(f.bias(p[k], v[k]) + f.forces(p[k], v[k]), rel=1e-9)
    assert np.array_equal(f.acceleration(p, v), [f.acceleration(a, b) for a, b in zip(p, v, strict=True)])
    return f


@pytest.mark.slow
@pytest.mark.parametrize("name", GALLERY)
def test_compiled_minimal_equations_agree_with_multipliers(name):
    make, independent = GALLERY[name]
    f = compiled_agree(make(), independent, np.random.default_rng(5))
    assert f.coordinates == tuple(independent)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_compiled_minimal_equations_of_random_machines_agree_with_multipliers(seed):
    rng = np.random.default_rng(seed)
    compiled_agree(*dyad_machine(rng, 1 + seed % 3), rng)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["delta", "bricard"])
def test_compiled_minimal_equations_follow_coordinates_that_are_no_formulas(name):
    m = da.load(f"examples/loops/{name}.lsd")
    eq = m.equations("recursive", independent="automatic")
    assert eq.positions is None
    compiled_agree(m, eq.coordinates, np.random.default_rng(2))


def test_compiled_minimal_equations_take_other_numbers_and_refuse_what_lies_outside():
    m = four_bar()
    f = compiled_agree(m, ["A.th"], np.random.default_rng(1))
    other = m.equations("kane", independent="A.th").acceleration({"A.th": 1.1, "A.th'": 0.4}, given={"mb": 5.0})
    assert f.acceleration([1.1], [0.4], mb=5.0) == pytest.approx(other, rel=1e-12)
    assert f.acceleration([1.1], [0.4], mb=np.array([2.0, 5.0]))[1] == pytest.approx(other, rel=1e-12)
    m.given |= {"la": 4.0, "lb": 1.5}
    rocker = m.compile(independent="A.th", at={"A.th": 0.4})
    with pytest.raises(SingularError, match=r"no state on this branch at A\.th = 3 \(state 1 of 2\)"):
        rocker.acceleration([[0.4], [3.0]], [0.0])
    with pytest.raises(da.DalembertError, match="none are named"):
        m.compile(at={"A.th": 1})
    assert da.load("examples/cart_pole.lsd").compile(independent="automatic").speeds == ("rail.x'", "pivot.th'")
