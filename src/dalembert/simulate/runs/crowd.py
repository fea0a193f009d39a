"""The motion of a crowd: steps in machine code, states at the times that are kept, and what contacts have done."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dalembert.contact.crowd.crowd import TOLD, shapes_of
from dalembert.dynamics import dynamics_of
from dalembert.dynamics.numbers import single
from dalembert.errors import SimulationError
from dalembert.expr import ZERO
from dalembert.kinematics import poses
from dalembert.mechanism import Layout
from dalembert.simulate.contact.crowd import CrowdModel
from dalembert.simulate.contact.log import ContactLog
from dalembert.simulate.contact.moreau_jean import MoreauJean
from dalembert.simulate.loop.attention import progress_bar, watching_interrupt
from dalembert.simulate.loop.dense import DenseOutput, Manifold
from dalembert.simulate.methods.inputs import as_grid, as_span
from dalembert.simulate.motion.arcs import Arc
from dalembert.simulate.runs.asked import Asked
from dalembert.simulate.system.system import Picture, System
from dalembert.simulate.system.values import first_state, parameter_values

Array = NDArray[Any]

KEPT = 1 << 28
"""Bytes of states that a motion keeps where nobody says `t_eval`: every k-th step, so that they fit."""
_STEPS = 1000
"""Steps of a motion whose step nobody has said."""
_CHUNK = 100
"""Steps between looks at the clock, at most."""
_FAR = 1.0
"""A body that goes further in a step than this share of the smallest shape may pass through another."""


@dataclass(eq=False)
class CrowdLog(ContactLog):
    """What the contacts of a crowd did, step by step: how many, how many pushed, the least gap, sweeps, faults.

    `fault` is what the worst contact misses of its law after the sweeps, as a share of the fastest of its island.
    `last` are the contacts of the last step.
    """

    crowd: ClassVar[bool] = True
    t: Array = field(default_factory=lambda: np.zeros(0))
    table: Array = field(default_factory=lambda: np.zeros((0, len(TOLD))))
    last: tuple[Touched, ...] = ()

    def __getattr__(self, name: str) -> Array:
        if name in TOLD:
            column: Array = self.table[:, TOLD.index(name)]
            return column
        raise AttributeError(name)


@dataclass(frozen=True, slots=True)
class Touched:
    """A contact of the last step: of which declaration, its two bodies, point, gap, and the force on the first body."""

    contact: str
    bodies: tuple[str, str]
    point: tuple[float, ...]
    gap: float
    force: tuple[float, ...]


def run_crowd(layout: Layout, t_span: tuple[float, float], method: MoreauJean, kind: Any, asked: Asked) -> Any:
    """Simulate a crowd; a motion with the times that are kept."""
    _refuse_ignored(layout.model.name, asked)
    start, given, t_eval = asked.get("start"), asked.get("given"), asked.get("t_eval")
    step = min(asked.get("max_step", np.inf), asked.get("first_step") or np.inf)
    begin, end = map(float, as_span(t_span))
    if end < begin:
        raise SimulationError("time stepping goes forward in time: impacts cannot be undone.")
    system = _system(layout)
    parameters = single(parameter_values(system, given, ()))
    first = first_state(system, start, given, parameters, begin)
    held = CrowdModel.of(layout, parameters, np.array(list(first.values.values()), dtype=float))
    held.check_start()
    step = step if np.isfinite(step) else (end - begin) / _STEPS
    count = max(1, int(np.ceil((end - begin) / step * (1 - 1e-9)))) if end > begin else 0
    h = (end - begin) / count if count else 0.0
    grid = as_grid(t_eval, (begin, end))
    marks = _marks(grid, begin, h, count, len(system.states))
    log = CrowdLog(tuple(one.name for one in layout.model.contacts))
    states, tables, reached, why = _march(held, marks, h, method, begin, end, asked.get("progress"))
    times = begin + h * np.array(reached, dtype=float)
    if count and reached[-1] == count:
        times[-1] = end
    y = held.in_joints(*(np.array(part) for part in zip(*states, strict=True)))
    log.table = np.concatenate(tables) if tables else log.table
    log.t = begin + h * np.arange(1, len(log.table) + 1)
    log.last = tuple(_last(held, h))
    sol = _dense(times, y, system)
    shown = times if grid is None else grid[grid <= times[-1] + 1e-12 * (end - begin)]
    arc = Arc(shown, y.T if grid is None else sol(shown), parameters, sol)
    _judge(log, method, held)
    said = [first.message, "" if why else "the end of the span is reached", why, *log.remarks]
    motion = kind(
        system,
        (arc,),
        status=2 if why == _STOPPED else -1 if why else 0,
        message="; ".join(filter(None, said)),
        method=method.name,
        nfev=len(log.table),
        accepted=len(log.table),
        contacts=log,
    )
    if why and why != _STOPPED:
        raise SimulationError(
            f"the simulation of '{layout.model.name}' stopped at t = {times[-1]:.6g}: {why}.", partial=motion
        )
    return motion


def _refuse_ignored(name: str, asked: Asked) -> None:
    """Options that a crowd would not look at."""
    for what, said, remedy in (
        ("events", asked.get("events") is not None, "Ask the motion for its times, or simulate arc by arc"),
        ("impacts", asked.get("impacts", "auto") != "auto", "Time stepping has its own law"),
    ):
        if said:
            raise SimulationError(f"`{what}` would change nothing in the crowd '{name}'. {remedy}: leave it out.")


_STOPPED = "stopped by Ctrl-C; what was computed is kept"


def _march(
    held: CrowdModel, marks: list[int], h: float, method: MoreauJean, begin: float, end: float, progress: bool | None
) -> tuple[list[tuple[Array, ...]], list[Array], list[int], str]:
    crowd, done = held.crowd, 0
    states, tables, reached, why = [_copied(held)], list[Array](), [0], ""
    with watching_interrupt() as interrupt, progress_bar(end - begin, "simulate", progress) as bar:
        for mark in marks[1:]:
            while done < mark and not why:
                some = min(_CHUNK, mark - done)
                tables.append(crowd.go(some, h, method.accuracy, method.sweeps))
                done += some
                fastest = float(tables[-1][:, TOLD.index("fastest")].max())
                if not np.isfinite(crowd.bodies.v).all():
                    why = "the speeds of a step are not finite"
                elif fastest * h > _FAR * crowd.small:
                    why = (
                        f"a body moves {fastest * h:.3g} in a step, further than the smallest shape is large "
                        f"({crowd.small:.3g}): it may pass through others. Use a smaller max_step"
                    )
                elif interrupt.pressed:
                    why = _STOPPED
                bar.update(done * h, f"t = {begin + done * h:.4g}")
            states.append(_copied(held))
            reached.append(done)
            if why:
                break
    return states, tables, reached, why


def _copied(held: CrowdModel) -> tuple[Array, ...]:
    made = held.crowd.bodies
    return made.x[:-1].copy(), made.q[:-1].copy(), made.v[:-1].copy()


def _marks(grid: Array | None, begin: float, h: float, count: int, states: int) -> list[int]:
    """Numbers of the steps after which the state is kept: those about the asked times, else as room allows."""
    if grid is None:
        stride = max(1, int(np.ceil(count * states * 8 / KEPT)))
        return sorted({*range(0, count, stride), count})
    place = np.floor((grid - begin) / h * (1 + 1e-14) + 1e-9).astype(int) if h else np.zeros(len(grid), dtype=int)
    return sorted(
        {0, count, *(int(k) for k in np.clip(place, 0, count)), *(int(k) for k in np.clip(place + 1, 0, count))}
    )


def _dense(times: Array, y: Array, system: System) -> DenseOutput:
    """Straight lines between the states that are kept, quaternions of length one."""
    rows = np.array(system.quaternion_rows, dtype=np.int64)
    return DenseOutput(times, np.diff(times), y, lambda: np.diff(y, axis=0)[:, None, :], Manifold(rows.reshape(-1, 4)))


def _judge(log: CrowdLog, method: MoreauJean, held: CrowdModel) -> None:
    """Say where sweeps did not reach what was asked for."""
    if not len(log.table):
        return
    missed = log.fault > method.accuracy
    if missed.any():
        log.remark(
            f"in {int(missed.sum())} of {len(missed)} steps {method.sweeps} sweeps did not reach the accuracy "
            f"{method.accuracy:g} (worst {log.fault.max():.1e}); the least gap was {min(log.gap.min(), 0.0):.1e}"
        )


def _last(held: CrowdModel, h: float) -> list[Touched]:
    crowd = held.crowd
    found = []
    firsts, seconds = shapes_of(crowd.old.owners)
    for c in range(crowd.count):
        push = crowd.old.made[c, :3]
        if push.any():
            i, j = int(firsts[c]), int(seconds[c])
            (name, one), (_, two) = held.labels[i], held.labels[j]
            point, gap = tuple(map(float, crowd.old.points[c, 3:6])), float(crowd.old.points[c, 6])
            found.append(Touched(name, (one, two), point, gap, tuple(float(x) / h for x in push)))
    return found


def _system(layout: Layout) -> System:
    """The system of a crowd: names, energies and outputs; its accelerations are not expressions."""
    from dalembert.simulate.system.from_mechanism import pictures_of, up_of

    about = dynamics_of(layout)
    model = layout.model
    quaternions = about.state.quaternions
    pictures: tuple[Picture, ...] = ()
    if len(model.bodies) <= _DRAWN:
        absolute = poses(about.tree)
        pictures = tuple(pictures_of(about.tree, absolute))
    return System(
        about.state.coordinates,
        about.state.speeds,
        (*about.rates, *(ZERO for _ in about.speeds)),  # none: a motion refuses to tell accelerations of a crowd
        given=dict(model.given),
        start={**{group[0]: 1.0 for group in quaternions}, **model.start},
        kinetic=about.energies.kinetic,
        quaternions=quaternions,
        pictures=pictures,
        outputs=about.outputs,
        constants=model.parameters(),
        up=up_of(model),
        name=model.name,
        layout=layout,
    )


_DRAWN = 500
"""Bodies whose frames and centres are drawn."""
