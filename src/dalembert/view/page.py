"""One HTML file that shows a scene: the renderer and the numbers inside, nothing outside."""

from __future__ import annotations

import json
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


def page(scene: Scene, title: str = "") -> str:
    """A self-contained page; `#t=3.5` after its address opens it at that time, paused, `#bare` without controls."""
    pieces = {"%TITLE%": escape(title or scene.name), "%VIEWER%": viewer(), "%SCENE%": json_of(scene.as_dict())}
    text = _PAGE
    for mark, piece in pieces.items():
        head, _, tail = text.partition(mark)
        text = head + piece + tail
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
