"""Parameters, starts and inputs that make a motion what it should be: gradients, optimisation, fits to data."""

from dalembert.tuning.fit import Fitted, fit
from dalembert.tuning.objective import Gradient, gradient
from dalembert.tuning.optimize import Optimum, optimize

__all__ = ["Fitted", "Gradient", "Optimum", "fit", "gradient", "optimize"]
