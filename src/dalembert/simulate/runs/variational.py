"""Variational integrators in machine code: Newton's iteration of a step unrolled, the steps done by one native loop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert import expr as ex
from dalembert.codegen import Function, NativeIteration
from dalembert.errors import ModelError
from dalembert.expr.elimination import solve_linear

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dalembert.analytic import DiscreteMotion, VariationalIntegrator

_NEWTON = 4
"""Newton's steps from the guess q + h q': its error is h^2, and four squarings are beyond double numbers."""
_CLOSE = 1e-9
"""Share of the path of a step that Newton's last change may have: the next would be its square."""


@dataclass(frozen=True)
class CompiledIntegrator:
    """The integrator of a discrete Lagrangian, step after step in machine code; it gives the motion of `made.run`."""

    made: VariationalIntegrator
    _iteration: NativeIteration = field(repr=False)

    def run(self, start: Mapping[str, float], steps: int) -> DiscreteMotion:
        """The motion from coordinates and momenta, by name.

        A step that needs more of Newton's iterations than are unrolled, as in a near collision, is done by the formulas
        in Python; the machine code goes on from there.
        """
        q, p = self.made.begin(start, steps)
        size, done = len(q), 0
        states = np.empty((steps + 1, 3 * size))
        states[0] = [*q, *p, *[0.0] * size]
        while done < steps:
            states[done:] = self._iteration.run(states[done], steps - done)
            done = self._settled(states, done)
            if done < steps:
                states[done + 1, : 2 * size] = self._by_formulas(states[done, : 2 * size], done + 1)
                done += 1
        return self.made.motion_of(states[:, :size], states[:, size : 2 * size])

    def _settled(self, states: np.ndarray, done: int) -> int:
        """The last row, from `done` on, whose Newton's iteration had come to an end."""
        size = states.shape[1] // 3
        places, change = states[done:, :size], states[done + 1 :, 2 * size :]
        rounding = np.spacing(np.abs(places[1:]).max(axis=1)) / _CLOSE  # of a place that a short path hardly leaves
        path = np.maximum(np.abs(np.diff(places, axis=0)).max(axis=1), 8 * rounding)
        late = ~(np.abs(change).max(axis=1) <= _CLOSE * path)
        return done + int(np.argmax(late)) if late.any() else len(states) - 1

    def _by_formulas(self, state: np.ndarray, number: int) -> list[float]:
        system = self.made.system
        names = (*system.coordinates, *system.momenta)
        try:
            one = self.made.run(dict(zip(names, state)), 1)
        except ModelError as error:
            raise ModelError(f"step {number} did not converge: take a smaller step than {self.made.step}") from error
        return [float(values[-1]) for values in (*one.q.values(), *one.p.values())]


def compile_integrator(made: VariationalIntegrator) -> CompiledIntegrator:
    """Machine code for a variational integrator of the user's own Lagrangian.

    >>> from dalembert import analytic as an
    >>> made = an.variational_integrator(an.System("th", L="th_d**2/2 + cos(th)"), {}, 0.1)
    >>> compile_integrator(made).run({"th": 2.0, "p": 0.0}, 100_000).energy_error < 0.004
    True
    """
    import sympy as sp

    f = made.formulas
    size = len(f.a)
    a, b, p, idle = (ex.symbols(" ".join(f"{kind}{k}" for k in range(size))) for kind in "abpd")
    own = {s: sp.Symbol(t.name) for old, new in ((f.a, a), (f.b, b), (f.p, p)) for s, t in zip(old, new)}

    def read(formulas: Sequence[Any]) -> list[ex.Expr]:
        return [ex.from_sympy(e.xreplace(own)) for e in formulas]

    residual, slopes, push, speed = map(read, (f.residual, f.slopes, f.push, f.speed))
    rows = [slopes[k * size : (k + 1) * size] for k in range(size)]
    (change,) = solve_linear(rows, [residual], b, "the second derivative of the discrete Lagrangian").columns
    place = [x + made.step * v for x, v in zip(a, speed)]
    for _ in range(_NEWTON):
        at = dict(zip(b, place))
        last = ex.substitute(change, at)
        place = [x - d for x, d in zip(place, last)]
    pushed = ex.substitute(push, dict(zip(b, place)))
    step = Function("step", [[*a, *p, *idle]], [*place, *pushed, *last])
    return CompiledIntegrator(made, NativeIteration(step))
