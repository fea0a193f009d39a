"""A motion: conservation laws, work and energy, closure, two methods that share the equations alone, other units."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert.errors import DalembertError
from dalembert.mechanism import Mechanism, Model
from dalembert.simulate import Motion, simulate
from dalembert.simulate.motion.quality import OPEN
from dalembert.verify.units import OtherUnits
from dalembert.verify.verdict import Check

_BALANCED = 1e-6
"""Energy and momenta at a relative tolerance of 1e-9, in parts of what is exchanged."""
_SAME_END = 1e-5
"""Two methods, in parts of the way of each state: their tolerance, times what a second of motion makes of it."""

_INSTANTS = 33
"""At which two motions are compared."""
_TOO_LONG = "the motion has too many steps to be kept"
Array = NDArray[np.float64]


def moving(
    mechanism: Mechanism | Model,
    span: tuple[float, float],
    start: Mapping[str, Any] | None,
    given: Mapping[str, Any] | None,
    cut: Collection[str],
) -> list[Check]:
    """The motion over `span`, judged by its laws, and made again by an implicit method."""
    asked: dict[str, Any] = {"start": start, "given": given, "rtol": 1e-9, "progress": False}
    try:
        motion: Motion = simulate(mechanism, span, cut=cut, **asked)
    except DalembertError as error:
        return [Check.left_out("motion", str(error).splitlines()[0])]
    if not motion.system.states:
        return [Check.left_out("motion", "nothing moves")]
    return [
        *_laws(motion, span),
        _again(mechanism, motion, span, cut, asked),
        _elsewhere(mechanism.freeze(), motion, span, cut, asked),
    ]


def _laws(motion: Motion, span: tuple[float, float]) -> list[Check]:
    quality = motion.quality
    told = f"from t = {span[0]:g} to {span[1]:g}"
    found = []
    if quality.energy is not None:
        found.append(Check.within("work and energy", quality.energy, _BALANCED, told))
    if quality.closure is not None:
        found.append(Check.within("closure of loops", quality.closure, OPEN, told))
    if quality.norm is not None:
        found.append(Check.within("unit quaternions", quality.norm, OPEN, told))
    found += [Check.within(name, drift, _BALANCED, f"constant {told}") for name, drift in quality.integrals.items()]
    if quality.inside is not None:
        crossed = "crossed by no more than this, in parts of the machine"
        found.append(Check.within("contacts", quality.inside, OPEN, crossed))
    return found or [Check.left_out("conservation laws", "none is known of this model")]


def _again(
    mechanism: Mechanism | Model, motion: Motion, span: tuple[float, float], cut: Collection[str], asked: dict[str, Any]
) -> Check:
    name = "two methods"
    if motion.jumps:
        return Check.left_out(name, "impacts and changes of contacts would be found by the same search")
    try:
        again: Motion = simulate(mechanism, span, cut=cut, method="RADAU5", **asked)
    except DalembertError as error:
        return Check.left_out(name, str(error).splitlines()[0])
    times = np.linspace(*span, _INSTANTS)
    if motion.sol is None or again.sol is None:
        return Check.left_out(name, _TOO_LONG)
    worst = _apart(motion, motion.sol(times), again.sol(times))
    return Check.within(name, worst, _SAME_END, f"{motion.method} and {again.method} at {_INSTANTS} instants")


def _elsewhere(
    model: Model, motion: Motion, span: tuple[float, float], cut: Collection[str], asked: dict[str, Any]
) -> Check:
    """The motion of the same machine, told in other units of length, mass and time."""
    name = "other units"
    other = OtherUnits(model)
    ahead = (span[0] * float(other.time), span[1] * float(other.time))
    start = other.start(asked["start"] or {})
    try:
        again: Motion = simulate(other.scaled(), ahead, cut=cut, **{**asked, "start": start})
    except DalembertError as error:
        return Check.left_out(name, str(error).splitlines()[0])
    if again.names != motion.names or not {*motion.names} <= {*other.states}:
        return Check.left_out(name, "the motion is told in other coordinates than those of the machine")
    if motion.sol is None or again.sol is None:
        return Check.left_out(name, _TOO_LONG)
    times = np.linspace(*span, _INSTANTS)
    jumps = np.array([jump.t for jump in motion.jumps])  # there, rounding decides on which side an instant is
    near = np.abs(times[:, None] - jumps[None, :]).min(axis=1, initial=np.inf) < _SAME_END * (span[1] - span[0])
    times = times[~near]
    sizes = np.array([float(other.states[x]) for x in motion.names])
    worst = _apart(motion, motion.sol(times), again.sol(times * float(other.time)) / sizes[:, None])
    told = f"lengths times {other.length}, masses times {other.mass}, times times {other.time}: the same motion"
    return Check.within(name, worst, _SAME_END, told)


def _apart(motion: Motion, one: Array, other: Array) -> float:
    """The largest difference, in parts of the largest coordinate and of the largest speed."""
    ways = np.abs(one).max(axis=1, initial=0.0)
    count = len(motion.system.coordinates)
    ways[:count], ways[count:] = (max(float(part.max(initial=0.0)), 1e-9) for part in (ways[:count], ways[count:]))
    return float((np.abs(one - other) / ways[:, None]).max(initial=0.0))
