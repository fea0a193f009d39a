"""Why an integration stopped, in words: when, where, the likely reason, and what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.dynamics import dynamics_of
from dalembert.errors import ExpressionError
from dalembert.simulate.loop import layout as at
from dalembert.simulate.methods.problem import Solution
from dalembert.simulate.system.compiled import native_rates
from dalembert.simulate.system.system import Condition, System

_NEAR = 1e-3
"""Share of its value at the start below which a condition is what has stopped a motion."""
_BLUNT, _PART = 0.05, 0.1
"""Share of its value at the start below which rows have come to ask for one thing, and part of a row in that."""
_SHOWN = 8
_LONGEST = 120
"""Letters of a formula that is still read; a longer one is left out."""


def diagnose(
    system: System,
    parameters: Mapping[str, float],
    solution: Solution,
    event_names: Sequence[str],
    first: NDArray[np.float64],
) -> tuple[str, Condition | None]:
    """Why a motion stopped, in words, and the condition that vanished there; `first` is where it began."""
    values: dict[ex.Expr, float] = {ex.symbol(name): number for name, number in parameters.items()}
    began = {**values, **dict(zip(system.symbols, map(float, first), strict=True)), ex.TIME: solution.t_last}
    values |= dict(zip(system.symbols, map(float, solution.y_last), strict=True))
    values[ex.TIME] = solution.t_last
    broken = _condition(system, values, began, solution)
    lost = _lost_rows(system, values, began) if broken is None and solution.reason != at.BAD_EVENT else None
    why, remedy = _broken(broken) if broken is not None else lost or _reason(system, values, solution, event_names)
    message = (
        f"the simulation of '{system.name}' stopped at t = {solution.t_last:.9g}: {why}.\n"
        f"  State: {_state(system, solution)}.\n"
        f"  What to do: {remedy}. The motion until then is in the error's `partial`."
    )
    return message, broken


def _condition(
    system: System, values: Mapping[ex.Expr, float], began: Mapping[ex.Expr, float], solution: Solution
) -> Condition | None:
    if solution.reason == at.BAD_EVENT:
        return None
    return system.conditions[solution.culprit] if solution.reason == at.SINGULAR else _nearest(system, values, began)


def _reason(
    system: System, values: Mapping[ex.Expr, float], solution: Solution, event_names: Sequence[str]
) -> tuple[str, str]:
    if solution.reason == at.BAD_EVENT:
        return f"the event '{event_names[solution.culprit]}' has no finite value", "check its formula at this state"
    if solution.why:
        return solution.why, "take smaller steps (max_step), or the default method, which passes singular postures"
    if solution.reason == at.MEMORY:
        return (
            f"{solution.accepted} steps were made, and keeping them all would fill the memory",
            "ask for the times that you need (t_eval), loosen the tolerances, or use method='Radau' if it is stiff",
        )
    numbers = np.array([values.get(ex.symbol(name), np.nan) for name in system.known_parameters])
    rates = np.array(native_rates(system)([solution.t_last], solution.y_last, numbers))
    moving = zip(system.states, rates, solution.y_last, strict=True)
    bad = [name for name, rate, value in moving if not np.isfinite(rate + value)]
    if bad:
        return (
            f"the rate of {_listing(bad)} is not a finite number there",
            "start elsewhere, or describe the mechanism with other coordinates that are regular at this state",
        )
    stuck = f": {at.STUCK_STEPS} steps in a row have hardly moved anything" if solution.reason == at.STUCK else ""
    fastest = int(np.argmax(np.abs(rates) / (1e-3 + np.abs(solution.y_last))))
    name, rate = system.states[fastest], rates[fastest]
    return (
        f"the step size has collapsed{stuck}; '{name}' changes fastest, at the rate {rate:.3g}",
        "look for a force that jumps or grows without bound (smooth it, or stop at it with an event), "
        "or for a singular configuration of the coordinates",
    )


def _lost_rows(
    system: System, values: Mapping[ex.Expr, float], began: Mapping[ex.Expr, float]
) -> tuple[str, str] | None:
    """Conditions that no motion changes any more where one has stopped: a law beyond what can be reached."""
    held, layout = system.constrained, system.balanced
    if held is None or layout is None or not layout.further or held.rows.guided:
        return None
    about, rows = dynamics_of(layout), held.rows
    n, m = len(about.state.speeds), len(rows)
    told = [*rows.matrix.entries, *about.mass_matrix.entries, *rows.drift]
    try:
        with np.errstate(all="ignore"):
            flat = np.array([ex.evaluate(told, dict(here)) for here in (values, began)], dtype=float)
        masses = flat[:, m * n : m * n + n * n].reshape(2, n, n).diagonal(axis1=1, axis2=2)
        g = flat[:, : m * n].reshape(2, m, n) / np.sqrt(np.abs(masses))[:, None, :]
        u, s, _ = np.linalg.svd(g / np.maximum(np.linalg.norm(g[1], axis=1), 1e-300)[:, None])
    except (np.linalg.LinAlgError, ExpressionError):
        return None
    (now, then), share, drift = s[:, -1], u[0, :, s.shape[1] - 1], flat[0, m * n + n * n :]
    if not now < _BLUNT * then:
        return None
    names = list(dict.fromkeys(rows.owners[k] for k in np.argsort(-np.abs(share)) if abs(share[k]) > _PART))
    laws = [rows.owners[k] for k in np.flatnonzero(drift) if rows.owners[k] in names] or names
    return (
        f"the law '{laws[0]}' cannot be followed further: no motion changes what {_listing(names)} "
        f"{'asks' if len(names) == 1 else 'ask'} for in this posture (the rows lose rank: their least singular value "
        f"fell from {then:.3g} to {now:.3g})",
        "ask for what the machine can reach, or stop before with an event",
    )


def _broken(condition: Condition) -> tuple[str, str]:
    remedy = condition.remedy.rstrip(". ") or "choose coordinates that are regular here, or stop before with an event"
    told = ex.text(ex.tidy(condition.value))
    formula = f" ({told} vanishes)" if len(told) <= _LONGEST else ""  # a part of a formula says nothing
    return f"{condition.meaning}{formula}", remedy


def _nearest(system: System, values: Mapping[ex.Expr, float], began: Mapping[ex.Expr, float]) -> Condition | None:
    """The condition that has nearly vanished where the motion stopped, in parts of its value at the start."""
    if not system.conditions:
        return None
    with np.errstate(all="ignore"):
        told = [condition.value for condition in system.conditions]
        now, then = (np.abs(np.array(ex.evaluate(told, at), dtype=float)) for at in (values, began))
    shares = np.where(np.isfinite(now), now, 0.0) / np.where(np.isfinite(then) & (then > 0), then, 1.0)
    worst = int(np.argmin(shares))
    return system.conditions[worst] if shares[worst] < _NEAR else None


def _state(system: System, solution: Solution) -> str:
    shown = [f"{name} = {value:.6g}" for name, value in zip(system.states, solution.y_last, strict=True)]
    more = f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else ""
    return ", ".join(shown[:_SHOWN]) + more


def _listing(names: Sequence[str]) -> str:
    text = ", ".join(f"'{name}'" for name in names[:_SHOWN])
    return text if len(names) <= _SHOWN else f"{text} and {len(names) - _SHOWN} more"
