"""Rates of a long tree whose code does not need their formulas: these are made when somebody asks for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, overload

from dalembert.dynamics import Dynamics, dynamics_of
from dalembert.dynamics.alike import Alike, long_and_alike
from dalembert.expr import Expr
from dalembert.mechanism import Layout


class OnDemand(Sequence[Expr]):
    """q' and u' of a tree: how many they are, and q', are known at once."""

    def __init__(self, about: Dynamics, tree: Alike) -> None:
        self.about, self.tree = about, tree
        self.kinematic: tuple[Expr, ...] = tuple(about.rates)

    @cached_property
    def whole(self) -> tuple[Expr, ...]:
        """All of them, as formulas."""
        return (*self.kinematic, *self.about.accelerations())

    def __len__(self) -> int:
        return len(self.kinematic) + len(self.about.speeds)

    @overload
    def __getitem__(self, at: int) -> Expr: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Expr]: ...
    def __getitem__(self, at: int | slice) -> Expr | Sequence[Expr]:
        wanted = range(len(self))[at]
        last = max(wanted, default=0) if isinstance(wanted, range) else wanted
        return self.kinematic[at] if last < len(self.kinematic) else self.whole[at]

    def __iter__(self) -> Iterator[Expr]:
        yield from self.kinematic
        yield from self.whole[len(self.kinematic) :]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, OnDemand) and other.about is self.about:
            return True
        return self.whole == (other.whole if isinstance(other, OnDemand) else other)

    def __hash__(self) -> int:
        return hash(self.whole)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return rates_at, (self.about.layout,)


class Rates(Mapping[Expr, Expr]):
    """Some of the rates by other names; asking which there are makes none."""

    def __init__(self, rates: Sequence[Expr], places: Mapping[Expr, int]) -> None:
        self._rates, self._places = rates, places

    def __getitem__(self, name: Expr) -> Expr:
        return self._rates[self._places[name]]

    def __iter__(self) -> Iterator[Expr]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def made_of(rates: Sequence[Expr]) -> Sequence[Expr]:
    """What rates are made of, without making them: every operation on time alone stands in it."""
    return (*rates.kinematic, *rates.tree.formulas) if isinstance(rates, OnDemand) else rates


def rates_at(layout: Layout) -> Sequence[Expr]:
    """The same from the machine alone: what travels to files and to other processes."""
    return rates_of(dynamics_of(layout))


def rates_of(about: Dynamics) -> Sequence[Expr]:
    """q' and u' of a tree: as formulas, or on demand where a few kinds of joints say the same sooner."""
    found = long_and_alike(about.recursion)
    return (*about.rates, *about.accelerations()) if found is None else OnDemand(about, found)
