"""Questions that every model answers: linear equations, equilibria, comparison of formalisms."""

from dalembert.analysis.compare import Comparison, compare
from dalembert.analysis.equilibria import Equilibrium, equilibria
from dalembert.analysis.linearize import Linearization, linearize
