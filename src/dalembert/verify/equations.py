"""The equations themselves: every formalism in numbers, and in exact arithmetic."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dalembert import expr as ex
from dalembert.analysis.compare import compare
from dalembert.errors import DalembertError
from dalembert.expr._fingerprint import PRIME
from dalembert.formalisms.equations import Equations
from dalembert.formalisms.registry import derive, formalism_names
from dalembert.mechanism import Layout
from dalembert.verify.verdict import AGREES, DISAGREES, Check

ROUNDED = 1e-7
"""Of accelerations, in parts of the largest: rounding of 1e-16, times the condition of usual masses."""

_WRITTEN = 13
"""Digits of numbers that people write; the results of roundings have sixteen."""


def formalisms(layout: Layout, seed: int) -> Check:
    """Accelerations by every formalism at random states, solved in floating point."""
    found = compare(layout, states=3, seed=seed)
    made = [row.name for row in found.formalisms if row.error is None]
    refused = [row.name for row in found.formalisms if row.error is not None]
    if len(made) < 2:
        return Check.left_out("formalisms", f"only {', '.join(made) or 'none'} takes this model")
    left = f"; {', '.join(refused)} refuse it" if refused else ""
    told = f"accelerations by {', '.join(made)} at 3 random states{left}"
    return Check.within("formalisms", found.disagreement, ROUNDED, told)


def exact(layout: Layout) -> Check:
    """Accelerations by every formalism in a finite field, where there is no rounding."""
    name = "exact arithmetic"
    if layout.constraints:
        return Check.left_out(name, "states that close loops or obey conditions are not rational")
    if layout.state.quaternions:
        return Check.left_out(name, "the norms of its quaternions would not be one")
    derived: dict[str, Equations] = {}
    for formalism in formalism_names():
        try:
            derived[formalism] = derive(layout, formalism)
        except DalembertError:
            continue
    rounded = _rounded(derived.values())
    if rounded:
        return Check.left_out(name, f"it contains numbers that rounding has made, such as {rounded}")
    found = {key: _accelerations(eq) for key, eq in derived.items()}
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
