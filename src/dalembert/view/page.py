"""One HTML file that shows a scene: the renderer and the numbers inside, nothing outside."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from html import escape
from importlib.resources import files
from typing import Any

from dalembert.view.scene import Scene

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>%TITLE%</title>
<style>
  html, body { margin: 0; height: 100%; background: #eff3f7; }
  @media (prefers-color-scheme: dark) { html, body { background: #13171c; } }
  #machine { position: fixed; inset: 0; }
</style>
</head>
<body>
<div id="machine"></div>
<script>%VIEWER%</script>
<script>
const scene = %SCENE%;
const asked = new URLSearchParams(location.hash.slice(1));
const view = DalembertView(document.getElementById("machine"), scene,
  { autoplay: !asked.has("t"), plots: innerWidth > 1100 && !asked.has("bare"), controls: !asked.has("bare") });
view.ready.then(() => { if (asked.has("t")) view.seek(+asked.get("t")); document.body.dataset.ready = "yes"; });
</script>
</body>
</html>
"""


_SIDES = """<script>
const scenes = %DATA%;
document.body.style.cssText = "display: grid; grid-auto-rows: 1fr; gap: 2px; height: 100vh;" +
  "grid-template-columns: repeat(auto-fit, minmax(min(100%, 360px), 1fr))";
const views = scenes.map(({ title, scene }, k) => {
  const box = document.createElement("div"), name = document.createElement("div");
  box.style.cssText = "position: relative; min-height: 0"; box.className = "machine";
  name.textContent = title;
  name.style.cssText = "position: absolute; left: .8em; top: .6em; font: 600 14px system-ui; color: #7b8794";
  const inner = document.createElement("div");
  inner.style.cssText = "position: absolute; inset: 0";
  box.append(inner, name);
  document.body.append(box);
  return DalembertView(inner, scene, { autoplay: false, controls: k === 0 });
});
Promise.all(views.map(v => v.ready)).then(() => {
  views[0].on("time", t => views.slice(1).forEach(v => v.seek(t)));
  const asked = new URLSearchParams(location.hash.slice(1));
  if (asked.has("t")) views[0].seek(+asked.get("t")); else views[0].play();
  document.body.dataset.ready = "yes";
});
</script>
</body>
</html>
"""


def page(scene: Scene, title: str = "") -> str:
    """A self-contained page; `#t=3.5` after its address opens it at that time, paused, `#bare` without controls."""
    pieces = {"%TITLE%": escape(title or scene.name), "%VIEWER%": viewer(), "%SCENE%": json_of(scene.as_dict())}
    text = _PAGE
    for mark, piece in pieces.items():
        head, _, tail = text.partition(mark)
        text = head + piece + tail
    return text


def side_by_side(scenes: Sequence[Scene], titles: Sequence[str] = ()) -> str:
    """A page in which motions play beside each other at the same time; the first has the controls."""
    names = [*titles, *(scene.name for scene in scenes[len(titles) :])]
    data = [{"title": name, "scene": scene.as_dict()} for name, scene in zip(names, scenes, strict=True)]
    return scripted(" | ".join(names), _SIDES, data)


def scripted(title: str, script: str, data: Any) -> str:
    """A self-contained page whose script, the end of it, makes views of `%DATA%`."""
    head, _, tail = _PAGE.partition('<div id="machine"></div>')
    body, _, _ = tail.partition("<script>\nconst scene")
    text = (head + body + script).replace("%TITLE%", escape(title), 1)
    for mark, piece in (("%VIEWER%", viewer()), ("%DATA%", json_of(data))):
        before, _, rest = text.partition(mark)
        text = before + piece + rest
    return text


@lru_cache(maxsize=1)
def viewer() -> str:
    """The text of viewer.js, which cannot end the script that it stands in."""
    text = files("dalembert.view").joinpath("viewer.js").read_text(encoding="utf-8")
    return text.replace("</", "<\\/")


def json_of(value: Any) -> str:
    """JSON that cannot end the script it stands in; numbers that are none become null."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026").replace("\u2028", "\\u2028")
