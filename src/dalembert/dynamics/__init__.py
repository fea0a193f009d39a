"""The dynamics of a machine, derived once: recursions, articulated bodies, constraints, energies, outputs."""

from dalembert.dynamics.dynamics import Dynamics, dynamics_of
