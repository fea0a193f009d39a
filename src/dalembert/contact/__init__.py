"""Unilateral contact: Moreau's problem, impacts, Coulomb friction, all as pure numerics on M, rows and speeds.

>>> from dalembert.contact import Moreau, right_acceleration
>>> right_acceleration(Moreau([[2.0]], [-19.62], [[1.0]], [0.0], ("floor",))).forces.one.tolist()
[19.62]
"""

# Coulomb's law
from dalembert.contact.cones import onto_cone
from dalembert.contact.coulomb import Answer, Frictional, check_friction, choose, fault, single

# impacts
from dalembert.contact.impact import LAWS, Impact, check_restitution, impact

# the exact methods
from dalembert.contact.least_distance import Nearest, nearest
from dalembert.contact.lemke import Lemke, lemke

# right accelerations
from dalembert.contact.moreau import Appell, Moreau, RightAcceleration, right_acceleration
from dalembert.contact.multipliers import Forces, forces_of
from dalembert.contact.nsgs import Swept, gauss_seidel, solve_frictional
from dalembert.contact.painleve import Sliding, sliding
from dalembert.contact.path import PathImpact, path_impact
from dalembert.contact.planar import all_answers

__all__ = [
    "LAWS",
    "Answer",
    "Appell",
    "Forces",
    "Frictional",
    "Impact",
    "Lemke",
    "Moreau",
    "Nearest",
    "PathImpact",
    "RightAcceleration",
    "Sliding",
    "Swept",
    "all_answers",
    "check_friction",
    "check_restitution",
    "choose",
    "fault",
    "forces_of",
    "gauss_seidel",
    "impact",
    "lemke",
    "nearest",
    "onto_cone",
    "path_impact",
    "right_acceleration",
    "single",
    "sliding",
    "solve_frictional",
]
