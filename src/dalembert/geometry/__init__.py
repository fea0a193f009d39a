"""Geometry of constrained motion: V*M, sections, connections, and the dynamical field in its parts (Dazord, Marle)."""

from dalembert.geometry.brackets import Bracket, kept_bracket, phase_bracket
from dalembert.geometry.from_mechanism import geometry_of
from dalembert.geometry.geometry import Agreement, Geometry
from dalembert.geometry.integrals import Integral, integrals, symmetries
from dalembert.geometry.phase import Phase, lift, phase
from dalembert.geometry.setting import Kept, Setting, constrained
