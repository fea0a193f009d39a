"""How long a person waits in the studio: from an edit to equations and picture, from a slider to the motion redrawn.

Edits of numbers (`given`, `start`) keep the structure of the machine; those of gravity change it, and all is derived,
set and compiled anew. Measured in the page itself, in a real Chromium; medians, and the quickest.

    python benchmarks/studio_latency.py [NAME ...]
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from dalembert.view.report.write import find_browser

ROOT = Path(__file__).parents[1]
MACHINES = {
    "double_pendulum": ROOT / "examples/double_pendulum.lsd",
    "satellite": ROOT / "examples/satellite.lsd",
    "quadruped": ROOT / "examples/quadruped.lsd",
    "humanoid": ROOT / "benchmarks/humanoid.lsd",
}
EDITS, SLIDES = 9, 25


def numbers(text: str, k: int) -> str:
    """The program with another number of its start, if it has one."""
    changed = re.sub(
        r"(\bstart\b[^;]*= )([\d.]+)( ;)", lambda m: f"{m[1]}{float(m[2]) * (1.01 + k / 100):.4f}{m[3]}", text
    )
    return f"{changed}\n(* {k} *)\n"


def structure(text: str, k: int) -> str:
    """The program of another machine."""
    return re.sub(r"^gravity .*;$", "", text, flags=re.M) + f"\ngravity [0, 0, -9.{k + 1}] ;\n"


def edits(page: Page, text: str, change: Callable[[str, int], str]) -> list[float]:
    """Milliseconds from the end of typing to the last of equations and picture."""
    found = []
    for k in range(EDITS):
        count = page.evaluate("studioTiming.edits.length")
        page.evaluate("text => studio.editor.replace(0, studio.editor.text.length, text)", change(text, k))
        page.wait_for_function("n => studioTiming.edits.length > n", arg=count)
        found.append(page.evaluate("studioTiming.edits.at(-1)"))
    return found


def slides(page: Page) -> list[float]:
    """Milliseconds from a slider, the first one, to the motion drawn."""
    page.click("#tab-tune")
    found = []
    for k in range(SLIDES):
        count = page.evaluate("studioTiming.slides.length")
        move = "x => { const s = document.querySelector('[data-name]'); s.value = x * s.max; s.oninput(); }"
        page.evaluate(move, 0.3 + 0.01 * k)
        page.wait_for_function("n => studioTiming.slides.length > n", arg=count)
        found.append(page.evaluate("studioTiming.slides.at(-1)"))
    return found


def told(times: list[float]) -> str:
    return f"{statistics.median(times):5.0f} ms (quickest {min(times):4.0f})"


def main() -> None:
    chosen = sys.argv[1:] or list(MACHINES)
    if find_browser() is None:
        sys.exit("no Chromium or Chrome was found to use the studio with")
    with tempfile.TemporaryDirectory() as folder:
        for name in chosen:
            (Path(folder) / f"{name}.lsd").write_text(MACHINES[name].read_text())
        command = [sys.executable, "-m", "dalembert", "studio", folder, "--no-browser", "--port", "0"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            address = re.search(r"http://\S+/", server.stdout.readline())
            assert address is not None
            measure(address[0], chosen)
        finally:
            server.terminate()
            server.wait()


def measure(address: str, chosen: list[str]) -> None:
    root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with sync_playwright() as engine:
        browser = engine.chromium.launch(executable_path=find_browser(), args=[*root, "--enable-unsafe-swiftshader"])
        print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
        for name in chosen:
            page = browser.new_page(viewport={"width": 1300, "height": 800})
            page.set_default_timeout(120_000)
            page.add_init_script(f"sessionStorage.setItem('dalembert-file', '{name}.lsd')")
            page.goto(address)
            page.wait_for_function("() => window.studioTiming && studioTiming.edits.length > 0")
            opened = page.evaluate("studioTiming.edits[0]")
            text = page.evaluate("studio.editor.text")
            print(f"{name:16} opened {opened:5.0f} ms, numbers {told(edits(page, text, numbers))}", end="", flush=True)
            print(f", structure {told(edits(page, text, structure))}", end="", flush=True)
            print(f", slider {told(slides(page))}", flush=True)
            page.close()
        browser.close()


if __name__ == "__main__":
    main()
