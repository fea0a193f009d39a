"""Machines under control: A, B, C, D about a rest, feedback, trajectories through points, efforts of a motion."""

from dalembert.control.needed import Needed, needed_efforts
from dalembert.control.space import Feedback, StateSpace, state_space
from dalembert.control.through import Trajectory, trajectory

__all__ = ["Feedback", "Needed", "StateSpace", "Trajectory", "needed_efforts", "state_space", "trajectory"]
