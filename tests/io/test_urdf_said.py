"""What a URDF says otherwise than its readers expect: told, or read as it is meant."""

from __future__ import annotations

import pytest

import dalembert as da

pytestmark = pytest.mark.filterwarnings("ignore::dalembert.io.UnmappedWarning")


def robot(folder, *, origin="", inertial="", beside="", axis="0 1 0", root="base", **how):
    (folder / "r.urdf").write_text(f"""<robot name="r"><link name="{root}"/><link name="a"><inertial>{inertial}
      <mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link><joint name="j" type="continuous">{origin}
      <parent link="{root}"/><child link="a"/><axis xyz="{axis}"/></joint>{beside}</robot>""")
    return da.read_urdf(folder / "r.urdf", **how)


@pytest.mark.parametrize("where", ["origin", "inertial"])
@pytest.mark.parametrize("said", ['<origin xzy="1 2 3"/>', '<origin xyz="0 0 1"/><origin xyz="0 0 2"/>'])
def test_places_that_nobody_reads_are_told(where, said, tmp_path):
    m = robot(tmp_path, **{where: said})
    assert any("of <origin> is left out" in note for note in m.notes)


def test_looks_may_say_what_they_like(tmp_path):
    assert not robot(tmp_path, origin='<origin xyz="0 0 1"/>', inertial='<origin rpy="1 0 0"/>').notes


@pytest.mark.parametrize("where", ["actuator", "transmission", "joint"])
def test_a_reduction_counts_wherever_it_is_written(where, tmp_path):
    """ROS writes it in the actuator, PR2 beside it: there it was 1 without a word."""
    said = {x: "<mechanicalReduction>50</mechanicalReduction>" if x == where else "" for x in (
        "actuator", "transmission", "joint")}  # fmt: skip
    beside = f"""<transmission name="t"><joint name="j">{said["joint"]}</joint>
      <actuator name="m">{said["actuator"]}</actuator>{said["transmission"]}</transmission>"""
    (effort,) = robot(tmp_path, beside=beside).links["j"].placed_efforts().values()
    assert str(effort) == "50*m"


def test_nothing_floats_that_hangs_on_the_world(tmp_path):
    assert any("lets nothing float" in note for note in robot(tmp_path, root="world", floating=True).notes)


def test_formulas_of_xacro_are_named(tmp_path):
    with pytest.raises(da.ModelError, match="is a formula of xacro"):
        robot(tmp_path, axis="${a} 0 0")
