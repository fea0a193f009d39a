"""Surfaces that roll on each other, in a search for equilibria: points of contact for any places of the bodies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.dynamics import Dynamics
from dalembert.dynamics.touching import place_contacts
from dalembert.expr import Expr
from dalembert.kinematics import in_state
from dalembert.mechanism import Followed

Array = Any


@dataclass(frozen=True, eq=False)
class Rolling:
    """The contacts of a machine whose points follow its bodies; configurations are columns."""

    dynamics: Dynamics
    numbers: Mapping[Expr, float]
    t: float

    @cached_property
    def contacts(self) -> list[Followed]:
        return [one.followed for one in self.dynamics.layout.further if one.followed is not None]

    @property
    def parameters(self) -> set[str]:
        """Coordinates that are parameters of a surface, and have no length."""
        return {x for one in self.contacts if not one.lengths for x in one.coordinates}

    def size(self, q: Array) -> float:
        """How far a contact is from the origin of its body: the size of what rolls."""
        names = self.dynamics.state.coordinates
        sizes = [np.linalg.norm(q[[names.index(x) for x in one.coordinates]]) for one in self.contacts if one.lengths]
        return float(max(sizes, default=0.0))

    def place(self, q: Array) -> None:
        """Contacts where the bodies are."""
        if self.contacts:
            numbers = {x.name: value for x, value in self.numbers.items() if x is not ex.TIME}
            y = q.T.copy()
            place_contacts(self.dynamics.tree, self.dynamics.closure, y, (), numbers, self.t)
            q[:] = y.T

    def faces(self, q: Array) -> Array:
        """Columns in which the surfaces lie outside each other."""
        here = {**self.numbers, **{ex.symbol(x): v for x, v in zip(self.dynamics.state.coordinates, q, strict=True)}}
        told = ex.evaluate(in_state(self.dynamics.tree, [one.facing for one in self.contacts]), here)
        found: Array = np.ones(q.shape[1], dtype=bool)
        for value in told:
            found = found & (np.broadcast_to(value, q.shape[1:]) < 0)
        return found
