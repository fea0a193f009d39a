"""Pictures and videos without a display: all in the picture, of the kind that the name says."""

from __future__ import annotations

import io
import shutil
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from dalembert.errors import DalembertError, SimulationError
from dalembert.mechanism.bodyshape import SIZES
from dalembert.view import images, scene_of
from dalembert.view.meshing import faces_of
from dalembert.view.paint import _extent, _tie, lens_of
from dalembert.view.solids import Solid


def swing() -> da.Mechanism:
    m = da.Mechanism("swing")
    rod = m.body("rod", mass=1, centre=[0, 0, -0.5], inertia=[1 / 12, 1 / 12, 0])
    m.join(da.earth, rod, da.revolute("y"), name="pin")
    m.gravity = [0, 0, -9.81]
    return m


@pytest.mark.parametrize("kind", sorted(SIZES))
def test_faces_look_outwards_and_stay_in_their_box(kind: str):
    size = {"tube": (0.5, 1.0, 2.0), "gear": (1.0, 0.5, 12.0)}.get(kind, (1.0, 1.5, 2.0)[: len(SIZES[kind])])
    solid = Solid(kind, size)
    middle, half = solid.half
    volume = 0.0
    for face in faces_of(solid):
        assert np.all(np.abs(face - middle) <= half * (1 + 1e-9))
        for b, c in pairwise(face[1:]):
            volume += np.dot(face[0], np.cross(b, c)) / 6
    exact = {
        "box": 3.0,
        "sphere": 4.19,
        "ellipsoid": 12.6,
        "cylinder": 4.71,
        "cone": 1.57,
        "capsule": 8.9,
        "tube": 4.71,
    }
    if kind in exact:  # faces are within their round solids, by a few per cent
        assert 0.9 * exact[kind] < volume <= 1.001 * exact[kind]
    assert volume > 0


def test_the_lens_sees_all_corners_at_all_times():
    m = swing()
    scene = scene_of(m, m.simulate((0, 2), start={"pin.th": 2.0}))
    for aspect in (0.5, 1.0, 1.8):
        place, depth = lens_of(scene, aspect).seen(scene.corners())
        assert depth.min() > 0
        assert np.abs(place[..., 1]).max() <= 1
        assert np.abs(place[..., 0]).max() <= aspect


@pytest.mark.parametrize(("name", "begins"), [("a.png", b"\x89PNG"), ("a.svg", b"<?xml"), ("a.pdf", b"%PDF")])
def test_a_posture_is_drawn_in_the_kind_of_its_name(tmp_path: Path, name: str, begins: bytes):
    figure = swing().draw(tmp_path / name, at={"pin.th": 1.0})
    assert (tmp_path / name).read_bytes().startswith(begins)
    assert figure.axes


def test_a_picture_shows_the_machine_inside_its_edges(tmp_path: Path):
    from PIL import Image

    m = swing()
    m.gravity = [0, 0, 0]  # no floor, which may reach the edge
    m.draw(tmp_path / "a.png", at={"pin.th": 1.0})
    pixels = np.asarray(Image.open(tmp_path / "a.png").convert("RGB"), dtype=int)
    drawn = np.abs(pixels - pixels[0, 0]).max(axis=2) > 12
    assert drawn.mean() > 0.01
    assert not drawn[[0, -1]].any()
    assert not drawn[:, [0, -1]].any()


def test_a_motion_becomes_a_gif(tmp_path: Path):
    from PIL import Image

    swing().simulate((0, 1), start={"pin.th": 1.0}).video(tmp_path / "a.gif", fps=5, speed=0.5, size=(160, 90))
    with Image.open(io.BytesIO((tmp_path / "a.gif").read_bytes())) as image:
        assert image.size == (160, 90)
        assert image.n_frames == 10  # type: ignore[attr-defined]


def test_a_missing_ffmpeg_is_said_before_anything_is_painted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    motion = swing().simulate((0, 1))
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    if find_spec("imageio_ffmpeg") is None:
        with pytest.raises(SimulationError, match="needs ffmpeg"):
            motion.video(tmp_path / "a.mp4")
    assert not list(tmp_path.iterdir())


def test_wrong_names_and_directions_are_refused(tmp_path: Path):
    m = swing()
    with pytest.raises(DalembertError, match="a picture is a PNG"):
        m.draw(tmp_path / "a.txt")
    with pytest.raises(DalembertError, match="a video is a GIF"):
        m.simulate((0, 1)).video(tmp_path / "a.png")
    with pytest.raises(SimulationError, match="no direction"):
        m.draw(towards=[0, 0, 0])


def test_faces_of_gears_look_outward_and_fill_them():
    """Seen from above, the upper faces cover the disc within the roots of the teeth, and none looks inward."""
    from dalembert.view.meshing import faces_of
    from dalembert.view.solids import Solid

    for teeth in (5, 12, 40):
        upper = 0.0
        for face in faces_of(Solid("gear", (1.0, 0.4, teeth))):
            normal = np.cross(face[1] - face[0], face[2] - face[0])
            if abs(normal[2]) > 1e-12:
                assert normal[2] * face[0][2] > 0
                upper += normal[2] / 2 if normal[2] > 0 else 0.0
        assert 0.7 * np.pi < upper < 1.25 * np.pi


def test_joints_and_arrows_stay_in_the_picture():
    """A rail that reaches far beyond its wagon, and a force that pushes out of the picture."""
    m = da.Mechanism("wagon")
    wagon = m.body("wagon", mass=1, inertia=[0.1, 0.1, 0.1])
    m.join(da.earth, wagon, da.prismatic("x"), name="rail")
    m.force(wagon.at([0, 0, 0]), [0, 0, "3*sin(5*t)"], name="lift")
    scene = scene_of(motion=m.simulate((0, 4), start={"rail.x'": 1}))
    lens = lens_of(scene, 16 / 9)
    everything = _extent(scene)
    assert everything.shape[1] > scene.corners().shape[1] + 9
    place, depth = lens.seen(everything.reshape(-1, 3))
    assert depth.min() > 0
    assert np.abs(place[:, 0]).max() <= 16 / 9
    assert np.abs(place[:, 1]).max() <= 1


def test_a_spring_is_painted_as_one_wire():
    """The faces of its coil have the surface of a wire of its length: nine turns, and both ends."""
    faces: list[np.ndarray] = []
    _tie(faces, [], "spring", np.zeros(3), np.array([0, 0, 3.0]), 0.5, "#000000")
    areas = [np.linalg.norm(np.cross(f[k] - f[0], f[k + 1] - f[0])) / 2 for f in faces for k in range(1, len(f) - 1)]
    length = 9 * np.hypot(2 * np.pi * 0.5, 0.84 * 3 / 9) + 2 * np.hypot(0.5, 0.24)
    assert sum(areas) == pytest.approx(2 * np.pi * 0.065 * length, rel=0.25)


def test_a_picture_too_wide_for_its_kind_is_refused_in_words(tmp_path, monkeypatch):
    """A chain of a thousand bodies as a graph is a hundred times as wide as a PNG can be."""
    m, last = da.Mechanism("chain"), da.earth
    for k in range(8):
        body = m.body(f"b{k}", mass=1)
        m.join(last, body, da.revolute("z"), name=f"j{k}")
        last = body
    monkeypatch.setattr(images, "_PIXELS", 700)
    with pytest.raises(da.SimulationError, match=r"points, and a PNG has 700 at most.*SVG or PDF"):
        m.draw_structure(tmp_path / "wide.png")
    assert not (tmp_path / "wide.png").exists()
    m.draw_structure(tmp_path / "wide.svg")
    assert (tmp_path / "wide.svg").exists()
