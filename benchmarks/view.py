"""Size, start and frames a second of animations, beside plotly and meshcat where they are installed, for one motion.

    python benchmarks/view.py [BODIES ...]

Frames are counted in Chromium at 1280x720 while the motion plays; its renderer is named, since software is not a card.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import dalembert as da
from dalembert.view import page, scene_of


def chain(bodies: int) -> da.Mechanism:
    """A hanging chain of boxes, cylinders and balls."""
    m = da.Mechanism(f"chain of {bodies}")
    m.gravity = [0, 0, -9.81]
    last: Any = da.earth
    for k in range(bodies):
        body = m.body(f"b{k}", mass=1, centre=[0, 0, -0.25], inertia=[0.03, 0.03, 0.01])
        m.join(last, body, da.revolute("x" if k % 2 else "y"), name=f"j{k}")
        kind, sizes = (("box", (0.2, 0.2, 0.4)), ("cylinder", (0.1, 0.4)), ("sphere", (0.15,)))[k % 3]
        m.shape(body.at([0, 0, -0.25]), kind, *sizes)
        last = body.at([0, 0, -0.5])
    return m


def moved(m: da.Mechanism, seconds: float = 10.0) -> Any:
    """A made-up motion, quick to have: what is measured is how it is shown."""
    from dalembert.mechanism import Layout
    from dalembert.simulate import Arc, System

    layout = Layout.of(m)
    t = np.linspace(0, seconds, 601)
    q = np.array([0.3 * np.sin((1 + 0.05 * k) * t + k) for k in range(len(layout.coordinates))])
    y = np.concatenate([q, np.gradient(q, t, axis=1)])
    system = System(
        layout.coordinates,
        layout.speeds,
        tuple(da.expr.symbols(" ".join(f"r{k}" for k in range(len(y))))),
        name=m.name,
        layout=layout,
    )
    from dalembert.view import Motion

    return Motion(system, (Arc(t, y, {}),))


def plotly_page(scene: Any) -> str:
    """The same boxes, cylinders and balls as meshes that frames move."""
    import plotly.graph_objects as go

    def mesh(body: Any, frame: int, pose: Any) -> Any:
        corners = np.concatenate([solid.corners() for solid in body.solids]) @ pose[frame, :, :3].T + pose[frame, :, 3]
        faces = np.array(
            [
                (0, 1, 3),
                (0, 3, 2),
                (4, 6, 7),
                (4, 7, 5),
                (0, 4, 5),
                (0, 5, 1),
                (2, 3, 7),
                (2, 7, 6),
                (0, 2, 6),
                (0, 6, 4),
                (1, 5, 7),
                (1, 7, 3),
            ]
        )
        return go.Mesh3d(x=corners[:, 0], y=corners[:, 1], z=corners[:, 2], i=faces[:, 0], j=faces[:, 1], k=faces[:, 2])

    moving = list(zip(scene.bodies[1:], scene.poses[1:], strict=True))
    frames = [go.Frame(data=[mesh(b, f, p) for b, p in moving]) for f in range(0, len(scene.times), 2)]
    return str(go.Figure(data=[mesh(b, 0, p) for b, p in moving], frames=frames).to_html(include_plotlyjs=True))


def measured(text: str, script: str) -> dict[str, Any]:
    """Seconds to the first frame and frames a second, in a browser."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        path = Path(folder) / "page.html"
        path.write_text(text, encoding="utf-8")
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--enable-unsafe-swiftshader"]
        )
        shown = browser.new_page(viewport={"width": 1280, "height": 720})
        begin = time.perf_counter()
        shown.goto(path.as_uri())
        found: dict[str, Any] = shown.evaluate(script)
        found["seconds"] = time.perf_counter() - begin
        browser.close()
        return found


OURS = """async () => { await view.ready; view.set({plots: false}); const first = performance.now();
  await new Promise(r => setTimeout(r, 4000)); const n0 = view.about().drawn, t0 = performance.now();
  await new Promise(r => setTimeout(r, 5000)); const about = view.about();
  const fps = 1000 * (about.drawn - n0) / (performance.now() - t0);
  return {first, fps, level: about.level, renderer: about.renderer}; }"""
PLOTLY = """async () => { const box = document.querySelector('.plotly-graph-div');
  const first = performance.now(); let n = 0;
  box.on('plotly_animatingframe', () => n++); const t0 = performance.now();
  const how = {frame: {duration: 0, redraw: true}, transition: {duration: 0}, mode: 'immediate'};
  Plotly.animate(box, null, how).catch(() => 0);
  await new Promise(r => setTimeout(r, 6000)); return {first, fps: 1000 * n / (performance.now() - t0)}; }"""


def main() -> None:
    for count in [int(x) for x in sys.argv[1:]] or [10, 50]:
        m = chain(count)
        motion = moved(m)
        begin = time.perf_counter()
        scene = scene_of(None, motion)
        text = page(scene)
        rows = [("dalembert", text, {**measured(text, OURS), "made": time.perf_counter() - begin})]
        if find_spec("plotly"):
            text = plotly_page(scene)
            rows.append(("plotly", text, measured(text, PLOTLY)))
        if find_spec("meshcat"):
            import meshcat

            folder = Path(meshcat.__file__).parent / "viewer" / "dist"
            bundle = sum(path.stat().st_size for path in folder.glob("main.min.js"))
            print(json.dumps({"bodies": count, "viewer": "meshcat", "bundle_kB": bundle // 1000}))
        for name, page_text, found in rows:
            print(json.dumps({"bodies": count, "viewer": name, "kB": len(page_text) // 1000, **found}))


if __name__ == "__main__":
    main()
