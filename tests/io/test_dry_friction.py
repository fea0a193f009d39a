"""Dry friction of joints is a sign of their rate: what it does not hold is told, in every format."""

from __future__ import annotations

import pytest

import dalembert as da

URDF = """<robot name="r"><link name="b"/><link name="w"><inertial><mass value="1"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
<joint name="j" type="continuous"><parent link="b"/><child link="w"/><axis xyz="0 0 1"/>
<dynamics friction="{dry}" damping="0.1"/></joint></robot>"""
MJCF = """<mujoco><worldbody><body name="w"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
<joint name="j" type="hinge" axis="0 0 1" frictionloss="{dry}" damping="0.1"/></body></worldbody></mujoco>"""
SDF = """<sdf version="1.9"><model name="m"><link name="b"/><link name="w"><inertial><mass>1</mass></inertial></link>
<joint name="f" type="fixed"><parent>world</parent><child>b</child></joint>
<joint name="j" type="revolute"><parent>b</parent><child>w</child><axis><xyz>0 0 1</xyz>
<dynamics><friction>{dry}</friction><damping>0.1</damping></dynamics></axis></joint></model></sdf>"""


@pytest.mark.parametrize(("suffix", "text"), [("urdf", URDF), ("xml", MJCF), ("sdf", SDF)])
@pytest.mark.filterwarnings("ignore::dalembert.io.UnmappedWarning")
def test_friction_that_does_not_hold_at_rest_is_told(tmp_path, suffix, text):
    for dry in (0.5, 0.0):
        path = tmp_path / f"wheel.{suffix}"
        path.write_text(text.format(dry=dry))
        notes = [one for one in da.load(path).notes if "dry friction 0.5 of joint 'j'" in one and "at rest" in one]
        assert len(notes) == (1 if dry else 0)
