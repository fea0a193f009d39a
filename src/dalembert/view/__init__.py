"""Pictures of motions: curves, three-dimensional animation, self-contained files."""

from dalembert.view.animation import animate
from dalembert.view.motion import Motion
from dalembert.view.plots import plot, plot_energy, plot_phase
from dalembert.view.theme import COLOURS
