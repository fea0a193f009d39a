"""Numbers of a machine at rest in a posture: closed, with 1 for parameters that have no value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dalembert import expr as ex
from dalembert.dynamics.numbers import resolve
from dalembert.dynamics.start import closed_start
from dalembert.mechanism import Layout
from dalembert.view.facts import Numbers, numbers_of


def posture(layout: Layout, at: Mapping[str, Any] | None, given: Mapping[str, Any] | None) -> tuple[Numbers, str]:
    """How to evaluate in the posture `at` (the start when not said), and a sentence about what was chosen for it."""
    told = {**layout.model.given, **(given or {})}
    missing = {name: 1.0 for name in layout.model.parameters() if name not in told}
    idle = {x.name for b in layout.bodies if b.mass is ex.ZERO for x in ex.free_symbols(b.iframe.scalars)}
    start = closed_start(layout, at, {**(given or {}), **missing})
    values = {ex.symbol(name): value for name, value in start.values.items()}
    values |= {ex.symbol(k): v for k, v in resolve({**told, **missing}, "given").items()} | {ex.TIME: 0.0}
    unnamed = [x for x in missing if x not in idle]
    note = f"drawn with {', '.join(unnamed)} = 1" if unnamed else ""
    return numbers_of(values, 1), "; ".join(filter(None, [note, start.message]))
