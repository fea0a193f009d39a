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
from dalembert.mechanism.contact import say_open

Array = NDArray[np.float64]

_TOUCHES = 1e-9
"""A gap below this share of how far it goes where coordinates go as far as they are large is closed."""
_NEAR = 1e-3
"""The same share for postures of plans, which are written with a few digits."""


def check_start(about: Dynamics, point: Mapping[Expr, Any]) -> None:
    """Refuse a start that is inside something, where all of it has numbers."""
    rows = contact_rows(about)
    gaps, sizes = _gaps(about, rows, point)
    for one, gap, size in zip(rows, gaps, sizes, strict=True):
        if gap < -_TOUCHES * size:
            raise ModelError(
                f"contact '{one.name}' starts {-gap:.3g} beyond what it allows: its gap must not be negative. Change "
                "the start, or the contact."
            ).of([one.name])


def check_open(about: Dynamics, point: Mapping[Expr, Any], what: str) -> None:
    """Refuse an answer for a posture in which a contact touches; say that contacts are open where nothing is known."""
    rows = contact_rows(about)
    if not rows:
        return
    try:
        gaps, sizes = _gaps(about, rows, point)
    except (ExpressionError, TypeError, ValueError):  # symbols: only the user knows
        say_open(about.model.contacts, what)
        return
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
    rows = [one for one in contact_rows(about) if one.name not in pushing]
    if not rows:
        return
    gaps, sizes = _gaps(about, rows, point)
    for one, gap, size in zip(rows, gaps, sizes, strict=True):
        if gap < -_NEAR * size:
            raise ModelError(
                f"contact '{one.name}' of '{about.model.name}' is crossed by {-gap:.3g} in this posture. Take another, "
                "or name it among those that push where it is closed."
            )
    say_open([one.contact for one, gap, size in zip(rows, gaps, sizes, strict=True) if gap <= _TOUCHES * size], what)


def _gaps(about: Dynamics, rows: Sequence[ContactRow], point: Mapping[Expr, Any]) -> tuple[Array, Array]:
    """Gaps, and how far each goes where coordinates go as far as they are large."""
    values = {**dict.fromkeys((ex.symbol(x) for x in about.state.speeds), 0.0), **point}
    gaps = np.array(ex.evaluate([one.gap for one in rows], values), dtype=float)
    slopes = np.array(ex.evaluate([x for one in rows for x in one.row], values), dtype=float)
    scales = scales_of(about.layout).at(values)[len(about.state.coordinates) :]
    return gaps, np.abs(slopes).reshape(len(rows), -1) @ scales
