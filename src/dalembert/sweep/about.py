"""What a folder of results is of: `_sweep.json`, written once, and believed only as far as it has the right shape."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.errors import ModelError
from dalembert.files import write_text
from dalembert.sweep.design import MOST

FORMAT = "dalembert-sweep-1"
ABOUT = "_sweep.json"


def version_here() -> str:
    return str(import_module("dalembert").__version__)


@dataclass(frozen=True)
class About:
    """The machine, the question (by its digest), the columns; `times` are begin, end and how many instants."""

    mechanism: str
    digest: str
    cases: int
    columns: tuple[str, ...]
    design: dict[str, Any]
    times: tuple[float, float, int]
    kept: tuple[str, ...]
    version: str = ""

    @property
    def varied(self) -> tuple[str, ...]:
        return tuple(name for name, *_ in (*self.design["axes"], *self.design["draws"]))

    def write(self, place: Path) -> None:
        told = {"format": FORMAT, **asdict(self), "version": version_here()}
        write_text(place / ABOUT, json.dumps(told, indent=1) + "\n")

    @property
    def is_sound(self) -> bool:
        """Has it the types that `write` gives, with a column for all that is varied or kept?"""
        texts = (self.mechanism, self.digest, self.version, *self.columns, *self.kept)
        if not all(isinstance(x, str) for x in texts) or not {"case", "status", "t_last"} <= {*self.columns}:
            return False
        begin, end, count = self.times
        numbers = all(isinstance(x, int | float) and np.isfinite(x) for x in (begin, end))
        whole = all(isinstance(x, int) and 0 < x <= MOST for x in (count, self.cases))
        return numbers and whole and {*self.varied} <= {*self.columns}


def read_about(place: Path) -> About:
    """What the folder says of itself, checked."""
    try:
        found = json.loads((place / ABOUT).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"{place} holds no sweep: {ABOUT} cannot be read ({error}).") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise ModelError(f"{place} holds no sweep that this version reads.")
    try:
        about = About(
            mechanism=found["mechanism"],
            digest=found["digest"],
            cases=found["cases"],
            columns=tuple(found["columns"]),
            design=dict(found["design"]),
            times=tuple(found["times"]),
            kept=tuple(found.get("kept", ())),
            version=found.get("version", ""),
        )
        sound = about.is_sound
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{place} holds no sweep: {ABOUT} is damaged ({error!r}).") from None
    if not sound:
        raise ModelError(f"{place} holds no sweep: {ABOUT} is damaged.")
    return about


def begun_here(place: Path, about: About) -> None:
    """Refuse to go on with what another version has begun: it may round otherwise, and one table would hold both."""
    if about.version != version_here():
        raise ModelError(
            f"the sweep in {place} was begun by dalembert {about.version or 'of an earlier version'}, this is "
            f"{version_here()}: its bits may differ. Go on with that version, or begin in another folder."
        )


def check_cases(place: Path, about: About, case: NDArray[Any]) -> None:
    """Every case once, none that the sweep does not have."""
    if len(case) and (np.any(np.diff(case) <= 0) or case[0] < 0 or case[-1] >= about.cases):
        raise ModelError(f"files of {place} hold a case twice, or one that the sweep does not have: a file was copied.")
