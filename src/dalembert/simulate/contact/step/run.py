"""Steps of a machine by the compiled code: states, impulses and their work of as many as it can decide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.simulate.contact.block import block_of
from dalembert.simulate.contact.machine import ContactMachine
from dalembert.simulate.contact.step.code import code
from dalembert.simulate.contact.step.data import DONE, PROJECTIONS, plan_of, room_of, rubs_of, tables_of

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Course:
    """Equal steps of a motion: their span, how many, and the numbers of the method."""

    span: tuple[float, float]
    count: int
    theta: float
    gamma: float
    tolerance: float
    tangential: float
    projection: str

    @property
    def step(self) -> float:
        return (self.span[1] - self.span[0]) / self.count


@dataclass(frozen=True, slots=True, eq=False)
class Stretch:
    """Steps made: states at their ends, impulses (normals, then slips), work of each contact; did it stop early?"""

    states: Array
    pulses: Array
    works: Array
    asks: bool


class CompiledSteps:
    """The memory of compiled steps, made once for a motion."""

    def __init__(self, machine: ContactMachine, slopes: Any, parameters: Array, sizes: Array, course: Course) -> None:
        self._course = course
        self._contacts, self._now = len(machine.names), tables_of(machine)
        self._there, self._plan = tables_of(machine), plan_of(machine, slopes, parameters, sizes)
        self._room = room_of(self._plan, self._now, machine.coordinates)
        self._rubs, self._swept = rubs_of(self._contacts, len(self._now.slip))
        self._kept = machine.functions, slopes  # what the addresses belong to
        self._asks = bool(machine.pressed)  # given forces are not among its tables

    @property
    def evaluations(self) -> int:
        return int(self._room.counts[0])

    def go(self, y: Array, first: int, last: int) -> Stretch:
        """Steps `first` to `last` from the state y, or fewer."""
        course, room = self._course, self._room
        if self._asks:
            return Stretch(np.empty((0, len(y))), np.empty((0, 0)), np.empty((0, 0)), True)
        room.y[:] = y
        steps, rows = last - first, len(room.pulses)
        states, pulses, works = np.empty((steps, len(y))), np.empty((steps, rows)), np.empty((steps, self._contacts))
        arrays = [*self._plan, *self._now, *self._there, *self._rubs, *self._swept, *room, states, pulses, works]
        block = block_of([first, last, course.count, PROJECTIONS.index(course.projection)], arrays)
        reals = [*course.span, course.step, course.theta, course.gamma, course.tolerance, course.tangential]
        why = code()(0, block, np.array(reals))
        made = int(block[0]) - first
        return Stretch(states[:made], pulses[:made], works[:made], why != DONE)
