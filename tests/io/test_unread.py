"""A word that no reader knows is told, wherever it stands in what moves: it may be a law, misspelt."""

from __future__ import annotations

import re
import warnings

import pytest

import dalembert as da

LINK = '<link name="{}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
TEXTS = {
    "urdf": '<robot name="r"><link name="o"/>'
    + LINK.format("a")
    + LINK.format("b")
    + """
      <joint name="j" type="revolute"><parent link="o"/><child link="a"/><axis xyz="0 1 0"/><dynamics damping="3"/>
      <limit lower="-1" upper="1"/></joint>
      <joint name="k" type="prismatic"><parent link="a"/><child link="b"/><dynamics friction="3"/>
      <mimic joint="j" multiplier="2"/></joint></robot>""",
    "xml": """<mujoco><compiler angle="radian"/><default><joint damping="0.3"/></default><worldbody><body name="a">
      <inertial pos="0 0 1" mass="1" diaginertia="1 1 1"/><joint name="j" axis="0 1 0" range="0 1" stiffness="2"/>
      <body name="b"><joint name="k" type="slide"/><geom size="1"/></body></body></worldbody>
      <tendon><fixed name="t" stiffness="2"><joint joint="j" coef="1"/></fixed></tendon><equality>
      <joint joint1="j" joint2="k"/></equality><actuator><motor joint="j" gear="2"/><position joint="k" kp="3"/>
      <general joint="k" gainprm="2"/></actuator></mujoco>""",
    "sdf": """<sdf version="1.9"><model name="m">
      <link name="a"><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy></inertia></inertial></link>
      <joint name="j" type="revolute"><parent>world</parent><child>a</child>
      <axis><xyz>0 1 0</xyz><limit><lower>0</lower></limit><dynamics><damping>1</damping></dynamics></axis>
      </joint></model></sdf>""",
}
MOVING = {
    "urdf": "joint inertial inertia mass axis dynamics limit mimic".split(),
    "xml": "compiler body inertial joint fixed motor position general".split(),
    "sdf": "joint axis inertial inertia dynamics limit".split(),
}


def notes_of(path, text):
    path.write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return da.load(path).notes


@pytest.mark.parametrize("kind", MOVING)
def test_no_word_about_what_moves_is_dropped_in_silence(kind, tmp_path):
    path, text = tmp_path / f"robot.{kind}", TEXTS[kind]
    assert not [note for note in notes_of(path, text) if " of <" in note]
    for tag in MOVING[kind]:
        for place in re.finditer(rf"<{tag}\b", text):
            k = place.end() if kind != "sdf" else text.index(">", place.end()) + 1
            word = "<dampin>3</dampin>" if kind == "sdf" else ' dampin="3"'
            told = notes_of(path, text[:k] + word + text[k:])
            assert any("dampin" in note and f" of <{tag}>" in note for note in told), (place, told)


@pytest.mark.parametrize(
    ("kind", "is_told"),
    [("floating", True), ("planar", True), ("spherical", True), ("fixed", False), ("revolute", False)],
)
def test_damping_of_joints_that_have_no_place_for_it_is_told(kind, is_told, tmp_path):
    text = f'''<robot name="r"><link name="a"/>{LINK.format("b")}<joint name="j" type="{kind}"><parent link="a"/>
      <child link="b"/><dynamics damping="3"/></joint></robot>'''
    notes = notes_of(tmp_path / "r.urdf", text)
    assert any("'damping' of <dynamics>" in note for note in notes) == is_told


def test_defaults_of_equalities_are_not_those_of_joints(tmp_path):
    text = TEXTS["xml"].replace("<default>", '<default><equality active="false"/>')
    assert any("is not active" in note for note in notes_of(tmp_path / "r.xml", text))


def test_what_has_no_effect_is_not_told_as_a_loss(tmp_path):
    """Ranges that do not bind, the place of a free joint, numbers of a mimic that is left out as a whole."""
    text = """<mujoco><worldbody><body><joint name="k" range="0 1" limited="false"/><geom size="1"/></body>
      <body><joint type="free" pos="0 0 1"/><geom size="1"/></body></worldbody>
      <actuator><motor joint="k" ctrllimited="false" ctrlrange="0 1"/></actuator></mujoco>"""
    assert not [note for note in notes_of(tmp_path / "r.xml", text) if " of <" in note]
    text = TEXTS["urdf"].replace('mimic joint="j"', 'mimic joint="z"')
    assert [note for note in notes_of(tmp_path / "r.urdf", text) if "mimic" in note] == [
        "joint 'k' mimics 'z', but there is no such joint: left out."
    ]
