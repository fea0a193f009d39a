"""Events that act: a motion of arcs and jumps."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from linkages import four_bar

GRAVITY = 9.81


def ball() -> da.Mechanism:
    m = da.Mechanism("ball")
    m.join(da.earth, m.body("ball", mass=1), da.prismatic("z"), name="drop")
    m.gravity = [0, 0, -GRAVITY]
    m.start = {"drop.x": 1.0}
    return m


def bounce(restitution: float = 0.8, **options: object) -> da.Event:
    return da.Event("drop.x < 0", then={"drop.x'": f"-{restitution}*drop.x'"}, name="bounce", **options)  # type: ignore[arg-type]


def bounces(restitution: float, count: int) -> list[float]:
    """Free fall from height 1, then parabolas: t_k+1 = t_k + 2 v_k/g."""
    times = [math.sqrt(2 / GRAVITY)]
    speed = GRAVITY * times[0]
    for _ in range(count - 1):
        speed *= restitution
        times.append(times[-1] + 2 * speed / GRAVITY)
    return times


def oscillator() -> da.Mechanism:
    m = da.Mechanism("oscillator")
    m.join(da.earth, m.body("mass", mass="m"), da.prismatic("x").with_efforts(x="-k*x"), name="s")
    m.given, m.start = {"m": 1.0, "k": 4.0}, {"s.x": 1.0}
    return m


@pytest.mark.parametrize("method", ["DOP853", "BS23", "RODAS4", "DAE"])
def test_a_ball_bounces_when_the_parabolas_say(method):
    mo = ball().simulate((0, 3), events=bounce(), method=method)
    assert mo.events["bounce"] == pytest.approx(bounces(0.8, 6), abs=1e-9)
    assert [jump.event for jump in mo.jumps] == ["bounce"] * len(mo.arcs[1:])
    for jump in mo.jumps:
        assert jump.after["drop.x'"] == -0.8 * jump.before["drop.x'"]


@pytest.mark.parametrize("restitution", [1e-3, 1e-6])
def test_a_flight_shorter_than_any_step_is_not_missed(restitution):
    mo = ball().simulate((0, 0.6), events=bounce(restitution, terminal=3), rtol=1e-6)
    assert mo.events["bounce"] == pytest.approx(bounces(restitution, 3), abs=1e-9)


def test_both_sides_of_a_jump_are_told():
    mo = ball().simulate((0, 1), events=bounce())
    (jump,) = mo.jumps
    assert np.count_nonzero(mo.t == jump.t) == 2
    before, after = mo["drop.x'"][mo.t == jump.t]
    assert (before, after) == (jump.before["drop.x'"], jump.after["drop.x'"])
    assert mo.sol(jump.t)[1] == after
    assert mo.sol(jump.t, side="before")[1] == pytest.approx(before, rel=1e-14)
    assert mo.state(jump.t, side="before")["drop.x'"] == pytest.approx(before, rel=1e-14)
    with pytest.raises(da.SimulationError, match="'before' and 'after'"):
        mo.sol(jump.t, side="left")


def test_asked_times_are_told_exactly_and_the_jump_by_its_far_side():
    hit = math.sqrt(2 / GRAVITY)
    times = np.array([0.0, 0.3, hit, 0.5, 1.0])
    when = da.Event(f"t - {hit!r}", then={"drop.x'": "1"}, name="kick")
    mo = ball().simulate((0, 1), events=when, t_eval=times)
    assert np.array_equal(mo.t, times)
    assert mo["drop.x'"][2] == 1.0


def test_events_at_one_instant_all_act():
    m = da.Mechanism("two balls")
    for name in ("a", "b"):
        m.join(da.earth, m.body(name, mass=1), da.prismatic("z"), name=f"drop_{name}")
    m.gravity = [0, 0, -GRAVITY]
    watched = [da.Event(f"drop_{x}.x < 0", then={f"drop_{x}.x'": f"-0.9*drop_{x}.x'"}, name=x) for x in "ab"]
    mo = m.simulate((0, 2), start={"drop_a.x": 1.0, "drop_b.x": 1.0}, events=watched)
    assert mo.events["a"] == pytest.approx(mo.events["b"], abs=1e-12)
    assert mo["drop_a.x"] == pytest.approx(mo["drop_b.x"], abs=1e-9)
    assert mo["drop_a.x"].min() > -1e-9


def test_what_was_switched_stays_so():
    watched = [da.Event("t - 0.5", then={"k": 9.0}, name="k"), da.Event("t - 1", then={"m": 3.0}, name="m")]
    mo = oscillator().simulate((0, 2), events=watched)
    assert [(arc.parameters["k"], arc.parameters["m"]) for arc in mo.arcs] == [(4, 1), (9, 1), (9, 3)]


@pytest.mark.parametrize("seed", range(6))
def test_a_billiard_ball_runs_as_its_mirror_images_do(seed):
    """In a box without gravity each coordinate is a triangular wave; corners are two events at one instant."""
    rng = np.random.default_rng(seed)
    m = da.Mechanism("billiard")
    cart = m.body("cart", mass=1)
    m.join(da.earth, cart, da.prismatic("x"), name="a")
    m.join(cart, m.body("ball", mass=1), da.prismatic("y"), name="b")
    x, v = rng.uniform(0.1, 0.9, 2), rng.uniform(-5, 5, 2)
    if seed < 2:  # along a diagonal, into the corners
        x, v = np.array([0.25, 0.25]), np.array([2.0, 2.0 if seed else -2.0])
        x[1] = 0.25 if seed else 0.75
    walls = [
        da.Event(wall, then={f"{c}.x'": f"-{c}.x'"}, direction=-1, name=wall)
        for c in "ab"
        for wall in (f"{c}.x", f"1 - {c}.x")
    ]
    start = {"a.x": x[0], "b.x": x[1], "a.x'": v[0], "b.x'": v[1]}
    mo = m.simulate((0, 4), start=start, events=walls)
    for name, x0, v0 in zip(("a.x", "b.x"), x, v, strict=True):
        unfolded = (x0 + v0 * mo.t) % 2
        assert mo[name] == pytest.approx(np.where(unfolded > 1, 2 - unfolded, unfolded), abs=1e-9)
    crossed = sum(abs(math.floor(x0 + 4 * v0)) for x0, v0 in zip(x, v, strict=True))
    assert sum(map(len, mo.events.values())) == crossed


def test_a_switch_changes_parameters_from_then_on():
    stiffer = da.Event("s.x", then={"k": "4*k"}, direction=-1, name="stiffer")
    mo = oscillator().simulate((0, 2), events=stiffer)
    assert [arc.parameters["k"] for arc in mo.arcs] == [4.0, 16.0]
    quarter = math.pi / 4
    assert mo.events["stiffer"] == pytest.approx([quarter], abs=1e-8)
    x = mo.at([quarter + math.pi / 8])["s.x"]
    assert x == pytest.approx([-0.5], abs=1e-7)  # speed 2 at angular frequency 4
    assert mo.potential_energy()[-1] == pytest.approx(8.0 * mo["s.x"][-1] ** 2)
    assert mo.quality.energy < 1e-7


def test_what_an_event_does_may_be_a_function():
    seen = []

    def kick(t: float, state: dict[str, float]) -> dict[str, float]:
        seen.append((t, state["s.x'"]))
        return {"s.x'": 2 * state["s.x'"], "m": 2.0}

    mo = oscillator().simulate((0, 1), events=da.Event("s.x", then=kick, name="kick"))
    assert seen[0][0] == mo.jumps[0].t
    assert mo.jumps[0].after["s.x'"] == 2 * seen[0][1]
    assert mo.jumps[0].switched == {"m": 2.0}


def test_a_loop_stays_closed_through_a_reset():
    m = four_bar((0.2, 0.4, 0.35), 0.5)
    turn_back = da.Event("A.th - 1.3", then={"A.th'": "-A.th'"}, name="stop", direction=1)
    mo = m.simulate((0, 0.5), start={"A.th": 1.0, "A.th'": 3.0}, events=turn_back)
    jump = mo.jumps[0]
    assert jump.after["A.th'"] == pytest.approx(-jump.before["A.th'"], rel=1e-9)
    others = [name for name in jump.before if name.endswith("'")]
    for name in others:  # one degree of freedom: all speeds turn back
        assert jump.after[name] == pytest.approx(-jump.before[name], rel=1e-7)
    assert mo.quality.closure < 1e-12


def test_bounces_that_pile_up_end_the_motion_with_a_sentence():
    with pytest.raises(da.SimulationError, match="'bounce' happens faster and faster") as caught:
        ball().simulate((0, 10), events=bounce())
    partial = caught.value.partial
    assert not partial.success
    assert partial.t[-1] == pytest.approx(math.sqrt(2 / GRAVITY) * (1 + 2 * 0.8 / (1 - 0.8)), abs=1e-4)


def test_the_last_time_ends_the_motion_and_changes_nothing():
    mo = ball().simulate((0, 10), events=bounce(terminal=3))
    assert mo.status == 1
    assert len(mo.jumps) == 2
    assert mo["drop.x'"][-1] < 0


@pytest.mark.parametrize(
    ("then", "complaint"),
    [
        ({"drop.y": 1}, "neither a state nor a parameter of 'ball'. Did you mean 'drop.x'"),
        ({"drop.x'": "sqrt(-1 - drop.x^2)"}, "finite number"),
        ({"drop.x'": "e*drop.x'"}, "uses 'e'"),
        (3.0, "give the new values by name"),
        (lambda t, state: {"drop.x": math.inf}, "must be a finite number"),
    ],
)
def test_what_an_event_cannot_do_is_refused(then, complaint):
    with pytest.raises(da.DalembertError, match=complaint):
        ball().simulate((0, 1), events=da.Event("drop.x < 0", then=then))


def test_motions_are_joined():
    m = oscillator()
    whole = m.simulate((0, 2), rtol=1e-10)
    first = m.simulate((0, 1), rtol=1e-10, events="s.x")
    joined = first + m.simulate((1, 2), start=first.state(1.0), rtol=1e-10, events={"s.x": "s.x", "top": "s.x'"})
    times = np.linspace(0, 2, 41)
    assert np.abs(joined.sol(times) - whole.sol(times)).max() < 1e-8
    assert joined.jumps == ()
    assert len(joined.arcs) == 2
    assert set(joined.events) == {"s.x", "top"}
    kicked = first + m.simulate((1, 2), start={"s.x": 0.5}, given={"k": 1.0})
    assert kicked.jumps[0].event == "joined"
    assert kicked.jumps[0].switched == {"k": 1.0}
    with pytest.raises(da.SimulationError, match=r"begins at t = 0, but the first ends at t = 1"):
        first + first
    with pytest.raises(da.SimulationError, match="different equations"):
        first + ball().simulate((1, 2))


def test_a_motion_in_arcs_is_saved_and_loaded_whole(tmp_path: Path):
    watched = [bounce(), da.Event("t - 1", then={"g": 5.0}, name="moon")]
    m = ball()
    m.gravity, m.given = [0, 0, "-g"], {"g": GRAVITY}
    mo = m.simulate((0, 2.5), events=watched)
    mo.save(tmp_path / "m.npz")
    again = da.Motion.load(tmp_path / "m.npz")
    times = np.linspace(0, 2.5, 101)
    assert np.array_equal(again.sol(times), mo.sol(times))
    assert np.array_equal(again.energy(), mo.energy())
    assert [jump.as_dict() for jump in again.jumps] == [jump.as_dict() for jump in mo.jumps]
    assert [arc.parameters for arc in again.arcs] == [arc.parameters for arc in mo.arcs]
    assert again.as_dict() == mo.as_dict()
    again.plot("drop.x")
    again.animate(tmp_path / "m.html")
    assert (tmp_path / "m.html").stat().st_size > 2e4


def test_a_loaded_loop_is_closed_between_its_steps(tmp_path: Path):
    mo = four_bar((0.2, 0.4, 0.35), 0.5).simulate((0, 0.5), start={"A.th": 1.0, "A.th'": 3.0})
    mo.save(tmp_path / "m.npz")
    times = np.linspace(0, 0.5, 41)
    assert np.array_equal(da.Motion.load(tmp_path / "m.npz").sol(times), mo.sol(times))


def test_an_ensemble_refuses_events_that_act():
    from dalembert.simulate import run_many, system_of

    with pytest.raises(da.SimulationError, match="one motion at a time"):
        run_many(system_of(ball()), (0, 1), events=bounce())


def test_motions_of_a_closed_loop_are_joined_by_their_state() -> None:
    m = da.load(Path(__file__).parents[2] / "examples/slider_crank.lsd")
    first = m.simulate((0, 0.1))
    joined = first + m.simulate((0.1, 0.2), start=first.state(0.1))
    assert joined["shaft.th"][-1] == pytest.approx(m.simulate((0, 0.2))["shaft.th"][-1], abs=1e-6)


@pytest.mark.parametrize("then", [{"A.th'": 1, "B.th'": 9}, {"A.th": 1, "B.th": 0}])
def test_an_event_that_asks_for_what_closed_loops_do_not_allow_is_an_error_with_the_numbers(then):
    m = four_bar((0.2, 0.4, 0.35), 0.5)
    with pytest.raises(da.SimulationError, match=r"asks at t = .* do not allow: A\.th"):
        m.simulate((0, 1), start={"A.th": 1.0, "A.th'": -3}, events=da.Event("A.th - 0.5", then=then, name="set"))


def test_an_event_may_stop_closed_loops_or_place_them_as_people_round():
    m = four_bar((0.2, 0.4, 0.35), 0.5)
    there = m.compile().start({"A.th": 0.8}).values
    for then in ({"A.th'": 0}, {name: round(there[name], 3) for name in ("A.th", "B.th", "D.th", "C.th")}):
        mo = m.simulate((0, 0.5), start={"A.th": 1, "A.th'": -3}, events=da.Event("t - 0.1", then=then, name="set"))
        assert mo.jumps[0].after[next(iter(then))] == pytest.approx(next(iter(then.values())), abs=2e-3)
        assert mo.quality.closure < 1e-12


def test_a_coordinate_that_an_event_sets_is_kept_and_the_loop_closes_around_it():
    m = four_bar((0.2, 0.4, 0.35), 0.5)
    set_back = da.Event("t - 0.1", then={"A.th": "A.th + 0.6"}, name="set")
    mo = m.simulate((0, 0.3), start={"A.th": 1.0, "A.th'": -3}, events=set_back)
    (jump,) = mo.jumps
    assert jump.after["A.th"] == pytest.approx(jump.before["A.th"] + 0.6, abs=1e-12)
    assert mo.quality.closure < 1e-12


def test_a_length_that_an_event_changes_is_refused_only_where_the_closure_is_singular_along_the_motion():
    """A loop whose closure holds the length, at a posture that both lengths share, goes on with the new one."""
    m = da.Mechanism("slider-crank")
    crank, rod, slide = (m.body(name, mass=1, inertia=[0.1, 0.1, 0.1]) for name in ("crank", "rod", "slide"))
    m.join(da.earth, crank, da.revolute("z"), name="a")
    m.join(crank.at([1, 0, 0]), rod, da.revolute("z"), name="b")
    m.join(da.earth.at([0, "h", 0]), slide, da.prismatic("x"), name="d")
    m.join(rod.at([3, 0, 0]), slide, da.revolute("z"), name="c")
    m.given, m.start = {"h": 0.0}, {"a.th": 0.5, "a.th'": 2.0}
    mo = m.simulate((0, 1), events=da.Event("a.th - 1", then={"h": "h + 0.01"}, terminal=False))
    assert mo.quality.closure < 1e-9
    assert len(mo.arcs) == 2
