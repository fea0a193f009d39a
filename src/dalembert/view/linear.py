"""Pictures of small motions: response to frequencies, and how eigenvalues wander with a parameter."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from dalembert.analysis import Linearization, linearize
from dalembert.errors import ModelError
from dalembert.mechanism import Layout, Mechanism, did_you_mean
from dalembert.view.theme import COLOURS, GREY, plain, style

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_POINTS = 600
_DECADE = 10.0
"""The response is drawn this factor below the slowest and above the fastest mode."""


def plot_response(
    linear: Linearization, input: str, outputs: Sequence[str] = (), *, frequencies: ArrayLike | None = None
) -> Figure:
    """Gain and phase of states against the frequency of an input, in hertz: a Bode plot.

    `outputs` are states of the linear equations, all coordinates when not said.
    """
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    for name in outputs:
        if name not in linear.states:
            hint = did_you_mean(name, linear.states) or f" States are {', '.join(linear.states)}."
            raise ModelError(f"'{name}' is no state of the linear equations.{hint}")
    chosen = list(outputs) or list(linear.coordinates)
    hertz = _range(linear) if frequencies is None else np.asarray(frequencies, dtype=float)
    found = linear.response(2 * np.pi * hertz, input)
    with mpl.rc_context(style()):
        figure, (upper, lower) = plt.subplots(2, sharex=True, figsize=(8, 5.4), layout="constrained")
        for name in chosen:
            told = found[:, linear.states.index(name)]
            upper.loglog(hertz, np.abs(told), label=plain(f"{name} / {input}"))
            lower.semilogx(hertz, np.rad2deg(np.unwrap(np.angle(told))))
        for mode in linear.modes():
            if mode.frequency > 0:
                upper.axvline(mode.frequency, color=GREY, lw=0.6, ls=":")
        upper.legend()
        upper.set_ylabel("gain")
        upper.set_title("frequency response (dotted: natural frequencies)")
        lower.set_ylabel("phase [degrees]")
        lower.set_xlabel("frequency [Hz]")
        return figure


def _range(linear: Linearization) -> Any:
    own = [mode.frequency for mode in linear.modes() if mode.frequency > 0]
    slow, fast = (min(own), max(own)) if own else (1.0, 1.0)
    return np.geomspace(slow / _DECADE, fast * _DECADE, _POINTS)


def locus_of(
    model: Mechanism,
    parameter: str,
    values: ArrayLike,
    *,
    at: Mapping[str, Any] | None = None,
    given: Mapping[str, Any] | None = None,
    t: float | None = None,
    cut: Collection[str] = (),
) -> Any:
    """Eigenvalues of the small motions for each value of a parameter: value, eigenvalue; each follows its branch."""
    from scipy.optimize import linear_sum_assignment

    frozen = model.freeze()
    known = frozen.parameters()
    if parameter not in known:
        hint = did_you_mean(parameter, known) or f" Parameters are {', '.join(known) or 'none'}."
        raise ModelError(f"there is no parameter '{parameter}' to vary.{hint}")
    numbers = np.atleast_1d(np.asarray(values, dtype=float))
    if numbers.ndim != 1 or len(numbers) < 2 or not np.isfinite(numbers).all():
        raise ModelError("a root locus needs at least two finite values of its parameter.")
    told = {**frozen.given, **(given or {})}
    once = None
    if not Layout.of(model, cut).constraints:  # a tree: one set of formulas for all values
        once = linearize(model, at, given={k: v for k, v in told.items() if k != parameter}, t=t, cut=cut)
    rows: list[Any] = []
    for value in numbers:
        numbers_of = {**told, parameter: float(value)}
        if once is not None:
            found = once.eigenvalues({k: float(v) for k, v in numbers_of.items() if k in once.parameters})
        else:
            found = linearize(model, at, given=numbers_of, t=t, cut=cut).eigenvalues()
        if rows:
            away = np.abs(rows[-1][:, None] - found[None, :])
            found = found[linear_sum_assignment(away)[1]]
        rows.append(found)
    return np.array(rows)


def plot_locus(values: ArrayLike, roots: Any, parameter: str, title: str) -> Figure:
    """Paths of eigenvalues as a parameter grows: circles where they begin, squares where they end."""
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    numbers = np.asarray(values, dtype=float)
    with mpl.rc_context(style()):
        figure, axis = plt.subplots(figsize=(7, 5.4), layout="constrained")
        axis.axvspan(0, 1e9, color="#d93636", alpha=0.06, lw=0)
        axis.axvline(0, color=GREY, lw=0.8)
        for path in roots.T:
            axis.plot(path.real, path.imag, color=COLOURS[0], lw=1.0, alpha=0.7)
        spots = axis.scatter(
            roots.real.ravel(), roots.imag.ravel(), c=np.repeat(numbers, roots.shape[1]), s=9, zorder=3
        )
        axis.plot(roots[0].real, roots[0].imag, "o", ms=7, mfc="none", color="#1d2733", label="first")
        axis.plot(roots[-1].real, roots[-1].imag, "s", ms=7, mfc="none", color="#1d2733", label="last")
        wide = float(np.ptp(roots.real)) or float(np.abs(roots).max()) or 1.0
        axis.set_xlim(roots.real.min() - 0.1 * wide, max(roots.real.max(), 0) + 0.1 * wide)
        figure.colorbar(spots, ax=axis, label=plain(parameter))
        axis.legend()
        axis.set_xlabel("real part [1/s]")
        axis.set_ylabel("imaginary part [1/s]")
        axis.set_title(plain(f"{title}: eigenvalues (red: unstable)"))
        return figure
