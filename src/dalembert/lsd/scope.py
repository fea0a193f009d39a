"""Names and what they are bound to; scopes nest, a later declaration shadows an earlier one."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from dalembert import expr as ex
from dalembert.lsd.source import Source, Span
from dalembert.lsd.types import Type
from dalembert.mechanism.names import nearest

_stamps = itertools.count()


@dataclass(eq=False, slots=True)
class Bound:
    """A binder: its type, where it stands, and the stamp that finds its value at run time."""

    name: str
    type: Type
    source: Source | None = None
    span: Span = (0, 0)
    parameter: bool = False
    used: bool = False
    extra: Any = None
    stamp: int = field(default_factory=lambda: next(_stamps))


@dataclass(frozen=True, slots=True)
class DefinitionBody:
    """What a parametrised definition holds: its parameters, its result and how to compute it.

    `defaults` are of parameters that may be left out; `members` are the names of a machine, if it builds one.
    """

    parameters: tuple[Bound, ...]
    result: Type
    run: Callable[[Any], Any]
    defaults: dict[str, Callable[[Any], Any]] = field(default_factory=dict)
    members: dict[str, Bound] | None = None


@dataclass(frozen=True, slots=True)
class ListOf:
    """What `b[i]` is: the type of the elements, the number of indices, and the members of machines."""

    type: Type
    depth: int
    extra: Any = None


@dataclass(eq=False, slots=True)
class Home:
    """A machine that is described: the names that it gives are its own, and begin with what the machine is called.

    `stamp` finds that name at run time, `lists` are the stamps of its lists, which each machine has anew.
    """

    declared: frozenset[str]
    stamp: int = field(default_factory=lambda: next(_stamps))
    lists: list[int] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class Scope:
    """A chain of dictionaries; the outermost holds what is predefined."""

    parent: Scope | None = None
    names: dict[str, Bound] = field(default_factory=dict)
    home: Home | None = None
    inside: bool = False  # of a loop or a condition: lists belong to the scope around it
    unseen: Scope | None = None  # what stands around a package, of which its body sees nothing but packages

    def holder(self) -> Scope:
        """The scope to which lists belong that are filled here."""
        scope = self
        while scope.inside and scope.parent is not None:
            scope = scope.parent
        return scope

    def home_of(self, name: str | None = None) -> Home | None:
        """The machine that is described here, or the one that gives a name; None for the whole program."""
        scope: Scope | None = self
        while scope is not None:
            if scope.home is not None and (name is None or name in scope.home.declared):
                return scope.home
            scope = scope.parent
        return None

    def find(self, name: str) -> Bound | None:
        scope: Scope | None = self
        while scope is not None:
            found = scope.names.get(name)
            if found is not None:
                return found
            scope = scope.parent
        return None

    def out_of_sight(self, name: str) -> Bound | None:
        """What a name means around the package in which it is used, where it means nothing."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        around = scope.unseen
        return None if around is None else around.find(name) or around.out_of_sight(name)

    def all(self) -> Iterator[Bound]:
        scope: Scope | None = self
        while scope is not None:
            yield from scope.names.values()
            scope = scope.parent

    def packages(self) -> dict[str, Bound]:
        """Packages in sight: the only outer names that a package body sees."""
        return {b.name: b for b in reversed(list(self.all())) if b.type is Type.PACKAGE}


# Scalar functions that every program knows: name -> (number of arguments, constructor).
FUNCTIONS: dict[str, tuple[int, Callable[..., ex.Expr]]] = {
    **{f.name: (f.arity, f.build) for f in ex.FUNCTIONS.values()},
    "lt": (2, ex.less),
    "le": (2, ex.less_equal),
    "eq": (2, ex.equal),
}
CONSTANTS: dict[str, ex.Expr] = {"pi": ex.PI, "t": ex.TIME}
EARTH_NAME = "earth"


def similar(word: str, candidates: Iterator[str] | list[str]) -> str | None:
    """`did you mean` text for a word that is not among the candidates."""
    # Bounded, so that a fault in a program of thousands of names stays quick to report.
    some = [c for c in itertools.islice(candidates, 2000) if abs(len(c) - len(word)) <= 3]
    near = nearest(word, some, cutoff=0.5)
    if near == word:
        return f"`{word}` is defined in the same `let` or later: define it before, in a `let` of its own"
    return None if near is None else f"did you mean `{near}`?"
