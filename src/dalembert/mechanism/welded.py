"""Bodies that welds make one: nothing moves between them."""

from __future__ import annotations

from dalembert import expr as ex
from dalembert.mechanism.body import EARTH
from dalembert.mechanism.model import Model


def rigid_groups(model: Model) -> dict[str, str]:
    """For each body the first of those that links without motion join to it; earth before all others."""
    moving = {ex.symbol(x) for x in model.moving}
    group = {EARTH: EARTH, **{name: name for name in model.bodies}}
    for link in model.links.values():
        scalars = [x for step in link.placed_steps() for x in step.displacement.scalars]
        frames = [*link.first.displacement.scalars, *link.second.displacement.scalars]
        if link.coordinates or not ex.free_symbols([*scalars, *frames]).isdisjoint(moving):
            continue
        one, two = group[link.first.body], group[link.second.body]
        kept, gone = (two, one) if two == EARTH else (one, two)
        group = {name: kept if of == gone else of for name, of in group.items()}
    return group
