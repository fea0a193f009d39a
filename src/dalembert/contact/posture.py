"""Which contacts touch in a posture: answers of a machine with open contacts hold only where none does."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.contact.rows import ContactRow, contact_rows
from dalembert.dynamics import Dynamics
from dalembert.dynamics.scales import scales_of
from dalembert.errors import ExpressionError, ModelError
from dalembert.expr import Expr
from dalembert.expr.magnitude import magnitude
from dalembert.mechanism.contact import Contact, Pressed, say_open

Array = NDArray[np.float64]

_TOUCHES = 1e-9
"""A gap below this share of how far it goes where coordinates go as far as they are large is closed."""
_NEAR = 1e-3
"""The same share for postures of plans, which are written with a few digits."""
_ROUNDED = 1e-12
"""A slip below this share of what it is made of is rounding of its sum."""


def check_start(about: Dynamics, point: Mapping[Expr, Any]) -> None:
    """Refuse a start that is inside something, where all of it has numbers."""
    rows = _opening(about)
    gaps, sizes = _gaps(about, rows, point)
    for one, gap, size in zip(rows, gaps, sizes, strict=True):
        if gap < -_TOUCHES * size:
            raise ModelError(
                f"contact '{one.name}' starts {-gap:.3g} beyond what it allows: its gap must not be negative. Change "
                "the start, or the contact."
            ).of([one.name])


def check_open(about: Dynamics, point: Mapping[Expr, Any], what: str) -> None:
    """Refuse an answer for a posture in which a contact touches; say that contacts are open where nothing is known."""
    rows = _opening(about)
    if not about.model.contacts:
        return
    try:
        gaps, sizes = _gaps(about, rows, point)
        stuck, left = _gripped(about, point)
    except (ExpressionError, TypeError, ValueError):  # symbols: only the user knows
        say_open(about.model.contacts, what)
        return
    if stuck:
        raise ModelError(
            f"dry friction '{stuck[0].name}' of '{about.model.name}' sticks in this state, and {what} would leave it "
            "out. Ask where it slips; or, for what happens while it grips, hold its slip by a constraint "
            f'(m.constrain("{ex.text(stuck[0].scalars[0])[:60]} = 0")), or leave it out: a bound of zero, or '
            "`friction=False` where a robot file is read (`dalembert import --no-friction`). "
            "`simulate` and `equilibria` let it stick."
        ).of([stuck[0].name])
    say_open(left, what)
    for one, gap, size in zip(rows, gaps, sizes, strict=True):
        if gap <= _TOUCHES * size:
            how = "touches" if gap >= -_TOUCHES * size else f"is crossed by {-gap:.3g}"
            raise ModelError(
                f"contact '{one.name}' of '{about.model.name}' {how} in this posture, and {what} would leave it out. "
                "Ask where it is open; or, for what it does while it stays closed, write its gap as a constraint "
                f'(m.constrain("{ex.text(one.gap)[:60]}")). `simulate` and `equilibria` treat contacts.'
            )


def check_left_out(about: Dynamics, point: Mapping[Expr, Any], pushing: Collection[str], what: str) -> None:
    """Refuse a posture inside a contact that is not said to push; warn of those that touch and are left out."""
    rows = [one for one in _opening(about) if one.name not in pushing]
    if not about.model.contacts:
        return
    stuck, left = _gripped(about, point)
    say_open([*stuck, *left], what)
    gaps, sizes = _gaps(about, rows, point)
    for one, gap, size in zip(rows, gaps, sizes, strict=True):
        if gap < -_NEAR * size:
            raise ModelError(
                f"contact '{one.name}' of '{about.model.name}' is crossed by {-gap:.3g} in this posture. Take another, "
                "or name it among those that push where it is closed."
            )
    say_open([one.contact for one, gap, size in zip(rows, gaps, sizes, strict=True) if gap <= _TOUCHES * size], what)


def _opening(about: Dynamics) -> list[ContactRow]:
    """Those that have a gap: dry friction of a given bound has none."""
    return [one for one in contact_rows(about) if one.press is None]


def _gripped(about: Dynamics, point: Mapping[Expr, Any]) -> tuple[list[Contact], list[Contact]]:
    """Dry friction of a given bound that sticks at a state, and what slips there without being in the efforts."""
    stuck, left = list[Contact](), list[Contact]()
    values = {**dict.fromkeys((ex.symbol(x) for x in about.state.speeds), 0.0), **point}
    for one in contact_rows(about):
        if one.press is None:
            continue
        speeds = [slip.value for slip in one.slips]
        made = magnitude(speeds)
        bound, *told = np.array(ex.evaluate([one.press, *speeds, *made], values), dtype=float)
        slips, sizes = np.abs(told[: len(speeds)]), np.array(told[len(speeds) :])
        if bound > 0 and (slips <= _ROUNDED * sizes).all():
            stuck.append(one.contact)
        elif bound > 0 and isinstance(one.contact.place, Pressed) and not one.contact.place.slides:
            left.append(one.contact)
    return stuck, left


def _gaps(about: Dynamics, rows: Sequence[ContactRow], point: Mapping[Expr, Any]) -> tuple[Array, Array]:
    """Gaps, and how far each goes where coordinates go as far as they are large."""
    if not rows:
        return np.zeros(0), np.zeros(0)
    values = {**dict.fromkeys((ex.symbol(x) for x in about.state.speeds), 0.0), **point}
    gaps = np.array(ex.evaluate([one.gap for one in rows], values), dtype=float)
    slopes = np.array(ex.evaluate([x for one in rows for x in one.row], values), dtype=float)
    scales = scales_of(about.layout).at(values)[len(about.state.coordinates) :]
    return gaps, np.abs(slopes).reshape(len(rows), -1) @ scales
