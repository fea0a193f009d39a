"""A motion knows its quality, ends where its chart ends, and does not depend on units."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

import dalembert as da
from dalembert.mechanism import Displacement, Joint, Step
from dalembert.simulate import METHODS, run_many, system_of
from dalembert.simulate.motion.quality import QualityWarning, checked
from linkages import four_bar, slider_crank


def bead(*place: str) -> da.Mechanism:
    m = da.Mechanism("bead")
    joint = Joint(("a",), (Step(Displacement.of(place)),))
    m.join(da.earth, m.body("bead", mass=1), joint, name="wire")
    m.gravity = [0, 0, -9.81]
    return m


@pytest.mark.parametrize("method", ["DOP853", "DOPRI5", "RODAS4", "DAE"])
@pytest.mark.parametrize(
    "place", [("0", "sqrt(1 - a^2)", "a"), ("0", "(1 - a^2)^(1/2)", "a"), ("0", "sin(acos(a))", "a")]
)
def test_a_bead_stops_where_its_chart_ends(method, place):
    """y = sqrt(1 - a^2), z = a: the bead comes to a = -1 at full speed, and a is no coordinate of its circle there."""
    with pytest.raises(da.SimulationError, match="the chart of 'wire' ends") as caught:
        bead(*place).simulate((0, 3), start={"wire.a": 0.3, "wire.a'": 1.0}, method=method)
    partial = caught.value.partial
    assert not partial.success
    assert partial["wire.a"][-1] == pytest.approx(-1, abs=1e-3)
    kept = partial.at(np.linspace(0, 0.76, 50)).energy()  # the bead is there at t = 0.7662
    assert np.ptp(kept) < 1e-3 * abs(kept[0])


def test_a_chart_that_does_not_end_on_the_way_disturbs_nothing():
    mo = bead("0", "sqrt(1 - a^2)", "a").simulate((0, 0.5), start={"wire.a": 0.3})
    assert mo.quality.energy < 1e-8


def test_a_tree_tells_its_energy_balance_and_its_constant_momentum():
    mo = _spinning().simulate((0, 2), rtol=1e-9)
    assert mo.quality.closure is None
    assert mo.quality.energy < 1e-7
    assert set(mo.quality.integrals) == {"the momentum of 'axis.th'"}
    assert max(mo.quality.integrals.values()) < 1e-7
    assert mo.quality.remarks == ()


def _spinning() -> da.Mechanism:
    """A rod on a hinge that turns about the vertical."""
    m = da.Mechanism("governor")
    shaft = m.body("shaft", mass=1, inertia=[0.1, 0.1, 0.1])
    rod = m.body("rod", mass=1, centre=[0, 0, -0.5], inertia=[0.1, 0.1, 0.01])
    m.join(da.earth, shaft, da.revolute("z"), name="axis")
    m.join(shaft, rod, da.revolute("x"), name="hinge")
    m.gravity = [0, 0, -9.81]
    m.start = {"hinge.th": 1.0, "axis.th'": 3.0}
    return m


def test_energy_that_is_lost_on_the_way_is_said():
    with pytest.warns(QualityWarning, match="energy balance is off by"):
        _spinning().simulate((0, 5), rtol=1e-2, atol=1e-2, method="BS23")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _spinning().simulate((0, 5))


def test_quaternions_are_judged():
    m = da.Mechanism("body")
    m.join(da.earth, m.body("b", mass=1, inertia=[1, 2, 3]), da.spherical("quaternion"), name="s")
    mo = m.simulate((0, 2), start={"s.wx": 1.0, "s.wy": 0.1})
    assert mo.quality.norm < 1e-15
    assert "unit quaternions" in str(mo.quality)


def test_an_open_loop_is_no_success():
    mo = four_bar((0.2, 0.4, 0.35), 0.5).simulate((0, 0.2), start={"A.th": 1.0, "A.th'": 3.0})
    assert mo.quality.closure < 1e-13
    mo.arcs[0].sol.y[:] += 1e-3
    with pytest.raises(da.SimulationError, match="a loop of 'four-bar' is open by") as caught:
        checked(replace(mo))
    assert not caught.value.partial.success
    assert caught.value.partial.status == -1


def test_many_runs_that_open_a_loop_are_no_success():
    system = system_of(four_bar((0.2, 0.4, 0.35), 0.5))
    torn = replace(system, corrected=())  # nothing brings it back
    many = run_many(torn, (0, 3), start={"A.th": 1.0, "A.th'": np.array([3.0, 8.0])}, rtol=1e-2, atol=1e-1)
    assert (many.status == -1).all()
    assert run_many(system, (0, 3), start={"A.th": 1.0, "A.th'": np.array([3.0, 8.0])}).success


def scaled(length: float, mass: float) -> da.Mechanism:
    """A slide with a spring on a swinging arm."""
    m = da.Mechanism("scaled")
    inertia = mass * length**2
    a = m.body("a", mass=2 * mass, centre=[0, 0, -0.5 * length], inertia=[0.1 * inertia] * 3)
    b = m.body("b", mass=mass, centre=[0, 0, -0.3 * length], inertia=[0.05 * inertia] * 3)
    m.join(da.earth, a, da.revolute("y"), name="p")
    m.join(a.at([0, 0, -length]), b, da.prismatic("x").with_efforts(x=f"-{20 * mass!r}*x"), name="s")
    m.gravity = [0, 0, -9.81 * length]
    m.start = {"p.th": 1.0, "s.x": 0.2 * length}
    return m


@pytest.mark.parametrize(("length", "mass"), [(1e-3, 1e-3), (1e3, 1e3), (1e-6, 1e6), (1e6, 1e-6)])
@pytest.mark.parametrize("method", ["DOP853", "DAE"])
def test_the_unit_of_length_and_mass_does_not_change_the_motion(length, mass, method):
    unit = np.array([1, length, 1, length])
    span = (0, 2) if method == "DOP853" else (0, 0.2)
    reference, seen = (m.simulate(span, method=method) for m in (scaled(1, 1), scaled(length, mass)))
    assert len(seen.t) == len(reference.t)  # the same steps
    assert seen.y[:, -1] / unit == pytest.approx(reference.y[:, -1], abs=1e-9)


def test_things_that_only_fall_have_a_scale_too():
    m = da.Mechanism("ball")
    m.join(da.earth, m.body("ball", mass=1), da.prismatic("z"), name="drop")
    m.gravity = [0, 0, "-g"]
    system = system_of(m)
    assert system.scale_of({"g": 9810.0}, [0.0, 0.0], 0.0) == pytest.approx([9810.0, 9810.0])
    assert system.scale_of({"g": 9810.0}, [5.0, 0.0], 0.0) == pytest.approx([5.0, 5.0])


def test_every_method_says_what_kind_it_is():
    assert {method.kind for method in METHODS.values()} == {
        "explicit",
        "implicit",
        "symplectic",
        "DAE",
        "time stepping",
        "variational",
        "series",
    }


def test_a_state_holds_its_time_and_a_motion_starts_from_it():
    m = _spinning()
    mo = m.simulate((0, 2))
    state = mo.state(1.0)
    assert state["t"] == 1.0
    again = m.simulate((1, 2), start=state)
    assert again.y[:, -1] == pytest.approx(mo.y[:, -1], abs=1e-6)
    with pytest.raises(da.SimulationError, match="the start is a state at t = 1"):
        m.simulate((0, 2), start=state)


def test_an_argument_of_another_name_is_refused_in_words():
    with pytest.raises(da.ArgumentError, match=r"`simulate` takes no 'tolerance'. It takes t_span, start, given"):
        _spinning().simulate((0, 1), tolerance=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="Did you mean 't_eval'"):
        _spinning().simulate((0, 1), teval=[0, 1])  # type: ignore[call-arg]


def test_a_closed_machine_that_loses_energy_says_so():
    with pytest.warns(QualityWarning, match="energy balance"):
        slider_crank().simulate((0, 0.5), method="DAE", max_step=0.01)


def test_a_truss_that_stands_has_no_energy_to_balance(recwarn):
    m = da.Mechanism("door")
    door = m.body("door", mass=20, centre=[0.5, 0.1, -0.2], inertia=[1, 1, 1])
    for name, at in (("low", [0, 0, 0]), ("side", [1, 0, 0])):
        m.join(da.earth.at(at), door.at(at), da.revolute("z"), name=name)
    m.gravity = [0, -9.81, 0]
    mo = m.simulate((0, 1))
    assert mo.quality.energy is None
    assert not [w for w in recwarn if w.category is QualityWarning]


def test_a_motion_from_rest_in_a_singular_posture_says_that_another_is_possible():
    """A parallelogram that lies flat at rest under its weight: nothing tells its branches apart."""
    m = four_bar((1, 2, 1), 2)
    with pytest.warns(da.simulate.QualityWarning, match=r"starts at rest in a singular posture, where branches meet"):
        slow = m.simulate((0, 1))
    assert slow.quality.singular == (0.0,)
    assert slow.quality.as_dict()["undecided"] is True
    assert slow.quality.energy < 1e-8
    assert slow.quality.closure < 1e-10
    quick = m.simulate((0, 0.4), start={"A.th": -0.5, "D.th": -0.5, "A.th'": 6.0}, rtol=1e-11, atol=1e-12)
    assert quick["A.th"][-1] > 0.5
    assert quick.quality.remarks == ()
    assert quick.quality.energy < 1e-8


def test_large_machines_tell_their_singular_passages_too(monkeypatch):
    from dalembert.simulate.system import large

    monkeypatch.setattr(large, "_EXPANDED", 0)
    with pytest.warns(da.simulate.QualityWarning, match="at rest in a singular posture"):
        assert four_bar((1, 2, 1), 2).simulate((0, 0.3)).quality.singular == (0.0,)


@pytest.mark.parametrize(("speed", "wrapped"), [(3.0, ()), (9.0, ("coil",))])
def test_a_torsion_spring_beyond_half_a_turn_is_named(speed, wrapped):
    """Its angle begins anew there and its torque jumps: no tolerance mends that, a law of the joint does."""
    m = da.Mechanism("wheel")
    wheel = m.body("wheel", mass=1, inertia=[0.1, 0.1, 0.1])
    m.join(da.earth, wheel, da.revolute("z"), name="axle")
    m.torsion_spring(da.earth, wheel, axis=[0, 0, 1], stiffness=0.5, angle=0.3, name="coil")
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        mo = m.simulate((0, 2), start={"axle.th'": speed})
    assert mo.quality.wrapped == wrapped
    assert [("'coil' turns beyond half a turn" in str(x.message)) for x in said] == [True] * len(wrapped)
