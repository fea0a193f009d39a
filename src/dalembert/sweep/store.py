"""A folder of Parquet files, one a chunk: whole or not there, readable by every table library as one table.

`_sweep.json` says what the files are of; a sweep goes on only with the machine and the question it began with.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from dalembert.errors import DalembertError, ModelError
from dalembert.files import make_folder, written_whole
from dalembert.sweep.about import ABOUT, About, begun_here, check_cases, read_about
from dalembert.sweep.plan import Array, Plan, Table, course


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
        if (place / ABOUT).exists():
            if not resume:
                raise ModelError(
                    f"{place} holds a sweep already: resume it (resume=True, --resume), or choose another."
                )
            found = read_about(place)
            if found.digest != plan.digest:
                raise ModelError(
                    f"{place} holds a sweep of another machine or question: what varies, is measured, given or "
                    "described has changed. Begin in another folder."
                )
            begun_here(place, found)
            return
        make_folder(place)
        if any(place.iterdir()):
            raise ModelError(f"{place} is not empty and holds no sweep: choose another folder.")
        About(
            mechanism=plan.mechanism.name,
            digest=plan.digest,
            cases=len(plan.design),
            columns=plan.columns,
            design=plan.design.as_dict(),
            times=(*plan.t_span, plan.instants),
            kept=plan.keep,
        ).write(place)

    def _file(self, k: int) -> Path:
        return self.place / f"part-{k:06d}.parquet"

    def missing(self) -> list[int]:
        """Chunks that are not there, or not whole."""
        return [k for k in range(self.plan.chunks) if not self._is_whole(k)]

    def _is_whole(self, k: int) -> bool:
        """Of this sweep, with all its rows and columns, and every page as its checksum says."""
        rows = min((k + 1) * self.plan.chunk, len(self.plan.design)) - k * self.plan.chunk
        try:
            found = _checked(self.arrow, self._file(k))
        except (OSError, self.arrow.ArrowException):
            return False
        names = {*self.plan.columns} - {*found.column_names}
        return found.num_rows == rows and digest_of(found) == self.plan.digest and not names

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
                self.arrow.parquet.write_table(made, file, write_page_checksum=True)
        except DalembertError as error:
            raise ModelError(f"{error} What is done is kept: resume the sweep when there is room.") from error


def _checked(arrow: Any, path: Path) -> Any:
    """The table of a file, its pages compared with their checksums: a disk may turn a bit in a file that opens."""
    return arrow.parquet.read_table(path, page_checksum_verification=True, partitioning=None)


def read_table(place: Path) -> Table:
    """All rows that are there, by column."""
    arrow = _arrow()
    parts = sorted(place.glob("part-*.parquet"))
    try:
        tables = [_checked(arrow, path) for path in parts]
    except (OSError, arrow.ArrowException) as error:
        raise ModelError(f"a file of {place} is damaged ({error}): resume the sweep to make it again.") from None
    about = read_about(place)
    for path, found in zip(parts, tables, strict=True):
        if digest_of(found) != about.digest:
            raise ModelError(f"{path} is damaged or of another sweep: take it away, and resume to make its cases.")
    kept = {course(text) for text in about.kept}
    if not tables:
        return {name: np.zeros((0, about.times[2]) if name in kept else 0) for name in about.columns}
    whole = arrow.concat_tables(tables)

    def numbers(name: str) -> Array:
        held = whole[name].combine_chunks()
        return held.values.to_numpy().reshape(len(held), -1) if name in kept else whole[name].to_numpy()

    try:
        table = {name: numbers(name) for name in about.columns}
    except (KeyError, ValueError, AttributeError) as error:
        raise ModelError(f"a file of {place} is damaged ({error}): resume the sweep to make it again.") from None
    check_cases(place, about, table["case"])
    return table


def digest_of(found: Any) -> str:
    """Of the sweep whose rows a table holds."""
    told: bytes = (found.schema.metadata or {}).get(b"digest", b"")
    return told.decode(errors="replace")
