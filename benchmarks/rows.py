"""Rows of measurements: a line on the terminal, and a line of JSON where `make bench` collects them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any


def tell(table: str, **row: Any) -> None:
    """One row, at once: what an interruption leaves is kept."""
    print(f"{table}: " + ", ".join(f"{name} {_text(value)}" for name, value in row.items()), flush=True)
    where = os.environ.get("DALEMBERT_ROWS")
    if where:
        with Path(where).open("a", encoding="utf-8") as file:
            file.write(json.dumps({"table": table, **row}) + "\n")


def read(path: Path) -> list[dict[str, Any]]:
    """All rows of a file, without a last one that was cut off."""
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        try:
            rows.append(json.loads(line))
        except ValueError:
            continue
    return rows


def _text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
