"""The camera shows every body and arrow of every example at all times: by projected boxes, and by pixels."""

from __future__ import annotations

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
BRIEF = {"slider_crank_clearance": 0.05, "woodpecker": 0.3, "spinning_coin": 0.3}
"""Machines with hundreds of impacts a second are seen for less than one."""
LOOKS = 6
"""Times at which the pixels of a motion are read."""
PIXELS = """times => {
  const gl = document.querySelector("#machine").shadowRoot.querySelector("canvas.gl").getContext("webgl2");
  const w = gl.drawingBufferWidth, h = gl.drawingBufferHeight, held = new Uint8Array(4 * w * h);
  let least = 1, edge = 0;
  for (const t of times) {
    view.drawAt(t); gl.readPixels(0, 0, w, h, gl.RGBA, gl.UNSIGNED_BYTE, held);
    const drawn = (x, y) => [0, 1, 2].some(c => Math.abs(held[4 * (y * w + x) + c] - held[c]) > 12);
    let inside = 0;
    for (let y = 0; y < h; y++) for (let x = 0; x < w; x++) if (drawn(x, y)) {
      inside++;
      if (x < 2 || y < 2 || x >= w - 2 || y >= h - 2) edge++;
    }
    least = Math.min(least, inside / (w * h));
  }
  return {least, edge};
}"""
"""How much of the picture is drawn when it is least, and how much of that is at its edge; its first pixel is empty."""


def scene(path: Path) -> Scene:
    m = da.load(path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if path.stem in HEAVY:
            return scene_of(m)
        try:
            return scene_of(m, m.simulate((0, BRIEF.get(path.stem, 1))))
        except SimulationError as error:
            return scene_of(m, error.partial)


@pytest.mark.slow
def test_every_body_of_every_example_is_in_the_picture(tmp_path: Path):
    scenes = {path: scene(path) for path in EXAMPLES}
    start = tmp_path / "page.html"
    start.write_text(page(scenes[EXAMPLES[0]]), encoding="utf-8")
    with browser() as driver:
        shown, faults = opened(driver, start, "#bare&t=0", size=(480, 300))
        shown.evaluate("view.set({ground: false, traces: false, joints: false, autoplay: false})")
        for path, one in scenes.items():
            worst = shown.evaluate("s => view.load(s).then(() => view.outermost(60))", one.as_dict())
            assert worst < 1, path.name
            times = np.linspace(one.times[0], one.times[-1], LOOKS if len(one.times) > 1 else 1)
            found = shown.evaluate(PIXELS, times.tolist())
            assert found["edge"] == 0, f"{path.name}: something is cut off at the edge"
            assert found["least"] > 0.0008, f"{path.name}: nothing is to be seen"
        assert faults == []


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
