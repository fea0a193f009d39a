"""Frequencies of motions by number: the strongest line of a windowed spectrum, and how much it wanders (KAM by eye).

On an invariant torus the frequencies are constant; where tori are broken they differ between two halves of a motion.
Laskar's method: a Hann window, the peak of the spectrum, then the maximum of the exact integral next to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dalembert.errors import ModelError

from ..motions.chaos import _flow, _start

if TYPE_CHECKING:
    from ..systems.system import System


@dataclass(frozen=True)
class Frequencies:
    """The frequency of each coordinate over a motion, and the change from its first to its second half."""

    values: dict[str, float]
    wander: dict[str, float]
    energy_drift: float

    @property
    def regular(self) -> bool:
        """Whether no frequency wanders by more than a ten-thousandth of itself."""
        return all(abs(d) <= 1e-4 * abs(self.values[c]) for c, d in self.wander.items())


def strongest(signal: Sequence[float], step: float) -> float:
    """The angular frequency of the strongest line of a signal, refined beyond the grid of the spectrum."""
    import numpy as np
    from scipy.optimize import minimize_scalar

    x = np.asarray(signal, dtype=float)
    x = x - x.mean()
    size = len(x)
    window = np.hanning(size)
    spectrum = np.abs(np.fft.rfft(x * window))
    peak = int(spectrum[1:].argmax()) + 1
    grid = 2 * np.pi / (size * step)
    times = np.arange(size) * step

    def minus(w: float) -> float:
        return -float(abs(np.sum(x * window * np.exp(-1j * w * times))))

    found = minimize_scalar(
        minus, bounds=((peak - 1) * grid, (peak + 1) * grid), method="bounded", options={"xatol": 1e-10 * grid}
    )
    return float(found.x)


def frequencies(
    system: System, values: Mapping[str, float], start: Mapping[str, float], *, time: float = 400.0, points: int = 4000
) -> Frequencies:
    """The frequency of every coordinate along a motion from `start`, and how much it wanders.

    >>> from dalembert.analytic import System
    >>> pair = System("x y", H="(px**2 + py**2)/2 + x**2/2 + 2*y**2", momenta="px py")
    >>> found = frequencies(pair, {}, {"x": 1, "y": 0.5, "px": 0, "py": 0})
    >>> [round(w, 6) for w in found.values.values()], found.regular
    ([1.0, 2.0], True)
    """
    import numpy as np
    from scipy.integrate import solve_ivp

    if not time > 0 or points < 64:
        raise ModelError("frequencies need a positive time and at least 64 points")
    z, f, _, H = _flow(system, values)
    y = _start(z, start)
    times = np.linspace(0.0, time, points)
    run: Any = solve_ivp(lambda _, s: f(s), (0.0, time), y, t_eval=times, rtol=1e-10, atol=1e-12, method="DOP853")
    if not run.success or not np.all(np.isfinite(run.y)):
        raise ModelError(f"the motion left the numbers at t = {float(run.t[-1]):.6g}: {run.message}")
    step, half = times[1], points // 2
    whole, wander = {}, {}
    for k, c in enumerate(system.coordinates):
        whole[c] = strongest(run.y[k], step)
        wander[c] = strongest(run.y[k, half:], step) - strongest(run.y[k, :half], step)
    ends = [float(H(run.y[:, j])) for j in (0, -1)]
    size = abs(ends[0]) + abs(ends[1])
    return Frequencies(whole, wander, abs(ends[1] - ends[0]) / size if size else 0.0)
