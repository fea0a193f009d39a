"""What sloppy files say is told: nothing that no machine has is taken in silence."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex

URDF = """<robot name="r"><link name="base"/>
<link name="arm">{look}<inertial><origin xyz="0 0 -0.5"/><mass value="{mass}"/>
<inertia ixx="{ixx}" iyy="0.2" izz="0.1"/></inertial></link>
<joint name="hinge" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
<limit lower="{low}" upper="1"/><dynamics damping="{damping}" friction="{friction}"/></joint></robot>"""
SOUND = {"look": "", "mass": 1, "ixx": 0.2, "low": -1, "damping": 0.1, "friction": 0}
TETRA = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3.0]])


def urdf(folder, **changes):
    path = folder / "r.urdf"
    path.write_text(URDF.format(**{**SOUND, **changes}))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return da.read_urdf(path, meshes=True)


def test_a_sound_file_has_no_notes(tmp_path):
    assert urdf(tmp_path).notes == []


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"mass": 0}, "body 'arm' has inertia and no mass"),
        ({"mass": -1}, "negative mass"),
        ({"ixx": 0.9}, "the largest exceeds the sum"),
        ({"ixx": -0.2}, "arm"),
        ({"damping": -0.5}, "'hinge' has the negative damping -0.5"),
        ({"friction": -0.5}, "'hinge' has the negative dry friction -0.5"),
        ({"low": 2}, "limits 2 and 1, which leave no room"),
    ],
)
def test_numbers_that_no_machine_has_are_noted(tmp_path, changes, words):
    m = urdf(tmp_path, **changes)
    assert any(words in note for note in m.notes), m.notes
    q, u = np.array([0.3]), np.array([0.2])
    assert np.isfinite(m.compile().acceleration(q, u)).all()


@pytest.mark.parametrize(
    ("law", "words"),
    [
        ('armature="-0.1"', "negative rotor inertia -0.1"),
        ('damping="-0.1"', "negative damping"),
        ('stiffness="-3"', "negative stiffness"),
        ('range="2 1" limited="true"', "leave no room"),
    ],
)
@pytest.mark.parametrize("kind", ["hinge", "ball"])
def test_joints_of_mjcf_too(tmp_path, law, words, kind):
    if kind == "ball" and "range" in law:
        law, words = 'range="0 1" limited="true"', "the limits of the ball joint"
    path = tmp_path / "r.xml"
    path.write_text(
        f'<mujoco><compiler angle="radian"/><worldbody><body name="b"><joint name="j" type="{kind}" {law}/>'
        '<inertial pos="0 0 1" mass="1" diaginertia="1 1 1"/></body></worldbody></mujoco>'
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        m = da.read_mjcf(path)
    assert any(words in note for note in m.notes), m.notes


def _stl(folder):
    faces = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]
    lines = ["solid t"]
    for face in faces:
        lines += ["facet normal 0 0 0", "outer loop"]
        lines += [f"vertex {x:g} {y:g} {z:g}" for x, y, z in TETRA[list(face)]]
        lines += ["endloop", "endfacet"]
    (folder / "t.stl").write_text("\n".join([*lines, "endsolid t"]))


def seen(m):
    """Points of the mesh in the frame of the body, in one order, and the volume that its triangles enclose."""
    (shape,) = m.bodies["arm"].shapes
    R = np.array([ex.evaluate(list(row), {}) for row in shape.place.matrix], dtype=float)
    p = np.array(ex.evaluate(list(shape.place.translation), {}), dtype=float)
    points = np.round(shape.mesh.points @ R.T + p, 12) + 0.0
    return sorted(map(tuple, {tuple(x) for x in points.tolist()})), shape.mesh.volume


@pytest.mark.parametrize("signs", [(1, 1, 1), (-1, 1, 1), (1, -1, 1), (1, 1, -1), (-1, -1, 1), (-1, -1, -1)])
def test_mirrored_meshes_are_drawn_mirrored_and_look_outwards(tmp_path, signs):
    """Right hands are often the mirror image of the left: scale="1 -1 1". They were left out."""
    _stl(tmp_path)
    scale = " ".join(f"{0.5 * x:g}" for x in signs)
    look = f'<visual><origin xyz="0 0 1"/><geometry><mesh filename="t.stl" scale="{scale}"/></geometry></visual>'
    m = urdf(tmp_path, look=look)
    assert m.notes == []
    points, volume = seen(m)
    expected = TETRA * 0.5 * np.array(signs) + np.array([0, 0, 1])
    assert points == sorted(map(tuple, (np.round(expected, 12) + 0.0).tolist()))
    assert volume == pytest.approx(1 / 8)  # outwards: positive
    (tmp_path / "r.lsd").write_text(m.to_lsd())
    again, volume = seen(da.load(tmp_path / "r.lsd"))
    np.testing.assert_allclose(again, points, atol=1e-12)
    assert volume == pytest.approx(1 / 8)
