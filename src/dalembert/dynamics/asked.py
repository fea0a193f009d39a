"""What a start asks for, and how it is said in messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = Any
#: Names in a message: enough to see what is meant.
_NAMED = 6
#: A value below this share of the largest beside it is said to be zero: rounding of radians, not a small length.
_NOTHING = 1e-15


@dataclass(frozen=True, slots=True)
class Asked:
    """Names of all columns, those that are asked in the order of their rank, and how many of these are firm."""

    owner: str
    names: tuple[str, ...]
    ranked: Sequence[str]
    firm: int

    def among(self, names: Sequence[str]) -> tuple[list[int], int]:
        """Places in `names` of what is asked of them, and how many are firm."""
        mine = [name for name in self.ranked if name in names]
        return [names.index(name) for name in mine], sum(name in names for name in self.ranked[: self.firm])


def said(names: Sequence[str], which: Sequence[int], values: Array) -> str:
    """Names with their values, the first ones if they are many."""
    more = ", ..." if len(which) > _NAMED else ""
    least = _NOTHING * np.abs(values).max(initial=0.0)
    shown = ((names[j], values[j] if abs(values[j]) > least else 0.0) for j in which[:_NAMED])
    return ", ".join(f"{name} = {value:.6g}" for name, value in shown) + more


def where(first: int | None, k: int) -> str:
    """Which trajectory of many."""
    return "" if first is None else f" in trajectory {first + k}"
