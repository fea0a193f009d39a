"""A folder of Parquet files, one a chunk: whole or not there, readable by every table library as one table.

`_sweep.json` says what the files are of; a sweep goes on only with the machine and the question it began with.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from dalembert.errors import DalembertError, ModelError
from dalembert.files import make_folder, write_text, written_whole
from dalembert.sweep.plan import Array, Plan, Table, course

FORMAT = "dalembert-sweep-1"
_ABOUT = "_sweep.json"


def _arrow() -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise ModelError("results on disk are Parquet files: pip install 'dalembert[sweep]'.") from None
    return pyarrow


class Store:
    """The folder of one sweep."""

    def __init__(self, place: Path, plan: Plan, resume: bool) -> None:
        self.arrow = _arrow()
        self.place, self.plan = place, plan
        about = place / _ABOUT
        if about.exists():
            if not resume:
                raise ModelError(
                    f"{place} holds a sweep already: resume it (resume=True, --resume), or choose another."
                )
            found = read_about(place)
            if found.get("digest") != plan.digest:
                raise ModelError(
                    f"{place} holds a sweep of another machine or question: what varies, is measured, given or "
                    "described has changed. Begin in another folder."
                )
            return
        make_folder(place)
        if any(place.iterdir()):
            raise ModelError(f"{place} is not empty and holds no sweep: choose another folder.")
        told = {
            "format": FORMAT,
            "mechanism": plan.mechanism.name,
            "digest": plan.digest,
            "cases": len(plan.design),
            "chunk": plan.chunk,
            "columns": list(plan.columns),
            "design": plan.design.as_dict(),
            "times": [*plan.t_span, plan.instants],
            "kept": list(plan.keep),
        }
        write_text(about, json.dumps(told, indent=1) + "\n")

    def _file(self, k: int) -> Path:
        return self.place / f"part-{k:06d}.parquet"

    def missing(self) -> list[int]:
        """Chunks that are not there, or not whole."""
        return [k for k in range(self.plan.chunks) if self._read(k) is None]

    def _read(self, k: int) -> Any:
        rows = min((k + 1) * self.plan.chunk, len(self.plan.design)) - k * self.plan.chunk
        try:
            found = self.arrow.parquet.read_metadata(self._file(k))
        except (OSError, self.arrow.ArrowInvalid):
            return None
        told = (found.metadata or {}).get(b"digest", b"").decode()
        return found if found.num_rows == rows and told == self.plan.digest else None

    def _column(self, values: Array) -> Any:
        """Numbers, or as many at every instant."""
        if values.ndim == 1:
            return values
        return self.arrow.FixedSizeListArray.from_arrays(self.arrow.array(values.reshape(-1)), values.shape[1])

    def write(self, k: int, table: Table) -> None:
        made = self.arrow.table({name: self._column(v) for name, v in table.items()}).replace_schema_metadata(
            {"digest": self.plan.digest}
        )
        try:
            with written_whole(self._file(k)) as file:
                self.arrow.parquet.write_table(made, file)
        except DalembertError as error:
            raise ModelError(f"{error} What is done is kept: resume the sweep when there is room.") from error


def read_about(place: Path) -> dict[str, Any]:
    try:
        found = json.loads((place / _ABOUT).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"{place} holds no sweep: {_ABOUT} cannot be read ({error}).") from None
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise ModelError(f"{place} holds no sweep that this version reads.")
    return found


def read_table(place: Path) -> Table:
    """All rows that are there, by column."""
    arrow = _arrow()
    parts = sorted(place.glob("part-*.parquet"))
    try:
        tables = [arrow.parquet.read_table(path) for path in parts]
    except (OSError, arrow.ArrowInvalid) as error:
        raise ModelError(f"a file of {place} is damaged ({error}): resume the sweep to make it again.") from None
    about = read_about(place)
    kept = {course(text) for text in about.get("kept", ())}
    if not tables:
        return {name: np.zeros((0, about["times"][2]) if name in kept else 0) for name in about["columns"]}
    whole = arrow.concat_tables(tables)

    def numbers(name: str) -> Array:
        held = whole[name].combine_chunks()
        return held.values.to_numpy().reshape(len(held), -1) if name in kept else whole[name].to_numpy()

    return {name: numbers(name) for name in about["columns"]}
