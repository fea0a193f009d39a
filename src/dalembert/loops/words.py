"""Short words that verdicts, pictures and messages share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dalembert.loops.verdict import Mobility


def freedoms_words(verdict: Mobility) -> str:
    """The freedoms, or the bounds that are known."""
    if verdict.dof is None:
        return f"between {verdict.lower} and {verdict.upper} freedoms"
    return f"{verdict.dof} freedom{'s' if verdict.dof != 1 else ''}"


def posture_words(at: Mapping[str, float], most: int = 6) -> str:
    """Coordinates of a posture in one line; rounding is not shown."""
    shown = [f"{name} = {round(value, 12) + 0.0:.4g}" for name, value in list(at.items())[:most]]
    return ", ".join(shown) + (f" and {len(at) - most} more" if len(at) > most else "")
