"""Equilibria and steady motions, closed loops or not: where the forces balance, and whether it lasts."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from dalembert.analysis.equilibrium import Equilibrium
from dalembert.analysis.held import held_rest, is_held
from dalembert.analysis.search import Search
from dalembert.dynamics.extent import refuse_long_formulas
from dalembert.mechanism import Coulomb, Layout, Mechanism, Model


def equilibria(
    mechanism: Mechanism | Model,
    given: Mapping[str, Any] | None = None,
    *,
    speeds: Mapping[str, float] | None = None,
    at: Mapping[str, Any] | None = None,
    spread: float = 3.2,
    starts: int = 120,
    seed: int = 0,
    t: float | None = None,
    cut: Collection[str] = (),
) -> list[Equilibrium]:
    """Every equilibrium that Newton's method finds from random configurations, the stable ones first.

    Configurations where the coordinates are singular are left out. Of a family of equilibria (a ball on a table) the
    members nearest the centre of the search stand for it.

    `speeds` asks for a steady motion at these constant speeds; others follow from the constraints, and are zero where
    these leave them free. The search starts within `spread` (radians, or lengths
    of the machine) of the configuration `at`. A machine that changes with time needs the time `t` at which it is held.

    Contacts push and do not pull: what rests on them is found as well, with their forces. Dry friction holds sets of
    postures, of which the members that searches reach are told; on contacts that are kept also how far each of the
    coordinates may be moved, the others held, until they slip (`ranges`).

    >>> from dalembert.mechanism import Mechanism, earth, revolute
    >>> m = Mechanism("pendulum")
    >>> link = m.join(earth, m.body("bob", mass=1, centre=[0, 0, -1]), revolute("x"), name="pivot")
    >>> m.gravity = [0, 0, -10]
    >>> [(round(e.coordinates["pivot.th"], 3), e.stability) for e in equilibria(m)]
    [(0.0, 'stable'), (3.142, 'unstable')]
    """
    layout = Layout.of(mechanism, cut)
    refuse_long_formulas(layout, "the search for rests")
    if not speeds and is_held(layout):
        told = held_rest(mechanism, layout, given, at or {}, spread, starts, seed)
        still = dict.fromkeys(layout.speeds, 0.0)
        return Search.sorted([Equilibrium(place, still, values, (), word, why) for place, values, word, why in told])
    if any(isinstance(one.reaction, Coulomb) for one in layout.further) and not layout.model.contacts:
        from dalembert.analysis.on_friction import held_sets, sliding_motions

        if speeds:
            return Search.sorted(sliding_motions(layout, given, speeds, at or {}, spread, starts, seed, t))
        return Search.sorted(held_sets(layout, given, at or {}, spread, starts, seed, t))
    search = Search.on(layout.loosened(), given, dict(speeds or {}), t, at)
    rng = np.random.default_rng(seed)
    q, centre = search.drawn(at or {}, spread, starts, rng)
    if layout.model.contacts:
        from dalembert.analysis.on_contacts import resting

        return search.sorted(resting(search, q, rng))
    return search.sorted([one for column in search.places(q, centre) for one in search.judged(column)])
