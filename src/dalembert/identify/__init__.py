"""Inertial parameters: what efforts depend on, what can be told apart, and what measurements say about it."""

from dalembert.identify.base import BaseParameters, base_parameters
from dalembert.identify.excite import Excitation, excitation
from dalembert.identify.fit import Identified, identify
from dalembert.identify.regressor import Regressor, regressor

__all__ = [
    "BaseParameters",
    "Excitation",
    "Identified",
    "Regressor",
    "base_parameters",
    "excitation",
    "identify",
    "regressor",
]
