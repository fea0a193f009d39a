"""Parameters from tables of measurements: positions and efforts, with rates where they were measured.

Columns are coordinates ("elbow.th"), speeds ("elbow.th'"), accelerations ("elbow.th''"), efforts ("effort.elbow.th").
Where rates lack, positions and efforts pass one low pass without delay, rates are differences of what is left, and as
many samples are kept as are independent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.errors import ArgumentError
from dalembert.identify.driven import Driven
from dalembert.identify.fit import Identified, identify
from dalembert.mechanism import did_you_mean

if TYPE_CHECKING:
    from dalembert.identify.base import BaseParameters

#: Instants may differ from even ones by this share of a step: what six digits of a clock round.
_EVEN = 1e-3


def identify_table(
    base: BaseParameters,
    table: Mapping[str, Sequence[float]],
    *,
    cutoff: float | None = None,
    given: Mapping[str, Any] | None = None,
    prior: Any | None = None,
    physical: bool = True,
) -> Identified:
    """Base parameters from columns by name; `cutoff` (Hz) is that of the low pass where rates were not measured.

    A tree has an effort in every joint: a column of zeros where nothing pushes. In a machine with loops those without
    a column are zero, and positions of as many coordinates as it has freedoms are enough.
    """
    columns = {name: np.asarray(values, dtype=float) for name, values in table.items()}
    sizes = {len(x) for x in columns.values()}
    if len(sizes) != 1 or not all(np.isfinite(x).all() for x in columns.values()):
        raise ArgumentError("a table of measurements has columns of one length, with a finite number in every cell.")
    layout = base.regressor.layout
    state = layout.state
    known = {"t", *state.coordinates, *state.speeds, *(f"{x}'" for x in state.speeds)}
    efforts = {f"effort.{x.removesuffix(chr(39))}": k for k, x in enumerate(state.speeds)}
    efforts |= {f"effort.{x}": k for k, x in enumerate(state.speeds)}
    for name in columns:
        if name not in known and name not in efforts:
            raise ArgumentError(f"nothing is called '{name}'.{did_you_mean(name, [*known, *efforts])}")
    pushed = np.zeros((sizes.pop(), len(state.speeds)))
    there = {k for name, k in efforts.items() if name in columns}
    for name, k in efforts.items():
        if name in columns:
            pushed[:, k] = columns[name]
    q, u, udot, kept, smooth = _states(base, columns, cutoff, given)
    closed = bool(layout.constraints)
    missing = [x for k, x in enumerate(state.speeds) if k not in there]
    if missing and (not closed or not there):
        name = f"effort.{missing[0].removesuffix(chr(39))}"
        raise ArgumentError(f"the table has no column '{name}': zeros, if nothing pushes there.")
    return identify(base, q, u, udot, smooth(pushed)[kept], given=given, prior=prior, physical=physical)


def _states(
    base: BaseParameters, columns: Mapping[str, Any], cutoff: float | None, given: Mapping[str, Any] | None
) -> tuple[Any, Any, Any, Any, Any]:
    """Coordinates, speeds, accelerations, which samples they are, and what efforts pass through."""
    state = base.regressor.layout.state
    names = [state.coordinates, state.speeds, [f"{x}'" for x in state.speeds]]
    if all(x in columns for group in names for x in group):
        q, u, udot = (np.column_stack([columns[x] for x in group]) for group in names)
        return q, u, udot, slice(None), lambda x: x
    driven = Driven(base.regressor.layout, {x: None for x in columns if x in state.coordinates}, given)
    lacking = [x for name in driven.names for x in (f"{name}'", f"{name}''") if x not in columns]
    s = np.column_stack([columns[x] for x in driven.names])
    if not lacking:
        v, a = (np.column_stack([columns[f"{x}{prime}"] for x in driven.names]) for prime in ("'", "''"))
        kept, smooth = slice(None), lambda x: x
    else:
        if cutoff is None or "t" not in columns:
            raise ArgumentError(
                f"the table has no column '{lacking[0]}'. Say the `cutoff` (Hz) of a low pass, and rates are made of "
                "the positions and of `t`: some times the fastest motion."
            )
        smooth, kept, step = _low_pass(columns["t"], cutoff)
        s = smooth(s)
        v = np.gradient(s, step, axis=0, edge_order=2)
        a = np.gradient(v, step, axis=0, edge_order=2)[kept]
        s, v = s[kept], v[kept]
    found = driven.states(s, v, a)
    if found is None:
        raise ArgumentError("the loops do not close at the measured positions.")
    return found.q, found.u, found.udot, kept, smooth


def _low_pass(t: Any, cutoff: float) -> tuple[Any, slice, float]:
    """Butterworth's of fourth order, forth and back; ends are dropped, and samples that follow from neighbours."""
    from scipy.signal import butter, sosfiltfilt

    step = float(t[-1] - t[0]) / (len(t) - 1) if len(t) > 1 else 0.0
    if not step > 0 or np.abs(t - t[0] - step * np.arange(len(t))).max() > _EVEN * step:
        raise ArgumentError("rates are made of samples at even instants: `t` is not even.")
    if not 0 < cutoff < 0.5 / step:
        raise ArgumentError(
            f"`cutoff` is between 0 and half the rate of the samples, {0.5 / step:g} Hz, not {cutoff:g}."
        )
    sections = butter(4, cutoff, fs=1 / step, output="sos")
    ends, every = int(np.ceil(1 / (cutoff * step))), max(int(0.5 / (cutoff * step)), 1)
    if len(t) <= 2 * ends + every:
        raise ArgumentError(f"{len(t)} samples are too few for a low pass of {cutoff:g} Hz: measure longer.")
    return lambda x: sosfiltfilt(sections, x, axis=0), slice(ends, len(t) - ends, every), step
