"""Where a motion starts: one function for every exit.

Values that are given (`start` of the call, then `start` of the model) are kept. What nobody names begins at zero (a
quaternion at no rotation) as far as closed loops allow, in the declared order; the rest follows, speeds likewise. More
values than freedoms are accepted when they agree as people round (`WRITTEN`): the first ones are kept, the later ones
move to the closed state, and `Start.moved` says so. Values that contradict each other are an error with the numbers.
Where branches meet, speeds are those of one branch (`branches`): `Start.choices` says which.

The start of a model is for its own numbers at t = 0: where a call changes the start, the parameters or the time, what
the model says gives way to what the call says, and is a guess where both cannot be. A machine that time moves is
followed from there (`since`): a later start is on the same branch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.dynamics.asked import Asked, said, where
from dalembert.dynamics.choice import Branches
from dalembert.dynamics.closing import CLOSED, Loops, close
from dalembert.dynamics.closure import Closure
from dalembert.dynamics.dynamics import dynamics_of
from dalembert.dynamics.edges import refuse_no_slope, sides_taken, standing
from dalembert.dynamics.numbers import at_time, check_names, count_of, listing, no_value, resolve, single
from dalembert.dynamics.posture import WRITTEN, Found, closed_speeds
from dalembert.dynamics.since import followed_since
from dalembert.dynamics.steep import falsely_closed
from dalembert.dynamics.touching import place_contacts
from dalembert.errors import DalembertError, SimulationError, SingularError, warn
from dalembert.mechanism import Layout

Array = Any

#: A move of this share of its unit is not worth a word: no start is written, and no motion computed, so exactly.
_SILENT = 1e-9
#: Trajectories closed together: enough for NumPy, little for the memory.
_BLOCK = 2048


class StartWarning(UserWarning):
    """A start that had to move to close the loops, or to choose between branches."""


@dataclass(frozen=True, slots=True)
class Moved:
    """A given value that had to move; of many trajectories, the one where it moved most."""

    name: str
    old: float
    new: float
    trajectory: int | None = None

    def __str__(self) -> str:
        where = "" if self.trajectory is None else f" (trajectory {self.trajectory})"
        told = f"{self.name} from {self.old:.6g} to {self.new:.6g}"
        if f"{self.old:.6g}" == f"{self.new:.6g}":  # the digits that are shown did not
            told = f"{self.name} by {self.new - self.old:.2g}"
        return f"{told}{where}"


@dataclass(frozen=True, slots=True)
class Start:
    """A state that closes every loop, by name in the order of the layout's state; and what had to move for it.

    Of many trajectories the values are arrays. `singular` are the numbers of those (0 of one) in whose posture the
    loops allow speeds, at first order, that belong to no motion: branches meet there, or the closure is shaky.
    """

    values: dict[str, Any]
    moved: tuple[Moved, ...] = ()
    choices: tuple[str, ...] = ()
    singular: tuple[int, ...] = ()

    @property
    def y(self) -> Array:
        """The state as an array, trajectories first if there are many."""
        return np.stack(list(self.values.values()), axis=-1) if self.values else np.zeros(0)

    @property
    def message(self) -> str:
        """What had to move and what was chosen, in words; empty when nothing had to."""
        moves = f"the start moved to where the loops close: {', '.join(map(str, self.moved))}" if self.moved else ""
        return "; ".join(filter(None, [moves, *self.choices]))

    def say(self, owner: str) -> Start:
        """Warn of what had to move or was chosen, for exits that have no other place to say it."""
        if self.message:
            warn(f"'{owner}': {self.message}", StartWarning)
        return self


def closed_start(
    layout: Layout,
    start: Mapping[str, Any] | None = None,
    given: Mapping[str, Any] | None = None,
    t: float = 0.0,
) -> Start:
    """The state in which a motion starts at time t; `start` and `given` over what the model says.

    >>> from dalembert.mechanism import Layout, Mechanism, earth, revolute
    >>> m = Mechanism()
    >>> bar = m.join(earth, m.body("bar", mass=1), revolute("z"), name="pin")
    >>> closed_start(Layout.of(m), {"pin.th": "pi/2"}).values
    {'pin.th': 1.5707963267948966, "pin.th'": 0.0}
    """
    asked = tuple((start or {}).items()), tuple((given or {}).items())
    try:
        made = _remembered(layout, *asked, t)
    except TypeError:  # values that are arrays, and are refused
        made = _start(layout, start or {}, given or {}, t, many=False)
    return replace(made, values={name: float(value[0]) for name, value in made.values.items()})


@lru_cache(maxsize=8)
def _remembered(
    layout: Layout, start: tuple[tuple[str, Any], ...], given: tuple[tuple[str, Any], ...], t: float
) -> Start:
    """One motion asks several times: for its branch, for its first state, for its message."""
    return _start(layout, dict(start), dict(given), t, many=False)


def closed_starts(
    layout: Layout,
    start: Mapping[str, Any] | None = None,
    given: Mapping[str, Any] | None = None,
    t: float = 0.0,
) -> Start:
    """The same for many trajectories: arrays in `start` and `given` have one entry for each."""
    return _start(layout, start or {}, given or {}, t, many=True)


def open_start(
    layout: Layout, start: Mapping[str, Any] | None = None, given: Mapping[str, Any] | None = None
) -> dict[str, float]:
    """What is given, and zeros (no rotation) beside: where to begin when the numbers of loops are not all known."""
    parameters = resolve({**layout.model.given, **(given or {})}, "given")
    known = single(resolve({**layout.model.start, **(start or {})}, "start", parameters))
    upright = {group[0]: 1.0 for group in layout.state.quaternions if known.keys().isdisjoint(group)}
    return {name: known.get(name, upright.get(name, 0.0)) for name in layout.state.names}


def _start(layout: Layout, start: Mapping[str, Any], given: Mapping[str, Any], t: float, many: bool) -> Start:
    about = dynamics_of(layout)
    model, state, closure = layout.model, layout.state, about.closure
    names = (*state.coordinates, *closure.speeds)
    start = at_time(start, t, model.name)
    check_names([*start, *model.start], names, "state", model.name)
    parameters = resolve({**model.given, **given}, "given")
    wish = resolve({**model.start, **start}, "start", parameters)
    if not many:
        single({**wish, **parameters})
    missing = [name for name in closure.parameters if name not in parameters]
    if missing:
        users = [c.name for c in model.constraints if any(x.name in missing for x in ex.free_symbols(c.formulas))]
        asks = f": constraint '{users[0]}' asks for it" if users else ": its loops close with it" if layout.cuts else ""
        raise SimulationError(no_value(missing, model.name, asks))
    count = count_of({**wish, **parameters})
    ranked = [*start, *(name for name in model.start if name not in start)]
    firm = len(start) if start or given or t else len(ranked)
    asked = Asked(model.name, names, ranked, firm)
    y = np.zeros((count, len(names)))
    place = {name: i for i, name in enumerate(names)}
    for name, value in wish.items():
        y[:, place[name]] = value
    first = y.copy()
    _complete_quaternions(closure, y, set(ranked), model.name)
    place_contacts(about.tree, closure, y, ranked, parameters, t)
    follow = t and closure.driven and not set(closure.coordinates) <= set(start)
    near = _since_zero(layout, closure, given, parameters, t, count) if follow else None
    if near is not None:
        held = [j for j, name in enumerate(closure.coordinates) if name in model.start and name not in start]
        y[:, held] = near[:, held]
    shift = np.abs(y - first)
    branches = Branches(about, parameters)
    if follow and near is None:
        branches.choices.append(f"the assembly at t = 0 could not be followed to t = {t:.6g}: it may be another one")
    if layout.constraints:
        for begin in range(0, count, _BLOCK):
            rows = slice(begin, begin + _BLOCK)
            own = {k: v[rows] if np.ndim(v) else v for k, v in parameters.items() if k in closure.parameters}
            guess = None if near is None else near[rows]
            y[rows], moved = _closed(closure, y[rows], guess, own, t, asked, begin if many else None, branches)
            shift[rows] = np.maximum(shift[rows], moved)
    return Start(
        {name: y[:, place[name]] for name in state.names},
        _moves(asked, first, y, shift, many),
        tuple(branches.choices),
        tuple(branches.singular),
    )


def _since_zero(
    layout: Layout, closure: Closure, given: Mapping[str, Any], parameters: Mapping[str, Any], t: float, count: int
) -> Array | None:
    """The postures at time t on the branches of the model's start at t = 0, where there is such a start."""
    try:
        begun = _start(layout, {}, given, 0.0, many=True)
    except DalembertError:
        return None
    x = np.broadcast_to(
        np.stack([begun.values[name] for name in closure.coordinates], axis=-1), (count, len(closure.coordinates))
    )
    return followed_since(closure, x, {k: v for k, v in parameters.items() if k in closure.parameters}, t)


def _complete_quaternions(closure: Closure, y: Array, named: set[str], owner: str) -> None:
    """Quaternions of length one: what nobody names follows, the scalar part first; four named ones are normalised."""
    for group in closure.quaternions:
        left = 1 - (y[:, group] ** 2).sum(axis=1)
        unnamed = [i for i in group if closure.coordinates[i] not in named]
        if unnamed and (left > 0).all():
            follow = unnamed[0] if unnamed[0] == group[0] else unnamed[-1]
            y[:, follow] = np.sqrt(left)
        length = np.sqrt((y[:, group] ** 2).sum(axis=1))
        if not (length > 0).all():
            raise SimulationError(f"the quaternion '{closure.coordinates[group[0]]}'... of '{owner}' starts as zero.")
        off = np.abs(length - 1) > 1e-15  # what rounding left is kept
        y[:, group] = np.where(off[:, None], y[:, group] / length[:, None], y[:, group])


def _closed(
    closure: Closure,
    y: Array,
    near: Array | None,
    parameters: Mapping[str, Any],
    t: float,
    asked: Asked,
    first: int | None,
    branches: Branches,
) -> tuple[Array, Array]:
    """Closed coordinates and speeds, and how far they moved in natural units."""
    size = len(closure.coordinates)
    x, w = y[:, :size], y[:, size:]
    loops = Loops(closure, t, parameters, closure.scales(x, t, parameters))
    places, firm = asked.among(closure.coordinates)
    posture, stood = standing(loops, x, places, firm, near, first)
    _refuse_no_value(loops, posture.values, w, asked, first)
    posture = replace(posture, gap=np.maximum(posture.gap, falsely_closed(loops, posture.values)))
    for k in np.flatnonzero(posture.gap)[:1]:
        gap = loops.at(posture.values)
        links, held = loops.closure.open_parts(gap, k)
        stiff = not links and set(held) <= loops.closure.still(gap, k)
        raise SimulationError(
            f"'{asked.owner}' cannot be assembled{where(first, k)}: {_not_closing(loops, posture.values, k)} with the "
            f"values given, a gap of {posture.gap[k]:.2g} (radians, or lengths of the loop) is left. "
            + (
                "No coordinate changes it: place the frames otherwise, or give a joint the freedom that it needs."
                if stiff
                else "Check its lengths, or give a start that is nearly closed."
            )
        ).of([*held, *links])
    _refuse_charts(loops, posture.values, asked, first)
    _refuse_contradictions(closure.coordinates, posture, x, asked, first, loops)
    refuse_no_slope(loops, posture.values, asked, first)
    branches.choices += stood or sides_taken(loops, x, posture.values, first)
    loops = Loops(closure, t, parameters, closure.scales(posture.values, t, parameters))
    places, firm = asked.among(closure.speeds)
    speeds = closed_speeds(loops, posture.values, w, places)
    for k in np.flatnonzero(speeds.gap)[:1]:
        raise SimulationError(
            f"'{asked.owner}' cannot start{where(first, k)}: its constraints do not allow what its drives ask for in "
            "this posture. Start in another one."
        )
    _refuse_rest(loops, posture.values, speeds.values, first)
    _refuse_contradictions(closure.speeds, speeds, w, asked, first)
    speeds = branches.on_one(loops, posture.values, speeds, w, asked, first)
    values = np.concatenate([posture.values, speeds.values], axis=1)
    return values, np.concatenate([posture.shift, speeds.shift], axis=1)


def _refuse_no_value(loops: Loops, x: Array, w: Array, asked: Asked, first: int | None) -> None:
    """A condition that is no number where the machine starts: the root of what is negative, a division by zero."""
    closure, parameters = loops.closure, loops.parameters
    with np.errstate(all="ignore"):
        for exprs, owners, speeds in (
            (closure.holonomic, closure.holding, None),
            (closure.kinematic, closure.steering, w),
        ):
            values = closure.numbers(exprs, x, loops.t, parameters, speeds)
            for k, row in zip(*np.nonzero(~np.isfinite(values)), strict=True):
                raise SimulationError(
                    f"the condition '{owners[row]}' of '{asked.owner}' has no value where it starts{where(first, k)} "
                    "(the root or logarithm of something negative, or a division by zero). Give another start, or "
                    "write it so that it has one."
                ).of([owners[row]])


def _refuse_charts(loops: Loops, x: Array, asked: Asked, first: int | None) -> None:
    """Angles of a turn that stand where they are singular, as near as a posture is known: no speed has rates there."""
    closure = loops.closure
    volumes = closure.numbers([value for _, value in closure.charts], x, loops.t, loops.parameters)
    for k, j in zip(*np.nonzero(np.abs(volumes) < CLOSED), strict=True):
        raise SingularError(
            f"'{asked.owner}' cannot start{where(first, k)}: the {closure.charts[j][0]} is singular there. Describe "
            "this rotation with another sequence of angles, or with a quaternion."
        )


def _refuse_rest(loops: Loops, x: Array, w: Array, first: int | None) -> None:
    """A condition that is not affine in the speeds may tell nothing where they vanish."""
    if not loops.closure.bent.any():
        return
    _, slopes, _ = loops.closure.steered(x, w, loops.t, loops.parameters, loops.scales)
    for k, row in zip(*np.nonzero(np.abs(slopes).max(axis=2, initial=0.0) == 0.0), strict=True):
        raise SingularError(
            f"the condition '{loops.closure.steering[row]}' has no rank at rest{where(first, k)} (dg/du = 0): it does "
            "not tell how the motion begins. Give a start with speeds that are not zero."
        ).of([loops.closure.steering[row]])


def _not_closing(loops: Loops, x: Array, k: int) -> str:
    """Which links do not close and which constraints do not hold, in words."""
    links, asked = loops.closure.open_parts(loops.at(x), k)
    found = [f"{'link' if len(links) == 1 else 'links'} {listing(links)} cannot close there"] if links else []
    if asked:
        found.append(
            f"constraint {listing(asked)} cannot hold there"
            if len(asked) == 1
            else f"constraints {listing(asked)} cannot hold together there"
        )
    return ", ".join(found) or "it is open"


def _refuse_contradictions(
    names: Sequence[str], found: Found, wish: Array, asked: Asked, first: int | None, loops: Loops | None = None
) -> None:
    """Refuse firm values that would have to move further than people round."""
    places, firm = asked.among(names)
    far = found.shift[:, places[:firm]] > WRITTEN
    for k in np.flatnonzero(far.any(axis=1))[:1]:
        wrong = [j for j, off in zip(places[:firm], far[k], strict=True) if off]
        kept = [j for j in places[:firm] if j not in wrong]
        beside = f" with {said(names, kept, wish[k])}" if kept else ""
        nearest = said(names, wrong, found.values[k])
        why = ""
        if loops is not None:
            free = ~np.isin(np.arange(wish.shape[1]), places[:firm])
            why = f": {_not_closing(loops.only([k]), close(loops.only([k]), wish[[k]], free)[0], 0)}"
        raise SimulationError(
            f"the start of '{asked.owner}'{where(first, k)} contradicts itself: {said(names, wrong, wish[k])} cannot be"
            f"{beside}{why}; the nearest closed start that was found has {nearest}. Give fewer values, then the rest "
            f"follows; or values that agree within {WRITTEN:g} of their unit (a radian, a length of the machine, its "
            "largest speed)."
        )


def _moves(asked: Asked, first: Array, y: Array, shift: Array, many: bool) -> tuple[Moved, ...]:
    found = []
    for name in asked.ranked:
        j = asked.names.index(name)
        k = int(shift[:, j].argmax())
        if shift[k, j] > _SILENT:
            found.append(Moved(name, float(first[k, j]), float(y[k, j]), k if many else None))
    return tuple(found)
