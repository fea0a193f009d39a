"""Verbs say what they take: an argument of another name or kind is an error in words."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from inspect import Parameter, signature
from typing import Any, ParamSpec, TypeVar

from dalembert.errors import ArgumentError
from dalembert.mechanism import did_you_mean
from dalembert.mechanism.arguments import check_kind

P = ParamSpec("P")
R = TypeVar("R")


def verb(function: Callable[P, R]) -> Callable[P, R]:
    """A public function of a machine whose arguments of unknown names or wrong kinds are told with what to write."""
    _, *taken = signature(function).parameters.values()
    names = [one.name for one in taken]

    @wraps(function)
    def call(*args: P.args, **words: P.kwargs) -> R:
        for name in words:
            if name not in names:
                hint = did_you_mean(name, names) or f" It takes {', '.join(names)}."
                raise ArgumentError(f"`{function.__name__}` takes no '{name}'.{hint}")
        for parameter, value in zip(taken, args[1:], strict=False):
            if parameter.kind is Parameter.VAR_POSITIONAL:
                break
            check_kind(function.__name__, parameter, value)
        for name, value in words.items():
            check_kind(function.__name__, taken[names.index(name)], value)
        return function(*args, **words)

    return call


class Later:
    """A verb that is a function of another package, which is imported when the verb is first asked for."""

    def __init__(self, package: str, function: str) -> None:
        self._package, self._function = package, function

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner, self._name = owner, name

    def __get__(self, machine: Any, owner: type) -> Any:
        made: Any = verb(getattr(import_module(self._package), self._function))
        setattr(self._owner, self._name, made)
        return made.__get__(machine, owner)
