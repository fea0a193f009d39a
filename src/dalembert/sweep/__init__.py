"""Sweeps: motions for many parameters and starts, numbers of each, kept while they are made."""

from dalembert.sweep.sweep import Sweep, sweep

__all__ = ["Sweep", "sweep"]
