"""Pictures of machines and motions: scenes, pages that play, curves; self-contained files."""

from dalembert.view.animation import animate
from dalembert.view.flat import draw_flat
from dalembert.view.images import draw, write_video
from dalembert.view.linear import locus_of, plot_locus, plot_response
from dalembert.view.modes import draw_mode, mode_scene
from dalembert.view.motion import Motion
from dalembert.view.page import page, side_by_side
from dalembert.view.plots import plot, plot_energy, plot_phase
from dalembert.view.portraits import plot_reactions, plot_section, section_of
from dalembert.view.scene import Scene, scene_of
from dalembert.view.structure import draw_structure, loops_of
from dalembert.view.theme import COLOURS
