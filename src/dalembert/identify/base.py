"""Base parameters: the combinations of inertial parameters that efforts depend on, and nothing else can be told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.dynamics.scales import scales_of
from dalembert.errors import ModelError
from dalembert.identify.excite import excitation
from dalembert.identify.fit import identify
from dalembert.identify.regressor import PARTS, Regressor
from dalembert.identify.states import States, random_states
from dalembert.presentation.told import Told

#: Share of a column that may be rounding: products of some hundred doubles, and least squares of them.
_ROUNDING = 1e-9
#: Which parameters stand for a combination, where there is a choice: moments of inertia first, masses last.
_ORDER = ("Izz", "Ixx", "Ixy", "Ixz", "Iyz", "hx", "hy", "hz", "Iyy", "m")


@dataclass(frozen=True, eq=False)
class BaseParameters(Told):
    """beta = theta[chosen] + K theta[others]: all that a motion of the machine can tell.

    `unseen` are parameters that no motion feels. `gap` holds the largest share of a column that was taken for nothing
    and the smallest that was taken for something: far apart, the count is sound.
    """

    regressor: Regressor
    chosen: tuple[int, ...]
    others: tuple[int, ...]
    unseen: tuple[int, ...]
    grouping: Any  # K
    gap: tuple[float, float]

    def __len__(self) -> int:
        return len(self.chosen)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.regressor.names[k] for k in self.chosen)

    @property
    def combinations(self) -> tuple[str, ...]:
        """Each in words: "arm.Izz + 0.25 hand.m"."""
        return tuple(self._words(r) for r in range(len(self)))

    def _words(self, r: int) -> str:
        text = self.regressor.names[self.chosen[r]]
        for k, c in zip(self.others, self.grouping[r], strict=True):
            if c:
                size = "" if abs(abs(c) - 1) <= _ROUNDING else f"{_written(abs(c))} "
                text += f" {'+' if c > 0 else '-'} {size}{self.regressor.names[k]}"
        return text

    def values(self, theta: Any) -> Any:
        """beta of a theta."""
        theta = np.asarray(theta, dtype=float)
        return theta[..., list(self.chosen)] + theta[..., list(self.others)] @ self.grouping.T

    def columns(self, Y: Any) -> Any:
        """The columns of Y that go with beta."""
        return Y[..., list(self.chosen)]

    identify = identify
    excitation = excitation

    def __str__(self) -> str:
        count, unseen = len(self), len(self.unseen)
        lines = [f"{count} of {len(self.regressor.names)} inertial parameters can be told apart:"]
        lines += [f"  {text}" for text in self.combinations]
        if unseen:
            seen = [self.regressor.names[k] for k in self.unseen]
            lines.append(f"No motion feels {', '.join(seen[:12])}{' ...' if unseen > 12 else ''} ({unseen}).")
        lines.append(f"The count rests on shares {self.gap[0]:.0e} (nothing) and {self.gap[1]:.0e} (something).")
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        return {
            "count": len(self),
            "base": dict(zip(self.names, self.combinations, strict=True)),
            "unseen": [self.regressor.names[k] for k in self.unseen],
            "gap": list(self.gap),
        }


def _written(c: float) -> str:
    """A number as people write it: a fraction of small numbers where it is one to rounding."""
    near = Fraction(c).limit_denominator(1000)
    if near.denominator > 1 and abs(float(near) - c) <= _ROUNDING * abs(c) and near.denominator not in _DECIMAL:
        return f"{near}"
    return f"{c:.9g}"


_DECIMAL = {2**a * 5**b for a in range(10) for b in range(10)}


def base_parameters(
    of: Regressor, given: Mapping[str, Any] | None = None, *, states: States | None = None, seed: int = 0
) -> BaseParameters:
    """The base parameters at random states; of a closed machine, of its postures on the branch of its start."""
    if not of.names:
        raise ModelError(f"'{of.layout.model.name}' has no body whose inertia could be told.")
    found = states or random_states(of.layout, 12 + 3 * len(of.names), given=given, seed=seed)
    W = found.stacked(of(found.q, found.u, found.udot, given=given))
    scale = np.abs(W).max() or 1.0
    units = _units(of, given)
    W = W / scale * units  # columns in the machine's own units
    sizes = np.sqrt((W * W).sum(axis=0))
    largest = sizes.max()
    order = sorted(range(len(of.names)), key=lambda k: (_ORDER.index(PARTS[k % 10]), k))
    basis = np.zeros((W.shape[0], 0))
    chosen, others, unseen = [], [], []
    nothing, something = 0.0, 1.0
    for k in order:
        if sizes[k] <= _ROUNDING * largest:
            unseen.append(k)
            nothing = max(nothing, sizes[k] / largest)
            continue
        left = W[:, k].copy()
        for _ in range(2):  # twice is enough
            left -= basis @ (basis.T @ left)
        share = float(np.sqrt(left @ left) / sizes[k])
        if share <= _ROUNDING:
            others.append(k)
            nothing = max(nothing, share)
        else:
            chosen.append(k)
            something = min(something, share)
            basis = np.column_stack([basis, left / np.sqrt(left @ left)])
    chosen.sort()
    others.sort()
    K = np.linalg.lstsq(W[:, chosen], W[:, others], rcond=None)[0] if others else np.zeros((len(chosen), 0))
    K = np.where(np.abs(K) <= 1e3 * _ROUNDING * np.abs(K).max(axis=0, initial=0.0), 0.0, K)
    K = units[chosen][:, None] * K / units[others][None, :]
    return BaseParameters(of, tuple(chosen), tuple(others), tuple(sorted(unseen)), K, (nothing, something))


def _units(of: Regressor, given: Mapping[str, Any] | None) -> Any:
    """1, l or l^2 for mass, first moments and moments of inertia, so that columns of all kinds are alike in size."""
    values = {ex.symbol(k): float(v) for k, v in {**of.layout.model.given, **(given or {})}.items()}
    length = scales_of(of.layout).length(values)
    return np.array([length ** (0 if k % 10 == 0 else 1 if k % 10 < 4 else 2) for k in range(len(of.names))])
