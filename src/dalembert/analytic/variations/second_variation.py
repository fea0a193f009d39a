"""Beyond Euler's equation: conditions on integrals, the second variation, and conjugate points, which end a minimum."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sympy as sp

from dalembert.errors import ModelError

from ..formulas._equality import is_zero
from ..formulas._exact import number_function
from ..formulas._names import Formula
from ..formulas._normal import tidy
from .variational import Functional


def isoperimetric(
    f: Formula, conditions: Sequence[Formula], functions: str, independent: str = "x", multipliers: Sequence[str] = ()
) -> Functional:
    """The functional of f + sum mu_i g_i, whose extremals are those of f under given values of the integrals of g_i.

    >>> dido = isoperimetric("y", ["sqrt(1 + yp**2)"], "y", multipliers=["mu"])
    >>> dido.beltrami
    (mu + y*sqrt(y'**2 + 1))/sqrt(y'**2 + 1)
    """
    if not conditions:
        raise ModelError("an isoperimetric problem has a condition: give the integrand of each in `conditions`")
    labels = list(multipliers) or (["mu"] if len(conditions) == 1 else [f"mu{i + 1}" for i in range(len(conditions))])
    if len(labels) != len(conditions):
        raise ModelError(f"{len(conditions)} conditions need as many multipliers, not {labels}")
    plain = Functional(f, functions, independent)
    n = plain.names
    total = plain.f
    for label, g in zip(labels, conditions):
        if n.symbol(label) in plain.f.free_symbols:
            raise ModelError(f"{label} occurs in f: name the multiplier otherwise")
        total += n.symbol(label) * n.read(g)
    return Functional(total, functions, independent)


@dataclass(frozen=True)
class SecondVariation:
    """d2J = int P h'^2 + Q h^2 on an extremal, Legendre's condition, and the first conjugate point, if any.

    A curve is a weak minimum when P > 0 and no conjugate point lies inside; past one it is no minimum any more.
    """

    P: sp.Expr
    Q: sp.Expr
    legendre: str
    conjugate: float | None
    verdict: str


def second_variation(
    functional: Functional,
    extremal: Formula,
    interval: tuple[float, float],
    values: Mapping[str, float] | None = None,
) -> SecondVariation:
    """Jacobi's equation d/dx(P h') = Q h from h = 0, h' = 1 at the left end; h = 0 again is a conjugate point.

    >>> oscillator = Functional("qp**2/2 - q**2/2", "q", "t")
    >>> second_variation(oscillator, "sin(t)", (0, 3)).verdict
    'a weak minimum: P > 0 and no conjugate point'
    >>> round(second_variation(oscillator, "sin(t)", (0, 4)).conjugate, 6)
    3.141593
    """
    from scipy.integrate import solve_ivp

    n = functional.names
    if len(n.coordinates) != 1 or functional.order > 1:
        raise ModelError("the second variation is written here for one function and first slopes")
    (c,) = n.coordinates
    y, slope, x = n.symbol(c), n.velocity(c), n.time
    curve = n.read(extremal)
    numbers = n.numbers(values or {})
    on = {y: curve, slope: sp.diff(curve, x), n.velocity(c, 2): sp.diff(curve, x, 2)}

    def put(e: sp.Expr) -> sp.Expr:
        return tidy(e.subs(on, simultaneous=True).subs(numbers))

    residual = put(functional.euler[0])
    if not is_zero(residual):
        raise ModelError(f"{c} = {curve} is no extremal: Euler's equation leaves {residual}")
    P = put(sp.diff(functional.f, slope, 2))
    mixed = put(sp.diff(functional.f, y, slope))
    Q = tidy(put(sp.diff(functional.f, y, 2)) - sp.diff(mixed, x))
    f = number_function([x], [P, sp.diff(P, x), Q], "numpy")
    start, end = float(interval[0]), float(interval[1])
    if not start < end:
        raise ModelError(f"the interval {interval} is empty: give (start, end) with start < end")

    def sign_of_p() -> str:
        signs = {float(f(start + (end - start) * k / 200)[0]) > 0 for k in range(201)}
        return "P > 0" if signs == {True} else "P <= 0 somewhere" if True in signs else "P <= 0"

    legendre = sign_of_p()
    if legendre != "P > 0":
        return SecondVariation(P, Q, legendre, None, f"no minimum: {legendre} (Legendre's condition fails)")

    def rate(at: float, h: Sequence[float]) -> list[float]:
        p, dp, q = (float(e) for e in f(at))
        return [h[1], (q * h[0] - dp * h[1]) / p]

    def back(_: float, h: Sequence[float]) -> float:
        return h[0]

    back.direction, back.terminal = -1, True  # type: ignore[attr-defined]
    run = solve_ivp(rate, (start, end), [0.0, 1.0], events=back, rtol=1e-11, atol=1e-13, max_step=(end - start) / 50)
    hit = [float(at) for at in run.t_events[0] if at > start]
    if hit and hit[0] < end:
        return SecondVariation(P, Q, legendre, hit[0], f"no minimum: the conjugate point {hit[0]:.6g} lies inside")
    return SecondVariation(P, Q, legendre, None, "a weak minimum: P > 0 and no conjugate point")
