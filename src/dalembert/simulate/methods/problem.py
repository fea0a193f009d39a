"""What every method is given, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert.dynamics.scales import ATOL, RTOL
from dalembert.errors import SimulationError
from dalembert.simulate.loop import layout as at
from dalembert.simulate.loop.callback import Callback
from dalembert.simulate.loop.dense import DenseOutput
from dalembert.simulate.methods.contract import Method

Array = NDArray[np.float64]
Watched = Callable[[float, Any], Any]

FINISHED, EVENT, INTERRUPTED, FAILED = 0, 1, 2, -1
UNFOLLOWED = (
    "an event varies too quickly to be followed on every step, and some of its zeros may be missing: set max_step"
)
MESSAGES = {
    at.DONE: (FINISHED, "the end of the span is reached"),
    at.TERMINAL: (EVENT, "a terminal event has occurred"),
    at.STOPPED: (INTERRUPTED, "stopped by Ctrl-C; what was computed is kept"),
    at.COLLAPSE: (FAILED, "the step size has fallen below the spacing of numbers, or the rates are not finite"),
    at.STUCK: (FAILED, "the step size has collapsed: half a million steps in a row have hardly moved anything"),
    at.MEMORY: (FAILED, "so many steps were made that keeping them would fill the memory"),
    at.STIFF: (FAILED, "the motion is stiff: an explicit method is bound by its stability, use method='RADAU9'"),
    at.SINGULAR: (FAILED, "a condition of the equations has vanished"),
    at.BAD_EVENT: (FAILED, "an event has no value"),
}


@dataclass(frozen=True, slots=True)
class NativeEvents:
    """Events in machine code: one function for all, and for each how often it may happen and in which direction.

    `bounds` is the address of the function that tells how far they stray on a piece of a step (`loop.pieces`).
    """

    address: int
    terminal: tuple[int, ...]
    direction: tuple[float, ...]
    owner: Any = None
    bounds: int = 0


@dataclass(frozen=True, slots=True)
class NativeGuards:
    """Conditions that must not vanish, in machine code."""

    address: int
    count: int
    owner: Any = None


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """y' = f(t, y, p) from the start of `span` to its end, for one start or many.

    `rhs` is the address of `void f(const double *t, const double *y, const double *p, double *dy)`, a compiled function
    that has one, or (slower) a Python function f(t, y). Rows of `y0` and `parameters` are trajectories for
    `integrate_many`. `atol` None is `ATOL` times `scales`. `dense_output` None keeps the steps for `sol` unless
    `t_eval` is given and they grow too many. `guards` are conditions that must not vanish, `project` brings a state
    back to its constraints in place, `quaternions` are rows of four states kept on the unit sphere. `jacobian` serves
    implicit methods (df/dy row by row, then df/dt), `balance` those that solve for the multipliers themselves,
    `series(order, paired)` makes the Taylor coefficients of the rates.
    `watch_stiffness` ends an explicit motion where it seems stiff, unless `doubt(t, y, step, patience)`, asked there,
    says that nothing is better. `leaving` tells, for an event on which the motion
    starts, the sign it leaves with. `corners(parameters, span)` are instants at which the rates have corners or jumps
    by time alone: steps of methods that choose them end there. `callbacks` are Python functions that the caller has put
    behind an address; what they raise is raised here.
    """

    rhs: Any
    span: tuple[float, float]
    y0: ArrayLike
    parameters: ArrayLike = ()
    method: str | Method = "DOP853"
    t_eval: ArrayLike | None = None
    events: NativeEvents | Watched | Sequence[Watched] | None = None
    rtol: ArrayLike = RTOL
    atol: ArrayLike | None = None
    scales: ArrayLike = 1.0
    max_step: float = np.inf
    first_step: float | None = None
    dense_output: bool | None = None
    guards: NativeGuards | None = None
    project: Any = 0
    quaternions: Sequence[Sequence[int]] = ()
    jacobian: Any = 0
    balance: Any = None
    series: Any = None
    leaving: Mapping[int, float] = field(default_factory=dict)
    corners: Callable[[ArrayLike, tuple[float, float]], Sequence[float]] | None = None
    watch_stiffness: bool = False
    doubt: Callable[[float, Array, float, int], bool] | None = None
    progress: bool | None = None
    callbacks: list[Callback] = field(default_factory=list)

    @property
    def tolerance(self) -> ArrayLike:
        """The absolute tolerance of each state."""
        return ATOL * np.asarray(self.scales, dtype=float) if self.atol is None else self.atol


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """What an integration gives, with SciPy's names; `culprit` is the number of the guard or event that ended it.

    `reason` is a number of `layout`; `why` says more where the method knows more; `remarks` are sentences that the
    reader of a good result needs, too. `slow` are instants at which a singular posture was passed by steps that lose
    something. `low` is what doubles leave out of `y`, where the method has more digits.
    """

    t: Array
    y: Array
    sol: DenseOutput | None
    t_events: list[Array] | None
    y_events: list[Array] | None
    status: int
    message: str
    nfev: int
    accepted: int
    rejected: int
    method: str
    t_last: float
    y_last: Array
    culprit: int = -1
    reason: int = field(default=at.DONE, repr=False)
    why: str = ""
    remarks: tuple[str, ...] = ()
    last_step: float = 0.0
    slow: tuple[float, ...] = ()
    low: Array | None = None

    @property
    def success(self) -> bool:
        """Was the end, or a terminal event, reached?"""
        return self.status in (FINISHED, EVENT)


@dataclass(frozen=True, slots=True, eq=False)
class Ensemble:
    """Trajectories at common times: `y[k, i, j]` is state i of trajectory k at `t[j]`, NaN after it has ended.

    `status` as for one motion: 0 the end, 1 a terminal event, 2 stopped by Ctrl-C, -1 a failure; `t_last` and `y_last`
    are where each trajectory stopped. `contacts` are the logs of machines with contacts, one for each trajectory.
    `shortest` is the shortest step of each, as a share of its longest; `slow` are trajectories that lose something in
    a singular posture, with the instant of the first. `told` are numbers asked of each motion with contacts.
    """

    t: Array
    y: Array
    status: NDArray[np.int64]
    t_last: Array
    y_last: Array
    nfev: NDArray[np.int64]
    names: tuple[str, ...] = ()
    contacts: tuple[Any, ...] = ()
    reasons: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64), repr=False)
    shortest: Array | None = None
    slow: Mapping[int, float] = field(default_factory=dict)
    told: Array | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.status)

    def __repr__(self) -> str:
        ends = {0: "at the end", 1: "ended by an event", 2: "stopped", -1: "failed"}
        counts = [f"{n} {word}" for status, word in ends.items() if (n := int(np.sum(self.status == status)))]
        states = f"{self.y.shape[1]} states" if self.y.ndim == 3 else "states"
        return f"Ensemble of {len(self)} motions: {', '.join(counts)}; {states} at {len(self.t)} instants"

    def put(self, k: int, alone: Solution) -> None:
        """Let a solution at the same times stand for trajectory k."""
        self.y[k] = np.nan
        self.y[k, :, : len(alone.t)] = alone.y
        self.status[k], self.reasons[k], self.nfev[k] = alone.status, alone.reason, alone.nfev
        self.t_last[k], self.y_last[k] = alone.t_last, alone.y_last

    def __getitem__(self, name: str) -> Array:
        """One state of all trajectories, a row each."""
        if name not in self.names:
            raise SimulationError(f"the ensemble has no state '{name}'; it has {', '.join(self.names) or 'no names'}.")
        rows: Array = self.y[:, self.names.index(name), :]
        return rows

    @property
    def success(self) -> bool:
        """Did all trajectories reach their end or a terminal event?"""
        return bool(np.isin(self.status, (FINISHED, EVENT)).all())
