"""The camera shows every body of every example at all times: by projected boxes, and by the pixels of some."""

from __future__ import annotations

import io
import warnings
from pathlib import Path

import numpy as np
import pytest

import dalembert as da
from browser import browser, opened
from dalembert.errors import SimulationError
from dalembert.view import Scene, page, scene_of
from dalembert.view.paint import _followed

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted(ROOT.glob("examples/**/*.lsd"))
HEAVY = {"antenna_2", "antenna_grid", "delta"}
"""Machines whose code takes seconds to compile: they are seen in the posture in which they start."""
LOOKED_AT = ("satellite", "quadruped", "bicycle", "four_bar", "arm_6r", "drone", "car", "stewart", "bouncing_ball")


def scene(path: Path) -> Scene:
    m = da.load(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if path.stem in HEAVY:
            return scene_of(m)
        try:
            return scene_of(m, m.simulate((0, 1)))
        except SimulationError as error:
            return scene_of(m, error.partial)


@pytest.mark.slow
def test_every_body_of_every_example_is_in_the_picture(tmp_path: Path):
    scenes = {path: scene(path) for path in EXAMPLES}
    start = tmp_path / "page.html"
    start.write_text(page(scenes[EXAMPLES[0]]), encoding="utf-8")
    with browser() as driver:
        shown, faults = opened(driver, start, "#bare&t=0", size=(480, 300))
        shown.evaluate("view.set({ground: false, traces: false, joints: false, arrows: false, autoplay: false})")
        for path, one in scenes.items():
            worst = shown.evaluate("s => view.load(s).then(() => view.outermost(60))", one.as_dict())
            assert worst < 1, path.name
            if path.stem in LOOKED_AT:
                for t in one.times[[0, len(one.times) // 2, -1]]:
                    shown.evaluate("t => view.seek(t)", float(t))
                    shown.wait_for_timeout(60)
                    check_pixels(shown.screenshot(), path.name)
        assert faults == []


def check_pixels(png: bytes, name: str) -> None:
    """The edge of the picture is empty, its inside is not."""
    from PIL import Image

    pixels = np.asarray(Image.open(io.BytesIO(png)).convert("RGB"), dtype=int)
    back = pixels[0, 0]
    drawn = np.abs(pixels - back).max(axis=2) > 12
    drawn[2:-2, 2:-2] = False
    assert not drawn.any(), f"{name}: something is cut off at the edge"
    assert (np.abs(pixels - back).max(axis=2) > 12).mean() > 0.005, f"{name}: nothing is to be seen"


def test_the_camera_falls_with_what_is_seen():
    """Rotors that only add inertia stand on earth, unseen: the camera does not wait for them."""
    m = da.Mechanism("falling")
    body = m.body("body", mass=1, inertia=[1, 1, 1])
    m.join(da.earth, body, da.prismatic("z"), name="fall")
    for k in range(5):
        rotor = m.body(f"rotor_{k}", inertia=[1, 1, 1])
        m.join(da.earth, rotor, da.composite([], da.turn("0.1*fall.x", "z")), name=f"gear_{k}")
    m.gravity = [0, 0, -9.81]
    scene = scene_of(motion=m.simulate((0, 10)))
    assert scene.viewpoint.follow
    assert [bool(one.solids) for one in scene.bodies[1:]] == [True] + [False] * 5
    np.testing.assert_allclose(_followed(scene), scene.poses[1, :, :, 3])
    assert {trace.name for trace in scene.traces} == {"body"}
