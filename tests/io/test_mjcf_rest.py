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


def closed(folder: Path, equality: str):
    """A drone that begins at (1, 2, 3) turned, an arm with rotors, and equalities."""
    (
        folder / "m.xml"
    ).write_text(f"""<mujoco><option gravity="0 0 0"/><default><joint armature=".1"/></default><worldbody>
      <body name="F" pos="1 2 3" euler="20 30 40"><freejoint name="f"/><geom size=".1"/></body>
      <body name="A"><joint name="h"/><geom size=".1" pos="1 0 0"/>
        <body name="B" pos="1 0 0"><joint name="k"/><geom size=".1" pos="1 0 0"/></body></body></worldbody>
      <equality>{equality}</equality></mujoco>""")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return da.read_mjcf(folder / "m.xml")


def test_what_ties_a_free_body_ties_it_where_it_begins(tmp_path):
    """It was tied as if it began at the origin."""
    m = closed(tmp_path, '<connect name="c" body1="F" anchor=".1 0 0"/>')
    start = m.compile().start().values
    assert [start[f"f.{x}"] for x in "xyz"] == [1, 2, 3]


def test_a_link_that_turns_a_rotor_is_not_the_one_that_closes_the_loop(tmp_path):
    """The weld of its body to earth was taken for the tree, and the joint cut, from which the rotor hangs."""
    m = closed(tmp_path, '<weld name="w" body1="B"/>')
    assert [one.link.name for one in m.layout().cuts] == ["w"]


@pytest.mark.parametrize(("said", "rule"), [("", 0.4), ('polycoef=".3"', 0.7), ('polycoef=".3 .5"', 0.5)])
def test_a_relation_said_in_part_keeps_the_rest(said, rule, tmp_path):
    """y = x is the rule whose first numbers are said; angles that nobody chose give way."""
    m = closed(tmp_path, f'<joint joint1="k" joint2="h" {said}/>')
    start = m.compile().start({"h.th": 0.4}).values
    assert start["k.th"] == pytest.approx(rule)


def test_actuators_without_names_have_controls_of_their_own(tmp_path):
    """Two on one joint were one."""
    arm(tmp_path, actuator='<motor joint="h"/><motor joint="h" gear="3"/>')
    m = da.read_mjcf(tmp_path / "m.xml")
    assert list(m.given) == ["h_motor", "h_motor_2"]


def test_what_a_servo_does_against_the_speed_of_a_site_is_told(tmp_path):
    _, notes = arm(tmp_path, actuator='<position name="p" site="s" gear="0 0 1" kv="2"/>')
    assert any("speed of its site" in note for note in notes)


@pytest.mark.parametrize("said", ['densty="5"', 'fitscale="2"'])
def test_words_of_geoms_that_nobody_knows_are_told(said, tmp_path):
    (tmp_path / "m.xml").write_text(f"""<mujoco><worldbody><frame poss="0 0 1"><body><joint/><geom size=".1" {said}/>
      </body></frame></worldbody></mujoco>""")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        told = " ".join(da.read_mjcf(tmp_path / "m.xml").notes)
    assert ("'densty' of <geom>" in told) == ("densty" in said)
    assert "'poss' of <frame>" in told


def test_constraints_can_be_off_together(tmp_path):
    """Equalities, limits and dry friction stayed, without a word."""
    _, notes = arm(tmp_path, 'frictionloss="9" range="-1 1"', option='><flag constraint="disable"/></option><option')
    m = da.read_mjcf(tmp_path / "m.xml")
    assert not m.contacts
    assert any("'constraint' is switched off" in note for note in notes)


@pytest.mark.parametrize(
    ("geom", "mass"), [("", 1.5), ('<geom size=".1" mass="0"/>', 1.5), ('<geom size=".1" mass="2"/>', 2)]
)
def test_an_inertia_counts_where_no_geom_has_a_mass(geom, mass, tmp_path):
    """With inertiafromgeom="true" it was dropped even where nothing else was there."""
    (tmp_path / "m.xml").write_text(f"""<mujoco><compiler inertiafromgeom="true"/><worldbody><body name="a"><joint/>
      <inertial pos="0 0 0" mass="1.5" diaginertia="1 1 1"/>{geom}</body></worldbody></mujoco>""")
    assert float(da.read_mjcf(tmp_path / "m.xml").bodies["a"].mass) == mass
