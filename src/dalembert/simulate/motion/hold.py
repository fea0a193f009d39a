"""How well devices hold their laws along a motion: the smallest coupling number, when it was, and whose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert import expr as ex
from dalembert.constraints.coupling import coupling

if TYPE_CHECKING:
    from dalembert.simulate.motion.motion import Motion

#: Steps of an arc that are looked at, with as many between any two: near a loss of hold steps are many.
_MOST = 400


@dataclass(frozen=True, slots=True)
class WeakestHold:
    """kappa between a law and what keeps it, and the time."""

    kappa: float
    time: float
    law: str
    actuator: str

    def __str__(self) -> str:
        return (
            f"the reaction of '{self.actuator}' hardly holds the law '{self.law}' at t = {self.time:.6g} "
            f"(kappa = {self.kappa:.2g}, m.coupling): its efforts are some {1 / max(self.kappa, 1e-99):.0g} times "
            "those of a perfect one. Push on what is better coupled to the law, or keep away from that posture"
        )


def weakest_hold(motion: Motion) -> WeakestHold | None:
    """Of a machine with reactions that are not along their conditions; nothing for others.

    Nor beside contacts where constraints rub: what holds those changes with each contact, and is watched on the way.
    """
    held, system = motion.system.constrained, motion.system
    if held is None or not held.rows.imperfect or (held.rows.sliding and system.contacts):
        return None
    rows = held.rows
    weights, n = [k for k in range(len(rows)) if k not in rows.implied], len(system.speeds)
    drags = [(k, one.drag) for k, one in rows.sliding.items()]
    matrices = [[x for k in weights for x in m.rows()[k]] for m in (rows.matrix, rows.reaction)]
    flat = [*system.mass.entries, *matrices[0], *matrices[1], *(x for _, d in drags for x in d)]
    worst: WeakestHold | None = None
    for arc in motion.arcs:
        t, y = (arc.t, arc.y) if arc.sol is None else (arc.sol.t, arc.sol.y.T)
        if not len(t):
            continue
        some = np.unique(np.linspace(0, len(t) - 1, _MOST).round().astype(int))
        values: dict[ex.Expr, Any] = dict(zip(system.symbols, y[:, some], strict=True)) | {ex.TIME: t[some]}
        values |= {ex.symbol(name): number for name, number in arc.parameters.items()}
        with np.errstate(all="ignore"):
            told = ex.evaluate(flat, values)
        table = np.array([np.broadcast_to(np.asarray(x, dtype=float), (len(some),)) for x in told]).T
        for time, one in zip(t[some], table, strict=True):
            if not np.isfinite(one).all():
                continue
            m, g, w, rest = np.split(one, np.cumsum((n * n, len(weights) * n, len(weights) * n)))
            g, w = g.reshape(-1, n), w.reshape(-1, n)
            for sign in (1.0, -1.0) if drags else (0.0,):
                pushed = w.copy()
                for (k, _), drag in zip(drags, rest.reshape(-1, n), strict=False):
                    pushed[weights.index(k)] -= sign * drag
                kept = [i for i in range(len(weights)) if g[i].any()]  # a contact that slides has no rows of its stick
                found = coupling(m.reshape(n, n), g[kept], pushed[kept])
                if found.rank == found.rank_of_reactions and (worst is None or found.kappa < worst.kappa):
                    law, actuator = (rows.owners[weights[kept[i]]] for i in (found.law, found.actuator))
                    worst = WeakestHold(found.kappa, float(time), law, actuator)
    return worst
