"""Records told as a person reads them: a title, and a line for each field that says something."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, cast

from dalembert.presentation.told import Told

MOST_LINES = 12
"""Entries of a list or table that are told; the rest is counted."""
MOST_LETTERS = 400
"""Letters of one formula: a longer one is asked for by its name."""
MOST_NUMBERS = 24
"""Numbers of an array that are told one by one."""


def told(record: Any) -> str:
    """A record as lines: what it is, then its fields by name; the steps of a derivation stand for the rest.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class SmallRecord:
    ...     period: float
    ...     names: tuple[str, ...]
    ...     empty: None = None
    >>> print(told(SmallRecord(2.0, ("a", "b"))))
    Small Record
      period: 2
      names: a, b
    """
    title = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(record).__name__)
    if (steps := _steps(record)) is not None:
        return f"{title}\n{_indented(_text(steps))}"
    lines = []
    for one in fields(record):
        value = getattr(record, one.name)
        if one.name.startswith("_") or not one.repr or _empty(value) or callable(value):
            continue
        text = _text(value)
        lines.append(f"{one.name}:\n{_indented(text)}" if "\n" in text else f"{one.name}: {text}")
    return "\n".join([title, *map(_indented, lines)])


class Record(Told):
    """A dataclass that prints as `told` says."""

    __slots__ = ()

    def __str__(self) -> str:
        return told(self)


def readable(*kinds: Any) -> None:
    """Dataclasses among these without words of their own print as records; notebooks set their steps as formulas."""
    for kind in kinds:
        if not isinstance(kind, type) or not is_dataclass(kind):
            continue
        if _raw(kind):
            kind.__str__ = told  # type: ignore[assignment,method-assign]
        if not any(hasattr(kind, name) for name in ("_repr_html_", "_repr_latex_", "_repr_png_")):
            derived = any(one.name == "steps" and not str(one.type).startswith("tuple") for one in fields(kind))
            setattr(kind, *(("_repr_latex_", _latex) if derived else ("_repr_html_", Told._repr_html_)))


def _latex(record: Any) -> str | None:
    steps = _steps(record)
    return None if steps is None else cast(str, steps._repr_latex_())


def _steps(record: Any) -> Any:
    """The steps of a derivation, where the record has some."""
    found = getattr(record, "steps", None)
    return found if hasattr(found, "_repr_latex_") and str(found) else None


def _raw(kind: type) -> bool:
    """Whether it is a dataclass that prints as dataclasses do by themselves."""
    return is_dataclass(kind) and kind.__str__ is object.__str__ and hasattr(kind.__repr__, "__wrapped__")


def _empty(value: Any) -> bool:
    return value is None or (isinstance(value, str | tuple | list | dict | frozenset) and not value)


def _text(value: Any) -> str:
    """A value as a person writes it, in few lines."""
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if hasattr(value, "dtype"):
        return _array(value)
    if isinstance(value, Mapping):
        return _listed([f"{key}: {_text(one)}" for key, one in value.items()], str(len(value)))
    if isinstance(value, tuple | list | set | frozenset):
        shown = [_text(one) for one in value]
        if sum(map(len, shown)) < 100 and not any("\n" in one for one in shown):
            return ", ".join(shown)
        return _listed(shown, str(len(shown)))
    if _raw(type(value)):
        name = getattr(value, "name", None)
        return str(name) if isinstance(name, str) and name else told(value)
    return "\n".join(map(_short, str(value).split("\n")))


def _short(line: str) -> str:
    return line if len(line) <= MOST_LETTERS else f"{line[:MOST_LETTERS]}... ({len(line)} letters)"


def _array(value: Any) -> str:
    if value.size <= MOST_NUMBERS:
        import numpy as np

        return np.array2string(value, precision=6)
    return " x ".join(map(str, value.shape)) + " numbers"


def _listed(lines: list[str], count: str) -> str:
    more = [f"... ({count} in all)"] if len(lines) > MOST_LINES else []
    return "\n".join([*lines[:MOST_LINES], *more])


def _indented(text: str) -> str:
    return "\n".join("  " + line for line in text.split("\n"))
