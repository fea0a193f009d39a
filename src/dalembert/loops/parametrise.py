"""Independent joint coordinates and the others as functions of them.

`parametrise` chooses well-conditioned independent coordinates at a closed configuration and gives Psi, its derivative
and a certified solution by Newton. `closed_form` solves loops by formulas where they have some.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.errors import SingularError
from dalembert.expr import Expr
from dalembert.loops.assembly import CLOSED, REACHED, Closing
from dalembert.loops.formulas import solve_loops
from dalembert.loops.linkage import Linkage
from dalembert.loops.reduced import Reduced, choose_reduced
from dalembert.loops.relations import RANK_NEARBY, RANK_TOLERANCE

Array = Any

#: Step of differences of fourth order: radians, or what the rates make of them.
_STEP = 1e-5
#: Share of the way below which a branch is said to turn back.
_SHORTEST = 1e-6
#: A correction (radians, parts of the machine) that is rounding.
_DONE = 1e-14


@dataclass(frozen=True, slots=True)
class Parametrisation:
    """Independent coordinates by name at a configuration; `solve` follows them, `psi` is dq/dq_i."""

    closing: Closing
    reduced: Reduced
    x: Array

    @property
    def independent(self) -> tuple[str, ...]:
        return tuple(self.closing.linkage.variables[i] for i in self.reduced.independent)

    @property
    def dependent(self) -> tuple[str, ...]:
        return tuple(self.closing.linkage.variables[i] for i in self.reduced.dependent)

    def _rows(self, x: Array) -> Array:
        return np.concatenate([self.closing.jacobian(x)[self.reduced.rows], self.reduced.linear])

    def psi(self, x: Array | None = None) -> Array:
        """All coordinates' rates for unit rates of the independent ones: Delta Psi = 0."""
        at = self.x if x is None else np.asarray(x, dtype=float)
        rows = self._rows(at)
        found = np.zeros((self.closing.size, len(self.reduced.independent)))
        found[self.reduced.independent] = np.eye(len(self.reduced.independent))
        found[self.reduced.dependent] = -np.linalg.solve(
            rows[:, self.reduced.dependent], rows[:, self.reduced.independent]
        )
        return found

    def psi_rate(self, x: Array, rates: Array, step: float = _STEP) -> Array:
        """Derivative of Psi along the rates of the independent coordinates (fourth-order differences)."""
        x = np.asarray(x, dtype=float)
        move = np.asarray(rates, dtype=float)

        def at(k: int) -> Array:
            return self.psi(self.solve(x[self.reduced.independent] + k * step * move, start=x))

        return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * step)

    def solve(self, values: Array | Mapping[str, float], start: Array | None = None) -> Array:
        """All coordinates for given independent ones, on the branch of `start`, in steps that Newton can follow."""
        if isinstance(values, Mapping):
            values = [values[name] for name in self.independent]
        target = np.asarray(values, dtype=float)
        x = np.array(self.x if start is None else start, dtype=float)
        constant = np.array([float(c) for c in self.reduced.constant])
        begin = x[self.reduced.independent].copy()
        done, stride = 0.0, 1.0
        while done < 1.0:
            ahead = min(1.0, done + stride)
            trial = x.copy()
            trial[self.reduced.independent] = begin + ahead * (target - begin)
            # start Newton on the tangent
            trial[self.reduced.dependent] = (
                x + self.psi(x) @ (trial[self.reduced.independent] - x[self.reduced.independent])
            )[self.reduced.dependent]
            if self._newton(trial, constant):
                x, done, stride = trial, ahead, stride * 2
            else:
                stride /= 2
                if stride < _SHORTEST:
                    raise SingularError(
                        f"{', '.join(self.independent)} cannot be followed past {begin + done * (target - begin)}: "
                        "the branch turns back there. Choose other independent coordinates with `switched`."
                    )
        return x

    def _newton(self, x: Array, constant: Array) -> bool:
        for _ in range(10):
            value = np.concatenate([self.closing.residual(x)[self.reduced.rows], self.reduced.linear @ x - constant])
            if not value.size:
                return True
            try:
                step = np.linalg.solve(self._rows(x)[:, self.reduced.dependent], value)
            except np.linalg.LinAlgError:
                return False
            moved = np.abs(step / self.closing.units[self.reduced.dependent]).max()
            if moved > 0.5:
                return False
            x[self.reduced.dependent] -= step
            if moved < _DONE:
                return self.closing.gap(x) < REACHED
        return bool(self.closing.gap(x) < CLOSED / 10)

    def switched(self, x: Array) -> Parametrisation:
        """The same branch with the best independent coordinates at x."""
        linear = self.reduced.linear if len(self.reduced.linear) else None
        reduced = choose_reduced(self.closing, x, RANK_NEARBY, linear, self.reduced.constant)
        return Parametrisation(self.closing, reduced, np.array(x, dtype=float))


def parametrise(
    linkage: Linkage, x: Array, wanted: Collection[str] = (), reduced: Reduced | None = None
) -> Parametrisation:
    """Choose independent coordinates at a closed configuration; `wanted` names some that must be among them."""
    closing = Closing(linkage)
    chosen = reduced or choose_reduced(closing, x)
    if wanted:
        keep = [linkage.variables.index(name) for name in wanted]
        rows = np.concatenate([closing.jacobian(x)[chosen.rows], chosen.linear])
        from dalembert.loops.reduced import independent_columns

        others = [i for i in range(linkage.size) if i not in keep]
        found = independent_columns(rows[:, others] * closing.units[others], RANK_TOLERANCE)
        if len(found) < chosen.rank:
            raise SingularError(f"{', '.join(wanted)} cannot be independent here: the others do not follow from them.")
        dependent = np.sort(np.array(others)[found[: chosen.rank]])
        independent = np.setdiff1d(np.arange(linkage.size), dependent)
        chosen = Reduced(chosen.rows, chosen.linear, chosen.constant, dependent, independent)
    return Parametrisation(closing, chosen, np.array(x, dtype=float))


def closed_form(linkage: Linkage, x: Array, driver: str) -> dict[str, Expr] | None:
    """Formulas for all joints of loops in terms of one of them, on the branch of the posture x; None without some.

    `dalembert.loops.formulas` says which: dyads of hinges and slides, spherical and spatial four-bars, and more.
    """
    found = solve_loops(linkage, x, [driver])
    return None if found is None else {driver: ex.symbol(driver), **found.nested}
