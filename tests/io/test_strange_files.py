"""What files seldom say, beside what MuJoCo makes of it; and what was once dropped without a word."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import dalembert as da


def read(folder: Path, text: str, kind: str) -> da.Mechanism:
    path = folder / f"robot.{kind}"
    path.write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return da.load(path)


def mujoco_mass(text: str, q: np.ndarray) -> np.ndarray:
    mj = pytest.importorskip("mujoco")
    model = mj.MjModel.from_xml_string(text)
    data = mj.MjData(model)
    data.qpos[:] = q
    mj.mj_forward(model, data)
    columns = np.zeros((model.nv, model.nv))
    for k, unit in enumerate(np.eye(model.nv)):
        mj.mj_mulM(model, data, columns[k], unit)
    return columns


MOVED = """<mujoco><compiler angle="radian"/>
<default><mesh scale="1 2 -1"/></default>
<asset><mesh name="tip" refpos=".1 .2 .3" refquat="1 1 .5 0" vertex="0 0 0 1 0 0 0 1 0 0 0 1"
  face="0 2 1 0 1 3 0 3 2 1 2 3"/></asset>
<worldbody><body name="one" pos="0 0 1">
  <frame pos="0.1 0.2 0.3" euler="0.3 0.2 0.1"><joint name="j1" axis="0 1 0" pos="0.1 0 0"/>
    <frame pos="0 .2 0" zaxis="1 1 1"><joint name="j2" type="slide" axis="1 0 0"/></frame>
    <geom type="box" size=".1 .2 .3"/>
    <body name="two" pos="0 0 1"><joint name="j3" axis="1 0 1"/><geom type="mesh" mesh="tip" pos=".1 .2 .3"/></body>
  </frame></body></worldbody></mujoco>"""


def test_joints_in_frames_and_moved_scaled_meshes_have_the_mass_matrix_of_mujoco(tmp_path: Path) -> None:
    m = read(tmp_path, MOVED, "xml")
    f = m.compile()
    assert f.coordinates == ("one.j1", "one.j2", "j3.th")
    q = np.array([0.4, -0.3, 0.7])
    theirs = mujoco_mass(MOVED, q)
    # MuJoCo keeps a mesh by the eigenvectors of its inertia, which it finds to about 1e-8
    assert np.abs(f.mass_matrix(q) - theirs).max() < 1e-8 * np.abs(theirs).max()


COPIES = """<mujoco><compiler angle="degree"/><worldbody><body name="base"><joint name="j" axis="0 1 0"/>
<geom size=".1"/><replicate count="3" offset="1 0 .2" euler="10 0 90" sep="-">
  <body name="a" pos="0 0 1"><joint name="h" axis="1 0 0"/><geom name="g" size=".1" pos="1 0 0"/>
    <replicate count="2" offset="0 1 0"><body name="b"><joint name="k"/><geom size=".1" pos="0 .3 0"/></body>
    </replicate>
  </body><geom type="box" size=".1 .2 .3" pos=".3 0 0"/></replicate></body></worldbody>
<tendon><fixed name="s"><joint joint="h" coef="1"/><joint joint="j" coef="2"/></fixed></tendon>
<actuator><motor joint="k" name="m"/><motor tendon="s" name="p"/></actuator></mujoco>"""


def test_what_is_replicated_has_the_names_the_laws_and_the_mass_matrix_of_mujoco(tmp_path: Path) -> None:
    mj = pytest.importorskip("mujoco")
    m = read(tmp_path, COPIES, "xml")
    model = mj.MjModel.from_xml_string(COPIES)
    f = m.compile()
    joints = [f"{model.joint(k).name.replace('-', '_')}.th" for k in range(model.njnt)]
    assert sorted(joints) == sorted(f.coordinates)
    assert sorted(model.actuator(k).name.replace("-", "_") for k in range(model.nu)) == sorted(m.given)
    order = [f.coordinates.index(x) for x in joints]
    q = np.random.default_rng(5).uniform(-1, 1, model.nv)
    ours, theirs = f.mass_matrix(q)[np.ix_(order, order)], mujoco_mass(COPIES, q[order])
    assert np.abs(ours - theirs).max() < 1e-12 * np.abs(theirs).max()


@pytest.mark.parametrize("count", ["0", "-1", "1e18", "19000"])
def test_copies_without_end_are_refused(tmp_path: Path, count: str) -> None:
    with pytest.raises(da.DalembertError, match="replicate"):
        read(tmp_path, COPIES.replace('count="3"', f'count="{count}"'), "xml")


CALLED = """<mujoco><worldbody><site name="w" pos="0 0 3"/>
<body name="a"><joint name="th" axis="0 1 0"/><joint name="b" axis="1 0 0"/><geom size=".1" pos="0 0 1"/>
  <body pos="0 0 1"><joint name="a" axis="0 1 0"/><geom size=".1" pos="0 0 1"/></body>
  <body name="body_2"><joint name="body_3_joint1"/><geom size=".1" pos="1 0 0"/></body>
  <body pos="0 0 1"><joint axis="0 1 0"/><geom size=".1" pos="0 0 1"/><site name="s"/></body></body></worldbody>
<tendon><spatial name="a" stiffness="2" range="0 9"><site site="w"/><site site="s"/></spatial></tendon>
<equality><joint name="th" joint1="th" joint2="a"/><weld name="body_2" body1="body_2"/>
  <connect name="a" body1="a"/></equality>
</mujoco>"""


def test_laws_may_be_called_like_bodies_and_joints(tmp_path: Path) -> None:
    m = read(tmp_path, CALLED, "xml")
    assert [x.name for x in m.constraints] == ["th"]
    assert list(m.links) == ["a", "a_2", "body_3_joint1", "body_4_joint1", "body_2_2", "a_4"]
    assert [x.name for x in m.efforts] == ["a_3"]
    assert da.loads(m.to_lsd()).layout().coordinates == m.layout().coordinates


LOOP = """<robot name="r"><link name="g"/><link name="a">{mass}</link><link name="b">{mass}</link>
<joint name="a" type="continuous"><parent link="g"/><child link="a"/></joint>
<joint name="f" type="floating"><parent link="g"/><child link="b"/></joint>
<joint name="m" type="continuous"><parent link="b"/><child link="c"/><mimic joint="f"/></joint>
<link name="c">{mass}</link>
<loop_joint name="a" type="spherical"><link1 link="a" xyz="1 0 0"/><link2 link="b" xyz="0 0 1"/></loop_joint>
</robot>""".replace("{mass}", '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>')


def test_a_loop_called_like_a_joint_opens_and_a_mimic_of_a_free_body_is_noted(tmp_path: Path) -> None:
    m = read(tmp_path, LOOP, "urdf")
    assert len(m.layout().constraints) == 1
    assert any("'m' mimics 'f'" in note for note in m.notes)


SDF = """<sdf version="1.11"><model name="m"><link name="b"/><link name="c"/>
<link name="d"><inertial auto="true"/></link>
<joint name="w" type="fixed"><parent>world</parent><child>b</child></joint>
<joint name="j1" type="revolute"><parent>b</parent><child>c</child>
  <axis><xyz>0 1 0</xyz><limit><effort>5</effort></limit></axis></joint>
<joint name="j2" type="prismatic"><parent>c</parent><child>d</child><axis><xyz>0 0 1</xyz>
  <mimic joint="j1"><multiplier>2</multiplier><offset>.1</offset><reference>.3</reference></mimic></axis></joint>
<drake:joint name="p" type="planar"/></model></sdf>"""


def test_mimic_of_sdf_is_a_constraint_and_what_a_model_says_beside_is_noted(tmp_path: Path) -> None:
    m = read(tmp_path, SDF, "sdf")
    (mimic,) = m.constraints
    at = {da.expr.symbol("j1.th"): 0.7, da.expr.symbol("j2.x"): 2 * (0.7 - 0.3) + 0.1}
    assert abs(da.expr.evaluate(mimic.expressions, at)[0]) < 1e-15
    for word in ("drake:joint", "effort and velocity of 1", "by density"):
        assert any(word in note for note in m.notes), word
