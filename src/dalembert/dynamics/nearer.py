"""A state one Newton step nearer to its constraints, by the least move in the kinetic metric.

    dq = P(q) s,  G s = -gap;  du = v,  G v = -(G u + g_t);  s and v least in the metric M

A step along the tangent of their sphere makes quaternions longer: they are brought back to length one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dalembert import expr as ex
from dalembert.expr import ZERO, Expr

if TYPE_CHECKING:
    from dalembert.dynamics.dynamics import Dynamics


def nearer(about: Dynamics) -> list[Expr]:
    """Coordinates and speeds after the step."""
    gaps = [ZERO if gap is None else -gap for gap in about.rows.gap]
    shift, change = about.resolved.least(gaps), about.resolved.least([-c for c in about.rows.conditions])
    speeds = about.tree.speeds
    moved = ex.substitute(about.rates, dict(zip(speeds, shift, strict=True)))
    still = ex.substitute(about.rates, dict.fromkeys(speeds, ZERO))
    offsets = [*[ZERO] * len(about.tree.coordinates), *(one.offset for one in about.rows.own)]
    steps = zip(about.coordinates, moved, still, offsets, strict=True)
    places = {x: x + (a - b + c) for x, a, b, c in steps}
    by_name = {x.name: x for x in places}
    for group in about.layout.state.quaternions:
        four = [by_name[name] for name in group]
        length = ex.sqrt(sum((places[x] ** 2 for x in four), ZERO))
        places |= {x: places[x] / length for x in four}
    return [*places.values(), *(u + d for u, d in zip(speeds, change, strict=True))]
