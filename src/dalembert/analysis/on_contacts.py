"""Equilibria on contacts, judged: small motions of the machine that keeps the contacts that touch."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from dalembert.analysis.equilibrium import Equilibrium
from dalembert.analysis.resting import Held, Resting
from dalembert.analysis.search import FAMILY, Search
from dalembert.errors import ModelError

Array = Any


def resting(search: Search, q: Array, rng: np.random.Generator) -> list[Equilibrium]:
    """Equilibria of a machine with contacts, from the columns of q with some of the contacts closed."""
    _check_contacts(search)
    rest = Resting(search.layout, search.numbers, search.units, search.length)
    seen, found = list[Array](), list[Equilibrium]()
    machines, families = dict[tuple[int, ...], Search](), set[tuple[Any, ...]]()
    for start in search.closed(search.unit(q), 30).T:
        first = rng.permutation(len(rest.names))[: rng.integers(0, rest.size + 1)]
        with np.errstate(all="ignore"):
            reached = rest.settled(start, first.tolist(), search.unit)
        if reached is None:
            continue
        column, held = search.reduced(reached[0]), reached[1]
        if search.any_same(column, seen):
            continue
        seen.append(column)
        if held.touching not in machines:
            machines[held.touching] = Search(rest.held_machine(held.touching), search.given, {}, search.t)
        on = machines[held.touching]
        on.judgement.usual = held.usual
        if held.friction or held.grips or _is_family(on, column):  # of a set of equilibria one is told
            set_of_all = held.grips and bool(held.friction)  # where nothing rests without friction, one stands for all
            alike = (held.touching, bool(held.friction), 0.0 if set_of_all else rest.height(column))
            if alike in families:
                continue
            families.add(alike)
        found += _judged_on(on, column, held)
    return found


def _is_family(search: Search, q: Array) -> bool:
    """Do equilibria beside it form a set with it, as far as the linear part tells?"""
    one = search.smalls(q[:, None])[0]
    return bool(np.linalg.matrix_rank(one.metric, tol=FAMILY * search.judgement.usual) < len(one.leading))


def _judged_on(search: Search, q: Array, held: Held) -> list[Equilibrium]:
    """The equilibrium of the machine whose touching contacts are kept, with their forces and what they change."""
    names = ", ".join(held.forces)
    if held.friction or held.grips:
        needed = f"{held.friction:.4g} of its friction is needed"
        reason = f"dry friction holds it, and a set of postures with it: {needed}, at the contacts {names}"
        plain = Equilibrium(dict(zip(search.names, map(float, q), strict=True)), {}, (), (), "undecided", reason)
        return [replace(plain, speeds=dict.fromkeys(search.layout.speeds, 0.0), contacts=held.forces)]
    found = []
    for one in search.judged(q):
        reason, stability = one.reason, one.stability
        if held.touching:
            many = "" if held.unique else "; their forces are one of many"
            reason = f"{reason}, on the contacts {names}{many}"
            if not held.strict and stability != "unstable":
                stability = "undecided"
                reason = f"a contact touches without a force ({names}): small motions with it and without it differ"
        found.append(replace(one, stability=stability, reason=reason, contacts=held.forces))
    return found


def _check_contacts(search: Search) -> None:
    name = search.layout.model.name
    if search.speeds:
        raise ModelError(
            f"'{name}' has contacts: its equilibria are told, steady motions on contacts are not. Leave `speeds` "
            "out, or write contacts that stay closed as constraints."
        )
