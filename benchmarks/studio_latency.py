"""How long a person waits in the studio: from an edit to equations and picture, from a slider to the motion redrawn.

Measured in the page itself, in a real Chromium; medians. Run: python benchmarks/studio_latency.py
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from dalembert.view.report.write import find_browser

ROOT = Path(__file__).parents[1]
EDITS, SLIDES = 9, 25


def edits(page: Page, text: str) -> list[float]:
    """Milliseconds from the end of typing to the last of equations and picture, for edits that change a number."""
    found = []
    for k in range(EDITS):
        changed = text.replace("2.2", f"2.2{k + 1}").replace("elbow.th = 0.4", f"elbow.th = 0.4{k + 1}")
        count = page.evaluate("studioTiming.edits.length")
        page.evaluate("text => studio.editor.replace(0, studio.editor.text.length, text)", changed)
        page.wait_for_function("n => studioTiming.edits.length > n", arg=count)
        found.append(page.evaluate("studioTiming.edits.at(-1)"))
    return found


def slides(page: Page, name: str) -> list[float]:
    """Milliseconds from a slider to the motion drawn."""
    page.click("#tab-tune")
    found = []
    for k in range(SLIDES):
        count = page.evaluate("studioTiming.slides.length")
        move = "([name, v]) => { const s = document.querySelector(`[data-name='${name}']`); s.value = v; s.oninput(); }"
        page.evaluate(move, [name, 0.5 + 0.03 * k])
        page.wait_for_function("n => studioTiming.slides.length > n", arg=count)
        found.append(page.evaluate("studioTiming.slides.at(-1)"))
    return found


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name in ("double_pendulum", "satellite", "quadruped"):
            (Path(folder) / f"{name}.lsd").write_text((ROOT / f"examples/{name}.lsd").read_text())
        command = [sys.executable, "-m", "dalembert", "studio", folder, "--no-browser", "--port", "0"]
        root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server, sync_playwright() as engine:
            assert server.stdout is not None
            address = re.search(r"http://\S+/", server.stdout.readline())
            assert address is not None
            browser = engine.chromium.launch(
                executable_path=find_browser(), args=[*root, "--enable-unsafe-swiftshader"]
            )
            for name, slider in (("double_pendulum", "m2"), ("satellite", "mu_4"), ("quadruped", "")):
                page = browser.new_page(viewport={"width": 1300, "height": 800})
                page.set_default_timeout(120_000)
                page.add_init_script(f"sessionStorage.setItem('dalembert-file', '{name}.lsd')")
                page.goto(address[0])
                page.wait_for_function("() => window.studioTiming && studioTiming.edits.length > 0")
                text = page.evaluate("studio.editor.text")
                times = edits(page, text if name != "quadruped" else text + " ")
                line = f"{name:16} edit {statistics.median(times):6.0f} ms"
                if slider:
                    line += f", slider {statistics.median(slides(page, slider)):6.0f} ms"
                print(line, flush=True)
                page.close()
            browser.close()
            server.terminate()


if __name__ == "__main__":
    main()
