"""Constraints classified: geometric or kinematic, with or without time, integrable (Frobenius) or not, one-sided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._equality import is_zero
from ..formulas._exact import refuse_text
from ..formulas._names import Formula, Names
from ..formulas._normal import tidy
from ..formulas.quadrature import antiderivative


@dataclass(frozen=True)
class Constraint:
    """What a constraint is, in the words of mechanics."""

    geometric: bool
    rheonomic: bool
    bilateral: bool
    holonomic: bool
    finite: sp.Expr | None
    reason: str

    def __str__(self) -> str:
        words = ["geometric" if self.geometric else "kinematic", "rheonomic" if self.rheonomic else "scleronomic"]
        words += ["bilateral" if self.bilateral else "unilateral", "holonomic" if self.holonomic else "non-holonomic"]
        return ", ".join(words)


def classify(
    constraint: Formula, coordinates: str | Sequence[str], *, given: Sequence[str] = (), others: Sequence[Formula] = ()
) -> Constraint:
    """Classify f = 0, an inequality, or a relation affine in the velocities (with `others` that hold beside it).

    >>> print(classify("x**2 + y**2 - l**2", "x y"))
    geometric, scleronomic, bilateral, holonomic
    """
    labels = coordinates.replace(",", " ").split() if isinstance(coordinates, str) else list(coordinates)
    n = Names(labels, given=given)
    stated = n.read(constraint)
    bilateral = not isinstance(stated, (sp.Lt, sp.Le, sp.Gt, sp.Ge))
    f = stated.lhs - stated.rhs if isinstance(stated, sp.core.relational.Relational) else stated
    symbols = f.free_symbols
    rheonomic = n.time in symbols or any(s.name.rstrip("'") in n.given for s in symbols)
    if not symbols & set(n.v):
        if not bilateral:
            return Constraint(True, rheonomic, False, False, None, "an inequality removes no coordinate")
        return Constraint(True, rheonomic, True, True, f, "a finite equation between the coordinates")
    rows = [_row(f, n), *(_row(n.read(o), n) for o in others)]
    verdict = frobenius(rows, [*n.q, n.time])
    finite = None
    if verdict.integrable:
        try:
            finite = integrate_form(rows[0], [*n.q, n.time])
        except ModelError:
            finite = None
    return Constraint(False, rheonomic, bilateral, verdict.integrable, finite, verdict.reason)


def _row(f: sp.Expr, n: Names) -> list[sp.Expr]:
    """Coefficients of dq_1, ..., dq_n, dt in sum a_j q'_j + b = 0."""
    a = [sp.diff(f, v) for v in n.v]
    if any(x.free_symbols & set(n.v) for x in a):
        raise ModelError(f"the constraint {f} = 0 is not affine in the velocities")
    return [*a, f.subs(dict.fromkeys(n.v, 0))]


@dataclass(frozen=True)
class Frobenius:
    """Whether the forms vanish on a family of surfaces; if not, two directions in which they cannot be closed."""

    integrable: bool
    reason: str
    restricted: tuple[sp.Expr, ...] = ()


def frobenius(rows: Sequence[Sequence[sp.Expr]], variables: Sequence[sp.Symbol]) -> Frobenius:
    """d(omega_i) must vanish on the common null space of all omega_j: integrating factors are thereby included.

    >>> x, y, z = sp.symbols("x y z")
    >>> frobenius([[y, -x, 0]], [x, y, z]).integrable, frobenius([[y, 0, 1]], [x, y, z]).integrable
    (True, False)
    """
    refuse_text(rows, variables)
    null = sp.Matrix([list(r) for r in rows]).nullspace()
    values = []
    for row in rows:
        size = len(variables)
        d = sp.Matrix(size, size, lambda i, j, row=row: sp.diff(row[j], variables[i]) - sp.diff(row[i], variables[j]))
        for u, v in combinations(null, 2):
            values.append(tidy((u.T * d * v)[0]))
    bad = [v for v in values if not is_zero(v)]
    if bad:
        return Frobenius(
            False,
            f"not integrable: on the allowed displacements the forms have d(omega) = {bad} instead of 0",
            tuple(values),
        )
    return Frobenius(True, "integrable: every d(omega) vanishes on the allowed displacements", tuple(values))


def integrate_form(row: Sequence[sp.Expr], variables: Sequence[sp.Symbol]) -> sp.Expr:
    """f with df proportional to the form, when it is exact as written or after a factor of one variable."""
    factors = [
        sp.Integer(1),
        *(1 / x for x in variables if any(e.has(x) for e in row)),
        *(1 / x**2 for x in variables if any(e.has(x) for e in row)),
    ]
    for factor in factors:
        form = [tidy(factor * a) for a in row]
        curls = [
            sp.diff(form[i], variables[j]) - sp.diff(form[j], variables[i]) for i in range(len(form)) for j in range(i)
        ]
        if all(is_zero(c) for c in curls):
            f = sp.Integer(0)
            for x, a in zip(variables, form):
                f += antiderivative(tidy(sp.expand(a - sp.diff(f, x))), x)
            return tidy(f)
    raise ModelError("no elementary integrating factor was found")
