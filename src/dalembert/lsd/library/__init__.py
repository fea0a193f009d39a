"""The standard library of LSD, written in LSD: joints, springs, motors, solids."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources


@cache
def files() -> dict[str, str]:
    """Text of every library file by its name."""
    folder = resources.files(__package__)
    return {f.name: f.read_text(encoding="utf-8") for f in folder.iterdir() if f.name.endswith(".lsd")}


def defining(name: str) -> str | None:
    """The library file that defines a name, if any."""
    pattern = re.compile(rf"^let {re.escape(name)}\b", re.MULTILINE)
    return next((file for file, text in sorted(files().items()) if pattern.search(text)), None)
