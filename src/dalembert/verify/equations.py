"""The equations themselves: every formalism in numbers, and in exact arithmetic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from dalembert import expr as ex
from dalembert.analysis.compare import accelerations, random_state
from dalembert.errors import DalembertError
from dalembert.expr import Expr
from dalembert.expr._fingerprint import PRIME
from dalembert.expr.magnitude import magnitude
from dalembert.formalisms.equations import Equations
from dalembert.formalisms.registry import derive, formalism_names
from dalembert.mechanism import Layout
from dalembert.verify.verdict import AGREES, DISAGREES, Check

ROUNDED = 1e-7
"""Of accelerations, in parts of the largest: rounding of 1e-16, times the condition of usual masses."""

SINGULAR = "it starts in a singular posture, where random speeds that the loops allow have no accelerations"
Array = NDArray[np.float64]
_WRITTEN = 13
"""Digits of numbers that people write; the results of roundings have sixteen."""


def derived(layout: Layout) -> dict[str, Equations | str]:
    """The equations by every formalism, or why it refuses the model."""
    found: dict[str, Equations | str] = {}
    for name in formalism_names():
        try:
            found[name] = derive(layout, name)
        except DalembertError as error:
            found[name] = str(error)
    return found


def states_of(layout: Layout, eq: Equations, seed: int, count: int) -> list[dict[Expr, float]]:
    """Random states at which accelerations exist: on closed loops in a singular posture, not every speed has one."""
    found = [random_state(layout, [eq], seed + k) for k in range(count)]
    return [state for state in found if _possible(eq, state)]


def _possible(eq: Equations, state: Mapping[Expr, float]) -> bool:
    if eq.constraint is None or not eq.gamma:
        return True
    rows, wanted, made_of = (_numbers(x, state) for x in (eq.constraint.entries, eq.gamma, magnitude(list(eq.gamma))))
    matrix = rows.reshape(eq.constraint.shape)
    left = wanted - matrix @ np.linalg.lstsq(matrix, wanted, rcond=None)[0]
    return bool((np.abs(left) <= ROUNDED * made_of.max(initial=0.0)).all())


def sizes_of(eq: Equations, state: Mapping[Expr, float]) -> Array:
    """How large accelerations could be if nothing cancelled: what differences are measured by where they are zero."""
    n, rows = len(eq.speeds), [] if eq.constraint is None else list(eq.constraint.entries)
    mass, bound = _numbers(eq.mass_matrix.entries, state).reshape(n, n), _numbers(rows, state).reshape(-1, n)
    whole = np.block([[mass, -bound.T], [bound, np.zeros((len(bound), len(bound)))]])
    found: Array = np.abs(np.linalg.pinv(whole)) @ _numbers(magnitude([*eq.right_side, *eq.gamma]), state)
    return found[:n]


def _numbers(exprs: Iterable[Expr], state: Mapping[Expr, float]) -> Array:
    return np.array(ex.evaluate(list(exprs), dict(state)), dtype=float)


def formalisms(layout: Layout, equations: Mapping[str, Equations | str], seed: int) -> Check:
    """Accelerations by every formalism at random states, solved in floating point."""
    made = {name: eq for name, eq in equations.items() if not isinstance(eq, str)}
    refused = [name for name in equations if name not in made]
    if len(made) < 2:
        return Check.left_out("formalisms", f"only {', '.join(made) or 'none'} takes this model")
    first = made.get("recursive") or next(iter(made.values()))
    states = [dict(random_state(layout, list(made.values()), seed + k)) for k in range(3)]
    states = [state for state in states if _possible(first, state)]
    if not states:
        return Check.left_out("formalisms", SINGULAR)
    worst = 0.0
    for state in states:
        found = np.array([accelerations(eq, state) for eq in made.values()])
        scale = np.maximum(np.abs(found).max(initial=0.0), sizes_of(first, state).max(initial=0.0))
        worst = max(worst, float(np.ptp(found, axis=0).max(initial=0.0) / (scale or 1.0)))
    left = f"; {', '.join(refused)} refuse it" if refused else ""
    told = f"accelerations by {', '.join(made)} at {len(states)} random states{left}"
    return Check.within("formalisms", worst, ROUNDED, told)


def exact(layout: Layout, equations: Mapping[str, Equations | str]) -> Check:
    """Accelerations by every formalism in a finite field, where there is no rounding."""
    name = "exact arithmetic"
    if layout.constraints:
        return Check.left_out(name, "states that close loops or obey conditions are not rational")
    if layout.state.quaternions:
        return Check.left_out(name, "the norms of its quaternions would not be one")
    made = {key: eq for key, eq in equations.items() if not isinstance(eq, str)}
    rounded = _rounded(made.values())
    if rounded:
        return Check.left_out(name, f"it contains numbers that rounding has made, such as {rounded}")
    found = {key: _accelerations(eq) for key, eq in made.items()}
    solved = {key: value for key, value in found.items() if value is not None}
    if len(solved) < 2:
        return Check.left_out(name, "the masses are singular, or one formalism alone takes this model")
    first, *others = solved
    unlike = [key for key in others if solved[key] != solved[first]]
    told = f"accelerations by {', '.join(solved)} modulo 2^127 - 1, angles as points of the circle"
    if unlike:
        return Check(name, DISAGREES, f"{told}: {', '.join(unlike)} differ from {first}")
    return Check(name, AGREES, told, 0.0)


def _rounded(equations: Iterable[Equations]) -> str:
    """A number that nobody has written: a float of more digits than people write."""
    exprs = [x for eq in equations for x in (*eq.mass_matrix.entries, *eq.right_side)]
    found = (repr(e.data) for e in ex.topological(exprs) if e.op == "const" and isinstance(e.data, float))
    return next((text for text in found if sum(c.isdigit() for c in text.split("e")[0]) > _WRITTEN), "")


def _accelerations(eq: Equations) -> list[int] | None:
    """u' in the field of the fingerprints; None where the masses are singular."""
    n = len(eq.speeds)
    values = ex.fingerprints([*eq.mass_matrix.entries, *eq.right_side])
    rows = [[*values[n * i : n * i + n], values[n * n + i]] for i in range(n)]
    return _solved(rows)


def _solved(rows: Sequence[list[int]]) -> list[int] | None:
    """Gauss and Jordan over the field; the last column is the right side."""
    left = [list(row) for row in rows]
    for k in range(len(left)):
        pivot = next((i for i in range(k, len(left)) if left[i][k]), None)
        if pivot is None:
            return None
        left[k], left[pivot] = left[pivot], left[k]
        inverse = pow(left[k][k], -1, PRIME)
        left[k] = [x * inverse % PRIME for x in left[k]]
        for i, row in enumerate(left):
            if i != k and row[k]:
                left[i] = [(x - row[k] * y) % PRIME for x, y in zip(row, left[k], strict=True)]
    return [row[-1] for row in left]
