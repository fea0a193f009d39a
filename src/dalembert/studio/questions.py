"""Whether a question that came from outside is one that a job takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from typing import Any

_KINDS = {"int": (int,), "float": (int, float), "str": (str,), "bool": (bool,)}


def understood(job: Callable[..., Any], program: Sequence[Any], words: Mapping[str, Any]) -> bool:
    """Has a job these arguments, and are they of its kinds?"""
    known = signature(job).parameters
    text, name, folder = program
    if not (isinstance(text, str) and isinstance(name, str) and isinstance(folder, str | None)):
        return False
    needed = [x for x, one in list(known.items())[2:] if one.default is one.empty]
    return (
        set(words) <= set(list(known)[2:])
        and set(needed) <= set(words)
        and all(_kind(str(known[x].annotation), value) for x, value in words.items())
    )


def _kind(annotation: str, value: Any) -> bool:
    """Plain kinds are compared, lists and tables by what they are; other annotations pass."""
    kinds = [kind.strip() for kind in annotation.split("|")]
    if value is None:
        return "None" in kinds
    if isinstance(value, bool):
        return "bool" in kinds
    plain = [kind for kind in kinds if kind in _KINDS]
    if isinstance(value, dict | list | tuple):
        wanted = ("dict", "Mapping") if isinstance(value, dict) else ("list", "Sequence", "tuple")
        return any(kind.startswith(wanted) for kind in kinds)
    return any(isinstance(value, _KINDS[kind]) for kind in plain)
