"""Links that close loops, where the answer is known by hand: what they carry, where they lead, how time drives them."""

from __future__ import annotations

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex


def test_a_weld_that_closes_a_loop_carries_the_weight_in_all_six_components() -> None:
    m = da.Mechanism("hung")
    centre, gravity = np.array([0.2, -0.3, 0.5]), np.array([1.0, 2.0, -9.0])
    body = m.body("body", mass=3, centre=list(centre), inertia=[1, 1, 1])
    m.join(da.earth, body, da.free(), name="float")
    m.join(da.earth, body, da.weld(), name="glue")
    m.gravity = list(gravity)
    known = [*-np.cross(centre, 3 * gravity), *-3 * gravity]
    np.testing.assert_allclose(m.reactions({}, cut=["glue"])["glue"].wrench, known, rtol=1e-9)
    eq = m.equations("kane", cut=["glue"])
    one = eq.reactions(["glue"])["glue"]
    here = {ex.symbol(x): float(x.endswith(".e0")) for x in (*eq.coordinates, *eq.speeds)}
    np.testing.assert_allclose([float(v) for v in ex.evaluate([*one.moment, *one.force], here)], known, rtol=1e-9)
    motion = m.simulate((0, 0.01), cut=["glue"])
    told = [motion[f"glue.{x}"][0] for x in ("Mx", "My", "Mz", "Fx", "Fy", "Fz")]
    np.testing.assert_allclose(told, known, rtol=1e-7)


def driven(axis: str, turns: bool, path: str) -> da.Mechanism:
    """One freedom in the tree, and a link beside it that time leads along a path."""
    m = da.Mechanism("driven")
    body = m.body("body", mass=2, centre=[0.1, 0.2, 0.3], inertia=[1, 1, 1])
    m.join(da.earth, body, da.revolute(axis) if turns else da.prismatic(axis), name="rail")
    way = ["0", "0", "0"]
    way["xyz".index(axis)] = path
    led = da.Displacement.of([0, 0, 0], da.turn(path, axis)) if turns else da.Displacement.of(way)
    m.join(da.earth, body, da.Joint((), (da.Step(led),)), name="crank")
    return m


@pytest.mark.parametrize("turns", [False, True])
@pytest.mark.parametrize("axis", ["x", "y", "z"])
def test_a_closing_link_that_time_drives_leads_the_machine_along_its_path(axis: str, turns: bool) -> None:
    """Start, speed and acceleration are those of 0.4 + 0.1 sin(2 t), none of which is given."""
    m = driven(axis, turns, "0.4 + 0.1*sin(2*t + 0.3)")
    motion = m.simulate((0, 1), cut=["crank"])
    where = 0.4 + 0.1 * np.sin(2 * motion.t + 0.3)
    np.testing.assert_allclose(motion.y[0], where, atol=1e-7)
    np.testing.assert_allclose(motion.y[1], 0.2 * np.cos(2 * motion.t + 0.3), atol=1e-6)
    found = m.compile(cut=["crank"]).acceleration([0.4 + 0.1 * np.sin(0.9)], [0.2 * np.cos(0.9)], t=0.3)
    assert found[0] == pytest.approx(-0.4 * np.sin(0.9), rel=1e-9)
