"""Which branch a motion starts on where several meet: the speeds of one, and what is to be said about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.dynamics.asked import Asked, said, where
from dalembert.dynamics.branches import allowed_speeds, misfits
from dalembert.dynamics.closing import Loops
from dalembert.dynamics.dynamics import Dynamics
from dalembert.dynamics.numbers import no_value
from dalembert.dynamics.posture import WRITTEN, Found
from dalembert.errors import SimulationError

Array = Any

#: Speeds that differ by less than this share of the largest are the same in a message.
_SAME = 1e-6


class Branches:
    """Speeds of postures where branches meet, and what is to be said about them."""

    def __init__(self, about: Dynamics, parameters: Mapping[str, Any]) -> None:
        self.about, self.parameters = about, parameters
        self.choices: list[str] = []
        self.singular: list[int] = []

    def on_one(self, loops: Loops, x: Array, speeds: Found, wish: Array, asked: Asked, first: int | None) -> Found:
        """The same speeds where they belong to a motion, others where they do not."""
        units, names = loops.scales.speeds, loops.closure.speeds
        natural = speeds.values / units
        bending = self.about.bending
        bent, singular = misfits(bending, loops, x, natural)
        self.singular += ((first or 0) + np.flatnonzero(singular)).tolist()
        places, firm = asked.among(names)
        values, shift = speeds.values.copy(), speeds.shift.copy()
        for k in np.flatnonzero(bent).tolist():
            one = loops.only([k])
            metric = partial(self._metric, one, x[k], k if first is None else first + k)
            found = allowed_speeds(bending, one, x[[k]], natural[[k]], places, firm, metric)
            if found.far:
                near = found.speeds * units[k]
                raise SimulationError(self._refusal(asked, names, wish[k], near, places, where(first, k)))
            values[k] = np.where(found.speeds == natural[k], values[k], found.speeds * units[k])
            largest = max(np.abs(found.speeds).max(), np.abs(natural[k]).max())
            shift[k] = np.abs(values[k] - wish[k]) / units[k] / largest
            if found.others and not self.choices:  # of many trajectories the first is enough to say so
                other = [one * units[k] for one in found.others]
                self.choices.append(self._choice(names, values[k], other, where(first, k)))
        return Found(values, shift, speeds.gap)

    def _metric(self, loops: Loops, x: Array, trajectory: int) -> Array:
        """The mass matrix, on the speeds of tree and cut links (which have none), in natural units."""
        n, units = len(self.about.speeds), loops.scales.speeds[0]
        entries = list(self.about.mass_matrix.entries)
        known: dict[ex.Expr, Any] = {
            ex.symbol(name): value[trajectory] if np.ndim(value) else value for name, value in self.parameters.items()
        }
        known |= dict(zip(self.about.coordinates, x, strict=True)) | {ex.TIME: loops.t}
        missing = sorted(e.name for e in ex.free_symbols(entries) - known.keys())
        if missing:
            raise SimulationError(
                no_value(
                    missing,
                    self.about.model.name,
                    ": branches meet where it starts, and the one of least kinetic energy is asked for",
                )
            )
        mass = np.zeros((len(units), len(units)))
        mass[:n, :n] = np.array(ex.evaluate(entries, known), dtype=float).reshape(n, n)
        return mass * units * units[:, None]

    def _choice(self, names: Sequence[str], taken: Array, others: Sequence[Array], trajectory: str) -> str:
        """Which branches meet, which one is taken, and what to say for another."""
        apart = np.abs(np.array(others) - taken).max(axis=0)
        differing = np.flatnonzero(apart > _SAME * np.abs(taken).max()).tolist()
        another = "; or ".join(said(names, differing, one) for one in others)
        return (
            f"branches meet where the motion starts{trajectory}: it takes the one of least kinetic energy, with "
            f"{said(names, differing, taken)}. Another has {another}: give one of these speeds to choose it"
        )

    def _refusal(
        self, asked: Asked, names: Sequence[str], wish: Array, near: Array, places: Sequence[int], trajectory: str
    ) -> str:
        moving = [j for j in places if wish[j]]
        what = said(names, moving, wish) if moving else "what its drives ask for"
        still = np.abs(near).max(initial=0.0) < WRITTEN * np.abs(wish).max(initial=0.0)
        shown = np.where(np.abs(near) < _SAME * np.abs(wish), 0.0, near)  # each beside its own wish, in one unit
        nearest = said(names, moving or range(len(names)), shown)
        other = "it is shaky there, and the nearest motion is rest" if still else f"the nearest motion has {nearest}"
        return (
            f"'{asked.owner}' cannot start{trajectory} with {what}: joints of this singular posture allow it for an "
            f"instant, but no acceleration keeps the loops closed; {other}. Give fewer speeds, then the rest follows, "
            "or none; or start in a posture beside this one."
        )
