"""Answers that differ in forces alone: which they are, and the least forces of contacts that rest."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dalembert.contact.coulomb import Answer, Frictional

Array = NDArray[np.float64]

_EQUAL = 1e-8
"""Rates over the largest of all answers that are rounding of a solver."""


def evened(problem: Frictional, answer: Answer, weak: float, every: Array) -> Answer:
    """The same accelerations with the least forces, where those of contacts that stay closed are one of many.

    A solver may leave contacts that touch without a force; rounding would close and open them without end. `every` is
    what the forces do to all rows of the contacts, slips that go on included.
    """
    small = 1e-9 * (np.abs(answer.rates) + np.abs(problem.right)).max(initial=0.0)
    places, resting = list[int](), list[int]()
    for i, own in enumerate(problem.blocks):
        if (np.abs(answer.rates[own]) <= small).all():
            resting.append(i)
            places += range(own.start, own.stop)
    if not any(answer.states[i] == "open" for i in resting):
        return answer
    sizes = np.sqrt(np.abs(np.diag(problem.matrix)[places]))
    heights = np.sqrt(np.abs(every).max(axis=1, initial=0.0))
    # across a plane machine nothing can move: such forces do nothing, and have no size
    sizes, heights = np.where(sizes > 0, sizes, 1.0), np.where(heights > 0, heights, 1.0)
    part = every[:, places] / sizes / heights[:, None]
    forces = answer.impulses.copy()
    forces[places] = np.linalg.lstsq(part, part @ (forces[places] * sizes), rcond=1e-10)[0] / sizes
    states, turning = list(answer.states), list(answer.turning)
    for i in resting:
        normal, discs = forces[problem.starts[i]], problem.discs[i]
        weakest = normal <= weak * np.abs(forces[places]).max()
        if weakest or any(disc.size(forces) >= disc.static * normal for disc in discs):
            return answer
        states[i] = "stick" if problem.tangents[i] else "closed"
        if turning:
            turning[i] = ("stick",) * len(problem.turning(i))
    return replace(answer, impulses=forces, states=tuple(states), turning=tuple(turning))


def alike(answers: list[Answer], problem: Frictional) -> bool:
    """Do all answers have the same rates? Then they differ in forces alone.

    Rates are W P + b, and may be nothing but the rounding of both.
    """
    first, w, b = answers[0].rates, np.abs(problem.matrix), np.abs(problem.right)
    largest = max(float((w @ np.abs(a.impulses) + b).max(initial=0.0)) for a in answers)
    return all(np.abs(a.rates - first).max(initial=0.0) <= _EQUAL * largest for a in answers)
