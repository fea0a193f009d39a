"""Verbs say what they take: an argument of another name is an error in words."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import ParamSpec, TypeVar

from dalembert.errors import ArgumentError
from dalembert.mechanism import did_you_mean

P = ParamSpec("P")
R = TypeVar("R")


def verb(function: Callable[P, R]) -> Callable[P, R]:
    """A public function whose unknown keywords are told with what was perhaps meant."""
    names = [name for name in signature(function).parameters if name != "self"]

    @wraps(function)
    def call(*args: P.args, **words: P.kwargs) -> R:
        for name in words:
            if name not in names:
                hint = did_you_mean(name, names) or f" It takes {', '.join(names)}."
                raise ArgumentError(f"`{function.__name__}` takes no '{name}'.{hint}")
        return function(*args, **words)

    return call
