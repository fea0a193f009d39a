"""The compiled lanes: a queue of trajectories, each with its own steps, several in one vector. Loads numba.

Vectors make the steps; everything that happens seldom, or to one trajectory alone, is the code of `loop` on the block
of its lane: the start, sizes of steps, guards, events, corners, the end. A lane whose trajectory ends takes the next
one from the queue, so that vectors stay full; one whose step is rejected repeats it while the others go on.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from dalembert.simulate.lanes import layout as lanes
from dalembert.simulate.lanes.step import step_of
from dalembert.simulate.loop.control import counted, halted, next_end, sized
from dalembert.simulate.loop.crossing import guarded, vanished
from dalembert.simulate.loop.layout import (
    ACCEPTED,
    BOUND_STEPS,
    COLLAPSE,
    CONTINUE,
    EARLY,
    EVENTS,
    GRID_SIZE,
    GRID_T,
    GRID_Y,
    GUARDS,
    INFO,
    KEPT,
    LAST_STEP,
    NEW_GUARD,
    NEXT,
    NFEV,
    PATIENCE,
    PROJECT,
    QUATERNIONS,
    REAL,
    SINGULAR,
    SLOPE,
    SLOPES,
    STAGES,
    STEP_END,
    STIFF,
    STOP,
    TERMINAL,
    WAY,
    Y_NEW,
    N,
    P,
    T,
    Y,
)
from dalembert.simulate.loop.many import goes_on, told
from dalembert.simulate.loop.native import ENTER, MET
from dalembert.simulate.loop.pace import watch_stiffness, watching
from dalembert.simulate.loop.step import blended, compiled, copy, doubles, fused, integers, past, project

BLOCKS, QUEUE, PARAMETER, PARAMETERS, CONSTANTS = (
    lanes.BLOCKS,
    lanes.QUEUE,
    lanes.PARAMETER,
    lanes.PARAMETERS,
    lanes.CONSTANTS,
)
GUARD, GUARD_VALUE, LANE_KEPT, CLOCK = lanes.GUARD, lanes.GUARD_VALUE, lanes.KEPT, lanes.CLOCK
LANE_Y, LANE_Y_NEW, LANE_Y_TRY, LANE_SLOPE = lanes.Y, lanes.Y_NEW, lanes.Y_TRY, lanes.SLOPE
TIME, LENGTH, END, FIRST, SECOND = lanes.TIME, lanes.LENGTH, lanes.END, lanes.FIRST, lanes.SECOND
LANE_WAY, PART = lanes.WAY, lanes.PART
TRAJECTORY, TAKEN, LOOP, TOLD = lanes.TRAJECTORY, lanes.TAKEN, lanes.LOOP, lanes.TOLD
NEXT_ONE, COUNT, FINISHED = lanes.NEXT, lanes.COUNT, lanes.FINISHED


@intrinsic
def _counted_up(typing_context: Any, pointer: Any, index: Any) -> Any:
    """One more, of a number that threads share; returns what it was."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.atomic_rmw("add", builder.gep(*args[:1], [args[1]]), ir.Constant(ir.IntType(64), 1), "monotonic")

    return types.int64(pointer, index), build


@intrinsic
def _call_loop(typing_context: Any, address: Any, told: Any, task: Any, m: Any, first: Any) -> Any:
    """`int loop(int64 *told, void **, int64 task, int64 block, int64 first, int64)`, which raises nothing."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        word = ir.IntType(64)
        kind = ir.FunctionType(ir.IntType(32), [word.as_pointer()] * 2 + [word] * 4)
        result, block = args[1], builder.ptrtoint(args[3], word)
        builder.call(
            builder.inttoptr(args[0], kind.as_pointer()),
            [result, builder.gep(result, [word(1)]), args[2], block, args[4], word(0)],
        )
        return context.get_dummy_value()

    return types.void(address, told, task, m, first), build


@compiled
def give(v: Any, task: int, m: Any, first: int) -> int:
    """Let the loop of one do a task on the block of a lane."""
    told = integers(v[TOLD])
    _call_loop(v[LOOP], told, task, m, first)
    return told[0]  # type: ignore[no-any-return]


@lru_cache(maxsize=4)
def lanes_of(width: int) -> Any:
    """The loop over so many lanes, of a block of `lanes.layout`."""
    step = step_of(width)
    attempt, slope_at_end, guards, pace = step.attempt, step.slope_at_end, step.guards, step.pace
    dense, inside, move = step.dense, step.inside, step.move

    @compiled
    def block(v: Any, lane: int) -> Any:
        return integers(integers(v[BLOCKS])[lane])

    @compiled
    def put(n: int, source: Any, target: Any, lane: int) -> None:
        for i in range(n):
            target[width * i + lane] = source[i]

    @compiled
    def got(n: int, source: Any, lane: int, target: Any) -> None:
        for i in range(n):
            target[i] = source[width * i + lane]

    @compiled
    def leave(v: Any, lane: int, status: int) -> None:
        """A trajectory has ended where the block of its lane says."""
        told(block(v, lane), integers(v[TRAJECTORY])[lane], status)
        integers(v[TRAJECTORY])[lane] = -1
        _counted_up(integers(v[QUEUE]), FINISHED)

    @compiled
    def enter(v: Any, lane: int) -> bool:
        """The next trajectory begins in this lane; False if none is left, and the lane rests at zero."""
        m, queue, n = block(v, lane), integers(v[QUEUE]), block(v, lane)[N]
        while m[STOP] == 0 and queue[NEXT_ONE] < queue[COUNT]:
            k = _counted_up(queue, NEXT_ONE)
            if k >= queue[COUNT]:
                break
            integers(v[TRAJECTORY])[lane] = k
            status = give(v, ENTER, m, k)
            if status == CONTINUE:
                put(n, doubles(m[Y]), doubles(v[LANE_Y]), lane)
                put(n, doubles(m[SLOPE]), doubles(v[LANE_SLOPE]), lane)
                put(v[PARAMETERS], doubles(m[P]), doubles(v[PARAMETER]), lane)
                put(v[CONSTANTS], doubles(m[KEPT]), doubles(v[LANE_KEPT]), lane)
                return True
            leave(v, lane, status)
        for i in range(n):
            doubles(v[LANE_Y])[width * i + lane] = doubles(v[LANE_SLOPE])[width * i + lane] = 0.0
        doubles(v[LENGTH])[lane] = 0.0
        return False

    @compiled
    def plan(v: Any, lane: int) -> bool:
        """Has the lane a step to make? What ends makes room for the next."""
        m, trajectory = block(v, lane), integers(v[TRAJECTORY])
        real = doubles(m[REAL])
        while trajectory[lane] >= 0 or enter(v, lane):
            t = real[T]
            status = halted(m, t)
            if goes_on(m, status):
                continue
            if status < 0:
                end = next_end(m, t)
                if not math.isnan(end):
                    doubles(v[TIME])[lane], doubles(v[LENGTH])[lane], doubles(v[END])[lane] = t, end - t, end
                    return True
                status = COLLAPSE
            got(m[N], doubles(v[LANE_Y]), lane, doubles(m[Y]))
            leave(v, lane, status)
        return False

    @compiled
    def judge(v: Any) -> bool:
        """Which steps are good? False if none is."""
        some, taken = False, integers(v[TAKEN])
        for lane in range(width):
            taken[lane] = 0
            if integers(v[TRAJECTORY])[lane] >= 0:
                m, h = block(v, lane), doubles(v[LENGTH])[lane]
                m[NFEV] += m[STAGES] - 1 + m[EARLY]
                if sized(m, h, blended(m[N], h, doubles(v[FIRST])[lane], doubles(v[SECOND])[lane])):
                    taken[lane] = -1
                    some = True
        return some

    @compiled
    def arrive(v: Any) -> None:
        """The ends of good steps, brought back to their manifold, with the slopes and guards there."""
        m = block(v, 0)
        n, end, moved = m[N], doubles(v[LANE_Y_NEW]), m[QUATERNIONS] > 0 or m[PROJECT] != 0
        more = moved or not m[EARLY]
        for lane in range(width):
            if integers(v[TAKEN])[lane] != 0:
                m, h = block(v, lane), doubles(v[LENGTH])[lane]
                if moved:
                    y_new = doubles(m[Y_NEW])
                    got(n, end, lane, y_new)
                    project(m, doubles(v[TIME])[lane] + h, y_new)
                    put(n, y_new, end, lane)
                m[NFEV] += 1 if more else 0
                doubles(m[REAL])[LAST_STEP] = h
        if more:
            slope_at_end(v, m)
        pace(v, m)
        if v[GUARD] != 0:
            copy(width, doubles(v[END]), doubles(v[CLOCK]))
            guards(v)

    @compiled
    def ended(v: Any, lane: int) -> int:
        """What a guard or an event on a good step ends the trajectory with; CONTINUE if it goes on."""
        m = block(v, lane)
        n, real, y, y_new = m[N], doubles(m[REAL]), doubles(m[Y]), doubles(m[Y_NEW])
        h, t_new = doubles(v[LENGTH])[lane], doubles(v[END])[lane]
        if watching(m):
            got(n, doubles(v[LANE_Y]), lane, y)
            got(n, doubles(v[LANE_Y_NEW]), lane, y_new)
            watch_stiffness(m, doubles(v[TIME])[lane], y, h)
        real[WAY] += doubles(v[LANE_WAY])[lane]
        if m[EVENTS] > 0 or (m[GUARDS] > 0 and v[GUARD] == 0):
            got(n, doubles(v[LANE_Y_NEW]), lane, y_new)
        if v[GUARD] != 0:
            got(m[GUARDS], doubles(v[GUARD_VALUE]), lane, doubles(m[NEW_GUARD]))
            m[INFO] = vanished(m)
        else:
            m[INFO] = guarded(m, t_new, y_new)
        if m[INFO] >= 0:
            return SINGULAR
        if m[EVENTS] == 0:
            return CONTINUE
        got(n, doubles(v[LANE_Y]), lane, y)
        got(n * (m[STAGES] + 1), doubles(v[LANE_SLOPE]), lane, doubles(m[SLOPE]))
        real[STEP_END] = t_new
        return give(v, MET, m, 0)

    @compiled
    def look(v: Any) -> None:
        """Guards and events on all good steps."""
        taken = integers(v[TAKEN])
        for lane in range(width):
            if taken[lane] != 0:
                status = ended(v, lane)
                if status != CONTINUE:
                    m = block(v, lane)
                    if status != TERMINAL:
                        got(m[N], doubles(v[LANE_Y]), lane, doubles(m[Y]))
                    taken[lane] = 0
                    leave(v, lane, status)

    @compiled
    def ask(v: Any) -> bool:
        """The next time that each lane is asked for inside its step, as a part of it; False if there is none."""
        some, part = False, doubles(v[PART])
        for lane in range(width):
            part[lane] = 0.0
            if integers(v[TAKEN])[lane] == 0:
                continue
            m = block(v, lane)
            grid, t, h, end = (
                doubles(m[GRID_T]),
                doubles(v[TIME])[lane],
                doubles(v[LENGTH])[lane],
                doubles(v[END])[lane],
            )
            if m[NEXT] >= m[GRID_SIZE] or (grid[m[NEXT]] - end) * h > 0.0:
                continue
            if grid[m[NEXT]] == end:
                got(m[N], doubles(v[LANE_Y_NEW]), lane, past(doubles(m[GRID_Y]), m[N] * m[NEXT]))
                m[NEXT] += 1
            else:
                part[lane] = (grid[m[NEXT]] - t) / h
                some = True
        return some

    @compiled
    def answer(v: Any) -> None:
        """States at all asked times inside the good steps."""
        m, part, known = block(v, 0), doubles(v[PART]), False
        n, slopes = m[N], m[SLOPES] - m[STAGES] - 1
        while ask(v):
            if not known:
                dense(v, m)
            inside(v, m)
            for lane in range(width):
                if part[lane] > 0.0:
                    m = block(v, lane)
                    place = past(doubles(m[GRID_Y]), n * m[NEXT])
                    got(n, doubles(v[LANE_Y_TRY]), lane, place)
                    project(m, fused(part[lane], doubles(v[LENGTH])[lane], doubles(v[TIME])[lane]), place)
                    m[NEXT] += 1
                    m[NFEV] += 0 if known else slopes
            known = True

    @compiled
    def go_on(v: Any) -> None:
        """From the ends of good steps."""
        move(v, block(v, 0))
        for lane in range(width):
            if integers(v[TAKEN])[lane] != 0:
                m = block(v, lane)
                doubles(m[REAL])[T] = doubles(v[END])[lane]
                m[ACCEPTED] += 1
                counted(m, doubles(v[LENGTH])[lane])
                if m[BOUND_STEPS] >= m[PATIENCE]:
                    got(m[N], doubles(v[LANE_Y]), lane, doubles(m[Y]))
                    leave(v, lane, STIFF)

    @compiled
    def lanes_loop(v: Any) -> int:
        """Integrate what the queue holds. Returns the lane of the last trajectory, whose block goes on alone, or -1."""
        queue = integers(v[QUEUE])
        while True:
            active, last = 0, -1
            for lane in range(width):
                if plan(v, lane):
                    active, last = active + 1, lane
            if active == 0:
                return -1
            if active == 1 and queue[NEXT_ONE] >= queue[COUNT]:
                m = block(v, last)
                got(m[N], doubles(v[LANE_Y]), last, doubles(m[Y]))
                got(m[N], doubles(v[LANE_SLOPE]), last, doubles(m[SLOPE]))
                return last
            attempt(v, block(v, 0))
            if judge(v):
                arrive(v)
                look(v)
                answer(v)
                go_on(v)

    return lanes_loop
