"""Size, start and frames a second of animations, beside plotly and meshcat where they are installed, for one motion.

    python benchmarks/view.py [BODIES ...]

Frames are counted in Chromium at 1280x720 while the motion plays, drawn by processors, as is their time for each.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
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


def meshcat_page(scene: Any) -> str:
    """The same boxes, cylinders and balls in meshcat's own page that works without its server."""
    import meshcat
    from meshcat import animation, geometry

    def shape(solid: Any) -> Any:
        size = solid.size
        kinds = {
            "box": lambda: geometry.Box(list(size)),
            "cylinder": lambda: geometry.Cylinder(size[1], size[0]),
            "sphere": lambda: geometry.Sphere(size[0]),
        }
        return kinds[solid.kind]()

    shown = meshcat.Visualizer()
    try:
        moving = list(zip(scene.bodies[1:], scene.poses[1:], strict=True))
        for body, _ in moving:
            shown[body.name].set_object(shape(body.solids[0]), geometry.MeshLambertMaterial(color=0x4477AA))
        played = animation.Animation(default_framerate=60)
        for frame in range(len(scene.times)):
            with played.at_frame(shown, frame) as at:
                for body, poses in moving:
                    at[body.name].set_transform(np.vstack([poses[frame], [0, 0, 0, 1]]))
        shown.set_animation(played, play=True, repetitions=10)
        return str(shown.static_html())
    finally:
        shown.window.server_proc.kill()


@dataclass(frozen=True)
class Viewer:
    """How a page is asked: what begins to play, and how many frames were drawn so far."""

    begin: str
    frames: str


OURS = Viewer("async quality => { await view.ready; view.set({plots: false, quality}); }", "view.about().drawn")
PLOTLY = Viewer(
    """() => { const box = document.querySelector('.plotly-graph-div');
      window.count = 0; box.on('plotly_animatingframe', () => window.count++);
      const how = {frame: {duration: 0, redraw: true}, transition: {duration: 0}, mode: 'immediate'};
      const again = () => Plotly.animate(box, null, how).then(again, () => 0); again(); }""",
    "window.count",
)
MESHCAT = Viewer("() => 0", "viewer.renderer.info.render.frame")
SECONDS = 5


def measured(text: str, viewer: Viewer, quality: int | str = "auto") -> dict[str, Any]:
    """Frames a second, and processor milliseconds a frame of all of the browser: those do not depend on other work."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        path = Path(folder) / "page.html"
        path.write_text(text, encoding="utf-8")
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--enable-unsafe-swiftshader"]
        )
        system = browser.new_browser_cdp_session()

        def spent() -> float:
            return sum(one["cpuTime"] for one in system.send("SystemInfo.getProcessInfo")["processInfo"])

        shown = browser.new_page(viewport={"width": 1280, "height": 720})
        cost = spent()
        shown.goto(path.as_uri())
        shown.evaluate(viewer.begin, quality)
        opened = spent() - cost
        shown.wait_for_timeout(2000)
        count, cost, begin = shown.evaluate(viewer.frames), spent(), time.perf_counter()
        shown.wait_for_timeout(1000 * SECONDS)
        drawn, cost, seconds = shown.evaluate(viewer.frames) - count, spent() - cost, time.perf_counter() - begin
        browser.close()
        return {
            "frames_per_second": round(drawn / seconds, 1),
            "cpu_ms_per_frame": round(1000 * cost / max(drawn, 1), 1),
            "cpu_seconds_to_open": round(opened, 2),
        }


def main() -> None:
    print(json.dumps({"cores": os.cpu_count(), "load": round(os.getloadavg()[0], 1)}))
    for count in [int(x) for x in sys.argv[1:]] or [10, 50]:
        scene = scene_of(None, moved(chain(count)))
        rows = [(f"dalembert, {name}", page(scene), OURS, level) for name, level in (("shadows", 1), ("plain", 2))]
        if find_spec("meshcat"):
            rows.append(("meshcat", meshcat_page(scene), MESHCAT, ""))
        if find_spec("plotly"):
            rows.append(("plotly", plotly_page(scene), PLOTLY, ""))
        for name, text, viewer, level in rows:
            found = measured(text, viewer, level)
            print(json.dumps({"bodies": count, "viewer": name, "kB": len(text) // 1000, **found}), flush=True)


if __name__ == "__main__":
    main()
