"""Fronts S0 = E t of a plane motion and the particles that run across them, as a moving picture."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sympy as sp

from dalembert.errors import ModelError
from dalembert.files import check_suffix, written_whole

from ..formulas._exact import number_function
from ..formulas._names import Formula, Names

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class MovingFronts:
    """S0 and the rays q' = grad S0/m from given places: `times` and one array (2, times) for each ray."""

    S0: sp.Expr
    axes: tuple[sp.Symbol, sp.Symbol]
    energy: float
    times: np.ndarray
    rays: tuple[np.ndarray, ...]
    across: float
    """The largest cosine between a ray and the front that it crosses: zero where rays are normal to fronts."""

    def animate(self, path: str | os.PathLike[str], ranges: Sequence[tuple[float, float]]) -> None:
        """Write a GIF in which the front runs with E/|p| and the particles with |p|/m."""
        import matplotlib.pyplot as plt
        import numpy as np
        from matplotlib.animation import FuncAnimation, PillowWriter

        check_suffix(path, (".gif",), "a moving picture of fronts")
        x, y = np.meshgrid(*(np.linspace(*r, 160) for r in ranges))
        with np.errstate(all="ignore"):
            height = number_function(list(self.axes), self.S0)(x, y) + 0 * x
        figure, axes = plt.subplots(figsize=(6, 4))

        def draw(k: int) -> list[Any]:
            axes.clear()
            first = float(np.nanmin(height))
            axes.contour(x, y, height, levels=[first + self.energy * self.times[k]], colors="tab:blue")
            for ray in self.rays:
                axes.plot(*ray, color="0.8", linewidth=0.8)
                axes.plot(*ray[:, k], "o", color="tab:red")
            axes.set(xlim=ranges[0], ylim=ranges[1], xlabel=self.axes[0].name, ylabel=self.axes[1].name)
            return []

        moving = FuncAnimation(figure, draw, frames=len(self.times), blit=False)
        temporary = f"{os.fspath(path)}.part.gif"
        try:
            moving.save(temporary, writer=PillowWriter(fps=12))
            with open(temporary, "rb") as made, written_whole(path) as file:
                file.write(made.read())
        finally:
            plt.close(figure)
            if os.path.exists(temporary):
                os.unlink(temporary)


def moving_fronts(
    S0: Formula,
    coordinates: str | Sequence[str],
    starts: Sequence[tuple[float, float]],
    values: Mapping[str, float],
    *,
    energy: float,
    time: float,
    mass: Formula = "m",
    frames: int = 40,
) -> MovingFronts:
    """The rays of a reduced action S0(x, y) from some places over a time, at numeric parameters.

    >>> made = moving_fronts("P*x", "x y", [(0, 0), (0, 1)], {"P": 2, "m": 1}, energy=2.0, time=1.0)
    >>> [round(float(ray[0, -1]), 6) for ray in made.rays]
    [2.0, 2.0]
    """
    import numpy as np
    from scipy.integrate import solve_ivp

    n = Names()
    labels = coordinates.replace(",", " ").split() if isinstance(coordinates, str) else list(coordinates)
    if len(labels) != 2 or not starts or frames < 2 or not time > 0:
        raise ModelError("moving fronts are of two coordinates, from at least one start, over a positive time")
    axes = (n.symbol(labels[0]), n.symbol(labels[1]))
    numbers = {n.symbol(k): sp.Float(v) for k, v in values.items()}
    action, inertia = n.read(S0).subs(numbers), n.read(mass).subs(numbers)
    slope = number_function([list(axes)], [sp.diff(action, a) for a in axes])
    run = number_function([list(axes)], [sp.diff(action, a) / inertia for a in axes])
    times = np.linspace(0, time, frames)
    rays = []
    for start in starts:
        way = time * float(np.hypot(*run(list(start))))  # the size of the picture: what is small beside it is nothing
        if not way > 0:
            raise ModelError(f"nothing moves at {start}: grad S0 is zero or not real there. Start elsewhere")
        motion = solve_ivp(lambda _, z: run(list(z)), (0, time), list(start), t_eval=times, rtol=1e-9, atol=1e-9 * way)
        if not motion.success or not np.all(np.isfinite(motion.y)):
            raise ModelError(f"the ray from {start} leaves the region where S0 = {action} is real: start elsewhere")
        rays.append(motion.y)
    return MovingFronts(action, axes, energy, times, tuple(rays), _across(slope, rays))


def _across(slope: Any, rays: Sequence[np.ndarray]) -> float:
    """The cosine between the chord of a step and the front at its middle, at most; small with the step."""
    import numpy as np

    worst = 0.0
    for ray in rays:
        chord, middle = np.diff(ray), (ray[:, 1:] + ray[:, :-1]) / 2
        p = np.array([slope(list(z)) for z in middle.T], dtype=float).T
        turn = np.abs(chord[0] * p[1] - chord[1] * p[0])
        worst = max(worst, float(np.max(turn / (np.hypot(*chord) * np.hypot(*p)))))
    return worst
