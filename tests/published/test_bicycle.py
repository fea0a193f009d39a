"""The bicycle of Whipple, from an LSD file with rolling wheels, has the linear equations of the published benchmark.

Meijaard, Papadopoulos, Ruina, Schwab, Proc. R. Soc. A 463 (2007) 1955-1982:
M q'' + v C1 q' + (g K0 + v^2 K2) q = 0 for q = (lean, steer).
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
    assert max(abs(float(x)) for x in ex.evaluate(list(found.residual), {})) < 1e-12
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
