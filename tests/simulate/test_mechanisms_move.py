"""Mechanisms from their description: every joint, chart and effort moves as an independent integration says."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert import expr as ex
from dalembert.simulate import run, system_of
from random_mechanisms import random_state, random_tree


@pytest.mark.parametrize("seed", range(6))
def test_random_trees_agree_with_scipy_on_interpreted_rates(seed: int) -> None:
    mechanism = random_tree(seed, 3)
    system = system_of(mechanism)
    state = random_state(mechanism, system.coordinates, system.speeds, seed)
    given = {name: state[name] for name in system.known_parameters}
    start = {name: state[name] for name in system.states}
    motion = run(system, (0, 0.3), start=start, given=given, rtol=1e-10, atol=1e-11)
    known = {ex.symbol(name): value for name, value in given.items()}

    def rates(t: float, y: np.ndarray) -> list[float]:
        return ex.evaluate(list(system.rates), known | dict(zip(system.symbols, y, strict=True)) | {ex.TIME: t})

    y0 = [start[name] for name in system.states]
    independent = solve_ivp(rates, (0, 0.3), y0, "RK45", rtol=1e-9, atol=1e-10)
    assert motion.y[:, -1] == pytest.approx(independent.y[:, -1], rel=1e-6, abs=1e-6)


def arm(n: int) -> da.Mechanism:
    m = da.Mechanism("arm")
    previous = da.earth
    for i in range(n):
        body = m.body(f"link{i}", mass=1 + 0.1 * i, centre=[0.02, 0.01, 0.25], inertia=[0.03, 0.04, 0.02])
        m.join(previous, body, da.revolute("zyx"[i % 3]), name=f"j{i}")
        previous = body.at([0, 0, 0.5])
    m.gravity = [0, 0, -9.81]
    m.start = {f"j{i}.th": 0.1 * (i + 1) for i in range(n)}
    return m


@pytest.mark.parametrize(("tolerance", "drift"), [(1e-6, 1e-4), (1e-9, 1e-7), (1e-12, 1e-10)])
def test_seven_joint_arm_keeps_its_energy_as_well_as_asked(tolerance: float, drift: float) -> None:
    motion = arm(7).simulate((0, 5), rtol=tolerance, atol=tolerance)
    energy = motion.energy()
    assert abs(energy - energy[0]).max() < drift * motion.kinetic_energy().max()


def test_links_keep_their_length_in_the_pictures() -> None:
    motion = arm(4).simulate((0, 2))
    ends = [np.array([motion[f"link{i}.{axis}"] for axis in "XYZ"]) for i in range(4)]
    for first, second in itertools.pairwise(ends):
        assert np.linalg.norm(second - first, axis=0) == pytest.approx(0.5)


def test_projectile_lands_where_galilei_says() -> None:
    m = da.Mechanism("stone")
    stone = m.body("stone", mass=2, inertia=[1, 2, 3])
    m.join(da.earth, stone, da.free("quaternion"), name="fly")
    m.gravity = [0, 0, -9.81]
    from dalembert.simulate import Event

    start = {"fly.x'": 3.0, "fly.z'": 4.0, "fly.z": 1.0, "fly.wx": 2.0}
    motion = m.simulate((0, 10), start=start, events=Event("stone.Z < 0", terminal=True))
    flight = (4 + math.sqrt(16 + 2 * 9.81)) / 9.81
    assert motion.t[-1] == pytest.approx(flight, abs=1e-9)
    assert motion["fly.x"][-1] == pytest.approx(3 * flight, abs=1e-8)


def test_spinning_top_precesses_and_keeps_its_momenta() -> None:
    """A heavy symmetric top: energy, spin and vertical momentum are first integrals, in two different charts."""
    ends = []
    for chart, start in (("zxz", {"foot.th": 0.4, "foot.ph'": 50.0}), ("quaternion", None)):
        m = da.Mechanism("top")
        body = m.body("body", mass=1, centre=[0, 0, 0.3], inertia=[0.02, 0.02, 0.03])
        m.join(da.earth, body, da.spherical(chart), name="foot")
        m.frame("tip", body, da.Displacement.of([0, 0, 0.3]))
        m.gravity = [0, 0, -9.81]
        if start is None:
            start = {"foot.e0": math.cos(0.2), "foot.e1": math.sin(0.2), "foot.wz": 50.0}
        motion = m.simulate((0, 2), start=start, rtol=1e-11, atol=1e-12)
        energy = motion.energy()
        assert abs(energy - energy[0]).max() < 1e-8 * energy[0]
        ends.append([motion[f"tip.{axis}"][-1] for axis in "XYZ"])
    assert ends[0] == pytest.approx(ends[1], abs=1e-7)


def test_motion_prescribed_by_time_alone_can_be_shown() -> None:
    m = da.Mechanism("mast")
    mast = m.body("mast", mass=1, centre=[0, 0, 1])
    m.join(da.earth, mast, da.composite([], da.Displacement.of([ex.sin(ex.TIME), 0, 0])), name="shaker")
    motion = m.simulate((0, 3))
    assert motion.y.shape == (0, len(motion.t))
    assert motion["mast.X"] == pytest.approx(np.sin(motion.t))
    assert motion.at([1.0])["mast.X"] == pytest.approx([math.sin(1.0)])
