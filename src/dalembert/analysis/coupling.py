"""How well devices hold the laws that they keep, and what the laws leave free: at a state."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.analysis.linearize import linearize
from dalembert.analysis.point import parameters_of, with_parameters
from dalembert.constraints.coupling import WEAK
from dalembert.constraints.coupling import coupling as at_state
from dalembert.contact.posture import check_open
from dalembert.dynamics import dynamics_of
from dalembert.dynamics.start import closed_start
from dalembert.mechanism import Layout, Mechanism, Model

#: A real part below this share of the largest eigenvalue is rounding: that of a double one is the root of it.
GROWS = 1e-7


@dataclass(frozen=True, slots=True)
class Hold:
    """kappa, the smallest cosine between what is asked and what is pushed: 1 for perfect reactions, 0 without hold.

    `law` and `actuator` are the constraints that it belongs to.
    """

    kappa: float
    law: str
    actuator: str

    @property
    def weak(self) -> bool:
        """Whether efforts are a thousand times what a perfect reaction would need, or more."""
        return self.kappa < WEAK

    def __str__(self) -> str:
        if not self.law:
            return "no constraints"
        word = " (weak: efforts grow like 1/kappa)" if self.weak else ""
        return f"kappa = {self.kappa:.6g} between the law '{self.law}' and the reaction of '{self.actuator}'{word}"


@dataclass(frozen=True, slots=True)
class ZeroDynamics:
    """What laws leave free: names of independent deviations, eigenvalues of their small motions, index of each law."""

    states: tuple[str, ...]
    eigenvalues: tuple[complex, ...]
    index: Mapping[str, int]

    @property
    def dimension(self) -> int:
        """The number of free initial values."""
        return len(self.states)

    @property
    def stable(self) -> bool:
        """Whether no small motion grows, beyond rounding of the eigenvalues."""
        size = max(map(abs, self.eigenvalues), default=0.0)
        return all(z.real <= GROWS * size for z in self.eigenvalues)

    def __str__(self) -> str:
        hidden = "".join(f"; the law '{name}' has index {i}" for name, i in self.index.items())
        if not self.states:
            return f"the laws leave nothing free{hidden}"
        word = "none grows" if self.stable else "unstable: what is left free runs away while the laws are kept"
        shown = ", ".join(f"{z:.4g}" for z in self.eigenvalues)
        return f"{self.dimension} free initial values ({', '.join(self.states)}): {word}; eigenvalues {shown}{hidden}"


def zero_dynamics(
    mechanism: Mechanism | Model,
    at: Mapping[str, Any] | None = None,
    *,
    given: Mapping[str, float] | None = None,
    t: float | None = None,
    cut: Collection[str] = (),
) -> ZeroDynamics:
    """What the constraints and laws of a machine leave free near a state, and whether it stays small."""
    found = linearize(mechanism, at, given=given, t=t, cut=cut)
    values = tuple(complex(z) for z in found.eigenvalues()) if found.states else ()
    return ZeroDynamics(found.states, values, dict(dynamics_of(Layout.of(mechanism, cut)).index))


def coupling(
    mechanism: Mechanism | Model,
    at: Mapping[str, Any] | None = None,
    *,
    given: Mapping[str, float] | None = None,
    t: float | None = None,
    cut: Collection[str] = (),
) -> Hold:
    """The coupling number at a state; what `at` does not name follows, as at the start of a simulation.

    >>> from dalembert.mechanism import Mechanism, earth, revolute
    >>> m = Mechanism("discs")
    >>> for name, inertia in (("a", 2), ("b", 3)):
    ...     link = m.join(earth, m.body(name, inertia=[inertia] * 3), revolute("z"), name=name)
    >>> law = m.constrain("a.th = b.th", by="b.th", name="servo")
    >>> print(coupling(m))
    kappa = 0.632456 between the law 'servo' and the reaction of 'servo'
    """
    layout = Layout.of(mechanism, cut)
    state = dict(at or {})
    time = float(state.pop("t", 0.0) if t is None else t)
    numbers = with_parameters(layout.model, at or {}, given)
    about = dynamics_of(layout)
    rows, n = about.rows, len(about.speeds)
    held = [k for k in range(len(rows)) if k not in rows.implied]
    if not held:
        return Hold(1.0, "", "")
    start = closed_start(about.layout, state, numbers, time)
    values = {ex.symbol(x): v for x, v in {**parameters_of(layout.model, numbers), **start.values}.items()}
    check_open(about, {**values, ex.TIME: time}, "this coupling number")
    asked, pushed = ([x for k in held for x in m.rows()[k]] for m in (rows.matrix, rows.reaction))
    flat = np.array(ex.evaluate([*about.mass_matrix.entries, *asked, *pushed], {**values, ex.TIME: time}), dtype=float)
    mass, g, w = np.split(flat, np.cumsum((n * n, len(held) * n)))
    found = at_state(mass.reshape(n, n), g.reshape(-1, n), w.reshape(-1, n))
    return Hold(found.kappa, rows.owners[held[found.law]], rows.owners[held[found.actuator]])
