"""The animation is one file that holds the motion and needs nothing else."""

from __future__ import annotations

import base64
import dataclasses
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert as da
from dalembert import expr as ex
from dalembert.errors import SimulationError
from dalembert.simulate import Picture, run
from dalembert.view import Motion
from dalembert.view._scene import build_scene, frame_times
from sample_systems import double_pendulum, free_body, pendulum


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r"const data = (\{.*?\});\n", page)
    assert found
    data: dict[str, Any] = json.loads(found.group(1))
    return data


def test_page_holds_the_positions_of_the_joints(tmp_path: Path) -> None:
    motion = run(double_pendulum(), (0, 3), kind=Motion)
    motion.animate(tmp_path / "m.html", fps=20)
    data = data_of((tmp_path / "m.html").read_text())
    places = np.frombuffer(base64.b64decode(data["places"]), "<f4").reshape(len(data["times"]), data["count"], 3)
    seen = motion.at(data["times"])
    hand = np.array([seen["sin(a) + sin(b)"], 0 * seen.t, seen["-cos(a) - cos(b)"]]).T
    _, elbow_point, hand_point = data["strokes"][1]
    assert np.allclose(places[:, hand_point], hand, atol=1e-5)
    assert np.allclose(np.linalg.norm(places[:, hand_point] - places[:, elbow_point], axis=1), 1, atol=1e-5)
    assert data["bodies"] == ["upper", "lower"]


def test_page_needs_no_network(tmp_path: Path) -> None:
    run(pendulum(), (0, 1), kind=Motion).animate(tmp_path / "m.html")
    page = (tmp_path / "m.html").read_text()
    assert not re.search(r"<script[^>]*\ssrc=|<link\b|@import", page)
    assert "Plotly.newPlot" in page


def test_names_cannot_break_out_of_the_page(tmp_path: Path) -> None:
    evil = "</script><img src=x onerror=alert(1)>"
    system = pendulum()
    pictures = tuple(dataclasses.replace(p, name=evil) for p in system.pictures)
    system = dataclasses.replace(system, name=evil, pictures=pictures)
    run(system, (0, 1), kind=Motion).animate(tmp_path / "m.html")
    page = (tmp_path / "m.html").read_text()
    assert "<img" not in page
    assert data_of(page)["bodies"] == [evil]


def test_turning_body_without_extent_shows_its_axes() -> None:
    system = free_body()
    zero, one = ex.ZERO, ex.ONE
    x = (one - 2 * (ex.symbol("e2") ** 2 + ex.symbol("e3") ** 2), zero, zero)
    picture = Picture("top", ((zero, zero, zero),), (zero, zero, zero), (x, (zero, one, zero), (zero, zero, one)))
    motion = run(dataclasses.replace(system, pictures=(picture,)), (0, 1))
    scene = build_scene(motion, np.linspace(0, 1, 5))
    assert len(scene.strokes) == 3
    assert np.ptp(scene.places[:, scene.strokes[0][2]], axis=0)[0] > 0


@pytest.mark.parametrize(("length", "speed"), [(10.0, 1.0), (0.03, 0.01), (3600.0, 100.0)])
def test_playing_takes_a_pleasant_time(length: float, speed: float) -> None:
    times, chosen = frame_times(run(pendulum(), (0, length), rtol=1e-3, atol=1e-3), 30.0, None)
    assert chosen == pytest.approx(speed, rel=1.01)
    assert 2 <= length / chosen <= 40
    assert len(times) <= 1500


def test_a_system_without_pictures_says_so(tmp_path: Path) -> None:
    with pytest.raises(SimulationError, match="no pictures"):
        run(free_body(), (0, 1), kind=Motion).animate(tmp_path / "m.html")
    assert not list(tmp_path.iterdir())


def test_partial_motion_can_be_animated(tmp_path: Path) -> None:
    motion = run(pendulum(), (0, 0), kind=Motion)
    motion.animate(tmp_path / "m.html")
    assert len(data_of((tmp_path / "m.html").read_text())["times"]) == 1


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("chromium") is None, reason="needs a browser")
def test_browser_plays_the_page(tmp_path: Path) -> None:
    run(double_pendulum(), (0, 3), kind=Motion).animate(tmp_path / "m.html")
    flags = [
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--use-angle=swiftshader",
        "--enable-unsafe-swiftshader",
    ]
    address = (tmp_path / "m.html").as_uri() + "#t=2"
    command = [
        "chromium",
        *flags,
        f"--user-data-dir={tmp_path / 'profile'}",
        "--virtual-time-budget=5000",
        "--dump-dom",
        address,
    ]
    page = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout
    assert re.search(r'<output id="clock">t = 2\.0', page)


def test_a_spring_is_drawn_as_a_coil_from_end_to_end():
    m = da.Mechanism("strut")
    m.join(da.earth, m.body("cart", mass=1), da.prismatic("x"), name="rail")
    m.spring(da.earth.at([0, 1, 0]), m.bodies["cart"], stiffness=3, length=1, name="strut")
    mo = m.simulate((0, 1), start={"rail.x": 2})
    scene = build_scene(mo, np.linspace(0, 1, 5))
    body = scene.bodies.index("strut")
    chain = [(a, b) for owner, a, b in scene.strokes if owner == body]
    assert len(chain) == 15
    ends = scene.places[:, [chain[0][0], chain[-1][1]]]
    assert np.allclose(ends[:, 0], [0, 1, 0])
    assert np.allclose(ends[:, 1, 0], mo.at(np.linspace(0, 1, 5))["rail.x"], atol=1e-6)
