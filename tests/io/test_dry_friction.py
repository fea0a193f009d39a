"""Dry friction of joints in robot files sticks: in every format, and out again."""

from __future__ import annotations

import numpy as np
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
TENDON = """<mujoco><worldbody><body name="a"><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
<joint name="p" type="slide" axis="1 0 0"/></body><body name="b"><inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/>
<joint name="q" type="slide" axis="1 0 0"/><site name="s" pos="1 0 0"/></body><site name="o"/></worldbody>
<tendon><fixed name="f" frictionloss="3"><joint joint="p" coef="1"/><joint joint="q" coef="2"/></fixed>
<spatial name="l" frictionloss="0.5"><site site="o"/><site site="s"/></spatial></tendon></mujoco>"""


def read(tmp_path, suffix, text):
    path = tmp_path / f"wheel.{suffix}"
    path.write_text(text)
    return da.load(path)


@pytest.mark.parametrize(("suffix", "text"), [("urdf", URDF), ("xml", MJCF), ("sdf", SDF)])
@pytest.mark.filterwarnings("ignore::dalembert.io.UnmappedWarning")
def test_a_wheel_of_a_file_comes_to_rest_at_the_exact_instant(tmp_path, suffix, text):
    m = read(tmp_path, suffix, text.format(dry=0.5))
    (grip,) = m.contacts
    assert grip.name == "j_friction"
    assert not any("at rest" in note for note in m.notes)
    mo = m.simulate((0, 4), start={"j.th'": 1.0})  # u' = -0.1 u - 0.5
    assert mo.events["j_friction.sticks"] == pytest.approx([10 * np.log(1.2)], abs=1e-8)
    assert mo["j.th'"][-1] == 0.0
    for again, kind in ((m.to_mjcf(), "xml"), (m.to_urdf(), "urdf")):
        assert float(read(tmp_path, kind, again).contacts[0].friction) == 0.5
    assert da.loads(m.to_lsd()).contacts == m.contacts
    assert not read(tmp_path, suffix, text.format(dry=0.0)).contacts
    door = {"urdf": da.read_urdf, "xml": da.read_mjcf, "sdf": da.read_sdf}[suffix]
    path = tmp_path / f"wheel.{suffix}"
    path.write_text(text.format(dry=0.5))
    smooth = door(path, friction=False)
    assert not smooth.contacts
    assert smooth.simulate((0, 1), start={"j.th'": 1.0})["j.th'"][-1] == pytest.approx(np.exp(-0.1))
    assert any("negative" in note for note in read(tmp_path, suffix, text.format(dry=-1)).notes)


@pytest.mark.filterwarnings("ignore::dalembert.io.UnmappedWarning")
def test_tendons_of_a_file_hold_what_they_can(tmp_path):
    m = read(tmp_path, "xml", TENDON)
    assert {one.name for one in m.contacts} == {"f_friction", "l_friction"}
    mo = m.simulate((0, 0.5), start={"q.x'": 1.0})
    # q alone is rubbed by 2*3 + 0.5, p by 3: both until one of the slips 1*p' + 2*q', q' ends
    t = mo.events["f_friction.sticks"][0]
    assert t == pytest.approx(2 / (3 + 6.5), abs=1e-9)


BALL = """<mujoco><option gravity="0 0 0"/><worldbody><body name="a">
<inertial pos="0 0 0" mass="1" diaginertia="2 2 2"/><joint name="b" type="{kind}" frictionloss="0.4"/>
</body></worldbody></mujoco>"""


@pytest.mark.parametrize("kind", ["ball", "free"])
def test_a_ball_joint_of_a_file_is_rubbed_about_each_axis_of_its_body_and_a_free_one_along_each_way(tmp_path, kind):
    m = read(tmp_path, "xml", BALL.format(kind=kind))
    spin = {"b.wx": 0.1, "b.wy": -0.2, "b.wz": 0.3}  # inertias alike: no turn moves another, w' = -+ 0.4/2
    start = spin | ({"b.x'": 0.2} if kind == "free" else {})
    mo = m.simulate((0, 2), start=start)
    for name, w in spin.items():
        assert mo.events[f"{name.replace('.', '_')}_friction.sticks"] == pytest.approx([abs(w) / 0.2], abs=1e-8)
    if kind == "free":
        assert mo.events["b_x_friction.sticks"] == pytest.approx([0.5], abs=1e-8)
