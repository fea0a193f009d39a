"""One start for every exit: what is given is kept, what is not begins at zero or follows, what contradicts is named."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import dalembert as da
from dalembert.dynamics.dynamics import dynamics_of
from dalembert.dynamics.start import StartWarning, closed_start, closed_starts
from dalembert.simulate import run_many, system_of
from linkages import four_bar


def gap(m: da.Mechanism, values: dict[str, float], t: float = 0.0) -> float:
    """Radians, or lengths over the length of the loop."""
    closure = dynamics_of(m.layout()).closure
    x = np.array([[values[name] for name in closure.coordinates]])
    return float(closure.at(x, t, m.given, closure.scales(x, t, m.given)).size[0])


def bars(unit: float = 1.0) -> da.Mechanism:
    return four_bar((0.2 * unit, 0.4 * unit, 0.35 * unit), 0.5 * unit)


def test_given_values_are_kept_to_the_last_digit_and_the_rest_follows():
    m = bars()
    start = closed_start(m.layout(), {"A.th": 1.0, "A.th'": 8.0})
    assert start.values["A.th"] == 1.0
    assert start.values["A.th'"] == 8.0
    assert not start.moved
    assert gap(m, start.values) < 1e-14


def test_any_coordinate_can_be_the_given_one_also_that_of_the_cut_link():
    m = bars()
    closed = closed_start(m.layout(), {"A.th": 1.0}).values
    for name in ("B.th", "C.th", "D.th"):
        again = closed_start(m.layout(), {name: closed[name]})
        assert again.values[name] == closed[name]
        assert gap(m, again.values) < 1e-13


def test_the_rate_of_a_cut_link_can_be_given():
    m = bars()
    first = closed_start(m.layout(), {"A.th": 1.0, "C.th'": 2.0}).values
    mo = m.simulate((0, 1e-4), start=first, rtol=1e-12, atol=1e-14)
    assert (mo["C.th"][-1] - mo["C.th"][0]) / mo.t[-1] == pytest.approx(2.0, rel=1e-2)


def test_states_are_in_the_order_of_the_layout():
    m = bars()
    assert tuple(closed_start(m.layout(), {"D.th": 1.8}).values) == m.layout().state.names


def governor() -> da.Mechanism:
    """A sleeve on a shaft, an arm from the shaft, a rod back to the sleeve: two freedoms, shaft and sleeve."""
    m = da.Mechanism("governor")
    shaft = m.body("shaft", mass=1, inertia=[1, 1, 1])
    arm = m.body("arm", mass=1, inertia=[1, 1, 1])
    rod = m.body("rod", mass=1, inertia=[1, 1, 1])
    sleeve = m.body("sleeve", mass=1, inertia=[1, 1, 1])
    m.join(da.earth, shaft, da.revolute("z"), name="turn")
    m.join(shaft.at([0, 0, -0.3]), sleeve, da.prismatic("z"), name="slide")
    m.join(shaft.at([0.02, 0, 0]), arm, da.revolute("y"), name="top")
    m.join(arm.at([0, 0, -0.2]), rod, da.revolute("y"), name="knee")
    m.join(rod.at([0, 0, -0.2]), sleeve.at([0.02, 0, 0]), da.revolute("y"), name="foot")
    return m


def test_unnamed_coordinates_begin_at_zero_in_the_declared_order():
    m = governor()
    values = closed_start(m.layout()).values
    assert values["turn.th"] == 0.0
    assert values["slide.x"] == 0.0
    assert abs(values["top.th"]) == pytest.approx(np.arccos(0.15 / 0.2))
    assert gap(m, values) < 1e-14


def test_a_zero_that_cannot_be_is_left_and_the_next_one_is_tried():
    """The rocker of a crank-rocker never lies along its ground, so that its zero is out of reach."""
    m = four_bar((0.35, 0.4, 0.2), 0.5)  # A is the rocker, D the crank
    values = closed_start(m.layout()).values
    assert values["A.th"] != 0.0
    assert values["D.th"] == 0.0
    assert gap(m, values) < 1e-14


def elastic_coupler() -> da.Mechanism:
    """A four-bar whose coupler is two halves with a spring between: two freedoms."""
    m = da.Mechanism("elastic coupler")
    a, b, c, d = (m.body(n, mass=1, centre=[0.1, 0, 0], inertia=[0, 0.01, 0.01]) for n in "abcd")
    m.join(da.earth, a, da.revolute("z"), name="A")
    m.join(a.at([0.2, 0, 0]), b, da.revolute("z"), name="B")
    m.join(b.at([0.2, 0, 0]), c, da.revolute("z").with_efforts(th="-100*th"), name="spring")
    m.join(da.earth.at([0.5, 0, 0]), d, da.revolute("z"), name="D")
    m.join(c.at([0.2, 0, 0]), d.at([0.35, 0, 0]), da.revolute("z"), name="C")
    return m


def test_the_spring_of_an_elastic_coupler_starts_without_load_and_at_rest():
    m = elastic_coupler()
    start = {"A.th": 1.0, "A.th'": 8.0}
    values = closed_start(m.layout(), start).values
    assert values["spring.th"] == 0.0
    mo = m.simulate((0, 1e-5), start=start, rtol=1e-12, atol=1e-14)
    assert abs(mo["spring.th"][-1]) / mo.t[-1] < 1e-2  # it was 5 rad/s


def test_values_as_people_round_them_move_and_say_so():
    m = bars()
    exact = closed_start(m.layout(), {"A.th": 1.0}).values
    rounded = {"A.th": 1.0, "B.th": round(exact["B.th"], 2), "D.th": round(exact["D.th"], 2)}
    with pytest.warns(StartWarning, match=r"B\.th from -0\.53 to"):
        mo = m.simulate((0, 0.1), start=rounded)
    assert mo["A.th"][0] == pytest.approx(1.0, abs=1e-15)
    assert mo["B.th"][0] == pytest.approx(exact["B.th"], abs=1e-13)
    assert "moved" in mo.message
    assert "D.th from 1.67 to 1.67" in mo.message
    start = closed_start(m.layout(), rounded)
    assert {one.name: one.old for one in start.moved} == {x: rounded[x] for x in ("B.th", "D.th")}


def test_a_rounded_start_on_the_other_branch_stays_on_it():
    m = bars()
    start = closed_start(m.layout(), {"A.th": 1.0, "D.th": -2.48})
    assert start.values["D.th"] == pytest.approx(-2.48132, abs=1e-5)


def test_values_to_all_digits_are_not_worth_a_word():
    m = bars()
    exact = closed_start(m.layout(), {"A.th": 1.0, "A.th'": 3.0}).values
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert m.simulate((0, 0.01), start=exact).success


def test_speeds_that_contradict_each_other_are_an_error_with_the_numbers():
    m = bars()
    with pytest.raises(da.SimulationError, match=r"B\.th' = 5, D\.th' = -7 cannot be with A\.th' = 1"):
        m.simulate((0, 1), start={"A.th": 1.0, "A.th'": 1, "B.th'": 5, "D.th'": -7})


def test_an_impossible_posture_is_an_error_with_the_numbers():
    m = bars()
    with pytest.raises(da.SimulationError, match=r"D\.th = -2 cannot be with A\.th = 1.*D\.th = -"):
        m.simulate((0, 1), start={"A.th": 1.0, "D.th": -2.0})
    with pytest.raises(da.SimulationError, match=r"D\.th = 0\.2 cannot be"):
        m.simulate((0, 1), start={"D.th": 0.2})


def test_speeds_rounded_by_people_keep_the_first():
    m = bars()
    exact = closed_start(m.layout(), {"A.th": 1.0, "A.th'": 3.0}).values
    start = closed_start(m.layout(), {"A.th": 1.0, "A.th'": 3.0, "B.th'": round(exact["B.th'"], 2)})
    assert start.values["A.th'"] == 3.0
    assert start.values["B.th'"] == pytest.approx(exact["B.th'"], abs=1e-13)
    assert [one.name for one in start.moved] == ["B.th'"]


def test_what_a_call_says_goes_before_what_the_model_says():
    m = bars()
    m.start = closed_start(m.layout(), {"A.th": 1.0, "A.th'": 2.0}).values
    start = closed_start(m.layout(), {"A.th": 1.1})
    assert start.values["A.th"] == 1.1
    assert gap(m, start.values) < 1e-13
    assert "B.th" in {one.name for one in start.moved}
    assert start.values["A.th'"] == 2.0


def driven() -> da.Mechanism:
    m = da.Mechanism("driven")
    a, b, c = (m.body(n, mass=1, centre=[0.1, 0, 0], inertia=[0, 0.01, 0.01]) for n in "abc")
    m.join(da.earth, a, da.Joint((), (da.Step(da.Displacement.of([0, 0, 0], da.turn("1 + 3*t", "z"))),)), name="A")
    m.join(a.at([0.2, 0, 0]), b, da.revolute("z"), name="B")
    m.join(da.earth.at([0.5, 0, 0]), c, da.revolute("z"), name="D")
    m.join(b.at([0.4, 0, 0]), c.at([0.35, 0, 0]), da.revolute("z"), name="C")
    return m


def test_a_driven_loop_is_closed_at_the_time_at_which_it_starts():
    m = driven()
    whole = m.simulate((0, 1), rtol=1e-11, atol=1e-12)
    later = m.simulate((0.5, 1), rtol=1e-11, atol=1e-12)
    assert gap(m, {name: later[name][0] for name in later.names}, 0.5) < 1e-13
    there = dict(zip(whole.names, whole.sol(0.5), strict=True))
    assert later.y[:, 0] == pytest.approx(whole.sol(0.5), abs=1e-8)
    again = closed_start(m.layout(), {"B.th": there["B.th"]}, t=0.5)
    for name, value in again.values.items():
        assert value == pytest.approx(there[name], abs=1e-8)


@pytest.mark.parametrize("time", [-2.0, 3.0])
def test_a_later_start_is_on_the_branch_of_the_start_at_zero(time):
    """Both assemblies of a crank that time turns: the one that the model says is followed, also in many runs."""
    m = driven()
    for elbow in (1.2, -1.2):
        m.start = {"C.th": elbow}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", StartWarning)
            whole = m.simulate((0, time), rtol=1e-11, atol=1e-12)
        found = closed_starts(m.layout(), t=time)
        for name, value in whole.state(time).items():
            assert name == "t" or found.values[name] == pytest.approx(value, abs=1e-8)


def test_a_start_that_cannot_be_followed_from_zero_says_so():
    assert "could not be followed to t = 1e+06" in closed_start(driven().layout(), t=1e6).message


def test_a_state_of_a_closed_motion_starts_another_at_its_time():
    m = bars()
    first = m.simulate((0, 1), start={"A.th": 1.0}, rtol=1e-10)
    there = first.state(0.5)
    assert m.simulate((0.5, 1), start=there, rtol=1e-10)["A.th"][-1] == pytest.approx(first["A.th"][-1], abs=1e-7)
    with pytest.raises(da.SimulationError, match=r"state at t = 0\.5, but the motion of .* begins at t = 0"):
        m.simulate((0, 1), start=there)
    with pytest.raises(da.SimulationError, match=r"state at t = 0\.5"):
        m.compile().start(there)


@pytest.mark.parametrize("unit", [1e-6, 1e-3, 1e3, 1e6])
def test_a_machine_starts_at_the_same_posture_in_every_unit(unit: float):
    given = {"A.th": 1.0, "A.th'": 2.0, "D.th": 1.67}
    plain, scaled = (closed_start(m.layout(), given) for m in (bars(), bars(unit)))
    assert [one.name for one in plain.moved] == [one.name for one in scaled.moved] == ["D.th"]
    for name, value in plain.values.items():
        assert scaled.values[name] == pytest.approx(value, abs=1e-12)
    with pytest.raises(da.SimulationError, match="contradicts"):
        closed_start(bars(unit).layout(), {"A.th": 1.0, "D.th": 1.7})


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3])
def test_slides_are_judged_against_the_lengths_of_the_machine(unit: float):
    m = da.Mechanism("slider crank")
    crank, rod, slider = (m.body(n, mass=1, inertia=[1, 1, 1]) for n in ("crank", "rod", "slider"))
    m.join(da.earth, crank, da.revolute("z"), name="main")
    m.join(crank.at([0.2 * unit, 0, 0]), rod, da.revolute("z"), name="pin")
    m.join(da.earth, slider, da.prismatic("x"), name="rail")
    m.join(rod.at([0.5 * unit, 0, 0]), slider, da.revolute("z"), name="wrist")
    start = closed_start(m.layout(), {"main.th": 0.4, "rail.x": 0.68 * unit})
    assert start.values["rail.x"] / unit == pytest.approx(0.678109085, abs=1e-9)
    with pytest.raises(da.SimulationError, match=r"rail\.x"):
        closed_start(m.layout(), {"main.th": 0.4, "rail.x": 0.64 * unit})
    left = closed_start(m.layout(), {"main.th": 0.4, "rail.x": -0.31 * unit})
    assert left.values["rail.x"] / unit == pytest.approx(2 * 0.2 * np.cos(0.4) - 0.678109085, abs=1e-9)


def test_a_flat_parallelogram_is_taken_as_it_is_given():
    m = four_bar((0.2, 0.5, 0.2), 0.5)
    values = closed_start(m.layout(), {"A.th": 0.0, "B.th": 0.0, "D.th": 0.0, "A.th'": 3.0}).values
    assert [values[x] for x in ("A.th", "B.th", "D.th", "C.th")] == [0.0] * 4
    assert values["A.th'"] == 3.0


def test_a_flat_linkage_given_nearly_is_closed_as_well_as_rounding_allows():
    m = four_bar((0.2, 0.4, 0.3), 0.5)  # 0.2 + 0.5 = 0.4 + 0.3: it can lie flat, where two branches meet
    start = closed_start(m.layout(), {"A.th": 3.1416})
    assert start.values["A.th"] == 3.1416
    assert gap(m, start.values) < 1e-11


def test_a_reversed_assembly_is_not_closed():
    """Two hinges about one axis: the second asks for the turn of the first, not for that plus half a turn."""
    m = da.Mechanism("door")
    door = m.body("door", mass=1, inertia=[1, 1, 1])
    m.join(da.earth, door, da.revolute("z"), name="low")
    m.join(da.earth.at([0, 0, 1]), door.at([0, 0, 1]), da.prismatic("z"), name="high")
    assert closed_start(m.layout()).values["low.th"] == 0.0
    with pytest.raises(da.SimulationError, match=r"low\.th = 3\.1"):
        closed_start(m.layout(), {"low.th": 3.1})


def test_quaternions_start_with_length_one():
    m = da.Mechanism("ball")
    m.join(da.earth, m.body("ball", mass=1, inertia=[1, 1, 1]), da.spherical("quaternion"), name="b")
    e = m.layout().state.coordinates
    assert closed_start(m.layout()).values[e[0]] == 1.0
    assert closed_start(m.layout(), {e[1]: 0.6}).values[e[0]] == pytest.approx(0.8)
    start = closed_start(m.layout(), dict(zip(e, (1, 1, 0, 0), strict=True)))
    assert start.values[e[0]] == pytest.approx(0.5**0.5)
    assert start.moved[0].old == 1.0
    with pytest.raises(da.SimulationError, match="zero"):
        closed_start(m.layout(), dict.fromkeys(e, 0.0))


def test_what_is_not_known_is_named():
    m = bars()
    with pytest.raises(da.SimulationError, match=r"'A\.tt' is not a state"):
        m.simulate((0, 1), start={"A.tt": 1})
    m = four_bar((0.2, 0.4, 0.35), 0.5)
    extra = m.body("e", mass=1)
    m.join(da.earth.at(["l", 0, 0]), extra, da.revolute("z"), name="E")
    m.join(da.earth.at(["l", 0, 1]), extra.at([0, 0, 1]), da.revolute("z"), name="F")
    assert closed_start(m.layout(), given={"l": 2.0}).values["E.th"] == 0.0


def test_every_trajectory_of_many_is_closed_as_if_it_were_alone():
    m = bars()
    angles = np.linspace(-3, 3, 41)
    many = closed_starts(m.layout(), {"A.th": angles, "A.th'": 1.0})
    for k in range(0, 41, 8):
        alone = closed_start(m.layout(), {"A.th": angles[k], "A.th'": 1.0})
        for name, value in alone.values.items():
            assert many.values[name][k] == pytest.approx(value, abs=1e-12)


def test_many_runs_start_where_they_are_asked_and_stay_closed():
    m = bars()
    system = system_of(m)
    ends = run_many(system, (0, 0.5), start={"A.th": np.array([1.0, 3.0]), "A.th'": 1.0}, t_eval=[0.0, 0.5])
    assert ends.success
    assert ends["A.th"][:, 0] == pytest.approx([1.0, 3.0], abs=1e-15)
    assert ends["A.th'"][:, 0] == pytest.approx([1.0, 1.0], abs=1e-15)
    for k in (0, 1):
        assert gap(m, {name: ends[name][k, 1] for name in ends.names}) < 1e-11


def test_a_trajectory_that_cannot_close_is_named():
    m = four_bar((0.35, 0.4, 0.2), 0.5)  # A is the rocker
    with pytest.raises(da.SimulationError, match=r"trajectory 2 .*A\.th = 0\.1"):
        run_many(system_of(m), (0, 1), start={"A.th": np.array([1.0, 1.2, 0.1, 1.0, 0.1])})


def test_a_million_starts_of_a_tree_take_no_time():
    m = da.Mechanism("pendulum")
    m.join(da.earth, m.body("rod", mass=1, centre=[0, 0, -1]), da.revolute("x"), name="p")
    values = closed_starts(m.layout(), {"p.th": np.linspace(0, 1, 10**6)}).values
    assert values["p.th"].shape == values["p.th'"].shape == (10**6,)


def test_a_loop_that_cannot_close_names_the_link_that_closes_it():
    short = four_bar((0.2, 0.4, 0.35), 5.0)
    closing = short.layout().cuts[0].link.name
    with pytest.raises(da.SimulationError, match=f"link '{closing}' cannot close there with the values given"):
        closed_start(short.layout())
    with pytest.raises(da.SimulationError, match=f"B.th = 0 cannot be with A.th = 1: link '{closing}' cannot close"):
        closed_start(bars().layout(), {"A.th": 1.0, "B.th": 0.0})


@pytest.mark.parametrize(("axis", "angle"), [("x", 0.0), ("z", 0.2)])
@pytest.mark.parametrize("speeds", [None, "body"])
def test_angles_of_a_closing_link_that_are_singular_are_named(axis, angle, speeds):
    m = da.Mechanism("door")
    m.join(da.earth, m.body("door", mass=2, centre=[0.5, 0, 0.1], inertia=[0.1, 0.1, 0.1]), da.revolute(axis), name="h")
    m.join(da.earth, m.bodies["door"], da.free("euler", speeds=speeds), name="f")
    told = "chart of f.ps, f.th, f.ph is singular" if speeds else "the rate of 'f.ps', 'f.th', 'f.ph' is not a finite"
    with pytest.raises(da.DalembertError, match=told):
        m.simulate((0, 1), start={"h.th": angle})


def hung(length: float, scale: float = 1.0) -> da.Mechanism:
    m = da.Mechanism("hung")
    bodies = [m.body(name, mass=1) for name in "wl"]
    for name, body in zip("ab", bodies, strict=True):
        m.join(da.earth, body, da.prismatic("z"), name=name)
    m.rope([bodies[0], da.earth, bodies[1]], length * scale, name="rope")
    return m


@pytest.mark.parametrize("seed", range(4))
def test_a_rope_whose_end_is_at_its_sheave_says_which_side_it_took(seed):
    rng = np.random.default_rng(seed)
    scale, given = 10 ** rng.uniform(-4, 4), rng.uniform(-2.5, -0.5)
    found = closed_start(hung(3, scale).layout(), {"a.x": given * scale})
    assert abs(found.values["b.x"]) == pytest.approx((3 + given) * scale)
    (said,) = found.choices
    assert "'rope' has no slope at b.x = 0: of the postures on its sides one was taken" in said
    assert closed_start(hung(3, scale).layout(), {"a.x": given * scale, "b.x": -(3 + given) * scale}).choices == ()


def test_a_rope_that_ends_at_its_sheave_is_refused():
    with pytest.raises(da.SingularError, match="'rope' of 'hung' has no slope where it starts"):
        closed_start(hung(3).layout(), {"a.x": -3, "b.x": 0})


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("given", [{}, {"a.th": 1.0}])
def test_a_root_has_no_negative_value_however_steep_it_is(seed, given):
    """Beside its end a root is so steep that Newton's steps vanish, and nothing is closed."""
    rng = np.random.default_rng(seed)
    inside, value = rng.uniform(0.2, 5), rng.uniform(0.2, 3)
    for sign in (-1, 1):
        m = da.Mechanism("roots")
        m.join(da.earth, m.body("bar", inertia=[1, 1, 1]), da.revolute("z"), name="a")
        m.constrain(f"sqrt({inside}*a.th) = {sign * value}", name="root")
        if sign > 0:
            assert closed_start(m.layout()).values["a.th"] == pytest.approx(value**2 / inside)
            continue
        with pytest.raises(da.SimulationError, match="constraint 'root' cannot hold"):
            m.simulate((0, 0.1), start=given)


@pytest.mark.parametrize("seed", range(4))
def test_a_disc_whose_height_nobody_gives_stands(seed):
    """Zero is the height of a disc lying down, whose point of contact is any of its rim: such a start is refused."""
    rng = np.random.default_rng(seed)
    radius, lean = 10 ** rng.uniform(-3, 3), rng.uniform(0, 1.4)
    m = da.Mechanism("coin")
    coin = m.body("coin", mass=1, inertia=[radius**2 / 4, radius**2 / 2, radius**2 / 4])
    m.join(da.earth, coin, da.free("quaternion") if seed % 2 else da.free(), name="f")
    m.roll(coin, da.earth, radius=radius, name="road")
    for start in ({}, {"f.x": radius}, {"f.x'": 2 * radius}):
        found = closed_start(m.layout(), start)
        assert found.values["f.z"] == pytest.approx(radius)
        assert "would lie flat, touching at no single point: it starts with f.z = " in found.choices[0]
    with pytest.raises(da.SingularError, match=r"'road' of 'coin' cannot start: the disc lies flat .* 'f\.z'"):
        m.simulate((0, 0.1), start={"f.z": 0.0})
    found = closed_start(m.layout(), {"f.z": radius * np.cos(lean)})
    assert found.values["f.z"] == pytest.approx(radius * np.cos(lean))
    assert found.choices == ()
    assert gap(m, found.values) < 1e-9
    with pytest.warns(StartWarning, match="would lie flat"):
        assert m.simulate((0, 0.1), start={"f.x'": 2 * radius})["f.x"][-1] == pytest.approx(0.2 * radius)


def test_a_start_that_is_asked_for_again_is_not_closed_again_and_belongs_to_who_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    m = bars()
    first = closed_start(m.layout(), {"A.th": 1.1})
    monkeypatch.setattr("dalembert.dynamics.start._closed", None)  # nobody can close loops from here on
    first.values["B.th"] = 7.0
    again = closed_start(m.layout(), {"A.th": 1.1})
    assert again.values["B.th"] != 7.0
    m.start = {"A.th": 0.9}
    with pytest.raises(TypeError):
        closed_start(m.layout())
