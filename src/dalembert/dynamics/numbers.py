"""Numbers for names: what a model and a caller give as numbers, arrays or formulas of each other."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from dalembert import expr as ex
from dalembert.errors import SimulationError
from dalembert.expr import Expr
from dalembert.mechanism import did_you_mean


def resolve(values: Mapping[str, Any], what: str, known: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Numbers and arrays as they are; formulas evaluated, each as soon as what it uses is known.

    With `known`, formulas use those values; without, they use each other.

    >>> resolve({"l": "2*a", "a": 3}, "given")
    {'a': 3.0, 'l': 6.0}
    """
    formulas: dict[str, Expr] = {}
    found: dict[str, Any] = {}
    numbers: dict[Expr, Any] = {ex.symbol(name): value for name, value in (known or {}).items()}
    for name, value in values.items():
        if isinstance(value, int | float):
            found[name] = _finite(float(value), what, name)
        elif isinstance(value, str):
            formulas[name] = ex.parse(value)
        elif np.ndim(value):
            found[name] = _finite(np.array(value, dtype=float), what, name)
        else:
            formulas[name] = ex.as_expr(value.item() if isinstance(value, np.generic) else value)
    if known is None:
        numbers |= {ex.symbol(name): value for name, value in found.items()}
    while formulas:
        ready = [name for name, e in formulas.items() if ex.free_symbols(e) <= numbers.keys()]
        if not ready:
            name, e = next(iter(formulas.items()))
            lacking = sorted(x.name for x in ex.free_symbols(e) - numbers.keys())
            raise SimulationError(f"{what}: '{name}' is {ex.text(e)}, but {listing(lacking)} has no value.")
        for name, value in zip(ready, ex.evaluate([formulas[name] for name in ready], numbers), strict=True):
            found[name] = _finite(value, what, name)
            del formulas[name]
        if known is None:
            numbers |= {ex.symbol(name): found[name] for name in ready}
    return found


def _finite(value: Any, what: str, name: str) -> Any:
    if not (math.isfinite(value) if isinstance(value, float) else np.isfinite(value).all()):
        raise SimulationError(f"{what}: '{name}' is not a finite number.")
    return value


def check_names(values: Iterable[str], known: Iterable[str], kind: str, owner: str) -> None:
    """Refuse a name that nobody knows, with the nearest one."""
    names = list(known)
    for name in values:
        if name not in names:
            hint = did_you_mean(name, names) or f" Known: {listing(names)}." if names else ""
            raise SimulationError(f"'{name}' is not a {kind} of '{owner}'.{hint}")


def at_time(start: Mapping[str, Any] | None, t: float, owner: str) -> dict[str, Any]:
    """A start without its time: it may be `mo.state(t)`, of the time at which the motion begins."""
    changes = dict(start or {})
    told = changes.pop("t", t)
    if isinstance(told, int | float) and told != t:
        raise SimulationError(
            f"the start is a state at t = {told:g}, but the motion of '{owner}' begins at t = {t:g}: "
            "begin then, or leave 't' out of the start."
        )
    return changes


def listing(names: Iterable[str], most: int = 12) -> str:
    """Names in quotes, the first ones if they are many."""
    shown = list(names)
    text = ", ".join(f"'{name}'" for name in shown[:most])
    return text if len(shown) <= most else f"{text} and {len(shown) - most} more"


def giving(name: str) -> str:
    """How a parameter gets a number, in Python and on the command line."""
    return f"given={{'{name}': 1.0}}, on the command line --set {name}=1"


def no_value(names: Sequence[str], owner: str, why: str = "") -> str:
    """Parameters without numbers, and how they get some."""
    several = "one" if len(names) == 1 else "them"
    return (
        f"no value for {listing(names)} of '{owner}'{why}. Give {several}, for example {giving(names[0])}, "
        f"in LSD `given {names[0]} = 1 ;`."
    )


def count_of(values: Mapping[str, Any]) -> int:
    """How many trajectories arrays among the values describe: all have one entry for each."""
    sizes = {name: np.size(value) for name, value in values.items() if np.ndim(value)}
    if len(set(sizes.values())) > 1:
        said = ", ".join(f"'{name}' has {size}" for name, size in sizes.items())
        raise SimulationError(f"arrays of an ensemble must have one entry for each trajectory, but {said}.")
    return next(iter(sizes.values()), 1)


def single(values: Mapping[str, Any]) -> dict[str, float]:
    """The same values, none of them an array."""
    for name, value in values.items():
        if np.ndim(value):
            raise SimulationError(f"'{name}' has {np.size(value)} values; one motion takes one, run_many takes many.")
    return {name: float(value) for name, value in values.items()}
