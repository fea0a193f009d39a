"""What a motion tells by name: rates of places are velocities, momenta change by what acts."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import SimulationError
from dalembert.mechanism import Layout
from linkages import four_bar
from random_mechanisms import random_state, random_tree


def thrown(seed, **options):
    """A random tree in motion, with a named frame on its last body."""
    drawn = random_tree(seed, 3)
    m = da.Mechanism(drawn.name)
    m.__dict__.update(drawn.__dict__)
    m.frame("tip", m.bodies["b3"].at([0.3, -0.2, 0.5], da.turn(0.4, "y")))
    layout = Layout.of(m)
    state = random_state(m, layout.coordinates, layout.speeds, seed)
    given = {x: state[x] for x in m.parameters()}
    start = {x: state[x] for x in layout.state.names}
    return m, m.simulate((0, 0.4), given=given, start=start, rtol=1e-11, atol=1e-12, **options)


def slope(mo, name, t, h=2e-4):
    """Central difference of fourth order."""
    a, b, c, d = mo.at([t - 2 * h, t - h, t + h, t + 2 * h])[name]
    return (a - 8 * b + 8 * c - d) / (12 * h)


@pytest.mark.parametrize("seed", range(6))
def test_primes_are_rates_and_the_spin_turns_the_axes(seed):
    _, mo = thrown(seed)
    here = mo.at([0.2])
    for owner in ("tip", "b2"):
        for axis in "XYZ":
            for prime in ("", "'"):
                name = f"{owner}.{axis}{prime}"
                assert here[f"{name}'"][0] == pytest.approx(slope(mo, name, 0.2), rel=1e-6, abs=1e-6)
        turned = np.array([[slope(mo, f"{owner}.R{i}{j}", 0.2) for j in "123"] for i in "123"])
        rotation = np.array([[here[f"{owner}.R{i}{j}"][0] for j in "123"] for i in "123"])
        spin = turned @ rotation.T
        found = [here[f"{owner}.W{axis}"][0] for axis in "XYZ"]
        assert found == pytest.approx([spin[2, 1], spin[0, 2], spin[1, 0]], rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_momentum_is_mass_times_velocity_of_the_centre(seed):
    m, mo = thrown(seed)
    values = {da.expr.symbol(k): v for k, v in mo.parameters.items()}
    mass = sum(da.expr.evaluate([body.mass for body in m.bodies.values()], values))
    for axis in "XYZ":
        assert mo.at([0.2])[f"total.P{axis}"][0] == pytest.approx(mass * slope(mo, f"total.{axis}", 0.2), rel=1e-6)


def test_a_free_body_keeps_its_angular_momentum():
    m = da.Mechanism("thrown")
    m.join(da.earth, m.body("stone", mass=2, centre=[0.1, 0, 0], inertia=[1, 2, 2.5]), da.free("quaternion"), name="f")
    mo = m.simulate((0, 3), start={"f.wx": 1.0, "f.wy": 3.0, "f.x'": 1.0}, rtol=1e-11, atol=1e-12)
    for axis in "XYZ":
        assert np.ptp(mo[f"total.L{axis}"]) < 1e-8
        assert np.ptp(mo[f"total.P{axis}"]) < 1e-9


def test_outputs_make_events_and_formulas():
    m = da.Mechanism("pendulum")
    rod = m.body("rod", mass=1, centre=[0, 0, -1])
    m.join(da.earth, rod, da.revolute("x"), name="p")
    m.frame("tip", rod.at([0, 0, -2]))
    m.gravity = [0, 0, -10]
    mo = m.simulate(
        (0, 5), start={"p.th": 1.0}, events={"turn": "tip.Z'", "hang": da.simulate.Event("tip.Z''", terminal=True)}
    )
    assert mo.status == 1
    assert mo["tip.Z''"][-1] == pytest.approx(0, abs=1e-6)
    assert mo["tip.Y'**2 + tip.Z'**2"] == pytest.approx(4 * mo["p.th'"] ** 2)
    assert mo["p.th''"] == pytest.approx(-10 * np.sin(mo["p.th"]))
    with pytest.raises(SimulationError, match=r"Of 'tip' it tells tip.X"):
        mo["tip.x"]


def test_a_motion_derives_only_what_it_is_asked_for():
    _, mo = thrown(11)
    made = mo.system.outputs._made
    before = set(made)
    mo["b2.R12"]
    assert set(made) - before <= {f"b2.R{i}{j}" for i in "123" for j in "123"}
    assert len(made) < len(mo.system.outputs) / 4


def test_compiled_outputs_are_those_of_the_motion():
    m, mo = thrown(2)
    f, here = m.compile(), mo.at([0.2])
    q, u = np.split(here.y[:, 0], [len(f.coordinates)])
    for name in ("tip.X", "tip.Y'", "tip.Z''", "b1.R23", "tip.WX", "total.LZ", "total.V", "total.power"):
        assert f.output(name, q, u, 0.2, **mo.parameters) == pytest.approx(here[name][0], rel=1e-12, abs=1e-12)
    acceleration = f.frame_acceleration("tip", q, u, 0.2, **mo.parameters)
    assert acceleration[3:] == pytest.approx([here[f"tip.{axis}''"][0] for axis in "XYZ"])
    with pytest.raises(da.ModelError, match=r"no output 'tip.x'. Did you mean 'tip.X'"):
        f.output("tip.x", q, u)


def test_tables_hold_the_columns_that_are_asked_for(tmp_path):
    _, mo = thrown(2)
    mo.to_csv(tmp_path / "m.csv", ["tip.X", "2*total.T"])
    table = np.genfromtxt(tmp_path / "m.csv", delimiter=",", names=True, deletechars="")
    assert table.dtype.names == ("t", "tip.X", "2*total.T")
    assert table["tip.X"] == pytest.approx(mo["tip.X"])
    assert mo.as_dict(["tip.X"])["columns"] == {"tip.X": mo["tip.X"].tolist()}


def sprung():
    """A rod that turns about x, held by a strut to a point of earth and by a torsion spring about its pin."""
    m = da.Mechanism("sprung")
    rod = m.body("rod", mass=2, centre=[0, 0, -0.5], inertia=[0.2, 0.2, 0.01])
    m.join(da.earth, rod, da.revolute("x"), name="pin")
    ends = da.earth.at([0, 0.8, 0.3]), rod.at([0, 0, -1])
    m.spring(*ends, stiffness=40, damping="c", length=1, force="F*l - mu*pin.th'", name="strut")
    m.torsion_spring(da.earth, rod, "x", stiffness=5, damping=0.3, angle=0.2, name="coil")
    m.gravity = [0, 0, -9.81]
    m.given = {"c": 0.7, "F": 2, "mu": 0.1}
    return m


def test_a_spring_tells_its_length_its_rate_and_its_thrust():
    mo = sprung().simulate((0, 1), start={"pin.th": 0.6}, rtol=1e-10, atol=1e-12)
    here = mo.at([0.5])
    th, rate = here["pin.th"][0], here["pin.th'"][0]
    l = np.hypot(np.sin(th) - 0.8, -np.cos(th) - 0.3)
    assert here["strut.l"][0] == pytest.approx(l, rel=1e-12)
    assert here["strut.l'"][0] == pytest.approx(slope(mo, "strut.l", 0.5), rel=1e-6)
    thrust = -40 * (l - 1) - 0.7 * here["strut.l'"][0] + 2 * l - 0.1 * rate
    assert here["strut.force"][0] == pytest.approx(thrust, rel=1e-12)
    assert here["coil.th"][0] == pytest.approx(th)
    assert here["coil.th'"][0] == pytest.approx(rate)
    assert here["coil.torque"][0] == pytest.approx(-5 * (th - 0.2) - 0.3 * rate)


def test_springs_are_known_to_tables_events_and_machine_code(tmp_path):
    m = sprung()
    mo = m.simulate((0, 1), start={"pin.th": 0.6}, events=["strut.l - 1.3"])
    assert len(mo.t_events[0])
    assert mo.at(mo.t_events[0])["strut.l"] == pytest.approx(1.3)
    mo.to_csv(tmp_path / "m.csv", ["strut.force", "strut.l'"])
    assert "strut.force" in (tmp_path / "m.csv").read_text().splitlines()[0]
    found = m.compile().output("strut.force", [mo.y[0, 0]], [mo.y[1, 0]])
    assert found == pytest.approx(mo["strut.force"][0])


def test_a_spring_of_a_closed_machine_may_follow_the_link_that_closes_it():
    m = four_bar((0.2, 0.4, 0.35), 0.5)
    (cut,) = (one.link.name for one in m.layout().cuts)
    law = f"-0.2*{cut}.th' + 0.1*l"
    m.spring(da.earth.at([0.1, 0.9, 0.2]), m.links["B"].second, stiffness=3, length=0.5, force=law, name="s")
    mo = m.simulate((0, 0.3), start={"A.th": 1.0, "A.th'": 4.0})
    found = -3 * (mo["s.l"] - 0.5) - 0.2 * mo[f"{cut}.th'"] + 0.1 * mo["s.l"]
    assert mo["s.force"] == pytest.approx(found, rel=1e-9)
    n = len(m.layout().state.coordinates)
    assert m.compile().output("s.force", mo.y[:n, -1], mo.y[n:, -1]) == pytest.approx(found[-1], rel=1e-9)
