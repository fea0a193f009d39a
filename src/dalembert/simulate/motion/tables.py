"""Motions as the tables that people work with: pandas, xarray, Parquet; each brings its library when asked for."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import ArgumentError
from dalembert.files import check_suffix, written_whole

if TYPE_CHECKING:
    from dalembert.simulate.motion.motion import Motion


def to_pandas(motion: Motion, columns: Sequence[str] | None = None) -> Any:
    """A `pandas.DataFrame` over time; `columns` as in `to_csv`, all states if None."""
    pandas = _library("pandas")
    names = list(motion.columns if columns is None else columns)
    frame = pandas.DataFrame({name: np.asarray(motion[name]) for name in names}, index=pandas.Index(motion.t, name="t"))
    frame.attrs = {"model": motion.system.name, "method": motion.method, "parameters": dict(motion.parameters)}
    return frame


def to_xarray(motion: Motion, columns: Sequence[str] | None = None) -> Any:
    """An `xarray.Dataset` with the coordinate t; parameters are attributes."""
    xarray = _library("xarray")
    names = list(motion.columns if columns is None else columns)
    told = {"model": motion.system.name, "method": motion.method, **motion.parameters}
    return xarray.Dataset({name: ("t", np.asarray(motion[name])) for name in names}, {"t": motion.t}, told)


def to_parquet(motion: Motion, path: str | os.PathLike[str], columns: Sequence[str] | None = None) -> None:
    """Write a Parquet table with the columns of `to_csv`; name, method and parameters are in its metadata."""
    arrow, parquet = _library("pyarrow"), _library("pyarrow.parquet")
    check_suffix(path, (".parquet",), "a Parquet table is written")
    names = list(motion.columns if columns is None else columns)
    table = arrow.table({"t": motion.t, **{name: np.asarray(motion[name]) for name in names}})
    told = {"model": motion.system.name, "method": motion.method, **{k: repr(v) for k, v in motion.parameters.items()}}
    with written_whole(path) as file:
        parquet.write_table(table.replace_schema_metadata(told), file)


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        package = name.partition(".")[0]
        raise ArgumentError(f"{package} is not installed: `pip install {package}`, or write `to_csv`.") from None
