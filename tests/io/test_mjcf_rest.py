"""Where springs of tendons rest, and what defaults and options leave of actuators: as MuJoCo has them."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import pytest

import dalembert as da

FIXED = '<fixed name="t" stiffness="40" {0}><joint joint="h" coef="2"/></fixed>'
SPATIAL = '<spatial name="t" stiffness="40" {0}><site site="w"/><site site="s"/></spatial>'


def arm(folder: Path, joint: str = "", tendon: str = "", actuator: str = "", default: str = "", option: str = ""):
    """Accelerations of one weightless arm, and what is noted of it."""
    (folder / "m.xml").write_text(f"""<mujoco><option gravity="0 0 0" {option}/><default>{default}</default>
      <worldbody><site name="w" pos="1 0 1"/><body name="A"><joint name="h" axis="0 1 0" {joint}/>
        <frame pos=".1 0 0" euler="0 90 0"><inertial pos="0 0 0" mass="1" diaginertia=".3 .2 .1"/></frame>
        <site name="s" pos="1 0 0"/></body></worldbody>
      <tendon>{tendon}</tendon><actuator>{actuator}</actuator></mujoco>""")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        m = da.read_mjcf(folder / "m.xml")
    f = m.compile()
    return lambda q, u=0.0: float(f.acceleration([q], [u])[0]), m.notes


@pytest.mark.parametrize("tendon", [FIXED, SPATIAL])
@pytest.mark.parametrize(("ref", "rest"), [(0, 0), (50, 0), (0, 50), (10, -30)])
def test_a_tendon_rests_where_the_springs_of_its_joints_do(tendon, ref, rest, tmp_path):
    acceleration, notes = arm(tmp_path, f'ref="{ref}" springref="{rest}"', tendon.format(""))
    assert acceleration(math.radians(rest)) == pytest.approx(0, abs=1e-12)
    assert abs(acceleration(math.radians(rest) + 0.3)) > 1
    assert not notes


@pytest.mark.parametrize(("said", "low", "high"), [("-.3 .3", -0.3, 0.3), ("-.3", -0.3, -0.3), ("-1 2", -1, 2)])
def test_lengths_below_zero_are_lengths(said, low, high, tmp_path):
    """Only -1 is none."""
    acceleration, _ = arm(tmp_path, "", FIXED.format(f'springlength="{said}"'))
    inertia = 0.2 + 0.1**2
    for q in (-1.2, -0.1, 0.1, 1.7):
        away = min(2 * q - low, 0) + max(2 * q - high, 0)
        assert acceleration(q) == pytest.approx(-2 * 40 * away / inertia)


@pytest.mark.parametrize(
    ("default", "own", "kp", "kv"),
    [
        ('<velocity kv="5"/>', "<position joint='h'/>", 1, 0),
        ('<velocity kv="5"/>', "<position joint='h' kp='9'/>", 9, 0),
        ('<position kp="7" kv="2"/><velocity kv="5"/>', "<position joint='h'/>", 1, 0),
        ('<position kp="7" kv="2"/>', "<position joint='h'/>", 7, 2),
        ('<position kp="7" kv="2"/>', "<position joint='h' kp='3'/>", 3, 2),
        ('<position kp="7" kv="2"/>', "<velocity joint='h'/>", 0, 1),
    ],
)
def test_a_kind_of_actuator_has_no_law_of_another(default, own, kp, kv, tmp_path):
    acceleration, _ = arm(tmp_path, actuator=own, default=default)
    assert acceleration(0.4, 0.7) == pytest.approx(-(kp * 0.4 + kv * 0.7) / 0.21)


@pytest.mark.parametrize(("off", "pulls"), [("2", False), ("0 1", True), ("0 2", False)])
def test_groups_of_actuators_can_be_off(off, pulls, tmp_path):
    own = "<position joint='h' kp='30' group='2'/>"
    acceleration, notes = arm(tmp_path, actuator=own, option=f'actuatorgroupdisable="{off}"')
    assert (acceleration(0.5) != 0) == pulls
    assert any("switched off" in note for note in notes) != pulls


def test_an_inertia_in_a_frame_is_placed_by_it(tmp_path):
    """Turned by a quarter about y, 0.1 m off: about the hinge Iyy is that about y, and m r^2."""
    acceleration, _ = arm(tmp_path, actuator="<position joint='h' kp='1'/>")
    assert acceleration(1.0) == pytest.approx(-1 / 0.21)
