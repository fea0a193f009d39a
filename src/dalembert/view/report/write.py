"""A report in a file: the suffix decides whether it is a page, a PDF or LaTeX."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from dalembert.errors import DalembertError
from dalembert.files import write_text, written_whole
from dalembert.view.report.blocks import Report
from dalembert.view.report.latex import latex_of

SUFFIXES = (".html", ".htm", ".pdf", ".tex")
BROWSERS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "msedge",
    "brave-browser",
)
_PATIENCE = 120.0
"""Seconds that a browser may take to print: a long report takes three."""


def write_report(report: Report, path: str | os.PathLike[str]) -> list[Path]:
    """Write the report; the files that were written, figures of LaTeX included."""
    target = Path(path)
    suffix = target.suffix.lower()
    check_report_name(target)
    if suffix == ".tex":
        stem = re.sub(r"[^A-Za-z0-9-]", "-", target.stem)
        text, figures = latex_of(report, stem)
        for name, data in figures.items():
            with written_whole(target.parent / name) as file:
                file.write(data)
        write_text(target, text)
        return [target, *(target.parent / name for name in figures)]
    if suffix == ".pdf":
        with written_whole(target) as file:
            file.write(printed(report.html()))
        return [target]
    write_text(target, report.html())
    return [target]


def check_report_name(target: Path) -> None:
    """Refuse, before any work is done, what cannot be written."""
    if target.suffix.lower() not in SUFFIXES:
        raise DalembertError(f"cannot write {target}: a report is a page, so its name ends in .html, .pdf or .tex.")
    if target.suffix.lower() == ".pdf" and find_browser() is None:
        raise DalembertError(
            f"cannot write {target}: a PDF is printed by Chromium or Chrome, and none was found. Write report.html and "
            "print it from any browser, or report.tex; or say where the browser is: BROWSER_PATH=/path/to/chrome."
        )


def find_browser() -> str | None:
    """A browser of Chromium's kind."""
    asked = os.environ.get("BROWSER_PATH", "")
    return next((found for name in (asked, *BROWSERS) if name and (found := shutil.which(name))), None)


def printed(page: str) -> bytes:
    """The page as PDF."""
    browser = find_browser()
    if browser is None:
        raise DalembertError("no Chromium or Chrome was found that could print a PDF.")
    with tempfile.TemporaryDirectory(prefix="dalembert-") as folder:
        source, target = Path(folder) / "report.html", Path(folder) / "report.pdf"
        source.write_text(page, encoding="utf-8")
        root = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []  # it refuses root otherwise
        command = [browser, "--headless", *root, "--disable-gpu", f"--user-data-dir={folder}/profile"]
        command += [f"--print-to-pdf={target}", "--no-pdf-header-footer", source.as_uri()]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE, check=False)
        except subprocess.TimeoutExpired as error:
            raise DalembertError(
                f"{browser} did not print the report in {_PATIENCE:g} s. Write report.html."
            ) from error
        if not target.exists():
            last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
            raise DalembertError(f"{browser} did not print the report ({last}). Write report.html and print that.")
        return target.read_bytes()
