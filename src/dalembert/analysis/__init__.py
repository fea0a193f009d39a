"""Questions that every model answers, closed or not: small motions, equilibria, reactions, comparisons."""

import sys

from dalembert import limits
from dalembert.analysis.compare import Comparison, compare
from dalembert.analysis.constraint_efforts import ConstraintEffort, constraint_efforts
from dalembert.analysis.coupling import Hold, ZeroDynamics, coupling, zero_dynamics
from dalembert.analysis.equilibria import equilibria
from dalembert.analysis.equilibrium import Equilibrium
from dalembert.analysis.linearization import Linearization
from dalembert.analysis.linearize import linearize
from dalembert.analysis.modes import Mode
from dalembert.analysis.reactions import Reaction, reactions

__all__ = [
    "Comparison",
    "ConstraintEffort",
    "Equilibrium",
    "Hold",
    "Linearization",
    "Mode",
    "Reaction",
    "ZeroDynamics",
    "compare",
    "constraint_efforts",
    "coupling",
    "equilibria",
    "linearize",
    "reactions",
    "zero_dynamics",
]

limits.guard(sys.modules[__name__], "Give numbers for parameters.", seconds=600.0, classes=False)
