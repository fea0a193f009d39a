"""The manual: its settings are read, and what its pages point to is there."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

import dalembert

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("docs/*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"])
LINK = re.compile(r"\]\(([^)#\s:]+)(#[\w-]+)?\)|^```\{image\} (\S+)", re.MULTILINE)


def test_the_settings_of_the_manual_are_read():
    assert runpy.run_path(str(ROOT / "docs" / "conf.py"))["release"] == dalembert.__version__


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_pages_point_to_what_is_there(page: Path):
    text = re.sub(r"^```(?!\{).*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for found in LINK.finditer(re.sub(r"`[^`\n{]+`", "", text)):
        target = page.parent / (found[1] or found[3])
        assert target.exists(), f"{page.name} points to {found[1] or found[3]}"
        if found[2] and target.suffix == ".md":
            heads = re.findall(r"^#+ (.+)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            names = {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}
            assert found[2][1:] in names, f"{page.name} points to {found[1]}{found[2]}"
