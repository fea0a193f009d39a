"""Loops that tools add to URDF, and springs of Drake: the same machine in each of their words."""

import numpy as np
import pytest

import dalembert as da

BAR = '<inertial><origin xyz="{} 0 0"/><mass value="2"/><inertia ixx="0.01" iyy="0.2" izz="0.2"/></inertial>'


def bars(closing, lengths=(0.3, 1.0)):
    """Crank (0.3) and coupler (1) from the origin; a rocker from (1, 0, 0) that is one long and stands up."""
    crank, coupler = lengths
    text = '<robot name="four" xmlns:drake="http://drake.mit.edu"><link name="base"/>'
    for name, length in (("crank", crank), ("coupler", coupler), ("rocker", 1.0)):
        text += f'<link name="{name}">{BAR.format(length / 2)}</link>'
    for name, on, what, place in (
        ("a", "base", "crank", "0 0 0"),
        ("b", "crank", "coupler", f"{crank} 0 0"),
        ("d", "base", "rocker", "1 0 0"),
    ):
        text += f'<joint name="{name}" type="continuous"><parent link="{on}"/><child link="{what}"/>'
        text += f'<origin xyz="{place}"/><axis xyz="0 0 1"/></joint>'
    return text + closing + "</robot>"


ENDS = '<link1 link="coupler" xyz="1 0 0"/><{} link="rocker" xyz="1 0 0"/>'
CLOSED = {
    "isaac": f'<loop_joint name="c" type="spherical">{ENDS.format("link1")}</loop_joint>',
    "old drake": f'<loop_joint name="c" type="revolute">{ENDS.format("link2")}<axis xyz="0 0 1"/></loop_joint>',
    "drake": '<drake:ball_constraint><drake:ball_constraint_body_A name="coupler"/>'
    '<drake:ball_constraint_body_B name="rocker"/><drake:ball_constraint_p_AP value="1 0 0"/>'
    '<drake:ball_constraint_p_BQ value="1 0 0"/></drake:ball_constraint>',
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("words", [*CLOSED])
def test_a_four_bar_closes_in_the_words_of_each_tool(words, tmp_path):
    """Grashof: the crank turns. The distance of the two ends stays one, and efforts are those of the builder's link."""
    path = tmp_path / "four.urdf"
    path.write_text(bars(CLOSED[words]))
    m = da.read_urdf(path)
    assert not [note for note in m.notes if "left out" in note]
    asked = da.read_urdf(_written(tmp_path, bars("")))
    asked.join(asked.bodies["coupler"].at([1, 0, 0]), asked.bodies["rocker"].at([1, 0, 0]), da.revolute("z"), name="c")
    start = {"a.th": 1.0, "b.th": -0.1747, "d.th": 1.731, "a.th'": 2.0}
    moved, truth = (x.simulate((0, 0.5), start=start, rtol=1e-10, atol=1e-12) for x in (m, asked))
    np.testing.assert_allclose(moved["d.th"][-1], truth["d.th"][-1], atol=1e-8)
    a, b, d = (moved[f"{x}.th"][-1] for x in "abd")
    tip = np.array([0.3 * np.cos(a) + np.cos(a + b), 0.3 * np.sin(a) + np.sin(a + b)])
    np.testing.assert_allclose(tip, [1 + np.cos(d), np.sin(d)], atol=1e-8)


def _written(tmp_path, text):
    path = tmp_path / "tree.urdf"
    path.write_text(text)
    return path


def test_a_joint_of_gazebo_closes_the_loop_where_its_child_stands(tmp_path):
    """It stands in its child; both links meet there at zero: crank 1 to (1, 0), rocker from (1, 0) back along x."""
    inside = '<gazebo><joint name="c" type="revolute"><parent>coupler</parent><child>rocker</child>'
    inside += "<pose>1 0 0 0 0 0</pose><axis><xyz>0 0 1</xyz></axis></joint></gazebo>"
    m = da.read_urdf(_written(tmp_path, bars(inside, lengths=(1.0, 1.0))))
    assert not m.notes
    mo = m.simulate((0, 0.2), start={"a.th'": 1.0})  # a parallelogram, flat at its start
    a, b, d = (mo[f"{x}.th"][-1] for x in "abd")
    tip = np.array([np.cos(a) + np.cos(a + b), np.sin(a) + np.sin(a + b)])
    np.testing.assert_allclose(tip, [1 + np.cos(d), np.sin(d)], atol=1e-7)


def test_springs_and_rotors_of_drake_act(tmp_path):
    """At rest along x: a spring of free length 0.2 from (0, 1, 0) to the tip of the crank; gravity along the axes."""
    tag = "drake:linear_spring_damper"
    text = f'<{tag}><{tag}_body_A name="base"/><{tag}_p_AP value="0 1 0"/><{tag}_body_B name="crank"/>'
    text += f'<{tag}_p_BQ value="0.3 0 0"/><{tag}_free_length value="0.2"/><{tag}_stiffness value="7"/>'
    text += f'<{tag}_damping value="0"/></{tag}>'
    rotor = '<actuator name="m"><drake:rotor_inertia value="0.001"/><drake:gear_ratio value="20"/></actuator>'
    text += f'<transmission name="t"><joint name="a"/>{rotor}</transmission>'
    m = da.read_urdf(_written(tmp_path, bars(text)))
    names = m.layout().coordinates
    f, k = m.compile(), names.index("a.th")
    length = np.hypot(0.3, 1)
    pull = (np.asarray(f.mass_matrix([0.0] * 3)) @ f.acceleration([0.0] * 3, [0.0] * 3))[k]
    assert abs(pull - 7 * (length - 0.2) * 0.3 / length) < 1e-12  # the lever of the line about the origin is 0.3/length
    bare = da.read_urdf(_written(tmp_path, bars(""))).compile().mass_matrix([0.0] * 3)
    assert abs(f.mass_matrix([0.0] * 3)[k][k] - bare[k][k] - 0.4) < 1e-12


@pytest.mark.parametrize(
    ("closing", "word"),
    [
        ('<loop_joint name="c" type="spherical"><link1 link="coupler"/></loop_joint>', "<link2>"),
        (f'<loop_joint name="c" type="odd">{ENDS.format("link2")}</loop_joint>', "'odd'"),
        ('<loop_joint name="c"><link1 link="nobody"/><link2 link="crank"/></loop_joint>', "'nobody'"),
        ("<drake:ball_constraint/>", "drake:ball_constraint_body_A"),
        (
            '<joint name="e" type="continuous"><parent link="coupler"/><child link="rocker"/></joint>',
            "<loop_joint>",
        ),
    ],
)
def test_faults_of_loops_are_told(closing, word, tmp_path):
    with pytest.raises(da.DalembertError, match=word):
        da.read_urdf(_written(tmp_path, bars(closing)))
