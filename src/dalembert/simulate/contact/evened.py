"""Forces of contacts that rest, where they are one of many: the least of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from dalembert.contact.coulomb import Answer, Frictional


def evened(problem: Frictional, answer: Answer, weak: float) -> Answer:
    """The same accelerations with the least forces, where those of contacts that do not move are one of many.

    A solver may leave contacts that touch without a force; rounding would close and open them without end.
    """
    matrix, small = problem.matrix, 1e-9 * (np.abs(answer.rates) + np.abs(problem.right)).max(initial=0.0)
    places, resting, start = list[int](), list[int](), 0
    for i, count in enumerate(problem.tangents):
        own = range(start, start + 1 + count)
        if (np.abs(answer.rates[own]) <= small).all() and (count or not problem.mu[i]):
            resting.append(i)
            places += own
        start += 1 + count
    if not any(answer.states[i] == "open" for i in resting):
        return answer
    sizes = np.sqrt(np.diag(matrix)[places])
    part = matrix[np.ix_(places, places)] / np.outer(sizes, sizes)
    forces = answer.impulses.copy()
    forces[places] = np.linalg.lstsq(part, part @ (forces[places] * sizes), rcond=1e-10)[0] / sizes
    start, states = 0, list(answer.states)
    for i, count in enumerate(problem.tangents):
        if i in resting:
            normal, along = forces[start], np.linalg.norm(forces[start + 1 : start + 1 + count])
            if normal <= weak * np.abs(forces[places]).max() or along >= problem.static[i] * normal:
                return answer
            states[i] = "stick" if count else "closed"
        start += 1 + count
    return replace(answer, impulses=forces, states=tuple(states))
