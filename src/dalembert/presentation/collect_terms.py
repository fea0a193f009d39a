"""Terms collected by ordered groups of variables: accelerations, then products of speeds, then the rest.

Papegay's helper `clct` (2.1). Inertia terms are polynomials of degree two in the speeds, so that their coefficients are
derivatives: exact, and free of any search for monomials.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from dalembert import expr as ex
from dalembert.expr import HALF, ZERO, Expr, Matrix

K = TypeVar("K")


@dataclass(frozen=True, slots=True)
class Collected:
    """One equation: sum of accelerations = sum of products + sum of linear terms + constant + forces."""

    accelerations: dict[Expr, Expr]  # u'_s -> coefficient
    products: dict[tuple[Expr, Expr], Expr]  # (u_a, u_b) -> coefficient
    linear: dict[Expr, Expr]  # u_a -> coefficient, from displacements that depend on time
    constant: Expr
    forces: Expr

    @property
    def left(self) -> Expr:
        return _sum([c * x for x, c in self.accelerations.items()])

    @property
    def right(self) -> Expr:
        terms = [c * (a * b) for (a, b), c in self.products.items()]
        terms += [c * a for a, c in self.linear.items()]
        return _sum([*terms, self.constant, self.forces])

    def tidied(self, hand: ex.Tidier) -> Collected:
        """The same equation, each coefficient written as a person would."""
        return Collected(
            _tidied(self.accelerations, hand),
            _tidied(self.products, hand),
            _tidied(self.linear, hand),
            hand.tidy(self.constant),
            hand.tidy(self.forces),
        )


def _tidied(coefficients: dict[K, Expr], hand: ex.Tidier) -> dict[K, Expr]:
    written = {key: hand.tidy(value) for key, value in coefficients.items()}
    return {key: value for key, value in written.items() if value is not ZERO}


def collect(mass: Matrix, bias: Sequence[Expr], forces: Sequence[Expr], speeds: Sequence[Expr]) -> list[Collected]:
    """Every equation of M u' = S + F, collected.

    >>> u, v, m, c = ex.symbols("u v m c")
    >>> first = collect(Matrix([[m, ZERO], [ZERO, m]]), [c * u * v, ZERO], [ZERO, ZERO], [u, v])[0]
    >>> first.left, first.right
    (m*u', u*v*c)
    """
    primes = [ex.prime(u) for u in speeds]
    at_rest = dict.fromkeys(speeds, 0)
    slopes = ex.jacobian(list(bias), speeds) if speeds else []
    found = []
    for r, row in enumerate(slopes):
        curvature = ex.jacobian(row, speeds)
        linear = ex.substitute(row, at_rest)
        constant = ex.substitute([bias[r]], at_rest)[0]
        products = {}
        for a in range(len(speeds)):
            for b in range(a, len(speeds)):
                value = curvature[a][b] if a != b else HALF * curvature[a][a]
                if value is not ZERO:
                    products[speeds[a], speeds[b]] = value
        found.append(
            Collected(
                {p: m for p, m in zip(primes, mass.rows()[r], strict=True) if m is not ZERO},
                products,
                {u: c for u, c in zip(speeds, linear, strict=True) if c is not ZERO},
                constant,
                forces[r],
            )
        )
    return found


def _sum(terms: list[Expr]) -> Expr:
    total = ZERO
    for term in terms:
        total = total + term
    return total
