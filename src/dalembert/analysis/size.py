"""How large a machine is: the step by which a search for its postures measures lengths, whatever their unit."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.analysis.reduced import Reduction
from dalembert.expr import Expr
from dalembert.mechanism import Model, Spring

Array = Any


def lengths_of(model: Model, numbers: Mapping[Expr, float]) -> Array:
    """The constant distances in a machine: of frames, centres of mass and springs that are not loaded."""
    moving = {ex.symbol(x) for x in model.moving}
    frames = [f.displacement.translation for link in model.links.values() for f in (link.first, link.second)]
    frames += [body.centre for body in model.bodies.values()]
    told = [x for v in frames for x in v] + [one.length for one in model.efforts if isinstance(one, Spring)]
    plain = [x for x in told if not ex.free_symbols(x) & moving]
    return np.abs(np.array(ex.evaluate(plain, numbers), dtype=float))


def sag(reduction: Reduction, turned: Collection[int], here: Mapping[Expr, float]) -> float:
    """How far its loads pull a machine without lengths against its springs; one where it has none of either."""
    resting = {**here, **dict.fromkeys(reduction.speeds, 0.0)}
    slides = [x for i, x in enumerate(reduction.coordinates) if i not in turned]
    places = [k for k, u in enumerate(reduction.speeds) if u in map(ex.prime, slides)]
    loads = [reduction.right[k] for k in places]
    springs = [x for row in ex.jacobian(loads, slides) for x in row]
    load, spring = (np.abs(ex.evaluate(x, resting)).max(initial=0.0) for x in (loads, springs))
    return float(load / spring) if load > 0 and spring > 0 else 1.0
