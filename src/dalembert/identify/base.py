"""Base parameters: the combinations of inertial parameters that efforts depend on, and nothing else can be told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.dynamics import dynamics_of
from dalembert.dynamics.scales import scales_of
from dalembert.errors import ModelError
from dalembert.expr import ZERO, Expr
from dalembert.identify.exact import exact_rank
from dalembert.identify.excite import excitation
from dalembert.identify.fit import identify
from dalembert.identify.grouping import Grouping
from dalembert.identify.regressor import PARTS, Regressor
from dalembert.identify.states import States, random_states
from dalembert.identify.tables import identify_table
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
    formulas: Mapping[tuple[int, int], Expr] = field(default_factory=dict)  # of K, where no number was needed for it
    drawn: tuple[str, ...] = ()  # lengths that stay letters
    exact: int | None = None  # the rank in exact arithmetic, where constants are exact
    bound: int | None = None  # how many combinations are left when formulas alone have grouped: no motion tells more

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
            formula = self.formulas.get((r, k))
            if formula is not None and formula.is_number is False:
                text += _term(formula, self.regressor.names[k])
            elif c:
                size = "" if abs(abs(c) - 1) <= _ROUNDING else f"{_written(abs(c))} "
                text += f" {'+' if c > 0 else '-'} {size}{self.regressor.names[k]}"
        return text

    def values(self, theta: Any) -> Any:
        """beta of a theta."""
        if self.drawn:
            raise ModelError(
                f"the combinations hold {', '.join(self.drawn)}, which have no number: give them (`given`)."
            )
        theta = np.asarray(theta, dtype=float)
        return theta[..., list(self.chosen)] + theta[..., list(self.others)] @ self.grouping.T

    def columns(self, Y: Any) -> Any:
        """The columns of Y that go with beta."""
        return Y[..., list(self.chosen)]

    identify = identify
    identify_table = identify_table
    excitation = excitation

    def __str__(self) -> str:
        count, unseen = len(self), len(self.unseen)
        lines = [f"{count} of {len(self.regressor.names)} inertial parameters can be told apart:"]
        lines += [f"  {text}" for text in self.combinations]
        if unseen:
            seen = [self.regressor.names[k] for k in self.unseen]
            lines.append(f"No motion feels {', '.join(seen[:12])}{' ...' if unseen > 12 else ''} ({unseen}).")
        lines.append(f"The count rests on shares {self.gap[0]:.0e} (nothing) and {self.gap[1]:.0e} (something).")
        if self.bound == count:
            lines.append("Formulas group all others: no motion can tell more.")
        if self.exact == count:
            lines.append(f"In exact arithmetic the rank is {self.exact} too.")
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        return {
            "count": len(self),
            "base": dict(zip(self.names, self.combinations, strict=True)),
            "unseen": [self.regressor.names[k] for k in self.unseen],
            "gap": list(self.gap),
            "exact": self.exact,
            "bound": self.bound,
        }


def _term(formula: Expr, name: str) -> str:
    """ " + l**2 b.m", or with brackets where the formula is a sum."""
    minus = ex.text(formula).startswith("-")
    text = ex.text(-formula if minus else formula)
    return f" {'-' if minus else '+'} {f'({text})' if ' ' in text else text} {name}"


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
    """The base parameters: grouped in formulas along the tree, then at random states what is left to group.

    Of a closed machine, the states are postures on the branch of its start. Lengths that have no number stay letters in
    the combinations, and random numbers stand for them where ranks are counted.
    """
    if not of.names:
        raise ModelError(f"'{of.layout.model.name}' has no body whose inertia could be told.")
    given, drawn = _with_drawn(of, given, seed)
    known = {ex.symbol(k): float(v) for k, v in {**of.layout.model.given, **given}.items()}
    tree = Grouping(dynamics_of(of.layout).tree, known)
    found = states or random_states(of.layout, 12 + 3 * len(of.names), given=given, seed=seed)
    W = found.stacked(of(found.q, found.u, found.udot, given=given))
    scale = np.abs(W).max() or 1.0
    units = _units(of, given)
    W = W / scale * units  # columns in the machine's own units
    sizes = np.sqrt((W * W).sum(axis=0))
    largest = sizes.max()
    kept = set(tree.kept)
    order = sorted(kept, key=lambda k: (_ORDER.index(PARTS[k % 10]), k))
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
    if drawn and others:
        raise ModelError(
            f"'{of.layout.model.name}' groups {of.names[others[0]]} in a way that depends on {', '.join(drawn)}: give "
            "them numbers (`given`)."
        )
    K = np.linalg.lstsq(W[:, chosen], W[:, others], rcond=None)[0] if others else np.zeros((len(chosen), 0))
    K = np.where(np.abs(K) <= 1e3 * _ROUNDING * np.abs(K).max(axis=0, initial=0.0), 0.0, K)
    K = units[chosen][:, None] * K / units[others][None, :]
    numeric = {k: K[:, c] for c, k in enumerate(others)} | dict(zip(chosen, np.eye(len(chosen)), strict=True))
    zero = np.zeros(len(chosen))
    back, formulas = [], {}
    for k, terms in sorted(tree.terms.items()):
        total, size = zero, zero
        for j, formula in terms.items():
            share = float(ex.evaluate([formula], known)[0]) * numeric.get(j, zero)
            total, size = total + share, size + np.abs(share)
            if j in chosen:
                formulas[chosen.index(j), k] = formula
        total = np.where(np.abs(total) <= _ROUNDING * size, 0.0, total)  # shares that cancel leave their rounding
        if total.any() or any(j in chosen for j in terms):
            back.append((k, total))
            numeric[k] = total
        else:
            unseen.append(k)
    others = sorted([*others, *(k for k, _ in back)])
    grouping = np.array([numeric[k] for k in others]).T if others else np.zeros((len(chosen), 0))
    rows = list(of.matrix.rows())
    plain = not any(k in numeric for k in tree.kept if k not in chosen)  # nothing was grouped by numbers
    return BaseParameters(
        of,
        tuple(chosen),
        tuple(others),
        tuple(sorted(unseen)),
        grouping,
        (nothing, something),
        formulas if plain else {},
        tuple(drawn),
        exact_rank(of, seed) if not dynamics_of(of.layout).closed else None,
        sum(any(row[k] is not ZERO for row in rows) for k in tree.kept),
    )


def _with_drawn(of: Regressor, given: Mapping[str, Any] | None, seed: int) -> tuple[dict[str, Any], list[str]]:
    """Numbers for all parameters; those that nobody gave are drawn, and named."""
    told = {**of.layout.model.given, **(given or {})}
    drawn = [x for x in of.parameters if x not in told]
    felt = {x.name for x in ex.free_symbols(list(of.matrix.entries))}
    rng = np.random.default_rng(seed + 1)
    return {**(given or {}), **{x: float(rng.uniform(0.5, 1.5)) for x in drawn}}, [x for x in drawn if x in felt]


def _units(of: Regressor, given: Mapping[str, Any] | None) -> Any:
    """1, l or l^2 for mass, first moments and moments of inertia, so that columns of all kinds are alike in size."""
    values = {ex.symbol(k): float(v) for k, v in {**of.layout.model.given, **(given or {})}.items()}
    length = scales_of(of.layout).length(values)
    return np.array([length ** (0 if k % 10 == 0 else 1 if k % 10 < 4 else 2) for k in range(len(of.names))])
