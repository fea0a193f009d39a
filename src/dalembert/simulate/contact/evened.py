"""Forces of contacts that rest, where they are one of many: the least of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dalembert.contact.coulomb import Answer, Frictional

Array = NDArray[np.float64]


def evened(problem: Frictional, answer: Answer, weak: float, every: Array) -> Answer:
    """The same accelerations with the least forces, where those of contacts that stay closed are one of many.

    A solver may leave contacts that touch without a force; rounding would close and open them without end. `every` is
    what the forces do to all rows of the contacts, slips that go on included.
    """
    small = 1e-9 * (np.abs(answer.rates) + np.abs(problem.right)).max(initial=0.0)
    places, resting, start = list[int](), list[int](), 0
    for i, count in enumerate(problem.tangents):
        own = range(start, start + 1 + count)
        if (np.abs(answer.rates[own]) <= small).all():
            resting.append(i)
            places += own
        start += 1 + count
    if not any(answer.states[i] == "open" for i in resting):
        return answer
    sizes = np.sqrt(np.abs(np.diag(problem.matrix)[places]))
    heights = np.sqrt(np.abs(every).max(axis=1, initial=0.0))
    part = every[:, places] / sizes / np.where(heights > 0, heights, 1.0)[:, None]
    forces = answer.impulses.copy()
    forces[places] = np.linalg.lstsq(part, part @ (forces[places] * sizes), rcond=1e-10)[0] / sizes
    start, states = 0, list(answer.states)
    for i, count in enumerate(problem.tangents):
        if i in resting:
            normal, along = forces[start], np.linalg.norm(forces[start + 1 : start + 1 + count])
            if normal <= weak * np.abs(forces[places]).max() or (count and along >= problem.static[i] * normal):
                return answer
            states[i] = "stick" if count else "closed"
        start += 1 + count
    return replace(answer, impulses=forces, states=tuple(states))
