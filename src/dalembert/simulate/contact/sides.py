"""Coulomb's law of contacts at an instant, kept ones pushed from every side: all answers, and from where."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.constraints.friction import switch_names
from dalembert.contact import Frictional, solve_frictional
from dalembert.contact.coulomb import Answer
from dalembert.contact.nsgs import rank
from dalembert.simulate.contact.machine import ContactMachine, Instant

Array = NDArray[Any]

_MOST = 6
"""Constraints that rub, at most, of which both sides are tried: 64 problems."""


@dataclass(frozen=True, eq=False)
class Asked:
    """A problem, and what its forces do to all rows of the contacts, slips that go on included."""

    problem: Frictional
    every: Array


@dataclass(frozen=True, eq=False)
class Told:
    """An answer, of which problem, and the sides (1 or -1) from which contacts that are kept are pushed in it."""

    answer: Answer
    asked: Asked
    sides: Mapping[int, float]

    @property
    def problem(self) -> Frictional:
        return self.asked.problem


def on_all_sides(
    now: Instant, ask: Callable[[Instant], Asked], prefer: str, turned: Mapping[int, float]
) -> tuple[list[Told], str]:
    """All answers, the preferred one first; of contacts that have `turned`, those on their new sides before others."""
    kept, found, why = now.machine.kept, list[Told](), ""
    if len(kept) > _MOST:
        return [], f"Constraints with dry friction are {len(kept)} beside contacts, and {_MOST} are tried at most."
    for signs in product((1.0, -1.0), repeat=len(kept)):
        sides = dict(zip(kept, signs, strict=True))
        asked = ask(now.seen_from(sides))
        answers, why = solve_frictional(asked.problem, prefer=prefer)
        found += [Told(answer, asked, sides) for answer in answers]

    def order(told: Told) -> tuple[int, int]:
        return sum(told.sides[i] != side for i, side in turned.items()), rank(told.answer, prefer)

    return sorted(found, key=order), why


def striking(now: Instant, inside: list[int]) -> Asked:
    """Newton's restitution with Coulomb's law, for speeds and impulses."""
    rows, right, sizes = rows_of(now, inside)
    matrix, place = rows @ now.compliance @ rows.T, 0
    for i, size in zip(inside, sizes, strict=True):
        right[place] *= 1 + now.restitution[i]
        place += 1 + size
    problem = now.machine.frictional(now, matrix, right, inside)
    return Asked(replace(problem, mu_static=None, root=now.root(rows)), matrix)


def accelerating(now: Instant, closed: list[int], directions: Mapping[int, Array]) -> Asked:
    """Coulomb's law for accelerations and forces; friction of what slips in known directions is in the matrix."""
    machine: ContactMachine = now.machine
    base, keep, column = list[Array](), list[int](), 0
    total = sum(1 + len(machine.tangents[i]) for i in closed)
    for i in closed:
        own, place = np.zeros((total, 1)), column + 1
        own[column] = 1.0
        keep.append(column)
        base.append(own)
        for k in machine.rubs_of[i]:
            mine = range(place, place + len(machine.rubs[k].places))
            place = mine.stop
            if k in directions:
                own[mine, 0] = -now.friction[k] * directions[k]
            else:
                base += [np.eye(total)[:, j : j + 1] for j in mine]
                keep += mine
        column = place
    rows, _, _ = rows_of(now, closed)
    wanted = np.array([x for i in closed for x in (now.least[i], *now.slip_gamma[machine.tangents[i]])])
    b = rows @ now.free - wanted
    matrix = rows @ now.compliance @ rows.T
    machine.press(now, matrix, b, closed)
    every = matrix @ np.concatenate(base, axis=1)
    return Asked(machine.frictional(now, every[keep], b[keep], closed, directions), every)


def rows_of(now: Instant, inside: list[int]) -> tuple[Array, Array, list[int]]:
    """Rows of contacts, each normal before its tangents, with their rates, and how many tangents each has."""
    tangents = now.machine.tangents
    rows = np.array([row for i in inside for row in (now.normal[i], *now.tangent[tangents[i]])])
    right = np.array([x for i in inside for x in (now.rate[i], *now.slip[tangents[i]])])
    return rows, right, [len(tangents[i]) for i in inside]


def sticking(machine: ContactMachine, stick: Collection[int]) -> dict[str, float]:
    """Of each constraint that rubs, by the name of its switch: 1 while it sticks, else 0."""
    rubs = {i: machine.rubs_of[i] for i in machine.kept}
    return {
        switch_names(machine.names[i], len(machine.tangents[i]))[0]: float(all(k in stick for k in own))
        for i, own in rubs.items()
    }
