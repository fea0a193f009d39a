"""A motion in pieces: smooth arcs, each with its own parameters, joined by jumps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.errors import SimulationError
from dalembert.presentation.records import Record
from dalembert.simulate.loop.dense import DenseOutput

Array = NDArray[np.float64]
Side = Literal["before", "after"]


@dataclass(frozen=True, slots=True, eq=False)
class Arc(Record):
    """A smooth piece: times, states (a column for each time), parameters, dense output, and closed contacts if any."""

    t: Array
    y: Array
    parameters: Mapping[str, float]
    sol: DenseOutput | None = field(default=None, repr=False)
    contacts: Any = field(default=None, repr=False)
    low: Array | None = field(default=None, repr=False)

    @property
    def span(self) -> tuple[float, float]:
        """Where it begins and ends."""
        times = self.t if self.sol is None else self.sol.t
        return (float(times[0]), float(times[-1])) if len(times) else (np.nan, np.nan)


def megabytes(arcs: Sequence[Arc]) -> float:
    """Memory of states and dense output, in 10^6 bytes; what is seen from several sides counts once."""
    seen = [x for arc in arcs for x in (arc.t, arc.y, arc.low, *(() if arc.sol is None else arc.sol.arrays))]
    owners = [x.base if isinstance(x.base, np.ndarray) else x for x in seen if x is not None]
    return sum({id(x): x.nbytes for x in owners}.values()) / 1e6


@dataclass(frozen=True, slots=True, eq=False)
class Jump(Record):
    """What an event has done: the state on both sides, and the parameters that it has changed."""

    t: float
    before: Mapping[str, float]
    after: Mapping[str, float]
    event: str = ""
    switched: Mapping[str, float] = field(default_factory=dict)

    def as_dict(self) -> dict[str, object]:
        states = {"before": dict(self.before), "after": dict(self.after)}
        return {"t": self.t, "event": self.event, **states, "switched": dict(self.switched)}


class Course:
    """The state at any time of a motion in arcs: `sol(t)`; at a jump the state after it, or `side="before"`."""

    def __init__(self, arcs: Sequence[Arc]) -> None:
        self.arcs = tuple(arcs)

    @property
    def pieces(self) -> list[DenseOutput]:
        """The dense output of each arc."""
        return [arc.sol for arc in self.arcs if arc.sol is not None]

    @property
    def t(self) -> Array:
        """The steps: both ends of an arc are among them, so the time of a jump stands there twice."""
        return np.concatenate([piece.t for piece in self.pieces])

    @property
    def t_min(self) -> float:
        return min(piece.t_min for piece in self.pieces)

    @property
    def t_max(self) -> float:
        return max(piece.t_max for piece in self.pieces)

    def __repr__(self) -> str:
        return f"<dense output on [{self.t_min:g}, {self.t_max:g}], {len(self.arcs)} arcs>"

    def __call__(self, t: ArrayLike, side: Side = "after") -> Array:
        asked = np.asarray(t, dtype=float)
        times = np.atleast_1d(asked)
        owner = self.owners(times, side)
        states = np.zeros((self.pieces[0].y.shape[1], len(times)))
        for k in np.unique(owner):
            here = owner == k
            states[:, here] = self.pieces[k](times[here])
        return states[:, 0] if asked.ndim == 0 else states

    def owners(self, times: Array, side: Side = "after") -> NDArray[np.int64]:
        """The number of the arc that each time belongs to."""
        if side not in ("before", "after"):
            raise SimulationError(f"side is '{side}': a jump has the sides 'before' and 'after'.")
        ends = np.array([arc.span[1] for arc in self.arcs[:-1]])
        first, last = self.arcs[0].span[0], self.arcs[-1].span[1]
        sense = 1.0 if last >= first else -1.0
        found = np.searchsorted(sense * ends, sense * times, side="right" if side == "after" else "left")
        return found.astype(np.int64)
