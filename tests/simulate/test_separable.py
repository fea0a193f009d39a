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


@pytest.mark.parametrize("law", ["-x - max(x' - 10, 0)", "-x - 0.1*sign(x')", "-x - where(abs(x') < 50, 0, x')"])
def test_dampers_that_begin_at_a_speed_are_refused_whatever_the_speed(law):
    """They were accepted where no random state had the speed, and the motion was that of another machine."""
    m = da.Mechanism("cart")
    m.join(da.earth, m.body("b", mass=1), da.prismatic("x").with_efforts(x=law), name="s")
    with pytest.raises(da.SimulationError, match="chosen by a speed"):
        m.simulate((0, 1), method="symplectic", first_step=0.1, start={"s.x'": 20.0})


def test_end_stops_have_a_potential_and_forces_that_turn_beyond_them_have_none():
    def stopped(turn: float) -> da.Mechanism:
        m = da.Mechanism("stopped")
        law = {"x": f"-x - 5*max(x - 20, 0) + {turn}*max(y - 20, 0)", "y": f"-y - {turn}*max(x - 20, 0)"}
        joint = da.composite(["x", "y"], ["x", "y", 0])
        m.join(da.earth, m.body("b", mass=1), joint.with_efforts(**law), name="p")
        m.start = {"p.x": 21.0}
        return m

    stopped(0.0).simulate((0, 1), method="symplectic", first_step=0.01)
    with pytest.raises(da.SimulationError, match="no potential"):
        stopped(0.5).simulate((0, 1), method="symplectic", first_step=0.01)
