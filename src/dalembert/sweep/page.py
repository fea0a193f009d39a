"""A sweep as one page: what was asked, where each measure lies, and a picture of each over what varies."""

from __future__ import annotations

import io
import os
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from dalembert.files import check_suffix, write_text

if TYPE_CHECKING:
    from dalembert.sweep.sweep import Sweep

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<style>body {{ font: 16px/1.5 sans-serif; max-width: 70em; margin: 2em auto; padding: 0 1em }}
pre {{ overflow-x: auto }} svg {{ max-width: 100%; height: auto }}</style></head>
<body><h1>{title}</h1><pre>{summary}</pre>{pictures}</body></html>
"""


def write_page(sweep: Sweep, path: str | os.PathLike[str]) -> Path:
    """One self-contained HTML file; it loads nothing from elsewhere."""
    import matplotlib.pyplot as plt

    check_suffix(path, (".html", ".htm"), "a summary of a sweep is a page")
    pictures = []
    for measure in sweep.measures:
        figure = sweep.plot(measure)
        held = io.StringIO()
        figure.savefig(held, format="svg")
        plt.close(figure)
        text = held.getvalue()
        pictures.append(f"<h2>{escape(measure)}</h2>{text[text.index('<svg') :]}")
    title = escape(f"Sweep of {sweep.name}")
    write_text(path, _PAGE.format(title=title, summary=escape(str(sweep)), pictures="".join(pictures)))
    return Path(path)
