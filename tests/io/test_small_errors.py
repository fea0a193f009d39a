"""Small errors that nobody had seen in robot files: what is left out has a value, and names stay apart."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import dalembert as da
from dalembert.io.urdf import _pose
from dalembert.mechanism.xml import Element


@pytest.mark.parametrize(("xyz", "rpy"), list(product(["", "1 2 3"], ["", "0.1 0.2 0.3"])))
def test_what_an_origin_leaves_out_is_nothing(xyz, rpy):
    told = {name: text for name, text in (("xyz", xyz), ("rpy", rpy)) if text}
    whole = {"xyz": xyz or "0 0 0", "rpy": rpy or "0 0 0"}
    found, expected = (
        _pose(Element("joint", {}, "here", [Element("origin", one, "here", [])])) for one in (told, whole)
    )
    np.testing.assert_array_equal(found.p, expected.p)
    np.testing.assert_array_equal(found.R, expected.R)


@pytest.mark.parametrize("still", ["j", "k", "both", "none"])
def test_a_mimic_binds_two_joints_that_move_and_no_others(tmp_path, still):
    kinds = {name: "fixed" if still in (name, "both") else "continuous" for name in "jk"}
    links = "".join(
        f'<link name="{x}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>'
        for x in "abc"
    )
    path = tmp_path / "robot.urdf"
    path.write_text(
        f'''<robot name="r">{links}<joint name="j" type="{kinds["j"]}"><parent link="a"/><child link="b"/></joint>
        <joint name="k" type="{kinds["k"]}"><parent link="a"/><child link="c"/><mimic joint="j"/></joint></robot>'''
    )
    m = da.read_urdf(str(path))
    assert len(m.constraints) == (still == "none")
    assert any("one of them does not move" in note for note in m.notes) == (still != "none")


@pytest.mark.parametrize("count", [1, 2, 4])
def test_models_of_one_name_stay_apart(tmp_path, count):
    one = "<model name='arm'><link name='l'/></model>"
    path = tmp_path / "world.sdf"
    path.write_text(f"<sdf version='1.9'><world name='w'>{one * count}</world></sdf>")
    m = da.read_sdf(str(path))
    names = ["l"] if count == 1 else ["arm__l", *(f"arm_{k}__l" for k in range(2, count + 1))]
    assert [x for x in m.bodies if x != "earth"] == names
