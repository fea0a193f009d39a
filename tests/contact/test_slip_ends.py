"""A block that a moving spring drags over a rough table sticks where its slip ends, however fast it was before."""

import numpy as np
import pytest

import dalembert as da


def dragged(seed: int, unit: float, kept: bool) -> da.Mechanism:
    """A spring whose end swings pulls a block over a table: a contact, or a constraint that rubs."""
    rng = np.random.default_rng(seed)
    mass, pace = rng.uniform(1, 3), rng.uniform(2, 5)
    end = f"{rng.uniform(0.2, 0.5) * unit}*sin({pace}*t)"
    block = da.composite(["x", "z"], ["x", 0, "z"]).with_efforts(x=f"{rng.uniform(60, 140)}*({end} - x)")
    m = da.Mechanism("dragged")
    m.join(da.earth, m.body("block", mass=mass), block, name="b")
    m.gravity = [0, 0, -9.81 * unit]
    if kept:
        m.constrain("b.z = 0", by=da.coulomb(0.3, "b.x'"), name="table")
    else:
        m.contact("b.z", friction=0.3, slip="b.x'", name="table")
    return m


@pytest.mark.parametrize(("seed", "unit"), [(0, 1e-3), (2, 1e3), (3, 1.0)])
def test_a_dragged_block_sticks_where_its_slip_ends(seed, unit):
    mo = dragged(seed, unit, kept=False).simulate((0, 4), t_eval=np.linspace(0, 4, 81))
    other = dragged(seed, unit, kept=True).simulate((0, 4), t_eval=np.linspace(0, 4, 81))
    assert "stick" in [phase.state for phase in mo.contacts.phases[1:]]
    np.testing.assert_allclose(mo["b.x"], other["b.x"], atol=1e-6 * unit)
    power = mo["table.power"]  # a table that rests gives nothing
    assert power.max() <= 1e-9 * np.abs(power).max()


def test_friction_beyond_its_bound_is_never_told_as_a_stick():
    """A box that is pushed harder and harder: its slip from t = mu m g on is not found, which is told."""
    m = da.Mechanism("pushed")
    b = m.body("b", mass=1, inertia=[0.01] * 3)
    m.join(da.earth, b, da.free("quaternion"), name="f")
    m.gravity, m.start = [0, 0, -9.81], {"f.z": 0.1}
    m.contact(da.Box(b, [0.4, 0.4, 0.2]), da.Plane(da.earth), friction=0.2, name="c")
    m.force(b, ["t", 0, 0])
    with pytest.raises(da.SimulationError, match=r"friction is beyond its bound at contact c_"):
        m.simulate((0, 4))
    stepped = m.simulate((0, 4), method="moreau", max_step=2e-3)
    assert stepped["f.x"][-1] == pytest.approx((4 - 1.962) ** 3 / 6, rel=1e-4)
