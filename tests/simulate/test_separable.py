"""Forces without a potential are seen by symplectic methods in any unit of mass."""

from __future__ import annotations

import pytest

import dalembert as da


@pytest.mark.parametrize("mass", [1e-15, 1.0, 1e15])
def test_forces_that_turn_are_refused_however_light_the_machine(mass):
    def pulled(turn: float) -> da.Mechanism:
        m = da.Mechanism("pulled")
        joint = da.composite(["x", "y"], ["x", "y", 0])
        law = {"x": f"{mass}*(-x + {turn}*y)", "y": f"{mass}*(-y - {turn}*x)"}
        m.join(da.earth, m.body("b", mass=mass), joint.with_efforts(**law), name="p")
        m.start = {"p.x": 1.0}
        return m

    pulled(0.0).simulate((0, 1), method="symplectic", first_step=0.1)
    with pytest.raises(da.SimulationError, match="no potential"):
        pulled(0.5).simulate((0, 1), method="symplectic", first_step=0.1)
