"""Takes the pictures of pages and of the studio: python docs/screenshots.py (from the root; needs Chromium).

Ten examples as their pages show them, light and dark; the studio on a desktop, a tablet and a phone, together and (the
first picture of the README) large. Look at them.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

import dalembert as da
from dalembert.view import page, scene_of
from dalembert.view.report.write import find_browser

HERE = Path(__file__).parent
EXAMPLES = {
    "satellite": 6.0,
    "quadruped": 0.5,
    "bicycle": 1.0,
    "drone": 1.0,
    "arm_6r": 1.0,
    "governor": 2.0,
    "gyroscope": 1.0,
    "constraints/car": 1.5,
    "constraints/planetary": 1.0,
    "constraints/snakeboard": 2.0,
}
"""Machines, and the time at which each is seen."""
SIZES = {"desktop": (1300, 800), "tablet": (820, 1100), "phone": (390, 800)}
LARGE = {"desktop": "studio", "tablet": "studio_tablet"}
"""Sizes that have a picture of their own, of a light page."""


def tiled(pictures: list[Image.Image], columns: int) -> Image.Image:
    width, height = pictures[0].size
    sheet = Image.new("RGB", (columns * width, -(-len(pictures) // columns) * height))
    for k, picture in enumerate(pictures):
        sheet.paste(picture, ((k % columns) * width, (k // columns) * height))
    return sheet


def shot(shown: Any, height: int) -> Image.Image:
    found = Image.open(io.BytesIO(shown.screenshot())).convert("RGB")
    return found.resize((round(found.width * height / found.height), height), Image.Resampling.LANCZOS)


def save(picture: Image.Image, name: str) -> None:
    path = HERE / "_static" / f"{name}.png"
    picture.quantize(255).save(path, optimize=True)
    print(path, path.stat().st_size // 1000, "kB")


def examples(browser: Any) -> Image.Image:
    """Each in its page, the second row dark."""
    pictures = []
    for k, (name, time) in enumerate(EXAMPLES.items()):
        machine = da.load(HERE.parent / "examples" / f"{name}.lsd")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "page.html"
            path.write_text(page(scene_of(motion=machine.simulate((0, time + 0.5)))), encoding="utf-8")
            scheme = "light" if k < len(EXAMPLES) / 2 else "dark"
            shown = browser.new_page(viewport={"width": 640, "height": 480}, color_scheme=scheme)
            shown.goto(f"{path.as_uri()}#bare&t={time}")
            shown.wait_for_selector("body[data-ready]")
            shown.wait_for_timeout(900)
            pictures.append(shot(shown, 270))
            shown.close()
    return tiled(pictures, 5)


def studio(browser: Any) -> Image.Image:
    """The satellite on a desktop, a tablet and a phone, light and dark."""
    rows = []
    command = [
        sys.executable,
        "-m",
        "dalembert",
        "studio",
        str(HERE.parent / "examples"),
        "--no-browser",
        "--port",
        "0",
    ]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        address = re.search(r"http://\S+/", server.stdout.readline())
        assert address is not None
        for scheme in ("light", "dark"):
            row = []
            for size, (width, height) in SIZES.items():
                shown = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
                shown.set_default_timeout(120_000)
                shown.add_init_script("sessionStorage.setItem('dalembert-file', 'satellite.lsd')")
                shown.goto(address[0])
                shown.wait_for_function("() => window.studioTiming && studioTiming.edits.length > 0")
                shown.wait_for_timeout(1500)
                row.append(shot(shown, 520))
                if scheme == "light" and size in LARGE:
                    save(shot(shown, height), LARGE[size])
                shown.close()
            sheet = Image.new("RGB", (sum(one.width + 8 for one in row), 520), "#888888")
            at = 0
            for one in row:
                sheet.paste(one, (at, 0))
                at += one.width + 8
            rows.append(sheet)
    finally:
        server.terminate()
        server.wait()
    return tiled(rows, 1)


def main() -> None:
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=find_browser(), args=["--no-sandbox", "--enable-unsafe-swiftshader"]
        )
        for name, make in (("examples", examples), ("studio_sizes", studio)):
            save(make(browser), name)
        browser.close()


if __name__ == "__main__":
    main()
