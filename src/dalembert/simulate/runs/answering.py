"""How parameters and the start of a motion answer to one of them: where derivatives of motions begin."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.dynamics.numbers import single
from dalembert.dynamics.scales import scales_of
from dalembert.errors import SimulationError
from dalembert.expr import Expr
from dalembert.mechanism import Layout, Mechanism, Model, did_you_mean
from dalembert.mechanism.dimensions import LENGTH, NONE
from dalembert.mechanism.homogeneity import dimensions_of
from dalembert.simulate.runs.rubbing import rubbing
from dalembert.simulate.system.branch import on_its_branch
from dalembert.simulate.system.event import ResolvedEvent, resolve_events
from dalembert.simulate.system.from_mechanism import system_of
from dalembert.simulate.system.system import System, Value
from dalembert.simulate.system.values import first_state, parameter_values

Array = NDArray[np.float64]

_ROUNDED = 16 * np.finfo(float).eps
"""Share of a value that its rounding is, some operations long."""
DIFFERENCE = 2e-4
"""Share of its size by which a value is moved: differences of the fourth order, good to 1e-12 of what bends there."""
STENCIL = ((1, 8 / 12), (-1, -8 / 12), (2, -1 / 12), (-2, 1 / 12))


@dataclass(frozen=True, eq=False)
class Question:
    """A motion that is asked how it answers to `names`: where it starts, and what they move at once.

    `columns` are derivatives of the start, `weights` those of the parameters, other than one where a formula gives a
    parameter. Parameters that an event changes are states of `system` (they rest between events).
    """

    system: System
    original: System
    names: tuple[str, ...]
    events: tuple[ResolvedEvent, ...]
    parameters: Mapping[str, float]
    first: Mapping[str, float]
    columns: tuple[Array, ...]
    weights: tuple[Mapping[Expr, Expr], ...]

    @property
    def own(self) -> dict[str, float]:
        """Numbers of the parameters that are no states."""
        return {name: value for name, value in self.parameters.items() if name not in self.first}


def question(
    subject: System | Mechanism | Model,
    t: float,
    names: Sequence[str],
    start: Mapping[str, Value] | None,
    given: Mapping[str, Value] | None,
    events: Any,
    cut: Collection[str] = (),
    needs: Sequence[Expr] = (),
) -> Question:
    """Everything that both ways of deriving a motion begin with; what has no derivatives is refused."""
    original = subject if isinstance(subject, System) else system_of(subject, Layout.of(subject, cut))
    system, _ = on_its_branch(original, start, given, t)
    watched = resolve_events(events, system)
    _refuse(system, watched)
    needed = system.names_in([*(e for event in watched for e in event.needs), *system.with_outputs(needs)])
    parameters = single(parameter_values(system, given, needed))
    asked = tuple(names)
    if len(set(asked)) < len(asked):
        raise SimulationError(f"the names {', '.join(asked)} hold one twice: derivatives are asked for once.")
    for name in asked:
        if name not in parameters and name not in system.states:
            known = [*parameters, *system.states]
            raise SimulationError(
                f"'{name}' is neither a parameter nor a state of '{system.name}'.{did_you_mean(name, known)}"
            )
    first, columns, weights = _beginning(system, asked, start, given, parameters, needed, t)
    switched = [name for name in parameters if any(name in (event.then or {}) for event in watched)]  # type: ignore[operator]
    if switched:
        system = _with_states(system, switched)
        moved = [[float(w[s].value) if (s := ex.symbol(x)) in w else 0.0 for x in switched] for w in weights]
        columns = [np.concatenate([column, more]) for column, more in zip(columns, moved, strict=True)]
        weights = [{x: v for x, v in w.items() if x.name not in switched} for w in weights]
        first |= {name: parameters[name] for name in switched}
    return Question(system, original, asked, tuple(watched), parameters, first, tuple(columns), tuple(weights))


def _with_states(system: System, names: Sequence[str]) -> System:
    """The system with some parameters as states that rest, for events to change them."""
    return replace(
        system,
        speeds=(*system.speeds, *names),
        rates=(*system.rates, *(ex.ZERO for _ in names)),
        given={name: value for name, value in system.given.items() if name not in names},
        start={},
        constants=tuple(name for name in system.known_parameters if name not in names),
        corrected=(*system.corrected, *map(ex.symbol, names)) if system.corrected else (),
        scales=None,
        layout=None,
    )


def _refuse(system: System, watched: Sequence[ResolvedEvent]) -> None:
    """What has no derivatives here."""
    why = ""
    if system.contacts or rubbing(system) is not None:
        why = "its contacts change the equations at instants that are not events of the user"
    elif system.large:
        why = "a machine of this size is solved in numbers, which have no derivatives here"
    elif any(event.function is not None or callable(event.then) for event in watched):
        why = "an event that is a Python function has no derivatives: write it as a formula"
    for event in watched:
        changed = set(event.then) if isinstance(event.then, Mapping) else set()
        if changed - set(system.states) and system.constrained is not None:
            why = f"the event '{event.name}' changes a parameter of a closed machine, which may close otherwise then"
    if why:
        raise SimulationError(
            f"sensitivities of '{system.name}' are not known: {why}. Take differences of two motions."
        )


def _beginning(
    system: System,
    asked: Sequence[str],
    start: Mapping[str, Value] | None,
    given: Mapping[str, Value] | None,
    parameters: Mapping[str, float],
    needed: Collection[str],
    t: float,
) -> tuple[dict[str, float], list[Array], list[dict[Expr, Expr]]]:
    """The start, its derivatives, and those of all parameters: formulas in the start and in `given` are followed."""

    def begun(name: str, shift: float) -> tuple[Array, Array]:
        values, state = dict(given or {}), dict(start or {})
        if name in parameters:
            values[name] = parameters[name] + shift
        else:
            state[name] = float(first[name]) + shift
        numbers = single(parameter_values(system, values, needed))
        found = first_state(system, state, values, numbers, t).values
        return np.array([float(found[s]) for s in system.states]), np.array([numbers[p] for p in parameters])

    told = first_state(system, start, given, parameters, t).values
    first = {name: float(told[name]) for name in system.states}
    columns, weights = list[Array](), list[dict[Expr, Expr]]()
    for name in asked:
        h = DIFFERENCE * size_of(system, name, parameters, first, t)
        states, numbers = zip(*(begun(name, k * h) for k, _ in STENCIL), strict=True)
        columns.append(slope(states, h))
        slopes = slope(numbers, h)
        weights.append({ex.symbol(p): ex.const(float(s)) for p, s in zip(parameters, slopes, strict=True) if s})
    return first, columns, weights


def size_of(system: System, name: str, parameters: Mapping[str, float], first: Mapping[str, float], t: float) -> float:
    """By what a value is measured: a state by its scale, a length by that of the machine, an angle by a radian.

    Other parameters move no loop, and are measured by themselves; so are values much larger than the machine.
    """
    if name in first:
        size = float(system.scale_of(parameters, list(first.values()), t)[system.states.index(name)])
        return max(size, 1e-3 * abs(first[name]))
    own = abs(parameters[name])
    if system.layout is None:
        return own or 1.0
    kind = dimensions_of(system.layout.model).get(name)
    values = {ex.symbol(k): v for k, v in {**parameters, **first, "t": t}.items()}
    known = {LENGTH: scales_of(system.layout).length(values), NONE: 1.0}
    return max(known[kind], 1e-3 * own) if kind in known else own or 1.0


def slope(values: Sequence[Array], h: float) -> Array:
    """A difference of the fourth order; where it is a whole number but for rounding, that is meant."""
    found = sum((w * v for (_, w), v in zip(STENCIL, values, strict=True)), np.zeros_like(values[0])) / h
    rounding = _ROUNDED * np.abs(values).max(axis=0) / h
    near = np.round(found)
    whole: Any = np.where(np.abs(found - near) <= rounding, near, found)
    exact: Array = whole
    return exact
