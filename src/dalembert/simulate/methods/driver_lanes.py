"""Many trajectories in vector lanes, where their right-hand side has code for it and there is enough to do.

No digit depends on it: the lanes make of each trajectory what it would be alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dalembert.codegen.native import NativeFunction
from dalembert.simulate.lanes import layout as lanes_at
from dalembert.simulate.lanes.memory import Lanes
from dalembert.simulate.lanes.native import advance_lanes, lanes
from dalembert.simulate.loop import layout as at
from dalembert.simulate.loop import native
from dalembert.simulate.methods.memory import Memory
from dalembert.simulate.methods.problem import Problem
from dalembert.simulate.methods.schemes import Scheme

_MOST_NUMBERS = 60_000
"""Slopes times states times lanes, half a megabyte: of more, vectors come from further than a core's own memory."""
_MADE, _MADE_EACH = 20e-3, 40e-6
"""Seconds that it takes to have code for lanes, and more for each of its operations."""
_SAVED, _SAVED_EACH = 15e-9, 0.15e-9
"""Seconds that an evaluation is quicker in lanes, and more for each of its operations."""


@dataclass(frozen=True, slots=True)
class Vectors:
    """The functions of a problem that have code for lanes."""

    rates: NativeFunction
    guards: NativeFunction | None
    parameters: int

    @classmethod
    def of(cls, scheme: Scheme, problem: Problem, memory: Memory) -> Vectors | None:
        """None where the method or the right-hand side has no way to go side by side."""
        rates, explicit = problem.rhs, scheme.tableau is not None and not scheme.implicit
        width, m = lanes(), memory.block
        if not explicit or problem.callbacks or not isinstance(rates, NativeFunction):
            return None
        if int(m[at.N] * m[at.SLOPES]) * width > _MOST_NUMBERS or rates.function.shared:
            return None
        guards = problem.guards.owner if problem.guards else None
        parameters = rates.function.sizes[2]
        return cls(rates, guards if isinstance(guards, NativeFunction) else None, parameters)

    def repaid(self, evaluations: float) -> bool:
        """Are so many evaluations worth the making of code for lanes?"""
        size = self.rates.operations
        return evaluations * (_SAVED + _SAVED_EACH * size) > _MADE + _MADE_EACH * size

    def workers(
        self, make: Callable[[], Memory], first: int, count: int, threads: int
    ) -> tuple[list[Callable[[], None]], list[Memory], Callable[[], int]]:
        """What each thread is to do with the trajectories [first, count), its memories, and how many are done."""
        width = lanes()
        rates = self.rates.lane_code(width)
        guards = None if self.guards is None else self.guards.lane_code(width)
        queue = np.array([first, count, 0, *[0] * 5], dtype=np.int64)
        tasks, memories = list[Callable[[], None]](), list[Memory]()
        for _ in range(max(1, min(threads, (count - first) // width))):
            own = [make() for _ in range(width)]
            memories += own
            tasks.append(_Task(Lanes.of(own, queue, rates, guards, self.parameters, self.rates.constants)))
        return tasks, memories, lambda: int(queue[lanes_at.FINISHED])


@dataclass(frozen=True, slots=True)
class _Task:
    lanes: Lanes

    def __call__(self) -> None:
        own = self.lanes
        lane = advance_lanes(len(own.memories), own.block.ctypes.data)
        if lane >= 0:  # the last one alone: a vector for it would be a waste
            native.complete(own.memories[lane].address, own.trajectory(lane))
