"""A real browser for tests that look at pages; where none is found they are skipped with a sentence."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next((found for name in _NAMES if (found := shutil.which(name))), None)
_INSIDE = ("file:", "data:", "blob:")


@contextmanager
def browser() -> Iterator[Any]:
    """Chromium without a window, drawing in software; it is an error if a page asks for anything outside."""
    if CHROMIUM is None:
        pytest.skip("no Chromium was found: the pages are not looked at in a browser.")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: no browser is driven.")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--enable-unsafe-swiftshader", "--use-angle=swiftshader"]
        )
        try:
            yield started
        finally:
            started.close()


def opened(driver: Any, path: Path, after: str = "", **about: Any) -> tuple[Any, list[str]]:
    """A page that has drawn its scene, and what went wrong in it."""
    size = about.pop("size", (640, 400))
    page = driver.new_page(viewport={"width": size[0], "height": size[1]}, **about)
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("dialog", lambda dialog: (faults.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.on("console", lambda told: faults.append(told.text) if told.type == "error" else None)
    page.on(
        "request",
        lambda asked: faults.append(asked.url) if not asked.url.startswith(_INSIDE) else None,
    )
    page.goto(path.as_uri() + after)
    page.wait_for_selector("body[data-ready]", timeout=30_000)
    return page, faults
