"""Extremals through given ends, by number: Euler's equations as a boundary value problem."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dalembert.errors import ModelError

from ..formulas._exact import number_function
from ..formulas._solving import linear_parts, solve_linear
from .variational import Functional

if TYPE_CHECKING:
    import numpy as np

_TOLERANCE = 1e-9
"""Relative residual of the collocation: a thousand times the rounding of the slopes, far below a picture."""


@dataclass(frozen=True)
class Extremal:
    """A curve that satisfies Euler's equations between two ends, its slopes, and the value of the integral."""

    x: np.ndarray
    y: dict[str, np.ndarray]
    slopes: dict[str, np.ndarray]
    value: float


def extremal(
    functional: Functional,
    ends: Mapping[str, tuple[float, float]],
    span: tuple[float, float],
    values: Mapping[str, float] | None = None,
    *,
    guess: Mapping[str, Any] | None = None,
    points: int = 201,
) -> Extremal:
    """Solve Euler's equations with y(a), y(b) given for every function; `guess` = {y: callable of x} starts elsewhere
    than on the straight line.

    >>> hanging = Functional("y*sqrt(1 + yp**2)", "y")
    >>> chain = extremal(hanging, {"y": (1.5430806348152437, 1.5430806348152437)}, (-1.0, 1.0))
    >>> round(float(chain.y["y"].min()), 6)
    1.0
    """
    import numpy as np
    from scipy.integrate import quad, solve_bvp

    n = functional.names
    labels = n.coordinates
    if functional.order != 1:
        raise ModelError("extremals between two points are found here for integrands with first slopes only")
    if set(ends) != set(labels):
        raise ModelError(f"give two ends for each of {', '.join(labels)}")
    if not span[0] < span[1]:
        raise ModelError(f"the span {span} is to go upwards")
    numbers = n.numbers(values or {})
    second = [n.velocity(c, 2) for c in labels]
    parts = linear_parts([e.subs(numbers) for e in functional.euler], second)
    if parts is None:
        raise ModelError("Euler's equations are not affine in the second slopes")
    if parts[0].det() == 0:
        raise ModelError(
            "the second slopes are not determined: the integral is the same for every speed along the curve"
        )
    bends = list(solve_linear(*parts))
    y, v = [n.symbol(c) for c in labels], [n.velocity(c) for c in labels]
    rate = number_function([n.time, y, v], bends)
    size = len(labels)

    def right(x: Any, state: Any) -> Any:
        found = np.array([np.broadcast_to(b, x.shape) for b in rate(x, state[:size], state[size:])], dtype=float)
        return np.vstack([state[size:], found])

    low = np.array([float(ends[c][0]) for c in labels])
    high = np.array([float(ends[c][1]) for c in labels])
    x = np.linspace(*span, points)
    share = (x - span[0]) / (span[1] - span[0])
    start = low[:, None] + (high - low)[:, None] * share
    if guess is not None:
        start = np.array(
            [np.array([float(guess[c](t)) for t in x]) if c in guess else start[i] for i, c in enumerate(labels)]
        )
    first = np.gradient(start, x, axis=1)
    run = solve_bvp(
        right,
        lambda a, b: np.concatenate([a[:size] - low, b[:size] - high]),
        x,
        np.vstack([start, first]),
        tol=_TOLERANCE,
        max_nodes=20000,
    )
    if not run.success:
        raise ModelError(f"no extremal was found between these ends: {run.message} Give a `guess`, or nearer ends")
    f = number_function([n.time, y, v], functional.f.subs(numbers))
    total, _ = quad(lambda t: float(f(t, run.sol(t)[:size], run.sol(t)[size:])), *span, limit=200)
    state = run.sol(x)
    return Extremal(
        x, {c: state[i] for i, c in enumerate(labels)}, {c: state[size + i] for i, c in enumerate(labels)}, float(total)
    )
