"""Random chains that fall on a floor and against their stops: nothing is crossed, no energy is gained."""

import warnings

import numpy as np
import pytest
from contact_machines import upright

import dalembert as da


def machine(seed):
    rng = np.random.default_rng(seed)
    m = da.Mechanism("random")
    m.gravity = [0, 0, -9.81]
    free, last, reach = rng.random() < 0.5, None, 0.0
    for i in range(rng.integers(1, 4)):
        length = rng.uniform(0.3, 1)
        inertia = [length**2 / 12] * 3
        body = m.body(f"b{i}", mass=rng.uniform(0.5, 2), centre=[0, 0, -length / 2], inertia=inertia)
        if last is None:
            joint = upright() if free else da.revolute("y")
            m.join(da.earth if free else da.earth.at([0, 0, 3]), body, joint, name="j0")
            m.start["j0.th"] = rng.uniform(-2, 2)
            if free:
                m.start |= {"j0.z": 3.0, "j0.x'": rng.normal()}
        else:
            m.join(last.at([0, 0, -reach]), body, da.revolute("y"), name=f"j{i}")
            m.start[f"j{i}.th"] = rng.uniform(-1, 1)
            if rng.random() < 0.5:
                m.limit(f"j{i}.th", -1.2, 1.2, restitution=rng.uniform(0, 0.8))
        e, mu = rng.choice([0, 0.3, 0.7]), rng.choice([0, 0.2, 0.6])
        mu = 0 if e else mu  # Newton's restitution with friction may create energy, and is refused then
        floor = da.Plane(da.earth.at([0, 0, 1.6 if not free else -0.3]))
        m.contact(da.Sphere(body.at([0, 0, -length]), 0.05), floor, restitution=e, friction=mu, name=f"tip{i}")
        if free and last is None:
            m.contact(da.Sphere(body, 0.05), floor, restitution=e, friction=mu, name="top")
        last, reach = body, length
    return m


def check(seed):
    m = machine(seed)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            mo = m.simulate((0, 2))
    except da.SimulationError as error:
        assert "beyond what it allows" in str(error)  # noqa: PT017
        return
    energy = mo.energy()
    assert min(mo[f"{one.name}.gap"].min() for one in m.contacts) > -1e-8
    assert np.diff(energy).max() < 1e-5 * np.ptp(energy) + 1e-6


@pytest.mark.parametrize("seed", [2, 4, 6])
def test_nothing_is_crossed_and_no_energy_gained(seed):
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 22))
def test_nothing_is_crossed_and_no_energy_gained_in_more_machines(seed):
    check(seed)
