"""Inputs as functions of time: a parameter becomes a cubic spline, whose coefficients are parameters.

    tau(t) = sum_k c_k B((t - t0)/h - k),    B(x) = ((2 - |x|)+^3 - 4 (1 - |x|)+^3) / 6

The coefficients bound the input: it stays between the least and the greatest of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dalembert import expr as ex
from dalembert.errors import ArgumentError
from dalembert.expr import Expr
from dalembert.mechanism import Mechanism, Model, did_you_mean

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Spline:
    """An input as a spline over a span; `names` are the parameters that are its coefficients."""

    name: str
    span: tuple[float, float]
    names: tuple[str, ...]

    @property
    def spacing(self) -> float:
        return (self.span[1] - self.span[0]) / (len(self.names) - 3)

    def formula(self) -> Expr:
        """The spline as a formula of time and its coefficients."""
        place = (ex.TIME - ex.const(self.span[0])) / ex.const(self.spacing)
        total = ex.ZERO
        for k, name in enumerate(self.names):
            far = ex.absolute(place - ex.const(float(k - 1)))
            wide, narrow = (ex.maximum(ex.ZERO, ex.const(w) - far) ** 3 for w in (2, 1))
            total = total + ex.symbol(name) * (wide - 4 * narrow) / 6
        return total

    def at(self, t: ArrayLike, coefficients: Mapping[str, float]) -> Array:
        """Its values."""
        times = np.atleast_1d(np.asarray(t, dtype=float))
        values: dict[Expr, Any] = {ex.symbol(x): float(coefficients[x]) for x in self.names} | {ex.TIME: times}
        found: Array = np.asarray(ex.evaluate([self.formula()], values)[0], dtype=float)
        return found.reshape(np.shape(t))


def steered(
    subject: Mechanism | Model, inputs: Mapping[str, int], span: tuple[float, float]
) -> tuple[Model, dict[str, Spline]]:
    """The model with some parameters as splines of so many coefficients, which begin as the parameters were."""
    model, splines = subject.freeze(), dict[str, Spline]()
    taken = {*model.symbols, *model.given}
    for name, count in inputs.items():
        if name not in model.parameters():
            raise ArgumentError(
                f"the input '{name}' is no parameter of '{model.name}'.{did_you_mean(name, model.parameters())}"
            )
        if count < 4:
            raise ArgumentError(f"the input '{name}' is a cubic spline: it has 4 coefficients at least, not {count}.")
        names = tuple(f"{name}_{k}" for k in range(count))
        if taken & set(names) or any(name in link.joint.parameters for link in model.links.values()):
            raise ArgumentError(f"the coefficients {names[0]}... of the input '{name}' have names that are taken.")
        splines[name] = Spline(name, span, names)
    table = {ex.symbol(name): spline.formula() for name, spline in splines.items()}
    given = {name: value for name, value in model.given.items() if name not in splines}
    for name, spline in splines.items():
        given |= dict.fromkeys(spline.names, model.given.get(name, 0.0))
    made: Model = _replaced(replace(model, given={}, start={}), table)
    return replace(made, given=given, start=dict(model.start)), splines


def _replaced(x: Any, table: Mapping[Expr, Expr]) -> Any:
    """A description with symbols replaced, wherever it holds formulas."""
    if isinstance(x, Expr):
        return ex.substitute([x], table)[0]
    if isinstance(x, dict | MappingProxyType):
        return {key: _replaced(value, table) for key, value in x.items()}
    if isinstance(x, tuple):
        parts = [_replaced(value, table) for value in x]
        return tuple(parts) if type(x) is tuple else type(x)(parts)
    if is_dataclass(x) and not isinstance(x, type):
        return replace(x, **{one.name: _replaced(getattr(x, one.name), table) for one in fields(x) if one.init})
    return x
