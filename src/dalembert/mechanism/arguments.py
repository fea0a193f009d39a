"""Kinds of arguments: what a signature calls names with values, or numbers, is that, or is refused in a sentence."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from inspect import Parameter
from typing import Any, NamedTuple, Self, overload

from dalembert.errors import ArgumentError
from dalembert.expr import Expr

_BRACKETS = re.compile(r"\[[^\[\]]*\]")
#: What to write, where the kind of an argument does not tell it.
_EXAMPLES = {
    "start": "{'pivot.th': 0.5}",
    "at": "{'pivot.th': 0.5}",
    "given": "{'l': 0.5}",
    "atol": "1e-10",
}


def check_kind(verb: str, parameter: Parameter, value: Any) -> None:
    """Refuse a value of another kind than the annotation tells, where that is names with values, or numbers."""
    kind, *others = _kinds(str(parameter.annotation))
    if others not in ([], ["None"]) or kind not in _KINDS or (others and value is None) or _KINDS[kind].fits(value):
        return
    name, default, known = parameter.name, parameter.default, _KINDS[kind]
    usual = repr(default) if _is_number(default) and math.isfinite(default) else known.example
    raise ArgumentError(
        f"`{verb}` takes {known.words} as `{name}`, and {_short(value)} is none: "
        f"write {name}={_EXAMPLES.get(name, usual)}, for example."
    )


class NamedValues:
    """Numbers of a machine by name, an attribute that nothing else can be put into."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, machine: None, owner: type) -> Self: ...

    @overload
    def __get__(self, machine: object, owner: type) -> dict[str, float]: ...

    def __get__(self, machine: Any, owner: type) -> Any:
        return self if machine is None else machine.__dict__.setdefault(self._name, {})

    def __set__(self, machine: Any, value: dict[str, float]) -> None:
        if not _is_mapping(value):
            raise ArgumentError(
                f"`{self._name}` of '{machine.name}' is a dictionary of names with their values, and {_short(value)} "
                f"is none: write m.{self._name} = {_EXAMPLES[self._name]}, for example."
            )
        machine.__dict__[self._name] = value


def _kinds(annotation: str) -> list[str]:
    """`Mapping[str, Any] | None` is a Mapping or None."""
    while (bare := _BRACKETS.sub("", annotation)) != annotation:
        annotation = bare
    return annotation.split(" | ")


def _is_mapping(value: Any) -> bool:
    return hasattr(value, "keys") and all(isinstance(name, str | Expr) for name in value.keys())  # noqa: SIM118


def _is_number(value: Any) -> bool:
    return not isinstance(value, str | bytes) and hasattr(value, "__float__") and _converts(float, value)


def _is_whole(value: Any) -> bool:
    return _converts(operator.index, value)


def _are_numbers(value: Any) -> bool:
    import numpy as np

    return not isinstance(value, str | bytes) and _converts(lambda x: np.asarray(x, dtype=float), value)


def _converts(to: Callable[[Any], Any], value: Any) -> bool:
    try:
        to(value)
    except (TypeError, ValueError, OverflowError):
        return False
    return True


class _Kind(NamedTuple):
    words: str
    example: str
    fits: Callable[[Any], bool]


_KINDS = {
    "Mapping": _Kind("a dictionary of names with their values", "{'name': 0.5}", _is_mapping),
    "float": _Kind("a number", "0.5", _is_number),
    "int": _Kind("a whole number", "1", _is_whole),
    "ArrayLike": _Kind("a number or a list of them", "[0.0, 0.5]", _are_numbers),
}


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 60 else f"{text[:50]}..."
