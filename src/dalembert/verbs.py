"""Verbs say what they take: an argument of another name is an error in words."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from inspect import signature
from typing import Any, ParamSpec, TypeVar

from dalembert.errors import ArgumentError
from dalembert.mechanism import did_you_mean

P = ParamSpec("P")
R = TypeVar("R")


def verb(function: Callable[P, R]) -> Callable[P, R]:
    """A public function of a machine whose unknown keywords are told with what was perhaps meant."""
    names = list(signature(function).parameters)[1:]

    @wraps(function)
    def call(*args: P.args, **words: P.kwargs) -> R:
        for name in words:
            if name not in names:
                hint = did_you_mean(name, names) or f" It takes {', '.join(names)}."
                raise ArgumentError(f"`{function.__name__}` takes no '{name}'.{hint}")
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
