"""The bicycle of Whipple, from an LSD file with rolling wheels, has the linear equations of the published benchmark.

Meijaard, Papadopoulos, Ruina, Schwab, Proc. R. Soc. A 463 (2007) 1955-1982:
M q'' + v C1 q' + (g K0 + v^2 K2) q = 0 for q = (lean, steer). Far from upright it has the accelerations of Table 1 of
Basu-Mandal, Chatterjee, Papadopoulos, Proc. R. Soc. A 463 (2007) 1983-2003.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.analysis.compare import compare

M = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
K0 = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
K2 = np.array([[0, 76.59734589573222], [0, 2.65431523794604]])
C1 = np.array([[0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])
UPRIGHT = dict.fromkeys(("ride.yaw", "ride.lean", "ride.pitch", "steer.de", "ride.lean'", "steer.de'"), 0.0)


@pytest.fixture(scope="module")
def bicycle():
    return da.load(Path(__file__).parents[2] / "examples" / "bicycle.lsd")


def small(bicycle, speed):
    """Mass, damping and stiffness of lean and steer."""
    found = bicycle.linearize({**UPRIGHT, "ride.x'": speed}, independent=("ride.lean", "steer.de"))
    assert found.coordinates[:2] == ("ride.lean", "steer.de")
    assert max(abs(float(x)) for x in ex.evaluate(list(found.residual), {})) < 1e-11  # of a weight of 922 N
    arrays = (
        np.array(ex.evaluate(list(m.entries), {})).reshape(m.shape)
        for m in (found.mass, found.damping, found.stiffness)
    )
    return found, *(m[:2, :2] for m in arrays)


@pytest.mark.slow
def test_every_formalism_derives_the_bicycle_with_its_rows(bicycle):
    layout = bicycle.layout()
    found = compare(layout)
    assert layout.dof == 9
    assert found.disagreement < 1e-9


def test_linear_equations_of_the_benchmark(bicycle):
    _, mass, _, stiffness = small(bicycle, 0.0)
    assert np.abs(mass - M).max() < 1e-10
    assert np.abs(stiffness / 9.81 - K0).max() < 1e-10
    speed = 4.6
    _, mass, damping, stiffness = small(bicycle, speed)
    assert np.abs(mass - M).max() < 1e-10
    assert np.abs(damping / speed - C1).max() < 1e-10
    assert np.abs((stiffness - 9.81 * K0) / speed**2 - K2).max() < 1e-10


@pytest.mark.parametrize(("speed", "stable"), [(4.28, False), (4.30, True), (6.02, True), (6.03, False)])
def test_it_is_stable_by_itself_between_weave_and_capsize(bicycle, speed, stable):
    """Weave speed 4.292382536 m/s, capsize speed 6.024262015 m/s; place and heading along the road are neutral."""
    values = small(bicycle, speed)[0].eigenvalues()
    moving = values[np.argsort(-np.abs(values))][:4]
    assert (moving.real.max() < 0) == stable


@pytest.mark.slow
def test_pushed_it_comes_upright_again_and_keeps_its_energy(bicycle):
    mo = bicycle.simulate((0, 5), rtol=1e-9, atol=1e-11)
    assert np.abs(mo["ride.lean"]).max() > 0.05
    assert np.abs(mo["ride.lean"][-1]) < 0.02
    assert np.ptp(mo.energy()) < 1e-6 * mo.energy()[0]
    assert mo.quality.closure < 1e-10


#: Of Table 1, in its order x, y, z (up) of the rear wheel's centre, yaw, lean, pitch, rear wheel, steer, front wheel;
#: what is zero there is left out: coordinates, speeds, accelerations. Its x and z point against those of the file.
LEANING = {"z": 0.2440472102925, "lean": 0.9501292851472, "pitch": 3.1257073014894, "steer": 0.2311385135743}
GOING = (-2.8069345714545, -0.1480982396001, 0.1058778746261, 0.7830033527065, 0.6068425835418, -0.0119185528069)
GOING += (8.9129896614890, 0.4859824687093, 8.0133620584155)
TURNING = (-0.5041626315047, -0.3449706619454, -1.4604528332980, 0.8353281706379, -7.8555281128244, 0.1205543897884)
TURNING += (1.8472554144217, -4.6198904039403, 2.4548072904550)


def test_accelerations_of_a_bicycle_that_leans_steers_and_falls(bicycle):
    """To all digits of the table: the last ones are as uncertain as 13 decimals of the state leave them."""
    f = bicycle.compile()
    signs = np.array([-1, 1, -1, -1, -1, -1, -1, -1, -1.0])
    lean, pitch, steer = np.pi / 2 - LEANING["lean"], np.pi - LEANING["pitch"], -LEANING["steer"]
    state = np.array([0, 0, -LEANING["z"], 0, lean, pitch, 0, steer, 0, *(signs * GOING)])

    def at(y):
        return f.acceleration(y[..., :9], y[..., 9:])

    step = 1e-6 * np.eye(18)
    slopes = (at(state + step) - at(state - step)) / 2e-6
    uncertain = 0.5e-13 * (1 + np.abs(slopes).sum(axis=0))
    assert uncertain.max() < 5e-12
    assert (np.abs(at(state) - signs * TURNING) < uncertain).all()


def test_the_same_fall_from_the_values_that_are_free(bicycle):
    """Lean, steer, their rates and the rear wheel's speed; the other twelve follow from contact and rolling."""
    start = {"ride.lean": np.pi / 2 - LEANING["lean"], "steer.de": -LEANING["steer"]}
    start |= {"ride.lean'": -GOING[4], "steer.de'": -GOING[7], "hub.th'": -GOING[6]}
    start |= dict.fromkeys(("ride.x", "ride.y", "ride.yaw", "hub.th", "front.th"), 0.0)
    free = da.loads(bicycle.to_lsd())
    free.start = {}
    mo = free.simulate((0, 1e-3), start=start)
    assert mo["ride.z"][0] == pytest.approx(-LEANING["z"], abs=1e-12)
    assert mo["ride.pitch"][0] == pytest.approx(np.pi - LEANING["pitch"], abs=1e-12)
    assert mo["front.th'"][0] == pytest.approx(-GOING[8], abs=1e-11)
    assert mo["ride.lean''"][0] == pytest.approx(-TURNING[4], abs=1e-11)
    assert mo["steer.de''"][0] == pytest.approx(-TURNING[7], abs=1e-11)


def test_a_steering_motor_tells_the_torque_that_steers_as_it_does(bicycle):
    """The same torque on a bicycle without motor (a saddle point by NumPy) makes the same ride."""
    driven = da.loads(bicycle.to_lsd())
    driven.drive("steer.de", "0.05*sin(2*t)", name="motor")
    driven.start = {name: value for name, value in bicycle.start.items() if not name.startswith("steer")}
    mo = driven.simulate((0, 0.3), rtol=1e-10, atol=1e-12)
    assert mo["steer.de"] == pytest.approx(0.05 * np.sin(2 * mo.t), abs=1e-12)
    energy = mo.energy()
    assert np.abs(energy - energy[0] - mo.work()).max() < 1e-8
    f, state = bicycle.compile(), mo.state(0.2)
    torque = np.zeros(9)
    torque[f.speeds.index("steer.de'")] = mo.at([0.2])["motor.lambda"][0]
    eq = bicycle.equations("kane")
    values = {ex.symbol(name): value for name, value in state.items()}
    mass = np.array(ex.evaluate(list(eq.mass_matrix.entries), values)).reshape(9, 9)
    rows = np.array(ex.evaluate(list(eq.rows.matrix.entries), values)).reshape(-1, 9)
    right = np.array(ex.evaluate([*eq.bias, *eq.rows.gamma], values))
    right[:9] += torque + np.array(ex.evaluate(list(eq.forces), values))
    saddle = np.block([[mass, -rows.T], [rows, np.zeros((len(rows), len(rows)))]])
    wanted = np.linalg.solve(saddle, right)[:9]
    got = [mo.at([0.2])[x + "'"][0] for x in f.speeds]
    assert got == pytest.approx(wanted, rel=1e-7, abs=1e-7)
    assert wanted[f.speeds.index("steer.de'")] == pytest.approx(-0.2 * np.sin(0.4), abs=1e-7)
